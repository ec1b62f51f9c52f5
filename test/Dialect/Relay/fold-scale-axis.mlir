// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis))' --split-input-file | FileCheck %s
// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-fold-scale-axis{only-constants}))' --split-input-file | FileCheck %s --check-prefix=CONST

// A scale after a convolution goes into the outputs of its weight, and into the
// terms between the two.

// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[X:.*]]: tensor<1x8x7x7xf32>, %[[W:.*]]: tensor<2x8x3x3xf32>)
// CHECK-DAG: %[[S:.*]] = relay.constant dense<{{.*}}2.000000e+00{{.*}}3.000000e+00{{.*}}> : tensor<2x1x1xf32>
// CHECK-DAG: %[[B:.*]] = relay.constant dense<[1.000000e+00, -1.000000e+00]>
// CHECK-DAG: %[[C:.*]] = relay.constant dense<5.000000e-01>
// CHECK: %[[S4:.*]] = relay.reshape %[[S]] {newshape = [2, 1, 1, 1]}
// CHECK: %[[SW:.*]] = relay.multiply %[[W]], %[[S4]]
// CHECK: %[[Y:.*]] = relay.nn.conv2d %[[X]], %[[SW]]
// CHECK: %[[S1:.*]] = relay.reshape %[[S]] {newshape = [2]}
// CHECK: %[[SB:.*]] = relay.multiply %[[B]], %[[S1]]
// CHECK: %[[Y1:.*]] = relay.nn.bias_add %[[Y]], %[[SB]]
// CHECK: %[[SC:.*]] = relay.multiply %[[C]], %[[S]] : (tensor<f32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
// CHECK: %[[Y2:.*]] = relay.subtract %[[SC]], %[[Y1]]
// CHECK: %[[Y3:.*]] = relay.nn.relu %[[Y2]]
// CHECK: return %[[Y3]]
// CONST-LABEL: func.func @backward
// CONST-NOT: relay.reshape
func.func @backward(%x: tensor<1x8x7x7xf32>, %w: tensor<2x8x3x3xf32>) -> tensor<1x2x5x5xf32> {
  %b = relay.constant dense<[1.0, -1.0]> : tensor<2xf32>
  %c = relay.constant dense<0.5> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x7x7xf32>, tensor<2x8x3x3xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.nn.bias_add %0, %b : (tensor<1x2x5x5xf32>, tensor<2xf32>) -> tensor<1x2x5x5xf32>
  %2 = relay.subtract %c, %1 : (tensor<f32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.nn.relu %2 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %s = relay.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %4 = relay.multiply %3, %s : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %4 : tensor<1x2x5x5xf32>
}

// -----

// Channels last, groups, another order of the kernel, and a factor for all.

// CHECK-LABEL: func.func @layouts
// CHECK: relay.reshape %{{.*}} {newshape = [1, 1, 1, 4]}
// CHECK: relay.nn.conv2d
// CHECK: relay.reshape %{{.*}} {newshape = [1, 1, 1, 1]} : (tensor<f32>)
// CHECK: relay.nn.conv2d
// CHECK-NOT: relay.multiply
// CONST-LABEL: func.func @layouts
// CONST-COUNT-2: relay.multiply {{.*}} -> tensor<1x1x{{.*}}>
// CONST-NOT: relay.multiply
func.func @layouts(%x: tensor<?x7x7x8xf32>) -> tensor<?x7x7x2xf32> {
  %w = relay.constant dense<1.5> : tensor<1x1x2x4xf32>
  %v = relay.constant dense<1.5> : tensor<1x1x4x2xf32>
  %s = relay.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %t = relay.constant dense<-2.0> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO", groups = 4} : (tensor<?x7x7x8xf32>, tensor<1x1x2x4xf32>) -> tensor<?x7x7x4xf32>
  %1 = relay.multiply %s, %0 : (tensor<4xf32>, tensor<?x7x7x4xf32>) -> tensor<?x7x7x4xf32>
  %2 = relay.nn.conv2d %1, %v {data_layout = "NHWC", kernel_layout = "HWIO"} : (tensor<?x7x7x4xf32>, tensor<1x1x4x2xf32>) -> tensor<?x7x7x2xf32>
  %3 = relay.multiply %2, %t : (tensor<?x7x7x2xf32>, tensor<f32>) -> tensor<?x7x7x2xf32>
  return %3 : tensor<?x7x7x2xf32>
}

// -----

// A scale before a convolution or a dense goes into the inputs of the weight,
// or of a depthwise one its channels; factors above zero pass a relu.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x7x7xf32>
// CHECK: %[[Y:.*]] = relay.nn.relu %[[X]]
// CHECK: %[[S:.*]] = relay.reshape %{{.*}} {newshape = [1, 2, 1, 1]}
// CHECK: %[[W:.*]] = relay.multiply %{{.*}}, %[[S]]
// CHECK: relay.nn.conv2d %[[Y]], %[[W]]
// CONST-LABEL: func.func @forward
// CONST: %[[Y:.*]] = relay.nn.relu %{{.*}} :
// CONST: relay.reshape
func.func @forward(%x: tensor<1x2x7x7xf32>) -> tensor<1x3x7x7xf32> {
  %s = relay.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %w = relay.constant dense<1.5> : tensor<3x2x1x1xf32>
  %0 = relay.multiply %x, %s : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %1 = relay.nn.relu %0 : (tensor<1x2x7x7xf32>) -> tensor<1x2x7x7xf32>
  %2 = relay.nn.conv2d %1, %w : (tensor<1x2x7x7xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x7x7xf32>
  return %2 : tensor<1x3x7x7xf32>
}

// CHECK-LABEL: func.func @forward_others
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x7x7xf32>, %[[D:.*]]: tensor<5x3xf32>
// CHECK: relay.reshape %{{.*}} {newshape = [2, 1, 1, 1]}
// CHECK: relay.nn.conv2d %[[X]],
// CHECK: relay.reshape %{{.*}} {newshape = [1, 3]}
// CHECK: relay.nn.dense %[[D]],
func.func @forward_others(%x: tensor<1x2x7x7xf32>, %d: tensor<5x3xf32>, %w: tensor<2x1x3x3xf32>, %v: tensor<4x3xf32>, %s: tensor<2x1x1xf32>, %t: tensor<3xf32>) -> (tensor<1x2x5x5xf32>, tensor<5x4xf32>) {
  %0 = relay.multiply %x, %s : (tensor<1x2x7x7xf32>, tensor<2x1x1xf32>) -> tensor<1x2x7x7xf32>
  %1 = relay.nn.conv2d %0, %w {groups = 2} : (tensor<1x2x7x7xf32>, tensor<2x1x3x3xf32>) -> tensor<1x2x5x5xf32>
  %2 = relay.multiply %d, %t : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  %3 = relay.nn.dense %2, %v : (tensor<5x3xf32>, tensor<4x3xf32>) -> tensor<5x4xf32>
  return %1, %3 : tensor<1x2x5x5xf32>, tensor<5x4xf32>
}

// -----

// Not: a second user; a relu and a factor that is negative, zero, NaN or not
// known; a factor per row; weights that overflow or underflow; factors that are
// computed from the result. A term that is not constant is multiplied.

// CHECK-LABEL: func.func @users
// CHECK: relay.multiply %{{.*}} : (tensor<1x2x5x5xf32>, tensor<f32>)
func.func @users(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) {
  %s = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.multiply %0, %s : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  return %0, %1 : tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func.func @relu_sign
// CHECK-COUNT-4: relay.multiply %{{.*}} : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>)
func.func @relu_sign(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %u: tensor<2x1x1xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) {
  %s = relay.constant dense<[[[2.0]], [[-1.0]]]> : tensor<2x1x1xf32>
  %t = relay.constant dense<[[[2.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %n = relay.constant dense<[[[2.0]], [[0x7FC00000]]]> : tensor<2x1x1xf32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.nn.relu %0 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %2 = relay.multiply %1, %s : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %4 = relay.nn.relu %3 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %5 = relay.multiply %4, %t : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  %6 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %7 = relay.nn.relu %6 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %8 = relay.multiply %7, %n : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  %9 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %10 = relay.nn.relu %9 : (tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %11 = relay.multiply %10, %u : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %2, %5, %8, %11 : tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func.func @other_terms
// CHECK: relay.multiply %{{.*}} : (tensor<1x2x5x5xf32>, tensor<5xf32>)
// CHECK: relay.multiply %arg2, %{{.*}} : (tensor<1x2x5x5xf32>, tensor<f32>)
// CHECK: relay.multiply %{{.*}} : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>)
func.func @other_terms(%x: tensor<1x8x5x5xf32>, %w: tensor<2x8x1x1xf32>, %r: tensor<1x2x5x5xf32>) -> (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) {
  %s = relay.constant dense<2.0> : tensor<5xf32>
  %t = relay.constant dense<2.0> : tensor<f32>
  %0 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %1 = relay.multiply %0, %s : (tensor<1x2x5x5xf32>, tensor<5xf32>) -> tensor<1x2x5x5xf32>
  %2 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %3 = relay.add %2, %r : (tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>) -> tensor<1x2x5x5xf32>
  %4 = relay.multiply %3, %t : (tensor<1x2x5x5xf32>, tensor<f32>) -> tensor<1x2x5x5xf32>
  %5 = relay.nn.conv2d %x, %w : (tensor<1x8x5x5xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x5x5xf32>
  %m = relay.max %1 {axis = [0, 2, 3], keepdims = true} : (tensor<1x2x5x5xf32>) -> tensor<1x2x1x1xf32>
  %u = relay.reshape %m {newshape = [2, 1, 1]} : (tensor<1x2x1x1xf32>) -> tensor<2x1x1xf32>
  %6 = relay.multiply %5, %u : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %1, %4, %6 : tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>, tensor<1x2x5x5xf32>
}

// CHECK-LABEL: func.func @range
// CHECK-COUNT-3: relay.multiply %{{.*}} : (tensor<5x2xf32>, tensor<f32>)
// CHECK: relay.multiply %{{.*}} : (tensor<2x2xf32>
// CHECK-NOT: tensor<5x2xf32>, tensor<f32>
func.func @range(%x: tensor<5x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>) {
  %w = relay.constant dense<[[1.0, 2.0], [1.0e-20, 3.0e-20]]> : tensor<2x2xf32>
  %v = relay.constant dense<[[1.0, 2.0e-20], [0.0, 0.0]]> : tensor<2x2xf32>
  %small = relay.constant dense<1.0e-20> : tensor<f32>
  %large = relay.constant dense<2.0e+38> : tensor<f32>
  %nan = relay.constant dense<0x7FC00000> : tensor<f32>
  %0 = relay.nn.dense %x, %w : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  %1 = relay.multiply %0, %small : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %2 = relay.nn.dense %x, %w : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  %3 = relay.multiply %2, %large : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %4 = relay.nn.dense %x, %w : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  %5 = relay.multiply %4, %nan : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  %6 = relay.nn.dense %x, %v : (tensor<5x2xf32>, tensor<2x2xf32>) -> tensor<5x2xf32>
  %7 = relay.multiply %6, %small : (tensor<5x2xf32>, tensor<f32>) -> tensor<5x2xf32>
  return %1, %3, %5, %7 : tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>, tensor<5x2xf32>
}

// -----

// Of a transposed convolution, outputs are the second dimension of the weight.

// CHECK-LABEL: func.func @transposed
// CHECK: relay.reshape %{{.*}} {newshape = [1, 2, 1, 1]}
// CHECK: relay.nn.conv2d_transpose
// CHECK-NOT: relay.multiply
// CHECK: return
// CONST-LABEL: func.func @transposed
// CONST: relay.multiply {{.*}} -> tensor<8x2x3x3xf32>
// CONST-NOT: relay.multiply
// CONST: return
func.func @transposed(%x: tensor<1x8x7x7xf32>) -> tensor<1x2x15x15xf32> {
  %w = relay.constant dense<1.5> : tensor<8x2x3x3xf32>
  %s = relay.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = relay.nn.conv2d_transpose %x, %w {strides = [2, 2]} : (tensor<1x8x7x7xf32>, tensor<8x2x3x3xf32>) -> tensor<1x2x15x15xf32>
  %1 = relay.multiply %0, %s : (tensor<1x2x15x15xf32>, tensor<2x1x1xf32>) -> tensor<1x2x15x15xf32>
  return %1 : tensor<1x2x15x15xf32>
}

// -----

// A constant in another shape is constant: it is known that relu lets it pass,
// and that a term can be divided by it.

// CHECK-LABEL: func.func @expanded
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x4x4xf32>, %[[W:.*]]: tensor<3x2x1x1xf32>, %[[B:.*]]: tensor<2x1x1xf32>)
// CHECK: %[[S:.*]] = relay.expand_dims
// CHECK-NOT: relay.multiply %[[X]]
// CHECK: relay.divide %[[B]], %[[S]]
// CHECK: %[[SW:.*]] = relay.multiply %[[W]], %
// CHECK: relay.nn.conv2d %{{.*}}, %[[SW]]
func.func @expanded(%x: tensor<1x2x4x4xf32>, %w: tensor<3x2x1x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<1x3x4x4xf32> {
  %c = relay.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %s = relay.expand_dims %c {axis = 1, num_newaxis = 2} : (tensor<2xf32>) -> tensor<2x1x1xf32>
  %0 = relay.multiply %x, %s : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = relay.nn.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = relay.add %1, %b : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = relay.nn.conv2d %2, %w : (tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32>) -> tensor<1x3x4x4xf32>
  return %3 : tensor<1x3x4x4xf32>
}
