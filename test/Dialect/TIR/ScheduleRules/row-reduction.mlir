// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Partial sums of vectors, which are added at the end.
// CHECK-LABEL: transform.named_sequence @rowsum.schedule
// CHECK-NEXT: %[[SUM:.*]] = transform.tir.get_block @sum in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:2 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS]]#0, %[[LOOPS]]#1
// CHECK-NEXT: %[[LOOPS_1:.*]]:2 = transform.tir.get_loops %[[SUM]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_1]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_1]]#1, "row_reduction" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @rowsum
// APPLIED: tir.for %{{.*}} = 0 to 512 kind(parallel) {
// APPLIED-NEXT: tir.block @sum(%{{.*}} = spatial %{{.*}} in 512)
// APPLIED: scf.for %{{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// APPLIED-COUNT-4: arith.addf %{{.*}} : vector<8xf32>
// APPLIED: vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @rowsum(%x: memref<512x1024xf32>, %out: memref<512xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 512 {
      tir.for %i1 = 0 to 1024 {
        tir.block @sum(%v0 = spatial %i0 in 512, %v1 = reduce %i1 in 1024)
            reads(%x[%v0, %v1] : memref<512x1024xf32>, %out[%v0] : memref<512xf32>)
            writes(%out[%v0] : memref<512xf32>) {
          tir.init {
            affine.store %cst, %out[%v0] : memref<512xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<512x1024xf32>
          %1 = affine.load %out[%v0] : memref<512xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %out[%v0] : memref<512xf32>
        }
      }
    }
  }
}

// -----

// The position of a maximum is a minimum of positions, by lanes.
// APPLIED-LABEL: tir.prim_func {{.*}}@argmax
// APPLIED: vector.reduction <maximumf>
// APPLIED: arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// APPLIED: arith.minsi %{{.*}} : vector<8xi32>
// APPLIED: vector.reduction <minsi>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @argmax(%x: memref<64x1024xf32>, %out: memref<64xi32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tir.alloc_buffer() : memref<64xf32>
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 1024 {
        tir.block @extreme(%v0 = spatial %i0 in 64, %v1 = reduce %i1 in 1024)
            reads(%x[%v0, %v1] : memref<64x1024xf32>, %0[%v0] : memref<64xf32>)
            writes(%0[%v0] : memref<64xf32>) {
          tir.init {
            affine.store %cst, %0[%v0] : memref<64xf32>
          }
          %1 = affine.load %x[%v0, %v1] : memref<64x1024xf32>
          %2 = affine.load %0[%v0] : memref<64xf32>
          %3 = arith.maximumf %2, %1 : f32
          affine.store %3, %0[%v0] : memref<64xf32>
        }
      }
    }
    %c2147483647_i32 = arith.constant 2147483647 : i32
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 1024 {
        tir.block @argmax(%v0 = spatial %i0 in 64, %v1 = reduce %i1 in 1024)
            reads(%x[%v0, %v1] : memref<64x1024xf32>, %0[%v0] : memref<64xf32>, %out[%v0] : memref<64xi32>)
            writes(%out[%v0] : memref<64xi32>) {
          tir.init {
            affine.store %c2147483647_i32, %out[%v0] : memref<64xi32>
          }
          %1 = affine.load %x[%v0, %v1] : memref<64x1024xf32>
          %2 = affine.load %0[%v0] : memref<64xf32>
          %3 = affine.load %out[%v0] : memref<64xi32>
          %4 = arith.cmpf oeq, %1, %2 : f32
          %5 = arith.cmpf uno, %1, %1 : f32
          %6 = arith.ori %4, %5 : i1
          %7 = arith.index_cast %v1 : index to i32
          %8 = arith.select %6, %7, %c2147483647_i32 : i32
          %9 = arith.minsi %3, %8 : i32
          affine.store %9, %out[%v0] : memref<64xi32>
        }
      }
    }
  }
}

// -----

// A matrix times a vector reads the matrix once, as it lies: a copy for lanes of
// results would take longer.
// CHECK-LABEL: transform.named_sequence @matvec.schedule
// CHECK-NOT: cache_read
// CHECK: transform.tir.tensorize %{{.*}}, "row_reduction" {vector_bits = 256 : i64}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @matvec(%x: memref<512x1024xf32>, %y: memref<1024xf32>, %out: memref<512xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 512 {
      tir.for %i1 = 0 to 1024 {
        tir.block @matmul(%v0 = spatial %i0 in 512, %v1 = reduce %i1 in 1024)
            reads(%x[%v0, %v1] : memref<512x1024xf32>, %y[%v1] : memref<1024xf32>, %out[%v0] : memref<512xf32>)
            writes(%out[%v0] : memref<512xf32>) {
          tir.init {
            affine.store %cst, %out[%v0] : memref<512xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<512x1024xf32>
          %1 = affine.load %y[%v1] : memref<1024xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %out[%v0] : memref<512xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %out[%v0] : memref<512xf32>
        }
      }
    }
  }
}
