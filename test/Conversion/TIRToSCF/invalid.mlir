// RUN: relay-opt %s --relay-attach-target=target=x86-64-v4 --convert-tir-to-scf --split-input-file --verify-diagnostics

tir.prim_func @inner_parallel(%y: memref<4x4xf32>) {
  // expected-note @+1 {{it is inside this}}
  tir.for %i = 0 to 4 {
    // expected-error @+1 {{'tir.for' op expects to be at the top level of the kernel, as a parallel loop}}
    tir.for %j = 0 to 4 kind(parallel) {
    }
  }
}

// -----

tir.prim_func @threads(%y: memref<4xf32>) {
  // expected-error @+1 {{expects a kind that x86_64-unknown-linux-gnu x86-64-v4 knows, but got thread_binding "threadIdx.x"}}
  tir.for %i = 0 to 4 kind(thread_binding "threadIdx.x") {
  }
}

// -----

tir.prim_func @unrolled_dynamic(%y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  // expected-error @+1 {{expects a constant extent of an unrolled loop}}
  tir.for %i = 0 to %n kind(unrolled) {
  }
}

// -----

tir.prim_func @global_buffer(%y: memref<4xf32>) {
  // expected-error @+1 {{expects global buffers to be arguments: run tir-lift-workspaces}}
  %t = tir.alloc_buffer() : memref<4xf32>
}

// -----

tir.prim_func @large_local_buffer(%y: memref<4xf32>) {
  // expected-error @+1 {{expects local buffers of at most 1048576 bytes in all, but got 4000000}}
  %t = tir.alloc_buffer() : memref<1000000xf32, #target.memory<"local">>
}

// -----

tir.prim_func @dynamic_local_buffer(%y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  // expected-error @+1 {{expects a constant size of a buffer that is allocated in a loop or local, but got 'memref<?xf32, #target.memory<"local">>'}}
  %t = tir.alloc_buffer(%n) : memref<?xf32, #target.memory<"local">>
}
