//===- Interpreter.cpp - Reference interpreter of relay -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Interpreter.h"

#include "Evaluators.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// EvaluatorTable
//===----------------------------------------------------------------------===//

void EvaluatorTable::add(StringRef operationName, Evaluator evaluator) {
  evaluators[OperationName(operationName, context)] = std::move(evaluator);
}

const Evaluator *EvaluatorTable::lookup(OperationName name) const {
  auto it = evaluators.find(name);
  return it == evaluators.end() ? nullptr : &it->second;
}

LogicalResult EvaluatorTable::getTensors(Operation *op,
                                         ArrayRef<InterpreterValue> operands,
                                         SmallVectorImpl<Tensor> &tensors) {
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand.isTuple())
      return op->emitOpError("expects operand ")
             << index << " to be a tensor, but got a tuple";
    tensors.push_back(operand.getTensor());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types of values
//===----------------------------------------------------------------------===//

/// Whether a value of type `actual`, whose shapes are static, is one of `type`.
static bool isInstance(Type actual, Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    auto actualTuple = dyn_cast<TupleType>(actual);
    return actualTuple && actualTuple.size() == tuple.size() &&
           llvm::all_of_zip(actualTuple.getTypes(), tuple.getTypes(),
                            isInstance);
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto actualTensor = dyn_cast<RankedTensorType>(actual);
  return tensor && actualTensor &&
         tensor.getElementType() == actualTensor.getElementType() &&
         succeeded(verifyCompatibleShape(tensor, actualTensor));
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

namespace {

/// One function under evaluation. Values are dropped after their last use, so
/// that memory follows the live set of the program.
class Frame {
public:
  /// `call` is null in the outermost frame.
  Frame(func::FuncOp function, CallOpInterface call)
      : call(call), next(function.front().begin()) {}

  void set(Value value, InterpreterValue contents) {
    auto uses = std::distance(value.use_begin(), value.use_end());
    if (uses)
      values[value] = {std::move(contents), uses};
  }

  /// Returns the operands of `op`, which is the next one to be evaluated.
  SmallVector<InterpreterValue> takeOperands(Operation *op) {
    SmallVector<InterpreterValue> operands;
    for (Value operand : op->getOperands()) {
      auto it = values.find(operand);
      operands.push_back(it->second.contents);
      if (--it->second.remainingUses == 0)
        values.erase(it);
    }
    return operands;
  }

  CallOpInterface call;
  Block::iterator next;

private:
  struct Entry {
    InterpreterValue contents;
    int64_t remainingUses;
  };
  DenseMap<Value, Entry> values;
};

} // namespace

Interpreter::Interpreter(MLIRContext *context) : evaluators(context) {
  populateRelayEvaluators(evaluators);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface =
            dialect->getRegisteredInterface<EvaluatorDialectInterface>())
      interface->populateEvaluators(evaluators);
}

bool Interpreter::canEvaluate(OperationName name) const {
  return evaluators.lookup(name) != nullptr;
}

LogicalResult Interpreter::evaluateOp(Operation *op,
                                      ArrayRef<InterpreterValue> operands,
                                      InterpreterValue &result) const {
  const Evaluator *evaluator = evaluators.lookup(op->getName());
  if (!evaluator || op->getNumResults() != 1)
    return op->emitOpError("expects an operation with an evaluator, but got "
                           "one that the interpreter does not know");
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !Tensor::supports(tensor.getElementType()))
      return op->emitOpError("expects a tensor of floats or integers, but got ")
             << type;
  FailureOr<InterpreterValue> value = (*evaluator)(op, operands);
  if (failed(value))
    return failure();
  Type type = value->getType(op->getContext());
  if (!isInstance(type, op->getResult(0).getType()))
    return op->emitOpError("expects a result of type ")
           << op->getResult(0).getType() << ", but got " << type;
  result = std::move(*value);
  return success();
}

/// Makes the frame in which `function` runs on `inputs`.
static FailureOr<Frame> enter(func::FuncOp function, CallOpInterface call,
                              ArrayRef<InterpreterValue> inputs) {
  auto emitError = [&]() {
    return call ? call->emitOpError() : function->emitOpError();
  };
  if (function.isExternal())
    return emitError() << "expects @" << function.getSymName()
                       << " to have a body, but got a declaration";
  if (inputs.size() != function.getNumArguments())
    return emitError() << "expects " << function.getNumArguments()
                       << " inputs, but got " << inputs.size();
  Frame frame(function, call);
  for (auto [index, input] : llvm::enumerate(inputs)) {
    Type type = input.getType(function.getContext());
    Type expected = function.getArgumentTypes()[index];
    if (!isInstance(type, expected)) {
      auto name = function.getArgAttrOfType<StringAttr>(index, "relay.name");
      InFlightDiagnostic diag = emitError() << "expects input " << index;
      if (name)
        diag << " (\"" << name.getValue() << "\")";
      return diag << " of type " << expected << ", but got " << type;
    }
    frame.set(function.getArgument(index), input);
  }
  return frame;
}

/// Returns the function that `op` calls, or null when it is no such call.
static FailureOr<func::FuncOp> getCallee(Operation *op,
                                         SymbolTableCollection &symbols) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return func::FuncOp();
  auto callee =
      dyn_cast_if_present<func::FuncOp>(call.resolveCallableInTable(&symbols));
  if (!callee)
    return op->emitOpError("expects to call a func.func by name, but got "
                           "another callee");
  return callee;
}

FailureOr<SmallVector<InterpreterValue>>
Interpreter::run(func::FuncOp function, ArrayRef<InterpreterValue> inputs) {
  SymbolTableCollection symbols;
  // An own stack: recursion in the program must not exhaust that of C++.
  std::vector<Frame> stack;
  FailureOr<Frame> outermost = enter(function, nullptr, inputs);
  if (failed(outermost))
    return failure();
  stack.push_back(std::move(*outermost));

  while (true) {
    Frame &frame = stack.back();
    Operation *op = &*frame.next++;
    SmallVector<InterpreterValue> operands = frame.takeOperands(op);

    if (isa<func::ReturnOp>(op)) {
      CallOpInterface call = frame.call;
      stack.pop_back();
      if (stack.empty())
        return operands;
      if (observer)
        observer(call, operands);
      for (auto [result, value] : llvm::zip(call->getResults(), operands))
        stack.back().set(result, value);
      continue;
    }

    FailureOr<func::FuncOp> callee = getCallee(op, symbols);
    if (failed(callee))
      return failure();
    if (*callee) {
      FailureOr<Frame> inner =
          enter(*callee, cast<CallOpInterface>(op), operands);
      if (failed(inner))
        return failure();
      stack.push_back(std::move(*inner));
      continue;
    }

    InterpreterValue result;
    if (failed(evaluateOp(op, operands, result)))
      return failure();
    frame.set(op->getResult(0), std::move(result));
  }
}

FailureOr<SmallVector<InterpreterValue>>
mlir::relay::interpretMain(ModuleOp module, ArrayRef<InterpreterValue> inputs,
                           Interpreter::Observer observer) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expects a function @main, but got none");
  Interpreter interpreter(module.getContext());
  interpreter.setObserver(std::move(observer));
  return interpreter.run(main, inputs);
}
