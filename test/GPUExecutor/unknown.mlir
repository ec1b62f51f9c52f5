// What cannot run is said before anything does.

// RUN: split-file %s %t
// RUN: not relay-gpu-run %t/operation.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=OPERATION
// RUN: not relay-gpu-run %t/parameter.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=PARAMETER
// RUN: not relay-gpu-run %t/recursion.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=RECURSION
// RUN: not relay-gpu-run %t/type.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not relay-gpu-run %t/local.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not relay-gpu-run %t/shared.mlir --entry=k 2>&1 | FileCheck %s --check-prefix=SHARED

//--- operation.mlir
// OPERATION: operation.mlir:4:5: error: expects an operation that the GPU executor knows, but got 'gpu.printf'
gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.printf "hello\n"
    gpu.return
  }
}
//--- parameter.mlir
// PARAMETER: error: expects a parameter of static shape, or of one dimension, but got 'memref<?x4xf32>'
gpu.module @kernels {
  gpu.func @k(%a: memref<?x4xf32>) kernel {
    gpu.return
  }
}
//--- recursion.mlir
// RECURSION: error: expects no recursion, but got a call of 'again' in it
gpu.module @kernels {
  func.func @again() {
    func.call @again() : () -> ()
    return
  }
  gpu.func @k() kernel {
    func.call @again() : () -> ()
    gpu.return
  }
}
//--- type.mlir
// TYPE: error: expects a type that the GPU executor knows, but got 'i128'
gpu.module @kernels {
  gpu.func @k() kernel {
    %a = arith.constant 1 : i128
    %b = arith.addi %a, %a : i128
    gpu.return
  }
}
//--- local.mlir
// LOCAL: local.mlir:3:3: error: expects buffers of at most 524288 bytes for each thread, but got 1099511627792
gpu.module @kernels {
  gpu.func @k() kernel {
    %a = memref.alloca() : memref<4xf32>
    %b = memref.alloca() : memref<4294967296x4294967296xf32>
    gpu.return
  }
}
//--- shared.mlir
// SHARED: error: expects at most 232448 bytes of shared memory, but got 1099511627776 of the kernel and 0 of the launch
gpu.module @kernels {
  gpu.func @k() workgroup(%a : memref<4294967296x4294967296xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}
