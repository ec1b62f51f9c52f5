//===- RelayNNOps.td - Neural-network operators ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// Attributes as of nn.conv2d. `padding` is one value for all sides, one per
/// spatial dimension, or all that come before followed by all that come after.
class Relay_ConvOp<string mnemonic, int rank, string ones, string zeros,
                   string layout, string kernel>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = rank # "-D convolution";
  let description = [{
    For the layouts }] # layout # " and " # kernel # [{ (others have the same
    dimensions in another order, or parts split off, such as NCHW16c):
    result[n, o, y...] = sum over c, k of
    data[n, g * C/groups + c, y * strides + k * dilation - padding] *
    weight[o, c, k...], where g is the group of o. A spatial size is
    floor((in + pads - ((k - 1) * dilation + 1)) / stride) + 1. Where groups is
    the number of input channels, the weight may be (C, M, k...) for M results of
    each channel.
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<zeros>:$padding,
    Relay_DefaultInts<ones>:$dilation, Relay_DefaultInt<"1">:$groups,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultStr<layout>:$data_layout,
    Relay_DefaultStr<kernel>:$kernel_layout,
    Relay_DefaultStr<"">:$out_layout, Relay_OptionalDType:$out_dtype);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferConv(
          location, adaptor.getData().getType(), adaptor.getWeight().getType(),
          {adaptor.getStrides(), adaptor.getPadding(), adaptor.getDilation(),
           adaptor.getGroups(), adaptor.getChannels(), adaptor.getKernelSize(),
           adaptor.getDataLayout(), adaptor.getKernelLayout(),
           adaptor.getOutLayout(), adaptor.getOutDtype(), "}] # layout
             # [{", "}] # kernel # [{"},
          types);
    }
  }];
}

def Relay_NNConv1dOp : Relay_ConvOp<"nn.conv1d", 1, "{1}", "{0, 0}",
                                     "NCW", "OIW">;
def Relay_NNConv2dOp : Relay_ConvOp<"nn.conv2d", 2, "{1, 1}", "{0, 0}",
                                     "NCHW", "OIHW">;
def Relay_NNConv3dOp : Relay_ConvOp<"nn.conv3d", 3, "{1, 1, 1}", "{0, 0, 0}",
                                     "NCDHW", "OIDHW">;

class Relay_ConvTransposeOp<string mnemonic, int rank, string ones,
                            string zeros, string layout, string kernel>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = rank # "-D transposed convolution";
  let description = [{
    The gradient of a convolution by its data: data[n, c, y] * weight[c, o, k] is
    added to result[n, o, y * strides + k * dilation - padding]. A spatial size
    is strides * (in - 1) + (k - 1) * dilation + 1 - pads + output_padding.
    Layouts are as of convolutions, by default }] # layout # " and "
    # kernel # [{; with groups the weight's second dimension is output channels per
    group.
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<zeros>:$output_padding,
    Relay_DefaultInts<zeros>:$padding, Relay_DefaultInts<ones>:$dilation,
    Relay_DefaultInt<"1">:$groups, Relay_DefaultStr<layout>:$data_layout,
    Relay_DefaultStr<kernel>:$kernel_layout,
    Relay_DefaultStr<"">:$out_layout, Relay_OptionalDType:$out_dtype);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferConvTranspose(
          location, adaptor.getData().getType(), adaptor.getWeight().getType(),
          {adaptor.getStrides(), adaptor.getPadding(), adaptor.getDilation(),
           adaptor.getGroups(), adaptor.getChannels(), adaptor.getKernelSize(),
           adaptor.getDataLayout(), adaptor.getKernelLayout(),
           adaptor.getOutLayout(), adaptor.getOutDtype(), "}] # layout
             # [{", "}] # kernel # [{"},
          adaptor.getOutputPadding(), types);
    }
  }];
}

def Relay_NNConv1dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv1d_transpose", 1, "{1}", "{0}",
                            "NCW", "IOW">;
def Relay_NNConv2dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv2d_transpose", 2, "{1, 1}", "{0, 0}",
                            "NCHW", "IOHW">;
def Relay_NNConv3dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv3d_transpose", 3, "{1, 1, 1}", "{0, 0, 0}",
                            "NCDHW", "IODHW">;

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

def Relay_NNDenseOp : Relay_Operator<"nn.dense", "OutEWiseFusable"> {
  let summary = "data times the transpose of weight";
  let description = [{
    result[..., n] = sum over k of data[..., k] * weight[n, k]. `units`, if given,
    is the first size of weight.
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
                       Relay_Nullable<Relay_IntAttr>:$units,
                       Relay_OptionalDType:$out_dtype);
}

def Relay_NNMatmulOp : Relay_Operator<"nn.matmul", "OutEWiseFusable"> {
  let summary = "Matrix product, each side transposed or not";
  let description = [{
    tensor_a is (..., M, K), or (..., K, M) with `transpose_a`; tensor_b is
    (K, N), or (N, K) with `transpose_b`; the result is (..., M, N).
  }];
  let arguments = (ins Relay_Tensor:$tensor_a, Relay_Tensor:$tensor_b,
                       Relay_Nullable<Relay_IntAttr>:$units,
                       Relay_OptionalDType:$out_dtype,
                       Relay_DefaultBool<"false">:$transpose_a,
                       Relay_DefaultBool<"false">:$transpose_b);
}

def Relay_NNBatchMatmulOp
    : Relay_Operator<"nn.batch_matmul", "OutEWiseFusable"> {
  let summary = "Matrix products of a batch";
  let description = [{
    (B, M, K) times (B, K, N), where `transpose_a` and `transpose_b` swap the last
    two dimensions; batch sizes are equal, or 1 on one side.
  }];
  let arguments = (ins Relay_Tensor:$tensor_a, Relay_Tensor:$tensor_b,
                       Relay_OptionalDType:$out_dtype,
                       Relay_DefaultBool<"false">:$transpose_a,
                       Relay_DefaultBool<"false">:$transpose_b);
}

//===----------------------------------------------------------------------===//
// Elementwise operators along an axis
//===----------------------------------------------------------------------===//

def Relay_NNBiasAddOp : Relay_SameTypeOperator<"nn.bias_add", "Broadcast"> {
  let summary = "Adds a vector along an axis";
  let arguments = (ins Relay_Tensor:$data, Relay_Vector:$bias,
                       Relay_DefaultInt<"1">:$axis);
  let hasVerifier = 1;
}

def Relay_NNPreluOp : Relay_SameTypeOperator<"nn.prelu", "Broadcast"> {
  let summary = "x if x > 0, else alpha[i] * x along an axis";
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$alpha,
                       Relay_DefaultInt<"1">:$axis);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

class Relay_SoftmaxOp<string mnemonic, string what>
    : Relay_SameTypeOperator<mnemonic, "OutEWiseFusable"> {
  let summary = what # " along an axis";
  let arguments = (ins Relay_FloatTensor:$data, Relay_DefaultInt<"-1">:$axis);
  let hasVerifier = 1;
}
def Relay_NNSoftmaxOp
    : Relay_SoftmaxOp<"nn.softmax", "exp(x - max) / sum(exp(x - max))">;
def Relay_NNLogSoftmaxOp
    : Relay_SoftmaxOp<"nn.log_softmax", "x - max - log(sum(exp(x - max)))">;

def Relay_NNBatchNormOp : Relay_Operator<"nn.batch_norm", "OutEWiseFusable"> {
  let summary = "Batch normalisation, for inference";
  let description = [{
    (data - moving_mean) / sqrt(moving_var + epsilon) [* gamma] [+ beta] along
    `axis`. The result is a tuple of it, the mean and the variance.
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_Vector:$moving_mean, Relay_Vector:$moving_var,
    Relay_DefaultInt<"1">:$axis, Relay_DefaultFloat<"1e-5">:$epsilon,
    Relay_DefaultBool<"true">:$center, Relay_DefaultBool<"true">:$scale);
  let results = (outs AnyTuple:$result);
}

class Relay_NormOp<string mnemonic, string what, string axis>
    : Relay_SameTypeOperator<mnemonic, "OutEWiseFusable"> {
  let summary = what;
  let description = [{
    (data - mean) / sqrt(variance + epsilon) [* gamma] [+ beta], where gamma and
    beta lie along `axis`.
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_DefaultInt<axis>:$axis,
    Relay_DefaultFloat<"1e-5">:$epsilon, Relay_DefaultBool<"true">:$center,
    Relay_DefaultBool<"true">:$scale);
  let hasVerifier = 1;
}
def Relay_NNLayerNormOp : Relay_NormOp<"nn.layer_norm",
    "Normalisation over one axis", "-1">;
def Relay_NNInstanceNormOp : Relay_NormOp<"nn.instance_norm",
    "Normalisation over all axes but the batch and `axis`", "1">;

def Relay_NNGroupNormOp
    : Relay_SameTypeOperator<"nn.group_norm", "OutEWiseFusable"> {
  let summary = "Normalisation over groups of channels";
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_IntAttr:$num_groups, Relay_DefaultInt<"1">:$axis,
    Relay_DefaultFloat<"1e-5">:$epsilon, Relay_DefaultBool<"true">:$center,
    Relay_DefaultBool<"true">:$scale);
  let hasVerifier = 1;
}

def Relay_NNLrnOp : Relay_SameTypeOperator<"nn.lrn", "Opaque"> {
  let summary = "Local response normalisation across channels";
  let description = [{
    x / (bias + alpha / size * sum of x^2 over `size` channels around)^beta.
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_DefaultInt<"5">:$size,
    Relay_DefaultInt<"1">:$axis, Relay_DefaultFloat<"2.0">:$bias,
    Relay_DefaultFloat<"0.0001">:$alpha, Relay_DefaultFloat<"0.75">:$beta);
  let check = [{::mlir::relay::detail::checkLrn(
      location, adaptor.getData(), adaptor.getSize(), adaptor.getAxis())}];
}

def Relay_NNL2NormalizeOp
    : Relay_SameTypeOperator<"nn.l2_normalize", "OutEWiseFusable"> {
  let summary = "x / sqrt(max(sum of x^2 over axis, eps))";
  let arguments = (ins Relay_FloatTensor:$data, F64Attr:$eps,
                       DenseI64ArrayAttr:$axis);
  let check = [{::mlir::relay::detail::checkAxes(
      location, adaptor.getData(), adaptor.getAxis())}];
}

def Relay_NNDropoutOp : Relay_Operator<"nn.dropout", "Opaque"> {
  let summary = "Dropout; for inference the identity";
  let description = [{
    The result is a tuple of data and a mask.
  }];
  let arguments = (ins Relay_FloatTensor:$data,
                       Relay_DefaultFloat<"0.5">:$rate);
  let results = (outs AnyTuple:$result);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class Relay_PoolInference<string mnemonic>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferPool(
          location, adaptor.getData().getType(), adaptor.getPoolSize(),
          adaptor.getStrides(), adaptor.getDilation(), adaptor.getPadding(),
          {adaptor.getLayout(), adaptor.getOutLayout()},
          adaptor.getCeilMode(), types);
    }
  }];
}

class Relay_MaxPoolOp<string mnemonic, int rank, string ones, string zeros,
                      string layout> : Relay_PoolInference<mnemonic> {
  let summary = rank # "-D maximum pooling";
  let description = [{
    The maximum of each window. That of a window without data, which padding of
    the pool's size, dilated windows and `ceil_mode` make possible, is the smallest
    number of the type (-3.4e38 for float32, not -inf). A spatial size is
    floor((in + pads - ((pool - 1) * dilation + 1)) / stride) + 1, where
    `ceil_mode` rounds up. `layout` orders N, C and the spatial letters; N and C
    may be split, as in NCHW16c.
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$pool_size,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<ones>:$dilation,
    Relay_DefaultInts<zeros>:$padding, Relay_DefaultStr<layout>:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode);
}

class Relay_AvgPoolOp<string mnemonic, int rank, string ones, string zeros,
                      string layout> : Relay_PoolInference<mnemonic> {
  let summary = rank # "-D average pooling";
  let description = [{
    The mean of each window, over the elements inside the data, or with
    `count_include_pad` inside the padded data; means of integers are rounded
    towards zero. Sizes and layouts as of maximum pooling.
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$pool_size,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<ones>:$dilation,
    Relay_DefaultInts<zeros>:$padding, Relay_DefaultStr<layout>:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode,
    Relay_DefaultBool<"false">:$count_include_pad);
}

def Relay_NNMaxPool1dOp : Relay_MaxPoolOp<"nn.max_pool1d", 1, "{1}",
                                           "{0}", "NCW">;
def Relay_NNAvgPool1dOp : Relay_AvgPoolOp<"nn.avg_pool1d", 1, "{1}",
                                           "{0}", "NCW">;
def Relay_NNMaxPool2dOp : Relay_MaxPoolOp<"nn.max_pool2d", 2, "{1, 1}",
                                           "{0, 0}", "NCHW">;
def Relay_NNAvgPool2dOp : Relay_AvgPoolOp<"nn.avg_pool2d", 2, "{1, 1}",
                                           "{0, 0}", "NCHW">;
def Relay_NNMaxPool3dOp : Relay_MaxPoolOp<"nn.max_pool3d", 3, "{1, 1, 1}",
                                           "{0, 0, 0}", "NCDHW">;
def Relay_NNAvgPool3dOp : Relay_AvgPoolOp<"nn.avg_pool3d", 3, "{1, 1, 1}",
                                           "{0, 0, 0}", "NCDHW">;

class Relay_GlobalPoolOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = what # " of all pixels";
  let description = [{
    The spatial dimensions become 1. `layout` orders N, C, H and W; N and C may
    be split, as in NCHW16c.
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DefaultStr<"NCHW">:$layout,
                       Relay_DefaultStr<"">:$out_layout);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferAdaptivePool(
          location, adaptor.getData().getType(), {1},
          {adaptor.getLayout(), adaptor.getOutLayout()}, types);
    }
  }];
}
def Relay_NNGlobalMaxPool2dOp
    : Relay_GlobalPoolOp<"nn.global_max_pool2d", "Maximum">;
def Relay_NNGlobalAvgPool2dOp
    : Relay_GlobalPoolOp<"nn.global_avg_pool2d", "Mean">;

class Relay_AdaptivePoolOp<string mnemonic, string what, string layout>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = what # " of windows chosen for an output size";
  let description = [{
    Window i reaches from floor(i * in / out) to ceil((i + 1) * in / out). One
    value in `output_size` counts for all dimensions, none keeps the sizes.
  }];
  let arguments = (ins Relay_Tensor:$data,
                       Relay_DefaultInts<"{}">:$output_size,
                       Relay_DefaultStr<layout>:$layout,
                       Relay_DefaultStr<"">:$out_layout);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferAdaptivePool(
          location, adaptor.getData().getType(), adaptor.getOutputSize(),
          {adaptor.getLayout(), adaptor.getOutLayout()}, types);
    }
  }];
}
def Relay_NNAdaptiveAvgPool2dOp
    : Relay_AdaptivePoolOp<"nn.adaptive_avg_pool2d", "Mean", "NCHW">;
def Relay_NNAdaptiveMaxPool2dOp
    : Relay_AdaptivePoolOp<"nn.adaptive_max_pool2d", "Maximum", "NCHW">;

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNOPS_TD
