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
#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"

namespace mlir::relay::gradients {

/// What a gradient is made with, and where it is put.
class Gradient : public TermBuilder {
public:
  Gradient(Operation *op, OpBuilder &builder, ValueRange gradients,
           MutableArrayRef<Value> results)
      : TermBuilder(op->getLoc(), builder), op(op), gradients(gradients),
        results(results), before(getLastOperation(*this)) {}

  Operation *getOp() const { return op; }

  /// The gradient of the result, or of a field of it.
  Term get(unsigned field = 0) { return {*this, gradients[field]}; }

  /// Sets the gradient of an operand that has the number of elements of
  /// `value`, in this order. Does nothing for an operand that is not of floats.
  void set(unsigned operand, Term value);
  /// Sets that of an operand that is repeated to the shape of `value`.
  void setSum(unsigned operand, Term value);
  bool needs(unsigned operand) const;

  /// Fails, with an error at the operator that says what is expected of it.
  InFlightDiagnostic refuse();

  /// Sets the gradients of all operands to those of a formula for the result,
  /// whose operators have gradients. It is all that has been made so far.
  LogicalResult setByFormula(Term formula);

  /// Where the elements of operand `index` are in the result: the number of an
  /// element, from 1, or 0 for what comes from elsewhere. The operator is one
  /// that moves elements, whatever their type is.
  Term getPositions(unsigned index);
  /// Sets the gradient of an operand whose elements the operator only moves.
  void setMoved(unsigned operand);

private:
  /// The operation before the builder's position; null for the first one.
  static Operation *getLastOperation(const OpBuilder &builder);

  Operation *op;
  ValueRange gradients;
  MutableArrayRef<Value> results;
  Operation *before;
};

/// All dimensions but `axis`.
SmallVector<int64_t> getOthers(int64_t axis, int64_t rank);

/// The elements in each window of a maximum, along one dimension: positions
/// from 0, as many for each window.
struct WindowPositions {
  SmallVector<int64_t> positions;
  int64_t windows;

  int64_t getLength() const { return positions.size() / windows; }
};

/// The numbers of elements in windows of an image or volume with these sizes:
/// (windows, elements of each), both in their order.
Term getWindowElements(TermBuilder &d, ArrayRef<WindowPositions> dims,
                       ArrayRef<int64_t> sizes);

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
void registerSampling(MLIRContext *context);
void registerShapes(MLIRContext *context);
void registerSparse(MLIRContext *context);
void registerWindows(MLIRContext *context);

} // namespace mlir::relay::gradients

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_GRADIENTS_GRADIENT_H
