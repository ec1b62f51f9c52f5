//===- RelayEthosuOps.td - Ethos-U operators ---------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYETHOSUOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYETHOSUOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Shared parts
//===----------------------------------------------------------------------===//

/// What an operator of the Ethos-U neural processor computes: from feature maps
/// in the layout NHWC or NHCWB16 (N, H, C / 16, W, 16; C is rounded up) another
/// one. A feature map holds q, which stands for scale * (q - zero_point).
class Relay_EthosuOperator<string name, string what, string how, dag args>
    : Relay_Operator<"contrib.ethosu." # name, "Opaque"> {
  let summary = what # " of the Ethos-U processor";
  let description = how # [{
    A real number becomes an integer by `rounding_mode`: TFL to the nearest,
    halves away from zero, NATURAL to the nearest, halves up, TRUNCATE towards
    zero. It is clipped to the range of its type, or with the `activation` CLIP
    to that of `clip_min` and `clip_max`; with TANH, SIGMOID and LUT it is then
    replaced by its entry in `lut`, which begins with that of the type's
    smallest value.
  }] # example;
  let arguments = args;
}

class Relay_EthosuStr<string value> : Relay_DefaultStr<value>;
def Relay_EthosuMap : RankedTensorOf<[I8, UI8, I16, I32]>;
def Relay_EthosuMap8 : RankedTensorOf<[I8, UI8]>;
def Relay_EthosuLut : RankedTensorOf<[I8, UI8, I16, I32]>;

defvar upscaling = [{
    `upscale` doubles height and width first: NEAREST repeats each value, ZEROS
    puts zeros after it.
}];

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

defvar accumulator = [{
    The sum over the window of (ifm - ifm_zero_point) * (weight -
    weight_zero_point), plus the channel's bias, is multiplied by the channel's
    scale / 2^shift; ofm_zero_point is added. Each row of `scale_bias` is ten
    bytes: bias (40 bits, signed, lowest byte first), scale (32 bits) and shift
    (the low 6 bits). Padding is (top, left, bottom, right), and zero after the
    zero point is subtracted.
}];

def Relay_ContribEthosuConv2dOp
    : Relay_EthosuOperator<"conv2d", "Convolution",
        !strconcat(accumulator, [{
    The weight is [ofm_channels, height, width, input channels].
}], upscaling),
        (ins Relay_EthosuMap8:$ifm, Relay_EthosuMap8:$weight,
         RankedTensorOf<[UI8]>:$scale_bias, Relay_EthosuLut:$lut,
         F64Attr:$ifm_scale, Relay_IntAttr:$ifm_zero_point,
         Relay_IntAttr:$weight_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_OptionalInts:$kernel_shape,
         Relay_OptionalInt:$ofm_channels, Relay_DefaultInts<"{1, 1}">:$strides,
         Relay_DefaultInts<"{0, 0, 0, 0}">:$padding,
         Relay_DefaultInts<"{1, 1}">:$dilation,
         Relay_EthosuStr<"NONE">:$activation, Relay_DefaultInt<"0">:$clip_min,
         Relay_DefaultInt<"0">:$clip_max, Relay_EthosuStr<"TFL">:$rounding_mode,
         Relay_EthosuStr<"NONE">:$upscale, Relay_EthosuStr<"NHWC">:$ifm_layout,
         Relay_EthosuStr<"NHWC">:$ofm_layout)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.conv2d %x, %w, %sb, %lut
        {ifm_scale = 0.5, ifm_zero_point = -128, weight_zero_point = 0,
         ofm_scale = 0.25, ofm_zero_point = 3, padding = [1, 1, 1, 1],
         activation = "CLIP", clip_min = 3, clip_max = 27}
        : (tensor<1x56x56x16xi8>, tensor<32x3x3x16xi8>, tensor<32x10xui8>,
           tensor<0xi8>)
        -> tensor<1x56x56x32xi8>
    ```
  }];
}

def Relay_ContribEthosuDepthwiseConv2dOp
    : Relay_EthosuOperator<"depthwise_conv2d", "Convolution of each channel",
        !strconcat(accumulator, [{
    The weight is [ofm_channels, height, width, 1], and channels of `ifm` and of
    the result are as many. The result has the type `ofm_dtype`, int8, uint8,
    int16 or int32.
}], upscaling),
        (ins Relay_EthosuMap8:$ifm, Relay_EthosuMap8:$weight,
         RankedTensorOf<[UI8]>:$scale_bias, Relay_EthosuLut:$lut,
         F64Attr:$ifm_scale, Relay_IntAttr:$ifm_zero_point,
         Relay_IntAttr:$weight_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_OptionalInts:$kernel_shape,
         Relay_OptionalInt:$ofm_channels, Relay_DefaultInts<"{1, 1}">:$strides,
         Relay_DefaultInts<"{0, 0, 0, 0}">:$padding,
         Relay_DefaultInts<"{1, 1}">:$dilation,
         Relay_EthosuStr<"NONE">:$activation, Relay_DefaultInt<"0">:$clip_min,
         Relay_DefaultInt<"0">:$clip_max, Relay_EthosuStr<"TFL">:$rounding_mode,
         Relay_EthosuStr<"NONE">:$upscale, Relay_EthosuStr<"NHWC">:$ifm_layout,
         Relay_EthosuStr<"NHWC">:$ofm_layout,
         Relay_EthosuStr<"int8">:$ofm_dtype)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.depthwise_conv2d %x, %w, %sb, %lut
        {ifm_scale = 0.5, ifm_zero_point = -128, weight_zero_point = 0,
         ofm_scale = 0.25, ofm_zero_point = 3, strides = [2, 2],
         padding = [0, 0, 1, 1]}
        : (tensor<1x56x56x16xi8>, tensor<16x3x3x1xi8>, tensor<16x10xui8>,
           tensor<0xi8>)
        -> tensor<1x28x28x16xi8>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

def Relay_ContribEthosuPoolingOp
    : Relay_EthosuOperator<"pooling", "Pooling", !strconcat([{
    `pooling_type` is MAX or AVG, of the values of a window without its padding,
    or SUM, of those in all channels, where ofm_channels is 1 and ofm_dtype
    int32 (what bricks hold beyond the channels must be the zero point). The
    real result, (value - ifm_zero_point) * ifm_scale, becomes result /
    ofm_scale + ofm_zero_point.
}], upscaling),
        (ins Relay_EthosuMap:$ifm, Relay_EthosuLut:$lut, StrAttr:$pooling_type,
         F64Attr:$ifm_scale, Relay_IntAttr:$ifm_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_OptionalInts:$pool_shape,
         Relay_OptionalInt:$ofm_channels, StrAttr:$ofm_dtype,
         Relay_DefaultInts<"{1, 1}">:$strides,
         Relay_DefaultInts<"{0, 0, 0, 0}">:$padding,
         Relay_EthosuStr<"NONE">:$activation, Relay_DefaultInt<"0">:$clip_min,
         Relay_DefaultInt<"0">:$clip_max, Relay_EthosuStr<"TFL">:$rounding_mode,
         Relay_EthosuStr<"NONE">:$upscale, Relay_EthosuStr<"NHWC">:$ifm_layout,
         Relay_EthosuStr<"NHWC">:$ofm_layout)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.pooling %x, %lut
        {pooling_type = "MAX", ifm_scale = 1.0, ifm_zero_point = 0,
         ofm_scale = 1.0, ofm_zero_point = 0, pool_shape = [2, 2],
         ofm_dtype = "int8", strides = [2, 2]}
        : (tensor<1x56x56x16xi8>, tensor<0xi8>) -> tensor<1x28x28x16xi8>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

def Relay_ContribEthosuIdentityOp
    : Relay_EthosuOperator<"identity", "Rescaling", [{
    (ifm - ifm_zero_point) * ifm_scale / ofm_scale + ofm_zero_point, for a
    tensor of any layout and at most four dimensions.
}],
        (ins Relay_EthosuMap:$ifm, Relay_EthosuLut:$lut, F64Attr:$ifm_scale,
         Relay_IntAttr:$ifm_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_EthosuStr<"NONE">:$activation,
         Relay_EthosuStr<"TFL">:$rounding_mode)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.identity %x, %lut
        {ifm_scale = 0.5, ifm_zero_point = -128, ofm_scale = 0.25,
         ofm_zero_point = 3, activation = "LUT"}
        : (tensor<1x56x56x16xi8>, tensor<256xi8>) -> tensor<1x56x56x16xi8>
    ```
  }];
}

def Relay_ContribEthosuUnaryElementwiseOp
    : Relay_EthosuOperator<"unary_elementwise", "A function of one map", [{
    `operator_type` is ABS, the absolute value of the real number, for 8 bits,
    or CLZ, the number of leading zero bits, for int32.
}],
        (ins Relay_EthosuMap:$ifm, Relay_EthosuLut:$lut, StrAttr:$operator_type,
         F64Attr:$ifm_scale, Relay_IntAttr:$ifm_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_IntAttr:$ofm_channels,
         Relay_EthosuStr<"NONE">:$activation, Relay_DefaultInt<"0">:$clip_min,
         Relay_DefaultInt<"0">:$clip_max, Relay_EthosuStr<"TFL">:$rounding_mode,
         Relay_EthosuStr<"NHWC">:$ifm_layout,
         Relay_EthosuStr<"NHWC">:$ofm_layout)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.unary_elementwise %x, %lut
        {operator_type = "ABS", ifm_scale = 0.5, ifm_zero_point = 3,
         ofm_scale = 0.5, ofm_zero_point = -128, ofm_channels = 16}
        : (tensor<1x56x56x16xi8>, tensor<0xi8>) -> tensor<1x56x56x16xi8>
    ```
  }];
}

def Relay_ContribEthosuBinaryElementwiseOp
    : Relay_EthosuOperator<"binary_elementwise", "A function of two maps", [{
    `operator_type` is ADD, SUB, MUL, MIN or MAX of real numbers, or SHR or SHL,
    which shift integers of 32 bits by 0 to 31 (SHR rounds). `reversed_operands`
    makes `ifm2` the first operand. A dimension of `ifm2` may be 1. With
    `use_rescale` the result of the integers less their zero points is
    multiplied by rescale_scale / 2^rescale_shift, and scales do not count.
}],
        (ins Relay_EthosuMap:$ifm, Relay_EthosuMap:$ifm2, Relay_EthosuLut:$lut,
         StrAttr:$operator_type, F64Attr:$ifm_scale,
         Relay_IntAttr:$ifm_zero_point, F64Attr:$ifm2_scale,
         Relay_IntAttr:$ifm2_zero_point, F64Attr:$ofm_scale,
         Relay_IntAttr:$ofm_zero_point, Relay_IntAttr:$ifm_channels,
         Relay_IntAttr:$ifm2_channels,
         Relay_DefaultBool<"false">:$reversed_operands,
         Relay_EthosuStr<"NONE">:$activation, Relay_DefaultInt<"0">:$clip_min,
         Relay_DefaultInt<"0">:$clip_max, Relay_EthosuStr<"TFL">:$rounding_mode,
         Relay_EthosuStr<"NHWC">:$ifm_layout,
         Relay_EthosuStr<"NHWC">:$ifm2_layout,
         Relay_EthosuStr<"NHWC">:$ofm_layout, StrAttr:$ofm_dtype,
         Relay_DefaultBool<"false">:$use_rescale,
         Relay_DefaultInt<"0">:$rescale_scale,
         Relay_DefaultInt<"0">:$rescale_shift)> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.contrib.ethosu.binary_elementwise %x, %y, %lut
        {operator_type = "ADD", ifm_scale = 0.5, ifm_zero_point = 3,
         ifm2_scale = 0.25, ifm2_zero_point = 0, ofm_scale = 0.5,
         ofm_zero_point = -4, ifm_channels = 16, ifm2_channels = 16,
         ofm_dtype = "int8"}
        : (tensor<1x56x56x16xi8>, tensor<1x1x1x16xi8>, tensor<0xi8>)
        -> tensor<1x56x56x16xi8>
    ```
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYETHOSUOPS_TD
