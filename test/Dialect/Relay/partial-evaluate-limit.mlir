// What branches consist of counts as evaluated, whichever is taken when the
// program runs.
// RUN: relay-opt %s --relay-partial-evaluate=max-evaluated=11 | FileCheck %s
// RUN: relay-opt %s --relay-partial-evaluate=max-evaluated=100 | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @main
// CHECK:         relay.if
// CHECK-NOT:     relay.if
// CHECK:         relay.call @branches
// CHECK-NEXT:    relay.call @branches
// ALL-LABEL:   func.func @main
// ALL-COUNT-3:   relay.if
// ALL-NOT:       relay.call
func.func private @branches(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = relay.if %c : tensor<i1> -> tensor<f32> {
    %1 = relay.exp %x : (tensor<f32>) -> tensor<f32>
    %2 = relay.tanh %1 : (tensor<f32>) -> tensor<f32>
    %3 = relay.sin %2 : (tensor<f32>) -> tensor<f32>
    relay.yield %3 : tensor<f32>
  } else {
    %1 = relay.cos %x : (tensor<f32>) -> tensor<f32>
    %2 = relay.atan %1 : (tensor<f32>) -> tensor<f32>
    %3 = relay.erf %2 : (tensor<f32>) -> tensor<f32>
    relay.yield %3 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func @main(%c: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
  %0 = relay.call @branches(%c, %x) : (tensor<i1>, tensor<f32>) -> tensor<f32>
  %1 = relay.call @branches(%c, %0) : (tensor<i1>, tensor<f32>) -> tensor<f32>
  %2 = relay.call @branches(%c, %1) : (tensor<i1>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}
