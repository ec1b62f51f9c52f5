// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// Products of f32 on matrix units, as sums of products of two pieces of bf16.
// CHECK-LABEL: transform.named_sequence @tiles.schedule
// CHECK-NEXT: %[[MATMUL:.*]] = transform.tir.get_block @matmul in %{{.*}}
// CHECK-NEXT: transform.tir.matrix_tiles %[[MATMUL]], "amx", tile = [32, 32], panel_rows = 256 {parallel, pieces = 2 : i64}
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @tiles
// APPLIED-SAME: tir.original_type = memref<512x512xf32>, tir.pieces = 2 : i64
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.block @matmul_split
// APPLIED: tir.for %{{.*}} kind(parallel) {
// APPLIED: tir.block @matmul(
// APPLIED-COUNT-4: amx.tile_zero : !amx.tile<16x16xf32>
// APPLIED: amx.tile_load %{{.*}} into !amx.tile<16x32xbf16>
// APPLIED-COUNT-12: amx.tile_mulf
// APPLIED-NOT: amx.tile_mulf
// APPLIED-COUNT-4: amx.tile_store
// APPLIED: tir.block @matmul_rows
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  tir.prim_func @tiles(%x: memref<256x512xf32>, %w: memref<512x512xf32>, %out: memref<256x512xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 256 {
      tir.for %i1 = 0 to 512 {
        tir.for %i2 = 0 to 512 {
          tir.block @matmul(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 512, %v2 = reduce %i2 in 512)
              reads(%x[%v0, %v2] : memref<256x512xf32>, %w[%v2, %v1] : memref<512x512xf32>, %out[%v0, %v1] : memref<256x512xf32>)
              writes(%out[%v0, %v1] : memref<256x512xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<256x512xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<256x512xf32>
            %1 = affine.load %w[%v2, %v1] : memref<512x512xf32>
            %2 = affine.load %out[%v0, %v1] : memref<256x512xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<256x512xf32>
          }
        }
      }
    }
  }
}

// -----

// Pairs of bytes on vectors: tiles of as many rows as registers hold, where all
// rows are one panel, and 128 rows are 22 tiles.
// CHECK-LABEL: transform.named_sequence @one_panel.schedule
// CHECK: transform.tir.matrix_tiles %{{.*}}, "pmaddwd", tile = [6, 16], panel_rows = 132

// Each of four panels of 32 rows would take six such tiles, 144 rows.
// CHECK-LABEL: transform.named_sequence @four_panels.schedule
// CHECK: transform.tir.matrix_tiles %{{.*}}, "pmaddwd", tile = [4, 16], panel_rows = 32
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver3">} {
  tir.prim_func @one_panel(%x: memref<128x768xi8>, %w: memref<768x768xi8>, %out: memref<128x768xi32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 768 {
        tir.for %i2 = 0 to 768 {
          tir.block @matmul(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 768, %v2 = reduce %i2 in 768)
              reads(%x[%v0, %v2] : memref<128x768xi8>, %w[%v2, %v1] : memref<768x768xi8>, %out[%v0, %v1] : memref<128x768xi32>)
              writes(%out[%v0, %v1] : memref<128x768xi32>) {
            tir.init {
              affine.store %c0, %out[%v0, %v1] : memref<128x768xi32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<128x768xi8>
            %1 = affine.load %w[%v2, %v1] : memref<768x768xi8>
            %2 = affine.load %out[%v0, %v1] : memref<128x768xi32>
            %3 = arith.extsi %0 : i8 to i32
            %4 = arith.extsi %1 : i8 to i32
            %5 = arith.muli %3, %4 : i32
            %6 = arith.addi %2, %5 : i32
            affine.store %6, %out[%v0, %v1] : memref<128x768xi32>
          }
        }
      }
    }
  }
  tir.prim_func @four_panels(%x: memref<128x3072xi8>, %w: memref<3072x768xi8>, %out: memref<128x768xi32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 768 {
        tir.for %i2 = 0 to 3072 {
          tir.block @matmul(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 768, %v2 = reduce %i2 in 3072)
              reads(%x[%v0, %v2] : memref<128x3072xi8>, %w[%v2, %v1] : memref<3072x768xi8>, %out[%v0, %v1] : memref<128x768xi32>)
              writes(%out[%v0, %v1] : memref<128x768xi32>) {
            tir.init {
              affine.store %c0, %out[%v0, %v1] : memref<128x768xi32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<128x3072xi8>
            %1 = affine.load %w[%v2, %v1] : memref<3072x768xi8>
            %2 = affine.load %out[%v0, %v1] : memref<128x768xi32>
            %3 = arith.extsi %0 : i8 to i32
            %4 = arith.extsi %1 : i8 to i32
            %5 = arith.muli %3, %4 : i32
            %6 = arith.addi %2, %5 : i32
            affine.store %6, %out[%v0, %v1] : memref<128x768xi32>
          }
        }
      }
    }
  }
}

// -----

// A line of 14 pixels, of the 16 that a window reaches, is a tile: there are 28
// registers for sums beside two of weights and one of data.
// CHECK-LABEL: transform.named_sequence @lines.schedule
// CHECK: transform.tir.matrix_tiles %{{.*}}, "vpdpbusd", tile = [14, 32], panel_rows = 224 {along_lines, parallel, vector_bits = 512 : i64}
// APPLIED-LABEL: tir.prim_func @lines

// Data with a sign: what 128 more of it adds is known before the tiles.
// APPLIED: tir.block @conv2d_starts(
// APPLIED: tir.for %{{.*}} = 0 to 28 kind(parallel)
// APPLIED: tir.block @conv2d(
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver4">} {
  tir.prim_func @lines(%x: memref<16x16x64xi8>, %w: memref<3x3x64x64xi8>, %out: memref<14x14x64xi32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 14 {
      tir.for %i1 = 0 to 14 {
        tir.for %i2 = 0 to 64 {
          tir.for %i3 = 0 to 3 {
            tir.for %i4 = 0 to 3 {
              tir.for %i5 = 0 to 64 {
                tir.block @conv2d(%y = spatial %i0 in 14, %z = spatial %i1 in 14, %o = spatial %i2 in 64, %a = reduce %i3 in 3, %b = reduce %i4 in 3, %c = reduce %i5 in 64)
                    reads(%x[%y + %a, %z + %b, %c] : memref<16x16x64xi8>, %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>, %out[%y, %z, %o] : memref<14x14x64xi32>)
                    writes(%out[%y, %z, %o] : memref<14x14x64xi32>) {
                  tir.init {
                    affine.store %c0, %out[%y, %z, %o] : memref<14x14x64xi32>
                  }
                  %0 = affine.load %x[%y + %a, %z + %b, %c] : memref<16x16x64xi8>
                  %1 = affine.load %w[%a, %b, %c, %o] : memref<3x3x64x64xi8>
                  %2 = affine.load %out[%y, %z, %o] : memref<14x14x64xi32>
                  %3 = arith.extsi %0 : i8 to i32
                  %4 = arith.extsi %1 : i8 to i32
                  %5 = arith.muli %3, %4 : i32
                  %6 = arith.addi %2, %5 : i32
                  affine.store %6, %out[%y, %z, %o] : memref<14x14x64xi32>
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

// Constants of 4 bits are in halves of bytes: two groups of four channels in
// each vector.
// CHECK-LABEL: transform.named_sequence @nibbles.schedule
// CHECK: transform.tir.matrix_tiles %{{.*}}, "vpdpbusd"
// APPLIED-LABEL: tir.prim_func @nibbles
// APPLIED-SAME: memref<4x2x1x4x8x64xi8> {tir.layout = affine_map<(d0, d1) -> (d0 floordiv 64, d1 floordiv 64, 0, (d0 mod 64) floordiv 16, ((d1 mod 64) floordiv 4) floordiv 2, (d0 mod 16) * 4 + d1 mod 4, ((d1 mod 64) floordiv 4) mod 2)>, tir.nibbles, tir.original_type = memref<256x128xi8>}
// APPLIED: tir.block @matmul(
// APPLIED: %[[BYTES:.*]] = vector.load %{{.*}} : memref<4x2x1x4x8x64xi8>, vector<64xi8>
// APPLIED: %[[LOW:.*]] = arith.andi %[[BYTES]], %{{.*}} : vector<64xi8>
// APPLIED: vpdpbusd{{.*}}(%{{.*}}, %[[LOW]], %{{.*}})
// APPLIED: %[[HIGH:.*]] = arith.shrui %[[BYTES]], %{{.*}} : vector<64xi8>
// APPLIED: vpdpbusd{{.*}}(%{{.*}}, %[[HIGH]], %{{.*}})

// Not those that are within other bounds.
// APPLIED-LABEL: tir.prim_func @bytes
// APPLIED-NOT: tir.nibbles
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "znver4">} {
  tir.prim_func @nibbles(%x: memref<1x128xi8>, %w: memref<256x128xi8>, %out: memref<1x256xi32>) attributes {tir.byte_bounds = [array<i64: 1, 0, 15>], tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 256 {
        tir.for %i2 = 0 to 128 {
          tir.block @matmul(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 256, %v2 = reduce %i2 in 128)
              reads(%x[%v0, %v2] : memref<1x128xi8>, %w[%v1, %v2] : memref<256x128xi8>, %out[%v0, %v1] : memref<1x256xi32>)
              writes(%out[%v0, %v1] : memref<1x256xi32>) {
            tir.init {
              affine.store %c0, %out[%v0, %v1] : memref<1x256xi32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<1x128xi8>
            %1 = affine.load %w[%v1, %v2] : memref<256x128xi8>
            %2 = affine.load %out[%v0, %v1] : memref<1x256xi32>
            %3 = arith.extsi %0 : i8 to i32
            %4 = arith.extui %1 : i8 to i32
            %5 = arith.muli %3, %4 : i32
            %6 = arith.addi %2, %5 : i32
            affine.store %6, %out[%v0, %v1] : memref<1x256xi32>
          }
        }
      }
    }
  }
  tir.prim_func @bytes(%x: memref<1x128xi8>, %w: memref<256x128xi8>, %out: memref<1x256xi32>) attributes {tir.byte_bounds = [array<i64: 1, 0, 127>], tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %c0 = arith.constant 0 : i32
    tir.for %i0 = 0 to 1 {
      tir.for %i1 = 0 to 256 {
        tir.for %i2 = 0 to 128 {
          tir.block @matmul(%v0 = spatial %i0 in 1, %v1 = spatial %i1 in 256, %v2 = reduce %i2 in 128)
              reads(%x[%v0, %v2] : memref<1x128xi8>, %w[%v1, %v2] : memref<256x128xi8>, %out[%v0, %v1] : memref<1x256xi32>)
              writes(%out[%v0, %v1] : memref<1x256xi32>) {
            tir.init {
              affine.store %c0, %out[%v0, %v1] : memref<1x256xi32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<1x128xi8>
            %1 = affine.load %w[%v1, %v2] : memref<256x128xi8>
            %2 = affine.load %out[%v0, %v1] : memref<1x256xi32>
            %3 = arith.extsi %0 : i8 to i32
            %4 = arith.extui %1 : i8 to i32
            %5 = arith.muli %3, %4 : i32
            %6 = arith.addi %2, %5 : i32
            affine.store %6, %out[%v0, %v1] : memref<1x256xi32>
          }
        }
      }
    }
  }
}

// -----

// Weights of 256 KiB stay near: all columns of some rows come first, so that
// results are written in order. While the first rows have them, weights some
// steps ahead are fetched.
// CHECK-LABEL: transform.named_sequence @small_weights.schedule
// CHECK: transform.tir.matrix_tiles %{{.*}}, "amx", tile = [32, 32], panel_rows = 512 {columns_first, parallel, pieces = 2 : i64}
// APPLIED-DAG: #[[MOD:.*]] = affine_map<(d0) -> (d0 mod 8)>
// APPLIED-DAG: #[[DIV:.*]] = affine_map<(d0) -> ((d0 floordiv 8) * 32)>
// APPLIED-LABEL: tir.prim_func @small_weights
// APPLIED: tir.for %[[TILE:.*]] = 0 to 128 kind(parallel) {
// APPLIED: %[[COLUMN:.*]] = affine.apply #[[MOD]](%[[TILE]])
// APPLIED: %[[ROW:.*]] = affine.apply #[[DIV]](%[[TILE]])
// APPLIED: tir.block @matmul(%{{.*}} = spatial %[[COLUMN]] in 8, %[[ROWS:.*]] = spatial %[[ROW]] in 512)
// APPLIED: %[[FIRST:.*]] = arith.cmpi eq, %[[ROWS]],
// APPLIED: scf.if %[[FIRST]] {
// APPLIED-COUNT-64: memref.prefetch %{{.*}}, read, locality<2>, data : memref<8x8x2x2x16x32xi16>
// APPLIED-NOT: memref.prefetch
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  tir.prim_func @small_weights(%x: memref<512x256xf32>, %w: memref<256x256xf32>, %out: memref<512x256xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 512 {
      tir.for %i1 = 0 to 256 {
        tir.for %i2 = 0 to 256 {
          tir.block @matmul(%v0 = spatial %i0 in 512, %v1 = spatial %i1 in 256, %v2 = reduce %i2 in 256)
              reads(%x[%v0, %v2] : memref<512x256xf32>, %w[%v2, %v1] : memref<256x256xf32>, %out[%v0, %v1] : memref<512x256xf32>)
              writes(%out[%v0, %v1] : memref<512x256xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<512x256xf32>
            }
            %0 = affine.load %x[%v0, %v2] : memref<512x256xf32>
            %1 = affine.load %w[%v2, %v1] : memref<256x256xf32>
            %2 = affine.load %out[%v0, %v1] : memref<512x256xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<512x256xf32>
          }
        }
      }
    }
  }
}

// -----

// Data of bf16 that the product has as f32 is copied as it is.
// CHECK-LABEL: transform.named_sequence @halves.schedule
// CHECK-NEXT: transform.tir.get_block @matmul
// CHECK-NEXT: transform.tir.matrix_tiles
// APPLIED-LABEL: tir.prim_func @halves
// APPLIED-NOT: tir.block @cast
// APPLIED: tir.block @matmul_split
// APPLIED: affine.load %{{.*}} : memref<100x64xbf16>
// APPLIED-NOT: arith.select
// APPLIED: arith.trunci
// APPLIED-NEXT: affine.store %{{.*}}xi16>
module attributes {target.precision = #target.precision<medium>, target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "sapphirerapids">} {
  tir.prim_func @halves(%x: memref<100x64xbf16>, %w: memref<64x64xf32>, %out: memref<100x64xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    %wide = tir.alloc_buffer() : memref<100x64xf32>
    tir.for %i0 = 0 to 100 {
      tir.for %i1 = 0 to 64 {
        tir.block @cast(%v0 = spatial %i0 in 100, %v1 = spatial %i1 in 64)
            reads(%x[%v0, %v1] : memref<100x64xbf16>)
            writes(%wide[%v0, %v1] : memref<100x64xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<100x64xbf16>
          %1 = arith.extf %0 : bf16 to f32
          affine.store %1, %wide[%v0, %v1] : memref<100x64xf32>
        }
      }
    }
    tir.for %i0 = 0 to 100 {
      tir.for %i1 = 0 to 64 {
        tir.for %i2 = 0 to 64 {
          tir.block @matmul(%v0 = spatial %i0 in 100, %v1 = spatial %i1 in 64, %v2 = reduce %i2 in 64)
              reads(%wide[%v0, %v2] : memref<100x64xf32>, %w[%v2, %v1] : memref<64x64xf32>, %out[%v0, %v1] : memref<100x64xf32>)
              writes(%out[%v0, %v1] : memref<100x64xf32>) {
            tir.init {
              affine.store %cst, %out[%v0, %v1] : memref<100x64xf32>
            }
            %0 = affine.load %wide[%v0, %v2] : memref<100x64xf32>
            %1 = affine.load %w[%v2, %v1] : memref<64x64xf32>
            %2 = affine.load %out[%v0, %v1] : memref<100x64xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %out[%v0, %v1] : memref<100x64xf32>
          }
        }
      }
    }
  }
}
