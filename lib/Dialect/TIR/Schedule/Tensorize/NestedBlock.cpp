//===- NestedBlock.cpp - A block as a function of its loops -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a nest into expressions: follows the values of bindings, guards and
// indices from the block up to the loops, and takes the guard apart into one
// limit for each loop and conditions on what lies outside. A nest that cannot
// be read so is refused with the reason.
//
//===----------------------------------------------------------------------===//

#include "NestedBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"

using namespace mlir;
using namespace mlir::tir;

AffineExpr NestedBlock::getSymbol(Value value) {
  auto *it = llvm::find(symbols, value);
  unsigned position = it - symbols.begin();
  if (it == symbols.end()) {
    symbols.push_back(value);
    IndexRange range = IndexRange::unknown();
    if (auto arg = dyn_cast<BlockArgument>(value)) {
      if (auto loop = dyn_cast<ForOp>(arg.getOwner()->getParentOp()))
        if (loop.getConstantLowerBound() == 0) {
          std::optional<int64_t> extent = loop.getConstantExtent();
          range = extent ? IndexRange::fromExtent(*extent)
                         : IndexRange::nonNegative();
        }
    } else if (value.getDefiningOp<memref::DimOp>()) {
      range = IndexRange::nonNegative();
    }
    bounds.symbols.push_back(range);
  }
  return getAffineSymbolExpr(position, value.getContext());
}

AffineExpr NestedBlock::getExpr(Value value) {
  IndexReader reader;
  return reader.read(value, [&](Value leaf) { return getLeaf(leaf); });
}

AffineExpr NestedBlock::getLeaf(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    if (arg.getOwner() == block.getBody())
      return iterExprs[arg.getArgNumber()];
    for (auto [index, loop] : llvm::enumerate(loops))
      if (loop.getInductionVar() == arg)
        return getAffineDimExpr(index, value.getContext());
  }
  if (loops.front().getRegion().isAncestor(value.getParentRegion()))
    return {};
  return getSymbol(value);
}

FailureOr<NestedBlock> NestedBlock::get(ForOp outermost, std::string &reason) {
  NestedBlock nest;
  Operation *op = outermost;
  while (auto loop = dyn_cast<ForOp>(op)) {
    if (loop.getConstantLowerBound() != 0) {
      reason = "expects loops that start at 0";
      return failure();
    }
    if (loop.getKind() == ForKind::Parallel ||
        loop.getKind() == ForKind::ThreadBinding) {
      reason = "expects loops of one thread";
      return failure();
    }
    nest.loops.push_back(loop);
    // Index arithmetic may stand between the loops.
    Operation *inner = nullptr;
    for (Operation &nested : loop.getBody()->without_terminator()) {
      if (isa<affine::AffineApplyOp>(nested) ||
          nested.hasTrait<OpTrait::ConstantLike>())
        continue;
      if (inner || !isa<ForOp, BlockOp>(nested)) {
        reason = "expects a perfect nest around one block";
        return failure();
      }
      inner = &nested;
    }
    if (!inner) {
      reason = "expects a block in the nest";
      return failure();
    }
    op = inner;
  }
  nest.block = cast<BlockOp>(op);

  for (ForOp loop : nest.loops) {
    std::optional<int64_t> extent = loop.getConstantExtent();
    nest.bounds.dims.push_back(extent ? IndexRange::fromExtent(*extent)
                                      : IndexRange::nonNegative());
  }
  for (ForOp loop : nest.loops) {
    Value extent = loop.getDynamicUpperBound();
    AffineExpr expr = extent ? nest.getExpr(extent) : AffineExpr();
    if (extent && !expr) {
      reason = "expects loop bounds from outside the nest";
      return failure();
    }
    nest.bounds.dimExtents.push_back(expr);
  }
  for (Value binding : nest.block.getBindings()) {
    AffineExpr expr = nest.getExpr(binding);
    if (!expr) {
      reason = "expects affine bindings";
      return failure();
    }
    nest.iterExprs.push_back(nest.bounds.simplify(expr));
  }
  if (failed(nest.splitGuard(reason)))
    return failure();
  return nest;
}

LogicalResult NestedBlock::splitGuard(std::string &reason) {
  std::optional<IntegerSet> set = block.getPredicate();
  if (!set)
    return success();
  SmallVector<AffineExpr> dims, syms;
  for (auto [index, operand] : llvm::enumerate(block.getPredicateOperands())) {
    AffineExpr expr = getExpr(operand);
    if (!expr) {
      reason = "expects an affine guard";
      return failure();
    }
    (index < set->getNumDims() ? dims : syms).push_back(expr);
  }
  for (unsigned i = 0, e = set->getNumConstraints(); i != e; ++i) {
    AffineExpr expr = bounds.simplify(
        set->getConstraint(i).replaceDimsAndSymbols(dims, syms));
    LinearSum sum = LinearSum::get(expr);
    // At most one loop may take part, as `limit - loop - 1 >= 0`.
    std::optional<unsigned> guarded;
    LinearSum rest;
    rest.constant = sum.constant;
    bool separable = !set->isEq(i);
    for (auto [term, coefficient] : sum.terms) {
      auto dim = dyn_cast<AffineDimExpr>(term);
      bool onNest = false;
      for (unsigned loop = 0; loop != loops.size(); ++loop)
        onNest |= dependsOn(term, loop);
      if (!onNest) {
        rest.add(term, coefficient);
        continue;
      }
      separable &= dim && coefficient == -1 && !guarded;
      if (dim)
        guarded = dim.getPosition();
    }
    if (!separable) {
      reason = "expects a guard that bounds single loops from above";
      return failure();
    }
    if (guarded)
      guards.push_back({*guarded, rest.toExpr(block.getContext()) + 1});
    else
      outerGuards.push_back(expr);
  }
  return success();
}

AffineExpr NestedBlock::findSymbol(ForOp loop) const {
  const auto *it = llvm::find(symbols, loop.getInductionVar());
  if (it == symbols.end())
    return {};
  return getAffineSymbolExpr(it - symbols.begin(), block->getContext());
}

AffineExpr NestedBlock::getLinearIndex(Operation *op) {
  Value buffer;
  AffineMap map;
  SmallVector<Value> operands;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    buffer = load.getMemRef();
    map = load.getAffineMap();
    operands = load.getMapOperands();
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    buffer = store.getMemRef();
    map = store.getAffineMap();
    operands = store.getMapOperands();
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    buffer = load.getMemRef();
    operands = load.getIndices();
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    buffer = store.getMemRef();
    operands = store.getIndices();
  } else {
    return {};
  }
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.getLayout().isIdentity())
    return {};
  MLIRContext *context = op->getContext();
  if (!map)
    map = AffineMap::getMultiDimIdentityMap(operands.size(), context);
  SmallVector<AffineExpr> dims, syms;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    AffineExpr expr = getExpr(operand);
    if (!expr)
      return {};
    (index < map.getNumDims() ? dims : syms).push_back(expr);
  }

  AffineExpr linear = getAffineConstantExpr(0, context);
  AffineExpr stride = getAffineConstantExpr(1, context);
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    AffineExpr index = map.getResult(axis).replaceDimsAndSymbols(dims, syms);
    linear = linear + index * stride;
    if (axis == 0)
      break;
    if (!type.isDynamicDim(axis)) {
      stride = stride * type.getDimSize(axis);
      continue;
    }
    Value size = getSize(buffer, axis);
    if (!size)
      return {};
    stride = stride * getSymbol(size);
  }
  return bounds.simplify(linear);
}

Value NestedBlock::getSize(Value buffer, int64_t axis) {
  auto type = cast<MemRefType>(buffer.getType());
  if (auto alloc = buffer.getDefiningOp<AllocBufferOp>())
    return alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)];
  // Any size of an argument that the kernel computes is a `memref.dim`.
  for (Operation *user : buffer.getUsers())
    if (auto dim = dyn_cast<memref::DimOp>(user))
      if (dim.getConstantIndex() == axis && isa<PrimFuncOp>(dim->getParentOp()))
        return dim;
  // Otherwise compute it at the top of the kernel.
  if (!isa<BlockArgument>(buffer))
    return {};
  OpBuilder builder(block.getContext());
  builder.setInsertionPointToStart(&block.getFunction().getRegion().front());
  return memref::DimOp::create(builder, buffer.getLoc(), buffer, axis);
}

bool NestedBlock::isReduceLoop(unsigned index) const {
  for (auto [position, expr] : llvm::enumerate(iterExprs))
    if (dependsOn(expr, index) &&
        BlockOp(block).getIterKind(position) != IterKind::Spatial)
      return true;
  return false;
}

std::optional<int64_t> NestedBlock::getStride(AffineExpr expr, unsigned index) {
  int64_t stride = 0;
  for (auto [term, coefficient] : LinearSum::get(expr).terms) {
    auto dim = dyn_cast<AffineDimExpr>(term);
    if (dim && dim.getPosition() == index)
      stride += coefficient;
    else if (dependsOn(term, index))
      return std::nullopt;
  }
  return stride;
}

bool NestedBlock::staysInside(Value buffer, AffineExpr linear) const {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape())
    return false;
  IndexRange range = bounds.getRange(linear);
  return range.min && *range.min >= 0 && range.max &&
         *range.max < type.getNumElements();
}
