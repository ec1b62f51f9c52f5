// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

// A zero times infinity in %b would be added.
module attributes {transform.with_named_sequence} {
  tir.prim_func @pad_factor(%x: memref<8x12xf32>, %b: memref<8xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        // expected-note @below {{this is in the way}}
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %b[%v0] : memref<8xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          // expected-note @below {{this one is not}}
          %1 = affine.load %b[%v0] : memref<8xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = affine.load %y[%v0] : memref<8xf32>
          %4 = arith.addf %3, %2 : f32
          affine.store %4, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @pad_factor.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects every factor in block @sum to be indexed by the padded reduce variable 1}}
    transform.tir.pad_einsum %sum [1, 8]
    transform.yield
  }
}

// -----

// The zeros would win.
module attributes {transform.with_named_sequence} {
  tir.prim_func @pad_max(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        // expected-note @below {{this is in the way}}
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.maximumf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @pad_max.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects a sum of products in block @sum}}
    transform.tir.pad_einsum %sum [1, 8]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @pad_count(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        // expected-note @below {{this is in the way}}
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @pad_count.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects 2 paddings, one for each variable of block @sum, but got 1}}
    transform.tir.pad_einsum %sum [8]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @padding_form(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        // expected-note @below {{this is in the way}}
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @padding_form.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects block @sum to store an element where it exists and a constant elsewhere, but it does more}}
    %fill = transform.tir.decompose_padding %sum, %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @align_offset(%x: memref<8x3x4xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
    %t = tir.alloc_buffer() : memref<8x3x4xf32>
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8) writes(%t[%v0, 0, 0] : memref<8x3x4xf32>) {
        affine.store %c, %t[%v0, 0, 0] : memref<8x3x4xf32>
      }
    }
  }
  transform.named_sequence @align_offset.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects an offset that multiples of 4 elements can have modulo 16, but got 2}}
    transform.tir.storage_align %b, 0, axis = 0, factor = 16, offset = 2
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @align_argument(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @align_argument.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects an intermediate buffer, but got an argument}}
    transform.tir.storage_align %sum, 0, axis = 0, factor = 16, offset = 2
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @reindex_twice(%x: memref<9xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8) reads(%x[%v0] : memref<9xf32>, %x[%v0 + 1] : memref<9xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<9xf32>
        // expected-note @below {{accessed here}}
        %1 = affine.load %x[%v0 + 1] : memref<9xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @reindex_twice.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects block @b to access one element of the buffer, at an affine function of its variables, in every instance}}
    %copy = transform.tir.reindex %b, read 0
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @inplace(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 12 {
        // expected-note @below {{this is in the way}}
        tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 12)
            reads(%x[%v0, %v1] : memref<8x12xf32>, %y[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          tir.init {
            affine.store %c, %y[%v0] : memref<8xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<8x12xf32>
          %1 = affine.load %y[%v0] : memref<8xf32>
          %2 = arith.addf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @inplace.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects block @sum to read and write more than 1 buffers}}
    %in, %out = transform.tir.cache_inplace %sum, 1, "global"
    transform.yield
  }
}

// -----

// The copy would not start from what %y holds.
module attributes {transform.with_named_sequence} {
  tir.prim_func @update(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.block @b(%v0 = spatial %i in 8)
          reads(%y[%v0] : memref<8xf32>, %x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %y[%v0] : memref<8xf32>
        %1 = affine.load %x[%v0] : memref<8xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @update.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    // expected-error @below {{expects an init in block @b, which goes on from what is in its buffer}}
    %copy = transform.tir.cache_write %b, 0, "global"
    transform.yield
  }
}

// -----

// The nest subtracts, the description adds.
module attributes {transform.with_named_sequence} {
  tir.prim_func @subtract(%x: memref<8xf32>, %y: memref<8xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8)
          reads(%y[%v0] : memref<8xf32>, %x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %y[%v0] : memref<8xf32>
        %1 = affine.load %x[%v0] : memref<8xf32>
        %2 = arith.subf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  // expected-note @below {{description}}
  tir.prim_func private @add.description(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8)
          reads(%y[%v0] : memref<8xf32>, %x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %y[%v0] : memref<8xf32>
        %1 = affine.load %x[%v0] : memref<8xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %y[%v0] : memref<8xf32>
      }
    }
  }
  tir.prim_func private @add.implementation(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
  }
  transform.named_sequence @subtract.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    // expected-error @below {{expects a nest that does what @add.description describes, but it computes arith.subf where the description has another operation}}
    %tile = transform.tir.tensorize_with %i, @add.description, @add.implementation
    transform.yield
  }
}

// -----

// The rows of the nest are columns of the description.
module attributes {transform.with_named_sequence} {
  tir.prim_func @columns(%x: memref<8x8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.for %j = 0 to 8 {
        tir.block @b(%v0 = spatial %i in 8, %v1 = spatial %j in 8)
            reads(%x[%v1, %v0] : memref<8x8xf32>) writes(%y[%v1] : memref<8xf32>) {
          %0 = affine.load %x[%v1, %v0] : memref<8x8xf32>
          affine.store %0, %y[%v1] : memref<8xf32>
        }
      }
    }
  }
  // expected-note @below {{description}}
  tir.prim_func private @copy.description(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
    tir.for %i = 0 to 8 {
      tir.block @b(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  tir.prim_func private @copy.implementation(%x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
  }
  transform.named_sequence @columns.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    // expected-error @below {{expects a nest that does what @copy.description describes, but index 0 of an access moves otherwise with the loops}}
    %tile = transform.tir.tensorize_with %j, @copy.description, @copy.implementation
    transform.yield
  }
}
