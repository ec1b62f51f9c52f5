//===- VTABinary.h - Programs of VTA as binaries ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_VTA_VTABINARY_H
#define RELAY_MLIR_TARGET_VTA_VTABINARY_H

#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Runtime/VTA/ProgramFile.h"

namespace mlir::vta {

/// The binary of a program that is verified.
relay_vta::Program encodeProgram(ProgramOp op);

/// A module with the one program that `program` is. What cannot be written as
/// operations is an error with the offset in the file that begins with
/// `program`.
OwningOpRef<ModuleOp> decodeProgram(const relay_vta::Program &program,
                                    StringRef name, MLIRContext *context);

/// Prints such a module with a comment for each instruction.
void printDisassembly(ModuleOp module, const relay_vta::Program &program,
                      raw_ostream &os);

/// Registers --vta-to-binary and --binary-to-vta.
void registerVTATranslations();

} // namespace mlir::vta

#endif // RELAY_MLIR_TARGET_VTA_VTABINARY_H
