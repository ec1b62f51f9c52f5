//===- StaticFormInterface.td - Operands for attributes ----*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_TD

include "mlir/IR/OpBase.td"

def StaticFormOpInterface : OpInterface<"StaticFormOpInterface"> {
  let description = [{
    An operator some of whose operands are attributes of another one: the one
    that computes the same where these operands are constants. The other operands
    of both are the same, in order, and attributes of the same name mean the same.

    Operators get it as an external model, in StaticForms.cpp.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Name of the other operator, without the dialect.",
      "::llvm::StringRef", "getStaticName">,
    InterfaceMethod<[{
        The operands that are attributes of the other operator, and their names
        there.
      }],
      "::llvm::ArrayRef<::mlir::relay::AttributeOperand>",
      "getAttributeOperands">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_STATICFORMINTERFACE_TD
