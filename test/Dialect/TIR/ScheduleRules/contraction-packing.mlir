// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Weights that are no constants are packed by the kernel; so are rows that are a
// multiple of a page apart.
// CHECK-LABEL: transform.named_sequence @matmul.schedule
// CHECK: %[[COLUMNS:.*]] = transform.tir.cache_read %[[MATMUL:.*]], {{[01]}}, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0
// CHECK: transform.tir.cache_read %{{.*}}, {{[01]}}, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0
// CHECK-COUNT-3: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@matmul
// APPLIED: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @matmul(%x: memref<1024x1024xf32>, %w: memref<1024x1024xf32>, %out: memref<1024x1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1024 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 1024 {
          tir.block @dense(%v0 = spatial %i0 in 1024, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 1024)
              reads(%x[%v0, %v2] : memref<1024x1024xf32>, %w[%v1, %v2] : memref<1024x1024xf32>, %out[%v0, %v1] : memref<1024x1024xf32>)
              writes(%out[%v0, %v1] : memref<1024x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<1024x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<1024x1024xf32>
            %1 = affine.load %w[%v1, %v2] : memref<1024x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<1024x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<1024x1024xf32>
          }
        }
      }
    }
  }
}

// -----

// Columns that are contiguous, but a page from one step of the reduction to the
// next, are copied too, where enough rows use them.
// CHECK-LABEL: transform.named_sequence @far.schedule
// CHECK: transform.tir.cache_read %{{.*}}, 1, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0, #{{.*}}
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
// CHECK-LABEL: transform.named_sequence @few.schedule
// CHECK-NOT: transform.tir.cache_read
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@far
// APPLIED: vector.fma
// APPLIED-LABEL: tir.prim_func {{.*}}@few
// APPLIED: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @far(%x: memref<500x512xf32>, %w: memref<512x1024xf32>, %out: memref<500x1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 500 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 512 {
          tir.block @matmul(%v0 = spatial %i0 in 500, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 512)
              reads(%x[%v0, %v2] : memref<500x512xf32>, %w[%v2, %v1] : memref<512x1024xf32>, %out[%v0, %v1] : memref<500x1024xf32>)
              writes(%out[%v0, %v1] : memref<500x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<500x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<500x512xf32>
            %1 = affine.load %w[%v2, %v1] : memref<512x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<500x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<500x1024xf32>
          }
        }
      }
    }
  }
  tir.prim_func @few(%x: memref<20x500xf32>, %w: memref<500x1024xf32>, %out: memref<20x1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 20 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 500 {
          tir.block @matmul(%v0 = spatial %i0 in 20, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 500)
              reads(%x[%v0, %v2] : memref<20x500xf32>, %w[%v2, %v1] : memref<500x1024xf32>, %out[%v0, %v1] : memref<20x1024xf32>)
              writes(%out[%v0, %v1] : memref<20x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<20x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<20x500xf32>
            %1 = affine.load %w[%v2, %v1] : memref<500x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<20x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<20x1024xf32>
          }
        }
      }
    }
  }
}

// -----

// The columns of one tile that a thread has room for are copied where the rows
// begin to pass by: there the copy is near.
// CHECK-LABEL: transform.named_sequence @near.schedule
// CHECK: %[[MATMUL:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[MATMUL]], 1, "global"
// CHECK: %[[COPY:.*]] = transform.tir.get_block @matmul_read_global
// CHECK: transform.tir.compute_at %[[COPY]], %{{.*}}#0
// CHECK: transform.tir.transform_layout %[[COPY]], write 0, #{{.*}}
// CHECK: transform.tir.parallel %{{.*}}#0
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@near
// APPLIED: tir.for {{.*}} = 0 to 16 kind(parallel)
// APPLIED: tir.alloc_buffer() : memref<1x256x32xf32, #target.memory<"local">>
// APPLIED: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @near(%x: memref<256x256xf32>, %w: memref<256x512xf32>, %out: memref<256x512xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 256 {
      tir.for %i1 = 0 to 512 {
        tir.for %i2 = 0 to 256 {
          tir.block @matmul(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 512, %v2 = reduce %i2 in 256)
              reads(%x[%v0, %v2] : memref<256x256xf32>, %w[%v2, %v1] : memref<256x512xf32>, %out[%v0, %v1] : memref<256x512xf32>)
              writes(%out[%v0, %v1] : memref<256x512xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<256x512xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<256x256xf32>
            %1 = affine.load %w[%v2, %v1] : memref<256x512xf32>
            %2 = affine.load %out[%v0, %v1] : memref<256x512xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<256x512xf32>
          }
        }
      }
    }
  }
}
