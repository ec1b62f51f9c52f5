// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file | FileCheck %s

// CHECK-DAG: #[[$INDEX:.*]] = affine_map<(d0, d1, d2) -> (d1)>

// The index is clamped, then the element read.
// CHECK-LABEL: func @take
//  CHECK-SAME:     %[[X:.*]]: tensor<4x?x8xf32>, %[[I:.*]]: tensor<?xi64>
//   CHECK-DAG:   %[[ROWS:.*]] = tensor.dim %[[X]], %c1
//   CHECK-DAG:   %[[COUNT:.*]] = tensor.dim %[[I]], %c0
//       CHECK:   tensor.empty(%[[COUNT]]) : tensor<4x?x8xf32>
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$INDEX]], #{{[a-z0-9]+}}]
//       CHECK:     %[[LAST:.*]] = arith.subi %[[ROWS]], %c1
//       CHECK:     %[[LOW:.*]] = arith.minsi %{{.*}}, %[[LAST]]
//       CHECK:     %[[AT:.*]] = arith.maxsi %[[LOW]], %c0
//       CHECK:     tensor.extract %[[X]][%{{.*}}, %[[AT]], %{{.*}}]
func.func @take(%x: tensor<4x?x8xf32>, %i: tensor<?xi64>) -> tensor<4x?x8xf32> {
  %0 = relay.take %x, %i {axis = 1} : (tensor<4x?x8xf32>, tensor<?xi64>) -> tensor<4x?x8xf32>
  return %0 : tensor<4x?x8xf32>
}

// -----

// Negative indices count from the end, and a look at all of them comes first.
// The element that is read is inside whenever the check is done.
// CHECK-LABEL: func @take_fast
//  CHECK-SAME:     %[[X:.*]]: tensor<?x8xf32>, %[[I:.*]]: tensor<?x2xi32>
//       CHECK:   %[[ROWS:.*]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[NUMBER:.*]] = arith.index_cast %[[ROWS]] : index to i64
//       CHECK:   %[[SIZE:.*]] = tensor.from_elements %[[NUMBER]] : tensor<1xi64>
//       CHECK:   tir.opaque ins(%[[I]], %[[SIZE]] : tensor<?x2xi32>, tensor<1xi64>) attributes {tir.block_name = "take_check"}
//       CHECK:   ^bb0(%[[INDICES:.*]]: memref<?x2xi32>, %[[SIZES:.*]]: memref<1xi64>):
//       CHECK:     memref.load %[[SIZES]][%c0
//       CHECK:     %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
//       CHECK:     %[[ALL:.*]] = scf.for
//       CHECK:       scf.for
//       CHECK:         memref.load %[[INDICES]]
//       CHECK:         arith.addi %{{.*}}, %[[N]]
//       CHECK:         arith.addi %[[N]], %[[N]]
//       CHECK:         arith.cmpi ult
//       CHECK:     cf.assert %[[ALL]], "expects indices within the data"
//       CHECK:   linalg.generic
//       CHECK:     arith.minsi
//       CHECK:     arith.maxsi
//       CHECK:     tensor.extract %[[X]]
func.func @take_fast(%x: tensor<?x8xf32>, %i: tensor<?x2xi32>) -> tensor<?x2x8xf32> {
  %0 = relay.take %x, %i {axis = 0, mode = "fast"} : (tensor<?x8xf32>, tensor<?x2xi32>) -> tensor<?x2x8xf32>
  return %0 : tensor<?x2x8xf32>
}

// -----

// Indices that are repeated are looked at once.
// CHECK-LABEL: func @gather_repeated
//  CHECK-SAME:     %[[I:[a-z0-9]+]]: tensor<2x1xi64>)
//       CHECK:   tir.opaque ins(%[[I]] : tensor<2x1xi64>)
func.func @gather_repeated(%x: tensor<3x64xf32>, %i: tensor<2x1xi64>) -> tensor<2x64xf32> {
  %0 = relay.broadcast_to %i {shape = [2, 64]} : (tensor<2x1xi64>) -> tensor<2x64xi64>
  %1 = relay.gather %x, %0 {axis = 0} : (tensor<3x64xf32>, tensor<2x64xi64>) -> tensor<2x64xf32>
  return %1 : tensor<2x64xf32>
}

// -----

// What is known of the indices is a condition for the size, and nothing to look
// at when the kernel runs. Each row of the indices is for its own dimension.
// CHECK-LABEL: func @gather_nd_constant
//  CHECK-SAME:     (%[[X:.*]]: tensor<?x4x?xf32>)
//       CHECK:   %[[SIZE0:.*]] = tensor.dim %[[X]], %c0
//       CHECK:   %[[SIZE2:.*]] = tensor.dim %[[X]], %c2
//       CHECK:   arith.cmpi sge, %[[SIZE0]], %c8
//       CHECK:   cf.assert %{{.*}}, "expects indices within the data"
//       CHECK:   arith.cmpi sge, %[[SIZE2]], %c3
//       CHECK:   cf.assert %{{.*}}, "expects indices within the data"
//   CHECK-NOT:   tir.opaque
func.func @gather_nd_constant(%x: tensor<?x4x?xf32>) -> tensor<2xf32> {
  %i = relay.constant dense<[[7, 0], [-4, 3], [1, -3]]> : tensor<3x2xi64>
  %0 = relay.gather_nd %x, %i : (tensor<?x4x?xf32>, tensor<3x2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-DAG: #[[$ROW0:.*]] = affine_map<(d0, d1) -> (0, d0)>
// CHECK-DAG: #[[$ROW1:.*]] = affine_map<(d0, d1) -> (1, d0)>

// Every row of the indices is an operand of its own.
// CHECK-LABEL: func @gather_nd
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$ROW0]], #[[$ROW1]], #{{[a-z0-9]+}}]
//       CHECK:     tensor.extract
func.func @gather_nd(%x: tensor<3x4x5xf32>, %i: tensor<2x6xi64>) -> tensor<6x5xf32> {
  %0 = relay.gather_nd %x, %i : (tensor<3x4x5xf32>, tensor<2x6xi64>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}

// -----


// The updates meet a copy of the data one by one, after a look at all indices.
// CHECK-LABEL: func @scatter_elements
//  CHECK-SAME:     (%[[X:.*]]: tensor<3x4xf32>, %[[I:.*]]: tensor<2x4xi64>, %[[U:.*]]: tensor<2x4xf32>)
//       CHECK:   tir.opaque sizes [#[[SAME:.*]], #[[SAME]], #{{.*}}] ins(%[[I]], %[[U]] :
//  CHECK-SAME:       outs(%[[X]] : tensor<3x4xf32>) attributes {tir.block_name = "scatter_elements"}
//       CHECK:   ^bb0(%[[INDICES:.*]]: memref<2x4xi64>, %[[UPDATES:.*]]: memref<2x4xf32>, %[[DATA:.*]]: memref<3x4xf32>):
//       CHECK:     %[[ALL:.*]] = scf.for
//       CHECK:       scf.for
//       CHECK:         arith.cmpi ult
//       CHECK:     cf.assert %[[ALL]], "expects indices within the data"
//       CHECK:     scf.for %[[ROW:.*]] =
//       CHECK:       scf.for %[[COLUMN:.*]] =
//       CHECK:         memref.load %[[INDICES]][%[[ROW]], %[[COLUMN]]]
//       CHECK:         %[[POSITION:.*]] = arith.select
//       CHECK:         %[[SUM:.*]] = arith.addf
//       CHECK:         memref.store %[[SUM]], %[[DATA]][%[[POSITION]], %[[COLUMN]]]
func.func @scatter_elements(%x: tensor<3x4xf32>, %i: tensor<2x4xi64>, %u: tensor<2x4xf32>) -> tensor<3x4xf32> {
  %0 = relay.scatter_elements %x, %i, %u {axis = 0, reduction = "add"} : (tensor<3x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// A few elements are kept in a heap of entries, for each row. Vectors of them
// are compared with its root.
// CHECK-LABEL: func @topk
//       CHECK:   tensor.empty() : tensor<3x2xi64>
//       CHECK:   tir.opaque along [0] ins(%{{.*}} : tensor<3x99xf32>)
//  CHECK-SAME:       tensor<3x2xf32>, tensor<3x2xi32>, tensor<3x2xi64>)
//       CHECK:     scf.while
//       CHECK:     arith.cmpf ult, %{{.*}} : vector<8xf32>
//       CHECK:     vector.reduction <or>
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @topk(%x: tensor<3x99xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %t = relay.topk %x {k = 2} : (tensor<3x99xf32>) -> tuple<tensor<3x2xf32>, tensor<3x2xi32>>
  %0 = relay.tuple_get_item %t[0] : tuple<tensor<3x2xf32>, tensor<3x2xi32>>
  %1 = relay.tuple_get_item %t[1] : tuple<tensor<3x2xf32>, tensor<3x2xi32>>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xi32>
}

// All are merged from runs, to and fro between two lines.
// CHECK-LABEL: func @argsort
//       CHECK:   tir.opaque along [1] ins(%{{.*}} : tensor<?x3xf32>)
//  CHECK-SAME:       outs(%{{.*}} : tensor<?x3xi32>, tensor<3x2x?xi64>)
//       CHECK:     scf.while
func.func @argsort(%x: tensor<?x3xf32>) -> tensor<?x3xi32> {
  %0 = relay.argsort %x {axis = 0} : (tensor<?x3xf32>) -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// CHECK-LABEL: func @one_hot
//       CHECK:     %[[LOOP:.*]] = linalg.index 1
//       CHECK:     %[[NARROW:.*]] = arith.index_cast %[[LOOP]] : index to i32
//       CHECK:     arith.cmpi eq, %{{.*}}, %[[NARROW]] : i32
func.func @one_hot(%i: tensor<4xi64>, %on: tensor<f32>, %off: tensor<f32>) -> tensor<4x10xf32> {
  %0 = relay.one_hot %i, %on, %off {depth = 10, dtype = f32} : (tensor<4xi64>, tensor<f32>, tensor<f32>) -> tensor<4x10xf32>
  return %0 : tensor<4x10xf32>
}

// CHECK-LABEL: func @shape_of
//       CHECK:   %[[N:.*]] = tensor.dim
//       CHECK:     arith.select %{{.*}}, %[[N]], %{{.*}}
//       CHECK:     arith.index_cast %{{.*}} : index to i64
func.func @shape_of(%x: tensor<?x3xf32>) -> tensor<2xi64> {
  %0 = relay.shape_of %x {dtype = i64} : (tensor<?x3xf32>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// The number of elements follows from the operands.
// CHECK-LABEL: func @dynamic_arange
//       CHECK:   %[[COUNT:.*]] = arith.index_cast %{{.*}} : i64 to index
//       CHECK:   tensor.empty(%[[COUNT]]) : tensor<?xi32>
func.func @dynamic_arange(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>) -> tensor<?xi32> {
  %0 = relay.arange %a, %b, %c {dtype = i32} : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// CHECK-DAG: #[[$NEAREST:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 2, d3 floordiv 3)>

// Repeated elements need no arithmetic on floats.
// CHECK-LABEL: func @upsample
//       CHECK:   linalg.generic
//  CHECK-SAME:     indexing_maps = [#[[$NEAREST]], #{{[a-z0-9]+}}]
func.func @upsample(%x: tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32> {
  %0 = relay.nn.upsampling %x {scale_h = 2.0, scale_w = 3.0} : (tensor<1x3x?x?xf32>) -> tensor<1x3x?x?xf32>
  return %0 : tensor<1x3x?x?xf32>
}

// The samples of each axis lie in tables, and one axis follows the other: first
// the one that leaves fewer elements.
// CHECK-LABEL: func @resize_linear
//       CHECK:   tir.opaque outs(%{{.*}} : tensor<2x7xi32>, tensor<2x7xf32>)
//       CHECK:   tir.opaque outs(%{{.*}} : tensor<2x5xi32>, tensor<2x5xf32>)
//       CHECK:   linalg.generic
//  CHECK-SAME:       outs(%{{.*}} : tensor<1x3x4x5xf32>)
// CHECK-COUNT-2:   tensor.extract
//       CHECK:   linalg.generic
//  CHECK-SAME:       outs(%{{.*}} : tensor<1x3x7x5xf32>)
// CHECK-COUNT-2:   tensor.extract
//   CHECK-NOT:   tensor.extract
//       CHECK:   return
func.func @resize_linear(%x: tensor<1x3x4x6xf32>) -> tensor<1x3x7x5xf32> {
  %0 = relay.image.resize2d %x {size = [7, 5]} : (tensor<1x3x4x6xf32>) -> tensor<1x3x7x5xf32>
  return %0 : tensor<1x3x7x5xf32>
}
