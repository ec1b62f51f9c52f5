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
    : Relay_Operator<mnemonic, "CommReduce"> {
  let summary = what # " over axes";
  let description = [{
    Reduces the axes of `axis` (absent or empty: all; negative: from the last),
    or, with `exclude`, all others. Reduced axes vanish, or stay with size 1 if
    `keepdims` is set.
  }];
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

def Relay_SumOp : Relay_ReduceOp<"sum", "Sum">;
def Relay_ProdOp : Relay_ReduceOp<"prod", "Product">;
def Relay_MeanOp : Relay_ReduceOp<"mean", "Mean">;
def Relay_MaxOp : Relay_ReduceOp<"max", "Maximum">;
def Relay_MinOp : Relay_ReduceOp<"min", "Minimum">;
def Relay_AllOp : Relay_ReduceOp<"all", "Logical and"> {
  let arguments = (ins Relay_BoolTensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude);
}
def Relay_AnyOp : Relay_ReduceOp<"any", "Logical or"> {
  let arguments = (ins Relay_BoolTensor:$data, Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude);
}

/// The position of an extreme element, int32; in the reduced axes flattened.
class Relay_ArgReduceOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "CommReduce"> {
  let summary = "Position of the " # what # " over axes";
  let description = [{
    As other reductions; the result is int32: the row-major index into the
    reduced axes of the first extreme element, or of the last one with
    `select_last_index`.
  }];
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

def Relay_ArgmaxOp : Relay_ArgReduceOp<"argmax", "maximum">;
def Relay_ArgminOp : Relay_ArgReduceOp<"argmin", "minimum">;

def Relay_VarianceOp : Relay_Operator<"variance", "CommReduce"> {
  let summary = "Variance over axes, given the mean";
  let description = [{
    mean((x - mean)^2), or the sum divided by n - 1 with `unbiased`. `mean` has
    the rank of `data`, with the reduced axes of size 1.
  }];
  let arguments = (ins Relay_FloatTensor:$data, Relay_FloatTensor:$mean,
                       Relay_OptionalInts:$axis,
                       Relay_DefaultBool<"false">:$keepdims,
                       Relay_DefaultBool<"false">:$exclude,
                       Relay_DefaultBool<"false">:$unbiased);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYREDUCEOPS_TD
