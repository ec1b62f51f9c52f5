//===- CodeBuilder.cpp - Translate functions for the interpreter ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a function or closure into a sequence of instructions (Code.h).
// Each value gets a slot of the frame, which is free again after its last use
// on each path; what only other paths use is dropped at the start of a path.
// Branches and cases become jumps. A call whose result is the function's own
// result becomes a tail call, which needs no frame of its own.
//
//===----------------------------------------------------------------------===//

#include "Code.h"
#include "Objects.h"

#include "relay-mlir/Dialect/Relay/IR/AddedOperators.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/LastUses.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Whether a constant is kept with the code. Larger ones are made where they
/// are used, so that memory follows the live values.
static bool isSmallConstant(ConstantOp constant) {
  constexpr int64_t maxSize = 256;
  auto value = dyn_cast<DenseElementsAttr>(constant.getValue());
  return value && isa<RankedTensorType>(value.getType()) &&
         Tensor::supports(value.getElementType()) &&
         value.getNumElements() <= maxSize;
}

static ConstantOp getSmallConstant(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant && isSmallConstant(constant) ? constant : ConstantOp();
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// The values that an operation uses itself: its operands, and what the region
/// of a closure captures.
static SmallVector<Value> getUsedValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (auto fn = dyn_cast<FnOp>(op)) {
    llvm::SetVector<Value> captures;
    getUsedValuesDefinedAbove(fn.getBodyRegion(), captures);
    llvm::append_range(values, captures);
  }
  return values;
}

namespace mlir::relay {

//===----------------------------------------------------------------------===//
// CodeBuilder
//===----------------------------------------------------------------------===//

/// Translates one function or closure after the other.
class CodeBuilder {
public:
  explicit CodeBuilder(Program &program) : program(program) {}

  LogicalResult build(func::FuncOp function) {
    getCode(function);
    while (!waiting.empty()) {
      Code *code = waiting.back().first;
      SmallVector<Value> captures = std::move(waiting.back().second);
      waiting.pop_back();
      if (failed(buildCode(*code, captures)))
        return failure();
    }
    return success();
  }

private:
  /// What becomes of the value at the end of a block.
  struct Exit {
    /// It is returned from the function; otherwise it goes to `slot`.
    bool returns;
    uint32_t slot = noSlot;
  };

  Code *getCode(func::FuncOp function);
  Code *addCode(Operation *op, Type type, ArrayRef<Value> captures);
  LogicalResult buildCode(Code &newCode, ArrayRef<Value> captures);
  void setParams(Block::BlockArgListType params);
  LogicalResult emitBlock(Block &block, Exit exit);
  LogicalResult emitOp(Operation *op, bool isTail);
  void emitTerminator(Operation *op, Exit exit);
  LogicalResult emitCall(Instruction instruction);
  LogicalResult emitIf(IfOp op, bool isTail);
  LogicalResult emitMatch(MatchOp op, bool isTail);
  void emitClosure(FnOp op);
  LogicalResult emitGlobal(GlobalOp op);
  PatternCode getPattern(Attribute pattern, Block::BlockArgListType arguments,
                         unsigned &next);

  bool isInFrame(Value value) const {
    return !outside.contains(value) && !getSmallConstant(value);
  }
  Operand getOperand(Operation *op, Value value, bool isLastOccurrence);
  void addOperands(Instruction &instruction, ArrayRef<Value> values);
  void addResults(Instruction &instruction);
  uint32_t allocateSlot(Value value);
  Instruction makeInstruction(Opcode opcode, Operation *op) {
    Instruction instruction;
    instruction.opcode = opcode;
    instruction.op = op;
    return instruction;
  }
  uint32_t emit(const Instruction &instruction) {
    code->instructions.push_back(instruction);
    return code->instructions.size() - 1;
  }
  uint32_t getPosition() const { return code->instructions.size(); }
  void emitDrops(Block &block);

  /// What branches of one operation begin with: the slots that are free.
  struct BranchState {
    std::vector<uint32_t> freeSlots;
    uint32_t numSlots;
  };
  BranchState saveState() const { return {freeSlots, code->numSlots}; }
  void restoreState(const BranchState &state);

  Program &program;
  SymbolTableCollection symbols;
  DenseMap<Operation *, Code *> codes;
  std::vector<std::pair<Code *, SmallVector<Value>>> waiting;

  // The function at hand.
  Code *code = nullptr;
  std::optional<LastUses> lastUses;
  /// Captured values, and the closure itself.
  DenseMap<Value, Operand> outside;
  DenseMap<Value, uint32_t> slots;
  DenseMap<Value, uint32_t> constants;
  std::vector<uint32_t> freeSlots;
};

} // namespace mlir::relay

Code *CodeBuilder::addCode(Operation *op, Type type, ArrayRef<Value> captures) {
  Code *newCode = program.codes.emplace_back(std::make_unique<Code>()).get();
  newCode->op = op;
  newCode->program = &program;
  newCode->type = type;
  waiting.emplace_back(newCode, SmallVector<Value>(captures));
  return newCode;
}

Code *CodeBuilder::getCode(func::FuncOp function) {
  Code *&entry = codes[function];
  if (entry)
    return entry;
  SmallVector<StringAttr> params;
  if (auto attr = function->getAttrOfType<ArrayAttr>(kTypeParamsAttrName))
    for (Attribute param : attr)
      if (auto name = dyn_cast<StringAttr>(param))
        params.push_back(name);
  // Not through `entry`, which the insertion may have moved.
  return entry = addCode(
             function,
             relay::getFunctionType(params, function.getFunctionType()), {});
}

LogicalResult CodeBuilder::buildCode(Code &newCode, ArrayRef<Value> captures) {
  code = &newCode;
  lastUses.reset();
  outside.clear();
  slots.clear();
  constants.clear();
  freeSlots.clear();

  for (auto [index, capture] : llvm::enumerate(captures))
    outside[capture] = {Operand::Capture, 0, static_cast<uint32_t>(index)};
  Block *body;
  Block::BlockArgListType params;
  if (auto fn = dyn_cast<FnOp>(newCode.op)) {
    body = &fn.getBody().front();
    params = fn.getParams();
    if (Value self = fn.getSelf())
      outside[self] = {Operand::Self, 0, 0};
    for (BlockArgument param : params)
      newCode.paramTypes.push_back(param.getType());
  } else {
    auto function = cast<func::FuncOp>(newCode.op);
    llvm::append_range(newCode.paramTypes, function.getArgumentTypes());
    if (function.isExternal()) {
      newCode.isDeclaration = true;
      return success();
    }
    body = &function.front();
    params = body->getArguments();
  }

  // The regions of closures do not belong to the frame.
  lastUses.emplace(
      *body,
      LastUses::Rules{[this](Value value) { return isInFrame(value); },
                      [](Operation &op) { return isa<IfOp, MatchOp>(op); },
                      [](Operation &op) { return getUsedValues(&op); }});
  for (BlockArgument param : params)
    newCode.paramSlots.push_back(allocateSlot(param));
  return emitBlock(*body, {/*returns=*/true});
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Gives `value` a slot, unless nothing uses it.
uint32_t CodeBuilder::allocateSlot(Value value) {
  if (value.use_empty())
    return noSlot;
  uint32_t slot;
  if (freeSlots.empty()) {
    slot = code->numSlots++;
  } else {
    slot = freeSlots.back();
    freeSlots.pop_back();
  }
  slots[value] = slot;
  return slot;
}

void CodeBuilder::restoreState(const BranchState &state) {
  freeSlots = state.freeSlots;
  // Those that another branch added.
  for (uint32_t slot = state.numSlots; slot < code->numSlots; ++slot)
    freeSlots.push_back(slot);
}

Operand CodeBuilder::getOperand(Operation *op, Value value,
                                bool isLastOccurrence) {
  if (auto it = outside.find(value); it != outside.end())
    return it->second;
  if (ConstantOp constant = getSmallConstant(value)) {
    auto [it, isNew] = constants.try_emplace(value, code->constants.size());
    if (isNew) {
      // Cannot fail: see isSmallConstant.
      FailureOr<Tensor> tensor = Tensor::get(
          constant.getValue(), [&]() { return constant.emitOpError(); });
      code->constants.push_back(*tensor);
    }
    return {Operand::Constant, 0, it->second};
  }
  bool isLastUse = isLastOccurrence && lastUses->contains(op, value);
  return {Operand::Slot, isLastUse, slots.lookup(value)};
}

/// Adds `values` as the operands of `instruction`; slots that this reads last
/// are free from now on.
void CodeBuilder::addOperands(Instruction &instruction,
                              ArrayRef<Value> values) {
  instruction.firstOperand = code->operands.size();
  instruction.numOperands = values.size();
  // Operands are read in order, so the last one of equal ones is moved.
  SmallPtrSet<Value, 8> seen;
  SmallVector<Operand> reversed;
  for (Value value : llvm::reverse(values)) {
    bool isLastOccurrence = seen.insert(value).second;
    reversed.push_back(getOperand(instruction.op, value, isLastOccurrence));
  }
  for (Operand operand : llvm::reverse(reversed)) {
    code->operands.push_back(operand);
    if (operand.isLastUse)
      freeSlots.push_back(operand.index);
  }
}

void CodeBuilder::addResults(Instruction &instruction) {
  instruction.firstResult = code->results.size();
  instruction.numResults = instruction.op->getNumResults();
  for (Value result : instruction.op->getResults())
    code->results.push_back(allocateSlot(result));
}

/// Frees what is used on other paths only.
void CodeBuilder::emitDrops(Block &block) {
  ArrayRef<Value> values = lastUses->getUnused(&block);
  if (values.empty())
    return;
  Instruction drop = makeInstruction(Opcode::Drop, block.getParentOp());
  drop.firstOperand = code->operands.size();
  drop.numOperands = values.size();
  for (Value value : values) {
    uint32_t slot = slots.lookup(value);
    code->operands.push_back({Operand::Slot, 1, slot});
    freeSlots.push_back(slot);
  }
  emit(drop);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Whether an operation only hands its operand on.
static bool isBinding(Operation *op) {
  auto ascribe = dyn_cast_if_present<AscribeOp>(op);
  return ascribe ? !ascribe.isChecked() : isa_and_present<LetOp>(op);
}

/// Whether the value of `op` is what its block ends with, at once or after
/// bindings to variables. Those need not run then.
static bool endsBlock(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  Value value = op->getResult(0);
  Operation *next = op->getNextNode();
  while (isBinding(next)) {
    if (next->getOperand(0) != value || !value.hasOneUse())
      return false;
    value = next->getResult(0);
    next = next->getNextNode();
  }
  return next && isa<func::ReturnOp, YieldOp>(next) &&
         next->getNumOperands() == 1 && next->getOperand(0) == value &&
         value.hasOneUse();
}

LogicalResult CodeBuilder::emitBlock(Block &block, Exit exit) {
  for (Operation &op : block) {
    if (isa<func::ReturnOp, YieldOp>(op)) {
      emitTerminator(&op, exit);
      return success();
    }
    bool isTail = exit.returns && endsBlock(&op);
    if (failed(emitOp(&op, isTail)))
      return failure();
    // Its branches have returned.
    if (isTail && isa<IfOp, MatchOp>(op))
      return success();
  }
  return success();
}

void CodeBuilder::emitTerminator(Operation *op, Exit exit) {
  Instruction instruction =
      makeInstruction(exit.returns ? Opcode::Return : Opcode::Move, op);
  addOperands(instruction, llvm::to_vector(op->getOperands()));
  if (!exit.returns) {
    // The value becomes that of the if or match.
    instruction.op = op->getParentOp();
    instruction.firstResult = code->results.size();
    instruction.numResults = 1;
    code->results.push_back(exit.slot);
  }
  emit(instruction);
}

LogicalResult CodeBuilder::emitOp(Operation *op, bool isTail) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    if (isSmallConstant(constant))
      return success();
  if (auto fn = dyn_cast<FnOp>(op)) {
    emitClosure(fn);
    return success();
  }
  if (auto ifOp = dyn_cast<IfOp>(op))
    return emitIf(ifOp, isTail);
  if (auto match = dyn_cast<MatchOp>(op))
    return emitMatch(match, isTail);
  if (auto global = dyn_cast<GlobalOp>(op))
    return emitGlobal(global);

  auto opcode = llvm::TypeSwitch<Operation *, Opcode>(op)
                    .Case([](TupleOp) { return Opcode::MakeTuple; })
                    .Case([](TupleGetItemOp) { return Opcode::GetField; })
                    .Case([](CallIndirectOp) { return Opcode::CallIndirect; })
                    .Case([](ConstructOp) { return Opcode::Construct; })
                    .Case<LetOp, AscribeOp>([](auto) { return Opcode::Move; })
                    .Case([](RefCreateOp) { return Opcode::CreateCell; })
                    .Case([](RefReadOp) { return Opcode::ReadCell; })
                    .Case([](RefWriteOp) { return Opcode::WriteCell; })
                    .Case([](CallOpInterface) { return Opcode::Call; })
                    .Default([](Operation *) { return Opcode::Evaluate; });
  Instruction instruction = makeInstruction(opcode, op);
  instruction.isTail = isTail;
  if (auto construct = dyn_cast<ConstructOp>(op)) {
    auto constructor = symbols.lookupNearestSymbolFrom<ConstructorOp>(
        op, construct.getConstructorAttr());
    if (!constructor)
      return op->emitOpError("expects the name of a constructor, but got ")
             << construct.getConstructorAttr();
    instruction.target = constructor.getIndex();
  }
  // Of the calls by name, only those of added operators have a meaning.
  auto apply = dyn_cast<ApplyOp>(op);
  if (opcode == Opcode::Evaluate && op->getNumResults() == 1 &&
      (!apply || lookupAddedOperator(apply.getName())))
    instruction.evaluator = program.evaluators->lookup(op->getName());
  if (opcode == Opcode::Call) {
    auto callee = dyn_cast_if_present<func::FuncOp>(
        cast<CallOpInterface>(op).resolveCallableInTable(&symbols));
    if (!callee)
      return op->emitOpError("expects to call a func.func by name, but got "
                             "another callee");
    instruction.code = getCode(callee);
  }
  addOperands(instruction, llvm::to_vector(op->getOperands()));
  addResults(instruction);
  emit(instruction);
  return success();
}

void CodeBuilder::emitClosure(FnOp op) {
  SmallVector<Value> captures = getUsedValues(op);
  llvm::erase_if(captures,
                 [](Value value) { return bool(getSmallConstant(value)); });
  Instruction instruction = makeInstruction(Opcode::MakeClosure, op);
  instruction.code = addCode(op, op.getResult().getType(), captures);
  addOperands(instruction, captures);
  addResults(instruction);
  emit(instruction);
}

LogicalResult CodeBuilder::emitGlobal(GlobalOp op) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(op, op.getSymbolAttr());
  Instruction instruction = makeInstruction(Opcode::GetFunction, op);
  if (auto constructor = dyn_cast_if_present<ConstructorOp>(symbol)) {
    InterpreterValue value =
        InterpreterValue::adopt(new relay::detail::ConstructorObject(
            op.getSymbolAttr(), constructor.getIndex(),
            constructor.getFields().size(), constructor.getValueType()));
    instruction.opcode = Opcode::Move;
    instruction.firstOperand = code->operands.size();
    instruction.numOperands = 1;
    code->operands.push_back(
        {Operand::Constant, 0, static_cast<uint32_t>(code->constants.size())});
    code->constants.push_back(value);
  } else if (auto function = dyn_cast_if_present<func::FuncOp>(symbol)) {
    instruction.code = getCode(function);
  } else {
    return op.emitOpError("expects the name of a function or constructor, but "
                          "got ")
           << op.getSymbolAttr();
  }
  addResults(instruction);
  emit(instruction);
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

LogicalResult CodeBuilder::emitIf(IfOp op, bool isTail) {
  Instruction branch = makeInstruction(Opcode::Branch, op);
  addOperands(branch, {op.getCondition()});
  uint32_t branchPosition = emit(branch);
  Exit exit{isTail};
  if (!isTail)
    exit.slot = allocateSlot(op.getResult());

  BranchState state = saveState();
  Block &thenBlock = op.getThenRegion().front();
  emitDrops(thenBlock);
  if (failed(emitBlock(thenBlock, exit)))
    return failure();
  uint32_t jumpPosition = isTail ? 0 : emit(makeInstruction(Opcode::Jump, op));

  restoreState(state);
  code->instructions[branchPosition].target = getPosition();
  Block &elseBlock = op.getElseRegion().front();
  emitDrops(elseBlock);
  if (failed(emitBlock(elseBlock, exit)))
    return failure();
  if (!isTail)
    code->instructions[jumpPosition].target = getPosition();
  return success();
}

PatternCode CodeBuilder::getPattern(Attribute pattern,
                                    Block::BlockArgListType arguments,
                                    unsigned &next) {
  PatternCode result;
  ArrayRef<Attribute> fields;
  if (isa<VarPatternAttr>(pattern)) {
    BlockArgument argument = arguments[next++];
    result.kind = PatternCode::Variable;
    result.slot = allocateSlot(argument);
    result.type = argument.getType();
  } else if (auto constructor = dyn_cast<ConstructorPatternAttr>(pattern)) {
    result.kind = PatternCode::Constructor;
    result.constructor = constructor.getConstructor();
    fields = constructor.getFields();
  } else if (auto tuple = dyn_cast<TuplePatternAttr>(pattern)) {
    result.kind = PatternCode::Tuple;
    fields = tuple.getFields();
  }
  for (Attribute field : fields)
    result.fields.push_back(getPattern(field, arguments, next));
  return result;
}

LogicalResult CodeBuilder::emitMatch(MatchOp op, bool isTail) {
  Instruction match = makeInstruction(Opcode::Match, op);
  addOperands(match, {op.getValue()});
  match.target = code->matches.size();
  code->matches.emplace_back();
  emit(match);
  Exit exit{isTail};
  if (!isTail)
    exit.slot = allocateSlot(op.getResult());

  BranchState state = saveState();
  SmallVector<uint32_t> jumps;
  for (auto [pattern, region] :
       llvm::zip_equal(op.getPatterns(), op.getCases())) {
    restoreState(state);
    Block &block = region.front();
    unsigned next = 0;
    // Variables are bound before what other cases use is dropped: they get
    // slots that are free already.
    PatternCode patternCode = getPattern(pattern, block.getArguments(), next);
    code->matches[match.target].push_back(
        {std::move(patternCode), getPosition()});
    emitDrops(block);
    if (failed(emitBlock(block, exit)))
      return failure();
    if (!isTail)
      jumps.push_back(emit(makeInstruction(Opcode::Jump, op)));
  }
  for (uint32_t jump : jumps)
    code->instructions[jump].target = getPosition();
  return success();
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

FailureOr<std::shared_ptr<const Program>>
Program::create(func::FuncOp function,
                std::shared_ptr<const EvaluatorTable> evaluators) {
  auto program = std::make_shared<Program>();
  program->evaluators = std::move(evaluators);
  if (failed(CodeBuilder(*program).build(function)))
    return failure();
  return std::shared_ptr<const Program>(program);
}
