// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Two rows by all five vectors of columns fill as many registers, but would read
// the columns from the second cache faster than it can deliver them.
// The columns are copied, as most of their vectors lie across two lines.
// CHECK-LABEL: transform.named_sequence @odd.schedule
// CHECK: transform.tir.cache_read %{{.*}}, 1, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0, #{{.*}}
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK: transform.tir.split %{{.*}} [?, 4]
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @odd(%x: memref<1000x513xf32>, %w: memref<513x37xf32>, %out: memref<1000x37xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1000 {
      tir.for %i1 = 0 to 37 {
        tir.for %i2 = 0 to 513 {
          tir.block @matmul(%v0 = spatial %i0 in 1000, %v1 = spatial %i1 in 37, %v2 = reduce %i2 in 513)
              reads(%x[%v0, %v2] : memref<1000x513xf32>, %w[%v2, %v1] : memref<513x37xf32>, %out[%v0, %v1] : memref<1000x37xf32>)
              writes(%out[%v0, %v1] : memref<1000x37xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<1000x37xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<1000x513xf32>
            %1 = affine.load %w[%v2, %v1] : memref<513x37xf32>
            %2 = affine.load %out[%v0, %v1] : memref<1000x37xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<1000x37xf32>
          }
        }
      }
    }
  }
}

// -----

// Columns 256 bytes apart share a quarter of the sets of the first cache.
// CHECK-LABEL: transform.named_sequence @same_sets.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @batch_matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: %[[COPY:.*]] = transform.tir.get_block @batch_matmul_read_global
// CHECK: transform.tir.compute_at %[[COPY]], %{{.*}}

// Half as many fit beside the rows.
// CHECK-LABEL: transform.named_sequence @few_steps.schedule
// CHECK-NOT: transform.tir.cache_read
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @same_sets(%x: memref<12x128x128xf32>, %w: memref<12x128x64xf32>, %out: memref<12x128x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 12 {
      tir.for %i1 = 0 to 128 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to 128 {
            tir.block @batch_matmul(%v0 = spatial %i0 in 12, %v1 = spatial %i1 in 128, %v2 = spatial %i2 in 64, %v3 = reduce %i3 in 128)
                reads(%x[%v0, %v1, %v3] : memref<12x128x128xf32>, %w[%v0, %v3, %v2] : memref<12x128x64xf32>, %out[%v0, %v1, %v2] : memref<12x128x64xf32>)
                writes(%out[%v0, %v1, %v2] : memref<12x128x64xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<12x128x64xf32>
              }
              %0 = affine.load %x[%v0, %v1, %v3] : memref<12x128x128xf32>
              %1 = affine.load %w[%v0, %v3, %v2] : memref<12x128x64xf32>
              %2 = affine.load %out[%v0, %v1, %v2] : memref<12x128x64xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1, %v2] : memref<12x128x64xf32>
            }
          }
        }
      }
    }
  }
  tir.prim_func @few_steps(%x: memref<12x128x64xf32>, %w: memref<12x64x64xf32>, %out: memref<12x128x64xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 12 {
      tir.for %i1 = 0 to 128 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to 64 {
            tir.block @batch_matmul(%v0 = spatial %i0 in 12, %v1 = spatial %i1 in 128, %v2 = spatial %i2 in 64, %v3 = reduce %i3 in 64)
                reads(%x[%v0, %v1, %v3] : memref<12x128x64xf32>, %w[%v0, %v3, %v2] : memref<12x64x64xf32>, %out[%v0, %v1, %v2] : memref<12x128x64xf32>)
                writes(%out[%v0, %v1, %v2] : memref<12x128x64xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1, %v2] : memref<12x128x64xf32>
              }
              %0 = affine.load %x[%v0, %v1, %v3] : memref<12x128x64xf32>
              %1 = affine.load %w[%v0, %v3, %v2] : memref<12x64x64xf32>
              %2 = affine.load %out[%v0, %v1, %v2] : memref<12x128x64xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1, %v2] : memref<12x128x64xf32>
            }
          }
        }
      }
    }
  }
}

// -----

// Rows that are pages apart are copied; where they pass by in blocks, and the
// columns of a tile would fill the second cache, for a part of the reduction.
// CHECK-LABEL: transform.named_sequence @page_apart.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: transform.tir.cache_read %[[PRODUCT]], 0, "global"
// CHECK: %[[ROWS:.*]] = transform.tir.get_block @matmul_read_global_1
// CHECK: transform.tir.transform_layout %[[ROWS]], write 0
// CHECK-NOT: transform.tir.compute_at
// The sums are fetched while the terms are added.
// CHECK-LABEL: transform.named_sequence @long.schedule
// CHECK: %[[PRODUCT:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[PRODUCT]], 1, "global"
// CHECK: transform.tir.cache_read %[[PRODUCT]], 0, "global"
// CHECK: transform.tir.split %{{.*}} [?, 2048]
// CHECK: %[[ROWS:.*]] = transform.tir.get_block @matmul_read_global_1
// CHECK: transform.tir.compute_at %[[ROWS]], %{{.*}}#1
// CHECK: transform.tir.transform_layout %[[ROWS]], write 0
// CHECK-COUNT-2: transform.tir.tensorize %{{.*}}, "register_tile"
// APPLIED-LABEL: tir.prim_func {{.*}}@long
// APPLIED: tir.block @matmul(
// APPLIED-COUNT-6: memref.prefetch %{{.*}}, write, locality<3>, data : memref<67108864xf32>
// APPLIED: scf.for
// APPLIED: vector.fma
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @page_apart(%x: memref<1024x1024xf32>, %w: memref<1024x1024xf32>, %out: memref<1024x1024xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1024 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 1024 {
          tir.block @matmul(%v0 = spatial %i0 in 1024, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 1024)
              reads(%x[%v0, %v2] : memref<1024x1024xf32>, %w[%v2, %v1] : memref<1024x1024xf32>, %out[%v0, %v1] : memref<1024x1024xf32>)
              writes(%out[%v0, %v1] : memref<1024x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<1024x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<1024x1024xf32>
            %1 = affine.load %w[%v2, %v1] : memref<1024x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<1024x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<1024x1024xf32>
          }
        }
      }
    }
  }
  tir.prim_func @long(%x: memref<8192x8192xf32>, %w: memref<8192x8192xf32>, %out: memref<8192x8192xf32>) attributes {tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 8192 {
      tir.for %i1 = 0 to 8192 {
        tir.for %i2 = 0 to 8192 {
          tir.block @matmul(%v0 = spatial %i0 in 8192, %v1 = spatial %i1 in 8192, %v2 = reduce %i2 in 8192)
              reads(%x[%v0, %v2] : memref<8192x8192xf32>, %w[%v2, %v1] : memref<8192x8192xf32>, %out[%v0, %v1] : memref<8192x8192xf32>)
              writes(%out[%v0, %v1] : memref<8192x8192xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<8192x8192xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<8192x8192xf32>
            %1 = affine.load %w[%v2, %v1] : memref<8192x8192xf32>
            %2 = affine.load %out[%v0, %v1] : memref<8192x8192xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<8192x8192xf32>
          }
        }
      }
    }
  }
}

// -----

// Weights that stay in the third cache are read in two places at a time.
// CHECK-LABEL: @near_weights.schedule
// CHECK: transform.tir.split %{{.*}} [2, ?]
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @near_weights(%x: memref<1x512xf32>, %w: memref<2048x512xf32>, %out: memref<1x2048xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 2048 {
        tir.for %i2 = 0 to 512 {
          tir.block @dense(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 2048, %v2 = reduce %i2 in 512)
              reads(%x[0, %v2] : memref<1x512xf32>, %w[%v1, %v2] : memref<2048x512xf32>, %out[0, %v1] : memref<1x2048xf32>)
              writes(%out[0, %v1] : memref<1x2048xf32>) {
            tir.init {
              affine.store %cst, %out[0, %v1] : memref<1x2048xf32>
            }
            %0 = affine.load %x[0, %v2] : memref<1x512xf32>
            %1 = affine.load %w[%v1, %v2] : memref<2048x512xf32>
            %2 = affine.load %out[0, %v1] : memref<1x2048xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[0, %v1] : memref<1x2048xf32>
          }
        }
      }
    }
  }
}

// -----

// The columns of a group, a multiple of a vector, are packed in tiles of three
// vectors, the last of each group less: no tile has columns of two groups.
// CHECK: #[[GROUPS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 136, d2, d3, (d0 mod 136) floordiv 24, d1, (d0 mod 136) mod 24)>
// CHECK-LABEL: transform.named_sequence @groups.schedule
// CHECK: transform.tir.transform_layout %{{.*}}, read 1, #[[GROUPS]]
// CHECK: transform.tir.split %{{.*}} [?, 24]
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @groups(%x: memref<1x7x7x544xf32>, %w: memref<544x136x1x1xf32>, %out: memref<1x7x7x544xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 4 {
        tir.for %i2 = 0 to 136 {
          tir.for %i3 = 0 to 7 {
            tir.for %i4 = 0 to 7 {
              tir.for %i5 = 0 to 136 {
                tir.for %i6 = 0 to 1 {
                  tir.for %i7 = 0 to 1 {
                    tir.block @conv2d(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 136, %v3 = spatial %i3 in 7, %v4 = spatial %i4 in 7, %v5 = reduce %i5 in 136, %v6 = reduce %i6 in 1, %v7 = reduce %i7 in 1)
                        reads(%x[0, %v3, %v4, %v1 * 136 + %v5] : memref<1x7x7x544xf32>, %w[%v1 * 136 + %v2, %v5, 0, 0] : memref<544x136x1x1xf32>, %out[0, %v3, %v4, %v1 * 136 + %v2] : memref<1x7x7x544xf32>)
                        writes(%out[0, %v3, %v4, %v1 * 136 + %v2] : memref<1x7x7x544xf32>) {
                      tir.init {
                        affine.store %cst, %out[0, %v3, %v4, %v1 * 136 + %v2] : memref<1x7x7x544xf32>
                      }
                      %0 = affine.load %x[0, %v3, %v4, %v1 * 136 + %v5] : memref<1x7x7x544xf32>
                      %1 = affine.load %w[%v1 * 136 + %v2, %v5, 0, 0] : memref<544x136x1x1xf32>
                      %2 = affine.load %out[0, %v3, %v4, %v1 * 136 + %v2] : memref<1x7x7x544xf32>
                      %3 = arith.mulf %0, %1 : f32
                      %4 = arith.addf %2, %3 : f32
                      affine.store %4, %out[0, %v3, %v4, %v1 * 136 + %v2] : memref<1x7x7x544xf32>
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
}

// -----

// An unknown number of columns is divided in tiles as known ones are.
// CHECK-LABEL: transform.named_sequence @open_columns.schedule
// CHECK: transform.tir.split %{{.*}} [?, 16]
// CHECK: transform.tir.split %{{.*}} [?, 6]
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @open_columns(%x: memref<?x256xf32>, %w: memref<256x?xf32>, %out: memref<?x?xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %x, %c0 : memref<?x256xf32>
    %c1 = arith.constant 1 : index
    %dim_0 = memref.dim %w, %c1 : memref<256x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to %dim {
      tir.for %i1 = 0 to %dim_0 {
        tir.for %i2 = 0 to 256 {
          tir.block @matmul(%v0 = spatial %i0 in %dim, %v1 = spatial %i1 in %dim_0, %v2 = reduce %i2 in 256)
              reads(%x[%v0, %v2] : memref<?x256xf32>, %w[%v2, %v1] : memref<256x?xf32>, %out[%v0, %v1] : memref<?x?xf32>)
              writes(%out[%v0, %v1] : memref<?x?xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<?x?xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<?x256xf32>
            %1 = affine.load %w[%v2, %v1] : memref<256x?xf32>
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

// -----

// Channels first, few products per result: lanes are the pixels, so that
// results are stored as they are, and the weights stay as they are.
// CHECK-LABEL: transform.named_sequence @pixels.schedule
// CHECK-NOT: transform.tir.transform_layout
// CHECK: transform.tir.split %{{.*}} [?, 24]
// CHECK-NOT: transform.tir.cache_read
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @pixels(%x: memref<64x3136xf32>, %w: memref<256x64xf32>, %out: memref<256x3136xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 256 {
      tir.for %i1 = 0 to 3136 {
        tir.for %i2 = 0 to 64 {
          tir.block @matmul(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 3136, %v2 = reduce %i2 in 64)
              reads(%w[%v0, %v2] : memref<256x64xf32>, %x[%v2, %v1] : memref<64x3136xf32>, %out[%v0, %v1] : memref<256x3136xf32>)
              writes(%out[%v0, %v1] : memref<256x3136xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<256x3136xf32>
            }
            %0 = affine.load %w[%v0, %v2] : memref<256x64xf32>
            %1 = affine.load %x[%v2, %v1] : memref<64x3136xf32>
            %2 = affine.load %out[%v0, %v1] : memref<256x3136xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<256x3136xf32>
          }
        }
      }
    }
  }
}

// -----

// All rows for a part of the reduction, then the next part, where parts are long
// enough for the sums to be stored after each: a quarter of 1024 steps.
// CHECK-LABEL: transform.named_sequence @parts.schedule
// CHECK: transform.tir.split %{{.*}} [?, 256]

// Of 728 steps, parts that fit would have 104.
// CHECK-LABEL: transform.named_sequence @whole.schedule
// CHECK-NOT: transform.tir.split %{{.*}} [?, 104]
// CHECK: transform.yield
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  tir.prim_func @parts(%x: memref<200x1024xf32>, %w: memref<1024x1024xf32>, %out: memref<200x1024xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 200 {
      tir.for %i1 = 0 to 1024 {
        tir.for %i2 = 0 to 1024 {
          tir.block @matmul(%v0 = spatial %i0 in 200, %v1 = spatial %i1 in 1024, %v2 = reduce %i2 in 1024)
              reads(%x[%v0, %v2] : memref<200x1024xf32>, %w[%v2, %v1] : memref<1024x1024xf32>, %out[%v0, %v1] : memref<200x1024xf32>)
              writes(%out[%v0, %v1] : memref<200x1024xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<200x1024xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<200x1024xf32>
            %1 = affine.load %w[%v2, %v1] : memref<1024x1024xf32>
            %2 = affine.load %out[%v0, %v1] : memref<200x1024xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<200x1024xf32>
          }
        }
      }
    }
  }
  tir.prim_func @whole(%x: memref<361x728xf32>, %w: memref<728x728xf32>, %out: memref<361x728xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 361 {
      tir.for %i1 = 0 to 728 {
        tir.for %i2 = 0 to 728 {
          tir.block @matmul(%v0 = spatial %i0 in 361, %v1 = spatial %i1 in 728, %v2 = reduce %i2 in 728)
              reads(%x[%v0, %v2] : memref<361x728xf32>, %w[%v2, %v1] : memref<728x728xf32>, %out[%v0, %v1] : memref<361x728xf32>)
              writes(%out[%v0, %v1] : memref<361x728xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<361x728xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<361x728xf32>
            %1 = affine.load %w[%v2, %v1] : memref<728x728xf32>
            %2 = affine.load %out[%v0, %v1] : memref<361x728xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<361x728xf32>
          }
        }
      }
    }
  }
}
