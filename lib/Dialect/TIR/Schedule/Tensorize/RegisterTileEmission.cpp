//===- RegisterTileEmission.cpp - Code of register tiles --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One vector register per row and group of lanes is carried through the
// reduction loops as `iter_args`. Only register-sized vectors cross a loop
// boundary: larger ones are split by LLVM in ways that spill. Each step of the
// reduction updates all registers once before the next step begins, so that no
// update waits for the one before it.
//
//===----------------------------------------------------------------------===//

#include "RegisterTileEmission.h"
#include "../ScheduleSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tir;

/// The reduction is unrolled to about this many updates per iteration, and
/// dissolves if it has no more than `kMaxStraightUpdates`.
static constexpr int64_t kUpdatesPerIteration = 128;
static constexpr int64_t kMaxStraightUpdates = 256;
/// The places from which a row that is left alone reads what comes from far.
static constexpr int64_t kNumStreams = 2;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

Value RegisterTile::emitLimit(OpBuilder &builder, unsigned loop,
                              int64_t extent) {
  Value limit;
  for (const LoopGuard &guard : nest.guards) {
    if (guard.loop != loop)
      continue;
    Value value = emitter.emitIndex(builder, guard.limit);
    limit = limit ? arith::MinSIOp::create(builder, loc, limit, value) : value;
  }
  if (!limit)
    return {};
  Value bound = constantIndex(builder, extent);
  return arith::MinSIOp::create(builder, loc, limit, bound);
}

/// `limit mod extent`, if all limits of the loop agree on it.
static std::optional<int64_t> getRemainder(const NestedBlock &nest,
                                           unsigned loop, int64_t extent) {
  std::optional<int64_t> remainder;
  for (const LoopGuard &guard : nest.guards) {
    if (guard.loop != loop)
      continue;
    LinearSum sum = LinearSum::get(guard.limit);
    for (auto [term, coefficient] : sum.terms)
      if (coefficient % extent != 0)
        return std::nullopt;
    int64_t rest = llvm::mod(sum.constant, extent);
    if (remainder && *remainder != rest)
      return std::nullopt;
    remainder = rest;
  }
  return remainder;
}

void RegisterTile::emit(OpBuilder &builder) {
  emitter.enterOuterGuards(builder);

  if (computation.isReduction()) {
    // The init belongs to the instance in which all reduce variables are 0.
    for (auto [position, expr] : llvm::enumerate(nest.iterExprs)) {
      if (nest.block.getIterKind(position) != IterKind::Reduce)
        continue;
      SmallVector<AffineExpr> zeros(nest.loops.size(), constant(0));
      AffineExpr start = nest.bounds.simplify(expr.replaceDims(zeros));
      if (start == constant(0))
        continue;
      Value value = emitter.emitIndex(builder, start);
      Value isZero = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, value, anchor->getResult(0));
      isFirst = isFirst ? arith::AndIOp::create(builder, loc, isFirst, isZero)
                        : isZero;
    }
    if (!computation.init)
      isFirst = arith::ConstantIntOp::create(builder, loc, 0, 1);
  }
  emitGuardedLanes(builder);
}

/// Masks are for the last tile only.
void RegisterTile::emitGuardedLanes(OpBuilder &builder) {
  auto setMasks = [&](Value limit, int64_t count) {
    masks.clear();
    numLanes = limit;
    maxLanes = count;
    auto maskType = emitter.getVectorType(builder.getI1Type());
    for (int64_t vector = 0; vector != shape.getNumVectors(); ++vector) {
      int64_t first = vector * shape.lanes;
      Value mask;
      if (limit) {
        Value offset = constantIndex(builder, first);
        Value rest = arith::SubIOp::create(builder, loc, limit, offset);
        mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
      } else if (first + shape.lanes > count) {
        mask = vector::ConstantMaskOp::create(
            builder, loc, maskType,
            ArrayRef{std::max<int64_t>(count - first, 0)});
      }
      masks.push_back(mask);
    }
    emitGuardedRows(builder);
  };

  Value limit = emitLimit(builder, shape.laneLoop, shape.numLanes);
  if (!limit)
    return setMasks(Value(), shape.numLanes);
  Value isFull =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, limit,
                            constantIndex(builder, shape.numLanes));
  auto full = scf::IfOp::create(builder, loc, isFull, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(full.thenYield());
  setMasks(Value(), shape.numLanes);
  emitter.beginBody();
  builder.setInsertionPoint(full.elseYield());
  if (std::optional<int64_t> rest =
          getRemainder(nest, shape.laneLoop, shape.numLanes)) {
    if (*rest == 0)
      return;
    Value isRest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         limit, constantIndex(builder, *rest));
    auto tail = scf::IfOp::create(builder, loc, isRest);
    builder.setInsertionPoint(tail.thenYield());
    return setMasks(Value(), *rest);
  }
  setMasks(limit, shape.numLanes);
}

void RegisterTile::emitGuardedRows(OpBuilder &builder) {
  Value limit;
  if (!shape.rowLoops.empty())
    limit =
        emitLimit(builder, shape.rowLoops.front(), shape.rowExtents.front());
  if (!limit)
    return emitTile(builder, shape.numRows, /*hasRowBase=*/false);

  int64_t extent = shape.rowExtents.front(), perStep = shape.getRowsPerStep();
  auto compare = [&](int64_t steps) -> Value {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, limit,
                                 constantIndex(builder, steps));
  };
  auto full = scf::IfOp::create(builder, loc, compare(extent),
                                /*withElseRegion=*/true);
  builder.setInsertionPoint(full.thenYield());
  emitTile(builder, shape.numRows, /*hasRowBase=*/false);
  builder.setInsertionPoint(full.elseYield());
  if (std::optional<int64_t> rest =
          getRemainder(nest, shape.rowLoops.front(), extent)) {
    if (*rest == 0)
      return;
    auto tail = scf::IfOp::create(builder, loc, compare(*rest));
    builder.setInsertionPoint(tail.thenYield());
    return emitTile(builder, *rest * perStep, /*hasRowBase=*/false);
  }

  // Any number of rows may be left: some tiles of few rows.
  Value from = constantIndex(builder, 0);
  for (int64_t steps : {4, 1}) {
    if (steps >= extent)
      continue;
    Value step = constantIndex(builder, steps);
    Value to = limit;
    if (steps != 1) {
      Value rest = arith::RemSIOp::create(builder, loc, limit, step);
      to = arith::SubIOp::create(builder, loc, limit, rest);
    }
    auto rowLoop = scf::ForOp::create(builder, loc, from, to, step);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(rowLoop.getBody()->getTerminator());
    emitter.setDim(nest.loops.size(), rowLoop.getInductionVar());
    emitTile(builder, steps * perStep, /*hasRowBase=*/true);
    from = to;
  }
}

//===----------------------------------------------------------------------===//
// The reduction
//===----------------------------------------------------------------------===//

void RegisterTile::emitTile(OpBuilder &builder, int64_t numRows,
                            bool hasRowBase) {
  rows = numRows;
  rowBase = hasRowBase ? emitter.getRowBase() : AffineExpr();
  point.assign(nest.loops.size(), constant(0));
  emitter.beginBody();
  SmallVector<Value> values;
  if (computation.isReduction()) {
    prefetchSums(builder);
    values = reduce(builder, 0, startValues(builder));
  } else {
    for (int64_t row = 0; row != rows; ++row)
      for (int64_t vector = 0; vector != shape.getNumVectors(); ++vector) {
        moveTo(row, vector * shape.lanes);
        values.push_back(emitter.evaluateVector(builder, computation.value,
                                                point, masks[vector]));
      }
  }
  emitter.beginBody();
  for (unsigned loop : shape.reduceLoops)
    point[loop] = constant(0);
  store(builder, values);
}

/// Partial sums that are stored are read when all terms have been added, from
/// rows far apart, which the hardware does not expect.
void RegisterTile::prefetchSums(OpBuilder &builder) {
  constexpr int64_t kMinBytes = 1 << 20;
  Value buffer = computation.getBuffer();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  AffineExpr position = nest.getLinearIndex(computation.store);
  if (!isFirst || !type.hasStaticShape() ||
      type.getNumElements() * bytes < kMinBytes ||
      NestedBlock::getStride(position, shape.laneLoop) != 1)
    return;
  Value view = emitter.getFlatView(buffer);
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t lane = 0; lane < shape.numLanes; lane += kLineBytes / bytes) {
      moveTo(row, lane);
      Value index = emitter.emitIndex(
          builder, emitter.getPosition(computation.store, point));
      memref::PrefetchOp::create(builder, loc, view, index, /*isWrite=*/true,
                                 /*localityHint=*/3, /*isDataCache=*/true);
    }
}

SmallVector<Value> RegisterTile::startValues(OpBuilder &builder) {
  int64_t numVectors = shape.getNumVectors();
  if (isFirst) {
    Value neutral = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(vectorType,
                               Attribute(computation.getNeutral())));
    return SmallVector<Value>(rows * numVectors, neutral);
  }
  SmallVector<Value> values;
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t vector = 0; vector != numVectors; ++vector) {
      moveTo(row, vector * shape.lanes);
      values.push_back(emitter.evaluateVector(builder, computation.init, point,
                                              masks[vector]));
    }
  return values;
}

SmallVector<Value> RegisterTile::update(OpBuilder &builder,
                                        ArrayRef<Value> values) {
  SmallVector<Value> updated(values);
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t vector = 0; vector != shape.getNumVectors(); ++vector) {
      moveTo(row, vector * shape.lanes);
      Value &value = at(updated, row, vector);
      if (auto product = computation.getProduct()) {
        value = addProduct(builder, value, product->first, product->second,
                           masks[vector]);
      } else {
        Value term = emitter.evaluateVector(builder, computation.value, point,
                                            masks[vector]);
        value = computation.combine(builder, value, term);
      }
    }
  return updated;
}

static bool isZero(Value vector) {
  if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>())
    return matchPattern(broadcast.getSource(), m_AnyZeroFloat());
  return matchPattern(vector, m_AnyZeroFloat());
}

/// sum + lhs * rhs. Of a constant factor 0, 1 or -1, and of a sum that has not
/// begun, nothing is left. (An infinity or a NaN times such a 0 is lost.)
Value RegisterTile::addProduct(OpBuilder &builder, Value sum, Value lhs,
                               Value rhs, Value mask) {
  auto evaluate = [&](Value operand) {
    return emitter.evaluateVector(builder, operand, point, mask);
  };
  auto constant = dyn_cast_or_null<FloatAttr>(emitter.getConstant(lhs, point));
  if (!constant) {
    constant = dyn_cast_or_null<FloatAttr>(emitter.getConstant(rhs, point));
    if (constant)
      std::swap(lhs, rhs);
  }
  if (!constant) {
    Value left = evaluate(lhs), right = evaluate(rhs);
    return vector::FMAOp::create(builder, loc, left, right, sum);
  }
  double factor = constant.getValueAsDouble();
  if (factor == 0)
    return sum;
  Value right = evaluate(rhs);
  bool isFirst = isZero(sum);
  if (factor == 1)
    return isFirst ? right : arith::AddFOp::create(builder, loc, sum, right);
  if (factor == -1)
    return isFirst ? arith::NegFOp::create(builder, loc, right).getResult()
                   : arith::SubFOp::create(builder, loc, sum, right);
  Value left = evaluate(lhs);
  if (isFirst)
    return arith::MulFOp::create(builder, loc, left, right);
  return vector::FMAOp::create(builder, loc, left, right, sum);
}

/// Whether steps of a reduction loop broadcast the same elements to different
/// rows, as the columns of a convolution window do. Unrolled, these loads would
/// be merged and their values kept, for which there are no registers.
bool RegisterTile::sharesLoads(unsigned reduceLoop) const {
  bool shared = false;
  nest.block.getBody()->walk([&](Operation *op) {
    AffineExpr position = nest.getLinearIndex(op);
    if (!position || NestedBlock::dependsOn(position, shape.laneLoop) ||
        !NestedBlock::dependsOn(position, reduceLoop))
      return;
    SmallVector<AffineExpr> at(nest.loops.size(), constant(0));
    llvm::SmallDenseSet<AffineExpr> first;
    for (int64_t step : {0, 1})
      for (int64_t row = 0; row != shape.numRows; ++row) {
        at[reduceLoop] = constant(step);
        shape.moveTo(at, row, 0);
        AffineExpr element = nest.bounds.simplify(position.replaceDims(at));
        if (step == 0)
          first.insert(element);
        else
          shared |= first.contains(element);
      }
  });
  return shared;
}

SmallVector<Value> RegisterTile::loop(OpBuilder &builder, unsigned depth,
                                      Value from, Value to, int64_t step,
                                      ArrayRef<Value> values) {
  unsigned dim = shape.reduceLoops[depth];
  auto loop = scf::ForOp::create(builder, loc, from, to,
                                 constantIndex(builder, step), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  emitter.beginBody();
  emitter.setDim(dim, loop.getInductionVar());
  SmallVector<Value> next(loop.getRegionIterArgs());
  point[dim] = getAffineDimExpr(dim, context);
  if (prefetch && depth == prefetch->getDepth())
    prefetch->emit(builder, emitter, point, step);
  for (int64_t offset = 0; offset != step; ++offset) {
    point[dim] = getAffineDimExpr(dim, context) + offset;
    next = reduce(builder, depth + 1, next);
  }
  scf::YieldOp::create(builder, loc, next);
  emitter.beginBody();
  return loop.getResults();
}

/// Of an unknown number of rows, one that is left alone uses each weight once,
/// and takes as long as the weights take to come: from several places at a time
/// they come faster, if nothing is prefetched.
bool RegisterTile::readsInStreams(unsigned depth) const {
  constexpr int64_t kMinSteps = 64;
  unsigned dim = shape.reduceLoops[depth];
  std::optional<int64_t> extent = ForOp(nest.loops[dim]).getConstantExtent();
  bool isGuarded = llvm::any_of(
      nest.guards, [&](const LoopGuard &guard) { return guard.loop == dim; });
  return rowBase && rows == 1 && prefetch && computation.getProduct() &&
         depth + 1 == shape.reduceLoops.size() && extent && !isGuarded &&
         *extent >= kNumStreams * kMinSteps && !sharesLoads(dim);
}

/// All steps of the innermost reduction loop that a whole number of iterations
/// has, with sums of their own for each part of it.
SmallVector<Value> RegisterTile::loopInStreams(OpBuilder &builder,
                                               unsigned depth, int64_t step,
                                               ArrayRef<Value> values) {
  unsigned dim = shape.reduceLoops[depth];
  int64_t extent = *ForOp(nest.loops[dim]).getConstantExtent();
  int64_t part = extent / kNumStreams / step * step;
  SmallVector<Value> sums(values);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  sums.append(values.size() * (kNumStreams - 1), zero);
  auto loop = scf::ForOp::create(builder, loc, constantIndex(builder, 0),
                                 constantIndex(builder, part),
                                 constantIndex(builder, step), sums);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    emitter.beginBody();
    emitter.setDim(dim, loop.getInductionVar());
    sums.assign(loop.getRegionIterArgs().begin(),
                loop.getRegionIterArgs().end());
    for (int64_t offset = 0; offset != step; ++offset)
      for (int64_t stream = 0; stream != kNumStreams; ++stream) {
        point[dim] = getAffineDimExpr(dim, context) + (stream * part + offset);
        auto own =
            MutableArrayRef(sums).slice(stream * values.size(), values.size());
        llvm::copy(update(builder, own), own.begin());
      }
    scf::YieldOp::create(builder, loc, sums);
  }
  emitter.beginBody();
  SmallVector<Value> total(loop.getResults().take_front(values.size()));
  for (auto [index, sum] :
       llvm::enumerate(loop.getResults().drop_front(values.size()))) {
    Value &own = total[index % values.size()];
    own = computation.combine(builder, own, sum);
  }
  for (int64_t index = part * kNumStreams; index != extent; ++index) {
    point[dim] = constant(index);
    total = update(builder, total);
  }
  return total;
}

SmallVector<Value> RegisterTile::reduce(OpBuilder &builder, unsigned depth,
                                        SmallVector<Value> values) {
  if (depth == shape.reduceLoops.size())
    return update(builder, values);
  unsigned dim = shape.reduceLoops[depth];
  ForOp source = nest.loops[dim];
  std::optional<int64_t> extent = source.getConstantExtent();
  bool isGuarded = llvm::any_of(
      nest.guards, [&](const LoopGuard &guard) { return guard.loop == dim; });
  bool isInnermost = depth + 1 == shape.reduceLoops.size();
  int64_t updates = rows * shape.getNumVectors();

  auto straight = [&](int64_t first, int64_t last) {
    for (int64_t index = first; index != last; ++index) {
      point[dim] = constant(index);
      values = reduce(builder, depth + 1, values);
    }
    return values;
  };
  bool canUnroll = isInnermost && !sharesLoads(dim);
  int64_t unroll =
      canUnroll ? std::clamp<int64_t>(kUpdatesPerIteration / updates, 1, 4) : 1;
  if (isInnermost && readsInStreams(depth))
    return loopInStreams(builder, depth, unroll, values);
  Value zero = constantIndex(builder, 0);
  if (extent && !isGuarded) {
    if (*extent == 1 ||
        (canUnroll && *extent <= 8 && *extent * updates <= kMaxStraightUpdates))
      return straight(0, *extent);
    int64_t whole = *extent - *extent % unroll;
    values = loop(builder, depth, zero, constantIndex(builder, whole), unroll,
                  values);
    return straight(whole, *extent);
  }

  Value to;
  if (isGuarded && extent) {
    to = emitLimit(builder, dim, *extent);
  } else {
    to = extent ? constantIndex(builder, *extent)
                : emitter.emitIndex(builder, nest.bounds.dimExtents[dim]);
    for (const LoopGuard &guard : nest.guards)
      if (guard.loop == dim)
        to = arith::MinSIOp::create(builder, loc, to,
                                    emitter.emitIndex(builder, guard.limit));
  }
  if (unroll == 1)
    return loop(builder, depth, zero, to, 1, values);
  Value step = constantIndex(builder, unroll);
  Value rest = arith::RemSIOp::create(builder, loc, to, step);
  Value whole = arith::SubIOp::create(builder, loc, to, rest);
  values = loop(builder, depth, zero, whole, unroll, values);
  return loop(builder, depth, whole, to, 1, values);
}

//===----------------------------------------------------------------------===//
// Tiles that the last columns do not fill
//===----------------------------------------------------------------------===//

void mlir::tir::emitRegisterTile(NestedBlock &nest,
                                 const Computation &computation,
                                 const TileShape &shape, BlockOp result,
                                 ArrayRef<Value> symbolValues) {
  Operation *anchor = TileEmitter::createAnchor(result);
  OpBuilder builder(result.getBody()->getTerminator());
  Location loc = nest.block.getLoc();
  RegisterTile tile(nest, computation, shape, anchor, symbolValues);
  std::optional<int64_t> rest =
      getRemainder(nest, shape.laneLoop, shape.numLanes);
  Value limit =
      rest ? tile.emitLimit(builder, shape.laneLoop, shape.numLanes) : Value();
  if (!limit)
    return tile.emit(builder);

  // The lanes of a tile are all there, or as many as are left at the end. Both
  // are known, so that no whole vector needs a mask.
  llvm::erase_if(nest.guards, [&](const LoopGuard &guard) {
    return guard.loop == shape.laneLoop;
  });
  auto emitIf = [&](const TileShape &part) {
    Value lanes = arith::ConstantIndexOp::create(builder, loc, part.numLanes);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        limit, lanes);
    auto branch =
        scf::IfOp::create(builder, loc, holds, /*withElseRegion=*/true);
    builder.setInsertionPoint(branch.thenYield());
    RegisterTile(nest, computation, part, anchor, symbolValues).emit(builder);
    builder.setInsertionPoint(branch.elseYield());
  };
  emitIf(shape);
  if (*rest == 0)
    return;
  TileShape tail = shape;
  tail.numLanes = *rest;
  emitIf(tail);
}
