//===- RelaxScript.h - Relax as a program of Python -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_RELAXSCRIPT_RELAXSCRIPT_H
#define RELAY_MLIR_TARGET_RELAXSCRIPT_RELAXSCRIPT_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relax {

/// Prints `function` as Relax's script shows it, for people to read: a function
/// of Python with the sizes of all tensors.
void printScript(FuncOp function, raw_ostream &os);

/// Registers `relay-translate --relax-to-script`.
void registerRelaxToScriptTranslation();

} // namespace mlir::relax

#endif // RELAY_MLIR_TARGET_RELAXSCRIPT_RELAXSCRIPT_H
