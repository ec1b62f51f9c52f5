//===- RelayToRelax.h - Lower relay to relax --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_RELAYTORELAX_RELAYTORELAX_H
#define RELAY_MLIR_CONVERSION_RELAYTORELAX_RELAYTORELAX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::relay {

#define GEN_PASS_DECL_CONVERTRELAYTOOBJECTSPASS
#define GEN_PASS_DECL_CONVERTRELAYTORELAXPASS
#define GEN_PASS_DECL_OUTLINETENSORSPASS
#include "relay-mlir/Conversion/Passes.h.inc"

} // namespace mlir::relay

#endif // RELAY_MLIR_CONVERSION_RELAYTORELAX_RELAYTORELAX_H
