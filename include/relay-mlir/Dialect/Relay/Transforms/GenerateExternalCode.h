//===- GenerateExternalCode.h - Checks of C of others -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GENERATEEXTERNALCODE_H
#define RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GENERATEEXTERNALCODE_H

#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <functional>
#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace mlir::relay {

/// Reports what is wrong with the C of a code generator that is to define
/// functions.
using ExternalSourceCheck = std::function<LogicalResult(
    const ExternalCSource &, ArrayRef<func::FuncOp>)>;

/// `--relay-generate-external-code`, which with `mayFallBack` also compiles
/// functions as all others whose C `check` finds wrong.
std::unique_ptr<Pass> createGenerateExternalCodePass(bool mayFallBack,
                                                     ExternalSourceCheck check);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_TRANSFORMS_GENERATEEXTERNALCODE_H
