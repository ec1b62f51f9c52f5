// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s

// Channels first: terms of a sum lie in pages of their own, 6.4 MB in all,
// which the second cache has no room for. Pixels are copied side by side, a
// tile of columns at a time, by which all 512 rows of the weight pass.
// CHECK-LABEL: @channels_first.schedule
// CHECK: %[[CONV:.*]] = transform.tir.get_block @conv in
// CHECK: transform.tir.cache_read %[[CONV]], 0, "global"
// CHECK: %[[NEST:.*]]:3 = transform.tir.get_loops %[[CONV]]
// CHECK-NEXT: transform.tir.split %[[NEST]]#1 [?, 32]
// CHECK: %[[COPY:.*]] = transform.tir.get_block @conv_read_global in
// CHECK: %[[LOOPS:.*]]:5 = transform.tir.get_loops %[[CONV]]
// CHECK-NEXT: transform.tir.compute_at %[[COPY]], %[[LOOPS]]#0

// Few rows would not make up for the copy: the weight has vectors of them.
// CHECK-LABEL: @few_channels.schedule
// CHECK-NOT: transform.tir.cache_read
// CHECK: transform.tir.transform_layout %{{.*}}, read 1
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @channels_first(%x: memref<128x12544xf32>, %w: memref<512x128xf32>, %out: memref<512x12544xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 512 {
      tir.for %i1 = 0 to 12544 {
        tir.for %i2 = 0 to 128 {
          tir.block @conv(%v0 = spatial %i0 in 512, %v1 = spatial %i1 in 12544, %v2 = reduce %i2 in 128)
              reads(%x[%v2, %v1] : memref<128x12544xf32>, %w[%v0, %v2] : memref<512x128xf32>, %out[%v0, %v1] : memref<512x12544xf32>)
              writes(%out[%v0, %v1] : memref<512x12544xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<512x12544xf32>
            }
            %0 = affine.load %x[%v2, %v1] : memref<128x12544xf32>
            %1 = affine.load %w[%v0, %v2] : memref<512x128xf32>
            %2 = affine.load %out[%v0, %v1] : memref<512x12544xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<512x12544xf32>
          }
        }
      }
    }
  }

  tir.prim_func @few_channels(%x: memref<128x12544xf32>, %w: memref<32x128xf32>, %out: memref<32x12544xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 32 {
      tir.for %i1 = 0 to 12544 {
        tir.for %i2 = 0 to 128 {
          tir.block @conv(%v0 = spatial %i0 in 32, %v1 = spatial %i1 in 12544, %v2 = reduce %i2 in 128)
              reads(%x[%v2, %v1] : memref<128x12544xf32>, %w[%v0, %v2] : memref<32x128xf32>, %out[%v0, %v1] : memref<32x12544xf32>)
              writes(%out[%v0, %v1] : memref<32x12544xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<32x12544xf32>
            }
            %0 = affine.load %x[%v2, %v1] : memref<128x12544xf32>
            %1 = affine.load %w[%v0, %v2] : memref<32x128xf32>
            %2 = affine.load %out[%v0, %v1] : memref<32x12544xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<32x12544xf32>
          }
        }
      }
    }
  }
}
