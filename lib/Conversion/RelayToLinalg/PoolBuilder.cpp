//===- PoolBuilder.cpp - What all kinds of pooling share ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PoolBuilder.h"

#include "ElementMath.h"
#include "ReductionBuilder.h"
#include "WindowBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"

using namespace mlir;
using namespace mlir::relay::detail;

FailureOr<PoolingData> PoolingData::get(Value original, Value data,
                                        StringRef text) {
  auto type = cast<RankedTensorType>(original.getType());
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout) || layout->getRank() != type.getRank())
    return failure();
  PoolingData pooling{data, type.getElementType(), {}, {}};
  for (char letter : {'N', 'C'})
    pooling.others.append(layout->getParts(letter));
  for (char letter : {'D', 'H', 'W'})
    pooling.spatial.append(layout->getParts(letter));
  return pooling;
}

PoolingMaps
PoolingMaps::get(LinalgBuilder &b, const PoolingData &pooling,
                 llvm::function_ref<AffineExpr(int64_t, AffineExpr, AffineExpr)>
                     getPosition) {
  int64_t rank = pooling.getRank();
  int64_t loops = rank + pooling.spatial.size();
  SmallVector<AffineExpr> data(rank), result(rank), window;
  for (auto [loop, axis] : llvm::enumerate(pooling.others))
    data[axis] = result[axis] = b.dim(loop);
  for (auto [position, axis] : llvm::enumerate(pooling.spatial)) {
    AffineExpr output = b.dim(pooling.others.size() + position);
    AffineExpr step = b.dim(rank + position);
    data[axis] = getPosition(position, output, step);
    result[axis] = output;
    window.push_back(step);
  }
  return {b.map(loops, data), b.map(loops, window), b.map(loops, result)};
}

Type mlir::relay::detail::getPoolType(Pool pool, Type elementType) {
  return pool == Pool::Max ? elementType : getAverageType(elementType);
}

TypedAttr mlir::relay::detail::getNeutralAttr(Pool pool, Type type) {
  return pool == Pool::Max ? getLowestAttr(type) : getZeroAttr(type);
}

TypedAttr mlir::relay::detail::getPaddingAttr(Pool pool, Type type) {
  auto floating = dyn_cast<FloatType>(type);
  if (pool != Pool::Max || !floating)
    return getNeutralAttr(pool, type);
  return FloatAttr::get(type,
                        llvm::APFloat::getLargest(floating.getFloatSemantics(),
                                                  /*Negative=*/true));
}

Value mlir::relay::detail::emitPool(ImplicitLocOpBuilder &b, Pool pool,
                                    Type elementType, Value element,
                                    Value accumulator) {
  if (pool == Pool::Max)
    return ElementMath(b, elementType).max(accumulator, element);
  ElementMath math(b, getAverageType(elementType));
  return math.add(accumulator, math.convertFrom(elementType, element));
}

StringRef mlir::relay::detail::getPoolBlockName(const LinalgBuilder &b,
                                                Pool pool) {
  return pool == Pool::Max ? b.getBlockName() : StringRef("pool_sum");
}

Value mlir::relay::detail::buildPoolMean(
    LinalgBuilder &b, const PoolingData &pooling, Value sum,
    llvm::function_ref<OpFoldResult(ImplicitLocOpBuilder &)> emitCount) {
  Type sumType = getAverageType(pooling.elementType);
  return b.elements(b.getBlockName(), {{sum, b.identity(pooling.getRank())}},
                    b.getSizes(sum), getSignless(pooling.elementType),
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                      ElementMath math(bodyBuilder, sumType);
                      return ElementMath(bodyBuilder, pooling.elementType)
                          .convertFrom(
                              sumType,
                              emitMean(math, args[0], emitCount(bodyBuilder)));
                    });
}
