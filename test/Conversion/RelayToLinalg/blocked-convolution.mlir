// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// Blocks of channels and of images are dimensions of one nest: blocks,
// positions, an image and a channel of the block, and the reduction.
// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d0, d6, d2 * 2 + d7, d3 * 2 + d8, d4, d9)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d1, d6, d7, d8, d5, d9)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8, d9) -> (d0, d1, d2, d3, d4, d5)>
// CHECK-LABEL: func @blocks
//       CHECK:   %[[PAD:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 1, 0, 0] high[0, 0, 1, 1, 0, 0]
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #[[$RESULT]]]
//  CHECK-SAME:     ins(%[[PAD]],
func.func @blocks(%x: tensor<1x2x8x8x4x16xi8>, %w: tensor<3x2x3x3x16x16xi8>) -> tensor<1x3x4x4x4x16xi32> {
  %0 = relay.nn.conv2d %x, %w {strides = [2, 2], padding = [1, 1, 1, 1], data_layout = "NCHW4n16c", kernel_layout = "OIHW16o16i", out_dtype = i32} : (tensor<1x2x8x8x4x16xi8>, tensor<3x2x3x3x16x16xi8>) -> tensor<1x3x4x4x4x16xi32>
  return %0 : tensor<1x3x4x4x4x16xi32>
}

// -----

// Each block of outputs is a group, with whole blocks of inputs.
// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1 * 2 + d5, d2 + d6, d3 + d7, d8)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d5, d6, d7, d4, d8)>
// CHECK-LABEL: func @groups
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #{{.*}}]
func.func @groups(%x: tensor<1x6x8x8x16xi8>, %w: tensor<3x2x1x1x16x16xi8>) -> tensor<1x3x8x8x16xi32> {
  %0 = relay.nn.conv2d %x, %w {groups = 3, data_layout = "NCHW16c", kernel_layout = "OIHW16o16i", out_dtype = i32} : (tensor<1x6x8x8x16xi8>, tensor<3x2x1x1x16x16xi8>) -> tensor<1x3x8x8x16xi32>
  return %0 : tensor<1x3x8x8x16xi32>
}

// -----

// Two blocks of outputs read the blocks of inputs of their group.
// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, (d1 floordiv 2) * 2 + d5, d2 + d6, d3 + d7, d8)>
// CHECK-LABEL: func @groups_of_blocks
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #{{.*}}, #{{.*}}]
func.func @groups_of_blocks(%x: tensor<1x6x8x8x16xi8>, %w: tensor<6x2x1x1x16x16xi8>) -> tensor<1x6x8x8x16xi32> {
  %0 = relay.nn.conv2d %x, %w {groups = 3, data_layout = "NCHW16c", kernel_layout = "OIHW16o16i", out_dtype = i32} : (tensor<1x6x8x8x16xi8>, tensor<6x2x1x1x16x16xi8>) -> tensor<1x6x8x8x16xi32>
  return %0 : tensor<1x6x8x8x16xi32>
}
