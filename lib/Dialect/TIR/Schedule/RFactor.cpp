//===- RFactor.cpp - Reductions with partial results ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// One rfactor, once it is known to be possible.
struct Factoring {
  BlockOp block;
  ForOp loop;
  /// The reduce variable that `loop` feeds.
  unsigned iter = 0;
  /// The dimension of the partial results that `loop` becomes.
  unsigned axis = 0;
  ReductionBody body;
  SmallVector<ForOp, 6> loops;
};

} // namespace

static DiagnosedSilenceableFailure checkFactoring(Factoring &plan,
                                                  int64_t axis) {
  BlockOp block = plan.block;
  ForOp loop = plan.loop;
  plan.loops = block.getLoops();
  if (!llvm::hasSingleElement(plan.loops.front().getBlocks()))
    return refuse(block) << "expects block @" << block.getName()
                         << " in a nest of its own";
  DiagnosedSilenceableFailure matched = matchReductionBody(block, plan.body);
  if (!matched.succeeded())
    return matched;
  if (!plan.body.getNeutral())
    return refuse(block)
           << "expects a combiner with a neutral element in block @"
           << block.getName();
  if (!loop.getConstantExtent())
    return refuse(loop) << "expects a constant extent to factor out";
  if (loop.getKind() != ForKind::Serial)
    return refuse(loop) << "expects a serial loop to factor out, but got "
                        << stringifyForKind(loop.getKind());
  int64_t rank = plan.body.map.getNumResults();
  if (axis < -rank - 1 || axis > rank)
    return refuse(block) << "expects an axis from " << -rank - 1 << " to "
                         << rank << ", but got " << axis;
  plan.axis = axis < 0 ? axis + rank + 1 : axis;

  IndexSpace space(block.getContext());
  unsigned numFed = 0;
  for (auto [index, binding] : llvm::enumerate(block.getBindings())) {
    AffineExpr expr = space.getExpr(binding);
    bool isReduce = block.getIterKind(index) == IterKind::Reduce;
    if (isReduce && plan.body.map.isFunctionOfDim(index))
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its result by spatial variables";
    if (!space.dependsOn(expr, loop.getInductionVar()))
      continue;
    if (!isReduce)
      return refuse(loop) << "expects a loop that feeds one reduce variable, "
                             "but it feeds a "
                          << stringifyIterKind(block.getIterKind(index))
                          << " one of block @" << block.getName();
    plan.iter = index;
    ++numFed;
  }
  if (numFed != 1)
    return refuse(loop) << "expects a loop that feeds one reduce variable of "
                           "block @"
                        << block.getName() << ", but it feeds " << numFed;
  AffineExpr fed = space.getExpr(block.getBindings()[plan.iter]);
  for (ForOp other : plan.loops) {
    if (!space.dependsOn(fed, other.getInductionVar()))
      continue;
    if (other.getConstantLowerBound() != 0)
      return refuse(other) << "expects a loop from 0";
    for (auto [index, binding] : llvm::enumerate(block.getBindings()))
      if (index != plan.iter &&
          space.dependsOn(space.getExpr(binding), other.getInductionVar()))
        return refuse(other)
               << "expects loops of the reduction to feed nothing "
                  "else in block @"
               << block.getName();
  }
  return DiagnosedSilenceableFailure::success();
}

/// The buffer of partial results, before the nest.
static AllocBufferOp createPartialBuffer(RewriterBase &rewriter,
                                         const Factoring &plan) {
  Operation *nest = ForOp(plan.loops.front());
  rewriter.setInsertionPoint(nest);
  auto type = cast<MemRefType>(plan.body.buffer.getType());
  AllocBufferOp allocation = getAllocation(plan.body.buffer);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(allocation
                          ? cast<Value>(allocation.getMixedSizes()[dim])
                          : memref::DimOp::create(rewriter, nest->getLoc(),
                                                  plan.body.buffer, dim)
                                .getResult());
  shape.insert(shape.begin() + plan.axis,
               *ForOp(plan.loop).getConstantExtent());
  return AllocBufferOp::create(rewriter, nest->getLoc(),
                               MemRefType::get(shape, type.getElementType()),
                               sizes);
}

/// `map` over other dimensions, with `inserted` as one more result.
static AffineMap getPartialMap(const Factoring &plan, ArrayRef<AffineExpr> dims,
                               AffineExpr inserted, unsigned numDims) {
  AffineMap map = plan.body.map.replaceDimsAndSymbols(
      dims, {}, numDims, plan.body.map.getNumSymbols());
  return map.insertResult(inserted, plan.axis);
}

/// Builds the block of partial results in the place of `plan.block`.
static BlockOp createPartialBlock(RewriterBase &rewriter, const Factoring &plan,
                                  Value partials) {
  BlockOp block = plan.block;
  Location loc = block.getLoc();
  MLIRContext *context = block.getContext();
  rewriter.setInsertionPoint(block);
  IndexSpace space(context);
  AffineExpr fed = space.getExpr(block.getBindings()[plan.iter]);

  // The factored variable falls into one for each loop of its binding.
  SmallVector<IterKind> kinds;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> bindings;
  SmallVector<int> newIndex(block.getNumIters(), -1);
  SmallVector<std::pair<Value, unsigned>> fedLoops;
  unsigned factor = 0;
  for (auto [index, binding] : llvm::enumerate(block.getBindings())) {
    if (index != plan.iter) {
      newIndex[index] = kinds.size();
      kinds.push_back(block.getIterKind(index));
      extents.push_back(block.getExtents()[index]);
      bindings.push_back(binding);
      continue;
    }
    for (ForOp loop : plan.loops) {
      Value variable = loop.getInductionVar();
      if (!space.dependsOn(fed, variable))
        continue;
      if (loop == plan.loop)
        factor = kinds.size();
      fedLoops.push_back({variable, kinds.size()});
      kinds.push_back(loop == plan.loop ? IterKind::Spatial : IterKind::Reduce);
      extents.push_back(loop.getUpperBound());
      bindings.push_back(variable);
    }
  }
  std::string name =
      block.getFunction().getUniqueBlockName((block.getName() + "_rf").str());
  auto partial = BlockOp::create(rewriter, loc, name, kinds, bindings, extents);
  rewriter.setInsertionPoint(partial.getBody()->getTerminator());

  // The old variable over the new ones.
  IndexSpace inner(context);
  SmallVector<AffineExpr> dims(space.getDims().size()), symbols;
  for (auto [variable, index] : fedLoops)
    for (auto [position, dim] : llvm::enumerate(space.getDims()))
      if (dim == variable)
        dims[position] = inner.getExpr(partial.getIterVars()[index]);
  for (AffineExpr &dim : dims)
    if (!dim)
      dim = rewriter.getAffineConstantExpr(0);
  for (Value symbol : space.getSymbols())
    symbols.push_back(inner.getExpr(symbol));
  AffineExpr oldValue = fed.replaceDimsAndSymbols(dims, symbols);
  IRMapping mapping;
  for (auto [index, iterVar] : llvm::enumerate(block.getIterVars()))
    mapping.map(iterVar, index == plan.iter
                             ? inner.materializeValue(rewriter, loc, oldValue)
                             : partial.getIterVars()[newIndex[index]]);

  TypedAttr neutral = plan.body.getNeutral();
  Value value;
  // Where loops overrun the old domain, nothing is added.
  AffineExpr inside =
      inner.getExpr(block.getExtents()[plan.iter]) - 1 - oldValue;
  if (inner.getBounds().isNonNegative(inside)) {
    value = cloneComputation(rewriter, block, plan.body.value, mapping);
  } else {
    SmallVector<Value> operands;
    IntegerSet set = inner.getSet(inside, operands);
    auto branch = affine::AffineIfOp::create(
        rewriter, loc, TypeRange(plan.body.value.getType()), set, operands,
        /*withElseRegion=*/true);
    OpBuilder::InsertionGuard insertion(rewriter);
    rewriter.setInsertionPointToEnd(branch.getElseBlock());
    Value nothing = arith::ConstantOp::create(rewriter, loc, neutral);
    affine::AffineYieldOp::create(rewriter, loc, nothing);
    rewriter.setInsertionPointToEnd(branch.getThenBlock());
    affine::AffineYieldOp::create(
        rewriter, loc,
        cloneComputation(rewriter, block, plan.body.value, mapping));
    value = branch.getResult(0);
  }

  SmallVector<AffineExpr> mapDims;
  for (int index : newIndex)
    mapDims.push_back(index < 0 ? rewriter.getAffineConstantExpr(0)
                                : rewriter.getAffineDimExpr(index));
  AffineMap map = getPartialMap(
      plan, mapDims, rewriter.getAffineDimExpr(factor), kinds.size());
  auto getStart = [&]() -> Value {
    return arith::ConstantOp::create(rewriter, loc, neutral);
  };
  if (partial.hasReduceIters()) {
    Value old = createLoad(rewriter, loc, partials, map, partial.getIterVars(),
                           plan.body.symbols);
    value = plan.body.combine(rewriter, loc, old, value);
  }
  createStore(rewriter, loc, value, partials, map, partial.getIterVars(),
              plan.body.symbols);
  if (partial.hasReduceIters()) {
    rewriter.setInsertionPointToStart(partial.getBody());
    auto init = InitOp::create(rewriter, loc);
    rewriter.setInsertionPoint(init.getBody()->getTerminator());
    createStore(rewriter, loc, getStart(), partials, map, partial.getIterVars(),
                plan.body.symbols);
  }
  partial.updateAccessRegions();
  IndexSpace guardSpace(context);
  SmallVector<AffineExpr> constraints =
      getDomainConstraints(partial, guardSpace);
  addGuard(partial, guardSpace, constraints);
  return partial;
}

/// Turns the block into the one that combines the partial results, after the
/// nest.
static void combinePartials(RewriterBase &rewriter, const Factoring &plan,
                            Value partials) {
  BlockOp block = plan.block;
  Location loc = block.getLoc();
  // Only the spatial variables stay, and the factored one, which now counts
  // partial results.
  SmallVector<IterKind> kinds;
  SmallVector<OpFoldResult> extents;
  SmallVector<AffineExpr> mapDims;
  SmallVector<unsigned> dropped;
  AffineExpr factor;
  for (auto [index, extent] : llvm::enumerate(block.getExtents())) {
    bool isFactor = index == plan.iter;
    if (block.getIterKind(index) == IterKind::Reduce && !isFactor) {
      dropped.push_back(index);
      mapDims.push_back(rewriter.getAffineConstantExpr(0));
      continue;
    }
    AffineExpr dim = rewriter.getAffineDimExpr(kinds.size());
    if (isFactor)
      factor = dim;
    mapDims.push_back(dim);
    kinds.push_back(block.getIterKind(index));
    extents.push_back(
        isFactor ? rewriter.getIndexAttr(*ForOp(plan.loop).getConstantExtent())
                 : extent);
  }

  // Value by value: the old computation goes.
  InitOp init = block.getInit();
  SmallVector<Operation *> old;
  for (Operation &op : block.getBody()->without_terminator())
    if (&op != plan.body.store && &op != init)
      old.push_back(&op);
  SmallVector<Value> iterVars;
  for (auto [index, iterVar] : llvm::enumerate(block.getIterVars()))
    if (!llvm::is_contained(dropped, index))
      iterVars.push_back(iterVar);
  AffineMap outMap = plan.body.map.replaceDimsAndSymbols(
      mapDims, {}, kinds.size(), plan.body.map.getNumSymbols());
  AffineMap inMap = getPartialMap(plan, mapDims, factor, kinds.size());
  rewriter.setInsertionPoint(plan.body.store);
  Value sum = createLoad(rewriter, loc, plan.body.buffer, outMap, iterVars,
                         plan.body.symbols);
  Value partial =
      createLoad(rewriter, loc, partials, inMap, iterVars, plan.body.symbols);
  Value result = plan.body.combine(rewriter, loc, sum, partial);
  createStore(rewriter, loc, result, plan.body.buffer, outMap, iterVars,
              plan.body.symbols);
  rewriter.eraseOp(plan.body.store);
  for (Operation *op : llvm::reverse(old))
    rewriter.eraseOp(op);

  rewriter.setInsertionPointAfter(ForOp(plan.loops.front()));
  SmallVector<Value> bindings;
  for (ForOp loop : buildLoops(rewriter, loc, extents))
    bindings.push_back(loop.getInductionVar());
  rewriter.moveOpBefore(block, rewriter.getInsertionBlock(),
                        rewriter.getInsertionPoint());
  rewriter.modifyOpInPlace(block, [&] {
    for (unsigned index : llvm::reverse(dropped))
      block.getBody()->eraseArgument(index);
    block.setGuard(IntegerSet(), {});
    SmallVector<Attribute> kindAttrs;
    for (IterKind kind : kinds)
      kindAttrs.push_back(IterKindAttr::get(block.getContext(), kind));
    block.setIterKindsAttr(rewriter.getArrayAttr(kindAttrs));
    block.getBindingsMutable().assign(bindings);
    block.setExtents(extents);
    block.updateAccessRegions();
  });
}

DiagnosedSilenceableFailure mlir::tir::rfactor(RewriterBase &rewriter,
                                               ForOp loop, int64_t axis,
                                               BlockOp &partial) {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  if (blocks.size() != 1)
    return refuse(loop) << "expects a loop around one block, but got "
                        << blocks.size();
  Factoring plan;
  plan.block = blocks.front();
  plan.loop = loop;
  DiagnosedSilenceableFailure possible = checkFactoring(plan, axis);
  if (!possible.succeeded())
    return possible;
  OpBuilder::InsertionGuard insertion(rewriter);
  AllocBufferOp partials = createPartialBuffer(rewriter, plan);
  partial = createPartialBlock(rewriter, plan, partials);
  combinePartials(rewriter, plan, partials);
  return DiagnosedSilenceableFailure::success();
}
