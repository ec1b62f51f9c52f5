// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Rows longer than a tile are read as they lie in memory: of a chunk of the
// results, several rows at a time.
// CHECK-LABEL: transform.named_sequence @columns.schedule
// CHECK-NEXT: %[[SUM:.*]] = transform.tir.get_block @sum in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#1 [?, 16]
// CHECK-NEXT: %[[LOOPS_1:.*]]:3 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:3 = transform.tir.split %[[LOOPS_1]]#0 [?, 16, 32]
// CHECK-NEXT: %[[LOOPS_2:.*]]:5 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_2]]#0, %[[LOOPS_2]]#3, %[[LOOPS_2]]#1, %[[LOOPS_2]]#4, %[[LOOPS_2]]#2
// CHECK-NEXT: %[[LOOPS_3:.*]]:5 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_3]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_3]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@columns
// APPLIED: tir.for %{{.*}} = 0 to 2 kind(parallel) {
// APPLIED:   tir.for %{{.*}} = 0 to 256 {
// APPLIED:     tir.for %{{.*}} = 0 to 16 {
// APPLIED:       tir.block @sum(
// APPLIED:         scf.for %{{.*}} = %{{.*}} to %c16
// APPLIED:         vector.store
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @columns(%x: memref<4096x1024xf32>, %out: memref<1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1024 {
      tir.for %i1 = 0 to 4096 {
        tir.block @sum(%v0 = spatial %i0 in 1024, %v1 = reduce %i1 in 4096)
            reads(%x[%v1, %v0] : memref<4096x1024xf32>, %out[%v0] : memref<1024xf32>)
            writes(%out[%v0] : memref<1024xf32>) {
          tir.init {
            affine.store %cst, %out[%v0] : memref<1024xf32>
          }
          %0 = affine.load %x[%v1, %v0] : memref<4096x1024xf32>
          %1 = affine.load %out[%v0] : memref<1024xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %out[%v0] : memref<1024xf32>
        }
      }
    }
  }
}
