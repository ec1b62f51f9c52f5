// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Rows on different threads, elements of a row in vectors.
// CHECK-LABEL: transform.named_sequence @scaled.schedule
// CHECK-NEXT: %[[MULTIPLY:.*]] = transform.tir.get_block @multiply in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[MULTIPLY]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS]]#1
// CHECK-NEXT: transform.tir.parallel %[[LOOPS]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @scaled
// APPLIED: tir.for %[[I:.*]] = 0 to 512 kind(parallel) {
// APPLIED-NEXT: tir.for %[[J:.*]] = 0 to 1024 kind(vectorized) {
// APPLIED-NEXT: tir.block @multiply(%{{.*}} = spatial %[[I]] in 512, %{{.*}} = spatial %[[J]] in 1024)
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @scaled(%x: memref<512x1024xf32>, %b: memref<1024xf32>, %out: memref<512x1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    tir.for %i0 = 0 to 512 {
      tir.for %i1 = 0 to 1024 {
        tir.block @multiply(%v0 = spatial %i0 in 512, %v1 = spatial %i1 in 1024)
            reads(%x[%v0, %v1] : memref<512x1024xf32>, %b[%v1] : memref<1024xf32>)
            writes(%out[%v0, %v1] : memref<512x1024xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<512x1024xf32>
          %1 = affine.load %b[%v1] : memref<1024xf32>
          %2 = arith.mulf %0, %1 : f32
          affine.store %2, %out[%v0, %v1] : memref<512x1024xf32>
        }
      }
    }
  }
}
