// Elementwise operators that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

// Shapes must broadcast.
func.func @add(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error @below {{expects shapes that broadcast, but got (2, 3) and (2, 4)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.add %a0, %a1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Also behind a dynamic size.
func.func @add(%a0: tensor<?x3xf32>, %a1: tensor<4xf32>) {
  // expected-error @below {{expects shapes that broadcast, but got (?, 3) and (4)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.add %a0, %a1 : (tensor<?x3xf32>, tensor<4xf32>) -> tensor<?x3xf32>
  return
}

// -----

// Element types must be equal.
func.func @multiply(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>) {
  // expected-error @below {{expects operands of the same element type, but got 'f32' and 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.multiply %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @less(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>) {
  // expected-error @below {{expects operands of the same element type, but got 'f32' and 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.less %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

// A result cannot have another type than inference says.
func.func @exp(%a0: tensor<2x3xf32>) {
  // expected-error @below {{op inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.exp %a0 : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

// Comparisons give bools.
func.func @equal(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @below {{op inferred type(s) 'tensor<2x3xi1>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.equal %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Logical operators take bools.
func.func @logical_and(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = relay.logical_and %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logical_not(%a0: tensor<2x3xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = relay.logical_not %a0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Operators on bits take integers.
func.func @bitwise_and(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = relay.bitwise_and %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitwise_not(%a0: tensor<2x3xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of signless integer or unsigned integer values, but got 'tensor<2x3xf32>'}}
  %0 = relay.bitwise_not %a0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Tensors have a rank.
func.func @exp(%a0: tensor<*xf32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = relay.exp %a0 : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

// The branches of where have one element type.
func.func @where(%a0: tensor<2x3xi1>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xi32>) {
  // expected-error @below {{expects operands of the same element type, but got 'f32' and 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.where %a0, %a1, %a2 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

// The condition broadcasts too.
func.func @where(%a0: tensor<4xi1>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) {
  // expected-error @below {{expects shapes that broadcast, but got (2, 3) and (4)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.where %a0, %a1, %a2 : (tensor<4xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// A cast keeps the shape.
func.func @cast(%a0: tensor<2x3xf32>) {
  // expected-error @below {{op inferred type(s) 'tensor<2x3xi8>' are incompatible}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.cast %a0 {dtype = i8} : (tensor<2x3xf32>) -> tensor<3x2xi8>
  return
}

// -----

func.func @clip(%a0: tensor<2x3xf32>) {
  // expected-error @below {{op requires attribute 'a_max'}}
  %0 = relay.clip %a0 {a_min = 0.0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @fixed_point_multiply(%a0: tensor<2xi64>) {
  // expected-error @below {{op operand #0 must be ranked tensor of 32-bit signless integer values}}
  %0 = relay.fixed_point_multiply %a0 {multiplier = 1, shift = 0} : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

// A bias is as long as its axis.
// expected-note @below {{bias is defined here}}
func.func @nn_bias_add(%a0: tensor<1x4x2x2xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{op expects bias of length 4 to match axis 1 of data, but got length 3}}
  %0 = relay.nn.bias_add %a0, %a1 : (tensor<1x4x2x2xf32>, tensor<3xf32>) -> tensor<1x4x2x2xf32>
  return
}

// -----

func.func @nn_bias_add(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  %0 = relay.nn.bias_add %a0, %a1 {axis = 2} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @nn_bias_add(%a0: tensor<2x3xf32>, %a1: tensor<3xi32>) {
  // expected-error @below {{op expects bias of element type 'f32', but got 'i32'}}
  %0 = relay.nn.bias_add %a0, %a1 : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-note @below {{alpha is defined here}}
func.func @nn_prelu(%a0: tensor<1x4x2x2xf32>, %a1: tensor<3xf32>) {
  // expected-error @below {{op expects alpha of length 4 to match axis 1 of data, but got length 3}}
  %0 = relay.nn.prelu %a0, %a1 : (tensor<1x4x2x2xf32>, tensor<3xf32>) -> tensor<1x4x2x2xf32>
  return
}

// -----

func.func @assert_op(%x: tensor<2x3xf32>, %c: tensor<2xi8>) {
  // expected-error @below {{'relay.assert_op' op operand #1 must be ranked tensor of 1-bit signless integer values}}
  %0 = relay.assert_op %x, %c {message = "expects nothing"}
    : (tensor<2x3xf32>, tensor<2xi8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @string_map(%x: tensor<2xi64>) {
  // expected-error @below {{op failed to infer returned types}}
  // expected-error @below {{expects a function of strings, but got "reverse"}}
  %0 = relay.string_map %x {function = "reverse"}
    : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @string_map(%x: tensor<2xi64>) {
  // expected-error @below {{op failed to infer returned types}}
  // expected-error @below {{expects 2 operands for "concat", but got 1}}
  %0 = relay.string_map %x {function = "concat"}
    : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @string_map(%x: tensor<2xi64>) {
  // expected-error @below {{op failed to infer returned types}}
  // expected-error @below {{expects 1 or more params for "split_all", but got 0}}
  %0 = relay.string_map %x {function = "split_all"}
    : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @string_map(%x: tensor<2xi64>) {
  // expected-error @below {{op failed to infer returned types}}
  // expected-error @below {{expects 0 params for "characters", but got 1}}
  %0 = relay.string_map %x {function = "characters", params = [1]}
    : (tensor<2xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @string_map(%x: tensor<2xi64>, %y: tensor<3xi64>) {
  // expected-error @below {{op failed to infer returned types}}
  // expected-error @below {{expects operands of one shape, but got 'tensor<2xi64>' and 'tensor<3xi64>'}}
  %0 = relay.string_map %x, %y {function = "concat"}
    : (tensor<2xi64>, tensor<3xi64>) -> tensor<2xi64>
  return
}

// -----

func.func @string_map(%x: tensor<2xi32>) {
  // expected-error @below {{'relay.string_map' op operand #0 must be variadic of ranked tensor of 64-bit signless integer values}}
  %0 = relay.string_map %x {function = "format_int"}
    : (tensor<2xi32>) -> tensor<2xi32>
  return
}
