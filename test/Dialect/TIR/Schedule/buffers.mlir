// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s

// A layout-free weight is packed: type, attributes and accesses change. An
// intermediate buffer gets the layout of the tile. The copies keep the shapes.
// CHECK-LABEL: tir.prim_func @matmul
// CHECK-SAME:    %[[A:.*]]: memref<4x8xf32>, %[[W:.*]]: memref<2x8x16xf32> {tir.layout = affine_map<(d0, d1) -> (d0 floordiv 16, d1, d0 mod 16)>, tir.original_type = memref<20x8xf32>}, %[[Y:.*]]: memref<4x20xf32>
// CHECK:       %[[ACC:.*]] = tir.alloc_buffer() : memref<2x4x16xf32, #target.memory<"local">>
// CHECK:       %[[CACHE:.*]] = tir.alloc_buffer() : memref<4x8xf32>
// CHECK:       tir.block @matmul_read_local(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 8)
// CHECK-NEXT:      reads(%[[A]][%[[V0]], %[[V1]]] : memref<4x8xf32>)
// CHECK-NEXT:      writes(%[[CACHE]][%[[V0]], %[[V1]]] : memref<4x8xf32>)
// CHECK:       tir.block @matmul_init(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 20)
// CHECK-NEXT:      writes(%[[ACC]][%[[V1]] floordiv 16, %[[V0]], %[[V1]] mod 16]
// CHECK:       tir.for %{{.*}} = 0 to 8
// CHECK:       tir.block @matmul(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 20, %[[V2:.*]] = reduce %{{.*}} in 8)
// CHECK-NEXT:      reads(%[[ACC]][%[[V1]] floordiv 16, %[[V0]], %[[V1]] mod 16] : memref<2x4x16xf32, #target.memory<"local">>, %[[CACHE]][%[[V0]], %[[V2]]] : memref<4x8xf32>, %[[W]][%[[V1]] floordiv 16, %[[V2]], %[[V1]] mod 16] : memref<2x8x16xf32>)
// CHECK-NOT:     tir.init
// CHECK:       tir.block @matmul_write_local(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 20)
// CHECK-NEXT:      reads(%[[ACC]][%[[V1]] floordiv 16, %[[V0]], %[[V1]] mod 16]
// CHECK-NEXT:      writes(%[[Y]][%[[V0]], %[[V1]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @matmul(%a: memref<4x8xf32>, %w: memref<20x8xf32>, %y: memref<4x20xf32>)
      attributes {tir.num_outputs = 1 : i64, tir.layout_free = [1]} {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 20 {
        tir.for %k = 0 to 8 {
          tir.block @matmul(%v0 = spatial %i in 4, %v1 = spatial %j in 20, %v2 = reduce %k in 8)
              reads(%y[%v0, %v1] : memref<4x20xf32>, %a[%v0, %v2] : memref<4x8xf32>, %w[%v1, %v2] : memref<20x8xf32>)
              writes(%y[%v0, %v1] : memref<4x20xf32>) {
            tir.init {
              affine.store %zero, %y[%v0, %v1] : memref<4x20xf32>
            }
            %0 = affine.load %y[%v0, %v1] : memref<4x20xf32>
            %1 = affine.load %a[%v0, %v2] : memref<4x8xf32>
            %2 = affine.load %w[%v1, %v2] : memref<20x8xf32>
            %3 = arith.mulf %1, %2 : f32
            %4 = arith.addf %0, %3 : f32
            affine.store %4, %y[%v0, %v1] : memref<4x20xf32>
          }
        }
      }
    }
  }
  transform.named_sequence @matmul.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @matmul in %f
    transform.tir.transform_layout %b, read 1, affine_map<(n, k) -> (n floordiv 16, k, n mod 16)>
    %write = transform.tir.cache_write %b, 0, "local"
    transform.tir.transform_layout %b, write 0, affine_map<(m, n) -> (n floordiv 16, m, n mod 16)>
    %read = transform.tir.cache_read %b, 0, "local"
    transform.tir.set_scope %b, read 0, "global"
    %i, %j, %k = transform.tir.get_loops %b
    %init = transform.tir.decompose_reduction %b, %k
    transform.yield
  }
}

// -----

// Digits of a digit: groups of 68, each in three parts of 24, as weights of
// grouped convolutions are packed.

// CHECK-LABEL: tir.prim_func @groups(
//  CHECK-SAME:     memref<4x3x68x24xf32> {tir.layout = affine_map
//       CHECK:   reads({{.*}}[%v0 floordiv 68, (%v0 mod 68) floordiv 24, %v1, (%v0 mod 68) mod 24]
module attributes {transform.with_named_sequence} {
  tir.prim_func @groups(%x: memref<272x68xf32>, %y: memref<272x68xf32>) attributes {tir.num_outputs = 1 : i64, tir.layout_free = [0]} {
    tir.for %i = 0 to 272 {
      tir.for %j = 0 to 68 {
        tir.block @copy(%v0 = spatial %i in 272, %v1 = spatial %j in 68)
            reads(%x[%v0, %v1] : memref<272x68xf32>)
            writes(%y[%v0, %v1] : memref<272x68xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<272x68xf32>
          affine.store %0, %y[%v0, %v1] : memref<272x68xf32>
        }
      }
    }
  }
  transform.named_sequence @groups.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @copy in %f
    transform.tir.transform_layout %b, read 0, affine_map<(o, c) -> (o floordiv 68, (o mod 68) floordiv 24, c, (o mod 68) mod 24)>
    transform.yield
  }
}
