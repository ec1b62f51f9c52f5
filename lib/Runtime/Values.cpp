//===- Values.cpp - The C functions for values and programs ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"
#include "Machine.h"
#include "ProcessFunctions.h"

#include <cstring>

using namespace relay_rt;

static Object *getObject(RelayValue *value) {
  return reinterpret_cast<Object *>(value);
}
static RelayValue *getHandle(Object *object) {
  return reinterpret_cast<RelayValue *>(object);
}

/// The object of a handle that must be there.
static Object *checkObject(const RelayValue *value) {
  if (!value)
    fail(RELAY_INVALID_ARGUMENT, "expects a value, but got a null pointer");
  return getObject(const_cast<RelayValue *>(value));
}

template <typename T>
static T *expect(const RelayValue *value, RelayValueKind kind,
                 const char *what) {
  Object *object = checkObject(value);
  if (object->kind != kind)
    fail(RELAY_INVALID_ARGUMENT, "expects ", what, ", but got ",
         describeKind(Value::share(object)));
  return static_cast<T *>(object);
}

/// A tuple or a value of a data type.
static DataObject *expectFields(const RelayValue *value) {
  Object *object = checkObject(value);
  if (object->kind != RELAY_VALUE_TUPLE && object->kind != RELAY_VALUE_DATA)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a tuple or a value of a data type, but got ",
         describeKind(Value::share(object)));
  return static_cast<DataObject *>(object);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void relayValueRetain(RelayValue *value) {
  if (value)
    getObject(value)->retain();
}

void relayValueRelease(RelayValue *value) {
  if (value)
    release(getObject(value));
}

RelayValueKind relayValueGetKind(const RelayValue *value) {
  return getObject(const_cast<RelayValue *>(value))->kind;
}

static void checkTensor(const DLTensor *tensor) {
  if (!tensor)
    fail(RELAY_INVALID_ARGUMENT, "expects a tensor, but got a null pointer");
  if (tensor->device.device_type != kDLCPU)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a tensor in CPU memory, but got DLPack device type ",
         int(tensor->device.device_type));
  bool isKnown = tensor->ndim >= 0 && (tensor->ndim == 0 || tensor->shape);
  for (int32_t d = 0; isKnown && d < tensor->ndim; ++d)
    isKnown = tensor->shape[d] >= 0;
  if (!isKnown)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a tensor whose sizes are not negative");
  std::optional<size_t> bytes =
      getNumBytes(tensor->dtype, tensor->shape, tensor->ndim);
  if (!bytes || (*bytes > 0 && !tensor->data))
    fail(RELAY_INVALID_ARGUMENT,
         "expects a tensor with data, of fewer than 2^63 bytes");
}

RelayStatus relayValueBorrowTensor(const DLTensor *tensor, RelayValue **value) {
  return guard([&] {
    checkTensor(tensor);
    AlignedBuffer copy;
    if (!isContiguous(*tensor))
      copy = copyContiguous(*tensor);
    TensorObject *object =
        TensorObject::borrow(tensor->dtype, tensor->shape, tensor->ndim,
                             copy ? copy.get() : getData(*tensor));
    object->isBorrowed = !copy;
    object->owned = std::move(copy);
    *value = getHandle(object);
  });
}

RelayStatus relayValueFromTensor(const DLTensor *tensor, RelayValue **value) {
  RelayStatus status = relayValueBorrowTensor(tensor, value);
  if (status != RELAY_OK)
    return status;
  return guard([&] {
    try {
      static_cast<TensorObject *>(getObject(*value))->own();
    } catch (...) {
      relayValueRelease(*value);
      throw;
    }
  });
}

/// Makes what a caller keeps independent of memory that is not ours. Returns
/// only if the value is no longer shared with a program that runs.
void relay_rt::ownTensors(Object *object, bool isShared) {
  isShared |= !object->isUnique();
  if (object->kind == RELAY_VALUE_TENSOR && isShared)
    static_cast<TensorObject *>(object)->own();
  if (object->kind != RELAY_VALUE_TUPLE)
    return;
  // Callers make tuples, and no deep ones: the C API's own recursion is theirs.
  auto *tuple = static_cast<DataObject *>(object);
  for (uint32_t i = 0; i < tuple->numFields; ++i)
    if (Object *field = tuple->getFields()[i].getObject())
      ownTensors(field, isShared);
}

static Value makeData(const RelayArtifactConstructor *constructor,
                      RelayValue *const *fields, int32_t numFields) {
  if (numFields < 0)
    fail(RELAY_INVALID_ARGUMENT, "expects a number of fields, but got ",
         numFields);
  DataObject *data =
      DataObject::create(constructor, static_cast<uint32_t>(numFields));
  Value result(data);
  for (int32_t i = 0; i < numFields; ++i) {
    Object *field = checkObject(fields[i]);
    if (constructor)
      ownTensors(field, /*isShared=*/true);
    data->getFields()[i] = Value::share(field);
  }
  return result;
}

RelayStatus relayValueMakeTuple(RelayValue *const *fields, int32_t numFields,
                                RelayValue **value) {
  return guard(
      [&] { *value = getHandle(makeData(nullptr, fields, numFields).take()); });
}

RelayStatus relayModuleMakeData(const RelayModule *module, const char *type,
                                const char *constructor,
                                RelayValue *const *fields, int32_t numFields,
                                RelayValue **value) {
  return guard([&] {
    const RelayVMProgram &program = module->getProgram().getDescription();
    for (int64_t i = 0; i < program.num_constructors; ++i) {
      const RelayArtifactConstructor &known = program.constructors[i];
      if (std::strcmp(known.type, type) != 0 ||
          std::strcmp(known.name, constructor) != 0)
        continue;
      if (numFields != known.num_fields)
        fail(RELAY_INVALID_ARGUMENT, "expects ", known.num_fields,
             " fields of '", known.name, "', but got ", numFields);
      *value = getHandle(makeData(&known, fields, numFields).take());
      return;
    }
    fail(RELAY_INVALID_ARGUMENT,
         "expects a constructor of the program, but got '", constructor,
         "' of '", type, "'");
  });
}

RelayStatus relayValueMakeReference(RelayValue *contents, RelayValue **value) {
  return guard([&] {
    Object *object = checkObject(contents);
    ownTensors(object, /*isShared=*/true);
    *value = getHandle(ReferenceObject::create(Value::share(object)));
  });
}

RelayStatus relayValueGetTensor(const RelayValue *value, DLTensor *tensor) {
  return guard([&] {
    auto *object = expect<TensorObject>(value, RELAY_VALUE_TENSOR, "a tensor");
    checkData(*object);
    *tensor = object->tensor;
  });
}

RelayStatus relayValueExportTensor(RelayValue *value,
                                   DLManagedTensor **tensor) {
  return guard([&] {
    *tensor = exportTensor(
        expect<TensorObject>(value, RELAY_VALUE_TENSOR, "a tensor"));
  });
}

RelayStatus relayValueGetNumFields(const RelayValue *value, int32_t *count) {
  return guard(
      [&] { *count = static_cast<int32_t>(expectFields(value)->numFields); });
}

RelayStatus relayValueGetField(const RelayValue *value, int32_t index,
                               RelayValue **field) {
  return guard([&] {
    DataObject *data = expectFields(value);
    if (index < 0 || index >= static_cast<int32_t>(data->numFields))
      fail(RELAY_INVALID_ARGUMENT, "expects a field below ", data->numFields,
           ", but got ", index);
    Object *object = data->getFields()[index].getObject();
    if (!object)
      fail(RELAY_EXECUTION_FAILED, "expects a value in a field, but got none");
    object->retain();
    *field = getHandle(object);
  });
}

RelayStatus
relayValueGetConstructor(const RelayValue *value,
                         const RelayArtifactConstructor **constructor) {
  return guard([&] {
    *constructor =
        expect<DataObject>(value, RELAY_VALUE_DATA, "a value of a data type")
            ->constructor;
  });
}

RelayStatus relayValueReadReference(const RelayValue *value,
                                    RelayValue **contents) {
  return guard([&] {
    Value read =
        expect<ReferenceObject>(value, RELAY_VALUE_REFERENCE, "a reference")
            ->read();
    if (!read.getObject())
      fail(RELAY_EXECUTION_FAILED,
           "expects a value in a reference, but got none");
    *contents = getHandle(read.take());
  });
}

RelayStatus relayValueWriteReference(RelayValue *value, RelayValue *contents) {
  return guard([&] {
    auto *reference =
        expect<ReferenceObject>(value, RELAY_VALUE_REFERENCE, "a reference");
    Object *object = checkObject(contents);
    checkContents(reference->read(), Value::share(object));
    ownTensors(object, /*isShared=*/true);
    reference->write(Value::share(object));
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void relayModuleSetInterrupt(RelayModule *module, RelayInterrupt interrupt,
                             void *user) {
  module->interrupt = interrupt;
  module->interruptData = user;
}

RelayStatus relaySetDebugFunction(const char *name, RelayDebugFunction function,
                                  void *user) {
  return guard([&] {
    if (!name)
      fail(RELAY_INVALID_ARGUMENT, "expects a name, but got a null pointer");
    ProcessFunctions::get().debug.set(name, function, user);
  });
}

static void invoke(RelayModule *module, const BytecodeFunction &function,
                   std::vector<Value> values, RelayValue *const *args,
                   int32_t numArgs, RelayValue **result) {
  if (numArgs < 0)
    fail(RELAY_INVALID_ARGUMENT, "expects a number of arguments, but got ",
         numArgs);
  for (int32_t i = 0; i < numArgs; ++i)
    values.push_back(Value::share(checkObject(args[i])));
  if (values.size() == static_cast<size_t>(function.description->num_params))
    checkArguments(module->getProgram(), function,
                   values.data() + (values.size() - numArgs), numArgs);
  auto own = [&] {
    for (int32_t i = 0; i < numArgs; ++i)
      ownTensors(getObject(args[i]), /*isShared=*/false);
  };
  Value value;
  try {
    value = Machine(*module).run(function, std::move(values));
  } catch (...) {
    // A reference may have them.
    own();
    throw;
  }
  if (!value.getObject())
    fail(RELAY_EXECUTION_FAILED, "expects a value as result, but got ",
         describeKind(value));
  own();
  *result = getHandle(value.take());
}

RelayStatus relayModuleInvoke(RelayModule *module, const char *function,
                              RelayValue *const *args, int32_t numArgs,
                              RelayValue **result) {
  return guard([&] {
    if (!function)
      fail(RELAY_INVALID_ARGUMENT,
           "expects the name of a function, but got a null pointer");
    invoke(module, module->getProgram().find(function), {}, args, numArgs,
           result);
  });
}

RelayStatus relayModuleInvokeClosure(RelayModule *module, RelayValue *closure,
                                     RelayValue *const *args, int32_t numArgs,
                                     RelayValue **result) {
  return guard([&] {
    auto *object = expect<ClosureObject>(closure, RELAY_VALUE_CLOSURE,
                                         "a function to call");
    if (!module->getProgram().contains(object->function))
      fail(RELAY_INVALID_ARGUMENT,
           "expects a function of this program, but got one of another");
    if (numArgs != object->function.description->num_params -
                       static_cast<int32_t>(object->numCaptured))
      fail(RELAY_INVALID_ARGUMENT, "expects ",
           object->function.description->num_params -
               static_cast<int32_t>(object->numCaptured),
           " arguments, but got ", numArgs);
    std::vector<Value> values(object->getCaptured(),
                              object->getCaptured() + object->numCaptured);
    invoke(module, object->function, std::move(values), args, numArgs, result);
  });
}

RelayStatus relayModulePrintProgram(const RelayModule *module, char *buffer,
                                    uint64_t size, uint64_t *length) {
  return guard([&] {
    std::string text = printProgram(module->getProgram().getDescription());
    *length = text.size();
    if (size == 0)
      return;
    uint64_t count = std::min<uint64_t>(size - 1, text.size());
    std::memcpy(buffer, text.data(), count);
    buffer[count] = 0;
  });
}
