//===- RelayNNLossOps.td - Loss functions ------------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNLOSSOPS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNLOSSOPS_TD

include "relay-mlir/Dialect/Relay/IR/RelayBase.td"

class Relay_CrossEntropyOp<string mnemonic, string what>
    : Relay_Operator<mnemonic, "Opaque"> {
  let summary = "Cross entropy: " # what;
  let description = [{
    For predictions x and targets y, both (N, C) of one float type: the scalar
    }] # what # [{.

    Example:

    ```mlir
    %0 = relay.}] # mnemonic # [{ %x, %y
        : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$x, Relay_FloatTensor:$y);
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::mlir::relay::detail::inferCrossEntropy(
          location, adaptor.getX().getType(), adaptor.getY().getType(), types);
    }
  }];
}
def Relay_NNCrossEntropyOp
    : Relay_CrossEntropyOp<"nn.cross_entropy", "-sum(y * log(x)) / N">;
def Relay_NNCrossEntropyWithLogitsOp
    : Relay_CrossEntropyOp<"nn.cross_entropy_with_logits", "-sum(x * y) / N">;

def Relay_NNNllLossOp : Relay_Operator<"nn.nll_loss", "OutEWiseFusable"> {
  let summary = "Negative log-likelihood of classes";
  let description = [{
    predictions is (N, C, d...), targets (N, d...) of integers, weights (C) of
    the element type of predictions. The loss of a position is
    -predictions[n, t, d...] * weights[t] for its target t, and 0 where t is
    `ignore_index`. `reduction` none returns it as it is, in the shape of
    targets; sum adds it up; mean divides the sum by that of the weights used.

    Example:

    ```mlir
    %0 = relay.nn.nll_loss %x, %t, %w {reduction = "none", ignore_index = -100}
        : (tensor<32x10xf32>, tensor<32xi32>, tensor<10xf32>) -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Relay_FloatTensor:$predictions,
                       Relay_IntegerTensor:$targets, Relay_Vector:$weights,
                       Relay_DefaultStr<"mean">:$reduction,
                       Relay_IntAttr:$ignore_index);
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYNNLOSSOPS_TD
