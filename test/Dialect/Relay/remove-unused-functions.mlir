// RUN: relay-opt %s --relay-remove-unused-functions | FileCheck %s --check-prefix=MAIN
// RUN: relay-opt %s --relay-remove-unused-functions=entries=other,named | FileCheck %s --check-prefix=OTHER
// RUN: not relay-opt %s --relay-remove-unused-functions=entries=nobody 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expects the name of a function of the module, but got '@nobody'

// MAIN:      relay.adt @Unit
// MAIN-NOT:  @other
// MAIN-NOT:  @unused
// MAIN:      func.func private @even
// MAIN:      func.func private @odd
// MAIN:      func.func @named
// MAIN:      func.func @main
// OTHER:     relay.adt @Unit
// OTHER:     func.func @other
// OTHER-NOT: func.func
// OTHER:     func.func @named
// OTHER-NOT: func.func
relay.adt @Unit {
  relay.constructor @Only
}
func.func @other(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @unused(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.call @other(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @even(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.call @odd(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @odd(%x: tensor<i32>) -> tensor<i32> {
  %0 = relay.call @even(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
func.func @named(%x: tensor<i32>) -> tensor<i32> {
  return %x : tensor<i32>
}
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %f = relay.fn (%y: tensor<i32>) -> tensor<i32> {
    %g = relay.global @named : (tensor<i32>) -> tensor<i32>
    %0 = relay.call_indirect %g(%y) : (tensor<i32>) -> tensor<i32>
    relay.yield %0 : tensor<i32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<i32>) -> tensor<i32>
  %1 = relay.call @even(%0) : (tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}
