// RUN: relay-opt %s --relay-fuse-ops --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-fuse-ops=rows=false --split-input-file | FileCheck %s --check-prefix=OFF

// Attention is one kernel: from the reshapes of queries, keys and values to the
// order of the result. What masks the scores stays outside.

// CHECK-LABEL: func.func private @fused_reshape_transpose
// CHECK-COUNT-2: relay.nn.batch_matmul
// CHECK: func.func private @fused_cast_subtract
// CHECK-LABEL: func.func @attention
// CHECK: %[[M:.*]] = relay.call @fused_cast_subtract
// CHECK: %[[R:.*]] = relay.call @fused_reshape_transpose{{.*}}(%arg0, %arg1, %arg2, %[[M]])
// CHECK-NEXT: return %[[R]]
// OFF-NOT: nn_batch_matmul_{{.*}}softmax
func.func @attention(%q: tensor<2x7x8xf32>, %k: tensor<2x9x8xf32>, %v: tensor<2x9x8xf32>, %m: tensor<2x1x1x9xi1>) -> tensor<2x7x8xf32> {
  %one = relay.constant dense<1.0> : tensor<f32>
  %scale = relay.constant dense<0.5> : tensor<f32>
  %mask = relay.cast %m {dtype = f32} : (tensor<2x1x1x9xi1>) -> tensor<2x1x1x9xf32>
  %bias = relay.subtract %mask, %one : (tensor<2x1x1x9xf32>, tensor<f32>) -> tensor<2x1x1x9xf32>
  %q0 = relay.reshape %q {newshape = [2, 7, 2, 4]} : (tensor<2x7x8xf32>) -> tensor<2x7x2x4xf32>
  %q1 = relay.transpose %q0 {axes = [0, 2, 1, 3]} : (tensor<2x7x2x4xf32>) -> tensor<2x2x7x4xf32>
  %q2 = relay.reshape %q1 {newshape = [4, 7, 4]} : (tensor<2x2x7x4xf32>) -> tensor<4x7x4xf32>
  %k0 = relay.reshape %k {newshape = [2, 9, 2, 4]} : (tensor<2x9x8xf32>) -> tensor<2x9x2x4xf32>
  %k1 = relay.transpose %k0 {axes = [0, 2, 3, 1]} : (tensor<2x9x2x4xf32>) -> tensor<2x2x4x9xf32>
  %k2 = relay.reshape %k1 {newshape = [4, 4, 9]} : (tensor<2x2x4x9xf32>) -> tensor<4x4x9xf32>
  %v0 = relay.reshape %v {newshape = [2, 9, 2, 4]} : (tensor<2x9x8xf32>) -> tensor<2x9x2x4xf32>
  %v1 = relay.transpose %v0 {axes = [0, 2, 1, 3]} : (tensor<2x9x2x4xf32>) -> tensor<2x2x9x4xf32>
  %v2 = relay.reshape %v1 {newshape = [4, 9, 4]} : (tensor<2x2x9x4xf32>) -> tensor<4x9x4xf32>
  %s0 = relay.nn.batch_matmul %q2, %k2 : (tensor<4x7x4xf32>, tensor<4x4x9xf32>) -> tensor<4x7x9xf32>
  %s1 = relay.reshape %s0 {newshape = [2, 2, 7, 9]} : (tensor<4x7x9xf32>) -> tensor<2x2x7x9xf32>
  %s2 = relay.multiply %s1, %scale : (tensor<2x2x7x9xf32>, tensor<f32>) -> tensor<2x2x7x9xf32>
  %s3 = relay.add %bias, %s2 : (tensor<2x1x1x9xf32>, tensor<2x2x7x9xf32>) -> tensor<2x2x7x9xf32>
  %p0 = relay.nn.softmax %s3 : (tensor<2x2x7x9xf32>) -> tensor<2x2x7x9xf32>
  %p1 = relay.reshape %p0 {newshape = [4, 7, 9]} : (tensor<2x2x7x9xf32>) -> tensor<4x7x9xf32>
  %o0 = relay.nn.batch_matmul %p1, %v2 : (tensor<4x7x9xf32>, tensor<4x9x4xf32>) -> tensor<4x7x4xf32>
  %o1 = relay.reshape %o0 {newshape = [2, 2, 7, 4]} : (tensor<4x7x4xf32>) -> tensor<2x2x7x4xf32>
  %o2 = relay.transpose %o1 {axes = [0, 2, 1, 3]} : (tensor<2x2x7x4xf32>) -> tensor<2x7x2x4xf32>
  %o3 = relay.reshape %o2 {newshape = [2, 7, 8]} : (tensor<2x7x2x4xf32>) -> tensor<2x7x8xf32>
  return %o3 : tensor<2x7x8xf32>
}

// -----

// Not if somebody else reads the weights, or the softmax is along another axis.

// CHECK-LABEL: func.func @weights_are_a_result
// CHECK-COUNT-3: relay.call
func.func @weights_are_a_result(%q: tensor<2x7x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>) -> (tensor<2x7x9xf32>, tensor<2x7x4xf32>) {
  %s = relay.nn.batch_matmul %q, %k {transpose_b = true} : (tensor<2x7x4xf32>, tensor<2x9x4xf32>) -> tensor<2x7x9xf32>
  %p = relay.nn.softmax %s : (tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = relay.nn.batch_matmul %p, %v : (tensor<2x7x9xf32>, tensor<2x9x4xf32>) -> tensor<2x7x4xf32>
  return %p, %o : tensor<2x7x9xf32>, tensor<2x7x4xf32>
}

// CHECK-LABEL: func.func @other_axis
// CHECK-COUNT-3: relay.call
func.func @other_axis(%q: tensor<2x7x4xf32>, %k: tensor<2x9x4xf32>, %v: tensor<2x9x4xf32>) -> tensor<2x7x4xf32> {
  %s = relay.nn.batch_matmul %q, %k {transpose_b = true} : (tensor<2x7x4xf32>, tensor<2x9x4xf32>) -> tensor<2x7x9xf32>
  %p = relay.nn.softmax %s {axis = 1} : (tensor<2x7x9xf32>) -> tensor<2x7x9xf32>
  %o = relay.nn.batch_matmul %p, %v : (tensor<2x7x9xf32>, tensor<2x9x4xf32>) -> tensor<2x7x4xf32>
  return %o : tensor<2x7x4xf32>
}

// -----

// A normalisation that is spelled out is one kernel; the sum before it, which
// is a result as well, belongs to the product.

// CHECK-LABEL: func.func @layer_norm
// CHECK: %[[S:.*]] = relay.call @fused_nn_dense_add(
// CHECK-NEXT: %[[N:.*]] = relay.call @fused_mean_subtract_multiply_mean_add_sqrt_divide_multiply_add(%[[S]], %{{.*}}, %{{.*}})
// CHECK-NEXT: return %[[S]], %[[N]]
// OFF-LABEL: func.func @layer_norm
// OFF: @fused_mean(
func.func @layer_norm(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %e = relay.constant dense<1.0e-5> : tensor<f32>
  %y = relay.nn.dense %x, %w : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %r = relay.add %y, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %0 = relay.mean %r {axis = [-1], keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %1 = relay.subtract %r, %0 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %2 = relay.multiply %1, %1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %3 = relay.mean %2 {axis = [1], keepdims = true} : (tensor<?x8xf32>) -> tensor<?x1xf32>
  %4 = relay.add %3, %e : (tensor<?x1xf32>, tensor<f32>) -> tensor<?x1xf32>
  %5 = relay.sqrt %4 : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %6 = relay.divide %1, %5 : (tensor<?x8xf32>, tensor<?x1xf32>) -> tensor<?x8xf32>
  %7 = relay.multiply %6, %g : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %8 = relay.add %7, %b : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  return %r, %8 : tensor<?x8xf32>, tensor<?x8xf32>
}

// Squares that only the reduction reads come along.

// CHECK-LABEL: func.func @root_mean_square
// CHECK: relay.call @fused_multiply_mean_rsqrt_multiply(
// CHECK-NEXT: return
func.func @root_mean_square(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.multiply %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = relay.mean %0 {axis = [-1], keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %2 = relay.rsqrt %1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = relay.multiply %x, %2 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// Not if what is in between is a result, another axis is reduced, or rows are
// not computed again.

// CHECK-LABEL: func.func @mean_is_a_result
// CHECK: relay.call @fused_mean(
// CHECK: relay.call @fused_subtract(
func.func @mean_is_a_result(%x: tensor<4x8xf32>) -> (tensor<4x1xf32>, tensor<4x8xf32>) {
  %0 = relay.mean %x {axis = [-1], keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %1 = relay.subtract %x, %0 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @other_reduction
// CHECK: relay.call @fused_mean
// CHECK: relay.call @fused_subtract
func.func @other_reduction(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = relay.mean %x {axis = [0], keepdims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %1 = relay.subtract %x, %0 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
