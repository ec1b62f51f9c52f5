// Loss functions that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @nn_cross_entropy(%a0: tensor<4x10xf32>, %a1: tensor<4x9xf32>) {
  // expected-error @below {{expects y of size 10 along dimension 1, but got 'tensor<4x9xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.cross_entropy %a0, %a1 : (tensor<4x10xf32>, tensor<4x9xf32>) -> tensor<f32>
  return
}

// -----

func.func @nn_cross_entropy_with_logits(%a0: tensor<4x10x2xf32>, %a1: tensor<4x10xf32>) {
  // expected-error @below {{expects x of rank 2, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.cross_entropy_with_logits %a0, %a1 : (tensor<4x10x2xf32>, tensor<4x10xf32>) -> tensor<f32>
  return
}

// -----

func.func @nn_nll_loss(%a0: tensor<4x10xf32>, %a1: tensor<4xi32>, %a2: tensor<9xf32>) {
  // expected-error @below {{expects weights of size 10 along dimension 0, but got 'tensor<9xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.nll_loss %a0, %a1, %a2 {ignore_index = 0} : (tensor<4x10xf32>, tensor<4xi32>, tensor<9xf32>) -> tensor<f32>
  return
}

// -----

func.func @nn_nll_loss(%a0: tensor<4x10x3xf32>, %a1: tensor<4xi32>, %a2: tensor<10xf32>) {
  // expected-error @below {{expects targets of rank 2, but got 'tensor<4xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.nll_loss %a0, %a1, %a2 {ignore_index = 0} : (tensor<4x10x3xf32>, tensor<4xi32>, tensor<10xf32>) -> tensor<f32>
  return
}

// -----

func.func @nn_nll_loss(%a0: tensor<4x10xf32>, %a1: tensor<4xi32>, %a2: tensor<10xf32>) {
  // expected-error @below {{expects reduction to be one of none, sum, mean, but got max}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.nll_loss %a0, %a1, %a2 {ignore_index = 0, reduction = "max"} : (tensor<4x10xf32>, tensor<4xi32>, tensor<10xf32>) -> tensor<f32>
  return
}
