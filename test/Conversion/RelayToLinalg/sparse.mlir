// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file --verify-diagnostics | FileCheck %s

// A look at all rows and columns comes first. The loops, one for each row, read
// nothing outside whatever it says.
// CHECK-LABEL: func @add
//  CHECK-SAME:     %[[X:.*]]: tensor<3x?xf32>, %[[D:.*]]: tensor<5xf32>, %[[I:.*]]: tensor<5xi32>, %[[P:.*]]: tensor<4xi8>
//       CHECK:   tir.opaque ins(%[[I]], %[[P]], %{{.*}}) attributes {tir.block_name = "sparse_add_check"}
//       CHECK:     cf.assert %{{.*}}, "expects rows within the data"
//       CHECK:     cf.assert %{{.*}}, "expects increasing positions of rows"
//       CHECK:     cf.assert %{{.*}}, "expects sparse indices within the columns"
//       CHECK:   tir.opaque along [0] ins(%[[D]], %[[I]], %[[P]] {{.*}}) outs(%[[X]] {{.*}})
//       CHECK:   ^bb0(%[[ROW:.*]]: index,
//       CHECK:     %[[BEGIN:.*]] = arith.maxsi
//       CHECK:     %[[END:.*]] = arith.maxsi
//       CHECK:     scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
//       CHECK:       %[[COLUMN:.*]] = arith.maxsi
//       CHECK:       memref.load %{{.*}}[%[[ROW]], %[[COLUMN]]]
func.func @add(%x: tensor<3x?xf32>, %d: tensor<5xf32>, %i: tensor<5xi32>, %p: tensor<4xui8>) -> tensor<3x?xf32> {
  %0 = relay.nn.sparse_add %x, %d, %i, %p
      : (tensor<3x?xf32>, tensor<5xf32>, tensor<5xi32>, tensor<4xui8>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}

// -----

// Rows of the dense matrix are summed in vectors, eight of them at once: two for
// each of the four rows of a block.
// CHECK-LABEL: func @dense
//       CHECK:   linalg.generic
//       CHECK:   } -> tensor<8x?xf32>
//       CHECK:   tir.opaque along [0, 1] {{.*}} outs(%{{.*}} : tensor<3x1x4x?xf32>)
// CHECK-COUNT-8:     vector.store
//       CHECK:   tensor.collapse_shape {{.*}} into tensor<12x?xf32>
//       CHECK:   arith.truncf
func.func @dense(%x: tensor<?x8xf16>, %d: tensor<5x4x2xf16>, %i: tensor<5xi32>, %p: tensor<4xi32>) -> tensor<?x12xf16> {
  %0 = relay.nn.sparse_dense %x, %d, %i, %p
      : (tensor<?x8xf16>, tensor<5x4x2xf16>, tensor<5xi32>, tensor<4xi32>) -> tensor<?x12xf16>
  return %0 : tensor<?x12xf16>
}

// -----

func.func @no_blocks(%x: tensor<?x8xf16>, %d: tensor<5x4x0xf16>, %i: tensor<5xi32>, %p: tensor<4xi32>) -> tensor<?x12xf16> {
  // expected-error@+2 {{has no lowering to linalg for these types and attributes}}
  // expected-note@+1 {{expects blocks with elements, but got 'tensor<5x4x0xf16>'}}
  %0 = relay.nn.sparse_dense %x, %d, %i, %p
      : (tensor<?x8xf16>, tensor<5x4x0xf16>, tensor<5xi32>, tensor<4xi32>) -> tensor<?x12xf16>
  return %0 : tensor<?x12xf16>
}
