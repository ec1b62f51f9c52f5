// RUN: relay-opt %s --relay-defuse-ops --split-input-file | FileCheck %s
// RUN: relay-opt %s --relay-fuse-ops --relay-defuse-ops --split-input-file | FileCheck %s --check-prefix=BACK

// The group of several results and the one that is called twice are gone; a
// public one stays, as do calls of others.

// CHECK-NOT: @pair
// CHECK-NOT: @twice
// CHECK: func.func @public
// CHECK: func.func private @other
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[E:.*]] = relay.exp %arg0
// CHECK-NEXT: %[[T:.*]] = relay.tanh %[[E]]
// CHECK-NEXT: %[[A:.*]] = relay.abs %[[E]]
// CHECK-NEXT: %[[B:.*]] = relay.abs %[[A]]
// CHECK-NEXT: %[[C:.*]] = relay.call @other(%[[B]])
// CHECK-NEXT: %[[D:.*]] = relay.negative %[[C]]
// CHECK-NEXT: return %[[T]], %[[D]]
func.func private @pair(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @public(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %0 = relay.negative %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = relay.call @pair(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1 = relay.call @twice(%0#0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = relay.call @other(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = relay.call @public(%3) : (tensor<4xf32>) -> tensor<4xf32>
  return %0#1, %4 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Closures that are called where they are made, also inside of each other; but
// for those that are patterns, call themselves, or are used otherwise.

// CHECK-LABEL: func.func @closures
// CHECK-NEXT: %[[E:.*]] = relay.exp %arg0
// CHECK-NEXT: %[[A:.*]] = relay.add %[[E]], %arg1
// CHECK-NEXT: %[[F:.*]] = relay.fn
// CHECK-SAME: relay.composite
// CHECK: relay.call_indirect %[[F]](%[[A]])
func.func @closures(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %f = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> {
    %g = relay.fn (%q: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.exp %q : (tensor<4xf32>) -> tensor<4xf32>
      relay.yield %0 : tensor<4xf32>
    }
    %0 = relay.call_indirect %g(%p) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = relay.add %0, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    relay.yield %1 : tensor<4xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %h = relay.fn (%p: tensor<4xf32>) -> tensor<4xf32> attributes {relay.composite = "p"} {
    relay.yield %p : tensor<4xf32>
  }
  %1 = relay.call_indirect %h(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Fewer sizes are known inside.

// CHECK-LABEL: func.func @sizes
// CHECK: %[[A:.*]] = relay.ascribe %arg0 : tensor<4xf32> as tensor<?xf32>
// CHECK: %[[E:.*]] = relay.exp %[[A]] : (tensor<?xf32>) -> tensor<?xf32>
// CHECK: return %[[E]]
func.func private @open(%x: tensor<?xf32>) -> tensor<?xf32> attributes {relay.primitive} {
  %0 = relay.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @sizes(%x: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relay.call @open(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// What fusion makes becomes what it was.

// BACK-LABEL: func.func @back
// BACK-NEXT: %[[C:.*]] = relay.constant
// BACK: %[[D:.*]] = relay.nn.dense %arg0, %[[C]]
// BACK: %[[R:.*]] = relay.nn.relu %[[D]]
// BACK: %[[S:.*]] = relay.nn.softmax %[[R]]
// BACK: return %[[S]]
// BACK-NOT: func.func
func.func @back(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = relay.constant dense<1.0> : tensor<4x3xf32>
  %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.nn.softmax %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
