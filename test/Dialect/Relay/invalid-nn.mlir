// Matrix products and normalisations that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @nn_dense(%a0: tensor<2x8xf32>, %a1: tensor<4x7xf32>) {
  // expected-error @below {{expects a reduced size of 7 (second operand is 'tensor<4x7xf32>'), but got 8 (first operand is 'tensor<2x8xf32>')}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.dense %a0, %a1 : (tensor<2x8xf32>, tensor<4x7xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @nn_dense(%a0: tensor<2x8xf32>, %a1: tensor<4x8xf32>) {
  // expected-error @below {{expects units 4 as of the second operand, but got 5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.dense %a0, %a1 {units = 5} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @nn_dense(%a0: tensor<2x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @below {{expects the second operand to be of rank 2, but got 'tensor<8xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.dense %a0, %a1 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @nn_matmul(%a0: tensor<2x8xf32>, %a1: tensor<8x4xf64>) {
  // expected-error @below {{expects operands of the same element type, or of bytes, but got 'f32' and 'f64'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.matmul %a0, %a1 : (tensor<2x8xf32>, tensor<8x4xf64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @nn_matmul(%a0: tensor<f32>, %a1: tensor<8x4xf32>) {
  // expected-error @below {{expects the first operand to be a matrix, but got 'tensor<f32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.matmul %a0, %a1 : (tensor<f32>, tensor<8x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @nn_batch_matmul(%a0: tensor<2x8xf32>, %a1: tensor<8x4xf32>) {
  // expected-error @below {{expects operands of rank 3, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_matmul %a0, %a1 : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @nn_batch_matmul(%a0: tensor<5x2x8xf32>, %a1: tensor<5x4x8xf32>) {
  // expected-error @below {{expects a reduced size of 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_matmul %a0, %a1 : (tensor<5x2x8xf32>, tensor<5x4x8xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @nn_batch_matmul(%a0: tensor<5x2x8xf32>, %a1: tensor<3x8x4xf32>) {
  // expected-error @below {{expects shapes that broadcast, but got (5) and (3)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_matmul %a0, %a1 : (tensor<5x2x8xf32>, tensor<3x8x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @nn_softmax(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  %0 = relay.nn.softmax %a0 {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @nn_log_softmax(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got -3}}
  %0 = relay.nn.log_softmax %a0 {axis = -3} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-note @below {{gamma is defined here}}
func.func @nn_layer_norm(%a0: tensor<2x3xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>) {
  // expected-error @below {{op expects gamma of length 3 to match axis -1 of data, but got length 4}}
  %0 = relay.nn.layer_norm %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-note @below {{beta is defined here}}
func.func @nn_instance_norm(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>) {
  // expected-error @below {{op expects beta of length 4 to match axis 1 of data, but got length 3}}
  %0 = relay.nn.instance_norm %a0, %a1, %a2 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_group_norm(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) {
  // expected-error @below {{op expects num_groups to divide the 4 channels, but got 3}}
  %0 = relay.nn.group_norm %a0, %a1, %a2 {num_groups = 3} : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_batch_norm(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4xf32>, %a2: tensor<3xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @below {{expects beta of type 'tensor<4xf32>', but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_norm %a0, %a1, %a2, %a3, %a4 : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>>
  return
}

// -----

func.func @nn_l2_normalize(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.l2_normalize %a0 {axis = [2], eps = 1.0e-5} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @nn_lrn(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects axis in the range [-4, 4), but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.lrn %a0 {axis = 4} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @nn_lrn(%a0: tensor<1x4x8x8xf32>) {
  // expected-error @below {{expects a positive size, but got 0}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.lrn %a0 {size = 0} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}
