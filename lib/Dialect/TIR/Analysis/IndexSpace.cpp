//===- IndexSpace.cpp - Index values as expressions -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Analysis/IndexSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tir;

AffineExpr IndexSpace::getInput(Value value, SmallVectorImpl<Value> &inputs,
                                bool isDim) {
  auto *it = llvm::find(inputs, value);
  unsigned position = it - inputs.begin();
  if (it == inputs.end())
    inputs.push_back(value);
  return isDim ? getAffineDimExpr(position, context)
               : getAffineSymbolExpr(position, context);
}

AffineExpr IndexSpace::getExpr(Value value) {
  IndexReader reader;
  return getExpr(value, reader);
}

AffineExpr IndexSpace::getExpr(Value value, IndexReader &reader) {
  return reader.read(value, [&](Value leaf) -> AffineExpr {
    if (readsArith)
      if (AffineExpr expr = getArithExpr(leaf, reader))
        return expr;
    auto arg = dyn_cast<BlockArgument>(leaf);
    bool isDim = arg && isa<ForOp, BlockOp, affine::AffineForOp>(
                            arg.getOwner()->getParentOp());
    return getInput(leaf, isDim ? dims : symbols, isDim);
  });
}

AffineExpr IndexSpace::getArithExpr(Value value, IndexReader &reader) {
  // Deeper than any index of ours, and not too deep for the stack.
  constexpr unsigned kMaxDepth = 64;
  Operation *op = value.getDefiningOp();
  if (!op || arithDepth == kMaxDepth)
    return {};
  llvm::SaveAndRestore depth(arithDepth, arithDepth + 1);
  if (isa<arith::AddIOp>(op))
    return getExpr(op->getOperand(0), reader) +
           getExpr(op->getOperand(1), reader);
  if (isa<arith::SubIOp>(op))
    return getExpr(op->getOperand(0), reader) -
           getExpr(op->getOperand(1), reader);
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1})
      if (std::optional<int64_t> factor =
              getConstantIntValue(op->getOperand(i)))
        return getExpr(op->getOperand(1 - i), reader) * *factor;
  return {};
}

AffineExpr IndexSpace::getExpr(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return getAffineConstantExpr(cast<IntegerAttr>(attr).getInt(), context);
  return getExpr(cast<Value>(value));
}

AffineExpr IndexSpace::getExpr(AffineExpr expr, unsigned numDims,
                               ValueRange operands) {
  SmallVector<AffineExpr> dimExprs, symbolExprs;
  for (auto [index, operand] : llvm::enumerate(operands))
    (index < numDims ? dimExprs : symbolExprs).push_back(getExpr(operand));
  return expr.replaceDimsAndSymbols(dimExprs, symbolExprs);
}

IndexBounds IndexSpace::getBounds() {
  IndexBounds bounds;
  // Bounds of loops may name further inputs, hence the growing list.
  for (size_t i = 0; i < dims.size(); ++i) {
    auto arg = cast<BlockArgument>(dims[i]);
    Operation *owner = arg.getOwner()->getParentOp();
    OpFoldResult upper, lower = IntegerAttr::get(IndexType::get(context), 0);
    if (auto loop = dyn_cast<affine::AffineForOp>(owner)) {
      // A loop in the body of a block.
      bool isKnown = arg == loop.getInductionVar() && loop.hasConstantBounds();
      bounds.dims.push_back(isKnown
                                ? IndexRange{loop.getConstantLowerBound(),
                                             loop.getConstantUpperBound() - 1}
                                : IndexRange::unknown());
      bounds.dimExtents.push_back({});
      continue;
    }
    if (auto loop = dyn_cast<ForOp>(owner)) {
      lower = loop.getLowerBound();
      upper = loop.getUpperBound();
    } else {
      upper = cast<BlockOp>(owner).getExtents()[arg.getArgNumber()];
    }
    IndexRange range = IndexRange::nonNegative();
    if (std::optional<int64_t> constant = getConstantIntValue(lower))
      range.min = *constant;
    AffineExpr extent;
    if (std::optional<int64_t> constant = getConstantIntValue(upper)) {
      range.max = *constant - 1;
    } else {
      extent = getExpr(cast<Value>(upper));
      if (!extent.isSymbolicOrConstant())
        extent = AffineExpr();
    }
    bounds.dims.push_back(range);
    bounds.dimExtents.push_back(extent);
  }
  for (Value symbol : symbols)
    bounds.symbols.push_back(symbol.getDefiningOp<memref::DimOp>()
                                 ? IndexRange::nonNegative()
                                 : IndexRange::unknown());
  return bounds;
}

OpFoldResult IndexSpace::materialize(OpBuilder &builder, Location loc,
                                     AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return builder.getIndexAttr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  AffineMap map = AffineMap::get(dims.size(), symbols.size(), expr);
  SmallVector<Value> operands = dims;
  llvm::append_range(operands, symbols);
  dropUnusedOperands(map, operands);
  return affine::AffineApplyOp::create(builder, loc, map, operands).getResult();
}

Value IndexSpace::materializeValue(OpBuilder &builder, Location loc,
                                   AffineExpr expr) {
  OpFoldResult result = materialize(builder, loc, expr);
  if (auto value = dyn_cast<Value>(result))
    return value;
  // Constants go to the start of the kernel, so that nests stay perfect.
  int64_t constant = *getConstantIntValue(result);
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<PrimFuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<PrimFuncOp>();
  if (!function)
    return arith::ConstantIndexOp::create(builder, loc, constant);
  for (Operation &op : *function.getBody()) {
    auto known = dyn_cast<arith::ConstantIndexOp>(op);
    if (known && known.value() == constant)
      return known;
    if (!isa<arith::ConstantOp>(op))
      break;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(function.getBody());
  return arith::ConstantIndexOp::create(builder, loc, constant);
}

IntegerSet IndexSpace::getSet(ArrayRef<AffineExpr> constraints,
                              SmallVectorImpl<Value> &operands) {
  AffineMap map =
      AffineMap::get(dims.size(), symbols.size(), constraints, context);
  operands.assign(dims.begin(), dims.end());
  operands.append(symbols.begin(), symbols.end());
  dropUnusedOperands(map, operands);
  SmallVector<bool> isEquality(constraints.size(), false);
  return IntegerSet::get(map.getNumDims(), map.getNumSymbols(),
                         map.getResults(), isEquality);
}

bool IndexSpace::dependsOn(AffineExpr expr, Value value) const {
  const auto *it = llvm::find(dims, value);
  return it != dims.end() && expr.isFunctionOfDim(it - dims.begin());
}
