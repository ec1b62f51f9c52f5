//===- RelayReduceOps.td - Reductions ----------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYREDUCEOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYREDUCEOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

/// `axis` absent or empty means all axes; negative ones count from the last;
/// `exclude` reduces the axes that are not listed.
class Relay_ReduceOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "CommReduce",
                     [ReductionOpInterface, Relay_ReduceLayout<>]> {
  let summary = what # " over axes";
  let description = [{
    Reduces the axes of `axis` (absent or empty: all; negative: from the last),
    or, with `exclude`, all others. Reduced axes vanish, or stay with size 1 if
    `keepdims` is set.
  }] # example;
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferReduce(
          location, adaptor.getData().getType(), adaptor.getAxis(),
          adaptor.getKeepdims(), adaptor.getExclude(), ::mlir::Type(), types);
    }
  }];
}

def Relay_SumOp : Relay_ReduceOp<"sum", "Sum"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.sum %x {axis = [1]} : (tensor<8x16x32xf32>) -> tensor<8x32xf32>
    ```
  }];
}
def Relay_ProdOp : Relay_ReduceOp<"prod", "Product"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.prod %x {axis = [-1]} : (tensor<8x4xi32>) -> tensor<8xi32>
    ```
  }];
}
def Relay_MeanOp : Relay_ReduceOp<"mean", "Mean"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.mean %x {axis = [2, 3], keepdims = true}
        : (tensor<1x64x56x56xf32>) -> tensor<1x64x1x1xf32>
    ```
  }];
}
def Relay_MaxOp : Relay_ReduceOp<"max", "Maximum"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.max %x {axis = [0], exclude = true}
        : (tensor<8x16x32xf32>) -> tensor<8xf32>
    ```
  }];
}
def Relay_MinOp : Relay_ReduceOp<"min", "Minimum"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.min %x : (tensor<8x16x32xf32>) -> tensor<f32>
    ```
  }];
}
def Relay_AllOp : Relay_ReduceOp<"all", "Logical and"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.all %x {axis = [1]} : (tensor<8x16xi1>) -> tensor<8xi1>
    ```
  }];
  let arguments = (ins Relay_BoolTensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude);
}
def Relay_AnyOp : Relay_ReduceOp<"any", "Logical or"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.any %x {axis = [1], keepdims = true}
        : (tensor<8x16xi1>) -> tensor<8x1xi1>
    ```
  }];
  let arguments = (ins Relay_BoolTensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude);
}

/// The position of an extreme element, int32; in the reduced axes flattened.
class Relay_ArgReduceOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "CommReduce", [
          Relay_ReduceLayout</*isPosition=*/1>]> {
  let summary = "Position of the " # what # " over axes";
  let description = [{
    As other reductions; the result is int32: the row-major index into the
    reduced axes of the first extreme element, or of the last one with
    `select_last_index`.
  }] # example;
  let arguments = (ins Relay_Tensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$select_last_index,
                       Relay_DefaultBool<"false">:$exclude);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferReduce(
          location, adaptor.getData().getType(), adaptor.getAxis(),
          adaptor.getKeepdims(), adaptor.getExclude(),
          ::mlir::IntegerType::get(context, 32), types);
    }
  }];
}

def Relay_ArgmaxOp : Relay_ArgReduceOp<"argmax", "maximum"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.argmax %x {axis = [-1]} : (tensor<8x1000xf32>) -> tensor<8xi32>
    ```
  }];
}
def Relay_ArgminOp : Relay_ArgReduceOp<"argmin", "minimum"> {
  let example = [{
    Example:

    ```mlir
    %0 = relay.argmin %x {axis = [-1], select_last_index = true}
        : (tensor<8x1000xf32>) -> tensor<8xi32>
    ```
  }];
}

def Relay_VarianceOp : Relay_Operator<"variance", "CommReduce",
                                      [Relay_ReduceLayout<>]> {
  let summary = "Variance over axes, given the mean";
  let description = [{
    mean((x - mean)^2), or the sum divided by n - 1 with `unbiased`. `mean` has
    the rank of `data`, with the reduced axes of size 1.

    Example:

    ```mlir
    %0 = relay.variance %x, %mean
        {axis = [2, 3], keepdims = true, unbiased = true}
        : (tensor<1x64x56x56xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$mean,
                       Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude,
                       Relay_DefaultBool<"false">:$unbiased);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYREDUCEOPS_TD
