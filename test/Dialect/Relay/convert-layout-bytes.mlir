// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-convert-layout{estimate=true}))' | FileCheck %s

// Instructions for products of bytes take neighbouring channels: those are worth
// more changes of order than floats are.
// CHECK-LABEL: func.func @bytes
// CHECK:       relay.layout_transform {{.*}}dst_layout = "NHWC"
// CHECK:       relay.nn.conv2d {{.*}}data_layout = "NHWC"
func.func @bytes(%x: tensor<1x64x56x56xi8>, %w: tensor<32x64x1x1xi8>) -> tensor<1x32x56x56xi32> {
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x64x56x56xi8>, tensor<32x64x1x1xi8>) -> tensor<1x32x56x56xi32>
  return %0 : tensor<1x32x56x56xi32>
}

// CHECK-LABEL: func.func @floats
// CHECK-NOT:   relay.layout_transform
// CHECK:       relay.nn.conv2d %arg0
func.func @floats(%x: tensor<1x64x56x56xf32>, %w: tensor<32x64x1x1xf32>) -> tensor<1x32x56x56xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x64x56x56xf32>, tensor<32x64x1x1xf32>) -> tensor<1x32x56x56xf32>
  return %0 : tensor<1x32x56x56xf32>
}
