// What a function declares of its arguments, and a call of its result, is
// checked where nobody knows it before the program runs.
// RUN: relay-opt %s --split-input-file --relay-infer-types | FileCheck %s

func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @argument(%arg0: tensor<?xf32>) -> tensor<2xf32>
func.func @argument(%x: tensor<?xf32>) -> tensor<2xf32> {
  // CHECK: %[[X:.*]] = relay.ascribe %arg0 : tensor<?xf32> as tensor<2xf32>
  // CHECK: relay.call @f(%[[X]]) : (tensor<2xf32>) -> tensor<2xf32>
  %0 = relay.call @f(%x) : (tensor<?xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func private @first(%x: tuple<tensor<?x3xf32>, tensor<i32>>) -> tensor<?x3xf32> {
  %0 = relay.tuple_get_item %x[0] : tuple<tensor<?x3xf32>, tensor<i32>>
  return %0 : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @field
func.func @field(%x: tuple<tensor<2x?xf32>, tensor<i32>>) -> tensor<?x3xf32> {
  // CHECK: %[[X:.*]] = relay.ascribe %arg0 : tuple<tensor<2x?xf32>, tensor<i32>> as tuple<tensor<2x3xf32>, tensor<i32>>
  // CHECK: relay.call @first(%[[X]]) : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<2x3xf32>
  %0 = relay.call @first(%x) : (tuple<tensor<2x?xf32>, tensor<i32>>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

func.func @same(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// CHECK-LABEL: func.func @result(%arg0: tensor<?xf32>) -> tensor<3xf32>
func.func @result(%x: tensor<?xf32>) -> tensor<3xf32> {
  // CHECK: %[[R:.*]] = relay.call @same(%arg0) : (tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[S:.*]] = relay.ascribe %[[R]] : tensor<?xf32> as tensor<3xf32>
  // CHECK: return %[[S]]
  %0 = relay.call @same(%x) : (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// CHECK-LABEL: func.func @indirect
func.func @indirect(%x: tensor<?xf32>, %f: (tensor<4xf32>) -> tensor<?xf32>) -> tensor<3xf32> {
  // CHECK: %[[X:.*]] = relay.ascribe %arg0 : tensor<?xf32> as tensor<4xf32>
  // CHECK: %[[R:.*]] = relay.call_indirect %arg1(%[[X]])
  // CHECK: relay.ascribe %[[R]] : tensor<?xf32> as tensor<3xf32>
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<?xf32> as (tensor<?xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// What is known anyway is not checked.
// CHECK-LABEL: func.func @known
// CHECK-NOT: relay.ascribe
func.func @known(%x: tensor<3xf32>) -> tensor<?xf32> {
  %0 = relay.call @same(%x) : (tensor<3xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
