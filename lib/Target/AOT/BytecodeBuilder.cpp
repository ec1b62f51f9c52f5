//===- BytecodeBuilder.cpp - Functions of objects as bytecode -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value gets a register, which is free again after the last use on each
// path; what only other paths use is dropped where a path begins. So memory
// follows the live values, and a frame that ends with a call holds nothing but
// the arguments of the call.
//
//===----------------------------------------------------------------------===//

#include "BytecodeBuilder.h"

#include "HostData.h"
#include "ValueTypeEncoder.h"

#include "relay-mlir/Dialect/Relax/IR/Builtins.h"
#include "relay-mlir/Dialect/Relax/IR/Strings.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/LastUses.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// A value that is a part of instructions and needs no register.
static bool isImmediate(Value value) {
  return isa_and_nonnull<relax::LoadConstantOp, relax::TruthOp>(
      value.getDefiningOp());
}

namespace {

class BytecodeBuilder {
public:
  BytecodeBuilder(ModuleOp glue,
                  const llvm::StringMap<unsigned> &tensorFunctions)
      : glue(glue), tensorFunctions(tensorFunctions) {}

  FailureOr<Bytecode> build();

private:
  /// What becomes of the value at the end of a block.
  struct Exit {
    /// It is the function's result; otherwise it goes to a register.
    bool returns;
    int64_t target = 0;
  };

  LogicalResult buildFunction(relax::FuncOp function);
  LogicalResult emitBlock(Block &block, Exit exit);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitIf(relax::IfOp op, bool isTail);
  void emitEnd(Operation *op, Exit exit);
  void emitCall(int64_t callee, int64_t target, ArrayRef<int64_t> args);
  void emitBuiltin(StringRef name, int64_t target, ArrayRef<int64_t> args) {
    emitCall(getBuiltin(name), target, args);
  }
  void emitKills(ArrayRef<Value> values);

  int64_t getBuiltin(StringRef name);
  FailureOr<int64_t> getFunction(Operation *op, StringRef name);
  int64_t getConstructor(relax::ConstructorAttr constructor);
  int64_t getConstant(relax::LoadConstantOp op);
  LogicalResult checkConstructors();
  /// Notes what callers may pass to functions, and what fields may be.
  LogicalResult encodeTypes(ArrayRef<relax::FuncOp> own);

  /// The operands of `op` as arguments; those that it reads last are free
  /// then.
  SmallVector<int64_t> takeOperands(Operation *op);
  /// Frees the register of a value that is read last, unless it has none.
  void free(Value value);
  /// A register for a result, or RELAY_VM_VOID.
  int64_t allocate(Value value);
  int64_t allocateRegister();

  ModuleOp glue;
  const llvm::StringMap<unsigned> &tensorFunctions;
  Bytecode code;
  llvm::StringMap<int64_t> functions, builtins;
  DenseMap<Attribute, int64_t> constants, constructors;

  // The function at hand.
  std::optional<LastUses> lastUses;
  DenseMap<Value, int64_t> registers;
  SmallVector<int64_t> freeRegisters;
  int64_t numRegisters = 0;
};

} // namespace

static int64_t makeArgument(RelayVMArgument kind, int64_t value) {
  return RELAY_VM_MAKE_ARGUMENT(kind, value);
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

int64_t BytecodeBuilder::getBuiltin(StringRef name) {
  auto [it, isNew] = builtins.try_emplace(name, code.functions.size());
  if (isNew)
    code.functions.push_back(
        {(relax::kBuiltinPrefix + name).str(), RELAY_VM_BUILTIN});
  return it->second;
}

FailureOr<int64_t> BytecodeBuilder::getFunction(Operation *op, StringRef name) {
  auto it = functions.find(name);
  if (it != functions.end())
    return it->second;
  if (name.starts_with(relax::kMakeSizedBuiltin))
    return getBuiltin(
        relax::kMakeSizedBuiltin.drop_front(relax::kBuiltinPrefix.size()));
  auto tensors = tensorFunctions.find(name);
  if (tensors == tensorFunctions.end())
    return op->emitOpError("expects a function of objects or of tensors, but "
                           "there is no @")
           << name;
  int64_t number = code.functions.size();
  Bytecode::Function function{name.str(), RELAY_VM_TENSORS};
  function.tensorFunction = tensors->second;
  code.functions.push_back(std::move(function));
  return functions[name] = number;
}

int64_t BytecodeBuilder::getConstructor(relax::ConstructorAttr constructor) {
  auto [it, isNew] =
      constructors.try_emplace(constructor, code.constructors.size());
  if (isNew)
    code.constructors.push_back(constructor);
  return it->second;
}

int64_t BytecodeBuilder::getConstant(relax::LoadConstantOp op) {
  auto [it, isNew] =
      constants.try_emplace(op.getValue(), code.constants.size());
  if (isNew)
    code.constants.push_back({op.getValue(), op.getLoc()});
  return it->second;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

int64_t BytecodeBuilder::allocateRegister() {
  if (freeRegisters.empty())
    return numRegisters++;
  return freeRegisters.pop_back_val();
}

int64_t BytecodeBuilder::allocate(Value value) {
  if (value.use_empty())
    return RELAY_VM_VOID;
  return registers[value] = allocateRegister();
}

void BytecodeBuilder::free(Value value) {
  if (!isImmediate(value))
    freeRegisters.push_back(registers.lookup(value));
}

SmallVector<int64_t> BytecodeBuilder::takeOperands(Operation *op) {
  SmallVector<int64_t> args(op->getNumOperands());
  // They are read in order, so the last one of equal ones is the last use.
  llvm::SmallPtrSet<Value, 8> seen;
  for (OpOperand &operand : llvm::reverse(op->getOpOperands())) {
    Value value = operand.get();
    int64_t &arg = args[operand.getOperandNumber()];
    if (auto constant = value.getDefiningOp<relax::LoadConstantOp>()) {
      arg = makeArgument(RELAY_VM_CONSTANT, getConstant(constant));
    } else if (auto truth = value.getDefiningOp<relax::TruthOp>()) {
      arg = makeArgument(RELAY_VM_IMMEDIATE, truth.getValue());
    } else {
      bool isLast = seen.insert(value).second && lastUses->contains(op, value);
      arg = makeArgument(isLast ? RELAY_VM_LAST_USE : RELAY_VM_REGISTER,
                         registers.lookup(value));
      if (isLast)
        free(value);
    }
  }
  return args;
}

void BytecodeBuilder::emitKills(ArrayRef<Value> values) {
  for (Value value : values) {
    if (isa<relax::ObjectType>(value.getType()))
      emitBuiltin("kill", RELAY_VM_VOID,
                  makeArgument(RELAY_VM_LAST_USE, registers.lookup(value)));
    free(value);
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void BytecodeBuilder::emitCall(int64_t callee, int64_t target,
                               ArrayRef<int64_t> args) {
  code.words.append(
      {RELAY_VM_CALL, target, callee, static_cast<int64_t>(args.size())});
  llvm::append_range(code.words, args);
}

/// Whether the result of `op` is what its block ends with.
static bool endsBlock(Operation *op) {
  Operation *next = op->getNextNode();
  return isa_and_nonnull<relax::ReturnOp, relax::YieldOp>(next) &&
         op->getNumResults() == 1 && next->getOperand(0) == op->getResult(0) &&
         op->getResult(0).hasOneUse();
}

LogicalResult BytecodeBuilder::emitBlock(Block &block, Exit exit) {
  for (Operation &op : block) {
    if (isa<relax::ReturnOp, relax::YieldOp>(op)) {
      emitEnd(&op, exit);
      return success();
    }
    if (auto ifOp = dyn_cast<relax::IfOp>(op)) {
      bool isTail = exit.returns && endsBlock(&op);
      if (failed(emitIf(ifOp, isTail)))
        return failure();
      // Its branches have returned.
      if (isTail)
        return success();
      continue;
    }
    if (failed(emitOp(&op)))
      return failure();
  }
  return success();
}

void BytecodeBuilder::emitEnd(Operation *op, Exit exit) {
  Value value = op->getOperand(0);
  if (!exit.returns) {
    SmallVector<int64_t> args = takeOperands(op);
    emitBuiltin("copy", exit.target, args);
    return;
  }
  int64_t result;
  if (isImmediate(value)) {
    result = allocateRegister();
    emitBuiltin("copy", result, takeOperands(op));
  } else {
    result = registers.lookup(value);
  }
  code.words.append({RELAY_VM_RET, result});
}

LogicalResult BytecodeBuilder::emitIf(relax::IfOp op, bool isTail) {
  Value condition = op.getCondition();
  int64_t tested;
  if (isImmediate(condition)) {
    tested = allocateRegister();
    emitBuiltin("copy", tested, takeOperands(op));
    freeRegisters.push_back(tested);
  } else {
    tested = registers.lookup(condition);
    if (lastUses->contains(op, condition))
      free(condition);
  }
  size_t branch = code.words.size();
  code.words.append({RELAY_VM_IF, tested, 0});
  Exit exit{isTail};
  if (!isTail) {
    int64_t target = allocate(op.getResult());
    exit.target = target;
  }

  SmallVector<int64_t> savedFree = freeRegisters;
  int64_t savedCount = numRegisters;
  Block &thenBlock = op.getThenRegion().front();
  emitKills(lastUses->getUnused(&thenBlock));
  if (failed(emitBlock(thenBlock, exit)))
    return failure();
  size_t jump = code.words.size();
  if (!isTail)
    code.words.append({RELAY_VM_GOTO, 0});

  freeRegisters = savedFree;
  // Those that the other branch added.
  for (int64_t number = savedCount; number < numRegisters; ++number)
    freeRegisters.push_back(number);
  code.words[branch + 2] = code.words.size() - branch;
  Block &elseBlock = op.getElseRegion().front();
  emitKills(lastUses->getUnused(&elseBlock));
  if (failed(emitBlock(elseBlock, exit)))
    return failure();
  if (!isTail)
    code.words[jump + 1] = code.words.size() - jump;
  return success();
}

LogicalResult BytecodeBuilder::emitOp(Operation *op) {
  if (isa<relax::LoadConstantOp, relax::TruthOp>(op))
    return success();
  SmallVector<int64_t> args = takeOperands(op);
  int64_t target =
      op->getNumResults() == 1 ? allocate(op->getResult(0)) : RELAY_VM_VOID;
  auto getImmediate = [](int64_t value) {
    return makeArgument(RELAY_VM_IMMEDIATE, value);
  };
  auto emit = [&](StringRef name) {
    emitBuiltin(name, target, args);
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](relax::CallOp call) -> LogicalResult {
        FailureOr<int64_t> callee = getFunction(op, call.getCallee());
        if (failed(callee))
          return failure();
        emitCall(*callee, target, args);
        return success();
      })
      .Case([&](relax::MakeClosureOp closure) -> LogicalResult {
        FailureOr<int64_t> callee = getFunction(op, closure.getCallee());
        if (failed(callee))
          return failure();
        args.insert(args.begin(), makeArgument(RELAY_VM_FUNCTION, *callee));
        return emit("make_closure");
      })
      .Case([&](relax::MakeDataOp data) {
        args.insert(args.begin(),
                    getImmediate(getConstructor(data.getConstructor())));
        return emit("make_data");
      })
      .Case([&](relax::HasConstructorOp test) {
        args.push_back(getImmediate(getConstructor(test.getConstructor())));
        return emit("has_constructor");
      })
      .Case([&](relax::GetFieldOp field) {
        args.push_back(getImmediate(field.getIndex()));
        return emit("get_field");
      })
      .Case([&](relax::MakeTupleOp) { return emit("make_tuple"); })
      .Case([&](relax::InvokeClosureOp) { return emit("invoke_closure"); })
      .Case([&](relax::ReadConditionOp) { return emit("read_if_cond"); })
      .Case([&](relax::MakeRefOp) { return emit("make_ref"); })
      .Case([&](relax::ReadRefOp) { return emit("read_ref"); })
      .Case([&](relax::WriteRefOp) { return emit("write_ref"); })
      .Case([&](relax::FatalOp) { return emit("fatal"); })
      .Case([&](relax::CallPackedOp call) {
        return emit(("call_packed:" + call.getFunction()).str());
      })
      .Case([&](relax::DebugOp debug) {
        return emit(("debug:" + debug.getFunction()).str());
      })
      .Default([](Operation *op) {
        return op->emitOpError("expects an operation on objects");
      });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult BytecodeBuilder::buildFunction(relax::FuncOp function) {
  Block &body = function.getBody().front();
  lastUses.emplace(
      body, LastUses::Rules{[](Value value) { return !isImmediate(value); },
                            [](Operation &op) { return isa<relax::IfOp>(op); },
                            [](Operation &op) {
                              return SmallVector<Value>(op.getOperands());
                            }});
  registers.clear();
  freeRegisters.clear();
  numRegisters = 0;
  int64_t firstWord = code.words.size();
  SmallVector<Value> unused;
  for (BlockArgument param : body.getArguments()) {
    registers[param] = numRegisters++;
    if (param.use_empty())
      unused.push_back(param);
  }
  emitKills(unused);
  if (failed(emitBlock(body, {/*returns=*/true})))
    return failure();
  Bytecode::Function &entry =
      code.functions[functions.lookup(function.getSymName())];
  entry.firstWord = firstWord;
  entry.numWords = code.words.size() - firstWord;
  entry.numRegisters = numRegisters;
  return success();
}

LogicalResult BytecodeBuilder::encodeTypes(ArrayRef<relax::FuncOp> own) {
  ValueTypeEncoder encoder(code.constructors);
  for (relax::FuncOp function : own) {
    Bytecode::Function &entry =
        code.functions[functions.lookup(function.getSymName())];
    auto encodeAll = [&](StringRef attribute, SmallVectorImpl<int64_t> &words) {
      if (auto types = function->getAttrOfType<ArrayAttr>(attribute))
        for (Type type : types.getAsValueRange<TypeAttr>())
          encoder.encode(type, /*params=*/{}, entry.symbols, words);
    };
    encodeAll(relax::kParamTypesAttr, entry.types);
    encodeAll(relax::kResultTypesAttr, entry.resultTypes);
    // Without types a result may be anything.
    if (entry.isPublic && !function->hasAttr(relax::kResultTypesAttr)) {
      entry.resultTypes.push_back(RELAY_VM_TYPE_ANY);
      entry.results.push_back("output0");
    }
    if (auto names =
            function->getAttrOfType<ArrayAttr>(relax::kResultNamesAttr))
      for (auto [number, name] :
           llvm::enumerate(names.getAsRange<StringAttr>()))
        entry.results.push_back(name.empty() ? "output" + std::to_string(number)
                                             : name.str());
    if (auto areStrings = function->getAttrOfType<DenseBoolArrayAttr>(
            relax::kStringResultsAttr))
      for (auto [number, isString] : llvm::enumerate(areStrings.asArrayRef()))
        if (isString)
          entry.stringResults.push_back(number);
  }
  auto all = glue->getAttrOfType<ArrayAttr>(relax::kConstructorTypesAttr);
  if (!all)
    return success();
  for (Type type : all.getAsValueRange<TypeAttr>()) {
    ArrayRef<StringAttr> params;
    if (auto forall = dyn_cast<ForallType>(type)) {
      params = forall.getParams();
      type = forall.getBody();
    }
    // A constructor has as many fields as it says.
    size_t number = code.fieldTypes.size();
    auto function = dyn_cast<FunctionType>(type);
    if (!function ||
        function.getNumInputs() != code.constructors[number].getNumFields())
      return glue.emitError("expects a function of the fields of ")
             << code.constructors[number] << " in "
             << relax::kConstructorTypesAttr << ", but got " << type;
    llvm::SetVector<StringAttr> noSymbols;
    SmallVector<int64_t> &words = code.fieldTypes.emplace_back();
    for (Type field : function.getInputs())
      encoder.encode(field, params, noSymbols, words);
  }
  return success();
}

/// Checks that constructors of one name, or at one place of a type, are one.
LogicalResult BytecodeBuilder::checkConstructors() {
  DenseMap<std::pair<Attribute, Attribute>, relax::ConstructorAttr> names;
  DenseMap<std::pair<Attribute, int64_t>, relax::ConstructorAttr> places;
  auto add = [&](relax::ConstructorAttr constructor,
                 Operation *op) -> LogicalResult {
    relax::ConstructorAttr named =
        names
            .try_emplace({constructor.getType(), constructor.getName()},
                         constructor)
            .first->second;
    relax::ConstructorAttr placed =
        places
            .try_emplace({constructor.getType(), constructor.getIndex()},
                         constructor)
            .first->second;
    if (named == constructor && placed == constructor)
      return success();
    return op->emitOpError("expects a constructor that agrees with ")
           << (named == constructor ? placed : named) << ", but got "
           << constructor;
  };
  if (auto all = glue->getAttrOfType<ArrayAttr>(relax::kConstructorsAttr))
    for (auto constructor : all.getAsRange<relax::ConstructorAttr>())
      if (failed(add(constructor, glue)))
        return failure();
  WalkResult walk = glue.walk([&](Operation *op) {
    for (NamedAttribute attr : op->getAttrs())
      if (auto constructor = dyn_cast<relax::ConstructorAttr>(attr.getValue()))
        if (failed(add(constructor, op)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<Bytecode> BytecodeBuilder::build() {
  if (failed(checkConstructors()))
    return failure();
  SmallVector<relax::FuncOp> own;
  for (auto function : glue.getOps<relax::FuncOp>())
    if (relax::isObjectFunction(function) && !function.isExternal())
      own.push_back(function);
  for (relax::FuncOp function : own) {
    functions[function.getSymName()] = code.functions.size();
    Bytecode::Function entry{function.getSymName().str(), RELAY_VM_BYTECODE};
    entry.isPublic = function.isPublic();
    llvm::StringSet<> names;
    for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i) {
      auto name = function.getArgAttrOfType<StringAttr>(i, relax::kNameAttr);
      // Callers name what they pass.
      if (entry.isPublic && name && !name.empty() &&
          !names.insert(name.getValue()).second)
        return function.emitOpError("expects names of parameters that differ, "
                                    "but got ")
               << name << " twice";
      entry.params.push_back(name ? name.str() : "");
      if (function.getArgAttr(i, relax::kIsStringAttr))
        entry.stringParams.push_back(i);
    }
    code.functions.push_back(std::move(entry));
  }
  if (auto all = glue->getAttrOfType<ArrayAttr>(relax::kConstructorsAttr))
    for (auto constructor : all.getAsRange<relax::ConstructorAttr>())
      getConstructor(constructor);
  if (failed(encodeTypes(own)))
    return failure();
  for (relax::FuncOp function : own)
    if (failed(buildFunction(function)))
      return failure();
  return std::move(code);
}

FailureOr<Bytecode> mlir::relay::detail::buildBytecode(
    ModuleOp glue, const llvm::StringMap<unsigned> &tensorFunctions) {
  return BytecodeBuilder(glue, tensorFunctions).build();
}
