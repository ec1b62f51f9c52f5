//===- Decomposition.h - How operators are written in others ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. An operator is written in others by a function
// `write(OpTy, Decomposition &)` in one of its files, which returns the result,
// and a name in the list at the end of that file. A function whose result is
// FailureOr<Value> may return a null value, with nothing made, for what it
// leaves as it is, and `failure()` after an error.
//
// Formulas come from the operator's definition. On integers they compute the
// same bits as the interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_DECOMPOSITIONS_DECOMPOSITION_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_DECOMPOSITIONS_DECOMPOSITION_H

#include "relay-mlir/Dialect/Relay/IR/DecomposableOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"

namespace mlir::relay::decompositions {

/// Where an operator is written in others: before it.
class Decomposition : public TermBuilder {
public:
  Decomposition(Operation *op, EvaluateOperator evaluate)
      : TermBuilder(op->getLoc(), OpBuilder(op)), op(op), evaluate(evaluate) {}

  Operation *getOp() const { return op; }

  InFlightDiagnostic refuse() { return op->emitOpError("expects "); }

  /// The type that sums of elements are computed in: that of the elements, but
  /// f32 of halves and f64 of integers.
  Type getWideType(Type elementType);

  /// `value`, or a constant if it is computed from constants alone: for tables
  /// that are no formula of sizes, such as the terms of a transform.
  Term fold(Value value);

private:
  Operation *op;
  EvaluateOperator evaluate;
};

/// Attaches `write(OpTy, Decomposition &)` to the operator.
template <typename OpTy>
struct DecompositionModel
    : DecomposableOpInterface::ExternalModel<DecompositionModel<OpTy>, OpTy> {
  FailureOr<Value> decompose(Operation *op, EvaluateOperator evaluate) const {
    Decomposition decomposition(op, evaluate);
    auto result = write(cast<OpTy>(op), decomposition);
    if constexpr (std::is_same_v<decltype(result), Term>)
      return result.get();
    else
      return result;
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<DecompositionModel<Ops>>(*context), ...);
}

// One for each file.
void registerBits(MLIRContext *context);
void registerBlocks(MLIRContext *context);
void registerLosses(MLIRContext *context);
void registerMarkers(MLIRContext *context);
void registerPackedProducts(MLIRContext *context);
void registerRandom(MLIRContext *context);
void registerSpectra(MLIRContext *context);
void registerWinograd(MLIRContext *context);

} // namespace mlir::relay::decompositions

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_DECOMPOSITIONS_DECOMPOSITION_H
