//===- RelayInterfaces.td - Interfaces of relay operators --*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Relay_OpPatternKind : I32EnumAttr<"OpPatternKind",
    "how an operator relates its result's elements to its operands'", [
      I32EnumAttrCase<"ElemWise", 0>,
      I32EnumAttrCase<"Broadcast", 1>,
      I32EnumAttrCase<"Injective", 2>,
      I32EnumAttrCase<"CommReduce", 3>,
      I32EnumAttrCase<"OutEWiseFusable", 4>,
      I32EnumAttrCase<"Tuple", 7>,
      I32EnumAttrCase<"Opaque", 8>]> {
  let cppNamespace = "::mlir::relay";
}

def FusionPatternOpInterface : OpInterface<"FusionPatternOpInterface"> {
  let description = [{
    Tells operator fusion what may be computed together with the operator. The
    kinds are ordered: a smaller one fuses with more.

    * `ElemWise`: element i of the result depends on element i of the operands.
    * `Broadcast`: the same, up to dimensions of size 1.
    * `Injective`: each element depends on one element of each operand.
    * `CommReduce`: elements are reduced by a commutative operation.
    * `OutEWiseFusable`: anything, and elementwise consumers can be fused.
    * `Tuple`: makes a tuple.
    * `Opaque`: nothing can be fused.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns the operator's kind.",
                    "::mlir::relay::OpPatternKind", "getFusionPattern">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAYINTERFACES_TD
