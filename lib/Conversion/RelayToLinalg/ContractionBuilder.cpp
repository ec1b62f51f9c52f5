//===- ContractionBuilder.cpp - Builds multiply-accumulate nests ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"

#include "ReductionBuilder.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value mlir::relay::detail::buildContraction(
    LinalgBuilder &b, Factor lhs, Factor rhs, ArrayRef<OpFoldResult> sizes,
    AffineMap resultMap, ArrayRef<utils::IteratorType> iterators,
    Type resultType) {
  Type sumType = getAccumulatorType(resultType);
  std::string name = b.getBlockName().str();
  Value init = b.filled(sizes, getZeroAttr(sumType), name + "_init");
  Value sum = b.nest(name, {{lhs.tensor, lhs.map}, {rhs.tensor, rhs.map}},
                     {init, resultMap}, iterators,
                     [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                       ElementMath math(bodyBuilder, sumType);
                       Value left = math.convertFrom(lhs.elementType, args[0]);
                       Value right = math.convertFrom(rhs.elementType, args[1]);
                       return math.add(args[2], math.mul(left, right));
                     });
  return buildNarrow(b, name + "_round", sum, getSignless(resultType));
}
