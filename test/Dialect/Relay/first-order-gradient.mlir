// RUN: relay-opt %s --relay-first-order-gradient --split-input-file | FileCheck %s

// A product: the gradients of both uses are added.
// CHECK-LABEL: func.func @square(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>) -> tuple<tensor<4xf32>, tuple<tensor<4xf32>>>
// CHECK: %[[Y:.*]] = relay.multiply %[[X]], %[[X]]
// CHECK: %[[ONE:.*]] = relay.ones {dtype = f32, shape = [4]}
// CHECK: %[[A:.*]] = relay.multiply %[[ONE]], %[[X]]
// CHECK: %[[B:.*]] = relay.multiply %[[ONE]], %[[X]]
// CHECK: %[[SUM:.*]] = relay.add %[[A]], %[[B]]
// CHECK: %[[T:.*]] = relay.tuple %[[SUM]]
// CHECK: %[[R:.*]] = relay.tuple %[[Y]], %[[T]]
// CHECK: return %[[R]]
func.func @square(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.multiply %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What is repeated is summed; sizes that are not known may be repeated as well.
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x4xf32>, %[[Y:[a-z0-9]*]]: tensor<4xf32>, %[[Z:[a-z0-9]*]]: tensor<?x1xf32>)
// CHECK: %[[ONES:.*]] = relay.ones_like
// CHECK: relay.collapse_sum_like %[[ONES]], %[[Z]]
// CHECK: %[[DX:.*]] = relay.collapse_sum_like %[[G:.*]], %[[X]]
// CHECK: relay.sum %[[G]] {axis = [0]} : (tensor<?x4xf32>) -> tensor<4xf32>
func.func @broadcast(%x: tensor<?x4xf32>, %y: tensor<4xf32>, %z: tensor<?x1xf32>)
    -> tensor<?x4xf32> {
  %0 = relay.add %x, %y : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = relay.add %0, %z : (tensor<?x4xf32>, tensor<?x1xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// -----

// Tuples, variables, and what has no gradient. Nothing is made for constants.
// CHECK-LABEL: func.func @tuples(
// CHECK-SAME: %[[T:.*]]: tuple<tensor<2xf32>, tensor<i32>>)
// CHECK-SAME: -> tuple<tuple<tensor<i32>, tensor<2xf32>>, tuple<tuple<tensor<2xf32>, tensor<i32>>>>
// CHECK: %[[C:.*]] = relay.constant
// CHECK-NOT: relay.let
// CHECK: %[[ONES:.*]] = relay.ones {dtype = f32, shape = [2]}
// CHECK: %[[G:.*]] = relay.multiply %[[ONES]], %[[C]]
// CHECK-NOT: relay.multiply
// CHECK: %[[ZERO:.*]] = relay.zeros {dtype = i32, shape = []}
// CHECK: relay.tuple %[[G]], %[[ZERO]] : tensor<2xf32>, tensor<i32>
func.func @tuples(%t: tuple<tensor<2xf32>, tensor<i32>>)
    -> tuple<tensor<i32>, tensor<2xf32>> {
  %c = relay.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = relay.tuple_get_item %t[0] : tuple<tensor<2xf32>, tensor<i32>>
  %1 = relay.tuple_get_item %t[1] : tuple<tensor<2xf32>, tensor<i32>>
  %2 = relay.let "y" %0 : tensor<2xf32>
  %3 = relay.multiply %2, %c : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = relay.tuple %1, %3 : tensor<i32>, tensor<2xf32>
  return %4 : tuple<tensor<i32>, tensor<2xf32>>
}

// -----

// Closures become what they compute, in each call.
// CHECK-LABEL: func.func @closures(
// CHECK-NOT: relay.fn
// CHECK: relay.exp
// CHECK: relay.exp
// CHECK-NOT: relay.call_indirect
func.func @closures(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = relay.exp %y : (tensor<2xf32>) -> tensor<2xf32>
    %1 = relay.add %0, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    relay.yield %1 : tensor<2xf32>
  }
  %t = relay.tuple %f, %x : (tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>
  %g = relay.tuple_get_item %t[0]
      : tuple<(tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>>
  %0 = relay.call_indirect %g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.call_indirect %f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A function that names its gradient stays a call; neither is differentiated.
// CHECK-LABEL: func.func @custom(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>)
// CHECK: %[[Y:.*]] = relay.call @cube(%[[X]])
// CHECK: %[[ONE:.*]] = relay.ones
// CHECK: %[[G:.*]] = relay.call @cube_gradient(%[[X]], %[[Y]], %[[ONE]])
// CHECK: relay.tuple_get_item %[[G]][0]
// CHECK-LABEL: func.func private @cube(
// CHECK-SAME: -> tensor<2xf32>
// CHECK-LABEL: func.func private @cube_gradient(
// CHECK-SAME: -> tuple<tensor<2xf32>>
func.func @custom(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.call @cube(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @cube(%x: tensor<2xf32>) -> tensor<2xf32>
    attributes {relay.attrs = {FPrimalGradient = "cube_gradient"}} {
  %0 = relay.multiply %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.multiply %0, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @cube_gradient(%x: tensor<2xf32>, %y: tensor<2xf32>,
                                 %g: tensor<2xf32>) -> tuple<tensor<2xf32>> {
  %0 = relay.multiply %g, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = relay.tuple %0 : tensor<2xf32>
  return %1 : tuple<tensor<2xf32>>
}
