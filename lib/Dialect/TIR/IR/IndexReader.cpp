//===- IndexReader.cpp - Index values as expressions ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tir;

AffineExpr IndexReader::read(Value value, ReadLeaf readLeaf) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return getAffineConstantExpr(*constant, value.getContext());
  if (auto it = known.find(value); it != known.end())
    return it->second;
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply) {
    // What the leaf reads is known then, too, so that the place may be another.
    AffineExpr leaf = readLeaf(value);
    return known[value] = leaf;
  }
  AffineMap map = apply.getAffineMap();
  SmallVector<AffineExpr> operands;
  for (Value operand : apply.getMapOperands()) {
    operands.push_back(read(operand, readLeaf));
    if (!operands.back())
      return known[value] = {};
  }
  ArrayRef<AffineExpr> all = operands;
  return known[value] = map.getResult(0).replaceDimsAndSymbols(
             all.take_front(map.getNumDims()),
             all.drop_front(map.getNumDims()));
}
