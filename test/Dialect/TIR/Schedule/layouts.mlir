// RUN: relay-opt %s --tir-apply-schedules --split-input-file --mlir-print-local-scope | FileCheck %s

// The remainders of the reduction run outermost. The init still comes first.
// CHECK-LABEL: tir.prim_func @block_layout
// CHECK-SAME:      %[[X:.*]]: memref<8x48xf32>
// CHECK:       tir.for %[[R:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:      tir.for %[[Q:.*]] = 0 to 12 {
// CHECK-NEXT:        tir.block @sum(%[[V0:.*]] = reduce %[[R]] in 4, %[[V1:.*]] = spatial %[[I]] in 8, %[[V2:.*]] = reduce %[[Q]] in 12)
// CHECK:               tir.init {
// CHECK:               affine.load %[[X]][%[[V1]], %[[V0]] + %[[V2]] * 4]
module attributes {transform.with_named_sequence} {
  tir.prim_func @block_layout(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 48)
            reads(%x[%v0, %v1] : memref<8x48xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x48xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @block_layout.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (k mod 4, i, k floordiv 4)>
    transform.yield
  }
}

// -----

// An index whose extent is not constant stays by itself.
// CHECK-LABEL: tir.prim_func @dynamic
// CHECK:       %[[N:.*]] = memref.dim
// CHECK:       tir.for %[[Q:.*]] = 0 to 3 {
// CHECK-NEXT:    tir.for %[[I:.*]] = 0 to %[[N]] {
// CHECK-NEXT:      tir.for %[[R:.*]] = 0 to 2 {
// CHECK-NEXT:        tir.block @copy(%[[V0:.*]] = spatial %[[Q]] in 3, %[[V1:.*]] = spatial %[[I]] in %[[N]], %[[V2:.*]] = spatial %[[R]] in 2)
// CHECK:               affine.load %{{.*}}[%[[V1]], %[[V0]] * 2 + %[[V2]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @dynamic(%x: memref<?x6xf32>, %y: memref<?x6xf32>) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?x6xf32>
    tir.for %i = 0 to %n {
      tir.for %j = 0 to 6 {
        tir.block @copy(%v0 = spatial %i in %n, %v1 = spatial %j in 6)
            reads(%x[%v0, %v1] : memref<?x6xf32>) writes(%y[%v0, %v1] : memref<?x6xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<?x6xf32>
          affine.store %0, %y[%v0, %v1] : memref<?x6xf32>
        }
      }
    }
  }
  transform.named_sequence @dynamic.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    transform.tir.transform_block_layout %copy affine_map<(i, j) -> (j floordiv 2, i, j mod 2)>
    transform.yield
  }
}

// -----

// A copy in another layout, of two dimensions, in bf16; results leave row by row.
// CHECK-LABEL: tir.prim_func @buffers
// CHECK-SAME:      %[[X:.*]]: memref<4x6x8xf32>, %[[Y:.*]]: memref<4x6x8xf32>
// CHECK:       %[[IN:.*]] = tir.alloc_buffer() : memref<8x24xbf16>
// CHECK:       %[[OUT:.*]] = tir.alloc_buffer() : memref<4x6x8xf32, #target.memory<"local">>
// CHECK:       tir.block @double_read_reindex(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 6, %[[V2:.*]] = spatial %{{.*}} in 8)
// CHECK:         %[[VALUE:.*]] = affine.load %[[X]][%[[V0]], %[[V1]], %[[V2]]]
// CHECK-NEXT:    %[[ROUNDED:.*]] = arith.truncf %[[VALUE]] : f32 to bf16
// CHECK-NEXT:    affine.store %[[ROUNDED]], %[[IN]][%[[V2]], %[[V0]] * 6 + %[[V1]]]
// CHECK:       tir.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 6 {
// CHECK:           tir.block @double(
// CHECK:             %[[LOADED:.*]] = affine.load %[[IN]]
// CHECK-NEXT:        %[[WIDE:.*]] = arith.extf %[[LOADED]] : bf16 to f32
// CHECK-NEXT:        arith.addf %[[WIDE]], %[[WIDE]]
// CHECK:         tir.for %[[J:.*]] = 0 to 6 {
// CHECK-NEXT:      tir.for %[[K:.*]] = 0 to 8 {
// CHECK-NEXT:        tir.block @double_write_local(%{{.*}} = spatial %[[I]] in 4, %{{.*}} = spatial %[[J]] in 6, %{{.*}} = spatial %[[K]] in 8)
// CHECK:               affine.load %[[OUT]]
// CHECK-NEXT:          affine.store %{{.*}}, %[[Y]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @buffers(%x: memref<4x6x8xf32>, %y: memref<4x6x8xf32>) {
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 6 {
        tir.for %k = 0 to 8 {
          tir.block @double(%v0 = spatial %i in 4, %v1 = spatial %j in 6, %v2 = spatial %k in 8)
              reads(%x[%v0, %v1, %v2] : memref<4x6x8xf32>) writes(%y[%v0, %v1, %v2] : memref<4x6x8xf32>) {
            %0 = affine.load %x[%v0, %v1, %v2] : memref<4x6x8xf32>
            %1 = arith.addf %0, %0 : f32
            affine.store %1, %y[%v0, %v1, %v2] : memref<4x6x8xf32>
          }
        }
      }
    }
  }
  transform.named_sequence @buffers.schedule(%f: !transform.any_op {transform.readonly}) {
    %double = transform.tir.get_block @double in %f
    %in = transform.tir.reindex_cache_read %double, 0, "global", affine_map<(i, j, k) -> (k, i, j)>
    transform.tir.set_axis_separator %double, read 0, [1]
    transform.tir.unsafe_set_dtype %in, 0, bf16
    %i, %j, %k = transform.tir.get_loops %double
    %out = transform.tir.write_at %i, %double, 0, "local"
    transform.yield
  }
}

// -----

// Both indices come from tables.
// CHECK-LABEL: tir.prim_func @index
// CHECK-SAME:      %[[X:.*]]: memref<6x7xf32>
// CHECK:       %[[ROWS:.*]] = tir.alloc_buffer() : memref<12xi64>
// CHECK:       tir.block @resize_index(%[[V0:.*]] = spatial %{{.*}} in 12)
// CHECK:         %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%[[V0]])
// CHECK-NEXT:    %[[ENTRY:.*]] = arith.index_cast %[[ROW]] : index to i64
// CHECK-NEXT:    affine.store %[[ENTRY]], %[[ROWS]][%[[V0]]]
// CHECK:       %[[COLUMNS:.*]] = tir.alloc_buffer() : memref<14xi64>
// CHECK:       tir.block @resize_index_1(
// CHECK:       tir.block @resize(%[[V0:.*]] = spatial %{{.*}} in 12, %[[V1:.*]] = spatial %{{.*}} in 14)
// CHECK:         affine.load %[[ROWS]][%[[V0]]]
// CHECK-NEXT:    %[[ROW:.*]] = arith.index_cast
// CHECK-NEXT:    affine.load %[[COLUMNS]][%[[V1]]]
// CHECK-NEXT:    %[[COLUMN:.*]] = arith.index_cast
// CHECK-NEXT:    memref.load %[[X]][%[[ROW]], %[[COLUMN]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @index(%x: memref<6x7xf32>, %y: memref<12x14xf32>) {
    tir.for %i = 0 to 12 {
      tir.for %j = 0 to 14 {
        tir.block @resize(%v0 = spatial %i in 12, %v1 = spatial %j in 14)
            reads(%x[%v0 floordiv 2, %v1 floordiv 2] : memref<6x7xf32>)
            writes(%y[%v0, %v1] : memref<12x14xf32>) {
          %0 = affine.load %x[%v0 floordiv 2, %v1 floordiv 2] : memref<6x7xf32>
          affine.store %0, %y[%v0, %v1] : memref<12x14xf32>
        }
      }
    }
  }
  transform.named_sequence @index.schedule(%f: !transform.any_op {transform.readonly}) {
    %resize = transform.tir.get_block @resize in %f
    %rows, %columns = transform.tir.cache_index %resize, "global" min_uses = 1
    transform.yield
  }
}

// -----

// Three elements go round; after the first iteration only the third is new.
// CHECK-LABEL: tir.prim_func @rolling
// CHECK:       %[[T:.*]] = tir.alloc_buffer() {tir.rolling} : memref<3xf32>
// CHECK:       tir.for %[[I:.*]] = 0 to 17 {
// CHECK-NEXT:    tir.for %[[J:.*]] = 0 to 3 {
// CHECK-NEXT:      %[[ELEMENT:.*]] = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%[[I]], %[[J]])
// CHECK-NEXT:      tir.block @first(%[[V0:.*]] = spatial %[[ELEMENT]] in 19, %{{.*}} = opaque %[[I]] in 17)
// CHECK-NEXT:          where affine_set<(d0, d1) : (d1 - ((d0 + 16) floordiv 17) * 2 >= 0)>(%[[I]], %[[J]])
// CHECK:             affine.store %{{.*}}, %[[T]][%[[V0]] mod 3]
// CHECK:         tir.block @second(%[[V0:.*]] = spatial %[[I]] in 17)
// CHECK:           affine.load %[[T]][%[[V0]] mod 3]
module attributes {transform.with_named_sequence} {
  tir.prim_func @rolling(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        %1 = arith.mulf %0, %0 : f32
        affine.store %1, %t[%v0] : memref<19xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @rolling.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    transform.yield
  }
}
