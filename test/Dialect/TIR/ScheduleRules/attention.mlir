// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Keys are packed; then scores, softmax and the second product follow each
// other for each block of 48 rows, whose scores are on the stack. Batches that
// products merge and the mask does not are apart in both.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3 floordiv 16, d2, d3 mod 16)>
// CHECK-LABEL: transform.named_sequence @attention.schedule
// CHECK-NEXT: %[[SOFTMAX_SCALE:.*]] = transform.tir.get_block @softmax_scale in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[SOFTMAX_SCALE]]
// CHECK-NEXT: %[[TRANSPOSE:.*]] = transform.tir.get_block @transpose in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[TRANSPOSE]]
// CHECK-NEXT: %[[TRANSPOSE_2:.*]] = transform.tir.get_block @transpose_2 in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[TRANSPOSE_2]]
// CHECK-NEXT: %[[TRANSPOSE_1:.*]] = transform.tir.get_block @transpose_1 in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[TRANSPOSE_1]], write 0, #[[LAYOUT]]
// CHECK-NEXT: %[[COMPUTE_1:.*]] = transform.tir.get_block @compute_1 in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:5 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#2 [?, 48]
// CHECK-NEXT: %[[LOOPS_1:.*]]:6 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_1]]#3 [?, 6]
// CHECK-NEXT: %[[LOOPS_2:.*]]:7 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_2]]#0, %[[LOOPS_2]]#1, %[[LOOPS_2]]#2, %[[LOOPS_2]]#3, %[[LOOPS_2]]#6, %[[LOOPS_2]]#4, %[[LOOPS_2]]#5
// CHECK-NEXT: %[[TRANSPOSE_3:.*]] = transform.tir.get_block @transpose_3 in %{{.*}}
// CHECK-NEXT: %[[LOOPS_3:.*]]:7 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: transform.tir.reverse_compute_at %[[TRANSPOSE_3]], %[[LOOPS_3]]#3
// CHECK-NEXT: %[[SOFTMAX:.*]] = transform.tir.get_block @softmax in %{{.*}}
// CHECK-NEXT: %[[LOOPS_4:.*]]:7 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX]], %[[LOOPS_4]]#2
// CHECK-NEXT: %[[SOFTMAX_SUM:.*]] = transform.tir.get_block @softmax_sum in %{{.*}}
// CHECK-NEXT: %[[LOOPS_5:.*]]:5 = transform.tir.get_loops %[[SOFTMAX]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_SUM]], %[[LOOPS_5]]#2
// CHECK-NEXT: %[[SOFTMAX_EXP:.*]] = transform.tir.get_block @softmax_exp in %{{.*}}
// CHECK-NEXT: %[[LOOPS_6:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_SUM]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_EXP]], %[[LOOPS_6]]#2
// CHECK-NEXT: %[[SOFTMAX_MAX:.*]] = transform.tir.get_block @softmax_max in %{{.*}}
// CHECK-NEXT: %[[LOOPS_7:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_EXP]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_MAX]], %[[LOOPS_7]]#2
// CHECK-NEXT: %[[ADD:.*]] = transform.tir.get_block @add in %{{.*}}
// CHECK-NEXT: %[[LOOPS_8:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_MAX]]
// CHECK-NEXT: transform.tir.compute_at %[[ADD]], %[[LOOPS_8]]#2
// CHECK-NEXT: %[[COMPUTE:.*]] = transform.tir.get_block @compute in %{{.*}}
// CHECK-NEXT: %[[LOOPS_9:.*]]:5 = transform.tir.get_loops %[[ADD]]
// CHECK-NEXT: transform.tir.compute_at %[[COMPUTE]], %[[LOOPS_9]]#2
// CHECK-NEXT: %[[LOOPS_10:.*]]:6 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: %[[SPLIT_2:.*]]:2 = transform.tir.split %[[LOOPS_10]]#4 [?, 16]
// CHECK-NEXT: %[[LOOPS_11:.*]]:7 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: %[[SPLIT_3:.*]]:2 = transform.tir.split %[[LOOPS_11]]#3 [?, 6]
// CHECK-NEXT: %[[LOOPS_12:.*]]:8 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_12]]#5, %[[LOOPS_12]]#3, %[[LOOPS_12]]#7, %[[LOOPS_12]]#4, %[[LOOPS_12]]#6
// CHECK-NEXT: %[[LOOPS_13:.*]]:8 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: transform.tir.reverse_compute_at %[[ADD]], %[[LOOPS_13]]#4
// CHECK-NEXT: %[[LOOPS_14:.*]]:5 = transform.tir.get_loops %[[SOFTMAX]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_SUM]], %[[LOOPS_14]]#3
// CHECK-NEXT: %[[LOOPS_15:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_SUM]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_EXP]], %[[LOOPS_15]]#3
// CHECK-NEXT: %[[LOOPS_16:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_EXP]]
// CHECK-NEXT: transform.tir.compute_at %[[SOFTMAX_MAX]], %[[LOOPS_16]]#3
// CHECK-NEXT: %[[LOOPS_17:.*]]:5 = transform.tir.get_loops %[[SOFTMAX_EXP]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_17]]#4
// CHECK-NEXT: %[[LOOPS_18:.*]]:5 = transform.tir.get_loops %[[SOFTMAX]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_18]]#4
// CHECK-NEXT: %[[LOOPS_19:.*]]:8 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS_19]]#0, %[[LOOPS_19]]#1, %[[LOOPS_19]]#2
// CHECK-NEXT: %[[LOOPS_20:.*]]:6 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_20]]#0
// CHECK-NEXT: %[[LOOPS_21:.*]]:4 = transform.tir.get_loops %[[TRANSPOSE_1]]
// CHECK-NEXT: %[[SPLIT_4:.*]]:2 = transform.tir.split %[[LOOPS_21]]#2 [?, 8]
// CHECK-NEXT: %[[LOOPS_22:.*]]:5 = transform.tir.get_loops %[[TRANSPOSE_1]]
// CHECK-NEXT: %[[SPLIT_5:.*]]:2 = transform.tir.split %[[LOOPS_22]]#4 [?, 8]
// CHECK-NEXT: %[[LOOPS_23:.*]]:6 = transform.tir.get_loops %[[TRANSPOSE_1]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_23]]#0, %[[LOOPS_23]]#1, %[[LOOPS_23]]#2, %[[LOOPS_23]]#4, %[[LOOPS_23]]#5, %[[LOOPS_23]]#3
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[LOOPS_24:.*]]:4 = transform.tir.get_loops %[[TRANSPOSE_3]]
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_24]]#2, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_25:.*]]:5 = transform.tir.get_loops %[[COMPUTE_1]]
// CHECK-NEXT: %[[TILE_1:.*]] = transform.tir.tensorize %[[LOOPS_25]]#2, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_26:.*]]:5 = transform.tir.get_loops %[[ADD]]
// CHECK-NEXT: %[[TILE_2:.*]] = transform.tir.tensorize %[[LOOPS_26]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_27:.*]]:6 = transform.tir.get_loops %[[COMPUTE]]
// CHECK-NEXT: %[[TILE_3:.*]] = transform.tir.tensorize %[[LOOPS_27]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_28:.*]]:3 = transform.tir.get_loops %[[SOFTMAX_MAX]]
// CHECK-NEXT: %[[TILE_4:.*]] = transform.tir.tensorize %[[LOOPS_28]]#2, "row_reduction" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_29:.*]]:3 = transform.tir.get_loops %[[SOFTMAX_SUM]]
// CHECK-NEXT: %[[TILE_5:.*]] = transform.tir.tensorize %[[LOOPS_29]]#2, "row_reduction" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_30:.*]]:6 = transform.tir.get_loops %[[TRANSPOSE_1]]
// CHECK-NEXT: %[[TILE_6:.*]] = transform.tir.tensorize %[[LOOPS_30]]#4, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@attention
// APPLIED: %[[KEYS:.*]] = tir.alloc_buffer() : memref<2x4x8x16x16xf32>
// APPLIED-NOT: tir.alloc_buffer() : memref
// APPLIED: tir.block @transpose_1
// APPLIED: vector.shuffle
// APPLIED: tir.for {{.*}} kind(parallel) {
// APPLIED: tir.alloc_buffer() : memref<1x1x48x128xf32, #target.memory<"local">>
// APPLIED: tir.alloc_buffer() : memref<1x1x48x128xf32, #target.memory<"local">>
// APPLIED-NOT: kind(parallel)
// APPLIED: vector.reduction
// APPLIED: math.exp
// APPLIED: vector.reduction <add>
// APPLIED-NOT: kind(parallel)
// APPLIED: tir.block @transpose_3
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @attention(%q: memref<2x128x4x16xf32>, %k: memref<2x128x4x16xf32>, %v: memref<2x128x4x16xf32>, %m: memref<2x1x1x128xf32>, %out: memref<2x128x4x16xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<2x4x128x16xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 16 {
            tir.block @transpose(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 16)
                reads(%q[%v0, %v2, %v1, %v3] : memref<2x128x4x16xf32>)
                writes(%0[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>) {
              %11 = affine.load %q[%v0, %v2, %v1, %v3] : memref<2x128x4x16xf32>
              affine.store %11, %0[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>
            }
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<2x4x16x128xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 16 {
          tir.for %i3 = 0 to 128 {
            tir.block @transpose_1(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 16, %v3 = spatial %i3 in 128)
                reads(%k[%v0, %v3, %v1, %v2] : memref<2x128x4x16xf32>)
                writes(%1[%v0, %v1, %v2, %v3] : memref<2x4x16x128xf32>) {
              %11 = affine.load %k[%v0, %v3, %v1, %v2] : memref<2x128x4x16xf32>
              affine.store %11, %1[%v0, %v1, %v2, %v3] : memref<2x4x16x128xf32>
            }
          }
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<2x4x128x16xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 16 {
            tir.block @transpose_2(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 16)
                reads(%v[%v0, %v2, %v1, %v3] : memref<2x128x4x16xf32>)
                writes(%2[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>) {
              %11 = affine.load %v[%v0, %v2, %v1, %v3] : memref<2x128x4x16xf32>
              affine.store %11, %2[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>
            }
          }
        }
      }
    }
    %3 = tir.alloc_buffer() : memref<2x4x128x128xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.for %i4 = 0 to 16 {
              tir.block @compute(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 128, %v4 = reduce %i4 in 16)
                  reads(%0[%v0, %v1, %v2, %v4] : memref<2x4x128x16xf32>, %1[%v0, %v1, %v4, %v3] : memref<2x4x16x128xf32>, %3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>)
                  writes(%3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>) {
                tir.init {
                  affine.store %cst_1, %3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
                }
                %11 = affine.load %0[%v0, %v1, %v2, %v4] : memref<2x4x128x16xf32>
                %12 = affine.load %1[%v0, %v1, %v4, %v3] : memref<2x4x16x128xf32>
                %13 = affine.load %3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
                %14 = arith.mulf %11, %12 : f32
                %15 = arith.addf %13, %14 : f32
                affine.store %15, %3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              }
            }
          }
        }
      }
    }
    %4 = tir.alloc_buffer() : memref<2x4x128x128xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.block @add(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 128)
                reads(%3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>, %m[%v0, 0, 0, %v3] : memref<2x1x1x128xf32>)
                writes(%4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>) {
              %11 = affine.load %3[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              %12 = affine.load %m[%v0, 0, 0, %v3] : memref<2x1x1x128xf32>
              %13 = arith.addf %11, %12 : f32
              affine.store %13, %4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
            }
          }
        }
      }
    }
    %5 = tir.alloc_buffer() : memref<2x4x128x1xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.block @softmax_max(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = reduce %i3 in 128)
                reads(%4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>, %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>)
                writes(%5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>) {
              tir.init {
                affine.store %cst_0, %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              }
              %11 = affine.load %4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              %12 = affine.load %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              %13 = arith.maxnumf %12, %11 : f32
              affine.store %13, %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
            }
          }
        }
      }
    }
    %6 = tir.alloc_buffer() : memref<2x4x128x128xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.block @softmax_exp(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 128)
                reads(%4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>, %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>)
                writes(%6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>) {
              %11 = affine.load %4[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              %12 = affine.load %5[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              %13 = arith.subf %11, %12 : f32
              %14 = math.exp %13 fastmath<afn> : f32
              affine.store %14, %6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
            }
          }
        }
      }
    }
    %7 = tir.alloc_buffer() : memref<2x4x128x1xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.block @softmax_sum(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = reduce %i3 in 128)
                reads(%6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>, %7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>)
                writes(%7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>) {
              tir.init {
                affine.store %cst_1, %7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              }
              %11 = affine.load %6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              %12 = affine.load %7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              %13 = arith.addf %12, %11 : f32
              affine.store %13, %7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
            }
          }
        }
      }
    }
    %8 = tir.alloc_buffer() : memref<2x4x128x1xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 1 {
            tir.block @softmax_scale(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 1)
                reads(%7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>)
                writes(%8[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>) {
              %11 = affine.load %7[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              %12 = arith.divf %cst, %11 : f32
              affine.store %12, %8[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
            }
          }
        }
      }
    }
    %9 = tir.alloc_buffer() : memref<2x4x128x128xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 128 {
            tir.block @softmax(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 128)
                reads(%6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>, %8[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>)
                writes(%9[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>) {
              %11 = affine.load %6[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
              %12 = affine.load %8[%v0, %v1, %v2, 0] : memref<2x4x128x1xf32>
              %13 = arith.mulf %11, %12 : f32
              affine.store %13, %9[%v0, %v1, %v2, %v3] : memref<2x4x128x128xf32>
            }
          }
        }
      }
    }
    %10 = tir.alloc_buffer() : memref<2x4x128x16xf32>
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 128 {
          tir.for %i3 = 0 to 16 {
            tir.for %i4 = 0 to 128 {
              tir.block @compute_1(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 128, %v3 = spatial %i3 in 16, %v4 = reduce %i4 in 128)
                  reads(%9[%v0, %v1, %v2, %v4] : memref<2x4x128x128xf32>, %2[%v0, %v1, %v4, %v3] : memref<2x4x128x16xf32>, %10[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>)
                  writes(%10[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>) {
                tir.init {
                  affine.store %cst_1, %10[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>
                }
                %11 = affine.load %9[%v0, %v1, %v2, %v4] : memref<2x4x128x128xf32>
                %12 = affine.load %2[%v0, %v1, %v4, %v3] : memref<2x4x128x16xf32>
                %13 = affine.load %10[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>
                %14 = arith.mulf %11, %12 : f32
                %15 = arith.addf %13, %14 : f32
                affine.store %15, %10[%v0, %v1, %v2, %v3] : memref<2x4x128x16xf32>
              }
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 2 {
      tir.for %i1 = 0 to 128 {
        tir.for %i2 = 0 to 4 {
          tir.for %i3 = 0 to 16 {
            tir.block @transpose_3(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 128, %v2 = spatial %i2 in 4, %v3 = spatial %i3 in 16)
                reads(%10[%v0, %v2, %v1, %v3] : memref<2x4x128x16xf32>)
                writes(%out[%v0, %v1, %v2, %v3] : memref<2x128x4x16xf32>) {
              %11 = affine.load %10[%v0, %v2, %v1, %v3] : memref<2x4x128x16xf32>
              affine.store %11, %out[%v0, %v1, %v2, %v3] : memref<2x128x4x16xf32>
            }
          }
        }
      }
    }
  }
}

// -----

// Rows that are too long for the stack are in a workspace that has a block of
// rows for each batch: no buffer holds the scores of all rows. There are many
// rows in it, because keys and values do not stay in the second cache.

// APPLIED-LABEL: tir.prim_func {{.*}}@long
// APPLIED-NOT: 4096x4096xf32
// APPLIED: memref<8x96x4096xf32>
// APPLIED-NOT: 4096x4096xf32
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @long(%q: memref<8x4096x64xf32>, %k: memref<8x4096x64xf32>, %v: memref<8x4096x64xf32>, %out: memref<8x4096x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<8x4096x4096xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 4096 {
          tir.for %i3 = 0 to 64 {
            tir.block @batch_matmul(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = spatial %i2 in 4096, %v3 = reduce %i3 in 64)
                reads(%q[%v0, %v1, %v3] : memref<8x4096x64xf32>, %k[%v0, %v2, %v3] : memref<8x4096x64xf32>, %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>)
                writes(%0[%v0, %v1, %v2] : memref<8x4096x4096xf32>) {
              tir.init {
                affine.store %cst, %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>
              }
              %6 = affine.load %q[%v0, %v1, %v3] : memref<8x4096x64xf32>
              %7 = affine.load %k[%v0, %v2, %v3] : memref<8x4096x64xf32>
              %8 = affine.load %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>
            }
          }
        }
      }
    }
    %cst_0 = arith.constant 0xFF800000 : f32
    %1 = tir.alloc_buffer() : memref<8x4096x1xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 4096 {
          tir.block @softmax_max(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = reduce %i2 in 4096)
              reads(%0[%v0, %v1, %v2] : memref<8x4096x4096xf32>, %1[%v0, %v1, 0] : memref<8x4096x1xf32>)
              writes(%1[%v0, %v1, 0] : memref<8x4096x1xf32>) {
            tir.init {
              affine.store %cst_0, %1[%v0, %v1, 0] : memref<8x4096x1xf32>
            }
            %6 = affine.load %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>
            %7 = affine.load %1[%v0, %v1, 0] : memref<8x4096x1xf32>
            %8 = arith.maxnumf %7, %6 : f32
            affine.store %8, %1[%v0, %v1, 0] : memref<8x4096x1xf32>
          }
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<8x4096x4096xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 4096 {
          tir.block @softmax_exp(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = spatial %i2 in 4096)
              reads(%0[%v0, %v1, %v2] : memref<8x4096x4096xf32>, %1[%v0, %v1, 0] : memref<8x4096x1xf32>)
              writes(%2[%v0, %v1, %v2] : memref<8x4096x4096xf32>) {
            %6 = affine.load %0[%v0, %v1, %v2] : memref<8x4096x4096xf32>
            %7 = affine.load %1[%v0, %v1, 0] : memref<8x4096x1xf32>
            %8 = arith.subf %6, %7 : f32
            %9 = math.exp %8 fastmath<afn> : f32
            affine.store %9, %2[%v0, %v1, %v2] : memref<8x4096x4096xf32>
          }
        }
      }
    }
    %3 = tir.alloc_buffer() : memref<8x4096x1xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 4096 {
          tir.block @softmax_sum(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = reduce %i2 in 4096)
              reads(%2[%v0, %v1, %v2] : memref<8x4096x4096xf32>, %3[%v0, %v1, 0] : memref<8x4096x1xf32>)
              writes(%3[%v0, %v1, 0] : memref<8x4096x1xf32>) {
            tir.init {
              affine.store %cst, %3[%v0, %v1, 0] : memref<8x4096x1xf32>
            }
            %6 = affine.load %2[%v0, %v1, %v2] : memref<8x4096x4096xf32>
            %7 = affine.load %3[%v0, %v1, 0] : memref<8x4096x1xf32>
            %8 = arith.addf %7, %6 : f32
            affine.store %8, %3[%v0, %v1, 0] : memref<8x4096x1xf32>
          }
        }
      }
    }
    %4 = tir.alloc_buffer() : memref<8x4096x1xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 1 {
          tir.block @softmax_scale(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = spatial %i2 in 1)
              reads(%3[%v0, %v1, 0] : memref<8x4096x1xf32>)
              writes(%4[%v0, %v1, 0] : memref<8x4096x1xf32>) {
            %6 = affine.load %3[%v0, %v1, 0] : memref<8x4096x1xf32>
            %cst_1 = arith.constant 1.000000e+00 : f32
            %7 = arith.divf %cst_1, %6 : f32
            affine.store %7, %4[%v0, %v1, 0] : memref<8x4096x1xf32>
          }
        }
      }
    }
    %5 = tir.alloc_buffer() : memref<8x4096x4096xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 4096 {
          tir.block @softmax(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = spatial %i2 in 4096)
              reads(%2[%v0, %v1, %v2] : memref<8x4096x4096xf32>, %4[%v0, %v1, 0] : memref<8x4096x1xf32>)
              writes(%5[%v0, %v1, %v2] : memref<8x4096x4096xf32>) {
            %6 = affine.load %2[%v0, %v1, %v2] : memref<8x4096x4096xf32>
            %7 = affine.load %4[%v0, %v1, 0] : memref<8x4096x1xf32>
            %8 = arith.mulf %6, %7 : f32
            affine.store %8, %5[%v0, %v1, %v2] : memref<8x4096x4096xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 4096 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to 4096 {
            tir.block @batch_matmul_1(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 4096, %v2 = spatial %i2 in 64, %v3 = reduce %i3 in 4096)
                reads(%5[%v0, %v1, %v3] : memref<8x4096x4096xf32>, %v[%v0, %v3, %v2] : memref<8x4096x64xf32>, %out[%v0, %v1, %v2] : memref<8x4096x64xf32>)
                writes(%out[%v0, %v1, %v2] : memref<8x4096x64xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<8x4096x64xf32>
              }
              %6 = affine.load %5[%v0, %v1, %v3] : memref<8x4096x4096xf32>
              %7 = affine.load %v[%v0, %v3, %v2] : memref<8x4096x64xf32>
              %8 = affine.load %out[%v0, %v1, %v2] : memref<8x4096x64xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %out[%v0, %v1, %v2] : memref<8x4096x64xf32>
            }
          }
        }
      }
    }
  }
}
