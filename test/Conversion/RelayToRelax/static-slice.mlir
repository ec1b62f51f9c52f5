// The size of a slice is checked also where a static type says what it is, and
// canonicalization has taken that type into the slice.
// RUN: relay-opt %s --convert-relay-to-linalg --canonicalize --convert-relay-to-relax 2>/dev/null | FileCheck %s

// CHECK: func.func private @last
// CHECK-NOT: cf.assert
// CHECK-LABEL: relax.func @main
// CHECK: relax.assert_equal
func.func private @last(%x: tensor<1x?xf32>) -> tensor<1x3x1xf32> attributes {relay.primitive} {
  %0 = relay.strided_slice %x {axes = [1], begin = [-1], end = [-8], strides = [-3]} : (tensor<1x?xf32>) -> tensor<1x?xf32>
  %1 = relay.reshape %0 {newshape = [1, 3, 1]} : (tensor<1x?xf32>) -> tensor<1x3x1xf32>
  return %1 : tensor<1x3x1xf32>
}
func.func @main(%x: tensor<1x?xf32> {relay.dims = ["", "N"]}) -> tensor<1x3x1xf32> {
  %0 = relay.call @last(%x) : (tensor<1x?xf32>) -> tensor<1x3x1xf32>
  return %0 : tensor<1x3x1xf32>
}
