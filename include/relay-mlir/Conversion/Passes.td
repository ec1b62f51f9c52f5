//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One section per conversion, in alphabetical order. Each conversion has a
// folder of its own beside this file, whose header declares its pass.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_CONVERSION_PASSES_TD
#define RELAY_MLIR_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

#endif // RELAY_MLIR_CONVERSION_PASSES_TD
