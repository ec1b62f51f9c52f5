// RUN: relay-opt %s --relay-quantize-calibrate --split-input-file --verify-diagnostics

func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %s = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects weights that are constants of f32, but got the input "input1"}}
  // expected-note @below {{fix its value (--input, inputs= in Python, relay-fix-inputs), or bind the parameters, before}}
  %0 = relay.relay.op.annotation.simulated_quantize %w, %s, %s, %s {kind = 2} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%w: tensor<4xf32>) -> tensor<4xf32> {
  %s = relay.constant dense<0.0> : tensor<f32>
  %e = relay.exp %w : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{expects weights that are constants of f32, but got one that is computed, of type 'tensor<4xf32>'}}
  %0 = relay.relay.op.annotation.simulated_quantize %e, %s, %s, %s {kind = 2} : (tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main() -> tensor<2xf16> {
  %s = relay.constant dense<0.0> : tensor<f32>
  %w = relay.constant dense<[1.0, 2.0]> : tensor<2xf16>
  // expected-error @below {{expects weights that are constants of f32, but got one of type 'tensor<2xf16>'}}
  // expected-note @below {{quantize the network in float32, as it was before its weights were made smaller}}
  %0 = relay.relay.op.annotation.simulated_quantize %w, %s, %s, %s {kind = 2} : (tensor<2xf16>, tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2xf16>
  return %0 : tensor<2xf16>
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
