//===- RelayTensorOps.td - Movement and indexing -----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYTENSOROPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYTENSOROPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

def Relay_ReshapeOp
    : Relay_Operator<"reshape", "Injective",
                     [Relay_MovesElements, Relay_ReshapeLayout]> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    Codes in `newshape`: a positive number is a size; 0 copies the size of the
    same position of `data` (with `allowzero`: the size 0); -1 is inferred (at
    most once); -2 copies all remaining sizes; -3 is the product of the next two
    sizes; -4 splits the next size into the following two values, of which one
    may be -1.

    Example:

    ```mlir
    %0 = relay.reshape %x {newshape = [0, -1]}
        : (tensor<1x512x7x7xf32>) -> tensor<1x25088xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$newshape,
                       Relay_DefaultBool<"false">:$allowzero);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Relay_ExpandDimsOp
    : Relay_Operator<"expand_dims", "Broadcast",
                     [Relay_MovesElements, Relay_ReshapeLayout]> {
  let summary = "Inserts `num_newaxis` dimensions of size 1 at `axis`";
  let description = [{
    Example:

    ```mlir
    %0 = relay.expand_dims %x {axis = 1, num_newaxis = 2}
        : (tensor<8x16xf32>) -> tensor<8x1x1x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntAttr:$axis,
                       Relay_DefaultInt<"1">:$num_newaxis);
}

def Relay_SqueezeOp
    : Relay_Operator<"squeeze", "Injective",
                     [Relay_MovesElements, Relay_ReshapeLayout]> {
  let summary = "Removes dimensions of size 1";
  let description = [{
    Those of `axis`, or all whose static size is 1.

    Example:

    ```mlir
    %0 = relay.squeeze %x {axis = [2, 3]}
        : (tensor<1x512x1x1xf32>) -> tensor<1x512xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalInts:$axis);
}

def Relay_NNBatchFlattenOp
    : Relay_Operator<"nn.batch_flatten", "Injective", [Relay_ReshapeLayout]> {
  let summary = "Merges all dimensions but the first";
  let description = [{
    Example:

    ```mlir
    %0 = relay.nn.batch_flatten %x
        : (tensor<1x512x7x7xf32>) -> tensor<1x25088xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data);
}

def Relay_BroadcastToOp
    : Relay_Operator<"broadcast_to", "Broadcast",
                     [Relay_PerDimensionLayout<"Shape">]> {
  let summary = "Repeats elements along dimensions of size 1";
  let description = [{
    A size of -1 in `shape` copies the size of `data` at that dimension (aligned
    at the last one). `dtype` is of no effect: the element type is that of data.

    Example:

    ```mlir
    %0 = relay.broadcast_to %x {shape = [8, 128]}
        : (tensor<1x128xf32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$shape,
                       Relay_OptionalDType:$dtype);
}

def Relay_ShapeOfOp
    : Relay_Operator<"shape_of", "Opaque", [Relay_ReadsSizes]> {
  let summary = "The sizes of a tensor, as a vector (int32 by default)";
  let description = [{
    Example:

    ```mlir
    %0 = relay.shape_of %x {dtype = i64} : (tensor<?x128xf32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalDType:$dtype);
}

def Relay_NdarraySizeOp
    : Relay_Operator<"ndarray_size", "Injective", [Relay_ReadsSizes]> {
  let summary = "The number of elements of a tensor (int32 by default)";
  let description = [{
    Example:

    ```mlir
    %0 = relay.ndarray_size %x {dtype = i64}
        : (tensor<?x128xf32>) -> tensor<i64>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalDType:$dtype);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

class Relay_CreateOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "ElemWise"> {
  let summary = "A tensor of " # what;
  let description = [{
    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ {shape = [8, 128], dtype = f32}
        : () -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$shape, TypeAttr:$dtype);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferCreate(location, adaptor.getShape(),
                                                adaptor.getDtype(), types);
    }
  }];
}
def Relay_ZerosOp : Relay_CreateOp<"zeros", "zeros">;
def Relay_OnesOp : Relay_CreateOp<"ones", "ones">;

def Relay_FullOp : Relay_Operator<"full", "ElemWise"> {
  let summary = "A tensor of one value";
  let description = [{
    Example:

    ```mlir
    %0 = relay.full %value {shape = [8, 128]}
        : (tensor<f32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_Scalar:$fill_value, DenseI64ArrayAttr:$shape,
                       Relay_OptionalDType:$dtype);
}

def Relay_FullLikeOp
    : Relay_SameTypeOperator<"full_like", "ElemWise",
                             [Relay_ElementwiseLayout]> {
  let summary = "A tensor of one value, of the shape of `data`";
  let description = [{
    Example:

    ```mlir
    %0 = relay.full_like %x, %value
        : (tensor<8x128xf32>, tensor<f32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Scalar:$fill_value);
  let check = [{::mlir::relay::detail::checkElementType(
      location, adaptor.getData(), adaptor.getFillValue(), "fill_value")}];
}

def Relay_ArangeOp : Relay_Operator<"arange", "Opaque", [
    DeclareOpInterfaceMethods<SizeOperandsOpInterface>]> {
  let summary = "start, start + step, ... below stop";
  let description = [{
    The operands are scalars of element type `dtype`. The size is static if they
    are constants.

    Example:

    ```mlir
    %start = relay.constant dense<0> : tensor<i32>
    %stop = relay.constant dense<10> : tensor<i32>
    %step = relay.constant dense<3> : tensor<i32>
    %0 = relay.arange %start, %stop, %step {dtype = i32}
        : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Relay_Scalar:$start, Relay_Scalar:$stop,
                       Relay_Scalar:$step, TypeAttr:$dtype);
  // Constants need no computation that a kernel could contain.
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::SmallVector<unsigned> $cppClass::getSizeOperands() {
      if (getType().hasStaticShape())
        return {};
      return {0, 1, 2};
    }
  }];
}

def Relay_OneHotOp : Relay_Operator<"one_hot", "OutEWiseFusable"> {
  let summary = "on_value at the position an index names, else off_value";
  let description = [{
    A dimension of size `depth` is inserted at `axis` (-1: last). An index out of
    range gives off_value everywhere.

    Example:

    ```mlir
    %0 = relay.one_hot %x, %on, %off {depth = 10, dtype = f32}
        : (tensor<8xi32>, tensor<f32>, tensor<f32>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$indices, Relay_Scalar:$on_value,
                       Relay_Scalar:$off_value, Relay_DefaultInt<"1">:$depth,
                       Relay_DefaultInt<"-1">:$axis,
                       Relay_OptionalDType:$dtype);
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def Relay_TransposeOp
    : Relay_Operator<"transpose", "Injective",
                     [Relay_MovesElements, Relay_TransposeLayout]> {
  let summary = "Permutes dimensions";
  let description = [{
    Dimension i of the result is dimension `axes[i]` of `data`; without `axes`
    the order is reversed.

    Example:

    ```mlir
    %0 = relay.transpose %x {axes = [0, 3, 1, 2]}
        : (tensor<1x56x56x64xf32>) -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data,
                       Relay_Nullable<DenseI64ArrayAttr>:$axes);
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Returns the permutation, without negative numbers.
    ::llvm::SmallVector<int64_t> getPermutation();
  }];
}

def Relay_LayoutTransformOp
    : Relay_Operator<"layout_transform", "Injective", [Relay_TransposeLayout]> {
  let summary = "Changes between layouts such as NCHW and NCHW16c";
  let description = [{
    Example:

    ```mlir
    %0 = relay.layout_transform %x {src_layout = "NCHW", dst_layout = "NCHW16c"}
        : (tensor<1x64x56x56xf32>) -> tensor<1x4x56x56x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, StrAttr:$src_layout,
                       StrAttr:$dst_layout);
}

def Relay_ConcatenateOp
    : Relay_Operator<"concatenate", "Injective", [Relay_AxisOfAllLayout]> {
  let summary = "Joins tensors along an axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.concatenate %a, %b {axis = 1}
        : (tensor<1x64x28x28xf32>, tensor<1x32x28x28xf32>)
        -> tensor<1x96x28x28xf32>
    ```
  }];
  let arguments = (ins Variadic<Relay_Tensor>:$data,
                       Relay_DefaultInt<"0">:$axis);
}

def Relay_StackOp : Relay_Operator<"stack", "Injective"> {
  let summary = "Joins tensors along a new axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.stack %a, %b, %c {axis = 1}
        : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>)
        -> tensor<8x3x16xf32>
    ```
  }];
  let arguments = (ins Variadic<Relay_Tensor>:$data,
                       Relay_DefaultInt<"0">:$axis);
}

def Relay_SplitOp : Relay_Operator<"split", "Injective", [Relay_AxisLayout]> {
  let summary = "Cuts a tensor along an axis";
  let description = [{
    `indices_or_sections` is a number of equal parts, or the increasing positions
    at which to cut. The result is a tuple.

    Example:

    ```mlir
    %0 = relay.split %x {indices_or_sections = [32, 48], axis = 1}
        : (tensor<1x96x28x28xf32>)
        -> tuple<tensor<1x32x28x28xf32>, tensor<1x16x28x28xf32>,
                 tensor<1x48x28x28xf32>>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data,
                       AnyAttrOf<[I64Attr, DenseI64ArrayAttr]>
                           :$indices_or_sections,
                       Relay_DefaultInt<"0">:$axis);
  let results = (outs AnyTuple:$result);
}

def Relay_StridedSliceOp
    : Relay_Operator<"strided_slice", "Injective",
                     [Relay_MovesElements, Relay_LayoutMethods]> {
  let summary = "Every stride-th element from begin to end";
  let description = [{
    As in NumPy: the lists belong to the leading dimensions, or to those of
    `axes`; negative positions count from the end; positions are clamped;
    missing strides are 1. With `slice_mode = "size"`, `end` holds lengths (-1:
    to the end) and strides are ignored.

    Example:

    ```mlir
    %0 = relay.strided_slice %x
        {begin = [0, 8], end = [56, 48], strides = [2, 1], axes = [2, 3]}
        : (tensor<1x64x56x56xf32>) -> tensor<1x64x28x40xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$begin,
                       DenseI64ArrayAttr:$end,
                       Relay_Nullable<DenseI64ArrayAttr>:$strides,
                       Relay_DefaultStr<"end">:$slice_mode,
                       Relay_Nullable<DenseI64ArrayAttr>:$axes);
}

def Relay_TileOp
    : Relay_Operator<"tile", "Broadcast", [Relay_PerDimensionLayout<"Reps">]> {
  let summary = "Repeats the whole tensor along each dimension";
  let description = [{
    Example:

    ```mlir
    %0 = relay.tile %x {reps = [2, 1, 3]}
        : (tensor<8x16xf32>) -> tensor<2x8x48xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$reps);
}

def Relay_RepeatOp : Relay_Operator<"repeat", "Broadcast", [Relay_AxisLayout]> {
  let summary = "Repeats each element along an axis";
  let description = [{
    Without `axis` the tensor is flattened first.

    Example:

    ```mlir
    %0 = relay.repeat %x {repeats = 3, axis = 1}
        : (tensor<8x16xf32>) -> tensor<8x48xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntAttr:$repeats,
                       Relay_OptionalInt:$axis);
}

def Relay_ReverseOp
    : Relay_SameTypeOperator<"reverse", "Injective", [Relay_AxisLayout]> {
  let summary = "Reverses the order along an axis";
  let description = [{
    Example:

    ```mlir
    %0 = relay.reverse %x {axis = 1} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntAttr:$axis);
  let check = [{::mlir::relay::detail::checkAxes(
      location, adaptor.getData(), adaptor.getAxis())}];
}

def Relay_TriluOp : Relay_SameTypeOperator<"trilu", "ElemWise"> {
  let summary = "The upper or lower triangle of matrices, else zero";
  let description = [{
    `k` moves the diagonal up (positive) or down. The matrices are the last two
    dimensions.

    Example:

    ```mlir
    %0 = relay.trilu %x, %k {upper = false}
        : (tensor<12x128x128xf32>, tensor<i32>) -> tensor<12x128x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Scalar:$k,
                       Relay_DefaultBool<"true">:$upper);
  let check = [{::mlir::relay::detail::checkTrilu(
      location, adaptor.getData(), adaptor.getK())}];
}

def Relay_NNPadOp
    : Relay_Operator<"nn.pad", "Injective", [Relay_LayoutMethods]> {
  let summary = "Adds elements before and after each dimension";
  let description = [{
    `pad_width` is [before0, after0, before1, after1, ...]; negative widths
    remove elements. `pad_mode` is `constant` (the value `pad_val`), `edge` or
    `reflect`.

    Example:

    ```mlir
    %0 = relay.nn.pad %x, %zero {pad_width = [0, 0, 0, 0, 3, 3, 3, 3]}
        : (tensor<1x3x224x224xf32>, tensor<f32>) -> tensor<1x3x230x230xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Scalar:$pad_val,
                       Relay_IntPairs:$pad_width,
                       Relay_DefaultStr<"constant">:$pad_mode);
}

class Relay_BlockOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "Injective", [Relay_SpatialLayout<2>]> {
  let summary = what;
  let description = [{
    `layout` is NCHW or NHWC. `mode` is the order in which the channel dimension
    is split: DCR (block first) or CDR (channel first).
  }] # example;
  let arguments = (ins Relay_Tensor:$data, Relay_DefaultInt<"1">:$block_size,
                       Relay_DefaultStr<"NCHW">:$layout,
                       Relay_DefaultStr<"DCR">:$mode);
}
def Relay_NNDepthToSpaceOp
    : Relay_BlockOp<"nn.depth_to_space",
                    "Moves channels into blocks of pixels"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.depth_to_space %x {block_size = 2, mode = "CDR"}
        : (tensor<1x64x28x28xf32>) -> tensor<1x16x56x56xf32>
    ```
  }];
}
def Relay_NNSpaceToDepthOp
    : Relay_BlockOp<"nn.space_to_depth",
                    "Moves blocks of pixels into channels"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.nn.space_to_depth %x {block_size = 2}
        : (tensor<1x16x56x56xf32>) -> tensor<1x64x28x28xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

def Relay_TakeOp : Relay_Operator<"take", "Injective", [Relay_LayoutMethods]> {
  let summary = "Elements or slices at given positions";
  let description = [{
    result = data[..., indices, ...] with `indices` in place of `axis`, or of
    the flattened data without `axis`. `mode` tells what an index out of range
    means: `clip` to the nearest, `wrap` around, or `fast`, an error, but that
    -size to -1 count from the end. The first `batch_dims` dimensions of data
    and indices are common.

    Example:

    ```mlir
    %0 = relay.take %x, %i {axis = 0}
        : (tensor<30522x768xf32>, tensor<1x128xi32>) -> tensor<1x128x768xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$indices,
                       Relay_DefaultInt<"0">:$batch_dims,
                       Relay_OptionalInt:$axis, Relay_DefaultStr<"clip">:$mode);
}

def Relay_GatherOp
    : Relay_Operator<"gather", "Injective", [Relay_AxisOfAllLayout]> {
  let summary = "data[..., indices[...], ...] along an axis";
  let description = [{
    Ranks are equal; the result has the shape of `indices`. Negative indices
    count from the end; those out of range are an error.

    Example:

    ```mlir
    %0 = relay.gather %x, %i {axis = 1}
        : (tensor<8x16xf32>, tensor<8x4xi64>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$indices,
                       Relay_IntAttr:$axis);
}

def Relay_GatherNdOp : Relay_Operator<"gather_nd", "Injective"> {
  let summary = "Slices at positions given by the columns of `indices`";
  let description = [{
    indices is (M, Y...), its columns are positions in the first M dimensions of
    data after `batch_dims`; the result is (Y..., data[batch_dims + M:]).
    Negative positions count from the end; those out of range are an error.

    Example:

    ```mlir
    %0 = relay.gather_nd %x, %i
        : (tensor<8x16x32xf32>, tensor<2x5xi64>) -> tensor<5x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$indices,
                       Relay_DefaultInt<"0">:$batch_dims,
                       Relay_OptionalInt:$index_rank);
}

def Relay_ScatterElementsOp
    : Relay_SameTypeOperator<"scatter_elements", "Opaque",
                             [Relay_AxisOfAllLayout]> {
  let summary = "data with elements replaced along an axis";
  let description = [{
    `reduction` says how an update meets what is there: update, add, mul, mean,
    min or max.

    Example:

    ```mlir
    %0 = relay.scatter_elements %x, %i, %u {axis = 1, reduction = "add"}
        : (tensor<8x16xf32>, tensor<8x4xi64>, tensor<8x4xf32>)
        -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$indices,
                       Relay_Tensor:$updates, Relay_DefaultInt<"0">:$axis,
                       Relay_DefaultStr<"update">:$reduction);
  let check = [{::mlir::relay::detail::checkScatterElements(
      location, adaptor.getData(), adaptor.getIndices(), adaptor.getUpdates(),
      adaptor.getAxis(), adaptor.getReduction())}];
}

def Relay_ScatterNdOp : Relay_SameTypeOperator<"scatter_nd", "Opaque"> {
  let summary = "data with slices replaced";
  let description = [{
    indices is (M, Y...), as in gather_nd; `mode` is update, add, mul, min or
    max.

    Example:

    ```mlir
    %0 = relay.scatter_nd %x, %i, %u {mode = "add"}
        : (tensor<8x16x32xf32>, tensor<2x5xi64>, tensor<5x32xf32>)
        -> tensor<8x16x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$indices,
                       Relay_Tensor:$updates, Relay_DefaultStr<"update">:$mode);
  let check = [{::mlir::relay::detail::checkScatterNd(
      location, adaptor.getData(), adaptor.getIndices(), adaptor.getUpdates(),
      adaptor.getMode())}];
}

def Relay_CumsumOp : Relay_Operator<"cumsum", "Opaque", [Relay_AxisLayout]> {
  let summary = "Running sum along an axis";
  let description = [{
    Without `axis` the tensor is flattened. With `exclusive` an element does not
    count itself.

    Example:

    ```mlir
    %0 = relay.cumsum %x {axis = 1, exclusive = true}
        : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalInt:$axis,
                       Relay_OptionalDType:$dtype,
                       Relay_DefaultBool<"false">:$exclusive);
}

def Relay_SortOp
    : Relay_SameTypeOperator<"sort", "Opaque", [Relay_AxisLayout]> {
  let summary = "Sorts along an axis";
  let description = [{
    `dtype` is of no effect: the element type is that of data.

    Example:

    ```mlir
    %0 = relay.sort %x {is_ascend = false}
        : (tensor<8x1000xf32>) -> tensor<8x1000xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DefaultInt<"-1">:$axis,
                       Relay_DefaultBool<"true">:$is_ascend,
                       Relay_OptionalDType:$dtype);
  let check = [{::mlir::relay::detail::checkAxes(
      location, adaptor.getData(), adaptor.getAxis())}];
}

def Relay_ArgsortOp : Relay_Operator<"argsort", "Opaque", [Relay_AxisLayout]> {
  let summary = "Positions of the sorted elements along an axis (stable)";
  let description = [{
    Example:

    ```mlir
    %0 = relay.argsort %x {dtype = i64}
        : (tensor<8x1000xf32>) -> tensor<8x1000xi64>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_DefaultInt<"-1">:$axis,
                       Relay_DefaultBool<"true">:$is_ascend,
                       Relay_OptionalDType:$dtype);
}

def Relay_TopkOp : Relay_Operator<"topk", "Opaque", [Relay_AxisLayout]> {
  let summary = "The k largest (smallest) elements along an axis";
  let description = [{
    `ret_type` is `both`, a tuple of values and positions, `values` or
    `indices`. Equal elements keep their order. k < 1 means all.

    Example:

    ```mlir
    %0 = relay.topk %x {k = 5}
        : (tensor<8x1000xf32>) -> tuple<tensor<8x5xf32>, tensor<8x5xi32>>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntAttr:$k,
                       Relay_DefaultInt<"-1">:$axis,
                       Relay_DefaultStr<"both">:$ret_type,
                       Relay_DefaultBool<"false">:$is_ascend,
                       Relay_OptionalDType:$dtype);
  let results = (outs Relay_Value:$result);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYTENSOROPS_TD
