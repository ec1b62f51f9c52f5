// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --convert-tir-to-scf | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --convert-tir-to-scf | FileCheck %s --check-prefix=MASK

// Functions that become long chains of operations run on several registers side
// by side; what is left takes ever fewer.
// CHECK-LABEL: func.func @exp
// CHECK-DAG:     %[[STEP:.*]] = arith.constant 32 : index
// CHECK-DAG:     %[[END:.*]] = arith.constant 160 : index
// CHECK:         scf.for %{{.*}} = %{{.*}} to %[[END]] step %[[STEP]]
// CHECK:           math.exp %{{.*}} : vector<32xf32>
// CHECK:         math.exp %{{.*}} : vector<16xf32>
// CHECK:         math.exp %{{.*}} : vector<4xf32>
// CHECK:         math.exp %{{.*}} : vector<2xf32>
// CHECK:         math.exp %{{.*}} : f32
// CHECK-NOT:     math.exp
// MASK-LABEL: func.func @exp
// MASK:         math.exp %{{.*}} : vector<32xf32>
// MASK:         math.exp %{{.*}} : vector<16xf32>
// MASK:         math.exp %{{.*}} : vector<8xf32>
// MASK-NOT:     math.exp
tir.prim_func @exp(%x: memref<183xf32>, %y: memref<183xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 183 kind(vectorized) {
    tir.block @exp(%v0 = spatial %i in 183)
        reads(%x[%v0] : memref<183xf32>) writes(%y[%v0] : memref<183xf32>) {
      %0 = affine.load %x[%v0] : memref<183xf32>
      %1 = math.exp %0 : f32
      affine.store %1, %y[%v0] : memref<183xf32>
    }
  }
}

// Straight code is bounded: eight vectors of as many functions run in a loop.
// CHECK-LABEL:   func.func @many
// CHECK:           scf.for
// CHECK-COUNT-10:    math.powf %{{.*}} : vector<8xf32>
// CHECK-NOT:         math.powf
// CHECK-LABEL:   func.func @few
// CHECK-NOT:       scf.for
// CHECK-COUNT-8:   math.powf %{{.*}} : vector<8xf32>
// CHECK-NOT:       math.powf
tir.prim_func @many(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @many(%v0 = spatial %i in 64)
        reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = math.powf %0, %0 : f32
      %2 = math.powf %1, %0 : f32
      %3 = math.powf %2, %0 : f32
      %4 = math.powf %3, %0 : f32
      %5 = math.powf %4, %0 : f32
      %6 = math.powf %5, %0 : f32
      %7 = math.powf %6, %0 : f32
      %8 = math.powf %7, %0 : f32
      %9 = math.powf %8, %0 : f32
      %10 = math.powf %9, %0 : f32
      affine.store %10, %y[%v0] : memref<64xf32>
    }
  }
}

tir.prim_func @few(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 64 kind(vectorized) {
    tir.block @few(%v0 = spatial %i in 64)
        reads(%x[%v0] : memref<64xf32>) writes(%y[%v0] : memref<64xf32>) {
      %0 = affine.load %x[%v0] : memref<64xf32>
      %1 = math.powf %0, %0 : f32
      affine.store %1, %y[%v0] : memref<64xf32>
    }
  }
}

// So are bytes that are computed in wider numbers: what is stored is one register.
// With AVX-512 it is half of one.
// CHECK-LABEL: func.func @bytes
// CHECK:         arith.trunci %{{.*}} : vector<32xi32> to vector<32xi8>
// CHECK:         vector.store %{{.*}} : memref<1024xi8>, vector<32xi8>
// MASK-LABEL: func.func @bytes
// MASK:         arith.trunci %{{.*}} : vector<32xi32> to vector<32xi8>
// CHECK-LABEL: func.func @words
// CHECK:         arith.trunci %{{.*}} : vector<8xi32> to vector<8xi16>
tir.prim_func @bytes(%x: memref<1024xi32>, %y: memref<1024xi8>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 1024 kind(vectorized) {
    tir.block @bytes(%v0 = spatial %i in 1024)
        reads(%x[%v0] : memref<1024xi32>) writes(%y[%v0] : memref<1024xi8>) {
      %0 = affine.load %x[%v0] : memref<1024xi32>
      %1 = arith.trunci %0 : i32 to i8
      affine.store %1, %y[%v0] : memref<1024xi8>
    }
  }
}
tir.prim_func @words(%x: memref<1024xi32>, %y: memref<1024xi16>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 1024 kind(vectorized) {
    tir.block @words(%v0 = spatial %i in 1024)
        reads(%x[%v0] : memref<1024xi32>) writes(%y[%v0] : memref<1024xi16>) {
      %0 = affine.load %x[%v0] : memref<1024xi32>
      %1 = arith.trunci %0 : i32 to i16
      affine.store %1, %y[%v0] : memref<1024xi16>
    }
  }
}
