// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v4 --tir-schedule-rules | FileCheck %s
// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v4 --tir-schedule-rules --tir-apply-schedules | FileCheck %s --check-prefix=APPLIED

// A convolution: weights packed for two vectors of outputs, 14 columns by 32
// outputs in registers, the epilogue beside the tile.
// CHECK-LABEL: transform.named_sequence @conv.schedule
// CHECK: transform.tir.compute_inline
// CHECK: %[[CONV:.*]] = transform.tir.get_block @conv2d
// CHECK-NEXT: transform.tir.transform_layout %[[CONV]], read 1, #{{.*}}
// CHECK: transform.tir.split %{{.*}} [?, 32]
// CHECK: transform.tir.split %{{.*}} [?, 14]
// CHECK: transform.tir.reorder
// CHECK: %[[RELU:.*]] = transform.tir.get_block @relu
// CHECK: transform.tir.reverse_compute_at %[[RELU]]
// CHECK: transform.tir.parallel
// CHECK: transform.tir.compact_buffers
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile" {vector_bits = 512 : i64}

// APPLIED-LABEL: tir.prim_func {{.*}}@conv
// APPLIED-SAME: memref<2x3x3x64x32xf32> {tir.layout = affine_map<(d0, d1, d2, d3) -> (d0 floordiv 32, d2, d3, d1, d0 mod 32)>, tir.original_type = memref<64x64x3x3xf32>}
// APPLIED: kind(parallel)
// APPLIED: kind(parallel)
// APPLIED: tir.alloc_buffer() scope("local")
// APPLIED: vector.fma
// APPLIED: tir.block @relu
func.func @conv(%x: tensor<1x64x56x56xf32>, %w: tensor<64x64x3x3xf32>, %b: tensor<64xf32>) -> tensor<1x64x56x56xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.conv2d %x, %w {padding = [1, 1, 1, 1], kernel_size = [3, 3], channels = 64} : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>
  %1 = relay.nn.bias_add %0, %b {axis = 1} : (tensor<1x64x56x56xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
  %2 = relay.nn.relu %1 : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %2 : tensor<1x64x56x56xf32>
}

// -----

// Weights that are no constants are packed by the kernel; so are rows that are a
// multiple of a page apart.
// CHECK-LABEL: transform.named_sequence @matmul.schedule
// CHECK: %[[COLUMNS:.*]] = transform.tir.cache_read %[[MATMUL:.*]], {{[01]}}, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0
// CHECK: transform.tir.cache_read %{{.*}}, {{[01]}}, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0
// CHECK-COUNT-3: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@matmul
// APPLIED: vector.fma
func.func @matmul(%x: tensor<1024x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %0 : tensor<1024x1024xf32>
}

// -----

// Columns that are contiguous, but a page from one step of the reduction to the
// next, are copied too, where enough rows use them.
// CHECK-LABEL: transform.named_sequence @far.schedule
// CHECK: transform.tir.cache_read %{{.*}}, 1, "global"
// CHECK: transform.tir.transform_layout %{{.*}}, write 0, #{{.*}}
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"
// CHECK-LABEL: transform.named_sequence @few.schedule
// CHECK-NOT: transform.tir.cache_read
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@far
// APPLIED: vector.fma
// APPLIED-LABEL: tir.prim_func {{.*}}@few
// APPLIED: vector.fma
func.func @far(%x: tensor<500x512xf32>, %w: tensor<512x1024xf32>) -> tensor<500x1024xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<500x512xf32>, tensor<512x1024xf32>) -> tensor<500x1024xf32>
  return %0 : tensor<500x1024xf32>
}
func.func @few(%x: tensor<20x500xf32>, %w: tensor<500x1024xf32>) -> tensor<20x1024xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<20x500xf32>, tensor<500x1024xf32>) -> tensor<20x1024xf32>
  return %0 : tensor<20x1024xf32>
}

// -----

// The columns of one tile that a thread has room for are copied where the rows
// begin to pass by: there the copy is near.
// CHECK-LABEL: transform.named_sequence @near.schedule
// CHECK: %[[MATMUL:.*]] = transform.tir.get_block @matmul
// CHECK: transform.tir.cache_read %[[MATMUL]], 1, "global"
// CHECK: %[[COPY:.*]] = transform.tir.get_block @matmul_read_global
// CHECK: transform.tir.compute_at %[[COPY]], %{{.*}}#0
// CHECK: transform.tir.transform_layout %[[COPY]], write 0, #{{.*}}
// CHECK: transform.tir.parallel %{{.*}}#0
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@near
// APPLIED: tir.for {{.*}} = 0 to 16 kind(parallel)
// APPLIED: tir.alloc_buffer() scope("local") : memref<1x256x32xf32>
// APPLIED: vector.fma
func.func @near(%x: tensor<256x256xf32>, %w: tensor<256x512xf32>) -> tensor<256x512xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
  return %0 : tensor<256x512xf32>
}

// -----

// Too little work to start threads for.
// CHECK-LABEL: transform.named_sequence @small.schedule
// CHECK-NOT: transform.tir.parallel
// CHECK: transform.yield

// APPLIED-LABEL: tir.prim_func {{.*}}@small
// APPLIED-NOT: kind(parallel)
func.func @small(%x: tensor<1x16xf32>, %w: tensor<32x16xf32>) -> tensor<1x32xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.dense %x, %w : (tensor<1x16xf32>, tensor<32x16xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}

// -----

// Few channels: the pixels are the lanes, so that nothing is transposed, and
// the weights stay as they are.
// CHECK-LABEL: transform.named_sequence @expand.schedule
// CHECK-NOT: transform.tir.transform_layout
// CHECK: transform.tir.tensorize %{{.*}}, "register_tile"

// APPLIED-LABEL: tir.prim_func {{.*}}@expand
// APPLIED: vector.fma
// APPLIED-NOT: vector.shuffle
func.func @expand(%x: tensor<1x16x64x64xf32>, %w: tensor<96x16x1x1xf32>) -> tensor<1x96x64x64xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.conv2d %x, %w {kernel_size = [1, 1], channels = 96} : (tensor<1x16x64x64xf32>, tensor<96x16x1x1xf32>) -> tensor<1x96x64x64xf32>
  return %0 : tensor<1x96x64x64xf32>
}

// -----

// The epilogue of a tile is written out like the tile, over a local buffer with
// constant positions, so that the results stay in registers.
// APPLIED-LABEL: tir.prim_func{{.*}} @epilogue
// APPLIED: tir.alloc_buffer() scope("local")
// APPLIED: scf.for
// APPLIED: vector.fma
// APPLIED: tir.block @relu
// APPLIED-NOT: vectorized
// APPLIED: vector.load
// APPLIED: arith.addf {{.*}} : vector<16xf32>
// APPLIED: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// APPLIED: vector.store
func.func @epilogue(%x: tensor<196x64xf32>, %w: tensor<128x64xf32>, %b: tensor<128xf32>) -> tensor<196x128xf32> attributes {relay.primitive} {
  %0 = relay.nn.dense %x, %w : (tensor<196x64xf32>, tensor<128x64xf32>) -> tensor<196x128xf32>
  %1 = relay.add %0, %b : (tensor<196x128xf32>, tensor<128xf32>) -> tensor<196x128xf32>
  %2 = relay.nn.relu %1 : (tensor<196x128xf32>) -> tensor<196x128xf32>
  return %2 : tensor<196x128xf32>
}

// -----

// Each tile of rows prefetches its share of the weights that follow, in every
// iteration of its reduction; nothing beyond the end. Smaller weights are in a
// cache.
// APPLIED-LABEL: tir.prim_func {{.*}}@streamed
// APPLIED: tir.block @matmul
// APPLIED-NOT: writes({{.*}}%arg1
// APPLIED: scf.for
// APPLIED: %[[LAST:.*]] = arith.constant 786416 : index
// APPLIED: arith.minsi %{{.*}}, %[[LAST]] : index
// APPLIED: memref.prefetch %{{.*}}, read, locality<2>, data : memref<786432xf32>
// APPLIED-NEXT: arith.
// APPLIED: vector.fma
func.func @streamed(%x: tensor<128x1024xf32>, %w: tensor<1024x768xf32>) -> tensor<128x768xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.matmul %x, %w : (tensor<128x1024xf32>, tensor<1024x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}

// -----

// APPLIED-LABEL: tir.prim_func {{.*}}@cached
// APPLIED-NOT: memref.prefetch
func.func @cached(%x: tensor<128x256xf32>, %w: tensor<256x256xf32>) -> tensor<128x256xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.matmul %x, %w : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// -----

// A single row takes as long as reading the weights, which goes faster from
// several places at a time: the reduction in parts, side by side. Nothing is
// prefetched then.
// CHECK-LABEL: @one_row.schedule
// CHECK: transform.tir.split %{{.*}} [4, ?]
// APPLIED-LABEL: tir.prim_func {{.*}}@one_row
// APPLIED-NOT: memref.prefetch
// APPLIED: scf.for
// APPLIED-COUNT-4: memref.load %{{.*}} : memref<2048xf32>
// APPLIED: scf.yield
func.func @one_row(%x: tensor<1x2048xf32>, %w: tensor<1024x2048xf32>) -> tensor<1x1024xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.dense %x, %w : (tensor<1x2048xf32>, tensor<1024x2048xf32>) -> tensor<1x1024xf32>
  return %0 : tensor<1x1024xf32>
}

// -----

// Rows at distances that only the run time knows need a general register each:
// six of them, and more columns.
// CHECK-LABEL: @open_rows.schedule
// CHECK: transform.tir.split %{{.*}} [?, 64]
// CHECK: transform.tir.split %{{.*}} [?, 6]
func.func @open_rows(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?x?xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.matmul %x, %w : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
