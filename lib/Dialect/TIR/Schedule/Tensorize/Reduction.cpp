//===- Reduction.cpp - What a block computes --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "TileEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/Analysis/CombiningKind.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"

using namespace mlir;
using namespace mlir::tir;

using vector::CombiningKind;

/// Whether the accumulator is a number from the start, and the reduction passes
/// over NaN.
static bool isExtremeOfNumbers(const Computation &computation) {
  APFloat start(0.0);
  return (computation.kind == CombiningKind::MAXNUMF ||
          computation.kind == CombiningKind::MINNUMF) &&
         computation.init &&
         matchPattern(computation.init, m_ConstantFloat(&start)) &&
         !start.isNaN();
}

TypedAttr Computation::getNeutral() const {
  // Combining as below, NaN would stay.
  if (isExtremeOfNumbers(*this)) {
    auto type = cast<FloatType>(getElementType());
    return FloatAttr::get(
        type, APFloat::getInf(type.getFloatSemantics(),
                              /*Negative=*/kind == CombiningKind::MAXNUMF));
  }
  return *arith::getNeutralElement(combiner);
}

bool Computation::isInitNeutral() const {
  switch (kind) {
  case CombiningKind::ADD:
    // Either zero starts a sum.
    return matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero());
  case CombiningKind::MUL:
    return matchPattern(init, m_OneFloat()) || matchPattern(init, m_One());
  case CombiningKind::XOR:
    return matchPattern(init, m_Zero());
  default:
    // Idempotent: combining with the start value again changes nothing.
    return true;
  }
}

Value Computation::combine(OpBuilder &builder, Value a, Value b) const {
  // One comparison tells, in the order of the instruction that it becomes.
  if (isExtremeOfNumbers(*this)) {
    Value isBeyond = arith::CmpFOp::create(builder, combiner->getLoc(),
                                           kind == CombiningKind::MAXNUMF
                                               ? arith::CmpFPredicate::OGT
                                               : arith::CmpFPredicate::OLT,
                                           b, a);
    return arith::SelectOp::create(builder, combiner->getLoc(), isBeyond, b, a);
  }
  Operation *clone = combiner->clone();
  clone->setOperands({a, b});
  clone->getResult(0).setType(a.getType());
  builder.insert(clone);
  return clone->getResult(0);
}

std::optional<std::pair<Value, Value>> Computation::getProduct() const {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !isa_and_nonnull<arith::AddFOp>(combiner))
    return std::nullopt;
  return std::make_pair(product.getLhs(), product.getRhs());
}

/// The only store in `region`, or null.
static Operation *getOnlyStore(Block &body) {
  Operation *store = nullptr;
  for (Operation &op : body) {
    if (!isa<affine::AffineStoreOp, memref::StoreOp>(op))
      continue;
    if (store)
      return nullptr;
    store = &op;
  }
  return store;
}

static bool isLoadOf(Operation *op, Value buffer) {
  return isa_and_nonnull<affine::AffineLoadOp, memref::LoadOp>(op) &&
         op->getOperand(0) == buffer;
}

/// The constant that `value` is where its condition does not hold.
static TypedAttr getElseConstant(Value value) {
  auto condition = value.getDefiningOp<affine::AffineIfOp>();
  if (!condition || condition.getNumResults() != 1)
    return {};
  Value otherwise = condition.getElseBlock()->getTerminator()->getOperand(0);
  TypedAttr constant;
  return matchPattern(otherwise, m_Constant(&constant)) ? constant
                                                        : TypedAttr();
}

static bool isZero(TypedAttr attr) {
  return attr &&
         (matchPattern(attr, m_AnyZeroFloat()) || matchPattern(attr, m_Zero()));
}

/// Whether `value`, a conversion of a guarded value or that value itself, is
/// zero where the condition does not hold.
static bool isElseZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
                      arith::SIToFPOp, arith::UIToFPOp>(op))
    return isElseZero(op->getOperand(0));
  return isZero(getElseConstant(value));
}

/// Whether combining with `value` changes nothing where its condition does not
/// hold: padding.
static bool isElseNeutral(const Computation &computation) {
  Value value = computation.value;
  if (computation.kind == CombiningKind::ADD) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<arith::MulFOp, arith::MulIOp>(op))
      return isElseZero(op->getOperand(0)) || isElseZero(op->getOperand(1));
    return isElseZero(value);
  }
  // The extremes are idempotent: what the reduction starts from is in it.
  TypedAttr otherwise = getElseConstant(value), init;
  bool isExtreme = computation.kind != CombiningKind::MUL &&
                   computation.kind != CombiningKind::XOR;
  return otherwise && isExtreme && computation.init &&
         matchPattern(computation.init, m_Constant(&init)) && init == otherwise;
}

FailureOr<Computation> mlir::tir::matchComputation(NestedBlock &nest,
                                                   std::string &reason,
                                                   bool allowGuards) {
  BlockOp block = nest.block;
  Computation result;
  result.store = getOnlyStore(*block.getBody());
  if (!result.store) {
    reason = "expects a block with one store";
    return failure();
  }
  AffineExpr position = nest.getLinearIndex(result.store);
  if (!position) {
    reason = "expects to store at an affine index of a row-major buffer";
    return failure();
  }
  Value buffer = result.getBuffer();
  result.value = result.store->getOperand(0);
  if (!result.value.getType().isIntOrFloat() ||
      result.value.getType().isInteger(1)) {
    reason = "expects results of at least a byte";
    return failure();
  }

  if (block.hasReduceIters()) {
    Operation *combiner = result.value.getDefiningOp();
    std::optional<CombiningKind> kind =
        combiner ? getCombiningKind(combiner) : std::nullopt;
    if (!kind || combiner->getBlock() != block.getBody()) {
      reason = "expects a reduction by one associative op";
      return failure();
    }
    result.combiner = combiner;
    result.kind = *kind;
    Operation *lhs = combiner->getOperand(0).getDefiningOp();
    unsigned old = isLoadOf(lhs, buffer) ? 0 : 1;
    Operation *previous = combiner->getOperand(old).getDefiningOp();
    if (!isLoadOf(previous, buffer) ||
        nest.getLinearIndex(previous) != position) {
      reason = "expects a reduction to update the element that it stores";
      return failure();
    }
    result.value = combiner->getOperand(1 - old);
    if (InitOp init = block.getInit()) {
      Operation *store = getOnlyStore(init.getRegion().front());
      if (!store || store->getOperand(1) != buffer ||
          nest.getLinearIndex(store) != position) {
        reason = "expects the init to store the element that the body updates";
        return failure();
      }
      result.init = store->getOperand(0);
      if (failed(checkVectorizable(nest, result.init, reason)))
        return failure();
    }
  } else if (block.getInit()) {
    reason = "expects reduce variables in a block with an init";
    return failure();
  }
  if (failed(checkVectorizable(nest, result.value, reason,
                               allowGuards ? &result.guards : nullptr)))
    return failure();
  if (!result.guards.empty() && (!result.combiner || !isElseNeutral(result))) {
    reason = "expects conditions only where they leave the result as it is";
    return failure();
  }
  for (const BufferAccess &access : collectAccesses(block)) {
    bool isUpdate = result.combiner && !access.isWrite &&
                    llvm::is_contained(result.combiner->getOperands(),
                                       access.op->getResult(0));
    if (!access.isWrite && access.buffer == buffer && !isUpdate) {
      reason = "expects a block that does not read what it writes";
      return failure();
    }
  }
  return result;
}

/// The part of a nest that reads an outer loop: whether only spatial variables
/// use it.
static IterKind getKindOf(const NestedBlock &nest, unsigned symbol) {
  BlockOp block = nest.block;
  for (auto [position, expr] : llvm::enumerate(nest.iterExprs))
    if (expr.isFunctionOfSymbol(symbol) &&
        block.getIterKind(position) != IterKind::Spatial)
      return block.getIterKind(position);
  return IterKind::Spatial;
}

FailureOr<BlockOp>
mlir::tir::createTensorizedBlock(RewriterBase &rewriter, NestedBlock &nest,
                                 SmallVectorImpl<Value> &symbolValues,
                                 std::string &reason) {
  SmallVector<Value> bindings;
  SmallVector<IterKind> kinds;
  SmallVector<OpFoldResult> extents;
  for (auto [position, symbol] : llvm::enumerate(nest.symbols)) {
    auto arg = dyn_cast<BlockArgument>(symbol);
    auto loop = arg ? dyn_cast<ForOp>(arg.getOwner()->getParentOp()) : ForOp();
    if (loop) {
      bindings.push_back(symbol);
      kinds.push_back(getKindOf(nest, position));
      extents.push_back(loop.getUpperBound());
    } else if (!isa<PrimFuncOp>(symbol.getParentBlock()->getParentOp())) {
      reason = "expects indices over loops and values from before the loops";
      return failure();
    }
  }
  ForOp outermost = nest.loops.front();
  rewriter.setInsertionPoint(outermost);
  auto block = BlockOp::create(rewriter, nest.block.getLoc(),
                               nest.block.getName(), kinds, bindings, extents);
  block->setDiscardableAttrs(nest.block->getDiscardableAttrDictionary());
  auto iterVar = block.getIterVars().begin();
  for (Value symbol : nest.symbols) {
    bool isLoop = llvm::is_contained(bindings, symbol);
    symbolValues.push_back(isLoop ? *iterVar++ : symbol);
  }
  return block;
}
