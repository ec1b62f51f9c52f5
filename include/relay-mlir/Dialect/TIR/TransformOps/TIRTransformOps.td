//===- TIRTransformOps.td - Schedule primitives as ops -----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule is a transform script. Each op wraps the primitive of the same name
// in Dialect/TIR/Schedule/Schedule.h; a refusal is a silenceable failure.
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
/// A number that was sampled.
defvar TIR_Number = Transform_ParamType;

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

class TIR_TransformRelatedBlocksOp<string mnemonic, string what>
    : TIR_TransformOp<mnemonic> {
  let summary = what;
  let description = [{
    In program order. Takes as many results as there are blocks.

    ```mlir
    %a, %b = transform.tir.}] # mnemonic # [{ %target
    ```
  }];
  let arguments = (ins TIR_Handle:$target);
  let results = (outs Variadic<TIR_Handle>:$blocks);
  let assemblyFormat = "$target attr-dict custom<ResultHandles>(type($blocks))";
}

def GetChildBlocksOp
    : TIR_TransformRelatedBlocksOp<"get_child_blocks", "The blocks in a loop">;
def GetProducersOp
    : TIR_TransformRelatedBlocksOp<"get_producers",
        "The blocks that write what a block reads">;
def GetConsumersOp
    : TIR_TransformRelatedBlocksOp<"get_consumers",
        "The blocks that read what a block writes">;
def GetOutputBlocksOp
    : TIR_TransformRelatedBlocksOp<"get_output_blocks",
        "The blocks that write outputs of a kernel">;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def SplitOp : TIR_TransformOp<"split"> {
  let summary = "Split a loop";
  let description = [{
    One loop for each factor, outermost first; `?` is inferred, and numbers that
    were sampled are factors, too. What is left over
    is guarded, or with `tail = "partition"` runs in a loop of its own, which is
    one more result.

    ```mlir
    %o, %i = transform.tir.split %loop [?, 16]
    %p, %j, %rest = transform.tir.split %other [?, 16] tail = "partition"
    %q, %k = transform.tir.split %third [?, %sampled]
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, DenseI64ArrayAttr:$factors,
                       Variadic<TIR_Number>:$sampled,
                       DefaultValuedStrAttr<StrAttr, "predicate">:$tail);
  let results = (outs Variadic<TIR_Handle>:$loops);
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$loopTypes,
    "::mlir::Value":$loop, "::llvm::ArrayRef<int64_t>":$factors)>];
  let assemblyFormat = [{
    $loop custom<SampledFactors>($factors, $sampled, type($sampled))
    (`tail` `=` $tail^)? attr-dict custom<ResultHandles>(type($loops))
  }];
  let extraClassDeclaration = [{
    /// Stands for the next one of `sampled` in `factors`.
    static constexpr int64_t kSampledFactor = ::mlir::ShapedType::kDynamic + 1;
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

def ReverseOp : TIR_TransformOp<"reverse"> {
  let summary = "Run a loop from its last iteration to its first";
  let description = [{
    Refused if an iteration needs what another one leaves in a buffer, and if
    the loop feeds a reduction with an init, which the first iteration runs.

    ```mlir
    transform.tir.reverse %loop
    ```

    turns `tir.for %i = 0 to 8` around an instance at `%i` into the same loop
    around an instance at `7 - %i`.
  }];
  let arguments = (ins TIR_Handle:$loop);
  let assemblyFormat = "$loop attr-dict";
}

def LoopPartitionOp : TIR_TransformOp<"loop_partition"> {
  let summary = "Run consecutive parts of a loop in loops of their own";
  let description = [{
    Takes the extent of each part; `?` is inferred. The extent of the loop is
    constant, and the parts add up to it. All parts start at 0. Blocks in the
    second and later parts have new names that end in `_part`. The init of a
    reduction over the loop becomes a block of its own, before the first part.

    ```mlir
    %first, %middle, %last = transform.tir.loop_partition %loop [1, ?, 1]
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, DenseI64ArrayAttr:$sizes);
  let results = (outs Variadic<TIR_Handle>:$loops);
  let assemblyFormat = [{
    $loop custom<Factors>($sizes) attr-dict custom<ResultHandles>(type($loops))
  }];
  let hasVerifier = 1;
}

def MergeOp : TIR_TransformOp<"merge"> {
  let summary = "Run the bodies of neighbouring loops in one loop";
  let description = [{
    The loops follow each other, with nothing but definitions between them, and
    have the same extent. An iteration of the merged loop runs the same
    iteration of each in turn. Refused if an iteration of one loop needs what
    another iteration of the other leaves.

    ```mlir
    %both = transform.tir.merge %i, %j
    ```
  }];
  let arguments = (ins Variadic<TIR_Handle>:$loops);
  let results = (outs TIR_Handle:$merged);
  let assemblyFormat = "$loops attr-dict";
}

def AddUnitLoopOp : TIR_TransformOp<"add_unit_loop"> {
  let summary = "Put a loop that runs once around a loop or a block";
  let description = [{
    `simplify` removes such loops again unless they have a kind.

    ```mlir
    %one = transform.tir.add_unit_loop %block
    ```
  }];
  let arguments = (ins TIR_Handle:$target);
  let results = (outs TIR_Handle:$loop);
  let assemblyFormat = "$target attr-dict";
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
    One of `blockIdx`, `threadIdx` and `vthread` with `.x`, `.y` or `.z`. Nested
    loops have different ones. The loop feeds spatial variables only.

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

def UnannotateOp : TIR_TransformOp<"unannotate"> {
  let summary = "Remove an annotation from a loop or a block";
  let description = [{
    ```mlir
    transform.tir.unannotate %loop "tir.pragma"
    ```
  }];
  let arguments = (ins TIR_Handle:$target, StrAttr:$name);
  let assemblyFormat = "$target $name attr-dict";
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

/// The loop may be a location from `sample_compute_location`.
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

def CacheInplaceOp : TIR_TransformOp<"cache_inplace"> {
  let summary = "Work on a copy of a buffer that a block updates";
  let description = [{
    The buffer is the block's read and written buffer of the given number. The
    results are the blocks that copy before and after the nest.

    ```mlir
    %in, %out = transform.tir.cache_inplace %block, 0, "local"
    ```
  }];
  let arguments = (ins TIR_Handle:$block, I64Attr:$index, StrAttr:$scope);
  let results = (outs TIR_Handle:$copy_in, TIR_Handle:$copy_out);
  let assemblyFormat = "$block `,` $index `,` $scope attr-dict";
}

def ReindexOp : TIR_TransformOp<"reindex"> {
  let summary = "Lay out a buffer by iteration variables";
  let description = [{
    The block then accesses a new buffer, whose index is the iteration variables
    that the old index uses, in their order. The result is the block that copies:
    from the old buffer before the nest, or with `write` to it after the nest.
    The block accesses one element of the buffer in each instance.

    ```mlir
    %columns = transform.tir.reindex %conv, read 0
    ```

    turns a load of `%x[n, c, y + kh, x + kw]` into one of `%t[n, y, x, c, kh,
    kw]`: the columns of a convolution.
  }];
  let arguments = (ins TIR_Handle:$block, UnitAttr:$write, I64Attr:$index);
  let results = (outs TIR_Handle:$copy);
  let assemblyFormat = [{
    $block `,` (`write` $write^):(`read`)? $index attr-dict
  }];
}

def PadEinsumOp : TIR_TransformOp<"pad_einsum"> {
  let summary = "Round the domain of a contraction up";
  let description = [{
    Each iteration variable then runs over a multiple of its padding. Operands
    are copied to buffers with zeros at the end by new blocks
    `<block>_pad_<number>`; a padded result is written to a larger buffer, whose
    corner `<block>_crop` copies. The block is a sum of products, or elementwise,
    in a nest of its own. A reduce variable can only be padded if it indexes every
    factor of the product.

    ```mlir
    transform.tir.pad_einsum %matmul [8, 16, 1]
    ```
  }];
  let arguments = (ins TIR_Handle:$block, DenseI64ArrayAttr:$padding);
  let assemblyFormat = "$block custom<Factors>($padding) attr-dict";
}

def DecomposePaddingOp : TIR_TransformOp<"decompose_padding"> {
  let summary = "Fill with a constant first, then copy";
  let description = [{
    For a block that stores its input where that exists and a constant elsewhere.
    The result is a new block, `<block>_pad_const`, that stores the constant
    everywhere; the block itself then runs where there is input, without a
    condition. The loop is the outermost one around the block.

    ```mlir
    %fill = transform.tir.decompose_padding %pad, %n
    ```
  }];
  let arguments = (ins TIR_Handle:$block, TIR_Handle:$loop);
  let results = (outs TIR_Handle:$fill);
  let assemblyFormat = "$block `,` $loop attr-dict";
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

def RFactorOp : TIR_TransformOp<"rfactor"> {
  let summary = "Reduce in two steps, with partial results";
  let description = [{
    Each iteration of the loop, which feeds one reduce variable of the one block
    below, gets a partial result of its own. They lie along dimension `axis` of a
    new buffer; negative axes count from the end of the new shape. The result is
    the block that computes them, `<block>_rf`, for which the loop is spatial; the
    block itself combines them after the nest. What the block stores is a sum,
    product, minimum, maximum or bitwise combination of a value with what was
    there. Floating-point sums and products are then rounded in another order.

    ```mlir
    %o, %i = transform.tir.split %k [?, 16]
    %partial = transform.tir.rfactor %i axis = 0
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, I64Attr:$axis);
  let results = (outs TIR_Handle:$partial);
  let assemblyFormat = "$loop `axis` `=` $axis attr-dict";
}

def ReorderBlockIterVarOp : TIR_TransformOp<"reorder_block_iter_var"> {
  let summary = "Bring the iteration variables of a block into an order";
  let description = [{
    The new variable `i` is the old variable `order[i]`. Loops stay.

    ```mlir
    transform.tir.reorder_block_iter_var %matmul [2, 0, 1]
    ```
  }];
  let arguments = (ins TIR_Handle:$block, DenseI64ArrayAttr:$order);
  let assemblyFormat = "$block custom<Factors>($order) attr-dict";
}

def BlockizeOp : TIR_TransformOp<"blockize"> {
  let summary = "Make one block of a loop nest";
  let description = [{
    An instance of the new block runs all iterations of the nest, which is perfect
    and holds one block, whose name it takes. Its variables count tiles: the loops
    around the nest must move each variable by whole tiles. Other primitives then
    see a block that reads and writes whole buffers.

    ```mlir
    %io, %ii = transform.tir.split %i [?, 4]
    %tile = transform.tir.blockize %ii
    ```
  }];
  let arguments = (ins TIR_Handle:$loop);
  let results = (outs TIR_Handle:$block);
  let assemblyFormat = "$loop attr-dict";
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

def TensorizeWithOp : TIR_TransformOp<"tensorize_with"> {
  let summary = "Replace a loop nest by an implementation of its description";
  let description = [{
    Description and implementation are `tir.prim_func`s of the script's module with
    the attribute `tir.intrinsic` and the same arguments, of static shape. The
    description is a nest of loops with constant extents around one block without
    an init; the implementation is straight code. The nest must do what the
    description does, in the same loops, with the same operations and accesses; it
    may work anywhere in its buffers, which may have further dimensions in front.
    Its buffers are in the memories of the arguments; what the target reaches by
    loads and stores of the default memory counts as that.
    Otherwise it is refused, with the first difference. The result is the block
    that takes the place of the nest.

    ```mlir
    tir.prim_func private @double.description(
        %x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
      tir.for %i = 0 to 8 {
        tir.block @double(%v0 = spatial %i in 8)
            reads(%x[%v0] : memref<8xf32>) writes(%y[%v0] : memref<8xf32>) {
          %0 = affine.load %x[%v0] : memref<8xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %y[%v0] : memref<8xf32>
        }
      }
    }
    tir.prim_func private @double.implementation(
        %x: memref<8xf32>, %y: memref<8xf32>) attributes {tir.intrinsic} {
      %c0 = arith.constant 0 : index
      %0 = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
      %1 = arith.addf %0, %0 : vector<8xf32>
      vector.store %1, %y[%c0] : memref<8xf32>, vector<8xf32>
    }

    %tile = transform.tir.tensorize_with %i, @double.description,
        @double.implementation
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, FlatSymbolRefAttr:$intrinsic,
                       FlatSymbolRefAttr:$implementation);
  let results = (outs TIR_Handle:$block);
  let assemblyFormat = "$loop `,` $intrinsic `,` $implementation attr-dict";
}

def CompactBuffersOp : TIR_TransformOp<"compact_buffers"> {
  let summary = "Shrink intermediate buffers to what one iteration uses";
  let description = [{
    Buffers in the default memory that then have at most `max_local_bytes` move to
    `local`, if the target has it.

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

include "relay-mlir/Dialect/TIR/TransformOps/TIRBufferOps.td"
include "relay-mlir/Dialect/TIR/TransformOps/TIRMatrixOps.td"
include "relay-mlir/Dialect/TIR/TransformOps/TIRSamplingOps.td"

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRTRANSFORMOPS_TD
