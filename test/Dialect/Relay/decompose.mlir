// RUN: relay-opt %s --relay-decompose | FileCheck %s

// Marks that have done what they are for, and what they are replaced by.

// CHECK-LABEL: func @marks
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[SHAPE:.*]]: tensor<2xi64>)
// CHECK-NEXT: %[[SIZES:.*]] = relay.shape_of %[[X]] {dtype = i64}
// CHECK-NEXT: %[[RESULT:.*]] = relay.dyn.reshape %[[X]], %[[SHAPE]]
// CHECK-NEXT: %[[KNOWN:.*]] = relay.ascribe %[[RESULT]] : tensor<?x?xf32> as tensor<4x?xf32>
// CHECK-NEXT: return %[[SIZES]], %[[KNOWN]]
func.func @marks(%x: tensor<?x4xf32>, %shape: tensor<2xi64>)
    -> (tensor<2xi64>, tensor<4x?xf32>) {
  %0 = relay.annotation.cast_hint %x {dtype = i8}
      : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = relay.vm.shape_of %0 : (tensor<?x4xf32>) -> tensor<2xi64>
  %2 = relay.vm.reshape_tensor %0, %shape {newshape = [4, -1]}
      : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<4x?xf32>
  return %1, %2 : tensor<2xi64>, tensor<4x?xf32>
}

// What another compiler is to see stays as it is.

// CHECK-LABEL: func @external
// CHECK: relay.annotation.cast_hint
func.func @external(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {relay.compiler = "other"} {
  %0 = relay.annotation.cast_hint %x {dtype = i8}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
