//===- ConstantVocabulary.cpp - What rules ask of constants -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VocabularyBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Constants of one value
//===----------------------------------------------------------------------===//

/// The element of a constant that has one value everywhere; null otherwise.
static TypedAttr getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                           : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return nullptr;
  return dyn_cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

/// The value that an operator puts into all elements; null if it does not.
static Value getFillValue(Value value) {
  Value fill;
  if (auto full = value.getDefiningOp<FullOp>())
    fill = full.getFillValue();
  else if (auto like = value.getDefiningOp<FullLikeOp>())
    fill = like.getFillValue();
  else
    return nullptr;
  return getElementTypeOrSelf(fill) == getElementTypeOrSelf(value) ? fill
                                                                   : nullptr;
}

static bool isSplatOf(Value value, double number) {
  if (Value fill = getFillValue(value))
    value = fill;
  TypedAttr splat = getSplat(value);
  if (auto real = dyn_cast_or_null<FloatAttr>(splat))
    return real.getValueAsDouble() == number;
  auto integer = dyn_cast_or_null<IntegerAttr>(splat);
  return integer && integer.getValue() == static_cast<uint64_t>(number);
}

static bool makesZeros(Value value) {
  return isa_and_nonnull<ZerosOp, ZerosLikeOp>(value.getDefiningOp());
}

static bool makesOnes(Value value) {
  return isa_and_nonnull<OnesOp, OnesLikeOp>(value.getDefiningOp());
}

static bool isZero(Value value) {
  return makesZeros(value) || isSplatOf(value, 0);
}

static bool isOne(Value value) {
  return makesOnes(value) || isSplatOf(value, 1);
}

static bool isFilled(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() != 0 &&
         (makesZeros(value) || makesOnes(value) || getFillValue(value));
}

static Value makeScalar(PatternRewriter &rewriter, Value like,
                        Attribute number) {
  Type type = getElementTypeOrSelf(like);
  double value = cast<FloatAttr>(number).getValueAsDouble();
  TypedAttr element;
  if (isa<FloatType>(type))
    element = FloatAttr::get(type, value);
  else
    element = IntegerAttr::get(type, APInt(type.getIntOrFloatBitWidth(),
                                           static_cast<int64_t>(value),
                                           /*isSigned=*/true,
                                           /*implicitTrunc=*/true));
  return ConstantOp::create(
      rewriter, like.getLoc(),
      DenseElementsAttr::get(RankedTensorType::get({}, type),
                             Attribute(element)));
}

static Value makeFillScalar(PatternRewriter &rewriter, Value filled) {
  if (Value fill = getFillValue(filled))
    return fill;
  return makeScalar(rewriter, filled,
                    rewriter.getF64FloatAttr(makesOnes(filled) ? 1 : 0));
}

static Value makeIntegers(PatternRewriter &rewriter, Attribute list) {
  auto values = cast<DenseI64ArrayAttr>(list).asArrayRef();
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())},
                                    rewriter.getI64Type());
  return ConstantOp::create(rewriter, rewriter.getUnknownLoc(),
                            DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

static bool isConstant(Value value) {
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

static bool isNotConstant(Value value) { return !isConstant(value); }

/// Calls a function for each element of a tensor of floats; returns whether it
/// is true for all.
static bool allFloats(const Tensor &tensor,
                      function_ref<bool(const APFloat &)> predicate) {
  if (!isa<FloatType>(tensor.getElementType()))
    return true;
  return llvm::all_of(tensor.toDenseElements().getValues<APFloat>(), predicate);
}

static std::optional<Tensor> evaluateConstant(const Interpreter &interpreter,
                                              Value value) {
  InterpreterValue result;
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant || failed(interpreter.evaluateOp(constant, {}, result)))
    return std::nullopt;
  return result.getTensor();
}

/// Evaluates an operator on two constants, unless its result is larger than
/// both or, of floats, is beyond the range or so small that digits are lost.
template <typename OpTy>
static FailureOr<Attribute> fold(const Interpreter &interpreter, Value a,
                                 Value b) {
  if (!isConstant(a) || !isConstant(b))
    return failure();
  MLIRContext *context = a.getContext();
  // What fails stays as it is.
  SilentDiagnostics silence(context);
  std::optional<Tensor> left = evaluateConstant(interpreter, a),
                        right = evaluateConstant(interpreter, b);
  if (!left || !right)
    return failure();
  OpBuilder builder(context);
  OwningOpRef<OpTy> op = OpTy::create(builder, a.getLoc(), a, b);
  auto type = cast<RankedTensorType>(op->getType());
  InterpreterValue result;
  if (type.getNumElements() >
          std::max(left->getNumElements(), right->getNumElements()) ||
      failed(interpreter.evaluateOp(*op, {*left, *right}, result)))
    return failure();
  const Tensor &tensor = result.getTensor();
  auto isFinite = [](const APFloat &value) { return value.isFinite(); };
  // A product of what is no zero may still be one, of too small numbers.
  bool mayVanish = std::is_same_v<OpTy, MultiplyOp>;
  auto isNonZero = [](const APFloat &value) { return value.isNonZero(); };
  bool hasZeros = !allFloats(*left, isNonZero) || !allFloats(*right, isNonZero);
  auto isGood = [&](const APFloat &value) {
    if (!mayVanish)
      return value.isFinite();
    return value.isNormal() || (value.isZero() && hasZeros);
  };
  if (!allFloats(*left, isFinite) || !allFloats(*right, isFinite) ||
      !allFloats(tensor, isGood))
    return failure();
  constexpr int64_t maxElements = 64;
  if (tensor.getNumElements() <= maxElements ||
      tensor.getElementType().isInteger(1))
    return Attribute(tensor.toDenseElements());
  return Attribute(tensor.toDenseResource("simplified"));
}

static FailureOr<Attribute> getReciprocal(const Interpreter &interpreter,
                                          Value value) {
  if (!isConstant(value) || !isa<FloatType>(getElementTypeOrSelf(value)))
    return failure();
  std::optional<Tensor> tensor = evaluateConstant(interpreter, value);
  if (!tensor)
    return failure();
  DenseElementsAttr elements = tensor->toDenseElements();
  bool isGood = true;
  auto invert = [&](const APFloat &divisor) {
    APFloat result = APFloat::getOne(divisor.getSemantics());
    result.divide(divisor, APFloat::rmNearestTiesToEven);
    isGood &= divisor.isZero() || divisor.isInfinity() || result.isNormal();
    return result.bitcastToAPInt();
  };
  DenseElementsAttr result =
      elements.mapValues(elements.getElementType(),
                         [&](const APFloat &value) { return invert(value); });
  if (!isGood)
    return failure();
  return Attribute(result);
}

void relay::detail::addConstantConstraints(VocabularyBuilder &builder) {
  builder.addConstraint("IsZero", isZero);
  builder.addConstraint("IsOne", isOne);
  builder.addConstraint("IsFilled", isFilled);
  builder.addConstraint("IsNotConstant", isNotConstant);
  builder.addEvaluation("FoldedSum", fold<AddOp>);
  builder.addEvaluation("FoldedProduct", fold<MultiplyOp>);
  builder.addEvaluation("Reciprocal", getReciprocal);
}

void relay::detail::addConstantRewrites(VocabularyBuilder &builder) {
  builder.addRewrite("Scalar", makeScalar);
  builder.addRewrite("FillScalar", makeFillScalar);
  builder.addRewrite("Integers", makeIntegers);
}
