// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-flatten-atrous-conv))' --split-input-file | FileCheck %s

// Padding less crops; each dimension has its own block.

// CHECK-LABEL: func.func @flat
// CHECK-NEXT: %[[C:.*]] = relay.nn.conv2d %arg0, %arg1 {data_layout = "NHWC", dilation = [2, 3], kernel_layout = "HWIO", padding = [2, 3, 1, 2]} : (tensor<?x8x9x4xf32>, tensor<3x3x4x5xf32>) -> tensor<?x7x8x5xf32>
// CHECK-NEXT: return %[[C]]
func.func @flat(%x: tensor<?x8x9x4xf32>, %w: tensor<3x3x4x5xf32>) -> tensor<?x7x8x5xf32> {
  %0 = relay.nn.space_to_batch_nd %x {block_shape = [2, 3], paddings = [2, 2, 3, 3]} : (tensor<?x8x9x4xf32>) -> tensor<?x6x5x4xf32>
  %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<?x6x5x4xf32>, tensor<3x3x4x5xf32>) -> tensor<?x4x3x5xf32>
  %2 = relay.nn.batch_to_space_nd %1 {block_shape = [2, 3], crops = [0, 1, 0, 1]} : (tensor<?x4x3x5xf32>) -> tensor<?x7x8x5xf32>
  return %2 : tensor<?x7x8x5xf32>
}

// -----

// CHECK-LABEL: func.func @quantized
// CHECK: relay.qnn.conv2d %arg0, {{.*}} {data_layout = "NHWC", dilation = [2, 2], kernel_layout = "HWIO", out_dtype = i32, padding = [2, 2, 2, 2]}
// CHECK-NOT: batch_to_space
func.func @quantized(%x: tensor<1x8x8x4xi8>, %w: tensor<3x3x4x5xi8>, %s: tensor<f32>) -> tensor<1x8x8x5xi32> {
  %zp = relay.constant dense<3> : tensor<i32>
  %0 = relay.nn.space_to_batch_nd %x {block_shape = [2, 2], paddings = [2, 2, 2, 2], pad_value = 3.0} : (tensor<1x8x8x4xi8>) -> tensor<4x6x6x4xi8>
  %1 = relay.qnn.conv2d %0, %w, %zp, %zp, %s, %s {data_layout = "NHWC", kernel_layout = "HWIO", out_dtype = i32} : (tensor<4x6x6x4xi8>, tensor<3x3x4x5xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<4x4x4x5xi32>
  %2 = relay.nn.batch_to_space_nd %1 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x4x4x5xi32>) -> tensor<1x8x8x5xi32>
  return %2 : tensor<1x8x8x5xi32>
}

// -----

// More crops than padding; other blocks; strides; blocks of channels; another
// reader; padding that is not zero.

// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: relay.nn.batch_to_space_nd
func.func @kept(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x5xf32>, %v: tensor<1x1x4x5xf32>, %u: tensor<1x1x2x5xf32>) -> (tensor<1x3x4x5xf32>, tensor<1x16x4x5xf32>, tensor<1x4x4x5xf32>, tensor<1x8x16x5xf32>, tensor<1x8x8x5xf32>, tensor<4x4x4x5xf32>, tensor<1x12x12x5xf32>) {
  %0 = relay.nn.space_to_batch_nd %x {block_shape = [2, 2], paddings = [0, 0, 0, 0]} : (tensor<1x8x8x4xf32>) -> tensor<4x4x4x4xf32>
  %1 = relay.nn.conv2d %0, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<4x4x4x4xf32>, tensor<3x3x4x5xf32>) -> tensor<4x2x2x5xf32>
  %2 = relay.nn.batch_to_space_nd %1 {block_shape = [2, 2], crops = [1, 0, 0, 0]} : (tensor<4x2x2x5xf32>) -> tensor<1x3x4x5xf32>
  %3 = relay.nn.conv2d %0, %v {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<4x4x4x4xf32>, tensor<1x1x4x5xf32>) -> tensor<4x4x4x5xf32>
  %4 = relay.nn.batch_to_space_nd %3 {block_shape = [4, 1], crops = [0, 0, 0, 0]} : (tensor<4x4x4x5xf32>) -> tensor<1x16x4x5xf32>
  %5 = relay.nn.conv2d %0, %v {data_layout = "NHWC", kernel_layout = "HWIO", strides = [2, 2]} : (tensor<4x4x4x4xf32>, tensor<1x1x4x5xf32>) -> tensor<4x2x2x5xf32>
  %6 = relay.nn.batch_to_space_nd %5 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x2x2x5xf32>) -> tensor<1x4x4x5xf32>
  %7 = relay.nn.space_to_batch_nd %x {block_shape = [1, 1, 2], paddings = [0, 0, 0, 0, 0, 0]} : (tensor<1x8x8x4xf32>) -> tensor<2x8x8x2xf32>
  %8 = relay.nn.conv2d %7, %u {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<2x8x8x2xf32>, tensor<1x1x2x5xf32>) -> tensor<2x8x8x5xf32>
  %9 = relay.nn.batch_to_space_nd %8 {block_shape = [1, 2], crops = [0, 0, 0, 0]} : (tensor<2x8x8x5xf32>) -> tensor<1x8x16x5xf32>
  %10 = relay.nn.conv2d %0, %v {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<4x4x4x4xf32>, tensor<1x1x4x5xf32>) -> tensor<4x4x4x5xf32>
  %11 = relay.nn.batch_to_space_nd %10 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x4x4x5xf32>) -> tensor<1x8x8x5xf32>
  %12 = relay.nn.space_to_batch_nd %x {block_shape = [2, 2], paddings = [2, 2, 2, 2], pad_value = 1.0} : (tensor<1x8x8x4xf32>) -> tensor<4x6x6x4xf32>
  %13 = relay.nn.conv2d %12, %v {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<4x6x6x4xf32>, tensor<1x1x4x5xf32>) -> tensor<4x6x6x5xf32>
  %14 = relay.nn.batch_to_space_nd %13 {block_shape = [2, 2], crops = [0, 0, 0, 0]} : (tensor<4x6x6x5xf32>) -> tensor<1x12x12x5xf32>
  return %2, %4, %6, %9, %11, %10, %14 : tensor<1x3x4x5xf32>, tensor<1x16x4x5xf32>, tensor<1x4x4x5xf32>, tensor<1x8x16x5xf32>, tensor<1x8x8x5xf32>, tensor<4x4x4x5xf32>, tensor<1x12x12x5xf32>
}
