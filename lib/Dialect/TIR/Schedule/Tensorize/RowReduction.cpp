//===- RowReduction.cpp - Reductions along contiguous memory ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several vectors of partial results run in parallel, so that no combination
// waits for the one before it. What does not fill a vector is masked.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/Schedule/Tensorize.h"

using namespace mlir;
using namespace mlir::tir;

/// Partial results in flight.
static constexpr int64_t kNumPartials = 4;

namespace {

class RowReduction {
public:
  RowReduction(NestedBlock &nest, const Computation &computation, int64_t lanes,
               BlockOp result, ArrayRef<Value> symbolValues)
      : nest(nest), computation(computation), lanes(lanes),
        lane(nest.loops.size() - 1), anchor(TileEmitter::createAnchor(result)),
        emitter(nest, anchor, lane, lanes, /*overhang=*/lanes - 1,
                symbolValues),
        vectorType(emitter.getVectorType(computation.getElementType())),
        loc(nest.block.getLoc()), context(loc.getContext()),
        point(nest.loops.size(), getAffineConstantExpr(0, context)) {}

  void emit();

private:
  Value constantIndex(OpBuilder &builder, int64_t value) const {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  SmallVector<Value> reduce(OpBuilder &builder, unsigned depth,
                            SmallVector<Value> partials, bool isOutermost);
  /// Whether a loop inside of that at `depth` has no iterations, so that this
  /// one may have none, however many it would have; null if all have some.
  Value isEmptyInside(OpBuilder &builder, unsigned depth);
  SmallVector<Value> reduceLanes(OpBuilder &builder,
                                 SmallVector<Value> partials);
  Value update(OpBuilder &builder, Value partial, Value mask);
  void store(OpBuilder &builder, Value result);

  NestedBlock &nest;
  const Computation &computation;
  int64_t lanes;
  unsigned lane;
  Operation *anchor;
  TileEmitter emitter;
  VectorType vectorType;
  Location loc;
  MLIRContext *context;
  SmallVector<AffineExpr> point;
};

} // namespace

void RowReduction::emit() {
  OpBuilder builder(anchor->getBlock()->getTerminator());
  emitter.enterOuterGuards(builder);
  Value neutral = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(vectorType, Attribute(computation.getNeutral())));
  SmallVector<Value> partials =
      reduce(builder, 0, SmallVector<Value>(kNumPartials, neutral),
             /*isOutermost=*/true);
  while (partials.size() > 1) {
    SmallVector<Value> halved;
    for (size_t i = 0, e = partials.size() / 2; i != e; ++i)
      halved.push_back(
          computation.combine(builder, partials[i], partials[i + e]));
    partials = halved;
  }
  // The lanes may be combined in any order, as the partial results were. What
  // passes over NaN has left numbers in all of them.
  auto flags = arith::FastMathFlags::reassoc;
  if (computation.kind == vector::CombiningKind::MAXNUMF ||
      computation.kind == vector::CombiningKind::MINNUMF)
    flags = flags | arith::FastMathFlags::nnan;
  store(builder, vector::ReductionOp::create(builder, loc, computation.kind,
                                             partials.front(), flags));
}

Value RowReduction::update(OpBuilder &builder, Value partial, Value mask) {
  auto evaluate = [&](Value value) {
    return emitter.evaluateVector(builder, value, point, mask);
  };
  Value updated;
  if (auto product = computation.getProduct()) {
    Value lhs = evaluate(product->first), rhs = evaluate(product->second);
    updated = vector::FMAOp::create(builder, loc, lhs, rhs, partial);
  } else {
    updated =
        computation.combine(builder, partial, evaluate(computation.value));
  }
  if (mask)
    updated = arith::SelectOp::create(builder, loc, mask, updated, partial);
  return updated;
}

Value RowReduction::isEmptyInside(OpBuilder &builder, unsigned depth) {
  Value isEmpty;
  for (unsigned inner = depth + 1; inner <= lane; ++inner) {
    AffineExpr extent = nest.bounds.dimExtents[inner];
    if (nest.loops[inner].getConstantExtent() || !extent ||
        !extent.isSymbolicOrConstant())
      continue;
    Value isZero = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::sle,
        emitter.emitIndex(builder, extent), constantIndex(builder, 0));
    isEmpty =
        isEmpty ? arith::OrIOp::create(builder, loc, isEmpty, isZero) : isZero;
  }
  return isEmpty;
}

SmallVector<Value> RowReduction::reduce(OpBuilder &builder, unsigned depth,
                                        SmallVector<Value> partials,
                                        bool isOutermost) {
  if (depth == lane)
    return reduceLanes(builder, std::move(partials));
  ForOp source = nest.loops[depth];
  if (source.getConstantExtent() == 1)
    return reduce(builder, depth + 1, std::move(partials), isOutermost);
  Value to = source.getConstantExtent()
                 ? constantIndex(builder, *source.getConstantExtent())
                 : emitter.emitIndex(builder, nest.bounds.dimExtents[depth]);
  if (isOutermost)
    if (Value isEmpty = isEmptyInside(builder, depth))
      to = arith::SelectOp::create(builder, loc, isEmpty,
                                   constantIndex(builder, 0), to);
  auto loop =
      scf::ForOp::create(builder, loc, constantIndex(builder, 0), to,
                         constantIndex(builder, 1), ValueRange(partials));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  emitter.beginBody();
  emitter.setDim(depth, loop.getInductionVar());
  point[depth] = getAffineDimExpr(depth, context);
  SmallVector<Value> next =
      reduce(builder, depth + 1, SmallVector<Value>(loop.getRegionIterArgs()),
             /*isOutermost=*/false);
  scf::YieldOp::create(builder, loc, next);
  emitter.beginBody();
  return loop.getResults();
}

SmallVector<Value> RowReduction::reduceLanes(OpBuilder &builder,
                                             SmallVector<Value> partials) {
  ForOp source = nest.loops[lane];
  std::optional<int64_t> extent = source.getConstantExtent();
  AffineExpr iv = getAffineDimExpr(lane, context);

  /// Runs `count` vectors per iteration from `from` on.
  auto loop = [&](Value from, Value to, int64_t count) {
    auto loop = scf::ForOp::create(builder, loc, from, to,
                                   constantIndex(builder, count * lanes),
                                   ValueRange(partials));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    emitter.beginBody();
    emitter.setDim(lane, loop.getInductionVar());
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t i = 0; i != count; ++i) {
      point[lane] = iv + i * lanes;
      next[i] = update(builder, next[i], Value());
    }
    scf::YieldOp::create(builder, loc, next);
    emitter.beginBody();
    partials = loop.getResults();
  };
  auto maskType = emitter.getVectorType(builder.getI1Type());

  if (extent) {
    int64_t chunk = kNumPartials * lanes;
    int64_t whole = *extent <= 2 * chunk ? 0 : *extent - *extent % chunk;
    if (whole)
      loop(constantIndex(builder, 0), constantIndex(builder, whole),
           kNumPartials);
    for (int64_t i = whole; i < *extent; i += lanes) {
      point[lane] = getAffineConstantExpr(i, context);
      Value mask;
      if (*extent - i < lanes)
        mask = vector::ConstantMaskOp::create(builder, loc, maskType,
                                              ArrayRef{*extent - i});
      Value &partial = partials[(i / lanes) % kNumPartials];
      partial = update(builder, partial, mask);
    }
    return partials;
  }

  Value to = emitter.emitIndex(builder, nest.bounds.dimExtents[lane]);
  auto roundDown = [&](int64_t multiple) -> Value {
    Value rest = arith::RemSIOp::create(builder, loc, to,
                                        constantIndex(builder, multiple));
    return arith::SubIOp::create(builder, loc, to, rest);
  };
  Value chunks = roundDown(kNumPartials * lanes), vectors = roundDown(lanes);
  loop(constantIndex(builder, 0), chunks, kNumPartials);
  loop(chunks, vectors, 1);
  emitter.setDim(lane, vectors);
  point[lane] = iv;
  Value rest = arith::SubIOp::create(builder, loc, to, vectors);
  Value mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
  partials.front() = update(builder, partials.front(), mask);
  emitter.beginBody();
  return partials;
}

void RowReduction::store(OpBuilder &builder, Value result) {
  emitter.beginBody();
  for (AffineExpr &index : point)
    index = getAffineConstantExpr(0, context);
  Value view = emitter.getFlatView(computation.getBuffer());
  SmallVector<Value> indices;
  if (cast<MemRefType>(view.getType()).getRank() == 1)
    indices.push_back(emitter.emitIndex(
        builder, emitter.getPosition(computation.store, point)));

  // The first part of a reduction starts from the init, others from what is
  // there.
  Value isFirst;
  for (auto [position, expr] : llvm::enumerate(nest.iterExprs)) {
    if (nest.block.getIterKind(position) != IterKind::Reduce)
      continue;
    AffineExpr start = nest.bounds.simplify(expr.replaceDims(point));
    if (start == getAffineConstantExpr(0, context))
      continue;
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         emitter.emitIndex(builder, start),
                                         anchor->getResult(0));
    isFirst =
        isFirst ? arith::AndIOp::create(builder, loc, isFirst, isZero) : isZero;
  }
  Value old;
  if (isFirst || !computation.init)
    old = memref::LoadOp::create(builder, loc, view, indices);
  if (computation.init) {
    Value init = emitter.evaluate(builder, computation.init, point, Value());
    old =
        old ? arith::SelectOp::create(builder, loc, isFirst, init, old) : init;
  }
  result = computation.combine(builder, old, result);
  memref::StoreOp::create(builder, loc, result, view, indices);
}

/// The strides along `loop` of all loads of `value`, apart from what has been
/// `visited`; false if one is unknown.
static bool collectStrides(NestedBlock &nest, Value value, unsigned loop,
                           SmallVectorImpl<int64_t> &strides,
                           DenseSet<Operation *> &visited) {
  Operation *op = value.getDefiningOp();
  if (!op || !visited.insert(op).second ||
      !nest.block.getRegion().isAncestor(op->getParentRegion()))
    return true;
  if (AffineExpr position = nest.getLinearIndex(op)) {
    std::optional<int64_t> stride = NestedBlock::getStride(position, loop);
    if (stride)
      strides.push_back(*stride);
    return stride.has_value();
  }
  if (Value index = getIndexAsData(op))
    return NestedBlock::getStride(nest.getExpr(index), loop).has_value();
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return collectStrides(nest, operand, loop, strides, visited);
  });
}

DiagnosedSilenceableFailure
mlir::tir::tensorizeRowReduction(RewriterBase &rewriter, ForOp loop,
                                 int64_t vectorBits, BlockOp &result) {
  std::string reason;
  auto refuse = [&]() {
    return emitSilenceableFailure(loop.getLoc())
           << "cannot tensorize as a row reduction: " << reason;
  };
  FailureOr<NestedBlock> nest = NestedBlock::get(loop, reason);
  if (failed(nest))
    return refuse();
  FailureOr<Computation> computation = matchComputation(*nest, reason);
  if (failed(computation))
    return refuse();
  if (!computation->isReduction()) {
    reason = "expects a reduction";
    return refuse();
  }
  if (!nest->guards.empty()) {
    reason = "expects no guard on the reduction loops";
    return refuse();
  }
  for (unsigned index = 0; index != nest->loops.size(); ++index)
    if (!nest->isReduceLoop(index) &&
        nest->loops[index].getConstantExtent() != 1) {
      reason = "expects reduction loops only";
      return refuse();
    }
  unsigned lane = nest->loops.size() - 1;
  SmallVector<int64_t> strides;
  DenseSet<Operation *> visited;
  if (!collectStrides(*nest, computation->value, lane, strides, visited)) {
    reason = "expects loads that are a constant number of elements apart";
    return refuse();
  }
  AffineExpr position = nest->getLinearIndex(computation->store);
  for (unsigned index = 0; index != nest->loops.size(); ++index)
    if (NestedBlock::dependsOn(position, index)) {
      reason = "expects a result that does not depend on reduction loops";
      return refuse();
    }

  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<Value> symbolValues;
  FailureOr<BlockOp> block =
      createTensorizedBlock(rewriter, *nest, symbolValues, reason);
  if (failed(block))
    return refuse();
  int64_t lanes =
      vectorBits / computation->getElementType().getIntOrFloatBitWidth();
  RowReduction(*nest, *computation, lanes, *block, symbolValues).emit();
  rewriter.eraseOp(loop);
  block->updateAccessRegions();
  result = *block;
  return DiagnosedSilenceableFailure::success();
}
