//===- MergeComposite.cpp - Make functions of what matches patterns -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/CompositePatterns.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/ParseModule.h"

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"
#include "relay-mlir/Dialect/Relay/Analysis/OperationGraph.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"

#include "mlir/Dialect/PDL/IR/PDL.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::relay {
#define GEN_PASS_DEF_MERGECOMPOSITEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

PatternTable mlir::relay::getPatternTable(MLIRContext *context,
                                          StringRef compiler) {
  PatternTable table;
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface =
            dialect->getRegisteredInterface<PatternTableInterface>())
      interface->addPatterns(compiler, table);
  return table;
}

namespace {
/// Takes groups out of one function.
class Merger {
public:
  Merger(func::FuncOp function, const OperationGraph &graph)
      : graph(graph), dominance(function) {}

  /// The operations of a group that are not inside of others, or none if they
  /// cannot be one closure.
  SmallVector<Operation *> getOperations(const dataflow::Group &group);
  void merge(const dataflow::Group &group, ArrayRef<Operation *> operations,
             StringRef name);

private:
  const OperationGraph &graph;
  DominanceInfo dominance;
};
} // namespace

SmallVector<Operation *> Merger::getOperations(const dataflow::Group &group) {
  Value rootValue = graph.getValue(group.match.root);
  Operation *root = rootValue ? rootValue.getDefiningOp() : nullptr;
  if (!root || group.members.empty())
    return {};
  for (unsigned input : group.inputs) {
    Value value = graph.getValue(input);
    // Names of functions and tuples of operands are no values.
    if (!value || !dominance.properlyDominates(value, root))
      return {};
  }
  DenseSet<Operation *> members;
  SmallVector<Operation *> operations;
  for (unsigned member : group.members)
    if (Value value = graph.getValue(member))
      if (Operation *op = value.getDefiningOp())
        members.insert(op);
  // In the order of the program, which that of the graph is.
  SmallVector<unsigned> ordered(group.members.begin(), group.members.end());
  llvm::sort(ordered);
  for (unsigned member : ordered) {
    Value value = graph.getValue(member);
    Operation *op = value ? value.getDefiningOp() : nullptr;
    if (!op)
      continue;
    bool isInside = false;
    for (Operation *parent = op->getParentOp(); parent && !isInside;
         parent = parent->getParentOp())
      isInside = members.contains(parent);
    if (isInside)
      continue;
    if (op != root && !isMemoryEffectFree(op))
      return {};
    operations.push_back(op);
  }
  return operations;
}

void Merger::merge(const dataflow::Group &group,
                   ArrayRef<Operation *> operations, StringRef name) {
  Value rootValue = graph.getValue(group.match.root);
  Operation *root = rootValue.getDefiningOp();
  OpBuilder builder(root);
  SmallVector<Value> inputs;
  SmallVector<Attribute> argAttrs;
  for (auto [index, input] : llvm::enumerate(group.inputs)) {
    inputs.push_back(graph.getValue(input));
    std::string param = "FunctionVar_" + std::to_string(group.number) + "_" +
                        std::to_string(index);
    argAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(param))));
  }
  Location loc = root->getLoc();
  auto fn = FnOp::create(builder, loc,
                         builder.getFunctionType(ValueRange(inputs).getTypes(),
                                                 rootValue.getType()));
  if (!inputs.empty())
    fn.setArgAttrsAttr(builder.getArrayAttr(argAttrs));
  fn->setAttr(kPartitionedFromPatternAttrName,
              builder.getStringAttr(group.name));
  fn->setAttr(kCompositeAttrName, builder.getStringAttr(name));
  IRMapping mapping;
  for (auto [input, param] : llvm::zip_equal(inputs, fn.getParams())) {
    param.setLoc(input.getLoc());
    mapping.map(input, param);
  }
  OpBuilder body = OpBuilder::atBlockEnd(&fn.getBody().front());
  for (Operation *op : operations)
    body.clone(*op, mapping);
  YieldOp::create(body, loc, mapping.lookup(rootValue));
  auto call = CallIndirectOp::create(builder, loc, rootValue.getType(),
                                     fn.getResult(), inputs,
                                     /*arg_attrs=*/ArrayAttr(),
                                     /*res_attrs=*/ArrayAttr());
  rootValue.replaceAllUsesWith(call.getResult());
  // Constants, and closures, may have other users.
  for (Operation *op : llvm::reverse(operations))
    if (op->use_empty())
      op->erase();
}

unsigned mlir::relay::mergeComposite(func::FuncOp function,
                                     const PatternTable &table) {
  unsigned count = 0;
  for (const CompositePattern &entry : table) {
    OperationGraph graph(function);
    std::vector<dataflow::Group> groups = dataflow::findGroups(
        graph, entry.pattern,
        dataflow::getOperatorAttributes(function.getContext()));
    Merger merger(function, graph);
    // Checks see the program as it is before any group is taken out.
    SmallVector<std::pair<const dataflow::Group *, SmallVector<Operation *>>>
        accepted;
    for (const dataflow::Group &group : groups) {
      SmallVector<Operation *> operations = merger.getOperations(group);
      if (!operations.empty() &&
          (!entry.check || entry.check(operations.back())))
        accepted.emplace_back(&group, std::move(operations));
    }
    // From the root of the program down: a group is taken out before those
    // that compute its inputs.
    for (auto &[group, operations] : accepted)
      merger.merge(*group, operations, entry.name);
    count += accepted.size();
  }
  return count;
}

namespace {
struct MergeCompositePass
    : public relay::impl::MergeCompositePassBase<MergeCompositePass> {
  using MergeCompositePassBase::MergeCompositePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto loaded = std::make_shared<PatternTable>();
    if (!compiler.empty()) {
      *loaded = getPatternTable(context, compiler);
      if (loaded->empty())
        return emitError(UnknownLoc::get(context))
               << "expects the name of a compiler that has patterns, but got '"
               << compiler << "'";
    }
    for (const std::string &path : patterns) {
      llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
          readInputFile(path);
      if (!buffer)
        return emitError(getFileLocation(context, path))
               << "cannot read patterns: " << buffer.getError().message();
      OwningOpRef<ModuleOp> module =
          parseModule((*buffer)->getBuffer(), path, ParserConfig(context));
      if (!module)
        return failure();
      FailureOr<PatternTable> read = convertCompositePatterns(*module);
      if (failed(read))
        return failure();
      if (read->empty())
        return emitError(getFileLocation(context, path))
               << "expects patterns, but got none";
      llvm::append_range(*loaded, *read);
    }
    table = std::move(loaded);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return markAllAnalysesPreserved();
    unsigned count = mergeComposite(function, *table);
    numComposites += count;
    if (!count)
      markAllAnalysesPreserved();
  }

  /// Copies of the pass share it.
  std::shared_ptr<const PatternTable> table;
};
} // namespace
