// RUN: relay-opt %s --tir-count-work --split-input-file --mlir-print-local-scope | FileCheck %s

// A multiplication and an addition for each step; all three matrices once.
// CHECK-LABEL: tir.prim_func @matmul
// CHECK: tir.bytes = affine_map<() -> (1280)>
// CHECK-SAME: tir.flops = affine_map<() -> (2048)>
tir.prim_func @matmul(%a: memref<8x16xf32>, %b: memref<16x8xf32>, %c: memref<8x8xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 8 {
    tir.for %j = 0 to 8 {
      tir.for %k = 0 to 16 {
        tir.block @matmul(%v0 = spatial %i in 8, %v1 = spatial %j in 8, %v2 = reduce %k in 16)
            reads(%a[%v0, %v2] : memref<8x16xf32>, %b[%v2, %v1] : memref<16x8xf32>, %c[%v0, %v1] : memref<8x8xf32>)
            writes(%c[%v0, %v1] : memref<8x8xf32>) {
          tir.init {
            %zero = arith.constant 0.0 : f32
            affine.store %zero, %c[%v0, %v1] : memref<8x8xf32>
          }
          %0 = affine.load %a[%v0, %v2] : memref<8x16xf32>
          %1 = affine.load %b[%v2, %v1] : memref<16x8xf32>
          %2 = affine.load %c[%v0, %v1] : memref<8x8xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %c[%v0, %v1] : memref<8x8xf32>
        }
      }
    }
  }
}

// -----

// Sizes of inputs and outputs by number; comparisons and index arithmetic are
// free, a function of the library counts one, as does the smaller one of two
// values, but not a choice between others.
// CHECK-LABEL: tir.prim_func @dynamic
// CHECK: tir.bytes = affine_map<()[s0, s1] -> (s0 * 12 + s1 * 12)>
// CHECK-SAME: tir.flops = affine_map<()[s0, s1] -> (s0 * 9)>
tir.prim_func @dynamic(%x: memref<?x3xf32>, %y: memref<?x3xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x3xf32>
  tir.for %i = 0 to %n {
    tir.for %j = 0 to 3 {
      tir.block @exp(%v0 = spatial %i in %n, %v1 = spatial %j in 3)
          reads(%x[%v0, %v1] : memref<?x3xf32>) writes(%y[%v0, %v1] : memref<?x3xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<?x3xf32>
        %1 = math.exp %0 : f32
        %2 = arith.negf %1 : f32
        %3 = arith.cmpf olt, %1, %2 : f32
        %4 = arith.select %3, %1, %2 : f32
        %5 = arith.select %3, %4, %0 : f32
        affine.store %5, %y[%v0, %v1] : memref<?x3xf32>
      }
    }
  }
}

// -----

// Of a table only the rows that are looked up: 2 indices, 2 * 4 elements read
// and written.
// CHECK-LABEL: tir.prim_func @lookup
// CHECK: tir.bytes = affine_map<() -> (80)>
// CHECK-SAME: tir.flops = affine_map<() -> (0)>
tir.prim_func @lookup(%table: memref<1000x4xf32>, %index: memref<2xi64>, %y: memref<2x4xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 2 {
    tir.for %j = 0 to 4 {
      tir.block @take(%v0 = spatial %i in 2, %v1 = spatial %j in 4)
          reads(%index[%v0] : memref<2xi64>, %table[] : memref<1000x4xf32>)
          writes(%y[%v0, %v1] : memref<2x4xf32>) {
        %0 = affine.load %index[%v0] : memref<2xi64>
        %1 = arith.index_cast %0 : i64 to index
        %2 = memref.load %table[%1, %v1] : memref<1000x4xf32>
        affine.store %2, %y[%v0, %v1] : memref<2x4xf32>
      }
    }
  }
}

// -----

// Numbers beyond 64 bits wrap nowhere: what they are computed of stays, and is
// computed with checks.
// CHECK-LABEL: tir.prim_func @enormous
// CHECK: tir.flops = affine_map<() -> (4611686018427387904 * 2)>
tir.prim_func @enormous(%x: memref<4294967296x1073741824xi8>, %y: memref<4294967296x1073741824xi8>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %i = 0 to 4294967296 {
    tir.for %j = 0 to 1073741824 {
      tir.block @double(%v0 = spatial %i in 4294967296, %v1 = spatial %j in 1073741824)
          reads(%x[%v0, %v1] : memref<4294967296x1073741824xi8>)
          writes(%y[%v0, %v1] : memref<4294967296x1073741824xi8>) {
        %0 = affine.load %x[%v0, %v1] : memref<4294967296x1073741824xi8>
        %1 = arith.addi %0, %0 : i8
        %2 = arith.muli %1, %0 : i8
        affine.store %2, %y[%v0, %v1] : memref<4294967296x1073741824xi8>
      }
    }
  }
}
