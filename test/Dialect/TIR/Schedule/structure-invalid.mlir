// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

// The last iteration would start the sum.
module attributes {transform.with_named_sequence} {
  tir.prim_func @reverse_init(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.for %k = 0 to 12 {
        // expected-note @below {{decompose_reduction takes the init out}}
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
  transform.named_sequence @reverse_init.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects no init in the reduction @sum, which the first iteration starts}}
    transform.tir.reverse %k
    transform.yield
  }
}

// -----

// Each iteration of the second block needs the one before.
module attributes {transform.with_named_sequence} {
  tir.prim_func @reverse_order(%x: memref<8xf32>, %y: memref<8xf32>) {
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
  transform.named_sequence @reverse_order.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    // expected-error @below {{expects iterations that do not use each other's results, but they share what block @a writes}}
    transform.tir.reverse %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @partition_sizes(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @partition_sizes.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects sizes that add up to 8, but got 7}}
    %a, %b = transform.tir.loop_partition %i [3, 4]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @partition_results(%x: memref<8x12xf32>, %y: memref<8xf32>) {
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
  transform.named_sequence @partition_results.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects 2 results, but got 3}}
    %a, %b, %c = transform.tir.loop_partition %i [3, 5]
    transform.yield
  }
}

// -----

// What an iteration reads is written by another one.
module attributes {transform.with_named_sequence} {
  tir.prim_func @merge_reversed(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 8 {
      tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %t[%v0] : memref<8xf32>
      }
    }
    tir.for %i = 0 to 8 {
      // expected-note @below {{block @b uses it here}}
      tir.block @b(%v0 = spatial %i in 8) reads(%t[-%v0 + 7] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[-%v0 + 7] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @merge_reversed.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    %b = transform.tir.get_block @b in %f
    %j = transform.tir.get_loops %b
    // expected-error @below {{expects iterations that do not use each other's results, but they share what block @a writes}}
    %both = transform.tir.merge %i, %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @merge_extent(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    tir.for %i = 0 to 8 {
      tir.block @a(%v0 = spatial %i in 8) reads(%x[%v0] : memref<8xf32>) writes(%t[%v0] : memref<8xf32>) {
        %0 = affine.load %x[%v0] : memref<8xf32>
        affine.store %0, %t[%v0] : memref<8xf32>
      }
    }
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 7 {
      tir.block @b(%v0 = spatial %i in 7) reads(%t[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
        %0 = affine.load %t[%v0] : memref<8xf32>
        affine.store %0, %y[%v0] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @merge_extent.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    %b = transform.tir.get_block @b in %f
    %j = transform.tir.get_loops %b
    // expected-error @below {{expects loops of the same extent}}
    %both = transform.tir.merge %i, %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @merge_order(%x: memref<8xf32>, %y: memref<8xf32>) {
    %t = tir.alloc_buffer() : memref<8xf32>
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @merge_order.schedule(%f: !transform.any_op {transform.readonly}) {
    %a = transform.tir.get_block @a in %f
    %i = transform.tir.get_loops %a
    %b = transform.tir.get_block @b in %f
    %j = transform.tir.get_loops %b
    // expected-error @below {{expects neighbouring loops in program order}}
    %both = transform.tir.merge %j, %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @bind_tag(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @bind_tag.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects blockIdx, threadIdx or vthread with .x, .y or .z, but got lane}}
    transform.tir.bind %i to "lane"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @bind_twice(%x: memref<8x8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{bound already}}
    tir.for %i = 0 to 8 {
      // expected-note @below {{this is in the way}}
      tir.for %j = 0 to 8 {
        tir.block @b(%v0 = spatial %i in 8, %v1 = spatial %j in 8) writes(%x[%v0, %v1] : memref<8x8xf32>) {
          affine.store %c, %x[%v0, %v1] : memref<8x8xf32>
        }
      }
    }
  }
  transform.named_sequence @bind_twice.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    transform.tir.bind %i to "threadIdx.x"
    // expected-error @below {{expects nested loops to be bound to different hardware indices, but got threadIdx.x twice}}
    transform.tir.bind %j to "threadIdx.x"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @unannotate(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @unannotate.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects an annotation note}}
    transform.tir.unannotate %i "note"
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @rfactor_spatial(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @rfactor_spatial.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects a loop that feeds one reduce variable, but it feeds a spatial one of block @sum}}
    %rf = transform.tir.rfactor %i axis = 0
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @rfactor_axis(%x: memref<8x12xf32>, %y: memref<8xf32>) {
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
  transform.named_sequence @rfactor_axis.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects an axis from -2 to 1, but got 2}}
    %rf = transform.tir.rfactor %k axis = 2
    transform.yield
  }
}

// -----

// Differences depend on their order.
module attributes {transform.with_named_sequence} {
  tir.prim_func @rfactor_combiner(%x: memref<8x12xf32>, %y: memref<8xf32>) {
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
          %2 = arith.subf %0, %1 : f32
          affine.store %2, %y[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @rfactor_combiner.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects the body of block @sum to combine one value into one element, but what it stores is no sum, product, minimum, maximum or bitwise combination}}
    %rf = transform.tir.rfactor %k axis = 0
    transform.yield
  }
}

// -----

// A window of 3 at steps of 2: tiles overlap.
module attributes {transform.with_named_sequence} {
  tir.prim_func @blockize_overlap(%x: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    tir.for %i = 0 to 3 {
      tir.for %j = 0 to 3 {
        %0 = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%i, %j)
        // expected-note @below {{this is in the way}}
        tir.block @b(%v0 = spatial %0 in 8) writes(%x[%v0] : memref<8xf32>) {
          affine.store %c, %x[%v0] : memref<8xf32>
        }
      }
    }
  }
  transform.named_sequence @blockize_overlap.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i, %j = transform.tir.get_loops %b
    // expected-error @below {{expects the loops around the nest to move variable 0 of block @b by multiples of 3}}
    %tile = transform.tir.blockize %j
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @blockize_kind(%x: memref<8x12xf32>, %y: memref<8xf32>) {
    %c = arith.constant 0.0 : f32
    // expected-note @below {{this is in the way}}
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
  transform.named_sequence @blockize_kind.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    transform.tir.parallel %i
    // expected-error @below {{expects a serial loop, but got kind parallel}}
    %row = transform.tir.blockize %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @iter_order(%x: memref<8x12xf32>, %y: memref<8xf32>) {
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
  transform.named_sequence @iter_order.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    %i, %k = transform.tir.get_loops %sum
    // expected-error @below {{expects a permutation of the 2 variables of block @sum}}
    transform.tir.reorder_block_iter_var %sum [0, 0]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @query(%x: memref<8x12xf32>, %y: memref<8xf32>) {
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
  transform.named_sequence @query.schedule(%f: !transform.any_op {transform.readonly}) {
    %sum = transform.tir.get_block @sum in %f
    // expected-error @below {{expects 1 producers, but got 0}}
    %p = transform.tir.get_producers %sum
    transform.yield
  }
}

// -----

// A pass could erase the kernel, which nothing calls, and the schedule.
module attributes {transform.with_named_sequence} {
  tir.prim_func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      tir.block @b(%v = spatial %i in 8)
          reads(%x[%v] : memref<8xf32>) writes(%y[%v] : memref<8xf32>) {
        %0 = affine.load %x[%v] : memref<8xf32>
        affine.store %0, %y[%v] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @copy.schedule(%f: !transform.any_op {transform.readonly}) {
    %module = transform.get_parent_op %f : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a step that changes the kernel, but got a pass}}
    %0 = transform.apply_registered_pass "symbol-dce" to %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Likewise in what a step includes.
module attributes {transform.with_named_sequence} {
  tir.prim_func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      tir.block @b(%v = spatial %i in 8)
          reads(%x[%v] : memref<8xf32>) writes(%y[%v] : memref<8xf32>) {
        %0 = affine.load %x[%v] : memref<8xf32>
        affine.store %0, %y[%v] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @clean(%module: !transform.any_op {transform.consumed}) {
    // expected-error @below {{expects a step that changes the kernel, but got a pass}}
    %0 = transform.apply_registered_pass "symbol-dce" to %module : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
  transform.named_sequence @copy.schedule(%f: !transform.any_op {transform.readonly}) {
    %module = transform.get_parent_op %f : (!transform.any_op) -> !transform.any_op
    transform.include @clean failures(propagate) (%module) : (!transform.any_op) -> ()
    transform.yield
  }
}

// -----

// The schedule of another kernel is not there while this one is scheduled.
module attributes {transform.with_named_sequence} {
  tir.prim_func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
    tir.for %i = 0 to 8 {
      tir.block @b(%v = spatial %i in 8)
          reads(%x[%v] : memref<8xf32>) writes(%y[%v] : memref<8xf32>) {
        %0 = affine.load %x[%v] : memref<8xf32>
        affine.store %0, %y[%v] : memref<8xf32>
      }
    }
  }
  transform.named_sequence @other.schedule(%f: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  transform.named_sequence @copy.schedule(%f: !transform.any_op {transform.readonly}) {
    // expected-error @below {{'transform.include' op does not reference a named transform sequence}}
    transform.include @other.schedule failures(propagate) (%f) : (!transform.any_op) -> ()
    transform.yield
  }
}
