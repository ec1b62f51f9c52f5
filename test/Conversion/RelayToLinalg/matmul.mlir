// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$WEIGHT:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// CHECK-LABEL: func @dense
//  CHECK-SAME:     %[[X:.*]]: tensor<?x64xf32>, %[[W:.*]]: tensor<10x64xf32>
//       CHECK:   %[[INIT:.*]] = linalg.fill {tir.block_name = "dense_init"}
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WEIGHT]], #[[$RESULT]]]
//  CHECK-SAME:     ["parallel", "parallel", "reduction"]
//  CHECK-SAME:     ins(%[[X]], %[[W]] : {{.*}}) outs(%[[INIT]]
//       CHECK:     arith.mulf
//  CHECK-NEXT:     arith.addf
//  CHECK-NEXT:     linalg.yield
func.func @dense(%x: tensor<?x64xf32>, %w: tensor<10x64xf32>) -> tensor<?x10xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<?x64xf32>, tensor<10x64xf32>) -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// CHECK-LABEL: func @matmul
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$COLUMNS]], #[[$RESULT]]]
func.func @matmul(%a: tensor<4x64xf32>, %b: tensor<64x10xf32>) -> tensor<4x10xf32> {
  %0 = relay.nn.matmul %a, %b : (tensor<4x64xf32>, tensor<64x10xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// -----

// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d2, d3)>
// CHECK-DAG: #[[$RESULT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// A batch of one is repeated.
// CHECK-LABEL: func @batch_matmul
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$LHS]], #[[$RHS]], #[[$RESULT]]]
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "reduction"]
//  CHECK-SAME:     tir.block_name = "batch_matmul"
func.func @batch_matmul(%a: tensor<?x4x6xf32>, %b: tensor<1x5x6xf32>) -> tensor<?x4x5xf32> {
  %0 = relay.nn.batch_matmul %a, %b {transpose_b = true} : (tensor<?x4x6xf32>, tensor<1x5x6xf32>) -> tensor<?x4x5xf32>
  return %0 : tensor<?x4x5xf32>
}
