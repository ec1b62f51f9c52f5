// Groups become private functions; equal ones become one.
// RUN: relay-opt %s --relay-fuse-ops=rows=false --verify-relay-fused --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-fuse-ops=merge=false --split-input-file | FileCheck %s --check-prefix=SINGLE

// An anchor takes its elementwise epilogue.
// CHECK:       func.func private @fused_nn_conv2d_nn_bias_add_nn_relu(%[[X:.*]]: tensor<?x3x8x8xf32>, %[[W:.*]]: tensor<4x3x3x3xf32>, %[[B:.*]]: tensor<4xf32>) -> tensor<?x4x6x6xf32> attributes {relay.primitive}
// CHECK-NEXT:    %[[CONV:.*]] = relay.nn.conv2d %[[X]], %[[W]]
// CHECK-NEXT:    %[[BIASED:.*]] = relay.nn.bias_add %[[CONV]], %[[B]]
// CHECK-NEXT:    %[[RELU:.*]] = relay.nn.relu %[[BIASED]]
// CHECK-NEXT:    return %[[RELU]]
// CHECK-LABEL: func.func @epilogue
// CHECK-NEXT:    %[[R:.*]] = relay.call @fused_nn_conv2d_nn_bias_add_nn_relu(%arg0, %arg1, %arg2)
// CHECK-NEXT:    return %[[R]]

// Without merging, each operator is still a function of its own.
// SINGLE-DAG:   func.func private @fused_nn_conv2d(
// SINGLE-DAG:   func.func private @fused_nn_bias_add(
// SINGLE-DAG:   func.func private @fused_nn_relu(
// SINGLE-LABEL: func.func @epilogue
// SINGLE-NEXT:    relay.call @fused_nn_conv2d(
// SINGLE-NEXT:    relay.call @fused_nn_bias_add(
// SINGLE-NEXT:    relay.call @fused_nn_relu(
// SINGLE-NEXT:    return
func.func @epilogue(%x: tensor<?x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<?x4x6x6xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<?x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<?x4x6x6xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<?x4x6x6xf32>, tensor<4xf32>) -> tensor<?x4x6x6xf32>
  %2 = relay.nn.relu %1 : (tensor<?x4x6x6xf32>) -> tensor<?x4x6x6xf32>
  return %2 : tensor<?x4x6x6xf32>
}

// -----

// Groups that are equal up to their arguments are one function; one that
// differs in an attribute is another with the next name.
// CHECK:       func.func private @fused_nn_leaky_relu(
// CHECK:         alpha = 1.000000e-01
// CHECK:       func.func private @fused_nn_leaky_relu_1(
// CHECK-NOT:     alpha
// CHECK-LABEL: func.func @equal_groups
// CHECK-NEXT:    %[[A:.*]] = relay.call @fused_nn_leaky_relu(%arg0)
// CHECK-NEXT:    %[[B:.*]] = relay.call @fused_nn_leaky_relu(%arg1)
// CHECK-NEXT:    %[[C:.*]] = relay.call @fused_nn_leaky_relu_1(%arg1)
// CHECK-NEXT:    return %[[A]], %[[B]], %[[C]]
func.func @equal_groups(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = relay.nn.leaky_relu %x {alpha = 0.1} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.nn.leaky_relu %y {alpha = 0.1} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.nn.leaky_relu %y : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The same argument twice is not the same kernel as two arguments.
// CHECK:       func.func private @fused_add(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<4xf32>)
// CHECK:       func.func private @fused_add_1(%{{.*}}: tensor<4xf32>) ->
// CHECK-LABEL: func.func @repeated_argument
func.func @repeated_argument(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = relay.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two branches of elementwise operators meet again: all is one group.
// CHECK:       func.func private @fused_nn_dense_tanh_sigmoid_multiply(
// CHECK-LABEL: func.func @diamond
// CHECK-NEXT:    relay.call @fused_nn_dense_tanh_sigmoid_multiply(%arg0, %arg1)
// CHECK-NEXT:    return
func.func @diamond(%x: tensor<2x8xf32>, %w: tensor<4x8xf32>) -> tensor<2x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %1 = relay.tanh %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.sigmoid %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = relay.multiply %1, %2 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----

// A group has one anchor: the second convolution that feeds the sum stays alone.
// CHECK-DAG:   func.func private @fused_nn_dense_add(
// CHECK-DAG:   func.func private @fused_nn_dense(
// CHECK-LABEL: func.func @two_anchors
// CHECK-NEXT:    %[[B:.*]] = relay.call @fused_nn_dense(%arg0, %arg2)
// CHECK-NEXT:    relay.call @fused_nn_dense_add(%arg0, %arg1, %[[B]])
func.func @two_anchors(%x: tensor<2x8xf32>, %w0: tensor<4x8xf32>, %w1: tensor<4x8xf32>) -> tensor<2x4xf32> {
  %0 = relay.nn.dense %x, %w0 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.dense %x, %w1 : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>
  %2 = relay.add %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// A value that is returned ends its group.
// CHECK-LABEL: func.func @returned_between
// CHECK-NEXT:    %[[E:.*]] = relay.call @fused_exp(%arg0)
// CHECK-NEXT:    %[[T:.*]] = relay.call @fused_tanh(%[[E]])
// CHECK-NEXT:    return %[[E]], %[[T]]
func.func @returned_between(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An anchor does not take a consumer that broadcasts its result.
// CHECK-LABEL: func.func @broadcast_after_anchor
// CHECK-NEXT:    relay.call @fused_nn_dense(
// CHECK-NEXT:    relay.call @fused_add(
func.func @broadcast_after_anchor(%x: tensor<1x8xf32>, %w: tensor<4x8xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<1x4xf32>
  %1 = relay.add %0, %y : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// -----

// Elementwise operators are computed with the reduction that reads them, which
// is computed with nothing that follows.
// CHECK-LABEL: func.func @reduction
// CHECK-NEXT:    %[[S:.*]] = relay.call @fused_exp_sum(%arg0)
// CHECK-NEXT:    relay.call @fused_log(%[[S]])
func.func @reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.sum %0 {axis = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = relay.log %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The reduction lies on a path from %0 to %2, so %0 is computed once.
// CHECK-LABEL: func.func @reduction_on_a_path
// CHECK-NEXT:    %[[E:.*]] = relay.call @fused_exp(%arg0)
// CHECK-NEXT:    %[[S:.*]] = relay.call @fused_sum(%[[E]])
// CHECK-NEXT:    relay.call @fused_divide(%[[E]], %[[S]])
func.func @reduction_on_a_path(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.sum %0 {axis = [1], keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = relay.divide %0, %1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// Injective operators fuse with each other and with elementwise ones.
// CHECK-LABEL: func.func @injective
// CHECK-NEXT:    relay.call @fused_transpose_tanh_concatenate_nn_relu(%arg0, %arg1)
func.func @injective(%x: tensor<4x8xf32>, %y: tensor<2x4xf32>) -> tensor<10x4xf32> {
  %0 = relay.transpose %x : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = relay.tanh %y : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.concatenate %0, %1 : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
  %3 = relay.nn.relu %2 : (tensor<10x4xf32>) -> tensor<10x4xf32>
  return %3 : tensor<10x4xf32>
}

// -----

// Pools are anchors; what joins their results is another kernel.
// CHECK-LABEL: func.func @concatenated_pools
// CHECK-NEXT:    relay.call @fused_nn_max_pool2d(%arg0)
// CHECK-NEXT:    relay.call @fused_nn_avg_pool2d(%arg0)
// CHECK-NEXT:    relay.call @fused_concatenate(
func.func @concatenated_pools(%x: tensor<1x4x8x8xf32>) -> tensor<1x8x4x4xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %1 = relay.nn.avg_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %2 = relay.concatenate %0, %1 {axis = 1} : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %2 : tensor<1x8x4x4xf32>
}

// -----

// Nothing fuses with an opaque operator.
// CHECK-LABEL: func.func @opaque
// CHECK-NEXT:    relay.call @fused_exp(
// CHECK-NEXT:    relay.call @fused_cumsum(
// CHECK-NEXT:    relay.call @fused_tanh(
func.func @opaque(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.cumsum %0 {axis = 0} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// What is called as a kernel is one, also if it is not private yet.
// CHECK-LABEL: func.func private @kernel(
// CHECK-LABEL: func.func @caller(
// CHECK-NEXT:    relay.call @kernel(%arg0)
func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @kernel(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
