// RUN: relay-opt %s --split-input-file --convert-relay-to-linalg --convert-linalg-to-tir --relay-attach-target=target=x86-64-v3 --tir-schedule-rules --tir-apply-schedules | FileCheck %s

// No padded copy: the first and the last columns of the image have tiles of
// their own, which leave out what is outside; rows outside are left out by the
// bounds of the loop. Weights are packed with the channels last; four columns of
// two vectors each follow one another as they lie in memory.
// CHECK-LABEL: tir.prim_func {{.*}}@depthwise
// CHECK-SAME: memref<1x3x3x32xf32>
// CHECK: kind(parallel)
// CHECK: tir.alloc_buffer() scope("local") : memref<{{.*}}4x16xf32>
// CHECK: arith.cmpi eq
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.fma
// CHECK-NOT: vector.maskedload
// CHECK: tir.block @relu
func.func @depthwise(%x: tensor<1x28x28x32xf32>, %w: tensor<32x1x3x3xf32>, %b: tensor<32xf32>) -> tensor<1x28x28x32xf32>
    attributes {relay.primitive, tir.layout_free = [1]} {
  %0 = relay.nn.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, groups = 32, data_layout = "NHWC", kernel_layout = "OIHW"} : (tensor<1x28x28x32xf32>, tensor<32x1x3x3xf32>) -> tensor<1x28x28x32xf32>
  %1 = relay.add %0, %b : (tensor<1x28x28x32xf32>, tensor<32xf32>) -> tensor<1x28x28x32xf32>
  %2 = relay.nn.relu %1 : (tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  return %2 : tensor<1x28x28x32xf32>
}

// -----

// CHECK-LABEL: tir.prim_func {{.*}}@pool
// CHECK-NOT: tir.alloc_buffer
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK-NOT: kind(vectorized)
func.func @pool(%x: tensor<1x57x57x64xf32>) -> tensor<1x29x29x64xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [1, 1, 1, 1], layout = "NHWC"} : (tensor<1x57x57x64xf32>) -> tensor<1x29x29x64xf32>
  return %0 : tensor<1x29x29x64xf32>
}

// -----

// Channels first: lanes are neighbours in a row. Rows of a window are combined
// before every other element is picked out; one comparison tells whether two
// vectors have a NaN, in which case the tile is computed again. Neither a padded
// copy nor masks.
// CHECK-LABEL: tir.prim_func {{.*}}@pool_rows
// CHECK-NOT: tir.alloc_buffer
// CHECK-NOT: vector.maskedload
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf uno
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14]
// CHECK: vector.reduction <or>
// CHECK: scf.if
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK-NOT: kind(vectorized)
func.func @pool_rows(%x: tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.max_pool2d %x {pool_size = [3, 3], strides = [2, 2], padding = [1, 1, 1, 1]} : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}

// -----

// How many elements a window has is in a table for each axis; the mean is taken
// in registers.
// CHECK-LABEL: tir.prim_func {{.*}}@average_rows
// CHECK: tir.block @avg_pool2d_count0
// CHECK: tir.block @avg_pool2d_count1
// CHECK: tir.block @pool_sum
// CHECK-NOT: vector.maskedload
// CHECK: tir.block @avg_pool2d(
// CHECK: arith.divf {{.*}} : vector<8xf32>
func.func @average_rows(%x: tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    attributes {relay.primitive} {
  %0 = relay.nn.avg_pool2d %x {pool_size = [3, 3], padding = [1, 1, 1, 1]} : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
  return %0 : tensor<1x64x56x56xf32>
}
