//===- RegisterTile.cpp - Results held in vector registers ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which nests a register tile can replace.
//
//===----------------------------------------------------------------------===//

#include "RegisterTile.h"
#include "TileEmitter.h"
#include "WindowTile.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/Schedule/Tensorize.h"

using namespace mlir;
using namespace mlir::tir;

/// More results than this fit no register file by far.
static constexpr int64_t kMaxAccumulators = 64;

void TileShape::moveTo(SmallVectorImpl<AffineExpr> &point, int64_t row,
                       int64_t lane, AffineExpr base) const {
  MLIRContext *context = point.front().getContext();
  point[laneLoop] = getAffineConstantExpr(lane, context);
  for (size_t i = rowLoops.size(); i-- != 0;) {
    // The outermost loop takes what is left.
    int64_t index = i == 0 ? row : row % rowExtents[i];
    row /= rowExtents[i];
    AffineExpr expr = getAffineConstantExpr(index, context);
    point[rowLoops[i]] = i == 0 && base ? base + expr : expr;
  }
}

bool TileShape::isContiguousByRows(const NestedBlock &nest,
                                   AffineExpr position) const {
  MLIRContext *context = position.getContext();
  SmallVector<AffineExpr> point(nest.loops.size(),
                                getAffineConstantExpr(0, context));
  AffineExpr first;
  for (int64_t row = 0; row != numRows; ++row) {
    moveTo(point, row, 0);
    AffineExpr element = nest.bounds.simplify(position.replaceDims(point));
    if (row == 0)
      first = element;
    else if (nest.bounds.simplify(element - first) !=
             getAffineConstantExpr(row, context))
      return false;
  }
  return true;
}

/// The bits of the widest number that `value` is computed from in the block.
static unsigned getWidestBits(NestedBlock &nest, Value value,
                              DenseSet<Operation *> &visited) {
  Type type = value.getType();
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  Operation *op = value.getDefiningOp();
  if (!op || nest.getLinearIndex(op) || !visited.insert(op).second ||
      !nest.block.getRegion().isAncestor(op->getParentRegion()))
    return bits;
  for (Value operand : op->getOperands())
    bits = std::max(bits, getWidestBits(nest, operand, visited));
  return bits;
}

/// Gives each loop its role; fails with the reason if there is none for it.
static FailureOr<TileShape> matchShape(NestedBlock &nest,
                                       const Computation &computation,
                                       int64_t vectorBits,
                                       std::string &reason) {
  TileShape shape;
  shape.lanes =
      vectorBits / computation.getElementType().getIntOrFloatBitWidth();
  SmallVector<unsigned> spatial;
  for (unsigned index = 0; index != nest.loops.size(); ++index) {
    bool isReduce = nest.isReduceLoop(index);
    // A loop with one iteration can play any role but that of the lanes.
    if (!isReduce && index + 1 != nest.loops.size() &&
        ForOp(nest.loops[index]).getConstantExtent() == 1) {
      shape.reduceLoops.push_back(index);
      continue;
    }
    if (isReduce && !spatial.empty()) {
      reason = "expects reduction loops outside of rows and lanes";
      return failure();
    }
    (isReduce ? shape.reduceLoops : spatial).push_back(index);
  }
  if (spatial.empty()) {
    reason = "expects a spatial loop for the lanes";
    return failure();
  }
  for (unsigned index : spatial) {
    std::optional<int64_t> extent =
        ForOp(nest.loops[index]).getConstantExtent();
    if (!extent || *extent == 0) {
      reason = "expects rows and lanes of constant extent";
      return failure();
    }
  }
  shape.laneLoop = spatial.back();
  shape.numLanes = *ForOp(nest.loops[shape.laneLoop]).getConstantExtent();
  shape.laneExtent = shape.numLanes;
  for (unsigned row : ArrayRef(spatial).drop_back()) {
    shape.rowLoops.push_back(row);
    shape.rowExtents.push_back(*ForOp(nest.loops[row]).getConstantExtent());
    shape.numRows *= shape.rowExtents.back();
  }
  // Bytes that are computed as numbers of 32 bits take several registers each
  // step of the way: fewer lanes are as good, if they are all there.
  DenseSet<Operation *> visited;
  int64_t fewest = vectorBits / getWidestBits(nest, computation.value, visited);
  while (shape.lanes > fewest && shape.numLanes % shape.lanes != 0 &&
         2 * shape.numRows * shape.getNumVectors() <= kMaxAccumulators)
    shape.lanes /= 2;
  shape.ownsVectors = shape.numLanes % shape.lanes == 0;
  for (const LoopGuard &guard : nest.guards)
    if (llvm::is_contained(
            ArrayRef(shape.rowLoops).drop_front(shape.rowLoops.empty() ? 0 : 1),
            guard.loop)) {
      reason = "expects no guard on inner row loops";
      return failure();
    }
  int64_t numAccumulators = shape.numRows * shape.getNumVectors();
  if (numAccumulators > kMaxAccumulators) {
    reason = "expects at most " + std::to_string(kMaxAccumulators) +
             " result registers, but got " + std::to_string(numAccumulators);
    return failure();
  }
  return shape;
}

/// Checks that every load of `value` moves with the lanes by a constant, apart
/// from what is in `checked`.
static LogicalResult checkLanes(NestedBlock &nest, Value value,
                                unsigned laneLoop, std::string &reason,
                                DenseSet<Operation *> &checked) {
  Operation *op = value.getDefiningOp();
  if (!op || !checked.insert(op).second ||
      !nest.block.getRegion().isAncestor(op->getParentRegion()))
    return success();
  if (AffineExpr position = nest.getLinearIndex(op)) {
    if (NestedBlock::getStride(position, laneLoop))
      return success();
    reason = "expects loads that are a constant number of elements apart";
    return failure();
  }
  if (Value index = getIndexAsData(op)) {
    if (NestedBlock::getStride(nest.getExpr(index), laneLoop))
      return success();
    reason = "expects indices that grow by a constant";
    return failure();
  }
  if (Value guarded = getGuardedValue(op))
    return checkLanes(nest, guarded, laneLoop, reason, checked);
  for (Value operand : op->getOperands())
    if (failed(checkLanes(nest, operand, laneLoop, reason, checked)))
      return failure();
  return success();
}

DiagnosedSilenceableFailure
mlir::tir::tensorizeRegisterTile(RewriterBase &rewriter, ForOp loop,
                                 int64_t vectorBits, BlockOp &result) {
  std::string reason;
  auto refuse = [&]() {
    return emitSilenceableFailure(loop.getLoc())
           << "cannot tensorize as a register tile: " << reason;
  };
  FailureOr<NestedBlock> nest = NestedBlock::get(loop, reason);
  if (failed(nest))
    return refuse();
  FailureOr<Computation> computation =
      matchComputation(*nest, reason, /*allowGuards=*/true);
  if (failed(computation))
    return refuse();
  FailureOr<TileShape> shape =
      matchShape(*nest, *computation, vectorBits, reason);
  if (failed(shape))
    return refuse();
  DenseSet<Operation *> checked;
  for (Value value : {computation->value, computation->init})
    if (value &&
        failed(checkLanes(*nest, value, shape->laneLoop, reason, checked)))
      return refuse();
  AffineExpr position = nest->getLinearIndex(computation->store);
  for (unsigned reduceLoop : shape->reduceLoops)
    if (NestedBlock::dependsOn(position, reduceLoop)) {
      reason = "expects a result that does not depend on reduction loops";
      return refuse();
    }
  // A reduction in several parts starts each from the neutral element.
  bool isSplit = false;
  for (auto [index, expr] : llvm::enumerate(nest->iterExprs))
    if (nest->block.getIterKind(index) == IterKind::Reduce)
      for (unsigned symbol = 0; symbol != nest->symbols.size(); ++symbol)
        isSplit |= expr.isFunctionOfSymbol(symbol);
  if (isSplit && computation->init && !computation->isInitNeutral()) {
    reason = "expects a neutral init of a reduction in several parts";
    return refuse();
  }

  std::optional<WindowPlan> window =
      isSplit ? std::nullopt : planWindow(*nest, *computation, *shape);
  if (!window && !computation->guards.empty()) {
    reason = "expects no conditions";
    return refuse();
  }

  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Value> symbolValues;
  FailureOr<BlockOp> block =
      createTensorizedBlock(rewriter, *nest, symbolValues, reason);
  if (failed(block))
    return refuse();
  if (window)
    emitWindowTile(*nest, *computation, *shape, *window, *block, symbolValues);
  else
    emitRegisterTile(*nest, *computation, *shape, *block, symbolValues);
  rewriter.eraseOp(loop);
  block->updateAccessRegions();
  result = *block;
  return DiagnosedSilenceableFailure::success();
}
