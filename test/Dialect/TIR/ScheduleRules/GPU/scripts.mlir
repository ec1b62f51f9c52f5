// Rules for GPUs: the kernel, the script that a rule writes for it, and the
// kernel after that.
// RUN: relay-opt %s --split-input-file --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A result for each thread; of many results, several.
// CHECK-LABEL: transform.named_sequence @elementwise.schedule
// CHECK-NEXT: %[[S0:.*]] = transform.tir.get_block @add in %{{.*}}
// CHECK-NEXT: transform.tir.compute_inline %[[S0]]
// CHECK-NEXT: %[[S1:.*]] = transform.tir.get_block @tanh in %{{.*}}
// CHECK-NEXT: %[[S2:.*]] = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: %[[S3:.*]]:3 = transform.tir.split %[[S2]] [?, 4, 256]
// CHECK-NEXT: %[[S4:.*]]:3 = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: transform.tir.reorder %[[S4]]#0, %[[S4]]#2, %[[S4]]#1
// CHECK-NEXT: %[[S5:.*]]:3 = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: transform.tir.bind %[[S5]]#0 to "blockIdx.x"
// CHECK-NEXT: transform.tir.bind %[[S5]]#1 to "threadIdx.x"
// CHECK-NEXT: transform.tir.unroll %[[S5]]#2
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @elementwise
// APPLIED: tir.for %{{.*}} = 0 to 1024 kind(thread_binding "blockIdx.x")
// APPLIED: tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
// APPLIED: tir.for %{{.*}} = 0 to 4 kind(unrolled)
// APPLIED: tir.block @tanh(
tir.prim_func @elementwise(%arg0: memref<1048576xf32>, %arg1: memref<1048576xf32>, %arg2: memref<1048576xf32>) attributes {target.spec = #cuda.gpu<"sm_80">, tir.num_outputs = 1 : i64} {
  %0 = tir.alloc_buffer() : memref<1048576xf32>
  tir.for %i0 = 0 to 1048576 {
    tir.block @add(%v0 = spatial %i0 in 1048576)
        reads(%arg0[%v0] : memref<1048576xf32>, %arg1[%v0] : memref<1048576xf32>)
        writes(%0[%v0] : memref<1048576xf32>) {
      %1 = affine.load %arg0[%v0] : memref<1048576xf32>
      %2 = affine.load %arg1[%v0] : memref<1048576xf32>
      %3 = arith.addf %1, %2 : f32
      affine.store %3, %0[%v0] : memref<1048576xf32>
    }
  }
  tir.for %i0 = 0 to 1048576 {
    tir.block @tanh(%v0 = spatial %i0 in 1048576)
        reads(%0[%v0] : memref<1048576xf32>)
        writes(%arg2[%v0] : memref<1048576xf32>) {
      %1 = affine.load %0[%v0] : memref<1048576xf32>
      %2 = math.tanh %1 : f32
      affine.store %2, %arg2[%v0] : memref<1048576xf32>
    }
  }
}

// -----

// All steps of a row in one block, what is between them in shared memory.
// CHECK-LABEL: transform.named_sequence @rows.schedule
// CHECK-NEXT: %[[S0:.*]] = transform.tir.get_block @sum in %{{.*}}
// CHECK-NEXT: %[[S1:.*]]:2 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S2:.*]]:2 = transform.tir.split %[[S1]]#1 [?, 256]
// CHECK-NEXT: %[[S3:.*]]:3 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S4:.*]] = transform.tir.rfactor %[[S3]]#2 axis = 0
// CHECK-NEXT: %[[S5:.*]]:2 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S6:.*]]:2 = transform.tir.split %[[S5]]#1 [?, 16]
// CHECK-NEXT: %[[S7:.*]]:3 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S8:.*]] = transform.tir.rfactor %[[S7]]#2 axis = 0
// CHECK-NEXT: %[[S9:.*]] = transform.tir.get_block @sum_rf_1 in %{{.*}}
// CHECK-NEXT: %[[S10:.*]]:2 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: transform.tir.compute_at %[[S9]], %[[S10]]#0
// CHECK-NEXT: %[[S11:.*]] = transform.tir.get_block @sum_rf in %{{.*}}
// CHECK-NEXT: %[[S12:.*]]:3 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.compute_at %[[S11]], %[[S12]]#0
// CHECK-NEXT: %[[S13:.*]]:3 = transform.tir.get_loops %[[S11]]
// CHECK-NEXT: transform.tir.bind %[[S13]]#0 to "blockIdx.x"
// CHECK-NEXT: transform.tir.reorder %[[S13]]#2, %[[S13]]#1
// CHECK-NEXT: %[[S14:.*]]:3 = transform.tir.get_loops %[[S11]]
// CHECK-NEXT: transform.tir.bind %[[S14]]#1 to "threadIdx.x"
// CHECK-NEXT: %[[S15:.*]]:3 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.reorder %[[S15]]#2, %[[S15]]#1
// CHECK-NEXT: %[[S16:.*]]:3 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.bind %[[S16]]#1 to "threadIdx.x"
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 49152 : i64}
// CHECK-NEXT: transform.tir.set_scope %[[S11]], write 0, "shared"
// CHECK-NEXT: transform.tir.set_scope %[[S9]], write 0, "shared"
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @rows
// APPLIED: tir.for %{{.*}} = 0 to 64 kind(thread_binding "blockIdx.x")
// APPLIED: tir.alloc_buffer() : memref<256x1xf32, #target.memory<"shared">>
// APPLIED: tir.alloc_buffer() : memref<16x1xf32, #target.memory<"shared">>
// APPLIED: tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
// APPLIED: tir.block @sum_rf(
// APPLIED: tir.for %{{.*}} = 0 to 16 kind(thread_binding "threadIdx.x")
// APPLIED: tir.block @sum_rf_1(
// APPLIED: tir.block @sum(
tir.prim_func @rows(%arg0: memref<64x1000xf32>, %arg1: memref<64xf32>) attributes {target.spec = #cuda.gpu<"sm_80">, tir.num_outputs = 1 : i64} {
  %cst = arith.constant 0.000000e+00 : f32
  tir.for %i0 = 0 to 64 {
    tir.for %i1 = 0 to 1000 {
      tir.block @sum(%v0 = spatial %i0 in 64, %v1 = reduce %i1 in 1000)
          reads(%arg0[%v0, %v1] : memref<64x1000xf32>, %arg1[%v0] : memref<64xf32>)
          writes(%arg1[%v0] : memref<64xf32>) {
        tir.init {
          affine.store %cst, %arg1[%v0] : memref<64xf32>
        }
        %0 = affine.load %arg0[%v0, %v1] : memref<64x1000xf32>
        %1 = affine.load %arg1[%v0] : memref<64xf32>
        %2 = arith.addf %1, %0 : f32
        affine.store %2, %arg1[%v0] : memref<64xf32>
      }
    }
  }
}

// -----

// A product of matrices on tensor cores, which takes what follows along.
// CHECK-LABEL: transform.named_sequence @product.schedule
// CHECK-NEXT: %[[S0:.*]] = transform.tir.get_block @dense in %{{.*}}
// CHECK-NEXT: transform.tir.annotate %[[S0]] "cuda.product" = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 32], warps = [2, 2], pieces = 1, stages = 4, epilogue = "dense_round">
// CHECK-NEXT: %[[S1:.*]] = transform.tir.get_block @dense_round in %{{.*}}
// CHECK-NEXT: transform.tir.annotate %[[S1]] "cuda.epilogue" = "dense"
// CHECK-NEXT: %[[S2:.*]]:2 = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: %[[S3:.*]] = transform.tir.fuse %[[S2]]#0, %[[S2]]#1
// CHECK-NEXT: %[[S4:.*]] = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: %[[S5:.*]]:2 = transform.tir.split %[[S4]] [?, 256]
// CHECK-NEXT: %[[S6:.*]]:2 = transform.tir.get_loops %[[S1]]
// CHECK-NEXT: transform.tir.bind %[[S6]]#0 to "blockIdx.x"
// CHECK-NEXT: transform.tir.bind %[[S6]]#1 to "threadIdx.x"
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @product
// APPLIED: tir.alloc_buffer() : memref<256x128xf32>
// APPLIED: tir.block @dense(
// APPLIED: tir.for %{{.*}} = 0 to 128 kind(thread_binding "blockIdx.x")
// APPLIED: tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
// APPLIED: tir.block @dense_round(
tir.prim_func @product(%arg0: memref<256x512xf16>, %arg1: memref<128x512xf16>, %arg2: memref<256x128xf16>) attributes {target.spec = #cuda.gpu<"sm_80">, tir.num_outputs = 1 : i64} {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tir.alloc_buffer() : memref<256x128xf32>
  tir.for %i0 = 0 to 256 {
    tir.for %i1 = 0 to 128 {
      tir.for %i2 = 0 to 512 {
        tir.block @dense(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 128, %v2 = reduce %i2 in 512)
            reads(%arg0[%v0, %v2] : memref<256x512xf16>, %arg1[%v1, %v2] : memref<128x512xf16>, %0[%v0, %v1] : memref<256x128xf32>)
            writes(%0[%v0, %v1] : memref<256x128xf32>) {
          tir.init {
            affine.store %cst, %0[%v0, %v1] : memref<256x128xf32>
          }
          %1 = affine.load %arg0[%v0, %v2] : memref<256x512xf16>
          %2 = affine.load %arg1[%v1, %v2] : memref<128x512xf16>
          %3 = affine.load %0[%v0, %v1] : memref<256x128xf32>
          %4 = arith.extf %1 : f16 to f32
          %5 = arith.extf %2 : f16 to f32
          %6 = arith.mulf %4, %5 : f32
          %7 = arith.addf %3, %6 : f32
          affine.store %7, %0[%v0, %v1] : memref<256x128xf32>
        }
      }
    }
  }
  tir.for %i0 = 0 to 256 {
    tir.for %i1 = 0 to 128 {
      tir.block @dense_round(%v0 = spatial %i0 in 256, %v1 = spatial %i1 in 128)
          reads(%0[%v0, %v1] : memref<256x128xf32>)
          writes(%arg2[%v0, %v1] : memref<256x128xf16>) {
        %1 = affine.load %0[%v0, %v1] : memref<256x128xf32>
        %2 = arith.truncf %1 : f32 to f16
        affine.store %2, %arg2[%v0, %v1] : memref<256x128xf16>
      }
    }
  }
}

// -----

// Squares of the data go through shared memory, so that neighbours read and
// write neighbours.
// CHECK-LABEL: transform.named_sequence @transpose.schedule
// CHECK-NEXT: %[[S0:.*]] = transform.tir.get_block @transpose in %{{.*}}
// CHECK-NEXT: %[[S1:.*]]:2 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S2:.*]]:2 = transform.tir.split %[[S1]]#0 [?, 32]
// CHECK-NEXT: %[[S3:.*]]:3 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S4:.*]]:2 = transform.tir.split %[[S3]]#2 [?, 32]
// CHECK-NEXT: %[[S5:.*]]:4 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: transform.tir.reorder %[[S5]]#0, %[[S5]]#2, %[[S5]]#1, %[[S5]]#3
// CHECK-NEXT: %[[S6:.*]]:4 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S7:.*]] = transform.tir.fuse %[[S6]]#0, %[[S6]]#1
// CHECK-NEXT: %[[S8:.*]] = transform.tir.cache_read %[[S0]], 0, "shared"
// CHECK-NEXT: %[[S9:.*]] = transform.tir.get_block @transpose_read_shared in %{{.*}}
// CHECK-NEXT: %[[S10:.*]]:3 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: transform.tir.compute_at %[[S9]], %[[S10]]#0
// CHECK-NEXT: %[[S11:.*]]:3 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.bind %[[S11]]#0 to "blockIdx.x"
// CHECK-NEXT: %[[S12:.*]]:2 = transform.tir.split %[[S11]]#1 [?, 8]
// CHECK-NEXT: %[[S13:.*]]:4 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.reorder %[[S13]]#2, %[[S13]]#3, %[[S13]]#1
// CHECK-NEXT: %[[S14:.*]]:4 = transform.tir.get_loops %[[S9]]
// CHECK-NEXT: transform.tir.bind %[[S14]]#1 to "threadIdx.y"
// CHECK-NEXT: transform.tir.bind %[[S14]]#2 to "threadIdx.x"
// CHECK-NEXT: transform.tir.unroll %[[S14]]#3
// CHECK-NEXT: %[[S15:.*]]:3 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: %[[S16:.*]]:2 = transform.tir.split %[[S15]]#1 [?, 8]
// CHECK-NEXT: %[[S17:.*]]:4 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: transform.tir.reorder %[[S17]]#2, %[[S17]]#3, %[[S17]]#1
// CHECK-NEXT: %[[S18:.*]]:4 = transform.tir.get_loops %[[S0]]
// CHECK-NEXT: transform.tir.bind %[[S18]]#1 to "threadIdx.y"
// CHECK-NEXT: transform.tir.bind %[[S18]]#2 to "threadIdx.x"
// CHECK-NEXT: transform.tir.unroll %[[S18]]#3
// CHECK-NEXT: transform.tir.compact_buffers %{{.*}} {max_local_bytes = 8192 : i64}
// CHECK-NEXT: transform.tir.storage_align %[[S9]], 0, axis = 0, factor = 66, offset = 33
// CHECK-NEXT: transform.tir.simplify %{{.*}}
// CHECK-NEXT: transform.yield
// APPLIED-LABEL: tir.prim_func @transpose
// APPLIED: tir.for %{{.*}} = 0 to 384 kind(thread_binding "blockIdx.x")
// APPLIED: tir.alloc_buffer() : memref<32x33xf32, #target.memory<"shared">>
// APPLIED: tir.for %{{.*}} = 0 to 8 kind(thread_binding "threadIdx.y")
// APPLIED: tir.for %{{.*}} = 0 to 32 kind(thread_binding "threadIdx.x")
// APPLIED: tir.for %{{.*}} = 0 to 4 kind(unrolled)
// APPLIED: tir.block @transpose_read_shared(
// APPLIED: tir.for %{{.*}} = 0 to 8 kind(thread_binding "threadIdx.y")
// APPLIED: tir.for %{{.*}} = 0 to 32 kind(thread_binding "threadIdx.x")
// APPLIED: tir.for %{{.*}} = 0 to 4 kind(unrolled)
// APPLIED: tir.block @transpose(
tir.prim_func @transpose(%arg0: memref<512x768xf32>, %arg1: memref<768x512xf32>) attributes {target.spec = #cuda.gpu<"sm_80">, tir.num_outputs = 1 : i64} {
  tir.for %i0 = 0 to 768 {
    tir.for %i1 = 0 to 512 {
      tir.block @transpose(%v0 = spatial %i0 in 768, %v1 = spatial %i1 in 512)
          reads(%arg0[%v1, %v0] : memref<512x768xf32>)
          writes(%arg1[%v0, %v1] : memref<768x512xf32>) {
        %0 = affine.load %arg0[%v1, %v0] : memref<512x768xf32>
        affine.store %0, %arg1[%v0, %v1] : memref<768x512xf32>
      }
    }
  }
}
