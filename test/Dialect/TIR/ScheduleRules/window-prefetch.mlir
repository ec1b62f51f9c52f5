// Windows over data that no cache holds prefetch what the same tile of the next
// row of windows reads and this one does not: here two rows, of as many columns
// as the tile has under its windows, in lines of 64 bytes. Positions stay inside
// of the data. Of data that a cache holds, nothing is prefetched.
// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// CHECK-LABEL: tir.prim_func {{.*}}@large
// CHECK:       %[[SIZE:.*]] = memref.dim
// CHECK:       %[[LAST:.*]] = arith.subi %[[SIZE]],
// CHECK:       arith.minsi %{{.*}}, %[[LAST]]
// CHECK:       arith.maxsi
// CHECK-COUNT-18: memref.prefetch %{{.*}}, read, locality<2>, data : memref<1225824xf32>
// CHECK-NOT:   memref.prefetch
// CHECK:       vector.load
// CHECK-LABEL: tir.prim_func {{.*}}@small
// CHECK-NOT:   memref.prefetch
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @large(%x: memref<1x113x113x96xf32>, %w: memref<96x1x3x3xf32>, %out: memref<1x56x56x96xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 96 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 96, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%x[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x113x113x96xf32>, %w[%v1, 0, %v4, %v5] : memref<96x1x3x3xf32>, %out[0, %v2, %v3, %v1] : memref<1x56x56x96xf32>)
                    writes(%out[0, %v2, %v3, %v1] : memref<1x56x56x96xf32>) {
                  tir.init {
                    affine.store %cst, %out[0, %v2, %v3, %v1] : memref<1x56x56x96xf32>
                  }
                  %1 = affine.load %x[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x113x113x96xf32>
                  %2 = affine.load %w[%v1, 0, %v4, %v5] : memref<96x1x3x3xf32>
                  %3 = affine.load %out[0, %v2, %v3, %v1] : memref<1x56x56x96xf32>
                  %4 = arith.mulf %1, %2 : f32
                  %5 = arith.addf %3, %4 : f32
                  affine.store %5, %out[0, %v2, %v3, %v1] : memref<1x56x56x96xf32>
                }
              }
            }
          }
        }
      }
    }
  }
  tir.prim_func @small(%x: memref<1x57x57x96xf32>, %w: memref<96x1x3x3xf32>, %out: memref<1x28x28x96xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 96 {
        tir.for %i2 = 0 to 28 {
          tir.for %i3 = 0 to 28 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 3 {
                tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 96, %v2 = spatial %i2 in 28, %v3 = spatial %i3 in 28, %v4 = reduce %i4 in 3, %v5 = reduce %i5 in 3)
                    reads(%x[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x57x57x96xf32>, %w[%v1, 0, %v4, %v5] : memref<96x1x3x3xf32>, %out[0, %v2, %v3, %v1] : memref<1x28x28x96xf32>)
                    writes(%out[0, %v2, %v3, %v1] : memref<1x28x28x96xf32>) {
                  tir.init {
                    affine.store %cst, %out[0, %v2, %v3, %v1] : memref<1x28x28x96xf32>
                  }
                  %1 = affine.load %x[0, %v2 * 2 + %v4, %v3 * 2 + %v5, %v1] : memref<1x57x57x96xf32>
                  %2 = affine.load %w[%v1, 0, %v4, %v5] : memref<96x1x3x3xf32>
                  %3 = affine.load %out[0, %v2, %v3, %v1] : memref<1x28x28x96xf32>
                  %4 = arith.mulf %1, %2 : f32
                  %5 = arith.addf %3, %4 : f32
                  affine.store %5, %out[0, %v2, %v3, %v1] : memref<1x28x28x96xf32>
                }
              }
            }
          }
        }
      }
    }
  }
}
