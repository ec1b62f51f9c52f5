// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Products of f32 on matrix units, as sums of products of two pieces of bf16.
// CHECK-LABEL: transform.named_sequence @tiles.schedule
// CHECK-NEXT: %[[MATMUL:.*]] = transform.tir.get_block @matmul in %{{.*}}
// CHECK-NEXT: transform.tir.matrix_tiles %[[MATMUL]], "amx", tile = [32, 32], panel_rows = 256 {parallel, pieces = 2 : i64}
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @tiles
// APPLIED-SAME: tir.original_type = memref<512x512xf32>, tir.pieces = 2 : i64
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.block @matmul_split
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.block @matmul(
// APPLIED-COUNT-4: amx.tile_zero : !amx.tile<16x16xf32>
// APPLIED: amx.tile_load %{{.*}} into !amx.tile<16x32xbf16>
// APPLIED-COUNT-12: amx.tile_mulf
// APPLIED-NOT: amx.tile_mulf
// APPLIED-COUNT-4: amx.tile_store
// APPLIED: tir.block @matmul_rows
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  tir.prim_func @tiles(%x: memref<256x512xf32>, %w: memref<512x512xf32>, %out: memref<256x512xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 256 {
      tir.for %i1 = 0 to 512 {
        tir.for %i2 = 0 to 512 {
          tir.block @matmul(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 512, %v2 = reduce %i2 in 512)
              reads(%x[%v0, %v2] : memref<256x512xf32>, %w[%v2, %v1] : memref<512x512xf32>, %out[%v0, %v1] : memref<256x512xf32>)
              writes(%out[%v0, %v1] : memref<256x512xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<256x512xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<256x512xf32>
            %1 = affine.load %w[%v2, %v1] : memref<512x512xf32>
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
