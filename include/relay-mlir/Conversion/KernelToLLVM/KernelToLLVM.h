//===- KernelToLLVM.h - From loops and vectors to LLVM ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
#define RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H

#include "mlir/Pass/Pass.h"

namespace mlir::relay {

#define GEN_PASS_DECL_APPROXIMATEMATHPASS
#define GEN_PASS_DECL_KERNELABIPASS
#define GEN_PASS_DECL_HALFASBITSPASS
#define GEN_PASS_DECL_HOISTDIVISIONSPASS
#define GEN_PASS_DECL_NARROWMASKEDSTORESPASS
#define GEN_PASS_DECL_OUTLINEPARALLELPASS
#define GEN_PASS_DECL_STREAMSTORESPASS
#include "relay-mlir/Conversion/Passes.h.inc"

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_KERNELTOLLVM_KERNELTOLLVM_H
