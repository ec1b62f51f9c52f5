// Calls of ordinary functions can be inlined, kernels and functions that call
// themselves cannot.
// RUN: relay-opt %s --relay-inline-functions=all --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-inline-functions=all --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

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

// -----

// A location has the calls that an operation is in, and each function is copied
// as it was written. Public functions stay.
// CHECK-LABEL: func.func @public
// CHECK-NEXT:    relay.tanh
// CHECK-NEXT:    return
// CHECK-NOT:   @outer
// CHECK-NOT:   @inner
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[T:.*]] = relay.tanh %arg0
// CHECK-NEXT:    %[[E:.*]] = relay.exp %[[T]]
// CHECK-NEXT:    %[[C:.*]] = relay.call @loop(%[[E]])
// CHECK-NEXT:    %[[S:.*]] = relay.tanh %[[C]]
// CHECK-NEXT:    return %[[S]]
// CHECK:       func.func private @loop
// LOC-LABEL: func.func @main
// LOC:         relay.tanh {{.*}} loc(callsite("tanh" at callsite("in outer" at "in main")))
// LOC-NEXT:    relay.exp {{.*}} loc(callsite("exp" at callsite("in outer" at "in main")))
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.tanh %x : (tensor<4xf32>) -> tensor<4xf32> loc("tanh")
  %1 = relay.exp %0 : (tensor<4xf32>) -> tensor<4xf32> loc("exp")
  return %1 : tensor<4xf32>
}
func.func private @outer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("in outer")
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("in main")
  %1 = relay.call @loop(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.call @public(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @loop(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A call may know sizes that the function does not, and the other way round.
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[A:.*]] = relay.ascribe %arg0 : tensor<4xf32> as tensor<?xf32>
// CHECK-NEXT:    %[[T:.*]] = relay.tanh %[[A]] : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:    relay.ascribe %[[T]] : tensor<?xf32> as tensor<4xf32>
func.func private @open(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.tanh %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @open(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A function stays that something else refers to.
// CHECK:       func.func private @named
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    relay.exp %arg0
func.func private @named(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {user.reference = @named} {
  %0 = relay.call @named(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
