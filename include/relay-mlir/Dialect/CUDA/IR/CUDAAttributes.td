//===- CUDAAttributes.td - NVIDIA GPUs as targets ----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_CUDA_IR_CUDAATTRIBUTES_TD
#define RELAY_MLIR_DIALECT_CUDA_IR_CUDAATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/DialectBase.td"
include "relay-mlir/Dialect/Target/IR/TargetInterfaces.td"

def CUDA_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::mlir::cuda";
  let summary = "NVIDIA GPUs as devices of kind `cuda`";
  let description = [{
    What kernels on devices of kind `cuda` are compiled for. `--target=cuda` of
    the tools gives it to a module and puts the model on `cuda:0`.

    Example:

    ```mlir
    module attributes {
        target.device_specs = {cuda = #cuda.gpu<"sm_90a">}} {
    }
    ```
  }];
  let dependentDialects = ["::mlir::relay::TargetDialect"];
  let useDefaultAttributePrinterParser = 1;
}

def CUDA_GPUAttr : AttrDef<CUDA_Dialect, "GPU", [
    DeclareAttrInterfaceMethods<TargetAttrInterface, [
      "getDescription", "getVectorBits", "multipliesHalves", "getMemories",
      "getThreading"]>]> {
  let mnemonic = "gpu";
  let summary = "An NVIDIA GPU";
  let description = [{
    An architecture of GPUs as LLVM and `ptxas` call it, and the form of its
    code: `ptx`, which the driver compiles for the device it finds when a model
    is loaded, `cubin`, which needs `ptxas` when the model is compiled and runs
    on devices of that architecture alone, or `mlir`, kernels in the gpu dialect
    for an executor in software.

    Threads see memory `local` alone, their registers; those of a block share
    memory `shared`.

    Example: `#cuda.gpu<"sm_90a", code = "cubin">`
  }];
  let parameters = (ins
    StringRefParameter<"the architecture: sm_80">:$arch,
    StringRefParameter<"the form of code", "\"ptx\"">:$code
  );
  let assemblyFormat = "`<` $arch (`,` struct($code)^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What is known of the architecture; lives for ever.
    const ArchInfo &getInfo() const;
  }];
}

def CUDA_ProductAttr : AttrDef<CUDA_Dialect, "Product"> {
  let mnemonic = "product";
  let summary = "How a block becomes a product of matrices by tensor cores";
  let description = [{
    Annotation `cuda.product` of a block that adds up products of elements of two
    buffers. Its iteration variables, by position, are those of a batch, which
    all buffers have, the rows of the result, which only the left one has, its
    columns, and the reduction. They are numbered in row-major order, which makes
    matrices of buffers of any rank: a convolution is a product.

    Blocks of `warps[0] * warps[1]` warps compute tiles of `tile[0]` rows and
    `tile[1]` columns, `tile[2]` elements of the reduction at a time. Elements of
    f32 are `pieces` numbers of bf16 each: with two, products are exact to about
    2^-16. Elements of i8, with or without a sign as the block extends them, have
    sums of i32. Parts of operands that need no conversion are copied to shared memory
    asynchronously, `stages` of them at once, if that is more than two.
    `instruction` is `mma`, of each warp by itself, or `wgmma`, of four warps that
    are below each other; then a tile has 16 rows for each warp, up to 256 columns
    and 128 bytes of the reduction. `epilogue` is the block, right behind, that
    is computed of results while they are in registers; empty for none.

    Example:

    ```mlir
    #cuda.product<batch = array<i64>, rows = array<i64: 0>,
                  columns = array<i64: 1>, reduction = array<i64: 2>,
                  tile = array<i64: 128, 128, 32>, warps = array<i64: 2, 4>,
                  pieces = 2, stages = 1, epilogue = "relu">
    ```
  }];
  let parameters = (ins
    "::mlir::DenseI64ArrayAttr":$batch,
    "::mlir::DenseI64ArrayAttr":$rows,
    "::mlir::DenseI64ArrayAttr":$columns,
    "::mlir::DenseI64ArrayAttr":$reduction,
    "::mlir::DenseI64ArrayAttr":$tile,
    "::mlir::DenseI64ArrayAttr":$warps,
    "int64_t":$pieces,
    DefaultValuedParameter<"int64_t", "1">:$stages,
    StringRefParameter<"the instruction", "\"mma\"">:$instruction,
    StringRefParameter<"the name of a block", "\"\"">:$epilogue
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The annotation of a block.
    static constexpr ::llvm::StringLiteral kAttrName = "cuda.product";
    /// That of a block which is computed with the product that it names.
    static constexpr ::llvm::StringLiteral kEpilogueAttrName = "cuda.epilogue";
    /// Values of `instruction`.
    static constexpr ::llvm::StringLiteral kMma = "mma", kWgmma = "wgmma";
  }];
}

#endif // RELAY_MLIR_DIALECT_CUDA_IR_CUDAATTRIBUTES_TD
