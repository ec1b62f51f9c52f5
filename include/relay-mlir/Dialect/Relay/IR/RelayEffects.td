//===- RelayEffects.td - Operators that are not pure -------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYEFFECTS_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYEFFECTS_TD

include "relay-mlir/Dialect/Relay/IR/RelayTypes.td"

/// An operator with the given effects, or any effect if there are none among
/// `effects`, on values of any type.
class Relay_EffectOperator<string mnemonic, string pattern,
                           list<Trait> effects = []>
    : Relay_Operator<mnemonic, pattern> {
  let traits = !listconcat(
      [InferTypeOpAdaptorWithIsCompatible,
       DeclareOpInterfaceMethods<FusionPatternOpInterface>], effects);
  let results = (outs Relay_AnyValue:$result);
}

/// An operator that returns its first operand and only says something about it.
class Relay_MarkerOperator<string mnemonic, list<Trait> effects = [Pure]>
    : Relay_EffectOperator<mnemonic, "Opaque", effects> {
  let extraClassDefinition = operatorDefinition # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *, std::optional<::mlir::Location>,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getODSOperands(0).front().getType());
      return ::mlir::success();
    }
  }];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYEFFECTS_TD
