// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// No padded copy: the first and the last columns of the image have tiles of
// their own, which leave out what is outside; rows outside are left out by the
// bounds of the loop. Weights are packed with the channels last; four columns of
// two vectors each follow one another as they lie in memory.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3, d0)>
// CHECK-LABEL: transform.named_sequence @depthwise.schedule
// CHECK-NEXT: %[[ADD:.*]] = transform.tir.get_block @add in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[ADD]]
// CHECK-NEXT: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[PAD]]
// CHECK-NEXT: %[[CONV2D:.*]] = transform.tir.get_block @conv2d in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[CONV2D]], read 1, #[[LAYOUT]]
// CHECK-NEXT: %[[LOOPS:.*]]:6 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS]]#1 [?, 16]
// CHECK-NEXT: %[[LOOPS_1:.*]]:7 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_1]]#4 [?, 4]
// CHECK-NEXT: %[[LOOPS_2:.*]]:8 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_2]]#0, %[[LOOPS_2]]#3, %[[LOOPS_2]]#4, %[[LOOPS_2]]#1, %[[LOOPS_2]]#6, %[[LOOPS_2]]#7, %[[LOOPS_2]]#5, %[[LOOPS_2]]#2
// CHECK-NEXT: %[[RELU:.*]] = transform.tir.get_block @relu in %{{.*}}
// CHECK-NEXT: %[[LOOPS_3:.*]]:8 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.reverse_compute_at %[[RELU]], %[[LOOPS_3]]#3
// CHECK-NEXT: %[[LOOPS_4:.*]]:8 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS_4]]#0, %[[LOOPS_4]]#1
// CHECK-NEXT: %[[LOOPS_5:.*]]:7 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_5]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_5]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: %[[LOOPS_6:.*]]:5 = transform.tir.get_loops %[[RELU]]
// CHECK-NEXT: %[[TILE_1:.*]] = transform.tir.tensorize %[[LOOPS_6]]#3, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@depthwise
// APPLIED-SAME: memref<1x3x3x32xf32>
// APPLIED: kind(parallel)
// APPLIED: tir.alloc_buffer() : memref<{{.*}}4x16xf32, #target.memory<"local">>
// APPLIED: arith.cmpi eq
// APPLIED: arith.maxsi
// APPLIED: arith.minsi
// APPLIED: scf.for {{.*}} iter_args
// APPLIED: vector.fma
// APPLIED-NOT: vector.maskedload
// APPLIED: tir.block @relu
#set = affine_set<(d0, d1, d2, d3) : (d1 - 1 >= 0, -(d1 - 1) + 27 >= 0, d2 - 1 >= 0, -(d2 - 1) + 27 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @depthwise(%x: memref<1x28x28x32xf32>, %w: memref<32x1x3x3xf32>, %b: memref<32xf32>, %out: memref<1x28x28x32xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<1x30x30x32xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 30 {
        tir.for %i2 = 0 to 30 {
          tir.for %i3 = 0 to 32 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 30, %v2 = spatial %i2 in 30, %v3 = spatial %i3 in 32)
                reads(%x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x28x28x32xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x30x30x32xf32>) {
              %3 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %4 = affine.load %x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x28x28x32xf32>
                affine.yield %4 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %3, %0[0, %v1, %v2, %v3] : memref<1x30x30x32xf32>
            }
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<1x28x28x32xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 32 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 28 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 32, %v2 = spatial %i2 in 28, %v3 = spatial %i3 in 28, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%0[0, %v2 + %v4, %v3 + %v5, %v1] : memref<1x30x30x32xf32>, %w[%v1, 0, %v4, %v5] : memref<32x1x3x3xf32>, %1[0, %v2, %v3, %v1] : memref<1x28x28x32xf32>)
                    writes(%1[0, %v2, %v3, %v1] : memref<1x28x28x32xf32>) {
                  tir.init {
                    affine.store %cst, %1[0, %v2, %v3, %v1] : memref<1x28x28x32xf32>
                  }
                  %3 = affine.load %0[0, %v2 + %v4, %v3 + %v5, %v1] : memref<1x30x30x32xf32>
                  %4 = affine.load %w[%v1, 0, %v4, %v5] : memref<32x1x3x3xf32>
                  %5 = affine.load %1[0, %v2, %v3, %v1] : memref<1x28x28x32xf32>
                  %6 = arith.mulf %3, %4 : f32
                  %7 = arith.addf %5, %6 : f32
                  affine.store %7, %1[0, %v2, %v3, %v1] : memref<1x28x28x32xf32>
                }
              }
            }
          }
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<1x28x28x32xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 28 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 32 {
            tir.block @add(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 28, %v2 = spatial %i2 in 28, %v3 = spatial %i3 in 32)
                reads(%1[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>, %b[%v3] : memref<32xf32>)
                writes(%2[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>) {
              %3 = affine.load %1[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>
              %4 = affine.load %b[%v3] : memref<32xf32>
              %5 = arith.addf %3, %4 : f32
              affine.store %5, %2[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 28 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 32 {
            tir.block @relu(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 28, %v2 = spatial %i2 in 28, %v3 = spatial %i3 in 32)
                reads(%2[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>)
                writes(%out[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>) {
              %3 = affine.load %2[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>
              %4 = arith.cmpf olt, %3, %cst : f32
              %5 = arith.select %4, %cst, %3 : f32
              affine.store %5, %out[0, %v1, %v2, %v3] : memref<1x28x28x32xf32>
            }
          }
        }
      }
    }
  }
}

// -----

// APPLIED-LABEL: tir.prim_func {{.*}}@pool
// APPLIED-NOT: tir.alloc_buffer
// APPLIED: arith.maximumf {{.*}} : vector<8xf32>
// APPLIED-NOT: kind(vectorized)
#set = affine_set<(d0, d1, d2, d3) : (d1 - 1 >= 0, -(d1 - 1) + 56 >= 0, d2 - 1 >= 0, -(d2 - 1) + 56 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pool(%x: memref<1x57x57x64xf32>, %out: memref<1x29x29x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tir.alloc_buffer() : memref<1x59x59x64xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 59 {
        tir.for %i2 = 0 to 59 {
          tir.for %i3 = 0 to 64 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 59, %v2 = spatial %i2 in 59, %v3 = spatial %i3 in 64)
                reads(%x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x57x57x64xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x59x59x64xf32>) {
              %1 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %2 = affine.load %x[0, %v1 - 1, %v2 - 1, %v3] : memref<1x57x57x64xf32>
                affine.yield %2 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %1, %0[0, %v1, %v2, %v3] : memref<1x59x59x64xf32>
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 29 {
          tir.for %i3 = 0 to 29 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @max_pool2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 29, %v3 = spatial %i3 in 29, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%0[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x59x59x64xf32>, %out[0, %v2, %v3, %v1] : memref<1x29x29x64xf32>)
                    writes(%out[0, %v2, %v3, %v1] : memref<1x29x29x64xf32>) {
                  tir.init {
                    affine.store %cst, %out[0, %v2, %v3, %v1] : memref<1x29x29x64xf32>
                  }
                  %1 = affine.load %0[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x59x59x64xf32>
                  %2 = affine.load %out[0, %v2, %v3, %v1] : memref<1x29x29x64xf32>
                  %3 = arith.maximumf %2, %1 : f32
                  affine.store %3, %out[0, %v2, %v3, %v1] : memref<1x29x29x64xf32>
                }
              }
            }
          }
        }
      }
    }
  }
}
