// RUN: relay-opt %s --convert-linalg-to-tir --split-input-file --verify-diagnostics

// expected-error @below {{expects ranked tensors to become a kernel, but got 'f32'}}
func.func @scalar_argument(%x: f32) {
  return
}

// -----

func.func @no_start(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{expects a start value for the result that it updates, but got an empty tensor}}
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

func.func @no_conversion(%x: tensor<4xf32>, %s: tensor<2xindex>) -> tensor<2x2xf32> {
  // expected-error @below {{has no conversion to tir}}
  %0 = tensor.reshape %x(%s) : (tensor<4xf32>, tensor<2xindex>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @weight() -> tensor<1x2xf32> {
  // expected-error @below {{expects tensors that are not dense to be arguments of the function}}
  %0 = arith.constant dense_resource<w> : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}
