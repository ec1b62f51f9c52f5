//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_PASSES_H
#define RELAY_MLIR_CONVERSION_PASSES_H

#include "relay-mlir/Conversion/KernelToGPU/KernelToGPU.h"
#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"
#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"
#include "relay-mlir/Conversion/RelayToRelax/RelayToRelax.h"
#include "relay-mlir/Conversion/TIRToSCF/TIRToSCF.h"
#include "relay-mlir/Conversion/TIRToVTA/TIRToVTA.h"

namespace mlir::relay {

#define GEN_PASS_REGISTRATION
#include "relay-mlir/Conversion/Passes.h.inc"

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_PASSES_H
