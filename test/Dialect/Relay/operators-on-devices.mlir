// RUN: relay-opt %s --split-input-file --relay-plan-devices --relay-widen-products --relay-winograd --relay-rows-to-integers | FileCheck %s
// RUN: relay-opt %s --split-input-file --relay-plan-devices="default-device=cuda:0" --relay-widen-products --relay-winograd --relay-rows-to-integers | FileCheck %s --check-prefix=CUDA

// What pays depends on what computes an operator: GPUs take halves as they are, and
// estimates of processors say nothing of them.
// CHECK-LABEL: func.func @halves
// CHECK:       relay.nn.dense {{.*}}xf32>
// CHECK:       relay.nn.dense {{.*}}xf16>
// CUDA-LABEL:  func.func @halves
// CUDA:        relay.nn.dense {{.*}}xf16>
// CUDA:        relay.nn.dense {{.*}}xf16>
#spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">
module attributes {target.spec = #spec, target.device_specs = {cuda = #cuda.gpu<"sm_80">}} {
  func.func @halves(%x: tensor<64x256xf16>, %v: tensor<256x256xf16>, %w: tensor<128x256xf16>) -> tensor<64x128xf16> {
    %0 = relay.nn.dense %x, %v : (tensor<64x256xf16>, tensor<256x256xf16>) -> tensor<64x256xf16>
    %1 = relay.device_copy %0 {dst_virtual_device = {device_type = 2 : i64, virtual_device_id = 0 : i64}} : (tensor<64x256xf16>) -> tensor<64x256xf16>
    %2 = relay.nn.dense %1, %w : (tensor<64x256xf16>, tensor<128x256xf16>) -> tensor<64x128xf16>
    return %2 : tensor<64x128xf16>
  }
}

// -----

// CHECK-LABEL: func.func @window
// CHECK:       relay.nn.contrib_conv2d_winograd_without_weight_transform
// CHECK:       relay.nn.conv2d
// CUDA-LABEL:  func.func @window
// CUDA:        relay.nn.conv2d
// CUDA:        relay.nn.conv2d
#spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">
module attributes {target.spec = #spec, target.device_specs = {cuda = #cuda.gpu<"sm_80">}} {
  func.func @window(%x: tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32> {
    %w = relay.constant dense<1.0> : tensor<64x64x3x3xf32>
    %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", padding = array<i64: 1, 1, 1, 1>} : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
    %1 = relay.device_copy %0 {dst_virtual_device = {device_type = 2 : i64, virtual_device_id = 0 : i64}} : (tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
    %2 = relay.nn.conv2d %1, %w {data_layout = "NHWC", padding = array<i64: 1, 1, 1, 1>} : (tensor<1x56x56x64xf32>, tensor<64x64x3x3xf32>) -> tensor<1x56x56x64xf32>
    return %2 : tensor<1x56x56x64xf32>
  }
}

// -----

// CHECK-LABEL: func.func @few_rows
// CHECK:       relay.nn.batch_matmul
// CHECK:       relay.nn.dense
// CUDA-LABEL:  func.func @few_rows
// CUDA:        relay.nn.dense
// CUDA:        relay.nn.dense
#spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver4">
module attributes {target.spec = #spec, target.device_specs = {cuda = #cuda.gpu<"sm_80">}} {
  func.func @few_rows(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %q = relay.constant dense_resource<q> : tensor<64x64xi8>
    %s = relay.constant dense<0.5> : tensor<64x1xf32>
    %0 = relay.cast %q {dtype = f32} : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %1 = relay.multiply %0, %s : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
    %2 = relay.nn.dense %x, %1 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    %3 = relay.device_copy %2 {dst_virtual_device = {device_type = 2 : i64, virtual_device_id = 0 : i64}} : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %4 = relay.nn.dense %3, %1 : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
    return %4 : tensor<1x64xf32>
  }
}
