//===- Objects.h - Values of bytecode programs ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects are counted, and all but references never change, so that several
// calls may share them. A register holds an object, a small integer, or
// nothing. No virtual functions: a list of a million cells should be small.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_OBJECTS_H
#define RELAY_MLIR_LIB_RUNTIME_OBJECTS_H

#include "Tensors.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace relay_rt {

class Program;
struct BytecodeFunction;

/// What the handle of the C API points to.
struct Object {
  explicit Object(RelayValueKind kind) : kind(kind) {}
  Object(const Object &) = delete;

  void retain() { numReferences.fetch_add(1, std::memory_order_relaxed); }
  /// Whether nobody else can see the object.
  bool isUnique() const {
    return numReferences.load(std::memory_order_acquire) == 1;
  }

  std::atomic<uint32_t> numReferences{1};
  const RelayValueKind kind;
};

/// Gives up a reference. Frees what is not used anymore without recursion.
void release(Object *object) noexcept;

/// A register.
class Value {
public:
  Value() = default;
  /// Takes over a reference.
  explicit Value(Object *object) : bits(reinterpret_cast<uintptr_t>(object)) {}
  static Value share(Object *object) {
    object->retain();
    return Value(object);
  }
  static Value integer(int64_t number) {
    Value value;
    value.bits = static_cast<uintptr_t>(number) << 1 | 1;
    return value;
  }
  Value(const Value &other) : bits(other.bits) {
    if (Object *object = getObject())
      object->retain();
  }
  Value(Value &&other) noexcept : bits(std::exchange(other.bits, 0)) {}
  Value &operator=(Value other) noexcept {
    std::swap(bits, other.bits);
    return *this;
  }
  ~Value() {
    if (Object *object = getObject())
      release(object);
  }

  bool isInteger() const { return bits & 1; }
  bool isEmpty() const { return bits == 0; }
  int64_t getInteger() const { return static_cast<int64_t>(bits) >> 1; }
  /// Null for an integer, or nothing.
  Object *getObject() const {
    return isInteger() ? nullptr : reinterpret_cast<Object *>(bits);
  }
  /// The object, whose reference the caller takes over.
  Object *take() { return reinterpret_cast<Object *>(std::exchange(bits, 0)); }

private:
  uintptr_t bits = 0;
};

/// A row-major tensor of the host; its sizes follow in memory, then, unless
/// they are elsewhere, its elements.
struct TensorObject : Object {
  /// With room for the elements; throws std::bad_alloc.
  static TensorObject *create(DLDataType type, const int64_t *dims,
                              int32_t rank, size_t bytes);
  /// Elements that somebody else has, and keeps for as long as the object is
  /// there, or until `own`.
  static TensorObject *borrow(DLDataType type, const int64_t *dims,
                              int32_t rank, void *data);
  /// Copies elements that are borrowed.
  void own();

  DLTensor tensor = {};
  /// Elements that are not in the object, and its own.
  AlignedBuffer owned;
  bool isBorrowed = false;
  /// Of memory for the object that is kept for the next one; else 0.
  uint32_t blockSize = 0;

private:
  TensorObject() : Object(RELAY_VALUE_TENSOR) {}
};

/// A tuple, or a value of a data type; its fields follow in memory.
struct DataObject : Object {
  /// `constructor` is null for a tuple. The fields are nothing at first.
  static DataObject *create(const RelayArtifactConstructor *constructor,
                            uint32_t numFields);
  Value *getFields() { return reinterpret_cast<Value *>(this + 1); }

  const RelayArtifactConstructor *const constructor;
  const uint32_t numFields;

private:
  DataObject(const RelayArtifactConstructor *constructor, uint32_t numFields)
      : Object(constructor ? RELAY_VALUE_DATA : RELAY_VALUE_TUPLE),
        constructor(constructor), numFields(numFields) {}
};

/// A function with values for its first parameters, which follow in memory.
struct ClosureObject : Object {
  static ClosureObject *create(const BytecodeFunction &function,
                               uint32_t numCaptured);
  Value *getCaptured() { return reinterpret_cast<Value *>(this + 1); }

  const BytecodeFunction &function;
  const uint32_t numCaptured;

private:
  ClosureObject(const BytecodeFunction &function, uint32_t numCaptured)
      : Object(RELAY_VALUE_CLOSURE), function(function),
        numCaptured(numCaptured) {}
};

/// A mutable cell.
struct ReferenceObject : Object {
  static ReferenceObject *create(Value contents);

  Value read() {
    std::lock_guard<std::mutex> lock(mutex);
    return contents;
  }
  void write(Value value) {
    // What was there is freed without the lock.
    std::lock_guard<std::mutex> lock(mutex);
    std::swap(contents, value);
  }

  std::mutex mutex;
  Value contents;

private:
  explicit ReferenceObject(Value contents)
      : Object(RELAY_VALUE_REFERENCE), contents(std::move(contents)) {}
};

/// "a tensor", "a tuple", ... for messages.
const char *describeKind(const Value &value);

/// Throws if a tensor has sizes, but no elements.
void checkData(const TensorObject &tensor);

/// Gives the elements of a tensor to a caller: the object itself if it is
/// nobody else's, a copy otherwise.
DLManagedTensor *exportTensor(TensorObject *tensor);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_OBJECTS_H
