// RUN: relay-opt %s --tir-outline-parallel --split-input-file --verify-diagnostics | FileCheck %s

// The body counts iterations from 0 and computes sizes for itself; its stack
// buffer is allocated once.
// CHECK-LABEL: func.func @k(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         %[[EXTENT:.*]] = arith.subi %[[N]], %c1
// CHECK:         call @k.par0(%[[X]], %{{.*}}, %[[EXTENT]]) {tir.parallel}
// CHECK-LABEL: func.func private @k.par0(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index) attributes {tir.parallel_body}
// CHECK:         %[[T:.*]] = memref.alloca
// CHECK:         memref.dim %[[X]]
// CHECK:         %[[FIRST:.*]] = arith.addi %c1{{.*}}, %[[BEGIN]]
// CHECK:         %[[LAST:.*]] = arith.addi %c1{{.*}}, %[[END]]
// CHECK:         scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK-NOT:       memref.alloca
// CHECK:           memref.store %{{.*}}, %[[T]]
// CHECK:           memref.store %{{.*}}, %[[X]][%[[I]]]
func.func @k(%x: memref<?xf32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c1) to (%n) step (%c1) {
    %t = memref.alloca() : memref<f32>
    %0 = arith.index_cast %n : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    memref.store %1, %t[] : memref<f32>
    %2 = memref.load %t[] : memref<f32>
    memref.store %2, %x[%i] : memref<?xf32>
  }
  return
}

// -----

// A quotient is computed again, although nobody says that it is not by 0: the
// kernel has computed it before the loop.

// CHECK-LABEL: func.func private @quotient.par0
// CHECK: arith.divsi
// CHECK: scf.for
func.func @quotient(%x: memref<?xi32>, %y: memref<?xi32>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %y, %c0 : memref<?xi32>
  %q = arith.divsi %n, %m : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = arith.index_cast %q : index to i32
    memref.store %0, %x[%i] : memref<?xi32>
  }
  return
}

// -----

func.func @data(%x: memref<?xf32>, %m: memref<1xindex>) attributes {tir.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{expects a value that a parallel loop uses to follow from the sizes of the arguments, but got a result of memref.load}}
  %n = memref.load %m[%c0] : memref<1xindex>
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    memref.store %zero, %x[%n] : memref<?xf32>
  }
  return
}
