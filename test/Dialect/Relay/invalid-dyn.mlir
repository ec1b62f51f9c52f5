// Operators with shapes for operands, on the wrong types.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<?xi32>) {
  // expected-error @below {{expects newshape to be a vector of static size, but got 'tensor<?xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.reshape %a0, %a1 : (tensor<2x3xf32>, tensor<?xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects axis to be a single value, but got 'tensor<2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.expand_dims %a0, %a1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects up to 1 axes, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.squeeze %a0, %a1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<f32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<1xi32>) {
  // expected-error @below {{expects a shape of rank 2 or more, but got rank 1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.broadcast_to %a0, %a1 : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x2xi32>) {
  // expected-error @below {{expects shape to be a vector of static size, but got 'tensor<1x2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.zeros %a0 {dtype = f32} : (tensor<1x2xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xi32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<i32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.one_hot %a0, %a1, %a2, %a3 {axis = 2} : (tensor<2xi32>, tensor<f32>, tensor<f32>, tensor<i32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x2xi32>, %a1: tensor<2xf32>, %a2: tensor<i32>, %a3: tensor<2xi32>) {
  // expected-error @below {{expects default_value of element type 'f32' as of data, but got 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.sparse_to_dense %a0, %a1, %a2, %a3 : (tensor<2x2xi32>, tensor<2xf32>, tensor<i32>, tensor<2xi32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<2xi32>, %a2: tensor<2xi32>, %a3: tensor<2xi32>) {
  // expected-error @below {{expects at most 1 values in begin, but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.strided_slice %a0, %a1, %a2, %a3 : (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<1xi32>, %a2: tensor<1xi32>, %a3: tensor<2xi32>) {
  // expected-error @below {{expects begin, end and strides of one size, but got 1 and 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.strided_slice %a0, %a1, %a2, %a3 : (tensor<2xf32>, tensor<1xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<1xi32>, %a2: tensor<1xi32>, %a3: tensor<1xi32>) {
  // expected-error @below {{expects 1 values in axes, but got [0, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.strided_slice %a0, %a1, %a2, %a3 {axes = [0, 1]} : (tensor<2xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<3x2xi32>, %a2: tensor<f32>) {
  // expected-error @below {{expects pad_width of shape (2, 2), but got 'tensor<3x2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.nn.pad %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<3x2xi32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<2xi32>) {
  // expected-error @below {{expects k to be a single value, but got 'tensor<2xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.topk %a0, %a1 : (tensor<2x3xf32>, tensor<2xi32>) -> tuple<tensor<2x?xf32>, tensor<2x?xi32>>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<f32>, %a2: tensor<f32>) {
  // expected-error @below {{expects data of rank 4, but got 'tensor<2x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.nn.upsampling %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x1x1x1x1xf32>, %a1: tensor<f32>, %a2: tensor<f32>, %a3: tensor<f32>) {
  // expected-error @below {{expects method to be one of nearest_neighbor, trilinear, but got cubic}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.nn.upsampling3d %a0, %a1, %a2, %a3 {method = "cubic"} : (tensor<1x1x1x1x1xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<1x1x?x?x?xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x1x1x1xf32>, %a1: tensor<3xi32>, %a2: tensor<4xf32>) {
  // expected-error @below {{expects size of shape 2, but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.image.resize2d %a0, %a1, %a2 : (tensor<1x1x1x1xf32>, tensor<3xi32>, tensor<4xf32>) -> tensor<1x1x?x?xf32>
  return
}

// -----

// The rank of a result is the length of an operand, which may be any.
func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<8589934592xi64>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 8589934592}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.reshape %a0, %a1 : (tensor<2x3xf32>, tensor<8589934592xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<8589934592xi64>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 8589934592}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.broadcast_to %a0, %a1 : (tensor<2x3xf32>, tensor<8589934592xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<8589934592xi64>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 8589934592}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.tile %a0, %a1 : (tensor<2x3xf32>, tensor<8589934592xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<8589934592xi64>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 8589934592}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.full %a0, %a1 : (tensor<f32>, tensor<8589934592xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @f(%a0: tensor<2xf32>, %a1: tensor<i32>) {
  // expected-error @below {{expects tensors of at most 64 dimensions, but got 9223372036854775807}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.dyn.expand_dims %a0, %a1 {num_newaxis = 9223372036854775807} : (tensor<2xf32>, tensor<i32>) -> tensor<?xf32>
  return
}
