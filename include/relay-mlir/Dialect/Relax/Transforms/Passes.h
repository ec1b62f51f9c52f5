//===- Passes.h - Passes on the relax dialect -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_H
#define RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relax {

#define GEN_PASS_DECL
#include "relay-mlir/Dialect/Relax/Transforms/Passes.h.inc"

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_TRANSFORMS_PASSES_H
