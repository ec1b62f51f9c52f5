// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(tir-hoist-divisions))' | FileCheck %s

// What the condition guards is the load: the division is the same in all
// iterations of the inner loop, and may be made before it.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[D:.*]]: index
// CHECK:       %[[SIZE:.*]] = arith.maxui %[[D]], %{{.*}} : index
// CHECK:       scf.for %[[I:.*]] =
// CHECK-NOT:     scf.for
// CHECK:         %[[TWICE:.*]] = arith.muli %[[I]]
// CHECK-NEXT:    %[[ROW:.*]] = arith.remui %[[TWICE]], %[[SIZE]]
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK-NEXT:        memref.load %[[X]][%[[ROW]]]
func.func @rows(%x: memref<?xf32>, %n: index, %d: index, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %in = arith.cmpi ult, %j, %d : index
      %v = scf.if %in -> f32 {
        %twice = arith.muli %i, %c2 : index
        %row = arith.remui %twice, %d : index
        %l = memref.load %x[%row] : memref<?xf32>
        scf.yield %l : f32
      } else {
        scf.yield %zero : f32
      }
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// Data and constants stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT:   arith.max
func.func @others(%a: i32, %b: i32, %i: index) -> (i32, index) {
  %c8 = arith.constant 8 : index
  %0 = arith.divui %a, %b : i32
  %1 = arith.remui %i, %c8 : index
  return %0, %1 : i32, index
}
