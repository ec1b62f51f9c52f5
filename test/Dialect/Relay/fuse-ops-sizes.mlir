// What computes the sizes of a result from sizes is copied into the kernel.
//
// RUN: relay-opt %s --split-input-file --relay-fuse-ops --verify-relay-fused | FileCheck %s

// CHECK-LABEL: func.func private @fused_dyn_reshape_nn_relu(
// CHECK-SAME:    %[[LIKE:.*]]: tensor<?x3x?xf32>, %[[DATA:.*]]: tensor<?x6xf32>)
// CHECK-NEXT:    %[[SHAPE:.*]] = relay.shape_of %[[LIKE]]
// CHECK-NEXT:    %[[RESHAPED:.*]] = relay.dyn.reshape %[[DATA]], %[[SHAPE]]
// CHECK-NEXT:    relay.nn.relu %[[RESHAPED]]
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    relay.call @fused_dyn_reshape_nn_relu(%arg1, %arg0)
// CHECK-NEXT:    return
func.func @main(%x: tensor<?x6xf32>, %like: tensor<?x3x?xf32>) -> tensor<?x?x?xf32> {
  %shape = relay.shape_of %like {dtype = i64} : (tensor<?x3x?xf32>) -> tensor<3xi64>
  %r = relay.dyn.reshape %x, %shape : (tensor<?x6xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
  %s = relay.nn.relu %r : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %s : tensor<?x?x?xf32>
}

// -----

// Constants of several elements among them are in the kernel, too.

// CHECK-LABEL: func.func private @fused_dyn_zeros(
// CHECK:         relay.constant dense<[2, 3]> : tensor<2xi64>
// CHECK:         relay.multiply
// CHECK:         relay.dyn.zeros
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    relay.call @fused_dyn_zeros(%arg0)
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %factors = relay.constant dense<[2, 3]> : tensor<2xi64>
  %shape = relay.shape_of %x {dtype = i64} : (tensor<?x?xf32>) -> tensor<2xi64>
  %sizes = relay.multiply %shape, %factors : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %r = relay.dyn.zeros %sizes {dtype = f32} : (tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
