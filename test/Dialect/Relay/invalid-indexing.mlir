// Indexing and ordering that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @take(%a0: tensor<2x3xf32>, %a1: tensor<5xi64>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.take %a0, %a1 {axis = 2} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take(%a0: tensor<2x3xf32>, %a1: tensor<5xi64>) {
  // expected-error @below {{expects mode to be one of clip, wrap, fast, but got raise}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.take %a0, %a1 {axis = 0, mode = "raise"} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take(%a0: tensor<2x3xf32>, %a1: tensor<5xi64>) {
  // expected-error @below {{expects batch_dims up to axis 0 and the rank of indices, but got 1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.take %a0, %a1 {axis = 0, batch_dims = 1} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @take(%a0: tensor<2x3xf32>, %a1: tensor<5xf32>) {
  // expected-error @below {{op operand #1 must be ranked tensor of}}
  %0 = relay.take %a0, %a1 {axis = 0} : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather(%a0: tensor<2x3xf32>, %a1: tensor<5xi64>) {
  // expected-error @below {{expects indices of rank 2, but got 'tensor<5xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.gather %a0, %a1 {axis = 0} : (tensor<2x3xf32>, tensor<5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd(%a0: tensor<2x3xf32>, %a1: tensor<?x5xi64>) {
  // expected-error @below {{expects indices whose first size is static, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.gather_nd %a0, %a1 : (tensor<2x3xf32>, tensor<?x5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd(%a0: tensor<2x3xf32>, %a1: tensor<3x5xi64>) {
  // expected-error @below {{expects indices of at most 2 dimensions of data, but got 'tensor<3x5xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.gather_nd %a0, %a1 : (tensor<2x3xf32>, tensor<3x5xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x2xf32>) {
  // expected-error @below {{expects updates of shape (2, 1) as of indices, but got 'tensor<2x2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_elements %a0, %a1, %a2 {axis = 1} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a0: tensor<2x3xf32>, %a1: tensor<5xi64>, %a2: tensor<5xf32>) {
  // expected-error @below {{expects indices of rank 2, but got 'tensor<5xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_elements %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x1xi32>) {
  // expected-error @below {{expects updates of element type 'f32' as of data, but got 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_elements %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_elements(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x1xf32>) {
  // expected-error @below {{expects reduction to be one of update, add, mul, mean, min, max, but got sub}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_elements %a0, %a1, %a2 {reduction = "sub"} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd(%a0: tensor<2x3xf32>, %a1: tensor<1x5xi64>, %a2: tensor<5x2xf32>) {
  // expected-error @below {{expects updates of shape (5, 3), but got 'tensor<5x2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_nd %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<1x5xi64>, tensor<5x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd(%a0: tensor<2x3xf32>, %a1: tensor<3x5xi64>, %a2: tensor<5xf32>) {
  // expected-error @below {{expects indices whose first size is at most 2, but got 'tensor<3x5xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_nd %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<3x5xi64>, tensor<5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd(%a0: tensor<2x3xf32>, %a1: tensor<1x5xi64>, %a2: tensor<5x3xf32>) {
  // expected-error @below {{expects mode to be one of update, add, mul, min, max, but got mean}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.scatter_nd %a0, %a1, %a2 {mode = "mean"} : (tensor<2x3xf32>, tensor<1x5xi64>, tensor<5x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.cumsum %a0 {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sort(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sort %a0 {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @argsort(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.argsort %a0 {axis = 2} : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @topk(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects k up to 3, but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.topk %a0 {k = 4} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @topk(%a0: tensor<2x3xf32>) {
  // expected-error @below {{expects ret_type to be one of both, values, indices, but got all}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.topk %a0 {k = 1, ret_type = "all"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
