//===- TypeVocabulary.cpp - What rules ask of types ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VocabularyBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static Type getElementType(Value value) {
  RankedTensorType type = getTensorType(value);
  return type ? type.getElementType() : Type();
}

static bool isFloat(Value value) {
  return isa_and_nonnull<FloatType>(getElementType(value));
}

static bool isNumber(Value value) {
  Type type = getElementType(value);
  return type && !type.isInteger(1);
}

static bool isSameType(Value a, Value b) { return a.getType() == b.getType(); }

static bool keepsSizes(Value x, Value other, Value root) {
  RankedTensorType type = getTensorType(x), otherType = getTensorType(other),
                   rootType = getTensorType(root);
  if (!type || !otherType || !rootType ||
      type.getShape() != rootType.getShape() ||
      otherType.getRank() > type.getRank())
    return false;
  // Dimensions are aligned at the last one.
  return llvm::all_of(llvm::zip(llvm::reverse(type.getShape()),
                                llvm::reverse(otherType.getShape())),
                      [](auto sizes) {
                        auto [size, otherSize] = sizes;
                        return ShapedType::isStatic(size) || otherSize == 1;
                      });
}

static bool keepsType(Value x, Value other, Value root) {
  return isSameType(x, root) && keepsSizes(x, other, root);
}

/// Other operators that broadcast take vectors, along an axis.
static bool isBroadcast(Operation *op) {
  const OperatorSchema *schema = getOperatorSchema(op);
  if (!schema || !isa<BroadcastOpInterface>(op) ||
      schema->operands.size() != op->getNumOperands())
    return false;
  return llvm::all_of(
      llvm::zip_equal(schema->operands, op->getOperands()), [](auto operand) {
        auto &[schema, value] = operand;
        Type type = getElementType(value);
        return type && schema.accepts(RankedTensorType::get({}, type));
      });
}

static FailureOr<Attribute> getStaticShape(Value value) {
  RankedTensorType type = getTensorType(value);
  if (!type || !type.hasStaticShape())
    return failure();
  return Attribute(DenseI64ArrayAttr::get(value.getContext(), type.getShape()));
}

static FailureOr<Attribute> hasEmptySize(Attribute shape) {
  auto sizes = cast<DenseI64ArrayAttr>(shape).asArrayRef();
  return Attribute(
      BoolAttr::get(shape.getContext(), llvm::is_contained(sizes, 0)));
}

static FailureOr<Attribute> getElementDType(Value value) {
  if (Type type = getElementType(value))
    return Attribute(TypeAttr::get(type));
  return failure();
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Whether each value of `from` is one of `to`.
static bool isLossless(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(),
                                      toFloat.getFloatSemantics());
  auto fromInteger = dyn_cast<IntegerType>(from);
  if (!fromInteger)
    return false;
  unsigned bits = fromInteger.getWidth();
  bool isSigned = !fromInteger.isUnsigned() && bits != 1;
  // Up to 2^bits, so it is enough to count the digits.
  if (toFloat)
    return bits <= toFloat.getFPMantissaWidth() &&
           static_cast<int>(bits) <=
               APFloat::semanticsMaxExponent(toFloat.getFloatSemantics());
  auto toInteger = dyn_cast<IntegerType>(to);
  if (!toInteger)
    return false;
  bool isToSigned = !toInteger.isUnsigned() && toInteger.getWidth() != 1;
  if (isSigned == isToSigned)
    return bits <= toInteger.getWidth();
  return !isSigned && bits < toInteger.getWidth();
}

static bool castsThrough(Value x, Value between, Value root) {
  Type from = getElementType(x), middle = getElementType(between),
       to = getElementType(root);
  if (!from || !middle || !to || !isLossless(from, middle))
    return false;
  // Integers lose high bits, but floats beyond the range become the end of it.
  bool isThroughFloat = isa<IntegerType>(from) && isa<FloatType>(middle);
  return !isThroughFloat || !isa<IntegerType>(to) || to.isInteger(1) ||
         isLossless(from, to);
}

void relay::detail::addTypeConstraints(VocabularyBuilder &builder) {
  builder.addConstraint("IsFloat", isFloat);
  builder.addConstraint("IsNumber", isNumber);
  builder.addConstraint("IsSameType", isSameType);
  builder.addConstraint("KeepsType", keepsType);
  builder.addConstraint("KeepsSizes", keepsSizes);
  builder.addConstraint("IsBroadcast", isBroadcast);
  builder.addConstraint("StaticShape", getStaticShape);
  builder.addConstraint("HasEmptySize", hasEmptySize);
  builder.addConstraint("DType", getElementDType);
  builder.addConstraint("CastsThrough", castsThrough);
}
