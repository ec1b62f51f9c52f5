// Operators of the Ethos-U processor that make no sense.
// RUN: relay-opt %s --split-input-file --verify-diagnostics

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x9xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects scale_bias of type 'tensor<8x10xui8>', but got 'tensor<8x9xui8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x9xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x4xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects ifm of 3 channels (weight is 'tensor<8x3x3x3xi8>'), but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0} : (tensor<1x6x7x4xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects ifm_layout to be one of NHWC, NHCWB16, but got NCHW}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, ifm_layout = "NCHW"} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects ifm of rank 5 with bricks of 16 for the layout NHCWB16, but got 'tensor<1x6x7x3xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, ifm_layout = "NHCWB16"} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects ofm_channels 8 as of weight, but got 7}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, ofm_channels = 7} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects kernel_shape [3, 3] as of weight, but got [3, 2]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, kernel_shape = [3, 2]} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects padded data of at least 7 along spatial dimension 0, but got 6}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, dilation = [3, 1]} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects 4 padding values that are not negative, but got [1, 1]}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, padding = [1, 1]} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_conv2d(%a0: tensor<1x6x7x3xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects activation to be one of NONE, CLIP, TANH, SIGMOID, LUT, but got RELU}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0, activation = "RELU"} : (tensor<1x6x7x3xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_depthwise_conv2d(%a0: tensor<1x6x7x8xi8>, %a1: tensor<8x3x3x3xi8>, %a2: tensor<8x10xui8>, %a3: tensor<0xi8>) {
  // expected-error @below {{expects weight with a last size of 1, but got 'tensor<8x3x3x3xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.depthwise_conv2d %a0, %a1, %a2, %a3 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, weight_zero_point = 0} : (tensor<1x6x7x8xi8>, tensor<8x3x3x3xi8>, tensor<8x10xui8>, tensor<0xi8>) -> tensor<1x4x5x8xi8>
  return
}

// -----

func.func @contrib_ethosu_pooling(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects pooling_type to be one of AVG, MAX, SUM, but got MIN}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.pooling %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pooling_type = "MIN", pool_shape = [2, 2], ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x5x6x3xi8>
  return
}

// -----

func.func @contrib_ethosu_pooling(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects ifm and ofm_dtype of one type of at most 16 bits, but got 'i8' and 'i16'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.pooling %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pooling_type = "MAX", pool_shape = [2, 2], ofm_dtype = "int16"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x5x6x3xi16>
  return
}

// -----

func.func @contrib_ethosu_pooling(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects ofm_dtype int32 for SUM, but got int8}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.pooling %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pooling_type = "SUM", pool_shape = [1, 1], ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x1xi8>
  return
}

// -----

func.func @contrib_ethosu_pooling(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects pool_shape, but got none}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.pooling %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pooling_type = "MAX", ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x5x6x3xi8>
  return
}

// -----

func.func @contrib_ethosu_identity(%a0: tensor<1x1x1x1x1xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects ifm of at most 4 dimensions, but got 'tensor<1x1x1x1x1xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.identity %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0} : (tensor<1x1x1x1x1xi8>, tensor<0xi8>) -> tensor<1x1x1x1x1xi8>
  return
}

// -----

func.func @contrib_ethosu_unary_elementwise(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects ifm of 32 bits for CLZ, but got 'i8'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.unary_elementwise %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, operator_type = "CLZ", ofm_channels = 3} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi8>
  return
}

// -----

func.func @contrib_ethosu_unary_elementwise(%a0: tensor<1x6x7x3xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects 3 channels as of ifm, but got 4}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.unary_elementwise %a0, %a1 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, operator_type = "ABS", ofm_channels = 4} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi8>
  return
}

// -----

func.func @contrib_ethosu_binary_elementwise(%a0: tensor<1x6x7x3xi8>, %a1: tensor<1x2x7x3xi8>, %a2: tensor<0xi8>) {
  // expected-error @below {{expects sizes of ifm2 that are 1 or those of ifm, but got 'tensor<1x2x7x3xi8>' and 'tensor<1x6x7x3xi8>'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.binary_elementwise %a0, %a1, %a2 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, ifm2_scale = 1.0, ifm2_zero_point = 0, operator_type = "ADD", ifm_channels = 3, ifm2_channels = 3, ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<1x2x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi8>
  return
}

// -----

func.func @contrib_ethosu_binary_elementwise(%a0: tensor<1x6x7x3xi8>, %a1: tensor<1x6x7x3xi8>, %a2: tensor<0xi8>) {
  // expected-error @below {{expects ifm and ofm_dtype of int32 for SHL, but got 'i8' and 'i32'}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.binary_elementwise %a0, %a1, %a2 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, ifm2_scale = 1.0, ifm2_zero_point = 0, operator_type = "SHL", ifm_channels = 3, ifm2_channels = 3, ofm_dtype = "int32"} : (tensor<1x6x7x3xi8>, tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi32>
  return
}

// -----

func.func @contrib_ethosu_binary_elementwise(%a0: tensor<1x6x7x3xi8>, %a1: tensor<1x6x7x3xi8>, %a2: tensor<0xi8>) {
  // expected-error @below {{expects operator_type to be one of ADD, SUB, MUL, MIN, MAX, SHR, SHL, but got DIV}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.binary_elementwise %a0, %a1, %a2 {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, ifm2_scale = 1.0, ifm2_zero_point = 0, operator_type = "DIV", ifm_channels = 3, ifm2_channels = 3, ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<1x6x7x3xi8>
  return
}

// -----

func.func @pooling(%a0: tensor<1x6x7x?xi8>, %a1: tensor<0xi8>) {
  // expected-error @below {{expects positive ofm_channels, but got -3}}
  // expected-error @below {{op failed to infer returned types}}
  %0 = relay.contrib.ethosu.pooling %a0, %a1 {pooling_type = "MAX", ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pool_shape = [2, 2], ofm_channels = -3, ofm_dtype = "int8"} : (tensor<1x6x7x?xi8>, tensor<0xi8>) -> tensor<1x5x6x?xi8>
  return
}
