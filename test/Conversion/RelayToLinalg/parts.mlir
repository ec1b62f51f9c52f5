// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// Numbers that are data are looked at before anything is stored.

// CHECK-LABEL: func @strided_set
//       CHECK:   tir.opaque
//       CHECK:     cf.assert %{{.*}}, "expects strides other than 0"
//       CHECK:     cf.assert %{{.*}}, "expects v that broadcasts to the part"
//       CHECK:     scf.for
//       CHECK:       memref.store
func.func @strided_set(%x: tensor<8xf32>, %v: tensor<?xf32>,
                       %bound: tensor<1xi64>) -> tensor<8xf32> {
  %0 = relay.strided_set %x, %v, %bound, %bound, %bound
      : (tensor<8xf32>, tensor<?xf32>, tensor<1xi64>, tensor<1xi64>,
         tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @sparse_to_dense
//       CHECK:   linalg.generic
//  CHECK-SAME:     tir.block_name = "sparse_to_dense_default"
//       CHECK:   tir.opaque
//       CHECK:     %[[INSIDE:.*]] = scf.for
//       CHECK:     cf.assert %[[INSIDE]], "expects indices within the result"
//       CHECK:     scf.for
//       CHECK:       memref.store
func.func @sparse_to_dense(%i: tensor<?xi32>, %v: tensor<?xf32>,
                           %default: tensor<f32>) -> tensor<8xf32> {
  %0 = relay.sparse_to_dense %i, %v, %default {output_shape = [8]}
      : (tensor<?xi32>, tensor<?xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func @searchsorted
//       CHECK:   tir.opaque along [0, 1]
//       CHECK:     scf.while
func.func @searchsorted(%x: tensor<?x8xf32>, %v: tensor<?x3xf32>)
    -> tensor<?x3xi32> {
  %0 = relay.searchsorted %x, %v : (tensor<?x8xf32>, tensor<?x3xf32>)
      -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// -----

// CHECK-DAG: #[[$WINDOWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d1 * 2 + d2)>

// CHECK-LABEL: func @sliding_window
//       CHECK:   cf.assert %{{.*}}, "expects a window within the data"
//       CHECK:   linalg.generic
//  CHECK-SAME:     #[[$WINDOWS]]
func.func @sliding_window(%x: tensor<4x?xf32>) -> tensor<4x?x3xf32> {
  %0 = relay.sliding_window %x {axis = 1, window_shape = [3], strides = [2]}
      : (tensor<4x?xf32>) -> tensor<4x?x3xf32>
  return %0 : tensor<4x?x3xf32>
}

// -----

// CHECK-LABEL: func @reshape_like
//       CHECK:   cf.assert %{{.*}}, "expects dimensions with as many elements"
//       CHECK:   tensor.expand_shape
func.func @reshape_like(%x: tensor<?x5xf32>, %like: tensor<?x3xi8>)
    -> tensor<?x3x5xf32> {
  %0 = relay.reshape_like %x, %like {lhs_end = 1}
      : (tensor<?x5xf32>, tensor<?x3xi8>) -> tensor<?x3x5xf32>
  return %0 : tensor<?x3x5xf32>
}
