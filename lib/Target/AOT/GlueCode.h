//===- GlueCode.h - Native code of functions of objects ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H
#define RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H

#include "BytecodeBuilder.h"

#include "mlir/IR/OwningOpRef.h"

namespace mlir::relay::detail {

/// The symbol of the native code of function `number` of the program.
std::string getGlueSymbol(size_t number);

/// A module in the LLVM dialect with the code of every function of objects, a
/// RelayGlueCode. It refers to nothing outside of itself.
OwningOpRef<ModuleOp> buildGlueModule(const Bytecode &bytecode, Location loc);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H
