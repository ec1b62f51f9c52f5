// RUN: relay-opt %s --relay-quantize-calibrate --split-input-file --verify-diagnostics

func.func @main(%w: tensor<4xf32>) -> tensor<4xf32> {
  %s = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects a weight that is a constant of f32; bind the parameters, and fold constants, before}}
  %0 = relay.relay.op.annotation.simulated_quantize %w, %s, %s, %s {kind = 2} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main() -> tensor<2xf32> {
  %s = relay.constant dense<0.0> : tensor<f32>
  %w = relay.constant dense<[1.0, 0x7FC00000]> : tensor<2xf32>
  // expected-error @below {{expects a weight of finite numbers, but got}}
  %0 = relay.relay.op.annotation.simulated_quantize %w, %s, %s, %s {kind = 2} : (tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{expects a function @main}}
module {
}
