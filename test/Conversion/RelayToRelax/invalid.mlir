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

// -----

func.func private @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {relay.primitive} {
  // expected-note @+1 {{sizes of this 'linalg.add'}}
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>)
                  outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @grow(%x: tensor<?xf32>) -> tensor<?xf32>
    attributes {relay.primitive} {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @never_equal(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = relay.call @grow(%x) : (tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{expects sizes that fit together, but two always differ by 2}}
  %1 = relay.call @add(%x, %0)
    : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
