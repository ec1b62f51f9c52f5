//===- AddedOperators.cpp - Evaluators of added operators -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/AddedOperators.h"

#include "Evaluators.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/RWMutex.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Functions by name. They are shared with the calls that run.
class Table {
public:
  void add(StringRef name, Evaluator evaluator) {
    llvm::sys::ScopedWriter lock(mutex);
    functions[name] = std::make_shared<const Evaluator>(std::move(evaluator));
  }
  std::shared_ptr<const Evaluator> lookup(StringRef name) {
    llvm::sys::ScopedReader lock(mutex);
    return functions.lookup(name);
  }

private:
  llvm::sys::RWMutex mutex;
  llvm::StringMap<std::shared_ptr<const Evaluator>> functions;
};

struct Registry {
  Table evaluators, debugFunctions;
};

} // namespace

/// Never freed, like that of the operators.
static Registry &getRegistry() {
  static auto *registry = new Registry();
  return *registry;
}

void relay::addEvaluator(StringRef operatorName, Evaluator evaluator) {
  getRegistry().evaluators.add(operatorName, std::move(evaluator));
}

void relay::addDebugFunction(StringRef function, Evaluator evaluator) {
  getRegistry().debugFunctions.add(function, std::move(evaluator));
}

static FailureOr<InterpreterValue>
evaluateDebug(Operation *op, ArrayRef<InterpreterValue> operands) {
  StringRef name = cast<DebugOp>(op).getDebugFunc();
  if (std::shared_ptr<const Evaluator> function =
          getRegistry().debugFunctions.lookup(name))
    if (failed((*function)(op, operands)))
      return failure();
  return operands.front();
}

static FailureOr<InterpreterValue>
evaluateApply(Operation *op, ArrayRef<InterpreterValue> operands) {
  StringRef name = cast<ApplyOp>(op).getName();
  if (std::shared_ptr<const Evaluator> evaluator =
          getRegistry().evaluators.lookup(name))
    return (*evaluator)(op, operands);
  return op->emitError("expects a definition of '")
         << name << "', which was added, but got none";
}

void relay::detail::populateAddedEvaluators(EvaluatorTable &table) {
  table.add(ApplyOp::getOperationName(), evaluateApply);
  table.add(DebugOp::getOperationName(), evaluateDebug);
}
