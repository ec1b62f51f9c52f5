// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  tir.prim_func @output(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @output.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects block @b to write an intermediate buffer, not an argument}}
    transform.tir.compute_inline %b
    transform.yield
  }
}

// -----

// The reduction is complete only after loop %k.
module attributes {transform.with_named_sequence} {
  tir.prim_func @incomplete(%x: memref<8x4xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %k = 0 to 4 {
      tir.for %i = 0 to 8 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 4)
            reads(%x[%v0, %v1] : memref<8x4xf32>, %t[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<8x4xf32>
          %1 = affine.load %t[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %t[%v0] : memref<8xf32>
        }
      }
    }
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @copy(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @incomplete.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %k, %i = transform.tir.get_loops %sum
    %copy = transform.tir.get_block @copy in %f
    // expected-error @below {{expects block @sum to be complete in one iteration of the loop, but its reduction runs over it}}
    transform.tir.reverse_compute_at %copy, %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @outside(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
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
    tir.for %i = 0 to 8 {
      tir.block @c(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%z[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %z[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @outside.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    // expected-error @below {{expects all readers of block @a inside the loop, but @c is outside}}
    transform.tir.compute_at %a, %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  // expected-note @below {{this is in the way}}
  tir.prim_func @not_free(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
    tir.for %i = 0 to 8 {
      tir.for %j = 0 to 8 {
        tir.block @b(%v0 = spatial %i in 8, %v1 = spatial %j in 8)
            reads(%x[%v0, %v1] : memref<8x8xf32>) writes(%y[%v0, %v1] : memref<8x8xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<8x8xf32>
          affine.store %0, %y[%v0, %v1] : memref<8x8xf32>
        }
      }
    }
  }
  transform.named_sequence @not_free.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects an intermediate buffer or an argument that is tir.layout_free}}
    transform.tir.transform_layout %b, read 0, affine_map<(i, j) -> (j, i)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @overlap(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
    // expected-note @below {{this is in the way}}
    %t = tir.alloc_buffer() : memref<8x8xf32>
    tir.for %i = 0 to 8 {
      tir.for %j = 0 to 8 {
        tir.block @b(%v0 = spatial %i in 8, %v1 = spatial %j in 8)
            reads(%x[%v0, %v1] : memref<8x8xf32>) writes(%t[%v0, %v1] : memref<8x8xf32>) {
          %0 = affine.load %x[%v0, %v1] : memref<8x8xf32>
          affine.store %0, %t[%v0, %v1] : memref<8x8xf32>
        }
      }
    }
  }
  transform.named_sequence @overlap.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects a layout that keeps every element apart}}
    transform.tir.transform_layout %b, write 0, affine_map<(i, j) -> (i floordiv 4, j, i mod 2)>
    transform.yield
  }
}

// -----

// The consumer reads shifted elements, so no instance meets one producer.
module attributes {transform.with_named_sequence} {
  tir.prim_func @shifted(%x: memref<9xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<9xf32>
    tir.for %i = 0 to 9 {
      tir.block @a(%v0 = spatial %i in 9) reads(%x[%v0] : memref<9xf32>) writes(%t[%v0] : memref<9xf32>) {
        %0 = affine.load %x[%v0] : memref<9xf32>
        affine.store %0, %t[%v0] : memref<9xf32>
      }
    }
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8) reads(%t[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0 + 1] : memref<9xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @shifted.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects block @b to read one element, indexed by iteration variables, of what block @a writes}}
    transform.tir.reverse_compute_inline %b
    transform.yield
  }
}

// -----

// An input of the producer is overwritten before the consumer runs.
module attributes {transform.with_named_sequence} {
  tir.prim_func @overwritten(%y: memref<8xf32>, %z: memref<8xf32>) {
    %c = arith.constant 1.0 : f32
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @a(%v0 = spatial %i in 8) reads(%y[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %y[%v0] : memref<8xf32>
        affine.store %0, %t[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8) writes(%y[%v0] : memref<8xf32>) {
        affine.store %c, %y[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      tir.block @c(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%z[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %z[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @overwritten.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    // expected-error @below {{expects the inputs of block @a to be complete before it, but block @b writes one later}}
    transform.tir.compute_inline %a
    transform.yield
  }
}

// -----

// The init would run once for each %k.
module attributes {transform.with_named_sequence} {
  tir.prim_func @inside(%x: memref<8x4xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %k = 0 to 4 {
      // expected-note @below {{this is in the way}}
      tir.for %i = 0 to 8 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 4)
            reads(%x[%v0, %v1] : memref<8x4xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x4xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @inside.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %k, %i = transform.tir.get_loops %sum
    // expected-error @below {{expects a loop around all of the reduction @sum}}
    %init = transform.tir.decompose_reduction %sum, %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @buffer_index(%y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8) writes(%y[%v0] : memref<8xf32>) {
        affine.store %c, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @buffer_index.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects block @b to read more than 0 buffers}}
    %copy = transform.tir.cache_read %b, 0, "local"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @large_buffer_index(%y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8) writes(%y[%v0] : memref<8xf32>) {
        affine.store %c, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @large_buffer_index.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // 2^32 is not 0.
    // expected-error @below {{expects block @b to write more than 4294967296 buffers}}
    %copy = transform.tir.cache_write %b, 4294967296, "local"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @payload(%y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{payload}}
      tir.block @b(%v0 = spatial %i in 8) writes(%y[%v0] : memref<8xf32>) {
        affine.store %c, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @payload.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects a handle to tir.for, but got tir.block}}
    transform.tir.parallel %b
    transform.yield
  }
}

// -----

// In the last part of the loop, @copy would only consume that part.
module attributes {transform.with_named_sequence} {
  tir.prim_func @part(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      // expected-note @below {{this part is outside}}
      tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %t[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @copy(%v0 = spatial %i in 8) reads(%t[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @part.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    %first, %last = transform.tir.loop_partition %i [6, 2]
    %copy = transform.tir.get_block @copy in %f
    // expected-error @below {{expects the blocks inside the loop to produce all that block @copy consumes, but @a produces a part}}
    transform.tir.reverse_compute_at %copy, %last
    transform.yield
  }
}

// -----

// The buffer has to stay for a view of it.
module attributes {transform.with_named_sequence} {
  tir.prim_func @viewed(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    // expected-note @below {{used here}}
    %view = memref.cast %t : memref<8xf32> to memref<?xf32>
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
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
  transform.named_sequence @viewed.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    // expected-error @below {{expects the buffer between block @a and its readers to be accessed by element}}
    transform.tir.compute_inline %a
    transform.yield
  }
}
