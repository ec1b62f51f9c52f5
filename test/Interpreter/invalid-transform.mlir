// RUN: relay-opt %s --load-pass-plugin=%relay_lib/RelayTestPasses%shlibext \
// RUN:   --pass-pipeline='builtin.module(test-relay-interpret)' \
// RUN:   --split-input-file --verify-diagnostics

// What only the data can get wrong in operators that follow shapes, search and
// have sparse operands.

func.func @collapse_sum_to() -> tensor<?x?xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3xf32>
  %s = relay.constant dense<[2, 2]> : tensor<2xi32>
  // expected-error @below {{expects a shape that broadcasts to 'tensor<2x3xf32>', but got 'tensor<2x2xf32>'}}
  %0 = relay.collapse_sum_to %x, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @adv_index() -> tensor<1xf32> {
  %x = relay.constant dense<1.0> : tensor<3xf32>
  %i = relay.constant dense<3> : tensor<1xi32>
  // expected-error @below {{expects indices in [-3, 3), but got 3}}
  %0 = relay.adv_index %x, %i : (tensor<3xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @invert_permutation() -> tensor<3xi32> {
  %x = relay.constant dense<[1, 0, 1]> : tensor<3xi32>
  // expected-error @below {{expects a permutation, but got 1 twice}}
  %0 = relay.invert_permutation %x : (tensor<3xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

func.func @unravel_index() -> tensor<2xi32> {
  %x = relay.constant dense<6> : tensor<i32>
  %s = relay.constant dense<[2, 3]> : tensor<2xi32>
  // expected-error @below {{expects indices in [0, 6), but got 6}}
  %0 = relay.unravel_index %x, %s : (tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @strided_set() -> tensor<4xf32> {
  %x = relay.constant dense<1.0> : tensor<4xf32>
  %v = relay.constant dense<2.0> : tensor<3xf32>
  %begin = relay.constant dense<0> : tensor<1xi32>
  %end = relay.constant dense<4> : tensor<1xi32>
  %step = relay.constant dense<2> : tensor<1xi32>
  // expected-error @below {{expects v that broadcasts to 'tensor<2xf32>', but got 'tensor<3xf32>'}}
  %0 = relay.strided_set %x, %v, %begin, %end, %step : (tensor<4xf32>, tensor<3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The map hits (0, 0) twice, which its range does not tell.
func.func @meta_schedule_layout_transform() -> tensor<4xf32> {
  %x = relay.constant dense<1.0> : tensor<4xf32>
  // expected-error @below {{expects a bijective index_map for 'tensor<4xf32>'}}
  %0 = relay.meta_schedule_layout_transform %x {index_map = affine_map<(i) -> ((i floordiv 3) * 3)>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @sparse_to_dense() -> tensor<2x2xf32> {
  %i = relay.constant dense<[[0, 2]]> : tensor<1x2xi32>
  %v = relay.constant dense<1.0> : tensor<1xf32>
  %f = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects indices in [0, 2), but got 2}}
  %0 = relay.sparse_to_dense %i, %v, %f {output_shape = [2, 2]} : (tensor<1x2xi32>, tensor<1xf32>, tensor<f32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @sparse_reshape() -> tuple<tensor<1x2xi64>, tensor<2xi64>> {
  %i = relay.constant dense<[[1]]> : tensor<1x1xi64>
  %p = relay.constant dense<6> : tensor<1xi64>
  %n = relay.constant dense<[4, -1]> : tensor<2xi64>
  // expected-error @below {{expects new_shape with the 6 elements of prev_shape, but got [4, -1]}}
  %0 = relay.sparse_reshape %i, %p, %n : (tensor<1x1xi64>, tensor<1xi64>, tensor<2xi64>) -> tuple<tensor<1x2xi64>, tensor<2xi64>>
  return %0 : tuple<tensor<1x2xi64>, tensor<2xi64>>
}

// -----

func.func @sparse_fill_empty_rows() -> tuple<tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>> {
  %i = relay.constant dense<[[3]]> : tensor<1x1xi64>
  %v = relay.constant dense<6> : tensor<1xi64>
  %s = relay.constant dense<3> : tensor<1xi64>
  // expected-error @below {{expects rows in [0, 3), but got 3}}
  %0 = relay.sparse_fill_empty_rows %i, %v, %s, %v : (tensor<1x1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tuple<tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>>
  return %0 : tuple<tensor<?x1xi64>, tensor<?xi64>, tensor<?xi64>>
}

// -----

func.func @sparse_dense() -> tensor<1x2xf32> {
  %x = relay.constant dense<1.0> : tensor<1x3xf32>
  %d = relay.constant dense<1.0> : tensor<2xf32>
  %i = relay.constant dense<[0, 3]> : tensor<2xi32>
  %p = relay.constant dense<[0, 1, 2]> : tensor<3xi32>
  // expected-error @below {{expects sparse indices in [0, 3), but got 3}}
  %0 = relay.nn.sparse_dense %x, %d, %i, %p : (tensor<1x3xf32>, tensor<2xf32>, tensor<2xi32>, tensor<3xi32>) -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

func.func @sparse_add() -> tensor<2x3xf32> {
  %x = relay.constant dense<1.0> : tensor<2x3xf32>
  %d = relay.constant dense<1.0> : tensor<2xf32>
  %i = relay.constant dense<[0, 1]> : tensor<2xi32>
  %p = relay.constant dense<[0, 2, 1]> : tensor<3xi32>
  // expected-error @below {{expects increasing positions up to 2 in indptr, but got [0, 2, 1]}}
  %0 = relay.nn.sparse_add %x, %d, %i, %p : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
