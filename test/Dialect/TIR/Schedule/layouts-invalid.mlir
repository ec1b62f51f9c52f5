// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  tir.prim_func @mixes(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @mixes.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects variables of one kind in result 0 of the layout, but got spatial and reduce ones of block @sum}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (i * 48 + k)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @holes(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @holes.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a layout that is one to one on the domain of block @sum, but result 1 leaves out values}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (i, (k floordiv 8) * 9 + k mod 8)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @twice(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @twice.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a layout that is one to one on the domain of block @sum, but the digits of index 1 do not make up its values exactly once}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (i, k mod 8, k mod 6)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @remainder(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @remainder.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{the digits of index 1 do not make up its values exactly once}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (i, k floordiv 5, k mod 5)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @offset(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @offset.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{result 0 is not a sum of digits of the old indices, each in a place of its own}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (i + 1, k)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @arity(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @arity.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a layout of the 2 variables of block @sum, but got affine_map<(d0) -> (d0)>}}
    transform.tir.transform_block_layout %sum affine_map<(i) -> (i)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @nest(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @nest.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    %ko, %ki = transform.tir.split %k [?, 16]
    // expected-error @below {{expects block @sum without a guard, in a nest of its own with one serial loop from 0 for each iteration variable}}
    transform.tir.transform_block_layout %sum affine_map<(i, k) -> (k, i)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @no_index(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @no_index.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects loads in block @sum that share an index to compute, at least 1 times}}
    %t = transform.tir.cache_index %sum, "global" min_uses = 1
    transform.yield
  }
}

// -----

module attributes {
    transform.with_named_sequence,
    target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @index_scope(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @index_scope.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a memory of x86_64-unknown-linux-gnu x86-64-v3 (global, local), but got shared}}
    %t = transform.tir.cache_index %sum, "shared" min_uses = 1
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @argument(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @argument.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects block @sum to write one intermediate buffer}}
    transform.tir.rolling_buffer %sum, 0
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @apart(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @apart.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a layout that keeps every element apart}}
    %c = transform.tir.reindex_cache_read %sum, 0, "global", affine_map<(i, k) -> (i + k)>
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @write_at(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @write_at.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects block @sum to be complete in one iteration of the loop, but its reduction runs over it}}
    %c = transform.tir.write_at %k, %sum, 0, "global"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @not_together(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      // expected-note @below {{this is in the way}}
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @not_together.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    // expected-error @below {{expects block @first and what reads its buffer in one loop; compute_at brings it there}}
    transform.tir.rolling_buffer %first, 0
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @elsewhere(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      // expected-note @below {{this is in the way}}
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @elsewhere.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    %third = transform.tir.get_block @third in %f
    %j = transform.tir.get_loops %third
    // expected-error @below {{expects block @first to have no opaque variables}}
    transform.tir.compute_at %first, %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @reader(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    tir.for %i = 0 to 17 {
      // expected-note @below {{this is in the way}}
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @reader.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    %third = transform.tir.get_block @third in %f
    %j = transform.tir.get_loops %third
    // expected-error @below {{expects block @second to stay in its loop, because it reads a rolling buffer}}
    transform.tir.compute_at %second, %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @inlined(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    tir.for %i = 0 to 17 {
      // expected-note @below {{this is in the way}}
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @inlined.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    // expected-error @below {{expects block @second to stay in its loop, because it reads a rolling buffer}}
    transform.tir.compute_inline %second
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @reversed(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @reversed.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    // expected-error @below {{expects a loop that feeds no opaque variable, but it feeds one of block @first}}
    transform.tir.reverse %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @concurrent(%x: memref<19xf32>, %y: memref<17xf32>) {
    %t = tir.alloc_buffer() : memref<19xf32>
    %u = tir.alloc_buffer() : memref<17xf32>
    tir.for %i = 0 to 19 {
      tir.block @first(%v0 = spatial %i in 19) reads(%x[%v0] : memref<19xf32>) writes(%t[%v0] : memref<19xf32>) {
        %0 = affine.load %x[%v0] : memref<19xf32>
        affine.store %0, %t[%v0] : memref<19xf32>
      }
    }
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 17 {
      tir.block @second(%v0 = spatial %i in 17)
          reads(%t[%v0] : memref<19xf32>, %t[%v0 + 2] : memref<19xf32>) writes(%u[%v0] : memref<17xf32>) {
        %0 = affine.load %t[%v0] : memref<19xf32>
        %1 = affine.load %t[%v0 + 2] : memref<19xf32>
        %2 = arith.addf %0, %1 : f32
        affine.store %2, %u[%v0] : memref<17xf32>
      }
    }
    tir.for %i = 0 to 17 {
      tir.block @third(%v0 = spatial %i in 17) reads(%u[%v0] : memref<17xf32>) writes(%y[%v0] : memref<17xf32>) {
        %0 = affine.load %u[%v0] : memref<17xf32>
        affine.store %0, %y[%v0] : memref<17xf32>
      }
    }
  }
  transform.named_sequence @concurrent.schedule(%f: !transform.any_op {transform.readonly}) {
    %first = transform.tir.get_block @first in %f
    %second = transform.tir.get_block @second in %f
    %i = transform.tir.get_loops %second
    transform.tir.compute_at %first, %i
    transform.tir.rolling_buffer %first, 0
    // expected-error @below {{expects a loop that feeds spatial variables only, but it feeds a opaque variable of block @first}}
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @overflow(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
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
  transform.named_sequence @overflow.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects factors with a product of at most 281474976710656, but got more}}
    %a, %b, %c = transform.tir.split %k [?, 4294967296, 4294967296]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @partition_overflow(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
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
  transform.named_sequence @partition_overflow.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects sizes of at most 48, but got 9223372036854775807}}
    %a, %b, %c = transform.tir.loop_partition %k [9223372036854775807, 9223372036854775807, 50]
    transform.yield
  }
}

// -----

module attributes {
    transform.with_named_sequence,
    target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @no_scope(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @no_scope.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects a memory of x86_64-unknown-linux-gnu x86-64-v3 (global, local), but got nowhere}}
    %c = transform.tir.cache_read %sum, 0, "nowhere"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @huge_padding(%x: memref<8x48xf32>, %y: memref<8xf32>) {
    %zero = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      tir.for %k = 0 to 48 {
        // expected-note @below {{this is in the way}}
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
  transform.named_sequence @huge_padding.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects paddings of at most 1048576, but got 4611686018427387904}}
    transform.tir.pad_einsum %sum [4611686018427387904, 1]
    transform.yield
  }
}
