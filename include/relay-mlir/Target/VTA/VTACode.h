//===- VTACode.h - Code of kernels for VTA ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_VTA_VTACODE_H
#define RELAY_MLIR_TARGET_VTA_VTACODE_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace mlir::vta {

/// Lets `#vta.config` make code of kernels.
void registerCodeGenerator(DialectRegistry &registry);

/// Scheduled kernels to programs whose instructions are ordered.
void buildTIRToVTAPipeline(OpPassManager &manager);

/// Registers that pipeline as `--tir-to-vta`.
void registerTIRToVTAPipeline();

} // namespace mlir::vta

#endif // RELAY_MLIR_TARGET_VTA_VTACODE_H
