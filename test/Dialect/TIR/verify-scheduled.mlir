// RUN: relay-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tir.prim_func(verify-tir-scheduled))'

tir.prim_func @good(%x: memref<4xf32>) {
  tir.for %i = 0 to 4 kind(parallel) {
    %t = tir.alloc_buffer() scope("local") : memref<4xf32>
    tir.for %j = 0 to 4 kind(vectorized) {
    }
  }
}

// -----

tir.prim_func @gpu() {
  tir.for %j = 0 to 4 {
    // expected-error @below {{verify-tir-scheduled: expects a kind that a CPU knows, but got thread_binding "threadIdx.x"}}
    // expected-note @below {{this schedule was written for a GPU}}
    tir.for %i = 0 to 4 kind(thread_binding "threadIdx.x") {
    }
  }
}

// -----

tir.prim_func @inner_parallel() {
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
  // expected-error @below {{expects a constant size of a buffer that is local or in a loop, but got 'memref<?xf32>'}}
  %t = tir.alloc_buffer(%n) scope("local") : memref<?xf32>
}
