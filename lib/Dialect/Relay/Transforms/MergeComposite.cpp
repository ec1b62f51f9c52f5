//===- MergeComposite.cpp - Make functions of what matches patterns -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/CompositePatterns.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"
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

/// The match that a group is, or nothing if it cannot be one closure.
static std::optional<CompositeMatch> getMatch(const dataflow::Group &group,
                                              const OperationGraph &graph,
                                              const DominanceInfo &dominance) {
  Value rootValue = graph.getValue(group.match.root);
  Operation *root = rootValue ? rootValue.getDefiningOp() : nullptr;
  if (!root || group.members.empty())
    return std::nullopt;
  CompositeMatch match;
  match.operators = group.name;
  match.number = group.number;
  for (unsigned input : group.inputs) {
    Value value = graph.getValue(input);
    // Names of functions and tuples of operands are no values.
    if (!value || !dominance.properlyDominates(value, root))
      return std::nullopt;
    match.inputs.push_back(value);
  }
  DenseSet<Operation *> members;
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
      return std::nullopt;
    match.operations.push_back(op);
  }
  return match;
}

CallIndirectOp mlir::relay::makeComposite(const CompositeMatch &match) {
  Value rootValue = match.getResult();
  Operation *root = rootValue.getDefiningOp();
  OpBuilder builder(root);
  SmallVector<Attribute> argAttrs;
  for (unsigned index = 0; index != match.inputs.size(); ++index) {
    std::string param = "FunctionVar_" + std::to_string(match.number) + "_" +
                        std::to_string(index);
    argAttrs.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(kNameAttrName, builder.getStringAttr(param))));
  }
  Location loc = root->getLoc();
  auto fn =
      FnOp::create(builder, loc,
                   builder.getFunctionType(ValueRange(match.inputs).getTypes(),
                                           rootValue.getType()));
  if (!argAttrs.empty())
    fn.setArgAttrsAttr(builder.getArrayAttr(argAttrs));
  fn->setAttr(kPartitionedFromPatternAttrName,
              builder.getStringAttr(match.operators));
  fn->setAttr(kCompositeAttrName, builder.getStringAttr(match.name));
  IRMapping mapping;
  for (auto [input, param] : llvm::zip_equal(match.inputs, fn.getParams())) {
    param.setLoc(input.getLoc());
    mapping.map(input, param);
  }
  OpBuilder body = OpBuilder::atBlockEnd(&fn.getBody().front());
  for (Operation *op : match.operations)
    body.clone(*op, mapping);
  YieldOp::create(body, loc, mapping.lookup(rootValue));
  auto call = CallIndirectOp::create(builder, loc, rootValue.getType(),
                                     fn.getResult(), match.inputs,
                                     /*arg_attrs=*/ArrayAttr(),
                                     /*res_attrs=*/ArrayAttr());
  rootValue.replaceAllUsesWith(call.getResult());
  // Constants, and closures, may have other users.
  for (Operation *op : llvm::reverse(match.operations))
    if (op->use_empty())
      op->erase();
  return call;
}

std::vector<CompositeMatch>
mlir::relay::findComposites(func::FuncOp function,
                            const CompositePattern &entry, bool overlapping) {
  OperationGraph graph(function);
  DominanceInfo dominance(function);
  std::vector<CompositeMatch> matches;
  for (const dataflow::Group &group : dataflow::findGroups(
           graph, entry.pattern,
           dataflow::getOperatorAttributes(function.getContext()),
           overlapping)) {
    std::optional<CompositeMatch> match = getMatch(group, graph, dominance);
    if (!match || (entry.check && !entry.check(match->operations.back())))
      continue;
    match->name = entry.name;
    matches.push_back(std::move(*match));
  }
  return matches;
}

unsigned mlir::relay::mergeComposite(func::FuncOp function,
                                     const PatternTable &table) {
  unsigned count = 0;
  for (const CompositePattern &entry : table) {
    // Checks see the program as it is before any group is taken out.
    std::vector<CompositeMatch> matches = findComposites(function, entry);
    llvm::for_each(matches, makeComposite);
    count += matches.size();
  }
  return count;
}

/// Reads a file of PDL, or of PDLL as rules are written in.
static FailureOr<OwningOpRef<ModuleOp>> readPatterns(const std::string &path,
                                                     MLIRContext *context) {
  Location loc = getFileLocation(context, path);
  OwningOpRef<ModuleOp> module;
  if (StringRef(path).ends_with(".pdll")) {
    module = ModuleOp::create(loc);
    if (failed(loadRules(*module, path, /*includeDirs=*/{})))
      return failure();
    return module;
  }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      readInputFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read patterns: "
                          << buffer.getError().message();
  module = parseModule((*buffer)->getBuffer(), path, ParserConfig(context));
  if (!module)
    return failure();
  return module;
}

FailureOr<PatternTable>
mlir::relay::readCompositePatterns(ArrayRef<std::string> paths,
                                   MLIRContext *context) {
  PatternTable table;
  for (const std::string &path : paths) {
    FailureOr<OwningOpRef<ModuleOp>> module = readPatterns(path, context);
    if (failed(module))
      return failure();
    FailureOr<PatternTable> read = convertCompositePatterns(**module);
    if (failed(read))
      return failure();
    if (read->empty())
      return emitError(getFileLocation(context, path))
             << "expects patterns, but got none";
    llvm::append_range(table, *read);
  }
  return table;
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
    FailureOr<PatternTable> read = readCompositePatterns(patterns, context);
    if (failed(read))
      return failure();
    llvm::append_range(*loaded, *read);
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
