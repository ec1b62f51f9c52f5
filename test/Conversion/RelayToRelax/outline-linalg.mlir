// Operators that are linalg operations already, with blocks of their own, are
// cut out of a function as well.
// RUN: relay-opt %s --convert-relay-to-linalg --relay-outline-tensors | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:         relay.call @main.0(%arg2)
// CHECK-LABEL: func.func @main.0
// CHECK:         linalg.generic
func.func @main(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %r: tensor<1x2x5x5xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) {
  %s = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.add %r, %r : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.multiply %0, %s : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  %2 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.add %2, %r : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %4 = relay.multiply %3, %s : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  return %1, %2, %4 : tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>
}
