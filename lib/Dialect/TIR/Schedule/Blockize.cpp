//===- Blockize.cpp - A nest as one block ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops of the nest become loops in the body of the new block, which other
// primitives do not look into: its regions name whole buffers.
//
//===----------------------------------------------------------------------===//

#include "ReductionBody.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// How one iteration variable falls into a part that the loops around the nest
/// give and one that the nest gives: `outer * tile + inner`, inner in [0,
/// tile).
struct SplitIter {
  AffineExpr outer;
  AffineExpr inner;
  int64_t tile = 1;
  /// The variable of the new block; -1 if the nest runs over the whole domain.
  int newIndex = -1;
};

struct NestBlock {
  BlockOp block;
  SmallVector<ForOp> inner;
  IndexSpace space;
  SmallVector<SplitIter> iters;

  explicit NestBlock(BlockOp block) : block(block), space(block.getContext()) {}
  bool isInner(Value variable) const {
    return llvm::any_of(
        inner, [&](ForOp loop) { return loop.getInductionVar() == variable; });
  }
};

} // namespace

static DiagnosedSilenceableFailure collectNest(ForOp outermost,
                                               NestBlock &nest) {
  for (ForOp loop = outermost; loop; loop = loop.getOnlyChildLoop()) {
    DiagnosedSilenceableFailure plain = checkPlainLoop(loop);
    if (!plain.succeeded())
      return plain;
    if (!loop.getConstantExtent())
      return refuse(loop) << "expects constant extents to make a block of";
    nest.inner.push_back(loop);
  }
  // Index arithmetic of the bindings may stand in front of the block.
  ForOp innermost = nest.inner.back();
  for (Operation &op : innermost.getBody()->without_terminator())
    if (&op != nest.block && !isa<affine::AffineApplyOp>(op)) {
      DiagnosedSilenceableFailure failure =
          refuse(outermost)
          << "expects a perfect nest around block @" << nest.block.getName();
      failure.attachNote(op.getLoc()) << "this is in the nest, too";
      return failure;
    }
  return DiagnosedSilenceableFailure::success();
}

static DiagnosedSilenceableFailure splitIters(NestBlock &nest) {
  BlockOp block = nest.block;
  MLIRContext *context = block.getContext();
  for (auto [index, binding] : llvm::enumerate(block.getBindings())) {
    if (block.getIterKind(index) == IterKind::Opaque)
      return refuse(block) << "expects block @" << block.getName()
                           << " to have no opaque variables";
    AffineExpr expr = nest.space.getExpr(binding);
    IndexBounds bounds = nest.space.getBounds();
    LinearSum outer, inner, sum = LinearSum::get(bounds.simplify(expr));
    outer.constant = sum.constant;
    for (auto [term, coefficient] : sum.terms) {
      bool usesInner = false, usesOuter = false;
      term.walk([&](AffineExpr part) {
        if (isa<AffineDimExpr>(part))
          (nest.isInner(nest.space.getDim(part)) ? usesInner : usesOuter) =
              true;
      });
      if (usesInner && usesOuter)
        return refuse(block) << "expects variable " << index << " of block @"
                             << block.getName()
                             << " to be a sum over the loops in and around the "
                                "nest";
      (usesInner ? inner : outer).add(term, coefficient);
    }
    SplitIter &iter = nest.iters.emplace_back();
    iter.inner = inner.toExpr(context);
    IndexRange range = bounds.getRange(iter.inner);
    if (range.min != 0 || !range.max)
      return refuse(block) << "expects variable " << index << " of block @"
                           << block.getName() << " to start at 0 in the nest";
    iter.tile = *range.max + 1;
    bool divides = outer.constant % iter.tile == 0;
    for (auto &[term, coefficient] : outer.terms) {
      divides &= coefficient % iter.tile == 0;
      coefficient /= iter.tile;
    }
    outer.constant /= iter.tile;
    if (!divides)
      return refuse(block) << "expects the loops around the nest to move "
                              "variable "
                           << index << " of block @" << block.getName()
                           << " by multiples of " << iter.tile;
    iter.outer = outer.toExpr(context);
  }
  return DiagnosedSilenceableFailure::success();
}

/// A loop that feeds both kinds of variables could not be left out of the init.
static DiagnosedSilenceableFailure checkInit(NestBlock &nest) {
  if (!nest.block.getInit())
    return DiagnosedSilenceableFailure::success();
  for (ForOp loop : nest.inner) {
    bool feeds[2] = {false, false};
    for (auto [index, iter] : llvm::enumerate(nest.iters))
      feeds[nest.block.getIterKind(index) == IterKind::Reduce] |=
          nest.space.dependsOn(iter.inner, loop.getInductionVar());
    if (feeds[0] && feeds[1])
      return refuse(loop) << "expects a loop that feeds spatial or reduce "
                             "variables, but not both";
  }
  return DiagnosedSilenceableFailure::success();
}

namespace {

/// Writes the body of the new block.
class NestEmitter {
public:
  NestEmitter(RewriterBase &rewriter, NestBlock &nest, BlockOp result)
      : rewriter(rewriter), nest(nest), result(result) {}

  void emitUpdate() {
    emit([](bool) { return true; },
         [&](IRMapping &mapping) {
           InitOp init = nest.block.getInit();
           for (Operation &op : nest.block.getBody()->without_terminator())
             if (&op != init)
               rewriter.clone(op, mapping);
         });
  }
  void emitInit() {
    emit([](bool isReduce) { return !isReduce; },
         [&](IRMapping &mapping) {
           for (Operation &op :
                nest.block.getInit().getBody()->without_terminator())
             rewriter.clone(op, mapping);
         });
  }

private:
  /// Runs `body` in the loops that feed variables which `wants(isReduce)`; the
  /// others stay at 0.
  void emit(function_ref<bool(bool)> wants,
            function_ref<void(IRMapping &)> body);

  RewriterBase &rewriter;
  NestBlock &nest;
  BlockOp result;
};

} // namespace

void NestEmitter::emit(function_ref<bool(bool)> wants,
                       function_ref<void(IRMapping &)> body) {
  OpBuilder::InsertionGuard insertion(rewriter);
  BlockOp block = nest.block;
  Location loc = block.getLoc();
  MLIRContext *context = block.getContext();
  auto isWanted = [&](unsigned index) {
    return wants(block.getIterKind(index) == IterKind::Reduce);
  };
  SmallVector<Value> variables;
  for (ForOp loop : nest.inner) {
    bool feeds = false;
    for (auto [index, iter] : llvm::enumerate(nest.iters))
      feeds |= isWanted(index) &&
               nest.space.dependsOn(iter.inner, loop.getInductionVar());
    if (!feeds || loop.getConstantExtent() == 1) {
      variables.push_back({});
      continue;
    }
    auto copy = affine::AffineForOp::create(rewriter, loc, 0,
                                            *loop.getConstantExtent());
    variables.push_back(copy.getInductionVar());
    rewriter.setInsertionPointToStart(copy.getBody());
  }

  // Old variables over the new ones and the loops; all as dimensions.
  SmallVector<Value> operands(result.getIterVars().begin(),
                              result.getIterVars().end());
  SmallVector<AffineExpr> dims;
  for (Value dim : nest.space.getDims()) {
    AffineExpr expr = rewriter.getAffineConstantExpr(0);
    for (auto [loop, variable] : llvm::zip(nest.inner, variables))
      if (loop.getInductionVar() == dim && variable) {
        expr = rewriter.getAffineDimExpr(operands.size());
        operands.push_back(variable);
      }
    dims.push_back(expr);
  }
  unsigned numDims = operands.size();
  llvm::append_range(operands, nest.space.getSymbols());

  IRMapping mapping;
  SmallVector<AffineExpr> conditions;
  for (auto [index, iter] : llvm::enumerate(nest.iters)) {
    AffineExpr value = iter.inner.replaceDims(dims);
    if (iter.newIndex >= 0)
      value = value + rewriter.getAffineDimExpr(iter.newIndex) * iter.tile;
    AffineMap map =
        AffineMap::get(numDims, nest.space.getSymbols().size(), value, context);
    SmallVector<Value> used = operands;
    dropUnusedOperands(map, used);
    mapping.map(
        block.getIterVars()[index],
        affine::AffineApplyOp::create(rewriter, loc, map, used).getResult());
    // Tiles may overrun the domain.
    std::optional<int64_t> extent =
        getConstantIntValue(block.getExtents()[index]);
    if (isWanted(index) && iter.tile > 1 &&
        (!extent || *extent % iter.tile != 0))
      conditions.push_back(
          nest.space.getExpr(block.getExtents()[index]).replaceDims(dims) - 1 -
          value);
  }
  if (!conditions.empty()) {
    // The extents may have added symbols.
    operands.truncate(numDims);
    llvm::append_range(operands, nest.space.getSymbols());
    AffineMap map = AffineMap::get(numDims, nest.space.getSymbols().size(),
                                   conditions, context);
    SmallVector<Value> used = operands;
    dropUnusedOperands(map, used);
    SmallVector<bool> isEquality(conditions.size(), false);
    auto branch = affine::AffineIfOp::create(
        rewriter, loc,
        IntegerSet::get(map.getNumDims(), map.getNumSymbols(), map.getResults(),
                        isEquality),
        used, /*withElseRegion=*/false);
    rewriter.setInsertionPoint(branch.getThenBlock()->getTerminator());
  }
  body(mapping);
}

DiagnosedSilenceableFailure mlir::tir::blockize(RewriterBase &rewriter,
                                                ForOp loop, BlockOp &result) {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  if (blocks.size() != 1)
    return refuse(loop) << "expects a nest around one block, but got "
                        << blocks.size();
  BlockOp block = blocks.front();
  NestBlock nest(block);
  DiagnosedSilenceableFailure collected = collectNest(loop, nest);
  if (!collected.succeeded())
    return collected;
  DiagnosedSilenceableFailure split = splitIters(nest);
  if (!split.succeeded())
    return split;
  DiagnosedSilenceableFailure separable = checkInit(nest);
  if (!separable.succeeded())
    return separable;

  OpBuilder::InsertionGuard insertion(rewriter);
  Location loc = block.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<IterKind> kinds;
  SmallVector<Value> bindings;
  SmallVector<OpFoldResult> extents;
  bool hasReduce = false;
  for (auto [index, iter] : llvm::enumerate(nest.iters)) {
    AffineExpr extent = nest.space.getExpr(block.getExtents()[index]);
    AffineExpr zero = rewriter.getAffineConstantExpr(0);
    AffineExpr one = rewriter.getAffineConstantExpr(1);
    if (iter.outer == zero && extent.ceilDiv(iter.tile) == one)
      continue;
    iter.newIndex = kinds.size();
    kinds.push_back(block.getIterKind(index));
    hasReduce |= kinds.back() == IterKind::Reduce;
    bindings.push_back(nest.space.materializeValue(rewriter, loc, iter.outer));
    extents.push_back(
        nest.space.materialize(rewriter, loc, extent.ceilDiv(iter.tile)));
  }
  result =
      BlockOp::create(rewriter, loc, block.getName(), kinds, bindings, extents);
  NestEmitter emitter(rewriter, nest, result);
  if (block.getInit()) {
    rewriter.setInsertionPointToStart(result.getBody());
    if (hasReduce) {
      auto init = InitOp::create(rewriter, loc);
      rewriter.setInsertionPoint(init.getBody()->getTerminator());
    }
    emitter.emitInit();
  }
  rewriter.setInsertionPoint(result.getBody()->getTerminator());
  emitter.emitUpdate();
  rewriter.eraseOp(loop);
  result.updateAccessRegions();
  IndexSpace guardSpace(result.getContext());
  SmallVector<AffineExpr> constraints =
      getDomainConstraints(result, guardSpace);
  addGuard(result, guardSpace, constraints);
  eraseDeadIndexOps(rewriter, result.getFunction());
  return DiagnosedSilenceableFailure::success();
}
