// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-DAG: #[[$DROPPED:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[$KEPT:.*]] = affine_map<(d0, d1, d2) -> (0, d0, d1)>

// Loops over the kept axes come first.
// CHECK-LABEL: func @sum
//       CHECK:   %[[INIT:.*]] = linalg.fill
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$DROPPED]]]
//  CHECK-SAME:     ["parallel", "parallel", "reduction"]
//  CHECK-SAME:     outs(%[[INIT]]
//       CHECK:     arith.addf
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<3x4xf32> {
  %0 = relay.sum %x {axis = [0]} : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func @keepdims
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$KEPT]]]
//  CHECK-SAME:     outs(%{{.*}} : tensor<1x3x4xi32>)
//       CHECK:     arith.maxsi
func.func @keepdims(%x: tensor<2x3x4xi32>) -> tensor<1x3x4xi32> {
  %0 = relay.max %x {axis = [1, -1], exclude = true, keepdims = true} : (tensor<2x3x4xi32>) -> tensor<1x3x4xi32>
  return %0 : tensor<1x3x4xi32>
}

// A size known at run time divides there.
// CHECK-LABEL: func @dynamic_mean
//       CHECK:   %[[SIZE:.*]] = tensor.dim %{{.*}}, %c1
//       CHECK:   tir.block_name = "mean"
//       CHECK:     arith.index_cast %[[SIZE]]
//       CHECK:     arith.divf
func.func @dynamic_mean(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %0 = relay.mean %x {axis = [1]} : (tensor<4x?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The extreme, then the first position that has it.
// CHECK-LABEL: func @argmax
//       CHECK:   %[[EXTREME:.*]] = linalg.generic {{.*}}tir.block_name = "extreme"
//       CHECK:     arith.maximumf
//       CHECK:   %[[PLACE:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[EXTREME]]
//       CHECK:     arith.cmpf oeq
//       CHECK:     arith.select
//       CHECK:     arith.minsi
//       CHECK:   return %[[PLACE]]
func.func @argmax(%x: tensor<?x9xf32>) -> tensor<?xi32> {
  %0 = relay.argmax %x {axis = [1]} : (tensor<?x9xf32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func @softmax
//       CHECK:   tir.block_name = "softmax_max"
//       CHECK:     arith.maxnumf
//       CHECK:   tir.block_name = "softmax_exp"
//       CHECK:     arith.subf
//       CHECK:     math.exp
//       CHECK:   tir.block_name = "softmax_sum"
//       CHECK:     arith.addf
//       CHECK:     arith.divf
//       CHECK:   tir.block_name = "softmax"
//       CHECK:     arith.mulf
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @softmax(%x: tensor<?x10xf32>) -> tensor<?x10xf32> {
  %0 = relay.nn.softmax %x : (tensor<?x10xf32>) -> tensor<?x10xf32>
  return %0 : tensor<?x10xf32>
}

// Mean first, then the squares of what is left.
// CHECK-LABEL: func @layer_norm
//       CHECK:   tir.block_name = "norm_sum"
//       CHECK:   %[[MEAN:.*]] = linalg.generic {{.*}}tir.block_name = "norm_mean"
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %[[MEAN]] : {{.*}}tir.block_name = "norm_squares"
//       CHECK:   tir.block_name = "norm_scale"
//       CHECK:     math.rsqrt
//       CHECK:   tir.block_name = "layer_norm"
func.func @layer_norm(%x: tensor<?x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %0 = relay.nn.layer_norm %x, %g, %b : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// One sum runs along, and leaves what it is at each element.
// CHECK-LABEL: func @cumsum
//       CHECK:   %[[BOTH:.*]]:2 = linalg.generic {{.*}} iterator_types = ["reduction"]
//       CHECK:     %[[SUM:.*]] = arith.addf
//       CHECK:     linalg.yield %[[SUM]], %[[SUM]]
//       CHECK:   return %[[BOTH]]#1
func.func @cumsum(%x: tensor<5xf32>) -> tensor<5xf32> {
  %0 = relay.cumsum %x {axis = 0} : (tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
