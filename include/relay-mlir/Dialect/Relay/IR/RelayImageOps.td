//===- RelayImageOps.td - Image operators ------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYIMAGEOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYIMAGEOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

def Relay_NNUpsamplingOp
    : Relay_Operator<"nn.upsampling", "Injective", [Relay_SpatialLayout<2>]> {
  let summary = "Enlarges images by a factor";
  let description = [{
    `method` is nearest_neighbor, bilinear or bicubic; sizes are
    round(size * scale).

    Example:

    ```mlir
    %0 = relay.nn.upsampling %x
        {scale_h = 2.0, scale_w = 2.0, method = "bilinear"}
        : (tensor<1x64x16x16xf32>) -> tensor<1x64x32x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, F64Attr:$scale_h, F64Attr:$scale_w,
    Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"nearest_neighbor">:$method,
    Relay_DefaultBool<"false">:$align_corners);
}

def Relay_ImageResize2dOp
    : Relay_Operator<"image.resize2d", "Injective", [Relay_SpatialLayout<2>]> {
  let summary = "Resizes images";
  let description = [{
    `size` is (height, width). `method` is nearest_neighbor, linear or cubic;
    `coordinate_transformation_mode` is half_pixel, align_corners, asymmetric,
    pytorch_half_pixel, tf_half_pixel_for_nn or tf_crop_and_resize (which reads
    `roi` = [start_h, start_w, end_h, end_w]); `rounding_method`, of
    nearest_neighbor, is round, floor, ceil, round_prefer_floor or
    round_prefer_ceil.

    Example:

    ```mlir
    %0 = relay.image.resize2d %x
        {size = [224, 224], method = "nearest_neighbor",
         rounding_method = "floor"}
        : (tensor<1x3x640x480xf32>) -> tensor<1x3x224x224xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$size,
    OptionalAttr<DenseF64ArrayAttr>:$roi, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"linear">:$method,
    Relay_DefaultStr<"half_pixel">:$coordinate_transformation_mode,
    Relay_DefaultStr<"round">:$rounding_method,
    Relay_DefaultFloat<"-0.5">:$cubic_alpha,
    Relay_DefaultInt<"0">:$cubic_exclude,
    Relay_DefaultFloat<"0.0">:$extrapolation_value,
    Relay_OptionalDType:$out_dtype);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYIMAGEOPS_TD
