// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// Dimensions are merged, split, or merged and then split; nothing is copied.

// CHECK-LABEL: func @flatten
//       CHECK:   %[[FLAT:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]]
//  CHECK-NEXT:   return %[[FLAT]] : tensor<?x16xf32>
func.func @flatten(%x: tensor<?x16x1x1xf32>) -> tensor<?x16xf32> {
  %0 = relay.nn.batch_flatten %x : (tensor<?x16x1x1xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}

// CHECK-LABEL: func @split
//       CHECK:   %[[SIZE:.*]] = tensor.dim %[[X:.*]], %c0
//       CHECK:   tensor.expand_shape %[[X]] {{\[}}[0], [1, 2]] output_shape [%[[SIZE]], 3, 4]
func.func @split(%x: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %0 = relay.reshape %x {newshape = [0, 3, -1]} : (tensor<?x12xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// CHECK-LABEL: func @regroup
//       CHECK:   %[[MERGED:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2]] : {{.*}} into tensor<?x24xf32>
//       CHECK:   tensor.expand_shape %[[MERGED]] {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 3, 8]
func.func @regroup(%x: tensor<?x6x4xf32>) -> tensor<?x3x8xf32> {
  %0 = relay.reshape %x {newshape = [-1, 3, 8]} : (tensor<?x6x4xf32>) -> tensor<?x3x8xf32>
  return %0 : tensor<?x3x8xf32>
}

// The inferred size is not that of the first dimension.
// CHECK-LABEL: func @infer
//       CHECK:   %[[ROWS:.*]] = affine.apply #{{.*}}()[%{{.*}}]
//       CHECK:   tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [%[[ROWS]], 8]
func.func @infer(%x: tensor<?x3x4xf32>) -> tensor<?x8xf32> {
  %0 = relay.reshape %x {newshape = [-1, 8]} : (tensor<?x3x4xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// A static result of a dynamic operand: the sizes meet in a cast.
// CHECK-LABEL: func @refine
//       CHECK:   tensor.cast %{{.*}} : {{.*}} to tensor<24xf32>
//       CHECK:   tensor.expand_shape
func.func @refine(%x: tensor<?x?xf32>) -> tensor<4x6xf32> {
  %0 = relay.reshape %x {newshape = [4, 6]} : (tensor<?x?xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func @expand_dims
//       CHECK:   tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [%{{.*}}, 3, 1]
func.func @expand_dims(%x: tensor<?x3xf32>) -> tensor<?x3x1xf32> {
  %0 = relay.expand_dims %x {axis = -1} : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  return %0 : tensor<?x3x1xf32>
}

// CHECK-LABEL: func @squeeze_to_scalar
//       CHECK:   tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
func.func @squeeze_to_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = relay.squeeze %x : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func @nothing_to_do
//  CHECK-SAME:     %[[X:.*]]: tensor<2x3xf32>
//  CHECK-NEXT:   return %[[X]]
func.func @nothing_to_do(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = relay.squeeze %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Open sizes that are merged or split are known by how they were computed:
// batches of attention stay dimensions of their own.
// CHECK-LABEL: func @merged_open_sizes
//       CHECK:   tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : tensor<?x12x?x64xf32> into tensor<?x?x64xf32>
//   CHECK-NOT:   _shape
func.func @merged_open_sizes(%x: tensor<?x12x?x64xf32>) -> tensor<?x?x64xf32> {
  %0 = relay.reshape %x {newshape = [-3, 0, 64]} : (tensor<?x12x?x64xf32>) -> tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func @split_open_size
//       CHECK:   tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] {{.*}} : tensor<?x?x64xf32> into tensor<?x12x?x64xf32>
//   CHECK-NOT:   _shape
func.func @split_open_size(%x: tensor<?x?x64xf32>) -> tensor<?x12x?x64xf32> {
  %0 = relay.reshape %x {newshape = [-4, -1, 12, 0, 0]} : (tensor<?x?x64xf32>) -> tensor<?x12x?x64xf32>
  return %0 : tensor<?x12x?x64xf32>
}

// CHECK-LABEL: func @inferred_open_size
//       CHECK:   tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] {{.*}} : tensor<?x?xf32> into tensor<?x2x?xf32>
//   CHECK-NOT:   _shape
func.func @inferred_open_size(%x: tensor<?x?xf32>) -> tensor<?x2x?xf32> {
  %0 = relay.reshape %x {newshape = [0, 2, -1]} : (tensor<?x?xf32>) -> tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}
