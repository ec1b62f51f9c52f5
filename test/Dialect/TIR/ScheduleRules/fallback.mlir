// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// No rule knows what to do with the steps of a scan, each of which needs the one
// before. Its lines do not depend on each other.
// CHECK-LABEL: transform.named_sequence @scan.schedule
// CHECK-NEXT: %[[CUMSUM_INIT:.*]] = transform.tir.get_block @cumsum_init in %{{.*}}
// CHECK-NEXT: %[[CUMSUM_INIT_1:.*]] = transform.tir.get_block @cumsum_init in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]] = transform.tir.get_loops %[[CUMSUM_INIT_1]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS]]
// CHECK-NEXT: %[[CUMSUM:.*]] = transform.tir.get_block @cumsum in %{{.*}}
// CHECK-NEXT: %[[LOOPS_1:.*]]:2 = transform.tir.get_loops %[[CUMSUM]]
// CHECK-NEXT: %[[CUMSUM_1:.*]] = transform.tir.get_block @cumsum in %{{.*}}
// CHECK-NEXT: %[[LOOPS_2:.*]]:2 = transform.tir.get_loops %[[CUMSUM_1]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_2]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @scan
// APPLIED: tir.block @cumsum_init
// APPLIED: tir.for %[[LINE:.*]] = 0 to 64 kind(parallel) {
// APPLIED-NEXT: tir.for %[[STEP:.*]] = 0 to 128 {
// APPLIED-NEXT: tir.block @cumsum(%{{.*}} = spatial %[[LINE]] in 64, %{{.*}} = opaque %[[STEP]] in 128)
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @scan(%x: memref<64x128xf32>, %out: memref<64x128xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.block @cumsum_init(%v0 = spatial %i0 in 64)
          writes(%0[%v0] : memref<64xf32>) {
        affine.store %cst, %0[%v0] : memref<64xf32>
      }
    }
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 128 {
        tir.block @cumsum(%v0 = spatial %i0 in 64, %v1 = opaque %i1 in 128)
            reads(%x[%v0, %v1] : memref<64x128xf32>, %0[%v0] : memref<64xf32>)
            writes(%0[%v0] : memref<64xf32>, %out[%v0, %v1] : memref<64x128xf32>) {
          %1 = affine.load %x[%v0, %v1] : memref<64x128xf32>
          %2 = affine.load %0[%v0] : memref<64xf32>
          %3 = arith.addf %2, %1 : f32
          affine.store %3, %0[%v0] : memref<64xf32>
          affine.store %3, %out[%v0, %v1] : memref<64x128xf32>
        }
      }
    }
  }
}
