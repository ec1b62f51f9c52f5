//===- RelayDynOps.td - Operators with shapes for operands -*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each of these is the operator of the same name without `dyn.`, with an
// operand in place of an attribute. The rank of the result follows from the
// length of that operand, its sizes are known at run time only. The attributes
// that the operands replace are still there, for the sake of Relay's text, and
// have no effect; the operands are called as they are, with `_value`.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

/// Values that take the place of an attribute: a vector, or one as a scalar.
def Relay_DynInts
    : RankedTensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;
/// The same, where floats that are whole numbers do as well.
def Relay_DynNumbers
    : RankedTensorOf<[AnyFloat, AnySignlessInteger, AnyUnsignedInteger]>;

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def Relay_DynReshapeOp
    : Relay_Operator<"dyn.reshape", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "reshape with the codes of the new shape as an operand";
  let description = [{
    Codes as in `reshape`. The rank is the length of the operand, so the codes
    are 0, -1 and sizes: -2, -3 and -4, which change it, are errors unless the
    rank happens to be that length.

    Example:

    ```mlir
    %0 = relay.dyn.reshape %x, %shape
        : (tensor<2x3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$newshape_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$newshape,
                       Relay_DefaultBool<"false">:$allowzero);
}

def Relay_DynExpandDimsOp
    : Relay_Operator<"dyn.expand_dims", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "expand_dims with the axis as an operand";
  let description = [{
    All sizes of the result are `?`: the axis is not known.

    Example:

    ```mlir
    %0 = relay.dyn.expand_dims %x, %axis
        : (tensor<3x4xf32>, tensor<i32>) -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$axis,
                       Relay_DefaultInt<"1">:$num_newaxis);
}

def Relay_DynSqueezeOp
    : Relay_Operator<"dyn.squeeze", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "squeeze with the axes as an operand";
  let description = [{
    All sizes of the result are `?`: the axes are not known.

    Example:

    ```mlir
    %0 = relay.dyn.squeeze %x, %axes
        : (tensor<1x3x1xf32>, tensor<1xi32>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$axes,
                       Relay_OptionalInts:$axis);
}

def Relay_DynBroadcastToOp
    : Relay_Operator<"dyn.broadcast_to", "Broadcast",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "broadcast_to with the shape as an operand";
  let description = [{
    The sizes are not negative.

    Example:

    ```mlir
    %0 = relay.dyn.broadcast_to %x, %shape
        : (tensor<1x4xf32>, tensor<3xi64>) -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$shape_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$shape,
                       Relay_OptionalDType:$dtype);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

class Relay_DynCreateOp<string mnemonic, string what>
    : Relay_Operator<"dyn." # mnemonic, "ElemWise",
                     [Relay_SizeOperands<[0]>]> {
  let summary = mnemonic # " with the shape as an operand: a tensor of " # what;
  let description = [{
    Example:

    ```mlir
    %0 = relay.dyn.}] # mnemonic # [{ %shape {dtype = f32}
        : (tensor<2xi64>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Relay_DynInts:$shape_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$shape,
                       TypeAttr:$dtype);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferDynCreate(
          location, adaptor.getShapeValue(), adaptor.getDtype(), types);
    }
  }];
}
def Relay_DynZerosOp : Relay_DynCreateOp<"zeros", "zeros">;
def Relay_DynOnesOp : Relay_DynCreateOp<"ones", "ones">;

def Relay_DynFullOp
    : Relay_Operator<"dyn.full", "ElemWise",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "full with the shape as an operand";
  let description = [{
    The element type is `dtype`, or that of `fill_value`.

    Example:

    ```mlir
    %0 = relay.dyn.full %value, %shape
        : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Scalar:$fill_value, Relay_DynInts:$shape_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$shape,
                       Relay_OptionalDType:$dtype);
}

def Relay_DynOneHotOp
    : Relay_Operator<"dyn.one_hot", "OutEWiseFusable",
                     [Relay_SizeOperands<[3]>]> {
  let summary = "one_hot with the depth as an operand";
  let description = [{
    The result has the size `?` at `axis`.

    Example:

    ```mlir
    %0 = relay.dyn.one_hot %x, %on, %off, %depth {dtype = f32}
        : (tensor<8xi32>, tensor<f32>, tensor<f32>, tensor<i32>)
        -> tensor<8x?xf32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$indices, Relay_Scalar:$on_value,
                       Relay_Scalar:$off_value, Relay_DynInts:$depth_value,
                       Relay_DefaultInt<"1">:$depth,
                       Relay_DefaultInt<"-1">:$axis,
                       Relay_OptionalDType:$dtype);
}

def Relay_DynSparseToDenseOp
    : Relay_Operator<"dyn.sparse_to_dense", "Opaque",
                     [Relay_SizeOperands<[3]>]> {
  let summary = "sparse_to_dense with the shape of the result as an operand";
  let description = [{
    Operands as of `sparse_to_dense`.

    Example:

    ```mlir
    %0 = relay.dyn.sparse_to_dense %at, %values, %zero, %shape
        : (tensor<5x2xi32>, tensor<5xf32>, tensor<f32>, tensor<2xi64>)
        -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$sparse_indices,
                       Relay_Tensor:$sparse_values, Relay_Scalar:$default_value,
                       Relay_DynInts:$output_shape);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def Relay_DynTileOp
    : Relay_Operator<"dyn.tile", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "tile with the numbers of repetitions as an operand";
  let description = [{
    Example:

    ```mlir
    %0 = relay.dyn.tile %x, %reps
        : (tensor<2x3xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynNumbers:$reps_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$reps);
}

def Relay_DynStridedSliceOp
    : Relay_Operator<"dyn.strided_slice", "Injective",
                     [Relay_SizeOperands<[1, 2, 3]>]> {
  let summary = "strided_slice with begin, end and strides as operands";
  let description = [{
    The operands are vectors of one length, for the leading dimensions or for
    those of `axes`; these have the size `?` in the result, the others stay.

    Example:

    ```mlir
    %0 = relay.dyn.strided_slice %x, %begin, %end, %strides
        : (tensor<8x16x32xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
        -> tensor<?x?x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$begin_value,
                       Relay_DynInts:$end_value, Relay_DynInts:$strides_value,
                       Relay_Nullable<DenseI64ArrayAttr>:$begin,
                       Relay_Nullable<DenseI64ArrayAttr>:$end,
                       Relay_Nullable<DenseI64ArrayAttr>:$strides,
                       Relay_DefaultStr<"end">:$slice_mode,
                       Relay_Nullable<DenseI64ArrayAttr>:$axes);
}

def Relay_DynNNPadOp
    : Relay_Operator<"dyn.nn.pad", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "nn.pad with the widths as an operand";
  let description = [{
    `pad_width_value` is (rank, 2): what is added before and after each
    dimension. All sizes of the result are `?`.

    Example:

    ```mlir
    %0 = relay.dyn.nn.pad %x, %widths, %value
        : (tensor<1x8x8xf32>, tensor<3x2xi64>, tensor<f32>) -> tensor<?x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynInts:$pad_width_value,
                       Relay_Scalar:$pad_val,
                       Relay_Nullable<Relay_IntPairs>:$pad_width,
                       Relay_DefaultStr<"constant">:$pad_mode);
}

def Relay_DynTopkOp
    : Relay_Operator<"dyn.topk", "Opaque",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "topk with the number of elements as an operand";
  let description = [{
    `k_value` is a scalar or has one element; below 1 it means all. The result
    has the size `?` at `axis`.

    Example:

    ```mlir
    %0 = relay.dyn.topk %x, %k {ret_type = "values"}
        : (tensor<8x1000xf32>, tensor<i32>) -> tensor<8x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynNumbers:$k_value,
                       Relay_Nullable<Relay_IntAttr>:$k,
                       Relay_DefaultInt<"-1">:$axis,
                       Relay_DefaultStr<"both">:$ret_type,
                       Relay_DefaultBool<"false">:$is_ascend,
                       Relay_OptionalDType:$dtype);
  let results = (outs Relay_Value:$result);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

def Relay_DynNNUpsamplingOp
    : Relay_Operator<"dyn.nn.upsampling", "Injective",
                     [Relay_SizeOperands<[1, 2]>]> {
  let summary = "nn.upsampling with the scales as operands";
  let description = [{
    The scales are scalars. Height and width of the result are `?`.

    Example:

    ```mlir
    %0 = relay.dyn.nn.upsampling %x, %h, %w {method = "bilinear"}
        : (tensor<1x3x32x32xf32>, tensor<f32>, tensor<f32>)
        -> tensor<1x3x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Scalar:$scale_h_value,
    Relay_Scalar:$scale_w_value, Relay_Nullable<F64Attr>:$scale_h,
    Relay_Nullable<F64Attr>:$scale_w, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"nearest_neighbor">:$method,
    Relay_DefaultBool<"false">:$align_corners);
}

def Relay_DynNNUpsampling3dOp
    : Relay_Operator<"dyn.nn.upsampling3d", "Injective",
                     [Relay_SizeOperands<[1, 2, 3]>]> {
  let summary = "nn.upsampling3d with the scales as operands";
  let description = [{
    The scales are scalars. Depth, height and width of the result are `?`.

    Example:

    ```mlir
    %0 = relay.dyn.nn.upsampling3d %x, %d, %h, %w
        : (tensor<1x3x8x32x32xf32>, tensor<f32>, tensor<f32>, tensor<f32>)
        -> tensor<1x3x?x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Scalar:$scale_d_value,
    Relay_Scalar:$scale_h_value, Relay_Scalar:$scale_w_value,
    Relay_Nullable<F64Attr>:$scale_d, Relay_Nullable<F64Attr>:$scale_h,
    Relay_Nullable<F64Attr>:$scale_w, Relay_DefaultStr<"NCDHW">:$layout,
    Relay_DefaultStr<"nearest_neighbor">:$method,
    Relay_DefaultStr<"half_pixel">:$coordinate_transformation_mode);
}

def Relay_DynImageResize2dOp
    : Relay_Operator<"dyn.image.resize2d", "Injective",
                     [Relay_SizeOperands<[1]>]> {
  let summary = "image.resize2d with size and roi as operands";
  let description = [{
    `size_value` is (height, width), `roi_value` (start_h, start_w, end_h,
    end_w). Height and width of the result are `?`.

    Example:

    ```mlir
    %0 = relay.dyn.image.resize2d %x, %size, %roi
        : (tensor<1x3x32x32xf32>, tensor<2xi64>, tensor<4xf32>)
        -> tensor<1x3x?x?xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DynNumbers:$size_value,
    Relay_FloatTensor:$roi_value, Relay_OptionalInts:$size,
    OptionalAttr<DenseF64ArrayAttr>:$roi, Relay_DefaultStr<"NCHW">:$layout,
    Relay_DefaultStr<"linear">:$method,
    Relay_DefaultStr<"half_pixel">:$coordinate_transformation_mode,
    Relay_DefaultStr<"round">:$rounding_method,
    Relay_DefaultFloat<"-0.5">:$cubic_alpha,
    Relay_DefaultInt<"0">:$cubic_exclude,
    Relay_DefaultFloat<"0.0">:$extrapolation_value,
    Relay_OptionalDType:$out_dtype);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYDYNOPS_TD
