//===- Gradient.cpp - How gradients of operators are written --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

SmallVector<int64_t> gradients::getOthers(int64_t axis, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      result.push_back(i);
  return result;
}

bool gradients::isDifferentiable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

Term gradients::operator+(Term x, Term y) {
  return x.getGradient().make<AddOp>(x.get(), y.get());
}
Term gradients::operator-(Term x, Term y) {
  return x.getGradient().make<SubtractOp>(x.get(), y.get());
}
Term gradients::operator*(Term x, Term y) {
  return x.getGradient().make<MultiplyOp>(x.get(), y.get());
}
Term gradients::operator/(Term x, Term y) {
  return x.getGradient().make<DivideOp>(x.get(), y.get());
}
Term gradients::operator-(Term x) {
  return x.getGradient().make<NegativeOp>(x.get());
}
Term gradients::operator+(Term x, double number) {
  return x + x.getGradient().number(number, x);
}
Term gradients::operator-(Term x, double number) {
  return x - x.getGradient().number(number, x);
}
Term gradients::operator-(double number, Term x) {
  return x.getGradient().number(number, x) - x;
}
Term gradients::operator*(Term x, double number) {
  return x * x.getGradient().number(number, x);
}
Term gradients::operator/(Term x, double number) {
  return x / x.getGradient().number(number, x);
}
Term gradients::operator/(double number, Term x) {
  return x.getGradient().number(number, x) / x;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Gradient::needs(unsigned operand) const {
  return isDifferentiable(op->getOperand(operand).getType());
}

void Gradient::set(unsigned operand, Term value) {
  if (!needs(operand))
    return;
  Value like = op->getOperand(operand);
  value = castTo(value, getElementTypeOrSelf(like));
  results[operand] = reshapeLike(value, like);
}

void Gradient::setSum(unsigned operand, Term value) {
  if (!needs(operand))
    return;
  Value like = op->getOperand(operand);
  results[operand] =
      collapseLike(castTo(value, getElementTypeOrSelf(like)), like);
}

InFlightDiagnostic Gradient::refuse() {
  InFlightDiagnostic diag = op->emitOpError("expects ");
  diag.attachNote() << "its gradient is not known otherwise; one can be given "
                       "by a function with the attribute FPrimalGradient";
  return diag;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Term Gradient::number(double value, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Attribute attr;
  if (auto floating = dyn_cast<FloatType>(elementType)) {
    bool lossy;
    APFloat number(value);
    number.convert(floating.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                   &lossy);
    attr = FloatAttr::get(floating, number);
  } else {
    attr = IntegerAttr::get(elementType, static_cast<int64_t>(value));
  }
  return make<ConstantOp>(DenseElementsAttr::get(type, attr));
}

Term Gradient::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    getI64Type());
  return make<ConstantOp>(DenseElementsAttr::get(type, values));
}

Term Gradient::castTo(Term x, Type elementType) {
  if (x.getType().getElementType() == elementType)
    return x;
  return make<CastOp>(x.get(), elementType);
}

Term Gradient::zerosLike(Term x) {
  RankedTensorType type = x.getType();
  if (type.hasStaticShape())
    return make<ZerosOp>(type.getShape(), type.getElementType());
  return make<ZerosLikeOp>(x.get());
}

Term Gradient::onesLike(Term x) {
  RankedTensorType type = x.getType();
  if (type.hasStaticShape())
    return make<OnesOp>(type.getShape(), type.getElementType());
  return make<OnesLikeOp>(x.get());
}

Term Gradient::countPer(Term x, Term y) {
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

Term Gradient::reshape(Term x, ArrayRef<int64_t> codes) {
  return make<ReshapeOp>(x.get(), codes);
}

Term Gradient::reshapeLike(Term x, Value like) {
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

Term Gradient::transpose(Term x, ArrayRef<int64_t> axes) {
  if (llvm::equal(axes, llvm::seq<int64_t>(0, axes.size())))
    return x;
  return make<TransposeOp>(x.get(), getDenseI64ArrayAttr(axes));
}

Term Gradient::transposeMatrix(Term x) {
  SmallVector<int64_t> axes(x.getRank());
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return transpose(x, axes);
}

Term Gradient::broadcastLike(Term x, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  RankedTensorType from = x.getType();
  if (type.hasStaticShape()) {
    if (from.getShape() == type.getShape())
      return x;
    return make<BroadcastToOp>(x.get(), type.getShape(), TypeAttr());
  }
  return x * castTo(onesLike(term(like)), from.getElementType());
}

Term Gradient::collapseLike(Term x, Value like) {
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

Term Gradient::sum(Term x, ArrayRef<int64_t> axes, bool keepdims) {
  if (axes.empty())
    return x;
  return make<SumOp>(x.get(), getDenseI64ArrayAttr(axes), keepdims, false);
}

Term Gradient::sumAll(Term x) {
  SmallVector<int64_t> axes(x.getRank());
  std::iota(axes.begin(), axes.end(), 0);
  return sum(x, axes);
}

Term Gradient::where(Term condition, Term x, Term y) {
  return make<WhereOp>(condition.get(), x.get(), y.get());
}

Term Gradient::alongAxis(Term vector, int64_t axis, int64_t rank) {
  int64_t trailing = rank - normalize(axis, rank) - 1;
  if (trailing == 0)
    return vector;
  return make<ExpandDimsOp>(vector.get(), int64_t(1), trailing);
}

Term Gradient::slice(Term x, int64_t axis, int64_t begin, int64_t end,
                     int64_t stride) {
  if (begin == 0 && end == x.getSize(axis) && stride == 1)
    return x;
  return make<StridedSliceOp>(x.get(), ArrayRef(begin), ArrayRef(end),
                              getDenseI64ArrayAttr(stride), "end",
                              getDenseI64ArrayAttr(axis));
}

//===----------------------------------------------------------------------===//
// Operators that move elements
//===----------------------------------------------------------------------===//

Term Gradient::getPositions(unsigned index) {
  Type i64 = getI64Type();
  SmallVector<Value> operands(op->getOperands());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Term x = term(operand);
    if (!isDifferentiable(operand.getType()))
      continue;
    Term size = make<NdarraySizeOp>(operand, TypeAttr::get(i64));
    if (x.getType().hasStaticShape())
      size = number(double(x.getType().getNumElements()), i64);
    Term one = number(1, i64);
    Term integers = castTo(zerosLike(x), i64);
    if (i == index) {
      Term numbers =
          make<ArangeOp>(one.get(), (size + one).get(), one.get(), i64);
      integers = reshapeLike(numbers, operand);
    }
    operand = integers;
  }
  OperationState state(getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.addTypes(cast<RankedTensorType>(op->getResult(0).getType()).clone(i64));
  return term(create(state)->getResult(0));
}

void Gradient::setMoved(unsigned operand) {
  if (!needs(operand))
    return;
  Term x = term(op->getOperand(operand)), g = get();
  Term positions = reshape(getPositions(operand), {1, -1});
  // Element 0 takes what is of no use.
  Term flat = reshape(zerosLike(x), {-1});
  Term one = reshape(number(0, flat), {1});
  Term places =
      make<ConcatenateOp>(ValueRange{one.get(), flat.get()}, int64_t(0));
  Term sums = make<ScatterNdOp>(places.get(), positions.get(),
                                reshape(g, {-1}).get(), "add");
  set(operand, make<StridedSliceOp>(
                   sums.get(), ArrayRef<int64_t>{1},
                   ArrayRef<int64_t>{std::numeric_limits<int64_t>::max()},
                   getDenseI64ArrayAttr({1}), "end", DenseI64ArrayAttr()));
}
