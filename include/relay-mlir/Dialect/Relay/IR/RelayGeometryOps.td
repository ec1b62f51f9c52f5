//===- RelayGeometryOps.td - Resampling of images ----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYGEOMETRYOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYGEOMETRYOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

class Relay_ResizeOp<string mnemonic, int rank, string layout, string what>
    : Relay_Operator<mnemonic, "Injective", [Relay_SpatialLayout<rank>]> {
  let summary = "Resizes " # what;
  let description = [{
    The attributes are those of image.resize2d, for }] # layout # [{ data or the
    same with C last: `size` has a value for each of the }] # rank # [{ spatial
    dimensions, `roi` all begins and then all ends. Sizes are those of `size`; the
    element type is `out_dtype`, that of data if absent.
  }] # example;
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$size,
    OptionalAttr<DenseF64ArrayAttr>:$roi, Relay_DefaultStr<layout>:$layout,
    Relay_DefaultStr<"linear">:$method,
    Relay_DefaultStr<"half_pixel">:$coordinate_transformation_mode,
    Relay_DefaultStr<"round">:$rounding_method,
    Relay_DefaultFloat<"-0.5">:$cubic_alpha,
    Relay_DefaultInt<"0">:$cubic_exclude,
    Relay_DefaultFloat<"0.0">:$extrapolation_value,
    Relay_OptionalDType:$out_dtype);
}
def Relay_ImageResize1dOp
    : Relay_ResizeOp<"image.resize1d", 1, "NCW", "sequences"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.image.resize1d %x {size = [200]}
        : (tensor<1x8x100xf32>) -> tensor<1x8x200xf32>
    ```
  }];
}
def Relay_ImageResize3dOp
    : Relay_ResizeOp<"image.resize3d", 3, "NCDHW", "volumes"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.image.resize3d %x
        {size = [32, 64, 64], coordinate_transformation_mode = "align_corners"}
        : (tensor<1x8x16x32x32xf32>) -> tensor<1x8x32x64x64xf32>
    ```
  }];
}

def Relay_ImageCropAndResizeOp
    : Relay_Operator<"image.crop_and_resize", "Injective",
                     [Relay_SpatialLayout<2>]> {
  let summary = "Resizes regions of images";
  let description = [{
    Region i of `boxes` (M, 4) is (y1, x1, y2, x2) in image `box_indices[i]`,
    where 0 and 1 are the centres of the first and the last pixel; it is resized
    to `crop_size`, with corners aligned (to the region's centre where that is 1).
    `method` is bilinear or nearest_neighbor (halves away from 0); positions
    outside the image are `extrapolation_value`. `layout` is NCHW or NHWC. The
    result has M images.

    Example:

    ```mlir
    %0 = relay.image.crop_and_resize %x, %boxes, %images {crop_size = [14, 14]}
        : (tensor<2x3x64x64xf32>, tensor<10x4xf32>, tensor<10xi32>)
        -> tensor<10x3x14x14xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_FloatTensor:$boxes,
    Relay_IntegerTensor:$box_indices, DenseI64ArrayAttr:$crop_size,
    Relay_DefaultStr<"NCHW">:$layout, Relay_DefaultStr<"bilinear">:$method,
    Relay_DefaultFloat<"0.0">:$extrapolation_value,
    Relay_OptionalDType:$out_dtype);
}

def Relay_ImageAffineGridOp : Relay_Operator<"image.affine_grid", "Injective"> {
  let summary = "The sampling grid of an affine map";
  let description = [{
    data is (N, 2, 3), `target_shape` (H, W), both above 1; the result
    (N, 2, H, W) holds data[n] * (x, y, 1)^T for x and y evenly spaced from -1
    at the first to 1 at the last pixel.

    Example:

    ```mlir
    %0 = relay.image.affine_grid %theta {target_shape = [32, 48]}
        : (tensor<1x2x3xf32>) -> tensor<1x2x32x48xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data,
                       DenseI64ArrayAttr:$target_shape);
}

def Relay_ImageGridSampleOp : Relay_Operator<"image.grid_sample", "Injective"> {
  let summary = "Reads an image at the positions of a grid";
  let description = [{
    data is (N, C, H, W) with a grid (N, 2, OH, OW) of (x, y), or for the layout
    NCDHW (N, C, D, H, W) with a grid (N, 3, OD, OH, OW) of (x, y, z); the result
    has the spatial sizes of grid. -1 and 1 are the centres of the first and the
    last pixel with `align_corners`, else their outer edges. `method` is
    bilinear, nearest (halves to even) or, on images, bicubic (alpha -0.75).
    `padding_mode` says what lies outside: zeros, border (the nearest pixel) or
    reflection (about the positions of -1 and 1).

    Example:

    ```mlir
    %0 = relay.image.grid_sample %x, %grid {padding_mode = "border"}
        : (tensor<1x3x64x64xf32>, tensor<1x2x32x48xf32>)
        -> tensor<1x3x32x48xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$grid,
    Relay_DefaultStr<"bilinear">:$method, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"zeros">:$padding_mode,
    Relay_DefaultBool<"true">:$align_corners);
}

def Relay_ImageDilation2dOp
    : Relay_Operator<"image.dilation2d", "OutEWiseFusable"> {
  let summary = "Greyscale dilation";
  let description = [{
    result[n, c, y, x] = maximum over kh, kw of weight[c, kh, kw] +
    data[n, c, y * stride + kh * dilation - pad, ...], where padding never wins.
    Sizes are those of a convolution. The layouts are NCHW and IHW, or NHWC and
    HWI.

    Example:

    ```mlir
    %0 = relay.image.dilation2d %x, %w {padding = [1, 1, 1, 1]}
        : (tensor<1x3x32x32xf32>, tensor<3x3x3xf32>) -> tensor<1x3x32x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$weight,
    Relay_DefaultInts<"{1, 1}">:$strides, Relay_DefaultInts<"{0, 0}">:$padding,
    Relay_DefaultInts<"{1, 1}">:$dilations,
    Relay_DefaultStr<"NCHW">:$data_layout,
    Relay_DefaultStr<"IHW">:$kernel_layout, Relay_OptionalDType:$out_dtype);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYGEOMETRYOPS_TD
