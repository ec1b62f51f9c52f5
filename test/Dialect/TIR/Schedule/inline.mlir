// RUN: relay-opt %s --tir-apply-schedules --split-input-file | FileCheck %s

// A padding is computed where it is read; its condition is over the variables
// of the consumer, and the buffer is gone.
// CHECK-LABEL: tir.prim_func @pad_inline
// CHECK-SAME:    (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK-NOT:   tir.alloc_buffer
// CHECK-NOT:   @pad
// CHECK:       tir.block @sum(%[[V0:.*]] = spatial %{{.*}} in 8, %[[V1:.*]] = reduce %{{.*}} in 3)
// CHECK-NEXT:      reads(%[[Y]][%[[V0]]] : memref<8xf32>, %[[X]][%[[V0]] + %[[V1]] - 1] : memref<8xf32>)
// CHECK:         affine.if #{{.*}}(%[[V0]], %[[V1]]) -> f32 {
// CHECK-NEXT:      affine.load %[[X]][%[[V0]] + %[[V1]] - 1]
module attributes {transform.with_named_sequence} {
  tir.prim_func @pad_inline(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.num_outputs = 1 : i64} {
    %zero = arith.constant 0.0 : f32
    %p = tir.alloc_buffer() : memref<10xf32>
    tir.for %i = 0 to 10 {
      tir.block @pad(%v0 = spatial %i in 10) reads(%x[%v0 - 1] : memref<8xf32>) writes(%p[%v0] : memref<10xf32>) {
        %0 = affine.if affine_set<(d0) : (d0 - 1 >= 0, 8 - d0 >= 0)>(%v0) -> f32 {
          %1 = affine.load %x[%v0 - 1] : memref<8xf32>
          affine.yield %1 : f32
        } else {
          affine.yield %zero : f32
        }
        affine.store %0, %p[%v0] : memref<10xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 3 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 3)
            reads(%y[%v0] : memref<8xf32>, %p[%v0 + %v1] : memref<10xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %y[%v0] : memref<8xf32>
          %1 = affine.load %p[%v0 + %v1] : memref<10xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @pad_inline.schedule(%f: !transform.any_op {transform.readonly}) {
    %pad = transform.tir.get_block @pad in %f
    transform.tir.compute_inline %pad
    transform.yield
  }
}

// -----

// A gather of an inlined block loads at the gathered index; a transposed
// consumer swaps the indices; both consumers get their own copy.
// CHECK-LABEL: tir.prim_func @consumers
// CHECK-SAME:    (%[[X:.*]]: memref<4x6xf32>, %[[I:.*]]: memref<6xindex>,
// CHECK-NOT:   @exp
// CHECK:       tir.block @transpose(%[[V0:.*]] = spatial %{{.*}} in 6, %[[V1:.*]] = spatial %{{.*}} in 4)
// CHECK:         %[[A:.*]] = affine.load %[[X]][%[[V1]], %[[V0]]]
// CHECK:         math.exp %[[A]]
// CHECK:       tir.block @take(%[[V0:.*]] = spatial
// CHECK-NEXT:      reads(%[[I]][%[[V0]]] : memref<6xindex>, %[[X]] : memref<4x6xf32>)
// CHECK:         %[[AT:.*]] = affine.load %[[I]][%[[V0]]]
// CHECK:         %[[B:.*]] = memref.load %[[X]][%{{.*}}, %{{.*}}]
// CHECK:         math.exp %[[B]]
module attributes {transform.with_named_sequence} {
  tir.prim_func @consumers(%x: memref<4x6xf32>, %i: memref<6xindex>, %y: memref<6x4xf32>, %z: memref<6xf32>) {
    %c0 = arith.constant 0 : index
    %t = tir.alloc_buffer() : memref<4x6xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 6 {
        tir.block @exp(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 6)
            reads(%x[%v0, %v1] : memref<4x6xf32>) writes(%t[%v0, %v1] : memref<4x6xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<4x6xf32>
          %1 = math.exp %0 : f32
          affine.store %1, %t[%v0, %v1] : memref<4x6xf32>
        }
      }
    }
    tir.for %i0 = 0 to 6 {
      tir.for %i1 = 0 to 4 {
        tir.block @transpose(%v0 = spatial %i0 in 6, %v1 = spatial %i1 in 4)
            reads(%t[%v1, %v0] : memref<4x6xf32>) writes(%y[%v0, %v1] : memref<6x4xf32>) {
          %0 = affine.load %t[%v1, %v0] : memref<4x6xf32>
          affine.store %0, %y[%v0, %v1] : memref<6x4xf32>
        }
      }
    }
    tir.for %i0 = 0 to 6 {
      tir.block @take(%v0 = spatial %i0 in 6)
          reads(%i[%v0] : memref<6xindex>, %t : memref<4x6xf32>) writes(%z[%v0] : memref<6xf32>) {
        %0 = affine.load %i[%v0] : memref<6xindex>
        %1 = memref.load %t[%c0, %0] : memref<4x6xf32>
        affine.store %1, %z[%v0] : memref<6xf32>
      }
    }
  }
  transform.named_sequence @consumers.schedule(%f: !transform.any_op {transform.readonly}) {
    %exp = transform.tir.get_block @exp in %f
    transform.tir.compute_inline %exp
    transform.yield
  }
}

// -----

// The consumer runs in its producer; it may transpose.
// CHECK-LABEL: tir.prim_func @reverse
// CHECK-SAME:    (%[[X:.*]]: memref<4x6xf32>, %[[B:.*]]: memref<6xf32>, %[[Y:.*]]: memref<6x4xf32>)
// CHECK-NOT:   tir.alloc_buffer
// CHECK:       tir.block @bias_add(%[[V0:.*]] = spatial %{{.*}} in 4, %[[V1:.*]] = spatial %{{.*}} in 6)
// CHECK-NEXT:      reads(%[[X]][%[[V0]], %[[V1]]] : memref<4x6xf32>, %[[B]][%[[V1]]] : memref<6xf32>)
// CHECK-NEXT:      writes(%[[Y]][%[[V1]], %[[V0]]] : memref<6x4xf32>)
// CHECK:         %[[E:.*]] = math.exp
// CHECK:         %[[L:.*]] = affine.load %[[B]][%[[V1]]]
// CHECK:         arith.addf %[[E]], %[[L]]
// CHECK-NOT:   tir.block
module attributes {transform.with_named_sequence} {
  tir.prim_func @reverse(%x: memref<4x6xf32>, %b: memref<6xf32>, %y: memref<6x4xf32>) {
    %t = tir.alloc_buffer() : memref<4x6xf32>
    tir.for %i0 = 0 to 4 {
      tir.for %i1 = 0 to 6 {
        tir.block @exp(%v0 = spatial %i0 in 4, %v1 = spatial %i1 in 6)
            reads(%x[%v0, %v1] : memref<4x6xf32>) writes(%t[%v0, %v1] : memref<4x6xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<4x6xf32>
          %1 = math.exp %0 : f32
          affine.store %1, %t[%v0, %v1] : memref<4x6xf32>
        }
      }
    }
    tir.for %i0 = 0 to 6 {
      tir.for %i1 = 0 to 4 {
        tir.block @bias_add(%v0 = spatial %i0 in 6, %v1 = spatial %i1 in 4)
            reads(%t[%v1, %v0] : memref<4x6xf32>, %b[%v0] : memref<6xf32>) writes(%y[%v0, %v1] : memref<6x4xf32>) {
          %0 = affine.load %t[%v1, %v0] : memref<4x6xf32>
          %1 = affine.load %b[%v0] : memref<6xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0, %v1] : memref<6x4xf32>
        }
      }
    }
  }
  transform.named_sequence @reverse.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @bias_add in %f
    transform.tir.reverse_compute_inline %b
    transform.yield
  }
}

// -----

// Loads of one element share what computes it, where the first is on the way to
// the others. Each of two branches has its own.
// CHECK-LABEL: tir.prim_func @shared
// CHECK:       tir.block @twice
// CHECK-COUNT-1: math.exp
// CHECK-NOT:   math.exp
// CHECK:       tir.block @branches
// CHECK:         affine.if
// CHECK-NEXT:      affine.load
// CHECK-NEXT:      math.exp
// CHECK:         } else {
// CHECK-NEXT:      affine.load
// CHECK-NEXT:      %[[E:.*]] = math.exp
// CHECK-NEXT:      %[[P:.*]] = arith.mulf %[[E]], %[[E]]
// CHECK-NEXT:      affine.yield %[[P]]
// CHECK:       tir.block @mirrored
// CHECK-COUNT-2: math.exp
module attributes {transform.with_named_sequence} {
  tir.prim_func @shared(%x: memref<8xf32>, %y0: memref<8xf32>, %y1: memref<8xf32>, %y2: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      tir.block @exp(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        %1 = math.exp %0 : f32
        affine.store %1, %t[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @twice(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y0[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        %1 = affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%v0) -> f32 {
          %2 = affine.load %t[%v0] : memref<8xf32>
          affine.yield %2 : f32
        } else {
          affine.yield %0 : f32
        }
        %3 = arith.addf %0, %1 : f32
        affine.store %3, %y0[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @branches(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y1[%v0] : memref<8xf32>) {
        %0 = affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%v0) -> f32 {
          %1 = affine.load %t[%v0] : memref<8xf32>
          affine.yield %1 : f32
        } else {
          %1 = affine.load %t[%v0] : memref<8xf32>
          %2 = affine.load %t[%v0] : memref<8xf32>
          %3 = arith.mulf %1, %2 : f32
          affine.yield %3 : f32
        }
        affine.store %0, %y1[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @mirrored(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>, %t[-%v0 + 7] : memref<8xf32>) writes(%y2[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        %1 = affine.load %t[-%v0 + 7] : memref<8xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y2[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @shared.schedule(%f: !transform.any_op {transform.readonly}) {
    %exp = transform.tir.get_block @exp in %f
    transform.tir.compute_inline %exp
    transform.yield
  }
}

// -----

// Indices from data that differ by a constant are two elements.
// CHECK-LABEL: tir.prim_func @neighbours
// CHECK:       tir.block @pick
// CHECK-COUNT-2: math.exp
module attributes {transform.with_named_sequence} {
  tir.prim_func @neighbours(%x: memref<9xf32>, %i: memref<8xi32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<9xf32>
    tir.for %k = 0 to 9 {
      tir.block @exp(%v0 = spatial %k in 9) reads(%x[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
        %0 = affine.load %x[%v0] : memref<9xf32>
        %1 = math.exp %0 : f32
        affine.store %1, %t[%v0] : memref<9xf32>
      }
    }
    tir.for %k = 0 to 8 {
      tir.block @pick(%v0 = spatial %k in 8) reads(%t[] : memref<9xf32>, %i[%v0] : memref<8xi32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %i[%v0] : memref<8xi32>
        %1 = arith.index_cast %0 : i32 to index
        %2 = affine.load %t[symbol(%1)] : memref<9xf32>
        %3 = affine.load %t[symbol(%1) + 1] : memref<9xf32>
        %4 = arith.subf %2, %3 : f32
        affine.store %4, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @neighbours.schedule(%f: !transform.any_op {transform.readonly}) {
    %exp = transform.tir.get_block @exp in %f
    transform.tir.compute_inline %exp
    transform.yield
  }
}

// -----

// A block that asks for the sizes of a buffer gets them when the buffer is gone.
// CHECK-LABEL: tir.prim_func @sizes_of_inlined
// CHECK-SAME:    (%[[X:.*]]: memref<4x?xf32>, %{{.*}}: memref<f32>)
// CHECK:       %[[N:.*]] = memref.dim %[[X]]
// CHECK-NOT:   tir.alloc_buffer
// CHECK-NOT:   memref.dim
// CHECK:       tir.block @last()
// CHECK:         %[[ROWS:.*]] = arith.constant 4
// CHECK-NOT:     memref.dim
// CHECK:         arith.subi %[[ROWS]]
// CHECK:         arith.subi %[[N]]
// CHECK:         memref.load %[[X]]
// CHECK:         math.absf
module attributes {transform.with_named_sequence} {
  tir.prim_func @sizes_of_inlined(%x: memref<4x?xf32>, %y: memref<f32>) attributes {tir.num_outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %n = memref.dim %x, %one : memref<4x?xf32>
    %t = tir.alloc_buffer(%n) : memref<4x?xf32>
    tir.for %i = 0 to 4 {
      tir.for %j = 0 to %n {
        tir.block @abs(%v0 = spatial %i in 4, %v1 = spatial %j in %n)
            reads(%x[%v0, %v1] : memref<4x?xf32>) writes(%t[%v0, %v1] : memref<4x?xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<4x?xf32>
          %1 = math.absf %0 : f32
          affine.store %1, %t[%v0, %v1] : memref<4x?xf32>
        }
      }
    }
    tir.block @last() reads(%t : memref<4x?xf32>) writes(%y[] : memref<f32>) {
      %zero = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %rows = memref.dim %t, %zero : memref<4x?xf32>
      %columns = memref.dim %t, %c1 : memref<4x?xf32>
      %row = arith.subi %rows, %c1 : index
      %column = arith.subi %columns, %c1 : index
      %0 = memref.load %t[%row, %column] : memref<4x?xf32>
      affine.store %0, %y[] : memref<f32>
    }
  }
  transform.named_sequence @sizes_of_inlined.schedule(%f: !transform.any_op {transform.readonly}) {
    %abs = transform.tir.get_block @abs in %f
    transform.tir.compute_inline %abs
    transform.yield
  }
}
