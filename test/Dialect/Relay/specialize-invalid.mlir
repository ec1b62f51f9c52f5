// RUN: relay-opt %s --split-input-file --verify-diagnostics --relay-specialize="variants=n=2"

// expected-error @below {{expects a function named 'main' that can have variants}}
module {
  func.func @other(%x: tensor<?xf32> {relay.dims = ["n"]}) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}

// -----

func.func @loop(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.call @loop(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32> {relay.dims = ["n"]}) -> tensor<?xf32> {
  // expected-error @below {{expects operators alone in what has variants, but got a call of @loop}}
  // expected-note @below {{functions that are neither recursive nor the code of other generators are inlined before}}
  %0 = relay.call @loop(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// expected-error @below {{expects the name of an open size, but got "n"; the model has none}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
