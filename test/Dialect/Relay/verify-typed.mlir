// RUN: relay-opt %s --verify-relay-typed --split-input-file --verify-diagnostics

// In the right form, with a size that only the importer knows: no diagnostic.
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.exp %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  %0 = relay.call @callee(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = relay.tanh %0 : (tensor<?xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @incomplete(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @below {{expects results of types ('tensor<4xf32>'), but got ('tensor<?xf32>')}}
  // expected-note @below {{run --relay-infer-types to make types complete}}
  %0 = relay.exp %x : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// An argument may be more precise than the function's, the result not.
func.func private @callee(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @call_result(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects results of types ('tensor<?xf32>'), but got ('tensor<4xf32>')}}
  // expected-note @below {{run --relay-infer-types to make types complete}}
  %0 = relay.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @call_argument(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects arguments of types ('tensor<4xf32>'), but got ('tensor<?xf32>')}}
  // expected-note @below {{run --relay-infer-types to make types complete}}
  %0 = relay.call @callee(%x) : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects an operation of the relay dialect, or an operator, in a relay function}}
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
