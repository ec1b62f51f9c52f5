// Quantised operators that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @quantize(%a0: tensor<2x3xf32>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error @below {{expects out_dtype to be one of 'i8', 'ui8', 'i16', 'ui16', 'i32', but got 'i64'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.quantize %a0, %a1, %a2 {out_dtype = i64} : (tensor<2x3xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xi64>
  return
}

// -----

func.func @quantize(%a0: tensor<2x3xf32>, %a1: tensor<2xf32>, %a2: tensor<i32>) {
  // expected-error @below {{expects output_scale to be a scalar or a vector of 3 elements, but got 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.quantize %a0, %a1, %a2 {out_dtype = i8} : (tensor<2x3xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @quantize(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>, %a2: tensor<i32>) {
  // expected-error @below {{expects axis in the range [-2, 2), but got 2}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.quantize %a0, %a1, %a2 {out_dtype = i8, axis = 2} : (tensor<2x3xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @quantize(%a0: tensor<2x3xf32>, %a1: tensor<1x3xf32>, %a2: tensor<i32>) {
  // expected-error @below {{expects output_scale to be a scalar or a vector of 3 elements, but got 'tensor<1x3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.quantize %a0, %a1, %a2 {out_dtype = i8} : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<i32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @quantize(%a0: tensor<2x3xi8>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 32-bit float values, but got 'tensor<2x3xi8>'}}
  %0 = relay.qnn.quantize %a0, %a1, %a2 {out_dtype = i8} : (tensor<2x3xi8>, tensor<f32>, tensor<i32>) -> tensor<2x3xi8>
  return
}

// -----

func.func @dequantize(%a0: tensor<2x3xi8>, %a1: tensor<f32>, %a2: tensor<i32>) {
  // expected-error @below {{expects out_dtype to be one of 'f16', 'f32', but got 'f64'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.dequantize %a0, %a1, %a2 {out_dtype = f64} : (tensor<2x3xi8>, tensor<f32>, tensor<i32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @requantize(%a0: tensor<4xi32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects out_dtype to be one of 'i8', 'ui8', 'i16', 'i32', but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.requantize %a0, %a1, %a2, %a3, %a4 : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @requantize(%a0: tensor<4xi32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects rounding to be one of None, UPWARD, TONEAREST, TOEVEN, but got DOWN}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.requantize %a0, %a1, %a2, %a3, %a4 {out_dtype = i8, rounding = "DOWN"} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @requantize(%a0: tensor<4xi32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects compute_dtype to be one of None, int64, float32, float64, but got int8}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.requantize %a0, %a1, %a2, %a3, %a4 {out_dtype = i8, compute_dtype = "int8"} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @requantize(%a0: tensor<4xi32>, %a1: tensor<f32>, %a2: tensor<3xi32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects input_zero_point to be a scalar or a vector of 4 elements, but got 'tensor<3xi32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.requantize %a0, %a1, %a2, %a3, %a4 {out_dtype = i8} : (tensor<4xi32>, tensor<f32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @requantize(%a0: tensor<4xi32>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<4xf32>, %a4: tensor<i32>) {
  // expected-error @below {{operand #3 must be 0D tensor of 32-bit float values, but got 'tensor<4xf32>'}}
  %0 = relay.qnn.requantize %a0, %a1, %a2, %a3, %a4 {out_dtype = i8} : (tensor<4xi32>, tensor<f32>, tensor<i32>, tensor<4xf32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @simulated_quantize(%a0: tensor<4xf32>, %a1: tensor<i32>, %a2: tensor<2x2xf32>, %a3: tensor<i32>) {
  // expected-error @below {{expects a scalar or a vector for scale and zero point, but got 'tensor<2x2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.simulated_quantize %a0, %a1, %a2, %a3 : (tensor<4xf32>, tensor<i32>, tensor<2x2xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @add(%a0: tensor<4xi8>, %a1: tensor<4xui8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error @below {{expects operands of the same element type, but got}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4xi8>, tensor<4xui8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @add(%a0: tensor<4xi8>, %a1: tensor<3xi8>, %a2: tensor<f32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error @below {{expects shapes that broadcast, but got (4) and (3)}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 : (tensor<4xi8>, tensor<3xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @add(%a0: tensor<2x4xi8>, %a1: tensor<4xi8>, %a2: tensor<2xf32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error @below {{expects lhs_scale to be a scalar or a vector of 4 elements, but got 'tensor<2xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.add %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {lhs_axis = 1} : (tensor<2x4xi8>, tensor<4xi8>, tensor<2xf32>, tensor<i32>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @mul(%a0: tensor<4x4xi8>, %a1: tensor<4x4xi8>, %a2: tensor<4xf32>, %a3: tensor<i32>, %a4: tensor<4xf32>, %a5: tensor<i32>, %a6: tensor<f32>, %a7: tensor<i32>) {
  // expected-error @below {{op expects lhs_axis and rhs_axis to be one dimension where both scales are vectors, but got 0 and -1}}
  %0 = relay.qnn.mul %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7 {lhs_axis = 0} : (tensor<4x4xi8>, tensor<4x4xi8>, tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4x4xi8>
  return
}

// -----

func.func @tanh(%a0: tensor<4xi16>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{operand #0 must be ranked tensor of 8-bit signless integer or 8-bit unsigned integer values, but got 'tensor<4xi16>'}}
  %0 = relay.qnn.tanh %a0, %a1, %a2, %a3, %a4 : (tensor<4xi16>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi16>
  return
}

// -----

func.func @softmax(%a0: tensor<4xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects axis in the range [-1, 1), but got 1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.softmax %a0, %a1, %a2, %a3, %a4 {axis = 1} : (tensor<4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<4xi8>
  return
}

// -----

func.func @concatenate(%a0: tuple<tensor<2xi8>, tensor<3xi8>>, %a1: tuple<tensor<f32>>, %a2: tuple<tensor<i32>, tensor<i32>>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects 2 input_scales, but got 1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.concatenate %a0, %a1, %a2, %a3, %a4 : (tuple<tensor<2xi8>, tensor<3xi8>>, tuple<tensor<f32>>, tuple<tensor<i32>, tensor<i32>>, tensor<f32>, tensor<i32>) -> tensor<5xi8>
  return
}

// -----

func.func @concatenate(%a0: tuple<tensor<2xi8>, tensor<3xui8>>, %a1: tuple<tensor<f32>, tensor<f32>>, %a2: tuple<tensor<i32>, tensor<i32>>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects tensors of one rank and element type, but got 'tensor<2xi8>' and 'tensor<3xui8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.concatenate %a0, %a1, %a2, %a3, %a4 : (tuple<tensor<2xi8>, tensor<3xui8>>, tuple<tensor<f32>, tensor<f32>>, tuple<tensor<i32>, tensor<i32>>, tensor<f32>, tensor<i32>) -> tensor<5xi8>
  return
}

// -----

func.func @concatenate(%a0: tuple<tensor<2x2xi8>, tensor<3x3xi8>>, %a1: tuple<tensor<f32>, tensor<f32>>, %a2: tuple<tensor<i32>, tensor<i32>>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects tensors that agree in all dimensions but axis 0, but got 'tensor<2x2xi8>' and 'tensor<3x3xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.concatenate %a0, %a1, %a2, %a3, %a4 : (tuple<tensor<2x2xi8>, tensor<3x3xi8>>, tuple<tensor<f32>, tensor<f32>>, tuple<tensor<i32>, tensor<i32>>, tensor<f32>, tensor<i32>) -> tensor<5x2xi8>
  return
}

// -----

func.func @concatenate(%a0: tuple<tensor<2xi8>>, %a1: tuple<tensor<f32>>, %a2: tuple<tensor<i64>>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects input_zero_points of type 'tensor<i32>', but got 'tensor<i64>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.concatenate %a0, %a1, %a2, %a3, %a4 : (tuple<tensor<2xi8>>, tuple<tensor<f32>>, tuple<tensor<i64>>, tensor<f32>, tensor<i32>) -> tensor<2xi8>
  return
}

// -----

func.func @avg_pool2d(%a0: tensor<1x1x4x4xi8>, %a1: tensor<f32>, %a2: tensor<i32>, %a3: tensor<f32>, %a4: tensor<i32>) {
  // expected-error @below {{expects padded data of at least 5 along dimension 2, but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.avg_pool2d %a0, %a1, %a2, %a3, %a4 {pool_size = [5, 1]} : (tensor<1x1x4x4xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>) -> tensor<1x1x1x4xi8>
  return
}

// -----

func.func @conv2d(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x2x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects 2 input channels (weight is 'tensor<4x2x3x3xi8>', groups is 1), but got 3 (data is 'tensor<1x3x8x8xui8>')}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<1x3x8x8xui8>, tensor<4x2x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xi32>
  return
}

// -----

func.func @conv2d(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects out_dtype to be one of 'i16', 'i32', 'i64', but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xi32>
  return
}

// -----

func.func @conv2d(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<3xf32>) {
  // expected-error @below {{expects weight_scale to be a scalar or a vector of 4 elements, but got 'tensor<3xf32>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<3xf32>) -> tensor<1x4x6x6xi32>
  return
}

// -----

func.func @conv2d(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects data_layout of the letters NCHW, but got "NCWX"}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32, data_layout = "NCWX"} : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x4x6x6xi32>
  return
}

// -----

func.func @conv2d(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<f32>, %a3: tensor<f32>, %a4: tensor<i32>, %a5: tensor<i32>) {
  // expected-error @below {{operand #2 must be 0D tensor of 32-bit signless integer values, but got 'tensor<f32>'}}
  %0 = relay.qnn.conv2d %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6x6xi32>
  return
}

// -----

func.func @conv2d_transpose(%a0: tensor<1x3x8x8xui8>, %a1: tensor<4x3x3x3xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects 4 input channels}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.conv2d_transpose %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1x3x10x10xi32>
  return
}

// -----

func.func @dense(%a0: tensor<2x8xi8>, %a1: tensor<4x7xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects a reduced size of 7 (weight is 'tensor<4x7xi8>'), but got 8 (data is 'tensor<2x8xi8>')}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 {units = 4, out_dtype = i32} : (tensor<2x8xi8>, tensor<4x7xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @dense(%a0: tensor<2x8xi8>, %a1: tensor<4x8xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects units 4 as of weight, but got 5}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 {units = 5, out_dtype = i32} : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x5xi32>
  return
}

// -----

func.func @dense(%a0: tensor<2x8xi8>, %a1: tensor<4x8xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects out_dtype to be one of 'i32', 'i64', but got 'i16'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.dense %a0, %a1, %a2, %a3, %a4, %a5 {units = 4, out_dtype = i16} : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4xi16>
  return
}

// -----

func.func @contrib_dense_pack(%a0: tensor<2x8xi8>, %a1: tensor<4x8xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects weight of rank 4, but got 'tensor<4x8xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.contrib_dense_pack %a0, %a1, %a2, %a3, %a4, %a5 {units = 4, out_dtype = i32} : (tensor<2x8xi8>, tensor<4x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @contrib_dense_pack(%a0: tensor<2x8xi8>, %a1: tensor<2x2x2x4xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects weight_layout NC, or NC2n4c as of weight, but got NC4n2c}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.contrib_dense_pack %a0, %a1, %a2, %a3, %a4, %a5 {units = 4, out_dtype = i32, weight_layout = "NC4n2c"} : (tensor<2x8xi8>, tensor<2x2x2x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x4xi32>
  return
}

// -----

func.func @batch_matmul(%a0: tensor<2x3x4xi8>, %a1: tensor<2x3x4xi8>, %a2: tensor<i32>, %a3: tensor<i32>, %a4: tensor<f32>, %a5: tensor<f32>) {
  // expected-error @below {{expects equal sizes to sum over, but got 'tensor<2x3x4xi8>' and 'tensor<2x3x4xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.batch_matmul %a0, %a1, %a2, %a3, %a4, %a5 {out_dtype = i32} : (tensor<2x3x4xi8>, tensor<2x3x4xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x3x4xi32>
  return
}

// -----

func.func @dense(%a0: tensor<2x8xi8>, %a1: tensor<?x8xi8>, %a2: tensor<i32>, %a3: tensor<f32>) {
  // expected-error @below {{expects units not to be negative, but got -1}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.qnn.dense %a0, %a1, %a2, %a2, %a3, %a3 {units = -1, out_dtype = i32} : (tensor<2x8xi8>, tensor<?x8xi8>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<2x?xi32>
  return
}
