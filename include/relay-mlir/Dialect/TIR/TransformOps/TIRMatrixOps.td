//===- TIRMatrixOps.td - Schedules for matrix units --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of TIRTransformOps.td: steps that compute products by matrix units, or by
// instructions that add up products of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRMATRIXOPS_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRMATRIXOPS_TD

def MatrixTilesOp : TIR_TransformOp<"matrix_tiles"> {
  let summary = "Compute a sum of products by matrix units";
  let description = [{
    The block adds up products of f32, or of bytes in i32: a matrix product, or a
    convolution with channels last. `unit` is what computes tiles of its results:

    * `amx`: tiles of bf16 or bytes. A float is made up of `pieces` bf16: with 1
      there is one term, with 2 three, with 3 six.
    * `vpdpbusd`, `pmaddwd`, `dotprod`: vectors of `vector_bits`, whose lanes add
      up the products of 4, 2 and 4 neighbouring bytes; `pmaddubsw`: of 4, where
      the weights have a sign, and either they are known to be -64 to 64
      (`tir.byte_bounds`) or the data 0 to 127.

    The left operand is the data, whose rows are copied `panel_rows` at a time to
    where tiles are loaded from; the right one the weights, which are packed ahead
    of time if they are constant; with `swap` it is the other way round. With
    `merge_window` the window over the innermost pixels is taken for channels.
    Rows of data that windows share are counted once, so that between two lines
    of pixels there are rows without a result. A tile is a run of rows, these
    too; with `along_lines`, which is for vectors, it begins with a line and has
    none of them: the pixels of a line are some tiles, or a tile some lines.
    All rows of a panel come before the next columns, so that a tile of weights
    stays near; with `columns_first` all columns of a tile of rows come before the
    next rows, so that results are written from one end to the other.
    With `add_batches`, for vectors, a sum over the only variable of batches comes
    after the product: the results of a batch are added to those before it while
    they are near, for one tile of columns after the other.
    With `parallel` panels, or tiles of the only panel, are for threads; with
    `add_batches` tiles of columns.

    Elementwise blocks after the product become part of it. Others get new names:
    there is no handle to what comes of it, and schedules find it by name.

    Example:

    ```mlir
    transform.tir.matrix_tiles %conv, "amx", tile = [32, 32], panel_rows = 256
        {parallel, pieces = 2 : i64}
    ```
  }];
  let arguments = (ins TIR_Handle:$block, StrAttr:$unit,
                       DenseI64ArrayAttr:$tile, I64Attr:$panel_rows,
                       DefaultValuedAttr<I64Attr, "1">:$pieces,
                       DefaultValuedAttr<I64Attr, "0">:$vector_bits,
                       UnitAttr:$swap, UnitAttr:$merge_window,
                       UnitAttr:$along_lines, UnitAttr:$columns_first,
                       UnitAttr:$add_batches, UnitAttr:$parallel);
  let assemblyFormat = [{
    $block `,` $unit `,` `tile` `=` custom<Factors>($tile) `,`
    `panel_rows` `=` $panel_rows attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$block,
    "const ::mlir::tir::MatrixTileOptions &":$options)>];
  let hasVerifier = 1;
}

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRMATRIXOPS_TD
