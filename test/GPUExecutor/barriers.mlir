// RUN: relay-gpu-run %s --entry=pipeline --block=64 --arg=128xf32=iota --arg=128xf32 --print=1 | FileCheck %s --check-prefix=PIPELINE
// RUN: not relay-gpu-run %s --entry=never --block=32 2>&1 | FileCheck %s --check-prefix=NEVER
// RUN: not relay-gpu-run %s --entry=uninitialised 2>&1 | FileCheck %s --check-prefix=UNINIT
// RUN: not relay-gpu-run %s --entry=unordered --block=2 2>&1 | FileCheck %s --check-prefix=UNORDERED
// RUN: not relay-gpu-run %s --entry=too_many --block=1 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not relay-gpu-run %s --entry=early --arg=16xf32 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: relay-gpu-run %s --entry=named --block=96 --arg=96xi32 --print=0 | FileCheck %s --check-prefix=NAMED
// RUN: not relay-gpu-run %s --entry=wrong_named --block=96 --arg=96xi32 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: relay-gpu-run %s --entry=votes --block=32 --arg=8xi32 --print=0 | FileCheck %s --check-prefix=VOTES

!one = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
!two = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
!shared = memref<64xf32, #gpu.address_space<workgroup>>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The first thread of the first warp brings 32 numbers four times, to two
    // places by turns; the threads of the second warp use them.
    // PIPELINE: [1, 2, 3, {{.*}}, 127, 128]
    gpu.func @pipeline(%in: !llvm.ptr<1>, %out: memref<128xf32>) workgroup(%s: !shared) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %ticks = arith.constant 1000 : index
      %full = nvgpu.mbarrier.create -> !two
      %empty = nvgpu.mbarrier.create -> !two
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        scf.for %k = %c0 to %c2 step %c1 {
          nvgpu.mbarrier.init %full[%k], %c1 : !two
          nvgpu.mbarrier.init %empty[%k], %c32 : !two
        }
      }
      gpu.barrier
      %base = memref.extract_aligned_pointer_as_index %s : !shared -> index
      %address = arith.index_cast %base : index to i64
      %shared = llvm.inttoptr %address : i64 to !llvm.ptr<3>
      scf.if %isFirst {
        scf.for %step = %c0 to %c4 step %c1 {
          %k = arith.remui %step, %c2 : index
          %round = arith.divui %step, %c2 : index
          %parity = arith.remui %round, %c2 : index
          %isOdd = arith.cmpi eq, %parity, %c0 : index
          nvgpu.mbarrier.try_wait.parity %empty[%k], %isOdd, %ticks : !two
          nvgpu.mbarrier.arrive.expect_tx %full[%k], %c128 : !two
          %to = arith.muli %k, %c128 : index
          %from = arith.muli %step, %c128 : index
          %to64 = arith.index_cast %to : index to i64
          %from64 = arith.index_cast %from : index to i64
          %target = llvm.getelementptr %shared[%to64] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
          %source = llvm.getelementptr %in[%from64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
          %bar = nvgpu.mbarrier.get %full[%k] : !two -> i64
          %mbar = llvm.inttoptr %bar : i64 to !llvm.ptr<3>
          %bytes = arith.constant 128 : i32
          nvvm.cp.async.bulk.shared.cluster.global %target, %source, %mbar, %bytes : !llvm.ptr<3>, !llvm.ptr<1>
        }
      }
      %isConsumer = arith.cmpi uge, %i, %c32 : index
      scf.if %isConsumer {
        %lane = arith.subi %i, %c32 : index
        %one = arith.constant 1.0 : f32
        scf.for %step = %c0 to %c4 step %c1 {
          %k = arith.remui %step, %c2 : index
          %round = arith.divui %step, %c2 : index
          %parity = arith.remui %round, %c2 : index
          %isOdd = arith.cmpi eq, %parity, %c1 : index
          nvgpu.mbarrier.try_wait.parity %full[%k], %isOdd, %ticks : !two
          %row = arith.muli %k, %c32 : index
          %at = arith.addi %row, %lane : index
          %v = memref.load %s[%at] : !shared
          %token = nvgpu.mbarrier.arrive %empty[%k] : !two -> !nvgpu.mbarrier.token
          %w = arith.addf %v, %one : f32
          %outRow = arith.muli %step, %c32 : index
          %outAt = arith.addi %outRow, %lane : index
          memref.store %w, %out[%outAt] : memref<128xf32>
        }
      }
      gpu.return
    }

    // NEVER: error: kernel 'never', thread (0, 0, 0) of block (0, 0, 0): expects what the thread waits for to happen, but got a block in which all threads wait or have ended
    gpu.func @never() kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %count = gpu.block_dim x
      %isFirst = arith.cmpi eq, %i, %c0 : index
      %false = arith.constant false
      %b = nvgpu.mbarrier.create -> !one
      scf.if %isFirst {
        nvgpu.mbarrier.init %b[%c0], %count : !one
      }
      gpu.barrier
      scf.if %isFirst {
        %token = nvgpu.mbarrier.arrive %b[%c0] : !one -> !nvgpu.mbarrier.token
      }
      nvgpu.mbarrier.try_wait.parity %b[%c0], %false, %c0 : !one
      gpu.return
    }

    // UNINIT: error: kernel 'uninitialised', {{.*}}: expects shared memory that has been written, but got an atomic operation on byte 0 of shared memory
    gpu.func @uninitialised() kernel {
      %c0 = arith.constant 0 : index
      %b = nvgpu.mbarrier.create -> !one
      %token = nvgpu.mbarrier.arrive %b[%c0] : !one -> !nvgpu.mbarrier.token
      gpu.return
    }

    // UNORDERED: error: kernel 'unordered', thread (1, 0, 0) of block (0, 0, 0): expects a barrier between two threads at one location, but got an atomic write of byte 0 of shared memory after a write by thread (0, 0, 0)
    gpu.func @unordered() kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %isFirst = arith.cmpi eq, %i, %c0 : index
      %b = nvgpu.mbarrier.create -> !one
      scf.if %isFirst {
        nvgpu.mbarrier.init %b[%c0], %c2 : !one
      }
      %token = nvgpu.mbarrier.arrive %b[%c0] : !one -> !nvgpu.mbarrier.token
      gpu.return
    }

    // MANY: error: kernel 'too_many', {{.*}}: expects at most 2 arrivals in this phase, but got 3 more
    gpu.func @too_many() workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %two = arith.constant 2 : i32
      %three = arith.constant 3 : i32
      %base = memref.extract_aligned_pointer_as_index %s : !shared -> index
      %address = arith.index_cast %base : index to i64
      %b = llvm.inttoptr %address : i64 to !llvm.ptr<3>
      nvvm.mbarrier.init %b, %two : !llvm.ptr<3>, i32
      %state = nvvm.mbarrier.arrive %b, %three : !llvm.ptr<3> -> i64
      gpu.return
    }

    // EARLY: error: kernel 'early', {{.*}}: expects an asynchronous copy to have been waited for, but got a read of byte 0 of shared memory before
    gpu.func @early(%in: !llvm.ptr<1>) workgroup(%s: !shared) kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %bytes = arith.constant 64 : i32
      %full = nvgpu.mbarrier.create -> !one
      nvgpu.mbarrier.init %full[%c0], %c1 : !one
      %base = memref.extract_aligned_pointer_as_index %s : !shared -> index
      %address = arith.index_cast %base : index to i64
      %shared = llvm.inttoptr %address : i64 to !llvm.ptr<3>
      %bar = nvgpu.mbarrier.get %full[%c0] : !one -> i64
      %mbar = llvm.inttoptr %bar : i64 to !llvm.ptr<3>
      nvvm.cp.async.bulk.shared.cluster.global %shared, %in, %mbar, %bytes : !llvm.ptr<3>, !llvm.ptr<1>
      %v = memref.load %s[%c0] : !shared
      gpu.return
    }

    // Warps 0 and 1 meet; warp 2 goes its own way.
    // NAMED: [33, 34, {{.*}}, 64, 1, 2, {{.*}}, 32, 0, {{.*}}, 0]
    gpu.func @named(%out: memref<96xi32>) workgroup(%s: memref<96xi32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c64 = arith.constant 64 : index
      %id = arith.constant 3 : i32
      %count = arith.constant 64 : i32
      %inside = arith.cmpi ult, %i, %c64 : index
      scf.if %inside {
        %i32 = arith.index_cast %i : index to i32
        memref.store %i32, %s[%i] : memref<96xi32, #gpu.address_space<workgroup>>
        nvvm.barrier id = %id number_of_threads = %count
        %moved = arith.addi %i, %c32 : index
        %other = arith.remui %moved, %c64 : index
        %v = memref.load %s[%other] : memref<96xi32, #gpu.address_space<workgroup>>
        %one = arith.constant 1 : i32
        %w = arith.addi %v, %one : i32
        %both = arith.addi %w, %i32 : i32
        %less = arith.subi %both, %i32 : i32
        memref.store %less, %out[%i] : memref<96xi32>
      }
      gpu.return
    }

    // A barrier of two warps orders nothing for the third one.
    // WRONG: error: kernel 'wrong_named', thread (64, 0, 0) of block (0, 0, 0): expects a barrier between two threads at one location
    gpu.func @wrong_named(%out: memref<96xi32>) workgroup(%s: memref<96xi32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %id = arith.constant 3 : i32
      %count = arith.constant 64 : i32
      %inside = arith.cmpi ult, %i, %c64 : index
      %i32 = arith.index_cast %i : index to i32
      memref.store %i32, %s[%i] : memref<96xi32, #gpu.address_space<workgroup>>
      scf.if %inside {
        nvvm.barrier id = %id number_of_threads = %count
      }
      %v = memref.load %s[%c0] : memref<96xi32, #gpu.address_space<workgroup>>
      gpu.return
    }

    // VOTES: [1, 0, 255, 496, 31, 1, 30, 0]
    gpu.func @votes(%out: memref<8xi32>) kernel {
      %lane = gpu.lane_id
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c5 = arith.constant 5 : index
      %c6 = arith.constant 6 : index
      %c8 = arith.constant 8 : index
      %all = arith.constant -1 : i32
      %one = arith.constant 1 : i32
      %clamp = arith.constant 31 : i32
      %n = arith.index_cast %lane : index to i32
      %isLow = arith.cmpi ult, %lane, %c8 : index
      %any = nvvm.vote.sync any %all, %isLow -> i1
      %every = nvvm.vote.sync all %all, %isLow -> i1
      %ballot = nvvm.vote.sync ballot %all, %isLow -> i32
      %sum = nvvm.redux.sync add %n, %all : i32 -> i32
      %max = nvvm.redux.sync umax %n, %all : i32 -> i32
      %other = nvvm.shfl.sync bfly %all, %n, %one, %clamp : i32 -> i32
      %leader = nvvm.elect.sync -> i1
      scf.if %leader {
        %any32 = arith.extui %any : i1 to i32
        %every32 = arith.extui %every : i1 to i32
        memref.store %any32, %out[%c0] : memref<8xi32>
        memref.store %every32, %out[%c1] : memref<8xi32>
        memref.store %ballot, %out[%c2] : memref<8xi32>
        memref.store %sum, %out[%c3] : memref<8xi32>
        memref.store %max, %out[%c4] : memref<8xi32>
        memref.store %other, %out[%c5] : memref<8xi32>
      }
      %c31 = arith.constant 31 : index
      %isLast = arith.cmpi eq, %lane, %c31 : index
      scf.if %isLast {
        memref.store %other, %out[%c6] : memref<8xi32>
      }
      gpu.return
    }
  }
}
