//===- AffineEvaluation.cpp - Values of affine expressions ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/AffineEvaluation.h"

#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;

int64_t mlir::relay::evaluateAffineExpr(AffineExpr expr, ArrayRef<int64_t> dims,
                                        ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluateAffineExpr(binary.getLHS(), dims, symbols);
  int64_t rhs = evaluateAffineExpr(binary.getRHS(), dims, symbols);
  // An empty dimension must not trap; what is divided by it is empty too.
  if (expr.getKind() != AffineExprKind::Add &&
      expr.getKind() != AffineExprKind::Mul)
    rhs = std::max<int64_t>(rhs, 1);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return saturatingAdd(lhs, rhs);
  case AffineExprKind::Mul:
    return saturatingMultiply(lhs, rhs);
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(lhs, rhs);
  default:
    llvm_unreachable("not a binary expression");
  }
}
