// RUN: relay-opt %s --relay-qnn-canonicalize --split-input-file --verify-diagnostics

func.func @requantize(%q: tensor<4xi32>, %from: tensor<f32>) -> tensor<4xi8> {
  %z = relay.constant dense<0> : tensor<i32>
  %to = relay.constant dense<0.75> : tensor<f32>
  // expected-error @below {{expects constant scales where code is made for it, but got values that are computed; bind them as parameters, or fold constants before}}
  %0 = relay.qnn.requantize %q, %from, %z, %to, %z {out_dtype = i8} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @zero(%q: tensor<4xi32>) -> tensor<4xi8> {
  %z = relay.constant dense<0> : tensor<i32>
  %from = relay.constant dense<0.75> : tensor<f32>
  %to = relay.constant dense<0.0> : tensor<f32>
  // expected-error @below {{expects an output_scale other than 0}}
  %0 = relay.qnn.requantize %q, %from, %z, %to, %z {out_dtype = i8} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = relay.constant dense<0> : tensor<i32>
  %s = relay.constant dense<0.75> : tensor<f32>
  // expected-error @below {{expects quantized integers, but got 'tensor<4xf32>'}}
  %0 = relay.qnn.add %x, %x, %s, %z, %s, %z, %s, %z : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
