// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s

// Channels first: terms of a sum lie in pages of their own, 6.4 MB in all,
// which the second cache has no room for. All columns pass by a block of rows
// that stays there, 69 tiles of 14: not all rows by each tile of columns, nor
// all columns by each tile of rows.
// CHECK-LABEL: @channels_first.schedule
// CHECK: transform.tir.split {{.*}} [?, 32]
// CHECK: transform.tir.split {{.*}} [?, 14]
// CHECK: transform.tir.split {{.*}} [?, 69]
// CHECK: %[[LOOPS:.*]]:6 = transform.tir.get_loops
// CHECK-NEXT: transform.tir.reorder %[[LOOPS]]#2, %[[LOOPS]]#0, %[[LOOPS]]#3, %[[LOOPS]]#5, %[[LOOPS]]#4, %[[LOOPS]]#1
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
}
