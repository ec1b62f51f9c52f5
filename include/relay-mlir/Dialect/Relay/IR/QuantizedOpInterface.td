//===- QuantizedOpInterface.td - Operators on quantized data -*- tablegen -*-=//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDOPINTERFACE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def QuantizedOpInterface : OpInterface<"QuantizedOpInterface"> {
  let description = [{
    An operator on quantized tensors, which can be written in operators on
    integers and floats.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes, before the operator, operators that compute the same bits, and
        returns their result, whose type may be less precise in its sizes. Fails
        with an error at the operator. `evaluate` makes a constant of what an
        operator computes whose operands are constants, or returns null.
      }],
      "::mlir::FailureOr<::mlir::Value>", "writeInBasicOperators",
      (ins "::mlir::relay::EvaluateOperator":$evaluate)>
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEDOPINTERFACE_TD
