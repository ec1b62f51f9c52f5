//===- RelayNNSpatialOps.td - Less common spatial operators *- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNSPATIALOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNSPATIALOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

class Relay_AdaptivePool1d3dOp<string mnemonic, int rank, string what,
                               string layout>
    : Relay_Operator<mnemonic, "OutEWiseFusable", [Relay_SpatialLayout<rank>]> {
  let summary = what # " of windows chosen for an output size";
  let description = [{
    Window i reaches from floor(i * in / out) to ceil((i + 1) * in / out). One
    value in `output_size` counts for all spatial dimensions, none keeps the
    sizes. `layout` orders N, C and the spatial letters; `out_layout` is empty or
    the same. The element type is that of data.
  }] # example;
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
def Relay_NNAdaptiveAvgPool1dOp
    : Relay_AdaptivePool1d3dOp<"nn.adaptive_avg_pool1d", 1, "Mean", "NCW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.adaptive_avg_pool1d %x {output_size = [10]}
        : (tensor<1x16x100xf32>) -> tensor<1x16x10xf32>
    ```
  }];
}
def Relay_NNAdaptiveMaxPool1dOp
    : Relay_AdaptivePool1d3dOp<"nn.adaptive_max_pool1d", 1, "Maximum", "NCW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.adaptive_max_pool1d %x {output_size = [10]}
        : (tensor<1x16x100xf32>) -> tensor<1x16x10xf32>
    ```
  }];
}
def Relay_NNAdaptiveAvgPool3dOp
    : Relay_AdaptivePool1d3dOp<"nn.adaptive_avg_pool3d", 3, "Mean", "NCDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.adaptive_avg_pool3d %x {output_size = [4, 7, 7]}
        : (tensor<1x16x8x14x14xf32>) -> tensor<1x16x4x7x7xf32>
    ```
  }];
}
def Relay_NNAdaptiveMaxPool3dOp
    : Relay_AdaptivePool1d3dOp<"nn.adaptive_max_pool3d", 3, "Maximum", "NCDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.adaptive_max_pool3d %x {output_size = [4, 7, 7]}
        : (tensor<1x16x8x14x14xf32>) -> tensor<1x16x4x7x7xf32>
    ```
  }];
}

class Relay_PoolGradOp<string mnemonic, string what, string meaning>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = "Gradient of " # what # " pooling by its data";
  let description = [{
    The first operand is the gradient of the pool's result, the second one the
    pool's data, whose type the result has (the names are the registered ones,
    which do not say so). The attributes are those of the pool.
  }] # meaning # example;
  code check = [{
    ::mlir::relay::detail::checkPoolGrad(
        location, adaptor.getData().getType(), adaptor.getGrad().getType(),
        adaptor.getPoolSize(), adaptor.getStrides(), adaptor.getDilation(),
        adaptor.getPadding(), {adaptor.getLayout(), adaptor.getOutLayout()},
        adaptor.getCeilMode())
  }];
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getGrad().getType());
      return }] # check # [{;
    }
  }];
}
def Relay_NNMaxPool2dGradOp : Relay_PoolGradOp<"nn.max_pool2d_grad", "maximum",
    [{
    Each gradient goes to the first maximum of its window.
  }]> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.max_pool2d_grad %dy, %x {pool_size = [2, 2], strides = [2, 2]}
        : (tensor<1x64x28x28xf32>, tensor<1x64x56x56xf32>)
        -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$grad,
    DenseI64ArrayAttr:$pool_size, Relay_DefaultInts<"{1, 1}">:$strides,
    Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode);
}
def Relay_NNAvgPool2dGradOp : Relay_PoolGradOp<"nn.avg_pool2d_grad", "average",
    [{
    Each gradient is shared evenly by the elements of its window, of which
    `count_include_pad` counts those in the padding as well.
  }]> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.avg_pool2d_grad %dy, %x
        {pool_size = [3, 3], padding = [1, 1, 1, 1], count_include_pad = true}
        : (tensor<1x64x56x56xf32>, tensor<1x64x56x56xf32>)
        -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$grad,
    DenseI64ArrayAttr:$pool_size, Relay_DefaultInts<"{1, 1}">:$strides,
    Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"">:$out_layout, Relay_DefaultBool<"false">:$ceil_mode,
    Relay_DefaultBool<"false">:$count_include_pad);
}

//===----------------------------------------------------------------------===//
// Blocks, padding and shifting
//===----------------------------------------------------------------------===//

def Relay_NNSpaceToBatchNdOp
    : Relay_Operator<"nn.space_to_batch_nd", "Injective"> {
  let summary = "Moves blocks of the spatial dimensions into the batch";
  let description = [{
    Dimensions 1 ... M, one per value of `block_shape`, are padded with
    `pad_value`; `paddings` is [before1, after1, before2, ...]. Each must then be
    a multiple of its block:
    result[(b1, ..., bM, n), y1, ...] = padded[n, y1 * block1 + b1, ...].
    Sizes are n * block1 * ... * blockM, padded / block, then the rest as it is.

    Example:

    ```mlir
    %0 = relay.nn.space_to_batch_nd %x
        {block_shape = [2, 2], paddings = [0, 1, 0, 0]}
        : (tensor<1x7x8x16xf32>) -> tensor<4x4x4x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data,
                       Relay_DefaultInts<"{1, 1}">:$block_shape,
                       Relay_IntPairs:$paddings,
                       Relay_DefaultFloat<"0.0">:$pad_value);
}

def Relay_NNBatchToSpaceNdOp
    : Relay_Operator<"nn.batch_to_space_nd", "Injective"> {
  let summary = "Moves blocks of the batch into the spatial dimensions";
  let description = [{
    The inverse of nn.space_to_batch_nd: the batch is a multiple of the product
    of `block_shape`; dimension i becomes size * block less `crops`, which is
    [before1, after1, before2, ...].

    Example:

    ```mlir
    %0 = relay.nn.batch_to_space_nd %x
        {block_shape = [2, 2], crops = [0, 1, 0, 0]}
        : (tensor<4x4x4x16xf32>) -> tensor<1x7x8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data,
                       Relay_DefaultInts<"{1, 1}">:$block_shape,
                       Relay_IntPairs:$crops);
}

def Relay_NNMirrorPadOp : Relay_Operator<"nn.mirror_pad", "Injective"> {
  let summary = "Pads with what lies inside, mirrored";
  let description = [{
    `pad_width` is [before0, after0, before1, ...], none negative. `mode`
    SYMMETRIC repeats the edge (c b a | a b c), and reaches up to the size;
    REFLECT does not (c b | a b c), and reaches up to the size less one.

    Example:

    ```mlir
    %0 = relay.nn.mirror_pad %x
        {mode = "REFLECT", pad_width = [0, 0, 0, 0, 2, 2, 2, 2]}
        : (tensor<1x3x32x32xf32>) -> tensor<1x3x36x36xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data,
                       Relay_DefaultStr<"SYMMETRIC">:$mode,
                       Relay_IntPairs:$pad_width);
}

def Relay_NNDilateOp
    : Relay_Operator<"nn.dilate", "Injective",
                     [Relay_PerDimensionLayout<"Strides">]> {
  let summary = "Inserts a value between elements";
  let description = [{
    `strides` has a positive value per dimension of data; a size becomes
    (size - 1) * stride + 1. Element i goes to i * stride, all others are
    `dilation_value`.

    Example:

    ```mlir
    %0 = relay.nn.dilate %x {strides = [1, 1, 2, 2]}
        : (tensor<1x16x14x14xf32>) -> tensor<1x16x27x27xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$x,
                       Relay_DefaultInts<"{1, 1}">:$strides,
                       Relay_DefaultFloat<"0.0">:$dilation_value);
}

def Relay_NNFifoBufferOp : Relay_Operator<"nn.fifo_buffer", "Opaque"> {
  let summary = "Pushes data into a buffer";
  let description = [{
    The last buffer.shape[axis] elements of buffer followed by data along
    `axis`. Both have the same rank and element type, and the same sizes but
    along `axis`; the result has the type of buffer.

    Example:

    ```mlir
    %0 = relay.nn.fifo_buffer %x, %buffer {axis = 1}
        : (tensor<1x1x64xf32>, tensor<1x10x64xf32>) -> tensor<1x10x64xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$buffer,
                       Relay_DefaultInt<"0">:$axis);
}

def Relay_NNUpsampling3dOp
    : Relay_Operator<"nn.upsampling3d", "Injective", [Relay_SpatialLayout<3>]> {
  let summary = "Enlarges volumes by a factor";
  let description = [{
    Sizes of D, H and W are round(size * scale). `method` is nearest_neighbor or
    trilinear; `coordinate_transformation_mode` is half_pixel, align_corners or
    asymmetric. A nearest neighbour is rounded down, with align_corners to the
    nearest. `layout` is NCDHW or NDHWC.

    Example:

    ```mlir
    %0 = relay.nn.upsampling3d %x
        {scale_d = 2.0, scale_h = 2.0, scale_w = 2.0, method = "trilinear"}
        : (tensor<1x16x8x14x14xf32>) -> tensor<1x16x16x28x28xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, F64Attr:$scale_d, F64Attr:$scale_h,
    F64Attr:$scale_w, Relay_DefaultStr<"NCDHW">:$layout,
    Relay_DefaultStr<"nearest_neighbor">:$method,
    Relay_DefaultStr<"half_pixel">:$coordinate_transformation_mode);
}

def Relay_NNFastSoftmaxOp
    : Relay_SameTypeOperator<"nn.fast_softmax", "OutEWiseFusable",
                             [Relay_AxisLayout]> {
  let summary = "Softmax that may use an approximate exponential";
  let description = [{
    exp(x - max) / sum(exp(x - max)) along `axis`, as nn.softmax. How exact it is
    is up to the implementation.

    Example:

    ```mlir
    %0 = relay.nn.fast_softmax %x {axis = 1}
        : (tensor<32x10x64xf32>) -> tensor<32x10x64xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_DefaultInt<"-1">:$axis);
  let check = [{::mlir::relay::detail::checkAxes(
      location, adaptor.getData(), {adaptor.getAxis()})}];
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

def Relay_NNCorrelationOp
    : Relay_Operator<"nn.correlation", "OutEWiseFusable"> {
  let summary = "Correlation of patches of two feature maps";
  let description = [{
    For NCHW data1 and data2 of one type, both padded by `padding` (1, 2 or 4
    values: top, left, bottom, right). With D = 2 * (max_displacement / stride2)
    + 1 the result has D * D channels; channel (p, q) compares the patch of
    kernel_size^2 pixels of data1 that begins at y * stride1 + max_displacement
    with that of data2 displaced by (p - D / 2, q - D / 2) * stride2: the mean
    over the patch and all channels of the product, or without `is_multiply` of
    the absolute difference. A spatial size is ceil((padded - 2 * border) /
    stride1), where border = max_displacement + (kernel_size - 1) / 2; kernel_size
    is odd.

    Example:

    ```mlir
    %0 = relay.nn.correlation %a, %b
        {max_displacement = 4, stride2 = 2, padding = [4, 4, 4, 4]}
        : (tensor<1x64x48x64xf32>, tensor<1x64x48x64xf32>)
        -> tensor<1x25x48x64xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data1, Relay_FloatTensor:$data2,
    Relay_DefaultInt<"1">:$kernel_size, Relay_DefaultInt<"1">:$max_displacement,
    Relay_DefaultInt<"1">:$stride1, Relay_DefaultInt<"1">:$stride2,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultBool<"true">:$is_multiply,
    Relay_DefaultStr<"NCHW">:$layout);
}

def Relay_NNDeformableConv2dOp
    : Relay_Operator<"nn.deformable_conv2d", "OutEWiseFusable"> {
  let summary = "2-D convolution that reads at displaced positions";
  let description = [{
    As nn.conv2d, but tap (kh, kw) of the kernel reads data at
    (y * stride - pad + kh * dilation + offset[n, 2t, y, x],
     x * stride - pad + kw * dilation + offset[n, 2t + 1, y, x])
    for t = (group * KH + kh) * KW + kw, where channels are divided into
    `deformable_groups`. Positions between pixels are interpolated bilinearly;
    positions outside the image, and pixels outside it, are 0. The offset is
    (N, 2 * deformable_groups * KH * KW, OH, OW) in the layout of data.

    Example:

    ```mlir
    %0 = relay.nn.deformable_conv2d %x, %offset, %w {padding = [1, 1, 1, 1]}
        : (tensor<1x64x28x28xf32>, tensor<1x18x28x28xf32>,
           tensor<128x64x3x3xf32>)
        -> tensor<1x128x28x28xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$offset,
    Relay_FloatTensor:$weight, Relay_DefaultInts<"{1, 1}">:$strides,
    Relay_DefaultInts<"{0, 0}">:$padding, Relay_DefaultInts<"{1, 1}">:$dilation,
    Relay_DefaultInt<"1">:$deformable_groups, Relay_DefaultInt<"1">:$groups,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"OIHW">:$kernel_layout,
    Relay_DefaultStr<"">:$out_layout, Relay_OptionalDType:$out_dtype);
}

def Relay_NNConv2dBackwardWeightOp
    : Relay_Operator<"nn.conv2d_backward_weight", "OutEWiseFusable"> {
  let summary = "Gradient of nn.conv2d by its weight";
  let description = [{
    result[o, i, kh, kw] = sum over n, y, x of grad[n, o, y, x] *
    data[n, c, y * stride + kh * dilation - pad, ...], where c is channel i of
    the group of o. `kernel_size` is required. The layouts are named after the
    convolution that computes it: `data_layout` is the layout of grad,
    `kernel_layout` that of data (not of a kernel, so its default fits no data)
    and `out_layout` that of the result, OIHW if empty.

    Example:

    ```mlir
    %0 = relay.nn.conv2d_backward_weight %dy, %x
        {padding = [1, 1, 1, 1], kernel_size = [3, 3], kernel_layout = "NCHW"}
        : (tensor<1x128x56x56xf32>, tensor<1x64x56x56xf32>)
        -> tensor<128x64x3x3xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$grad, Relay_Tensor:$data,
    Relay_DefaultInts<"{1, 1}">:$strides, Relay_DefaultInts<"{0, 0}">:$padding,
    Relay_DefaultInts<"{1, 1}">:$dilation, Relay_DefaultInt<"1">:$groups,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"OIHW">:$kernel_layout,
    Relay_DefaultStr<"">:$out_layout, Relay_OptionalDType:$out_dtype);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNSPATIALOPS_TD
