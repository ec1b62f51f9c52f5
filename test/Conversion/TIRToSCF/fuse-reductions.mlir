// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(hoist-accumulators))' | FileCheck %s

// The sum takes what the loop before it computes, a part of each vector at a
// time; the stores stay for whoever reads them later.
// CHECK-LABEL: func.func @sum
// CHECK-NOT:     scf.for
// CHECK:         scf.for %[[I:.*]] = %c0 to %c64 step %c16 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK:           %[[E:.*]] = math.exp
// CHECK:           vector.store %[[E]], %[[ROW:.*]][%c0, %[[I]]]
// CHECK-NOT:       vector.load
// CHECK:           %[[LOW:.*]] = vector.extract_strided_slice %[[E]] {offsets = [0]
// CHECK:           arith.addf %[[A]], %[[LOW]]
// CHECK:           %[[HIGH:.*]] = vector.extract_strided_slice %[[E]] {offsets = [8]
// CHECK:           arith.addf %[[B]], %[[HIGH]]
// CHECK-NOT:     scf.for
func.func @sum(%x: memref<64xf32>, %y: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %row = memref.alloca() : memref<1x64xf32>
  %flat = memref.collapse_shape %row [[0, 1]] : memref<1x64xf32> into memref<64xf32>
  scf.for %i = %c0 to %c64 step %c16 {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<16xf32>
    %1 = math.exp %0 : vector<16xf32>
    vector.store %1, %row[%c0, %i] : memref<1x64xf32>, vector<16xf32>
  }
  %sums:2 = scf.for %i = %c0 to %c64 step %c16 iter_args(%a = %zero, %b = %zero) -> (vector<8xf32>, vector<8xf32>) {
    %0 = vector.load %flat[%i] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %a, %0 : vector<8xf32>
    %2 = arith.addi %i, %c8 : index
    %3 = vector.load %flat[%2] : memref<64xf32>, vector<8xf32>
    %4 = arith.addf %b, %3 : vector<8xf32>
    scf.yield %1, %4 : vector<8xf32>, vector<8xf32>
  }
  vector.store %sums#0, %y[%c0, %c0] : memref<2x8xf32>, vector<8xf32>
  vector.store %sums#1, %y[%c1, %c0] : memref<2x8xf32>, vector<8xf32>
  return
}

// What another iteration stores is not there yet.
// CHECK-LABEL: func.func @neighbours
// CHECK:         scf.for
// CHECK:         scf.for
func.func @neighbours(%x: memref<64xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c56 = arith.constant 56 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %row = memref.alloca() : memref<64xf32>
  scf.for %i = %c0 to %c56 step %c8 {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    vector.store %0, %row[%i] : memref<64xf32>, vector<8xf32>
  }
  %sum = scf.for %i = %c0 to %c56 step %c8 iter_args(%a = %zero) -> (vector<8xf32>) {
    %0 = arith.addi %i, %c4 : index
    %1 = vector.load %row[%0] : memref<64xf32>, vector<8xf32>
    %2 = arith.addf %a, %1 : vector<8xf32>
    scf.yield %2 : vector<8xf32>
  }
  vector.store %sum, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// Arguments may be the same memory, and nobody knows what is done in between.
// CHECK-LABEL: func.func @argument
// CHECK:         scf.for
// CHECK:         scf.for
func.func @argument(%x: memref<64xf32>, %row: memref<64xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  scf.for %i = %c0 to %c64 step %c8 {
    %0 = vector.load %x[%i] : memref<64xf32>, vector<8xf32>
    vector.store %0, %row[%i] : memref<64xf32>, vector<8xf32>
  }
  %sum = scf.for %i = %c0 to %c64 step %c8 iter_args(%a = %zero) -> (vector<8xf32>) {
    %1 = vector.load %row[%i] : memref<64xf32>, vector<8xf32>
    %2 = arith.addf %a, %1 : vector<8xf32>
    scf.yield %2 : vector<8xf32>
  }
  vector.store %sum, %y[%c0] : memref<8xf32>, vector<8xf32>
  return
}
