// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Each tile of rows prefetches its share of the weights that follow, in every
// iteration of its reduction; nothing beyond the end. Smaller weights are in a
// cache.
// APPLIED-LABEL: tir.prim_func {{.*}}@streamed
// APPLIED: tir.block @matmul
// APPLIED-NOT: writes({{.*}}%arg1
// APPLIED: scf.for
// APPLIED: %[[LAST:.*]] = arith.constant 786416 : index
// APPLIED: arith.minsi %{{.*}}, %[[LAST]] : index
// APPLIED: memref.prefetch %{{.*}}, read, locality<2>, data : memref<786432xf32>
// APPLIED-NEXT: arith.
// APPLIED: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @streamed(%x: memref<128x1024xf32>, %w: memref<1024x768xf32>, %out: memref<128x768xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 768 {
        tir.for %i2 = 0 to 1024 {
          tir.block @matmul(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 768, %v2 = reduce %i2 in 1024)
              reads(%x[%v0, %v2] : memref<128x1024xf32>, %w[%v2, %v1] : memref<1024x768xf32>, %out[%v0, %v1] : memref<128x768xf32>)
              writes(%out[%v0, %v1] : memref<128x768xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<128x768xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<128x1024xf32>
            %1 = affine.load %w[%v2, %v1] : memref<1024x768xf32>
            %2 = affine.load %out[%v0, %v1] : memref<128x768xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<128x768xf32>
          }
        }
      }
    }
  }
}

// -----

// APPLIED-LABEL: tir.prim_func {{.*}}@cached
// APPLIED-NOT: memref.prefetch
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @cached(%x: memref<128x256xf32>, %w: memref<256x256xf32>, %out: memref<128x256xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 256 {
        tir.for %i2 = 0 to 256 {
          tir.block @matmul(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 256, %v2 = reduce %i2 in 256)
              reads(%x[%v0, %v2] : memref<128x256xf32>, %w[%v2, %v1] : memref<256x256xf32>, %out[%v0, %v1] : memref<128x256xf32>)
              writes(%out[%v0, %v1] : memref<128x256xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<128x256xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<128x256xf32>
            %1 = affine.load %w[%v2, %v1] : memref<256x256xf32>
            %2 = affine.load %out[%v0, %v1] : memref<128x256xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<128x256xf32>
          }
        }
      }
    }
  }
}

// -----

// A single row takes as long as reading the weights, which goes faster from
// several places at a time: the reduction in parts, side by side. Nothing is
// prefetched then.
// CHECK-LABEL: @one_row.schedule
// CHECK: transform.tir.split %{{.*}} [4, ?]
// APPLIED-LABEL: tir.prim_func {{.*}}@one_row
// APPLIED-NOT: memref.prefetch
// APPLIED: scf.for
// APPLIED-COUNT-4: memref.load %{{.*}} : memref<2048xf32>
// APPLIED: scf.yield
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @one_row(%x: memref<1x2048xf32>, %w: memref<1024x2048xf32>, %out: memref<1x1024xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 2048 {
          tir.block @dense(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 2048)
              reads(%x[0, %v2] : memref<1x2048xf32>, %w[%v1, %v2] : memref<1024x2048xf32>, %out[0, %v1] : memref<1x1024xf32>)
              writes(%out[0, %v1] : memref<1x1024xf32>) {
            tir.init {
              affine.store %cst, %out[0, %v1] : memref<1x1024xf32>
            }
            %0 = affine.load %x[0, %v2] : memref<1x2048xf32>
            %1 = affine.load %w[%v1, %v2] : memref<1024x2048xf32>
            %2 = affine.load %out[0, %v1] : memref<1x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[0, %v1] : memref<1x1024xf32>
          }
        }
      }
    }
  }
}
