//===- Graph.h - The graph of a module, as data -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a report draws: functions, their operations as nodes, and from where the
// operands come. Kernels of tir are loops, not graphs: they are named only.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_REPORT_GRAPH_H
#define RELAY_MLIR_LIB_REPORT_GRAPH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// Texts that graphs share, such as types and locations, by number.
class TextTable {
public:
  unsigned add(StringRef text);
  const std::vector<StringRef> &getTexts() const { return texts; }

private:
  llvm::StringMap<unsigned> numbers;
  std::vector<StringRef> texts;
};

/// An operation, or a parameter of a function or of a region.
struct GraphNode {
  /// The name of the operation; "argument" for a parameter.
  unsigned op = 0;
  /// Name of the first value in the text, attributes, and place in the source.
  unsigned value = 0, attributes = 0, location = 0;
  std::vector<unsigned> types;
  /// The node that each operand comes from, and which of its results it is.
  std::vector<std::pair<unsigned, unsigned>> inputs;
  /// The function or kernel that it calls; 0, the empty text, if none.
  unsigned callee = 0;
  /// The node of the operation in whose region it is, or -1.
  int parent = -1;
  /// As of a function, if its regions are what is fused, or another compiler's.
  StringRef kind;

  bool operator==(const GraphNode &other) const;
};

struct GraphFunction {
  std::string name;
  /// "primitive" for what is fused, "external" for what another compiler takes,
  /// "kernel" for loops, else "function".
  StringRef kind = "function";
  /// Which compiler takes it.
  std::string compiler;
  std::vector<GraphNode> nodes;
  /// Operations beyond the limit, which are no nodes.
  size_t numOmitted = 0;

  bool operator==(const GraphFunction &other) const;
};

struct Graph {
  std::vector<GraphFunction> functions;

  size_t getNumNodes() const;
  bool operator==(const Graph &other) const {
    return functions == other.functions;
  }
  llvm::json::Value toJSON() const;
};

/// The graph of `root`, with at most `maxNodes` nodes.
Graph buildGraph(Operation *root, TextTable &texts, size_t maxNodes);

/// How the texts of reports are printed: large constants are left out.
OpPrintingFlags getReportFlags();

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_REPORT_GRAPH_H
