//===- CollagePartition.cpp - Share a program by cost ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A way through the program, from the first operation to the last, covers each
// one by one candidate. The cheapest way is the partition.
//
//===----------------------------------------------------------------------===//

#include "CollageCandidates.h"
#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/PassOptions.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>
#include <map>
#include <tuple>

namespace mlir::relay {
#define GEN_PASS_DEF_COLLAGEPARTITIONPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// How many ways to one operation are followed further: those that cost least.
static constexpr size_t kMaxWays = 256;

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

/// Puts annotations around operations of one block, which make them a region.
static void annotate(ArrayRef<Operation *> ops, StringRef target) {
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops) {
    OpBuilder builder(op);
    auto call = dyn_cast<CallIndirectOp>(op);
    MutableOperandRange operands =
        call ? call.getArgsMutable() : MutableOperandRange(op);
    for (OpOperand &operand : operands) {
      Operation *source = operand.get().getDefiningOp();
      if (!inside.contains(source))
        operand.set(
            BeginOp::create(builder, op->getLoc(), operand.get(), target));
    }
  }
  for (Operation *op : ops) {
    OpBuilder builder(op->getContext());
    for (OpOperand &use :
         llvm::make_early_inc_range(op->getResult(0).getUses())) {
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (inside.contains(use.getOwner()))
        continue;
      builder.setInsertionPoint(user);
      use.set(EndOp::create(builder, op->getLoc(), op->getResult(0), target));
    }
  }
}

/// Makes closures of the patterns among operations, and puts their calls in the
/// place of what they are made of.
static void makeComposites(ArrayRef<CompositeMatch> matches,
                           SmallVectorImpl<Operation *> &ops) {
  SmallVector<const CompositeMatch *> order =
      llvm::map_to_vector(matches, [](auto &match) { return &match; });
  llvm::sort(order, [](auto *a, auto *b) {
    return b->operations.back()->isBeforeInBlock(a->operations.back());
  });
  for (const CompositeMatch *match : order) {
    Operation *root = match->operations.back();
    DenseSet<Operation *> members(match->operations.begin(),
                                  match->operations.end());
    llvm::erase_if(
        ops, [&](Operation *op) { return op != root && members.contains(op); });
    auto *place = llvm::find(ops, root);
    *place = makeComposite(*match);
  }
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {

/// Asks the estimator, once for candidates that compute the same.
class CostCache {
public:
  CostCache(const CollageOptions &options, CostEstimator &estimator)
      : options(options), estimator(estimator) {}

  FailureOr<double> get(const CollageCandidate &candidate,
                        const CollageGraph &graph);

private:
  using Key = std::vector<uintptr_t>;

  StringRef getTarget(const CollageCandidate &candidate) const {
    return candidate.target ? StringRef(options.targets[*candidate.target].name)
                            : StringRef(kDefaultTarget);
  }
  static Key getKey(const CollageCandidate &candidate,
                    ArrayRef<Operation *> ops);
  OwningOpRef<ModuleOp> makeModule(const CollageCandidate &candidate,
                                   ArrayRef<Operation *> ops) const;

  const CollageOptions &options;
  CostEstimator &estimator;
  std::map<Key, double> costs;
};

} // namespace

/// Where weights come from, and what they are, does not change what a part
/// costs.
CostCache::Key CostCache::getKey(const CollageCandidate &candidate,
                                 ArrayRef<Operation *> ops) {
  Key key{candidate.target ? *candidate.target + 1 : 0};
  auto add = [&](const void *pointer) {
    key.push_back(reinterpret_cast<uintptr_t>(pointer));
  };
  DenseMap<Value, unsigned> numbers;
  for (Operation *op : ops) {
    add(op->getName().getAsOpaquePointer());
    add(op->getAttrDictionary().getAsOpaquePointer());
    for (Value operand : op->getOperands()) {
      auto [it, isNew] = numbers.try_emplace(operand, numbers.size());
      key.push_back(it->second);
      Operation *source = operand.getDefiningOp();
      if (!isNew)
        continue;
      add(operand.getType().getAsOpaquePointer());
      // Closures are what they are.
      if (isa_and_present<FnOp>(source))
        add(source);
      else
        key.push_back(source && source->hasTrait<OpTrait::ConstantLike>());
    }
    numbers.try_emplace(op->getResult(0), numbers.size());
    add(op->getResult(0).getType().getAsOpaquePointer());
  }
  for (const CompositeMatch *match : candidate.patterns)
    for (Operation *op : match->operations)
      key.push_back(llvm::find(ops, op) - ops.begin());
  return key;
}

OwningOpRef<ModuleOp> CostCache::makeModule(const CollageCandidate &candidate,
                                            ArrayRef<Operation *> ops) const {
  Operation *last = ops.back();
  Location loc = last->getLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttrs(
      last->getParentOfType<ModuleOp>()->getDiscardableAttrDictionary());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto main = func::FuncOp::create(builder, loc, "main",
                                   builder.getFunctionType({}, {}));
  Block *body = main.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  SmallVector<Operation *> copies;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      if (mapping.contains(operand))
        continue;
      Operation *source = operand.getDefiningOp();
      if (source &&
          (source->hasTrait<OpTrait::ConstantLike>() || isa<FnOp>(source)))
        cloneWithConstants(source, builder, mapping);
      else
        mapping.map(operand,
                    body->addArgument(operand.getType(), operand.getLoc()));
    }
    copies.push_back(builder.clone(*op, mapping));
  }
  auto results =
      func::ReturnOp::create(builder, loc, mapping.lookup(last->getResult(0)));
  main.setType(builder.getFunctionType(body->getArgumentTypes(),
                                       results.getOperandTypes()));
  for (unsigned index = 0; index != body->getNumArguments(); ++index)
    main.setArgAttr(index, kNameAttrName,
                    builder.getStringAttr("x" + Twine(index)));
  if (!candidate.target) {
    for (Operation *copy : copies)
      if (auto call = dyn_cast<CallIndirectOp>(copy))
        inlineComposite(call);
    return module;
  }
  std::vector<CompositeMatch> matches;
  for (const CompositeMatch *match : candidate.patterns) {
    CompositeMatch &copy = matches.emplace_back(*match);
    for (Value &input : copy.inputs)
      input = mapping.lookup(input);
    for (Operation *&op : copy.operations)
      op = mapping.lookup(op->getResult(0)).getDefiningOp();
  }
  makeComposites(matches, copies);
  annotate(copies, getTarget(candidate));
  SymbolTable symbols(*module);
  PartitionOptions partition;
  partition.modName = options.modName;
  if (failed(partitionGraph(main, symbols, partition)))
    return nullptr;
  return module;
}

FailureOr<double> CostCache::get(const CollageCandidate &candidate,
                                 const CollageGraph &graph) {
  if (candidate.isFree)
    return 0.0;
  SmallVector<Operation *> ops =
      llvm::map_to_vector(candidate.nodes, [&](unsigned node) {
        return graph.getNodes()[node].op;
      });
  auto [it, isNew] = costs.try_emplace(getKey(candidate, ops), 0.0);
  if (!isNew)
    return it->second;
  OwningOpRef<ModuleOp> module = makeModule(candidate, ops);
  if (!module)
    return failure();
  StringRef target = getTarget(candidate);
  FailureOr<double> cost = estimator.estimate(*module, target);
  if (failed(cost))
    return failure();
  if (!(*cost >= 0))
    return emitError(ops.back()->getLoc())
           << "expects the cost of a part for \"" << target
           << "\" to be at least 0, but got " << *cost;
  return it->second = *cost;
}

//===----------------------------------------------------------------------===//
// The cheapest way
//===----------------------------------------------------------------------===//

namespace {

/// A way that covers all nodes in front of one, and some behind it.
struct Way {
  double cost = std::numeric_limits<double>::infinity();
  const Way *before = nullptr;
  const CollageCandidate *last = nullptr;
};

} // namespace

/// Chooses candidates that cover each node once. The next one always covers the
/// first node that is left, so that each set of them is found once.
static FailureOr<std::vector<const CollageCandidate *>>
findCheapest(const CollageGraph &graph, ArrayRef<CollageCandidate> candidates,
             CostCache &costs) {
  unsigned size = graph.getNodes().size();
  std::vector<SmallVector<const CollageCandidate *>> byFirst(size);
  for (const CollageCandidate &candidate : candidates)
    byFirst[candidate.nodes.front()].push_back(&candidate);
  // By the first node that is left, and those behind it that are not.
  std::vector<std::map<CollageNodes, Way>> ways(size + 1);
  ways[0][{}].cost = 0;
  for (unsigned first = 0; first != size; ++first) {
    SmallVector<std::pair<const CollageNodes *, const Way *>> known;
    for (auto &[covered, way] : ways[first])
      known.emplace_back(&covered, &way);
    llvm::sort(known, [](auto &a, auto &b) {
      return std::tie(a.second->cost, *a.first) <
             std::tie(b.second->cost, *b.first);
    });
    known.resize(std::min(known.size(), kMaxWays));
    for (const CollageCandidate *candidate : byFirst[first]) {
      std::optional<double> cost;
      for (auto [covered, way] : known) {
        ArrayRef<unsigned> rest = ArrayRef(candidate->nodes).drop_front();
        if (llvm::any_of(rest, [&, covered = covered](unsigned node) {
              return llvm::is_contained(*covered, node);
            }))
          continue;
        if (!cost) {
          FailureOr<double> answer = costs.get(*candidate, graph);
          if (failed(answer))
            return failure();
          cost = *answer;
        }
        if (*cost == std::numeric_limits<double>::infinity())
          break;
        CollageNodes all = *covered;
        llvm::append_range(all, rest);
        llvm::sort(all);
        unsigned next = first + 1;
        unsigned skipped = 0;
        while (skipped != all.size() && all[skipped] == next) {
          ++skipped;
          ++next;
        }
        all.erase(all.begin(), all.begin() + skipped);
        Way &target = ways[next][std::move(all)];
        if (way->cost + *cost < target.cost)
          target = {way->cost + *cost, way, candidate};
      }
    }
    // A candidate that covers it may begin in front of it.
    bool isCovered = false;
    for (unsigned next = first + 1; next <= size && !isCovered; ++next)
      isCovered = !ways[next].empty();
    if (!isCovered)
      return emitError(graph.getNodes()[first].op->getLoc())
             << "expects code for each operator, but no target, ours included, "
                "compiles this one";
  }
  std::vector<const CollageCandidate *> chosen;
  for (const Way *way = &ways[size].begin()->second; way->last;
       way = way->before)
    chosen.push_back(way->last);
  return chosen;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {

/// What becomes one function of a code generator.
struct ChosenPart {
  StringRef target;
  /// Which of the function's blocks it is in.
  size_t block;
  SmallVector<Operation *> ops;
  std::vector<CompositeMatch> matches;
};

} // namespace

static FailureOr<std::vector<ChosenPart>> choose(func::FuncOp function,
                                                 const CollageOptions &options,
                                                 const OffloadQueries &queries,
                                                 CostCache &costs) {
  std::vector<ChosenPart> parts;
  FailureOr<CollageOffers> offers =
      CollageOffers::create(function, options, queries);
  if (failed(offers))
    return failure();
  SmallVector<Block *> blocks;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // What a pattern is made of is taken with it.
    if (op->hasAttr(kCompositeAttrName))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  for (auto [index, block] : llvm::enumerate(blocks)) {
    CollageGraph graph(*block);
    std::vector<CollageCandidate> candidates = offers->getCandidates(graph);
    FailureOr<std::vector<const CollageCandidate *>> chosen =
        findCheapest(graph, candidates, costs);
    if (failed(chosen))
      return failure();
    for (const CollageCandidate *candidate : *chosen) {
      if (!candidate->target)
        continue;
      ChosenPart &part = parts.emplace_back();
      part.block = index;
      part.target = options.targets[*candidate->target].name;
      for (unsigned node : candidate->nodes)
        part.ops.push_back(graph.getNodes()[node].op);
      for (const CompositeMatch *match : candidate->patterns)
        part.matches.push_back(*match);
    }
  }
  return parts;
}

/// Reports annotations, which say already who takes what.
static LogicalResult checkIsBare(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *op) -> WalkResult {
    if (!isa<BeginOp, EndOp>(op))
      return WalkResult::advance();
    return op->emitOpError("expects a program in which no part is for anybody "
                           "yet; relay-partition-graph (PartitionGraph) moves "
                           "what is marked into functions");
  });
  return failure(result.wasInterrupted());
}

FailureOr<unsigned> relay::collagePartition(ModuleOp module,
                                            const CollageOptions &options,
                                            CostEstimator &estimator) {
  // Everything is asked before anything changes.
  std::vector<std::pair<func::FuncOp, std::vector<ChosenPart>>> chosen;
  OffloadQueries queries(module);
  CostCache costs(options, estimator);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isClosed(function))
      continue;
    if (failed(checkIsBare(function)))
      return failure();
    FailureOr<std::vector<ChosenPart>> parts =
        choose(function, options, queries, costs);
    if (failed(parts))
      return failure();
    chosen.emplace_back(function, std::move(*parts));
  }
  unsigned count = 0;
  SymbolTable symbols(module);
  for (auto &[function, parts] : chosen) {
    // What is computed last comes first, in each block: a closure takes what
    // others compute, which they still do then.
    std::vector<std::pair<CompositeMatch *, ChosenPart *>> matches;
    for (ChosenPart &part : parts)
      for (CompositeMatch &match : part.matches)
        matches.emplace_back(&match, &part);
    llvm::sort(matches, [](auto &a, auto &b) {
      if (a.second->block != b.second->block)
        return a.second->block < b.second->block;
      return b.first->operations.back()->isBeforeInBlock(
          a.first->operations.back());
    });
    for (auto [match, part] : matches)
      makeComposites(*match, part->ops);
    for (ChosenPart &part : parts)
      annotate(part.ops, part.target);
    PartitionOptions partition;
    partition.modName = options.modName;
    FailureOr<PartitionCounts> counts =
        partitionGraph(function, symbols, partition);
    if (failed(counts))
      return failure();
    count += counts->functions;
    // Patterns that were there before, and that nobody took.
    SmallVector<CallIndirectOp> rest;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->hasAttr(kCompositeAttrName))
        return WalkResult::skip();
      if (auto call = dyn_cast<CallIndirectOp>(op))
        rest.push_back(call);
      return WalkResult::advance();
    });
    llvm::for_each(rest, inlineComposite);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct CollagePartitionPass
    : relay::impl::CollagePartitionPassBase<CollagePartitionPass> {
  using CollagePartitionPassBase::CollagePartitionPassBase;

  LogicalResult initialize(MLIRContext *context) override;

  void runOnOperation() override {
    FailureOr<unsigned> count =
        collagePartition(getOperation(), *parsed, *table);
    if (failed(count))
      return signalPassFailure();
    numFunctions += *count;
  }

private:
  LogicalResult parseStyles(CollageOptions &options, MLIRContext *context);

  /// Copies of the pass share them.
  std::shared_ptr<const CollageOptions> parsed;
  std::shared_ptr<TableCostEstimator> table;
};

} // namespace

LogicalResult CollagePartitionPass::parseStyles(CollageOptions &options,
                                                MLIRContext *context) {
  for (StringRef entry : styles) {
    auto [name, word] = entry.split('=');
    auto target =
        llvm::find_if(options.targets, [name = name](CollageTarget &target) {
          return target.name == name;
        });
    std::optional<FusionStyle> style =
        llvm::StringSwitch<std::optional<FusionStyle>>(word)
            .Case("none", FusionStyle::None)
            .Case("kernels", FusionStyle::Kernels)
            .Case("any", FusionStyle::Any)
            .Default(std::nullopt);
    if (target == options.targets.end() || !style)
      return emitError(UnknownLoc::get(context))
             << "expects styles as one of targets, =, and none, kernels or "
                "any, but got \""
             << entry << "\"";
    target->style = *style;
  }
  return success();
}

LogicalResult CollagePartitionPass::initialize(MLIRContext *context) {
  if (failed(relay::checkRange<unsigned>(context, maxDepth, 1)) ||
      failed(relay::checkRange<unsigned>(context, externalMaxDepth, 1)))
    return failure();
  CollageOptions options;
  options.maxDepth = maxDepth;
  options.maxExternalDepth = externalMaxDepth;
  options.modName = modName;
  FailureOr<PatternTable> read = readCompositePatterns(patterns, context);
  if (failed(read))
    return failure();
  for (const std::string &name : targets) {
    if (failed(checkTargetName(name, UnknownLoc::get(context))))
      return failure();
    CollageTarget &target = options.targets.emplace_back();
    target.name = name;
    target.patterns = getPatternTable(context, name);
    for (const CompositePattern &pattern : *read)
      if (StringRef(pattern.name).split('.').first == name)
        target.patterns.push_back(pattern);
  }
  FailureOr<llvm::StringMap<llvm::StringSet<>>> byTarget =
      parseTargetOperators(operators, UnknownLoc::get(context));
  if (failed(byTarget) || failed(parseStyles(options, context)))
    return failure();
  for (CollageTarget &target : options.targets)
    target.operators = byTarget->lookup(target.name);
  FailureOr<TableCostEstimator> estimator =
      TableCostEstimator::create(costs, context);
  if (failed(estimator))
    return failure();
  table = std::make_shared<TableCostEstimator>(std::move(*estimator));
  parsed = std::make_shared<const CollageOptions>(std::move(options));
  return success();
}
