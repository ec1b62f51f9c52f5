// Exporters compute the widths of padding, from constants too: what convolutions
// of TensorFlow's "same" padding become. They are the convolution's padding.
// RUN: relay-opt %s --relay-optimize | FileCheck %s

// CHECK-LABEL: func.func private @fused_nn_conv2d(
// CHECK-NOT:     pad_width
// CHECK:         relay.nn.conv2d {{.*}}{padding = [0, 0, 1, 1]
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> (tensor<1x8x4x4xf32>
// CHECK-NOT:     relay.dyn
// CHECK-NOT:     pad
// CHECK:         return
func.func @main(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32>) -> (tensor<?x?x?x?xf32> {relay.name = "y"}) {
  %zero = relay.constant dense<0.0> : tensor<f32>
  %none = relay.constant dense<0> : tensor<2x2xi64>
  %half = relay.constant dense<0.5> : tensor<2xf32>
  %width = relay.ceil %half : (tensor<2xf32>) -> tensor<2xf32>
  %bounded = relay.maximum %width, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %after = relay.cast %bounded {dtype = i64} : (tensor<2xf32>) -> tensor<2xi64>
  %column = relay.reshape %after {newshape = [2, 1]} : (tensor<2xi64>) -> tensor<2x1xi64>
  %before = relay.constant dense<0> : tensor<2x1xi64>
  %spatial = relay.concatenate %before, %column {axis = 1} : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
  %widths = relay.concatenate %none, %spatial {axis = 0} : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<4x2xi64>
  %0 = relay.dyn.nn.pad %x, %widths, %zero : (tensor<1x4x8x8xf32>, tensor<4x2xi64>, tensor<f32>) -> tensor<?x?x?x?xf32>
  %1 = relay.nn.conv2d %0, %w {strides = [2, 2]} : (tensor<?x?x?x?xf32>, tensor<8x4x3x3xf32>) -> tensor<?x?x?x?xf32>
  return %1 : tensor<?x?x?x?xf32>
}
