// Constants, tuples, calls and attributes that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @constant_vector() {
  // expected-error @below {{op result #0 must be ranked tensor of}}
  %0 = "relay.constant"() {value = dense<1.0> : vector<2xf32>} : () -> vector<2xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{op inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = "relay.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @index(%t: tuple<tensor<2xf32>>) {
  // expected-error @below {{expects index in the range [0, 1), but got 1}}
  %0 = relay.tuple_get_item %t[1] : tuple<tensor<2xf32>>
  return
}

// -----

func.func @negative_index(%t: tuple<tensor<2xf32>>) {
  // expected-error @below {{expects index in the range [0, 1), but got -1}}
  %0 = relay.tuple_get_item %t[-1] : tuple<tensor<2xf32>>
  return
}

// -----

func.func @no_callee(%x: tensor<2xf32>) {
  // expected-error @below {{op expects the name of a function, but got 'nowhere'}}
  %0 = relay.call @nowhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-note @below {{the function is defined here}}
func.func private @callee(tensor<2xf32>) -> tensor<2xf32>
func.func @argument_types(%x: tensor<3xf32>) {
  // expected-error @below {{op expects arguments of types ('tensor<2xf32>'), but got ('tensor<3xf32>')}}
  %0 = relay.call @callee(%x) : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-note @below {{the function is defined here}}
func.func private @callee(tensor<2xf32>) -> tensor<2xf32>
func.func @result_types(%x: tensor<2xf32>) {
  // expected-error @below {{op expects results of types ('tensor<2xf32>'), but got ('tensor<2xf32>', 'tensor<2xf32>')}}
  %0:2 = relay.call @callee(%x) : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @primitive_operation(%x: tensor<2xf32>) {
  // expected-error @below {{op expects 'relay.primitive' on a function only}}
  %0 = relay.exp %x {relay.primitive} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// expected-error @below {{op expects 'relay.primitive' to be a unit attribute, but got 1 : i64}}
func.func private @primitive_value() attributes {relay.primitive = 1 : i64}
