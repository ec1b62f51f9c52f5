// Reshapes and created tensors that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects newshape to divide the 24 elements of data, but got [5, -1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [5, -1]} : (tensor<2x3x4xf32>) -> tensor<5x?xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects newshape of 24 elements, but got [5, 5]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [5, 5]} : (tensor<2x3x4xf32>) -> tensor<5x5xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects at most one -1 in newshape, but got [-1, -1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [-1, -1]} : (tensor<2x3x4xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects a dimension of data for code 0 in newshape, but data is 'tensor<2x3x4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [24, 1, 1, 0]} : (tensor<2x3x4xf32>) -> tensor<24x1x1x1xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects a dimension of data for code -3 in newshape}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [6, 4, -3]} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects a split of 4 after -4 in newshape, but got [0, 0, -4, 3, 2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [0, 0, -4, 3, 2]} : (tensor<2x3x4xf32>) -> tensor<2x3x3x2xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects two values after -4 in newshape, but got [0, 0, -4, 2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [0, 0, -4, 2]} : (tensor<2x3x4xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @reshape(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects codes from -4 in newshape, but got -5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.reshape %a0 {newshape = [-5]} : (tensor<2x3x4xf32>) -> tensor<24xf32>
  return
}

// -----

func.func @expand_dims(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects axis in the range [-4, 4), but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.expand_dims %a0 {axis = 4} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @expand_dims(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects num_newaxis not to be negative, but got -1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.expand_dims %a0 {axis = 0, num_newaxis = -1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @expand_dims(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 8589934595}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.expand_dims %a0 {axis = 0, num_newaxis = 8589934592} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @squeeze(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects size 1 at axis 1, but got 'tensor<2x3x4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.squeeze %a0 {axis = [1]} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @nn_batch_flatten(%a0: tensor<f32>) {
  // expected-error @below {{expects data of rank 1 or more, but got 'tensor<f32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.batch_flatten %a0 : (tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @broadcast_to(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects a shape that 'tensor<2x3x4xf32>' broadcasts to, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.broadcast_to %a0 {shape = [2, 3, 5]} : (tensor<2x3x4xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @broadcast_to(%a0: tensor<2x3x4xf32>) {
  // expected-error @below {{expects a shape of rank 3 or more, but got [3, 4]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.broadcast_to %a0 {shape = [3, 4]} : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @full(%a0: tensor<f32>) {
  // expected-error @below {{expects sizes not to be negative, but got [-1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.full %a0 {shape = [-1]} : (tensor<f32>) -> tensor<?xf32>
  return
}

// -----

func.func @full_like(%a0: tensor<2x3x4xf32>, %a1: tensor<i32>) {
  // expected-error @below {{expects fill_value of element type 'f32' as of data, but got 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.full_like %a0, %a1 : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @arange(%a0: tensor<f32>, %a1: tensor<f32>, %a2: tensor<i64>) {
  // expected-error @below {{expects start, stop and step of type 'tensor<f32>', but got 'tensor<i64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.arange %a0, %a1, %a2 {dtype = f32} : (tensor<f32>, tensor<f32>, tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @one_hot(%a0: tensor<2xi32>, %a1: tensor<f32>, %a2: tensor<i64>) {
  // expected-error @below {{expects on_value and off_value of the same type, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.one_hot %a0, %a1, %a2 {depth = 3} : (tensor<2xi32>, tensor<f32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot(%a0: tensor<2xi32>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{expects depth not to be negative, but got -1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.one_hot %a0, %a1, %a2 {depth = -1} : (tensor<2xi32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @one_hot(%a0: tensor<2xf32>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{op operand #0 must be ranked tensor of}}
  %0 = relay.one_hot %a0, %a1, %a2 {depth = 3} : (tensor<2xf32>, tensor<f32>, tensor<f32>) -> tensor<2x3xf32>
  return
}
