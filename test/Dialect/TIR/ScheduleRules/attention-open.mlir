// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// Products and the steps between them run by blocks of rows also if sizes are open.
// CHECK-LABEL: tir.prim_func {{.*}}@open
// CHECK-NOT: memref<?x?x?xf32>{{$}}
// CHECK: tir.alloc_buffer(%{{.*}}, %{{.*}}) : memref<?x48x?xf32>
// CHECK: tir.alloc_buffer(%{{.*}}, %{{.*}}) : memref<?x48x?xf32>
// CHECK-NOT: memref<?x?x?xf32>{{$}}
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @open(%q: memref<?x?x64xf32>, %k: memref<?x?x64xf32>, %v: memref<?x?x64xf32>, %out: memref<?x?x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %q, %c0 : memref<?x?x64xf32>
    %c1 = arith.constant 1 : index
    %dim_0 = memref.dim %q, %c1 : memref<?x?x64xf32>
    %c1_1 = arith.constant 1 : index
    %dim_2 = memref.dim %k, %c1_1 : memref<?x?x64xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer(%dim, %dim_0, %dim_2) : memref<?x?x?xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to %dim_2 {
          tir.for %i3 = 0 to 64 {
            tir.block @batch_matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = spatial %i2 in %dim_2, %v3 = reduce %i3 in 64)
                reads(%q[%v0, %v1, %v3] : memref<?x?x64xf32>, %k[%v0, %v2, %v3] : memref<?x?x64xf32>, %0[%v0, %v1, %v2] : memref<?x?x?xf32>)
                writes(%0[%v0, %v1, %v2] : memref<?x?x?xf32>) {
              tir.init {
                affine.store %cst, %0[%v0, %v1, %v2] : memref<?x?x?xf32>
              }
              %6 = affine.load %q[%v0, %v1, %v3] : memref<?x?x64xf32>
              %7 = affine.load %k[%v0, %v2, %v3] : memref<?x?x64xf32>
              %8 = affine.load %0[%v0, %v1, %v2] : memref<?x?x?xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %0[%v0, %v1, %v2] : memref<?x?x?xf32>
            }
          }
        }
      }
    }
    %cst_3 = arith.constant 0xFF800000 : f32
    %1 = tir.alloc_buffer(%dim, %dim_0) : memref<?x?x1xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to %dim_2 {
          tir.block @softmax_max(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = reduce %i2 in %dim_2)
              reads(%0[%v0, %v1, %v2] : memref<?x?x?xf32>, %1[%v0, %v1, 0] : memref<?x?x1xf32>)
              writes(%1[%v0, %v1, 0] : memref<?x?x1xf32>) {
            tir.init {
              affine.store %cst_3, %1[%v0, %v1, 0] : memref<?x?x1xf32>
            }
            %6 = affine.load %0[%v0, %v1, %v2] : memref<?x?x?xf32>
            %7 = affine.load %1[%v0, %v1, 0] : memref<?x?x1xf32>
            %8 = arith.maxnumf %7, %6 : f32
            affine.store %8, %1[%v0, %v1, 0] : memref<?x?x1xf32>
          }
        }
      }
    }
    %2 = tir.alloc_buffer(%dim, %dim_0, %dim_2) : memref<?x?x?xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to %dim_2 {
          tir.block @softmax_exp(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = spatial %i2 in %dim_2)
              reads(%0[%v0, %v1, %v2] : memref<?x?x?xf32>, %1[%v0, %v1, 0] : memref<?x?x1xf32>)
              writes(%2[%v0, %v1, %v2] : memref<?x?x?xf32>) {
            %6 = affine.load %0[%v0, %v1, %v2] : memref<?x?x?xf32>
            %7 = affine.load %1[%v0, %v1, 0] : memref<?x?x1xf32>
            %8 = arith.subf %6, %7 : f32
            %9 = math.exp %8 fastmath<afn> : f32
            affine.store %9, %2[%v0, %v1, %v2] : memref<?x?x?xf32>
          }
        }
      }
    }
    %3 = tir.alloc_buffer(%dim, %dim_0) : memref<?x?x1xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to %dim_2 {
          tir.block @softmax_sum(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = reduce %i2 in %dim_2)
              reads(%2[%v0, %v1, %v2] : memref<?x?x?xf32>, %3[%v0, %v1, 0] : memref<?x?x1xf32>)
              writes(%3[%v0, %v1, 0] : memref<?x?x1xf32>) {
            tir.init {
              affine.store %cst, %3[%v0, %v1, 0] : memref<?x?x1xf32>
            }
            %6 = affine.load %2[%v0, %v1, %v2] : memref<?x?x?xf32>
            %7 = affine.load %3[%v0, %v1, 0] : memref<?x?x1xf32>
            %8 = arith.addf %7, %6 : f32
            affine.store %8, %3[%v0, %v1, 0] : memref<?x?x1xf32>
          }
        }
      }
    }
    %4 = tir.alloc_buffer(%dim, %dim_0) : memref<?x?x1xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to 1 {
          tir.block @softmax_scale(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = spatial %i2 in 1)
              reads(%3[%v0, %v1, 0] : memref<?x?x1xf32>)
              writes(%4[%v0, %v1, 0] : memref<?x?x1xf32>) {
            %6 = affine.load %3[%v0, %v1, 0] : memref<?x?x1xf32>
            %cst_4 = arith.constant 1.000000e+00 : f32
            %7 = arith.divf %cst_4, %6 : f32
            affine.store %7, %4[%v0, %v1, 0] : memref<?x?x1xf32>
          }
        }
      }
    }
    %5 = tir.alloc_buffer(%dim, %dim_0, %dim_2) : memref<?x?x?xf32>
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to %dim_2 {
          tir.block @softmax(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = spatial %i2 in %dim_2)
              reads(%2[%v0, %v1, %v2] : memref<?x?x?xf32>, %4[%v0, %v1, 0] : memref<?x?x1xf32>)
              writes(%5[%v0, %v1, %v2] : memref<?x?x?xf32>) {
            %6 = affine.load %2[%v0, %v1, %v2] : memref<?x?x?xf32>
            %7 = affine.load %4[%v0, %v1, 0] : memref<?x?x1xf32>
            %8 = arith.mulf %6, %7 : f32
            affine.store %8, %5[%v0, %v1, %v2] : memref<?x?x?xf32>
          }
        }
      }
    }
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to %dim_2 {
            tir.block @batch_matmul_1(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = spatial %i2 in 64, %v3 = reduce %i3 in %dim_2)
                reads(%5[%v0, %v1, %v3] : memref<?x?x?xf32>, %v[%v0, %v3, %v2] : memref<?x?x64xf32>, %out[%v0, %v1, %v2] : memref<?x?x64xf32>)
                writes(%out[%v0, %v1, %v2] : memref<?x?x64xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<?x?x64xf32>
              }
              %6 = affine.load %5[%v0, %v1, %v3] : memref<?x?x?xf32>
              %7 = affine.load %v[%v0, %v3, %v2] : memref<?x?x64xf32>
              %8 = affine.load %out[%v0, %v1, %v2] : memref<?x?x64xf32>
              %9 = arith.mulf %6, %7 : f32
              %10 = arith.addf %8, %9 : f32
              affine.store %10, %out[%v0, %v1, %v2] : memref<?x?x64xf32>
            }
          }
        }
      }
    }
  }
}
