// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 * 2 + d5 * 3, d3 + d6)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>

// Padding, a zero tensor, and one nest (n, o, y, x, c, kh, kw) of a multiplication
// and an addition.
// CHECK-LABEL: func @conv2d
//  CHECK-SAME:     %[[X:.*]]: tensor<?x3x32x32xf32>, %[[W:.*]]: tensor<16x3x3x3xf32>
//       CHECK:   %[[PAD:.*]] = tensor.pad %[[X]] low[0, 0, 1, 2] high[0, 0, 3, 4]
//       CHECK:     {tir.block_name = "pad"} : {{.*}} to tensor<?x3x36x38xf32>
//       CHECK:   %[[INIT:.*]] = linalg.fill {tir.block_name = "conv2d_init"}
//       CHECK:   %[[CONV:.*]] = linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #[[$RESULT]]]
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
//  CHECK-SAME:     ins(%[[PAD]], %[[W]] : {{.*}}) outs(%[[INIT]] : {{.*}}) attrs = {tir.block_name = "conv2d"}
//  CHECK-NEXT:   ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[ACC:.*]]: f32):
//  CHECK-NEXT:     %[[MUL:.*]] = arith.mulf %[[A]], %[[B]] : f32
//  CHECK-NEXT:     %[[ADD:.*]] = arith.addf %[[ACC]], %[[MUL]] : f32
//  CHECK-NEXT:     linalg.yield %[[ADD]]
//       CHECK:   return %[[CONV]]
func.func @conv2d(%x: tensor<?x3x32x32xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<?x16x15x36xf32> {
  %0 = relay.nn.conv2d %x, %w {padding = [1, 2, 3, 4], strides = [2, 1], dilation = [3, 1]} : (tensor<?x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x15x36xf32>
  return %0 : tensor<?x16x15x36xf32>
}

// Sizes of the result follow from those of the operands.
// CHECK-LABEL: func @dynamic_image
//   CHECK-NOT:   tensor.pad
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[H:.*]] = tensor.dim %{{.*}}, %[[C2]]
//   CHECK-DAG:   %[[OH:.*]] = affine.apply #{{.*}}()[%[[H]]]
//       CHECK:   tensor.empty(%{{.*}}, %[[OH]], %{{.*}}) : tensor<?x16x?x?xf32>
func.func @dynamic_image(%x: tensor<?x3x?x?xf32>, %w: tensor<16x3x3x3xf32>) -> tensor<?x16x?x?xf32> {
  %0 = relay.nn.conv2d %x, %w : (tensor<?x3x?x?xf32>, tensor<16x3x3x3xf32>) -> tensor<?x16x?x?xf32>
  return %0 : tensor<?x16x?x?xf32>
}

// -----

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1 * 2 + d5, d3 + d6, d4 + d7)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 3 + d2, d5, d6, d7)>

// Groups are a loop and, until the end, a dimension of the result.
// CHECK-LABEL: func @grouped
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     outs(%{{.*}} : tensor<1x2x3x4x4xf32>)
//       CHECK:   tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2], [3], [4]] : {{.*}} into tensor<1x6x4x4xf32>
func.func @grouped(%x: tensor<1x4x6x6xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x6x4x4xf32> {
  %0 = relay.nn.conv2d %x, %w {groups = 2} : (tensor<1x4x6x6xf32>, tensor<6x2x3x3xf32>) -> tensor<1x6x4x4xf32>
  return %0 : tensor<1x6x4x4xf32>
}

// -----

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 + d4, d3 + d5)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, 0, d4, d5)>

// CHECK-LABEL: func @depthwise
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
//   CHECK-NOT:   tensor.collapse_shape
func.func @depthwise(%x: tensor<1x4x6x6xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %0 = relay.nn.conv2d %x, %w {groups = 4} : (tensor<1x4x6x6xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// Narrow floats are summed in f32 and rounded once.
// CHECK-LABEL: func @bf16
//       CHECK:   linalg.fill {{.*}} outs(%{{.*}} : tensor<1x2x3x3xf32>)
//       CHECK:   linalg.generic
//       CHECK:     arith.extf %{{.*}} : bf16 to f32
//       CHECK:     arith.mulf {{.*}} : f32
//       CHECK:   linalg.generic
//  CHECK-SAME:     tir.block_name = "conv2d_round"
//       CHECK:     arith.truncf %{{.*}} : f32 to bf16
func.func @bf16(%x: tensor<1x3x5x5xbf16>, %w: tensor<2x3x3x3xbf16>) -> tensor<1x2x3x3xbf16> {
  %0 = relay.nn.conv2d %x, %w : (tensor<1x3x5x5xbf16>, tensor<2x3x3x3xbf16>) -> tensor<1x2x3x3xbf16>
  return %0 : tensor<1x2x3x3xbf16>
}

// CHECK-LABEL: func @widening
//       CHECK:   arith.extui %{{.*}} : i8 to i32
//       CHECK:   arith.extui %{{.*}} : i8 to i32
//       CHECK:   arith.muli
//       CHECK:   arith.addi
func.func @widening(%x: tensor<1x3x5x5xui8>, %w: tensor<2x3x3x3xui8>) -> tensor<1x2x3x3xi32> {
  %0 = relay.nn.conv2d %x, %w {out_dtype = i32} : (tensor<1x3x5x5xui8>, tensor<2x3x3x3xui8>) -> tensor<1x2x3x3xi32>
  return %0 : tensor<1x2x3x3xi32>
}

// -----

// CHECK-DAG: #[[$SPREAD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3 floordiv 2)>
// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + -d5 + 2, d3 + -d6 + 2)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5, d6)>

// The data is spread and convolved with the mirrored kernel.
// CHECK-LABEL: func @transposed
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$SPREAD]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     tir.block_name = "dilate"
//       CHECK:   tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 2, 2]
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     tir.block_name = "conv2d_transpose"
func.func @transposed(%x: tensor<1x2x4x4xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x3x8x8xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 2], padding = [1, 1, 1, 1], output_padding = [1, 1]} : (tensor<1x2x4x4xf32>, tensor<2x3x3x3xf32>) -> tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: func @transposed_unit_stride
//   CHECK-NOT:   "dilate"
//       CHECK:   "conv2d_transpose"
func.func @transposed_unit_stride(%x: tensor<1x2x4x4xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x3x6x6xf32> {
  %0 = relay.nn.conv2d_transpose %x, %w : (tensor<1x2x4x4xf32>, tensor<2x3x3x3xf32>) -> tensor<1x3x6x6xf32>
  return %0 : tensor<1x3x6x6xf32>
}
