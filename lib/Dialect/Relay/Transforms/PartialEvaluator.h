//===- PartialEvaluator.h - Run what is known -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to partial evaluation.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALEVALUATOR_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALEVALUATOR_H

#include "PartialValues.h"

#include "relay-mlir/Interpreter/Interpreter.h"

#include <deque>

namespace mlir::relay {

/// Where the evaluation is.
struct Context {
  Activation *activation;
  /// Types for the type variables of the function.
  const TypeSubstitution *types;
  FuelFrame *fuel;
  OpBuilder builder;
  /// Calls and regions around.
  unsigned depth;

  Type getType(Type type) const {
    return types->empty() ? type : substituteTypes(type, *types);
  }
};

class PartialEvaluator {
public:
  explicit PartialEvaluator(ModuleOp module)
      : symbols(module), interpreter(module.getContext()) {}

  /// Makes what is to be the body of a function. Evaluates so many operations
  /// in calls.
  void run(func::FuncOp function, int64_t maxEvaluated, Region &result);

private:
  using Kind = Partial::Kind;

  Partial *evaluateBlock(Block &block, Context &context);
  Partial *evaluate(Operation *op, Context &context);
  Partial *evaluateOperator(Operation *op, Context &context);
  Partial *evaluateAscribe(AscribeOp op, Context &context);
  Partial *evaluateIf(IfOp op, Context &context);
  Partial *evaluateMatch(MatchOp op, Context &context);
  Partial *evaluateWrite(RefWriteOp op, Context &context);
  /// Null if the call is to be left. `callee` is null for one by name.
  Partial *call(KnownFunction *function, Partial *callee, Type result,
                ArrayRef<Partial *> args, Context &context);

  /// The operation, with what its operands are; nothing is known of the result.
  Partial *leave(Operation *op, Context &context);
  /// Evaluates a block of an operation that is left, in a copy of it.
  void evaluateRegion(Block &from, Region &to, Context &context);
  /// An operation whose regions decide at run time.
  Partial *leaveBranches(Operation *op, Context &context);

  Partial *makeUnknown(Value value);
  Partial *makePlaceholder(Kind kind, Type type, Location loc,
                           Context &context);
  Partial *makeData(SymbolRefAttr constructor, Type type,
                    ArrayRef<Partial *> fields, Location loc, Context &context);
  Partial *makeFunction(Operation *function, Type type, Location loc,
                        Context &context);
  Partial *getValue(Value value, Context &context) {
    return context.activation->lookup(value);
  }
  SmallVector<Partial *> getValues(OperandRange values, Context &context);
  Operation *copy(Operation *op, Context &context);

  /// Makes those of the placeholders that are used.
  void makeUsed();
  Value materialize(Partial *value, OpBuilder &builder);
  Value materializeClosure(Partial *value, FnOp fn, OpBuilder &builder);

  SymbolTable symbols;
  Interpreter interpreter;
  int64_t remaining = 0;
  unsigned time = 0;
  std::deque<Partial> values;
  std::deque<Activation> activations;
  std::deque<FuelFrame> frames;
  std::deque<KnownFunction> functions;
  /// What references are known to have.
  DenseMap<unsigned, Partial *> store;
  unsigned numReferences = 0;
  std::vector<Partial *> placeholders;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALEVALUATOR_H
