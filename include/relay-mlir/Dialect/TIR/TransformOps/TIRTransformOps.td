//===- TIRTransformOps.td - Schedule primitives as ops -----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is a transform script. Each op wraps the primitive of the same name
// in Dialect/TIR/Transforms/Schedule.h; a refusal is a silenceable failure.
// Handles to loops and blocks that a primitive keeps stay valid.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TIR_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "tir." # mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>
      ])> {
  let cppNamespace = "::mlir::tir::transform_ops";
}

defvar TIR_Handle = Transform_AnyOpType;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

def GetBlockOp : TIR_TransformOp<"get_block"> {
  let summary = "The block of a kernel with a given name";
  let description = [{
    ```mlir
    %conv = transform.tir.get_block @conv2d in %f
    ```
  }];
  let arguments = (ins StrAttr:$name, TIR_Handle:$function);
  let results = (outs TIR_Handle:$block);
  let assemblyFormat = "custom<BlockName>($name) `in` $function attr-dict";
}

def GetLoopsOp : TIR_TransformOp<"get_loops"> {
  let summary = "The loops around a block, outermost first";
  let description = [{
    Takes as many results as there are loops.

    ```mlir
    %i, %j, %k = transform.tir.get_loops %matmul
    ```
  }];
  let arguments = (ins TIR_Handle:$block);
  let results = (outs Variadic<TIR_Handle>:$loops);
  let assemblyFormat = "$block attr-dict custom<ResultHandles>(type($loops))";
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def SplitOp : TIR_TransformOp<"split"> {
  let summary = "Split a loop";
  let description = [{
    One loop for each factor, outermost first; `?` is inferred. What is left over
    is guarded, or with `tail = "partition"` runs in a loop of its own, which is
    one more result.

    ```mlir
    %o, %i = transform.tir.split %loop [?, 16]
    %o, %i, %rest = transform.tir.split %loop [?, 16] tail = "partition"
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, DenseI64ArrayAttr:$factors,
                       DefaultValuedStrAttr<StrAttr, "predicate">:$tail);
  let results = (outs Variadic<TIR_Handle>:$loops);
  let assemblyFormat = [{
    $loop custom<Factors>($factors) (`tail` `=` $tail^)? attr-dict
    custom<ResultHandles>(type($loops))
  }];
  let hasVerifier = 1;
}

def FuseOp : TIR_TransformOp<"fuse"> {
  let summary = "Fuse nested loops";
  let description = [{
    ```mlir
    %ij = transform.tir.fuse %i, %j
    ```
  }];
  let arguments = (ins Variadic<TIR_Handle>:$loops);
  let results = (outs TIR_Handle:$fused);
  let assemblyFormat = "$loops attr-dict";
}

def ReorderOp : TIR_TransformOp<"reorder"> {
  let summary = "Bring loops into an order";
  let description = [{
    ```mlir
    transform.tir.reorder %k, %i, %j
    ```
  }];
  let arguments = (ins Variadic<TIR_Handle>:$loops);
  let assemblyFormat = "$loops attr-dict";
}

class TIR_TransformLoopKindOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    ```mlir
    transform.tir.}] # mnemonic # [{ %loop
    ```
  }];
  let arguments = (ins TIR_Handle:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def ParallelOp
    : TIR_TransformLoopKindOp<"parallel", "Run iterations on several threads">;
def VectorizeOp
    : TIR_TransformLoopKindOp<"vectorize", "Run iterations in vector lanes">;
def UnrollOp
    : TIR_TransformLoopKindOp<"unroll", "Unroll a loop">;

def BindOp : TIR_TransformOp<"bind"> {
  let summary = "Bind a loop to a hardware index";
  let description = [{
    ```mlir
    transform.tir.bind %loop to "threadIdx.x"
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, StrAttr:$tag);
  let assemblyFormat = "$loop `to` $tag attr-dict";
}

def AnnotateOp : TIR_TransformOp<"annotate"> {
  let summary = "Annotate a loop or a block";
  let description = [{
    ```mlir
    transform.tir.annotate %loop "tir.pragma" = 4 : i64
    ```
  }];
  let arguments = (ins TIR_Handle:$target, StrAttr:$name, AnyAttr:$value);
  let assemblyFormat = "$target $name `=` $value attr-dict";
}

//===----------------------------------------------------------------------===//
// Where a block is computed
//===----------------------------------------------------------------------===//

class TIR_TransformInlineOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    The block is erased, its handle consumed.

    ```mlir
    transform.tir.}] # mnemonic # [{ %block
    ```
  }];
  let arguments = (ins TIR_Handle:$block);
  let assemblyFormat = "$block attr-dict";
}

def ComputeInlineOp : TIR_TransformInlineOp<"compute_inline",
    "Compute the block's element where it is read">;
def ReverseComputeInlineOp : TIR_TransformInlineOp<"reverse_compute_inline",
    "Apply an elementwise block in its producer">;

class TIR_TransformComputeAtOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    ```mlir
    transform.tir.}] # mnemonic # [{ %block, %loop
    ```
  }];
  let arguments = (ins TIR_Handle:$block, TIR_Handle:$loop);
  let assemblyFormat = "$block `,` $loop attr-dict";
}

def ComputeAtOp : TIR_TransformComputeAtOp<"compute_at",
    "Compute in a loop what its blocks need">;
def ReverseComputeAtOp : TIR_TransformComputeAtOp<"reverse_compute_at",
    "Consume in a loop what its blocks produce">;

//===----------------------------------------------------------------------===//
// Buffers and reductions
//===----------------------------------------------------------------------===//

class TIR_TransformCacheOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    The result is the copying block.

    ```mlir
    %copy = transform.tir.}] # mnemonic # [{ %block, 0, "local"
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index, StrAttr:$scope);
  let results = (outs TIR_Handle:$copy);
  let assemblyFormat = "$block `,` $index `,` $scope attr-dict";
}

def CacheReadOp : TIR_TransformCacheOp<"cache_read",
    "Read a copy of an input buffer">;
def CacheWriteOp : TIR_TransformCacheOp<"cache_write",
    "Write a copy of an output buffer">;

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

def SetScopeOp : TIR_TransformOp<"set_scope"> {
  let summary = "Move an intermediate buffer to another scope";
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

def DecomposeReductionOp : TIR_TransformOp<"decompose_reduction"> {
  let summary = "Move the init of a reduction before a loop";
  let description = [{
    ```mlir
    %init = transform.tir.decompose_reduction %matmul, %k
    ```
  }];
  let arguments = (ins TIR_Handle:$block, TIR_Handle:$loop);
  let results = (outs TIR_Handle:$init);
  let assemblyFormat = "$block `,` $loop attr-dict";
}

//===----------------------------------------------------------------------===//
// Intrinsics and clean-up
//===----------------------------------------------------------------------===//

def TensorizeOp : TIR_TransformOp<"tensorize"> {
  let summary = "Replace a loop nest by an intrinsic";
  let description = [{
    The loop is the outermost of a nest with one block. `register_tile` keeps a
    tile of results in vector registers through all reduction loops;
    `row_reduction` reduces along contiguous memory. An intrinsic that does not
    compute what the nest does is refused, with the reason. The result is the
    block that takes the place of the nest.

    ```mlir
    %tile = transform.tir.tensorize %k, "register_tile" {vector_bits = 512 : i64}
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, StrAttr:$intrinsic,
                       I64Attr:$vector_bits);
  let results = (outs TIR_Handle:$block);
  let assemblyFormat = "$loop `,` $intrinsic attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral kRegisterTile = "register_tile";
    static constexpr ::llvm::StringLiteral kRowReduction = "row_reduction";
  }];
}

def CompactBuffersOp : TIR_TransformOp<"compact_buffers"> {
  let summary = "Shrink intermediate buffers to what one iteration uses";
  let description = [{
    Buffers that then have at most `max_local_bytes` become local.

    ```mlir
    transform.tir.compact_buffers %f {max_local_bytes = 65536 : i64}
    ```
  }];
  let arguments = (ins TIR_Handle:$function, I64Attr:$max_local_bytes);
  let assemblyFormat = "$function attr-dict";
}

def SimplifyOp : TIR_TransformOp<"simplify"> {
  let summary = "Simplify indices, guards and trivial loops";
  let description = [{
    ```mlir
    transform.tir.simplify %f
    ```
  }];
  let arguments = (ins TIR_Handle:$function);
  let assemblyFormat = "$function attr-dict";
}

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_TD
