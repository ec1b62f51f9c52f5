// RUN: relay-opt %s --tir-apply-schedules --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  tir.prim_func @product(%x: memref<16xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-error @below {{expects factors with a product of at least 16, but got 12}}
    tir.for %i = 0 to 16 {
      tir.block @b(%v0 = spatial %i in 16) writes(%x[%v0] : memref<16xf32>) {
        affine.store %c, %x[%v0] : memref<16xf32>
      }
    }
  }
  transform.named_sequence @product.schedule(%f: !transform.any_op {transform.readonly}) {
    %b = transform.tir.get_block @b in %f
    %i = transform.tir.get_loops %b
    %0, %1 = transform.tir.split %i [3, 4]
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @reduction(%x: memref<16xf32>, %y: memref<f32>) {
    %c = arith.constant 1.0 : f32
    // expected-error @below {{expects a loop that feeds spatial variables only, but it feeds a reduce variable of block @b}}
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
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @race(%y: memref<4xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-error @below {{expects iterations that write different elements, but block @b writes the same ones in each}}
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
    transform.tir.parallel %i
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  tir.prim_func @not_nested(%x: memref<4x4xf32>) {
    %c = arith.constant 1.0 : f32
    // expected-error @below {{expects the next loop to fuse to be all that this loop holds}}
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
