// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2 * 2 + d4, d3 * 2 + d5)>
// CHECK-DAG: #[[$WINDOW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5)>

// Padding never wins a maximum. The window has a shape and no elements.
// CHECK-LABEL: func @max_pool
//       CHECK:   %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
//       CHECK:   %[[PAD:.*]] = tensor.pad %{{.*}} low[0, 0, 1, 1] high[0, 0, 1, 1]
//       CHECK:     tensor.yield %[[LOWEST]]
//       CHECK:   %[[SHAPE:.*]] = tensor.empty() : tensor<3x3xi8>
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]], #[[$WINDOW]], #{{[a-z0-9]+}}]
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
//  CHECK-SAME:     ins(%[[PAD]], %[[SHAPE]]
//  CHECK-SAME:     tir.block_name = "max_pool2d"
//       CHECK:     arith.maximumf
func.func @max_pool(%x: tensor<?x3x9x9xf32>) -> tensor<?x3x5x5xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [1, 1, 1, 1]} : (tensor<?x3x9x9xf32>) -> tensor<?x3x5x5xf32>
  return %0 : tensor<?x3x5x5xf32>
}

// A window that has nothing but padding gives the smallest number.
// CHECK-LABEL: func @max_pool_of_padding
//       CHECK:   %[[LOWEST:.*]] = arith.constant -3.40282347E+38 : f32
//       CHECK:   tensor.pad
//       CHECK:     tensor.yield %[[LOWEST]]
func.func @max_pool_of_padding(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2], padding = [2, 2, 2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return %0 : tensor<1x3x6x6xf32>
}

// CHECK-LABEL: func @max_pool_unsigned
//       CHECK:   arith.constant 0 : i8
//       CHECK:   arith.maxui
func.func @max_pool_unsigned(%x: tensor<1x3x8x8xui8>) -> tensor<1x3x4x4xui8> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x3x8x8xui8>) -> tensor<1x3x4x4xui8>
  return %0 : tensor<1x3x4x4xui8>
}

// A window that padding never touches has a constant divisor.
// CHECK-LABEL: func @avg_pool_unpadded
//   CHECK-NOT:   tensor.pad
//       CHECK:   tir.block_name = "pool_sum"
//       CHECK:   tir.block_name = "avg_pool2d"
//       CHECK:     arith.constant 2.500000e-01 : f32
//  CHECK-NEXT:     arith.mulf
func.func @avg_pool_unpadded(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32> {
  %0 = relay.nn.avg_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// Otherwise the elements of the data in it are counted, along each axis.
// CHECK-LABEL: func @avg_pool_padded
//       CHECK:   %[[ROWS:.*]] = linalg.generic {{.*}}tir.block_name = "avg_pool2d_count0"
//       CHECK:     linalg.index 0
//       CHECK:     arith.maxsi
//       CHECK:     arith.minsi
//       CHECK:   %[[COLUMNS:.*]] = linalg.generic {{.*}}tir.block_name = "avg_pool2d_count1"
//       CHECK:   %[[SUM:.*]] = linalg.generic {{.*}}tir.block_name = "pool_sum"
//       CHECK:   linalg.generic {{.*}}ins(%[[SUM]], %[[ROWS]], %[[COLUMNS]] :
//  CHECK-SAME:   tir.block_name = "avg_pool2d"
//       CHECK:     arith.mulf
//       CHECK:     arith.divf
func.func @avg_pool_padded(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x5x5xf32> {
  %0 = relay.nn.avg_pool2d %x {pool_size = [2, 2], strides = [2, 2], padding = [1, 1, 1, 1]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x5x5xf32>
  return %0 : tensor<1x3x5x5xf32>
}

// The last window of ceil_mode reaches beyond the data.
// CHECK-LABEL: func @ceil_mode
//       CHECK:   tensor.pad %{{.*}} low[0, 0, 0, 0] high[0, 0, 1, 1]
func.func @ceil_mode(%x: tensor<1x3x7x7xf32>) -> tensor<1x3x4x4xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2], ceil_mode = true} : (tensor<1x3x7x7xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-DAG: #[[$KEPT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, 0, 0)>

// CHECK-LABEL: func @global_avg_pool
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#{{.*}}, #[[$KEPT]]]
//  CHECK-SAME:     ["parallel", "parallel", "reduction", "reduction"]
//       CHECK:   tir.block_name = "global_avg_pool2d"
//       CHECK:     arith.constant 0.0204081628 : f32
func.func @global_avg_pool(%x: tensor<?x16x7x7xf32>) -> tensor<?x16x1x1xf32> {
  %0 = relay.nn.global_avg_pool2d %x : (tensor<?x16x7x7xf32>) -> tensor<?x16x1x1xf32>
  return %0 : tensor<?x16x1x1xf32>
}

// -----

// CHECK-DAG: #[[$DATA:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, (d2 * 7) floordiv 3 + d4, d3 * 2 + d5)>

// Rows need windows of two and three elements, columns of two.
// CHECK-LABEL: func @adaptive
//       CHECK:   %[[SHAPE:.*]] = tensor.empty() : tensor<3x2xi8>
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$DATA]]
//       CHECK:     arith.cmpi sgt
//       CHECK:     arith.select
func.func @adaptive(%x: tensor<1x2x7x6xf32>) -> tensor<1x2x3x3xf32> {
  %0 = relay.nn.adaptive_max_pool2d %x {output_size = [3, 3]} : (tensor<1x2x7x6xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// Parts of the channels are loops of their own.
// CHECK-LABEL: func @max_pool_blocked
//       CHECK:   %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
//       CHECK:   linalg.generic
//  CHECK-SAME:     ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]
//       CHECK:   -> tensor<1x2x4x4x16xf32>
func.func @max_pool_blocked(%x: tensor<1x2x8x8x16xf32>) -> tensor<1x2x4x4x16xf32> {
  %0 = relay.nn.max_pool2d %x {layout = "NCHW16c", pool_size = [2, 2], strides = [2, 2]} : (tensor<1x2x8x8x16xf32>) -> tensor<1x2x4x4x16xf32>
  return %0 : tensor<1x2x4x4x16xf32>
}
