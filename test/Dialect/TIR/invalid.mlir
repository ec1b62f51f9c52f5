// RUN: relay-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expects at least 2 arguments for its outputs and workspaces, but got 1}}
tir.prim_func @outputs(%x: memref<4xf32>) attributes {tir.num_outputs = 2 : i64} {
}

// -----

// expected-error @below {{expects argument 0 to be a ranked memref, but got 'tensor<4xf32>'}}
tir.prim_func @tensor(%x: tensor<4xf32>) {
}

// -----

// expected-error @below {{expects tir.byte_bounds to be an array, but got 0 : i64}}
tir.prim_func @positive_bytes(%x: memref<4xi8>, %y: memref<4xi8>)
    attributes {tir.num_outputs = 1 : i64, tir.byte_bounds = 0 : i64} {
}

// -----

// expected-error @below {{expects tir.byte_bounds to list inputs of bytes, each with two bounds, but got array<i64: 0, 0, 127>}}
tir.prim_func @positive_floats(%x: memref<4xf32>, %y: memref<4xi8>)
    attributes {tir.num_outputs = 1 : i64, tir.byte_bounds = [array<i64: 0, 0, 127>]} {
}

// -----

// expected-error @below {{expects tir.byte_bounds to list inputs of bytes, each with two bounds, but got array<i64: 1, 0, 127>}}
tir.prim_func @positive_output(%x: memref<4xi8>, %y: memref<4xi8>)
    attributes {tir.num_outputs = 1 : i64, tir.byte_bounds = [array<i64: 1, 0, 127>]} {
}

// -----

// expected-error @below {{expects tir.layout_free to list inputs, but got 1 : i64}}
tir.prim_func @layout_free(%x: memref<4xf32>, %y: memref<4xf32>)
    attributes {tir.num_outputs = 1 : i64, tir.layout_free = [1]} {
}

// -----

// expected-error @below {{expects tir.layout of argument 0 to map rank 1 to rank 2}}
tir.prim_func @layout(%x: memref<1x4xf32> {tir.layout = affine_map<(i) -> (i)>, tir.original_type = memref<4xf32>}) {
}

// -----

tir.prim_func @bounds() {
  // expected-error @below {{expects the upper bound not below the lower bound, but got 4 to 2}}
  tir.for %i = 4 to 2 {
  }
}

// -----

tir.prim_func @kind() {
  // expected-error @below {{expects a loop kind, but got sideways}}
  tir.for %i = 0 to 2 kind(sideways) {
  }
}

// -----

tir.prim_func @iter_kind() {
  tir.for %i = 0 to 2 {
    // expected-error @below {{expects spatial, reduce or opaque, but got parallel}}
    tir.block @b(%v = parallel %i in 2) {
    }
  }
}

// -----

tir.prim_func @region(%x: memref<4xf32>) {
  tir.for %i = 0 to 2 {
    // expected-error @below {{expects an iteration variable of the block, but got %i}}
    tir.block @b(%v = spatial %i in 2) reads(%x[%i] : memref<4xf32>) {
    }
  }
}

// -----

tir.prim_func @region_rank(%x: memref<4x4xf32>) {
  tir.for %i = 0 to 2 {
    // expected-error @below {{expects reads of 'memref<4x4xf32>' to map the iteration variables to 2 indices, but got affine_map<(d0) -> (d0)>}}
    tir.block @b(%v = spatial %i in 2) reads(%x[%v] : memref<4x4xf32>) {
    }
  }
}

// -----

tir.prim_func @not_listed(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 4 {
    // expected-error @below {{expects writes to list every buffer that its body writes}}
    tir.block @b(%v = spatial %i in 4) reads(%x[%v] : memref<4xf32>) {
      // expected-note @below {{not listed: accessed here}}
      affine.store %zero, %x[%v] : memref<4xf32>
    }
  }
}

// -----

tir.prim_func @loop_variable(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 4 {
    tir.block @b(%v = spatial %i in 4) writes(%x : memref<4xf32>) {
      // expected-error @below {{expects a block to use its iteration variables, but got a loop variable}}
      affine.store %zero, %x[%i] : memref<4xf32>
    }
  }
}

// -----

tir.prim_func @init(%x: memref<4xf32>) {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 4 {
    // expected-error @below {{expects a reduce variable in a block with tir.init}}
    tir.block @b(%v = spatial %i in 4) writes(%x[%v] : memref<4xf32>) {
      tir.init {
        affine.store %zero, %x[%v] : memref<4xf32>
      }
    }
  }
}

// -----

tir.prim_func @guard() {
  tir.for %i = 0 to 4 {
    // expected-error @below {{expects 2 operands for its guard, but got 1}}
    tir.block @b(%v = spatial %i in 4) where affine_set<(d0, d1) : (d0 - d1 >= 0)>(%i) {
    }
  }
}

// -----

tir.prim_func @alloc() {
  // expected-error @below {{expects 1 dynamic sizes, but got 0}}
  %0 = tir.alloc_buffer() : memref<?xf32>
}

// -----

tir.prim_func @alloc_address_space() {
  // expected-error @below {{expects a #target.memory as memory space, but got 1 : i64}}
  %0 = tir.alloc_buffer() : memref<4xf32, 1>
}

// -----

// expected-error @below {{expects the name of a memory that is not the default one, but got 'global'}}
tir.prim_func @alloc_global(%x: memref<4xf32, #target.memory<"global">>) {
}

// -----

module attributes {target.spec = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">} {
  tir.prim_func @alloc_memory() {
    %0 = tir.alloc_buffer() : memref<4xf32, #target.memory<"local">>
    // expected-error @below {{expects a memory of x86_64-unknown-linux-gnu x86-64-v3 (global, local), but got shared}}
    %1 = tir.alloc_buffer() : memref<4xf32, #target.memory<"shared">>
  }
}

// -----

// expected-error @below {{expects argument 1 to be in the default memory, but got 'memref<4xf32, #target.memory<"local">>'}}
tir.prim_func @argument_memory(%x: memref<4xf32>, %y: memref<4xf32, #target.memory<"local">>) {
}

// -----

// Each step doubles the index, when written out.
tir.prim_func @index_size(%x: memref<64xf32>) {
  tir.for %i = 0 to 64 {
    tir.block @b(%v = spatial %i in 64) {
      %0 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%v)
      %1 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%0)
      %2 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%1)
      %3 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%2)
      %4 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%3)
      %5 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%4)
      %6 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%5)
      %7 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%6)
      %8 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%7)
      // expected-error @below {{expects an index of at most 4096 operands and operations when what it is computed from is written out, but got 6139}}
      %9 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%8)
      %10 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%9)
      %11 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%10)
      %12 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%11)
      %13 = affine.apply affine_map<(d0) -> (d0 mod 7 + d0 floordiv 3)>(%12)
      %c = affine.load %x[%13] : memref<64xf32>
    }
  }
}
