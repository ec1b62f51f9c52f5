//===- RelayQnnOps.td - Quantized operators ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_TD

include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.td"
include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A scale or zero points: of rank 0, one value, or one per index along an axis.
def Relay_Scale : RankedTensorOf<[F32]>;
def Relay_ZeroPoint : RankedTensorOf<[I32]>;
def Relay_ScalarScale : 0DTensorOf<[F32]>;
def Relay_ScalarZeroPoint : 0DTensorOf<[I32]>;

def Relay_Quantized8 : RankedTensorOf<[I8, UI8]>;
def Relay_Quantized8Or16 : RankedTensorOf<[I8, UI8, I16]>;
def Relay_QuantizedProductOperand : RankedTensorOf<[I8, UI8, I16, UI16]>;

/// An operator on quantised tensors: a stored q stands for
/// scale * (q - zero_point).
class Relay_QnnOperator<string mnemonic, string pattern,
                        list<Trait> traits = []>
    : Relay_Operator<"qnn." # mnemonic, pattern, [
          Relay_OnQuantized, DeclareOpInterfaceMethods<DecomposableOpInterface>
        ] # traits>;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

def Relay_QNNQuantizeOp
    : Relay_QnnOperator<"quantize", "ElemWise", [Relay_AxisLayout]> {
  let summary = "Floats to quantised integers";
  let description = [{
    clip(round(data / output_scale) + output_zero_point) to the range of
    `out_dtype`, in float32. `rounding` is "TONEAREST", where halves go away from
    zero, or "TOEVEN", where they go to the even neighbour, as in ONNX.
    `out_dtype` is int8, uint8, int16, uint16 or int32. Scale and zero point are
    scalars, or have a value for each index along `axis`.

    Example:

    ```mlir
    %0 = relay.qnn.quantize %x, %scale, %zero {out_dtype = ui8}
        : (tensor<1x3x224x224xf32>, tensor<f32>, tensor<i32>)
        -> tensor<1x3x224x224xui8>
    ```
  }];
  let arguments = (ins RankedTensorOf<[F32]>:$data, Relay_Scale:$output_scale,
    Relay_ZeroPoint:$output_zero_point, TypeAttr:$out_dtype,
    Relay_DefaultInt<"-1">:$axis, Relay_DefaultStr<"TONEAREST">:$rounding);
}

def Relay_QNNDequantizeOp
    : Relay_QnnOperator<"dequantize", "ElemWise", [Relay_AxisLayout]> {
  let summary = "Quantised integers to floats";
  let description = [{
    (data - input_zero_point) * input_scale, in float32. `out_dtype` is float32
    or float16, to whose range the result is clipped. Scale and zero point are
    scalars, or have a value for each index along `axis`.

    Example:

    ```mlir
    %0 = relay.qnn.dequantize %q, %scale, %zero {out_dtype = f32, axis = 0}
        : (tensor<64x128xi8>, tensor<64xf32>, tensor<i32>) -> tensor<64x128xf32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I8, UI8, I16, UI16, I32]>:$data,
    Relay_Scale:$input_scale, Relay_ZeroPoint:$input_zero_point,
    TypeAttr:$out_dtype, Relay_DefaultInt<"-1">:$axis);
}

def Relay_QNNRequantizeOp
    : Relay_QnnOperator<"requantize", "ElemWise", [Relay_AxisLayout]> {
  let summary = "Changes scale, zero point and element type";
  let description = [{
    data, as int32, less input_zero_point, times input_scale / output_scale,
    plus output_zero_point, clipped to the range of `out_dtype` (int8, uint8,
    int16 or int32; clipped to none for int32). The input's scale and zero point
    are scalars, or have a value for each index along `axis`.

    `compute_dtype` says how the multiplication is done: "int64" (also "None")
    by a 31-bit mantissa and a shift, "float32" and "float64" in floats.
    `rounding` is "UPWARD" (also "None"), where halves go up, "TONEAREST", where
    they go away from zero, or, in floats, "TOEVEN": the product is rounded to
    the nearest integer, halves to the even one, before the zero point is added.
    Equal scalar scales do not multiply. In integers, all of this is of 32 bits,
    as TVM has it: what does not fit wraps around, which takes an input_scale
    above output_scale, or data at the end of its range; floats saturate.

    Example:

    ```mlir
    %0 = relay.qnn.requantize %q, %scale, %zero, %out_scale, %out_zero
        {axis = 1, rounding = "TONEAREST", out_dtype = i8}
        : (tensor<1x64x56x56xi32>, tensor<64xf32>, tensor<i32>, tensor<f32>,
           tensor<i32>)
        -> tensor<1x64x56x56xi8>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I8, UI8, I16, I32, I64]>:$data,
    Relay_Scale:$input_scale, Relay_ZeroPoint:$input_zero_point,
    Relay_ScalarScale:$output_scale, Relay_ScalarZeroPoint:$output_zero_point,
    Relay_DefaultInt<"-1">:$axis, Relay_DefaultStr<"None">:$rounding,
    Relay_DefaultStr<"None">:$compute_dtype, Relay_OptionalDType:$out_dtype);
}

class Relay_QnnSimulatedOp<string mnemonic, string what, dag args>
    : Relay_QnnOperator<mnemonic, "ElemWise"> {
  let summary = what;
  let arguments = args;
}

def Relay_QNNSimulatedQuantizeOp
    : Relay_QnnSimulatedOp<"simulated_quantize",
        "qnn.quantize on floats, to a type chosen at run time",
        (ins Relay_FloatTensor:$data, 0DTensorOf<[I32]>:$out_dtype,
         RankedTensorOf<[AnyFloat]>:$output_scale,
         RankedTensorOf<[AnyFloat, I32]>:$output_zero_point,
         Relay_DefaultInt<"-1">:$axis)> {
  let description = [{
    The code `out_dtype` is 1 for int8, 2 for uint8 and 3 for int32: the result
    is clip(round(data / output_scale) + output_zero_point) to that type's
    range, kept as floats. With any other code, such as 0, it is `data`.
    Scale and zero point are scalars, or have a value for each index along
    `axis`; a vector that is shorter is repeated.

    Example:

    ```mlir
    %0 = relay.qnn.simulated_quantize %x, %code, %scale, %zero
        : (tensor<8x128xf32>, tensor<i32>, tensor<f32>, tensor<i32>)
        -> tensor<8x128xf32>
    ```
  }];
}

def Relay_QNNSimulatedDequantizeOp
    : Relay_QnnSimulatedOp<"simulated_dequantize",
        "qnn.dequantize of what qnn.simulated_quantize made",
        (ins Relay_FloatTensor:$data, 0DTensorOf<[I32]>:$in_dtype,
         RankedTensorOf<[AnyFloat]>:$input_scale,
         RankedTensorOf<[AnyFloat, I32]>:$input_zero_point,
         Relay_OptionalDType:$out_dtype, Relay_DefaultInt<"-1">:$axis)> {
  let description = [{
    (data - input_zero_point) * input_scale where the code `in_dtype` is 1, 2 or
    3, else `data`. `out_dtype` has no meaning: the result has the type of
    `data`.

    Example:

    ```mlir
    %0 = relay.qnn.simulated_dequantize %x, %code, %scale, %zero
        : (tensor<8x128xf32>, tensor<i32>, tensor<f32>, tensor<i32>)
        -> tensor<8x128xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

class Relay_QnnBinaryOp<string mnemonic, string what, string how>
    : Relay_QnnOperator<mnemonic, "Broadcast", [Relay_QnnBinaryLayout]> {
  let summary = what # " of quantised tensors, with broadcasting";
  let description = how # [{
    Operands and result have one element type, to whose range the result is
    clipped. Scale and zero point of an operand are scalars, or have a value for
    each index along its axis `lhs_axis` or `rhs_axis`.

    Example:

    ```mlir
    %0 = relay.qnn.}] # mnemonic # [{ %x, %y, %x_scale, %x_zero, %y_scale,
        %y_zero, %out_scale, %out_zero
        : (tensor<8x128xui8>, tensor<128xui8>, tensor<f32>, tensor<i32>,
           tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>)
        -> tensor<8x128xui8>
    ```
  }];
  // Relay infers types of floats as well, which have no value.
  let arguments = (ins RankedTensorOf<[I8, UI8, I16, I32, F32]>:$lhs,
    RankedTensorOf<[I8, UI8, I16, I32, F32]>:$rhs, Relay_Scale:$lhs_scale,
    Relay_ZeroPoint:$lhs_zero_point, Relay_Scale:$rhs_scale,
    Relay_ZeroPoint:$rhs_zero_point, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point,
    Relay_DefaultInt<"-1">:$lhs_axis, Relay_DefaultInt<"-1">:$rhs_axis);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferQnnBinary(location, adaptor, types);
    }
  }];
}

def Relay_QNNAddOp : Relay_QnnBinaryOp<"add", "Sum", [{
    Both operands are requantised to the result's scale and zero point, as
    int32, and added; the zero point is subtracted once.
}]>;
def Relay_QNNSubtractOp : Relay_QnnBinaryOp<"subtract", "Difference", [{
    Both operands are requantised to the result's scale and zero point, as
    int32, and subtracted; the zero point is added.
}]>;
def Relay_QNNMulOp : Relay_QnnBinaryOp<"mul", "Product", [{
    The product of the operands less their zero points, as int32, is requantised
    from the scale lhs_scale * rhs_scale. Scales of both operands that lie along
    an axis must lie along the same one.
}]> {
  let hasVerifier = 1;
}

class Relay_QnnUnaryOp<string mnemonic, string pattern, string what>
    : Relay_QnnOperator<mnemonic, pattern, [Relay_DataLayout]> {
  let summary = what # " of a quantised tensor";
  let description = [{
    qnn.dequantize, the function on float32, and qnn.quantize to the type of
    `data`; 0 where the function has no value.

    Example:

    ```mlir
    %0 = relay.qnn.}] # mnemonic # [{ %q, %scale, %zero, %out_scale, %out_zero
        : (tensor<8x128xi8>, tensor<f32>, tensor<i32>, tensor<f32>, tensor<i32>)
        -> tensor<8x128xi8>
    ```
  }];
  let arguments = (ins Relay_Quantized8:$data, Relay_ScalarScale:$scale,
    Relay_ScalarZeroPoint:$zero_point, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getData().getType());
      return ::mlir::success();
    }
  }];
}

// Only qnn.tanh has a fusion pattern: the others are replaced before fusion.
def Relay_QNNTanhOp : Relay_QnnUnaryOp<"tanh", "ElemWise", "tanh(x)">;
def Relay_QNNExpOp : Relay_QnnUnaryOp<"exp", "Opaque", "exp(x)">;
def Relay_QNNSqrtOp : Relay_QnnUnaryOp<"sqrt", "Opaque", "sqrt(x)">;
def Relay_QNNRsqrtOp : Relay_QnnUnaryOp<"rsqrt", "Opaque", "1 / sqrt(x)">;
def Relay_QNNErfOp : Relay_QnnUnaryOp<"erf", "Opaque", "erf(x)">;
def Relay_QNNSigmoidOp
    : Relay_QnnUnaryOp<"sigmoid", "Opaque", "1 / (1 + exp(-x))">;
def Relay_QNNHardswishOp
    : Relay_QnnUnaryOp<"hardswish", "Opaque", "x * clip(x + 3, 0, 6) / 6">;
def Relay_QNNLogOp : Relay_QnnUnaryOp<"log", "Opaque", "log(x)">;
def Relay_QNNAbsOp : Relay_QnnUnaryOp<"abs", "Opaque", "|x|">;

def Relay_QNNLeakyReluOp
    : Relay_QnnOperator<"leaky_relu", "Opaque", [Relay_DataLayout]> {
  let summary = "x if x > 0, else alpha * x, of a quantised tensor";
  let description = [{
    `data` is requantised to r, an int32, with the result's scale and zero
    point. Where data < input_zero_point the result is
    alpha * r + (1 - alpha) * output_zero_point, each product by a 31-bit
    mantissa and a shift and rounded for itself (halves go up); else it is r. It
    is clipped to the range of the type of `data`.

    Example:

    ```mlir
    %0 = relay.qnn.leaky_relu %q, %scale, %zero, %out_scale, %out_zero
        {alpha = 0.1}
        : (tensor<1x64x56x56xui8>, tensor<f32>, tensor<i32>, tensor<f32>,
           tensor<i32>)
        -> tensor<1x64x56x56xui8>
    ```
  }];
  let arguments = (ins Relay_Quantized8:$data, Relay_ScalarScale:$input_scale,
    Relay_ScalarZeroPoint:$input_zero_point, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point,
    Relay_DefaultFloat<"0.25">:$alpha);
}

def Relay_QNNSoftmaxOp
    : Relay_QnnOperator<"softmax", "Opaque", [Relay_AxisLayout]> {
  let summary = "Softmax along an axis, in integers";
  let description = [{
    For int8 only, with a scale of at most 1; all in int32, where `/` truncates:

        x0 = round(1 / scale);  x = data - max(data)
        p = x + (x >> 1) - (x >> 4)
        n = clip(p / -x0, 0, 20);  r = p + n * x0
        e = ((r >> 1) + x0) << (max(n) - n)
        y = ((2^30 / sum(e)) * e) >> 23

    The result is y requantised from scale 1/128 and zero point 0.

    Example:

    ```mlir
    %0 = relay.qnn.softmax %q, %scale, %zero, %out_scale, %out_zero
        : (tensor<1x1000xi8>, tensor<f32>, tensor<i32>, tensor<f32>,
           tensor<i32>)
        -> tensor<1x1000xi8>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I8]>:$data, Relay_ScalarScale:$scale,
    Relay_ScalarZeroPoint:$zero_point, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point, Relay_DefaultInt<"-1">:$axis);
}

def Relay_QNNConcatenateOp : Relay_QnnOperator<"concatenate", "Injective"> {
  let summary = "Joins quantised tensors along an axis";
  let description = [{
    `data` is a tuple of tensors of one element type, `input_scales` and
    `input_zero_points` are tuples of a scalar for each. A tensor whose scale or
    zero point is not that of the result is requantised.

    Example:

    ```mlir
    %0 = relay.qnn.concatenate %qs, %scales, %zeros, %out_scale, %out_zero
        {axis = 1}
        : (tuple<tensor<1x8x4xui8>, tensor<1x16x4xui8>>,
           tuple<tensor<f32>, tensor<f32>>, tuple<tensor<i32>, tensor<i32>>,
           tensor<f32>, tensor<i32>)
        -> tensor<1x24x4xui8>
    ```
  }];
  let arguments = (ins AnyTuple:$data, AnyTuple:$input_scales,
    AnyTuple:$input_zero_points, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point, Relay_DefaultInt<"0">:$axis);
}

def Relay_QNNAvgPool2dOp
    : Relay_QnnOperator<"avg_pool2d", "OutEWiseFusable",
                        [Relay_SpatialLayout<2>]> {
  let summary = "Averages over windows of quantised images";
  let description = [{
    `data` is requantised to int32 with the result's scale and zero point,
    pooled as by nn.avg_pool2d in integers (the division truncates), and clipped
    to the range of its type.

    Example:

    ```mlir
    %0 = relay.qnn.avg_pool2d %q, %scale, %zero, %out_scale, %out_zero
        {pool_size = [2, 2], strides = [2, 2]}
        : (tensor<1x64x14x14xui8>, tensor<f32>, tensor<i32>, tensor<f32>,
           tensor<i32>)
        -> tensor<1x64x7x7xui8>
    ```
  }];
  let arguments = (ins Relay_Quantized8:$data, Relay_ScalarScale:$input_scale,
    Relay_ScalarZeroPoint:$input_zero_point, Relay_ScalarScale:$output_scale,
    Relay_ScalarZeroPoint:$output_zero_point, DenseI64ArrayAttr:$pool_size,
    Relay_DefaultInts<"{1, 1}">:$strides, Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode,
    Relay_DefaultBool<"false">:$count_include_pad);
}

//===----------------------------------------------------------------------===//
// Convolutions and products: zero points come before scales
//===----------------------------------------------------------------------===//

def Relay_QNNConv2dOp
    : Relay_QnnOperator<"conv2d", "OutEWiseFusable",
                        [Relay_DepthwiseLayout<2>]> {
  let summary = "2-D convolution of quantised tensors";
  let description = [{
    nn.conv2d of data - input_zero_point and weight - weight_zero_point in
    integers of `out_dtype` (int16, int32 or int64), where padding is zero after
    that subtraction. The weight's scale and zero point are scalars, or have a
    value for each output channel; scales have no influence on the result, whose
    scale is input_scale * weight_scale. The zero points of a depthwise weight may
    also be one for each input channel.

    Layouts are any order of N, C, H and W, and of O, I, H and W. Where groups
    is the number of input channels and also the size of O, I counts the output
    channels of each input channel (a depthwise convolution).

    Example:

    ```mlir
    %0 = relay.qnn.conv2d %q, %w, %zero, %w_zero, %scale, %w_scale
        {padding = [1, 1, 1, 1], out_dtype = i32}
        : (tensor<1x64x56x56xui8>, tensor<128x64x3x3xi8>, tensor<i32>,
           tensor<i32>, tensor<f32>, tensor<128xf32>)
        -> tensor<1x128x56x56xi32>
    ```
  }];
  let arguments = (ins Relay_Quantized8Or16:$data, Relay_Quantized8Or16:$weight,
    Relay_ScalarZeroPoint:$input_zero_point,
    Relay_ZeroPoint:$weight_zero_point, Relay_ScalarScale:$input_scale,
    Relay_Scale:$weight_scale, Relay_DefaultInts<"{1, 1}">:$strides,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInt<"1">:$groups,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"OIHW">:$kernel_layout, Relay_DefaultStr<"">:$out_layout,
    Relay_OptionalDType:$out_dtype);
}

def Relay_QNNConv2dTransposeOp
    : Relay_QnnOperator<"conv2d_transpose", "Opaque",
                        [Relay_ConvolutionLayout<2, /*isTransposed=*/1>]> {
  let summary = "2-D transposed convolution of quantised tensors";
  let description = [{
    nn.conv2d_transpose of data - input_zero_point and
    weight - weight_zero_point in integers of `out_dtype` (int16, int32 or
    int64). Parameters are as of qnn.conv2d, and those of the data may be vectors
    of one value; layouts are any order of N, C, H
    and W, and of I, O, H and W.

    Example:

    ```mlir
    %0 = relay.qnn.conv2d_transpose %q, %w, %zero, %w_zero, %scale, %w_scale
        {strides = [2, 2], out_dtype = i32}
        : (tensor<1x64x28x28xui8>, tensor<64x32x2x2xi8>, tensor<i32>,
           tensor<i32>, tensor<f32>, tensor<f32>)
        -> tensor<1x32x56x56xi32>
    ```
  }];
  let arguments = (ins Relay_QuantizedProductOperand:$data,
    Relay_Quantized8:$weight, Relay_ZeroPoint:$input_zero_point,
    Relay_ZeroPoint:$weight_zero_point, Relay_Scale:$input_scale,
    Relay_Scale:$weight_scale, Relay_OptionalInt:$channels,
    Relay_OptionalInts:$kernel_size, Relay_DefaultInts<"{1, 1}">:$strides,
    Relay_DefaultInts<"{0, 0}">:$output_padding,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInt<"1">:$groups, Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"IOHW">:$kernel_layout, Relay_DefaultStr<"">:$out_layout,
    Relay_OptionalDType:$out_dtype);
}

def Relay_QNNDenseOp : Relay_QnnOperator<"dense", "OutEWiseFusable"> {
  let summary = "data times the transpose of weight, quantised";
  let description = [{
    result[..., n] = sum over k of (data[..., k] - input_zero_point) *
    (weight[n, k] - weight_zero_point), in `out_dtype`, int32 or int64. The
    weight's scale and zero point are scalars, or have a value for each n.

    Example:

    ```mlir
    %0 = relay.qnn.dense %q, %w, %zero, %w_zero, %scale, %w_scale
        {units = 1000, out_dtype = i32}
        : (tensor<8x512xui8>, tensor<1000x512xi8>, tensor<i32>, tensor<i32>,
           tensor<f32>, tensor<1000xf32>)
        -> tensor<8x1000xi32>
    ```
  }];
  let arguments = (ins Relay_QuantizedProductOperand:$data,
    Relay_Quantized8:$weight, Relay_ScalarZeroPoint:$input_zero_point,
    Relay_ZeroPoint:$weight_zero_point, Relay_ScalarScale:$input_scale,
    Relay_Scale:$weight_scale, Relay_Nullable<Relay_IntAttr>:$units,
    Relay_OptionalDType:$out_dtype);
}

def Relay_QNNContribDensePackOp
    : Relay_QnnOperator<"contrib_dense_pack", "OutEWiseFusable"> {
  let summary = "qnn.dense with a weight in blocks";
  let description = [{
    The weight is [N / n, K / k, n, k], and `weight_layout` NC, or NC with the
    sizes of a block, such as NC32n4c.

    Example:

    ```mlir
    %0 = relay.qnn.contrib_dense_pack %q, %w, %zero, %w_zero, %scale, %w_scale
        {out_dtype = i32, weight_layout = "NC32n4c"}
        : (tensor<8x512xui8>, tensor<4x128x32x4xi8>, tensor<i32>, tensor<i32>,
           tensor<f32>, tensor<f32>)
        -> tensor<8x128xi32>
    ```
  }];
  let arguments = (ins Relay_QuantizedProductOperand:$data,
    Relay_Quantized8:$weight, Relay_ScalarZeroPoint:$input_zero_point,
    Relay_ZeroPoint:$weight_zero_point, Relay_ScalarScale:$input_scale,
    Relay_Scale:$weight_scale, Relay_Nullable<Relay_IntAttr>:$units,
    Relay_OptionalDType:$out_dtype, Relay_DefaultStr<"NC">:$weight_layout);
}

def Relay_QNNBatchMatmulOp
    : Relay_QnnOperator<"batch_matmul", "OutEWiseFusable"> {
  let summary = "Matrix products of a batch, quantised";
  let description = [{
    nn.batch_matmul of x - x_zero_point and y - y_zero_point in int32.

    Example:

    ```mlir
    %0 = relay.qnn.batch_matmul %a, %b, %a_zero, %b_zero, %a_scale, %b_scale
        {out_dtype = i32, transpose_b = true}
        : (tensor<12x128x64xi8>, tensor<12x128x64xi8>, tensor<i32>, tensor<i32>,
           tensor<f32>, tensor<f32>)
        -> tensor<12x128x128xi32>
    ```
  }];
  let arguments = (ins Relay_Quantized8:$x, Relay_Quantized8:$y,
    Relay_ScalarZeroPoint:$x_zero_point,
    Relay_ScalarZeroPoint:$y_zero_point, Relay_ScalarScale:$x_scale,
    Relay_ScalarScale:$y_scale, Relay_OptionalDType:$out_dtype,
    Relay_DefaultBool<"false">:$transpose_a,
    Relay_DefaultBool<"false">:$transpose_b);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYQNNOPS_TD
