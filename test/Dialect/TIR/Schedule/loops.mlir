// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s

// Fusing and splitting at the old boundary gives back the old variables.
// CHECK-LABEL: tir.prim_func @fuse_split
// CHECK:       tir.for %[[O:.*]] = 0 to 4 {
// CHECK:         tir.for %[[I:.*]] = 0 to 16 {
// CHECK-NEXT:      tir.block @b(%{{.*}} = spatial %[[O]] in 4, %{{.*}} = spatial %[[I]] in 16)
// CHECK-NEXT:          writes
module attributes {transform.with_named_sequence} {
  tir.prim_func @fuse_split(%x: memref<4x16xf32>) {
    %c = arith.constant 1.0 : f32
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 16 {
        tir.block @b(%v0 = spatial %i in 4, %v1 = spatial %j in 16) writes(%x[%v0, %v1] : memref<4x16xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<4x16xf32>
        }
      }
    }
  }
  transform.named_sequence @fuse_split.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    %ij = transform.tir.fuse %i, %j
    %io, %ii = transform.tir.split %ij [?, 16]
    transform.yield
  }
}

// -----

// A dynamic outer extent: the product is computed, the indices are divisions
// by the constant inner extent.
// CHECK-DAG: #[[$SIZE:.*]] = affine_map<()[s0] -> (s0 * 16)>
// CHECK-DAG: #[[$DIV:.*]] = affine_map<(d0) -> (d0 floordiv 16)>
// CHECK-DAG: #[[$MOD:.*]] = affine_map<(d0) -> (d0 mod 16)>
// CHECK-LABEL: tir.prim_func @fuse_dynamic
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       %[[E:.*]] = affine.apply #[[$SIZE]]()[%[[N]]]
// CHECK:       tir.for %[[F:.*]] = 0 to %[[E]] kind(parallel) {
// CHECK-NEXT:    %[[I:.*]] = affine.apply #[[$DIV]](%[[F]])
// CHECK-NEXT:    %[[J:.*]] = affine.apply #[[$MOD]](%[[F]])
// CHECK-NEXT:    tir.block @b(%{{.*}} = spatial %[[I]] in %[[N]], %{{.*}} = spatial %[[J]] in 16)
module attributes {transform.with_named_sequence} {
  tir.prim_func @fuse_dynamic(%x: memref<?x16xf32>) {
    %c0 = arith.constant 0 : index
    %c = arith.constant 1.0 : f32
    %n = memref.dim %x, %c0 : memref<?x16xf32>
    tir.for %i = 0 to %n {
      tir.for %j = 0 to 16 {
        tir.block @b(%v0 = spatial %i in %n, %v1 = spatial %j in 16) writes(%x[%v0, %v1] : memref<?x16xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<?x16xf32>
        }
      }
    }
  }
  transform.named_sequence @fuse_dynamic.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    %ij = transform.tir.fuse %i, %j
    transform.tir.parallel %ij
    transform.yield
  }
}

// -----

// Listed loops permute among their places; a reduction keeps its init.
// CHECK-LABEL: tir.prim_func @reorder
// CHECK:       tir.for %[[K:.*]] = 0 to 8 {
// CHECK-NEXT:    tir.for %[[J:.*]] = 0 to 16 {
// CHECK-NEXT:      tir.for %[[I:.*]] = 0 to 4 kind(unrolled) attributes {tir.pragma = "x"} {
// CHECK-NEXT:        tir.block @sum(%{{.*}} = spatial %[[I]] in 4, %{{.*}} = spatial %[[J]] in 16, %{{.*}} = reduce %[[K]] in 8)
// CHECK:               tir.init
module attributes {transform.with_named_sequence} {
  tir.prim_func @reorder(%x: memref<4x16x8xf32>, %y: memref<4x16xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 16 {
        tir.for %k = 0 to 8 {
          tir.block @sum(%v0 = spatial %i in 4, %v1 = spatial %j in 16, %v2 = reduce %k in 8)
              reads(%x[%v0, %v1, %v2] : memref<4x16x8xf32>, %y[%v0, %v1] : memref<4x16xf32>)
              writes(%y[%v0, %v1] : memref<4x16xf32>) {
            tir.init {
              affine.store %c, %y[%v0, %v1] : memref<4x16xf32>
            }
            %0 = affine.load %x[%v0, %v1, %v2] : memref<4x16x8xf32>
            %1 = affine.load %y[%v0, %v1] : memref<4x16xf32>
            %2 = arith.addf %0, %1 : f32
            affine.store %2, %y[%v0, %v1] : memref<4x16xf32>
          }
        }
      }
    }
  }
  transform.named_sequence @reorder.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @sum in %f
    %i, %j, %k = transform.tir.get_loops %b
    transform.tir.reorder %k, %i
    transform.tir.unroll %i
    transform.tir.annotate %i "tir.pragma" = "x"
    transform.yield
  }
}

// -----

// Three digits of a fused loop, of which the first has no end, tell iterations
// apart that add to a buffer.
//
// CHECK-LABEL: tir.prim_func @parallel_digits
// CHECK:       tir.for %{{.*}} = 0 to %{{.*}} kind(parallel) {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 3 {
module attributes {transform.with_named_sequence} {
  tir.prim_func @parallel_digits(%x: memref<?x5x12x3xf32>, %y: memref<?x5x12xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?x5x12x3xf32>
    tir.for %i = 0 to %n {
      tir.for %j = 0 to 5 {
        tir.for %k = 0 to 12 {
          tir.for %l = 0 to 3 {
            tir.block @sum(%v0 = spatial %i in %n, %v1 = spatial %j in 5, %v2 = spatial %k in 12, %v3 = reduce %l in 3)
                reads(%x[%v0, %v1, %v2, %v3] : memref<?x5x12x3xf32>, %y[%v0, %v1, %v2] : memref<?x5x12xf32>)
                writes(%y[%v0, %v1, %v2] : memref<?x5x12xf32>) {
              tir.init {
                affine.store %c, %y[%v0, %v1, %v2] : memref<?x5x12xf32>
              }
              %0 = affine.load %x[%v0, %v1, %v2, %v3] : memref<?x5x12x3xf32>
              %1 = affine.load %y[%v0, %v1, %v2] : memref<?x5x12xf32>
              %2 = arith.addf %0, %1 : f32
              affine.store %2, %y[%v0, %v1, %v2] : memref<?x5x12xf32>
            }
          }
        }
      }
    }
  }
  transform.named_sequence @parallel_digits.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %j, %k, %l = transform.tir.get_loops %sum
    %ijk = transform.tir.fuse %i, %j, %k
    transform.tir.parallel %ijk
    transform.yield
  }
}
