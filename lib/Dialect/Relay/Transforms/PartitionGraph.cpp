//===- PartitionGraph.cpp - Functions for other compilers -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"
#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/PassOptions.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::relay {
#define GEN_PASS_DEF_PARTITIONGRAPHPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Fields leave a region, not tuples of them.
static void flattenTuples(func::FuncOp function) {
  SmallVector<EndOp> worklist;
  function.walk([&](EndOp end) { worklist.push_back(end); });
  while (!worklist.empty()) {
    EndOp end = worklist.pop_back_val();
    auto tuple = end.getData().getDefiningOp<TupleOp>();
    if (!tuple || tuple.getFields().empty())
      continue;
    OpBuilder builder(end);
    SmallVector<Value> fields;
    for (Value field : tuple.getFields()) {
      auto inner =
          EndOp::create(builder, end.getLoc(), field, end.getCompilerAttr());
      worklist.push_back(inner);
      fields.push_back(inner);
    }
    end.replaceAllUsesWith(
        TupleOp::create(builder, end.getLoc(), fields).getResult());
    end.erase();
    if (tuple->use_empty())
      tuple.erase();
  }
}

/// An estimate of what a region computes.
struct Work {
  int64_t numOperators = 0;
  /// The products of convolutions and the like, and the elements of all other
  /// results, as far as sizes are known.
  double cost = 0;

  void add(Operation *op);
};

void Work::add(Operation *op) {
  if (isa<TupleOp, TupleGetItemOp, LetOp, AscribeOp>(op))
    return;
  if (auto call = dyn_cast<CallIndirectOp>(op)) {
    if (FnOp fn = getComposite(call))
      for (Operation &inner : fn.getBody().front().without_terminator())
        if (!inner.hasTrait<OpTrait::ConstantLike>())
          add(&inner);
    return;
  }
  ++numOperators;
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    double product = 1;
    for (int64_t size : tensor.getShape())
      product *= ShapedType::isDynamic(size) ? 1 : size;
    if (auto contraction = dyn_cast<ContractionOpInterface>(op)) {
      auto weight = cast<RankedTensorType>(op->getOperand(1).getType());
      for (int64_t axis : contraction.getSummedWeightAxes())
        product *= weight.isDynamicDim(axis) ? 1 : weight.getDimSize(axis);
    }
    cost += product;
  }
}

namespace {

/// Moves the regions of one function into functions of their own.
class Partitioner {
public:
  Partitioner(func::FuncOp function, CompilerRegions &regions,
              SymbolTable &symbols, const PartitionOptions &options)
      : function(function), regions(regions), symbols(symbols),
        options(options), builder(function.getContext()) {}

  LogicalResult run();
  unsigned getNumFunctions() const { return numFunctions; }

private:
  LogicalResult runOnBlock(Block &block);
  void outline(CompilerRegion &region, Operation *before);
  std::string makeName(const CompilerRegion &region);
  static Location getLoc(const CompilerRegion &region) {
    SmallVector<Location> locations;
    for (Operation *op : region.ops)
      locations.push_back(op->getLoc());
    return FusedLoc::get(locations.front().getContext(), locations);
  }

  func::FuncOp function;
  CompilerRegions &regions;
  SymbolTable &symbols;
  const PartitionOptions &options;
  OpBuilder builder;
  unsigned numFunctions = 0;
  SmallVector<Operation *> dead;
};

} // namespace

std::string Partitioner::makeName(const CompilerRegion &region) {
  std::string name = ("tvmgen_" + options.modName + "_" + region.target + "_" +
                      function.getSymName() + "_" + Twine(region.id))
                         .str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  std::string unique = name;
  for (unsigned count = 1; symbols.lookup(unique); ++count)
    unique = name + "_" + std::to_string(count);
  return unique;
}

/// Makes the function of a region and the call of it.
void Partitioner::outline(CompilerRegion &region, Operation *before) {
  Location loc = getLoc(region);
  builder.setInsertionPoint(function);
  auto callee = func::FuncOp::create(builder, loc, makeName(region),
                                     builder.getFunctionType({}, {}));
  callee.setPrivate();
  symbols.insert(callee,
                 function->getParentOfType<ModuleOp>().getBody()->end());
  Block *body = callee.addEntryBlock();
  builder.setInsertionPointToStart(body);

  // Parameters are in the order in which the program comes to them.
  IRMapping mapping;
  SmallVector<Value> operands;
  SmallVector<std::string> names;
  for (auto [begin, index] : region.inputs) {
    Value source = getSource(begin.getData());
    if (!mapping.contains(source)) {
      if (options.bindConstants && isConstant(source)) {
        cloneWithConstants(source.getDefiningOp(), builder, mapping);
      } else {
        operands.push_back(begin.getData());
        names.push_back(
            (region.target + "_" + Twine(region.id) + "_i" + Twine(index))
                .str());
        mapping.map(source, body->addArgument(begin.getType(), begin.getLoc()));
      }
    }
    mapping.map(begin.getResult(), mapping.lookup(source));
  }
  for (Operation *op : region.ops) {
    // A value that left the region and came back.
    for (Value operand : op->getOperands())
      if (Value source = getSource(operand); source != operand)
        mapping.map(operand, mapping.lookup(source));
    cloneWithConstants(op, builder, mapping);
  }

  llvm::MapVector<Value, SmallVector<EndOp>> outputs;
  for (EndOp end : region.ends)
    outputs[end.getData()].push_back(end);
  SmallVector<Value> results;
  for (auto &[value, ends] : outputs)
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, loc, results);
  callee.setType(builder.getFunctionType(body->getArgumentTypes(),
                                         ValueRange(results).getTypes()));
  for (auto [index, name] : llvm::enumerate(names))
    callee.setArgAttr(index, kNameAttrName, builder.getStringAttr(name));
  callee->setAttr(kPrimitiveAttrName, builder.getUnitAttr());
  callee->setAttr(kCompilerAttrName, builder.getStringAttr(region.target));
  callee->setAttr(kInlineAttrName, builder.getUnitAttr());
  callee->setAttr(kGlobalSymbolAttrName, callee.getSymNameAttr());

  builder.setInsertionPoint(before);
  auto call = CallOp::create(builder, loc, callee.getResultTypes(),
                             callee.getSymName(), operands,
                             /*arg_attrs=*/{}, /*res_attrs=*/{});
  for (auto [output, result] : llvm::zip_equal(outputs, call.getResults()))
    for (EndOp end : output.second)
      end.replaceAllUsesWith(result);
  for (auto &[value, ends] : outputs)
    llvm::append_range(dead, ends);
  for (auto [begin, index] : region.inputs)
    dead.push_back(begin);
  llvm::append_range(dead, region.ops);
  ++numFunctions;
}

LogicalResult Partitioner::runOnBlock(Block &block) {
  RegionGraph graph(block, regions, symbols);
  FailureOr<std::vector<unsigned>> order = graph.sort();
  if (failed(order))
    return failure();
  Operation *terminator = block.getTerminator();
  for (unsigned number : *order) {
    const RegionGraph::Node &node = graph.getNodes()[number];
    if (node.region)
      outline(*node.region, terminator);
    else
      node.op->moveBefore(terminator);
  }
  return success();
}

LogicalResult Partitioner::run() {
  for (const auto &[block, inBlock] : regions.getBlocks())
    if (!inBlock.empty() && failed(runOnBlock(*block)))
      return failure();
  // What is inside of a region is used there only, and by its ends.
  for (Operation *op : dead)
    op->dropAllUses();
  for (Operation *op : dead)
    op->erase();
  return success();
}

/// Makes parts of the block of a region that is not worth a call, or that
/// nobody uses.
static void dissolve(CompilerRegion *region, CompilerRegions &regions) {
  regions.forget(*region);
  for (auto [begin, index] : region->inputs) {
    begin.replaceAllUsesWith(begin.getData());
    begin.erase();
  }
  for (EndOp end : region->ends) {
    end.replaceAllUsesWith(end.getData());
    end.erase();
  }
  for (Operation *op : region->ops)
    if (auto call = dyn_cast<CallIndirectOp>(op))
      inlineComposite(call);
}

/// Whether a region has values of types that only a closure around it knows,
/// which a function of the module is not inside of.
static bool isPolymorphic(const CompilerRegion &region) {
  auto isOpen = [](Type type) { return !getFreeTypeVars(type).empty(); };
  for (auto [begin, index] : region.inputs)
    if (isOpen(begin.getType()))
      return true;
  return llvm::any_of(region.ops, [&](Operation *op) {
    return llvm::any_of(op->getResultTypes(), isOpen);
  });
}

static bool isWorthwhile(const CompilerRegion &region,
                         const PartitionOptions &options) {
  if (region.ends.empty() || isPolymorphic(region))
    return false;
  if (options.minOperators == 0 && options.minCost == 0)
    return true;
  Work work;
  for (Operation *op : region.ops)
    work.add(op);
  return work.numOperators >= options.minOperators &&
         work.cost >= options.minCost;
}

FailureOr<PartitionCounts>
relay::detail::partitionGraph(func::FuncOp function, SymbolTable &symbols,
                              const PartitionOptions &options) {
  flattenTuples(function);
  removeDefaultAnnotations(function);
  FailureOr<CompilerRegions> regions = CompilerRegions::create(function);
  if (failed(regions))
    return failure();
  SmallVector<CompilerRegion *> small;
  for (CompilerRegion *region : regions->getRegions())
    if (!isWorthwhile(*region, options))
      small.push_back(region);
  for (CompilerRegion *region : small)
    dissolve(region, *regions);
  Partitioner partitioner(function, *regions, symbols, options);
  if (failed(partitioner.run()))
    return failure();
  // What is left is around nothing.
  SmallVector<Operation *> rest;
  function.walk([&](Operation *op) {
    if (isa<BeginOp, EndOp>(op))
      rest.push_back(op);
  });
  for (Operation *op : rest) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
  // Patterns of which the functions have copies.
  function.walk([](FnOp fn) {
    if (fn->hasAttr(kCompositeAttrName) && fn->use_empty())
      fn->erase();
  });
  return PartitionCounts{partitioner.getNumFunctions(), unsigned(small.size())};
}

namespace {

struct PartitionGraphPass
    : relay::impl::PartitionGraphPassBase<PartitionGraphPass> {
  using PartitionGraphPassBase::PartitionGraphPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return failure(
        failed(relay::checkRange<int64_t>(context, minOperators, 0)) ||
        failed(relay::checkRange<double>(context, minCost, 0)));
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!isClosed(function))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      FailureOr<PartitionCounts> counts = partitionGraph(
          function, symbols,
          {modName.getValue(), bindConstants, minOperators, minCost});
      if (failed(counts))
        return signalPassFailure();
      numFunctions += counts->functions;
      numDissolved += counts->dissolved;
    }
  }
};

} // namespace
