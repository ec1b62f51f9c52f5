// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s

// Three columns fill a part of a vector. They are packed, with as many rows in
// a tile as there are registers: a row is read once for all of them. Few rows,
// or one column, are sums along rows.
// CHECK: #[[LAYOUT:.*]] = affine_map<(d0, d1, d2) -> (d0 floordiv 8, d2, d1, d0 mod 8)>
// CHECK-LABEL: transform.named_sequence @many_rows.schedule
// CHECK: transform.tir.transform_layout %{{.*}}, read 1, #[[LAYOUT]]
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
// CHECK-LABEL: transform.named_sequence @few_rows.schedule
// CHECK-NOT: transform_layout
// CHECK: transform.tir.tensorize %{{.*}}, "row_reduction"
// CHECK-LABEL: transform.named_sequence @one_column.schedule
// CHECK-NOT: transform_layout
// CHECK: transform.tir.tensorize %{{.*}}, "row_reduction"
module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @many_rows(%x: memref<130x32xf32>, %w: memref<3x32x3xf32>, %out: memref<128x3xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 3 {
        tir.for %i2 = 0 to 32 {
          tir.for %i3 = 0 to 3 {
            tir.block @conv1d(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 3, %v2 = reduce %i2 in 32, %v3 = reduce %i3 in 3)
                reads(%x[%v0 + %v3, %v2] : memref<130x32xf32>, %w[%v1, %v2, %v3] : memref<3x32x3xf32>, %out[%v0, %v1] : memref<128x3xf32>)
                writes(%out[%v0, %v1] : memref<128x3xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1] : memref<128x3xf32>
              }
              %0 = affine.load %x[%v0 + %v3, %v2] : memref<130x32xf32>
              %1 = affine.load %w[%v1, %v2, %v3] : memref<3x32x3xf32>
              %2 = affine.load %out[%v0, %v1] : memref<128x3xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1] : memref<128x3xf32>
            }
          }
        }
      }
    }
  }

  tir.prim_func @few_rows(%x: memref<6x32xf32>, %w: memref<3x32x3xf32>, %out: memref<4x3xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 3 {
        tir.for %i2 = 0 to 32 {
          tir.for %i3 = 0 to 3 {
            tir.block @conv1d(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 3, %v2 = reduce %i2 in 32, %v3 = reduce %i3 in 3)
                reads(%x[%v0 + %v3, %v2] : memref<6x32xf32>, %w[%v1, %v2, %v3] : memref<3x32x3xf32>, %out[%v0, %v1] : memref<4x3xf32>)
                writes(%out[%v0, %v1] : memref<4x3xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1] : memref<4x3xf32>
              }
              %0 = affine.load %x[%v0 + %v3, %v2] : memref<6x32xf32>
              %1 = affine.load %w[%v1, %v2, %v3] : memref<3x32x3xf32>
              %2 = affine.load %out[%v0, %v1] : memref<4x3xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1] : memref<4x3xf32>
            }
          }
        }
      }
    }
  }

  tir.prim_func @one_column(%x: memref<130x32xf32>, %w: memref<1x32x3xf32>, %out: memref<128x1xf32>) attributes {tir.layout_free = [1], tir.num_outputs = 1 : i64} {
    %cst = arith.constant 0.000000e+00 : f32
    tir.for %i0 = 0 to 128 {
      tir.for %i1 = 0 to 1 {
        tir.for %i2 = 0 to 32 {
          tir.for %i3 = 0 to 3 {
            tir.block @conv1d(%v0 = spatial %i0 in 128, %v1 = spatial %i1 in 1, %v2 = reduce %i2 in 32, %v3 = reduce %i3 in 3)
                reads(%x[%v0 + %v3, %v2] : memref<130x32xf32>, %w[%v1, %v2, %v3] : memref<1x32x3xf32>, %out[%v0, %v1] : memref<128x1xf32>)
                writes(%out[%v0, %v1] : memref<128x1xf32>) {
              tir.init {
                affine.store %cst, %out[%v0, %v1] : memref<128x1xf32>
              }
              %0 = affine.load %x[%v0 + %v3, %v2] : memref<130x32xf32>
              %1 = affine.load %w[%v1, %v2, %v3] : memref<1x32x3xf32>
              %2 = affine.load %out[%v0, %v1] : memref<128x1xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %out[%v0, %v1] : memref<128x1xf32>
            }
          }
        }
      }
    }
  }
}
