//===- TermBuilder.cpp - Formulas of operators on tensors -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

Term relay::operator+(Term x, Term y) {
  return x.getBuilder().make<AddOp>(x.get(), y.get());
}
Term relay::operator-(Term x, Term y) {
  return x.getBuilder().make<SubtractOp>(x.get(), y.get());
}
Term relay::operator*(Term x, Term y) {
  return x.getBuilder().make<MultiplyOp>(x.get(), y.get());
}
Term relay::operator/(Term x, Term y) {
  return x.getBuilder().make<DivideOp>(x.get(), y.get());
}
Term relay::operator-(Term x) {
  return x.getBuilder().make<NegativeOp>(x.get());
}
Term relay::operator+(Term x, double number) {
  return x + x.getBuilder().number(number, x);
}
Term relay::operator-(Term x, double number) {
  return x - x.getBuilder().number(number, x);
}
Term relay::operator-(double number, Term x) {
  return x.getBuilder().number(number, x) - x;
}
Term relay::operator*(Term x, double number) {
  return x * x.getBuilder().number(number, x);
}
Term relay::operator/(Term x, double number) {
  return x / x.getBuilder().number(number, x);
}
Term relay::operator/(double number, Term x) {
  return x.getBuilder().number(number, x) / x;
}

Term relay::isLess(Term x, Term y) {
  return x.getBuilder().make<LessOp>(x.get(), y.get());
}
Term relay::isEqual(Term x, Term y) {
  return x.getBuilder().make<EqualOp>(x.get(), y.get());
}
Term relay::exp(Term x) { return x.getBuilder().make<ExpOp>(x.get()); }
Term relay::log(Term x) { return x.getBuilder().make<LogOp>(x.get()); }
Term relay::sqrt(Term x) { return x.getBuilder().make<SqrtOp>(x.get()); }
Term relay::power(Term x, Term y) {
  return x.getBuilder().make<PowerOp>(x.get(), y.get());
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Term TermBuilder::number(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute attr;
  if (auto floating = dyn_cast<FloatType>(elementType)) {
    bool lossy;
    APFloat number(value);
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    attr = FloatAttr::get(floating, number);
  } else {
    // As in a conversion, every other number than 0 is true.
    attr = IntegerAttr::get(elementType, elementType.isInteger(1)
                                             ? value != 0
                                             : static_cast<int64_t>(value));
  }
  return make<ConstantOp>(DenseElementsAttr::get(type, attr));
}

Term TermBuilder::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    getI64Type());
  return make<ConstantOp>(DenseElementsAttr::get(type, values));
}

Term TermBuilder::castTo(Value x, Type elementType) {
  if (getElementTypeOrSelf(x) == elementType)
    return term(x);
  return make<CastOp>(x, elementType);
}

Term TermBuilder::ascribe(Value x, RankedTensorType type) {
  if (x.getType() == type)
    return term(x);
  return make<AscribeOp>(type, x);
}

Term TermBuilder::zerosLike(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.hasStaticShape())
    return make<ZerosOp>(type.getShape(), type.getElementType());
  return make<ZerosLikeOp>(x);
}

Term TermBuilder::onesLike(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  if (type.hasStaticShape())
    return make<OnesOp>(type.getShape(), type.getElementType());
  return make<OnesLikeOp>(x);
}

Term TermBuilder::shapeOf(Value x) {
  return make<ShapeOfOp>(x, TypeAttr::get(getI64Type()));
}

Term TermBuilder::sizeOf(Value x, int64_t dim, Type elementType) {
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.isDynamicDim(dim))
    return number(static_cast<double>(type.getDimSize(dim)), elementType);
  Term position = number(static_cast<double>(dim), getI64Type());
  Term size = make<TakeOp>(shapeOf(x).get(), position.get(), /*batch_dims=*/0,
                           getI64IntegerAttr(0), "clip");
  return castTo(size, elementType);
}

Term TermBuilder::countPer(Term x, Term y) {
  RankedTensorType from = x.getType(), to = y.getType();
  Type elementType = to.getElementType();
  if (from.hasStaticShape() && to.hasStaticShape() && to.getNumElements() != 0)
    return number(double(from.getNumElements()) / double(to.getNumElements()),
                  elementType);
  auto count = [&](Term of) {
    return make<CastOp>(
        make<NdarraySizeOp>(of.get(), TypeAttr::get(getI64Type())).get(),
        elementType);
  };
  return count(x) / count(y);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Term TermBuilder::reshape(Value x, ArrayRef<int64_t> codes) {
  return make<ReshapeOp>(x, codes);
}

Term TermBuilder::reshapeLike(Term x, Value like) {
  auto type = cast<RankedTensorType>(like.getType())
                  .clone(x.getType().getElementType());
  if (x.getType() == type)
    return x;
  // A size that is not known is what the others leave.
  bool isEmpty = llvm::is_contained(type.getShape(), 0);
  if (!isEmpty && type.getNumDynamicDims() <= 1) {
    SmallVector<int64_t> codes(type.getShape());
    for (int64_t &code : codes)
      code = ShapedType::isDynamic(code) ? -1 : code;
    Term result = reshape(x, codes);
    if (result.getType() == type)
      return result;
  }
  return make<ReshapeLikeOp>(x.get(), like, 0, IntegerAttr(), 0, IntegerAttr());
}

Term TermBuilder::transpose(Value x, ArrayRef<int64_t> axes) {
  if (llvm::equal(axes, llvm::seq<int64_t>(0, axes.size())))
    return term(x);
  return make<TransposeOp>(x, getDenseI64ArrayAttr(axes));
}

Term TermBuilder::transposeMatrix(Term x) {
  SmallVector<int64_t> axes(x.getRank());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return transpose(x, axes);
}

Term TermBuilder::changeLayout(Value x, StringRef from, StringRef to) {
  if (from == to)
    return term(x);
  if (from.size() == to.size()) {
    SmallVector<int64_t> axes;
    for (char letter : to)
      axes.push_back(from.find(letter));
    if (!llvm::is_contained(axes, static_cast<int64_t>(StringRef::npos)))
      return transpose(x, axes);
  }
  return make<LayoutTransformOp>(x, from, to);
}

Term TermBuilder::broadcastLike(Term x, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  RankedTensorType from = x.getType();
  if (type.hasStaticShape()) {
    if (from.getShape() == type.getShape())
      return x;
    return make<BroadcastToOp>(x.get(), type.getShape(), TypeAttr());
  }
  return x * castTo(onesLike(term(like)), from.getElementType());
}

Term TermBuilder::collapseLike(Term x, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  RankedTensorType from = x.getType();
  if (from == type && type.hasStaticShape())
    return x;
  int64_t leading = from.getRank() - type.getRank();
  SmallVector<int64_t> summed;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t size = from.getDimSize(dim);
    int64_t to = dim < leading ? 1 : type.getDimSize(dim - leading);
    if (size == to && !ShapedType::isDynamic(to))
      continue;
    // One of both may have to be summed.
    if (ShapedType::isDynamic(to) && size != 1)
      return make<CollapseSumLikeOp>(x.get(), like);
    if (to == 1)
      summed.push_back(dim);
  }
  if (summed.empty() && leading <= 0)
    return reshapeLike(x, like);
  for (int64_t dim = 0; dim < leading; ++dim)
    if (!llvm::is_contained(summed, dim))
      summed.push_back(dim);
  llvm::sort(summed);
  return reshapeLike(sum(x, summed), like);
}

Term TermBuilder::sum(Term x, ArrayRef<int64_t> axes, bool keepdims) {
  if (axes.empty())
    return x;
  return make<SumOp>(x.get(), getDenseI64ArrayAttr(axes), keepdims, false);
}

Term TermBuilder::sumAll(Term x) {
  SmallVector<int64_t> axes(x.getRank());
  std::iota(axes.begin(), axes.end(), 0);
  return sum(x, axes);
}

Term TermBuilder::where(Value condition, Value x, Value y) {
  return make<WhereOp>(condition, x, y);
}

Term TermBuilder::clip(Value x, double low, double high) {
  return make<ClipOp>(x, getF64FloatAttr(low), getF64FloatAttr(high));
}

Term TermBuilder::alongAxis(Term vector, int64_t axis, int64_t rank) {
  int64_t trailing = rank - normalize(axis, rank) - 1;
  if (trailing == 0)
    return vector;
  return make<ExpandDimsOp>(vector.get(), int64_t(1), trailing);
}

Term TermBuilder::slice(Term x, int64_t axis, int64_t begin, int64_t end,
                        int64_t stride) {
  if (begin == 0 && end == x.getSize(axis) && stride == 1)
    return x;
  return make<StridedSliceOp>(x.get(), ArrayRef(begin), ArrayRef(end),
                              getDenseI64ArrayAttr(stride), "end",
                              getDenseI64ArrayAttr(axis));
}
