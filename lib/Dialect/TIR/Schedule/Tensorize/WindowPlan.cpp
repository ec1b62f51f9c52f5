//===- WindowPlan.cpp - How sliding windows become tiles ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how WindowTile.cpp writes a tile of a sliding window: which load the
// window moves over, how many reduction loops dissolve into straight code, and
// which values at the borders (the first and last of some symbol) get code of
// their own, in which conditions of padding are constants. The limits keep the
// code small.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "WindowTile.h"

#include "relay-mlir/Dialect/TIR/Schedule/PickLanes.h"

using namespace mlir;
using namespace mlir::tir;

/// Loops around the innermost one dissolve up to about this many updates.
static constexpr int64_t kMaxStraightUpdates = 96;
/// More than this many are no window.
static constexpr int64_t kMaxInnerUpdates = 1024;
/// Symbols with cases of their own: each may triple the code.
static constexpr size_t kMaxCases = 2;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

Truth mlir::tir::decide(const IndexBounds &bounds, AffineExpr expr) {
  IndexRange range = bounds.getRange(bounds.simplify(expr));
  if (range.min && *range.min >= 0)
    return Truth::Always;
  if (range.max && *range.max < 0)
    return Truth::Never;
  return Truth::Unknown;
}

bool mlir::tir::isBoundOf(const NestedBlock &nest, AffineExpr guard,
                          unsigned dim) {
  std::optional<int64_t> stride = NestedBlock::getStride(guard, dim);
  if (!stride || *stride == 0)
    return false;
  for (unsigned other = 0; other != nest.loops.size(); ++other)
    if (other != dim && NestedBlock::dependsOn(guard, other))
      return false;
  return true;
}

IndexRange mlir::tir::getLimit(const NestedBlock &nest,
                               const IndexBounds &bounds, unsigned loop,
                               int64_t extent) {
  IndexRange limit = IndexRange::constant(extent);
  for (const LoopGuard &guard : nest.guards) {
    if (guard.loop != loop)
      continue;
    IndexRange range = bounds.getRange(bounds.simplify(guard.limit));
    limit.min = range.min && limit.min
                    ? std::optional(std::min(*limit.min, *range.min))
                    : std::nullopt;
    if (range.max)
      limit.max = std::min(*limit.max, *range.max);
  }
  if (limit.min)
    limit.min = std::max<int64_t>(*limit.min, 0);
  limit.max = std::max<int64_t>(*limit.max, 0);
  return limit;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// The load that moves with the lanes, the rows and the window, by whole
/// vectors of lanes; null if there is none.
static Operation *findWindowLoad(NestedBlock &nest, const TileShape &shape) {
  Operation *found = nullptr;
  nest.block.getBody()->walk([&](Operation *op) {
    if (op->getNumResults() == 0)
      return;
    AffineExpr position = nest.getLinearIndex(op);
    auto dependsOn = [&](unsigned loop) {
      return NestedBlock::dependsOn(position, loop);
    };
    if (!position || NestedBlock::getStride(position, shape.laneLoop) != 1 ||
        !llvm::any_of(shape.reduceLoops, dependsOn) ||
        !(shape.rowLoops.empty() || llvm::any_of(shape.rowLoops, dependsOn)))
      return;
    bool isWhole = llvm::all_of(shape.reduceLoops, [&](unsigned loop) {
      std::optional<int64_t> stride = NestedBlock::getStride(position, loop);
      return stride && (*stride == 0 || std::abs(*stride) >= shape.numLanes);
    });
    if (isWhole)
      found = op;
  });
  return found;
}

/// The load that is all a reduction combines, if its window moves along the
/// lanes: pooling, channels first.
static Operation *findRowLoad(NestedBlock &nest, const Computation &computation,
                              const TileShape &shape) {
  Operation *op = computation.value.getDefiningOp();
  if (Value guarded = op ? getGuardedValue(op) : Value())
    op = guarded.getDefiningOp();
  AffineExpr position = op ? nest.getLinearIndex(op) : AffineExpr();
  if (!position || op->getNumResults() != 1 || shape.lanes < 4)
    return nullptr;
  std::optional<int64_t> lane =
      NestedBlock::getStride(position, shape.laneLoop);
  if (!lane || *lane < 1 || *lane > kMaxPickedStride)
    return nullptr;
  bool moves = false;
  for (unsigned loop : shape.reduceLoops) {
    std::optional<int64_t> stride = NestedBlock::getStride(position, loop);
    if (!stride)
      return nullptr;
    moves |= *stride != 0 && std::abs(*stride) < *lane * shape.numLanes;
  }
  return moves ? op : nullptr;
}

/// The values that `symbol` takes, from 0 on, if that is known.
static std::optional<int64_t> getExtent(const NestedBlock &nest,
                                        unsigned symbol) {
  IndexRange range = nest.bounds.symbols[symbol];
  if (range.min != 0 || !range.max)
    return std::nullopt;
  return *range.max + 1;
}

namespace {

/// Finds out how a window tile is emitted.
class WindowPlanner {
public:
  WindowPlanner(NestedBlock &nest, const Computation &computation,
                const TileShape &shape)
      : nest(nest), computation(computation), shape(shape) {}

  std::optional<WindowPlan> run();

private:
  void chooseLoops();
  std::optional<int64_t> unrollAll() const;
  void addCases(AffineExpr expr, bool hasFirst);
  void collectCases();
  bool areLimitsKnown() const;
  bool isDecided(AffineExpr guard) const;
  bool isLoopBound(AffineExpr guard) const {
    return llvm::any_of(
        ArrayRef(shape.reduceLoops).take_front(plan.firstUnrolled),
        [&](unsigned dim) { return isBoundOf(nest, guard, dim); });
  }
  bool isLaneGuard(AffineExpr guard) const {
    return NestedBlock::dependsOn(guard, shape.laneLoop);
  }

  NestedBlock &nest;
  const Computation &computation;
  const TileShape &shape;
  WindowPlan plan;
  int64_t updates = 0;
};

} // namespace

/// Which loops dissolve, from the innermost one on.
void WindowPlanner::chooseLoops() {
  plan.firstUnrolled = shape.reduceLoops.size();
  updates = shape.numRows * shape.getNumVectors();
  for (unsigned dim : llvm::reverse(shape.reduceLoops)) {
    int64_t extent = *ForOp(nest.loops[dim]).getConstantExtent();
    bool isInnermost = plan.firstUnrolled == shape.reduceLoops.size();
    bool hasBound = llvm::any_of(computation.guards, [&](AffineExpr guard) {
      return isBoundOf(nest, guard, dim) &&
             decide(nest.bounds, guard) == Truth::Unknown;
    });
    if (extent != 1 &&
        (hasBound || (!isInnermost && updates * extent > kMaxStraightUpdates)))
      break;
    updates *= extent;
    --plan.firstUnrolled;
  }
}

void WindowPlanner::addCases(AffineExpr expr, bool hasFirst) {
  for (auto [term, coefficient] : LinearSum::get(expr).terms) {
    auto symbol = dyn_cast<AffineSymbolExpr>(term);
    if (!symbol || getExtent(nest, symbol.getPosition()).value_or(0) < 2)
      continue;
    auto *it = llvm::find_if(plan.cases, [&](const WindowPlan::Case &known) {
      return known.symbol == symbol.getPosition();
    });
    if (it != plan.cases.end())
      it->hasFirst |= hasFirst;
    else if (plan.cases.size() < kMaxCases)
      plan.cases.push_back({symbol.getPosition(), hasFirst});
  }
}

void WindowPlanner::collectCases() {
  plan.cases.clear();
  // Limits of rows and lanes first: these must be decided. So must guards of
  // lanes.
  for (const LoopGuard &guard : nest.guards)
    addCases(guard.limit, /*hasFirst=*/false);
  for (bool isLane : {true, false})
    for (AffineExpr guard : computation.guards)
      if (isLaneGuard(guard) == isLane && !isLoopBound(guard) &&
          decide(nest.bounds, guard) != Truth::Always)
        addCases(guard, /*hasFirst=*/true);
}

bool WindowPlanner::areLimitsKnown() const {
  for (const LoopGuard &guard : nest.guards) {
    int64_t extent = *ForOp(nest.loops[guard.loop]).getConstantExtent();
    for (bool isLast : {false, true}) {
      IndexBounds bounds = nest.bounds;
      for (const WindowPlan::Case &known : plan.cases) {
        int64_t last = *getExtent(nest, known.symbol) - 1;
        bounds.symbols[known.symbol] =
            isLast ? IndexRange::constant(last) : IndexRange{0, last - 1};
      }
      IndexRange limit = getLimit(nest, bounds, guard.loop, extent);
      if (!limit.min || limit.min != limit.max)
        return false;
    }
  }
  return true;
}

/// Whether `guard` is a matter of constants in the first and last cases, and
/// always holds in others.
bool WindowPlanner::isDecided(AffineExpr guard) const {
  IndexBounds bounds = nest.bounds;
  bool hasMiddle = false, hasSymbol = false;
  for (auto [term, coefficient] : LinearSum::get(guard).terms) {
    if (isa<AffineDimExpr>(term))
      continue;
    auto symbol = dyn_cast<AffineSymbolExpr>(term);
    if (!symbol)
      return false;
    unsigned position = symbol.getPosition();
    std::optional<int64_t> extent = getExtent(nest, position);
    if (extent == 1)
      continue;
    bool isCase = llvm::any_of(plan.cases, [&](const WindowPlan::Case &known) {
      return known.symbol == position && known.hasFirst;
    });
    if (!extent || !isCase || hasSymbol)
      return false;
    hasSymbol = true;
    hasMiddle = *extent > 2;
    bounds.symbols[position] = {1, *extent - 2};
  }
  return !hasMiddle || decide(bounds, guard) == Truth::Always;
}

/// The number of updates if all loops dissolve.
std::optional<int64_t> WindowPlanner::unrollAll() const {
  int64_t total = shape.numRows * shape.getNumVectors();
  for (unsigned dim : shape.reduceLoops)
    total *= *ForOp(nest.loops[dim]).getConstantExtent();
  return total <= 2 * kMaxStraightUpdates ? std::optional(total) : std::nullopt;
}

std::optional<WindowPlan> WindowPlanner::run() {
  bool isStatic = llvm::all_of(nest.loops, [](ForOp loop) {
    return loop.getConstantExtent().value_or(0) > 0;
  });
  if (!isStatic || !computation.isReduction() || !computation.init ||
      shape.reduceLoops.empty())
    return std::nullopt;
  plan.load = findWindowLoad(nest, shape);
  if (!plan.load) {
    plan.load = findRowLoad(nest, computation, shape);
    if (!plan.load)
      return std::nullopt;
    plan.laneStride =
        *NestedBlock::getStride(nest.getLinearIndex(plan.load), shape.laneLoop);
  }
  AffineExpr position = nest.getLinearIndex(computation.store);
  if (NestedBlock::getStride(position, shape.laneLoop) != 1 ||
      (shape.numRows < 2 && computation.guards.empty() && !plan.laneStride))
    return std::nullopt;
  for (const LoopGuard &guard : nest.guards)
    if (llvm::is_contained(shape.reduceLoops, guard.loop))
      return std::nullopt;

  chooseLoops();
  if (std::optional<int64_t> all = unrollAll(); plan.laneStride && all) {
    // Combining rows before lanes are picked out takes all rows at once.
    unsigned firstUnrolled = plan.firstUnrolled;
    plan.firstUnrolled = 0;
    collectCases();
    if (llvm::all_of(computation.guards,
                     [&](AffineExpr guard) { return isDecided(guard); }))
      updates = *all;
    else
      plan.firstUnrolled = firstUnrolled;
  }
  if (updates > kMaxInnerUpdates)
    return std::nullopt;
  collectCases();
  for (AffineExpr guard : computation.guards) {
    if (!isLaneGuard(guard))
      continue;
    std::optional<int64_t> stride =
        NestedBlock::getStride(guard, shape.laneLoop);
    bool isLooped = llvm::any_of(
        ArrayRef(shape.reduceLoops).take_front(plan.firstUnrolled),
        [&](unsigned dim) { return NestedBlock::dependsOn(guard, dim); });
    if (!plan.laneStride || !stride || std::abs(*stride) != plan.laneStride ||
        isLooped || !isDecided(guard))
      return std::nullopt;
  }
  if (!areLimitsKnown())
    return std::nullopt;
  return plan;
}

std::optional<WindowPlan> mlir::tir::planWindow(NestedBlock &nest,
                                                const Computation &computation,
                                                const TileShape &shape) {
  return WindowPlanner(nest, computation, shape).run();
}
