//===- OperatorGradients.h - Gradients of single operations -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. What the passes that differentiate share.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORGRADIENTS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORGRADIENTS_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/TupleLeaves.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::relay {

/// The attribute of Relay text that names the gradient of a function.
inline constexpr StringLiteral kPrimalGradientAttrName = "FPrimalGradient";

/// A tensor, or a tuple of them.
bool hasTensorsOnly(Type type);

/// A tensor of which there are gradients.
bool isFloatTensor(Type type);

/// Whether a float tensor is among the leaves of a type.
bool hasFloatTensor(Type type);

/// An operation that takes and returns tensors, or tuples of them, and does
/// nothing else: an operator, or a tuple of tensors.
bool isOnTensors(Operation *op);

Value makeZeros(OpBuilder &builder, Location loc, Value like);
Value makeOnes(OpBuilder &builder, Location loc, Value like);

/// Checks that a function has one result and no type parameters, and that all
/// parameters and results are tensors, or tuples of them.
LogicalResult checkDifferentiable(func::FuncOp function);

/// The type of the gradient of a function: fn(T...) -> (R, (T...)).
FunctionType getGradientType(FunctionType type);

/// Gradients of operators, and of calls of functions that say which function is
/// their gradient.
class OperatorGradients {
public:
  explicit OperatorGradients(ModuleOp module) : symbols(module) {}

  /// The operator's result is its first operand.
  static bool isMarker(Operation *op);

  /// The gradient of the function that `op` calls, if that has one.
  StringAttr getGradientOfCallee(Operation *op);

  /// Whether a gradient is asked for and known. What is asked for and not known
  /// is noted, for report().
  bool check(Operation *op);

  /// Reports what check() has noted, and fails if there is anything.
  LogicalResult report();

  /// Makes the gradients of the leaves of all operands, given those of the
  /// leaves of the result, which are null where nothing depends on them. Null
  /// is what has no gradient.
  FailureOr<SmallVector<Value>> build(OpBuilder &builder, Operation *op,
                                      ArrayRef<Value> gradients);

private:
  FailureOr<SmallVector<Value>> buildByFunction(OpBuilder &builder,
                                                Operation *op,
                                                StringAttr function,
                                                ArrayRef<Value> gradients);

  SymbolTable symbols;
  llvm::SetVector<Operation *> missing;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORGRADIENTS_H
