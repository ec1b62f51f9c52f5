// Convolutions on data and weights in other layouts.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s

// CHECK-LABEL: func.func @channels_last(
// CHECK:         relay.nn.conv2d {{.*}} -> tensor<?x6x5x16xf32>
func.func @channels_last(%x: tensor<?x8x7x4xf32>, %w: tensor<3x3x4x16xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<?x8x7x4xf32>, tensor<3x3x4x16xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @packed(
// CHECK:         relay.nn.conv2d {{.*}} -> tensor<1x2x6x5x8xf32>
func.func @packed(%x: tensor<1x2x8x7x2xf32>, %w: tensor<16x4x3x3xf32>) -> tensor<?x?x?x?x?xf32> {
  %r = relay.nn.conv2d %x, %w {data_layout = "NCHW2c", out_layout = "NCHW8c"} : (tensor<1x2x8x7x2xf32>, tensor<16x4x3x3xf32>) -> tensor<?x?x?x?x?xf32>
  return %r : tensor<?x?x?x?x?xf32>
}

// A weight with three results of each channel.
// CHECK-LABEL: func.func @depthwise(
// CHECK:         relay.nn.conv2d {{.*}} -> tensor<1x12x6x5xf32>
func.func @depthwise(%x: tensor<1x4x8x7xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.conv2d %x, %w {channels = 12, groups = 4} : (tensor<1x4x8x7xf32>, tensor<4x3x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK:         relay.nn.conv2d_transpose {{.*}} -> tensor<1x9x8x6xf32>
func.func @transposed(%x: tensor<1x4x4x2xf32>, %w: tensor<3x2x2x6xf32>) -> tensor<?x?x?x?xf32> {
  %r = relay.nn.conv2d_transpose %x, %w {data_layout = "NHWC", kernel_layout = "HWIO", strides = [2, 2]} : (tensor<1x4x4x2xf32>, tensor<3x2x2x6xf32>) -> tensor<?x?x?x?xf32>
  return %r : tensor<?x?x?x?xf32>
}
