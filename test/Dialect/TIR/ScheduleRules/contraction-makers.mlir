// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s

// A weight that follows from constants is made where it is read: the columns of
// a tile, for as many blocks of the reduction as the first cache has room for.
// The constants lie as it is made.
// CHECK: #[[PANELS:.*]] = affine_map<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
// CHECK-LABEL: @blocks.schedule
// CHECK: %[[MATMUL:.*]] = transform.tir.get_block @matmul in
// CHECK: transform.tir.split %{{.*}} [?, 64]
// CHECK: transform.tir.split %{{.*}} [?, 192]
// CHECK: %[[MAKER:.*]] = transform.tir.get_block @scale in
// CHECK: transform.tir.transform_layout %[[MAKER]], read 0, #[[PANELS]]
// CHECK: transform.tir.transform_layout %[[MAKER]], read 1, #[[PANELS]]
// CHECK: %[[LOOPS:.*]]:5 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: transform.tir.compute_at %[[MAKER]], %[[LOOPS]]#1
// CHECK: transform.tir.transform_layout %[[MAKER]], write 0
// CHECK: %[[TILE:.*]]:5 = transform.tir.get_loops %[[MATMUL]]
// CHECK-NEXT: transform.tir.tensorize %[[TILE]]#2, "register_tile"

// There is no room for one step of so many, all of which have one scale, for a
// whole vector: the weight is made by a block of its own.
// CHECK-LABEL: @long_blocks.schedule
// CHECK-NOT: transform.tir.compute_at
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @blocks(%q: memref<576x1024xi8>, %s: memref<9x1024xf32>, %x: memref<4x576xf32>, %out: memref<4x1024xf32>) attributes {tir.layout_free = [0, 1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %w = tir.alloc_buffer() : memref<9x64x1024xf32>
    tir.for %i0 = 0 to 9 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 1024 {
          tir.block @scale(%v0 = spatial %i0 in 9, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 1024)
              reads(%q[%v0 * 64 + %v1, %v2] : memref<576x1024xi8>, %s[%v0, %v2] : memref<9x1024xf32>)
              writes(%w[%v0, %v1, %v2] : memref<9x64x1024xf32>) {
            %0 = affine.load %q[%v0 * 64 + %v1, %v2] : memref<576x1024xi8>
            %1 = affine.load %s[%v0, %v2] : memref<9x1024xf32>
            %2 = arith.sitofp %0 : i8 to f32
            %3 = arith.mulf %2, %1 : f32
            affine.store %3, %w[%v0, %v1, %v2] : memref<9x64x1024xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 576 {
          tir.block @matmul(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 576)
              reads(%x[%v0, %v2] : memref<4x576xf32>, %w[%v2 floordiv 64, %v2 mod 64, %v1] : memref<9x64x1024xf32>, %out[%v0, %v1] : memref<4x1024xf32>)
              writes(%out[%v0, %v1] : memref<4x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<4x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<4x576xf32>
            %1 = affine.load %w[%v2 floordiv 64, %v2 mod 64, %v1] : memref<9x64x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<4x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<4x1024xf32>
          }
        }
      }
    }
  }

  tir.prim_func @long_blocks(%q: memref<4x1024x1024xi8>, %x: memref<4x4096xf32>, %out: memref<4x1024xf32>) attributes {tir.layout_free = [0], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %w = tir.alloc_buffer() : memref<4x1024x1024xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 1024 {
          tir.block @scale(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 1024, %v2 = spatial %i2 in 1024)
              reads(%q[%v0, %v1, %v2] : memref<4x1024x1024xi8>)
              writes(%w[%v0, %v1, %v2] : memref<4x1024x1024xf32>) {
            %0 = affine.load %q[%v0, %v1, %v2] : memref<4x1024x1024xi8>
            %1 = arith.sitofp %0 : i8 to f32
            affine.store %1, %w[%v0, %v1, %v2] : memref<4x1024x1024xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 4096 {
          tir.block @matmul(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 4096)
              reads(%x[%v0, %v2] : memref<4x4096xf32>, %w[%v2 floordiv 1024, %v2 mod 1024, %v1] : memref<4x1024x1024xf32>, %out[%v0, %v1] : memref<4x1024xf32>)
              writes(%out[%v0, %v1] : memref<4x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<4x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<4x4096xf32>
            %1 = affine.load %w[%v2 floordiv 1024, %v2 mod 1024, %v1] : memref<4x1024x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<4x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<4x1024xf32>
          }
        }
      }
    }
  }
}
