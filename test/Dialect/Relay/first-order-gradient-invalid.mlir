// RUN: relay-opt %s --relay-first-order-gradient --split-input-file --verify-diagnostics
// RUN: not relay-opt %s --relay-first-order-gradient=entries=nothing 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENTRY

// ENTRY: expects the name of a function of the module, but got '@nothing'

func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{expects operators, tuples and closures that are called where they are known, for a first-order gradient, but got 'relay.if'}}
  // expected-note@below {{relay-gradient (mode "higher_order" in Python) differentiates any construct}}
  %0 = relay.if %c : tensor<i1> -> tensor<2xf32> {
    relay.yield %x : tensor<2xf32>
  } else {
    %1 = relay.exp %x : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %1 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @unknown(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@below {{but got a closure that calls itself}}
  // expected-note@below {{relay-gradient}}
  %f = relay.fn rec %self (%y: tensor<2xf32>) -> tensor<2xf32> {
    %0 = relay.call_indirect %self(%y) : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %0 : tensor<2xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @compiled(%x: tensor<2xf32>) -> tensor<2xf32> {
  %f = relay.fn (%y: tensor<2xf32>) -> tensor<2xf32> attributes {relay.primitive} {
    %0 = relay.exp %y : (tensor<2xf32>) -> tensor<2xf32>
    relay.yield %0 : tensor<2xf32>
  }
  // expected-error@below {{but got a call of a function that is compiled as it is (relay-defuse-ops makes operators of it)}}
  // expected-note@below {{relay-gradient}}
  %0 = relay.call_indirect %f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @polymorphic(%x: tensor<2xf32>) -> tensor<2xf32> {
  %id = relay.fn ["A"] (%y: !relay.typevar<"A">) -> !relay.typevar<"A"> {
    relay.yield %y : !relay.typevar<"A">
  }
  // expected-error@below {{but got a call of a closure with type parameters}}
  // expected-note@below {{relay-gradient}}
  %0 = relay.call_indirect %id(%x)
      : !relay.forall<["A"], (!relay.typevar<"A">) -> !relay.typevar<"A">>
      as (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Only what floats go through on the way from a parameter to the result.

func.func @operators(%x: tensor<1x3x4x4xf32>, %r: tensor<2x5xf32>)
    -> tensor<2x3x2x2xf32> {
  %c = relay.constant dense<1.0> : tensor<1x3x4x4xf32>
  %q = relay.constant dense<1.0> : tensor<2x5xf32>
  %0 = relay.vision.roi_pool %c, %q {pooled_size = [2, 2], spatial_scale = 1.0}
      : (tensor<1x3x4x4xf32>, tensor<2x5xf32>) -> tensor<2x3x2x2xf32>
  // expected-error@below {{expects operators whose gradients are known, but got 'relay.vision.roi_pool'}}
  // expected-note@below {{an operator tells its gradient by GradientOpInterface}}
  %1 = relay.vision.roi_pool %x, %r {pooled_size = [2, 2], spatial_scale = 1.0}
      : (tensor<1x3x4x4xf32>, tensor<2x5xf32>) -> tensor<2x3x2x2xf32>
  %2 = relay.add %0, %1
      : (tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32>) -> tensor<2x3x2x2xf32>
  return %2 : tensor<2x3x2x2xf32>
}
