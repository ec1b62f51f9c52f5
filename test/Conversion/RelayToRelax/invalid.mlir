// RUN: relay-opt %s --split-input-file --convert-relay-to-relax --verify-diagnostics

func.func private @take_size(%x: tensor<4xf32>, %size: tensor<index>)
    -> tensor<?xf32> attributes {relay.primitive} {
  // expected-note @+1 {{the size depends on 'tensor.extract', which is not understood}}
  %n = tensor.extract %size[] : tensor<index>
  %0 = tensor.empty(%n) : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @data_dependent(%x: tensor<4xf32>, %size: tensor<index>)
    -> tensor<?xf32> {
  // expected-error @+1 {{expects dimension 0 of result 0 of @take_size to be an expression over the shapes of its arguments}}
  %0 = relay.call @take_size(%x, %size)
    : (tensor<4xf32>, tensor<index>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func private @relu(%x: tensor<4xf32>) -> tensor<4xf32>
    attributes {relay.primitive} {
  // expected-note @+1 {{'relay.nn.relu' is here; run --convert-relay-to-linalg before this pass}}
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @not_lowered(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expects @relu to be in linalg form}}
  %0 = relay.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @not_fused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+2 {{expects a constant, a tuple or a call of a primitive function}}
  // expected-note @+1 {{run --relay-fuse-ops before this pass}}
  %0 = relay.nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{expects parameter 0 to be a ranked tensor, but got 'f32'}}
func.func @scalar(%x: f32) {
  return
}
