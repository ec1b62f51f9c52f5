// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Sixteen groups of two channels. Groups come last in the results, which the
// kernel keeps for itself, in the weights, which are packed ahead of time, and
// in the padded data; so lanes are groups, and no data is shuffled for a sum.
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>
// CHECK-DAG: #[[WEIGHT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 mod 2, d1, d2, d3, d0 floordiv 2)>
// CHECK-DAG: #[[DATA:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2 mod 2, d2 floordiv 2)>
// CHECK-LABEL: transform.named_sequence @groups.schedule
// CHECK: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK: %[[CONV:.*]] = transform.tir.get_block @conv2d in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[CONV]], write 0, #[[OUT]]
// CHECK-NEXT: transform.tir.transform_layout %[[CONV]], read 1, #[[WEIGHT]]
// CHECK-NEXT: transform.tir.transform_layout %[[PAD]], write 0, #[[DATA]]
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
// APPLIED-LABEL: tir.prim_func {{.*}}@groups
// APPLIED-SAME: memref<2x2x3x3x16xf32>
// APPLIED: tir.alloc_buffer() : memref<10x10x2x16xf32>
// APPLIED: tir.block @conv2d
// APPLIED: vector.fma
// APPLIED-NOT: vector.gather

// Half of a vector, or as few groups as a vector has no lanes for, is left to
// other rules; and so are results that the caller has a layout for.
// CHECK-LABEL: transform.named_sequence @wide.schedule
// CHECK-NOT: d0 mod
// CHECK: transform.yield
// CHECK-LABEL: transform.named_sequence @own.schedule
// CHECK-NOT: transform_layout %{{.*}}, write
// CHECK: transform.yield
#set = affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 8 >= 0, d1 - 1 >= 0, -d1 + 8 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @groups(%x: memref<8x8x32xf32>, %w: memref<32x2x3x3xf32>, %out: memref<8x8x32xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<10x10x32xf32>
    tir.for %i0 = 0 to 10 {
      tir.for %i1 = 0 to 10 {
        tir.for %i2 = 0 to 32 {
          tir.block @pad(%v0 = spatial %i0 in 10, %v1 = spatial %i1 in 10, %v2 = spatial %i2 in 32)
              reads(%x[%v0 - 1, %v1 - 1, %v2] : memref<8x8x32xf32>)
              writes(%0[%v0, %v1, %v2] : memref<10x10x32xf32>) {
            %3 = affine.if #set(%v0, %v1) -> f32 {
              %4 = affine.load %x[%v0 - 1, %v1 - 1, %v2] : memref<8x8x32xf32>
              affine.yield %4 : f32
            } else {
              affine.yield %cst : f32
            }
            affine.store %3, %0[%v0, %v1, %v2] : memref<10x10x32xf32>
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<8x8x16x2xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 8 {
        tir.for %i2 = 0 to 16 {
          tir.for %i3 = 0 to 2 {
            tir.for %i4 = 0 to 2 {
              tir.for %i5 = 0 to 3 {
                tir.for %i6 = 0 to 3 {
                  tir.block @conv2d(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 16, %v3 = spatial %i3 in 2, %v4 = reduce %i4 in 2, %v5 = reduce %i5 in 3, %v6 = reduce %i6 in 3)
                      reads(%0[%v0 + %v5, %v1 + %v6, %v2 * 2 + %v4] : memref<10x10x32xf32>, %w[%v2 * 2 + %v3, %v4, %v5, %v6] : memref<32x2x3x3xf32>, %1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>)
                      writes(%1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>) {
                    tir.init {
                      affine.store %cst, %1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>
                    }
                    %3 = affine.load %0[%v0 + %v5, %v1 + %v6, %v2 * 2 + %v4] : memref<10x10x32xf32>
                    %4 = affine.load %w[%v2 * 2 + %v3, %v4, %v5, %v6] : memref<32x2x3x3xf32>
                    %5 = affine.load %1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>
                    %6 = arith.mulf %3, %4 : f32
                    %7 = arith.addf %5, %6 : f32
                    affine.store %7, %1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 8 {
        tir.for %i2 = 0 to 16 {
          tir.for %i3 = 0 to 2 {
            tir.block @relu(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 16, %v3 = spatial %i3 in 2)
                reads(%1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>)
                writes(%out[%v0, %v1, %v2 * 2 + %v3] : memref<8x8x32xf32>) {
              %3 = affine.load %1[%v0, %v1, %v2, %v3] : memref<8x8x16x2xf32>
              %4 = arith.maximumf %3, %cst : f32
              affine.store %4, %out[%v0, %v1, %v2 * 2 + %v3] : memref<8x8x32xf32>
            }
          }
        }
      }
    }
  }

  tir.prim_func @wide(%x: memref<64x32xf32>, %w: memref<32x4xf32>, %out: memref<64x8x4xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %1 = tir.alloc_buffer() : memref<64x8x4xf32>
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 8 {
        tir.for %i2 = 0 to 4 {
          tir.for %i3 = 0 to 4 {
            tir.block @conv2d(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 4, %v3 = reduce %i3 in 4)
                reads(%x[%v0, %v1 * 4 + %v3] : memref<64x32xf32>, %w[%v1 * 4 + %v2, %v3] : memref<32x4xf32>, %1[%v0, %v1, %v2] : memref<64x8x4xf32>)
                writes(%1[%v0, %v1, %v2] : memref<64x8x4xf32>) {
              tir.init {
                affine.store %cst, %1[%v0, %v1, %v2] : memref<64x8x4xf32>
              }
              %3 = affine.load %x[%v0, %v1 * 4 + %v3] : memref<64x32xf32>
              %4 = affine.load %w[%v1 * 4 + %v2, %v3] : memref<32x4xf32>
              %5 = affine.load %1[%v0, %v1, %v2] : memref<64x8x4xf32>
              %6 = arith.mulf %3, %4 : f32
              %7 = arith.addf %5, %6 : f32
              affine.store %7, %1[%v0, %v1, %v2] : memref<64x8x4xf32>
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 8 {
        tir.for %i2 = 0 to 4 {
          tir.block @relu(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 8, %v2 = spatial %i2 in 4)
              reads(%1[%v0, %v1, %v2] : memref<64x8x4xf32>)
              writes(%out[%v0, %v1, %v2] : memref<64x8x4xf32>) {
            %3 = affine.load %1[%v0, %v1, %v2] : memref<64x8x4xf32>
            %4 = arith.maximumf %3, %cst : f32
            affine.store %4, %out[%v0, %v1, %v2] : memref<64x8x4xf32>
          }
        }
      }
    }
  }

  tir.prim_func @own(%x: memref<64x32xf32>, %w: memref<32x2xf32>, %out: memref<64x16x2xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 16 {
        tir.for %i2 = 0 to 2 {
          tir.for %i3 = 0 to 2 {
            tir.block @conv2d(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 16, %v2 = spatial %i2 in 2, %v3 = reduce %i3 in 2)
                reads(%x[%v0, %v1 * 2 + %v3] : memref<64x32xf32>, %w[%v1 * 2 + %v2, %v3] : memref<32x2xf32>, %out[%v0, %v1, %v2] : memref<64x16x2xf32>)
                writes(%out[%v0, %v1, %v2] : memref<64x16x2xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<64x16x2xf32>
              }
              %3 = affine.load %x[%v0, %v1 * 2 + %v3] : memref<64x32xf32>
              %4 = affine.load %w[%v1 * 2 + %v2, %v3] : memref<32x2xf32>
              %5 = affine.load %out[%v0, %v1, %v2] : memref<64x16x2xf32>
              %6 = arith.mulf %3, %4 : f32
              %7 = arith.addf %5, %6 : f32
              affine.store %7, %out[%v0, %v1, %v2] : memref<64x16x2xf32>
            }
          }
        }
      }
    }
  }
}
