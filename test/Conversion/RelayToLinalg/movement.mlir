// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$PERMUTED:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>

// CHECK-LABEL: func @transpose
//       CHECK:   tensor.empty(%{{.*}}) : tensor<4x?x3xf32>
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$PERMUTED]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     tir.block_name = "transpose"
func.func @transpose(%x: tensor<?x3x4xf32>) -> tensor<4x?x3xf32> {
  %0 = relay.transpose %x {axes = [2, 0, 1]} : (tensor<?x3x4xf32>) -> tensor<4x?x3xf32>
  return %0 : tensor<4x?x3xf32>
}

// CHECK-LABEL: func @concatenate
//       CHECK:   tensor.concat dim(1) %{{.*}}, %{{.*}} {tir.block_name = "concatenate"}
func.func @concatenate(%x: tensor<?x3xf32>, %y: tensor<?x5xf32>) -> tensor<?x8xf32> {
  %0 = relay.concatenate %x, %y {axis = -1} : (tensor<?x3xf32>, tensor<?x5xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func @stack
// CHECK-COUNT-2:   tensor.expand_shape %{{.*}} {{\[}}[0, 1]] output_shape [3, 1]
//       CHECK:   tensor.concat dim(1)
func.func @stack(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3x2xf32> {
  %0 = relay.stack %x, %y {axis = 1} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// CHECK-DAG: #[[$SLICE:.*]] = affine_map<(d0, d1) -> (d0, d1 * 2 + 1)>
// CHECK-DAG: #[[$BACK:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 7)>

// CHECK-LABEL: func @slice
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$SLICE]], #{{[a-z0-9]+}}]
func.func @slice(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  %0 = relay.strided_slice %x {begin = [0, 1], end = [2147483647, 6], strides = [1, 2]} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// CHECK-LABEL: func @slice_backwards
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$BACK]], #{{[a-z0-9]+}}]
func.func @slice_backwards(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %0 = relay.strided_slice %x {begin = [-1], end = [-2147483648], strides = [-1], axes = [1]} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// A prefix cannot be a map: in linalg its loop would cover the whole dimension.
// CHECK-LABEL: func @slice_prefix
//       CHECK:   linalg.generic
//       CHECK:     tensor.extract
func.func @slice_prefix(%x: tensor<2x8xf32>) -> tensor<2x5xf32> {
  %0 = relay.strided_slice %x {begin = [0], end = [5], axes = [1]} : (tensor<2x8xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Each part is a slice; the tuple is gone.
// CHECK-LABEL: func @split
// CHECK-COUNT-2:   linalg.generic
//   CHECK-NOT:   relay.
//       CHECK:   return %{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<?x4xf32>
func.func @split(%x: tensor<?x8xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = relay.split %x {indices_or_sections = 2 : i64, axis = 1} : (tensor<?x8xf32>) -> tuple<tensor<?x4xf32>, tensor<?x4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<?x4xf32>, tensor<?x4xf32>>
  %2 = relay.tuple_get_item %0[1] : tuple<tensor<?x4xf32>, tensor<?x4xf32>>
  return %1, %2 : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// CHECK-DAG: #[[$TILE:.*]] = affine_map<(d0, d1) -> (d0, d1 mod 4)>
// CHECK-DAG: #[[$REPEAT:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 3)>

// CHECK-LABEL: func @tile
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$TILE]], #{{[a-z0-9]+}}]
func.func @tile(%x: tensor<?x4xf32>) -> tensor<?x8xf32> {
  %0 = relay.tile %x {reps = [1, 2]} : (tensor<?x4xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// CHECK-LABEL: func @repeat
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$REPEAT]], #{{[a-z0-9]+}}]
func.func @repeat(%x: tensor<?x4xf32>) -> tensor<?x12xf32> {
  %0 = relay.repeat %x {repeats = 3, axis = 1} : (tensor<?x4xf32>) -> tensor<?x12xf32>
  return %0 : tensor<?x12xf32>
}

// CHECK-LABEL: func @pad_constant
//       CHECK:   %[[VALUE:.*]] = arith.constant 1.5
//       CHECK:   tensor.pad %{{.*}} low[0, 1] high[0, 2]
//       CHECK:     tensor.yield %[[VALUE]]
func.func @pad_constant(%x: tensor<?x4xf32>) -> tensor<?x7xf32> {
  %c = relay.constant dense<1.5> : tensor<f32>
  %0 = relay.nn.pad %x, %c {pad_width = [0, 0, 1, 2]} : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// CHECK-LABEL: func @pad_edge
//   CHECK-NOT:   tensor.pad
//       CHECK:     arith.minsi
//       CHECK:     arith.maxsi
//       CHECK:     tensor.extract
//       CHECK:   tensor.concat dim(1)
func.func @pad_edge(%x: tensor<3x4xf32>) -> tensor<3x7xf32> {
  %c = relay.constant dense<0.0> : tensor<f32>
  %0 = relay.nn.pad %x, %c {pad_width = [0, 0, 1, 2], pad_mode = "edge"} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// -----

// CHECK-DAG: #[[$PARTS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d3, d5, d1, d2, d4)>

// CHECK-LABEL: func @depth_to_space
//       CHECK:   %[[SPLIT:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2, 3], [4], [5]]
//       CHECK:   %[[PERMUTED:.*]] = linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$PARTS]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     ins(%[[SPLIT]] : tensor<?x2x2x3x4x6xf32>)
//       CHECK:   tensor.collapse_shape %[[PERMUTED]] {{\[}}[0], [1], [2, 3], [4, 5]]
func.func @depth_to_space(%x: tensor<?x12x4x6xf32>) -> tensor<?x3x8x12xf32> {
  %0 = relay.nn.depth_to_space %x {block_size = 2} : (tensor<?x12x4x6xf32>) -> tensor<?x3x8x12xf32>
  return %0 : tensor<?x3x8x12xf32>
}

// -----

// CHECK-DAG: #[[$UNPACKED:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 4 + d4, d2, d3)>

// CHECK-LABEL: func @pack
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$UNPACKED]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     outs(%{{.*}} : tensor<1x3x5x6x4xf32>)
func.func @pack(%x: tensor<1x12x5x6xf32>) -> tensor<1x3x5x6x4xf32> {
  %0 = relay.layout_transform %x {src_layout = "NCHW", dst_layout = "NCHW4c"} : (tensor<1x12x5x6xf32>) -> tensor<1x3x5x6x4xf32>
  return %0 : tensor<1x3x5x6x4xf32>
}
