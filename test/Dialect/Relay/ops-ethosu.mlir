// Feature maps of the Ethos-U processor, in both layouts.
// RUN: relay-opt %s --relay-infer-types | FileCheck %s
// RUN: relay-opt %s | relay-opt --relay-infer-types | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: relay.contrib.ethosu.conv2d {{.*}} -> tensor<1x4x5x20xi8>
// CHECK: relay.contrib.ethosu.conv2d {{.*}} -> tensor<1x10x2x11x16xi8>
// CHECK: relay.contrib.ethosu.depthwise_conv2d {{.*}} -> tensor<1x?x4x20xi16>
// CHECK: relay.contrib.ethosu.pooling {{.*}} -> tensor<1x3x3x3xi8>
// CHECK: relay.contrib.ethosu.pooling {{.*}} -> tensor<1x6x7x1xi32>
// CHECK: relay.contrib.ethosu.identity {{.*}} -> tensor<1x6x7x3xi8>
// CHECK: relay.contrib.ethosu.unary_elementwise {{.*}} -> tensor<1x6x7x3xi8>
// CHECK: relay.contrib.ethosu.binary_elementwise {{.*}} -> tensor<1x6x1x7x16xi16>
func.func @main(%x: tensor<1x6x7x3xi8>, %b: tensor<1x6x1x7x16xi8>, %w: tensor<20x3x3x3xi8>, %sb: tensor<20x10xui8>, %lut: tensor<0xi8>, %d: tensor<1x?x6x20xui8>, %dw: tensor<20x2x3x1xi8>, %y: tensor<1x1x7x1xi8>)
    -> (tensor<?x?x?x?xi8>, tensor<?x?x?x?x?xi8>, tensor<?x?x?x?xi16>, tensor<?x?x?x?xi8>, tensor<?x?x?x?xi32>, tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>, tensor<?x?x?x?x?xi16>) {
  %0 = relay.contrib.ethosu.conv2d %x, %w, %sb, %lut {ifm_scale = 0.5, ifm_zero_point = 1, weight_zero_point = 0, ofm_scale = 0.25, ofm_zero_point = -1, ofm_channels = 20, kernel_shape = [3, 3]} : (tensor<1x6x7x3xi8>, tensor<20x3x3x3xi8>, tensor<20x10xui8>, tensor<0xi8>) -> tensor<?x?x?x?xi8>
  %1 = relay.contrib.ethosu.conv2d %b, %w, %sb, %lut {ifm_scale = 0.5, ifm_zero_point = 1, weight_zero_point = 0, ofm_scale = 0.25, ofm_zero_point = -1, upscale = "NEAREST", dilation = [1, 2], padding = [0, 1, 0, 0], ifm_layout = "NHCWB16", ofm_layout = "NHCWB16"} : (tensor<1x6x1x7x16xi8>, tensor<20x3x3x3xi8>, tensor<20x10xui8>, tensor<0xi8>) -> tensor<?x?x?x?x?xi8>
  %2 = relay.contrib.ethosu.depthwise_conv2d %d, %dw, %sb, %lut {ifm_scale = 0.5, ifm_zero_point = 1, weight_zero_point = 0, ofm_scale = 0.25, ofm_zero_point = -1, ofm_dtype = "int16"} : (tensor<1x?x6x20xui8>, tensor<20x2x3x1xi8>, tensor<20x10xui8>, tensor<0xi8>) -> tensor<?x?x?x?xi16>
  %3 = relay.contrib.ethosu.pooling %x, %lut {pooling_type = "MAX", ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pool_shape = [2, 3], strides = [2, 2], ofm_channels = 3, ofm_dtype = "int8"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<?x?x?x?xi8>
  %4 = relay.contrib.ethosu.pooling %x, %lut {pooling_type = "SUM", ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, pool_shape = [1, 1], ofm_channels = 1, ofm_dtype = "int32"} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<?x?x?x?xi32>
  %5 = relay.contrib.ethosu.identity %x, %lut {ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<?x?x?x?xi8>
  %6 = relay.contrib.ethosu.unary_elementwise %x, %lut {operator_type = "ABS", ifm_scale = 1.0, ifm_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, ofm_channels = 3} : (tensor<1x6x7x3xi8>, tensor<0xi8>) -> tensor<?x?x?x?xi8>
  %7 = relay.contrib.ethosu.binary_elementwise %x, %y, %lut {operator_type = "ADD", ifm_scale = 1.0, ifm_zero_point = 0, ifm2_scale = 1.0, ifm2_zero_point = 0, ofm_scale = 1.0, ofm_zero_point = 0, ifm_channels = 3, ifm2_channels = 1, ofm_dtype = "int16", ofm_layout = "NHCWB16"} : (tensor<1x6x7x3xi8>, tensor<1x1x7x1xi8>, tensor<0xi8>) -> tensor<?x?x?x?x?xi16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x?x?x?xi8>, tensor<?x?x?x?x?xi8>, tensor<?x?x?x?xi16>, tensor<?x?x?x?xi8>, tensor<?x?x?x?xi32>, tensor<?x?x?x?xi8>, tensor<?x?x?x?xi8>, tensor<?x?x?x?x?xi16>
}
