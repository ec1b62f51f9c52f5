// RUN: relay-gpu-run %s --entry=shuffle --block=8 --arg=8xi32 --arg=8xi32 --arg=8xi32 --arg=8xi32 --arg=8xi32 --print=0 --print=1 --print=2 --print=3 --print=4 | FileCheck %s --check-prefix=SHUFFLE
// RUN: relay-gpu-run %s --entry=reduce --block=64 --arg=4xf32 --arg=4xi32 --print=0 --print=1 | FileCheck %s --check-prefix=REDUCE
// RUN: not relay-gpu-run %s --entry=divergent --block=32 2>&1 | FileCheck %s --check-prefix=DIVERGENT
// RUN: relay-gpu-run %s --entry=sum --block=100 --grid=2 --arg=200xf32=iota --arg=2xf32 --print=1 | FileCheck %s --check-prefix=SUM
// RUN: relay-gpu-run %s --entry=indices --grid=1,2,1 --block=40,2 --arg=2x80x3xi32 --print=0 | FileCheck %s --check-prefix=INDICES

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // SHUFFLE: [1, 0, 3, 2, 5, 4, 7, 6]
    // SHUFFLE: [0, 1, 0, 1, 4, 5, 4, 5]
    // SHUFFLE: [2, 3, 2, 3, 6, 7, 6, 7]
    // SHUFFLE: [3, 3, 3, 3, 7, 7, 7, 7]
    // SHUFFLE: [1, 1, 0, 0, 1, 1, 0, 0]
    gpu.func @shuffle(%xor: memref<8xi32>, %up: memref<8xi32>, %down: memref<8xi32>, %idx: memref<8xi32>, %valid: memref<8xi32>) kernel {
      %lane = gpu.lane_id
      %value = arith.index_cast %lane : index to i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32
      %a, %va = gpu.shuffle xor %value, %c1, %c4 : i32
      %b, %vb = gpu.shuffle up %value, %c2, %c4 : i32
      %c, %vc = gpu.shuffle down %value, %c2, %c4 : i32
      %d, %vd = gpu.shuffle idx %value, %c3, %c4 : i32
      memref.store %a, %xor[%lane] : memref<8xi32>
      memref.store %b, %up[%lane] : memref<8xi32>
      memref.store %c, %down[%lane] : memref<8xi32>
      memref.store %d, %idx[%lane] : memref<8xi32>
      %v = arith.extui %vc : i1 to i32
      memref.store %v, %valid[%lane] : memref<8xi32>
      gpu.return
    }

    // Sums of lanes 0 to 31 and 32 to 63, of clusters of 8, and the largest of all.
    // REDUCE: [496, 1520, 28, 63]
    // REDUCE: [31, 63, 16, 2016]
    gpu.func @reduce(%f: memref<4xf32>, %n: memref<4xi32>) kernel {
      %i = gpu.thread_id x
      %warp = gpu.subgroup_id : index
      %lane = gpu.lane_id
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %int = arith.index_cast %i : index to i32
      %float = arith.sitofp %int : i32 to f32
      %sum = gpu.subgroup_reduce add %float : (f32) -> f32
      %max = gpu.subgroup_reduce maxsi %int : (i32) -> i32
      %cluster = gpu.subgroup_reduce add %float cluster(size = 8) : (f32) -> f32
      %strided = gpu.subgroup_reduce maxsi %int cluster(size = 2, stride = 16) : (i32) -> i32
      %all = gpu.all_reduce maximumf %float {} : (f32) -> f32
      %total = gpu.all_reduce add %int {} : (i32) -> i32
      %isFirst = arith.cmpi eq, %lane, %c0 : index
      scf.if %isFirst {
        memref.store %sum, %f[%warp] : memref<4xf32>
        memref.store %max, %n[%warp] : memref<4xi32>
      }
      %isZero = arith.cmpi eq, %i, %c0 : index
      scf.if %isZero {
        memref.store %cluster, %f[%c2] : memref<4xf32>
        memref.store %all, %f[%c3] : memref<4xf32>
        memref.store %strided, %n[%c2] : memref<4xi32>
        memref.store %total, %n[%c3] : memref<4xi32>
      }
      gpu.return
    }

    // DIVERGENT: error: kernel 'divergent', thread (0, 0, 0) of block (0, 0, 0): expects all threads of the warp here, but got thread (16, 0, 0) of block (0, 0, 0), which has ended
    gpu.func @divergent() kernel {
      %i = gpu.thread_id x
      %c16 = arith.constant 16 : index
      %inside = arith.cmpi ult, %i, %c16 : index
      %c1 = arith.constant 1 : i32
      %c32 = arith.constant 32 : i32
      scf.if %inside {
        %a, %va = gpu.shuffle xor %c1, %c1, %c32 : i32
      }
      gpu.return
    }

    // A tree in shared memory, over a number of threads that is no power of 2.
    // SUM: [4950, 14950]
    gpu.func @sum(%in: memref<200xf32>, %out: memref<2xf32>) workgroup(%s: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
      %i = gpu.thread_id x
      %block = gpu.block_id x
      %at = gpu.global_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c64 = arith.constant 64 : index
      %n = gpu.block_dim x
      %v = memref.load %in[%at] : memref<200xf32>
      memref.store %v, %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %end = scf.while (%step = %c64) : (index) -> index {
        %more = arith.cmpi ugt, %step, %c0 : index
        scf.condition(%more) %step : index
      } do {
      ^bb0(%step: index):
        %j = arith.addi %i, %step : index
        %low = arith.cmpi ult, %i, %step : index
        %present = arith.cmpi ult, %j, %n : index
        %both = arith.andi %low, %present : i1
        scf.if %both {
          %a = memref.load %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
          %b = memref.load %s[%j] : memref<128xf32, #gpu.address_space<workgroup>>
          %c = arith.addf %a, %b : f32
          memref.store %c, %s[%i] : memref<128xf32, #gpu.address_space<workgroup>>
        }
        gpu.barrier
        %next = arith.divui %step, %c2 : index
        scf.yield %next : index
      }
      %isZero = arith.cmpi eq, %i, %c0 : index
      scf.if %isZero {
        %t = memref.load %s[%c0] : memref<128xf32, #gpu.address_space<workgroup>>
        memref.store %t, %out[%block] : memref<2xf32>
      }
      gpu.return
    }

    // Of each thread: its lane, its warp and how many warps there are.
    // INDICES: [0, 0, 3, 1, 0, 3, {{.*}} 31, 0, 3, 0, 1, 3, {{.*}} 15, 2, 3, 0, 0, 3, {{.*}} 15, 2, 3]
    gpu.func @indices(%out: memref<2x80x3xi32>) kernel {
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %by = gpu.block_id y
      %nx = gpu.block_dim x
      %row = arith.muli %y, %nx : index
      %i = arith.addi %row, %x : index
      %lane = gpu.lane_id
      %warp = gpu.subgroup_id : index
      %warps = gpu.num_subgroups : index
      %c0 = arith.constant 0 : index
      %all = vector.from_elements %lane, %warp, %warps : vector<3xindex>
      %ints = arith.index_cast %all : vector<3xindex> to vector<3xi32>
      vector.store %ints, %out[%by, %i, %c0] : memref<2x80x3xi32>, vector<3xi32>
      gpu.return
    }
  }
}
