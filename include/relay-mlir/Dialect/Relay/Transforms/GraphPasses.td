//===- GraphPasses.td - Further passes on graphs -----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD

include "mlir/Pass/PassBase.td"

// In alphabetical order.

def CanonicalizeCastPass
    : Pass<"relay-canonicalize-cast", "::mlir::func::FuncOp"> {
  let summary = "Give each elementwise reader of a widening cast its own";
  let description = [{
    A `cast` to a type with more bits that several elementwise or broadcasting
    operators read would be stored, wide, for all of them. The first of these
    readers keeps it, each other one gets a copy, which is fused into it, so that
    the narrow tensor is stored.

    ```mlir
    %0 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %1 = relay.negative %0 : (tensor<8xi32>) -> tensor<8xi32>
    %2 = relay.abs %0 : (tensor<8xi32>) -> tensor<8xi32>
    ```
    becomes
    ```mlir
    %0 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %1 = relay.negative %0 : (tensor<8xi32>) -> tensor<8xi32>
    %2 = relay.cast %x {dtype = i32} : (tensor<8xi8>) -> tensor<8xi32>
    %3 = relay.abs %2 : (tensor<8xi32>) -> tensor<8xi32>
    ```
  }];
  let statistics = [
    Statistic<"numCopies", "num-copies", "Number of casts that were copied">
  ];
}

def CombineParallelOpBatchPass
    : Pass<"relay-combine-parallel-op-batch", "::mlir::func::FuncOp"> {
  let summary = "Compute several operators on the same data as one batch";
  let description = [{
    Calls of `op` with the same first operand, and with other operands of equal
    types, become one of `batch-op`, on operands that are stacked along a new first
    dimension: products of the same data with weights of one shape become
    `nn.batch_matmul`. That has the attributes that both operators know, and those of
    `attributes`. Elementwise operators that follow in all branches are computed
    for all of them at once, too. The results are cut apart by `split` and
    `squeeze`.

    With `op=nn.dense batch-op=nn.batch_matmul attributes=transpose_b=true
    min-num-branches=2`
    ```mlir
    %0 = relay.nn.dense %x, %w0 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    %1 = relay.nn.dense %x, %w1 : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    ```
    becomes
    ```mlir
    %d = relay.stack %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
    %w = relay.stack %w0, %w1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x3xf32>
    %y = relay.nn.batch_matmul %d, %w {transpose_b = true} : (tensor<2x2x3xf32>, tensor<2x4x3xf32>) -> tensor<2x2x4xf32>
    %s = relay.split %y {indices_or_sections = 2} : (tensor<2x2x4xf32>) -> tuple<tensor<1x2x4xf32>, tensor<1x2x4xf32>>
    %a = relay.tuple_get_item %s[0] : tuple<tensor<1x2x4xf32>, tensor<1x2x4xf32>>
    %0 = relay.squeeze %a {axis = [0]} : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    ...
    ```

    Operands that are computed after the first branch keep a branch out, or end
    what is combined. It is an error if there is no such operator, or if the types
    of `batch-op` do not fit.
  }];
  let options = [
    Option<"opName", "op", "std::string", /*default=*/"\"nn.dense\"",
           "The operator of the branches">,
    Option<"batchOpName", "batch-op", "std::string",
           /*default=*/"\"nn.batch_matmul\"", "The operator on the batch">,
    Option<"attributes", "attributes", "std::string", /*default=*/"\"\"",
           "Attributes of the operator on the batch, as of a dictionary">,
    Option<"minNumBranches", "min-num-branches", "unsigned", /*default=*/"3",
           "Fewer branches than this stay as they are">
  ];
  let statistics = [
    Statistic<"numCombined", "num-combined", "Number of branches combined">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def DefuseOpsPass : Pass<"relay-defuse-ops", "::mlir::ModuleOp"> {
  let summary = "Put the operators of groups back to where they are called";
  let description = [{
    The inverse of `relay-fuse-ops`: calls of functions with `relay.primitive`
    become what these compute, and so do calls of closures at the place where they
    are made, but of closures that call themselves, are polymorphic, or stand for
    a pattern or another compiler's code. Primitive functions that nothing
    calls any more are removed.

    ```mlir
    func.func private @fused(%x: tensor<4xf32>) -> tensor<4xf32> attributes {relay.primitive} {
      %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.call @fused(%x) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = relay.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      %1 = relay.tanh %0 : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numInlined", "num-inlined", "Number of calls replaced">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

def LabelOpsPass : Pass<"relay-label-ops", "::mlir::ModuleOp"> {
  let summary = "Give each primitive function a label of what it computes";
  let description = [{
    Adds to the attributes that a primitive function has in Relay's text
    (`relay.attrs`) a `hash`, which is the same for equal functions, in each
    compilation, whatever their names and locations are, and the layouts of its
    operators, by the names of their attributes (`data_layout`). A hash that is
    there stays.
  }];
  let statistics = [
    Statistic<"numLabelled", "num-labelled", "Number of functions labelled">
  ];
}

def SplitArgsPass : Pass<"relay-split-args", "::mlir::func::FuncOp"> {
  let summary = "Cut concatenations of many tensors into kernels of few";
  let description = [{
    Some devices limit how many tensors a kernel may take. A `concatenate` that
    would need more than `max-function-args` of them, with its result, is
    computed in parts, which `annotation.stop_fusion` keeps apart; the parts are
    concatenated, again in parts if need be. 0 changes nothing.
  }];
  let options = [
    Option<"maxFunctionArgs", "max-function-args", "int64_t", /*default=*/"0",
           "Most arguments and results of a kernel; 0: any number">
  ];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of concatenations split">
  ];
  let dependentDialects = ["::mlir::relay::RelayDialect"];
}

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GRAPHPASSES_TD
