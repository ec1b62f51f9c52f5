//===- Machine.cpp - Runs bytecode ----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of registers, constants and functions are right (Program has seen to
// that); kinds of values are checked here. A call whose result is that of its
// caller takes over the caller's frame.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

#include "Error.h"
#include "ProcessFunctions.h"

#include <cstring>

using namespace relay_rt;

/// Recursion without an end should be an error before it is out of memory: at
/// these it ends with one to two GiB.
static constexpr size_t kMaxFrames = 4000000;
static constexpr size_t kMaxRegisters = size_t(1) << 27;

// Native code reads registers and objects.
static_assert(sizeof(Value) == sizeof(uint64_t) && alignof(Object) >= 4);
static_assert(sizeof(DataObject) == sizeof(RelayGlueObject) &&
              sizeof(Object) == offsetof(RelayGlueObject, constructor));

Machine::Machine(RelayModule &module)
    : module(module), program(module.getProgram()), tensors(module) {
  context.execute = [](const RelayGlueContext *context, const int64_t *word,
                       int64_t count) {
    Machine &machine = getMachine(context);
    return machine.attempt([&] {
      for (; count > 0; --count, word += 4 + word[3])
        machine.execute(word);
    });
  };
  context.begin = [](const RelayGlueContext *context) {
    Machine &machine = getMachine(context);
    return machine.attempt([&] { machine.checkInterrupt(); });
  };
  context.release = [](uint64_t object) {
    relay_rt::release(reinterpret_cast<Object *>(object));
  };
  context.code = program.getDescription().code;
  context.constants =
      reinterpret_cast<const uint64_t *>(program.getConstants().data());
  context.constructors = program.getDescription().constructors;
  context.machine = this;
}

Value Machine::run(const BytecodeFunction &function, std::vector<Value> args) {
  if (args.size() != static_cast<size_t>(function.description->num_params))
    fail(RELAY_INVALID_ARGUMENT, "expects ", function.description->num_params,
         " arguments of '", function.description->name, "', but got ",
         args.size());
  arguments = std::move(args);
  enter(function, /*isTail=*/false);
  // Which function it was is the first thing to know of an error.
  auto getPlace = [&] {
    return frames.empty() ? std::string()
                          : std::string("; in function '") +
                                frames.back().function->description->name + "'";
  };
  try {
    return run();
  } catch (const Error &error) {
    fail(error.status, error.what(), getPlace());
  } catch (const std::bad_alloc &) {
    // What the program has made is freed first: a message needs memory, too.
    registers.clear();
    fail(RELAY_OUT_OF_MEMORY, "out of memory", getPlace());
  }
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

/// A loop without an end calls something again and again.
void Machine::checkInterrupt() {
  if ((++numCalls & 1023) == 0 && module.interrupt &&
      module.interrupt(module.interruptData) != 0)
    fail(RELAY_INTERRUPTED, "interrupted");
}

/// Pushes the frame in which `function` runs on `arguments`.
void Machine::enter(const BytecodeFunction &function, bool isTail) {
  checkInterrupt();
  if (isTail) {
    registers.resize(frames.back().firstRegister);
    frames.pop_back();
  }
  size_t first = registers.size();
  auto count = static_cast<size_t>(function.description->num_registers);
  if (frames.size() >= kMaxFrames)
    fail(RELAY_EXECUTION_FAILED, "expects at most ", kMaxFrames,
         " nested calls, but got more with '", function.description->name,
         "'; does its recursion end?");
  if (first + count > kMaxRegisters)
    fail(RELAY_EXECUTION_FAILED, "expects at most ", kMaxRegisters,
         " values in nested calls, but got more with '",
         function.description->name, "'; does its recursion end?");
  registers.resize(first + count);
  for (size_t i = 0; i < arguments.size(); ++i)
    registers[first + i] = std::move(arguments[i]);
  arguments.clear();
  frames.push_back({&function, function.code, first});
}

/// Whether the result of a call is that of the function.
bool Machine::isTailCall(const int64_t *word) const {
  const int64_t *next = word + 4 + word[3];
  return next[0] == RELAY_VM_RET && next[1] == word[1];
}

Value Machine::read(int64_t arg) {
  int64_t number = RELAY_VM_ARGUMENT_VALUE(arg);
  switch (static_cast<uint64_t>(arg) >> RELAY_VM_ARGUMENT_BITS) {
  case RELAY_VM_REGISTER:
    return getRegister(number);
  case RELAY_VM_LAST_USE:
    return std::move(getRegister(number));
  case RELAY_VM_CONSTANT:
    return program.getConstants()[number];
  default:
    return Value::integer(number);
  }
}

/// The value of an argument where it is, and whether it is used for the last
/// time there: the register must be cleared then.
const Value &Machine::look(int64_t arg, bool &isLast) {
  int64_t number = RELAY_VM_ARGUMENT_VALUE(arg);
  switch (static_cast<uint64_t>(arg) >> RELAY_VM_ARGUMENT_BITS) {
  case RELAY_VM_LAST_USE:
    isLast = true;
    [[fallthrough]];
  case RELAY_VM_REGISTER:
    return getRegister(number);
  case RELAY_VM_CONSTANT:
    return program.getConstants()[number];
  default:
    looked = Value::integer(number);
    return looked;
  }
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Machine &Machine::getMachine(const RelayGlueContext *context) {
  return *static_cast<Machine *>(context->machine);
}

/// Not zero if `action` has failed: no exception may go through code that knows
/// of none.
template <typename Action>
int32_t Machine::attempt(Action action) noexcept {
  try {
    action();
    return 0;
  } catch (...) {
    failure = std::current_exception();
    return 1;
  }
}

/// Runs native code up to an instruction that it does not execute.
void Machine::runNative(Frame &frame) {
  const BytecodeFunction &function = *frame.function;
  auto *first = reinterpret_cast<uint64_t *>(registers.data());
  int64_t position = function.description->native(
      &context, first + frame.firstRegister, frame.word - function.code);
  if (position < 0)
    std::rethrow_exception(std::exchange(failure, nullptr));
  frame.word = function.code + position;
}

/// Executes a call that begins no function of objects.
void Machine::execute(const int64_t *word) {
  const BytecodeFunction &callee = program.getFunctions()[word[2]];
  if (callee.kind == RELAY_VM_BUILTIN)
    callBuiltin(callee.builtin, word);
  else
    callTensors(callee, word);
}

Value Machine::run() {
  while (true) {
    Frame &frame = frames.back();
    if (frame.function->description->native)
      runNative(frame);
    const int64_t *word = frame.word;
    switch (word[0]) {
    case RELAY_VM_CALL: {
      const BytecodeFunction &callee = program.getFunctions()[word[2]];
      if (callee.kind == RELAY_VM_BYTECODE) {
        for (int64_t i = 0; i < word[3]; ++i)
          arguments.push_back(read(word[4 + i]));
        enter(callee, isTailCall(word));
      } else if (callee.kind == RELAY_VM_BUILTIN &&
                 callee.builtin == Builtin::InvokeClosure) {
        invokeClosure(word);
      } else {
        execute(word);
        frame.word = word + 4 + word[3];
      }
      break;
    }
    case RELAY_VM_RET: {
      Value result = std::move(getRegister(word[1]));
      registers.resize(frame.firstRegister);
      frames.pop_back();
      if (frames.empty())
        return result;
      Frame &caller = frames.back();
      const int64_t *call = caller.word;
      set(call[1], std::move(result));
      caller.word = call + 4 + call[3];
      break;
    }
    case RELAY_VM_GOTO:
      frame.word = word + word[1];
      break;
    default: {
      const Value &condition = getRegister(word[1]);
      if (!condition.isInteger())
        fail(RELAY_EXECUTION_FAILED, "expects a number to decide, but got ",
             describeKind(condition));
      frame.word = word + (condition.getInteger() ? 3 : word[2]);
    }
    }
  }
}

template <typename T>
T *Machine::expect(const Value &value, RelayValueKind kind,
                   const char *what) const {
  Object *object = value.getObject();
  if (!object || object->kind != kind)
    fail(RELAY_INVALID_ARGUMENT, "expects ", what, ", but got ",
         describeKind(value));
  return static_cast<T *>(object);
}

void Machine::failFatal(const Value &value) const {
  std::string text = describeKind(value);
  Object *object = value.getObject();
  if (object && object->kind == RELAY_VALUE_DATA)
    text = std::string("one of constructor '") +
           static_cast<DataObject *>(object)->constructor->name + "'";
  fail(RELAY_EXECUTION_FAILED,
       "expects a case that matches the value, but got ", text);
}

void Machine::callBuiltin(Builtin builtin, const int64_t *word) {
  const int64_t *args = word + 4;
  int64_t numArgs = word[3];
  switch (builtin) {
  case Builtin::MakeTuple:
  case Builtin::MakeData: {
    const RelayArtifactConstructor *constructor = nullptr;
    if (builtin == Builtin::MakeData) {
      constructor = program.getDescription().constructors +
                    RELAY_VM_ARGUMENT_VALUE(args[0]);
      ++args;
      --numArgs;
    }
    DataObject *data =
        DataObject::create(constructor, static_cast<uint32_t>(numArgs));
    Value result(data);
    for (int64_t i = 0; i < numArgs; ++i)
      data->getFields()[i] = read(args[i]);
    return set(word[1], std::move(result));
  }
  case Builtin::GetField: {
    bool isLast = false;
    const Value &value = look(args[0], isLast);
    int64_t index = RELAY_VM_ARGUMENT_VALUE(args[1]);
    Object *object = value.getObject();
    if (!object ||
        (object->kind != RELAY_VALUE_TUPLE && object->kind != RELAY_VALUE_DATA))
      fail(RELAY_INVALID_ARGUMENT,
           "expects a tuple or a value of a data type, but got ",
           describeKind(value));
    auto *data = static_cast<DataObject *>(object);
    if (index >= data->numFields)
      fail(RELAY_INVALID_ARGUMENT, "expects more than ", index,
           " fields, but got ", data->numFields);
    Value &field = data->getFields()[index];
    if (!isLast)
      return set(word[1], field);
    // What goes anyway gives the field away.
    Value result = data->isUnique() ? std::move(field) : field;
    getRegister(RELAY_VM_ARGUMENT_VALUE(args[0])) = Value();
    return set(word[1], std::move(result));
  }
  case Builtin::HasConstructor: {
    bool isLast = false;
    const Value &value = look(args[0], isLast);
    auto *data =
        expect<DataObject>(value, RELAY_VALUE_DATA, "a value of a data type");
    const RelayArtifactConstructor *constructors =
        program.getDescription().constructors;
    Value result = Value::integer(
        data->constructor == constructors + RELAY_VM_ARGUMENT_VALUE(args[1]));
    if (isLast)
      getRegister(RELAY_VM_ARGUMENT_VALUE(args[0])) = Value();
    return set(word[1], std::move(result));
  }
  case Builtin::MakeClosure: {
    const BytecodeFunction &function =
        program.getFunctions()[RELAY_VM_ARGUMENT_VALUE(args[0])];
    ClosureObject *closure =
        ClosureObject::create(function, static_cast<uint32_t>(numArgs - 1));
    Value result(closure);
    for (int64_t i = 1; i < numArgs; ++i)
      closure->getCaptured()[i - 1] = read(args[i]);
    return set(word[1], std::move(result));
  }
  case Builtin::InvokeClosure:
    // Begins a function: `run` does that.
    break;
  case Builtin::MakeReference:
    return set(word[1], Value(ReferenceObject::create(read(args[0]))));
  case Builtin::ReadReference: {
    Value value = read(args[0]);
    auto *reference =
        expect<ReferenceObject>(value, RELAY_VALUE_REFERENCE, "a reference");
    return set(word[1], reference->read());
  }
  case Builtin::WriteReference: {
    Value value = read(args[0]);
    auto *reference =
        expect<ReferenceObject>(value, RELAY_VALUE_REFERENCE, "a reference");
    return reference->write(read(args[1]));
  }
  case Builtin::ReadCondition: {
    Value value = read(args[0]);
    const DLTensor &tensor =
        expect<TensorObject>(value, RELAY_VALUE_TENSOR, "a bool scalar")
            ->tensor;
    if (tensor.ndim != 0 || tensor.dtype.code != 6)
      fail(RELAY_INVALID_ARGUMENT,
           "expects a bool scalar as condition, but got ",
           describeDType(tensor.dtype), " of shape ",
           describeDims(tensor.shape, tensor.ndim));
    return set(word[1], Value::integer(*getData(tensor) != 0));
  }
  case Builtin::Copy:
    return set(word[1], read(args[0]));
  case Builtin::Kill:
    read(args[0]);
    return;
  case Builtin::MakeSized:
    return set(word[1], makeSized(read(args[0])));
  case Builtin::Fatal:
    failFatal(read(args[0]));
  case Builtin::Debug: {
    Value value = read(args[0]);
    if (!value.getObject())
      fail(RELAY_EXECUTION_FAILED, "expects a value to debug, but got ",
           describeKind(value));
    const char *name =
        program.getFunctions()[word[2]].description->name + kDebugPrefix.size();
    auto entry = ProcessFunctions::get().debug.lookup(name);
    if (entry.function &&
        entry.function(entry.user,
                       reinterpret_cast<RelayValue *>(value.getObject())) != 0)
      fail(RELAY_INTERRUPTED, "ended by debug function '", name, "'");
    return;
  }
  case Builtin::CallPacked: {
    std::vector<Value> values;
    for (int64_t i = 0; i < numArgs; ++i) {
      values.push_back(read(args[i]));
      if (!values.back().getObject())
        fail(RELAY_EXECUTION_FAILED,
             "expects values to call a function with, "
             "but got ",
             describeKind(values.back()));
    }
    const char *name = program.getFunctions()[word[2]].description->name +
                       kPackedPrefix.size();
    return set(word[1], callPacked(name, values, /*numOutputs=*/std::nullopt));
  }
  }
}

/// A tensor without elements, whose sizes are the integers in another one.
Value Machine::makeSized(const Value &value) const {
  const DLTensor &tensor =
      expect<TensorObject>(value, RELAY_VALUE_TENSOR, "a tensor of sizes")
          ->tensor;
  bool isSigned = tensor.dtype.code == kDLInt;
  if (tensor.ndim > 1 || !tensor.data || tensor.dtype.bits % 8 != 0 ||
      (!isSigned && tensor.dtype.code != kDLUInt))
    fail(RELAY_INVALID_ARGUMENT, "expects integers for sizes, but got ",
         describeDType(tensor.dtype), " of shape ",
         describeDims(tensor.shape, tensor.ndim));
  int64_t count = tensor.ndim == 0 ? 1 : tensor.shape[0];
  size_t bytes = tensor.dtype.bits / 8;
  std::vector<int64_t> dims(count);
  for (int64_t i = 0; i < count; ++i) {
    // Little endian; the sign is in the last byte.
    const char *from = getData(tensor) + i * bytes;
    std::memcpy(&dims[i], from, bytes);
    if (isSigned && bytes < 8 && from[bytes - 1] < 0)
      dims[i] -= int64_t(1) << (8 * bytes);
    if (dims[i] < 0)
      fail(RELAY_INVALID_ARGUMENT, "expects sizes from 0, but got ", dims[i],
           "; an operator's result would have it");
  }
  return Value(TensorObject::borrow({kDLInt, 8, 1}, dims.data(),
                                    static_cast<int32_t>(count), nullptr));
}

void Machine::invokeClosure(const int64_t *word) {
  const int64_t *args = word + 4;
  Value value = read(args[0]);
  auto *closure =
      expect<ClosureObject>(value, RELAY_VALUE_CLOSURE, "a function to call");
  // Its code would call functions of another program.
  if (!program.contains(closure->function))
    fail(RELAY_INVALID_ARGUMENT,
         "expects a function of this program, but got one of another");
  int64_t numArgs = word[3] - 1;
  int64_t expected =
      closure->function.description->num_params - closure->numCaptured;
  if (numArgs != expected)
    fail(RELAY_INVALID_ARGUMENT, "expects ", expected, " arguments of '",
         closure->function.description->name, "', but got ", numArgs);
  // The last one to hold the closure hands over what it has captured.
  bool isLast = closure->isUnique();
  for (uint32_t i = 0; i < closure->numCaptured; ++i) {
    Value &captured = closure->getCaptured()[i];
    arguments.push_back(isLast ? std::move(captured) : captured);
  }
  for (int64_t i = 1; i <= numArgs; ++i)
    arguments.push_back(read(args[i]));
  enter(closure->function, isTailCall(word));
}

namespace {

/// Makes an object for each output of a call.
class ObjectAllocator : public OutputAllocator {
public:
  ObjectAllocator(const TensorFunction &function, std::vector<Value> &values)
      : infos(function.getOutputs()), values(values) {}

  void *allocate(int32_t index, const int64_t *dims, size_t bytes) override {
    const RelayTensorInfo &info = infos[index];
    try {
      TensorObject *tensor =
          TensorObject::create(info.dtype, dims, info.ndim, bytes);
      values.emplace_back(tensor);
      return tensor->tensor.data;
    } catch (const std::bad_alloc &) {
      failToAllocate(bytes, std::string("output '") + info.name +
                                "' of shape " + describeDims(dims, info.ndim));
    }
  }

private:
  const std::vector<RelayTensorInfo> &infos;
  std::vector<Value> &values;
};

} // namespace

void Machine::callTensors(const BytecodeFunction &callee, const int64_t *word) {
  const TensorFunction &function =
      module.getFunction(callee.description->tensor_function);
  int64_t numArgs = word[3];
  inputs.resize(numArgs);
  for (int64_t i = 0; i < numArgs; ++i) {
    arguments.push_back(read(word[4 + i]));
    Object *object = arguments.back().getObject();
    if (!object || object->kind != RELAY_VALUE_TENSOR)
      fail(RELAY_INVALID_ARGUMENT, "expects input '",
           function.getInputs()[i].name, "' to be a tensor, but got ",
           describeKind(arguments.back()));
    inputs[i] = &static_cast<TensorObject *>(object)->tensor;
  }
  ObjectAllocator allocator(function, outputs);
  function.call(tensors, inputs.data(), static_cast<int32_t>(numArgs),
                allocator);
  arguments.clear();
  Value result;
  if (outputs.size() == 1) {
    result = std::move(outputs.front());
  } else {
    DataObject *tuple =
        DataObject::create(nullptr, static_cast<uint32_t>(outputs.size()));
    result = Value(tuple);
    std::move(outputs.begin(), outputs.end(), tuple->getFields());
  }
  outputs.clear();
  set(word[1], std::move(result));
}
