//===- Objects.h - What interpreter values consist of -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_OBJECTS_H
#define RELAY_MLIR_LIB_INTERPRETER_OBJECTS_H

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include <atomic>

namespace mlir::relay {

struct Code;

namespace detail {

/// A counted object of one of the structures below. No virtual functions: a
/// list of a million cells should be small.
struct Object {
  explicit Object(InterpreterValue::Kind kind) : kind(kind) {}

  std::atomic<uint32_t> numReferences{1};
  const InterpreterValue::Kind kind;
};

struct TensorObject : Object {
  explicit TensorObject(Tensor tensor)
      : Object(InterpreterValue::Kind::Tensor), tensor(std::move(tensor)) {}
  Tensor tensor;
};

/// A tuple or a value of a data type; its fields follow in memory.
struct CompositeObject : Object {
  static CompositeObject *create(InterpreterValue::Kind kind,
                                 SymbolRefAttr constructor, uint32_t index,
                                 ArrayRef<InterpreterValue> fields);
  MutableArrayRef<InterpreterValue> getFields() {
    return {reinterpret_cast<InterpreterValue *>(this + 1), size};
  }

  uint32_t size;
  uint32_t index;
  SymbolRefAttr constructor;

private:
  using Object::Object;
};

/// A constructor as a function.
struct ConstructorObject : Object {
  ConstructorObject(SymbolRefAttr constructor, uint32_t index, uint32_t arity,
                    Type type)
      : Object(InterpreterValue::Kind::Constructor), index(index), arity(arity),
        constructor(constructor), type(type) {}
  uint32_t index;
  uint32_t arity;
  SymbolRefAttr constructor;
  Type type;
};

/// A closure, or a function of the module; what it captures follows in memory.
struct ClosureObject : Object {
  static ClosureObject *create(std::shared_ptr<const Code> code,
                               ArrayRef<InterpreterValue> captures);
  MutableArrayRef<InterpreterValue> getCaptures() {
    return {reinterpret_cast<InterpreterValue *>(this + 1), size};
  }

  /// Keeps the whole program alive.
  std::shared_ptr<const Code> code;
  uint32_t size;

private:
  ClosureObject() : Object(InterpreterValue::Kind::Closure) {}
};

/// A reference: a member of a list of cells (see Cells.h).
struct CellObject : Object {
  explicit CellObject(InterpreterValue contents);
  ~CellObject();

  InterpreterValue contents;
  CellObject *previous = this;
  CellObject *next = this;
};

/// Calls `fn` for each value that `object` holds.
template <typename Fn>
void forEachChild(Object *object, Fn fn) {
  switch (object->kind) {
  case InterpreterValue::Kind::Tuple:
  case InterpreterValue::Kind::Data:
    for (InterpreterValue &field :
         static_cast<CompositeObject *>(object)->getFields())
      fn(field);
    return;
  case InterpreterValue::Kind::Closure:
    for (InterpreterValue &capture :
         static_cast<ClosureObject *>(object)->getCaptures())
      fn(capture);
    return;
  case InterpreterValue::Kind::Reference:
    fn(static_cast<CellObject *>(object)->contents);
    return;
  case InterpreterValue::Kind::Tensor:
  case InterpreterValue::Kind::Constructor:
    return;
  }
}

} // namespace detail
} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_OBJECTS_H
