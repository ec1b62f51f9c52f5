//===- GraphJSON.h - Graphs of kernels as JSON ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_GRAPHJSON_GRAPHJSON_H
#define RELAY_MLIR_TARGET_GRAPHJSON_GRAPHJSON_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relay {

/// Writes `main`, in the form relax-kernels, as TVM's graph executor has
/// graphs: nodes for inputs, constants and calls of kernels, with shapes,
/// types, devices and pieces of storage of what they compute. Sizes must be
/// known. Errors are reported at the operations.
LogicalResult writeGraphJSON(relax::FuncOp main, raw_ostream &os);

/// Writes the graph of @main of a module.
LogicalResult writeGraphJSON(ModuleOp module, raw_ostream &os);

/// Registers `relay-translate --relax-to-graph-json`.
void registerRelaxToGraphJSONTranslation();

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_GRAPHJSON_GRAPHJSON_H
