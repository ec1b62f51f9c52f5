// Reductions that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @sum(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axis in the range [-3, 3), but got 3}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sum %a0 {axis = [3]} : (tensor<2x3x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @mean(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axis in the range [-3, 3), but got -4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.mean %a0 {axis = [-4]} : (tensor<2x3x4xf32>) -> tensor<f32>
  return
}

// -----

// An axis is reduced once.
func.func @max(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects distinct axes, but got [1, -2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.max %a0 {axis = [1, -2]} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @sum(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{op inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sum %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @all(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = relay.all %a0 : (tensor<2x3x4xf32>) -> tensor<i1>
  return
}

// -----

// Positions are int32.
func.func @argmax(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{op inferred type(s) 'tensor<2x4xi32>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.argmax %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x4xi64>
  return
}

// -----

// The mean keeps the reduced axes.
func.func @variance(%a0: tensor<2x3x4xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @below {{expects mean of rank 3, but got 'tensor<2x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.variance %a0, %a1 {axis = [2]} : (tensor<2x3x4xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
