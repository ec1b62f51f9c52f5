// RUN: relay-opt %s --split-input-file --tir-apply-schedules --verify-diagnostics

// The loop around the rows is no reduction: its place is outside of the tile.
module attributes {transform.with_named_sequence} {
tir.prim_func @order(%a: memref<8x64xf32>, %b: memref<64x8xf32>, %c: memref<8x8xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{this is in the way}}
  tir.for %m = 0 to 8 { tir.for %n = 0 to 8 { tir.for %k = 0 to 64 {
    tir.block @matmul(%vm = spatial %m in 8, %vn = spatial %n in 8, %vk = reduce %k in 64)
        reads(%a[%vm, %vk] : memref<8x64xf32>, %b[%vk, %vn] : memref<64x8xf32>, %c[%vm, %vn] : memref<8x8xf32>)
        writes(%c[%vm, %vn] : memref<8x8xf32>) {
      tir.init { affine.store %zero, %c[%vm, %vn] : memref<8x8xf32> }
      %0 = affine.load %a[%vm, %vk] : memref<8x64xf32>
      %1 = affine.load %b[%vk, %vn] : memref<64x8xf32>
      %2 = affine.load %c[%vm, %vn] : memref<8x8xf32>
      %3 = arith.mulf %0, %1 : f32
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %c[%vm, %vn] : memref<8x8xf32>
    }
  } } }
}
transform.named_sequence @order.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @matmul in %f
  %m, %n, %k = transform.tir.get_loops %block
  // expected-error @below {{cannot tensorize as a register tile: expects reduction loops outside of rows and lanes}}
  %tile = transform.tir.tensorize %m, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

// An update that is not associative has no partial results.
module attributes {transform.with_named_sequence} {
tir.prim_func @combiner(%x: memref<64xf32>, %y: memref<8xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %one = arith.constant 1.0 : f32
  // expected-note @below {{this is in the way}}
  tir.for %k = 0 to 64 { tir.for %i = 0 to 8 {
    tir.block @divide(%v0 = spatial %i in 8, %v1 = reduce %k in 64)
        reads(%x[%v1] : memref<64xf32>, %y[%v0] : memref<8xf32>)
        writes(%y[%v0] : memref<8xf32>) {
      tir.init { affine.store %one, %y[%v0] : memref<8xf32> }
      %0 = affine.load %x[%v1] : memref<64xf32>
      %1 = affine.load %y[%v0] : memref<8xf32>
      %2 = arith.divf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<8xf32>
    }
  } }
}
transform.named_sequence @combiner.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @divide in %f
  %k, %i = transform.tir.get_loops %block
  // expected-error @below {{cannot tensorize as a register tile: expects a reduction by one associative op}}
  %tile = transform.tir.tensorize %k, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

// No register file holds this many results.
module attributes {transform.with_named_sequence} {
tir.prim_func @large(%x: memref<64x128xf32>, %y: memref<64x128xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  // expected-note @below {{this is in the way}}
  tir.for %i = 0 to 64 { tir.for %j = 0 to 128 {
    tir.block @copy(%v0 = spatial %i in 64, %v1 = spatial %j in 128)
        reads(%x[%v0, %v1] : memref<64x128xf32>)
        writes(%y[%v0, %v1] : memref<64x128xf32>) {
      %0 = affine.load %x[%v0, %v1] : memref<64x128xf32>
      affine.store %0, %y[%v0, %v1] : memref<64x128xf32>
    }
  } }
}
transform.named_sequence @large.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @copy in %f
  %i, %j = transform.tir.get_loops %block
  // expected-error @below {{cannot tensorize as a register tile: expects at most 64 result registers, but got 2048}}
  %tile = transform.tir.tensorize %i, "register_tile" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

// A row reduction has no spatial loops.
module attributes {transform.with_named_sequence} {
tir.prim_func @spatial(%x: memref<8x64xf32>, %y: memref<8xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  // expected-note @below {{this is in the way}}
  tir.for %i = 0 to 8 { tir.for %k = 0 to 64 {
    tir.block @sum(%v0 = spatial %i in 8, %v1 = reduce %k in 64)
        reads(%x[%v0, %v1] : memref<8x64xf32>, %y[%v0] : memref<8xf32>)
        writes(%y[%v0] : memref<8xf32>) {
      tir.init { affine.store %zero, %y[%v0] : memref<8xf32> }
      %0 = affine.load %x[%v0, %v1] : memref<8x64xf32>
      %1 = affine.load %y[%v0] : memref<8xf32>
      %2 = arith.addf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<8xf32>
    }
  } }
}
transform.named_sequence @spatial.schedule(%f: !transform.any_op) {
  %block = transform.tir.get_block @sum in %f
  %i, %k = transform.tir.get_loops %block
  // expected-error @below {{cannot tensorize as a row reduction: expects reduction loops only}}
  %tile = transform.tir.tensorize %i, "row_reduction" {vector_bits = 128 : i64}
  transform.yield
}
}

// -----

module attributes {transform.with_named_sequence} {
transform.named_sequence @unknown.schedule(%loop: !transform.any_op) {
  // expected-error@+1 {{expects "register_tile" or "row_reduction", but got "gemm"}}
  %tile = transform.tir.tensorize %loop, "gemm" {vector_bits = 128 : i64}
  transform.yield
}
}
