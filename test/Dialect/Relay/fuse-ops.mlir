// RUN: relay-opt %s --relay-fuse-ops --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-fuse-ops='merge=false' --split-input-file | FileCheck %s --check-prefix=APART

// A convolution takes its elementwise consumers; scalars are copied into the
// group, other constants become arguments. Without merging, two groups.
// CHECK-LABEL: func.func private @fused_nn_conv2d_nn_relu_multiply
// CHECK-SAME: (%[[X:.*]]: tensor<1x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> attributes {relay.primitive}
// CHECK: relay.constant dense<2.000000e+00> : tensor<f32>
// CHECK-LABEL: func.func @conv
// CHECK: %[[C:.*]] = relay.constant dense<1.000000e+00> : tensor<4x3x3x3xf32>
// CHECK-NEXT: relay.call @fused_nn_conv2d_nn_relu_multiply(%{{.*}}, %[[C]])
// CHECK-NEXT: return
// APART-LABEL: func.func @conv
// APART: relay.call @fused_nn_conv2d(
// APART: relay.call @fused_nn_relu(
// APART: relay.call @fused_multiply(
func.func @conv(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x6x6xf32> {
  %w = relay.constant dense<1.0> : tensor<4x3x3x3xf32>
  %two = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = relay.nn.relu %0 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %2 = relay.multiply %1, %two : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x6x6xf32>
  return %2 : tensor<1x4x6x6xf32>
}

// -----

// Both branches of a diamond lead to the sum, so all of it is one group.
// CHECK-LABEL: func.func @diamond
// CHECK-NEXT: %[[R:.*]] = relay.call @fused_{{.*}}(%{{.*}}, %{{.*}})
// CHECK-NEXT: return %[[R]]
func.func @diamond(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.exp %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.tanh %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = relay.add %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----

// A value that is also returned cannot vanish into its consumer's group.
// CHECK-LABEL: func.func @escapes
// CHECK: %[[E:.*]] = relay.call @fused_exp
// CHECK: %[[T:.*]] = relay.call @fused_tanh(%[[E]])
// CHECK: return %[[E]], %[[T]]
func.func @escapes(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.tanh %0 : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Only one convolution-like operator per group; a reduction ends one.
// CHECK-LABEL: func.func @anchors
// CHECK: relay.call @fused_nn_dense_nn_relu(
// CHECK: relay.call @fused_nn_dense_exp(
// CHECK: relay.call @fused_sum(
// CHECK: relay.call @fused_sqrt(
func.func @anchors(%x: tensor<2x3xf32>, %v: tensor<3x3xf32>) -> tensor<f32> {
  %0 = relay.nn.dense %x, %v : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = relay.nn.relu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = relay.nn.dense %1, %v : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %3 = relay.exp %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = relay.sum %3 : (tensor<2x3xf32>) -> tensor<f32>
  %5 = relay.sqrt %4 : (tensor<f32>) -> tensor<f32>
  return %5 : tensor<f32>
}

// -----

// Equal groups share a function, whatever their arguments.
// CHECK-COUNT-1: func.func private
// CHECK-LABEL: func.func @shared
// CHECK: relay.call @[[F:.*]](%{{.*}}, %{{.*}})
// CHECK: relay.call @[[F]](
func.func @shared(%x: tensor<2x3xf32>, %v: tensor<3x3xf32>, %w: tensor<3x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.nn.dense %x, %v : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %1 = relay.nn.dense %0, %w : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// Tuples do not cross the border of a primitive function: it has two results.
// CHECK-LABEL: func.func private @fused_split
// CHECK-SAME: -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-LABEL: func.func @pieces
// CHECK-NEXT: %[[S:.*]]:2 = relay.call @fused_split
// CHECK-NEXT: return %[[S]]#1, %[[S]]#0
func.func @pieces(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = relay.split %x {indices_or_sections = 2} : (tensor<4xf32>) -> tuple<tensor<2xf32>, tensor<2xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<2xf32>, tensor<2xf32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<2xf32>, tensor<2xf32>>
  return %2, %1 : tensor<2xf32>, tensor<2xf32>
}
