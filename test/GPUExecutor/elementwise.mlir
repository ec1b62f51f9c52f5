// RUN: relay-gpu-run %s --entry=add --grid=3 --block=4 --arg=10xf32=iota \
// RUN:   --arg=10xf32=1,1,1,1 --arg=10xf32 --arg=10 --print=2 \
// RUN:   | FileCheck %s --check-prefix=ADD
// RUN: relay-gpu-run %s --entry=half --block=4 --arg=4xf16=1,2048,-3.5,65504 \
// RUN:   --arg=4xf16 --print=1 | FileCheck %s --check-prefix=HALF

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // ADD: [1, 2, 3, 4, 4, 5, 6, 7, 8, 9]
    gpu.func @add(%a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %n: i64) kernel {
      %block = gpu.block_id x
      %size = gpu.block_dim x
      %thread = gpu.thread_id x
      %start = arith.muli %block, %size : index
      %i = arith.addi %start, %thread : index
      %count = arith.index_cast %n : i64 to index
      %inside = arith.cmpi ult, %i, %count : index
      scf.if %inside {
        %x = memref.load %a[%i] : memref<?xf32>
        %y = memref.load %b[%i] : memref<?xf32>
        %sum = arith.addf %x, %y : f32
        memref.store %sum, %c[%i] : memref<?xf32>
      }
      gpu.return
    }

    // Rounds after each operation, and to infinity beyond the largest number.
    // HALF: [2, 2048, -2.5, +Inf]
    gpu.func @half(%a: memref<4xf16>, %c: memref<4xf16>) kernel {
      %i = gpu.thread_id x
      %x = memref.load %a[%i] : memref<4xf16>
      %one = arith.constant 1.0 : f16
      %sum = arith.addf %x, %one : f16
      %big = arith.constant 65504.0 : f16
      %isBig = arith.cmpf oeq, %x, %big : f16
      %double = arith.addf %x, %x : f16
      %y = arith.select %isBig, %double, %sum : f16
      memref.store %y, %c[%i] : memref<4xf16>
      gpu.return
    }
  }
}
