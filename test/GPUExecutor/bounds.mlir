// RUN: not relay-gpu-run %s --entry=static_size --block=5 --arg=8xf32 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not relay-gpu-run %s --entry=allocation --block=9 --arg=8xf32 2>&1 | FileCheck %s --check-prefix=ALLOCATION
// RUN: not relay-gpu-run %s --entry=allocation --block=8 --arg=0 2>&1 | FileCheck %s --check-prefix=NULL
// RUN: not relay-gpu-run %s --entry=view --arg=8xf32 --arg=5 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: relay-gpu-run %s --entry=view --arg=8xf32=iota --arg=4 --print=0 | FileCheck %s --check-prefix=VIEWED
// RUN: not relay-gpu-run %s --entry=vector --arg=8xf32 --arg=5 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: not relay-gpu-run %s --entry=vector --arg=8xf32 --arg=3 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not relay-gpu-run %s --entry=divide --arg=7 --arg=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not relay-gpu-run %s --entry=divide --arg=-9223372036854775808 --arg=-1 2>&1 | FileCheck %s --check-prefix=OVERFLOW
// RUN: relay-gpu-run %s --entry=divide --arg=7 --arg=-1
// RUN: not relay-gpu-run %s --entry=forever --max-steps=1000 2>&1 | FileCheck %s --check-prefix=FOREVER
// RUN: not relay-gpu-run %s --entry=step --arg=0 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not relay-gpu-run %s --entry=assertion 2>&1 | FileCheck %s --check-prefix=ASSERT
// RUN: not relay-gpu-run %s --entry=dynamic --shared=12 --block=4 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: relay-gpu-run %s --entry=dynamic --shared=16 --block=4

// RUN: not relay-gpu-run %s --entry=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not relay-gpu-run %s --entry=step 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not relay-gpu-run %s --entry=forever --block=1025 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not relay-gpu-run %s --entry=known --block=32 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: not relay-gpu-run %s --entry=dynamic --shared=300000 2>&1 | FileCheck %s --check-prefix=BYTES

// RUN: not relay-gpu-run %s --entry=forever --grid=2,70000 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: relay-gpu-run %s --entry=narrow --arg=-1 --arg=3xi64 --print=1 | FileCheck %s --check-prefix=NARROW

// GRID: error: expects a grid of at most 2147483647 x 65535 x 65535 blocks, but got 2 x 70000 x 1
// NONE: error: expects the name of a kernel, but got 'none'
// COUNT: error: expects 1 arguments of kernel 'step', but got 0
// THREADS: error: expects a block of 1 to 1024 threads, but got 1025 x 1 x 1
// KNOWN: error: expects a block of 64 x 1 x 1 threads, as the kernel says, but got 32 x 1 x 1
// BYTES: error: expects at most 232448 bytes of shared memory, but got 0 of the kernel and 300000 of the launch

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // STATIC: bounds.mlir:[[#@LINE+4]]:{{.*}}: error: kernel 'static_size', thread (4, 0, 0) of block (0, 0, 0): expects an index in bounds, but got 4 in dimension 1 of size 4
    gpu.func @static_size(%a: memref<2x4xf32>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %v = memref.load %a[%c0, %i] : memref<2x4xf32>
      gpu.return
    }

    // ALLOCATION: error: kernel 'allocation', thread (8, 0, 0) of block (0, 0, 0): expects an access in an allocation, but got a read of 4 bytes at 0x100000020 in 32 bytes
    // NULL: error: kernel 'allocation', thread (0, 0, 0) of block (0, 0, 0): expects memory of the device, but got a read of address 0x0
    gpu.func @allocation(%a: memref<?xf32>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %a[%i] : memref<?xf32>
      gpu.return
    }

    // VIEW: error: {{.*}}: expects a view in bounds, but got 4 elements from 5 by 1 in dimension 0 of size 8
    // VIEWED: [4, 1, 2, 3, 4, 5, 6, 7]
    gpu.func @view(%a: memref<8xf32>, %start: i64) kernel {
      %c0 = arith.constant 0 : index
      %i = arith.index_cast %start : i64 to index
      %part = memref.subview %a[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
      %v = memref.load %part[%c0] : memref<4xf32, strided<[1], offset: ?>>
      memref.store %v, %a[%c0] : memref<8xf32>
      gpu.return
    }

    // VECTOR: error: {{.*}}: expects an index in bounds, but got 5 and 3 more in dimension 0 of size 8
    // ALIGNED: error: {{.*}}: expects an address that is a multiple of 16, but got 0x10000000c
    gpu.func @vector(%a: memref<8xf32>, %start: i64) kernel {
      %i = arith.index_cast %start : i64 to index
      %v = vector.load %a[%i] {alignment = 16 : i64} : memref<8xf32>, vector<4xf32>
      gpu.return
    }

    // ZERO: error: {{.*}}: expects a divisor that is not 0, but got a division of 7 by 0
    // OVERFLOW: error: {{.*}}: expects a quotient that its type has, but got a division of -9223372036854775808 by -1
    gpu.func @divide(%a: i64, %b: i64) kernel {
      %q = arith.divsi %a, %b : i64
      gpu.return
    }

    // FOREVER: error: {{.*}}: expects a thread to end, but got one that has run 1000 instructions
    gpu.func @forever() kernel {
      cf.br ^next
    ^next:
      cf.br ^next
    }

    // STEP: error: {{.*}}: expects the step of a loop to be positive, but got 0
    gpu.func @step(%step: i64) kernel {
      %c0 = arith.constant 0 : i64
      scf.for %i = %c0 to %c0 step %step : i64 {
      }
      gpu.return
    }

    // ASSERT: error: {{.*}}: an assertion fails: never
    gpu.func @assertion() kernel {
      %false = arith.constant false
      cf.assert %false, "never"
      gpu.return
    }

    // DYNAMIC: error: {{.*}}: expects a view in bounds, but got 16 elements from 0 by 1 in dimension 0 of size 12
    gpu.func @dynamic() kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4xf32, #gpu.address_space<workgroup>>
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    // An argument has the bits of its type alone.
    // NARROW: [4294967295, -1, 1]
    gpu.func @narrow(%n: i32, %out: memref<3xi64>) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %minus = arith.constant -1 : i32
      %u = arith.extui %n : i32 to i64
      %s = arith.extsi %n : i32 to i64
      %equal = arith.cmpi eq, %n, %minus : i32
      %e = arith.extui %equal : i1 to i64
      memref.store %u, %out[%c0] : memref<3xi64>
      memref.store %s, %out[%c1] : memref<3xi64>
      memref.store %e, %out[%c2] : memref<3xi64>
      gpu.return
    }

    gpu.func @known() kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      gpu.return
    }
  }
}
