//===- WindowTile.cpp - Tiles of sliding windows --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowTile.h"

#include "RowPieces.h"
#include "TileEmitter.h"
#include "WindowPrefetch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

#include <tuple>

using namespace mlir;
using namespace mlir::tir;

/// What the value of the reduction is where its condition does not hold, as far
/// as that matters.
static TypedAttr getOtherwise(const Computation &computation) {
  auto condition = computation.value.getDefiningOp<affine::AffineIfOp>();
  TypedAttr constant;
  if (condition &&
      matchPattern(condition.getElseBlock()->getTerminator()->getOperand(0),
                   m_Constant(&constant)))
    return constant;
  return OpBuilder(computation.store->getContext())
      .getZeroAttr(computation.getElementType());
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
        prefetch(WindowPrefetch::plan(nest, shape)), bounds(nest.bounds),
        otherwise(getOtherwise(computation)) {}

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
    RowPart part;
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
  bool addGuard(Update &update, AffineExpr guard);
  int64_t getRowOffset(ArrayRef<AffineExpr> place) const;
  void emitUpdates(OpBuilder &builder, SmallVectorImpl<Update> &updates,
                   SmallVectorImpl<Value> &values);
  void emitRowUpdates(OpBuilder &builder, MutableArrayRef<Update> updates,
                      SmallVectorImpl<Value> &values);
  Value emitUpdate(OpBuilder &builder, const Update &update, Value value);
  SmallVector<Value> computeResults(OpBuilder &builder);
  Value combine(OpBuilder &builder, Value value, Value operand);
  void checkNumber(OpBuilder &builder, Value operand);
  void finishNumbers(OpBuilder &builder, SmallVectorImpl<Value> &values);
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
  std::optional<WindowPrefetch> prefetch;
  /// What is known in the case at hand.
  IndexBounds bounds;
  /// What padding is.
  TypedAttr otherwise;

  /// Extremes by one instruction, which loses NaN: `notNumbers` says whether
  /// there was any, and everything is done again.
  bool isQuick = false;
  Value notNumbers, unchecked;
  DenseSet<Value> checked;

  // Of the tile under construction.
  int64_t rows = 0, tileLanes = 0, numVectors = 0;
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
  tileLanes = *getLimit(nest, bounds, shape.laneLoop, shape.numLanes).min;
  numVectors = llvm::divideCeil(tileLanes, shape.lanes);
  masks.assign(numVectors, Value());
  if (tileLanes % shape.lanes != 0)
    masks.back() = vector::ConstantMaskOp::create(
        builder, loc, emitter.getVectorType(builder.getI1Type()),
        ArrayRef{tileLanes % shape.lanes});
  if (rows == 0 || numVectors == 0)
    return;
  if (prefetch && rows == shape.numRows && tileLanes == shape.numLanes)
    prefetch->emit(builder, emitter,
                   SmallVector<AffineExpr>(nest.loops.size(), constant(0)));

  using vector::CombiningKind;
  Type type = computation.getElementType();
  bool canBeQuick = (type.isF32() || type.isF64()) &&
                    (computation.kind == CombiningKind::MAXIMUMF ||
                     computation.kind == CombiningKind::MINIMUMF);
  SmallVector<Value> values;
  if (canBeQuick) {
    isQuick = true;
    values = computeResults(builder);
    isQuick = false;
    Value flags = values.pop_back_val();
    Value any =
        vector::ReductionOp::create(builder, loc, CombiningKind::OR, flags);
    Value zero = arith::ConstantOp::create(builder, loc,
                                           builder.getZeroAttr(any.getType()));
    Value isBad = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        any, zero);
    auto branch = scf::IfOp::create(builder, loc, ValueRange(values).getTypes(),
                                    isBad, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder inner(branch.getContext());
    inner.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(inner, loc, computeResults(inner));
    inner.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(inner, loc, values);
    values.assign(branch.result_begin(), branch.result_end());
  } else {
    values = computeResults(builder);
  }
  emitter.beginBody();
  for (unsigned loop : shape.reduceLoops)
    point[loop] = constant(0);
  store(builder, values);
  emitter.beginBody();
}

/// All results of the tile, and the flags of NaN.
SmallVector<Value> WindowTile::computeResults(OpBuilder &builder) {
  point.assign(nest.loops.size(), constant(0));
  emitter.beginBody();
  SmallVector<Value> values;
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t vector = 0; vector != numVectors; ++vector) {
      shape.moveTo(point, row, vector * shape.lanes);
      values.push_back(emitter.evaluateVector(builder, computation.init, point,
                                              masks[vector]));
    }
  if (isQuick) {
    auto flags = vectorType.clone(
        builder.getIntegerType(vectorType.getElementTypeBitWidth()));
    values.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(flags)));
  }
  return reduce(builder, 0, std::move(values));
}

SmallVector<Value> WindowTile::reduce(OpBuilder &builder, unsigned depth,
                                      SmallVector<Value> values) {
  if (depth == plan.firstUnrolled) {
    SmallVector<Update> updates;
    collectUpdates(depth, updates);
    emitUpdates(builder, updates, values);
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
      Update update{point,  static_cast<size_t>(row * numVectors + vector),
                    vector, 0,
                    {},     {}};
      update.part.high =
          std::min(shape.lanes, tileLanes - vector * shape.lanes);
      bool isUseful = true;
      for (AffineExpr guard : computation.guards)
        isUseful = isUseful && (isLoopBound(guard) || addGuard(update, guard));
      update.key =
          LinearSum::get(emitter.getPosition(plan.load, point)).constant;
      if (isUseful)
        updates.push_back(std::move(update));
    }
}

/// Applies a condition to an update; returns whether it may hold at all.
bool WindowTile::addGuard(Update &update, AffineExpr guard) {
  AffineExpr here = guard.replaceDims(point);
  if (!NestedBlock::dependsOn(guard, shape.laneLoop)) {
    Truth truth = decide(bounds, here);
    if (truth == Truth::Unknown)
      update.guards.push_back(here);
    return truth != Truth::Never;
  }
  // In tiles at the border, the condition of the first lane is a number;
  // elsewhere, all lanes are inside.
  IndexRange range = bounds.getRange(bounds.simplify(here));
  if (!range.min || range.min != range.max)
    return true;
  RowPart &part = update.part;
  int64_t first = *range.min;
  if (*NestedBlock::getStride(guard, shape.laneLoop) > 0) {
    part.min = std::max(part.min.value_or(-first), -first);
    part.low =
        std::max(part.low, llvm::divideCeilSigned(-first, plan.laneStride));
  } else {
    part.max = std::min(part.max.value_or(first), first);
    part.high = std::min(part.high,
                         llvm::divideFloorSigned(first, plan.laneStride) + 1);
  }
  return part.low < part.high;
}

/// How far the window has moved along the lanes at `place`.
int64_t WindowTile::getRowOffset(ArrayRef<AffineExpr> place) const {
  AffineExpr position = nest.getLinearIndex(plan.load);
  int64_t offset = 0;
  for (unsigned dim : shape.reduceLoops) {
    int64_t stride = *NestedBlock::getStride(position, dim);
    if (auto step = dyn_cast<AffineConstantExpr>(place[dim]);
        step && std::abs(stride) < plan.laneStride * shape.numLanes)
      offset += stride * step.getValue();
  }
  return offset;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// Remembers whether `operand` is a number.
void WindowTile::checkNumber(OpBuilder &builder, Value operand) {
  if (!isQuick || !checked.insert(operand).second)
    return;
  // One comparison takes two.
  if (!unchecked) {
    unchecked = operand;
    return;
  }
  Value isBad = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      unchecked, operand);
  isBad = arith::ExtSIOp::create(builder, loc, notNumbers.getType(), isBad);
  notNumbers = arith::OrIOp::create(builder, loc, notNumbers, isBad);
  unchecked = Value();
}

void WindowTile::finishNumbers(OpBuilder &builder,
                               SmallVectorImpl<Value> &values) {
  if (!isQuick)
    return;
  if (Value last = unchecked) {
    unchecked = Value();
    Value isBad = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        last, last);
    isBad = arith::ExtSIOp::create(builder, loc, notNumbers.getType(), isBad);
    notNumbers = arith::OrIOp::create(builder, loc, notNumbers, isBad);
  }
  values.back() = notNumbers;
  checked.clear();
}

Value WindowTile::combine(OpBuilder &builder, Value value, Value operand) {
  if (!isQuick)
    return computation.combine(builder, value, operand);
  bool isMaximum = computation.kind == vector::CombiningKind::MAXIMUMF;
  Value isBeyond = arith::CmpFOp::create(builder, loc,
                                         isMaximum ? arith::CmpFPredicate::OGT
                                                   : arith::CmpFPredicate::OLT,
                                         operand, value);
  return arith::SelectOp::create(builder, loc, isBeyond, operand, value);
}

void WindowTile::emitUpdates(OpBuilder &builder,
                             SmallVectorImpl<Update> &updates,
                             SmallVectorImpl<Value> &values) {
  if (isQuick)
    notNumbers = values.back();
  // Each input meets all results that it goes into at once, and needs its
  // register no longer.
  llvm::sort(updates, [](const Update &a, const Update &b) {
    return std::tie(a.key, a.result) < std::tie(b.key, b.result);
  });
  if (plan.laneStride)
    emitRowUpdates(builder, updates, values);
  else
    for (const Update &update : updates)
      values[update.result] =
          emitUpdate(builder, update, values[update.result]);
  finishNumbers(builder, values);
}

/// Whole vectors go to their results as they come. Where lanes are picked out,
/// all rows of the window are combined first.
void WindowTile::emitRowUpdates(OpBuilder &builder,
                                MutableArrayRef<Update> updates,
                                SmallVectorImpl<Value> &values) {
  llvm::MapVector<std::tuple<size_t, int64_t, RowPieces>, SmallVector<Update *>>
      groups;
  for (Update &update : updates) {
    point = update.point;
    AffineExpr position = emitter.getPosition(plan.load, point);
    RowPieces pieces = update.part.choosePieces(
        nest, bounds, plan.load->getOperand(0), position,
        getRowOffset(update.point), plan.laneStride, shape.lanes);
    if (update.guards.empty() && !pieces.isWhole()) {
      groups[{update.result, getRowOffset(update.point), pieces}].push_back(
          &update);
      continue;
    }
    values[update.result] = emitUpdate(builder, update, values[update.result]);
  }
  // Steps of the window that read the same vectors combine them once.
  struct Column {
    SmallVector<AffineExpr> places;
    SmallVector<Value, 4> parts;
  };
  SmallVector<Column> columns;
  auto getParts = [&](const RowPieces &pieces, ArrayRef<Update *> members) {
    Column column;
    for (Update *update : members)
      for (int64_t start : pieces.starts)
        column.places.push_back(nest.bounds.simplify(
            emitter.getPosition(plan.load, update->point) + start));
    if (!pieces.isMasked && pieces.starts.size() > 1)
      for (const Column &other : columns)
        if (other.places == column.places)
          return other.parts;
    for (Update *update : members) {
      AffineExpr position = emitter.getPosition(plan.load, update->point);
      SmallVector<Value, 4> loaded =
          pieces.load(builder, emitter, plan.load, position);
      for (Value part : loaded)
        checkNumber(builder, part);
      if (column.parts.empty()) {
        column.parts = std::move(loaded);
        continue;
      }
      for (auto [part, next] : llvm::zip_equal(column.parts, loaded))
        part = combine(builder, part, next);
    }
    if (!pieces.isMasked && pieces.starts.size() > 1)
      columns.push_back(column);
    return column.parts;
  };
  for (auto &[key, members] : groups) {
    const RowPieces &pieces = std::get<2>(key);
    SmallVector<Value, 4> parts = getParts(pieces, members);
    Value operand = pieces.assemble(builder, loc, parts, otherwise);
    Value &value = values[std::get<0>(key)];
    value = combine(builder, value, operand);
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
  if (plan.laneStride) {
    AffineExpr position = emitter.getPosition(plan.load, update.point);
    RowPieces pieces = update.part.choosePieces(
        nest, bounds, plan.load->getOperand(0), position,
        getRowOffset(update.point), plan.laneStride, shape.lanes);
    Value operand = pieces.assemble(
        inner, loc, pieces.load(inner, emitter, plan.load, position),
        otherwise);
    if (!branch)
      checkNumber(inner, operand);
    updated = branch ? computation.combine(inner, value, operand)
                     : combine(inner, value, operand);
  } else if (auto product = computation.getProduct()) {
    Value lhs = evaluate(product->first), rhs = evaluate(product->second);
    updated = vector::FMAOp::create(inner, loc, lhs, rhs, value);
  } else if (branch) {
    updated = computation.combine(inner, value, evaluate(computation.value));
  } else {
    Value operand = evaluate(computation.value);
    checkNumber(inner, operand);
    updated = combine(inner, value, operand);
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
