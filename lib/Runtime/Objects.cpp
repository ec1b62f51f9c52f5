//===- Objects.cpp - Values of bytecode programs --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include "Error.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// Objects that lost their last reference while another one was destroyed. Not
/// on the stack: a list is as deep as it is long.
static std::vector<Object *> &getGarbage() {
  static thread_local std::vector<Object *> garbage;
  return garbage;
}

/// Whether that was the last reference.
static bool giveUp(Object *object) {
  return object->numReferences.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

static void takeAll(Value *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (values[i].getObject())
      if (Object *object = values[i].take(); giveUp(object))
        getGarbage().push_back(object);
}

/// Destroys one object; those that only it held become garbage.
static void destroy(Object *object) {
  switch (object->kind) {
  case RELAY_VALUE_TENSOR:
    static_cast<TensorObject *>(object)->~TensorObject();
    break;
  case RELAY_VALUE_TUPLE:
  case RELAY_VALUE_DATA: {
    auto *data = static_cast<DataObject *>(object);
    takeAll(data->getFields(), data->numFields);
    data->~DataObject();
    break;
  }
  case RELAY_VALUE_CLOSURE: {
    auto *closure = static_cast<ClosureObject *>(object);
    takeAll(closure->getCaptured(), closure->numCaptured);
    closure->~ClosureObject();
    break;
  }
  case RELAY_VALUE_REFERENCE: {
    auto *reference = static_cast<ReferenceObject *>(object);
    takeAll(&reference->contents, 1);
    reference->~ReferenceObject();
    break;
  }
  }
  std::free(object);
}

void relay_rt::release(Object *object) noexcept {
  if (!giveUp(object))
    return;
  std::vector<Object *> &garbage = getGarbage();
  destroy(object);
  while (!garbage.empty()) {
    Object *next = garbage.back();
    garbage.pop_back();
    destroy(next);
  }
  // A tuple of a million fields was an exception.
  constexpr size_t kKept = 4096;
  if (garbage.capacity() > kKept)
    std::vector<Object *>().swap(garbage);
}

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

static void *allocate(size_t bytes) {
  void *memory = std::malloc(bytes);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

static constexpr size_t roundUp(size_t bytes) {
  return (bytes + RELAY_BUFFER_ALIGNMENT - 1) / RELAY_BUFFER_ALIGNMENT *
         RELAY_BUFFER_ALIGNMENT;
}

static void describe(TensorObject &object, DLDataType type, const int64_t *dims,
                     int32_t rank) {
  auto *shape = reinterpret_cast<int64_t *>(&object + 1);
  std::copy(dims, dims + rank, shape);
  object.tensor.device = {kDLCPU, 0};
  object.tensor.ndim = rank;
  object.tensor.dtype = type;
  object.tensor.shape = shape;
}

TensorObject *TensorObject::create(DLDataType type, const int64_t *dims,
                                   int32_t rank, size_t bytes) {
  // Large blocks are allocated in a way of their own.
  constexpr size_t kMaxInside = 64 << 10;
  size_t header = roundUp(sizeof(TensorObject) + rank * sizeof(int64_t));
  AlignedBuffer outside;
  if (bytes > kMaxInside)
    outside = allocateAligned(bytes);
  size_t inside = outside ? 0 : roundUp(bytes);
  void *memory = std::aligned_alloc(RELAY_BUFFER_ALIGNMENT, header + inside);
  if (!memory)
    throw std::bad_alloc();
  auto *object = new (memory) TensorObject;
  describe(*object, type, dims, rank);
  object->tensor.data =
      outside ? outside.get() : static_cast<char *>(memory) + header;
  object->owned = std::move(outside);
  return object;
}

TensorObject *TensorObject::borrow(DLDataType type, const int64_t *dims,
                                   int32_t rank, void *data) {
  void *memory = allocate(sizeof(TensorObject) + rank * sizeof(int64_t));
  auto *object = new (memory) TensorObject;
  describe(*object, type, dims, rank);
  object->tensor.data = data;
  object->isBorrowed = true;
  return object;
}

void TensorObject::own() {
  // Nobody has elements of a tensor that has none.
  if (!isBorrowed || !tensor.data)
    return;
  size_t bytes = *getNumBytes(tensor.dtype, tensor.shape, tensor.ndim);
  owned = allocateAligned(bytes);
  if (bytes != 0)
    std::memcpy(owned.get(), tensor.data, bytes);
  tensor.data = owned.get();
  isBorrowed = false;
}

DataObject *DataObject::create(const RelayArtifactConstructor *constructor,
                               uint32_t numFields) {
  void *memory = allocate(sizeof(DataObject) + numFields * sizeof(Value));
  auto *object = new (memory) DataObject(constructor, numFields);
  std::uninitialized_value_construct_n(object->getFields(), numFields);
  return object;
}

ClosureObject *ClosureObject::create(const BytecodeFunction &function,
                                     uint32_t numCaptured) {
  void *memory = allocate(sizeof(ClosureObject) + numCaptured * sizeof(Value));
  auto *object = new (memory) ClosureObject(function, numCaptured);
  std::uninitialized_value_construct_n(object->getCaptured(), numCaptured);
  return object;
}

ReferenceObject *ReferenceObject::create(Value contents) {
  void *memory = allocate(sizeof(ReferenceObject));
  return new (memory) ReferenceObject(std::move(contents));
}

const char *relay_rt::describeKind(const Value &value) {
  Object *object = value.getObject();
  if (!object)
    return value.isInteger() ? "a number" : "nothing";
  switch (object->kind) {
  case RELAY_VALUE_TENSOR:
    return "a tensor";
  case RELAY_VALUE_TUPLE:
    return "a tuple";
  case RELAY_VALUE_DATA:
    return "a value of a data type";
  case RELAY_VALUE_CLOSURE:
    return "a function";
  case RELAY_VALUE_REFERENCE:
    return "a reference";
  }
  return "something else";
}

void relay_rt::checkData(const TensorObject &tensor) {
  const DLTensor &described = tensor.tensor;
  if (!described.data &&
      getNumBytes(described.dtype, described.shape, described.ndim) != 0)
    fail(RELAY_EXECUTION_FAILED,
         "expects a tensor with elements, but got sizes only");
}

DLManagedTensor *relay_rt::exportTensor(TensorObject *tensor) {
  checkData(*tensor);
  Value value;
  if (tensor->isUnique() && !tensor->isBorrowed) {
    value = Value::share(tensor);
  } else {
    const DLTensor &from = tensor->tensor;
    size_t bytes = *getNumBytes(from.dtype, from.shape, from.ndim);
    TensorObject *copy =
        TensorObject::create(from.dtype, from.shape, from.ndim, bytes);
    value = Value(copy);
    if (bytes != 0)
      std::memcpy(copy->tensor.data, from.data, bytes);
    tensor = copy;
  }
  auto managed = std::make_unique<DLManagedTensor>();
  managed->dl_tensor = tensor->tensor;
  managed->manager_ctx = value.take();
  managed->deleter = [](DLManagedTensor *self) {
    release(static_cast<TensorObject *>(self->manager_ctx));
    delete self;
  };
  return managed.release();
}
