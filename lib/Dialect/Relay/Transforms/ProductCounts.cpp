//===- ProductCounts.cpp - How much a contraction computes ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductCounts.h"

using namespace mlir;
using namespace mlir::relay;

/// A size, or a typical one if it is not known.
static double guessSize(RankedTensorType type, unsigned axis) {
  constexpr int64_t kTypicalSize = 64;
  return type.isDynamicDim(axis) ? kTypicalSize : type.getDimSize(axis);
}

double relay::countElements(RankedTensorType type) {
  double count = 1;
  for (unsigned axis = 0; axis != type.getRank(); ++axis)
    count *= guessSize(type, axis);
  return count;
}

double relay::countProducts(ContractionOpInterface op, RankedTensorType weight,
                            RankedTensorType result) {
  double count = countElements(result);
  for (int64_t axis : op.getSummedWeightAxes())
    count *= guessSize(weight, axis);
  return count;
}
