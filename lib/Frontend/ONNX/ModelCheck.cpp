//===- ModelCheck.cpp - Is all of a model supported? ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before anything is built, so that one run names everything that is missing.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay::onnx;

namespace {

struct Unsupported {
  const Node *first;
  int64_t opset;
  unsigned count = 0;
  std::string reason;
};

class OperatorChecker {
public:
  explicit OperatorChecker(const Model &model) : model(model) {}

  void check(ArrayRef<Node> nodes, const OpsetMap &opsets) {
    for (const Node &node : nodes) {
      for (const NodeAttribute &attribute : node.attributes)
        if (attribute.graph)
          check(attribute.graph->nodes, opsets);
      if (isFunction(node))
        continue;
      int64_t opset = opsets.lookup(node.domain);
      std::string reason = getReason(node, opset);
      if (reason.empty())
        continue;
      auto &entry = unsupported[{node.domain, node.opType}];
      if (entry.count++ == 0) {
        entry.first = &node;
        entry.opset = opset;
        entry.reason = std::move(reason);
      }
    }
  }

  const auto &getUnsupported() const { return unsupported; }

private:
  bool isFunction(const Node &node) const {
    return llvm::any_of(model.functions, [&](const Function &function) {
      return function.name == node.opType && function.domain == node.domain &&
             function.overload == node.overload;
    });
  }

  static std::string getReason(const Node &node, int64_t opset) {
    if (!node.domain.empty())
      return "of domain \"" + node.domain + "\"";
    if (node.opType == "If")
      return {};
    const OpEntry *entry = OpTable::get().lookup(node.opType);
    if (!entry)
      return "no conversion";
    if (opset < entry->since)
      return ("exists from opset " + llvm::Twine(entry->since)).str();
    if (opset > entry->until)
      return ("exists up to opset " + llvm::Twine(entry->until)).str();
    return {};
  }

  const Model &model;
  llvm::MapVector<std::pair<StringRef, StringRef>, Unsupported> unsupported;
};

} // namespace

LogicalResult Importer::checkOpsets() {
  auto check = [&](const OpsetMap &opsets, StringRef where) -> LogicalResult {
    auto it = opsets.find("");
    if (it == opsets.end())
      return success();
    if (it->second >= kOldestOpset && it->second <= kNewestOpset)
      return success();
    return emitError() << "expects opset " << kOldestOpset << " to "
                       << kNewestOpset << where << ", but got " << it->second;
  };
  if (failed(check(model.opsets, "")))
    return failure();
  for (const Function &function : model.functions)
    if (failed(check(function.opsets, " in function " + function.name)))
      return failure();
  return success();
}

LogicalResult Importer::checkOperators() {
  OperatorChecker checker(model);
  checker.check(model.graph.nodes, model.opsets);
  for (const Function &function : model.functions)
    checker.check(function.nodes, function.opsets);
  const auto &unsupported = checker.getUnsupported();
  if (unsupported.empty())
    return success();

  InFlightDiagnostic diagnostic = emitError();
  if (unsupported.size() == 1)
    diagnostic << "1 operator is not supported";
  else
    diagnostic << unsupported.size() << " operators are not supported";
  for (const auto &[key, entry] : unsupported)
    diagnostic.attachNote()
        << key.second << " (" << entry.reason << "): " << entry.count
        << (entry.count == 1 ? " node" : " nodes, the first is")
        << (entry.count == 1 ? ", " : " ")
        << describeNode(*entry.first, entry.opset);
  return diagnostic;
}

LogicalResult Importer::checkInputShapes() {
  for (const auto &entry : options.inputShapes) {
    if (llvm::any_of(model.graph.inputs, [&](const ValueInfo &info) {
          return info.name == entry.getKey();
        }))
      continue;
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "the shape of \"" << entry.getKey()
               << "\" is given, but the model has no such input; its inputs "
                  "are ";
    llvm::interleaveComma(
        model.graph.inputs, diagnostic,
        [&](const ValueInfo &info) { diagnostic << '"' << info.name << '"'; });
    return diagnostic;
  }
  return success();
}
