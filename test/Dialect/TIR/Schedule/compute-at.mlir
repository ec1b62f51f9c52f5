// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s

// The producer computes the rows that one tile of the consumer needs: 4 rows
// and the two around them.
// CHECK-DAG: #[[$ROW:.*]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-LABEL: tir.prim_func @halo
// CHECK:       tir.for %[[O:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %[[R:.*]] = 0 to 6 {
// CHECK-NEXT:      %[[I:.*]] = affine.apply #[[$ROW]](%[[O]], %[[R]])
// CHECK-NEXT:      tir.block @copy(%{{.*}} = spatial %[[I]] in 18)
// CHECK-NEXT:          reads
// CHECK:         tir.for %{{.*}} = 0 to 4 {
// CHECK:           tir.for %{{.*}} = 0 to 3 {
// CHECK:             tir.block @sum(
module attributes {transform.with_named_sequence} {
  tir.prim_func @halo(%x: memref<18xf32>, %y: memref<16xf32>) attributes {tir.num_outputs = 1 : i64} {
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<18xf32>
    tir.for %i = 0 to 18 {
      tir.block @copy(%v0 = spatial %i in 18) reads(%x[%v0] : memref<18xf32>) writes(%p[%v0] : memref<18xf32>) {
        %0 = affine.load %x[%v0] : memref<18xf32>
        affine.store %0, %p[%v0] : memref<18xf32>
      }
    }
    tir.for %i = 0 to 16 {
      tir.for %k = 0 to 3 {
        tir.block @sum(%v0 = spatial %i in 16, %v1 = reduce %k in 3)
            reads(%y[%v0] : memref<16xf32>, %p[%v0 + %v1] : memref<18xf32>) writes(%y[%v0] : memref<16xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<16xf32>
          }
          %0 = affine.load %y[%v0] : memref<16xf32>
          %1 = affine.load %p[%v0 + %v1] : memref<18xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<16xf32>
        }
      }
    }
  }
  transform.named_sequence @halo.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    %io, %ii = transform.tir.split %i [?, 4]
    %copy = transform.tir.get_block @copy in %f
    transform.tir.compute_at %copy, %io
    transform.yield
  }
}

// -----

// The consumer of a tile runs right after it. The tile may reach over the end
// of a dynamic size, so the consumer is guarded like the producer.
// CHECK-DAG: #[[$IN:.*]] = affine_set<(d0, d1)[s0] : (d0 * -8 - d1 + s0 - 1 >= 0)>
// CHECK-LABEL: tir.prim_func @consume
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       tir.for %[[O:.*]] = 0 to %{{.*}} kind(parallel) {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 32 {
// CHECK-NEXT:      tir.for %[[I:.*]] = 0 to 8 {
// CHECK:             tir.block @sum(
// CHECK-NEXT:            where #[[$IN]](%[[O]], %[[I]])[%[[N]]]
// CHECK:         tir.for %[[J:.*]] = 0 to 8 {
// CHECK:           tir.block @relu(
// CHECK-NEXT:          where #[[$IN]](%[[O]], %[[J]])[%[[N]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @consume(%x: memref<?x32xf32>, %y: memref<?xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = memref.dim %x, %c0 : memref<?x32xf32>
    %t = tir.alloc_buffer(%n) : memref<?xf32>
    tir.for %i = 0 to %n {
      tir.for %k = 0 to 32 {
        tir.block @sum(%v0 = spatial %i in %n, %v1 = reduce %k in 32)
            reads(%t[%v0] : memref<?xf32>, %x[%v0, %v1] : memref<?x32xf32>) writes(%t[%v0] : memref<?xf32>) {
          tir.init {
            affine.store %zero, %t[%v0] : memref<?xf32>
          }
          %0 = affine.load %t[%v0] : memref<?xf32>
          %1 = affine.load %x[%v0, %v1] : memref<?x32xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %t[%v0] : memref<?xf32>
        }
      }
    }
    tir.for %i = 0 to %n {
      tir.block @relu(%v0 = spatial %i in %n) reads(%t[%v0] : memref<?xf32>) writes(%y[%v0] : memref<?xf32>) {
        %0 = affine.load %t[%v0] : memref<?xf32>
        %1 = arith.maximumf %0, %zero : f32
        affine.store %1, %y[%v0] : memref<?xf32>
      }
    }
  }
  transform.named_sequence @consume.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    %io, %ii = transform.tir.split %i [?, 8]
    transform.tir.reorder %io, %k, %ii
    transform.tir.parallel %io
    %relu = transform.tir.get_block @relu in %f
    transform.tir.reverse_compute_at %relu, %io
    transform.yield
  }
}

// -----

// Rows of a reduction over rows are produced one by one in the loop over them;
// the loops that have one value are not made.
// CHECK-LABEL: tir.prim_func @row
// CHECK:       tir.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %[[J:.*]] = 0 to 8 {
// CHECK-NEXT:      tir.block @exp(%{{.*}} = spatial %[[I]] in 4, %{{.*}} = spatial %[[J]] in 8)
// CHECK:         tir.for %[[K:.*]] = 0 to 8 {
// CHECK-NEXT:      tir.block @sum(%{{.*}} = spatial %[[I]] in 4, %{{.*}} = reduce %[[K]] in 8)
module attributes {transform.with_named_sequence} {
  tir.prim_func @row(%x: memref<4x8xf32>, %y: memref<4xf32>) attributes {tir.num_outputs = 1 : i64} {
    %zero = arith.constant 0.0 : f32
    %t = tir.alloc_buffer() : memref<4x8xf32>
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 8 {
        tir.block @exp(%v0 = spatial %i in 4, %v1 = spatial %j in 8)
            reads(%x[%v0, %v1] : memref<4x8xf32>) writes(%t[%v0, %v1] : memref<4x8xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<4x8xf32>
          %1 = math.exp %0 : f32
          affine.store %1, %t[%v0, %v1] : memref<4x8xf32>
        }
      }
    }
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 8 {
        tir.block @sum(%v0 = spatial %i in 4, %v1 = reduce %j in 8)
            reads(%y[%v0] : memref<4xf32>, %t[%v0, %v1] : memref<4x8xf32>) writes(%y[%v0] : memref<4xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<4xf32>
          }
          %0 = affine.load %y[%v0] : memref<4xf32>
          %1 = affine.load %t[%v0, %v1] : memref<4x8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<4xf32>
        }
      }
    }
  }
  transform.named_sequence @row.schedule(%f: !transform.any_op {transform.readonly}) {
    %exp = transform.tir.get_block @exp in %f
    %i, %j = transform.tir.get_loops %exp
    %sum = transform.tir.get_block @sum in %f
    transform.tir.reverse_compute_at %sum, %i
    transform.yield
  }
}
