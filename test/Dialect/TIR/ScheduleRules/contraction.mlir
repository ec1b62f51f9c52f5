// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A convolution: weights packed for two vectors of outputs, 14 columns by 32
// outputs in registers, the epilogue beside the tile.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 32, d2, d3, d1, d0 mod 32)>
// CHECK-LABEL: transform.named_sequence @conv.schedule
// CHECK-NEXT: %[[BIAS_ADD:.*]] = transform.tir.get_block @bias_add in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[BIAS_ADD]]
// CHECK-NEXT: %[[PAD:.*]] = transform.tir.get_block @pad in %{{.*}}
// CHECK-NEXT: %[[LOOPS:.*]]:4 = transform.tir.get_loops %[[PAD]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS]]#3
// CHECK-NEXT: %[[FUSED:.*]] = transform.tir.fuse %[[LOOPS]]#0, %[[LOOPS]]#1
// CHECK-NEXT: %[[LOOPS_1:.*]]:3 = transform.tir.get_loops %[[PAD]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_1]]#0
// CHECK-NEXT: %[[CONV2D:.*]] = transform.tir.get_block @conv2d in %{{.*}}
// CHECK-NEXT: transform.tir.transform_layout %[[CONV2D]], read 1, #[[LAYOUT]]
// CHECK-NEXT: %[[LOOPS_2:.*]]:7 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[SPLIT:.*]]:2 = transform.tir.split %[[LOOPS_2]]#1 [?, 32]
// CHECK-NEXT: %[[LOOPS_3:.*]]:8 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[SPLIT_1:.*]]:2 = transform.tir.split %[[LOOPS_3]]#4 [?, 14]
// CHECK-NEXT: %[[LOOPS_4:.*]]:9 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.reorder %[[LOOPS_4]]#0, %[[LOOPS_4]]#1, %[[LOOPS_4]]#3, %[[LOOPS_4]]#4, %[[LOOPS_4]]#7, %[[LOOPS_4]]#8, %[[LOOPS_4]]#6, %[[LOOPS_4]]#5, %[[LOOPS_4]]#2
// CHECK-NEXT: %[[RELU:.*]] = transform.tir.get_block @relu in %{{.*}}
// CHECK-NEXT: %[[LOOPS_5:.*]]:9 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.reverse_compute_at %[[RELU]], %[[LOOPS_5]]#3
// CHECK-NEXT: %[[LOOPS_6:.*]]:6 = transform.tir.get_loops %[[RELU]]
// CHECK-NEXT: transform.tir.vectorize %[[LOOPS_6]]#5
// CHECK-NEXT: %[[LOOPS_7:.*]]:9 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: %[[FUSED_1:.*]] = transform.tir.fuse %[[LOOPS_7]]#0, %[[LOOPS_7]]#1, %[[LOOPS_7]]#2
// CHECK-NEXT: %[[LOOPS_8:.*]]:7 = transform.tir.get_loops %[[CONV2D]]
// CHECK-NEXT: transform.tir.parallel %[[LOOPS_8]]#0
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: %[[TILE:.*]] = transform.tir.tensorize %[[LOOPS_8]]#2, "register_tile" {vector_bits = 512 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func {{.*}}@conv
// APPLIED-SAME: memref<2x3x3x64x32xf32> {tir.layout = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 32, d2, d3, d1, d0 mod 32)>, tir.original_type = memref<64x64x3x3xf32>}
// APPLIED: kind(parallel)
// APPLIED: kind(parallel)
// APPLIED: tir.alloc_buffer() : memref<{{.*}}, #target.memory<"local">>
// APPLIED: vector.fma
// APPLIED: tir.block @relu
#set = affine_set<(d0, d1, d2, d3) : (d2 - 1 >= 0, -(d2 - 1) + 55 >= 0, d3 - 1 >= 0, -(d3 - 1) + 55 >= 0)>
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @conv(%x: memref<1x64x56x56xf32>, %w: memref<64x64x3x3xf32>, %b: memref<64xf32>, %out: memref<1x64x56x56xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<1x64x58x58xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 58 {
          tir.for %i3 = 0 to 58 {
            tir.block @pad(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 58, %v3 = spatial %i3 in 58)
                reads(%x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x56x56xf32>)
                writes(%0[0, %v1, %v2, %v3] : memref<1x64x58x58xf32>) {
              %3 = affine.if #set(%v0, %v1, %v2, %v3) -> f32 {
                %4 = affine.load %x[0, %v1, %v2 - 1, %v3 - 1] : memref<1x64x56x56xf32>
                affine.yield %4 : f32
              } else {
                affine.yield %cst : f32
              }
              affine.store %3, %0[0, %v1, %v2, %v3] : memref<1x64x58x58xf32>
            }
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<1x64x56x56xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.for %i4 = 0 to 64 {
              tir.for %i5 = 0 to 3 {
                tir.for %i6 = 0 to 3 {
                  tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56, %v4 = reduce %i4 in 64, %v5 = reduce %i5 in 3, %v6 = reduce %i6 in 3)
                      reads(%0[0, %v4, %v2 + %v5, %v3 + %v6] : memref<1x64x58x58xf32>, %w[%v1, %v4, %v5, %v6] : memref<64x64x3x3xf32>, %1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>)
                      writes(%1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
                    tir.init {
                      affine.store %cst, %1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                    }
                    %3 = affine.load %0[0, %v4, %v2 + %v5, %v3 + %v6] : memref<1x64x58x58xf32>
                    %4 = affine.load %w[%v1, %v4, %v5, %v6] : memref<64x64x3x3xf32>
                    %5 = affine.load %1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                    %6 = arith.mulf %3, %4 : f32
                    %7 = arith.addf %5, %6 : f32
                    affine.store %7, %1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
    %2 = tir.alloc_buffer() : memref<1x64x56x56xf32>
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.block @bias_add(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56)
                reads(%1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>, %b[%v1] : memref<64xf32>)
                writes(%2[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
              %3 = affine.load %1[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
              %4 = affine.load %b[%v1] : memref<64xf32>
              %5 = arith.addf %3, %4 : f32
              affine.store %5, %2[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
            }
          }
        }
      }
    }
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 56 {
          tir.for %i3 = 0 to 56 {
            tir.block @relu(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 64, %v2 = spatial %i2 in 56, %v3 = spatial %i3 in 56)
                reads(%2[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>)
                writes(%out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>) {
              %3 = affine.load %2[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
              %4 = arith.cmpf olt, %3, %cst : f32
              %5 = arith.select %4, %cst, %3 : f32
              affine.store %5, %out[0, %v1, %v2, %v3] : memref<1x64x56x56xf32>
            }
          }
        }
      }
    }
  }
}

// -----

// The epilogue of a tile is written out like the tile, over a local buffer with
// constant positions, so that the results stay in registers.
// APPLIED-LABEL: tir.prim_func{{.*}} @epilogue
// APPLIED: tir.alloc_buffer() : memref<{{.*}}, #target.memory<"local">>
// APPLIED: scf.for
// APPLIED: vector.fma
// APPLIED: tir.block @relu
// APPLIED-NOT: vectorized
// APPLIED: vector.load
// APPLIED: arith.addf {{.*}} : vector<16xf32>
// APPLIED: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// APPLIED: vector.store
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @epilogue(%x: memref<196x64xf32>, %w: memref<128x64xf32>, %b: memref<128xf32>, %out: memref<196x128xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tir.alloc_buffer() : memref<196x128xf32>
    tir.for %i0 = 0 to 196 {
      tir.for %i1 = 0 to 128 {
        tir.for %i2 = 0 to 64 {
          tir.block @dense(%v0 = spatial %i0 in 196, %v1 = spatial %i1 in 128, %v2 = reduce %i2 in 64)
              reads(%x[%v0, %v2] : memref<196x64xf32>, %w[%v1, %v2] : memref<128x64xf32>, %0[%v0, %v1] : memref<196x128xf32>)
              writes(%0[%v0, %v1] : memref<196x128xf32>) {
            tir.init {
              affine.store %cst, %0[%v0, %v1] : memref<196x128xf32>
            }
            %2 = affine.load %x[%v0, %v2] : memref<196x64xf32>
            %3 = affine.load %w[%v1, %v2] : memref<128x64xf32>
            %4 = affine.load %0[%v0, %v1] : memref<196x128xf32>
            %5 = arith.mulf %2, %3 : f32
            %6 = arith.addf %4, %5 : f32
            affine.store %6, %0[%v0, %v1] : memref<196x128xf32>
          }
        }
      }
    }
    %1 = tir.alloc_buffer() : memref<196x128xf32>
    tir.for %i0 = 0 to 196 {
      tir.for %i1 = 0 to 128 {
        tir.block @add(%v0 = spatial %i0 in 196, %v1 = spatial %i1 in 128)
            reads(%0[%v0, %v1] : memref<196x128xf32>, %b[%v1] : memref<128xf32>)
            writes(%1[%v0, %v1] : memref<196x128xf32>) {
          %2 = affine.load %0[%v0, %v1] : memref<196x128xf32>
          %3 = affine.load %b[%v1] : memref<128xf32>
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %1[%v0, %v1] : memref<196x128xf32>
        }
      }
    }
    tir.for %i0 = 0 to 196 {
      tir.for %i1 = 0 to 128 {
        tir.block @relu(%v0 = spatial %i0 in 196, %v1 = spatial %i1 in 128)
            reads(%1[%v0, %v1] : memref<196x128xf32>)
            writes(%out[%v0, %v1] : memref<196x128xf32>) {
          %2 = affine.load %1[%v0, %v1] : memref<196x128xf32>
          %3 = arith.cmpf olt, %2, %cst : f32
          %4 = arith.select %3, %cst, %2 : f32
          affine.store %4, %out[%v0, %v1] : memref<196x128xf32>
        }
      }
    }
  }
}

// -----

// Few channels: the pixels are the lanes, so that nothing is transposed, and
// the weights stay as they are.
// CHECK-LABEL: transform.named_sequence @expand.schedule
// CHECK-NOT: transform.tir.transform_layout
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@expand
// APPLIED: vector.fma
// APPLIED-NOT: vector.shuffle
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @expand(%x: memref<1x16x64x64xf32>, %w: memref<96x16x1x1xf32>, %out: memref<1x96x64x64xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 96 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to 64 {
            tir.for %i4 = 0 to 16 {
              tir.for %i5 = 0 to 1 {
                tir.for %i6 = 0 to 1 {
                  tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 96, %v2 = spatial %i2 in 64, %v3 = spatial %i3 in 64, %v4 = reduce %i4 in 16, %v5 = reduce %i5 in 1, %v6 = reduce %i6 in 1)
                      reads(%x[0, %v4, %v2, %v3] : memref<1x16x64x64xf32>, %w[%v1, %v4, 0, 0] : memref<96x16x1x1xf32>, %out[0, %v1, %v2, %v3] : memref<1x96x64x64xf32>)
                      writes(%out[0, %v1, %v2, %v3] : memref<1x96x64x64xf32>) {
                    tir.init {
                      affine.store %cst, %out[0, %v1, %v2, %v3] : memref<1x96x64x64xf32>
                    }
                    %0 = affine.load %x[0, %v4, %v2, %v3] : memref<1x16x64x64xf32>
                    %1 = affine.load %w[%v1, %v4, 0, 0] : memref<96x16x1x1xf32>
                    %2 = affine.load %out[0, %v1, %v2, %v3] : memref<1x96x64x64xf32>
                    %3 = arith.mulf %0, %1 : f32
                    %4 = arith.addf %2, %3 : f32
                    affine.store %4, %out[0, %v1, %v2, %v3] : memref<1x96x64x64xf32>
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

// -----

// Too little work to start threads for.
// CHECK-LABEL: transform.named_sequence @small.schedule
// CHECK-NOT: transform.tir.parallel
// CHECK: transform.yield

// APPLIED-LABEL: tir.prim_func {{.*}}@small
// APPLIED-NOT: kind(parallel)
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @small(%x: memref<1x16xf32>, %w: memref<32x16xf32>, %out: memref<1x32xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 32 {
        tir.for %i2 = 0 to 16 {
          tir.block @dense(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 32, %v2 = reduce %i2 in 16)
              reads(%x[0, %v2] : memref<1x16xf32>, %w[%v1, %v2] : memref<32x16xf32>, %out[0, %v1] : memref<1x32xf32>)
              writes(%out[0, %v1] : memref<1x32xf32>) {
            tir.init {
              affine.store %cst, %out[0, %v1] : memref<1x32xf32>
            }
            %0 = affine.load %x[0, %v2] : memref<1x16xf32>
            %1 = affine.load %w[%v1, %v2] : memref<32x16xf32>
            %2 = affine.load %out[0, %v1] : memref<1x32xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[0, %v1] : memref<1x32xf32>
          }
        }
      }
    }
  }
}

// -----

// Rows at distances that only the run time knows need a general register each:
// six of them, and more columns.
// CHECK-LABEL: @open_rows.schedule
// CHECK: transform.tir.split %{{.*}} [?, 64]
// CHECK: transform.tir.split %{{.*}} [?, 6]
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v4">} {
  tir.prim_func @open_rows(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %out: memref<?x?xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %x, %c0 : memref<?x?xf32>
    %c1 = arith.constant 1 : index
    %dim_0 = memref.dim %x, %c1 : memref<?x?xf32>
    %c1_1 = arith.constant 1 : index
    %dim_2 = memref.dim %w, %c1_1 : memref<?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_2 {
        tir.for %i2 = 0 to %dim_0 {
          tir.block @matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_2, %v2 = reduce %i2 in %dim_0)
              reads(%x[%v0, %v2] : memref<?x?xf32>, %w[%v2, %v1] : memref<?x?xf32>, %out[%v0, %v1] : memref<?x?xf32>)
              writes(%out[%v0, %v1] : memref<?x?xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<?x?xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<?x?xf32>
            %1 = affine.load %w[%v2, %v1] : memref<?x?xf32>
            %2 = affine.load %out[%v0, %v1] : memref<?x?xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<?x?xf32>
          }
        }
      }
    }
  }
}
