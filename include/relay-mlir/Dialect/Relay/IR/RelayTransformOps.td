//===- RelayTransformOps.td - More ways to move elements ---*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes beyond movement and indexing of fixed sizes: operators that follow
// the type of another tensor, search, windows, sums of products and spectra.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYTRANSFORMOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYTRANSFORMOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

/// An element type, int32 by default. An attribute in C++: builders would take
/// a type with a default argument, where there is no builder yet.
def Relay_DefaultInt32
    : DefaultValuedAttr<TypeAttr,
                        "::mlir::TypeAttr::get($_builder.getI32Type())"> {
  let returnType = "::mlir::TypeAttr";
  let convertFromStorage = "$_self";
  let constBuilderCall = "$0";
}

def Relay_IndexVector
    : 1DTensorOf<[AnySignlessInteger, AnyUnsignedInteger]>;

//===----------------------------------------------------------------------===//
// Types of other tensors
//===----------------------------------------------------------------------===//

def Relay_BroadcastToLikeOp
    : Relay_Operator<"broadcast_to_like", "Broadcast"> {
  let summary = "Repeats elements to the shape of another tensor";
  let description = [{
    The result has the type of `broadcast_type`, to whose shape `data` must
    broadcast as in NumPy; the element types are equal.

    Example:

    ```mlir
    %0 = relay.broadcast_to_like %x, %y
        : (tensor<1x128xf32>, tensor<8x128xf32>) -> tensor<8x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$broadcast_type);
}

def Relay_CastLikeOp
    : Relay_Operator<"cast_like", "ElemWise", [Relay_DataLayout]> {
  let summary = "Conversion to the element type of another tensor";
  let description = [{
    As `cast`; of `dtype_like` only the element type counts.

    Example:

    ```mlir
    %0 = relay.cast_like %x, %y
        : (tensor<8x128xf32>, tensor<16xf16>) -> tensor<8x128xf16>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$dtype_like);
}

def Relay_CollapseSumLikeOp
    : Relay_Operator<"collapse_sum_like", "CommReduce"> {
  let summary = "Sums what a broadcast from another tensor's type repeated";
  let description = [{
    The result has the type of `collapse_type`, whose shape broadcasts to that
    of `data`: dimensions it lacks or has with size 1 are summed. The element
    types are equal.

    Example:

    ```mlir
    %0 = relay.collapse_sum_like %x, %y
        : (tensor<8x128xf32>, tensor<1x128xf32>) -> tensor<1x128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$collapse_type);
}

def Relay_CollapseSumToOp : Relay_Operator<"collapse_sum_to", "CommReduce"> {
  let summary = "Sums what a broadcast from a shape repeated";
  let description = [{
    As `collapse_sum_like`, with the shape in the integer vector `target`. The
    attribute `shape` makes the type exact, else all sizes are `?`. `dtype` is
    of no effect: the element type is that of data.

    Example:

    ```mlir
    %0 = relay.collapse_sum_to %x, %target {shape = [128]}
        : (tensor<8x128xf32>, tensor<1xi64>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntegerTensor:$target,
                       Relay_Nullable<DenseI64ArrayAttr>:$shape,
                       Relay_OptionalDType:$dtype);
}

def Relay_ReshapeLikeOp : Relay_Operator<"reshape_like", "Injective"> {
  let summary = "The same elements in the shape of another tensor";
  let description = [{
    The dimensions [lhs_begin, lhs_end) of `data` are replaced by the dimensions
    [rhs_begin, rhs_end) of `shape_like`; negative positions count from the
    last, an absent end is the rank. The number of elements stays.

    Example:

    ```mlir
    %0 = relay.reshape_like %x, %y
        {lhs_begin = 1, lhs_end = 2, rhs_begin = 1, rhs_end = 3}
        : (tensor<8x16x32xf32>, tensor<8x4x4x32xf32>) -> tensor<8x4x4x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$shape_like,
                       Relay_DefaultInt<"0">:$lhs_begin,
                       Relay_OptionalInt:$lhs_end,
                       Relay_DefaultInt<"0">:$rhs_begin,
                       Relay_OptionalInt:$rhs_end);
}

def Relay_SliceLikeOp
    : Relay_Operator<"slice_like", "Injective", [Relay_LayoutMethods]> {
  let summary = "The leading part of a tensor, in the sizes of another";
  let description = [{
    Along each of `axes` (absent or empty: all dimensions of `shape_like`) the
    result has the size of `shape_like`, which is at most that of data.

    Example:

    ```mlir
    %0 = relay.slice_like %x, %y {axes = [2, 3]}
        : (tensor<1x64x57x57xf32>, tensor<1x64x56x56xf32>)
        -> tensor<1x64x56x56xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$shape_like,
                       Relay_Nullable<DenseI64ArrayAttr>:$axes);
}

//===----------------------------------------------------------------------===//
// Shapes, layouts and bits
//===----------------------------------------------------------------------===//

def Relay_ContribReverseReshapeOp
    : Relay_Operator<"contrib_reverse_reshape", "Injective",
                     [Relay_ReshapeLayout]> {
  let summary = "A reshape whose codes apply from right to left";
  let description = [{
    The result of `reshape` on the sizes of data in reverse order with the codes
    of `newshape` in reverse order, itself reversed. The elements stay in
    row-major order.

    Example:

    ```mlir
    %0 = relay.contrib_reverse_reshape %x {newshape = [-1, 0]}
        : (tensor<8x16x32xf32>) -> tensor<128x32xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, DenseI64ArrayAttr:$newshape,
                       Relay_DefaultBool<"false">:$allowzero);
}

def Relay_ReinterpretOp
    : Relay_Operator<"reinterpret", "ElemWise", [Relay_ElementwiseLayout]> {
  let summary = "The bits of each element, taken as another type";
  let description = [{
    Both element types have the same width, of 8 bits or more.

    Example:

    ```mlir
    %0 = relay.reinterpret %x {dtype = ui32}
        : (tensor<8x128xf32>) -> tensor<8x128xui32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, TypeAttr:$dtype);
}

def Relay_AutoSchedulerLayoutTransformOp
    : Relay_Operator<"auto_scheduler_layout_transform", "Injective"> {
  let summary = "Splits axes into tiles and orders them anew";
  let description = [{
    A layout is a list of sizes, each before the name of its axis: `4N8C`. In
    `src_layout` each axis appears once; in `dst_layout` it may appear several
    times, the outer tile first. The product of its tiles is its size.

    Example:

    ```mlir
    %0 = relay.auto_scheduler_layout_transform %x
        {src_layout = "4N8C", dst_layout = "2C4N4C"}
        : (tensor<4x8xf32>) -> tensor<2x4x4xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, StrAttr:$src_layout,
                       StrAttr:$dst_layout);
}

def Relay_MetaScheduleLayoutTransformOp
    : Relay_Operator<"meta_schedule_layout_transform", "Injective"> {
  let summary = "Moves each element to the place an index map gives it";
  let description = [{
    The element at index i goes to `index_map`(i), for instance `affine_map<(i,
    j) -> (i floordiv 4, j, i mod 4)>`. The map must be bijective between the
    index spaces of data and of the result, whose sizes are one more than the
    largest index that occurs; they are `?` if data has such sizes.

    Example:

    ```mlir
    %0 = relay.meta_schedule_layout_transform %x
        {index_map = affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>}
        : (tensor<12x8xf32>) -> tensor<3x8x4xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, AffineMapAttr:$index_map);
}

//===----------------------------------------------------------------------===//
// Windows and parts
//===----------------------------------------------------------------------===//

def Relay_SlidingWindowOp : Relay_Operator<"sliding_window", "Opaque"> {
  let summary = "Windows that slide over the trailing dimensions";
  let description = [{
    `window_shape` and `strides` have one value for each dimension from `axis`
    on. The result is (data[:axis]..., positions..., window_shape...), with
    floor((size - window) / stride) + 1 positions.

    Example:

    ```mlir
    %0 = relay.sliding_window %x
        {axis = 1, window_shape = [3, 8, 8], strides = [1, 4, 4]}
        : (tensor<2x3x32x32xf32>) -> tensor<2x1x7x7x3x8x8xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IntAttr:$axis,
                       DenseI64ArrayAttr:$window_shape,
                       DenseI64ArrayAttr:$strides);
}

def Relay_StridedSetOp
    : Relay_SameTypeOperator<"strided_set", "Injective"> {
  let summary = "data with a strided slice replaced";
  let description = [{
    data[begin:end:strides] = v, as in NumPy: the integer vectors `begin`, `end`
    and `strides` belong to the leading dimensions, negative positions count
    from the end, positions are clamped, and `v` broadcasts to the slice. Where
    one of them is shorter than another, a slice begins and ends with the
    dimension, and the stride is 1.

    Example:

    ```mlir
    %0 = relay.strided_set %x, %v, %begin, %end, %strides
        : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<1xi64>, tensor<1xi64>,
           tensor<1xi64>)
        -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Tensor:$v,
                       Relay_IndexVector:$begin, Relay_IndexVector:$end,
                       Relay_IndexVector:$strides);
  let check = [{::mlir::relay::detail::checkStridedSet(
      location, adaptor.getData(), adaptor.getV(),
      {adaptor.getBegin(), adaptor.getEnd(), adaptor.getStrides()})}];
}

def Relay_MatrixSetDiagOp
    : Relay_SameTypeOperator<"matrix_set_diag", "Injective"> {
  let summary = "Matrices with the diagonals k1 to k2 replaced";
  let description = [{
    `input` is (..., M, N). `diagonal` is (..., k2 - k1 + 1, L), the upper
    diagonal first, or (..., L) if k1 = k2; L is the length of the longest of
    them. Diagonal k holds the elements (i, i + k). A shorter diagonal is
    aligned at the right end of its row if `super_diag_right_align` (k >= 0) or
    `sub_diag_right_align` (k < 0) is set, else at the left.

    Example:

    ```mlir
    %0 = relay.matrix_set_diag %x, %diagonals {k1 = -1, k2 = 1}
        : (tensor<2x4x4xf32>, tensor<2x3x4xf32>) -> tensor<2x4x4xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$input, Relay_Tensor:$diagonal,
                       Relay_DefaultInt<"0">:$k1, Relay_DefaultInt<"0">:$k2,
                       Relay_DefaultBool<"true">:$super_diag_right_align,
                       Relay_DefaultBool<"false">:$sub_diag_right_align);
  let check = [{::mlir::relay::detail::checkMatrixSetDiag(
      location, adaptor.getInput(), adaptor.getDiagonal(), adaptor.getK1(),
      adaptor.getK2())}];
}

def Relay_ReverseSequenceOp
    : Relay_SameTypeOperator<"reverse_sequence", "Injective"> {
  let summary = "Reverses the first elements of each sequence";
  let description = [{
    Of batch element b the first seq_lengths[b] elements along `seq_axis` are
    reversed, all if there are fewer and none if it is negative; the others
    stay.

    Example:

    ```mlir
    %0 = relay.reverse_sequence %x, %lengths
        : (tensor<8x128x64xf32>, tensor<8xi32>) -> tensor<8x128x64xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_IndexVector:$seq_lengths,
                       Relay_DefaultInt<"1">:$seq_axis,
                       Relay_DefaultInt<"0">:$batch_axis);
  let check = [{::mlir::relay::detail::checkReverseSequence(
      location, adaptor.getData(), adaptor.getSeqLengths(),
      adaptor.getSeqAxis(), adaptor.getBatchAxis())}];
}

def Relay_SequenceMaskOp
    : Relay_SameTypeOperator<"sequence_mask", "Injective"> {
  let summary = "Overwrites what lies behind the end of each sequence";
  let description = [{
    Data is (time, batch, ...) for `axis` 0 or (batch, time, ...) for 1.
    Elements at times from valid_length[b] on become `mask_value`. valid_length
    is a vector of any number type.

    Example:

    ```mlir
    %0 = relay.sequence_mask %x, %lengths {mask_value = -1.0}
        : (tensor<128x8x64xf32>, tensor<8xi32>) -> tensor<128x8x64xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_Vector:$valid_length,
                       Relay_DefaultFloat<"0.0">:$mask_value,
                       Relay_DefaultInt<"0">:$axis);
  let check = [{::mlir::relay::detail::checkSequenceMask(
      location, adaptor.getData(), adaptor.getValidLength(),
      adaptor.getAxis())}];
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def Relay_AdvIndexOp : Relay_Operator<"adv_index", "Injective"> {
  let summary = "data[i, j, ...] with tensors for indices, as in NumPy";
  let description = [{
    The first of `inputs` is the data, the others are integer tensors for its
    leading dimensions; they broadcast together. The result is (indices...,
    data[number of indices:]...). Negative indices count from the end.

    Example:

    ```mlir
    %0 = relay.adv_index %x, %i, %j
        : (tensor<8x16x32xf32>, tensor<4x1xi64>, tensor<5xi64>)
        -> tensor<4x5x32xf32>
    ```
  }];
  let arguments = (ins Variadic<Relay_Tensor>:$inputs);
}

def Relay_ArgwhereOp : Relay_Operator<"argwhere", "Opaque"> {
  let summary = "The positions of elements that are not zero";
  let description = [{
    One int32 row per position, in row-major order: (?, rank).

    Example:

    ```mlir
    %0 = relay.argwhere %x : (tensor<8x16xi1>) -> tensor<?x2xi32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$condition);
}

def Relay_InvertPermutationOp
    : Relay_SameTypeOperator<"invert_permutation", "Injective"> {
  let summary = "The inverse of a permutation: result[data[i]] = i";
  let description = [{
    Example:

    ```mlir
    %0 = relay.invert_permutation %x : (tensor<16xi32>) -> tensor<16xi32>
    ```
  }];
  let arguments = (ins Relay_IndexVector:$data);
}

def Relay_MeshgridOp : Relay_Operator<"meshgrid", "Injective"> {
  let summary = "Coordinates of a grid";
  let description = [{
    `data` are n vectors (or scalars, taken as vectors of one element) of one
    element type; the result is a tuple of n tensors whose shape is their
    lengths, where tensor i varies along dimension i only. `indexing` is `ij`,
    or `xy`, which swaps the first two dimensions.

    Example:

    ```mlir
    %0 = relay.meshgrid %a, %b {indexing = "xy"}
        : (tensor<3xf32>, tensor<4xf32>)
        -> tuple<tensor<4x3xf32>, tensor<4x3xf32>>
    ```
  }];
  let arguments = (ins Variadic<Relay_Tensor>:$data,
                       Relay_DefaultStr<"ij">:$indexing);
  let results = (outs AnyTuple:$result);
}

def Relay_SearchsortedOp : Relay_Operator<"searchsorted", "Opaque"> {
  let summary = "Where values belong in sorted sequences";
  let description = [{
    `sorted_sequence` is increasing along its last dimension. It is a vector, or
    has the leading dimensions of `values`. The result, of the shape of values,
    is the first position whose element is not less than the value; with
    `right`, the first whose element is greater.

    Example:

    ```mlir
    %0 = relay.searchsorted %sorted, %x {right = true}
        : (tensor<100xf32>, tensor<8x16xf32>) -> tensor<8x16xi32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$sorted_sequence, Relay_Tensor:$values,
                       Relay_DefaultBool<"false">:$right,
                       Relay_DefaultInt32:$dtype);
}

def Relay_UniqueOp : Relay_Operator<"unique", "Opaque"> {
  let summary = "The distinct elements of a vector";
  let description = [{
    Of a vector of n elements, a tuple of (values, indices, inverse_indices,
    num_unique) and, with `return_counts`, counts. num_unique has one element u;
    the others have n, of which in values, indices (the first position of each
    value) and counts the first u are valid and the rest zero. The values are in
    order with `sorted`, else in the order of appearance;
    values[inverse_indices[i]] = data[i]. All but values are int32.

    Example:

    ```mlir
    %0 = relay.unique %x {return_counts = true}
        : (tensor<100xi32>)
        -> tuple<tensor<100xi32>, tensor<100xi32>, tensor<100xi32>,
                 tensor<1xi32>, tensor<100xi32>>
    ```
  }];
  let arguments = (ins Relay_Vector:$data, Relay_DefaultBool<"true">:$sorted,
                       Relay_DefaultBool<"false">:$return_counts);
  let results = (outs AnyTuple:$result);
}

def Relay_UnravelIndexOp : Relay_Operator<"unravel_index", "Injective"> {
  let summary = "Positions in a shape of row-major indices";
  let description = [{
    `data` is a vector of n indices (or a scalar), `shape` a vector of r sizes;
    the result is (r, n), or (r), with the type of the indices.

    Example:

    ```mlir
    %0 = relay.unravel_index %x, %shape
        : (tensor<5xi32>, tensor<3xi32>) -> tensor<3x5xi32>
    ```
  }];
  let arguments = (ins Relay_IntegerTensor:$data, Relay_IndexVector:$shape);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def Relay_CumprodOp : Relay_Operator<"cumprod", "Opaque", [Relay_AxisLayout]> {
  let summary = "Running product along an axis";
  let description = [{
    Without `axis` the tensor is flattened. With `exclusive` an element does not
    count itself: the first is 1.

    Example:

    ```mlir
    %0 = relay.cumprod %x {axis = 1} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalInt:$axis,
                       Relay_OptionalDType:$dtype,
                       Relay_DefaultBool<"false">:$exclusive);
}

def Relay_EinsumOp : Relay_Operator<"einsum", "Injective"> {
  let summary = "Sum of products, in Einstein's notation";
  let description = [{
    `equation` is as in NumPy: a term of letters for each operand, `...` for
    further dimensions, which broadcast, and after `->` the letters of the
    result; without `->`, these are the letters that appear once, in
    alphabetical order. A letter twice in a term means the diagonal. Operands
    have one element type.

    Example:

    ```mlir
    %0 = relay.einsum %a, %b {equation = "bhd,bhd->bh"}
        : (tensor<8x12x64xf32>, tensor<8x12x64xf32>) -> tensor<8x12xf32>
    ```
  }];
  let arguments = (ins Variadic<Relay_Tensor>:$data, StrAttr:$equation);
}

def Relay_FixedPointMultiplyPerAxisOp
    : Relay_SameTypeOperator<"fixed_point_multiply_per_axis", "Broadcast"> {
  let summary = "Product with a fixed-point number for each index of some axes";
  let description = [{
    floor((x * 2^left_shift) * fp_multiplier / 2^(31 + right_shift) + 1/2),
    where the int32 operands `fp_multiplier` (Q31), `left_shift` and
    `right_shift` have the dimensions `axes` of data. A shift counts only if
    `is_lshift_required` or `is_rshift_required` is set.

    Example:

    ```mlir
    %0 = relay.fixed_point_multiply_per_axis %x, %m, %l, %r
        {is_rshift_required = true, axes = [1]}
        : (tensor<1x64x28x28xi32>, tensor<64xi32>, tensor<64xi32>,
           tensor<64xi32>)
        -> tensor<1x64x28x28xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$data,
                       RankedTensorOf<[I32]>:$fp_multiplier,
                       RankedTensorOf<[I32]>:$left_shift,
                       RankedTensorOf<[I32]>:$right_shift,
                       Relay_DefaultBool<"false">:$is_lshift_required,
                       Relay_DefaultBool<"false">:$is_rshift_required,
                       Relay_Nullable<DenseI64ArrayAttr>:$axes);
  let check = [{::mlir::relay::detail::checkFixedPointMultiplyPerAxis(
      location, adaptor.getData(),
      {adaptor.getFpMultiplier(), adaptor.getLeftShift(),
       adaptor.getRightShift()},
      adaptor.getAxes())}];
}

//===----------------------------------------------------------------------===//
// Spectra
//===----------------------------------------------------------------------===//

def Relay_DftOp : Relay_Operator<"dft", "Opaque"> {
  let summary = "Discrete Fourier transform of the last dimension";
  let description = [{
    Real and imaginary part have one type, which is also that of both fields of
    the result. `inverse` gives the inverse transform, divided by the size.

    Example:

    ```mlir
    %0 = relay.dft %re, %im {inverse = true}
        : (tensor<8x256xf32>, tensor<8x256xf32>)
        -> tuple<tensor<8x256xf32>, tensor<8x256xf32>>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$re_data, Relay_FloatTensor:$im_data,
                       Relay_DefaultBool<"false">:$inverse);
  let results = (outs AnyTuple:$result);
}

def Relay_StftOp : Relay_Operator<"stft", "Opaque"> {
  let summary = "Short-time Fourier transform";
  let description = [{
    `data` is (T) or (B, T). Frame t holds the `n_fft` elements from t *
    `hop_length` on, times `window`: `win_length` values, with zeros on both
    sides up to n_fft. The result is ([B,] frequencies, frames, 2), real and
    imaginary part, with n_fft / 2 + 1 frequencies if `onesided`, else n_fft;
    `normalized` divides by sqrt(n_fft). -1 means n_fft / 4 for hop_length and
    n_fft for win_length.

    Example:

    ```mlir
    %0 = relay.stft %x, %window
        {n_fft = 512, hop_length = 160, win_length = 400}
        : (tensor<1x16000xf32>, tensor<400xf32>) -> tensor<1x257x97x2xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_Vector:$window,
                       Relay_DefaultInt<"-1">:$n_fft,
                       Relay_DefaultInt<"-1">:$hop_length,
                       Relay_DefaultInt<"-1">:$win_length,
                       Relay_DefaultBool<"false">:$normalized,
                       Relay_DefaultBool<"true">:$onesided);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYTRANSFORMOPS_TD
