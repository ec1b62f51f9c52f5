//===- Interpreter.h - Reference interpreter of relay -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates relay programs directly, independent of every lowering: the oracle
// for the compiled paths, and the engine of constant folding.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_INTERPRETER_H
#define RELAY_MLIR_INTERPRETER_INTERPRETER_H

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace mlir::relay {

/// Computes the result of one operation from its operands. Fails with a
/// diagnostic at the operation.
using Evaluator = std::function<FailureOr<InterpreterValue>(
    Operation *, ArrayRef<InterpreterValue>)>;

/// The evaluators of all operations, by operation name.
class EvaluatorTable {
public:
  explicit EvaluatorTable(MLIRContext *context) : context(context) {}

  MLIRContext *getContext() const { return context; }

  void add(StringRef operationName, Evaluator evaluator);

  /// Adds an evaluator for `OpT`, all of whose operands are tensors: it is
  /// called with (OpT, ArrayRef<Tensor>) and returns FailureOr<Tensor>, or
  /// FailureOr<InterpreterValue> where the result is a tuple.
  template <typename OpT, typename Fn>
  void add(Fn evaluator) {
    add(OpT::getOperationName(),
        [evaluator](Operation *op, ArrayRef<InterpreterValue> operands)
            -> FailureOr<InterpreterValue> {
          SmallVector<Tensor> tensors;
          if (failed(getTensors(op, operands, tensors)))
            return failure();
          auto result = evaluator(cast<OpT>(op), ArrayRef<Tensor>(tensors));
          if (failed(result))
            return failure();
          return InterpreterValue(std::move(*result));
        });
  }

  /// Returns null when there is none.
  const Evaluator *lookup(OperationName name) const;

private:
  static LogicalResult getTensors(Operation *op,
                                  ArrayRef<InterpreterValue> operands,
                                  SmallVectorImpl<Tensor> &tensors);

  MLIRContext *context;
  DenseMap<OperationName, Evaluator> evaluators;
};

/// How a dialect outside this project brings evaluators for its own operations:
/// every interpreter asks the loaded dialects that have this interface.
class EvaluatorDialectInterface
    : public DialectInterface::Base<EvaluatorDialectInterface> {
public:
  EvaluatorDialectInterface(Dialect *dialect) : Base(dialect) {}
  virtual void populateEvaluators(EvaluatorTable &table) const = 0;
};

/// Whether `value` may stand where `type` is written. Looks at what takes
/// constant time: not at the fields of data types, nor below type variables.
bool isInstance(const InterpreterValue &value, Type type);

/// What a run may use.
struct InterpreterLimits {
  /// Calls that have not returned, without those whose result is that of their
  /// caller. At the default a runaway recursion ends after one or two GiB.
  int64_t maxDepth = 4000000;
};

/// Evaluates functions and single operations. Holds no state between runs.
///
/// Runs programs of any depth with constant use of the C++ stack, and drops
/// values after their last use.
class Interpreter {
public:
  /// Told of each call of a function by `relay.call`: of its operands before,
  /// and of its results after.
  struct Observer {
    using Callback = std::function<void(CallOpInterface call,
                                        ArrayRef<InterpreterValue> values)>;
    Callback before;
    Callback after;
  };

  /// Asked before each operator and each call; true ends the run with an error.
  using Interrupt = std::function<bool()>;

  explicit Interpreter(MLIRContext *context, InterpreterLimits limits = {});

  void setObserver(Observer newObserver) { observer = std::move(newObserver); }
  void setInterrupt(Interrupt newInterrupt) {
    interrupt = std::move(newInterrupt);
  }

  /// Runs `function`. Inputs must have its argument types, with any size for a
  /// dynamic dimension; results likewise. Functions among the results stay
  /// valid as long as the module is not changed.
  FailureOr<SmallVector<InterpreterValue>>
  run(func::FuncOp function, ArrayRef<InterpreterValue> inputs);

  /// Calls a function that a run has returned.
  FailureOr<InterpreterValue> call(const InterpreterValue &function,
                                   ArrayRef<InterpreterValue> inputs);

  /// Whether there is an evaluator.
  bool canEvaluate(OperationName name) const;
  /// Whether an operation can be evaluated from its operands alone.
  bool canEvaluate(Operation *op) const;

  /// Evaluates one operation and checks the result against its result type.
  LogicalResult evaluateOp(Operation *op, ArrayRef<InterpreterValue> operands,
                           InterpreterValue &result) const;

  /// How many references (`relay.ref_create`) exist in this process.
  static int64_t getNumReferences();

private:
  MLIRContext *context;
  /// Shared with the closures that runs return.
  std::shared_ptr<EvaluatorTable> evaluators;
  InterpreterLimits limits;
  Observer observer;
  Interrupt interrupt;
};

/// Runs the function @main of `module`.
FailureOr<SmallVector<InterpreterValue>>
interpretMain(ModuleOp module, ArrayRef<InterpreterValue> inputs,
              Interpreter::Observer observer = {},
              InterpreterLimits limits = {});

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_INTERPRETER_H
