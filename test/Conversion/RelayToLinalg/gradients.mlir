// RUN: relay-opt %s --convert-relay-to-linalg --split-input-file --verify-diagnostics | FileCheck %s

// A sum of products over (n, y, x), for each element of the weight.
// CHECK-LABEL: func.func @backward_weight
// CHECK: tensor.pad
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @backward_weight(%g: tensor<2x4x6x6xf32>, %x: tensor<2x3x6x6xf32>)
    -> tensor<4x3x3x3xf32> {
  %0 = relay.nn.conv2d_backward_weight %g, %x
      {padding = [1, 1, 1, 1], kernel_size = [3, 3], kernel_layout = "NCHW"}
      : (tensor<2x4x6x6xf32>, tensor<2x3x6x6xf32>) -> tensor<4x3x3x3xf32>
  return %0 : tensor<4x3x3x3xf32>
}

// -----

// One instance for each plane, which goes over the windows.
// CHECK-LABEL: func.func @max_pool2d_grad
// CHECK: tir.opaque
// CHECK: scf.for
// CHECK: scf.if
// CHECK: memref.store
func.func @max_pool2d_grad(%g: tensor<?x4x3x3xf32>, %x: tensor<?x4x6x6xf32>)
    -> tensor<?x4x6x6xf32> {
  %0 = relay.nn.max_pool2d_grad %g, %x {pool_size = [2, 2], strides = [2, 2]}
      : (tensor<?x4x3x3xf32>, tensor<?x4x6x6xf32>) -> tensor<?x4x6x6xf32>
  return %0 : tensor<?x4x6x6xf32>
}

// -----

// CHECK-LABEL: func.func @collapse_sum_like
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["reduction", "parallel", "reduction"]
func.func @collapse_sum_like(%x: tensor<4x?x3xf32>, %y: tensor<?x1xf32>)
    -> tensor<?x1xf32> {
  %0 = relay.collapse_sum_like %x, %y
      : (tensor<4x?x3xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// -----

func.func @integers(%g: tensor<1x1x1x1xi32>, %x: tensor<1x1x2x2xi32>)
    -> tensor<1x1x2x2xi32> {
  // expected-error@+2 {{'relay.nn.max_pool2d_grad' op has no lowering to linalg}}
  // expected-note@+1 {{expects a gradient of floats, but got 'tensor<1x1x2x2xi32>'}}
  %0 = relay.nn.max_pool2d_grad %g, %x {pool_size = [2, 2]}
      : (tensor<1x1x1x1xi32>, tensor<1x1x2x2xi32>) -> tensor<1x1x2x2xi32>
  return %0 : tensor<1x1x2x2xi32>
}

// -----

func.func @groups(%g: tensor<2x?x6x6xf32>, %x: tensor<2x?x6x6xf32>)
    -> tensor<?x?x3x3xf32> {
  // expected-error@+2 {{'relay.nn.conv2d_backward_weight' op has no lowering to linalg}}
  // expected-note@+1 {{expects a number of channels that is known when it is compiled for a convolution in groups}}
  %0 = relay.nn.conv2d_backward_weight %g, %x
      {padding = [1, 1, 1, 1], kernel_size = [3, 3], kernel_layout = "NCHW",
       groups = 2}
      : (tensor<2x?x6x6xf32>, tensor<2x?x6x6xf32>) -> tensor<?x?x3x3xf32>
  return %0 : tensor<?x?x3x3xf32>
}

// -----

func.func @blocks(%g: tensor<2x1x6x6x4xf32>, %x: tensor<2x1x6x6x4xf32>)
    -> tensor<4x4x3x3xf32> {
  // expected-error@+2 {{'relay.nn.conv2d_backward_weight' op has no lowering to linalg}}
  // expected-note@+1 {{expects layouts that only permute the axes, but got "NCHW4c", "NCHW4c" and "OIHW"}}
  %0 = relay.nn.conv2d_backward_weight %g, %x
      {padding = [1, 1, 1, 1], kernel_size = [3, 3], data_layout = "NCHW4c",
       kernel_layout = "NCHW4c"}
      : (tensor<2x1x6x6x4xf32>, tensor<2x1x6x6x4xf32>) -> tensor<4x4x3x3xf32>
  return %0 : tensor<4x4x3x3xf32>
}
