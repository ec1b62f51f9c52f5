// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A pixel fills a page, of which a group of 32 channels reads two lines: the
// padded image, which the kernel writes itself, has the pixels of each group
// together.
// CHECK: #[[GROUPS:.*]] = affine_map<(d0, d1, d2) -> (d2 floordiv 32, d0, d1, d2 mod 32)>
// CHECK-LABEL: transform.named_sequence @pages.schedule
// CHECK: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK: transform.tir.transform_layout %[[PAD]], write 0, #[[GROUPS]]
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
// APPLIED-LABEL: tir.prim_func {{.*}}@pages
// APPLIED: tir.alloc_buffer() : memref<32x9x9x32xf32>
// APPLIED: tir.block @conv2d
// APPLIED: vector.fma

// Pixels of a quarter of a page stay as they are.
// CHECK-LABEL: transform.named_sequence @near.schedule
// CHECK-NOT: write 0
// CHECK: transform.yield
#set = affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 7 >= 0, d1 - 1 >= 0, -d1 + 7 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pages(%x: memref<7x7x1024xf32>, %w: memref<1024x32x3x3xf32>, %out: memref<7x7x32x32xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<9x9x1024xf32>
    tir.for %i0 = 0 to 9 {
      tir.for %i1 = 0 to 9 {
        tir.for %i2 = 0 to 1024 {
          tir.block @pad(%v0 = spatial %i0 in 9, %v1 = spatial %i1 in 9, %v2 = spatial %i2 in 1024)
              reads(%x[%v0 - 1, %v1 - 1, %v2] : memref<7x7x1024xf32>)
              writes(%0[%v0, %v1, %v2] : memref<9x9x1024xf32>) {
            %1 = affine.if #set(%v0, %v1) -> f32 {
              %2 = affine.load %x[%v0 - 1, %v1 - 1, %v2] : memref<7x7x1024xf32>
              affine.yield %2 : f32
            } else {
              affine.yield %cst : f32
            }
            affine.store %1, %0[%v0, %v1, %v2] : memref<9x9x1024xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 7 {
      tir.for %i1 = 0 to 7 {
        tir.for %i2 = 0 to 32 {
          tir.for %i3 = 0 to 32 {
            tir.for %i4 = 0 to 32 {
              tir.for %i5 = 0 to 3 {
                tir.for %i6 = 0 to 3 {
                  tir.block @conv2d(%v0 = spatial %i0 in 7, %v1 = spatial %i1 in 7, %v2 = spatial %i2 in 32, %v3 = spatial %i3 in 32, %v4 = reduce %i4 in 32, %v5 = reduce %i5 in 3, %v6 = reduce %i6 in 3)
                      reads(%0[%v0 + %v5, %v1 + %v6, %v2 * 32 + %v4] : memref<9x9x1024xf32>, %w[%v2 * 32 + %v3, %v4, %v5, %v6] : memref<1024x32x3x3xf32>, %out[%v0, %v1, %v2, %v3] : memref<7x7x32x32xf32>)
                      writes(%out[%v0, %v1, %v2, %v3] : memref<7x7x32x32xf32>) {
                    tir.init {
                      affine.store %cst, %out[%v0, %v1, %v2, %v3] : memref<7x7x32x32xf32>
                    }
                    %1 = affine.load %0[%v0 + %v5, %v1 + %v6, %v2 * 32 + %v4] : memref<9x9x1024xf32>
                    %2 = affine.load %w[%v2 * 32 + %v3, %v4, %v5, %v6] : memref<1024x32x3x3xf32>
                    %3 = affine.load %out[%v0, %v1, %v2, %v3] : memref<7x7x32x32xf32>
                    %4 = arith.mulf %1, %2 : f32
                    %5 = arith.addf %3, %4 : f32
                    affine.store %5, %out[%v0, %v1, %v2, %v3] : memref<7x7x32x32xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  tir.prim_func @near(%x: memref<7x7x256xf32>, %w: memref<256x32x3x3xf32>, %out: memref<7x7x8x32xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<9x9x256xf32>
    tir.for %i0 = 0 to 9 {
      tir.for %i1 = 0 to 9 {
        tir.for %i2 = 0 to 256 {
          tir.block @pad(%v0 = spatial %i0 in 9, %v1 = spatial %i1 in 9, %v2 = spatial %i2 in 256)
              reads(%x[%v0 - 1, %v1 - 1, %v2] : memref<7x7x256xf32>)
              writes(%0[%v0, %v1, %v2] : memref<9x9x256xf32>) {
            %1 = affine.if #set(%v0, %v1) -> f32 {
              %2 = affine.load %x[%v0 - 1, %v1 - 1, %v2] : memref<7x7x256xf32>
              affine.yield %2 : f32
            } else {
              affine.yield %cst : f32
            }
            affine.store %1, %0[%v0, %v1, %v2] : memref<9x9x256xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 7 {
      tir.for %i1 = 0 to 7 {
        tir.for %i2 = 0 to 8 {
          tir.for %i3 = 0 to 32 {
            tir.for %i4 = 0 to 32 {
              tir.for %i5 = 0 to 3 {
                tir.for %i6 = 0 to 3 {
                  tir.block @conv2d(%v0 = spatial %i0 in 7, %v1 = spatial %i1 in 7, %v2 = spatial %i2 in 8, %v3 = spatial %i3 in 32, %v4 = reduce %i4 in 32, %v5 = reduce %i5 in 3, %v6 = reduce %i6 in 3)
                      reads(%0[%v0 + %v5, %v1 + %v6, %v2 * 32 + %v4] : memref<9x9x256xf32>, %w[%v2 * 32 + %v3, %v4, %v5, %v6] : memref<256x32x3x3xf32>, %out[%v0, %v1, %v2, %v3] : memref<7x7x8x32xf32>)
                      writes(%out[%v0, %v1, %v2, %v3] : memref<7x7x8x32xf32>) {
                    tir.init {
                      affine.store %cst, %out[%v0, %v1, %v2, %v3] : memref<7x7x8x32xf32>
                    }
                    %1 = affine.load %0[%v0 + %v5, %v1 + %v6, %v2 * 32 + %v4] : memref<9x9x256xf32>
                    %2 = affine.load %w[%v2 * 32 + %v3, %v4, %v5, %v6] : memref<256x32x3x3xf32>
                    %3 = affine.load %out[%v0, %v1, %v2, %v3] : memref<7x7x8x32xf32>
                    %4 = arith.mulf %1, %2 : f32
                    %5 = arith.addf %3, %4 : f32
                    affine.store %5, %out[%v0, %v1, %v2, %v3] : memref<7x7x8x32xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
