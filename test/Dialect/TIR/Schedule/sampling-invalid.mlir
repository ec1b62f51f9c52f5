// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  tir.prim_func @product(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @product.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects factors with a product of 24 as decision, but got [5, 4]}}
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 16 decision = [5, 4]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @innermost(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @innermost.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects an innermost factor of at most 8 as decision, but got 12}}
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 8 decision = [2, 12]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @count(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @count.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects 2 factors as decision, but got 3}}
    %a, %b = transform.tir.sample_perfect_tile %i max_innermost = 8 decision = [4, 3, 2]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @inner(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @inner.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects inner factors with a multiple of 8 for product as decision, but got 6}}
    %a, %b = transform.tir.sample_partitioned_tile %i partition = 1 inner = 8 decision = [4, 6]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @multiple(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @multiple.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects an extent that is a multiple of 5, but got 24}}
    %a, %b = transform.tir.sample_partitioned_tile %i partition = 1 inner = 5
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @partition(%x: memref<24xf32>, %y: memref<24xf32>) {
    // expected-note @below {{this is in the way}}
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @partition.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects a partition from 0 to 2, but got 3}}
    %a, %b = transform.tir.sample_partitioned_tile %i partition = 3 inner = 2
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @sum(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @sum.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects probabilities that add up to 1, but got 0.5}}
    %v = transform.tir.sample_categorical [1, 2] probabilities [0.25, 0.25]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @choice(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @choice.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects a decision from 0 to 1, but got 2}}
    %v = transform.tir.sample_categorical [1, 2] probabilities [0.5, 0.5] decision = 2
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @candidates(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @candidates.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects candidates, each with a probability, but got 2 and 1}}
    %v = transform.tir.sample_categorical [1, 2] probabilities [1.0]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @location(%x: memref<24xf32>, %y: memref<24xf32>) {
    tir.for %i = 0 to 24 {
      // expected-note @below {{this is in the way}}
      tir.block @copy(%v0 = spatial %i in 24) reads(%x[%v0] : memref<24xf32>) writes(%y[%v0] : memref<24xf32>) {
        %0 = affine.load %x[%v0] : memref<24xf32>
        affine.store %0, %y[%v0] : memref<24xf32>
      }
    }
  }
  transform.named_sequence @location.schedule(%f: !transform.any_op {transform.readonly}) {
    %copy = transform.tir.get_block @copy in %f
    %i = transform.tir.get_loops %copy
    // expected-error @below {{expects a decision from -2 to -1 where to compute block @copy, but got 0}}
    %w = transform.tir.sample_compute_location %copy decision = 0
    transform.yield
  }
}
