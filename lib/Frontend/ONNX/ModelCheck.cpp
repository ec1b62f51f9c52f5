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
#include "Limits.h"
#include "TensorLoader.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// Collects what operators nodes are of, and why those are not imported that
/// are not.
class OperatorChecker {
public:
  using Lookup = llvm::function_ref<const OpEntry *(const Node &)>;
  using GetOpset = llvm::function_ref<int64_t(const Node &, const OpsetMap &)>;

  OperatorChecker(const Model &model, Lookup lookup, GetOpset getOpset)
      : model(model), lookup(lookup), getOpset(getOpset) {}

  void check(ArrayRef<Node> nodes, const OpsetMap &opsets) {
    for (const Node &node : nodes) {
      for (const NodeAttribute &attribute : node.attributes)
        if (attribute.graph)
          check(attribute.graph->nodes, opsets);
      if (model.findFunction(node))
        continue;
      int64_t opset = getOpset(node, opsets);
      OnnxOperatorUse &use = uses[{node.domain, node.opType, opset}];
      if (use.count++ == 0)
        use = {node.domain,
               node.opType,
               opset,
               1,
               describeNode(node, opset),
               getReason(node, opset)};
    }
  }

  /// In the order of their first nodes.
  std::vector<OnnxOperatorUse> takeUses() {
    std::vector<OnnxOperatorUse> all;
    for (auto &entry : uses)
      all.push_back(std::move(entry.second));
    return all;
  }

private:
  std::string getReason(const Node &node, int64_t opset) const {
    const OpEntry *entry = lookup(node);
    if (!entry)
      return node.domain.empty() ? "no conversion"
                                 : "of domain \"" + node.domain + "\"";
    if (!entry->refusal.empty())
      return entry->refusal.str();
    if (opset < entry->since)
      return ("exists from opset " + llvm::Twine(entry->since)).str();
    if (opset > entry->until)
      return ("exists up to opset " + llvm::Twine(entry->until)).str();
    return {};
  }

  const Model &model;
  Lookup lookup;
  GetOpset getOpset;
  llvm::MapVector<std::tuple<StringRef, StringRef, int64_t>, OnnxOperatorUse,
                  std::map<std::tuple<StringRef, StringRef, int64_t>, unsigned>>
      uses;
};

/// Counts nodes as if all calls of functions were replaced by their bodies.
/// Functions that call each other twice double the number at each level, so
/// this is known before anything is built.
class InlinedSize {
public:
  using EmitError = llvm::function_ref<InFlightDiagnostic(const Node &)>;

  InlinedSize(const Model &model, EmitError emitError)
      : model(model), emitError(emitError) {}

  struct Size {
    int64_t numNodes = 0;
    /// Calls and branches inside each other.
    unsigned depth = 0;
  };

  /// Fails if `nodes`, at `depth`, are too many or too deep.
  FailureOr<Size> measure(ArrayRef<Node> nodes, unsigned depth) {
    Size total;
    for (const Node &node : nodes) {
      FailureOr<Size> size = measure(node, depth);
      if (failed(size))
        return failure();
      total.numNodes += size->numNodes;
      total.depth = std::max(total.depth, size->depth);
      if (total.numNodes > kMaxNodes)
        return emitError(node)
               << "expects a model of at most " << kMaxNodes
               << " nodes, calls of functions replaced by their bodies";
    }
    return total;
  }

private:
  FailureOr<Size> measure(const Node &node, unsigned depth) {
    Size size{1, 0};
    auto add = [&](FailureOr<Size> inner) -> LogicalResult {
      if (failed(inner))
        return failure();
      size.numNodes += inner->numNodes;
      size.depth = std::max(size.depth, inner->depth + 1);
      if (depth + size.depth > kMaxDepth)
        return emitDepth(node);
      return success();
    };
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph &&
          failed(add(measure(attribute.graph->nodes, depth + 1))))
        return failure();
    if (const Function *callee = model.findFunction(node))
      if (failed(add(measureCall(node, *callee, depth))))
        return failure();
    return size;
  }

  FailureOr<Size> measureCall(const Node &node, const Function &callee,
                              unsigned depth) {
    auto it = known.find(&callee);
    if (it != known.end())
      return it->second;
    if (!active.insert(&callee).second)
      return emitError(node)
             << "function \"" << callee.name << "\" calls itself";
    if (depth == kMaxDepth)
      return emitDepth(node);
    FailureOr<Size> size = measure(callee.nodes, depth + 1);
    if (succeeded(size))
      known[&callee] = *size;
    active.erase(&callee);
    return size;
  }

  LogicalResult emitDepth(const Node &node) {
    return emitError(node) << "expects at most " << kMaxDepth
                           << " calls of functions and branches inside each "
                              "other";
  }

  const Model &model;
  EmitError emitError;
  llvm::DenseMap<const Function *, Size> known;
  llvm::SmallPtrSet<const Function *, 8> active;
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

LogicalResult Importer::checkInlinedSize() {
  auto emitAt = [&](const Node &node) {
    return emitError() << describeNode(node) << ": ";
  };
  return InlinedSize(model, emitAt).measure(model.graph.nodes, /*depth=*/0);
}

LogicalResult Importer::checkOutputNames(ArrayRef<Node> nodes,
                                         const Frame &frame) {
  llvm::StringMap<const Node *> producers;
  auto emitAt = [&](const Node &node, StringRef name) {
    return emitError(node, getOpset(node, *frame.opsets))
           << "expects an output of a name of its own, but \"" << name << "\" ";
  };
  for (const Node &node : nodes)
    for (const std::string &name : node.outputs) {
      if (name.empty())
        continue;
      auto [it, isNew] = producers.try_emplace(name, &node);
      if (!isNew)
        return emitAt(node, name)
               << "is computed by " << describeNode(*it->second) << ", too";
      if (frame.bindings.contains(name))
        return emitAt(node, name) << "is an input or a constant of the graph";
      // Functions that the importer makes name values in loops as it likes.
      if (frame.parent && frame.parent->graph && frame.parent->lookup(name))
        return emitAt(node, name) << "is a value of a graph around it";
    }
  return success();
}

LogicalResult Importer::checkAttributes(const PendingNode &pending) {
  const Node &node = *pending.node;
  if (node.attributes.empty())
    return success();
  std::optional<StringRef> known =
      getAttributeNames(node.domain, node.opType, pending.opset);
  if (!known)
    return success();
  SmallVector<StringRef> names;
  known->split(names, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  SmallVector<StringRef> given;
  for (const NodeAttribute &attribute : node.attributes) {
    StringRef name = attribute.name;
    // Names that begin so are what tools leave for themselves.
    if (name.starts_with("__"))
      continue;
    given.push_back(name);
    if (llvm::is_contained(names, name))
      continue;
    InFlightDiagnostic diagnostic = emitError(node, pending.opset);
    if (names.empty())
      diagnostic << "expects no attributes";
    else
      diagnostic << "expects no attribute but " << llvm::join(names, ", ");
    return diagnostic << ", but got \"" << name << "\"";
  }
  // Each of its attributes is a value.
  if (node.domain.empty() && node.opType == "Constant" && given.size() > 1)
    return emitError(node, pending.opset)
           << "expects one value, but got \"" << given[0] << "\" and \""
           << given[1] << "\"";
  return success();
}

LogicalResult Importer::checkDeclaredTypes(const Node &node,
                                           const Frame &frame) {
  if (!frame.graph || frame.graph->declaredTypes.empty())
    return success();
  for (const std::string &name : node.outputs) {
    auto it = frame.graph->declaredTypes.find(name);
    if (it == frame.graph->declaredTypes.end())
      continue;
    Type declared = getTensorElementType(builder.getContext(), it->second);
    const Binding *binding = frame.bindings.lookup(name);
    // What is not known yet follows from shapes.
    if (!declared || !binding || !isTensor(*binding) ||
        !(binding->value || binding->tensor || binding->contents))
      continue;
    RankedTensorType type = getType(*binding);
    if (type.getElementType() != declared)
      return emitError(node, getOpset(node, *frame.opsets))
             << "output \"" << name << "\" is said to be of "
             << getDataTypeName(it->second) << ", but is " << type;
  }
  return success();
}

std::vector<OnnxOperatorUse> Importer::findOperators() const {
  auto lookup = [this](const Node &node) { return lookupOp(node); };
  auto opsetOf = [this](const Node &node, const OpsetMap &opsets) {
    return getOpset(node, opsets);
  };
  OperatorChecker checker(model, lookup, opsetOf);
  checker.check(model.graph.nodes, model.opsets);
  for (const Function &function : model.functions)
    checker.check(function.nodes, function.opsets);
  return checker.takeUses();
}

LogicalResult Importer::checkOperators() {
  std::vector<OnnxOperatorUse> uses = findOperators();
  llvm::erase_if(
      uses, [](const OnnxOperatorUse &use) { return use.missing.empty(); });
  if (uses.empty())
    return success();

  InFlightDiagnostic diagnostic = emitError();
  if (uses.size() == 1)
    diagnostic << "1 operator is not supported";
  else
    diagnostic << uses.size() << " operators are not supported";
  // --onnx-coverage lists them all.
  constexpr size_t kMaxNotes = 20;
  ArrayRef<OnnxOperatorUse> listed = ArrayRef(uses).take_front(kMaxNotes);
  for (const OnnxOperatorUse &use : listed)
    diagnostic.attachNote()
        << use.name << " (" << use.missing << "): " << use.count
        << (use.count == 1 ? " node, " : " nodes, the first is ") << use.first;
  if (size_t omitted = uses.size() - listed.size())
    diagnostic.attachNote() << "and " << omitted << " more; relay-translate "
                            << "--onnx-coverage lists all";
  return diagnostic;
}

OnnxCoverage Importer::getCoverage() const {
  OnnxCoverage coverage;
  for (const auto &entry : model.opsets)
    coverage.opsets.emplace_back(entry.getKey().str(), entry.getValue());
  llvm::sort(coverage.opsets);
  coverage.operators = findOperators();
  std::map<DataType, int64_t> counts;
  // Sequences and optional values are counted by what is in them.
  auto add = [&](const ValueInfo &info) {
    const ValueInfo *inner = &info;
    while (inner->element)
      inner = &*inner->element;
    if (inner->kind == ValueInfo::Kind::Tensor)
      ++counts[inner->type];
  };
  llvm::for_each(model.graph.inputs, add);
  llvm::for_each(model.graph.outputs, add);
  for (const Tensor &tensor : model.graph.initializers)
    ++counts[tensor.type];
  for (auto [type, count] : counts)
    coverage.types.push_back(
        {getDataTypeName(type), count,
         getTensorElementType(builder.getContext(), type) != Type()});
  return coverage;
}
