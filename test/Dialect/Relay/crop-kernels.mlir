// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-crop-kernels))' --split-input-file | FileCheck %s

// A dilation as large as the image leaves the middle; one that is smaller, or
// larger on one side, leaves a part. Strides may step over the data.

// CHECK-LABEL: func.func @cropped
// CHECK: %[[MIDDLE:.*]] = relay.strided_slice %{{.*}} {begin = [0, 0, 1, 1], end = [2, 4, 2, 2], strides = [1, 1, 1, 1]}
// CHECK: relay.nn.conv2d %arg0, %[[MIDDLE]] {dilation = [12, 12], kernel_size = [1, 1], padding = [0, 0, 0, 0]} : (tensor<?x4x10x12xf32>, tensor<2x4x1x1xf32>) -> tensor<?x2x10x12xf32>
// CHECK: %[[ROWS:.*]] = relay.strided_slice %{{.*}} {begin = [1, 0, 0, 0], end = [2, 3, 4, 2], strides = [1, 1, 1, 1]}
// CHECK: relay.nn.conv2d %arg1, %[[ROWS]] {{{.*}}padding = [0, 6, 0, 6]} : (tensor<1x6x9x4xf32>, tensor<1x3x4x2xf32>) -> tensor<1x6x9x2xf32>
// CHECK: %[[FIRST:.*]] = relay.strided_slice %{{.*}} {begin = [0, 0, 2], end = [2, 4, 3], strides = [1, 1, 1]}
// CHECK: relay.nn.conv1d %arg2, %[[FIRST]] {padding = [0, 5], strides = [8]}
func.func @cropped(%x: tensor<?x4x10x12xf32>, %y: tensor<1x6x9x4xf32>, %z: tensor<1x4x4xf32>) -> (tensor<?x2x10x12xf32>, tensor<1x6x9x2xf32>, tensor<1x2x2xf32>) {
  %w = relay.constant dense<1.0> : tensor<2x4x3x3xf32>
  %0 = relay.nn.conv2d %x, %w {dilation = [12, 12], kernel_size = [3, 3], padding = [12, 12]} : (tensor<?x4x10x12xf32>, tensor<2x4x3x3xf32>) -> tensor<?x2x10x12xf32>
  %v = relay.constant dense<1.0> : tensor<3x3x4x2xf32>
  %1 = relay.nn.conv2d %y, %v {data_layout = "NHWC", kernel_layout = "HWIO", dilation = [6, 6], padding = [6, 6]} : (tensor<1x6x9x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x6x9x2xf32>
  %u = relay.constant dense<1.0> : tensor<2x4x3xf32>
  %2 = relay.nn.conv1d %z, %u {padding = [2, 5], strides = [8]} : (tensor<1x4x4xf32>, tensor<2x4x3xf32>) -> tensor<1x2x2xf32>
  return %0, %1, %2 : tensor<?x2x10x12xf32>, tensor<1x6x9x2xf32>, tensor<1x2x2xf32>
}

// -----

// All of it meets data; the first window begins within the data; sizes are not
// known; a product with infinity is no zero; the kernel is not known.

// CHECK-LABEL: func.func @not_cropped
// CHECK-NOT: relay.strided_slice
func.func @not_cropped(%x: tensor<1x4x8x8xf32>, %y: tensor<1x4x?x8xf32>, %w: tensor<2x4x3x3xf32>) -> (tensor<1x2x8x8xf32>, tensor<1x2x2x2xf32>, tensor<1x2x?x8xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) {
  %c = relay.constant dense<1.0> : tensor<2x4x3x3xf32>
  %inf = relay.constant dense<0x7F800000> : tensor<2x4x3x3xf32>
  %0 = relay.nn.conv2d %x, %c {padding = [1, 1]} : (tensor<1x4x8x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x8x8xf32>
  %1 = relay.nn.conv2d %x, %c {dilation = [9, 9], padding = [6, 6]} : (tensor<1x4x8x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x2x2xf32>
  %2 = relay.nn.conv2d %y, %c {dilation = [8, 1], padding = [8, 1]} : (tensor<1x4x?x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x?x8xf32>
  %3 = relay.nn.conv2d %x, %inf {dilation = [8, 8], padding = [8, 8]} : (tensor<1x4x8x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x8x8xf32>
  %4 = relay.nn.conv2d %x, %w {dilation = [8, 8], padding = [8, 8]} : (tensor<1x4x8x8xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x8x8xf32>
  return %0, %1, %2, %3, %4 : tensor<1x2x8x8xf32>, tensor<1x2x2x2xf32>, tensor<1x2x?x8xf32>, tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>
}
