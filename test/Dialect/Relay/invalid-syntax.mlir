// Text that is no operator.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @misspelt_attribute(%x: tensor<1x3x8x8xf32>) {
  // expected-error @below {{expects attributes of 'relay.nn.max_pool2d' (ceil_mode, dilation, layout, out_layout, padding, pool_size, strides), but got 'stride'}}
  %0 = relay.nn.max_pool2d %x {pool_size = [2, 2], stride = [2, 2]} : (tensor<1x3x8x8xf32>) -> tensor<1x3x7x7xf32>
  return
}

// -----

func.func @attribute_of_no_operator(%x: tensor<4xf32>) {
  // expected-error @below {{expects attributes of 'relay.exp' (), but got 'axis'}}
  %0 = relay.exp %x {axis = 1} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @mixed_list(%x: tensor<4x4xf32>) {
  // expected-error @below {{'relay.sum' op attribute 'axis' failed to satisfy constraint: i64 dense array attribute}}
  %0 = relay.sum %x {axis = [0, 1.0]} : (tensor<4x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @attribute_kind(%x: tensor<4x4xf32>) {
  // expected-error @below {{'relay.sum' op attribute 'keepdims' failed to satisfy constraint: bool attribute}}
  %0 = relay.sum %x {keepdims = "yes"} : (tensor<4x4xf32>) -> tensor<f32>
  return
}

// -----

func.func @missing_attribute(%x: tensor<1x3x8x8xf32>) {
  // expected-error @below {{'relay.nn.max_pool2d' op requires attribute 'pool_size'}}
  %0 = relay.nn.max_pool2d %x : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  return
}

// -----

func.func @operand_count(%x: tensor<4xf32>) {
  // expected-error @below {{number of operands and types do not match: got 2 operands and 1 types}}
  %0 = relay.exp %x, %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @operand_arity(%x: tensor<4xf32>) {
  // expected-error @below {{'relay.add' op expected 2 operands, but found 1}}
  %0 = relay.add %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_count(%x: tensor<4xf32>) {
  // expected-error @below {{'relay.exp' op requires one result}}
  relay.exp %x : (tensor<4xf32>) -> ()
  return
}

// -----

// An attribute of a dialect may be on any operator.
func.func @dialect_attribute(%x: tensor<4xf32>) {
  %0 = relay.exp %x {tir.block_name = "exp"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
