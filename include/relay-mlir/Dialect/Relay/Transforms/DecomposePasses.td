//===- DecomposePasses.td - Operators made of others -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DECOMPOSEPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DECOMPOSEPASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"relay-decompose", "::mlir::func::FuncOp"> {
  let summary = "Write operators in operators that have code";
  let description = [{
    Operators that say by `DecomposableOpInterface` how they are written in
    others become these, until none is left that does: those of losses, packed
    layouts and batches of space, for example, and all of qnn
    (`relay-qnn-canonicalize`). What they are written in is fused, laid out and
    scheduled like the rest of the model.

    An operator whose results have no elements becomes a constant: its other
    sizes may be huge, and partial results, such as a sum for each row, are not.
    Only those stay that have indices, which are checked at run time.

    Every compilation runs this pass before fusion, after code generators of
    others have seen their functions.

    ```mlir
    %0 = relay.nn.cross_entropy %x, %target
    ```
    becomes
    ```mlir
    %0 = relay.log %x
    %1 = relay.multiply %0, %target
    %2 = relay.sum %1
    %3 = relay.negative %2
    %4 = relay.divide %3, %rows
    ```
  }];
  let statistics = [
    Statistic<"numDecomposed", "num-decomposed",
              "Number of operators written in others">
  ];
}

def QnnCanonicalizePass
    : Pass<"relay-qnn-canonicalize", "::mlir::func::FuncOp"> {
  let summary = "Write operators on quantized tensors in basic operators";
  let description = [{
    Each operator of qnn becomes operators on integers and floats that compute
    the same bits (TVM's QnnCanonicalize). Products are those of the data less
    its zero point; a change of scale is a product of 64 bits and a shift, or
    of floats, as the operator says. Functions of bytes whose parameters are
    constants are tables of all their values.

    Scales that are multiplied must be constants, or follow from constants; it
    is an error if they do not. Parameters may be computed where they are only
    subtracted, or divided by. This is `relay-decompose` of the operators of qnn
    alone.

    ```mlir
    %0 = relay.qnn.dense %q, %w, %three, %zero, %s, %t
        {units = 4, out_dtype = i32}
    ```
    becomes
    ```mlir
    %0 = relay.cast %q {dtype = i32}
    %1 = relay.subtract %0, %three
    %2 = relay.cast %w {dtype = i32}
    %3 = relay.nn.dense %1, %2 {units = 4, out_dtype = i32}
    ```
  }];
  let statistics = [
    Statistic<"numCanonicalized", "num-canonicalized",
              "Number of operators written in basic ones">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DECOMPOSEPASSES_TD
