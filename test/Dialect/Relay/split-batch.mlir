// RUN: relay-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(relay-split-batch{samples=1}))' | FileCheck %s

// A residual block: what is used twice is put together once.
// CHECK-LABEL: func @block
// CHECK-SAME: %[[X:.*]]: tensor<2x8x8x4xf32>
func.func @block(%x: tensor<2x8x8x4xf32>) -> tensor<2x256xf32> {
  %w = relay.constant dense<1.0> : tensor<4x4x1x1xf32>
  %b = relay.constant dense<2.0> : tensor<4xf32>
  // CHECK: %[[X0:.*]] = relay.strided_slice %[[X]] {axes = [0], begin = [0], end = [1], strides = [1]} : (tensor<2x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  // CHECK: %[[C0:.*]] = relay.nn.conv2d %[[X0]], %[[W:.*]] {{.*}} -> tensor<1x8x8x4xf32>
  // CHECK: %[[A0:.*]] = relay.add %[[C0]], %[[B:.*]] : (tensor<1x8x8x4xf32>, tensor<4xf32>)
  // CHECK: %[[R0:.*]] = relay.clip %[[A0]]
  // CHECK: %[[S0:.*]] = relay.add %[[R0]], %[[X0]]
  // CHECK: %[[X1:.*]] = relay.strided_slice %[[X]] {axes = [0], begin = [1], end = [2], strides = [1]}
  // CHECK: %[[C1:.*]] = relay.nn.conv2d %[[X1]], %[[W]]
  // CHECK: %[[S1:.*]] = relay.add %{{.*}}, %[[X1]]
  // CHECK: %[[S:.*]] = relay.concatenate %[[S0]], %[[S1]] : (tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  // CHECK-NOT: relay.concatenate
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", kernel_size = [1, 1]} : (tensor<2x8x8x4xf32>, tensor<4x4x1x1xf32>) -> tensor<2x8x8x4xf32>
  %1 = relay.add %0, %b : (tensor<2x8x8x4xf32>, tensor<4xf32>) -> tensor<2x8x8x4xf32>
  %2 = relay.clip %1 {a_min = 0.0, a_max = 6.0} : (tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  %3 = relay.add %2, %x : (tensor<2x8x8x4xf32>, tensor<2x8x8x4xf32>) -> tensor<2x8x8x4xf32>
  // Sizes are written out: of the whole batch.
  // CHECK: relay.reshape %[[S]]
  %4 = relay.reshape %3 {newshape = [2, 256]} : (tensor<2x8x8x4xf32>) -> tensor<2x256xf32>
  return %4 : tensor<2x256xf32>
}

// -----

// Channels are put together for each sample.
// CHECK-LABEL: func @channels
func.func @channels(%x: tensor<2x3x4x4xf32>, %y: tensor<2x1x4x4xf32>) -> tensor<2x4x2x2xf32> {
  // CHECK-COUNT-2: relay.strided_slice
  // CHECK: relay.concatenate {{.*}} {axis = 1} : (tensor<1x3x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: relay.nn.max_pool2d {{.*}} -> tensor<1x4x2x2xf32>
  // CHECK: relay.concatenate {{.*}} : (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) -> tensor<2x4x2x2xf32>
  %0 = relay.concatenate %x, %y {axis = 1} : (tensor<2x3x4x4xf32>, tensor<2x1x4x4xf32>) -> tensor<2x4x4x4xf32>
  %1 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<2x4x4x4xf32>) -> tensor<2x4x2x2xf32>
  return %1 : tensor<2x4x2x2xf32>
}

// -----

// Other orders of the dimensions of a sample.
// CHECK-LABEL: func @orders
func.func @orders(%x: tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32> {
  // CHECK: relay.transpose {{.*}} : (tensor<1x3x4x4xf32>) -> tensor<1x4x4x3xf32>
  // CHECK: relay.layout_transform {{.*}} : (tensor<1x2x2x3xf32>) -> tensor<1x3x2x2xf32>
  // CHECK: relay.concatenate
  %0 = relay.transpose %x {axes = [0, 2, 3, 1]} : (tensor<2x3x4x4xf32>) -> tensor<2x4x4x3xf32>
  %1 = relay.nn.max_pool2d %0 {layout = "NHWC", pool_size = [2, 2], strides = [2, 2]} : (tensor<2x4x4x3xf32>) -> tensor<2x2x2x3xf32>
  %2 = relay.layout_transform %1 {src_layout = "NHWC", dst_layout = "NCHW"} : (tensor<2x2x2x3xf32>) -> tensor<2x3x2x2xf32>
  return %2 : tensor<2x3x2x2xf32>
}

// -----

// The second operand has a sample of its own for each, which is no part of it;
// a weight that has as many channels as there are samples is one.
// CHECK-LABEL: func @whole
// CHECK-SAME: %{{.*}}: tensor<2x2x4x4xf32>, %[[W:.*]]: tensor<2x2x1x1xf32>
func.func @whole(%x: tensor<2x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<2x2x4x4xf32> {
  %c = relay.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  // CHECK: relay.nn.conv2d %{{.*}}, %[[W]] {{.*}} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  // CHECK: %[[WHOLE:.*]] = relay.concatenate
  // CHECK: relay.multiply %[[WHOLE]], %{{.*}} : (tensor<2x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<2x2x4x4xf32>
  %0 = relay.nn.conv2d %x, %w {kernel_size = [1, 1]} : (tensor<2x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<2x2x4x4xf32>
  %1 = relay.multiply %0, %c : (tensor<2x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<2x2x4x4xf32>
  return %1 : tensor<2x2x4x4xf32>
}

// -----

// Branches use the whole batch.
// CHECK-LABEL: func @branches
func.func @branches(%x: tensor<2x3x8x8xf32>, %c: tensor<i1>) -> tensor<2x3x2x2xf32> {
  // CHECK: %[[WHOLE:.*]] = relay.concatenate
  // CHECK-NEXT: relay.if
  // CHECK: relay.nn.relu %[[WHOLE]]
  // CHECK: relay.nn.max_pool2d {{.*}} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  %1 = relay.if %c : tensor<i1> -> tensor<2x3x4x4xf32> {
    %3 = relay.nn.relu %0 : (tensor<2x3x4x4xf32>) -> tensor<2x3x4x4xf32>
    relay.yield %3 : tensor<2x3x4x4xf32>
  } else {
    relay.yield %0 : tensor<2x3x4x4xf32>
  }
  %2 = relay.nn.max_pool2d %0 {pool_size = [2, 2], strides = [2, 2]} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
  return %2 : tensor<2x3x2x2xf32>
}

// -----

// What reads other samples, what has no known sizes, one sample, and another
// order of dimensions.
// CHECK-LABEL: func @regions
// CHECK-NOT: strided_slice
func.func @regions(%x: tensor<2x3x8x8xf32>, %rois: tensor<2x5xf32>) -> tensor<2x3x2x2xf32> {
  %0 = relay.vision.roi_align %x, %rois {pooled_size = [2, 2], spatial_scale = 1.0, sample_ratio = 2} : (tensor<2x3x8x8xf32>, tensor<2x5xf32>) -> tensor<2x3x2x2xf32>
  return %0 : tensor<2x3x2x2xf32>
}

// CHECK-LABEL: func @open
// CHECK-NOT: strided_slice
func.func @open(%x: tensor<?x3x4x4xf32>) -> tensor<?x3x2x2xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<?x3x4x4xf32>) -> tensor<?x3x2x2xf32>
  return %0 : tensor<?x3x2x2xf32>
}

// The second operand of the product may have samples, or one for all.
// CHECK-LABEL: func @open_operand
// CHECK: %[[WHOLE:.*]] = relay.concatenate
// CHECK: relay.multiply %[[WHOLE]]
func.func @open_operand(%x: tensor<2x3x4x4xf32>, %y: tensor<?x1x1x1xf32>) -> tensor<2x3x2x2xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<2x3x4x4xf32>) -> tensor<2x3x2x2xf32>
  %1 = relay.multiply %0, %y : (tensor<2x3x2x2xf32>, tensor<?x1x1x1xf32>) -> tensor<2x3x2x2xf32>
  return %1 : tensor<2x3x2x2xf32>
}

// CHECK-LABEL: func @single
// CHECK-NOT: strided_slice
func.func @single(%x: tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32> {
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], strides = [2, 2]} : (tensor<1x3x4x4xf32>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}

// CHECK-LABEL: func @last
// CHECK-NOT: strided_slice
func.func @last(%x: tensor<2x4x4x3xf32>) -> tensor<2x2x2x3xf32> {
  %0 = relay.nn.max_pool2d %x {layout = "CHWN", pool_size = [2, 2], strides = [2, 2]} : (tensor<2x4x4x3xf32>) -> tensor<2x2x2x3xf32>
  return %0 : tensor<2x2x2x3xf32>
}
