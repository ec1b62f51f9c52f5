//===- TIRToSCF.h - Kernels to loops and vectors ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_TIRTOSCF_TIRTOSCF_H
#define RELAY_MLIR_CONVERSION_TIRTOSCF_TIRTOSCF_H

#include "mlir/Pass/Pass.h"

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTTIRTOSCFPASS
#define GEN_PASS_DECL_HOISTACCUMULATORSPASS
#include "relay-mlir/Conversion/Passes.h.inc"

/// Keeps what a loop accumulates in memory in loop-carried values instead.
void hoistAccumulators(func::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_TIRTOSCF_TIRTOSCF_H
