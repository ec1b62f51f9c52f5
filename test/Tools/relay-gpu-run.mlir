// What relay-gpu-run says of its arguments. What kernels do is in GPUExecutor.

// RUN: relay-gpu-run %s --entry=k --arg=4xf32=1.5,-2 --arg=f16:0.5 --arg=-3 --arg=2x2xi8=iota --print=0 --print=3 | FileCheck %s
// CHECK: [0.5, -3, 0, 0]
// CHECK-NEXT: [0, 1, 2, 3]

// RUN: not relay-gpu-run %s --entry=k --arg=f32 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: relay-gpu-run: error: expects an argument as 7, f32:1.5 or 2x3xf32=1,2, but got 'f32'
// RUN: not relay-gpu-run %s --entry=k --arg=4xf33 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: relay-gpu-run: error: expects an argument as 7, f32:1.5 or 2x3xf32=1,2, but got '4xf33'
// RUN: not relay-gpu-run %s --entry=k --arg=2xi32=1,2,3 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: but got '2xi32=1,2,3', which has too many numbers
// RUN: not relay-gpu-run %s --entry=k --arg=2xi32=1.5 2>&1 | FileCheck %s --check-prefix=NUMBERS
// NUMBERS: but got '2xi32=1.5', whose numbers cannot be read
// RUN: not relay-gpu-run %s --entry=k --arg=f32:one 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: but got 'f32:one', whose number cannot be read
// RUN: not relay-gpu-run %s --entry=k --arg=100000x100000xf64 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: but got '100000x100000xf64'
// RUN: not relay-gpu-run %s --entry=k --arg=1073741824xf64 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: but got '1073741824xf64', which has more than 1073741824 bytes
// RUN: not relay-gpu-run %s --entry=k --arg=4xi0 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: but got '4xi0'
// RUN: not relay-gpu-run %s --entry=k --arg=4xf32 --arg=f16:0 --arg=1 --arg=4xi8 --shared=18446744073709551615 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error: expects at most 232448 bytes of shared memory, but got 0 of the kernel and 18446744073709551615 of the launch
// RUN: not relay-gpu-run %s --entry=k --grid=1,1,1,1 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: relay-gpu-run: error: expects at most 3 sizes in --grid, but got 4
// RUN: not relay-gpu-run %s --entry=k --arg=4xf32 --arg=f16:0 --arg=1 --arg=4xi8 --print=1 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: relay-gpu-run: error: expects the number of an argument that is a buffer, but got 1
// RUN: not relay-gpu-run %t.none --entry=k 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: relay-gpu-run: error: cannot read {{.*}}.none: No such file or directory

gpu.module @kernels {
  gpu.func @k(%x: memref<4xf32>, %h: f16, %n: i64, %b: memref<2x2xi8>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %f = arith.extf %h : f16 to f32
    %m = arith.sitofp %n : i64 to f32
    memref.store %f, %x[%c0] : memref<4xf32>
    memref.store %m, %x[%c1] : memref<4xf32>
    gpu.return
  }
}
