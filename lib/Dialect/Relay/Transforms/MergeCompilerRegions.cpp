//===- MergeCompilerRegions.cpp - Make larger parts for other compilers ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A region is merged with those that its inputs come from, unless there is
// another way from one to the other: then the merged region would need its own
// result. Whether there is one is looked for between the two only, in an order
// of the block that each merge keeps up to date (Pearce and Kelly, 2006).
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include <algorithm>

namespace mlir::relay {
#define GEN_PASS_DEF_MERGECOMPILERREGIONSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// A graph without circles, whose nodes are merged as long as it stays one.
class AcyclicMerger {
public:
  AcyclicMerger(const RegionGraph &graph, ArrayRef<unsigned> order);

  /// Merges `from` with `to`, which needs it. Returns whether they are one now.
  bool tryMerge(unsigned from, unsigned to);
  bool areMerged(unsigned a, unsigned b) { return find(a) == find(b); }

private:
  using Edges = std::vector<SmallVector<unsigned, 2>>;

  unsigned find(unsigned node) {
    while (parents[node] != node) {
      parents[node] = parents[parents[node]];
      node = parents[node];
    }
    return node;
  }
  /// Appends the nodes that `edges` lead to from `start`, and that lie between
  /// two positions. Returns whether `avoid` is reached by way of one of them.
  bool collect(const Edges &edges, unsigned start, unsigned avoid,
               SmallVectorImpl<unsigned> &found);
  void join(unsigned a, unsigned b, unsigned position);

  std::vector<unsigned> parents, positions;
  Edges needs, users;
  /// The last search that came to a node.
  std::vector<unsigned> visits;
  unsigned numSearches = 0;
};

} // namespace

AcyclicMerger::AcyclicMerger(const RegionGraph &graph,
                             ArrayRef<unsigned> order) {
  size_t size = graph.getNodes().size();
  parents.resize(size);
  positions.resize(size);
  needs.resize(size);
  users.resize(size);
  visits.resize(size);
  for (auto [position, node] : llvm::enumerate(order)) {
    parents[node] = node;
    positions[node] = position;
    for (unsigned need : graph.getNodes()[node].needs) {
      needs[node].push_back(need);
      users[need].push_back(node);
    }
  }
}

bool AcyclicMerger::collect(const Edges &edges, unsigned start, unsigned avoid,
                            SmallVectorImpl<unsigned> &found) {
  unsigned low = std::min(positions[start], positions[avoid]);
  unsigned high = std::max(positions[start], positions[avoid]);
  visits[start] = ++numSearches;
  SmallVector<unsigned> stack{start};
  while (!stack.empty()) {
    unsigned node = stack.pop_back_val();
    for (unsigned edge : edges[node]) {
      unsigned next = find(edge);
      if (next == avoid && node != start)
        return true;
      if (next == avoid || visits[next] == numSearches ||
          positions[next] <= low || positions[next] >= high)
        continue;
      visits[next] = numSearches;
      found.push_back(next);
      stack.push_back(next);
    }
  }
  return false;
}

void AcyclicMerger::join(unsigned a, unsigned b, unsigned position) {
  if (needs[a].size() + users[a].size() < needs[b].size() + users[b].size())
    std::swap(a, b);
  parents[b] = a;
  positions[a] = position;
  llvm::append_range(needs[a], needs[b]);
  llvm::append_range(users[a], users[b]);
  needs[b].clear();
  users[b].clear();
}

bool AcyclicMerger::tryMerge(unsigned from, unsigned to) {
  from = find(from);
  to = find(to);
  if (from == to)
    return true;
  SmallVector<unsigned> before, after;
  if (collect(needs, to, from, before))
    return false;
  if (before.empty()) {
    join(from, to, positions[from]);
    return true;
  }
  collect(users, from, to, after);
  // What is needed goes before both, what needs them behind.
  auto isEarlier = [&](unsigned a, unsigned b) {
    return positions[a] < positions[b];
  };
  llvm::sort(before, isEarlier);
  llvm::sort(after, isEarlier);
  SmallVector<unsigned> places{positions[from], positions[to]};
  for (unsigned node : llvm::concat<unsigned>(before, after))
    places.push_back(positions[node]);
  llvm::sort(places);
  for (auto [node, place] : llvm::zip(before, places))
    positions[node] = place;
  for (auto [node, place] :
       llvm::zip(after, ArrayRef(places).take_back(after.size())))
    positions[node] = place;
  join(from, to, places[before.size()]);
  return true;
}

namespace {

struct MergeCompilerRegionsPass
    : relay::impl::MergeCompilerRegionsPassBase<MergeCompilerRegionsPass> {
  using MergeCompilerRegionsPassBase::MergeCompilerRegionsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!isClosed(function) && failed(merge(function, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult merge(func::FuncOp function, SymbolTable &symbols);
  LogicalResult mergeInBlock(Block &block, ArrayRef<CompilerRegion *> regions,
                             const CompilerRegions &all, SymbolTable &symbols);
};

} // namespace

LogicalResult MergeCompilerRegionsPass::mergeInBlock(
    Block &block, ArrayRef<CompilerRegion *> regions,
    const CompilerRegions &all, SymbolTable &symbols) {
  RegionGraph graph(block, all, symbols);
  FailureOr<std::vector<unsigned>> order = graph.sort();
  if (failed(order))
    return failure();
  AcyclicMerger merger(graph, *order);
  SmallVector<BeginOp> inner;
  // Those of others first: what we compile is no function, so that no region of
  // ours may be what keeps others apart.
  SmallVector<CompilerRegion *> ordered(regions);
  std::stable_partition(
      ordered.begin(), ordered.end(),
      [](CompilerRegion *region) { return region->target != kDefaultTarget; });
  for (CompilerRegion *region : ordered) {
    unsigned node = graph.lookup(region);
    SmallVector<unsigned> parents;
    for (auto [begin, index] : region->inputs) {
      auto end = begin.getData().getDefiningOp<EndOp>();
      CompilerRegion *parent = end ? all.lookup(end) : nullptr;
      if (!parent || parent->block != &block ||
          parent->target != region->target)
        continue;
      inner.push_back(begin);
      parents.push_back(graph.lookup(parent));
    }
    // The other way to a region may be through one that is merged after it.
    size_t numOpen = 0;
    do {
      numOpen = parents.size();
      llvm::erase_if(parents, [&](unsigned parent) {
        if (merger.areMerged(parent, node))
          return true;
        bool merged = merger.tryMerge(parent, node);
        numMerged += merged;
        return merged;
      });
    } while (!parents.empty() && parents.size() != numOpen);
  }
  for (BeginOp begin : inner) {
    auto end = begin.getData().getDefiningOp<EndOp>();
    if (!merger.areMerged(graph.lookup(all.lookup(begin)),
                          graph.lookup(all.lookup(end))))
      continue;
    begin.replaceAllUsesWith(end.getData());
    begin.erase();
    if (end->use_empty())
      end.erase();
  }
  return success();
}

LogicalResult MergeCompilerRegionsPass::merge(func::FuncOp function,
                                              SymbolTable &symbols) {
  FailureOr<CompilerRegions> regions = CompilerRegions::create(function);
  if (failed(regions))
    return failure();
  for (const auto &[block, inBlock] : regions->getBlocks())
    if (failed(mergeInBlock(*block, inBlock, *regions, symbols)))
      return failure();
  return success();
}
