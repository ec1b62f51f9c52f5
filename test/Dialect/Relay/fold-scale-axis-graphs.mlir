// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis))' --split-input-file | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis{only-constants}))' --split-input-file | FileCheck %s --check-prefix=CONST
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis{forward=false}))' --split-input-file | FileCheck %s --check-prefix=BACK
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis{backward=false}))' --split-input-file | FileCheck %s --check-prefix=FORTH

// A sum of two convolutions scales both weights. What is no convolution is
// multiplied, if that may be computed at run time.

// CHECK-LABEL: func.func @sum
// CHECK: %[[W:.*]] = relay.multiply %arg1, %{{.*}} : (tensor<2x8x1x1xf32>, tensor<2x1x1x1xf32>)
// CHECK: %[[A:.*]] = relay.nn.conv2d %arg0, %[[W]]
// CHECK: %[[V:.*]] = relay.multiply %arg2, %{{.*}} : (tensor<2x8x1x1xf32>, tensor<2x1x1x1xf32>)
// CHECK: %[[B:.*]] = relay.nn.conv2d %arg0, %[[V]]
// CHECK: %[[S:.*]] = relay.add %[[A]], %[[B]]
// CHECK: %[[R:.*]] = relay.multiply %arg3, %{{.*}} : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>)
// CHECK: %[[T:.*]] = relay.subtract %[[R]], %[[S]]
// CHECK: return %[[T]]
// CONST-LABEL: func.func @sum
// CONST: relay.multiply {{.*}} -> tensor<1x2x5x5xf32>
// FORTH-LABEL: func.func @sum
// FORTH: relay.multiply {{.*}} -> tensor<1x2x5x5xf32>
func.func @sum(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %v: tensor<2x8x1x1xf32>, %r: tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32> {
  %s = relay.constant dense<[[[2.0]], [[-3.0]]]> : tensor<2x1x1xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.nn.conv2d %x, %v : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %2 = relay.add %0, %1 : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.subtract %r, %2 : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %4 = relay.multiply %3, %s : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %4 : tensor<1x2x5x5xf32>
}

// -----

// A sum without a convolution stays; so does one whose convolution others use.

// CHECK-LABEL: func.func @no_source
// CHECK-COUNT-2: relay.multiply {{.*}} -> tensor<1x2x5x5xf32>
func.func @no_source(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %r: tensor<1x2x5x5xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) {
  %s = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.add %r, %r : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.multiply %0, %s : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  %2 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.add %2, %r : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %4 = relay.multiply %3, %s : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  return %1, %2, %4 : tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>
}

// -----

// Several readers take a scale in, and what is added before them is divided.

// CHECK-LABEL: func.func @readers
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x7x7xf32>
// CHECK: %[[D:.*]] = relay.divide %{{.*}}, %{{.*}} : (tensor<2x1x1xf32>, tensor<2x1x1xf32>)
// CHECK: %[[A:.*]] = relay.add %[[X]], %[[D]]
// CHECK: %[[R:.*]] = relay.nn.relu %[[A]]
// CHECK: %[[W:.*]] = relay.multiply %{{.*}} : (tensor<3x2x1x1xf32>, tensor<1x2x1x1xf32>)
// CHECK: relay.nn.conv2d %[[R]], %[[W]]
// CHECK: %[[V:.*]] = relay.multiply %{{.*}} : (tensor<4x2x3x3xf32>, tensor<1x2x1x1xf32>)
// CHECK: relay.nn.conv2d %[[A]], %[[V]]
// CONST-LABEL: func.func @readers
// CONST: relay.divide
// BACK-LABEL: func.func @readers
// BACK: relay.multiply {{.*}} -> tensor<1x2x7x7xf32>
func.func @readers(%x: tensor<1x2x7x7xf32>) -> (tensor<1x3x7x7xf32>, tensor<1x4x5x5xf32>) {
  %s = relay.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %b = relay.constant dense<[[[1.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %w = relay.constant dense<1.5> : tensor<3x2x1x1xf32>
  %v = relay.constant dense<0.5> : tensor<4x2x3x3xf32>
  %0 = relay.multiply %x, %s : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %1 = relay.add %0, %b : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %2 = relay.nn.relu %1 : (tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
  %3 = relay.nn.conv2d %2, %w : (tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32>
  %4 = relay.nn.conv2d %1, %v : (tensor<1x2x7x7xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x5x5xf32>
  return %3, %4 : tensor<1x3x7x7xf32>, tensor<1x4x5x5xf32>
}

// -----

// Not if one reader is something else, a factor is zero where something is
// divided, a quotient is too large, or the tensor grows on the way.

// CHECK-LABEL: func.func @not_readers
// CHECK-COUNT-4: relay.multiply {{.*}} -> tensor<1x2x7x7xf32>
// CHECK-NOT: relay.divide
func.func @not_readers(%x: tensor<1x2x7x7xf32>) -> (tensor<1x3x7x7xf32>, tensor<1x2x7x7xf32>, tensor<1x3x7x7xf32>, tensor<1x3x7x7xf32>, tensor<5x3x7x7xf32>) {
  %s = relay.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %z = relay.constant dense<[[[2.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %small = relay.constant dense<1.0e-20> : tensor<f32>
  %b = relay.constant dense<1.0e+20> : tensor<f32>
  %five = relay.constant dense<1.0> : tensor<5x2x1x1xf32>
  %w = relay.constant dense<1.5> : tensor<3x2x1x1xf32>
  %0 = relay.multiply %x, %s : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %1 = relay.nn.conv2d %0, %w : (tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32>
  %2 = relay.exp %0 : (tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
  %3 = relay.multiply %x, %z : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %4 = relay.add %3, %b : (tensor<1x2x7x7xf32>, tensor<f32>) -> tensor<1x2x7x7xf32>
  %5 = relay.nn.conv2d %4, %w : (tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32>
  %6 = relay.multiply %x, %small : (tensor<1x2x7x7xf32>, tensor<f32>) -> tensor<1x2x7x7xf32>
  %7 = relay.subtract %b, %6 : (tensor<f32>, tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
  %8 = relay.nn.conv2d %7, %w : (tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32>
  %9 = relay.multiply %x, %s : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %10 = relay.add %9, %five : (tensor<1x2x7x7xf32>, tensor<5x2x1x1xf32>) -> tensor<5x2x7x7xf32>
  %11 = relay.nn.conv2d %10, %w : (tensor<5x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<5x3x7x7xf32>
  return %1, %2, %5, %8, %11 : tensor<1x3x7x7xf32>, tensor<1x2x7x7xf32>, tensor<1x3x7x7xf32>, tensor<1x3x7x7xf32>, tensor<5x3x7x7xf32>
}

// -----

// Both operands of a sum are scaled already.

// CHECK-LABEL: func.func @twice
// CHECK-NOT: relay.divide
// CHECK: relay.add %arg0, %arg0
// CHECK-NOT: relay.divide
func.func @twice(%x: tensor<5x2xf32>, %w: tensor<3x2xf32>) -> tensor<5x3xf32> {
  %s = relay.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %0 = relay.multiply %x, %s : (tensor<5x2xf32>, tensor<2xf32>) -> tensor<5x2xf32>
  %1 = relay.add %0, %0 : (tensor<5x2xf32>, tensor<5x2xf32>) -> tensor<5x2xf32>
  %2 = relay.nn.dense %1, %w : (tensor<5x2xf32>, tensor<3x2xf32>) -> tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}

// -----

// Blocked layouts: both parts of the channels, or one factor for all.

// CHECK-LABEL: func.func @blocked
// CHECK: %[[S:.*]] = relay.reshape %arg2 {newshape = [1, 2, 1, 1, 4, 1]} : (tensor<1x2x1x1x4xf32>)
// CHECK: %[[W:.*]] = relay.multiply %arg1, %[[S]] : (tensor<3x2x1x1x4x2xf32>, tensor<1x2x1x1x4x1xf32>)
// CHECK: %[[T:.*]] = relay.reshape %arg3 {newshape = [3, 1, 1, 1, 1, 2]} : (tensor<3x1x1x2xf32>)
// CHECK: %[[V:.*]] = relay.multiply %[[W]], %[[T]] : (tensor<3x2x1x1x4x2xf32>, tensor<3x1x1x1x1x2xf32>)
// CHECK: %[[C:.*]] = relay.nn.conv2d %arg0, %[[V]]
// CHECK: %[[M:.*]] = relay.multiply %[[C]], %arg4
// CHECK: return %[[M]]
func.func @blocked(%x: tensor<1x2x7x7x4xf32>, %w: tensor<3x2x1x1x4x2xf32>, %s: tensor<1x2x1x1x4xf32>, %t: tensor<3x1x1x2xf32>, %u: tensor<2xf32>) -> tensor<1x3x7x7x2xf32> {
  %0 = relay.multiply %x, %s : (tensor<1x2x7x7x4xf32>, tensor<1x2x1x1x4xf32>) -> tensor<1x2x7x7x4xf32>
  %1 = relay.nn.conv2d %0, %w {data_layout = "NCHW4c", kernel_layout = "OIHW4i2o", out_layout = "NCHW2c"} : (tensor<1x2x7x7x4xf32>, tensor<3x2x1x1x4x2xf32>) -> tensor<1x3x7x7x2xf32>
  %2 = relay.multiply %1, %t : (tensor<1x3x7x7x2xf32>, tensor<3x1x1x2xf32>) -> tensor<1x3x7x7x2xf32>
  %3 = relay.multiply %2, %u : (tensor<1x3x7x7x2xf32>, tensor<2xf32>) -> tensor<1x3x7x7x2xf32>
  return %3 : tensor<1x3x7x7x2xf32>
}

// -----

// Not across the border of a branch, or of a function for another compiler.

// CHECK-LABEL: func.func @branch
// CHECK: relay.multiply {{.*}} -> tensor<1x2x5x5xf32>
// CHECK-LABEL: func.func private @external
// CHECK: relay.multiply {{.*}} -> tensor<5x3xf32>
func.func @branch(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %c: tensor<i1>) -> tensor<1x2x5x5xf32> {
  %s = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %f = relay.fn (%p: tensor<f32>) -> tensor<1x2x5x5xf32> {
    %2 = relay.multiply %0, %p : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
    relay.yield %2 : tensor<1x2x5x5xf32>
  }
  %1 = relay.call_indirect %f(%s) : (tensor<f32>) -> tensor<1x2x5x5xf32>
  return %1 : tensor<1x2x5x5xf32>
}
func.func private @external(%x: tensor<5x2xf32>, %w: tensor<3x2xf32>) -> tensor<5x3xf32> attributes {relay.compiler = "mine"} {
  %s = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.dense %x, %w : (tensor<5x2xf32>, tensor<3x2xf32>) -> tensor<5x3xf32>
  %1 = relay.multiply %0, %s : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}
