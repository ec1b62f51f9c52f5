// RUN: relay-opt %s --convert-linalg-to-tir --split-input-file | FileCheck %s
// RUN: relay-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --split-input-file | FileCheck %s --check-prefix=BUFFERS

// Rows are independent; the body stays as it is, on the kernel's own buffers.

// CHECK-LABEL: tir.prim_func @running_sums(
//  CHECK-SAME:     %[[X:.*]]: memref<8x?xf32>, %[[Y:.*]]: memref<8x?xf32>)
//       CHECK:   tir.for %[[I:.*]] = 0 to 8
//       CHECK:     tir.block @sums(%[[ROW:.*]] = spatial %[[I]] in 8)
//  CHECK-NEXT:         reads(%[[X]] : memref<8x?xf32>)
//  CHECK-NEXT:         writes(%[[Y]] : memref<8x?xf32>)
//       CHECK:       scf.for
//       CHECK:         memref.load %[[X]][%[[ROW]],
//       CHECK:         memref.store %{{.*}}, %[[Y]][%[[ROW]],

// BUFFERS-LABEL: func @running_sums(
//  BUFFERS-SAME:     %[[X:.*]]: memref<8x?xf32>
//       BUFFERS:   %[[Y:.*]] = memref.alloc
//       BUFFERS:   scf.for %[[ROW:.*]] =
//       BUFFERS:     scf.for
//       BUFFERS:       memref.load %[[X]][%[[ROW]],
//       BUFFERS:       memref.store %{{.*}}, %[[Y]][%[[ROW]],
//       BUFFERS:   return %[[Y]]
func.func @running_sums(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<8x?xf32>
  %init = tensor.empty(%n) : tensor<8x?xf32>
  %sums = tir.opaque along [0] ins(%x : tensor<8x?xf32>) outs(%init : tensor<8x?xf32>)
      attributes {tir.block_name = "sums"} -> tensor<8x?xf32> {
  ^bb0(%row: index, %from: memref<8x?xf32>, %to: memref<8x?xf32>):
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %size = memref.dim %from, %one : memref<8x?xf32>
    %total = scf.for %i = %c0 to %size step %one iter_args(%sum = %zero) -> f32 {
      %element = memref.load %from[%row, %i] : memref<8x?xf32>
      %next = arith.addf %sum, %element : f32
      memref.store %next, %to[%row, %i] : memref<8x?xf32>
      scf.yield %next : f32
    }
  }
  return %sums : tensor<8x?xf32>
}

// -----

// What is no buffer of its own becomes one: a part of an argument, a start
// value of a destination.

// CHECK-LABEL: tir.prim_func @copies(
//  CHECK-SAME:     %[[X:.*]]: memref<4xf32>, %[[D:.*]]: memref<2xf32>, %[[Y:.*]]: memref<2xf32>)
//       CHECK:   %[[PART:.*]] = tir.alloc_buffer() : memref<2xf32>
//       CHECK:   tir.block @copy
//       CHECK:     affine.load %[[X]][%{{.*}} + 1]
//       CHECK:     affine.store %{{.*}}, %[[PART]]
//       CHECK:   tir.block @opaque_init
//       CHECK:     affine.load %[[D]]
//       CHECK:     affine.store %{{.*}}, %[[Y]]
//       CHECK:   tir.block @opaque()
//       CHECK:     memref.load %[[PART]]
//       CHECK:     memref.store %{{.*}}, %[[Y]]
func.func @copies(%x: tensor<4xf32>, %d: tensor<2xf32>) -> tensor<2xf32> {
  %part = tensor.extract_slice %x[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %y = tir.opaque ins(%part : tensor<2xf32>) outs(%d : tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%from: memref<2xf32>, %to: memref<2xf32>):
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %from[%c0] : memref<2xf32>
    memref.store %v, %to[%c1] : memref<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

// What only asserts has no destination, and is a block that writes nothing.

// CHECK-LABEL: tir.prim_func @check(
//  CHECK-SAME:     %[[X:.*]]: memref<f32>, %[[Y:.*]]: memref<f32>)
//       CHECK:   tir.block @positive()
//  CHECK-NEXT:       reads(%[[X]]
//   CHECK-NOT:       writes
//       CHECK:     cf.assert
//       CHECK:   affine.store %{{.*}}, %[[Y]]

// BUFFERS-LABEL: func @check(
//       BUFFERS:   memref.load
//       BUFFERS:   cf.assert
//   BUFFERS-NOT:   tir.opaque
func.func @check(%x: tensor<f32>) -> tensor<f32> {
  tir.opaque ins(%x : tensor<f32>) attributes {tir.block_name = "positive"} {
  ^bb0(%from: memref<f32>):
    %zero = arith.constant 0.0 : f32
    %element = memref.load %from[] : memref<f32>
    %is_positive = arith.cmpf ogt, %element, %zero : f32
    cf.assert %is_positive, "expects a positive number"
  }
  %init = tensor.empty() : tensor<f32>
  %y = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : tensor<f32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %out: f32):
    %root = math.sqrt %a : f32
    linalg.yield %root : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
