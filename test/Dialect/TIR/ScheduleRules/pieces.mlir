// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A depthwise convolution reads the padded channel of its own only: each channel
// is padded right before it is read, in a buffer of one channel.
// CHECK-LABEL: transform.named_sequence @depthwise.schedule
// CHECK: %[[CONV:.*]] = transform.tir.get_block @conv in %{{.*}}
// CHECK: transform.tir.parallel %[[OUTER:.*]]#0
// CHECK: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK: transform.tir.compute_at %[[PAD]], %[[OUTER]]#0
// CHECK: transform.tir.vectorize
// APPLIED-LABEL: tir.prim_func {{.*}}@depthwise
// APPLIED: tir.for %{{.*}} = 0 to 64 kind(parallel)
// APPLIED: tir.alloc_buffer() : memref<1x57x57xf32, #target.memory<"local">>
// APPLIED: tir.block @pad
// APPLIED: tir.block @conv
#set = affine_set<(d0, d1, d2) : (d1 - 1 >= 0, -(d1 - 1) + 55 >= 0, d2 - 1 >= 0, -(d2 - 1) + 55 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @depthwise(%x: memref<64x56x56xf32>, %w: memref<64x3x3xf32>, %out: memref<64x28x28xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<64x58x58xf32>
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 58 {
        tir.for %i2 = 0 to 58 {
          tir.block @pad(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 58, %v2 = spatial %i2 in 58)
              reads(%x[%v0, %v1 - 1, %v2 - 1] : memref<64x56x56xf32>)
              writes(%0[%v0, %v1, %v2] : memref<64x58x58xf32>) {
            %1 = affine.if #set(%v0, %v1, %v2) -> f32 {
              %2 = affine.load %x[%v0, %v1 - 1, %v2 - 1] : memref<64x56x56xf32>
              affine.yield %2 : f32
            } else {
              affine.yield %cst : f32
            }
            affine.store %1, %0[%v0, %v1, %v2] : memref<64x58x58xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 64 {
      tir.for %i1 = 0 to 28 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 3 {
            tir.for %i4 = 0 to 3 {
              tir.block @conv(%v0 = spatial %i0 in 64, %v1 = spatial %i1 in 28, %v2 = spatial %i2 in 28, %v3 = reduce %i3 in 3, %v4 = reduce %i4 in 3)
                  reads(%0[%v0, %v1 * 2 + %v3, %v2 * 2 + %v4] : memref<64x58x58xf32>, %w[%v0, %v3, %v4] : memref<64x3x3xf32>, %out[%v0, %v1, %v2] : memref<64x28x28xf32>)
                  writes(%out[%v0, %v1, %v2] : memref<64x28x28xf32>) {
                tir.init {
                  affine.store %cst, %out[%v0, %v1, %v2] : memref<64x28x28xf32>
                }
                %1 = affine.load %0[%v0, %v1 * 2 + %v3, %v2 * 2 + %v4] : memref<64x58x58xf32>
                %2 = affine.load %w[%v0, %v3, %v4] : memref<64x3x3xf32>
                %3 = arith.mulf %1, %2 : f32
                %4 = affine.load %out[%v0, %v1, %v2] : memref<64x28x28xf32>
                %5 = arith.addf %4, %3 : f32
                affine.store %5, %out[%v0, %v1, %v2] : memref<64x28x28xf32>
              }
            }
          }
        }
      }
    }
  }
}

// -----

// Every result channel reads all padded channels: they are padded once.
// CHECK-LABEL: transform.named_sequence @dense.schedule
// CHECK-NOT: compute_at
// APPLIED-LABEL: tir.prim_func {{.*}}@dense
// APPLIED: tir.block @pad
// APPLIED: tir.block @conv
#set = affine_set<(d0, d1, d2) : (d1 - 1 >= 0, -(d1 - 1) + 55 >= 0, d2 - 1 >= 0, -(d2 - 1) + 55 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @dense(%x: memref<8x56x56xf32>, %w: memref<32x8x3x3xf32>, %out: memref<32x56x56xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<8x58x58xf32>
    tir.for %i0 = 0 to 8 {
      tir.for %i1 = 0 to 58 {
        tir.for %i2 = 0 to 58 {
          tir.block @pad(%v0 = spatial %i0 in 8, %v1 = spatial %i1 in 58, %v2 = spatial %i2 in 58)
              reads(%x[%v0, %v1 - 1, %v2 - 1] : memref<8x56x56xf32>)
              writes(%0[%v0, %v1, %v2] : memref<8x58x58xf32>) {
            %1 = affine.if #set(%v0, %v1, %v2) -> f32 {
              %2 = affine.load %x[%v0, %v1 - 1, %v2 - 1] : memref<8x56x56xf32>
              affine.yield %2 : f32
            } else {
              affine.yield %cst : f32
            }
            affine.store %1, %0[%v0, %v1, %v2] : memref<8x58x58xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to 32 {
      tir.for %i1 = 0 to 56 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 8 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @conv(%v0 = spatial %i0 in 32, %v1 = spatial %i1 in 56, %v2 = spatial %i2 in 56, %v3 = reduce %i3 in 8, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%0[%v3, %v1 + %v4, %v2 + %v5] : memref<8x58x58xf32>, %w[%v0, %v3, %v4, %v5] : memref<32x8x3x3xf32>, %out[%v0, %v1, %v2] : memref<32x56x56xf32>)
                    writes(%out[%v0, %v1, %v2] : memref<32x56x56xf32>) {
                  tir.init {
                    affine.store %cst, %out[%v0, %v1, %v2] : memref<32x56x56xf32>
                  }
                  %1 = affine.load %0[%v3, %v1 + %v4, %v2 + %v5] : memref<8x58x58xf32>
                  %2 = affine.load %w[%v0, %v3, %v4, %v5] : memref<32x8x3x3xf32>
                  %3 = arith.mulf %1, %2 : f32
                  %4 = affine.load %out[%v0, %v1, %v2] : memref<32x56x56xf32>
                  %5 = arith.addf %4, %3 : f32
                  affine.store %5, %out[%v0, %v1, %v2] : memref<32x56x56xf32>
                }
              }
            }
          }
        }
      }
    }
  }
}
