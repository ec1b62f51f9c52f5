//===- TermBuilder.h - Formulas of operators on tensors ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gradients, decompositions, quantized arithmetic and passes that write
// formulas are written with.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_TERMBUILDER_H
#define RELAY_MLIR_DIALECT_RELAY_IR_TERMBUILDER_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::relay {

class TermBuilder;

/// A tensor in a formula.
class Term {
public:
  Term(TermBuilder &builder, Value value) : builder(&builder), value(value) {}

  operator Value() const { return value; }
  Value get() const { return value; }
  TermBuilder &getBuilder() const { return *builder; }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }
  Type getElementType() const { return getType().getElementType(); }
  int64_t getRank() const { return getType().getRank(); }
  int64_t getSize(int64_t dim) const { return getType().getDimSize(dim); }

private:
  TermBuilder *builder;
  Value value;
};

Term operator+(Term x, Term y);
Term operator-(Term x, Term y);
Term operator*(Term x, Term y);
Term operator/(Term x, Term y);
Term operator-(Term x);
// A number has the element type of the tensor.
Term operator+(Term x, double number);
Term operator-(Term x, double number);
Term operator-(double number, Term x);
Term operator*(Term x, double number);
Term operator/(Term x, double number);
Term operator/(double number, Term x);

Term isLess(Term x, Term y);
Term isEqual(Term x, Term y);
Term exp(Term x);
Term log(Term x);
Term sqrt(Term x);
Term power(Term x, Term y);

/// Makes operators whose types are inferred.
class TermBuilder : public ImplicitLocOpBuilder {
public:
  TermBuilder(Location loc, const OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  Term term(Value value) { return {*this, value}; }

  template <typename OpTy, typename... Args>
  Term make(Args &&...args) {
    return {*this, OpTy::create(static_cast<ImplicitLocOpBuilder &>(*this),
                                std::forward<Args>(args)...)
                       .getResult()};
  }
  /// The same by operands and attributes; other attributes have their defaults.
  /// Null, after an error, if these do not fit.
  template <typename OpTy>
  Term makeWith(ValueRange operands, ArrayRef<NamedAttribute> attributes) {
    OperationState state(getLoc(), OpTy::getOperationName());
    state.addOperands(operands);
    auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
    auto emitError = [&] { return mlir::emitError(getLoc()); };
    (void)OpTy::setPropertiesFromAttr(properties, getDictionaryAttr(attributes),
                                      emitError);
    OpTy::populateDefaultProperties(state.name, properties);
    if (failed(OpTy::inferReturnTypes(
            getContext(), getLoc(), state.operands,
            state.attributes.getDictionary(getContext()),
            state.getRawProperties(), state.regions, state.types)))
      return {*this, Value()};
    return {*this, create(state)->getResult(0)};
  }

  /// A scalar of an element type.
  Term number(double value, Type elementType);
  Term number(double value, Term like) {
    return number(value, like.getElementType());
  }
  /// A vector of i64.
  Term integers(ArrayRef<int64_t> values);

  Term castTo(Value x, Type elementType);
  /// `x` as of a type that knows more sizes; they are checked at run time.
  Term ascribe(Value x, RankedTensorType type);
  Term zerosLike(Value x);
  Term onesLike(Value x);
  /// The sizes of a tensor as a vector of i64, and that of a dimension as a
  /// scalar, which is a constant if it is known.
  Term shapeOf(Value x);
  Term sizeOf(Value x, int64_t dim, Type elementType);
  /// The number of elements of `x` for each one of `y`, in the type of `y`.
  Term countPer(Term x, Term y);

  /// The elements in the shape of `like`.
  Term reshapeLike(Term x, Value like);
  Term reshape(Value x, ArrayRef<int64_t> codes);
  Term transpose(Value x, ArrayRef<int64_t> axes);
  /// Swaps the last two dimensions.
  Term transposeMatrix(Term x);
  /// Dimensions in another order, or parts of them; see relay.layout_transform.
  Term changeLayout(Value x, StringRef from, StringRef to);
  /// Repeats dimensions of size 1 to the shape of `like`.
  Term broadcastLike(Term x, Value like);
  /// Sums what a broadcast of `like` to the shape of `x` repeats.
  Term collapseLike(Term x, Value like);
  Term sum(Term x, ArrayRef<int64_t> axes, bool keepdims = false);
  Term sumAll(Term x);
  Term where(Value condition, Value x, Value y);
  Term clip(Value x, double low, double high);
  /// A vector as a tensor of `rank` dimensions, whose others have size 1.
  Term alongAxis(Term vector, int64_t axis, int64_t rank);
  /// Elements `begin` to `end` along a dimension; the whole dimension stays if
  /// they are all of them.
  Term slice(Term x, int64_t axis, int64_t begin, int64_t end,
             int64_t stride = 1);
};

inline int64_t normalize(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_TERMBUILDER_H
