// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules --tir-to-vta | FileCheck %s

// Each block of outputs has one block of inputs: a tile has one of both, with its
// weights.
// CHECK-LABEL: vta.program @depthwise
// CHECK-NEXT:    vta.load uop[0] from {{.*}} size 1 x 7 micro_ops {
// CHECK-NEXT:      vta.uop dst 0 src 0 wgt 0
// CHECK-NEXT:      vta.uop dst 0 src 0 wgt 0
// CHECK-NEXT:      vta.uop dst 0 src 1 wgt 1
// CHECK:           vta.uop dst 16 src 20 wgt 2
// CHECK-NEXT:      vta.uop dst 16 src 21 wgt 3
// CHECK:         vta.gemm reset uops {{.*}} for 16 dst 1
// CHECK:         vta.load inp[0] from 256 size 1 x 20
// CHECK:         vta.load wgt[0] from 32 size 1 x 2
// CHECK-NEXT:    vta.gemm uops 1 to 3 for 4 dst 4 src 5, for 4 dst 1 src 1
// CHECK:         vta.store out[0] to 768 size 1 x 16
// CHECK:         vta.load inp[20] from 281 size 1 x 20
// CHECK:         vta.load wgt[2] from 34 size 1 x 2
// CHECK-NEXT:    vta.gemm uops 4 to 6 for 4 dst 4 src 5, for 4 dst 1 src 1
// CHECK:         vta.store out[16] to 784 size 1 x 16
tir.prim_func @depthwise(%x: memref<2x5x5x16xi8>, %w: memref<2x1x2x16x16xi8>, %y: memref<2x4x4x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tir.alloc_buffer() : memref<2x4x4x16xi32>
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 4 {
      tir.for %i2 = 0 to 4 {
        tir.for %i3 = 0 to 16 {
          tir.for %i4 = 0 to 2 {
            tir.for %i5 = 0 to 16 {
              tir.block @conv2d(%o = spatial %i0 in 2, %h = spatial %i1 in 4, %v = spatial %i2 in 4, %oi = spatial %i3 in 16,
                  %kw = reduce %i4 in 2, %ii = reduce %i5 in 16)
                  reads(%x[%o, %h, %v + %kw, %ii] : memref<2x5x5x16xi8>, %w[%o, 0, %kw, %oi, %ii] : memref<2x1x2x16x16xi8>, %a[%o, %h, %v, %oi] : memref<2x4x4x16xi32>)
                  writes(%a[%o, %h, %v, %oi] : memref<2x4x4x16xi32>) {
                tir.init {
                  affine.store %c0, %a[%o, %h, %v, %oi] : memref<2x4x4x16xi32>
                }
                %0 = affine.load %x[%o, %h, %v + %kw, %ii] : memref<2x5x5x16xi8>
                %1 = affine.load %w[%o, 0, %kw, %oi, %ii] : memref<2x1x2x16x16xi8>
                %2 = affine.load %a[%o, %h, %v, %oi] : memref<2x4x4x16xi32>
                %3 = arith.extsi %0 : i8 to i32
                %4 = arith.extsi %1 : i8 to i32
                %5 = arith.muli %3, %4 : i32
                %6 = arith.addi %2, %5 : i32
                affine.store %6, %a[%o, %h, %v, %oi] : memref<2x4x4x16xi32>
              }
            }
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 4 {
      tir.for %i2 = 0 to 4 {
        tir.for %i3 = 0 to 16 {
          tir.block @cast(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 4, %v3 = spatial %i3 in 16)
              reads(%a[%v0, %v1, %v2, %v3] : memref<2x4x4x16xi32>) writes(%y[%v0, %v1, %v2, %v3] : memref<2x4x4x16xi8>) {
            %0 = affine.load %a[%v0, %v1, %v2, %v3] : memref<2x4x4x16xi32>
            %1 = arith.shrsi %0, %c1 : i32
            %2 = arith.trunci %1 : i32 to i8
            affine.store %2, %y[%v0, %v1, %v2, %v3] : memref<2x4x4x16xi8>
          }
        }
      }
    }
  }
}

// Two blocks of outputs have one of inputs, that of their group: the quotient is
// a number in each tile.
// CHECK-LABEL: vta.program @two_blocks
// CHECK:         vta.load inp[0] from 256 size 1 x 20
// CHECK:         vta.load wgt[0] from 32 size 1 x 2
// CHECK:         vta.store out[0] to 768 size 1 x 16
// CHECK:         vta.load inp[20] from 256 size 1 x 20
// CHECK:         vta.load wgt[2] from 34 size 1 x 2
// CHECK:         vta.store out[16] to 784 size 1 x 16
// CHECK:         vta.load inp[0] from 281 size 1 x 20
// CHECK:         vta.load wgt[0] from 36 size 1 x 2
// CHECK:         vta.store out[0] to 800 size 1 x 16
// CHECK:         vta.load inp[20] from 281 size 1 x 20
// CHECK:         vta.load wgt[2] from 38 size 1 x 2
// CHECK:         vta.store out[16] to 816 size 1 x 16
tir.prim_func @two_blocks(%x: memref<2x5x5x16xi8>, %w: memref<4x1x2x16x16xi8>, %y: memref<4x4x4x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tir.alloc_buffer() : memref<4x4x4x16xi32>
  tir.for %i0 = 0 to 4 {
    tir.for %i1 = 0 to 4 {
      tir.for %i2 = 0 to 4 {
        tir.for %i3 = 0 to 16 {
          tir.for %i4 = 0 to 2 {
            tir.for %i5 = 0 to 16 {
              tir.block @conv2d(%o = spatial %i0 in 4, %h = spatial %i1 in 4, %v = spatial %i2 in 4, %oi = spatial %i3 in 16,
                  %kw = reduce %i4 in 2, %ii = reduce %i5 in 16)
                  reads(%x[%o floordiv 2, %h, %v + %kw, %ii] : memref<2x5x5x16xi8>, %w[%o, 0, %kw, %oi, %ii] : memref<4x1x2x16x16xi8>, %a[%o, %h, %v, %oi] : memref<4x4x4x16xi32>)
                  writes(%a[%o, %h, %v, %oi] : memref<4x4x4x16xi32>) {
                tir.init {
                  affine.store %c0, %a[%o, %h, %v, %oi] : memref<4x4x4x16xi32>
                }
                %0 = affine.load %x[%o floordiv 2, %h, %v + %kw, %ii] : memref<2x5x5x16xi8>
                %1 = affine.load %w[%o, 0, %kw, %oi, %ii] : memref<4x1x2x16x16xi8>
                %2 = affine.load %a[%o, %h, %v, %oi] : memref<4x4x4x16xi32>
                %3 = arith.extsi %0 : i8 to i32
                %4 = arith.extsi %1 : i8 to i32
                %5 = arith.muli %3, %4 : i32
                %6 = arith.addi %2, %5 : i32
                affine.store %6, %a[%o, %h, %v, %oi] : memref<4x4x4x16xi32>
              }
            }
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 4 {
    tir.for %i1 = 0 to 4 {
      tir.for %i2 = 0 to 4 {
        tir.for %i3 = 0 to 16 {
          tir.block @cast(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 4, %v2 = spatial %i2 in 4, %v3 = spatial %i3 in 16)
              reads(%a[%v0, %v1, %v2, %v3] : memref<4x4x4x16xi32>) writes(%y[%v0, %v1, %v2, %v3] : memref<4x4x4x16xi8>) {
            %0 = affine.load %a[%v0, %v1, %v2, %v3] : memref<4x4x4x16xi32>
            %1 = arith.shrsi %0, %c1 : i32
            %2 = arith.trunci %1 : i32 to i8
            affine.store %2, %y[%v0, %v1, %v2, %v3] : memref<4x4x4x16xi8>
          }
        }
      }
    }
  }
}
