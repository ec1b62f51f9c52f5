//===- CombiningKind.h - How a reduction combines values --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_ANALYSIS_COMBININGKIND_H
#define RELAY_MLIR_DIALECT_TIR_ANALYSIS_COMBININGKIND_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <optional>

namespace mlir::tir {

/// Returns the kind of vector reduction that combines lanes as the scalar `op`
/// combines two values, if there is one.
std::optional<vector::CombiningKind> getCombiningKind(Operation *op);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_ANALYSIS_COMBININGKIND_H
