// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s

// A factor that divides needs no guard, one that does not guards the block.
// CHECK-DAG: #[[$DIVIDES:.*]] = affine_map<(d0, d1) -> (d0 * 4 + d1)>
// CHECK-DAG: #[[$REST:.*]] = affine_map<(d0, d1) -> (d0 * 5 + d1)>
// CHECK-DAG: #[[$IN:.*]] = affine_set<(d0, d1) : (d0 * -5 - d1 + 11 >= 0)>
// CHECK-LABEL: tir.prim_func @static
// CHECK:       tir.for %[[O:.*]] = 0 to 4 {
// CHECK:         tir.for %[[I:.*]] = 0 to 4 {
// CHECK:           tir.for %[[P:.*]] = 0 to 3 {
// CHECK:             tir.for %[[Q:.*]] = 0 to 5 {
// CHECK:               %[[A:.*]] = affine.apply #[[$DIVIDES]](%[[O]], %[[I]])
// CHECK:               %[[B:.*]] = affine.apply #[[$REST]](%[[P]], %[[Q]])
// CHECK:               tir.block @b(%{{.*}} = spatial %[[A]] in 16, %{{.*}} = spatial %[[B]] in 12)
// CHECK-NEXT:              where #[[$IN]](%[[P]], %[[Q]])
module attributes {transform.with_named_sequence} {
  tir.prim_func @static(%x: memref<16x12xf32>) {
    %c = arith.constant 1.0 : f32
    tir.for %i = 0 to 16 {
      tir.for %j = 0 to 12 {
        tir.block @b(%v0 = spatial %i in 16, %v1 = spatial %j in 12) writes(%x[%v0, %v1] : memref<16x12xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<16x12xf32>
        }
      }
    }
  }
  // CHECK-NOT: named_sequence
  transform.named_sequence @static.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    %io, %ii = transform.tir.split %i [?, 4]
    %jo, %ji = transform.tir.split %j [3, 5]
    transform.yield
  }
}

// -----

// A dynamic extent, three factors, the guard compares with the size.
// CHECK-DAG: #[[$CEIL:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>
// CHECK-DAG: #[[$SUM:.*]] = affine_map<(d0, d1, d2) -> (d0 * 32 + d1 * 8 + d2)>
// CHECK-DAG: #[[$IN:.*]] = affine_set<(d0, d1, d2)[s0] : (d0 * -32 - d1 * 8 - d2 + s0 - 1 >= 0)>
// CHECK-LABEL: tir.prim_func @dynamic
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       %[[E:.*]] = affine.apply #[[$CEIL]]()[%[[N]]]
// CHECK:       tir.for %{{.*}} = 0 to %[[E]] {
// CHECK:         tir.for %{{.*}} = 0 to 4 {
// CHECK:           tir.for %{{.*}} = 0 to 8 {
// CHECK:             where #[[$IN]]({{.*}})[%[[N]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @dynamic(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c = arith.constant 1.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32>
    tir.for %i = 0 to %n {
      tir.block @b(%v0 = spatial %i in %n) writes(%x[%v0] : memref<?xf32>) {
        affine.store %c, %x[%v0] : memref<?xf32>
      }
    }
  }
  transform.named_sequence @dynamic.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    %0, %1, %2 = transform.tir.split %i [?, 4, 8]
    transform.yield
  }
}

// -----

// The number of inner steps is computed outside of the nest, whose loops can
// still change places.
// CHECK-DAG: #[[$CEIL:.*]] = affine_map<()[s0] -> (s0 ceildiv 4)>
// CHECK-LABEL: tir.prim_func @inner
// CHECK:       %[[M:.*]] = memref.dim {{.*}}, %c1
// CHECK:       %[[E:.*]] = affine.apply #[[$CEIL]]()[%[[M]]]
// CHECK:       tir.for %{{.*}} = 0 to %[[E]] {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to %{{.*}} {
// CHECK-NEXT:      tir.for %{{.*}} = 0 to 4 {
module attributes {transform.with_named_sequence} {
  tir.prim_func @inner(%x: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c = arith.constant 1.0 : f32
    %n = memref.dim %x, %c0 : memref<?x?xf32>
    %m = memref.dim %x, %c1 : memref<?x?xf32>
    tir.for %i = 0 to %n {
      tir.for %j = 0 to %m {
        tir.block @b(%v0 = spatial %i in %n, %v1 = spatial %j in %m) writes(%x[%v0, %v1] : memref<?x?xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<?x?xf32>
        }
      }
    }
  }
  transform.named_sequence @inner.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    %0, %1 = transform.tir.split %j [?, 4]
    transform.tir.reorder %0, %i
    transform.yield
  }
}

// -----

// Partition: no guard anywhere, the rest runs in a loop of its own.
// CHECK-LABEL: tir.prim_func @partition
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       %[[FULL:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK:       %[[BEGIN:.*]] = affine.apply #{{.*}}()[%[[N]]]
// CHECK:       tir.for %{{.*}} = 0 to %[[FULL]] {
// CHECK:         tir.for %{{.*}} = 0 to 8 kind(vectorized) {
// CHECK:           tir.block @b(
// CHECK-NEXT:          writes
// CHECK:       tir.for %{{.*}} = %[[BEGIN]] to %[[N]] {
// CHECK:         tir.block @b_tail(
// CHECK-NEXT:        writes
module attributes {transform.with_named_sequence} {
  tir.prim_func @partition(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c = arith.constant 1.0 : f32
    %n = memref.dim %x, %c0 : memref<?xf32>
    tir.for %i = 0 to %n {
      tir.block @b(%v0 = spatial %i in %n) writes(%x[%v0] : memref<?xf32>) {
        affine.store %c, %x[%v0] : memref<?xf32>
      }
    }
  }
  transform.named_sequence @partition.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    %0, %1, %rest = transform.tir.split %i [?, 8] tail = "partition"
    transform.tir.vectorize %1
    transform.yield
  }
}
