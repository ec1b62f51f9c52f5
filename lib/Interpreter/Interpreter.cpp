//===- Interpreter.cpp - Reference interpreter of relay -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Interpreter.h"

#include "Code.h"
#include "Evaluators.h"
#include "Machine.h"

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/Strings.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"

#include <exception>

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
    if (!operand.isTensor())
      return op->emitOpError("expects operand ")
             << index << " to be a tensor, but got "
             << operand.getType(op->getContext());
    tensors.push_back(operand.getTensor());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Types of values
//===----------------------------------------------------------------------===//

bool mlir::relay::isInstance(const InterpreterValue &value, Type type) {
  if (!value)
    return false;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!value.isTensor())
      return false;
    RankedTensorType actual = value.getTensor().getType();
    return actual == tensor ||
           (actual.getElementType() == tensor.getElementType() &&
            succeeded(verifyCompatibleShape(tensor, actual)));
  }
  if (auto tuple = dyn_cast<TupleType>(type))
    return value.isTuple() && value.getFields().size() == tuple.size() &&
           llvm::all_of_zip(value.getFields(), tuple.getTypes(), isInstance);
  if (auto adt = dyn_cast<ADTType>(type))
    return value.isData() &&
           value.getConstructor().getRootReference() == adt.getName().getAttr();
  if (auto reference = dyn_cast<RefType>(type))
    return value.isReference() &&
           isInstance(value.getContents(), reference.getContentType());
  if (FunctionType function = getFunctionBody(type)) {
    if (!value.isFunction())
      return false;
    FunctionType actual = getFunctionBody(value.getType(type.getContext()));
    return actual && actual.getNumInputs() == function.getNumInputs();
  }
  // The same polymorphic code runs for all types, inferred or not.
  return isa<TypeVarType, IncompleteType>(type);
}

/// Checks what the operator expects of shapes, for those that the operands
/// have. Its verifier has seen the declared types only.
static LogicalResult checkShapes(Operation *op,
                                 ArrayRef<InterpreterValue> operands) {
  auto isStatic = [](Type type) {
    SmallVector<Type> tensors{type};
    if (auto tuple = dyn_cast<TupleType>(type)) {
      tensors.clear();
      tuple.getFlattenedTypes(tensors);
    }
    return llvm::all_of(tensors, [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || tensor.hasStaticShape();
    });
  };
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference || llvm::all_of(op->getOperandTypes(), isStatic))
    return success();
  MLIRContext *context = op->getContext();
  Block scratch; // Owns arguments that stand for the operands.
  for (const InterpreterValue &operand : operands)
    scratch.addArgument(operand.getType(context), op->getLoc());
  std::string reason;
  {
    ScopedDiagnosticHandler handler(
        context, [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    SmallVector<Type> types;
    if (succeeded(inference.inferReturnTypes(
            context, op->getLoc(), scratch.getArguments(),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return success();
  }
  return op->emitOpError(reason);
}

LogicalResult mlir::relay::evaluateOperator(const Evaluator &evaluator,
                                            Operation *op,
                                            ArrayRef<InterpreterValue> operands,
                                            InterpreterValue &result) {
  Type type = op->getResult(0).getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && !Tensor::supports(tensor.getElementType()))
    return op->emitOpError("expects a tensor of floats or integers, but got ")
           << type;
  if (isa<IncompleteType>(type))
    return op->emitOpError("expects an inferred type, but got ") << type;
  // Evaluators rely on it that tuples are what their types say; tensors are
  // checked by the table.
  for (auto [index, operand] : llvm::enumerate(operands))
    if (Type operandType = op->getOperand(index).getType();
        isa<TupleType>(operandType) && !isInstance(operand, operandType))
      return op->emitOpError("expects operand ")
             << index << " of type " << operandType << ", but got "
             << operand.getType(op->getContext());

  if (failed(checkShapes(op, operands)))
    return failure();

  FailureOr<InterpreterValue> value = failure();
  try {
    value = evaluator(op, operands);
  } catch (const TensorTooLarge &error) {
    return op->emitOpError("expects tensors of at most ")
           << Tensor::getMaxSizeInBytes() << " bytes, but got one of type "
           << error.type;
  } catch (const std::exception &) {
    return op->emitOpError("expects memory for its result, but got none");
  }
  if (failed(value))
    return failure();
  if (!isInstance(*value, type))
    return op->emitOpError("expects a result of type ")
           << type << ", but got " << value->getType(op->getContext());
  result = std::move(*value);
  return success();
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(MLIRContext *context, InterpreterLimits limits)
    : context(context), evaluators(std::make_shared<EvaluatorTable>(context)),
      limits(limits) {
  populateRelayEvaluators(*evaluators);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface =
            dialect->getRegisteredInterface<EvaluatorDialectInterface>())
      interface->populateEvaluators(*evaluators);
}

bool Interpreter::canEvaluate(OperationName name) const {
  return evaluators->lookup(name) != nullptr;
}

bool Interpreter::canEvaluate(Operation *op) const {
  // Numbers of strings are of a run.
  return canEvaluate(op->getName()) && !isa<StringMapOp>(op);
}

LogicalResult Interpreter::evaluateOp(Operation *op,
                                      ArrayRef<InterpreterValue> operands,
                                      InterpreterValue &result) const {
  const Evaluator *evaluator = evaluators->lookup(op->getName());
  if (!evaluator || op->getNumResults() != 1)
    return op->emitOpError("expects an operation with an evaluator, but got "
                           "one that the interpreter does not know");
  return evaluateOperator(*evaluator, op, operands, result);
}

FailureOr<SmallVector<InterpreterValue>>
Interpreter::run(func::FuncOp function, ArrayRef<InterpreterValue> inputs) {
  FailureOr<std::shared_ptr<const Program>> program =
      Program::create(function, evaluators);
  if (failed(program))
    return failure();
  // Without strings of the caller, functions of strings know the module's.
  std::optional<StringRun> strings;
  if (!relayGetUsedStrings()) {
    auto module = function->getParentOfType<ModuleOp>();
    strings.emplace(module ? StringTable(module) : StringTable());
  }
  return Machine(limits, observer, interrupt)
      .run((*program)->getEntry(), inputs);
}

FailureOr<InterpreterValue>
Interpreter::call(const InterpreterValue &function,
                  ArrayRef<InterpreterValue> inputs) {
  return Machine(limits, observer, interrupt)
      .call(function, inputs, UnknownLoc::get(context));
}

FailureOr<SmallVector<InterpreterValue>>
mlir::relay::interpretMain(ModuleOp module, ArrayRef<InterpreterValue> inputs,
                           Interpreter::Observer observer,
                           InterpreterLimits limits) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("expects a function @main, but got none");
  Interpreter interpreter(module.getContext(), limits);
  interpreter.setObserver(std::move(observer));
  return interpreter.run(main, inputs);
}
