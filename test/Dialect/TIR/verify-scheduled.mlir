// RUN: relay-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tir.prim_func(verify-tir-scheduled))'

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">

tir.prim_func @good(%x: memref<4xf32>) attributes {target.spec = #cpu} {
  tir.for %i = 0 to 4 kind(parallel) {
    %t = tir.alloc_buffer() : memref<4xf32, #target.memory<"local">>
    tir.for %j = 0 to 4 kind(vectorized) {
    }
  }
}

// -----

// The kind of a loop is for a target to know.
tir.prim_func @no_target() {
  tir.for %i = 0 to 4 kind(thread_binding "threadIdx.x") {
  }
}

// -----

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">

tir.prim_func @gpu() attributes {target.spec = #cpu} {
  tir.for %j = 0 to 4 {
    // expected-error @below {{verify-tir-scheduled: expects a kind of loop that x86_64-unknown-linux-gnu x86-64-v3 has, but got thread_binding "threadIdx.x"}}
    // expected-note @below {{this schedule was written for another target}}
    tir.for %i = 0 to 4 kind(thread_binding "threadIdx.x") {
    }
  }
}

// -----

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">

tir.prim_func @inner_parallel() attributes {target.spec = #cpu} {
  tir.for %j = 0 to 4 {
    // expected-error @below {{expects a parallel loop with no loop around it}}
    tir.for %i = 0 to 4 kind(parallel) {
    }
  }
}

// -----

tir.prim_func @unrolled(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  // expected-error @below {{expects a constant extent of an unrolled loop}}
  tir.for %i = 0 to %n kind(unrolled) {
  }
}

// -----

tir.prim_func @dynamic_in_loop(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  tir.for %i = 0 to 4 {
    // expected-error @below {{expects a constant size of a buffer that is local or in a loop, but got 'memref<?xf32>'}}
    %t = tir.alloc_buffer(%n) : memref<?xf32>
  }
}

// -----

tir.prim_func @dynamic_local(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  // expected-error @below {{expects a constant size of a buffer that is local or in a loop, but got 'memref<?xf32, #target.memory<"local">>'}}
  %t = tir.alloc_buffer(%n) : memref<?xf32, #target.memory<"local">>
}

// -----

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">

// A kernel has a megabyte of the stack.
tir.prim_func @much_local() attributes {target.spec = #cpu} {
  %a = tir.alloc_buffer() : memref<131072xf32, #target.memory<"local">>
  tir.for %i = 0 to 4 {
    %b = tir.alloc_buffer() : memref<131072xf32, #target.memory<"local">>
    // expected-error @below {{expects buffers of at most 1048576 bytes in memory local, but got 1048577}}
    %c = tir.alloc_buffer() : memref<1xi8, #target.memory<"local">>
  }
}

// -----

#cpu = #target.cpu<"x86_64-unknown-linux-gnu", "x86-64-v3">

tir.prim_func @overflow() attributes {target.spec = #cpu} {
  // expected-error @below {{expects buffers of at most 1048576 bytes in memory local, but got 18446744073709551615}}
  %a = tir.alloc_buffer() : memref<4611686018427387904x4611686018427387904xf32, #target.memory<"local">>
}
