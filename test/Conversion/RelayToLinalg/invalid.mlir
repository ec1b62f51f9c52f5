// RUN: relay-opt %s --pass-pipeline='builtin.module(func.func(convert-relay-to-linalg))' --split-input-file --verify-diagnostics

// Functions of real numbers have no integer form.
func.func @exp_of_integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'relay.exp' op has no lowering to linalg for these types and attributes}}
  %0 = relay.exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// The extent of the windows depends on the size.
func.func @adaptive_pool_of_dynamic_size(%x: tensor<1x2x?x5xf32>) -> tensor<1x2x3x3xf32> {
  // expected-error @+1 {{'relay.nn.adaptive_avg_pool2d' op has no lowering to linalg}}
  %0 = relay.nn.adaptive_avg_pool2d %x {output_size = [3, 3]} : (tensor<1x2x?x5xf32>) -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}

// -----

func.func @groups_of_dynamic_channels(%x: tensor<1x?x5x5xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32> {
  // expected-error @+1 {{'relay.nn.conv2d' op has no lowering to linalg}}
  %0 = relay.nn.conv2d %x, %w {groups = 2} : (tensor<1x?x5x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}
