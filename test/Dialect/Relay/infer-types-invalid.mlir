// RUN: relay-opt %s --relay-infer-types --split-input-file --verify-diagnostics

// Ranks have no common type.
// expected-note @below {{the function is defined here}}
func.func private @callee(%x: tuple<tensor<?xf32>>) -> tensor<?xf32> {
  %0 = relay.tuple_get_item %x[0] : tuple<tensor<?xf32>>
  return %0 : tensor<?xf32>
}
func.func @main(%x: tensor<?xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %0 = relay.tuple %x : tensor<?xf32>
  %1 = relay.call @callee(%0) : (tuple<tensor<?xf32>>) -> tensor<?xf32>
  %2 = relay.tuple %y, %y : tensor<4xf32>, tensor<4xf32>
  // expected-error @below {{expects arguments of types}}
  %3 = relay.call @callee(%2) : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<?xf32>
  return %3 : tensor<?xf32>
}

// -----

// Sizes that become known turn out not to fit.
func.func @main(%x: tensor<2x3xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = relay.exp %x : (tensor<2x3xf32>) -> tensor<2x?xf32>
  // expected-error @below {{expects shapes that broadcast, but got (2, 3) and (4)}}
  %1 = relay.add %0, %y : (tensor<2x?xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// expected-error @below {{expects parameter #1 to be a tensor, a tuple, a function, a reference or a value of a data type, but got 'f32'}}
// expected-note @below {{a scalar is a 'tensor<f32>'}}
func.func @main(%x: tensor<2xf32>, %y: f32) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @below {{expects result #0 to be a tensor, a tuple, a function, a reference or a value of a data type, but got 'memref<2xf32>'}}
func.func private @memory(%x: tensor<2xf32>) -> memref<2xf32>

// -----

// Strings are numbers of a table.
module attributes {relay.strings = ["", "a"]} {
  // expected-error @below {{expects relay.is_string as a unit attribute of a tensor of i64, but got parameter #0 of type 'tensor<2xf32>'}}
  func.func @main(%x: tensor<2xf32> {relay.is_string}) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

module attributes {relay.strings = ["", ""]} {
  // expected-error @below {{expects an array of different strings as attribute relay.strings of the module}}
  func.func @main(%x: tensor<2xi64>) -> (tensor<2xi64> {relay.is_string}) {
    return %x : tensor<2xi64>
  }
}

// -----

// expected-error @below {{expects an array of different strings as attribute relay.strings of the module}}
func.func @main(%x: tensor<2xi64> {relay.is_string}) -> tensor<2xi64> {
  return %x : tensor<2xi64>
}
