// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A transpose goes through squares of registers.
// CHECK-LABEL: transform.named_sequence @transpose.schedule
// CHECK-NEXT: %[[TRANSPOSE:.*]] = transform.tir.get_block @transpose in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[TRANSPOSE]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#0 [?, 8]
// CHECK-NEXT: %[[LOOPS_1:.*]]:3 = transform.tir.get_loops %[[TRANSPOSE]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_1]]#2 [?, 8]
// CHECK-NEXT: %[[LOOPS_2:.*]]:4 = transform.tir.get_loops %[[TRANSPOSE]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_2]]#0, %[[LOOPS_2]]#2, %[[LOOPS_2]]#3, %[[LOOPS_2]]#1
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[LOOPS_3:.*]]:4 = transform.tir.get_loops %[[TRANSPOSE]]
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_3]]#2, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@transpose
// APPLIED: vector.load
// APPLIED: vector.shuffle
// APPLIED: vector.store
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @transpose(%x: memref<64x64xf32>, %out: memref<64x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 64 {
        tir.block @transpose(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 64)
            reads(%x[%v1, %v0] : memref<64x64xf32>)
            writes(%out[%v0, %v1] : memref<64x64xf32>) {
          %0 = affine.load %x[%v1, %v0] : memref<64x64xf32>
          affine.store %0, %out[%v0, %v1] : memref<64x64xf32>
        }
      }
    }
  }
}
