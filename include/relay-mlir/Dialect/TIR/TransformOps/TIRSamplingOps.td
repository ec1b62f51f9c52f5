//===- TIRSamplingOps.td - Schedules drawn at random -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by TIRTransformOps.td, which has the classes. Samples are drawn from
// `seed`; the decision is stored in the op, and replaces the seed when the
// script runs again. A decision that does not fit what it is for is refused.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRSAMPLINGOPS_TD
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRSAMPLINGOPS_TD

def SampleCategoricalOp : TIR_TransformOp<"sample_categorical"> {
  let summary = "Draw one of several numbers";
  let description = [{
    The probabilities add up to 1. The decision is the place of the number.

    ```mlir
    %v = transform.tir.sample_categorical [8, 16, 32]
        probabilities [0.25, 0.5, 0.25] seed = 7 decision = 1
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$candidates,
                       DenseF64ArrayAttr:$probabilities,
                       DefaultValuedAttr<I64Attr, "0">:$seed,
                       OptionalAttr<I64Attr>:$decision);
  let results = (outs TIR_Number:$value);
  let assemblyFormat = [{
    custom<Factors>($candidates) `probabilities` $probabilities (`seed` `=` $seed^)?
    (`decision` `=` $decision^)? attr-dict custom<Number>(type($value))
  }];
  let hasVerifier = 1;
}

def SamplePerfectTileOp : TIR_TransformOp<"sample_perfect_tile"> {
  let summary = "Draw factors of the extent of a loop";
  let description = [{
    As many as there are results, outermost first, with the extent, which is
    constant, for product; the last is at most `max_innermost`. Each choice is as
    likely as any other.

    ```mlir
    %o, %i = transform.tir.sample_perfect_tile %loop max_innermost = 16
        seed = 7 decision = [8, 4]
    %lo, %li = transform.tir.split %loop [%o, %i]
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, I64Attr:$max_innermost,
                       DefaultValuedAttr<I64Attr, "0">:$seed,
                       OptionalAttr<DenseI64ArrayAttr>:$decision);
  let results = (outs Variadic<TIR_Number>:$factors);
  let assemblyFormat = [{
    $loop `max_innermost` `=` $max_innermost (`seed` `=` $seed^)?
    (`decision` `=` custom<Factors>($decision)^)? attr-dict
    custom<Numbers>(type($factors))
  }];
}

def SamplePartitionedTileOp : TIR_TransformOp<"sample_partitioned_tile"> {
  let summary = "Draw factors of a loop whose inner ones make up a multiple";
  let description = [{
    The product of the factors from number `partition` on is a multiple of
    `inner`, which divides the extent.

    ```mlir
    %a, %b, %c = transform.tir.sample_partitioned_tile %loop partition = 1
        inner = 8 seed = 7 decision = [2, 4, 4]
    ```
  }];
  let arguments = (ins TIR_Handle:$loop, I64Attr:$partition, I64Attr:$inner,
                       DefaultValuedAttr<I64Attr, "0">:$seed,
                       OptionalAttr<DenseI64ArrayAttr>:$decision);
  let results = (outs Variadic<TIR_Number>:$factors);
  let assemblyFormat = [{
    $loop `partition` `=` $partition `inner` `=` $inner (`seed` `=` $seed^)?
    (`decision` `=` custom<Factors>($decision)^)? attr-dict
    custom<Numbers>(type($factors))
  }];
}

def SampleComputeLocationOp : TIR_TransformOp<"sample_compute_location"> {
  let summary = "Draw where a block is computed";
  let description = [{
    One of the loops around its first reader that `compute_at` can move it to, by
    number from 0, -1 for where it is, or -2 for inline, where that is possible.
    The result is a location for `compute_at`.

    ```mlir
    %where = transform.tir.sample_compute_location %pad seed = 7 decision = 2
    transform.tir.compute_at %pad, %where
    ```
  }];
  let arguments = (ins TIR_Handle:$block,
                       DefaultValuedAttr<I64Attr, "0">:$seed,
                       OptionalAttr<I64Attr>:$decision);
  let results = (outs TIR_Handle:$location);
  let assemblyFormat = [{
    $block (`seed` `=` $seed^)? (`decision` `=` $decision^)? attr-dict
  }];
}

def EnterPostprocOp : TIR_TransformOp<"enter_postproc"> {
  let summary = "Mark where choices end and clean-up begins";
  let description = [{
    Does nothing. Whoever searches for schedules keeps the steps before it.

    ```mlir
    transform.tir.enter_postproc
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMOPS_TIRSAMPLINGOPS_TD
