//===- GlueCode.h - Native code of functions of objects ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H
#define RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H

#include "BytecodeBuilder.h"

#include "relay-mlir/Target/AOT/HostModule.h"

namespace mlir::relay::detail {

/// The symbol of the native code of function `number` of the program.
std::string getGlueSymbol(size_t number);

/// Modules in the LLVM dialect with the code of every function of objects, a
/// RelayGlueCode: of short ones, and of long ones. They refer to nothing
/// outside of themselves.
SmallVector<HostModules::Part> buildGlueModules(const Bytecode &bytecode,
                                                Location loc);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_GLUECODE_H
