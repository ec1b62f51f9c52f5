// RUN: relay-opt %s --tir-apply-schedules --split-input-file --mlir-print-local-scope | FileCheck %s

// The second loop runs backwards, the first in three parts, the last of which
// has a loop around it.
// CHECK-LABEL: tir.prim_func @reverse
// CHECK:       tir.for %{{.*}} = 0 to 1 {
// CHECK-NEXT:    tir.for %[[J:.*]] = 0 to 12 {
// CHECK-NEXT:      %[[BACK:.*]] = affine.apply affine_map<(d0) -> (-d0 + 11)>(%[[J]])
// CHECK-NEXT:      tir.block @b(%{{.*}} = spatial %{{.*}} in 8, %{{.*}} = spatial %[[BACK]] in 12)
// CHECK:       tir.for %[[I:.*]] = 0 to 5 {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 12 {
// CHECK-NEXT:      %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 + 1)>(%[[I]])
// CHECK:           tir.block @b_part(%{{.*}} = spatial %[[ROW]] in 8,
// CHECK:       tir.for %{{.*}} = 0 to 1 attributes {kept = 1 : i64} {
// CHECK-NEXT:    tir.for %[[I:.*]] = 0 to 2 {
// CHECK-NEXT:      tir.for %{{.*}} = 0 to 12 {
// CHECK-NEXT:        %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 + 6)>(%[[I]])
// CHECK:             tir.block @b_part_1(%{{.*}} = spatial %[[ROW]] in 8,
module attributes {transform.with_named_sequence} {
  tir.prim_func @reverse(%x: memref<8x12xf32>, %y: memref<8x12xf32>) {
    tir.for %i = 0 to 8 {
      tir.for %j = 0 to 12 {
        tir.block @b(%v0 = spatial %i in 8, %v1 = spatial %j in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>) writes(%y[%v0, %v1] : memref<8x12xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          affine.store %0, %y[%v0, %v1] : memref<8x12xf32>
        }
      }
    }
  }
  transform.named_sequence @reverse.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    transform.tir.reverse %j
    %first, %middle, %last = transform.tir.loop_partition %i [1, ?, 2]
    %one = transform.tir.add_unit_loop %last
    transform.tir.annotate %one "kept" = 1 : i64
    transform.tir.annotate %one "gone" = 2 : i64
    transform.tir.unannotate %one "gone"
    transform.yield
  }
}

// -----

// One loop with both blocks, which queries find.
// CHECK-LABEL: tir.prim_func @merge
// CHECK:       tir.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:    tir.block @a(%{{.*}} = spatial %[[I]] in 8)
// CHECK:         tir.block @b(%{{.*}} = spatial %[[I]] in 8)
// CHECK:         attributes {second = true}
// CHECK-NOT:   tir.for
module attributes {transform.with_named_sequence} {
  tir.prim_func @merge(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %t[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @merge.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %b = transform.tir.get_consumers %a
    %i = transform.tir.get_loops %a
    %j = transform.tir.get_loops %b
    %both = transform.tir.merge %i, %j
    %c, %d = transform.tir.get_child_blocks %both
    transform.tir.annotate %d "second" = true
    transform.yield
  }
}

// -----

// Partial sums in a buffer of their own; what overruns adds the neutral element.
// CHECK-LABEL: tir.prim_func @sum
// CHECK-SAME:      %[[X:.*]]: memref<8x12xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK:       %[[RF:.*]] = tir.alloc_buffer() : memref<5x8xf32>
// CHECK:       tir.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:    tir.for %[[KO:.*]] = 0 to 3 {
// CHECK-NEXT:      tir.for %[[KI:.*]] = 0 to 5 {
// CHECK:             tir.block @sum_rf(%[[V0:.*]] = spatial %[[I]] in 8, %[[V1:.*]] = reduce %[[KO]] in 3, %[[V2:.*]] = spatial %[[KI]] in 5)
// CHECK:               writes(%[[RF]][%[[V2]], %[[V0]]] : memref<5x8xf32>)
// CHECK-NEXT:          tir.init {
// CHECK-NEXT:            %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT:            affine.store %[[ZERO]], %[[RF]][%[[V2]], %[[V0]]]
// CHECK:               %[[K:.*]] = affine.apply affine_map<(d0, d1) -> (d0 * 5 + d1)>(%[[V1]], %[[V2]])
// CHECK-NEXT:          %[[VALUE:.*]] = affine.if affine_set<(d0, d1) : (-(d0 * 5 + d1) + 11 >= 0)>(%[[V1]], %[[V2]]) -> f32 {
// CHECK-NEXT:            affine.load %[[X]][%[[V0]], %[[K]]]
// CHECK:               } else {
// CHECK-NEXT:            arith.constant 0.0
// CHECK:               %[[OLD:.*]] = affine.load %[[RF]][%[[V2]], %[[V0]]]
// CHECK-NEXT:          %[[NEW:.*]] = arith.addf %[[OLD]], %[[VALUE]]
// CHECK-NEXT:          affine.store %[[NEW]], %[[RF]][%[[V2]], %[[V0]]]
// CHECK:       tir.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT:    tir.for %[[K:.*]] = 0 to 5 {
// CHECK-NEXT:      tir.block @sum(%[[V0:.*]] = spatial %[[I]] in 8, %[[V1:.*]] = reduce %[[K]] in 5)
// CHECK:             tir.init {
// CHECK:             affine.load %[[RF]][%[[V1]], %[[V0]]]
// CHECK:             affine.store %{{.*}}, %[[Y]][%[[V0]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @sum(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%y[%v0] : memref<8xf32>, %x[%v0, %v1] : memref<8x12xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %y[%v0] : memref<8xf32>
          %1 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @sum.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %b
    %ko, %ki = transform.tir.split %k [?, 5]
    %partial = transform.tir.rfactor %ki axis = 0
    transform.yield
  }
}

// -----

// An instance is a tile of 4 rows and 5 columns, the last one cut off; the order
// of the variables has changed before.
// CHECK-LABEL: tir.prim_func @tiles
// CHECK:       tir.for %[[IO:.*]] = 0 to 2 {
// CHECK-NEXT:    tir.for %[[KO:.*]] = 0 to 3 {
// CHECK-NEXT:      tir.block @sum(%[[V0:.*]] = reduce %[[KO]] in 3, %[[V1:.*]] = spatial %[[IO]] in 2)
// CHECK-NEXT:          reads(%{{.*}} : memref<8xf32>, %{{.*}} : memref<8x12xf32>)
// CHECK:             tir.init {
// CHECK-NEXT:          affine.for %[[I:.*]] = 0 to 4 {
// CHECK:                 %[[ROW:.*]] = affine.apply affine_map<(d0, d1) -> (d1 + d0 * 4)>(%[[V1]], %[[I]])
// CHECK-NEXT:            affine.store %{{.*}}, %{{.*}}[%[[ROW]]]
// CHECK:             affine.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:          affine.for %[[K:.*]] = 0 to 5 {
// CHECK-NEXT:            %[[COLUMN:.*]] = affine.apply affine_map<(d0, d1) -> (d1 + d0 * 5)>(%[[V0]], %[[K]])
// CHECK-NEXT:            %[[ROW:.*]] = affine.apply affine_map<(d0, d1) -> (d1 + d0 * 4)>(%[[V1]], %[[I]])
// CHECK-NEXT:            affine.if affine_set<(d0, d1) : (-(d1 + d0 * 5) + 11 >= 0)>(%[[V0]], %[[K]]) {
// CHECK:                   affine.load %{{.*}}[%[[ROW]], %[[COLUMN]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @tiles(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%y[%v0] : memref<8xf32>, %x[%v0, %v1] : memref<8x12xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %y[%v0] : memref<8xf32>
          %1 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @tiles.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @sum in %f
    transform.tir.reorder_block_iter_var %b [1, 0]
    %i, %k = transform.tir.get_loops %b
    %io, %ii = transform.tir.split %i [?, 4]
    %ko, %ki = transform.tir.split %k [?, 5]
    transform.tir.reorder %io, %ko, %ii, %ki
    %tile = transform.tir.blockize %ii
    transform.yield
  }
}

// -----

// Operands get zeros at the end, the result is cropped; its rows are 2 elements
// apart modulo 16.
// CHECK-LABEL: tir.prim_func @domains
// CHECK-SAME:      %[[A:.*]]: memref<6x9xf32>, %[[B:.*]]: memref<9x7xf32>, %[[Y:.*]]: memref<6x7xf32>
// CHECK:       %[[PA:.*]] = tir.alloc_buffer() : memref<6x12xf32>
// CHECK:       tir.block @matmul_pad_0(%[[V0:.*]] = spatial %{{.*}} in 6, %[[V1:.*]] = spatial %{{.*}} in 12)
// CHECK:         affine.if affine_set<(d0, d1) : (-d1 + 8 >= 0)>(%[[V0]], %[[V1]])
// CHECK-NEXT:      affine.load %[[A]][%[[V0]], %[[V1]]]
// CHECK:       %[[PB:.*]] = tir.alloc_buffer() : memref<12x8xf32>
// CHECK:       tir.block @matmul_pad_1
// CHECK:         affine.if affine_set<(d0, d1) : (-d0 + 8 >= 0, -d1 + 6 >= 0)>
// CHECK:       %[[PY:.*]] = tir.alloc_buffer() : memref<6x18xf32>
// CHECK:       tir.for %{{.*}} = 0 to 6 {
// CHECK-NEXT:    tir.for %{{.*}} = 0 to 8 {
// CHECK-NEXT:      tir.for %{{.*}} = 0 to 12 {
// CHECK-NEXT:        tir.block @matmul(%[[V0:.*]] = spatial %{{.*}} in 6, %[[V1:.*]] = spatial %{{.*}} in 8, %[[V2:.*]] = reduce %{{.*}} in 12)
// CHECK-NEXT:            reads(%[[PY]][%[[V0]], %[[V1]]] : memref<6x18xf32>, %[[PA]][%[[V0]], %[[V2]]] : memref<6x12xf32>, %[[PB]][%[[V2]], %[[V1]]] : memref<12x8xf32>)
// CHECK:       tir.block @matmul_crop(%[[V0:.*]] = spatial %{{.*}} in 6, %[[V1:.*]] = spatial %{{.*}} in 7)
// CHECK-NEXT:      reads(%[[PY]][%[[V0]], %[[V1]]]
// CHECK-NEXT:      writes(%[[Y]][%[[V0]], %[[V1]]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @domains(%a: memref<6x9xf32>, %b: memref<9x7xf32>, %y: memref<6x7xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 6 {
      tir.for %j = 0 to 7 {
        tir.for %k = 0 to 9 {
          tir.block @matmul(%v0 = spatial %i in 6, %v1 = spatial %j in 7, %v2 = reduce %k in 9)
              reads(%y[%v0, %v1] : memref<6x7xf32>, %a[%v0, %v2] : memref<6x9xf32>, %b[%v2, %v1] : memref<9x7xf32>)
              writes(%y[%v0, %v1] : memref<6x7xf32>) {
            tir.init {
              affine.store %c, %y[%v0, %v1] : memref<6x7xf32>
            }
            %0 = affine.load %y[%v0, %v1] : memref<6x7xf32>
            %1 = affine.load %a[%v0, %v2] : memref<6x9xf32>
            %2 = affine.load %b[%v2, %v1] : memref<9x7xf32>
            %3 = arith.mulf %1, %2 : f32
            %4 = arith.addf %0, %3 : f32
            affine.store %4, %y[%v0, %v1] : memref<6x7xf32>
          }
        }
      }
    }
  }
  transform.named_sequence @domains.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @matmul in %f
    transform.tir.pad_einsum %b [1, 4, 4]
    transform.tir.storage_align %b, 0, axis = 0, factor = 16, offset = 2
    transform.yield
  }
}

// -----

// CHECK-LABEL: tir.prim_func @pad
// CHECK:       tir.for %[[I:.*]] = 0 to 12 {
// CHECK-NEXT:    tir.block @pad_pad_const(%[[V0:.*]] = spatial %[[I]] in 12)
// CHECK:           affine.store %{{.*}}, %{{.*}}[%[[V0]]]
// CHECK:       tir.for %[[I:.*]] = 0 to 7 {
// CHECK-NEXT:    tir.block @pad(%[[V0:.*]] = spatial %[[I]] in 7)
// CHECK-NOT:       affine.if
// CHECK:           %[[X:.*]] = affine.load %{{.*}}[%[[V0]]]
// CHECK-NEXT:      affine.store %[[X]], %{{.*}}[%[[V0]] + 2]
module attributes {transform.with_named_sequence} {
  tir.prim_func @pad(%x: memref<7xf32>, %y: memref<12xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 12 {
      tir.block @pad(%v0 = spatial %i in 12) reads(%x[%v0 - 2] : memref<7xf32>) writes(%y[%v0] : memref<12xf32>) {
        %0 = affine.if affine_set<(d0) : (d0 - 2 >= 0, 8 - d0 >= 0)>(%v0) -> f32 {
          %1 = affine.load %x[%v0 - 2] : memref<7xf32>
          affine.yield %1 : f32
        } else {
          affine.yield %c : f32
        }
        affine.store %0, %y[%v0] : memref<12xf32>
      }
    }
  }
  transform.named_sequence @pad.schedule(%f: !transform.any_op {transform.readonly}) {
    %pad = transform.tir.get_output_blocks %f
    %i = transform.tir.get_loops %pad
    %fill = transform.tir.decompose_padding %pad, %i
    transform.yield
  }
}

// -----

// The windows become rows; then the block works on a copy of its result.
// CHECK-LABEL: tir.prim_func @window
// CHECK-SAME:      %[[X:.*]]: memref<10xf32>, %[[Y:.*]]: memref<8xf32>
// CHECK:       %[[ROWS:.*]] = tir.alloc_buffer() : memref<8x3xf32>
// CHECK:       tir.block @sum_read_reindex(%[[V0:.*]] = spatial %{{.*}} in 8, %[[V1:.*]] = spatial %{{.*}} in 3)
// CHECK-NEXT:      reads(%[[X]][%[[V0]] + %[[V1]]] : memref<10xf32>)
// CHECK-NEXT:      writes(%[[ROWS]][%[[V0]], %[[V1]]] : memref<8x3xf32>)
// CHECK:       %[[RESULT:.*]] = tir.alloc_buffer() : memref<8xf32>
// CHECK:       %[[LOCAL:.*]] = tir.alloc_buffer() : memref<8xf32, #target.memory<"local">>
// CHECK:       tir.block @sum_read_local
// CHECK:       tir.block @sum(%[[V0:.*]] = spatial %{{.*}} in 8, %[[V1:.*]] = reduce %{{.*}} in 3)
// CHECK-NEXT:      reads(%[[LOCAL]][%[[V0]]] : memref<8xf32, #target.memory<"local">>, %[[ROWS]][%[[V0]], %[[V1]]] : memref<8x3xf32>)
// CHECK-NEXT:      writes(%[[LOCAL]][%[[V0]]] : memref<8xf32, #target.memory<"local">>)
// CHECK:       tir.block @sum_write_local(%[[V0:.*]] = spatial
// CHECK-NEXT:      reads(%[[LOCAL]]
// CHECK-NEXT:      writes(%[[RESULT]]
// CHECK:       tir.block @sum_write_reindex
// CHECK-NEXT:      reads(%[[RESULT]]
// CHECK-NEXT:      writes(%[[Y]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @window(%x: memref<10xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 3 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 3)
            reads(%y[%v0] : memref<8xf32>, %x[%v0 + %v1] : memref<10xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %y[%v0] : memref<8xf32>
          %1 = affine.load %x[%v0 + %v1] : memref<10xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @window.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %columns = transform.tir.reindex %sum, read 0
    %result = transform.tir.reindex %sum, write 0
    %in, %out = transform.tir.cache_inplace %sum, 0, "local"
    transform.yield
  }
}

// -----

// The nest is the described one at some place in larger buffers. The
// implementation works on views of them; description and implementation go.
// CHECK-LABEL: tir.prim_func @axpys
// CHECK-SAME:      %[[A:.*]]: memref<16xf32>, %[[X:.*]]: memref<16x32xf32>, %[[Y:.*]]: memref<4x32xf32>
// CHECK:       tir.for %[[I:.*]] = 0 to 4 {
// CHECK-NEXT:    tir.for %[[JO:.*]] = 0 to 4 {
// CHECK-NEXT:      tir.block @axpy(%[[V0:.*]] = spatial %[[I]] in 4, %[[V1:.*]] = spatial %[[JO]] in 4)
// CHECK:             %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[V0]])
// CHECK-NEXT:        memref.subview %[[A]][%[[ROW]]] [1] [1]
// CHECK:             %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> (d0 * 8)>(%[[V1]])
// CHECK-NEXT:        %[[VX:.*]] = memref.subview %[[X]][%{{.*}}, %[[COLUMN]]] [1, 8] [1, 1] : memref<16x32xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK:             vector.load %[[VX]]
// CHECK:             vector.store
// CHECK-NOT:   tir.prim_func
module attributes {transform.with_named_sequence} {
  tir.prim_func @axpys(%a: memref<16xf32>, %x: memref<16x32xf32>, %y: memref<4x32xf32>) {
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to 32 {
        tir.block @axpy(%v0 = spatial %i in 4, %v1 = spatial %j in 32)
            reads(%a[%v0 * 4] : memref<16xf32>, %x[%v0 * 4, %v1] : memref<16x32xf32>, %y[%v0, %v1] : memref<4x32xf32>)
            writes(%y[%v0, %v1] : memref<4x32xf32>) {
          %0 = affine.load %a[%v0 * 4] : memref<16xf32>
          %1 = affine.load %x[%v0 * 4, %v1] : memref<16x32xf32>
          %2 = affine.load %y[%v0, %v1] : memref<4x32xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %y[%v0, %v1] : memref<4x32xf32>
        }
      }
    }
  }
  tir.prim_func private @axpy.description(%a: memref<1xf32>, %x: memref<8xf32>, %y: memref<8xf32>)
      attributes {tir.intrinsic} {
    tir.for %i = 0 to 8 {
      tir.block @axpy(%v0 = spatial %i in 8)
          reads(%y[%v0] : memref<8xf32>, %a[0] : memref<1xf32>, %x[%v0] : memref<8xf32>)
          writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %y[%v0] : memref<8xf32>
        %1 = affine.load %a[0] : memref<1xf32>
        %2 = affine.load %x[%v0] : memref<8xf32>
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %0, %3 : f32
        affine.store %4, %y[%v0] : memref<8xf32>
      }
    }
  }
  tir.prim_func private @axpy.implementation(%a: memref<1xf32>, %x: memref<8xf32>, %y: memref<8xf32>)
      attributes {tir.intrinsic} {
    %c0 = arith.constant 0 : index
    %0 = memref.load %a[%c0] : memref<1xf32>
    %1 = vector.broadcast %0 : f32 to vector<8xf32>
    %2 = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
    %3 = vector.load %y[%c0] : memref<8xf32>, vector<8xf32>
    %4 = vector.fma %1, %2, %3 : vector<8xf32>
    vector.store %4, %y[%c0] : memref<8xf32>, vector<8xf32>
  }
  transform.named_sequence @axpys.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @axpy in %f
    %i, %j = transform.tir.get_loops %b
    %jo, %ji = transform.tir.split %j [?, 8]
    %tile = transform.tir.tensorize_with %ji, @axpy.description, @axpy.implementation
    transform.yield
  }
}

// -----

// An open size grows when the kernel runs: here to the next odd one.
//

// CHECK-LABEL: tir.prim_func @align_open
// CHECK:       %[[SIZE:.*]] = affine.apply affine_map<()[s0] -> (s0 + (-s0 + 1) mod 2)>()[%{{.*}}]
// CHECK-NEXT:  tir.alloc_buffer(%[[SIZE]]) : memref<4x?x8xf32>
module attributes {transform.with_named_sequence} {
  tir.prim_func @align_open(%x: memref<?x8xf32>) {
    %c = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?x8xf32>
    %t = tir.alloc_buffer(%n) : memref<4x?x8xf32>
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to %n {
        tir.block @b(%v0 = spatial %i in 4, %v1 = spatial %j in %n)
            writes(%t[%v0, %v1, 0] : memref<4x?x8xf32>) {
          affine.store %c, %t[%v0, %v1, 0] : memref<4x?x8xf32>
        }
      }
    }
  }
  transform.named_sequence @align_open.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    transform.tir.storage_align %b, 0, axis = 0, factor = 16, offset = 8
    transform.yield
  }
}
