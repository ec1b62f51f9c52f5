//===- Passes.td - Passes on the relay dialect -------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

// In alphabetical order. Passes that also touch another dialect of the project
// are conversions and declared there.

def FoldConstantPass : Pass<"relay-fold-constant", "::mlir::func::FuncOp"> {
  let summary = "Evaluate operators whose operands are constants";
  let description = [{
    Runs the reference interpreter on every operator all of whose operands are
    constants or folded themselves. Results become constants: resources, which
    passes neither copy nor print, or literals if they are small. Results that
    take much more memory than their operands (`max-growth`) are computed at run
    time instead.

    ```mlir
    %c = relay.constant dense<2.0> : tensor<f32>
    %0 = relay.sqrt %c : (tensor<f32>) -> tensor<f32>
    ```
    becomes
    ```mlir
    %0 = relay.constant dense<1.41421354> : tensor<f32>
    ```
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"1048576",
           "Largest number of bytes by which a result may exceed its operands">
  ];
  let statistics = [
    Statistic<"numFolded", "num-folded", "Number of operators evaluated">
  ];
}

def FuseOpsPass : Pass<"relay-fuse-ops", "::mlir::ModuleOp"> {
  let summary = "Group operators into primitive functions";
  let description = [{
    Partitions the operators of every function into groups that are computed by
    one kernel each, and outlines each group into a private function with the
    attribute `relay.primitive`. Groups that are equal up to their arguments
    share one function.

    An operator joins the group of its immediate post-dominator if every path
    between the two may be fused: convolution-like operators take elementwise
    consumers, elementwise and broadcast operators go into reductions and
    injective consumers, injective operators into each other. Scalar constants
    are copied into the groups that use them; other constants become arguments.

    Needs the form `relay-typed`, leaves `relay-fused`.

    ```mlir
    %0 = relay.nn.dense %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.relu %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %0 = relay.call @fused_nn_dense_nn_relu(%x, %w) : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    ```
  }];
  let options = [
    Option<"maxDepth", "max-depth", "int64_t", /*default=*/"256",
           "Largest number of operators in a group">,
    Option<"merge", "merge", "bool", /*default=*/"true",
           "Merge operators; if not, each becomes a group of its own">
  ];
  let statistics = [
    Statistic<"numGroups", "num-groups", "Number of groups outlined">,
    Statistic<"numFunctions", "num-functions",
              "Number of different primitive functions">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SimplifyInferencePass
    : Pass<"relay-simplify-inference", "::mlir::func::FuncOp"> {
  let summary = "Replace operators that differ only in training";
  let description = [{
    The first result of `nn.batch_norm` becomes a product and a sum with vectors
    that constant folding can compute; that of `nn.dropout` becomes its operand.
  }];
  let statistics = [
    Statistic<"numSimplified", "num-simplified",
              "Number of operators replaced">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_PASSES_TD
