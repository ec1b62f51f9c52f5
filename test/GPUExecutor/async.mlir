// RUN: relay-gpu-run %s --entry=copy --block=4 --arg=16xf32=iota --arg=16xf32 --print=1 | FileCheck %s --check-prefix=COPY
// RUN: not relay-gpu-run %s --entry=early --block=1 --arg=16xf32=iota 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not relay-gpu-run %s --entry=no_barrier --block=2 --arg=16xf32=iota 2>&1 | FileCheck %s --check-prefix=BARRIER
// RUN: relay-gpu-run %s --entry=groups --arg=16xf32=iota --arg=8xf32 --print=1 | FileCheck %s --check-prefix=GROUPS
// RUN: not relay-gpu-run %s --entry=other_group --arg=16xf32=iota 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not relay-gpu-run %s --entry=unaligned --arg=16xf32=iota 2>&1 | FileCheck %s --check-prefix=UNALIGNED

!shared = memref<16xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Each thread brings the elements of another; of the last two, one is 0.
    // COPY: [12, 0, 0, 0, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3]
    gpu.func @copy(%in: memref<16xf32>, %out: memref<16xf32>) workgroup(%s: !shared) kernel {
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %i, %c4 : index
      %isLast = arith.cmpi eq, %i, %c3 : index
      %count = arith.select %isLast, %c1, %c4 : index
      %t = nvgpu.device_async_copy %in[%at], %s[%at], 4, %count : memref<16xf32> to !shared
      %g = nvgpu.device_async_create_group %t
      nvgpu.device_async_wait %g
      gpu.barrier
      %other = arith.subi %c3, %i : index
      %from = arith.muli %other, %c4 : index
      %v = vector.load %s[%from] : !shared, vector<4xf32>
      vector.store %v, %out[%at] : memref<16xf32>, vector<4xf32>
      gpu.return
    }

    // EARLY: error: kernel 'early', thread (0, 0, 0) of block (0, 0, 0): expects an asynchronous copy to have been waited for, but got a read of byte 0 of shared memory before
    // EARLY: note: the copy begins here
    gpu.func @early(%in: memref<16xf32>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %t = nvgpu.device_async_copy %in[%c0], %s[%c0], 4 : memref<16xf32> to !shared
      %g = nvgpu.device_async_create_group %t
      %v = memref.load %s[%c0] : !shared
      gpu.return
    }

    // BARRIER: error: kernel 'no_barrier', thread (1, 0, 0) of block (0, 0, 0): expects a barrier between two threads at one location, but got a read of byte 0 of shared memory after a write by thread (0, 0, 0)
    // BARRIER: note: it does so here
    gpu.func @no_barrier(%in: memref<16xf32>) workgroup(%s: !shared) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %at = arith.muli %i, %c4 : index
      %t = nvgpu.device_async_copy %in[%at], %s[%at], 4 : memref<16xf32> to !shared
      %g = nvgpu.device_async_create_group %t
      nvgpu.device_async_wait %g
      %v = memref.load %s[%c0] : !shared
      gpu.return
    }

    // The first of two groups is there while the second one is not.
    // GROUPS: [0, 1, 2, 3, 4, 5, 6, 7]
    gpu.func @groups(%in: memref<16xf32>, %out: memref<8xf32>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %t0 = nvgpu.device_async_copy %in[%c0], %s[%c0], 4 : memref<16xf32> to !shared
      %g0 = nvgpu.device_async_create_group %t0
      %t1 = nvgpu.device_async_copy %in[%c4], %s[%c4], 4 : memref<16xf32> to !shared
      %g1 = nvgpu.device_async_create_group %t1
      nvgpu.device_async_wait %g0 {numGroups = 1 : i32}
      %v = vector.load %s[%c0] : !shared, vector<4xf32>
      vector.store %v, %out[%c0] : memref<8xf32>, vector<4xf32>
      nvgpu.device_async_wait %g1
      %w = vector.load %s[%c4] : !shared, vector<4xf32>
      vector.store %w, %out[%c4] : memref<8xf32>, vector<4xf32>
      gpu.return
    }

    // OTHER: error: kernel 'other_group', {{.*}}: expects an asynchronous copy to have been waited for, but got a read of byte 16 of shared memory before
    gpu.func @other_group(%in: memref<16xf32>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %t0 = nvgpu.device_async_copy %in[%c0], %s[%c0], 4 : memref<16xf32> to !shared
      %g0 = nvgpu.device_async_create_group %t0
      %t1 = nvgpu.device_async_copy %in[%c4], %s[%c4], 4 : memref<16xf32> to !shared
      %g1 = nvgpu.device_async_create_group %t1
      nvgpu.device_async_wait %g0 {numGroups = 1 : i32}
      %v = memref.load %s[%c4] : !shared
      gpu.return
    }

    // UNALIGNED: error: kernel 'unaligned', {{.*}}: expects an address that is a multiple of 16, but got 0x100000004
    gpu.func @unaligned(%in: memref<16xf32>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = nvgpu.device_async_copy %in[%c1], %s[%c0], 4 : memref<16xf32> to !shared
      gpu.return
    }
  }
}
