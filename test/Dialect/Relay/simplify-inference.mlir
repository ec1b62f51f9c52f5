// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(relay-simplify-inference))' | FileCheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x2x2xf32>, %[[G:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>, %[[V:.*]]: tensor<4xf32>)
// CHECK: %[[E:.*]] = relay.constant dense<1.000000e-03>
// CHECK: %[[VE:.*]] = relay.add %[[V]], %[[E]]
// CHECK: %[[R:.*]] = relay.rsqrt %[[VE]]
// CHECK: %[[S:.*]] = relay.multiply %[[R]], %[[G]]
// CHECK: %[[MS:.*]] = relay.multiply %[[M]], %[[S]]
// CHECK: %[[N:.*]] = relay.negative %[[MS]]
// CHECK: %[[T:.*]] = relay.add %[[N]], %[[B]]
// CHECK: relay.expand_dims %[[S]] {axis = 1, num_newaxis = 2}
// CHECK-NOT: batch_norm
func.func @batch_norm(%x: tensor<1x4x2x2xf32>, %g: tensor<4xf32>, %b: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<1x4x2x2xf32> {
  %0 = relay.nn.batch_norm %x, %g, %b, %m, %v {epsilon = 1.0e-3} : (tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<1x4x2x2xf32>, tensor<4xf32>, tensor<4xf32>>
  return %1 : tensor<1x4x2x2xf32>
}

// The statistics of a batch are no part of inference: the operator stays.
// CHECK-LABEL: func.func @statistics
// CHECK: relay.nn.batch_norm
func.func @statistics(%x: tensor<1x4xf32>, %g: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.batch_norm %x, %g, %g, %g, %g : (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[1] : tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @dropout
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[X]]
func.func @dropout(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.nn.dropout %x : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<4xf32>, tensor<4xf32>>
  return %1 : tensor<4xf32>
}

// However often the first result is used, it is computed once.
// CHECK-LABEL: func.func @used_twice
// CHECK-COUNT-1: relay.rsqrt
// CHECK-NOT:     relay.rsqrt
// CHECK:         relay.add %[[R:.*]], %[[R]]
// CHECK-NOT:     batch_norm
func.func @used_twice(%x: tensor<1x4xf32>, %g: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = relay.nn.batch_norm %x, %g, %g, %g, %g : (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %2 = relay.tuple_get_item %0[0] : tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %3 = relay.add %1, %2 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  return %3 : tensor<1x4xf32>
}

// Without scale and center the vectors are not read.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    (%[[X:.*]]: tensor<1x4xf32>, %[[G:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xf32>)
// CHECK-NOT:     %[[G]]
// CHECK:         return
func.func @plain(%x: tensor<1x4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = relay.nn.batch_norm %x, %g, %g, %m, %m {center = false, scale = false} : (tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<1x4xf32>, tensor<4xf32>, tensor<4xf32>>
  return %1 : tensor<1x4xf32>
}

// Vectors know how many channels there are: data has as many, and is not
// repeated. The result has the type that it had.
// CHECK-LABEL: func.func @open_channels
// CHECK-SAME:    (%[[X:.*]]: tensor<?x?x2xf32>
// CHECK:         %[[C:.*]] = relay.ascribe %[[X]] : tensor<?x?x2xf32> as tensor<?x4x2xf32>
// CHECK:         relay.multiply %[[C]]
// CHECK:         %[[R:.*]] = relay.ascribe %{{.*}} : tensor<?x4x2xf32> as tensor<?x?x2xf32>
// CHECK-NEXT:    return %[[R]]
func.func @open_channels(%x: tensor<?x?x2xf32>, %g: tensor<4xf32>) -> tensor<?x?x2xf32> {
  %0 = relay.nn.batch_norm %x, %g, %g, %g, %g : (tensor<?x?x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<?x?x2xf32>, tensor<4xf32>, tensor<4xf32>>
  %1 = relay.tuple_get_item %0[0] : tuple<tensor<?x?x2xf32>, tensor<4xf32>, tensor<4xf32>>
  return %1 : tensor<?x?x2xf32>
}
