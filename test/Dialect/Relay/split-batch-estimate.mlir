// Where parts pay. A third cache of 32 MiB, of which a half is used.
//
// RUN: relay-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(relay-attach-target{target=znver3},func.func(relay-split-batch))' | FileCheck %s

// 26 MB between operators that have little to compute.
// CHECK-LABEL: func @depthwise
// CHECK-COUNT-16: relay.nn.conv2d {{.*}} -> tensor<1x112x112x64xf32>
// CHECK: relay.concatenate {{.*}} -> tensor<8x56x56x64xf32>
func.func @depthwise(%x: tensor<8x112x112x8xf32>) -> tensor<8x56x56x64xf32> {
  %e = relay.constant dense<1.0> : tensor<64x8x1x1xf32>
  %w = relay.constant dense<1.0> : tensor<64x1x3x3xf32>
  %0 = relay.nn.conv2d %x, %e {data_layout = "NHWC", channels = 64, kernel_size = [1, 1]} : (tensor<8x112x112x8xf32>, tensor<64x8x1x1xf32>) -> tensor<8x112x112x64xf32>
  %1 = relay.nn.relu %0 : (tensor<8x112x112x64xf32>) -> tensor<8x112x112x64xf32>
  %2 = relay.nn.conv2d %1, %w {data_layout = "NHWC", groups = 64, channels = 64, kernel_size = [3, 3], padding = [1, 1, 1, 1]} : (tensor<8x112x112x64xf32>, tensor<64x1x3x3xf32>) -> tensor<8x112x112x64xf32>
  %3 = relay.nn.relu %2 : (tensor<8x112x112x64xf32>) -> tensor<8x112x112x64xf32>
  %4 = relay.nn.conv2d %3, %w {data_layout = "NHWC", groups = 64, channels = 64, kernel_size = [3, 3], padding = [1, 1, 1, 1], strides = [2, 2]} : (tensor<8x112x112x64xf32>, tensor<64x1x3x3xf32>) -> tensor<8x56x56x64xf32>
  return %4 : tensor<8x56x56x64xf32>
}

// -----

// As many bytes, but 576 products for each.
// CHECK-LABEL: func @dense
// CHECK-NOT: strided_slice
func.func @dense(%x: tensor<8x112x112x64xf32>) -> tensor<8x112x112x64xf32> {
  %w = relay.constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", channels = 64, kernel_size = [3, 3], padding = [1, 1, 1, 1]} : (tensor<8x112x112x64xf32>, tensor<64x64x3x3xf32>) -> tensor<8x112x112x64xf32>
  return %0 : tensor<8x112x112x64xf32>
}

// -----

// The batch fits the cache.
// CHECK-LABEL: func @small
// CHECK-NOT: strided_slice
func.func @small(%x: tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32> {
  %w = relay.constant dense<1.0> : tensor<64x1x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", groups = 64, channels = 64, kernel_size = [3, 3], padding = [1, 1, 1, 1]} : (tensor<8x28x28x64xf32>, tensor<64x1x3x3xf32>) -> tensor<8x28x28x64xf32>
  %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC", groups = 64, channels = 64, kernel_size = [3, 3], padding = [1, 1, 1, 1]} : (tensor<8x28x28x64xf32>, tensor<64x1x3x3xf32>) -> tensor<8x28x28x64xf32>
  return %1 : tensor<8x28x28x64xf32>
}
