//===- DialectPasses.h - Passes that dialects bring -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DIALECTPASSES_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DIALECTPASSES_H

#include "mlir/IR/DialectInterface.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::relay {

/// How a dialect outside this project takes part in compilations:
/// `--relay-dialect-passes` asks the loaded dialects that have this interface.
class PassesDialectInterface
    : public DialectInterface::Base<PassesDialectInterface> {
public:
  PassesDialectInterface(Dialect *dialect) : Base(dialect) {}
  /// Adds passes that run on a module in the form relay-typed, and leave it in
  /// that form. The dialects that they need are loaded already.
  virtual void addPasses(OpPassManager &manager) const = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_DIALECTPASSES_H
