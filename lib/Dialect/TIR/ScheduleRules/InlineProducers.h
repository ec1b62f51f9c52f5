//===- InlineProducers.h - Inlines elementwise producers --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_INLINEPRODUCERS_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_INLINEPRODUCERS_H

namespace mlir::tir {
class KernelSchedule;

/// Inlines elementwise producers into their consumers where that saves memory
/// traffic and repeats no work.
void inlineProducers(KernelSchedule &schedule);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_INLINEPRODUCERS_H
