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
                   string layout, string kernel,
                   Trait layouts = Relay_ConvolutionLayout<rank>>
    : Relay_Operator<mnemonic, "OutEWiseFusable", [
          DeclareOpInterfaceMethods<ContractionOpInterface, ["getChannelAxes"]>,
          layouts]> {
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
  }] # example;
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
    ::llvm::SmallVector<int64_t> $cppClass::getSummedWeightAxes() {
      return ::mlir::relay::detail::getSummedKernelAxes(*this);
    }
    std::optional<::mlir::relay::ChannelAxes> $cppClass::getChannelAxes() {
      return ::mlir::relay::detail::getConvolutionChannels(*this);
    }
  }];
}

def Relay_NNConv1dOp : Relay_ConvOp<"nn.conv1d", 1, "{1}", "{0, 0}",
                                     "NCW", "OIW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv1d %x, %w {padding = [1, 1]}
        : (tensor<1x16x100xf32>, tensor<32x16x3xf32>) -> tensor<1x32x100xf32>
    ```
  }];
}
def Relay_NNConv2dOp : Relay_ConvOp<"nn.conv2d", 2, "{1, 1}", "{0, 0}",
                                     "NCHW", "OIHW", Relay_DepthwiseLayout<2>> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv2d %x, %w {strides = [2, 2], padding = [1, 1, 1, 1]}
        : (tensor<1x64x56x56xf32>, tensor<128x64x3x3xf32>)
        -> tensor<1x128x28x28xf32>
    ```
  }];
}
def Relay_NNConv3dOp : Relay_ConvOp<"nn.conv3d", 3, "{1, 1, 1}", "{0, 0, 0}",
                                     "NCDHW", "OIDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv3d %x, %w
        {strides = [1, 2, 2], padding = [1, 3, 3, 1, 3, 3]}
        : (tensor<1x3x16x112x112xf32>, tensor<64x3x3x7x7xf32>)
        -> tensor<1x64x16x56x56xf32>
    ```
  }];
}

class Relay_ConvTransposeOp<string mnemonic, int rank, string ones,
                            string zeros, string layout, string kernel,
                            string isOutputFirst = "false">
    : Relay_Operator<mnemonic, "OutEWiseFusable", [
          DeclareOpInterfaceMethods<ContractionOpInterface>,
          Relay_ConvolutionLayout<rank, /*isTransposed=*/1, isOutputFirst>]> {
  let summary = rank # "-D transposed convolution";
  let description = [{
    The gradient of a convolution by its data: data[n, c, y] * weight[c, o, k] is
    added to result[n, o, y * strides + k * dilation - padding]. A spatial size
    is strides * (in - 1) + (k - 1) * dilation + 1 - pads + output_padding.
    Layouts are as of convolutions, by default }] # layout # " and "
    # kernel # [{; with groups the weight's second dimension is output channels per
    group.
  }] # example;
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
    ::llvm::SmallVector<int64_t> $cppClass::getSummedWeightAxes() {
      return ::mlir::relay::detail::getSummedKernelAxes(*this);
    }
  }];
}

def Relay_NNConv1dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv1d_transpose", 1, "{1}", "{0}",
                            "NCW", "IOW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv1d_transpose %x, %w {strides = [2], padding = [1, 1]}
        : (tensor<1x16x50xf32>, tensor<16x8x4xf32>) -> tensor<1x8x100xf32>
    ```
  }];
}
def Relay_NNConv2dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv2d_transpose", 2, "{1, 1}", "{0, 0}",
                            "NCHW", "IOHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv2d_transpose %x, %w
        {strides = [2, 2], output_padding = [1, 1], padding = [1, 1, 1, 1]}
        : (tensor<1x64x28x28xf32>, tensor<64x32x3x3xf32>)
        -> tensor<1x32x56x56xf32>
    ```
  }];
}
def Relay_NNConv3dTransposeOp
    : Relay_ConvTransposeOp<"nn.conv3d_transpose", 3, "{1, 1, 1}", "{0, 0, 0}",
                            "NCDHW", "IODHW", /*isOutputFirst=*/"true"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.conv3d_transpose %x, %w {strides = [2, 2, 2]}
        : (tensor<1x16x8x28x28xf32>, tensor<16x8x2x2x2xf32>)
        -> tensor<1x8x16x56x56xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

def Relay_NNDenseOp : Relay_Operator<"nn.dense", "OutEWiseFusable", [
    DeclareOpInterfaceMethods<ContractionOpInterface, ["getChannelAxes"]>]> {
  let summary = "data times the transpose of weight";
  let description = [{
    result[..., n] = sum over k of data[..., k] * weight[n, k]. `units`, if given,
    is the first size of weight.

    Example:

    ```mlir
    %0 = relay.nn.dense %x, %w {units = 1000}
        : (tensor<8x512xf32>, tensor<1000x512xf32>) -> tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
                       Relay_Nullable<Relay_IntAttr>:$units,
                       Relay_OptionalDType:$out_dtype);
}

def Relay_NNMatmulOp : Relay_Operator<"nn.matmul", "OutEWiseFusable", [
    DeclareOpInterfaceMethods<ContractionOpInterface>]> {
  let summary = "Matrix product, each side transposed or not";
  let description = [{
    tensor_a is (..., M, K), or (..., K, M) with `transpose_a`; tensor_b is
    (K, N), or (N, K) with `transpose_b`; the result is (..., M, N).

    Example:

    ```mlir
    %0 = relay.nn.matmul %a, %b {transpose_b = true}
        : (tensor<8x512xf32>, tensor<1000x512xf32>) -> tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$tensor_a, Relay_Tensor:$tensor_b,
                       Relay_Nullable<Relay_IntAttr>:$units,
                       Relay_OptionalDType:$out_dtype,
                       Relay_DefaultBool<"false">:$transpose_a,
                       Relay_DefaultBool<"false">:$transpose_b);
}

def Relay_NNBatchMatmulOp
    : Relay_Operator<"nn.batch_matmul", "OutEWiseFusable", [
          DeclareOpInterfaceMethods<ContractionOpInterface>]> {
  let summary = "Matrix products of a batch";
  let description = [{
    (B, M, K) times (B, K, N), where `transpose_a` and `transpose_b` swap the last
    two dimensions; batch sizes are equal, or 1 on one side.

    Example:

    ```mlir
    %0 = relay.nn.batch_matmul %q, %k {transpose_b = true}
        : (tensor<12x128x64xf32>, tensor<12x128x64xf32>)
        -> tensor<12x128x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$tensor_a, Relay_Tensor:$tensor_b,
                       Relay_OptionalDType:$out_dtype,
                       Relay_DefaultBool<"false">:$transpose_a,
                       Relay_DefaultBool<"false">:$transpose_b);
}

//===----------------------------------------------------------------------===//
// Elementwise operators along an axis
//===----------------------------------------------------------------------===//

def Relay_NNBiasAddOp
    : Relay_SameTypeOperator<"nn.bias_add", "Broadcast", [
          DeclareOpInterfaceMethods<BroadcastOpInterface, ["getOperandAxis"]>,
          Relay_AxisLayout]> {
  let summary = "Adds a vector along an axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.bias_add %x, %b
        : (tensor<1x64x56x56xf32>, tensor<64xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Vector:$bias,
                       Relay_DefaultInt<"1">:$axis);
  let hasVerifier = 1;
}

def Relay_NNPreluOp
    : Relay_SameTypeOperator<"nn.prelu", "Broadcast", [Relay_AxisLayout]> {
  let summary = "x if x > 0, else alpha[i] * x along an axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.prelu %x, %alpha {axis = 3}
        : (tensor<1x56x56x64xf32>, tensor<64xf32>) -> tensor<1x56x56x64xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$alpha,
                       Relay_DefaultInt<"1">:$axis);
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

class Relay_SoftmaxOp<string mnemonic, string what>
    : Relay_SameTypeOperator<mnemonic, "OutEWiseFusable",
                             [Relay_AxisLayout]> {
  let summary = what # " along an axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x {axis = 1}
        : (tensor<8x21x64x64xf32>) -> tensor<8x21x64x64xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_DefaultInt<"-1">:$axis);
  let hasVerifier = 1;
}
def Relay_NNSoftmaxOp
    : Relay_SoftmaxOp<"nn.softmax", "exp(x - max) / sum(exp(x - max))">;
def Relay_NNLogSoftmaxOp
    : Relay_SoftmaxOp<"nn.log_softmax", "x - max - log(sum(exp(x - max)))">;

def Relay_NNBatchNormOp
    : Relay_Operator<"nn.batch_norm", "OutEWiseFusable", [Relay_AxisLayout]> {
  let summary = "Batch normalisation, for inference";
  let description = [{
    (data - moving_mean) / sqrt(moving_var + epsilon) [* gamma] [+ beta] along
    `axis`. The result is a tuple of it, the mean and the variance.

    Example:

    ```mlir
    %0 = relay.nn.batch_norm %x, %gamma, %beta, %mean, %var {epsilon = 1.0e-3}
        : (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>,
           tensor<64xf32>, tensor<64xf32>)
        -> tuple<tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_Vector:$moving_mean, Relay_Vector:$moving_var,
    Relay_DefaultInt<"1">:$axis, Relay_DefaultFloat<"1e-5">:$epsilon,
    Relay_DefaultBool<"true">:$center, Relay_DefaultBool<"true">:$scale);
  let results = (outs AnyTuple:$result);
}

class Relay_NormOp<string mnemonic, string what, string axis, Trait layout>
    : Relay_SameTypeOperator<mnemonic, "OutEWiseFusable", [layout]> {
  let summary = what;
  let description = [{
    (data - mean) / sqrt(variance + epsilon) [* gamma] [+ beta], where gamma and
    beta lie along `axis`.
  }] # example;
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_DefaultInt<axis>:$axis,
    Relay_DefaultFloat<"1e-5">:$epsilon, Relay_DefaultBool<"true">:$center,
    Relay_DefaultBool<"true">:$scale);
  let hasVerifier = 1;
}
def Relay_NNLayerNormOp : Relay_NormOp<"nn.layer_norm",
    "Normalisation over one axis", "-1", Relay_AxisLayout> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.layer_norm %x, %gamma, %beta
        : (tensor<1x128x768xf32>, tensor<768xf32>, tensor<768xf32>)
        -> tensor<1x128x768xf32>
    ```
  }];
}
def Relay_NNInstanceNormOp : Relay_NormOp<"nn.instance_norm",
    "Normalisation over all axes but the batch and `axis`", "1",
    Relay_InstancesLayout> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.instance_norm %x, %gamma, %beta
        : (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>)
        -> tensor<1x64x56x56xf32>
    ```
  }];
}

def Relay_NNGroupNormOp
    : Relay_SameTypeOperator<"nn.group_norm", "OutEWiseFusable",
                             [Relay_InstancesLayout]> {
  let summary = "Normalisation over groups of channels";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.group_norm %x, %gamma, %beta {num_groups = 32}
        : (tensor<1x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>)
        -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$gamma,
    Relay_Vector:$beta, Relay_IntAttr:$num_groups, Relay_DefaultInt<"1">:$axis,
    Relay_DefaultFloat<"1e-5">:$epsilon, Relay_DefaultBool<"true">:$center,
    Relay_DefaultBool<"true">:$scale);
  let hasVerifier = 1;
}

def Relay_NNLrnOp
    : Relay_SameTypeOperator<"nn.lrn", "Opaque", [Relay_AxisLayout]> {
  let summary = "Local response normalisation across channels";
  let description = [{
    x / (bias + alpha / size * sum of x^2 over `size` channels around)^beta.

    Example:

    ```mlir
    %0 = relay.nn.lrn %x {bias = 1.0, alpha = 1.0e-3}
        : (tensor<1x96x55x55xf32>) -> tensor<1x96x55x55xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_DefaultInt<"5">:$size,
    Relay_DefaultInt<"1">:$axis, Relay_DefaultFloat<"2.0">:$bias,
    Relay_DefaultFloat<"0.0001">:$alpha, Relay_DefaultFloat<"0.75">:$beta);
  let check = [{::mlir::relay::detail::checkLrn(
      location, adaptor.getData(), adaptor.getSize(), adaptor.getAxis())}];
}

def Relay_NNL2NormalizeOp
    : Relay_SameTypeOperator<"nn.l2_normalize", "OutEWiseFusable",
                             [Relay_AxesLayout]> {
  let summary = "x / sqrt(max(sum of x^2 over axis, eps))";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.l2_normalize %x {eps = 1.0e-10, axis = [1]}
        : (tensor<1x512x38x38xf32>) -> tensor<1x512x38x38xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, F64Attr:$eps,
                       DenseI64ArrayAttr:$axis);
  let check = [{::mlir::relay::detail::checkAxes(
      location, adaptor.getData(), adaptor.getAxis())}];
}

def Relay_NNDropoutOp
    : Relay_Operator<"nn.dropout", "Opaque", [Relay_ElementwiseLayout]> {
  let summary = "Dropout; for inference the identity";
  let description = [{
    The result is a tuple of data and a mask.

    Example:

    ```mlir
    %0 = relay.nn.dropout %x {rate = 0.1}
        : (tensor<8x512xf32>) -> tuple<tensor<8x512xf32>, tensor<8x512xf32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data,
                       Relay_DefaultFloat<"0.5">:$rate);
  let results = (outs AnyTuple:$result);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class Relay_PoolInference<string mnemonic, int rank>
    : Relay_Operator<mnemonic, "OutEWiseFusable", [Relay_SpatialLayout<rank>]> {
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
                      string layout> : Relay_PoolInference<mnemonic, rank> {
  let summary = rank # "-D maximum pooling";
  let description = [{
    The maximum of each window. That of a window without data, which padding of
    the pool's size, dilated windows and `ceil_mode` make possible, is the smallest
    number of the type (-3.4e38 for float32, not -inf). A spatial size is
    floor((in + pads - ((pool - 1) * dilation + 1)) / stride) + 1, where
    `ceil_mode` rounds up. `layout` orders N, C and the spatial letters; N and C
    may be split, as in NCHW16c.
  }] # example;
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$pool_size,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<ones>:$dilation,
    Relay_DefaultInts<zeros>:$padding, Relay_DefaultStr<layout>:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode);
}

class Relay_AvgPoolOp<string mnemonic, int rank, string ones, string zeros,
                      string layout> : Relay_PoolInference<mnemonic, rank> {
  let summary = rank # "-D average pooling";
  let description = [{
    The mean of each window, over the elements inside the data, or with
    `count_include_pad` inside the padded data; means of integers are rounded
    towards zero. Sizes and layouts as of maximum pooling.
  }] # example;
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$pool_size,
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<ones>:$dilation,
    Relay_DefaultInts<zeros>:$padding, Relay_DefaultStr<layout>:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode,
    Relay_DefaultBool<"false">:$count_include_pad);
}

def Relay_NNMaxPool1dOp : Relay_MaxPoolOp<"nn.max_pool1d", 1, "{1}",
                                           "{0}", "NCW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.max_pool1d %x {pool_size = [2], strides = [2]}
        : (tensor<1x16x100xf32>) -> tensor<1x16x50xf32>
    ```
  }];
}
def Relay_NNAvgPool1dOp : Relay_AvgPoolOp<"nn.avg_pool1d", 1, "{1}",
                                           "{0}", "NCW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.avg_pool1d %x {pool_size = [4], strides = [4]}
        : (tensor<1x16x100xf32>) -> tensor<1x16x25xf32>
    ```
  }];
}
def Relay_NNMaxPool2dOp : Relay_MaxPoolOp<"nn.max_pool2d", 2, "{1, 1}",
                                           "{0, 0}", "NCHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.max_pool2d %x
        {pool_size = [3, 3], strides = [2, 2], padding = [1, 1, 1, 1]}
        : (tensor<1x64x112x112xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
}
def Relay_NNAvgPool2dOp : Relay_AvgPoolOp<"nn.avg_pool2d", 2, "{1, 1}",
                                           "{0, 0}", "NCHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.avg_pool2d %x
        {pool_size = [3, 3], padding = [1, 1, 1, 1], count_include_pad = true}
        : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
}
def Relay_NNMaxPool3dOp : Relay_MaxPoolOp<"nn.max_pool3d", 3, "{1, 1, 1}",
                                           "{0, 0, 0}", "NCDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.max_pool3d %x {pool_size = [2, 2, 2], strides = [2, 2, 2]}
        : (tensor<1x64x16x56x56xf32>) -> tensor<1x64x8x28x28xf32>
    ```
  }];
}
def Relay_NNAvgPool3dOp : Relay_AvgPoolOp<"nn.avg_pool3d", 3, "{1, 1, 1}",
                                           "{0, 0, 0}", "NCDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.avg_pool3d %x {pool_size = [8, 7, 7]}
        : (tensor<1x64x8x7x7xf32>) -> tensor<1x64x1x1x1xf32>
    ```
  }];
}

class Relay_GlobalPoolOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "OutEWiseFusable", [Relay_SpatialLayout<2>]> {
  let summary = what # " of all pixels";
  let description = [{
    The spatial dimensions become 1. `layout` orders N, C, H and W; N and C may
    be split, as in NCHW16c.

    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x {layout = "NHWC"}
        : (tensor<8x7x7x512xf32>) -> tensor<8x1x1x512xf32>
    ```
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
    : Relay_Operator<mnemonic, "OutEWiseFusable", [Relay_SpatialLayout<2>]> {
  let summary = what # " of windows chosen for an output size";
  let description = [{
    Window i reaches from floor(i * in / out) to ceil((i + 1) * in / out). One
    value in `output_size` counts for all dimensions, none keeps the sizes.

    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x {output_size = [7, 5]}
        : (tensor<8x512x14x14xf32>) -> tensor<8x512x7x5xf32>
    ```
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
