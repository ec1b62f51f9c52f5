// RUN: relay-opt %s --verify-relay-fused --split-input-file --verify-diagnostics

// In the right form: no diagnostic.
func.func private @kernel(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  %c = relay.constant dense<1.0> : tensor<f32>
  %0 = relay.add %x, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @external(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.compiler = "dnnl"} {
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tuple<tensor<4xf32>>) {
  %c = relay.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = relay.call @kernel(%c) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = relay.call @external(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.tuple %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tuple<tensor<4xf32>>
}

// -----

func.func @operator_outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a constant, a tuple or a call of a primitive function}}
  // expected-note @below {{run --relay-fuse-ops to move operators into primitive functions}}
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{the function is defined here; run --relay-inline-functions=all to dissolve it}}
func.func private @ordinary(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @ordinary_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a primitive function, but got '@ordinary'}}
  %0 = relay.call @ordinary(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expects a primitive function to be private}}
func.func @public_primitive(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expects a primitive function to have a body}}
func.func private @declaration(tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive}

// -----

func.func private @large_constant() -> tensor<2xf32> attributes {relay.primitive} {
  // expected-error @below {{expects a constant of one element, or one that decides sizes, in a primitive function, but got 'tensor<2xf32>'}}
  %c = relay.constant dense<1.0> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

// expected-error @below {{expects results of a primitive function to be tensors, but got 'tuple<tensor<4xf32>>'}}
func.func private @tuple_result(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> attributes {relay.primitive} {
  %0 = relay.tuple %x : tensor<4xf32>
  return %0 : tuple<tensor<4xf32>>
}

// -----

func.func private @call_inside(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
  // expected-error @below {{expects operators only in a primitive function}}
  %0 = relay.call @call_inside(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @closure(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a constant, a tuple or a call of a primitive function}}
  // expected-note @below {{the executors aot and vm compile closures, control flow, data types and references, into a shared object}}
  %f = relay.fn (%y: tensor<4xf32>) -> tensor<4xf32> {
    relay.yield %y : tensor<4xf32>
  }
  %0 = relay.call_indirect %f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{the function is declared here, without a body}}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func @call_of_declared(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a primitive function, but got '@declared'}}
  %0 = relay.call @declared(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @below {{the function calls itself; the executors aot and vm compile recursion, into a shared object}}
func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a primitive function, but got '@recursive'}}
  %0 = relay.call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @even(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a primitive function, but got '@odd'}}
  %0 = relay.call @odd(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// expected-note @below {{the function calls itself; the executors aot and vm compile recursion, into a shared object}}
func.func @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = relay.call @even(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
