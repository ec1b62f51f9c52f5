//===- WindowTile.cpp - Tiles of sliding windows --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowTile.h"

#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <tuple>

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

namespace {
enum class Truth { Never, Unknown, Always };
} // namespace

/// Whether `expr >= 0`.
static Truth decide(const IndexBounds &bounds, AffineExpr expr) {
  IndexRange range = bounds.getRange(bounds.simplify(expr));
  if (range.min && *range.min >= 0)
    return Truth::Always;
  if (range.max && *range.max < 0)
    return Truth::Never;
  return Truth::Unknown;
}

/// Whether `guard` limits loop `dim` and no other loop of the nest.
static bool isBoundOf(const NestedBlock &nest, AffineExpr guard, unsigned dim) {
  std::optional<int64_t> stride = NestedBlock::getStride(guard, dim);
  if (!stride || *stride == 0)
    return false;
  for (unsigned other = 0; other != nest.loops.size(); ++other)
    if (other != dim && NestedBlock::dependsOn(guard, other))
      return false;
  return true;
}

/// The iterations of a guarded loop: [min, max] of the smallest limit.
static IndexRange getLimit(const NestedBlock &nest, const IndexBounds &bounds,
                           unsigned loop, int64_t extent) {
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

/// The values that `symbol` takes, from 0 on, if that is known.
static std::optional<int64_t> getExtent(const NestedBlock &nest,
                                        unsigned symbol) {
  IndexRange range = nest.bounds.symbols[symbol];
  if (range.min != 0 || !range.max)
    return std::nullopt;
  return *range.max + 1;
}

std::optional<WindowPlan> mlir::tir::planWindow(NestedBlock &nest,
                                                const Computation &computation,
                                                const TileShape &shape) {
  bool isStatic = llvm::all_of(nest.loops, [](ForOp loop) {
    return loop.getConstantExtent().value_or(0) > 0;
  });
  if (!isStatic || !computation.isReduction() || !computation.init ||
      shape.reduceLoops.empty() || !findWindowLoad(nest, shape))
    return std::nullopt;
  AffineExpr position = nest.getLinearIndex(computation.store);
  if (NestedBlock::getStride(position, shape.laneLoop) != 1 ||
      (shape.numRows < 2 && computation.guards.empty()))
    return std::nullopt;
  for (AffineExpr guard : computation.guards)
    if (NestedBlock::dependsOn(guard, shape.laneLoop))
      return std::nullopt;
  for (const LoopGuard &guard : nest.guards)
    if (llvm::is_contained(shape.reduceLoops, guard.loop))
      return std::nullopt;

  WindowPlan plan;
  plan.firstUnrolled = shape.reduceLoops.size();
  int64_t updates = shape.numRows * shape.getNumVectors();
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
  if (updates > kMaxInnerUpdates)
    return std::nullopt;

  auto addCases = [&](AffineExpr expr, bool hasFirst) {
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
  };
  auto isLoopBound = [&](AffineExpr guard) {
    return llvm::any_of(
        ArrayRef(shape.reduceLoops).take_front(plan.firstUnrolled),
        [&](unsigned dim) { return isBoundOf(nest, guard, dim); });
  };
  // Limits of rows and lanes first: these must be decided.
  for (const LoopGuard &guard : nest.guards)
    addCases(guard.limit, /*hasFirst=*/false);
  for (AffineExpr guard : computation.guards)
    if (!isLoopBound(guard) && decide(nest.bounds, guard) != Truth::Always)
      addCases(guard, /*hasFirst=*/true);
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
        return std::nullopt;
    }
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// The code
//===----------------------------------------------------------------------===//

namespace {

class WindowTile {
public:
  WindowTile(NestedBlock &nest, const Computation &computation,
             const TileShape &shape, const WindowPlan &plan, BlockOp result,
             ArrayRef<Value> symbolValues)
      : nest(nest), computation(computation), shape(shape), plan(plan),
        anchor(TileEmitter::createAnchor(result)),
        emitter(nest, anchor, shape.laneLoop, shape.lanes, shape.getOverhang(),
                symbolValues),
        vectorType(emitter.getVectorType(computation.getElementType())),
        loc(nest.block.getLoc()), context(loc.getContext()),
        bounds(nest.bounds), windowLoad(findWindowLoad(nest, shape)) {}

  void emit();

private:
  /// One update of one result.
  struct Update {
    SmallVector<AffineExpr> point;
    size_t result;
    int64_t vector;
    /// The place of what the window reads.
    int64_t key;
    /// What could not be decided.
    SmallVector<AffineExpr> guards;
  };

  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  Value constantIndex(OpBuilder &builder, int64_t value) const {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  bool isLooped(unsigned dim) const {
    return llvm::is_contained(
        ArrayRef(shape.reduceLoops).take_front(plan.firstUnrolled), dim);
  }
  bool isLoopBound(AffineExpr guard) const {
    return llvm::any_of(shape.reduceLoops, [&](unsigned dim) {
      return isLooped(dim) && isBoundOf(nest, guard, dim);
    });
  }

  void emitCases(OpBuilder &builder, unsigned index);
  void emitTile(OpBuilder &builder);
  SmallVector<Value> reduce(OpBuilder &builder, unsigned depth,
                            SmallVector<Value> values);
  void collectUpdates(unsigned depth, SmallVectorImpl<Update> &updates);
  Value emitUpdate(OpBuilder &builder, const Update &update, Value value);
  void store(OpBuilder &builder, ArrayRef<Value> values);

  NestedBlock &nest;
  const Computation &computation;
  const TileShape &shape;
  const WindowPlan &plan;
  Operation *anchor;
  TileEmitter emitter;
  VectorType vectorType;
  Location loc;
  MLIRContext *context;
  /// What is known in the case at hand.
  IndexBounds bounds;
  Operation *windowLoad;

  // Of the tile under construction.
  int64_t rows = 0, numVectors = 0;
  SmallVector<Value> masks;
  SmallVector<AffineExpr> point;
};

} // namespace

void WindowTile::emit() {
  OpBuilder builder(anchor->getBlock()->getTerminator());
  emitter.enterOuterGuards(builder);
  emitCases(builder, 0);
}

void WindowTile::emitCases(OpBuilder &builder, unsigned index) {
  if (index == plan.cases.size())
    return emitTile(builder);
  unsigned symbol = plan.cases[index].symbol;
  IndexRange all = bounds.symbols[symbol];
  int64_t last = *all.max;
  Value value = emitter.getSymbolValue(symbol);
  OpBuilder current = builder;
  auto emitCase = [&](OpBuilder inner, IndexRange range) {
    bounds.symbols[symbol] = range;
    emitCases(inner, index + 1);
    bounds.symbols[symbol] = all;
  };
  /// Code for one value; the rest goes to the else branch.
  auto emitOne = [&](int64_t which) {
    Value isHere = arith::CmpIOp::create(current, loc, arith::CmpIPredicate::eq,
                                         value, constantIndex(current, which));
    auto branch = scf::IfOp::create(current, loc, isHere,
                                    /*withElseRegion=*/true);
    emitCase(OpBuilder(branch.thenYield()), IndexRange::constant(which));
    current.setInsertionPoint(branch.elseYield());
  };
  int64_t first = 0;
  emitOne(last);
  if (plan.cases[index].hasFirst && last > 1) {
    emitOne(0);
    first = 1;
  }
  emitCase(current, {first, last - 1});
}

void WindowTile::emitTile(OpBuilder &builder) {
  rows = shape.numRows;
  if (!shape.rowLoops.empty()) {
    int64_t extent = shape.rowExtents.front();
    IndexRange limit = getLimit(nest, bounds, shape.rowLoops.front(), extent);
    rows = *limit.min * shape.getRowsPerStep();
  }
  int64_t numLanes =
      *getLimit(nest, bounds, shape.laneLoop, shape.numLanes).min;
  numVectors = llvm::divideCeil(numLanes, shape.lanes);
  masks.assign(numVectors, Value());
  if (numLanes % shape.lanes != 0)
    masks.back() = vector::ConstantMaskOp::create(
        builder, loc, emitter.getVectorType(builder.getI1Type()),
        ArrayRef{numLanes % shape.lanes});
  if (rows == 0 || numVectors == 0)
    return;

  point.assign(nest.loops.size(), constant(0));
  emitter.beginBody();
  SmallVector<Value> values;
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t vector = 0; vector != numVectors; ++vector) {
      shape.moveTo(point, row, vector * shape.lanes);
      values.push_back(emitter.evaluateVector(builder, computation.init, point,
                                              masks[vector]));
    }
  values = reduce(builder, 0, std::move(values));
  emitter.beginBody();
  for (unsigned loop : shape.reduceLoops)
    point[loop] = constant(0);
  store(builder, values);
  emitter.beginBody();
}

SmallVector<Value> WindowTile::reduce(OpBuilder &builder, unsigned depth,
                                      SmallVector<Value> values) {
  if (depth == plan.firstUnrolled) {
    SmallVector<Update> updates;
    collectUpdates(depth, updates);
    // Each input meets all results that it goes into at once, and needs its
    // register no longer.
    llvm::sort(updates, [](const Update &a, const Update &b) {
      return std::tie(a.key, a.result) < std::tie(b.key, b.result);
    });
    for (const Update &update : updates)
      values[update.result] =
          emitUpdate(builder, update, values[update.result]);
    return values;
  }

  unsigned dim = shape.reduceLoops[depth];
  Value from = constantIndex(builder, 0);
  Value to =
      constantIndex(builder, *ForOp(nest.loops[dim]).getConstantExtent());
  for (AffineExpr guard : computation.guards) {
    if (!isBoundOf(nest, guard, dim) || decide(bounds, guard) == Truth::Always)
      continue;
    LinearSum sum = LinearSum::get(guard);
    int64_t stride = *NestedBlock::getStride(guard, dim);
    sum.add(getAffineDimExpr(dim, context), -stride);
    AffineExpr rest = sum.toExpr(context);
    if (stride > 0)
      from = arith::MaxSIOp::create(
          builder, loc, from,
          emitter.emitIndex(builder, (-rest).ceilDiv(stride)));
    else
      to = arith::MinSIOp::create(
          builder, loc, to,
          emitter.emitIndex(builder, rest.floorDiv(-stride) + 1));
  }
  auto loop = scf::ForOp::create(builder, loc, from, to,
                                 constantIndex(builder, 1), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  emitter.beginBody();
  emitter.setDim(dim, loop.getInductionVar());
  point[dim] = getAffineDimExpr(dim, context);
  SmallVector<Value> next =
      reduce(builder, depth + 1, SmallVector<Value>(loop.getRegionIterArgs()));
  scf::YieldOp::create(builder, loc, next);
  emitter.beginBody();
  return loop.getResults();
}

void WindowTile::collectUpdates(unsigned depth,
                                SmallVectorImpl<Update> &updates) {
  if (depth != shape.reduceLoops.size()) {
    unsigned dim = shape.reduceLoops[depth];
    int64_t extent = *ForOp(nest.loops[dim]).getConstantExtent();
    for (int64_t step = 0; step != extent; ++step) {
      point[dim] = constant(step);
      collectUpdates(depth + 1, updates);
    }
    return;
  }
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t vector = 0; vector != numVectors; ++vector) {
      shape.moveTo(point, row, vector * shape.lanes);
      Update update{
          point, static_cast<size_t>(row * numVectors + vector), vector, 0, {}};
      bool isUseful = true;
      for (AffineExpr guard : computation.guards) {
        if (isLoopBound(guard))
          continue;
        AffineExpr here = guard.replaceDims(point);
        Truth truth = decide(bounds, here);
        isUseful &= truth != Truth::Never;
        if (truth == Truth::Unknown)
          update.guards.push_back(here);
      }
      update.key =
          LinearSum::get(emitter.getPosition(windowLoad, point)).constant;
      if (isUseful)
        updates.push_back(std::move(update));
    }
}

Value WindowTile::emitUpdate(OpBuilder &builder, const Update &update,
                             Value value) {
  OpBuilder inner = builder;
  scf::IfOp branch;
  if (!update.guards.empty()) {
    Value holds;
    for (AffineExpr guard : update.guards) {
      Value index = emitter.emitIndex(builder, guard);
      Value one = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        index, anchor->getResult(0));
      holds = holds
                  ? arith::AndIOp::create(builder, loc, holds, one).getResult()
                  : one;
    }
    branch = scf::IfOp::create(builder, loc, TypeRange(vectorType), holds,
                               /*addThenBlock=*/true, /*addElseBlock=*/true);
    inner.setInsertionPointToEnd(branch.thenBlock());
    emitter.beginBody();
  }
  auto evaluate = [&](Value operand) {
    return emitter.evaluateVector(inner, operand, update.point,
                                  masks[update.vector]);
  };
  Value updated;
  if (auto product = computation.getProduct()) {
    Value lhs = evaluate(product->first), rhs = evaluate(product->second);
    updated = vector::FMAOp::create(inner, loc, lhs, rhs, value);
  } else {
    updated = computation.combine(inner, value, evaluate(computation.value));
  }
  if (!branch)
    return updated;
  scf::YieldOp::create(inner, loc, updated);
  inner.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(inner, loc, value);
  emitter.beginBody();
  return branch.getResult(0);
}

void WindowTile::store(OpBuilder &builder, ArrayRef<Value> values) {
  Value view = emitter.getFlatView(computation.getBuffer());
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t vector = index % numVectors;
    shape.moveTo(point, index / numVectors, vector * shape.lanes);
    Value position = emitter.emitIndex(
        builder, emitter.getPosition(computation.store, point));
    if (masks[vector])
      vector::MaskedStoreOp::create(builder, loc, view, position, masks[vector],
                                    value);
    else
      vector::StoreOp::create(builder, loc, value, view, position);
  }
}

void mlir::tir::emitWindowTile(NestedBlock &nest,
                               const Computation &computation,
                               const TileShape &shape, const WindowPlan &plan,
                               BlockOp result, ArrayRef<Value> symbolValues) {
  WindowTile(nest, computation, shape, plan, result, symbolValues).emit();
}
