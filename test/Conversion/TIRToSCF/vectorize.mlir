// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --convert-tir-to-scf --canonicalize --cse --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --convert-tir-to-scf --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v2 --convert-tir-to-scf --canonicalize --cse --split-input-file | FileCheck %s --check-prefix=SSE

// Full registers, then a rest: under a mask, or on ever fewer lanes.
// CHECK-LABEL: func.func @rest
// CHECK-DAG:     %[[C16:.*]] = arith.constant 16 : index
// CHECK:         vector.load %{{.*}} : memref<21xf32>, vector<16xf32>
// CHECK:         %[[MASK:.*]] = vector.constant_mask [5] : vector<8xi1>
// CHECK:         vector.maskedload %{{.*}}[%[[C16]]], %[[MASK]]
// CHECK:         vector.maskedstore %{{.*}}[%[[C16]]], %[[MASK]]
// NARROW-LABEL: func.func @rest
// NARROW-COUNT-2: vector.load %{{.*}} : memref<21xf32>, vector<8xf32>
// NARROW:         vector.load %{{.*}} : memref<21xf32>, vector<4xf32>
// NARROW:         memref.load %{{.*}} : memref<21xf32>
// NARROW-NOT:     mask
tir.prim_func @rest(%x: memref<21xf32>, %y: memref<21xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 21 kind(vectorized) {
    tir.block @neg(%v0 = spatial %i in 21)
        reads(%x[%v0] : memref<21xf32>) writes(%y[%v0] : memref<21xf32>) {
      %0 = affine.load %x[%v0] : memref<21xf32>
      %1 = arith.negf %0 : f32
      affine.store %1, %y[%v0] : memref<21xf32>
    }
  }
}

// -----

// The widest value fills a register: 8 lanes of f64 in 512 bits.
// CHECK-LABEL: func.func @widest
// CHECK:         vector.load %{{.*}} : memref<64xf32>, vector<8xf32>
// CHECK:         arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
tir.prim_func @widest(%x: memref<64xf32>, %y: memref<64xf64>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @widen(%v0 = spatial %i in 64)
        reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf64>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = arith.extf %0 : f32 to f64
      affine.store %1, %y[%v0] : memref<64xf64>
    }
  }
}

// -----

// Equal for all lanes: a scalar and a broadcast. Strided: a gather, or scalars.
// CHECK-LABEL: func.func @accesses
// CHECK-SAME:    (%[[X:.*]]: memref<16x16xf32>, %[[B:.*]]: memref<16xf32>
// CHECK-DAG:     %[[STEPS:.*]] = arith.constant dense<[0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240]> : vector<16xi32>
// CHECK:         vector.gather %[[X]][%{{.*}}, %[[I:.*]]] [%[[STEPS]]]
// CHECK:         %[[SCALAR:.*]] = memref.load %[[B]][%[[I]]]
// CHECK:         vector.broadcast %[[SCALAR]] : f32 to vector<16xf32>
// NARROW-LABEL: func.func @accesses
// NARROW:         vector.gather %{{.*}} : memref<16x16xf32>, vector<8xi32>
// SSE-LABEL: func.func @accesses
// SSE-COUNT-4:   memref.load %{{.*}} : memref<16x16xf32>
// SSE-NOT:       memref.load %{{.*}} : memref<16x16xf32>
// SSE:           vector.from_elements {{.*}} : vector<4xf32>
tir.prim_func @accesses(%x: memref<16x16xf32>, %b: memref<16xf32>, %y: memref<16x16xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 16 {
    tir.for %j = 0 to 16 kind(vectorized) {
      tir.block @transpose(%v0 = spatial %i in 16, %v1 = spatial %j in 16)
          reads(%x[%v1, %v0] : memref<16x16xf32>, %b[%v0] : memref<16xf32>)
          writes(%y[%v0, %v1] : memref<16x16xf32>) {
        %0 = affine.load %x[%v1, %v0] : memref<16x16xf32>
        %1 = affine.load %b[%v0] : memref<16xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0, %v1] : memref<16x16xf32>
      }
    }
  }
}

// -----

// A guard that differs between lanes: one test for all of them comes first.
// CHECK-LABEL: func.func @guard
// CHECK:         %[[ALL:.*]] = arith.cmpi sge
// CHECK:         scf.if %[[ALL]] {
// CHECK:           vector.store
// CHECK:         } else {
// CHECK:           scf.if
// CHECK:             vector.maskedstore
// NARROW-LABEL: func.func @guard
// NARROW:         scf.if
// NARROW:           vector.store
// NARROW:         } else {
// NARROW:           scf.if
// NARROW:             scf.for
// NARROW:               scf.if
// NARROW:                 memref.store
tir.prim_func @guard(%y: memref<?xf32>) attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%n]
  tir.for %o = 0 to %tiles {
    tir.for %i = 0 to 16 kind(vectorized) {
      %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%o, %i)
      tir.block @ones(%v0 = spatial %j in %n) where affine_set<(d0)[s0] : (s0 - d0 - 1 >= 0)>(%j)[%n]
          writes(%y[%v0] : memref<?xf32>) {
        affine.store %one, %y[%v0] : memref<?xf32>
      }
    }
  }
}

// -----

// Lanes accumulate by themselves through all loops of the reduction.
// CHECK-LABEL: func.func @reduction
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.load %{{.*}} : memref<4x8x16xf32>, vector<16xf32>
// CHECK-NOT:         vector.reduction
// CHECK:           }
// CHECK:           %[[SUM:.*]] = vector.reduction <add>
// CHECK:           arith.addf %{{.*}}, %[[SUM]]
tir.prim_func @reduction(%x: memref<4x8x16xf32>, %y: memref<4xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 4 {
    tir.for %k = 0 to 8 {
      tir.for %l = 0 to 16 kind(vectorized) {
        tir.block @sum(%v0 = spatial %i in 4, %v1 = reduce %k in 8, %v2 = reduce %l in 16)
            reads(%x[%v0, %v1, %v2] : memref<4x8x16xf32>, %y[%v0] : memref<4xf32>)
            writes(%y[%v0] : memref<4xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<4xf32>
          }
          %0 = affine.load %x[%v0, %v1, %v2] : memref<4x8x16xf32>
          %1 = affine.load %y[%v0] : memref<4xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %y[%v0] : memref<4xf32>
        }
      }
    }
  }
}

// -----

// The innermost dimension of a packed layout is contiguous if the lanes start
// at a multiple of their number.
// CHECK-LABEL: func.func @packed
// CHECK:         vector.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x16xf32>, vector<16xf32>
// CHECK-NOT:     vector.gather
tir.prim_func @packed(%x: memref<4x16xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @unpack(%v0 = spatial %i in 64)
        reads(%x[%v0 floordiv 16, %v0 mod 16] : memref<4x16xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0 floordiv 16, %v0 mod 16] : memref<4x16xf32>
      affine.store %0, %y[%v0] : memref<64xf32>
    }
  }
}

// -----

// Lanes that are near each other: whole vectors and shuffles, in place of a
// gather.
// CHECK-LABEL: func.func @repeated
// CHECK:         %[[HALF:.*]] = vector.load %{{.*}} : memref<32xf32>, vector<8xf32>
// CHECK:         vector.shuffle %[[HALF]], %[[HALF]] [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]
// CHECK-NOT:     vector.gather
// SSE-LABEL: func.func @repeated
// SSE:           %[[HALF:.*]] = vector.load %{{.*}} : memref<32xf32>, vector<2xf32>
// SSE:           vector.shuffle %[[HALF]], %[[HALF]] [0, 0, 1, 1]
tir.prim_func @repeated(%x: memref<32xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @repeat(%v0 = spatial %i in 64)
        reads(%x[%v0 floordiv 2] : memref<32xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0 floordiv 2] : memref<32xf32>
      affine.store %0, %y[%v0] : memref<64xf32>
    }
  }
}

// -----

// The last of the vectors ends with the last lane.
// CHECK-LABEL: func.func @every_other
// CHECK:         vector.load %{{.*}} : memref<127xf32>, vector<16xf32>
// CHECK:         vector.load %{{.*}} : memref<127xf32>, vector<16xf32>
// CHECK:         vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK-NOT:     vector.gather
tir.prim_func @every_other(%x: memref<127xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @pick(%v0 = spatial %i in 64)
        reads(%x[%v0 * 2] : memref<127xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0 * 2] : memref<127xf32>
      affine.store %0, %y[%v0] : memref<64xf32>
    }
  }
}

// -----

// What thirds lanes begin in is not known: 16 is no multiple of 3.
// CHECK-LABEL: func.func @thirds
// CHECK:         vector.gather
tir.prim_func @thirds(%x: memref<32xf32>, %y: memref<96xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 96 kind(vectorized) {
    tir.block @repeat(%v0 = spatial %i in 96)
        reads(%x[%v0 floordiv 3] : memref<32xf32>) writes(%y[%v0] : memref<96xf32>) {
      %0 = affine.load %x[%v0 floordiv 3] : memref<32xf32>
      affine.store %0, %y[%v0] : memref<96xf32>
    }
  }
}
