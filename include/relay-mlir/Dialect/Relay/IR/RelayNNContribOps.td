//===- RelayNNContribOps.td - Packed and transformed data --*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNCONTRIBOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNCONTRIBOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

/// The attributes of a convolution, in the order in which text has them.
class Relay_ContribConvAttributes<string ones, string zeros, string layout,
                                  string kernel> {
  dag value = (ins
    Relay_DefaultInts<ones>:$strides, Relay_DefaultInts<zeros>:$padding,
    Relay_DefaultInts<ones>:$dilation, Relay_DefaultInt<"1">:$groups,
    Relay_OptionalInt:$channels, Relay_OptionalInts:$kernel_size,
    Relay_DefaultStr<layout>:$data_layout,
    Relay_DefaultStr<kernel>:$kernel_layout,
    Relay_DefaultStr<"">:$out_layout, Relay_OptionalDType:$out_dtype);
}

//===----------------------------------------------------------------------===//
// Packed layouts
//===----------------------------------------------------------------------===//

class Relay_ConvNCHWcOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = what # " on packed layouts";
  let description = [{
    The result of nn.conv2d on the unpacked data and weight, packed as
    `out_layout` (that of data if empty). `data_layout` and `out_layout` are like
    NCHW16c, `kernel_layout` like OIHW16i16o; split sizes must divide their
    dimensions. `channels` and `kernel_size` are required.
  }] # example;
  let arguments = !con((ins Relay_Tensor:$data, Relay_Tensor:$weight),
      Relay_ContribConvAttributes<"{1, 1}", "{0, 0}", "NCHW", "OIHW">.value);
}
def Relay_NNContribConv2dNCHWcOp
    : Relay_ConvNCHWcOp<"nn.contrib_conv2d_NCHWc", "2-D convolution"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_NCHWc %x, %w
        {padding = [1, 1, 1, 1], channels = 128, kernel_size = [3, 3],
         data_layout = "NCHW16c", kernel_layout = "OIHW16i16o"}
        : (tensor<1x4x56x56x16xf32>, tensor<8x4x3x3x16x16xf32>)
        -> tensor<1x8x56x56x16xf32>
    ```
  }];
}
def Relay_NNContribDepthwiseConv2dNCHWcOp
    : Relay_ConvNCHWcOp<"nn.contrib_depthwise_conv2d_NCHWc",
                        "Depthwise 2-D convolution"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_depthwise_conv2d_NCHWc %x, %w
        {padding = [1, 1, 1, 1], groups = 64, channels = 64,
         kernel_size = [3, 3], data_layout = "NCHW16c",
         kernel_layout = "OIHW1i16o"}
        : (tensor<1x4x56x56x16xf32>, tensor<4x1x3x3x1x16xf32>)
        -> tensor<1x4x56x56x16xf32>
    ```
  }];
}

def Relay_NNContribDensePackOp
    : Relay_Operator<"nn.contrib_dense_pack", "OutEWiseFusable"> {
  let summary = "Matrix product with a packed weight";
  let description = [{
    nn.dense of the (M, K) data with the (N, K) weight that is packed as
    (N / t, K, t), or as (N / t, K / u, t, u); `weight_layout` says so as NC16n
    or NC16n4c, and NC leaves it to the rank. The result is (M, N).

    Example:

    ```mlir
    %0 = relay.nn.contrib_dense_pack %x, %w {weight_layout = "NC16n"}
        : (tensor<8x64xf32>, tensor<2x64x16xf32>) -> tensor<8x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
                       Relay_Nullable<Relay_IntAttr>:$units, Relay_OptionalDType:$out_dtype,
                       Relay_DefaultStr<"NC">:$weight_layout);
}

//===----------------------------------------------------------------------===//
// Matrix multiplication
//===----------------------------------------------------------------------===//

def Relay_NNContribConv2dGemmWeightTransformOp
    : Relay_Operator<"nn.contrib_conv2d_gemm_weight_transform",
                     "OutEWiseFusable"> {
  let summary = "Tiles a convolution's weight for matrix multiplication";
  let description = [{
    The HWIO weight as a (K, N) matrix, K = H * W * I and N = O, is padded with
    zeros to multiples of 4 * tile_K and tile_N, and cut into tiles: result
    [n, k] is the tile, transposed, i.e. (tile_N, tile_K), for 8-bit integers,
    and (tile_K, tile_N) for other element types.

    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_gemm_weight_transform %w
        {tile_N = 4, tile_K = 16}
        : (tensor<3x3x64x128xi8>) -> tensor<32x36x4x16xi8>
    ```
  }];
  let arguments = (ins Relay_Tensor:$weights, Relay_IntAttr:$tile_N,
                       Relay_IntAttr:$tile_K);
}

def Relay_NNContribConv2dGemmWithoutWeightTransformOp
    : Relay_Operator<"nn.contrib_conv2d_gemm_without_weight_transform",
                     "OutEWiseFusable"> {
  let summary = "2-D convolution whose weight is tiled already";
  let description = [{
    nn.conv2d of NHWC data (`data_layout` must say so) with the weight of which
    `weight` is nn.contrib_conv2d_gemm_weight_transform; `channels` and
    `kernel_size` are required, `groups` is 1.

    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_gemm_without_weight_transform %x, %w
        {padding = [1, 1, 1, 1], channels = 128, kernel_size = [3, 3],
         data_layout = "NHWC", out_dtype = i32}
        : (tensor<1x56x56x64xi8>, tensor<32x36x4x16xi8>)
        -> tensor<1x56x56x128xi32>
    ```
  }];
  let arguments = !con((ins Relay_Tensor:$data, Relay_Tensor:$weight),
      Relay_ContribConvAttributes<"{1, 1}", "{0, 0}", "NCHW", "OIHW">.value);
}

//===----------------------------------------------------------------------===//
// Winograd's algorithm
//===----------------------------------------------------------------------===//

class Relay_WinogradTransformOp<string mnemonic, string rule,
                                TypeConstraint weight = Relay_FloatTensor>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = "Transforms a convolution's weight for Winograd's algorithm";
  let description = [{
    G w G^T along the spatial dimensions of the weight, for tiles of `tile_size`
    results per dimension: }] # rule # [{ G is that of Toom and Cook's algorithm
    for the points 0, 1, -1, 1/2, -2, -1/2, 2, ... and infinity. The result is
    only of use for the convolution without weight transform.
  }] # example;
  let arguments = (ins weight:$weight, Relay_IntAttr:$tile_size);
}
def Relay_NNContribConv2dWinogradWeightTransformOp
    : Relay_WinogradTransformOp<"nn.contrib_conv2d_winograd_weight_transform", [{
    OIHW becomes (tile_size + H - 1, tile_size + W - 1, O, I). Bytes, of a window
    of 3 x 3 and tiles of up to 4, become integers of 16 bits: the points are 0,
    1, -1, 2, -2 and infinity, and what G divides by is left out.}],
    RankedTensorOf<[AnyFloat, I8, UI8]>> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_winograd_weight_transform %w {tile_size = 4}
        : (tensor<128x64x3x3xf32>) -> tensor<6x6x128x64xf32>
    ```
  }];
}
def Relay_NNContribConv3dWinogradWeightTransformOp
    : Relay_WinogradTransformOp<"nn.contrib_conv3d_winograd_weight_transform", [{
    OIDHW becomes (tile_size + D - 1, tile_size + H - 1, tile_size + W - 1, O, I)
    if 2 < D < 8; otherwise the depth is not transformed, (tile_size + H - 1,
    tile_size + W - 1, D, O, I).}]> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_conv3d_winograd_weight_transform %w {tile_size = 2}
        : (tensor<128x64x3x3x3xf32>) -> tensor<4x4x4x128x64xf32>
    ```
  }];
}

def Relay_NNContribConv2dWinogradNnpackWeightTransformOp
    : Relay_Operator<"nn.contrib_conv2d_winograd_nnpack_weight_transform",
                     "Opaque"> {
  let summary = "Transforms a 3x3 weight for tiles of 8x8 values";
  let description = [{
    The weight (O, I, 3, 3) becomes (O, I, 8, 8) of `out_dtype` (that of the
    weight if absent): nn.contrib_conv2d_winograd_weight_transform for tiles of 6
    results, in another order. `convolution_algorithm` is 3 or 6 (Winograd's, the
    latter with half-precision weights), or 0 for any.

    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_winograd_nnpack_weight_transform %w
        {convolution_algorithm = 3}
        : (tensor<128x64x3x3xf32>) -> tensor<128x64x8x8xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$weight,
                       Relay_IntAttr:$convolution_algorithm,
                       Relay_OptionalDType:$out_dtype);
}

class Relay_WinogradConvOp<string mnemonic, int rank, string ones, string zeros,
                           string layout, string kernel, string integers = "",
                           TypeConstraint data = Relay_FloatTensor,
                           TypeConstraint weight = Relay_FloatTensor>
    : Relay_Operator<mnemonic, "OutEWiseFusable"> {
  let summary = rank # "-D convolution whose weight is transformed already";
  let description = [{
    The convolution with the weight of which `weight` is the transform for
    `tile_size`, by Winograd's algorithm: tiles of data are transformed (B),
    multiplied with the weight element by element, and transformed back (A).
    `channels` and `kernel_size` are required; strides, dilation and groups are
    1. `data_layout` is a permutation of }] # layout # [{.}] # integers # [{
  }] # example;
  let arguments = !con(
      (ins data:$data, weight:$weight, Relay_IntAttr:$tile_size),
      Relay_ContribConvAttributes<ones, zeros, layout, kernel>.value);
}
def Relay_NNContribConv2dWinogradWithoutWeightTransformOp
    : Relay_WinogradConvOp<"nn.contrib_conv2d_winograd_without_weight_transform",
                           2, "{1, 1}", "{0, 0}", "NCHW", "OIHW", [{ Of bytes,
    with the transform of bytes, the result is i32 and exact, but that it wraps
    to fewer bits: to 26 with tiles of 3 or 4, and to 30 with tiles of 2.}],
                           RankedTensorOf<[AnyFloat, I8, UI8]>,
                           RankedTensorOf<[AnyFloat, I16]>> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_conv2d_winograd_without_weight_transform %x, %w
        {tile_size = 4, padding = [1, 1, 1, 1], channels = 128,
         kernel_size = [3, 3]}
        : (tensor<1x64x56x56xf32>, tensor<6x6x128x64xf32>)
        -> tensor<1x128x56x56xf32>
    ```
  }];
}
def Relay_NNContribConv3dWinogradWithoutWeightTransformOp
    : Relay_WinogradConvOp<"nn.contrib_conv3d_winograd_without_weight_transform",
                           3, "{1, 1, 1}", "{0, 0, 0}", "NCDHW", "OIDHW"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.contrib_conv3d_winograd_without_weight_transform %x, %w
        {tile_size = 2, padding = [1, 1, 1, 1, 1, 1], channels = 128,
         kernel_size = [3, 3, 3]}
        : (tensor<1x64x8x28x28xf32>, tensor<4x4x4x128x64xf32>)
        -> tensor<1x128x8x28x28xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

def Relay_NNBitpackOp : Relay_Operator<"nn.bitpack", "Injective"> {
  let summary = "Packs single bits of integers into words";
  let description = [{
    Bit b of elements k * W ... k * W + W - 1 along `pack_axis` becomes one word
    of `pack_type` (an integer of W bits; required), the first element in the
    highest bit. A dimension for b = 0 ... bits - 1 is inserted at `bit_axis`,
    which counts dimensions of the result; a negative one counts from behind.
    `name` has no meaning.

    Example:

    ```mlir
    %0 = relay.nn.bitpack %x {bits = 2, pack_type = ui32}
        : (tensor<1x64x56x56xui8>) -> tensor<1x2x56x56x2xui32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$data, Relay_DefaultInt<"1">:$bits,
    Relay_DefaultInt<"1">:$pack_axis, Relay_DefaultInt<"-1">:$bit_axis,
    Relay_OptionalDType:$pack_type, Relay_DefaultStr<"BitPack">:$name);
}

def Relay_NNBitserialConv2dOp
    : Relay_Operator<"nn.bitserial_conv2d", "OutEWiseFusable"> {
  let summary = "2-D convolution of integers of few bits";
  let description = [{
    The convolution of data, whose lowest `activation_bits` bits count as an
    unsigned integer, with weights of `weight_bits` bits. With `unipolar` a set
    bit b of a weight counts 2^b and a clear one -2^b; otherwise a weight is an
    unsigned integer. The weight is in `kernel_layout` (OIHW with NCHW data, HWIO
    with NHWC), or packed by nn.bitpack along the input channels with the bits in
    a last dimension. Input channels are a multiple of the bits of `pack_dtype`
    (uint32 if absent). `channels` is required; the result is of `out_dtype`, of
    the type of data if absent, and wraps.

    Example:

    ```mlir
    %0 = relay.nn.bitserial_conv2d %x, %w
        {padding = [1, 1, 1, 1], channels = 128, activation_bits = 2,
         pack_dtype = ui32, out_dtype = i16}
        : (tensor<1x64x56x56xui8>, tensor<128x64x3x3xui8>)
        -> tensor<1x128x56x56xi16>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$data, Relay_IntegerTensor:$weight,
    Relay_DefaultInts<"{1, 1}">:$strides, Relay_DefaultInts<"{0, 0}">:$padding,
    Relay_DefaultInts<"{3, 3}">:$kernel_size, Relay_OptionalInt:$channels,
    Relay_DefaultInt<"1">:$activation_bits, Relay_DefaultInt<"1">:$weight_bits,
    Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"OIHW">:$kernel_layout, Relay_OptionalDType:$pack_dtype,
    Relay_OptionalDType:$out_dtype, Relay_DefaultBool<"true">:$unipolar);
}

def Relay_NNBitserialDenseOp
    : Relay_Operator<"nn.bitserial_dense", "OutEWiseFusable"> {
  let summary = "Matrix product of integers of few bits";
  let description = [{
    nn.dense of (M, K) data with (units, K) weights, which are read as by
    nn.bitserial_conv2d; the weight may be packed by nn.bitpack along K, with the
    bits in dimension 1: (units, weight_bits, K / W).

    Example:

    ```mlir
    %0 = relay.nn.bitserial_dense %x, %w
        {units = 32, data_bits = 2, pack_dtype = ui32, out_dtype = i16}
        : (tensor<8x64xui8>, tensor<32x64xui8>) -> tensor<8x32xi16>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$data, Relay_IntegerTensor:$weight,
    Relay_Nullable<Relay_IntAttr>:$units, Relay_DefaultInt<"1">:$data_bits,
    Relay_DefaultInt<"1">:$weight_bits, Relay_OptionalDType:$pack_dtype,
    Relay_OptionalDType:$out_dtype, Relay_DefaultBool<"true">:$unipolar);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNCONTRIBOPS_TD
