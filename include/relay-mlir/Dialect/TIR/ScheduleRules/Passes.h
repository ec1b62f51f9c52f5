//===- Passes.h - Passes that write schedules -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::tir {

#define GEN_PASS_DECL
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h.inc"

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_PASSES_H
