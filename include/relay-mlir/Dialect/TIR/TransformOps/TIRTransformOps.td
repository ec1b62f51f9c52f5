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

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_TD
