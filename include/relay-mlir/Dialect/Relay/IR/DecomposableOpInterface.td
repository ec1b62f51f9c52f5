//===- DecomposableOpInterface.td - Operators made of others -*- tablegen -*-=//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let description = [{
    An operator that can be written in other operators. `relay-decompose` asks
    for that before operators are fused, so one that has this interface needs no
    loops of its own.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<[{
        Makes, before the operator, operators that compute the same (on integers
        the same bits), and returns their result, whose type may be less precise
        in its sizes; null, with nothing made, if it stays as it is. Fails with
        an error at the operator. `evaluate` makes a constant of what an operator
        computes whose operands are constants, or returns null.
      }],
      "::mlir::FailureOr<::mlir::Value>", "decompose",
      (ins "::mlir::relay::EvaluateOperator":$evaluate)>
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_DECOMPOSABLEOPINTERFACE_TD
