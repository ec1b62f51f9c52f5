// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --convert-tir-to-scf --canonicalize --split-input-file | FileCheck %s

// Each kind of loop has its form; an iteration variable is its binding.
// CHECK-LABEL: func.func @kinds
// CHECK-SAME:    (%[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<?x4xf32>)
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[N:.*]] = memref.dim %[[X]]
// CHECK:         scf.parallel (%[[I:.*]]) = (%[[C0]]) to (%[[N]])
// CHECK-NEXT:      memref.load %[[X]][%[[I]], %[[C0]]]
// CHECK:           memref.load %[[X]][%[[I]], %[[C1]]]
// CHECK-NOT:       scf.for
// CHECK:         scf.for %[[I:.*]] = %[[C0]] to %[[N]]
// CHECK-NEXT:      vector.load %[[Y]][%[[I]], %[[C0]]] : memref<?x4xf32>, vector<4xf32>
tir.prim_func @kinds(%x: memref<?x4xf32>, %y: memref<?x4xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  tir.for %i = 0 to %n kind(parallel) {
    tir.for %j = 0 to 2 kind(unrolled) {
      tir.block @copy(%v0 = spatial %i in %n, %v1 = spatial %j in 4)
          reads(%x[%v0, %v1] : memref<?x4xf32>) writes(%y[%v0, %v1] : memref<?x4xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<?x4xf32>
        affine.store %0, %y[%v0, %v1] : memref<?x4xf32>
      }
    }
  }
  tir.for %i = 0 to %n {
    tir.for %j = 0 to 4 kind(vectorized) {
      tir.block @neg(%v0 = spatial %i in %n, %v1 = spatial %j in 4)
          reads(%y[%v0, %v1] : memref<?x4xf32>) writes(%y[%v0, %v1] : memref<?x4xf32>) {
        %0 = affine.load %y[%v0, %v1] : memref<?x4xf32>
        %1 = arith.negf %0 : f32
        affine.store %1, %y[%v0, %v1] : memref<?x4xf32>
      }
    }
  }
}

// -----

// The init of a reduction runs before the reduction, for its spatial loops.
// CHECK-LABEL: func.func @init_before_reduction
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      scf.for %[[J:.*]] =
// CHECK-NEXT:        memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %[[K:.*]] =
// CHECK-NEXT:        scf.for %[[J:.*]] =
// CHECK-NEXT:          memref.load %{{.*}}[%[[I]], %[[K]], %[[J]]]
// CHECK-NOT:           scf.if
tir.prim_func @init_before_reduction(%x: memref<4x8x16xf32>, %y: memref<4x16xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 4 {
    tir.for %k = 0 to 8 {
      tir.for %j = 0 to 16 {
        tir.block @sum(%v0 = spatial %i in 4, %v1 = spatial %j in 16, %v2 = reduce %k in 8)
            reads(%x[%v0, %v2, %v1] : memref<4x8x16xf32>, %y[%v0, %v1] : memref<4x16xf32>)
            writes(%y[%v0, %v1] : memref<4x16xf32>) {
          tir.init {
            affine.store %zero, %y[%v0, %v1] : memref<4x16xf32>
          }
          %0 = affine.load %x[%v0, %v2, %v1] : memref<4x8x16xf32>
          %1 = affine.load %y[%v0, %v1] : memref<4x16xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %y[%v0, %v1] : memref<4x16xf32>
        }
      }
    }
  }
}

// -----

// Where another block uses the running sum, the init stays with the reduction.
// CHECK-LABEL: func.func @init_in_place
// CHECK:         scf.for %[[K:.*]] =
// CHECK-NEXT:      %[[FIRST:.*]] = arith.cmpi eq, %[[K]]
// CHECK-NEXT:      scf.if %[[FIRST]]
// CHECK-NEXT:        memref.store
tir.prim_func @init_in_place(%x: memref<8xf32>, %y: memref<1xf32>, %z: memref<8xf32>)
    attributes {tir.num_outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tir.for %k = 0 to 8 {
    tir.block @sum(%v0 = spatial %c0 in 1, %v1 = reduce %k in 8)
        reads(%x[%v1] : memref<8xf32>, %y[%v0] : memref<1xf32>)
        writes(%y[%v0] : memref<1xf32>) {
      tir.init {
        affine.store %zero, %y[%v0] : memref<1xf32>
      }
      %0 = affine.load %x[%v1] : memref<8xf32>
      %1 = affine.load %y[%v0] : memref<1xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<1xf32>
    }
    tir.block @running(%v0 = spatial %k in 8)
        reads(%y[0] : memref<1xf32>) writes(%z[%v0] : memref<8xf32>) {
      %0 = affine.load %y[0] : memref<1xf32>
      affine.store %0, %z[%v0] : memref<8xf32>
    }
  }
}

// -----

// Booleans are bytes, unsigned elements have no sign.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    (%[[X:.*]]: memref<1xi8>, %[[Y:.*]]: memref<1xi8>, %[[Z:.*]]: memref<1xi8>)
// CHECK:         %[[BYTE:.*]] = memref.load %[[X]]
// CHECK:         %[[BIT:.*]] = arith.cmpi ne, %[[BYTE]]
// CHECK:         %[[OUT:.*]] = arith.extui %[[BIT]] : i1 to i8
// CHECK:         memref.store %[[OUT]], %[[Y]]
// CHECK:         memref.store %{{.*}}, %[[Z]]
tir.prim_func @elements(%x: memref<1xi1>, %y: memref<1xi1>, %z: memref<1xui8>)
    attributes {tir.num_outputs = 2 : i64} {
  tir.block @b() reads(%x : memref<1xi1>) writes(%y : memref<1xi1>, %z : memref<1xui8>) {
    %0 = affine.load %x[0] : memref<1xi1>
    affine.store %0, %y[0] : memref<1xi1>
    %1 = arith.extui %0 : i1 to i8
    %2 = builtin.unrealized_conversion_cast %1 : i8 to ui8
    affine.store %2, %z[0] : memref<1xui8>
  }
}
