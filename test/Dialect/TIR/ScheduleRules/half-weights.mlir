// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// One row takes as long as reading the weights, which at this precision are
// stored as bf16, the upper halves of f32.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1) -> (d1 floordiv 56, d0, d1 mod 56)>
// CHECK-LABEL: transform.named_sequence @half.schedule
// CHECK-NEXT: %[[MATMUL:.*]] = transform.tir.get_block @matmul in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[MATMUL]], read 1, #[[LAYOUT]]
// CHECK-NEXT: %[[LOOPS:.*]]:3 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#1 [?, 56]
// CHECK-NEXT: %[[LOOPS_1:.*]]:4 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_1]]#3 [4, ?]
// CHECK-NEXT: %[[LOOPS_2:.*]]:5 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_2]]#0, %[[LOOPS_2]]#1, %[[LOOPS_2]]#4, %[[LOOPS_2]]#3, %[[LOOPS_2]]#2
// CHECK-NEXT: %[[LOOPS_3:.*]]:5 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS_3]]#0, %[[LOOPS_3]]#1
// CHECK-NEXT: %[[LOOPS_4:.*]]:4 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_4]]#0
// CHECK-NEXT: transform.tir.narrow_weights %[[MATMUL]], 1
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_4]]#1, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @half
// APPLIED-SAME: %{{.*}}: memref<74x2048x56xi16> {tir.layout = affine_map<(d0, d1, d2) -> (d1 floordiv 56, d0, d1 mod 56)>, tir.original_type = memref<2048x4096xf32>, tir.pieces = 1 : i64}
// APPLIED: kind(parallel)
// APPLIED: vector.load %{{.*}} : memref<{{.*}}xi16>, vector<8xi16>
// APPLIED: arith.shli %{{.*}} : vector<8xi32>
// APPLIED: vector.fma
module attributes {target.precision = #target.precision<medium>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @half(%x: memref<1x2048xf32>, %w: memref<2048x4096xf32>, %out: memref<1x4096xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 2048 {
          tir.block @matmul(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 4096, %v2 = reduce %i2 in 2048)
              reads(%x[0, %v2] : memref<1x2048xf32>, %w[%v2, %v1] : memref<2048x4096xf32>, %out[0, %v1] : memref<1x4096xf32>)
              writes(%out[0, %v1] : memref<1x4096xf32>) {
            tir.init {
              affine.store %cst, %out[0, %v1] : memref<1x4096xf32>
            }
            %0 = affine.load %x[0, %v2] : memref<1x2048xf32>
            %1 = affine.load %w[%v2, %v1] : memref<2048x4096xf32>
            %2 = affine.load %out[0, %v1] : memref<1x4096xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[0, %v1] : memref<1x4096xf32>
          }
        }
      }
    }
  }
}
