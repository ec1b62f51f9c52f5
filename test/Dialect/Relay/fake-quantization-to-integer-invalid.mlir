// RUN: relay-opt %s --relay-fake-quantization-to-integer=hard-fail=true --split-input-file --verify-diagnostics

func.func @no_form(%p: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  // expected-error @below {{'relay.nn.log_softmax' op expects an operator that can be computed in integers}}
  %1 = relay.nn.log_softmax %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-note @below {{its result is quantized here}}
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %2 : tensor<2x4xi8>
}

// -----

func.func @weight(%p: tensor<2x4xi8>) -> tensor<2x3xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %w = relay.constant dense<0.5> : tensor<3x4xf32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  // expected-error @below {{expects quantized data as operand 1, but got a constant of floats}}
  %1 = relay.nn.dense %0, %w : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xi8>
  return %2 : tensor<2x3xi8>
}

// -----

func.func @many_scales(%p: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %t = relay.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  // expected-error @below {{expects one scale and zero point where data is requantized, but got 'tensor<2xf32>' and 'tensor<i32>'}}
  %1 = relay.qnn.quantize %0, %t, %z {out_dtype = i8, axis = 0} : (tensor<2x4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2x4xi8>
  return %1 : tensor<2x4xi8>
}

// -----

// A type that no operator of qnn takes.
func.func @words(%p: tensor<2x4xui16>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xui16>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  // expected-error @+2 {{operand #0 must be}}
  // expected-error @below {{expects a valid form in integers}}
  %1 = relay.qnn.quantize %0, %s, %z {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %1 : tensor<2x4xi8>
}

// -----

// Maxima of what a negative scale turns around are minima.
func.func @negative(%p: tensor<4xi8>) -> tensor<4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %t = relay.constant dense<-0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  // expected-error @below {{expects scales that are positive and finite where it is computed in integers}}
  %0 = relay.qnn.dequantize %p, %t, %z {out_dtype = f32} : (tensor<4xi8>, tensor<f32>, tensor<i32>) -> tensor<4xf32>
  %1 = relay.nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = relay.qnn.quantize %1, %s, %z {out_dtype = i8} : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return %2 : tensor<4xi8>
}

// -----

func.func @zero_point(%p: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<200> : tensor<i32>
  %n = relay.constant dense<0> : tensor<i32>
  // expected-error @below {{expects zero points that 'i8' holds where it is computed in integers, but got 200}}
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = relay.qnn.quantize %1, %s, %n {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %2 : tensor<2x4xi8>
}

// -----

func.func @zero_point_of_result(%p: tensor<2x4xi8>) -> tensor<2x4xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %o = relay.constant dense<-129> : tensor<i32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  // expected-error @below {{expects zero points that 'i8' holds where it is computed in integers, but got -129}}
  %1 = relay.qnn.quantize %0, %s, %o {out_dtype = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return %1 : tensor<2x4xi8>
}

// -----

// Integers that stand for it would wrap in the sum.
func.func @infinite(%p: tensor<2x4xi8>, %w: tensor<3x4xi8>) -> tensor<2x3xi8> {
  %s = relay.constant dense<0.5> : tensor<f32>
  %z = relay.constant dense<0> : tensor<i32>
  %b = relay.constant dense<[1.0, 0x7F800000, 2.0]> : tensor<3xf32>
  %0 = relay.qnn.dequantize %p, %s, %z {out_dtype = f32} : (tensor<2x4xi8>, tensor<f32>, tensor<i32>) -> tensor<2x4xf32>
  %1 = relay.qnn.dequantize %w, %s, %z {out_dtype = f32} : (tensor<3x4xi8>, tensor<f32>, tensor<i32>) -> tensor<3x4xf32>
  %2 = relay.nn.dense %0, %1 : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  // expected-error @below {{expects constants that integers of 32 bits with a scale of 2.500000e-01 hold, but got}}
  %3 = relay.nn.bias_add %2, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = relay.qnn.quantize %3, %s, %z {out_dtype = i8} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xi8>
  return %4 : tensor<2x3xi8>
}
