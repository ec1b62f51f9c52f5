//===- CollageCandidates.cpp - What code generators could take ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollageCandidates.h"
#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <set>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// How many candidates of a target may end in one operation. Where many ways
/// lead to it, there would be more than anybody can compare.
static constexpr unsigned kMaxCandidatesPerEnd = 64;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Constants and closures belong to whoever uses them.
static bool isPassive(Operation *op) {
  return isa<FnOp, GlobalOp>(op) || op->hasTrait<OpTrait::ConstantLike>();
}

static bool isOperator(Operation *op) {
  if (op->getNumRegions() || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op))
    return false;
  return isa<ApplyOp>(op) || getOperatorSchema(op);
}

/// Whether a call stands for a pattern that needs nothing from around it.
static bool isPattern(Operation *op) {
  auto call = dyn_cast<CallIndirectOp>(op);
  FnOp fn = call ? getComposite(call) : FnOp();
  if (!fn)
    return false;
  WalkResult result = fn.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!fn.getBody().isAncestor(operand.getParentRegion()) &&
          !(source && source->hasTrait<OpTrait::ConstantLike>()))
        return WalkResult::interrupt();
    }
    return inner == fn || isMemoryEffectFree(inner) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

CollageGraph::CollageGraph(Block &block) : block(block) {
  if (block.mightHaveTerminator())
    visit(block.getTerminator());
  for (Operation &op : block)
    visit(&op);
  Operation *terminator =
      block.mightHaveTerminator() ? block.getTerminator() : nullptr;
  for (auto [number, node] : llvm::enumerate(nodes)) {
    for (OpOperand &use : node.op->getUses()) {
      Operation *user = block.findAncestorOpInBlock(*use.getOwner());
      auto it = numbers.find(user);
      if (!user || user == terminator || it == numbers.end())
        node.escapes = true;
      else
        node.users.push_back(it->second);
    }
    node.escapes |= node.op->use_empty();
    llvm::sort(node.users);
    node.users.erase(llvm::unique(node.users), node.users.end());
    for (unsigned user : node.users)
      nodes[user].producers.push_back(number);
    node.isNeutral = isa<TupleOp, TupleGetItemOp>(node.op);
    node.isOperator =
        !node.isNeutral && (isPattern(node.op) || isOperator(node.op));
  }
}

std::optional<unsigned> CollageGraph::lookup(Operation *op) const {
  auto it = numbers.find(op);
  return it == numbers.end() ? std::nullopt : std::optional(it->second);
}

/// Numbers an operation after all that it needs.
void CollageGraph::visit(Operation *root) {
  SmallVector<std::pair<Operation *, SmallVector<Operation *>>> stack;
  auto push = [&](Operation *op) {
    if (!visited.insert(op).second)
      return;
    SmallVector<Operation *> needs;
    // Those inside of a branch are its own.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && source->getBlock() == &block)
          needs.push_back(source);
    });
    std::reverse(needs.begin(), needs.end());
    stack.emplace_back(op, std::move(needs));
  };
  push(root);
  while (!stack.empty()) {
    auto &[op, needs] = stack.back();
    if (!needs.empty()) {
      push(needs.pop_back_val());
      continue;
    }
    Operation *done = op;
    stack.pop_back();
    if (isPassive(done) || done->hasTrait<OpTrait::IsTerminator>())
      continue;
    numbers[done] = nodes.size();
    nodes.push_back({done, {}, {}});
  }
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

namespace {

/// What a target takes as one: an operator, a pattern, or a tuple between them.
struct Part {
  CollageNodes nodes;
  const CompositeMatch *pattern = nullptr;
  OpPatternKind kind;
};

/// Finds the candidates of one target.
class Combiner {
public:
  Combiner(const CollageGraph &graph, std::optional<unsigned> target,
           FusionStyle style, unsigned maxDepth)
      : nodes(graph.getNodes()), target(target), style(style),
        maxDepth(maxDepth), partsByEnd(nodes.size()) {}

  void addPart(Part part) {
    unsigned end = part.nodes.back();
    partsByEnd[end].push_back(std::move(part));
  }
  void run(std::vector<CollageCandidate> &candidates) const;

private:
  struct Draft {
    CollageNodes nodes;
    SmallVector<const CompositeMatch *, 1> patterns;
    OpPatternKind kind;
  };

  /// Whether the result of a part in front may become an intermediate one.
  bool mayJoin(const Draft &draft, const Part &part) const;
  bool isAllowed(OpPatternKind producer, OpPatternKind consumer) const;
  unsigned getDepth(ArrayRef<unsigned> set) const;
  /// Whether tuples at the border are none of it.
  bool isComplete(const Draft &draft) const;

  ArrayRef<CollageGraph::Node> nodes;
  std::optional<unsigned> target;
  FusionStyle style;
  unsigned maxDepth;
  /// Those with patterns come first.
  std::vector<SmallVector<Part, 1>> partsByEnd;
};

} // namespace

static bool contains(ArrayRef<unsigned> set, unsigned node) {
  return llvm::binary_search(set, node);
}

bool Combiner::isAllowed(OpPatternKind producer, OpPatternKind consumer) const {
  switch (style) {
  case FusionStyle::None:
    return false;
  case FusionStyle::Any:
    return true;
  case FusionStyle::Kernels:
    if (producer == OpPatternKind::OutEWiseFusable)
      return consumer <= OpPatternKind::Broadcast;
    if (producer <= OpPatternKind::Broadcast)
      return consumer <= OpPatternKind::CommReduce;
    return producer <= OpPatternKind::Injective &&
           consumer <= OpPatternKind::Injective;
  }
  return false;
}

bool Combiner::mayJoin(const Draft &draft, const Part &part) const {
  const CollageGraph::Node &end = nodes[part.nodes.back()];
  return !end.escapes && isAllowed(part.kind, draft.kind) &&
         llvm::all_of(
             end.users,
             [&](unsigned user) { return contains(draft.nodes, user); }) &&
         llvm::none_of(part.nodes, [&](unsigned node) {
           return contains(draft.nodes, node);
         });
}

unsigned Combiner::getDepth(ArrayRef<unsigned> set) const {
  SmallVector<unsigned> depths;
  unsigned most = 0;
  for (unsigned node : set) {
    unsigned depth = 0;
    for (unsigned producer : nodes[node].producers)
      if (auto *it = llvm::lower_bound(set, producer);
          it != set.end() && *it == producer)
        depth = std::max(depth, depths[it - set.begin()]);
    depths.push_back(depth + (nodes[node].isOperator ? 1 : 0));
    most = std::max(most, depths.back());
  }
  return most;
}

bool Combiner::isComplete(const Draft &draft) const {
  for (unsigned node : draft.nodes) {
    if (!nodes[node].isNeutral)
      continue;
    if (llvm::any_of(nodes[node].op->getOperands(),
                     [](Value operand) { return !operand.getDefiningOp(); }))
      return false;
    if (!llvm::all_of(nodes[node].producers, [&](unsigned producer) {
          return contains(draft.nodes, producer);
        }))
      return false;
  }
  return true;
}

void Combiner::run(std::vector<CollageCandidate> &candidates) const {
  for (unsigned end = 0; end != nodes.size(); ++end) {
    if (nodes[end].isNeutral)
      continue;
    std::vector<Draft> drafts;
    std::set<CollageNodes> known;
    // A pattern is better than its operators one by one.
    for (const Part &part : partsByEnd[end])
      if (known.insert(part.nodes).second) {
        Draft &draft = drafts.emplace_back();
        draft.nodes = part.nodes;
        if (part.pattern)
          draft.patterns.push_back(part.pattern);
        draft.kind = part.kind;
      }
    for (size_t next = 0; next < drafts.size(); ++next) {
      if (isComplete(drafts[next])) {
        const Draft &draft = drafts[next];
        candidates.push_back({target, draft.nodes, draft.patterns});
      }
      SmallVector<unsigned> before;
      for (unsigned node : drafts[next].nodes)
        llvm::append_range(before, nodes[node].producers);
      for (unsigned producer : before)
        for (const Part &part : partsByEnd[producer]) {
          if (drafts.size() == kMaxCandidatesPerEnd ||
              !mayJoin(drafts[next], part))
            continue;
          Draft draft = drafts[next];
          llvm::append_range(draft.nodes, part.nodes);
          llvm::sort(draft.nodes);
          if (getDepth(draft.nodes) > maxDepth ||
              !known.insert(draft.nodes).second)
            continue;
          if (part.pattern)
            draft.patterns.push_back(part.pattern);
          draft.kind = std::max(draft.kind, part.kind);
          drafts.push_back(std::move(draft));
        }
    }
  }
}

static OpPatternKind getKind(Operation *op) {
  if (isa<TupleOp, TupleGetItemOp>(op))
    return OpPatternKind::Injective;
  auto fusable = dyn_cast<FusionPatternOpInterface>(op);
  return fusable ? fusable.getFusionPattern() : OpPatternKind::Opaque;
}

//===----------------------------------------------------------------------===//
// Offers
//===----------------------------------------------------------------------===//

FailureOr<CollageOffers> CollageOffers::create(func::FuncOp function,
                                               const CollageOptions &options,
                                               const OffloadQueries &queries) {
  CollageOffers offers(options);
  for (const CollageTarget &target : options.targets) {
    std::vector<CompositeMatch> &matches = offers.matches.emplace_back();
    for (const CompositePattern &entry : target.patterns)
      llvm::append_range(matches,
                         findComposites(function, entry, /*overlapping=*/true));
    DenseSet<Operation *> &operators = offers.operators.emplace_back();
    WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op->hasAttr(kCompositeAttrName))
        return WalkResult::skip();
      if (isPattern(op)) {
        auto name = getComposite(cast<CallIndirectOp>(op))
                        ->getAttrOfType<StringAttr>(kCompositeAttrName);
        if (name && name.getValue().split('.').first == target.name)
          operators.insert(op);
        return WalkResult::advance();
      }
      if (!isOperator(op) || op->getNumOperands() == 0)
        return WalkResult::advance();
      auto apply = dyn_cast<ApplyOp>(op);
      const OperatorSchema *schema =
          apply ? getOperatorSchema(apply.getName()) : getOperatorSchema(op);
      if (schema && target.operators.contains(schema->name)) {
        operators.insert(op);
        return WalkResult::advance();
      }
      FailureOr<bool> answer = queries.supports(op, target.name);
      if (failed(answer))
        return WalkResult::interrupt();
      if (*answer)
        operators.insert(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return offers;
}

std::vector<CollageCandidate>
CollageOffers::getCandidates(const CollageGraph &graph) const {
  ArrayRef<CollageGraph::Node> nodes = graph.getNodes();
  std::vector<CollageCandidate> candidates;
  Combiner ours(graph, std::nullopt, FusionStyle::Kernels, options.maxDepth);
  for (auto [number, node] : llvm::enumerate(nodes)) {
    if (node.isOperator || node.isNeutral)
      ours.addPart({{unsigned(number)}, nullptr, getKind(node.op)});
    if (!node.isOperator)
      candidates.push_back({std::nullopt, {unsigned(number)}, {}, true});
  }
  ours.run(candidates);
  for (auto [index, target] : llvm::enumerate(options.targets)) {
    Combiner combiner(graph, index, target.style, options.maxExternalDepth);
    for (const CompositeMatch &match : matches[index]) {
      Part part{{}, &match, OpPatternKind::ElemWise};
      bool isHere = true;
      for (Operation *op : match.operations) {
        if (isPassive(op))
          continue;
        std::optional<unsigned> node = graph.lookup(op);
        isHere &= node && nodes[*node].op->getNumRegions() == 0;
        if (!isHere)
          break;
        part.nodes.push_back(*node);
        part.kind = std::max(part.kind, getKind(op));
      }
      if (!isHere || part.nodes.empty())
        continue;
      llvm::sort(part.nodes);
      combiner.addPart(std::move(part));
    }
    for (auto [number, node] : llvm::enumerate(nodes))
      if (operators[index].contains(node.op) || node.isNeutral)
        combiner.addPart({{unsigned(number)}, nullptr, getKind(node.op)});
    combiner.run(candidates);
  }
  return candidates;
}
