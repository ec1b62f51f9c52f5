// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Many rows of each image, and an unknown number of images: each goes through the columns
// by itself, and parts of the reduction are summed for all of its rows, as if it were alone.
// The loop over images is outermost.
// CHECK-LABEL: transform.named_sequence @images.schedule
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK: transform.tir.split %{{.*}} [?, 4]
// CHECK: transform.tir.split %{{.*}} [?, 768]
// CHECK: %[[LOOPS:.*]]:7 = transform.tir.get_loops
// CHECK: transform.tir.reorder %[[LOOPS]]#0, %[[LOOPS]]#3, %[[LOOPS]]#5, %[[LOOPS]]#1, %[[LOOPS]]#6, %[[LOOPS]]#2, %[[LOOPS]]#4

// The same where rows of all images are one dimension.
// CHECK-LABEL: transform.named_sequence @merged.schedule
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK: transform.tir.split %{{.*}} [?, 128]
// CHECK: transform.tir.split %{{.*}} [?, 4]
// CHECK: transform.tir.split %{{.*}} [?, 768]
// No row is asked whether it is there.
// APPLIED-LABEL: tir.prim_func {{.*}}@merged
// APPLIED: tir.for %{{.*}} = 0 to %{{.*}} kind(parallel)
// APPLIED-NOT: scf.if
// APPLIED-LABEL: tir.prim_func {{.*}}@few

// Few rows of an image would read all columns for little.
// CHECK-LABEL: transform.named_sequence @few.schedule
// CHECK-NOT: transform.tir.split %{{.*}} [?, 12]
// CHECK-NOT: transform.tir.split %{{.*}} [?, 768]
// CHECK: transform.yield

// Of an unknown number of rows, one that is left alone reads its columns, which it uses once,
// from two places at a time, with sums of its own for each, and prefetches nothing. The last
// step of an odd number of them follows.
// APPLIED-LABEL: tir.prim_func {{.*}}@alone
// APPLIED: scf.if
// APPLIED: memref.prefetch
// APPLIED: %[[HALF:.*]] = arith.constant 256 : index
// APPLIED: %{{.*}}:6 = scf.for %{{.*}} = %{{.*}} to %[[HALF]]
// APPLIED-NOT: memref.prefetch
// APPLIED: scf.yield
// APPLIED-COUNT-3: arith.addf
// APPLIED-COUNT-3: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @images(%x: memref<?x128x3072xf32>, %w: memref<3072x768xf32>, %out: memref<?x128x768xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %x, %c0 : memref<?x128x3072xf32>
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 128 {
        tir.for %i2 = 0 to 768 {
          tir.for %i3 = 0 to 3072 {
            tir.block @matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 128, %v2 = spatial %i2 in 768, %v3 = reduce %i3 in 3072)
                reads(%x[%v0, %v1, %v3] : memref<?x128x3072xf32>, %w[%v3, %v2] : memref<3072x768xf32>, %out[%v0, %v1, %v2] : memref<?x128x768xf32>)
                writes(%out[%v0, %v1, %v2] : memref<?x128x768xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<?x128x768xf32>
              }
              %0 = affine.load %x[%v0, %v1, %v3] : memref<?x128x3072xf32>
              %1 = affine.load %w[%v3, %v2] : memref<3072x768xf32>
              %2 = affine.load %out[%v0, %v1, %v2] : memref<?x128x768xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1, %v2] : memref<?x128x768xf32>
            }
          }
        }
      }
    }
  }
  tir.prim_func @merged(%n: memref<?xf32>, %x: memref<?x3072xf32>, %w: memref<3072x768xf32>, %out: memref<?x768xf32>) attributes {tir.layout_free = [2], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %n, %c0 : memref<?xf32>
    %rows = affine.apply affine_map<()[s0] -> (s0 * 128)>()[%dim]
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %rows {
      tir.for %i1 = 0 to 768 {
        tir.for %i2 = 0 to 3072 {
          tir.block @matmul(%v0 = spatial %i0 in %rows, %v1 = spatial %i1 in 768, %v2 = reduce %i2 in 3072)
              reads(%x[%v0, %v2] : memref<?x3072xf32>, %w[%v2, %v1] : memref<3072x768xf32>, %out[%v0, %v1] : memref<?x768xf32>)
              writes(%out[%v0, %v1] : memref<?x768xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<?x768xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<?x3072xf32>
            %1 = affine.load %w[%v2, %v1] : memref<3072x768xf32>
            %2 = affine.load %out[%v0, %v1] : memref<?x768xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<?x768xf32>
          }
        }
      }
    }
  }
  tir.prim_func @few(%x: memref<?x12x3072xf32>, %w: memref<3072x768xf32>, %out: memref<?x12x768xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %x, %c0 : memref<?x12x3072xf32>
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 12 {
        tir.for %i2 = 0 to 768 {
          tir.for %i3 = 0 to 3072 {
            tir.block @matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 12, %v2 = spatial %i2 in 768, %v3 = reduce %i3 in 3072)
                reads(%x[%v0, %v1, %v3] : memref<?x12x3072xf32>, %w[%v3, %v2] : memref<3072x768xf32>, %out[%v0, %v1, %v2] : memref<?x12x768xf32>)
                writes(%out[%v0, %v1, %v2] : memref<?x12x768xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<?x12x768xf32>
              }
              %0 = affine.load %x[%v0, %v1, %v3] : memref<?x12x3072xf32>
              %1 = affine.load %w[%v3, %v2] : memref<3072x768xf32>
              %2 = affine.load %out[%v0, %v1, %v2] : memref<?x12x768xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1, %v2] : memref<?x12x768xf32>
            }
          }
        }
      }
    }
  }

  tir.prim_func @alone(%x: memref<?x513xf32>, %w: memref<513x768xf32>, %out: memref<?x768xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %x, %c0 : memref<?x513xf32>
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to 768 {
        tir.for %i2 = 0 to 513 {
          tir.block @matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in 768, %v2 = reduce %i2 in 513)
              reads(%x[%v0, %v2] : memref<?x513xf32>, %w[%v2, %v1] : memref<513x768xf32>, %out[%v0, %v1] : memref<?x768xf32>)
              writes(%out[%v0, %v1] : memref<?x768xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<?x768xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<?x513xf32>
            %1 = affine.load %w[%v2, %v1] : memref<513x768xf32>
            %2 = affine.load %out[%v0, %v1] : memref<?x768xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<?x768xf32>
          }
        }
      }
    }
  }
}
