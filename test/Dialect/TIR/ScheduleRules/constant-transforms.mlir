// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Winograd's algorithm: the transforms of data and of results by constant
// matrices, both of their steps for one tile and one vector of channels at a
// time. What lies between the steps is on the stack; the matrices are not read.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 16, d3, d2 mod 16)>
// CHECK-LABEL: transform.named_sequence @winograd.schedule
// CHECK-NEXT: %[[TRANSFORM_DATA:.*]] = transform.tir.get_block @transform_data in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:5 = transform.tir.get_loops %[[TRANSFORM_DATA]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#3 [?, 8]
// CHECK-NEXT: %[[LOOPS_1:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_1]]#2, %[[LOOPS_1]]#3, %[[LOOPS_1]]#0, %[[LOOPS_1]]#5, %[[LOOPS_1]]#1, %[[LOOPS_1]]#4
// CHECK-NEXT: %[[TRANSFORM_DATA_ROWS:.*]] = transform.tir.get_block @transform_data_rows in %{{.*}}
// CHECK-NEXT: %[[LOOPS_2:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA]]
// CHECK-NEXT: transform.tir.compute_at %[[TRANSFORM_DATA_ROWS]], %[[LOOPS_2]]#1
// CHECK-NEXT: %[[LOOPS_3:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA_ROWS]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_3]]#3, %[[LOOPS_3]]#5, %[[LOOPS_3]]#2, %[[LOOPS_3]]#4
// CHECK-NEXT: %[[LOOPS_4:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA_ROWS]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_4]]#0
// CHECK-NEXT: %[[PLACE_TILES:.*]] = transform.tir.get_block @place_tiles in %{{.*}}
// CHECK-NEXT: %[[LOOPS_5:.*]]:4 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_5]]#1 [?, 2]
// CHECK-NEXT: %[[LOOPS_6:.*]]:5 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: %[[SPLIT_2:.*]]:2 = transform.tir.split %[[LOOPS_6]]#3 [?, 2]
// CHECK-NEXT: %[[LOOPS_7:.*]]:6 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: %[[SPLIT_3:.*]]:2 = transform.tir.split %[[LOOPS_7]]#5 [?, 8]
// CHECK-NEXT: %[[LOOPS_8:.*]]:7 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_8]]#0, %[[LOOPS_8]]#1, %[[LOOPS_8]]#3, %[[LOOPS_8]]#5, %[[LOOPS_8]]#2, %[[LOOPS_8]]#4, %[[LOOPS_8]]#6
// CHECK-NEXT: %[[TRANSFORM_RESULT:.*]] = transform.tir.get_block @transform_result in %{{.*}}
// CHECK-NEXT: %[[LOOPS_9:.*]]:7 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: transform.tir.compute_at %[[TRANSFORM_RESULT]], %[[LOOPS_9]]#3
// CHECK-NEXT: %[[LOOPS_10:.*]]:8 = transform.tir.get_loops %[[TRANSFORM_RESULT]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_10]]#4, %[[LOOPS_10]]#7, %[[LOOPS_10]]#5, %[[LOOPS_10]]#6
// CHECK-NEXT: %[[TRANSFORM_RESULT_ROWS:.*]] = transform.tir.get_block @transform_result_rows in %{{.*}}
// CHECK-NEXT: %[[LOOPS_11:.*]]:8 = transform.tir.get_loops %[[TRANSFORM_RESULT]]
// CHECK-NEXT: transform.tir.compute_at %[[TRANSFORM_RESULT_ROWS]], %[[LOOPS_11]]#3
// CHECK-NEXT: %[[LOOPS_12:.*]]:8 = transform.tir.get_loops %[[TRANSFORM_RESULT_ROWS]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_12]]#5, %[[LOOPS_12]]#7, %[[LOOPS_12]]#4, %[[LOOPS_12]]#6
// CHECK-NEXT: %[[LOOPS_13:.*]]:8 = transform.tir.get_loops %[[TRANSFORM_RESULT_ROWS]]
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS_13]]#0, %[[LOOPS_13]]#1, %[[LOOPS_13]]#2
// CHECK-NEXT: %[[LOOPS_14:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_RESULT_ROWS]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_14]]#0
// CHECK-NEXT: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK-NEXT: %[[LOOPS_15:.*]]:4 = transform.tir.get_loops %[[PAD]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_15]]#3
// CHECK-NEXT: %[[FUSED_1:.*]] = transform.tir.fuse %[[LOOPS_15]]#0, %[[LOOPS_15]]#1, %[[LOOPS_15]]#2
// CHECK-NEXT: %[[LOOPS_16:.*]]:2 = transform.tir.get_loops %[[PAD]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_16]]#0
// CHECK-NEXT: %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM:.*]] = transform.tir.get_block @contrib_conv2d_winograd_without_weight_transform in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]], read 1, #[[LAYOUT]]
// CHECK-NEXT: %[[LOOPS_17:.*]]:5 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: %[[SPLIT_4:.*]]:2 = transform.tir.split %[[LOOPS_17]]#3 [?, 16]
// CHECK-NEXT: %[[LOOPS_18:.*]]:6 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: %[[SPLIT_5:.*]]:2 = transform.tir.split %[[LOOPS_18]]#2 [?, 6]
// CHECK-NEXT: %[[LOOPS_19:.*]]:7 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_19]]#0, %[[LOOPS_19]]#1, %[[LOOPS_19]]#4, %[[LOOPS_19]]#2, %[[LOOPS_19]]#6, %[[LOOPS_19]]#3, %[[LOOPS_19]]#5
// CHECK-NEXT: %[[LOOPS_20:.*]]:7 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: %[[FUSED_2:.*]] = transform.tir.fuse %[[LOOPS_20]]#0, %[[LOOPS_20]]#1, %[[LOOPS_20]]#2
// CHECK-NEXT: %[[LOOPS_21:.*]]:5 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_21]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[LOOPS_22:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA_ROWS]]
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_22]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_23:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_DATA]]
// CHECK-NEXT: %[[TILE_1:.*]] = transform.tir.tensorize %[[LOOPS_23]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_24:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_RESULT]]
// CHECK-NEXT: %[[TILE_2:.*]] = transform.tir.tensorize %[[LOOPS_24]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_25:.*]]:6 = transform.tir.get_loops %[[TRANSFORM_RESULT_ROWS]]
// CHECK-NEXT: %[[TILE_3:.*]] = transform.tir.tensorize %[[LOOPS_25]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_26:.*]]:5 = transform.tir.get_loops %[[PLACE_TILES]]
// CHECK-NEXT: %[[TILE_4:.*]] = transform.tir.tensorize %[[LOOPS_26]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_27:.*]]:5 = transform.tir.get_loops %[[CONTRIB_CONV2D_WINOGRAD_WITHOUT_WEIGHT_TRANSFORM]]
// CHECK-NEXT: %[[TILE_5:.*]] = transform.tir.tensorize %[[LOOPS_27]]#2, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @winograd
// APPLIED-NOT: @constant
// APPLIED: tir.block @pad
// APPLIED: tir.for %{{.*}} = 0 to 196 kind(parallel) {
// APPLIED-NEXT: tir.for %{{.*}} = 0 to 8 {
// APPLIED-NEXT: tir.alloc_buffer() : memref<4x1x4x8xf32, #target.memory<"local">>
// APPLIED: tir.block @transform_data_rows
// APPLIED: arith.addf
// APPLIED: tir.block @transform_data(
// APPLIED: tir.block @contrib_conv2d_winograd_without_weight_transform
// APPLIED: tir.for %{{.*}} = 0 to 196 kind(parallel) {
// APPLIED-NEXT: tir.for %{{.*}} = 0 to 8 {
// APPLIED-NEXT: tir.alloc_buffer() : memref<2x4x1x8xf32, #target.memory<"local">>
// APPLIED-NEXT: tir.alloc_buffer() : memref<1x2x2x8xf32, #target.memory<"local">>
// APPLIED: tir.block @transform_result_rows
// APPLIED: tir.block @transform_result(
// APPLIED: tir.block @place_tiles
#set = affine_set<(d0, d1, d2, d3) : (d1 - 1 >= 0, -(d1 - 1) + 27 >= 0, d2 - 1 >= 0, -(d2 - 1) + 27 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @winograd(%x: memref<1x28x28x64xf32>, %w: memref<4x4x64x64xf32>, %out: memref<1x28x28x64xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<1x30x30x64xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 30 {
        tir.for %i2 = 0 to 30 {
          tir.for %i3 = 0 to 64 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 30, %v2 = spatial %i2 in 30, %v3 = spatial %i3 in 64)
                reads(%x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x28x28x64xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x30x30x64xf32>) {
              %8 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %9 = affine.load %x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x28x28x64xf32>
                affine.yield %9 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %8, %0[0, %v1, %v2, %v3] : memref<1x30x30x64xf32>
            }
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<4x4xf32>
    tir.block @constant()
        writes(%1[0, 0] : memref<4x4xf32>, %1[0, 1] : memref<4x4xf32>, %1[0, 2] : memref<4x4xf32>, %1[0, 3] : memref<4x4xf32>, %1[1, 0] : memref<4x4xf32>, %1[1, 1] : memref<4x4xf32>, %1[1, 2] : memref<4x4xf32>, %1[1, 3] : memref<4x4xf32>, %1[2, 0] : memref<4x4xf32>, %1[2, 1] : memref<4x4xf32>, %1[2, 2] : memref<4x4xf32>, %1[2, 3] : memref<4x4xf32>, %1[3, 0] : memref<4x4xf32>, %1[3, 1] : memref<4x4xf32>, %1[3, 2] : memref<4x4xf32>, %1[3, 3] : memref<4x4xf32>) {
      %cst_0 = arith.constant -1.000000e+00 : f32
      affine.store %cst_0, %1[0, 0] : memref<4x4xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      affine.store %cst_1, %1[0, 1] : memref<4x4xf32>
      %cst_2 = arith.constant 1.000000e+00 : f32
      affine.store %cst_2, %1[0, 2] : memref<4x4xf32>
      %cst_3 = arith.constant 0.000000e+00 : f32
      affine.store %cst_3, %1[0, 3] : memref<4x4xf32>
      %cst_4 = arith.constant -0.000000e+00 : f32
      affine.store %cst_4, %1[1, 0] : memref<4x4xf32>
      %cst_5 = arith.constant 1.000000e+00 : f32
      affine.store %cst_5, %1[1, 1] : memref<4x4xf32>
      %cst_6 = arith.constant 1.000000e+00 : f32
      affine.store %cst_6, %1[1, 2] : memref<4x4xf32>
      %cst_7 = arith.constant 0.000000e+00 : f32
      affine.store %cst_7, %1[1, 3] : memref<4x4xf32>
      %cst_8 = arith.constant 0.000000e+00 : f32
      affine.store %cst_8, %1[2, 0] : memref<4x4xf32>
      %cst_9 = arith.constant -1.000000e+00 : f32
      affine.store %cst_9, %1[2, 1] : memref<4x4xf32>
      %cst_10 = arith.constant 1.000000e+00 : f32
      affine.store %cst_10, %1[2, 2] : memref<4x4xf32>
      %cst_11 = arith.constant 0.000000e+00 : f32
      affine.store %cst_11, %1[2, 3] : memref<4x4xf32>
      %cst_12 = arith.constant 0.000000e+00 : f32
      affine.store %cst_12, %1[3, 0] : memref<4x4xf32>
      %cst_13 = arith.constant -1.000000e+00 : f32
      affine.store %cst_13, %1[3, 1] : memref<4x4xf32>
      %cst_14 = arith.constant 0.000000e+00 : f32
      affine.store %cst_14, %1[3, 2] : memref<4x4xf32>
      %cst_15 = arith.constant 1.000000e+00 : f32
      affine.store %cst_15, %1[3, 3] : memref<4x4xf32>
    }
    %2 = tir.alloc_buffer() : memref<4x196x4x64xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 196 {
        tir.for %i2 = 0 to 4 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 4 {
              tir.block @transform_data_rows(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 196, %v2 = spatial %i2 in 4, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 4)
                  reads(%1[%v0, %v4] : memref<4x4xf32>, %0[0, %v4 + (%v1 floordiv 14) * 2, %v1 * 2 + %v2 - (%v1 floordiv 14) * 28, %v3] : memref<1x30x30x64xf32>, %2[%v0, %v1, %v2, %v3] : memref<4x196x4x64xf32>)
                  writes(%2[%v0, %v1, %v2, %v3] : memref<4x196x4x64xf32>) {
                tir.init {
                  affine.store %cst, %2[%v0, %v1, %v2, %v3] : memref<4x196x4x64xf32>
                }
                %8 = affine.load %1[%v0, %v4] : memref<4x4xf32>
                %9 = affine.load %0[0, (%v1 floordiv 14) * 2 + %v4, (%v1 mod 14) * 2 + %v2, %v3] : memref<1x30x30x64xf32>
                %10 = affine.load %2[%v0, %v1, %v2, %v3] : memref<4x196x4x64xf32>
                %11 = arith.mulf %8, %9 : f32
                %12 = arith.addf %10, %11 : f32
                affine.store %12, %2[%v0, %v1, %v2, %v3] : memref<4x196x4x64xf32>
              }
            }
          }
        }
      }
    }
    %3 = tir.alloc_buffer() : memref<4x4x196x64xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 196 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 4 {
              tir.block @transform_data(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 196, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 4)
                  reads(%1[%v1, %v4] : memref<4x4xf32>, %2[%v0, %v2, %v4, %v3] : memref<4x196x4x64xf32>, %3[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>)
                  writes(%3[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>) {
                tir.init {
                  affine.store %cst, %3[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
                }
                %8 = affine.load %1[%v1, %v4] : memref<4x4xf32>
                %9 = affine.load %2[%v0, %v2, %v4, %v3] : memref<4x196x4x64xf32>
                %10 = affine.load %3[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
                %11 = arith.mulf %8, %9 : f32
                %12 = arith.addf %10, %11 : f32
                affine.store %12, %3[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
              }
            }
          }
        }
      }
    }
    %4 = tir.alloc_buffer() : memref<4x4x196x64xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 196 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 64 {
              tir.block @contrib_conv2d_winograd_without_weight_transform(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 196, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 64)
                  reads(%3[%v0, %v1, %v2, %v4] : memref<4x4x196x64xf32>, %w[%v0, %v1, %v3, %v4] : memref<4x4x64x64xf32>, %4[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>)
                  writes(%4[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>) {
                tir.init {
                  affine.store %cst, %4[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
                }
                %8 = affine.load %3[%v0, %v1, %v2, %v4] : memref<4x4x196x64xf32>
                %9 = affine.load %w[%v0, %v1, %v3, %v4] : memref<4x4x64x64xf32>
                %10 = affine.load %4[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
                %11 = arith.mulf %8, %9 : f32
                %12 = arith.addf %10, %11 : f32
                affine.store %12, %4[%v0, %v1, %v2, %v3] : memref<4x4x196x64xf32>
              }
            }
          }
        }
      }
    }
    %5 = tir.alloc_buffer() : memref<2x4xf32>
    tir.block @constant_1()
        writes(%5[0, 0] : memref<2x4xf32>, %5[0, 1] : memref<2x4xf32>, %5[0, 2] : memref<2x4xf32>, %5[0, 3] : memref<2x4xf32>, %5[1, 0] : memref<2x4xf32>, %5[1, 1] : memref<2x4xf32>, %5[1, 2] : memref<2x4xf32>, %5[1, 3] : memref<2x4xf32>) {
      %cst_0 = arith.constant 1.000000e+00 : f32
      affine.store %cst_0, %5[0, 0] : memref<2x4xf32>
      %cst_1 = arith.constant 1.000000e+00 : f32
      affine.store %cst_1, %5[0, 1] : memref<2x4xf32>
      %cst_2 = arith.constant 1.000000e+00 : f32
      affine.store %cst_2, %5[0, 2] : memref<2x4xf32>
      %cst_3 = arith.constant 0.000000e+00 : f32
      affine.store %cst_3, %5[0, 3] : memref<2x4xf32>
      %cst_4 = arith.constant 0.000000e+00 : f32
      affine.store %cst_4, %5[1, 0] : memref<2x4xf32>
      %cst_5 = arith.constant 1.000000e+00 : f32
      affine.store %cst_5, %5[1, 1] : memref<2x4xf32>
      %cst_6 = arith.constant -1.000000e+00 : f32
      affine.store %cst_6, %5[1, 2] : memref<2x4xf32>
      %cst_7 = arith.constant 1.000000e+00 : f32
      affine.store %cst_7, %5[1, 3] : memref<2x4xf32>
    }
    %6 = tir.alloc_buffer() : memref<2x4x196x64xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 196 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 4 {
              tir.block @transform_result_rows(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 196, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 4)
                  reads(%5[%v0, %v4] : memref<2x4xf32>, %4[%v4, %v1, %v2, %v3] : memref<4x4x196x64xf32>, %6[%v0, %v1, %v2, %v3] : memref<2x4x196x64xf32>)
                  writes(%6[%v0, %v1, %v2, %v3] : memref<2x4x196x64xf32>) {
                tir.init {
                  affine.store %cst, %6[%v0, %v1, %v2, %v3] : memref<2x4x196x64xf32>
                }
                %8 = affine.load %5[%v0, %v4] : memref<2x4xf32>
                %9 = affine.load %4[%v4, %v1, %v2, %v3] : memref<4x4x196x64xf32>
                %10 = affine.load %6[%v0, %v1, %v2, %v3] : memref<2x4x196x64xf32>
                %11 = arith.mulf %8, %9 : f32
                %12 = arith.addf %10, %11 : f32
                affine.store %12, %6[%v0, %v1, %v2, %v3] : memref<2x4x196x64xf32>
              }
            }
          }
        }
      }
    }
    %7 = tir.alloc_buffer() : memref<196x2x2x64xf32>
    tir.for %i0 = 0 to 196 {
      tir.for %i1 = 0 to 2 {
        tir.for %i2 = 0 to 2 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 4 {
              tir.block @transform_result(%v0 = spatial %i0 in 196, %v1 = spatial %i1 in 2, %v2 = spatial %i2 in 2, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 4)
                  reads(%5[%v2, %v4] : memref<2x4xf32>, %6[%v1, %v4, %v0, %v3] : memref<2x4x196x64xf32>, %7[%v0, %v1, %v2, %v3] : memref<196x2x2x64xf32>)
                  writes(%7[%v0, %v1, %v2, %v3] : memref<196x2x2x64xf32>) {
                tir.init {
                  affine.store %cst, %7[%v0, %v1, %v2, %v3] : memref<196x2x2x64xf32>
                }
                %8 = affine.load %5[%v2, %v4] : memref<2x4xf32>
                %9 = affine.load %6[%v1, %v4, %v0, %v3] : memref<2x4x196x64xf32>
                %10 = affine.load %7[%v0, %v1, %v2, %v3] : memref<196x2x2x64xf32>
                %11 = arith.mulf %8, %9 : f32
                %12 = arith.addf %10, %11 : f32
                affine.store %12, %7[%v0, %v1, %v2, %v3] : memref<196x2x2x64xf32>
              }
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 28 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 64 {
            tir.block @place_tiles(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 28, %v2 = spatial %i2 in 28, %v3 = spatial %i3 in 64)
                reads(%7[(%v1 floordiv 2) * 14 + %v2 floordiv 2, %v1 mod 2, %v2 mod 2, %v3] : memref<196x2x2x64xf32>)
                writes(%out[0, %v1, %v2, %v3] : memref<1x28x28x64xf32>) {
              %8 = affine.load %7[(%v1 floordiv 2) * 14 + %v2 floordiv 2, %v1 mod 2, %v2 mod 2, %v3] : memref<196x2x2x64xf32>
              affine.store %8, %out[0, %v1, %v2, %v3] : memref<1x28x28x64xf32>
            }
          }
        }
      }
    }
  }
}
