//===- VTAInterfaces.td - Interfaces of vta ----------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_IR_VTAINTERFACES_TD
#define RELAY_MLIR_DIALECT_VTA_IR_VTAINTERFACES_TD

include "mlir/IR/OpBase.td"

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::mlir::vta";
  let description = [{
    An operation that is one instruction. Its token operands are what it pops,
    its results what it pushes.
  }];
  let methods = [
    InterfaceMethod<[{
        The instruction, without the flags of its tokens.
      }], "::relay_vta::Instruction", "getFields">,
    InterfaceMethod<"What it waits for.", "::mlir::OperandRange", "getWaits">,
    InterfaceMethod<"What it gives when it is done.", "::mlir::ResultRange",
      "getSignals">
  ];
  let extraClassDeclaration = [{
    /// The instruction with the flags of its tokens.
    ::relay_vta::Instruction getInstruction();
  }];
}

#endif // RELAY_MLIR_DIALECT_VTA_IR_VTAINTERFACES_TD
