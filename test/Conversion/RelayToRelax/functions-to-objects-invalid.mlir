// RUN: relay-opt %s --split-input-file --convert-relay-to-objects --verify-diagnostics

func.func @operators(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @below {{expects an operation of the language, or an operator on tensors whose types are known}}
  // expected-note @below {{run --relay-outline-tensors before this pass}}
  %0 = relay.abs %x : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error @below {{expects a body, but got a declaration, which nothing can call}}
func.func private @declared(tensor<f32>) -> tensor<f32>
