//===- Offload.h - Which operators other compilers take ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code generator of somebody else has a name, its target. Whether it takes an
// operator is asked of everybody who has said to know it: plugins, and programs
// such as those of Python.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_OFFLOAD_H
#define RELAY_MLIR_DIALECT_RELAY_IR_OFFLOAD_H

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <vector>

namespace mlir::relay {

/// Whether the code generator called `target` takes `op`, an operator of any
/// dialect, with the types and attributes that it has. Fails with a diagnostic.
using OffloadQuery =
    std::function<FailureOr<bool>(Operation *op, StringRef target)>;

/// Starts to answer for a module, which does not change until the query goes.
using OffloadProvider = std::function<OffloadQuery(ModuleOp module)>;

/// Adds a provider for the whole process. Any thread may call it.
void addOffloadProvider(OffloadProvider provider);

/// Everybody who may be asked about the operators of one module.
class OffloadQueries {
public:
  explicit OffloadQueries(ModuleOp module);

  /// Whether somebody says that `target` takes `op`.
  FailureOr<bool> supports(Operation *op, StringRef target) const;

private:
  std::vector<OffloadQuery> queries;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_OFFLOAD_H
