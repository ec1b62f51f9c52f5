// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules --split-input-file | FileCheck %s --check-prefix=TILES
// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules --tir-to-vta --split-input-file | FileCheck %s

// Data of a tile comes to accumulators, with padding that no element is less
// than; the maximum of each window is there too, before it is stored.
// TILES-LABEL: tir.prim_func @max_pool
// TILES:         tir.alloc_buffer() : memref<2x5x5x16xi8, #target.memory<"acc">>
// TILES:         tir.alloc_buffer() : memref<2x2x2x16xi8, #target.memory<"acc">>
// TILES:         tir.block @pad
// TILES:         tir.block @max_pool2d_init
// TILES:         tir.block @max_pool2d(
// TILES:         tir.block @max_pool2d_write_acc

// A product with ones brings bytes there. Of the first row and of the first
// column, which the loads have padded with zeros, -128 is made, and of what the
// results begin with.
// CHECK-LABEL: vta.program @max_pool
// CHECK-NEXT:    vta.load uop[0]
// CHECK-NEXT:      vta.uop dst 0 src 0 wgt 0
// CHECK-NEXT:      vta.uop dst 5 src 5 wgt 0
// CHECK:         vta.load inp[0] from 256 size 4 x 4 row_pad [1, 0] column_pad [1, 0]
// CHECK:         vta.load inp[25] from 272 size 4 x 4 row_pad [1, 0] column_pad [1, 0]
// CHECK:         vta.gemm reset uops 0 to 1 for 50 dst 1
// CHECK:         vta.gemm uops 0 to 1 for 50 dst 1 src 1
// CHECK:         vta.alu add imm -128 uops 0 to 1 for 2 dst 25 src 25, for 5 dst 1 src 1
// CHECK:         vta.alu add imm -128 uops 1 to 2 for 2 dst 25 src 25, for 4 dst 5 src 5
// CHECK:         vta.gemm reset uops {{.*}} for 8 dst 1
// CHECK:         vta.alu add imm -128 uops {{.*}} for 1, for 8 dst 1 src 1
// One instruction for each of the nine elements of a window.
// CHECK-COUNT-9: vta.alu max uops {{.*}} for 2 dst 4 src 25, for 2 dst 2 src 10
// CHECK-NOT:     vta.alu
// CHECK:         vta.store out[100] to 512 size 1 x 8
tir.prim_func @max_pool(%x: memref<2x4x4x16xi8>, %y: memref<2x2x2x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %least = arith.constant -128 : i8
  %p = tir.alloc_buffer() : memref<2x5x5x16xi8>
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 5 {
      tir.for %i2 = 0 to 5 {
        tir.for %i3 = 0 to 16 {
          tir.block @pad(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 5, %v2 = spatial %i2 in 5, %v3 = spatial %i3 in 16)
              reads(%x[%v0, %v1 - 1, %v2 - 1, %v3] : memref<2x4x4x16xi8>) writes(%p[%v0, %v1, %v2, %v3] : memref<2x5x5x16xi8>) {
            %0 = affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, d1 - 1 >= 0)>(%v1, %v2) -> i8 {
              %1 = affine.load %x[%v0, %v1 - 1, %v2 - 1, %v3] : memref<2x4x4x16xi8>
              affine.yield %1 : i8
            } else {
              affine.yield %least : i8
            }
            affine.store %0, %p[%v0, %v1, %v2, %v3] : memref<2x5x5x16xi8>
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 16 {
      tir.for %i2 = 0 to 2 {
        tir.for %i3 = 0 to 2 {
          tir.for %i4 = 0 to 3 {
            tir.for %i5 = 0 to 3 {
              tir.block @max_pool2d(%n = spatial %i0 in 2, %c = spatial %i1 in 16, %h = spatial %i2 in 2, %w = spatial %i3 in 2,
                  %kh = reduce %i4 in 3, %kw = reduce %i5 in 3)
                  reads(%p[%n, %h * 2 + %kh, %w * 2 + %kw, %c] : memref<2x5x5x16xi8>, %y[%n, %h, %w, %c] : memref<2x2x2x16xi8>)
                  writes(%y[%n, %h, %w, %c] : memref<2x2x2x16xi8>) {
                tir.init {
                  affine.store %least, %y[%n, %h, %w, %c] : memref<2x2x2x16xi8>
                }
                %0 = affine.load %p[%n, %h * 2 + %kh, %w * 2 + %kw, %c] : memref<2x5x5x16xi8>
                %1 = affine.load %y[%n, %h, %w, %c] : memref<2x2x2x16xi8>
                %2 = arith.maxsi %1, %0 : i8
                affine.store %2, %y[%n, %h, %w, %c] : memref<2x2x2x16xi8>
              }
            }
          }
        }
      }
    }
  }
}

// -----

// Loops around tiles are written out. Five times a sum is four times it, and it.
// TILES-LABEL: tir.prim_func @sum
// TILES:         tir.for %{{.*}} = 0 to 8 kind(unrolled) {
// TILES-NEXT:      tir.for %{{.*}} = 0 to 250 {

// CHECK-LABEL: vta.program @sum
// CHECK:         vta.load inp[0] from 256 size 1 x 250
// CHECK:         vta.gemm reset uops {{.*}} for 250 dst 1
// CHECK:         vta.gemm uops {{.*}} for 250 dst 1 src 1
// CHECK:         vta.load inp[500] from 2304 size 1 x 250
// CHECK:         vta.gemm uops {{.*}} for 250 dst 1 src 1
// CHECK:         vta.gemm reset uops {{.*}} for 250 dst 1
// CHECK:         vta.alu add uops {{.*}} for 1, for 250 dst 1 src 1
// CHECK:         vta.alu shr imm -2 uops {{.*}} for 1, for 250 dst 1 src 1
// CHECK:         vta.alu add uops {{.*}} for 1, for 250 dst 1 src 1
// CHECK:         vta.store out[500] to 4352 size 1 x 250
// The second tile, in the other half of each buffer.
// CHECK:         vta.load inp[250] from 506 size 1 x 250
tir.prim_func @sum(%a: memref<2000x16xi8>, %b: memref<2000x16xi8>, %y: memref<2000x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %c5 = arith.constant 5 : i32
  tir.for %i0 = 0 to 2000 {
    tir.for %i1 = 0 to 16 {
      tir.block @add(%v = spatial %i0 in 2000, %c = spatial %i1 in 16)
          reads(%a[%v, %c] : memref<2000x16xi8>, %b[%v, %c] : memref<2000x16xi8>) writes(%y[%v, %c] : memref<2000x16xi8>) {
        %0 = affine.load %a[%v, %c] : memref<2000x16xi8>
        %1 = affine.load %b[%v, %c] : memref<2000x16xi8>
        %2 = arith.extsi %0 : i8 to i32
        %3 = arith.extsi %1 : i8 to i32
        %4 = arith.addi %2, %3 : i32
        %5 = arith.muli %4, %c5 : i32
        %6 = arith.trunci %5 : i32 to i8
        affine.store %6, %y[%v, %c] : memref<2000x16xi8>
      }
    }
  }
}
