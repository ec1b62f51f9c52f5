//===- Machine.cpp - Runs translated functions ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Values in diagnostics may be lists of any length.
static std::string describe(const InterpreterValue &value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*maxDepth=*/3);
  return text;
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

InterpreterValue Machine::take(Operand operand) {
  Frame &frame = frames.back();
  switch (operand.place) {
  case Operand::Slot: {
    InterpreterValue &slot = slots[frame.firstSlot + operand.index];
    return operand.isLastUse ? std::move(slot) : slot;
  }
  case Operand::Capture:
    return static_cast<ClosureObject *>(frame.closure.getObject())
        ->getCaptures()[operand.index];
  case Operand::Constant:
    return frame.code->constants[operand.index];
  case Operand::Self:
    return frame.closure;
  }
  llvm_unreachable("every place is handled");
}

void Machine::takeAll(const Instruction &instruction,
                      SmallVectorImpl<InterpreterValue> &values) {
  values.clear();
  const Operand *operand =
      frames.back().code->operands.data() + instruction.firstOperand;
  for (uint32_t i = 0; i < instruction.numOperands; ++i)
    values.push_back(take(operand[i]));
}

LogicalResult Machine::setChecked(const Instruction &instruction,
                                  InterpreterValue value) {
  Operation *op = instruction.op;
  Type type = op->getResult(0).getType();
  if (!isInstance(value, type))
    return op->emitOpError("expects a result of type ")
           << type << ", but got " << value.getType(op->getContext());
  setResult(instruction, std::move(value));
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The name of a parameter, or null.
static StringAttr getParamName(Operation *function, unsigned index) {
  if (auto fn = dyn_cast<FnOp>(function))
    return fn.getParamName(index);
  return cast<func::FuncOp>(function).getArgAttrOfType<StringAttr>(
      index, kNameAttrName);
}

/// Pushes the frame in which `code` runs on `inputs`. `call` is null for the
/// outermost one.
LogicalResult Machine::enter(const Code &code, InterpreterValue closure,
                             MutableArrayRef<InterpreterValue> inputs,
                             const Instruction *call) {
  auto emitError = [&]() { return (call ? call->op : code.op)->emitOpError(); };
  if (code.isDeclaration)
    return emitError() << "expects @"
                       << cast<func::FuncOp>(code.op).getSymName()
                       << " to have a body, but got a declaration";
  if (call && failed(checkInterrupt(call->op)))
    return failure();
  if (inputs.size() != code.paramTypes.size())
    return emitError() << "expects " << code.paramTypes.size()
                       << " inputs, but got " << inputs.size();
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (isInstance(input, code.paramTypes[index]))
      continue;
    InFlightDiagnostic diag = emitError() << "expects input " << index;
    if (StringAttr name = getParamName(code.op, index))
      diag << " (\"" << name.getValue() << "\")";
    return diag << " of type " << code.paramTypes[index] << ", but got "
                << input.getType(code.op->getContext());
  }

  bool isObserved = call && call->opcode == Opcode::Call;
  if (isObserved && observer.before)
    observer.before(cast<CallOpInterface>(call->op), inputs);
  // The observer wants to see every call return.
  bool isTail = call && call->isTail && !(isObserved && observer.after);
  if (isTail) {
    slots.resize(frames.back().firstSlot);
    frames.pop_back();
  } else if (static_cast<int64_t>(frames.size()) >= limits.maxDepth) {
    InFlightDiagnostic diag = emitError()
                              << "expects at most " << limits.maxDepth
                              << " nested calls, but got more";
    diag.attachNote(code.op->getLoc())
        << "in calls of this function; does its recursion end?";
    return diag;
  }
  size_t firstSlot = slots.size();
  slots.resize(firstSlot + code.numSlots);
  for (auto [slot, input] : llvm::zip_equal(code.paramSlots, inputs))
    if (slot != noSlot)
      slots[firstSlot + slot] = std::move(input);
  frames.push_back({&code, std::move(closure), firstSlot, 0});
  return success();
}

LogicalResult Machine::callIndirect(const Instruction &instruction) {
  Operation *op = instruction.op;
  takeAll(instruction, operands);
  InterpreterValue callee = std::move(operands.front());
  auto inputs = MutableArrayRef(operands).drop_front();
  if (!callee.isFunction())
    return op->emitOpError("expects a function to call, but got ")
           << describe(callee);
  if (callee.getKind() == InterpreterValue::Kind::Constructor) {
    auto *constructor = static_cast<ConstructorObject *>(callee.getObject());
    if (inputs.size() != constructor->arity)
      return op->emitOpError("expects ")
             << constructor->arity << " fields of " << constructor->constructor
             << ", but got " << inputs.size();
    return setChecked(instruction,
                      InterpreterValue::getData(constructor->constructor,
                                                constructor->index, inputs));
  }
  const Code &code = *static_cast<ClosureObject *>(callee.getObject())->code;
  return enter(code, std::move(callee), inputs, &instruction);
}

/// Hands the values in `results` to the caller, whose frame is on top again.
LogicalResult Machine::finishCall() {
  Frame &frame = frames.back();
  const Instruction &call = frame.code->instructions[frame.next - 1];
  if (results.size() != call.op->getNumResults())
    return call.op->emitOpError("expects a function with ")
           << call.op->getNumResults() << " results, but got "
           << results.size();
  if (observer.after && call.opcode == Opcode::Call)
    observer.after(cast<CallOpInterface>(call.op), results);
  for (auto [index, value] : llvm::enumerate(results)) {
    Type type = call.op->getResult(index).getType();
    if (!isInstance(value, type))
      return call.op->emitOpError("expects a result of type ")
             << type << ", but got " << value.getType(call.op->getContext());
    set(frame.code->results[call.firstResult + index], std::move(value));
  }
  results.clear();
  return success();
}

//===----------------------------------------------------------------------===//
// Match
//===----------------------------------------------------------------------===//

static bool matches(const PatternCode &pattern, const InterpreterValue &value) {
  switch (pattern.kind) {
  case PatternCode::Wildcard:
  case PatternCode::Variable:
    return true;
  case PatternCode::Constructor:
    if (!value.isData() || value.getConstructor() != pattern.constructor)
      return false;
    break;
  case PatternCode::Tuple:
    if (!value.isTuple())
      return false;
    break;
  }
  ArrayRef<InterpreterValue> fields = value.getFields();
  return fields.size() == pattern.fields.size() &&
         llvm::all_of_zip(pattern.fields, fields, matches);
}

LogicalResult Machine::bind(const PatternCode &pattern,
                            const InterpreterValue &value, Operation *op) {
  if (pattern.kind == PatternCode::Variable) {
    if (!isInstance(value, pattern.type))
      return op->emitOpError("expects a pattern variable of type ")
             << pattern.type << ", but got " << value.getType(op->getContext());
    set(pattern.slot, value);
  }
  for (auto [index, field] : llvm::enumerate(pattern.fields))
    if (failed(bind(field, value.getFields()[index], op)))
      return failure();
  return success();
}

LogicalResult Machine::match(const Instruction &instruction) {
  InterpreterValue value = takeFirst(instruction);
  Frame &frame = frames.back();
  for (const MatchCase &matchCase : frame.code->matches[instruction.target]) {
    if (!matches(matchCase.pattern, value))
      continue;
    frame.next = matchCase.target;
    return bind(matchCase.pattern, value, instruction.op);
  }
  return instruction.op->emitOpError(
             "expects a case that matches the value, but got ")
         << describe(value);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A loop without an end calls something again and again.
LogicalResult Machine::checkInterrupt(Operation *op) {
  if (interrupt && interrupt())
    return op->emitOpError("interrupted");
  return success();
}

/// Executes an instruction other than Return.
LogicalResult Machine::step(const Instruction &instruction) {
  Operation *op = instruction.op;
  switch (instruction.opcode) {
  case Opcode::Evaluate: {
    if (!instruction.evaluator) {
      if (isa<ApplyOp>(op))
        return op->emitOpError("expects a program with inferred types, but got "
                               "an operator that has none yet; run type "
                               "inference (--relay-infer-types) first");
      return op->emitOpError("expects an operation with an evaluator, but got "
                             "one that the interpreter does not know");
    }
    if (failed(checkInterrupt(op)))
      return failure();
    takeAll(instruction, operands);
    InterpreterValue result;
    if (failed(evaluateOperator(*instruction.evaluator, op, operands, result)))
      return failure();
    operands.clear();
    setResult(instruction, std::move(result));
    return success();
  }
  case Opcode::MakeTuple:
    takeAll(instruction, operands);
    setResult(instruction, InterpreterValue(ArrayRef(operands)));
    operands.clear();
    return success();
  case Opcode::GetField: {
    InterpreterValue tuple = takeFirst(instruction);
    auto index = cast<TupleGetItemOp>(op).getIndex();
    if (!tuple.isTuple() ||
        static_cast<uint64_t>(index) >= tuple.getFields().size())
      return op->emitOpError("expects a tuple with a field ")
             << index << ", but got " << describe(tuple);
    return setChecked(instruction, tuple.getFields()[index]);
  }
  case Opcode::MakeClosure:
  case Opcode::GetFunction: {
    takeAll(instruction, operands);
    std::shared_ptr<const Code> code(
        instruction.code->program->shared_from_this(), instruction.code);
    setResult(instruction, InterpreterValue::adopt(ClosureObject::create(
                               std::move(code), operands)));
    operands.clear();
    return success();
  }
  case Opcode::Call:
    takeAll(instruction, operands);
    // A frame that is left may hold the only closure, and so the program.
    return enter(*instruction.code,
                 instruction.isTail ? frames.back().closure
                                    : InterpreterValue(),
                 operands, &instruction);
  case Opcode::CallIndirect:
    return callIndirect(instruction);
  case Opcode::Construct: {
    takeAll(instruction, operands);
    auto constructor = cast<ConstructOp>(op).getConstructorAttr();
    setResult(instruction, InterpreterValue::getData(
                               constructor, instruction.target, operands));
    operands.clear();
    return success();
  }
  case Opcode::Move:
    return setChecked(instruction, takeFirst(instruction));
  case Opcode::Drop:
    takeAll(instruction, operands);
    operands.clear();
    return success();
  case Opcode::Jump:
    frames.back().next = instruction.target;
    return success();
  case Opcode::Branch: {
    InterpreterValue condition = takeFirst(instruction);
    if (!condition.isTensor() ||
        !condition.getTensor().getElementType().isInteger(1) ||
        condition.getTensor().getRank() != 0)
      return op->emitOpError("expects a bool scalar as condition, but got ")
             << describe(condition);
    if (!condition.getTensor().getElements<bool>()[0])
      frames.back().next = instruction.target;
    return success();
  }
  case Opcode::Match:
    return match(instruction);
  case Opcode::CreateCell:
    setResult(instruction, cells.createCell(takeFirst(instruction)));
    return success();
  case Opcode::ReadCell:
  case Opcode::WriteCell: {
    takeAll(instruction, operands);
    if (!operands[0].isReference())
      return op->emitOpError("expects a reference, but got ")
             << describe(operands[0]);
    if (instruction.opcode == Opcode::ReadCell)
      return setChecked(instruction, operands[0].getContents());
    static_cast<CellObject *>(operands[0].getObject())->contents =
        std::move(operands[1]);
    operands.clear();
    setResult(instruction, InterpreterValue(ArrayRef<InterpreterValue>()));
    return success();
  }
  case Opcode::Return:
    break;
  }
  llvm_unreachable("Return ends a frame");
}

FailureOr<SmallVector<InterpreterValue>> Machine::run() {
  while (true) {
    Frame &frame = frames.back();
    const Instruction &instruction = frame.code->instructions[frame.next++];
    if (instruction.opcode != Opcode::Return) {
      if (failed(step(instruction)))
        return failure();
      continue;
    }
    takeAll(instruction, results);
    slots.resize(frame.firstSlot);
    frames.pop_back();
    if (frames.empty())
      return SmallVector<InterpreterValue>(std::move(results));
    if (failed(finishCall()))
      return failure();
  }
}

FailureOr<SmallVector<InterpreterValue>>
Machine::run(const Code &code, ArrayRef<InterpreterValue> inputs) {
  operands.assign(inputs.begin(), inputs.end());
  if (failed(enter(code, InterpreterValue(), operands, nullptr)))
    return failure();
  return run();
}

FailureOr<InterpreterValue> Machine::call(const InterpreterValue &function,
                                          ArrayRef<InterpreterValue> inputs,
                                          Location location) {
  if (!function.isFunction())
    return emitError(location)
           << "expects a function to call, but got " << describe(function);
  if (function.getKind() == InterpreterValue::Kind::Constructor) {
    auto *constructor = static_cast<ConstructorObject *>(function.getObject());
    if (inputs.size() != constructor->arity)
      return emitError(location)
             << "expects " << constructor->arity << " fields of "
             << constructor->constructor << ", but got " << inputs.size();
    return InterpreterValue::getData(constructor->constructor,
                                     constructor->index, inputs);
  }
  const Code &code = *static_cast<ClosureObject *>(function.getObject())->code;
  operands.assign(inputs.begin(), inputs.end());
  if (failed(enter(code, function, operands, nullptr)))
    return failure();
  FailureOr<SmallVector<InterpreterValue>> values = run();
  if (failed(values))
    return failure();
  if (values->size() != 1)
    return emitError(location)
           << "expects a function with one result, but got " << values->size();
  return std::move(values->front());
}
