//===- CodeBuilder.cpp - Code of the host module --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeBuilder.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

void CodeBuilder::loadSymbols(unsigned index, relax::FuncOp main) {
  for (auto [position, name] : llvm::enumerate(main.getSymbols())) {
    AffineExpr symbol = scope.getSymbol(name);
    sizes[symbol] = {
        load(builder.getI64Type(),
             element(getArgument(index), position, builder.getI64Type())),
        Value()};
    checkedSizes[symbol] = sizes[symbol];
  }
  for (Operation &op : main.getBody().front())
    if (std::optional<relax::ExtremeSize> size = relax::ExtremeSize::of(&op))
      extremes.try_emplace(scope.getSymbol(size->symbol), *size);
}

void CodeBuilder::walkParameters(
    AffineExpr expr, function_ref<void(StringAttr)> callback) const {
  // Extreme sizes have other ones in them, which several may share.
  SmallVector<AffineExpr> worklist = {expr};
  DenseSet<AffineExpr> seen;
  while (!worklist.empty())
    worklist.pop_back_val().walk([&](AffineExpr part) {
      auto symbol = dyn_cast<AffineSymbolExpr>(part);
      if (!symbol || !seen.insert(symbol).second)
        return;
      auto it = extremes.find(symbol);
      if (it == extremes.end())
        callback(scope.getNames()[symbol.getPosition()]);
      else
        llvm::append_range(worklist, scope.import(it->second.sizes));
    });
}

CodeBuilder::Checked
CodeBuilder::computeExtreme(const relax::ExtremeSize &extreme, bool isChecked) {
  SmallVector<Checked> all;
  for (AffineExpr size : scope.import(extreme.sizes))
    all.push_back(compute(relax::canonicalizeSymbolicExpr(size), isChecked));
  OpBuilder::InsertionGuard guard(builder);
  if (builder.getInsertionBlock() != entry)
    builder.setInsertionPoint(entry->getTerminator());
  Checked result = all.front();
  for (Checked other : ArrayRef(all).drop_front())
    result = {extreme.isMax ? max(result.value, other.value)
                            : min(result.value, other.value),
              either(result.overflow, other.overflow)};
  return result;
}

/// Quotient and remainder of division that rounds down, by a divisor that is
/// positive.
Value CodeBuilder::computeFloor(AffineBinaryOpExpr expr, Value lhs, Value rhs) {
  // An empty dimension must not trap here; what is divided by it is empty too.
  if (!isa<AffineConstantExpr>(expr.getRHS()))
    rhs = max(rhs, constant(1));
  Value remainder = LLVM::SRemOp::create(builder, loc, lhs, rhs);
  Value isNegative = compare(LLVM::ICmpPredicate::slt, remainder, constant(0));
  if (expr.getKind() == AffineExprKind::Mod) {
    Value moved = LLVM::AddOp::create(builder, loc, remainder, rhs);
    return LLVM::SelectOp::create(builder, loc, isNegative, moved, remainder);
  }
  Value quotient = LLVM::SDivOp::create(builder, loc, lhs, rhs);
  Value below = LLVM::SubOp::create(builder, loc, quotient, constant(1));
  return LLVM::SelectOp::create(builder, loc, isNegative, below, quotient);
}

Value CodeBuilder::either(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return LLVM::OrOp::create(builder, loc, lhs, rhs);
}

CodeBuilder::Checked CodeBuilder::callWithOverflow(bool isProduct, Checked lhs,
                                                   Checked rhs) {
  Type pair = LLVM::LLVMStructType::getLiteral(
      builder.getContext(), {builder.getI64Type(), builder.getI1Type()});
  Value result = isProduct
                     ? LLVM::SMulWithOverflowOp::create(builder, loc, pair,
                                                        lhs.value, rhs.value)
                           .getResult()
                     : LLVM::SAddWithOverflowOp::create(builder, loc, pair,
                                                        lhs.value, rhs.value)
                           .getResult();
  Value overflow = LLVM::ExtractValueOp::create(builder, loc, result, 1);
  return {LLVM::ExtractValueOp::create(builder, loc, result, 0),
          either(overflow, either(lhs.overflow, rhs.overflow))};
}

CodeBuilder::Checked CodeBuilder::addChecked(Checked lhs, Checked rhs) {
  return callWithOverflow(/*isProduct=*/false, lhs, rhs);
}

CodeBuilder::Checked CodeBuilder::multiplyChecked(Checked lhs, Checked rhs) {
  Checked product = callWithOverflow(/*isProduct=*/true, lhs, rhs);
  // What is too large times zero is zero; so is what became of it.
  for (Checked factor : {lhs, rhs}) {
    Value isOther = compare(LLVM::ICmpPredicate::ne, factor.value, constant(0));
    isOther = either(isOther, factor.overflow);
    product.overflow =
        LLVM::AndOp::create(builder, loc, product.overflow, isOther);
  }
  return product;
}

CodeBuilder::Checked CodeBuilder::compute(AffineExpr expr, bool isChecked) {
  DenseMap<AffineExpr, Checked> &known = isChecked ? checkedSizes : sizes;
  auto it = known.find(expr);
  if (it != known.end())
    return it->second;
  if (auto extreme = extremes.find(expr); extreme != extremes.end()) {
    Checked result = computeExtreme(extreme->second, isChecked);
    return known[expr] = result;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  Checked lhs, rhs;
  if (binary) {
    lhs = compute(binary.getLHS(), isChecked);
    rhs = compute(binary.getRHS(), isChecked);
  }
  OpBuilder::InsertionGuard guard(builder);
  if (builder.getInsertionBlock() != entry)
    builder.setInsertionPoint(entry->getTerminator());
  Checked result;
  if (auto constantExpr = dyn_cast<AffineConstantExpr>(expr)) {
    result.value = constant(constantExpr.getValue());
    return known[expr] = result;
  }
  // Canonical expressions have no ceildiv, and all symbols are loaded.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    if (isChecked)
      result = addChecked(lhs, rhs);
    else
      result.value = LLVM::AddOp::create(builder, loc, lhs.value, rhs.value);
    break;
  case AffineExprKind::Mul:
    if (isChecked)
      result = multiplyChecked(lhs, rhs);
    else
      result.value = LLVM::MulOp::create(builder, loc, lhs.value, rhs.value);
    break;
  default:
    result = {computeFloor(binary, lhs.value, rhs.value),
              either(lhs.overflow, rhs.overflow)};
  }
  return known[expr] = result;
}

Value CodeBuilder::evaluate(AffineExpr expr) {
  return compute(expr, /*isChecked=*/false).value;
}

CodeBuilder::Checked CodeBuilder::evaluateChecked(AffineExpr expr) {
  return compute(expr, /*isChecked=*/true);
}

static AffineExpr alignSize(AffineExpr bytes) {
  return relax::canonicalizeSymbolicExpr(bytes.ceilDiv(RELAY_BUFFER_ALIGNMENT) *
                                         RELAY_BUFFER_ALIGNMENT);
}

Value CodeBuilder::evaluateStorage(ArrayRef<AffineExpr> alternatives) {
  Value bytes = constant(0);
  for (AffineExpr expr : alternatives)
    bytes = max(bytes, evaluate(alignSize(expr)));
  return bytes;
}

CodeBuilder::Checked
CodeBuilder::evaluateStorageChecked(ArrayRef<AffineExpr> alternatives) {
  Checked bytes{constant(0), Value()};
  for (AffineExpr expr : alternatives) {
    Checked size = evaluateChecked(alignSize(expr));
    bytes = {max(bytes.value, size.value),
             either(bytes.overflow, size.overflow)};
  }
  return bytes;
}

Value CodeBuilder::isEmpty(relax::ShapeAttr shape) {
  auto [it, isNew] = emptiness.try_emplace(shape);
  if (!isNew)
    return it->second;
  Value result;
  for (AffineExpr dim : scope.import(shape)) {
    dim = relax::canonicalizeSymbolicExpr(dim);
    auto known = dyn_cast<AffineConstantExpr>(dim);
    if (known && known.getValue() != 0)
      continue;
    result = either(
        result, compare(LLVM::ICmpPredicate::eq, evaluate(dim), constant(0)));
  }
  return emptiness[shape] = result;
}

void CodeBuilder::returnUnlessZero(Value status, Value result) {
  Block *next = new Block, *failed = new Block;
  function.getBody().push_back(failed);
  function.getBody().push_back(next);
  Value isZero = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                      status, constant(0, 32));
  LLVM::CondBrOp::create(builder, loc, isZero, next, failed);
  builder.setInsertionPointToEnd(failed);
  LLVM::ReturnOp::create(builder, loc, result ? result : status);
  builder.setInsertionPointToEnd(next);
}

void CodeBuilder::returnIf(Value condition, int32_t status,
                           ArrayRef<Value> values, Value place) {
  Block *next = new Block, *failed = new Block;
  function.getBody().push_back(failed);
  function.getBody().push_back(next);
  LLVM::CondBrOp::create(builder, loc, condition, failed, next);
  builder.setInsertionPointToEnd(failed);
  for (auto [index, value] : llvm::enumerate(values))
    store(value, element(place, index, builder.getI64Type()));
  LLVM::ReturnOp::create(builder, loc, constant(status, 32));
  builder.setInsertionPointToEnd(next);
}
