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

void CodeBuilder::loadSymbols(unsigned index, ArrayRef<StringAttr> names) {
  for (auto [position, name] : llvm::enumerate(names))
    sizes[scope.getSymbol(name)] =
        load(builder.getI64Type(),
             element(getArgument(index), position, builder.getI64Type()));
}

/// Quotient and remainder of division that rounds down, by a divisor that is
/// positive.
Value CodeBuilder::computeFloor(AffineBinaryOpExpr expr) {
  Value lhs = sizes.lookup(expr.getLHS()), rhs = sizes.lookup(expr.getRHS());
  // An empty dimension must not trap here; what is divided by it is empty too.
  if (!isa<AffineConstantExpr>(expr.getRHS()))
    rhs = max(rhs, constant(1));
  Value remainder = LLVM::SRemOp::create(builder, loc, lhs, rhs);
  Value isNegative = LLVM::ICmpOp::create(
      builder, loc, LLVM::ICmpPredicate::slt, remainder, constant(0));
  if (expr.getKind() == AffineExprKind::Mod) {
    Value moved = LLVM::AddOp::create(builder, loc, remainder, rhs);
    return LLVM::SelectOp::create(builder, loc, isNegative, moved, remainder);
  }
  Value quotient = LLVM::SDivOp::create(builder, loc, lhs, rhs);
  Value below = LLVM::SubOp::create(builder, loc, quotient, constant(1));
  return LLVM::SelectOp::create(builder, loc, isNegative, below, quotient);
}

Value CodeBuilder::evaluate(AffineExpr expr) {
  if (Value known = sizes.lookup(expr))
    return known;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary) {
    evaluate(binary.getLHS());
    evaluate(binary.getRHS());
  }
  OpBuilder::InsertionGuard guard(builder);
  if (builder.getInsertionBlock() != entry)
    builder.setInsertionPoint(entry->getTerminator());
  Value value;
  if (auto constantExpr = dyn_cast<AffineConstantExpr>(expr)) {
    value = constant(constantExpr.getValue());
  } else {
    // Canonical expressions have no ceildiv, and all symbols are loaded.
    Value lhs = sizes.lookup(binary.getLHS());
    Value rhs = sizes.lookup(binary.getRHS());
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      value = LLVM::AddOp::create(builder, loc, lhs, rhs);
      break;
    case AffineExprKind::Mul:
      value = LLVM::MulOp::create(builder, loc, lhs, rhs);
      break;
    default:
      value = computeFloor(binary);
    }
  }
  sizes[expr] = value;
  return value;
}

Value CodeBuilder::evaluateStorage(ArrayRef<AffineExpr> alternatives) {
  Value bytes = constant(0);
  for (AffineExpr expr : alternatives) {
    AffineExpr aligned =
        expr.ceilDiv(RELAY_BUFFER_ALIGNMENT) * RELAY_BUFFER_ALIGNMENT;
    bytes = max(bytes, evaluate(relax::canonicalizeSymbolicExpr(aligned)));
  }
  return bytes;
}

void CodeBuilder::returnUnlessZero(Value status) {
  Block *next = new Block, *failed = new Block;
  function.getBody().push_back(failed);
  function.getBody().push_back(next);
  Value isZero = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                      status, constant(0, 32));
  LLVM::CondBrOp::create(builder, loc, isZero, next, failed);
  builder.setInsertionPointToEnd(failed);
  LLVM::ReturnOp::create(builder, loc, status);
  builder.setInsertionPointToEnd(next);
}
