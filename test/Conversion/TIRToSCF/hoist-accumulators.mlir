// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(tir-hoist-accumulators))' | FileCheck %s

// Two vectors side by side, through both loops of a reduction.
// CHECK-LABEL: func.func @tile
// CHECK:         %[[A:.*]] = vector.load %[[Y:.*]][%c0]
// CHECK:         %[[B:.*]] = vector.load %[[Y]][%c16]
// CHECK:         %[[R:.*]]:2 = scf.for %{{.*}} iter_args(%[[A1:.*]] = %[[A]], %[[B1:.*]] = %[[B]])
// CHECK:           %{{.*}}:2 = scf.for %{{.*}} iter_args(%[[A2:.*]] = %[[A1]], %[[B2:.*]] = %[[B1]])
// CHECK-NOT:         store
// CHECK:             arith.addf %[[A2]]
// CHECK:             arith.addf %[[B2]]
// CHECK:         vector.store %[[R]]#0, %[[Y]][%c0]
// CHECK:         vector.store %[[R]]#1, %[[Y]][%c16]
func.func @tile(%x: memref<8x8x32xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %0 = vector.load %x[%i, %j, %c0] : memref<8x8x32xf32>, vector<16xf32>
      %1 = vector.load %y[%c0] : memref<32xf32>, vector<16xf32>
      %2 = arith.addf %1, %0 : vector<16xf32>
      vector.store %2, %y[%c0] : memref<32xf32>, vector<16xf32>
      %3 = vector.load %x[%i, %j, %c16] : memref<8x8x32xf32>, vector<16xf32>
      %4 = vector.load %y[%c16] : memref<32xf32>, vector<16xf32>
      %5 = arith.addf %4, %3 : vector<16xf32>
      vector.store %5, %y[%c16] : memref<32xf32>, vector<16xf32>
    }
  }
  return
}

// Vectors that overlap share elements, which memory must hold.
// CHECK-LABEL: func.func @overlap
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK-COUNT-2:   vector.store
func.func @overlap(%y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %1 = vector.load %y[%c0] : memref<32xf32>, vector<16xf32>
    vector.store %1, %y[%c8] : memref<32xf32>, vector<16xf32>
    vector.store %1, %y[%c0] : memref<32xf32>, vector<16xf32>
  }
  return
}

// An element that another access may reach.
// CHECK-LABEL: func.func @unknown
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT:      memref.store
func.func @unknown(%y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %1 = memref.load %y[%i] : memref<32xf32>
    memref.store %1, %y[%c0] : memref<32xf32>
  }
  return
}

// A store that happens in some iterations only stays where it is.
// CHECK-LABEL: func.func @conditional
// CHECK:         scf.for
// CHECK-NOT:       iter_args
// CHECK:           scf.if
// CHECK:             memref.store
func.func @conditional(%c: memref<8xi1>, %y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %c[%i] : memref<8xi1>
    scf.if %0 {
      %1 = memref.load %y[%c0] : memref<1xf32>
      %2 = arith.addf %1, %1 : f32
      memref.store %2, %y[%c0] : memref<1xf32>
    }
  }
  return
}
