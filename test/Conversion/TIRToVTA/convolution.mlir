// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules --tir-to-vta | FileCheck %s

// Micro-ops are loaded once. Products with the first weights begin as soon as
// some of these are there.
// Padding is that of the load, rows and columns are loops in hardware, and the
// window micro-ops. Places in scratchpads take turns, and constants of channels
// are loaded once.
// CHECK-LABEL: vta.program @conv
// CHECK-SAME:    attributes {vta.buffers = array<i64: 4096, 6272, 1, 12288, 9216, 1, 24576, 128, 1, 28672, 6272, 2>}
// CHECK:         vta.gemm reset uops {{.*}} for 49 dst 1
// CHECK:         vta.load inp[0] from 256 size 8 x 8 stride 14 row_pad [1, 0] column_pad [1, 0]
// CHECK:         %[[T0:.*]] = vta.load wgt[0] from 48 size 1 x 3 signal
// CHECK:         %[[T1:.*]] = vta.load wgt[3] from 51 size 1 x 3 signal
// CHECK:         %[[T2:.*]] = vta.load wgt[6] from 54 size 1 x 3 signal
// CHECK:         vta.gemm uops 1 to 4 for 7 dst 7 src 9, for 7 dst 1 src 1 wait(%[[T0]] :
// CHECK:         vta.gemm uops 4 to 7 for 7 dst 7 src 9, for 7 dst 1 src 1 wait(%[[T1]] :
// CHECK:         %[[F0:.*]] = vta.gemm uops 7 to 10 for 7 dst 7 src 9, for 7 dst 1 src 1 wait(%[[T2]] :
// CHECK:         vta.load inp[81] from 452 size 8 x 8 stride 14 row_pad [1, 0] column_pad [1, 0]
// CHECK:         %[[T1:.*]] = vta.load wgt[9] from 57 size 1 x 9 signal
// CHECK:         vta.gemm uops {{.*}} wait(%[[T1]] :
// CHECK:         vta.load acc[{{.*}}] from 384 size 1 x 2
// CHECK:         vta.alu add uops {{.*}} for 49 dst 1
// CHECK:         %[[S:.*]] = vta.alu shr imm 6 uops {{.*}} for 49 dst 1 src 1 signal
// CHECK:         vta.store out[0] to 1792 size 7 x 7 stride 14 wait(%[[S]] :
// CHECK:         vta.load inp[0] from 262 size 8 x 8 stride 14 row_pad [1, 0] column_pad [0, 1] wait(%[[F0]] :
// CHECK-NOT:     vta.load acc
// CHECK:         vta.store out[49] to 1799 size 7 x 7 stride 14
// CHECK-NOT:     vta.load uop
// The last tile is stored in two parts.
// CHECK:         vta.alu shr imm 6 uops {{.*}} for 28 dst 1
// CHECK-NEXT:    vta.store out[49] to {{[0-9]+}} size 4 x 7 stride 14
// CHECK:         vta.alu shr imm 6 uops {{.*}} for 21 dst 1
// CHECK-NEXT:    {{.*}}vta.store out[77] to {{[0-9]+}} size 3 x 7 stride 14
// CHECK-NEXT:    vta.finish wait
tir.prim_func @conv(%x: memref<2x14x14x16xi8>, %w: memref<2x2x3x3x16x16xi8>, %b: memref<2x16xi32>, %y: memref<2x14x14x16xi8>)
    attributes {tir.num_outputs = 1 : i64, target.spec = #vta.config<batch = 1, block = 16>} {
  %c6 = arith.constant 6 : i32
  %c3 = arith.constant 3 : i32
  %c0 = arith.constant 0 : i32
  %z = arith.constant 0 : i8
  %p = tir.alloc_buffer() : memref<2x16x16x16xi8>
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 16 {
      tir.for %i2 = 0 to 16 {
        tir.for %i3 = 0 to 16 {
          tir.block @pad(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 16, %v2 = spatial %i2 in 16, %v3 = spatial %i3 in 16)
              reads(%x[%v0, %v1 - 1, %v2 - 1, %v3] : memref<2x14x14x16xi8>) writes(%p[%v0, %v1, %v2, %v3] : memref<2x16x16x16xi8>) {
            %0 = affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, -d0 + 14 >= 0, d1 - 1 >= 0, -d1 + 14 >= 0)>(%v1, %v2) -> i8 {
              %1 = affine.load %x[%v0, %v1 - 1, %v2 - 1, %v3] : memref<2x14x14x16xi8>
              affine.yield %1 : i8
            } else {
              affine.yield %z : i8
            }
            affine.store %0, %p[%v0, %v1, %v2, %v3] : memref<2x16x16x16xi8>
          }
        }
      }
    }
  }
  %a = tir.alloc_buffer() : memref<2x14x14x16xi32>
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 14 {
      tir.for %i2 = 0 to 14 {
        tir.for %i3 = 0 to 16 {
          tir.for %i4 = 0 to 2 {
            tir.for %i5 = 0 to 3 {
              tir.for %i6 = 0 to 3 {
                tir.for %i7 = 0 to 16 {
                  tir.block @conv2d(%o = spatial %i0 in 2, %h = spatial %i1 in 14, %v = spatial %i2 in 14, %oi = spatial %i3 in 16,
                      %ib = reduce %i4 in 2, %kh = reduce %i5 in 3, %kw = reduce %i6 in 3, %ii = reduce %i7 in 16)
                      reads(%p[%ib, %h + %kh, %v + %kw, %ii] : memref<2x16x16x16xi8>, %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<2x2x3x3x16x16xi8>, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>)
                      writes(%a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>) {
                    tir.init {
                      affine.store %c0, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                    }
                    %0 = affine.load %p[%ib, %h + %kh, %v + %kw, %ii] : memref<2x16x16x16xi8>
                    %1 = affine.load %w[%o, %ib, %kh, %kw, %oi, %ii] : memref<2x2x3x3x16x16xi8>
                    %2 = affine.load %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                    %3 = arith.extsi %0 : i8 to i32
                    %4 = arith.extsi %1 : i8 to i32
                    %5 = arith.muli %3, %4 : i32
                    %6 = arith.addi %2, %5 : i32
                    affine.store %6, %a[%o, %h, %v, %oi] : memref<2x14x14x16xi32>
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  tir.for %i0 = 0 to 2 {
    tir.for %i1 = 0 to 14 {
      tir.for %i2 = 0 to 14 {
        tir.for %i3 = 0 to 16 {
          tir.block @cast(%v0 = spatial %i0 in 2, %v1 = spatial %i1 in 14, %v2 = spatial %i2 in 14, %v3 = spatial %i3 in 16)
              reads(%a[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi32>, %b[%v0, %v3] : memref<2x16xi32>) writes(%y[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi8>) {
            %5 = affine.load %a[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi32>
            %6 = affine.load %b[%v0, %v3] : memref<2x16xi32>
            %7 = arith.addi %5, %6 : i32
          %8 = arith.shrsi %7, %c6 : i32
          %9 = arith.trunci %8 : i32 to i8
            affine.store %9, %y[%v0, %v1, %v2, %v3] : memref<2x14x14x16xi8>
          }
        }
      }
    }
  }
}
