// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  tir.prim_func @product(%x: memref<16xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 16 {
      tir.block @b(%v0 = spatial %i in 16) writes(%x[%v0] : memref<16xf32>) {
        affine.store %c, %x[%v0] : memref<16xf32>
      }
    }
  }
  transform.named_sequence @product.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    // expected-error @below {{expects factors with a product of at least 16, but got 12}}
    %0, %1 = transform.tir.split %i [3, 4]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @reduction(%x: memref<16xf32>, %y: memref<f32>) {
    %c = arith.constant 1.0 : f32
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 16 {
      tir.block @b(%v0 = reduce %i in 16) reads(%x[%v0] : memref<16xf32>, %y : memref<f32>) writes(%y : memref<f32>) {
        %0 = affine.load %x[%v0] : memref<16xf32>
        %1 = affine.load %y[] : memref<f32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[] : memref<f32>
      }
    }
  }
  transform.named_sequence @reduction.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    // expected-error @below {{expects a loop that feeds spatial variables only, but it feeds a reduce variable of block @b}}
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @race(%y: memref<4xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 16 {
      tir.for %j = 0 to 4 {
        tir.block @b(%v0 = spatial %j in 4) writes(%y[%v0] : memref<4xf32>) {
          affine.store %c, %y[%v0] : memref<4xf32>
        }
      }
    }
  }
  transform.named_sequence @race.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    // expected-error @below {{expects iterations that write different elements, but block @b writes the same ones in each}}
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @not_nested(%x: memref<4x4xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 4 {
      // expected-note @below {{next loop}}
      tir.for %j = 0 to 4 {
        tir.block @a(%v0 = spatial %i in 4, %v1 = spatial %j in 4) writes(%x[%v0, %v1] : memref<4x4xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<4x4xf32>
        }
      }
      tir.for %j = 0 to 4 {
        tir.block @b(%v0 = spatial %i in 4, %v1 = spatial %j in 4) writes(%x[%v0, %v1] : memref<4x4xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<4x4xf32>
        }
      }
    }
  }
  transform.named_sequence @not_nested.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i, %j = transform.tir.get_loops %a
    // expected-error @below {{expects the next loop to fuse to be all that this loop holds}}
    %ij = transform.tir.fuse %i, %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @k(%x: memref<4xf32>) {
  }
  transform.named_sequence @k.schedule(%f: !transform.any_op {transform.readonly}) {
    // expected-error @below {{expects a block @missing in @k}}
    %a = transform.tir.get_block @missing in %f
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @results(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    // expected-error @below {{expects 2 results, but got 1}}
    %0 = transform.tir.split %i [?, 4]
    transform.yield
  }
}

// -----

// Neighbours both compute the sum between them, in one place: one would add to
// what the other has begun anew.
module attributes {transform.with_named_sequence} {
  tir.prim_func @parallel_recomputed(%x: memref<9x12xf32>, %y: memref<8xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    %t = tir.alloc_buffer() : memref<9xf32>
    tir.for %i = 0 to 9 {
      tir.for %k = 0 to 12 {
        tir.block @sum(%v0 = spatial %i in 9, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<9x12xf32>, %t[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
          tir.init {
            affine.store %c, %t[%v0] : memref<9xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<9x12xf32>
          %1 = affine.load %t[%v0] : memref<9xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %t[%v0] : memref<9xf32>
        }
      }
    }
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.block @pair(%v0 = spatial %i in 8)
          reads(%t[%v0] : memref<9xf32>, %t[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<9xf32>
        %1 = affine.load %t[%v0 + 1] : memref<9xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @parallel_recomputed.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %pair = transform.tir.get_block @pair in %f
    %i = transform.tir.get_loops %pair
    transform.tir.compute_at %sum, %i
    // expected-error @below {{expects iterations that update different elements, but those of block @sum overlap in a buffer from outside of the loop}}
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

// The same by another kind, and with the init in a block of its own.
module attributes {transform.with_named_sequence} {
  tir.prim_func @bind_recomputed(%x: memref<9x12xf32>, %y: memref<8xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    %t = tir.alloc_buffer() : memref<9xf32>
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.for %r = 0 to 2 {
        %row = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %r)
        tir.block @zero(%v0 = spatial %row in 9) reads() writes(%t[%v0] : memref<9xf32>) {
          affine.store %c, %t[%v0] : memref<9xf32>
        }
        tir.for %k = 0 to 12 {
          tir.block @sum(%v0 = spatial %row in 9, %v1 = reduce %k in 12)
              reads(%x[%v0, %v1] : memref<9x12xf32>, %t[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
            %0 = affine.load %x[%v0, %v1] : memref<9x12xf32>
            %1 = affine.load %t[%v0] : memref<9xf32>
            %2 = arith.addf %0, %1 : f32
            affine.store %2, %t[%v0] : memref<9xf32>
          }
        }
      }
      tir.block @pair(%v0 = spatial %i in 8)
          reads(%t[%v0] : memref<9xf32>, %t[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<9xf32>
        %1 = affine.load %t[%v0 + 1] : memref<9xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @bind_recomputed.schedule(%f: !transform.any_op {transform.readonly}) {
    %pair = transform.tir.get_block @pair in %f
    %i = transform.tir.get_loops %pair
    // expected-error @below {{expects iterations that update different elements, but those of block @sum overlap in a buffer from outside of the loop}}
    transform.tir.bind %i to "threadIdx.x"
    transform.yield
  }
}

// -----

// What one block fills, another one has to write over.
module attributes {transform.with_named_sequence} {
  tir.prim_func @vectorize_filled(%x: memref<9xf32>, %y: memref<8xf32>)
      attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    %t = tir.alloc_buffer() : memref<9xf32>
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.for %r = 0 to 2 {
        %row = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%i, %r)
        tir.block @fill(%v0 = spatial %row in 9) reads() writes(%t[%v0] : memref<9xf32>) {
          affine.store %c, %t[%v0] : memref<9xf32>
        }
        // expected-note @below {{block @copy writes it too}}
        tir.block @copy(%v0 = spatial %row in 9) reads(%x[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
          %0 = affine.load %x[%v0] : memref<9xf32>
          affine.store %0, %t[%v0] : memref<9xf32>
        }
      }
      tir.block @pair(%v0 = spatial %i in 8)
          reads(%t[%v0] : memref<9xf32>, %t[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<9xf32>
        %1 = affine.load %t[%v0 + 1] : memref<9xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @vectorize_filled.schedule(%f: !transform.any_op {transform.readonly}) {
    %pair = transform.tir.get_block @pair in %f
    %i = transform.tir.get_loops %pair
    // expected-error @below {{expects iterations that do not use each other's results, but they share what block @fill writes}}
    transform.tir.vectorize %i
    transform.yield
  }
}

// -----

// Each iteration needs what the one before has written.
module attributes {transform.with_named_sequence} {
  tir.prim_func @parallel_carried(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<9xf32>
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0 + 1] : memref<9xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %t[%v0 + 1] : memref<9xf32>
      }
      // expected-note @below {{block @b uses it here}}
      tir.block @b(%v0 = spatial %i in 8) reads(%t[%v0] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<9xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @parallel_carried.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    // expected-error @below {{expects iterations that do not use each other's results, but they share what block @a writes}}
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

// Each row once, whatever the loops are called now; and a copy made twice is
// the same copy. Both are good.
module attributes {transform.with_named_sequence} {
  tir.prim_func @good(%x: memref<9x12xf32>, %y: memref<8xf32>) attributes {tir.num_outputs = 1 : i64} {
    %c = arith.constant 0.0 : f32
    %t = tir.alloc_buffer() : memref<9xf32>
    %u = tir.alloc_buffer() : memref<9xf32>
    tir.for %i = 0 to 9 {
      tir.for %k = 0 to 12 {
        tir.block @sum(%v0 = spatial %i in 9, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<9x12xf32>, %t[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
          tir.init {
            affine.store %c, %t[%v0] : memref<9xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<9x12xf32>
          %1 = affine.load %t[%v0] : memref<9xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %t[%v0] : memref<9xf32>
        }
      }
    }
    tir.for %i = 0 to 9 {
      tir.block @copy(%v0 = spatial %i in 9) reads(%t[%v0] : memref<9xf32>) writes(%u[%v0] : memref<9xf32>) {
        %0 = affine.load %t[%v0] : memref<9xf32>
        affine.store %0, %u[%v0] : memref<9xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @pair(%v0 = spatial %i in 8)
          reads(%u[%v0] : memref<9xf32>, %u[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %u[%v0] : memref<9xf32>
        %1 = affine.load %u[%v0 + 1] : memref<9xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @good.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %copy = transform.tir.get_block @copy in %f
    %pair = transform.tir.get_block @pair in %f
    %i, %k = transform.tir.get_loops %sum
    %io, %ii = transform.tir.split %i [?, 2]
    %one, %two = transform.tir.split %io [?, 3]
    %all = transform.tir.fuse %one, %two, %ii
    transform.tir.parallel %all
    %p = transform.tir.get_loops %pair
    transform.tir.compute_at %copy, %p
    transform.tir.parallel %p
    transform.yield
  }
}

// -----

transform.sequence failures(propagate) {
^bb0(%block: !transform.any_op):
  // expected-error @below {{expects at most 4096 results, but got 1000000000}}
  %loops:1000000000 = transform.tir.get_loops %block
}

// -----

transform.sequence failures(propagate) {
^bb0(%loop: !transform.any_op):
  // expected-error @below {{expects a power of two from 64 to 2048 vector bits, but got 2147483648}}
  %tile = transform.tir.tensorize %loop, "row_reduction" {vector_bits = 2147483648 : i64}
}
