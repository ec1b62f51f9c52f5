//===- SizeExprs.cpp - Sizes as functions of arguments --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeExprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tir;

SizeExprs::SizeExprs(PrimFuncOp kernel) : context(kernel.getContext()) {
  for (BlockArgument arg :
       kernel.getArguments().drop_back(kernel.getNumWorkspaces())) {
    auto type = cast<MemRefType>(arg.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        symbols[{arg, dim}] = symbols.size();
  }
}

AffineExpr SizeExprs::get(OpFoldResult size) const {
  Known known;
  return get(size, known);
}

AffineExpr SizeExprs::get(Value size) const { return get(OpFoldResult(size)); }

AffineExpr SizeExprs::get(OpFoldResult size, Known &known) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  auto value = cast<Value>(size);
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  AffineExpr expr = compute(value, known);
  known[value] = expr;
  return expr;
}

AffineExpr SizeExprs::compute(Value size, Known &known) const {
  Operation *op = size.getDefiningOp();
  if (!op)
    return {};
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](memref::DimOp dim) { return getDim(dim, known); })
      .Case([&](affine::AffineApplyOp apply) { return getApply(apply, known); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::FloorDivSIOp,
            arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](Operation *binary) { return getBinary(binary, known); })
      .Default([](Operation *) { return AffineExpr(); });
}

AffineExpr SizeExprs::getNumElements(BlockArgument argument) const {
  AffineExpr count = getAffineConstantExpr(1, context);
  auto type = cast<MemRefType>(argument.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count = count *
            (type.isDynamicDim(dim)
                 ? getAffineSymbolExpr(symbols.lookup({argument, dim}), context)
                 : getAffineConstantExpr(type.getDimSize(dim), context));
  return count;
}

AffineExpr SizeExprs::getDim(memref::DimOp dim, Known &known) const {
  std::optional<int64_t> index = dim.getConstantIndex();
  if (!index)
    return {};
  if (auto alloc = dim.getSource().getDefiningOp<AllocBufferOp>())
    return get(alloc.getMixedSizes()[*index], known);
  auto it = symbols.find({dim.getSource(), *index});
  return it == symbols.end() ? AffineExpr()
                             : getAffineSymbolExpr(it->second, context);
}

AffineExpr SizeExprs::getApply(affine::AffineApplyOp apply,
                               Known &known) const {
  SmallVector<AffineExpr> operands;
  for (Value operand : apply.getMapOperands()) {
    operands.push_back(get(operand, known));
    if (!operands.back())
      return {};
  }
  unsigned numDims = apply.getAffineMap().getNumDims();
  return apply.getAffineMap().getResult(0).replaceDimsAndSymbols(
      ArrayRef(operands).take_front(numDims),
      ArrayRef(operands).drop_front(numDims));
}

/// Sizes are not negative, so rounding towards zero rounds down.
AffineExpr SizeExprs::getBinary(Operation *op, Known &known) const {
  AffineExpr lhs = get(op->getOperand(0), known);
  AffineExpr rhs = get(op->getOperand(1), known);
  if (!lhs || !rhs)
    return {};
  if (isa<arith::AddIOp>(op))
    return lhs + rhs;
  if (isa<arith::SubIOp>(op))
    return lhs - rhs;
  if (isa<arith::MulIOp>(op))
    return lhs * rhs;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return lhs.ceilDiv(rhs);
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return lhs % rhs;
  return lhs.floorDiv(rhs);
}
