// RUN: relay-opt %s --relay-optimize="target=cuda" --relay-to-kernels --tir-schedule --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-optimize="target=cuda" --relay-to-kernels --tir-schedule --split-input-file | relay-opt --split-input-file --tir-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: relay-opt %s --relay-optimize="target='cuda -arch=sm_90a'" --relay-to-kernels --tir-schedule --split-input-file | FileCheck %s --check-prefix=HOPPER
// RUN: relay-opt %s --relay-optimize="target='cuda -arch=sm_90a'" --relay-to-kernels --tir-schedule --split-input-file | relay-opt --split-input-file --tir-to-gpu | FileCheck %s --check-prefix=WARPGROUP

// A result for each thread; of many results, several.
// CHECK-LABEL: tir.prim_func private @fused_add_tanh(
// CHECK:         tir.for %[[B:.*]] = 0 to 1024 kind(thread_binding "blockIdx.x")
// CHECK:           tir.for %[[T:.*]] = 0 to 256 kind(thread_binding "threadIdx.x")
// CHECK:             tir.for %[[I:.*]] = 0 to 4 kind(unrolled)
func.func @elementwise(%x: tensor<1024x1024xf32>, %y: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = relay.add %x, %y : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %1 = relay.tanh %0 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}

// -----

// All steps of a row in one block; what is between them in shared memory.
// CHECK-LABEL: tir.prim_func private @fused_nn_softmax(
// CHECK:         tir.for %{{.*}} = 0 to 64 kind(thread_binding "blockIdx.x")
// CHECK:           tir.alloc_buffer() : memref<1x1000xf32, #target.memory<"shared">>
// CHECK:           tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
// CHECK:             tir.block @softmax_max_rf
// CHECK:           tir.for %{{.*}} = 0 to 16 kind(thread_binding "threadIdx.x")
// CHECK:             tir.block @softmax_max_rf_1
// CHECK:           tir.block @softmax_max(
// CHECK:           tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
// CHECK:             tir.block @softmax_exp
// GPU-LABEL: func.func private @fused_nn_softmax
// GPU:         gpu.launch_func
// GPU-NOT:     gpu.launch_func
// GPU:         return
func.func @rows(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %0 = relay.nn.softmax %x : (tensor<64x1000xf32>) -> tensor<64x1000xf32>
  return %0 : tensor<64x1000xf32>
}

// -----

// A convolution is a product of matrices, which takes what follows along.
// CHECK-LABEL: tir.prim_func private @fused_nn_conv2d_nn_relu(
// CHECK:         tir.block @conv2d(
// CHECK:         cuda.product = #cuda.product<batch = [], rows = [0, 2, 3], columns = [1], reduction = [4, 5, 6], tile = [64, 64, 32], warps = [2, 2], pieces = 2, epilogue = "relu">
// CHECK:         tir.block @relu(
// CHECK:         cuda.epilogue = "conv2d"
// HOPPER-LABEL: tir.prim_func private @fused_nn_conv2d_nn_relu(
// HOPPER:         tile = [64, 64, 64], warps = [4, 1], pieces = 2, instruction = "wgmma", epilogue = "relu">
// GPU-LABEL: gpu.func @fused_nn_conv2d_nn_relu$1(
// GPU:         scf.for
// GPU-COUNT-3:   nvgpu.mma.sync
// GPU:         gpu.barrier
// GPU:         arith.cmpf olt
func.func @product(%x: tensor<1x64x14x14xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32> {
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], kernel_size = [3, 3], channels = 64} : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32>
  %1 = relay.nn.relu %0 : (tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  return %1 : tensor<1x64x14x14xf32>
}

// -----

// Halves are copied while others are multiplied: one barrier for each step, and two
// behind, where results go through what operands were in.
// HOPPER-LABEL: tir.prim_func private @fused_nn_dense(
// HOPPER:         tile = [128, 256, 64], warps = [8, 1], pieces = 1, stages = 4, instruction = "wgmma", epilogue = "dense_round">
// WARPGROUP-LABEL:    gpu.func @fused_nn_dense(
// WARPGROUP:            scf.for
// WARPGROUP-NEXT:         nvvm.cp.async.wait.group 1
// WARPGROUP-NEXT:         nvvm.fence.proxy
// WARPGROUP-NEXT:         gpu.barrier
// WARPGROUP:              nvvm.wgmma.fence.aligned
// WARPGROUP-COUNT-4:      nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>
// WARPGROUP:              nvvm.wgmma.commit.group.sync.aligned
// WARPGROUP-NOT:          gpu.barrier
// WARPGROUP:              nvgpu.device_async_copy
// WARPGROUP-NOT:          gpu.barrier
// WARPGROUP:              nvvm.wgmma.wait.group.sync.aligned 1
// WARPGROUP-NEXT:       }
// WARPGROUP:            nvvm.wgmma.wait.group.sync.aligned 0
// WARPGROUP-NEXT:       gpu.barrier
// WARPGROUP-NOT:        gpu.barrier
// WARPGROUP:            vector.store
// WARPGROUP:            gpu.barrier
// WARPGROUP-NOT:        gpu.barrier
// WARPGROUP:            gpu.return
func.func @halves(%x: tensor<2048x1024xf16>, %w: tensor<4096x1024xf16>) -> tensor<2048x4096xf16> {
  %0 = relay.nn.dense %x, %w : (tensor<2048x1024xf16>, tensor<4096x1024xf16>) -> tensor<2048x4096xf16>
  return %0 : tensor<2048x4096xf16>
}

// -----

// Few results of long sums: products of parts of them, which a thread adds up, in
// registers, for each result.
// HOPPER-LABEL: tir.prim_func private @fused_nn_dense_nn_relu(
// HOPPER:         tir.block @dense_rf(
// HOPPER:           cuda.product = #cuda.product<batch = [2], rows = [0], columns = [1], reduction = [3], tile = [64, 64, 64], warps = [4, 1], pieces = 2, instruction = "wgmma">
// HOPPER:         kind(thread_binding "blockIdx.x")
// HOPPER:           kind(thread_binding "threadIdx.x")
// HOPPER:             tir.alloc_buffer() : memref<1x1xf32, #target.memory<"local">>
// HOPPER:             tir.for %{{.*}} = 0 to 16 {
// HOPPER:               tir.block @dense(
// HOPPER:             tir.block @relu(
// HOPPER-NOT:     tir.block
// HOPPER:       relax.func
func.func @parts(%x: tensor<49x4096xf32>, %w: tensor<512x4096xf32>) -> tensor<49x512xf32> {
  %0 = relay.nn.dense %x, %w : (tensor<49x4096xf32>, tensor<512x4096xf32>) -> tensor<49x512xf32>
  %1 = relay.nn.relu %0 : (tensor<49x512xf32>) -> tensor<49x512xf32>
  return %1 : tensor<49x512xf32>
}

// -----

// A tile goes through shared memory, whose rows begin in different banks.
// CHECK-LABEL: tir.prim_func private @fused_transpose(
// CHECK:         kind(thread_binding "blockIdx.x")
// CHECK:           tir.alloc_buffer() : memref<32x33xf32, #target.memory<"shared">>
// CHECK:           tir.for %{{.*}} = 0 to 8 kind(thread_binding "threadIdx.y")
// CHECK:             tir.for %{{.*}} = 0 to 32 kind(thread_binding "threadIdx.x")
// CHECK:               tir.for %{{.*}} = 0 to 4 kind(unrolled)
// CHECK:                 tir.block @transpose_read_shared(
// CHECK:           tir.for %{{.*}} = 0 to 8 kind(thread_binding "threadIdx.y")
// CHECK:             tir.for %{{.*}} = 0 to 32 kind(thread_binding "threadIdx.x")
// CHECK:               tir.for %{{.*}} = 0 to 4 kind(unrolled)
// CHECK:                 tir.block @transpose(
// GPU-LABEL:     gpu.func @fused_transpose(
// GPU-COUNT-1:     gpu.barrier
// GPU-NOT:         gpu.barrier
// GPU:             gpu.return
func.func @transposed(%x: tensor<512x300xf32>) -> tensor<300x512xf32> {
  %0 = relay.transpose %x {axes = [1, 0]} : (tensor<512x300xf32>) -> tensor<300x512xf32>
  return %0 : tensor<300x512xf32>
}

// -----

// All that is between the steps of a long row.
// CHECK-LABEL: tir.prim_func private @fused_nn_softmax(
// CHECK-COUNT-7: tir.alloc_buffer() : memref<{{.*}}, #target.memory<"shared">>
// CHECK-NOT:     tir.alloc_buffer
// CHECK:       relax.func
func.func @long_rows(%x: tensor<32768x4096xf32>) -> tensor<32768x4096xf32> {
  %0 = relay.nn.softmax %x : (tensor<32768x4096xf32>) -> tensor<32768x4096xf32>
  return %0 : tensor<32768x4096xf32>
}

// -----

// What nobody has a rule for runs all the same.
// GPU-LABEL: func.func private @fused_cumsum
// GPU:         gpu.launch_func
func.func @anything(%x: tensor<4x100xf32>) -> tensor<4x100xf32> {
  %0 = relay.cumsum %x {axis = 1} : (tensor<4x100xf32>) -> tensor<4x100xf32>
  return %0 : tensor<4x100xf32>
}

// -----

// Columns whose number no size of a block divides: 256 threads, and a condition.
// CHECK-LABEL: tir.prim_func private @fused_sum(
// CHECK:         tir.for %{{.*}} = 0 to 3 kind(thread_binding "blockIdx.x")
// CHECK:           tir.for %{{.*}} = 0 to 391 kind(thread_binding "blockIdx.y")
// CHECK:             tir.for %{{.*}} = 0 to 256 kind(thread_binding "threadIdx.x")
func.func @prime_columns(%x: tensor<3x4x100003xf32>) -> tensor<3x100003xf32> {
  %0 = relay.sum %x {axis = [1]} : (tensor<3x4x100003xf32>) -> tensor<3x100003xf32>
  return %0 : tensor<3x100003xf32>
}

// -----

// Long sums of few columns: as many parts as a grid may have.
// CHECK-LABEL: tir.prim_func private @fused_sum(
// CHECK:         tir.for %{{.*}} = 0 to 65535 kind(thread_binding "blockIdx.z")
// CHECK:           tir.for %{{.*}} = 0 to 2 kind(thread_binding "threadIdx.x")
func.func @long_columns(%x: tensor<3000000x2xf32>) -> tensor<2xf32> {
  %0 = relay.sum %x {axis = [0]} : (tensor<3000000x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Steps of as many rows, one of which needs all rows of another, and products: no rows
// for a block each.
// CHECK-LABEL: tir.prim_func private @fused_transpose
// CHECK:         cuda.product
// CHECK:         tir.block @softmax_max_rf
// CHECK:         cuda.product
func.func @square_attention(%q: tensor<2x64x64xf16>, %k: tensor<2x64x64xf16>, %v: tensor<2x64x64xf16>) -> tensor<2x64x64xf16> {
  %0 = relay.transpose %k {axes = [0, 2, 1]} : (tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  %1 = relay.nn.batch_matmul %q, %0 {transpose_b = false} : (tensor<2x64x64xf16>, tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  %2 = relay.nn.softmax %1 {axis = 2} : (tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  %3 = relay.nn.batch_matmul %2, %v {transpose_b = false} : (tensor<2x64x64xf16>, tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  return %3 : tensor<2x64x64xf16>
}

// -----

// A product of bytes: twice as many steps for a tile.
// CHECK-LABEL: tir.prim_func private @fused_nn_dense_clip(
// CHECK:         cuda.product = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 64], warps = [2, 2], pieces = 1, stages = 4, epilogue = "clip">
// HOPPER-LABEL: tir.prim_func private @fused_nn_dense_clip(
// HOPPER:        cuda.product = #cuda.product<batch = [], rows = [0], columns = [1], reduction = [2], tile = [64, 64, 128], warps = [4, 1], pieces = 1, stages = 4, instruction = "wgmma", epilogue = "clip">
func.func @bytes(%x: tensor<64x256xi8>, %w: tensor<64x256xi8>) -> tensor<64x64xi32> {
  %0 = relay.nn.dense %x, %w {out_dtype = i32} : (tensor<64x256xi8>, tensor<64x256xi8>) -> tensor<64x64xi32>
  %1 = relay.clip %0 {a_min = 0.0 : f64, a_max = 100.0 : f64} : (tensor<64x64xi32>) -> tensor<64x64xi32>
  return %1 : tensor<64x64xi32>
}
