module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @shared_write_read(%out: memref<64xf32>) workgroup(%s: memref<65xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %next = arith.addi %i, %c1 : index
      %v = memref.load %out[%i] : memref<64xf32>
      memref.store %v, %s[%i] : memref<65xf32, #gpu.address_space<workgroup>>
      %w = memref.load %s[%next] : memref<65xf32, #gpu.address_space<workgroup>>
      memref.store %w, %out[%i] : memref<64xf32>
      gpu.return
    }
    gpu.func @shared_read_write(%out: memref<64xf32>) workgroup(%s: memref<65xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %c1 = arith.constant 1 : index
      %next = arith.addi %i, %c1 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %s[%next] : memref<65xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = memref.load %s[%c1] : memref<65xf32, #gpu.address_space<workgroup>>
      memref.store %w, %s[%i] : memref<65xf32, #gpu.address_space<workgroup>>
      gpu.return
    }

    gpu.func @global_blocks(%out: memref<4xf32>) kernel {
      %y = gpu.block_id y
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %out[%y] : memref<4xf32>
      gpu.return
    }

    gpu.func @bytes(%out: !llvm.ptr<1>) kernel {
      %i = gpu.thread_id x
      %n = arith.index_cast %i : index to i64
      %two = arith.constant 2 : i64
      %at = arith.muli %n, %two : i64
      %value = arith.constant 1 : i32
      %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
      llvm.store %value, %p {alignment = 0 : i64} : i32, !llvm.ptr<1>
      gpu.return
    }

    gpu.func @neighbours(%out: memref<8xi8>) kernel {
      %i = gpu.thread_id x
      %n = arith.index_cast %i : index to i8
      memref.store %n, %out[%i] : memref<8xi8>
      gpu.return
    }

    gpu.func @uninitialised(%out: memref<4xf32>) workgroup(%s: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %v, %out[%i] : memref<4xf32>
      gpu.return
    }

    gpu.func @divergent() kernel {
      %i = gpu.thread_id x
      %c40 = arith.constant 40 : index
      %inside = arith.cmpi ult, %i, %c40 : index
      scf.if %inside {
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @two_barriers() kernel {
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        gpu.barrier
      } else {
        gpu.barrier
      }
      gpu.return
    }

    gpu.func @warp_order(%out: memref<64xi32>) kernel {
      %i = gpu.thread_id x
      %n = gpu.block_dim x
      %c1 = arith.constant 1 : index
      %value = arith.index_cast %i : index to i32
      memref.store %value, %out[%i] : memref<64xi32>
      %mask = arith.constant -1 : i32
      nvvm.bar.warp.sync %mask : i32
      %next = arith.addi %i, %c1 : index
      %other = arith.remui %next, %n : index
      %v = memref.load %out[%other] : memref<64xi32>
      nvvm.bar.warp.sync %mask : i32
      memref.store %v, %out[%i] : memref<64xi32>
      gpu.return
    }

    gpu.func @atomics(%count: memref<1xi32>, %sum: memref<1xf32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
      %r = memref.generic_atomic_rmw %sum[%c0] : memref<1xf32> {
      ^bb0(%v: f32):
        %f = arith.constant 1.0 : f32
        %w = arith.addf %v, %f : f32
        memref.atomic_yield %w : f32
      }
      gpu.return
    }

    gpu.func @last_block(%parts: memref<4x8xi32>, %count: memref<1xi32>, %sum: memref<1xi32>) workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %block = gpu.block_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %n = arith.index_cast %i : index to i32
      memref.store %n, %parts[%block, %i] : memref<4x8xi32>
      gpu.barrier
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
        %isLast = arith.cmpi eq, %old, %three : i32
        scf.if %isLast {
          %total = scf.for %b = %c0 to %c4 step %c1 iter_args(%t = %zero) -> i32 {
            %inner = scf.for %k = %c0 to %c8 step %c1 iter_args(%u = %t) -> i32 {
              %v = memref.load %parts[%b, %k] : memref<4x8xi32>
              %w = arith.addi %u, %v : i32
              scf.yield %w : i32
            }
            scf.yield %inner : i32
          }
          memref.store %total, %sum[%c0] : memref<1xi32>
        }
      }
      gpu.return
    }
    gpu.func @last_block_no_barrier(%parts: memref<4x8xi32>, %count: memref<1xi32>, %sum: memref<1xi32>) workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %block = gpu.block_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %three = arith.constant 3 : i32
      %n = arith.index_cast %i : index to i32
      memref.store %n, %parts[%block, %i] : memref<4x8xi32>
      %isFirst = arith.cmpi eq, %i, %c0 : index
      scf.if %isFirst {
        %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
        %isLast = arith.cmpi eq, %old, %three : i32
        scf.if %isLast {
          %total = scf.for %b = %c0 to %c4 step %c1 iter_args(%t = %zero) -> i32 {
            %inner = scf.for %k = %c0 to %c8 step %c1 iter_args(%u = %t) -> i32 {
              %v = memref.load %parts[%b, %k] : memref<4x8xi32>
              %w = arith.addi %u, %v : i32
              scf.yield %w : i32
            }
            scf.yield %inner : i32
          }
          memref.store %total, %sum[%c0] : memref<1xi32>
        }
      }
      gpu.return
    }

    gpu.func @atomic_and_plain(%count: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %v = memref.load %count[%c0] : memref<1xi32>
      %old = memref.atomic_rmw addi %one, %count[%c0] : (i32, memref<1xi32>) -> i32
      gpu.return
    }
  }
}
