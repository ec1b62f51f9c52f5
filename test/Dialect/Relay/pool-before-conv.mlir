// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-pool-before-conv))' --split-input-file | FileCheck %s

// Padding adds zeros, which a convolution without bias keeps.

// CHECK-LABEL: func.func @average
// CHECK: %[[P:.*]] = relay.nn.avg_pool2d %{{.*}} {ceil_mode = true, padding = [1, 1, 0, 0], pool_size = [2, 2], strides = [2, 2]} : (tensor<?x64x7x7xf32>) -> tensor<?x64x4x4xf32>
// CHECK: relay.nn.conv2d %[[P]], %{{.*}} {groups = 2} : (tensor<?x64x4x4xf32>, tensor<32x32x1x1xf32>) -> tensor<?x32x4x4xf32>
func.func @average(%x: tensor<?x64x7x7xf32>, %w: tensor<32x32x1x1xf32>) -> tensor<?x32x4x4xf32> {
  %0 = relay.nn.conv2d %x, %w {groups = 2} : (tensor<?x64x7x7xf32>, tensor<32x32x1x1xf32>) -> tensor<?x32x7x7xf32>
  %1 = relay.nn.avg_pool2d %0 {pool_size = [2, 2], strides = [2, 2], padding = [1, 1, 0, 0], ceil_mode = true} : (tensor<?x32x7x7xf32>) -> tensor<?x32x4x4xf32>
  return %1 : tensor<?x32x4x4xf32>
}

// CHECK-LABEL: func.func @global
// CHECK: relay.nn.global_avg_pool2d %{{.*}} {layout = "NHWC"} : (tensor<1x7x7x16xf32>) -> tensor<1x1x1x16xf32>
// CHECK: relay.nn.conv2d
// CHECK: relay.nn.adaptive_avg_pool2d %{{.*}} : (tensor<1x7x7x16xf32>) -> tensor<1x2x3x16xf32>
// CHECK: relay.nn.conv2d {{.*}} -> tensor<1x2x3x32xf32>
func.func @global(%x: tensor<1x7x7x16xf32>, %w: tensor<32x16x1x1xf32>) -> (tensor<1x1x1x32xf32>, tensor<1x2x3x32xf32>) {
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC"} : (tensor<1x7x7x16xf32>, tensor<32x16x1x1xf32>) -> tensor<1x7x7x32xf32>
  %1 = relay.nn.global_avg_pool2d %0 {layout = "NHWC"} : (tensor<1x7x7x32xf32>) -> tensor<1x1x1x32xf32>
  %2 = relay.nn.conv2d %x, %w {data_layout = "NHWC"} : (tensor<1x7x7x16xf32>, tensor<32x16x1x1xf32>) -> tensor<1x7x7x32xf32>
  %3 = relay.nn.adaptive_avg_pool2d %2 {layout = "NHWC", output_size = [2, 3]} : (tensor<1x7x7x32xf32>) -> tensor<1x2x3x32xf32>
  return %1, %3 : tensor<1x1x1x32xf32>, tensor<1x2x3x32xf32>
}

// -----

// Not: windows or strides in the convolution, its padding, another user, as
// many pixels, a maximum, another layout in between, or far more channels to
// average.

// CHECK-LABEL: func.func @kept
// CHECK-NOT: relay.nn.{{.*}}pool2d %arg
func.func @kept(%x: tensor<1x32x8x8xf32>, %w: tensor<32x32x1x1xf32>, %v: tensor<32x32x3x3xf32>, %big: tensor<1x512x4x4xf32>, %u: tensor<1x512x1x1xf32>) -> (tensor<1x32x3x3xf32>, tensor<1x32x2x2xf32>, tensor<1x32x5x5xf32>, tensor<1x32x8x8xf32>, tensor<1x32x8x8xf32>, tensor<1x32x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1x32x4x4xf32>) {
  %0 = relay.nn.conv2d %x, %v : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x6x6xf32>
  %1 = relay.nn.avg_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x32x6x6xf32>) -> tensor<1x32x3x3xf32>
  %2 = relay.nn.conv2d %x, %w {strides = [2, 2]} : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x4x4xf32>
  %3 = relay.nn.avg_pool2d %2 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x32x4x4xf32>) -> tensor<1x32x2x2xf32>
  %4 = relay.nn.conv2d %x, %w {padding = [1, 1]} : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x10x10xf32>
  %5 = relay.nn.avg_pool2d %4 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x32x10x10xf32>) -> tensor<1x32x5x5xf32>
  %6 = relay.nn.conv2d %x, %w : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %7 = relay.nn.avg_pool2d %6 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x32x8x8xf32>) -> tensor<1x32x4x4xf32>
  %8 = relay.nn.conv2d %x, %w : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %9 = relay.nn.avg_pool2d %8 {pool_size = [3, 3], padding = [1, 1]} : (tensor<1x32x8x8xf32>) -> tensor<1x32x8x8xf32>
  %10 = relay.nn.conv2d %big, %u : (tensor<1x512x4x4xf32>, tensor<1x512x1x1xf32>) -> tensor<1x1x4x4xf32>
  %11 = relay.nn.global_avg_pool2d %10 : (tensor<1x1x4x4xf32>) -> tensor<1x1x1x1xf32>
  %12 = relay.nn.conv2d %x, %w : (tensor<1x32x8x8xf32>, tensor<32x32x1x1xf32>) -> tensor<1x32x8x8xf32>
  %13 = relay.nn.max_pool2d %12 {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x32x8x8xf32>) -> tensor<1x32x4x4xf32>
  return %1, %3, %5, %6, %9, %7, %11, %13 : tensor<1x32x3x3xf32>, tensor<1x32x2x2xf32>, tensor<1x32x5x5xf32>, tensor<1x32x8x8xf32>, tensor<1x32x8x8xf32>, tensor<1x32x4x4xf32>, tensor<1x1x1x1xf32>, tensor<1x32x4x4xf32>
}
