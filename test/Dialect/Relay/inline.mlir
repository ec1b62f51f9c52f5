// Calls of ordinary functions can be inlined, kernels cannot.
// RUN: relay-opt %s --inline | FileCheck %s

// CHECK-NOT:   @ordinary
// CHECK:       func.func private @kernel
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[E:.*]] = relay.exp %arg0
// CHECK-NEXT:    %[[R:.*]] = relay.call @kernel(%[[E]])
// CHECK-NEXT:    return %[[R]]
func.func private @ordinary(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @ordinary(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @kernel(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
