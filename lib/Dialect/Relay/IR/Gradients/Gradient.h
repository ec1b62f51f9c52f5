//===- Gradient.h - How gradients of operators are written ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. The gradient of an operator is a function
// `differentiate(OpTy, Gradient &)` in one of its files, and a name in the list
// at the end of that file.
//
// Formulas come from the operator's definition. g is the gradient of the result
// y; an operand whose gradient is not set has none: it is a constant, an index,
// or the result does not change with it. Where a function has a corner, one
// side is taken, and the formula says which.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_GRADIENTS_GRADIENT_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_GRADIENTS_GRADIENT_H

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::relay::gradients {

class Gradient;

/// A tensor in a formula.
class Term {
public:
  Term(Gradient &gradient, Value value) : gradient(&gradient), value(value) {}

  operator Value() const { return value; }
  Value get() const { return value; }
  Gradient &getGradient() const { return *gradient; }
  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }
  int64_t getRank() const { return getType().getRank(); }
  int64_t getSize(int64_t dim) const { return getType().getDimSize(dim); }

private:
  Gradient *gradient;
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

/// What a gradient is made with, and where it is put.
class Gradient : public ImplicitLocOpBuilder {
public:
  Gradient(Operation *op, OpBuilder &builder, ValueRange gradients,
           MutableArrayRef<Value> results)
      : ImplicitLocOpBuilder(op->getLoc(), builder), op(op),
        gradients(gradients), results(results) {}

  Operation *getOp() const { return op; }

  /// The gradient of the result, or of a field of it.
  Term get(unsigned field = 0) { return {*this, gradients[field]}; }
  Term term(Value value) { return {*this, value}; }

  /// Makes an operator whose type is inferred.
  template <typename OpTy, typename... Args>
  Term make(Args &&...args) {
    return {*this, OpTy::create(static_cast<ImplicitLocOpBuilder &>(*this),
                                std::forward<Args>(args)...)
                       .getResult()};
  }

  /// Sets the gradient of an operand that has the number of elements of
  /// `value`, in this order. Does nothing for an operand that is not of floats.
  void set(unsigned operand, Term value);
  /// Sets that of an operand that is repeated to the shape of `value`.
  void setSum(unsigned operand, Term value);
  bool needs(unsigned operand) const;

  /// Fails, with an error at the operator that says what is expected of it.
  InFlightDiagnostic refuse();

  /// A scalar of an element type.
  Term number(double value, Type elementType);
  Term number(double value, Term like) {
    return number(value, like.getType().getElementType());
  }
  Term integers(ArrayRef<int64_t> values);

  Term castTo(Term x, Type elementType);
  Term zerosLike(Term x);
  Term onesLike(Term x);
  /// The number of elements of `x` for each one of `y`, in the type of `y`.
  Term countPer(Term x, Term y);

  /// The elements in the shape of `like`.
  Term reshapeLike(Term x, Value like);
  Term reshape(Term x, ArrayRef<int64_t> codes);
  Term transpose(Term x, ArrayRef<int64_t> axes);
  /// Swaps the last two dimensions.
  Term transposeMatrix(Term x);
  /// Repeats dimensions of size 1 to the shape of `like`.
  Term broadcastLike(Term x, Value like);
  /// Sums what a broadcast of `like` to the shape of `x` repeats.
  Term collapseLike(Term x, Value like);
  Term sum(Term x, ArrayRef<int64_t> axes, bool keepdims = false);
  Term sumAll(Term x);
  Term where(Term condition, Term x, Term y);
  /// A vector as a tensor of `rank` dimensions, whose others have size 1.
  Term alongAxis(Term vector, int64_t axis, int64_t rank);
  /// Elements `begin` to `end` along a dimension; the whole dimension stays if
  /// they are all of them.
  Term slice(Term x, int64_t axis, int64_t begin, int64_t end,
             int64_t stride = 1);

  /// Where the elements of operand `index` are in the result: the number of an
  /// element, from 1, or 0 for what comes from elsewhere. The operator is one
  /// that moves elements, whatever their type is.
  Term getPositions(unsigned index);
  /// Sets the gradient of an operand whose elements the operator only moves.
  void setMoved(unsigned operand);

private:
  Operation *op;
  ValueRange gradients;
  MutableArrayRef<Value> results;
};

inline int64_t normalize(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// All dimensions but `axis`.
SmallVector<int64_t> getOthers(int64_t axis, int64_t rank);

/// Whether a tensor has elements of which there are gradients.
bool isDifferentiable(Type type);

/// Attaches `differentiate(OpTy, Gradient &)` to the operator, which returns
/// nothing, or whether it could.
template <typename OpTy>
struct GradientModel
    : GradientOpInterface::ExternalModel<GradientModel<OpTy>, OpTy> {
  LogicalResult buildGradients(Operation *op, OpBuilder &builder,
                               ValueRange gradients,
                               MutableArrayRef<Value> results) const {
    Gradient gradient(op, builder, gradients, results);
    if constexpr (std::is_void_v<decltype(differentiate(cast<OpTy>(op),
                                                        gradient))>) {
      differentiate(cast<OpTy>(op), gradient);
      return success();
    } else {
      return differentiate(cast<OpTy>(op), gradient);
    }
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<GradientModel<Ops>>(*context), ...);
}

// One for each file.
void registerConvolutions(MLIRContext *context);
void registerElementwise(MLIRContext *context);
void registerIndexing(MLIRContext *context);
void registerMovement(MLIRContext *context);
void registerNormalization(MLIRContext *context);
void registerPooling(MLIRContext *context);
void registerProducts(MLIRContext *context);
void registerReductions(MLIRContext *context);
void registerResizing(MLIRContext *context);
void registerShapes(MLIRContext *context);

} // namespace mlir::relay::gradients

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_GRADIENTS_GRADIENT_H
