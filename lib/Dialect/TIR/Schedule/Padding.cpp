//===- Padding.cpp - Padded domains ---------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two primitives. pad_einsum rounds the extents of a sum of products up, so
// that tiles fit: operands are copied to larger buffers with zeros around them,
// and of the result the corner is copied back. decompose_padding splits a block
// that copies under a condition into one that fills everything and one that
// copies without a condition.
//
//===----------------------------------------------------------------------===//

#include "ReductionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// pad_einsum
//===----------------------------------------------------------------------===//

namespace {

/// One pad_einsum, once it is known to be possible.
struct EinsumPadding {
  BlockOp block;
  SmallVector<ForOp> loops;
  SmallVector<int64_t> extents, padded;
  /// The iteration variable of each index of each buffer that is read, and of
  /// the one that is written.
  llvm::MapVector<Value, SmallVector<int>> reads;
  Value output;
  SmallVector<int> outputIndex;

  bool isPadded(int iter) const {
    return iter >= 0 && extents[iter] != padded[iter];
  }
  bool isPadded(ArrayRef<int> index) const {
    return llvm::any_of(index, [&](int iter) { return isPadded(iter); });
  }
};

} // namespace

/// Whether `op` computes something for any operands, zeros included.
static bool isHarmless(Operation *op) {
  return isPure(op) &&
         !isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

/// Collects the loads that `value` is a product of; false if it is none.
static bool collectFactors(Value value, SmallVectorImpl<Operation *> &loads) {
  llvm::SetVector<Value> factors;
  factors.insert(value);
  for (size_t i = 0; i != factors.size(); ++i) {
    Operation *op = factors[i].getDefiningOp();
    if (isa_and_nonnull<affine::AffineLoadOp>(op)) {
      loads.push_back(op);
      continue;
    }
    // Zero stays zero when it gets wider.
    if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                         arith::SIToFPOp, arith::MulFOp, arith::MulIOp>(op))
      return false;
    factors.insert_range(op->getOperands());
  }
  return true;
}

static DiagnosedSilenceableFailure matchIndices(EinsumPadding &plan) {
  BlockOp block = plan.block;
  for (const BufferAccess &access : collectAccesses(block)) {
    FailureOr<SmallVector<int>> bare = matchBareIndices(access);
    Operation *parent = access.op->getParentOp();
    bool isPlain = (parent == block || isa<InitOp>(parent)) && succeeded(bare);
    if (isPlain) {
      SmallVector<int> &known =
          llvm::is_contained(block.getWrites(), access.buffer)
              ? plan.outputIndex
              : plan.reads[access.buffer];
      isPlain = known.empty() || ArrayRef(known) == ArrayRef(*bare);
      known = *bare;
    }
    auto type = cast<MemRefType>(access.buffer.getType());
    for (size_t dim = 0; isPlain && dim != bare->size(); ++dim) {
      int iter = (*bare)[dim];
      isPlain =
          !plan.isPadded(iter) || type.getDimSize(dim) == plan.extents[iter];
    }
    if (!isPlain) {
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects block @" << block.getName()
                        << " to index whole buffers by iteration variables";
      failure.attachNote(access.op->getLoc()) << "accessed here";
      return failure;
    }
    if (!type.hasStaticShape() &&
        (plan.isPadded(*bare) || access.buffer == plan.output))
      return refuse(block) << "expects static shapes to pad, but got " << type;
  }
  return DiagnosedSilenceableFailure::success();
}

/// Checks that the instances in the padding change no result.
static DiagnosedSilenceableFailure checkPaddedValue(EinsumPadding &plan) {
  BlockOp block = plan.block;
  for (Operation &op : block.getBody()->without_terminator())
    if (!isa<affine::AffineLoadOp, affine::AffineStoreOp, InitOp>(op) &&
        !isHarmless(&op)) {
      DiagnosedSilenceableFailure failure =
          refuse(block) << "expects operations that accept zeros in block @"
                        << block.getName();
      failure.attachNote(op.getLoc()) << "but got this one";
      return failure;
    }
  for (auto [iter, kind] : llvm::enumerate(block.getKinds())) {
    bool isOutput =
        llvm::is_contained(plan.outputIndex, static_cast<int>(iter));
    if (kind == IterKind::Opaque || (kind == IterKind::Reduce) == isOutput)
      return refuse(block) << "expects block @" << block.getName()
                           << " to index its result by all of its spatial "
                              "variables and no other";
  }
  bool readsOutput = llvm::is_contained(block.getReads(), plan.output);
  if (!block.hasReduceIters() && !readsOutput)
    return DiagnosedSilenceableFailure::success();
  if (!block.getInit())
    return refuse(block) << "expects an init in block @" << block.getName()
                         << ", which goes on from what is in its buffer";
  ReductionBody body;
  DiagnosedSilenceableFailure matched = matchReductionBody(block, body);
  if (!matched.succeeded())
    return matched;
  SmallVector<Operation *> factors;
  if (!isa<arith::AddFOp, arith::AddIOp>(body.combiner) ||
      !collectFactors(body.value, factors))
    return refuse(block) << "expects a sum of products in block @"
                         << block.getName();
  for (auto [iter, kind] : llvm::enumerate(block.getKinds())) {
    if (kind != IterKind::Reduce || !plan.isPadded(iter))
      continue;
    // A zero times infinity would be a contribution.
    for (Operation *load : factors)
      if (!llvm::is_contained(plan.reads[load->getOperand(0)],
                              static_cast<int>(iter))) {
        DiagnosedSilenceableFailure failure =
            refuse(block) << "expects every factor in block @"
                          << block.getName()
                          << " to be indexed by the padded reduce variable "
                          << iter;
        failure.attachNote(load->getLoc()) << "this one is not";
        return failure;
      }
  }
  return DiagnosedSilenceableFailure::success();
}

static DiagnosedSilenceableFailure
planEinsumPadding(EinsumPadding &plan, ArrayRef<int64_t> padding) {
  BlockOp block = plan.block;
  DiagnosedSilenceableFailure nested = matchTrivialNest(block, plan.loops);
  if (!nested.succeeded())
    return nested;
  if (padding.size() != block.getNumIters())
    return refuse(block) << "expects " << block.getNumIters()
                         << " paddings, one for each variable of block @"
                         << block.getName() << ", but got " << padding.size();
  for (auto [extent, multiple] : llvm::zip(block.getStaticExtents(), padding)) {
    constexpr int64_t maxPadding = int64_t(1) << 20;
    if (multiple <= 0)
      return refuse(block) << "expects positive paddings, but got " << multiple;
    if (multiple > maxPadding)
      return refuse(block) << "expects paddings of at most " << maxPadding
                           << ", but got " << multiple;
    if (ShapedType::isDynamic(extent) && multiple != 1)
      return refuse(block) << "expects constant extents to pad";
    plan.extents.push_back(extent);
    plan.padded.push_back(ShapedType::isDynamic(extent)
                              ? extent
                              : llvm::alignTo(extent, multiple));
  }
  SmallVector<Value> written = getWrittenBuffers(block);
  if (written.size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to write one buffer";
  plan.output = written.front();
  if (getWriters(plan.output).size() != 1)
    return refuse(block) << "expects block @" << block.getName()
                         << " to be the only one that writes its buffer";
  DiagnosedSilenceableFailure indexed = matchIndices(plan);
  if (!indexed.succeeded())
    return indexed;
  return checkPaddedValue(plan);
}

/// The shape of the buffer that replaces `buffer`.
static MemRefType getPaddedType(const EinsumPadding &plan, Value buffer,
                                ArrayRef<int> index) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [dim, iter] : llvm::enumerate(index))
    if (plan.isPadded(iter))
      shape[dim] = plan.padded[iter];
  return MemRefType::get(shape, type.getElementType());
}

/// Copies `source` to a larger buffer with zeros around it.
static Value padOperand(RewriterBase &rewriter, const EinsumPadding &plan,
                        Value source, ArrayRef<int> index, unsigned number) {
  BlockOp block = plan.block;
  Location loc = block.getLoc();
  MemRefType type = getPaddedType(plan, source, index);
  Value target = AllocBufferOp::create(rewriter, loc, type);
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(rewriter.getContext(), type.getShape());
  SmallVector<IterKind> kinds(extents.size(), IterKind::Spatial);
  SmallVector<AffineExpr> constraints;
  for (auto [dim, iter] : llvm::enumerate(index))
    if (plan.isPadded(iter))
      constraints.push_back(plan.extents[iter] - 1 -
                            rewriter.getAffineDimExpr(dim));
  std::string name = block.getFunction().getUniqueBlockName(
      (block.getName() + "_pad_" + Twine(number)).str());
  buildBlockNest(
      rewriter, loc, name, kinds, extents, [&](OpBuilder &body, BlockOp copy) {
        AffineMap identity = body.getMultiDimIdentityMap(extents.size());
        ValueRange iterVars = copy.getIterVars();
        SmallVector<bool> isEquality(constraints.size(), false);
        auto inside = affine::AffineIfOp::create(
            body, loc, TypeRange(type.getElementType()),
            IntegerSet::get(extents.size(), 0, constraints, isEquality),
            iterVars, /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard branch(body);
          body.setInsertionPointToEnd(inside.getThenBlock());
          affine::AffineYieldOp::create(
              body, loc, createLoad(body, loc, source, identity, iterVars));
          body.setInsertionPointToEnd(inside.getElseBlock());
          Value zero = arith::ConstantOp::create(
              body, loc, body.getZeroAttr(type.getElementType()));
          affine::AffineYieldOp::create(body, loc, zero);
        }
        createStore(body, loc, inside.getResult(0), target, identity, iterVars);
      });
  return target;
}

/// Lets the block write a larger buffer, whose corner is copied after the nest.
static Value cropResult(RewriterBase &rewriter, const EinsumPadding &plan) {
  BlockOp block = plan.block;
  Location loc = block.getLoc();
  MemRefType type = getPaddedType(plan, plan.output, plan.outputIndex);
  Value larger = AllocBufferOp::create(rewriter, loc, type);
  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPointAfter(getNest(block));
  SmallVector<OpFoldResult> extents = getAsIndexOpFoldResult(
      rewriter.getContext(),
      cast<MemRefType>(plan.output.getType()).getShape());
  SmallVector<IterKind> kinds(extents.size(), IterKind::Spatial);
  std::string name =
      block.getFunction().getUniqueBlockName((block.getName() + "_crop").str());
  buildBlockNest(
      rewriter, loc, name, kinds, extents, [&](OpBuilder &body, BlockOp copy) {
        AffineMap identity = body.getMultiDimIdentityMap(extents.size());
        Value value =
            createLoad(body, loc, larger, identity, copy.getIterVars());
        createStore(body, loc, value, plan.output, identity,
                    copy.getIterVars());
      });
  return larger;
}

DiagnosedSilenceableFailure mlir::tir::padEinsum(RewriterBase &rewriter,
                                                 BlockOp block,
                                                 ArrayRef<int64_t> padding) {
  EinsumPadding plan;
  plan.block = block;
  DiagnosedSilenceableFailure possible = planEinsumPadding(plan, padding);
  if (!possible.succeeded())
    return possible;
  OpBuilder::InsertionGuard insertion(rewriter);
  rewriter.setInsertionPoint(getNest(block));
  SmallVector<std::pair<Value, Value>> replaced;
  for (auto [number, entry] : llvm::enumerate(plan.reads))
    if (plan.isPadded(entry.second))
      replaced.push_back({entry.first, padOperand(rewriter, plan, entry.first,
                                                  entry.second, number)});
  if (plan.isPadded(plan.outputIndex))
    replaced.push_back({plan.output, cropResult(rewriter, plan)});
  for (auto [from, to] : replaced)
    rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
      return block->isAncestor(use.getOwner());
    });
  SmallVector<OpFoldResult> extents = block.getExtents();
  for (size_t iter = 0; iter != extents.size(); ++iter) {
    if (!plan.isPadded(iter))
      continue;
    extents[iter] = rewriter.getIndexAttr(plan.padded[iter]);
    ForOp loop = plan.loops[iter];
    rewriter.modifyOpInPlace(loop, [&] { loop.setUpperBound(extents[iter]); });
  }
  rewriter.modifyOpInPlace(block, [&] {
    block.setExtents(extents);
    block.updateAccessRegions();
  });
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// decompose_padding
//===----------------------------------------------------------------------===//

namespace {

/// A block that stores what it reads where `branch` holds, a constant
/// elsewhere.
struct PaddingBlock {
  affine::AffineIfOp branch;
  affine::AffineStoreOp store;
  /// Where each variable is inside: [low, high), if that is not everywhere.
  SmallVector<std::optional<std::pair<int64_t, int64_t>>> inside;
};

} // namespace

/// Takes the condition apart into an interval of each variable.
static bool matchBox(BlockOp block, PaddingBlock &padding) {
  IntegerSet set = padding.branch.getIntegerSet();
  padding.inside.resize(block.getNumIters());
  SmallVector<unsigned> iters;
  for (Value operand : padding.branch.getOperands()) {
    auto arg = dyn_cast<BlockArgument>(operand);
    if (!arg || arg.getOwner() != block.getBody())
      return false;
    iters.push_back(arg.getArgNumber());
  }
  for (unsigned i = 0, e = set.getNumConstraints(); i != e; ++i) {
    LinearSum sum = LinearSum::get(set.getConstraint(i));
    if (set.isEq(i) || sum.terms.size() != 1)
      return false;
    auto [term, coefficient] = sum.terms.front();
    unsigned position;
    if (auto dim = dyn_cast<AffineDimExpr>(term))
      position = dim.getPosition();
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(term))
      position = set.getNumDims() + symbol.getPosition();
    else
      return false;
    unsigned iter = iters[position];
    int64_t extent = block.getStaticExtents()[iter];
    if (ShapedType::isDynamic(extent) || std::abs(coefficient) != 1)
      return false;
    auto &interval = padding.inside[iter];
    if (!interval)
      interval = {0, extent};
    if (coefficient == 1)
      interval->first = std::max(interval->first, -sum.constant);
    else
      interval->second = std::min(interval->second, sum.constant + 1);
  }
  return llvm::all_of(padding.inside, [](const auto &interval) {
    return !interval || interval->first < interval->second;
  });
}

static DiagnosedSilenceableFailure matchPadding(BlockOp block,
                                                PaddingBlock &padding) {
  auto refusePadding = [&](const Twine &reason) {
    return refuse(block) << "expects block @" << block.getName()
                         << " to store an element where it exists and a "
                            "constant elsewhere, but "
                         << reason.str();
  };
  for (Operation &op : block.getBody()->without_terminator()) {
    if (auto branch = dyn_cast<affine::AffineIfOp>(op);
        branch && !padding.branch)
      padding.branch = branch;
    else if (auto store = dyn_cast<affine::AffineStoreOp>(op);
             store && !padding.store)
      padding.store = store;
    else if (!isPure(&op))
      return refusePadding("it does more");
  }
  if (!padding.branch || !padding.store ||
      padding.branch.getNumResults() != 1 ||
      padding.store.getValueToStore() != padding.branch.getResult(0))
    return refusePadding("it has no affine.if whose result it stores");
  for (IterKind kind : block.getKinds())
    if (kind != IterKind::Spatial)
      return refusePadding("it has a variable that is not spatial");
  for (Operation &op : padding.branch.getElseBlock()->without_terminator())
    if (!isPure(&op))
      return refusePadding("the other value is read from a buffer");
  if (!matchBox(block, padding))
    return refusePadding("its condition is no constant interval of each "
                         "variable");
  Value buffer = padding.store.getMemRef();
  if (getWriters(buffer).size() != 1 ||
      llvm::is_contained(block.getReads(), buffer))
    return refusePadding("its buffer is used otherwise");
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure mlir::tir::decomposePadding(RewriterBase &rewriter,
                                                        BlockOp block,
                                                        ForOp loop,
                                                        BlockOp &fill) {
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure nested = matchTrivialNest(block, loops);
  if (!nested.succeeded())
    return nested;
  if (loop != getNest(block))
    return refuse(loop) << "expects the outermost loop around block @"
                        << block.getName();
  PaddingBlock padding;
  DiagnosedSilenceableFailure matched = matchPadding(block, padding);
  if (!matched.succeeded())
    return matched;

  OpBuilder::InsertionGuard insertion(rewriter);
  Location loc = block.getLoc();
  rewriter.setInsertionPoint(loop);
  std::string name = block.getFunction().getUniqueBlockName(
      (block.getName() + "_pad_const").str());
  affine::AffineYieldOp outside = cast<affine::AffineYieldOp>(
      padding.branch.getElseBlock()->getTerminator());
  fill =
      buildBlockNest(rewriter, loc, name, block.getKinds(), block.getExtents(),
                     [&](OpBuilder &body, BlockOp created) {
                       IRMapping mapping;
                       mapping.map(block.getIterVars(), created.getIterVars());
                       Value value = cloneComputation(
                           body, block, outside.getOperand(0), mapping);
                       mapping.map(padding.branch.getResult(0), value);
                       for (Value operand : padding.store.getMapOperands())
                         cloneComputation(body, block, operand, mapping);
                       body.clone(*padding.store, mapping);
                     });

  // The block keeps the part inside, counted from 0.
  SmallVector<OpFoldResult> extents = block.getExtents();
  rewriter.setInsertionPointToStart(block.getBody());
  for (size_t iter = 0; iter != extents.size(); ++iter) {
    std::optional<std::pair<int64_t, int64_t>> interval = padding.inside[iter];
    if (!interval)
      continue;
    extents[iter] = rewriter.getIndexAttr(interval->second - interval->first);
    ForOp iterLoop = loops[iter];
    rewriter.modifyOpInPlace(iterLoop,
                             [&] { iterLoop.setUpperBound(extents[iter]); });
    Value iterVar = block.getIterVars()[iter];
    Value shifted =
        affine::AffineApplyOp::create(
            rewriter, loc,
            AffineMap::get(1, 0,
                           rewriter.getAffineDimExpr(0) + interval->first),
            iterVar)
            .getResult();
    rewriter.replaceUsesWithIf(iterVar, shifted, [&](OpOperand &use) {
      return use.getOwner() != shifted.getDefiningOp();
    });
  }
  rewriter.modifyOpInPlace(block, [&] { block.setExtents(extents); });
  Block *taken = padding.branch.getThenBlock();
  Value value = taken->getTerminator()->getOperand(0);
  rewriter.eraseOp(taken->getTerminator());
  rewriter.inlineBlockBefore(taken, padding.branch);
  rewriter.replaceOp(padding.branch, value);
  normalizeAccesses(rewriter, block);
  return DiagnosedSilenceableFailure::success();
}
