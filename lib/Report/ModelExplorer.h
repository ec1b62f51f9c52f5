//===- ModelExplorer.h - Graphs for Model Explorer --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The JSON of https://github.com/google-ai-edge/model-explorer: nodes with
// labels, attributes and incoming edges, nested by their namespaces.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_REPORT_MODELEXPLORER_H
#define RELAY_MLIR_LIB_REPORT_MODELEXPLORER_H

#include "Graph.h"

namespace mlir::relay {

/// `graph`, called `title`, as one of the graphs of a file. Its functions are
/// layers.
llvm::json::Value toModelExplorer(const Graph &graph,
                                  llvm::ArrayRef<StringRef> texts,
                                  StringRef title);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_REPORT_MODELEXPLORER_H
