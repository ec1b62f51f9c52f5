//===- QnnPasses.td - Passes on quantized operators --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QNNPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QNNPASSES_TD

include "mlir/Pass/PassBase.td"

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
    subtracted, or divided by. Every compilation runs this pass, after code
    generators of others have seen their functions.

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

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_QNNPASSES_TD
