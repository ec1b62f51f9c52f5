//===- TIRToVTA.h - Scheduled kernels to programs of VTA --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_TIRTOVTA_TIRTOVTA_H
#define RELAY_MLIR_CONVERSION_TIRTOVTA_TIRTOVTA_H

#include "mlir/Pass/Pass.h"

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTTIRTOVTAPASS
#include "relay-mlir/Conversion/Passes.h.inc"

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_TIRTOVTA_TIRTOVTA_H
