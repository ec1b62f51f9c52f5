// From relay as it is written to kernels: types are completed, functions
// dissolved, constants folded, what is unused removed, and the rest fused.
// RUN: relay-opt %s --relay-optimize | FileCheck %s
// RUN: relay-opt %s --relay-optimize=opt-level=1 | FileCheck %s --check-prefix=APART
// RUN: relay-opt %s --relay-optimize=opt-level=0 | FileCheck %s --check-prefix=PLAIN
// RUN: not relay-opt %s --relay-optimize=opt-level=4 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not relay-opt %s --relay-optimize=opt-level=-1 2>&1 | FileCheck %s --check-prefix=LEVEL

// LEVEL: expects opt-level from 0 to 3, but got {{4|-1}}

// CHECK-NOT:   @block
// CHECK:       func.func private @fused_nn_dense_nn_relu_multiply(%{{.*}}: tensor<2x3xf32>, %{{.*}}: tensor<4x3xf32>) -> tensor<2x4xf32> attributes {relay.primitive}
// CHECK:         relay.constant dense<2.000000e+00> : tensor<f32>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    -> tensor<2x4xf32>
// CHECK-NEXT:    relay.call @fused_nn_dense_nn_relu_multiply(%arg0, %arg1)
// CHECK-NEXT:    return

// APART-LABEL: func.func @main
// APART-NEXT:    relay.call @fused_nn_dense(
// APART-NEXT:    relay.call @fused_nn_relu(
// APART-NEXT:    relay.call @fused_multiply(
// APART-NEXT:    return

// PLAIN-LABEL: func.func @main
// PLAIN:         relay.call @fused_sqrt(
// PLAIN:         relay.call @fused_nn_dense(
// PLAIN:         return
func.func private @block(%x: tensor<?x3xf32>, %w: tensor<4x3xf32>) -> tensor<?x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<?x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %1 = relay.nn.relu %0 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
func.func @main(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<?x4xf32> {
  %four = relay.constant dense<4.0> : tensor<f32>
  %two = relay.sqrt %four : (tensor<f32>) -> tensor<f32>
  %unused = relay.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = relay.call @block(%x, %w) : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<?x4xf32>
  %1 = relay.multiply %0, %two : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
