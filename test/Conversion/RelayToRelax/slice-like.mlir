// A slice of a size that another tensor has is checked before each run.
// RUN: relay-opt %s --convert-relay-to-linalg --convert-relay-to-relax --verify-diagnostics | FileCheck %s

// CHECK-LABEL: relax.func @main
// CHECK: relax.assert_at_least
func.func private @first(%x: tensor<4x3xf32>, %y: tensor<?xi64>) -> tensor<?x3xf32> attributes {relay.primitive} {
  %0 = relay.slice_like %x, %y {axes = [0]} : (tensor<4x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
func.func @main(%x: tensor<4x3xf32>, %y: tensor<?xi64>) -> tensor<?x3xf32> {
  // expected-remark @below {{takes 4 to be at least}}
  %0 = relay.call @first(%x, %y) : (tensor<4x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
