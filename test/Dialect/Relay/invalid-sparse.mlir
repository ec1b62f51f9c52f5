// Operators on sparse tensors, on the wrong types.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<3x3xi32>, %a1: tensor<3xf32>, %a2: tensor<f32>) {
  // expected-error @below {{expects sparse_indices for 2 dimensions, but got 'tensor<3x3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sparse_to_dense %a0, %a1, %a2 {output_shape = [4, 5]} : (tensor<3x3xi32>, tensor<3xf32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x2xi32>, %a1: tensor<2xf32>, %a2: tensor<f32>) {
  // expected-error @below {{expects a value for each of 'tensor<3x2xi32>', but got 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sparse_to_dense %a0, %a1, %a2 {output_shape = [4, 5]} : (tensor<3x2xi32>, tensor<2xf32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%a0: tensor<3x2xi64>, %a1: tensor<3xi64>, %a2: tensor<3xi64>, %a3: tensor<i64>) {
  // expected-error @below {{expects sparse_indices (n, rank) for dense_shape 'tensor<3xi64>', but got 'tensor<3x2xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sparse_fill_empty_rows %a0, %a1, %a2, %a3 : (tensor<3x2xi64>, tensor<3xi64>, tensor<3xi64>, tensor<i64>) -> tuple<tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>>
  return
}

// -----

func.func @f(%a0: tensor<3x2xi64>, %a1: tensor<3xi64>, %a2: tensor<2xi64>, %a3: tensor<2xi64>) {
  // expected-error @below {{expects default_value to be a single value, but got 'tensor<2xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sparse_fill_empty_rows %a0, %a1, %a2, %a3 : (tensor<3x2xi64>, tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tuple<tensor<?x2xi64>, tensor<?xi64>, tensor<?xi64>>
  return
}

// -----

func.func @f(%a0: tensor<3xi64>, %a1: tensor<1xi64>, %a2: tensor<2xi64>) {
  // expected-error @below {{expects sparse_indices (n, rank) for prev_shape 'tensor<1xi64>', but got 'tensor<3xi64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.sparse_reshape %a0, %a1, %a2 : (tensor<3xi64>, tensor<1xi64>, tensor<2xi64>) -> tuple<tensor<3x2xi64>, tensor<2xi64>>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4x2xf32>, %a2: tensor<4xi32>, %a3: tensor<3xi32>) {
  // expected-error @below {{expects sparse data of rank 1 or 3, but got 'tensor<4x2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_dense %a0, %a1, %a2, %a3 : (tensor<2x3xf32>, tensor<4x2xf32>, tensor<4xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4xf64>, %a2: tensor<4xi32>, %a3: tensor<3xi32>) {
  // expected-error @below {{expects sparse data of element type 'f32', but got 'tensor<4xf64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_dense %a0, %a1, %a2, %a3 : (tensor<2x3xf32>, tensor<4xf64>, tensor<4xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x3x4xf32>, %a1: tensor<4xf32>, %a2: tensor<4xi32>, %a3: tensor<3xi32>) {
  // expected-error @below {{expects a dense matrix, but got 'tensor<2x3x4xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_dense %a0, %a1, %a2, %a3 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @f(%a0: tensor<4xf32>, %a1: tensor<3xi32>, %a2: tensor<3xi32>) {
  // expected-error @below {{expects an index for each element of 'tensor<4xf32>', but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_transpose %a0, %a1, %a2 : (tensor<4xf32>, tensor<3xi32>, tensor<3xi32>) -> tuple<tensor<4xf32>, tensor<3xi32>, tensor<3xi32>>
  return
}

// -----

func.func @f(%a0: tensor<2x3xf32>, %a1: tensor<4xf32>, %a2: tensor<4xi32>, %a3: tensor<4xi32>) {
  // expected-error @below {{expects a sparse matrix of 2 rows, but got 3}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_add %a0, %a1, %a2, %a3 : (tensor<2x3xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x4x4x3xf32>, %a1: tensor<4xf32>, %a2: tensor<4xi32>, %a3: tensor<4xi32>) {
  // expected-error @below {{expects kernel_size [1, 1] or [3, 3], but got [2, 2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_conv2d %a0, %a1, %a2, %a3 {kernel_size = [2, 2]} : (tensor<1x4x4x3xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x3xf32>
  return
}

// -----

func.func @f(%a0: tensor<1x4x4x3xf32>, %a1: tensor<4xf32>, %a2: tensor<4xi32>, %a3: tensor<4xi32>) {
  // expected-error @below {{expects layout to be one of NHWC, NCHW, but got NWHC}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.nn.sparse_conv2d %a0, %a1, %a2, %a3 {layout = "NWHC"} : (tensor<1x4x4x3xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) -> tensor<1x4x4x3xf32>
  return
}
