// RUN: relay-opt %s --pass-pipeline='builtin.module(gpu.module(tir-gpu-kernel-abi))' -verify-diagnostics -split-input-file

gpu.module @numbers {
  // expected-error @+1 {{expects parameters that are memrefs of known rank, but got 'i64'}}
  gpu.func @shapes(%x: memref<?xf32>, %n: i64) kernel {
    gpu.return
  }
}

// -----

gpu.module @ranks {
  // expected-error @+1 {{expects parameters that are memrefs of known rank, but got 'memref<*xf32>'}}
  gpu.func @any(%x: memref<*xf32>) kernel {
    gpu.return
  }
}
