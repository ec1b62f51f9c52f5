// RUN: relay-opt %s --relay-attach-target=target=znver4 --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=znver4 --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED
// Beside matrix units, which have one batch after the other, vectors do it; not
// where units are forced, or vectors multiply no four bytes.
// RUN: relay-opt %s --relay-attach-target=target=sapphirerapids --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --relay-attach-target=target=sapphirerapids,-avx512vnni --tir-schedule-rules | FileCheck %s --check-prefix=APART
// RUN: relay-opt %s --relay-attach-target=target=x86-64-v3 --tir-schedule-rules | FileCheck %s --check-prefix=PAIRS

// Batches that are added up: a tile of columns has all of them pass by, in a
// layout of weights in that order. The data of all batches is there before, and
// so is what else the sum reads.
// CHECK-LABEL: transform.named_sequence @blocks.schedule
// CHECK-NEXT: %{{.*}} = transform.tir.get_block @batch_matmul
// CHECK-NEXT: transform.tir.matrix_tiles %{{.*}}, "vpdpbusd", tile = [3, 64], panel_rows = 3 {add_batches, {{.*}}vector_bits = 512 : i64}
// APPLIED-LABEL: tir.prim_func @blocks
// APPLIED-SAME: %[[W:[^:]*]]: memref<4x8x1x1x4x8x64xi8>
// APPLIED-SAME: %[[OUT:[^:]*]]: memref<3x256xf32>
// APPLIED: tir.block @units
// APPLIED: tir.for %[[B:.*]] = 0 to 8
// APPLIED: tir.block @batch_matmul_split(
// APPLIED: tir.for %[[COLUMN:.*]] = 0 to 4
// APPLIED: tir.block @batch_matmul_rows_start(
// APPLIED-SAME: spatial %{{.*}} in 8
// APPLIED: affine.store %{{.*}}, %[[OUT]]
// APPLIED: tir.for %[[BATCH:.*]] = 0 to 8
// APPLIED: tir.block @batch_matmul(%[[TILE:.*]] = spatial %[[COLUMN]] in 4, %{{.*}} = spatial %{{.*}} in 3, %[[OF:.*]] = spatial %[[BATCH]] in 8)
// APPLIED: vector.load %[[W]][%[[TILE]], %[[OF]],
// APPLIED: tir.block @batch_matmul_rows_1(%{{.*}} = reduce %[[BATCH]] in 8, %[[ROW:[^ ]*]] = spatial
// APPLIED: affine.load %[[OUT]][%[[ROW]],
// APPLIED: arith.addf
// APPLIED: affine.store %{{.*}}, %[[OUT]][%[[ROW]],
// APPLIED-NOT: tir.block @sum

// APART-NOT: add_batches

// PAIRS: transform.tir.matrix_tiles %{{.*}}, "pmaddwd", tile = [3, {{[0-9]+}}], panel_rows = 3 {add_batches, vector_bits = 256 : i64}
module {
  tir.prim_func @blocks(%x: memref<8x3x32xi8>, %w: memref<8x256x32xi8>, %u: memref<8x3xf32>, %out: memref<3x256xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<8x3x256xi32>
    %t = tir.alloc_buffer() : memref<8x3xf32>
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 { tir.for %n = 0 to 256 { tir.for %k = 0 to 32 {
      tir.block @batch_matmul(%vb = spatial %b in 8, %vr = spatial %r in 3, %vn = spatial %n in 256, %vk = reduce %k in 32)
          reads(%x[%vb, %vr, %vk] : memref<8x3x32xi8>, %w[%vb, %vn, %vk] : memref<8x256x32xi8>, %p[%vb, %vr, %vn] : memref<8x3x256xi32>)
          writes(%p[%vb, %vr, %vn] : memref<8x3x256xi32>) {
        tir.init { affine.store %c0, %p[%vb, %vr, %vn] : memref<8x3x256xi32> }
        %0 = affine.load %x[%vb, %vr, %vk] : memref<8x3x32xi8>
        %1 = affine.load %w[%vb, %vn, %vk] : memref<8x256x32xi8>
        %2 = affine.load %p[%vb, %vr, %vn] : memref<8x3x256xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extui %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        affine.store %6, %p[%vb, %vr, %vn] : memref<8x3x256xi32>
      }
    } } } }
    // Too much to compute for each column.
    tir.for %b = 0 to 8 { tir.for %r = 0 to 3 {
      tir.block @units(%vb = spatial %b in 8, %vr = spatial %r in 3) reads(%u[%vb, %vr] : memref<8x3xf32>) writes(%t[%vb, %vr] : memref<8x3xf32>) {
        %0 = affine.load %u[%vb, %vr] : memref<8x3xf32>
        %1 = math.exp %0 : f32
        affine.store %1, %t[%vb, %vr] : memref<8x3xf32>
      }
    } }
    tir.for %r = 0 to 3 { tir.for %n = 0 to 256 { tir.for %b = 0 to 8 {
      tir.block @sum(%vr = spatial %r in 3, %vn = spatial %n in 256, %vb = reduce %b in 8)
          reads(%p[%vb, %vr, %vn] : memref<8x3x256xi32>, %t[%vb, %vr] : memref<8x3xf32>, %out[%vr, %vn] : memref<3x256xf32>)
          writes(%out[%vr, %vn] : memref<3x256xf32>) {
        tir.init { affine.store %zero, %out[%vr, %vn] : memref<3x256xf32> }
        %0 = affine.load %p[%vb, %vr, %vn] : memref<8x3x256xi32>
        %1 = affine.load %t[%vb, %vr] : memref<8x3xf32>
        %2 = affine.load %out[%vr, %vn] : memref<3x256xf32>
        %3 = arith.sitofp %0 : i32 to f32
        %4 = arith.mulf %3, %1 : f32
        %5 = arith.addf %2, %4 : f32
        affine.store %5, %out[%vr, %vn] : memref<3x256xf32>
      }
    } } }
  }
}
