//===- Builtins.h - Functions of the virtual machine ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_BUILTINS_H
#define RELAY_MLIR_DIALECT_RELAX_IR_BUILTINS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::relax {

/// What the names of functions of the virtual machine begin with.
inline constexpr llvm::StringLiteral kBuiltinPrefix = "vm.builtin.";

/// Makes a tensor of given sizes, without elements. The machine has one for all
/// types; in a module there is a declaration for each, and what follows in the
/// names tells them apart.
inline constexpr llvm::StringLiteral kMakeSizedBuiltin =
    "vm.builtin.make_sized";

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_IR_BUILTINS_H
