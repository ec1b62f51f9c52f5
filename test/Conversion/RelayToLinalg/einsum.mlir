// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// Each product of two operands is one nest, whatever the order of dimensions
// is; loops are in the order of the result.

// CHECK-DAG: #[[$Q:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[$K:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1, d4)>
// CHECK-DAG: #[[$R:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>

// CHECK-LABEL: func @attention
//       CHECK:   linalg.fill {tir.block_name = "einsum_init"}
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$Q]], #[[$K]], #[[$R]]]
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "parallel", "reduction"]
//       CHECK:     arith.mulf
//  CHECK-NEXT:     arith.addf
func.func @attention(%q: tensor<2x16x8x64xf32>, %k: tensor<2x?x8x64xf32>)
    -> tensor<2x8x16x?xf32> {
  %0 = relay.einsum %q, %k {equation = "bqhd,bkhd->bhqk"}
      : (tensor<2x16x8x64xf32>, tensor<2x?x8x64xf32>) -> tensor<2x8x16x?xf32>
  return %0 : tensor<2x8x16x?xf32>
}

// -----

// What only one operand has is summed before, and diagonals are taken. A size
// of 1 repeats.

// CHECK-DAG: #[[$DIAGONAL:.*]] = affine_map<(d0, d1) -> (d0, d0, d1)>
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (0, d1)>

// CHECK-LABEL: func @diagonal
//       CHECK:   linalg.generic
//  CHECK-SAME:     [#[[$DIAGONAL]],
//  CHECK-SAME:     ["parallel", "reduction"]
//  CHECK-SAME:     tir.block_name = "einsum_sum"
//       CHECK:   linalg.generic
//  CHECK-SAME:     #[[$ROW]]
//  CHECK-SAME:     ["parallel", "parallel"]
//  CHECK-SAME:     tir.block_name = "einsum"
func.func @diagonal(%a: tensor<4x4x7xf32>, %b: tensor<1x5xf32>)
    -> tensor<4x5xf32> {
  %0 = relay.einsum %a, %b {equation = "iij,ik->ik"}
      : (tensor<4x4x7xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
