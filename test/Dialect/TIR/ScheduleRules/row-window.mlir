// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Channels first: lanes are neighbours in a row. Rows of a window are combined
// before every other element is picked out; one comparison tells whether two
// vectors have a NaN, in which case the tile is computed again. Neither a padded
// copy nor masks.
// CHECK-LABEL: transform.named_sequence @pool_rows.schedule
// CHECK-NEXT: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[PAD]]
// CHECK-NEXT: %[[MAX_POOL2D:.*]] = transform.tir.get_block @max_pool2d in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:6 = transform.tir.get_loops %[[MAX_POOL2D]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS]]#0, %[[LOOPS]]#1, %[[LOOPS]]#2, %[[LOOPS]]#4, %[[LOOPS]]#5, %[[LOOPS]]#3
// CHECK-NEXT: %[[LOOPS_1:.*]]:6 = transform.tir.get_loops %[[MAX_POOL2D]]
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS_1]]#0, %[[LOOPS_1]]#1
// CHECK-NEXT: %[[LOOPS_2:.*]]:5 = transform.tir.get_loops %[[MAX_POOL2D]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_2]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_2]]#2, "register_tile" {vector_bits = 256 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@pool_rows
// APPLIED-NOT: tir.alloc_buffer
// APPLIED-NOT: vector.maskedload
// APPLIED: arith.cmpf ogt
// APPLIED: arith.cmpf uno
// APPLIED: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// APPLIED: vector.reduction <or>
// APPLIED: scf.if
// APPLIED: arith.maximumf {{.*}} : vector<8xf32>
// APPLIED-NOT: kind(vectorized)
#set = affine_set<(d0, d1, d2, d3) : (d2 - 1 >= 0, -(d2 - 1) + 111 >= 0, d3 - 1 >= 0, -(d3 - 1) + 111 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pool_rows(%x: memref<1x64x112x112xf32>, %out: memref<1x64x56x56xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    %0 = tir.alloc_buffer() : memref<1x64x114x114xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 114 {
          tir.for %i3 = 0 to 114 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 114, %v3 = spatial %i3 in 114)
                reads(%x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x112x112xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x64x114x114xf32>) {
              %1 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %2 = affine.load %x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x112x112xf32>
                affine.yield %2 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %1, %0[0, %v1, %v2, %v3] : memref<1x64x114x114xf32>
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @max_pool2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%0[0, %v1, %v2 * 2 + %v4, %v3 * 2 + %v5] : memref<1x64x114x114xf32>, %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>)
                    writes(%out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
                  tir.init {
                    affine.store %cst, %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                  }
                  %1 = affine.load %0[0, %v1, %v2 * 2 + %v4, %v3 * 2 + %v5] : memref<1x64x114x114xf32>
                  %2 = affine.load %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                  %3 = arith.maximumf %2, %1 : f32
                  affine.store %3, %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                }
              }
            }
          }
        }
      }
    }
  }
}

// -----

// The rows of a window are combined before every second element is picked out.
// APPLIED-LABEL: tir.prim_func {{.*}}@pool
// APPLIED: vector.load
// APPLIED: vector.shuffle
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pool(%x: memref<1x8x33x33xf32>, %out: memref<1x8x16x16xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 8 {
        tir.for %i2 = 0 to 16 {
          tir.for %i3 = 0 to 16 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @max_pool2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 16, %v3 = spatial %i3 in 16, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%x[0, %v1, %v2 * 2 + %v4, %v3 * 2 + %v5] : memref<1x8x33x33xf32>, %out[0, %v1, %v2, %v3] : memref<1x8x16x16xf32>)
                    writes(%out[0, %v1, %v2, %v3] : memref<1x8x16x16xf32>) {
                  tir.init {
                    affine.store %cst, %out[0, %v1, %v2, %v3] : memref<1x8x16x16xf32>
                  }
                  %0 = affine.load %x[0, %v1, %v2 * 2 + %v4, %v3 * 2 + %v5] : memref<1x8x33x33xf32>
                  %1 = affine.load %out[0, %v1, %v2, %v3] : memref<1x8x16x16xf32>
                  %2 = arith.maximumf %1, %0 : f32
                  affine.store %2, %out[0, %v1, %v2, %v3] : memref<1x8x16x16xf32>
                }
              }
            }
          }
        }
      }
    }
  }
}

// -----

// How many elements a window has is in a table for each axis; the mean is taken
// in registers.
// APPLIED-LABEL: tir.prim_func {{.*}}@average_rows
// APPLIED: tir.block @avg_pool2d_count0
// APPLIED: tir.block @avg_pool2d_count1
// APPLIED: tir.block @pool_sum
// APPLIED-NOT: vector.maskedload
// APPLIED: tir.block @avg_pool2d(
// APPLIED: arith.divf {{.*}} : vector<8xf32>
#map = affine_map<()[s0] -> (-s0 + 1)>
#map1 = affine_map<()[s0] -> (-s0 + 57)>
#set = affine_set<(d0, d1, d2, d3) : (d2 - 1 >= 0, -(d2 - 1) + 55 >= 0, d3 - 1 >= 0, -(d3 - 1) + 55 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @average_rows(%x: memref<1x64x56x56xf32>, %out: memref<1x64x56x56xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<1x64x58x58xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 58 {
          tir.for %i3 = 0 to 58 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 58, %v3 = spatial %i3 in 58)
                reads(%x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x56x56xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x64x58x58xf32>) {
              %4 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %5 = affine.load %x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x56x56xf32>
                affine.yield %5 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %4, %0[0, %v1, %v2, %v3] : memref<1x64x58x58xf32>
            }
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<56xf32>
    tir.for %i0 = 0 to 56 {
      tir.block @avg_pool2d_count0(%v0 = spatial %i0 in 56)
          writes(%1[%v0] : memref<56xf32>) {
        %4 = affine.apply #map()[%v0]
        %c0 = arith.constant 0 : index
        %5 = arith.maxsi %4, %c0 : index
        %6 = affine.apply #map1()[%v0]
        %c3 = arith.constant 3 : index
        %7 = arith.minsi %6, %c3 : index
        %8 = arith.subi %7, %5 : index
        %c1 = arith.constant 1 : index
        %9 = arith.maxsi %8, %c1 : index
        %10 = arith.index_cast %9 : index to i64
        %11 = arith.sitofp %10 : i64 to f32
        affine.store %11, %1[%v0] : memref<56xf32>
      }
    }
    %2 = tir.alloc_buffer() : memref<56xf32>
    tir.for %i0 = 0 to 56 {
      tir.block @avg_pool2d_count1(%v0 = spatial %i0 in 56)
          writes(%2[%v0] : memref<56xf32>) {
        %4 = affine.apply #map()[%v0]
        %c0 = arith.constant 0 : index
        %5 = arith.maxsi %4, %c0 : index
        %6 = affine.apply #map1()[%v0]
        %c3 = arith.constant 3 : index
        %7 = arith.minsi %6, %c3 : index
        %8 = arith.subi %7, %5 : index
        %c1 = arith.constant 1 : index
        %9 = arith.maxsi %8, %c1 : index
        %10 = arith.index_cast %9 : index to i64
        %11 = arith.sitofp %10 : i64 to f32
        affine.store %11, %2[%v0] : memref<56xf32>
      }
    }
    %3 = tir.alloc_buffer() : memref<1x64x56x56xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @pool_sum(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%0[0, %v1, %v2 + %v4, %v3 + %v5] : memref<1x64x58x58xf32>, %3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>)
                    writes(%3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
                  tir.init {
                    affine.store %cst, %3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                  }
                  %4 = affine.load %0[0, %v1, %v2 + %v4, %v3 + %v5] : memref<1x64x58x58xf32>
                  %5 = affine.load %3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                  %6 = arith.addf %5, %4 : f32
                  affine.store %6, %3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                }
              }
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.block @avg_pool2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56)
                reads(%3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>, %1[%v2] : memref<56xf32>, %2[%v3] : memref<56xf32>)
                writes(%out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
              %4 = affine.load %3[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
              %5 = affine.load %1[%v2] : memref<56xf32>
              %6 = affine.load %2[%v3] : memref<56xf32>
              %7 = arith.mulf %5, %6 : f32
              %8 = arith.divf %4, %7 : f32
              affine.store %8, %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
            }
          }
        }
      }
    }
  }
}

// -----

// Windows three elements apart come in three vectors, which the steps of a window
// share; blends and one permutation pick the lanes.
// APPLIED-LABEL: tir.prim_func {{.*}}@pool_of_three
// APPLIED-NOT: vector.gather
// APPLIED: vector.shuffle {{.*}} [0, 9, 2, 3, 12, 5, 6, 15] : vector<8xf32>, vector<8xf32>
// APPLIED: vector.shuffle {{.*}} [0, 1, 10, 3, 4, 13, 6, 7] : vector<8xf32>, vector<8xf32>
// APPLIED: vector.shuffle {{.*}} [0, 3, 6, 1, 4, 7, 2, 5] : vector<8xf32>, vector<8xf32>
// APPLIED-NOT: vector.gather
// APPLIED: tir.prim_func {{.*}}@end
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pool_of_three(%x: memref<64x96x96xf32>, %out: memref<64x32x32xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0xFF800000 : f32
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 32 {
        tir.for %i2 = 0 to 32 {
          tir.for %i3 = 0 to 3 {
            tir.for %i4 = 0 to 3 {
              tir.block @max_pool2d(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 32, %v2 = spatial %i2 in 32, %v3 = reduce %i3 in 3, %v4 = reduce %i4 in 3)
                  reads(%out[%v0, %v1, %v2] : memref<64x32x32xf32>, %x[%v0, %v1 * 3 + %v3, %v2 * 3 + %v4] : memref<64x96x96xf32>)
                  writes(%out[%v0, %v1, %v2] : memref<64x32x32xf32>) {
                tir.init {
                  affine.store %cst, %out[%v0, %v1, %v2] : memref<64x32x32xf32>
                }
                %1 = affine.load %out[%v0, %v1, %v2] : memref<64x32x32xf32>
                %2 = affine.load %x[%v0, %v1 * 3 + %v3, %v2 * 3 + %v4] : memref<64x96x96xf32>
                %3 = arith.maximumf %1, %2 : f32
                affine.store %3, %out[%v0, %v1, %v2] : memref<64x32x32xf32>
              }
            }
          }
        }
      }
    }
  }
  tir.prim_func @end(%x: memref<4xf32>, %out: memref<4xf32>) attributes {tir.num_outputs = 1 : i64} {
  }
}
