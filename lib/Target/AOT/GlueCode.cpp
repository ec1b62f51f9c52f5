//===- GlueCode.cpp - Native code of functions of objects -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates instructions of bytecode one by one, so that registers and last
// uses are decided in one place. Jumps, branches and what only reads objects
// are code here; what allocates, frees or calls a function of tensors is a call
// of the run time with the instruction. Calls of functions of objects use none
// of the stack: the code returns to the run time, which enters it again behind
// the call. Whatever is not as expected, such as a value of another kind, is
// left to the run time, too, which knows what to say of it.
//
//===----------------------------------------------------------------------===//

#include "GlueCode.h"

#include "CodeBuilder.h"

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Dialect/Relax/IR/Builtins.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

std::string mlir::relay::detail::getGlueSymbol(size_t number) {
  return "relay_glue_" + std::to_string(number);
}

namespace {

/// Functions of more words are left to the run time but for their jumps, and
/// are not optimized: LLVM's time grows with more than the size of a function.
static bool isLong(const Bytecode::Function &function) {
  return function.numWords > 4096;
}

/// What is code here, of the functions of the run time.
enum class Inlined { None, Copy, Kill, GetField, HasConstructor };

/// One instruction.
struct Instruction {
  explicit Instruction(const int64_t *word) : word(word) {}

  int64_t getKind() const { return word[0]; }
  int64_t getSize() const {
    switch (word[0]) {
    case RELAY_VM_CALL:
      return 4 + word[3];
    case RELAY_VM_IF:
      return 3;
    default:
      return 2;
    }
  }
  /// Of a call.
  int64_t getTarget() const { return word[1]; }
  int64_t getCallee() const { return word[2]; }
  int64_t getArgKind(unsigned index) const {
    return static_cast<uint64_t>(word[4 + index]) >> RELAY_VM_ARGUMENT_BITS;
  }
  int64_t getArg(unsigned index) const {
    return RELAY_VM_ARGUMENT_VALUE(word[4 + index]);
  }

  const int64_t *word;
};

/// Builds the code of one function.
class GlueBuilder {
public:
  GlueBuilder(const Bytecode &bytecode, const Bytecode::Function &function,
              LLVM::LLVMFuncOp code, relax::SymbolScope &scope)
      : bytecode(bytecode), function(function), llvmFunction(code),
        code(code, scope), b(this->code.builder), loc(code.getLoc()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())),
        i32(b.getI32Type()), i64(b.getI64Type()) {}

  void build();

private:
  Instruction at(int64_t position) const {
    return Instruction(bytecode.words.data() + function.firstWord + position);
  }
  bool beginsCall(Instruction instruction) const;
  bool callsItselfLast(int64_t position, Instruction instruction) const;
  Inlined getInlined(Instruction instruction) const;
  void loadContext();
  void emit(int64_t position, Instruction instruction);
  void emitBranch(int64_t position, Instruction instruction);
  void emitInlined(Inlined kind, int64_t position, Instruction instruction);
  bool isExecuted(int64_t position) const;
  int64_t executeAll(int64_t position);
  void emitLoop(int64_t position, Instruction instruction);
  void emitCopy(Instruction instruction);
  void emitGetField(Instruction instruction);
  void emitHasConstructor(Instruction instruction);
  void execute(int64_t position, int64_t count = 1);

  Block *addBlock() {
    auto *block = new Block;
    llvmFunction.getBody().push_back(block);
    return block;
  }
  void begin(Block *next) { b.setInsertionPointToEnd(next); }
  void jump(Block *target) { LLVM::BrOp::create(b, loc, ValueRange(), target); }
  /// Leaves for the run time unless `condition` holds.
  void require(Value condition) {
    Block *next = addBlock();
    LLVM::CondBrOp::create(b, loc, condition, next, slow);
    begin(next);
  }
  void returnPosition(int64_t position) {
    LLVM::ReturnOp::create(b, loc, code.constant(position));
  }

  Value registerPlace(int64_t number) {
    return code.element(registers, number, i64);
  }
  Value loadRegister(int64_t number) {
    return code.load(i64, registerPlace(number));
  }
  Value compare(LLVM::ICmpPredicate predicate, Value value, int64_t number,
                unsigned width = 64) {
    return code.compare(predicate, value, code.constant(number, width));
  }
  /// Whether the contents of a register are an object.
  Value isObject(Value value) {
    Value low = LLVM::AndOp::create(b, loc, value, code.constant(1));
    return LLVM::AndOp::create(b, loc, compare(LLVM::ICmpPredicate::eq, low, 0),
                               compare(LLVM::ICmpPredicate::ne, value, 0));
  }
  void requireFree(int64_t number) {
    Block *next = addBlock();
    LLVM::CondBrOp::create(b, loc, isObject(loadRegister(number)), slow, next);
    begin(next);
  }
  /// The object of a register that must hold one.
  Value requireObject(int64_t number) {
    Value value = loadRegister(number);
    require(isObject(value));
    return LLVM::IntToPtrOp::create(b, loc, pointer, value);
  }
  Value loadMember(Type type, Value object, int64_t offset) {
    return code.load(type, code.offset(object, code.constant(offset)));
  }
  /// One more holder of what may be an object.
  void retain(Value value);
  Value take(Instruction instruction, unsigned index);

  const Bytecode &bytecode;
  const Bytecode::Function &function;
  LLVM::LLVMFuncOp llvmFunction;
  CodeBuilder code;
  OpBuilder &b;
  Location loc;
  LLVM::LLVMPointerType pointer;
  Type i32, i64;

  Value context, registers, executeFunction, beginFunction, releaseFunction;
  Value words, constants, constructors;
  /// Where the instructions begin that something jumps to, or that the run
  /// time enters at.
  DenseMap<int64_t, Block *> blocks;
  /// Of the instruction at hand: where the run time executes it.
  Block *slow = nullptr;
};

} // namespace

bool GlueBuilder::beginsCall(Instruction instruction) const {
  const Bytecode::Function &callee =
      bytecode.functions[instruction.getCallee()];
  return callee.kind == RELAY_VM_BYTECODE ||
         (callee.kind == RELAY_VM_BUILTIN &&
          StringRef(callee.name) ==
              (relax::kBuiltinPrefix + "invoke_closure").str());
}

/// Whether a call takes the place of the function's own.
bool GlueBuilder::callsItselfLast(int64_t position,
                                  Instruction instruction) const {
  Instruction next = at(position + instruction.getSize());
  return &bytecode.functions[instruction.getCallee()] == &function &&
         next.getKind() == RELAY_VM_RET &&
         next.word[1] == instruction.getTarget();
}

Inlined GlueBuilder::getInlined(Instruction instruction) const {
  const Bytecode::Function &callee =
      bytecode.functions[instruction.getCallee()];
  StringRef name = callee.name;
  if (isLong(function) || callee.kind != RELAY_VM_BUILTIN ||
      !name.consume_front(relax::kBuiltinPrefix))
    return Inlined::None;
  Inlined kind = llvm::StringSwitch<Inlined>(name)
                     .Case("copy", Inlined::Copy)
                     .Case("kill", Inlined::Kill)
                     .Case("get_field", Inlined::GetField)
                     .Case("has_constructor", Inlined::HasConstructor)
                     .Default(Inlined::None);
  bool isVoid = instruction.getTarget() == RELAY_VM_VOID;
  switch (kind) {
  case Inlined::Copy:
    return isVoid ? Inlined::None : kind;
  case Inlined::Kill:
    return instruction.getArgKind(0) == RELAY_VM_LAST_USE ? kind
                                                          : Inlined::None;
  case Inlined::GetField:
    return !isVoid && instruction.getArgKind(0) != RELAY_VM_CONSTANT
               ? kind
               : Inlined::None;
  case Inlined::HasConstructor:
    // With the last use, something may have to be freed.
    return !isVoid && instruction.getArgKind(0) == RELAY_VM_REGISTER
               ? kind
               : Inlined::None;
  case Inlined::None:
    break;
  }
  return Inlined::None;
}

void GlueBuilder::build() {
  SmallVector<int64_t> entries, targets;
  for (int64_t position = 0; position < function.numWords;) {
    Instruction instruction = at(position);
    int64_t next = position + instruction.getSize();
    if (instruction.getKind() == RELAY_VM_GOTO)
      targets.push_back(position + instruction.word[1]);
    else if (instruction.getKind() == RELAY_VM_IF)
      targets.push_back(position + instruction.word[2]);
    else if (instruction.getKind() == RELAY_VM_CALL && beginsCall(instruction))
      entries.push_back(next);
    position = next;
  }
  loadContext();
  Block *first = addBlock();
  blocks[0] = first;
  for (int64_t position : llvm::concat<int64_t>(entries, targets))
    if (Block *&block = blocks[position]; !block)
      block = addBlock();
  llvm::sort(entries);
  entries.erase(llvm::unique(entries), entries.end());
  if (entries.empty()) {
    jump(first);
  } else {
    SmallVector<APInt> values;
    SmallVector<Block *> destinations;
    for (int64_t entry : entries) {
      values.push_back(APInt(64, entry));
      destinations.push_back(blocks.lookup(entry));
    }
    LLVM::SwitchOp::create(b, loc, code.getArgument(2), first, ValueRange(),
                           values, destinations,
                           SmallVector<ValueRange>(destinations.size()));
  }
  // Ended blocks are left, and the next instruction begins one of its own.
  Block *current = nullptr;
  for (int64_t position = 0; position < function.numWords;) {
    if (Block *block = blocks.lookup(position)) {
      if (current)
        jump(block);
      begin(block);
    } else if (!current) {
      // Nothing comes here.
      begin(addBlock());
    }
    if (isExecuted(position)) {
      position = executeAll(position);
      current = b.getInsertionBlock();
      continue;
    }
    Instruction instruction = at(position);
    emit(position, instruction);
    bool isEnded =
        instruction.getKind() == RELAY_VM_RET ||
        instruction.getKind() == RELAY_VM_GOTO ||
        (instruction.getKind() == RELAY_VM_CALL && beginsCall(instruction));
    current = isEnded ? nullptr : b.getInsertionBlock();
    position += instruction.getSize();
  }
}

/// Whether the run time executes an instruction.
bool GlueBuilder::isExecuted(int64_t position) const {
  Instruction instruction = at(position);
  return instruction.getKind() == RELAY_VM_CALL && !beginsCall(instruction) &&
         getInlined(instruction) == Inlined::None;
}

/// Lets the run time execute the instruction, and those behind it that nothing
/// jumps to. Returns where the next one is.
int64_t GlueBuilder::executeAll(int64_t position) {
  int64_t next = position, count = 0;
  do {
    next += at(next).getSize();
    ++count;
  } while (next < function.numWords && !blocks.contains(next) &&
           isExecuted(next));
  execute(position, count);
  return next;
}

void GlueBuilder::loadContext() {
  context = code.getArgument(0);
  registers = code.getArgument(1);
  auto load = [&](size_t offset) {
    return loadMember(pointer, context, offset);
  };
  executeFunction = load(offsetof(RelayGlueContext, execute));
  beginFunction = load(offsetof(RelayGlueContext, begin));
  releaseFunction = load(offsetof(RelayGlueContext, release));
  words = code.offset(load(offsetof(RelayGlueContext, code)),
                      code.constant(function.firstWord * 8));
  constants = load(offsetof(RelayGlueContext, constants));
  constructors = load(offsetof(RelayGlueContext, constructors));
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void GlueBuilder::emit(int64_t position, Instruction instruction) {
  switch (instruction.getKind()) {
  case RELAY_VM_RET:
    return returnPosition(position);
  case RELAY_VM_GOTO:
    return jump(blocks.lookup(position + instruction.word[1]));
  case RELAY_VM_IF:
    return emitBranch(position, instruction);
  default:
    if (callsItselfLast(position, instruction))
      return emitLoop(position, instruction);
    if (beginsCall(instruction))
      return returnPosition(position);
    emitInlined(getInlined(instruction), position, instruction);
  }
}

void GlueBuilder::emitBranch(int64_t position, Instruction instruction) {
  Value value = loadRegister(instruction.word[1]);
  Block *other = addBlock(), *no = addBlock(), *next = addBlock();
  // Zero, as registers have it; then what is no number, which is an error.
  LLVM::CondBrOp::create(b, loc, compare(LLVM::ICmpPredicate::eq, value, 1),
                         blocks.lookup(position + instruction.word[2]), other);
  begin(other);
  Value low = LLVM::AndOp::create(b, loc, value, code.constant(1));
  LLVM::CondBrOp::create(b, loc, compare(LLVM::ICmpPredicate::eq, low, 0), no,
                         next);
  begin(no);
  returnPosition(position);
  begin(next);
}

/// Lets the run time execute instructions, and ends the code if one fails.
void GlueBuilder::execute(int64_t position, int64_t count) {
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer, pointer, i64});
  Value word = code.offset(words, code.constant(position * 8));
  Value status = LLVM::CallOp::create(b, loc, type,
                                      ValueRange{executeFunction, context, word,
                                                 code.constant(count)})
                     .getResult();
  code.returnUnlessZero(status, code.constant(-1));
}

void GlueBuilder::emitInlined(Inlined kind, int64_t position,
                              Instruction instruction) {
  slow = addBlock();
  Block *done = addBlock();
  switch (kind) {
  case Inlined::Copy:
    emitCopy(instruction);
    break;
  case Inlined::Kill:
    requireFree(instruction.getArg(0));
    code.store(code.constant(0), registerPlace(instruction.getArg(0)));
    break;
  case Inlined::GetField:
    emitGetField(instruction);
    break;
  case Inlined::HasConstructor:
    emitHasConstructor(instruction);
    break;
  case Inlined::None:
    llvm_unreachable("is for the run time");
  }
  jump(done);
  begin(slow);
  execute(position);
  jump(done);
  begin(done);
}

/// The value of an argument, whose reference is taken over.
Value GlueBuilder::take(Instruction instruction, unsigned index) {
  int64_t number = instruction.getArg(index);
  Value value;
  switch (instruction.getArgKind(index)) {
  case RELAY_VM_IMMEDIATE:
    return code.constant(number * 2 + 1);
  case RELAY_VM_CONSTANT:
    value = code.load(i64, code.element(constants, number, i64));
    retain(value);
    return value;
  case RELAY_VM_LAST_USE:
    value = loadRegister(number);
    code.store(code.constant(0), registerPlace(number));
    return value;
  default:
    value = loadRegister(number);
    retain(value);
    return value;
  }
}

void GlueBuilder::emitCopy(Instruction instruction) {
  requireFree(instruction.getTarget());
  Value value = take(instruction, 0);
  code.store(value, registerPlace(instruction.getTarget()));
}

/// Begins the function again in the place of a call of itself. The run time
/// does that if a parameter holds something that would have to be freed.
void GlueBuilder::emitLoop(int64_t position, Instruction instruction) {
  int64_t count = instruction.word[3];
  SmallVector<bool> isTaken(count);
  for (int64_t i = 0; i < count; ++i)
    if (instruction.getArgKind(i) == RELAY_VM_LAST_USE &&
        instruction.getArg(i) < count)
      isTaken[instruction.getArg(i)] = true;
  slow = addBlock();
  for (int64_t i = 0; i < count; ++i)
    if (!isTaken[i])
      requireFree(i);
  SmallVector<Value> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(take(instruction, i));
  for (auto [number, value] : llvm::enumerate(values))
    code.store(value, registerPlace(number));
  auto type = LLVM::LLVMFunctionType::get(i32, {pointer});
  Value status =
      LLVM::CallOp::create(b, loc, type, ValueRange{beginFunction, context})
          .getResult();
  code.returnUnlessZero(status, code.constant(-1));
  jump(blocks.lookup(0));
  begin(slow);
  returnPosition(position);
}

void GlueBuilder::emitGetField(Instruction instruction) {
  bool isLast = instruction.getArgKind(0) == RELAY_VM_LAST_USE;
  if (!isLast || instruction.getTarget() != instruction.getArg(0))
    requireFree(instruction.getTarget());
  Value object = requireObject(instruction.getArg(0));
  if (isLast) {
    // What nobody else has gives its field away, and is freed.
    Value count =
        loadMember(i32, object, offsetof(RelayGlueObject, num_references));
    require(compare(LLVM::ICmpPredicate::ne, count, 1, 32));
  }
  Value kind = loadMember(i32, object, offsetof(RelayGlueObject, kind));
  static_assert(RELAY_VALUE_TUPLE + 1 == RELAY_VALUE_DATA);
  Value fromTuple =
      LLVM::SubOp::create(b, loc, kind, code.constant(RELAY_VALUE_TUPLE, 32));
  require(compare(LLVM::ICmpPredicate::ule, fromTuple, 1, 32));
  Value count = loadMember(i32, object, offsetof(RelayGlueObject, num_fields));
  int64_t index = instruction.getArg(1);
  Value wide = LLVM::ZExtOp::create(b, loc, i64, count);
  require(compare(LLVM::ICmpPredicate::ugt, wide, index));
  Value field =
      loadMember(i64, object, sizeof(RelayGlueObject) + 8 * uint64_t(index));
  retain(field);
  if (isLast) {
    code.store(code.constant(0), registerPlace(instruction.getArg(0)));
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), i64);
    LLVM::CallOp::create(b, loc, type,
                         ValueRange{releaseFunction, LLVM::PtrToIntOp::create(
                                                         b, loc, i64, object)});
  }
  code.store(field, registerPlace(instruction.getTarget()));
}

void GlueBuilder::emitHasConstructor(Instruction instruction) {
  requireFree(instruction.getTarget());
  Value object = requireObject(instruction.getArg(0));
  Value kind = loadMember(i32, object, offsetof(RelayGlueObject, kind));
  require(compare(LLVM::ICmpPredicate::eq, kind, RELAY_VALUE_DATA, 32));
  Value constructor =
      loadMember(pointer, object, offsetof(RelayGlueObject, constructor));
  Value asked = code.offset(
      constructors,
      code.constant(instruction.getArg(1) * sizeof(RelayArtifactConstructor)));
  Value isSame = LLVM::ZExtOp::create(
      b, loc, i64, code.compare(LLVM::ICmpPredicate::eq, constructor, asked));
  Value number = LLVM::OrOp::create(
      b, loc, LLVM::ShlOp::create(b, loc, isSame, code.constant(1)),
      code.constant(1));
  code.store(number, registerPlace(instruction.getTarget()));
}

void GlueBuilder::retain(Value value) {
  Block *count = addBlock(), *next = addBlock();
  LLVM::CondBrOp::create(b, loc, isObject(value), count, next);
  begin(count);
  static_assert(offsetof(RelayGlueObject, num_references) == 0);
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add,
                            LLVM::IntToPtrOp::create(b, loc, pointer, value),
                            code.constant(1, 32),
                            LLVM::AtomicOrdering::monotonic);
  jump(next);
  begin(next);
}

SmallVector<HostModules::Part>
mlir::relay::detail::buildGlueModules(const Bytecode &bytecode, Location loc) {
  MLIRContext *context = loc.getContext();
  OpBuilder builder(context);
  auto pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(i64, {pointer, pointer, i64});
  // It computes no sizes.
  relax::SymbolScope scope(context);
  OwningOpRef<ModuleOp> modules[2];
  for (auto [number, function] : llvm::enumerate(bytecode.functions)) {
    if (function.kind != RELAY_VM_BYTECODE)
      continue;
    OwningOpRef<ModuleOp> &module = modules[isLong(function)];
    if (!module)
      module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto code = LLVM::LLVMFuncOp::create(builder, loc, getGlueSymbol(number),
                                         type, LLVM::Linkage::External);
    code.setVisibility_(LLVM::Visibility::Hidden);
    GlueBuilder(bytecode, function, code, scope).build();
  }
  SmallVector<HostModules::Part> parts;
  constexpr CodeEffort kEfforts[] = {CodeEffort::Glue, CodeEffort::Program};
  for (auto [module, effort] : llvm::zip_equal(modules, kEfforts))
    if (module)
      parts.push_back({std::move(module), effort});
  return parts;
}
