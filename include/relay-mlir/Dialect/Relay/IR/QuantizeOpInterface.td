//===- QuantizeOpInterface.td - What is quantized ----------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_TD
#define RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def QuantizeOpInterface : OpInterface<"QuantizeOpInterface"> {
  let description = [{
    An operator on floats that `relay-quantize-partition` and
    `relay-quantize-annotate` know. At others quantized values are floats again.
  }];
  let cppNamespace = "::mlir::relay";
  let methods = [
    InterfaceMethod<"Returns what quantization does with the operator.",
                    "::mlir::relay::QuantizeRole", "getQuantizeRole">
  ];
}

#endif // RELAY_MLIR_DIALECT_RELAY_IR_QUANTIZEOPINTERFACE_TD
