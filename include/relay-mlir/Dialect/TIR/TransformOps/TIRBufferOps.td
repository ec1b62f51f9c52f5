//===- TIRBufferOps.td - Schedules of buffers --------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TIRTransformOps.td, which has the classes.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRBUFFEROPS_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRBUFFEROPS_TD

def StorageAlignOp : TIR_TransformOp<"storage_align"> {
  let summary = "Set the distance of rows in an intermediate buffer";
  let description = [{
    Enlarges the dimension after `axis` so that neighbours along `axis` are
    `offset` elements apart modulo `factor`: rows that start at multiples of a
    vector, or that do not share a cache set. The buffer is the block's written
    buffer of the given number. The dimension may be open if those after it are
    known and divide `factor` and `offset`; it grows when the kernel runs.

    ```mlir
    transform.tir.storage_align %copy, 0, axis = 0, factor = 32, offset = 8
    ```

    makes a buffer of `16x32` one of `16x40`.
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index, I64Attr:$axis,
                       I64Attr:$factor, I64Attr:$offset);
  let assemblyFormat = [{
    $block `,` $index `,` `axis` `=` $axis `,` `factor` `=` $factor `,`
    `offset` `=` $offset attr-dict
  }];
}

def TransformLayoutOp : TIR_TransformOp<"transform_layout"> {
  let summary = "Change the layout of a buffer";
  let description = [{
    The buffer is the block's read or written buffer of the given number.

    ```mlir
    transform.tir.transform_layout %conv, write 0,
        affine_map<(n, o, y, x) -> (n, o floordiv 16, y, x, o mod 16)>
    ```
  }];
  let arguments = (ins TIR_Handle:$block, UnitAttr:$write, I64Attr:$index,
                       AffineMapAttr:$layout);
  let assemblyFormat = [{
    $block `,` (`write` $write^):(`read`)? $index `,` $layout attr-dict
  }];
}

def NarrowWeightsOp : TIR_TransformOp<"narrow_weights"> {
  let summary = "Store a packed constant as bf16";
  let description = [{
    The buffer is the block's read buffer of the given number: a constant argument
    of f32, which `transform_layout` has packed and which nothing else reads. It
    holds the upper halves of its floats then, rounded, and loads shift them back.
    The results change by that rounding.

    Example:

    ```mlir
    transform.tir.narrow_weights %dense, 1
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index);
  let assemblyFormat = "$block `,` $index attr-dict";
}

def SetScopeOp : TIR_TransformOp<"set_scope"> {
  let summary = "Move an intermediate buffer to another memory";
  let description = [{
    ```mlir
    transform.tir.set_scope %conv, write 0, "local"
    ```
  }];
  let arguments = (ins TIR_Handle:$block, UnitAttr:$write, I64Attr:$index,
                       StrAttr:$scope);
  let assemblyFormat = [{
    $block `,` (`write` $write^):(`read`)? $index `,` $scope attr-dict
  }];
}

def SetAxisSeparatorOp : TIR_TransformOp<"set_axis_separator"> {
  let summary = "Group the dimensions of a buffer";
  let description = [{
    Each group of dimensions becomes one, row-major: a separator is the first
    dimension of a group. The buffer is the block's read or written buffer of the
    given number; dimensions in a group have constant sizes, except the first.

    ```mlir
    transform.tir.set_axis_separator %copy, write 0, [2]
    ```

    makes a buffer of `4x8x16` one of `32x16`.
  }];
  let arguments = (ins TIR_Handle:$block, UnitAttr:$write, I64Attr:$index,
                       DenseI64ArrayAttr:$separators);
  let assemblyFormat = [{
    $block `,` (`write` $write^):(`read`)? $index `,`
    custom<Factors>($separators) attr-dict
  }];
}

def UnsafeSetDtypeOp : TIR_TransformOp<"unsafe_set_dtype"> {
  let summary = "Store the elements of an intermediate buffer in another type";
  let description = [{
    Loads convert from it, stores to it: what does not fit is rounded, or, of
    integers, loses its high bits. The results change, hence the name. Floating-
    point types replace each other, as do integer types. The buffer is the
    block's written buffer of the given number.

    ```mlir
    transform.tir.unsafe_set_dtype %copy, 0, bf16
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index, TypeAttr:$dtype);
  let assemblyFormat = "$block `,` $index `,` $dtype attr-dict";
}

def TransformBlockLayoutOp : TIR_TransformOp<"transform_block_layout"> {
  let summary = "Change the iteration variables of a block";
  let description = [{
    The block, in a nest of its own, gets one variable and one loop for each
    result of the map over its old variables. The map is one to one: each result
    is a sum of digits of the variables (quotients and remainders by constants),
    each in a place of its own. It does not mix spatial with reduce variables.

    ```mlir
    transform.tir.transform_block_layout %conv
        affine_map<(n, o, y, x) -> (n, o floordiv 16, y * 56 + x, o mod 16)>
    ```
  }];
  let arguments = (ins TIR_Handle:$block, AffineMapAttr:$layout);
  let assemblyFormat = "$block $layout attr-dict";
}

def CacheIndexOp : TIR_TransformOp<"cache_index"> {
  let summary = "Read computed indices from tables";
  let description = [{
    Indices of loads that are neither a variable nor a constant and occur at
    least `min_uses` times in the block are stored, as `i64`, before its nest;
    the loads take them from there. The results are the blocks that store them.

    ```mlir
    %table = transform.tir.cache_index %resize, "global" min_uses = 1
    ```

    turns a load of `%x[%y floordiv 2]` into one of `%x[%table[%y]]`.
  }];
  let arguments = (ins TIR_Handle:$block, StrAttr:$scope, I64Attr:$min_uses);
  let results = (outs Variadic<TIR_Handle>:$tables);
  let assemblyFormat = [{
    $block `,` $scope `min_uses` `=` $min_uses attr-dict
    custom<ResultHandles>(type($tables))
  }];
}

def RollingBufferOp : TIR_TransformOp<"rolling_buffer"> {
  let summary = "Keep what windows of consecutive iterations share";
  let description = [{
    The block computes an intermediate buffer in the same loop as its readers
    (`compute_at` brings it there), and the windows that iterations need
    overlap. The buffer becomes as large as one window, elements go round in it,
    and iterations but the first compute only what is new. The loop then stays
    serial and in order. The buffer is the block's written one of the given
    number.

    ```mlir
    transform.tir.compute_at %first, %y
    transform.tir.rolling_buffer %first, 0
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index);
  let assemblyFormat = "$block `,` $index attr-dict";
}

class TIR_TransformReindexCacheOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    Like `reindex`, with a map of the variables that index the buffer, in their
    order, to the index of the new one. The result is the copying block.

    ```mlir
    %copy = transform.tir.}] # mnemonic # [{ %block, 0, "global",
        affine_map<(k, j) -> (j floordiv 16, k, j mod 16)>
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index, StrAttr:$scope,
                       AffineMapAttr:$layout);
  let results = (outs TIR_Handle:$copy);
  let assemblyFormat = "$block `,` $index `,` $scope `,` $layout attr-dict";
}

def ReindexCacheReadOp : TIR_TransformReindexCacheOp<"reindex_cache_read",
    "Read a copy in another layout">;
def ReindexCacheWriteOp : TIR_TransformReindexCacheOp<"reindex_cache_write",
    "Write a copy in another layout">;

class TIR_TransformCopyAtOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    The result is the copying block.

    ```mlir
    %copy = transform.tir.}] # mnemonic # [{ %loop, %block, 0, "local"
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, TIR_Handle:$block, I64Attr:$index,
                       StrAttr:$scope);
  let results = (outs TIR_Handle:$copy);
  let assemblyFormat = "$loop `,` $block `,` $index `,` $scope attr-dict";
}

def ReadAtOp : TIR_TransformCopyAtOp<"read_at",
    "Read a copy that is made in a loop">;
def WriteAtOp : TIR_TransformCopyAtOp<"write_at",
    "Write a copy that is copied back in a loop">;

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRBUFFEROPS_TD
