//===- Passes.h - Passes on vta ---------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_H
#define RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"

namespace mlir::vta {

#define GEN_PASS_DECL
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"

} // namespace mlir::vta

#endif // RELAY_MLIR_DIALECT_VTA_TRANSFORMS_PASSES_H
