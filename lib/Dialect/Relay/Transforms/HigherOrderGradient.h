//===- HigherOrderGradient.h - Gradients of any construct -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Reverse mode, as a program: what computes a value
// also leaves a function that goes back. See the description of the pass, and
// GradientTypes.h.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_HIGHERORDERGRADIENT_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_HIGHERORDERGRADIENT_H

#include "GradientTypes.h"
#include "OperatorGradients.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::relay {

/// Differentiates functions of a module, and those that they call.
class Differentiation {
public:
  explicit Differentiation(ModuleOp module)
      : module(module), symbols(module), types(module), operators(module),
        context(module.getContext()) {}

  LogicalResult run(ArrayRef<std::string> entries);

private:
  // Values. A value with gradients has the type that GradientTypes gives.

  /// Gives each tensor of floats a gradient of 0.
  Value addGradients(OpBuilder &builder, Value value);
  /// The value without gradients; `type` is its type.
  Value getPrimal(OpBuilder &builder, Value value, Type type);
  /// The references to the gradients of the leaves; null for other tensors.
  SmallVector<Value> getCells(OpBuilder &builder, Value value, Type type);
  void addToCell(OpBuilder &builder, Value cell, Value gradient);
  Value readCell(OpBuilder &builder, Value cell);

  // Going back. `back` is the reference to the function to call.

  Value makeBack(OpBuilder &builder, Location loc);
  void goBack(OpBuilder &builder, Location loc, Value back);
  /// Makes a function that does what `fill` does, and then what is in `back`,
  /// and puts it there; does neither if `fill` says that there is nothing to
  /// do.
  LogicalResult pushBack(OpBuilder &builder, Location loc, Value back,
                         llvm::function_ref<FailureOr<bool>(OpBuilder &)> fill);

  // Operations.

  LogicalResult convertBlock(Block &from, Block &to, OpBuilder &builder,
                             IRMapping &mapping, Value back);
  LogicalResult convertAll(ArrayRef<Operation *> ops, OpBuilder &builder,
                           IRMapping &mapping, Value back);
  LogicalResult convert(Operation *op, OpBuilder &builder, IRMapping &mapping,
                        Value back);
  LogicalResult convertOperator(Operation *op, OpBuilder &builder,
                                IRMapping &mapping, Value back);
  /// The operators before a checkpoint that only it uses, in their order among
  /// `ops`.
  static SmallVector<Operation *> getSegment(Operation *checkpoint,
                                             ArrayRef<Operation *> ops);
  LogicalResult convertCheckpoint(Operation *op, ArrayRef<Operation *> segment,
                                  OpBuilder &builder, IRMapping &mapping,
                                  Value back);
  LogicalResult convertClosure(FnOp fn, OpBuilder &builder, IRMapping &mapping);
  LogicalResult convertCall(Operation *op, OpBuilder &builder,
                            IRMapping &mapping, Value back);
  /// Of what only moves values around.
  LogicalResult convertStructure(Operation *op, OpBuilder &builder,
                                 IRMapping &mapping, Value back);
  Attribute convertTypeArgs(Attribute attr);

  // Functions.

  FailureOr<func::FuncOp> getCallee(Operation *op, StringAttr name);
  LogicalResult convertCallee(func::FuncOp function, func::FuncOp result);
  LogicalResult convertEntry(func::FuncOp function, Region &result);
  void replace(func::FuncOp function, Region &body);

  ModuleOp module;
  SymbolTable symbols;
  GradientTypes types;
  OperatorGradients operators;
  MLIRContext *context;
  /// Functions that are called, in the order in which they are found.
  llvm::MapVector<Operation *, func::FuncOp> callees;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_HIGHERORDERGRADIENT_H
