//===- ReductionBuilder.cpp - Builds reductions over tensor axes ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::relay::detail;

AxisReduction::AxisReduction(LinalgBuilder &builder, Value data,
                             const llvm::SmallBitVector &reduced, bool keepDims)
    : b(builder), data(data),
      rank(cast<RankedTensorType>(data.getType()).getRank()) {
  for (int64_t axis = 0; axis < rank; ++axis)
    (reduced[axis] ? reducedAxes : keptAxes).push_back(axis);

  SmallVector<AffineExpr> dataExprs(rank), keptExprs(rank);
  SmallVector<AffineExpr> resultExprs, broadcastExprs;
  for (auto [loop, axis] : llvm::enumerate(keptAxes))
    dataExprs[axis] = b.dim(loop);
  for (auto [loop, axis] : llvm::enumerate(reducedAxes))
    dataExprs[axis] = b.dim(keptAxes.size() + loop);
  for (int64_t axis = 0; axis < rank; ++axis) {
    keptExprs[axis] = reduced[axis] ? b.constant(0) : dataExprs[axis];
    if (reduced[axis] && !keepDims)
      continue;
    resultExprs.push_back(keptExprs[axis]);
    broadcastExprs.push_back(reduced[axis] ? b.constant(0) : b.dim(axis));
    resultSizes.push_back(reduced[axis] ? b.getIndexAttr(1)
                                        : b.getSize(data, axis));
  }
  dataMap = b.map(rank, dataExprs);
  keptMap = b.map(rank, keptExprs);
  resultMap = b.map(rank, resultExprs);
  broadcastMap = b.map(rank, broadcastExprs);
}

Iterators AxisReduction::getIterators() const {
  return detail::getIterators(keptAxes.size(), reducedAxes.size());
}

OpFoldResult AxisReduction::getCount() const {
  OpFoldResult count = b.getIndexAttr(1);
  for (int64_t axis : reducedAxes)
    count = b.multiply(count, b.getSize(data, axis));
  return count;
}

Value AxisReduction::reduce(StringRef name, TypedAttr initial,
                            ElementBody combine, ArrayRef<Access> others) {
  SmallVector<Access> inputs = {{data, dataMap}};
  llvm::append_range(inputs, others);
  Value init = b.filled(resultSizes, initial, (name + "_init").str());
  return b.nest(name, inputs, {init, resultMap}, getIterators(), combine);
}

Value mlir::relay::detail::emitMean(const ElementMath &math, Value sum,
                                    OpFoldResult count, int64_t correction) {
  ImplicitLocOpBuilder &b = math.getBuilder();
  if (std::optional<int64_t> known = getConstantIntValue(count)) {
    // The mean of no elements is 0, not NaN.
    double divisor =
        correction == 0 ? std::max<int64_t>(*known, 1) : *known - correction;
    if (math.isFloat())
      return math.mul(sum, math.number(1.0 / divisor));
    return math.div(sum, math.number(divisor));
  }
  Value divisor =
      arith::IndexCastOp::create(b, b.getI64Type(), cast<Value>(count));
  ElementMath integer(b, b.getI64Type());
  divisor = correction == 0 ? integer.max(divisor, integer.one())
                            : integer.sub(divisor, integer.number(correction));
  return math.div(sum, math.convertFrom(b.getI64Type(), divisor));
}

Value mlir::relay::detail::buildSum(AxisReduction &reduction, StringRef name,
                                    Type elementType) {
  Type sumType = getAverageType(elementType);
  return reduction.reduce(
      name, getZeroAttr(sumType),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        ElementMath math(b, sumType);
        return math.add(args[1], math.convertFrom(elementType, args[0]));
      });
}

Value mlir::relay::detail::buildNarrow(LinalgBuilder &b, StringRef name,
                                       Value data, Type type) {
  auto dataType = cast<RankedTensorType>(data.getType());
  if (dataType.getElementType() == type)
    return data;
  return b.elements(name, {{data, b.identity(dataType.getRank())}},
                    b.getSizes(data), type,
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                      return ElementMath(bodyBuilder, type).narrow(args[0]);
                    });
}
