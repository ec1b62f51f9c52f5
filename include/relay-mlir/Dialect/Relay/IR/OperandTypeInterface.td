//===- OperandTypeInterface.td - Backward inference --------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_TD

include "mlir/IR/OpBase.td"

def OperandTypeOpInterface : OpInterface<"OperandTypeOpInterface"> {
  let description = [{
    An operator that tells the types of some operands from those of others, such
    as that of a convolution's weight. Type inference asks it when nothing else
    is known of an operand.

    Most operators get it as an external model, in OperandTypes.cpp.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Replaces in `types`, one for each operand, the incomplete types of which
        the operator knows what they must be. The operands themselves may have
        other types than those, and attributes need not fit together.
      }],
      "void", "inferOperandTypes",
      (ins "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_OPERANDTYPEINTERFACE_TD
