//===- IndexSize.cpp - Sizes of index expressions ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/IndexSize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// Sizes of the parts of one expression, each computed once.
class PartSizes {
public:
  PartSizes(unsigned numDims, ArrayRef<int64_t> operandSizes)
      : numDims(numDims), operandSizes(operandSizes) {}

  int64_t get(AffineExpr expr) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return operandSizes[dim.getPosition()];
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return operandSizes[numDims + symbol.getPosition()];
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return 1;
    auto it = known.find(expr);
    if (it != known.end())
      return it->second;
    int64_t size = std::min(IndexSizes::kUnbounded,
                            get(binary.getLHS()) + get(binary.getRHS()) + 1);
    known[expr] = size;
    return size;
  }

private:
  unsigned numDims;
  ArrayRef<int64_t> operandSizes;
  llvm::SmallDenseMap<AffineExpr, int64_t> known;
};

} // namespace

int64_t IndexSizes::get(AffineExpr expr, unsigned numDims,
                        ArrayRef<int64_t> operandSizes) {
  return PartSizes(numDims, operandSizes).get(expr);
}

int64_t IndexSizes::get(AffineExpr expr, unsigned numDims,
                        ValueRange operands) {
  SmallVector<int64_t> sizes;
  for (Value operand : operands)
    sizes.push_back(get(operand));
  return get(expr, numDims, sizes);
}

int64_t IndexSizes::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  int64_t size = 1;
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    size = get(apply.getAffineMap().getResult(0),
               apply.getAffineMap().getNumDims(), apply.getMapOperands());
  known[value] = size;
  return size;
}
