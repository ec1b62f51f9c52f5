// RUN: relay-opt %s --tir-schedule-rules --tir-apply-schedules | FileCheck %s
// RUN: relay-opt %s --tir-schedule-rules | FileCheck %s --check-prefix=SCRIPT
// Whoever has measured says the tile; what is none of the product counts for nothing.
// RUN: sed 's/{tir.num/{vta.tile = array<i64: 1, 14, 2, 16, 1, 3, 3, 16>, tir.num/' %s | \
// RUN:   relay-opt --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=TILE
// RUN: sed 's/{tir.num/{vta.tile = array<i64: 1, 5, 2, 16, 1, 3, 3, 16>, tir.num/' %s | \
// RUN:   relay-opt --tir-schedule-rules --tir-apply-schedules | FileCheck %s
// RUN: sed 's/{tir.num/{vta.tile = array<i64: 1, 0>, tir.num/' %s | \
// RUN:   relay-opt --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// TILE: memref<1x14x2x16xi32, #target.memory<"acc">>
// TILE: memref<1x16x4x16xi8, #target.memory<"inp">>

// Data with its padding and weights come to scratchpads for each step of the
// reduction, results stay in accumulators until they are stored.
// CHECK-LABEL: tir.prim_func @conv
// CHECK:         tir.for %{{.*}} = 0 to 2 {
// CHECK:             tir.alloc_buffer() : memref<1x7x7x16xi32, #target.memory<"acc">>
// CHECK:               tir.block @conv2d_init
// CHECK:             tir.for %{{.*}} = 0 to 2 {
// CHECK:               tir.alloc_buffer() : memref<1x9x9x16xi8, #target.memory<"inp">>
// CHECK:               tir.alloc_buffer() : memref<1x1x3x3x16x16xi8, #target.memory<"wgt">>
// CHECK:               tir.block @pad
// CHECK:               tir.block @conv2d_read_wgt
// CHECK:               tir.block @conv2d(
// CHECK:             tir.block @cast
// SCRIPT-LABEL: transform.named_sequence @conv.schedule
// SCRIPT-NEXT: %[[S0:.*]] = transform.tir.get_block @conv2d in %{{.*}}
// SCRIPT-NEXT: %[[S1:.*]]:8 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: %[[S2:.*]]:2 = transform.tir.split %[[S1]]#0 [?, 1]
// SCRIPT-NEXT: %[[S3:.*]]:9 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: %[[S4:.*]]:2 = transform.tir.split %[[S3]]#2 [?, 7]
// SCRIPT-NEXT: %[[S5:.*]]:10 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: %[[S6:.*]]:2 = transform.tir.split %[[S5]]#4 [?, 7]
// SCRIPT-NEXT: %[[S7:.*]]:11 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: %[[S8:.*]]:2 = transform.tir.split %[[S7]]#7 [?, 1]
// SCRIPT-NEXT: %[[S9:.*]]:12 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: transform.tir.reorder %[[S9]]#0, %[[S9]]#2, %[[S9]]#4, %[[S9]]#7, %[[S9]]#1, %[[S9]]#3, %[[S9]]#5, %[[S9]]#8, %[[S9]]#9, %[[S9]]#10, %[[S9]]#6, %[[S9]]#11
// SCRIPT-NEXT: %[[S10:.*]] = transform.tir.get_block @pad in %{{.*}}
// SCRIPT-NEXT: transform.tir.set_scope %[[S10]], write 0, "inp"
// SCRIPT-NEXT: %[[S11:.*]]:12 = transform.tir.get_loops %[[S0]]
// SCRIPT-NEXT: transform.tir.compute_at %[[S10]], %[[S11]]#3
// SCRIPT-NEXT: %[[S12:.*]] = transform.tir.cache_read %[[S0]], 1, "wgt"
// SCRIPT-NEXT: %[[S13:.*]] = transform.tir.get_block @conv2d_read_wgt in %{{.*}}
// SCRIPT-NEXT: %[[S14:.*]]:7 = transform.tir.get_loops %[[S10]]
// SCRIPT-NEXT: transform.tir.compute_at %[[S13]], %[[S14]]#3
// SCRIPT-NEXT: transform.tir.set_scope %[[S0]], write 0, "acc"
// SCRIPT-NEXT: %[[S15:.*]] = transform.tir.get_block @cast in %{{.*}}
// SCRIPT-NEXT: %[[S16:.*]]:7 = transform.tir.get_loops %[[S10]]
// SCRIPT-NEXT: transform.tir.reverse_compute_at %[[S15]], %[[S16]]#2
// SCRIPT-NEXT: %[[S17:.*]]:7 = transform.tir.get_loops %[[S10]]
// SCRIPT-NEXT: %[[S18:.*]] = transform.tir.decompose_reduction %[[S0]], %[[S17]]#3
// SCRIPT-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 0 : i64}
// SCRIPT-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 65536 : i64}
// SCRIPT-NEXT: transform.tir.simplify %{{.*}}
// SCRIPT-NEXT: transform.yield
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
