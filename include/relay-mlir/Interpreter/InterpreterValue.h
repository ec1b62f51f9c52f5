//===- InterpreterValue.h - Values of relay programs ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// What an SSA value evaluates to: a tensor, a tuple, a function, a value of an
// algebraic data type, or a reference. A handle to a counted object: copies are
// cheap and share. All but the contents of references is immutable.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_INTERPRETERVALUE_H
#define RELAY_MLIR_INTERPRETER_INTERPRETERVALUE_H

#include "relay-mlir/Interpreter/Tensor.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <cassert>
#include <utility>
#include <vector>

namespace mlir::relay {

namespace detail {
struct Object;
} // namespace detail

/// (Not `Value`, which would hide mlir::Value from the whole namespace.)
class InterpreterValue {
public:
  enum class Kind : uint32_t {
    Tensor,
    Tuple,
    Closure,
    Constructor,
    Data,
    Reference,
  };

  /// No value.
  InterpreterValue() = default;
  InterpreterValue(Tensor tensor);
  /// A tuple.
  explicit InterpreterValue(ArrayRef<InterpreterValue> fields);
  explicit InterpreterValue(const std::vector<InterpreterValue> &fields)
      : InterpreterValue(ArrayRef<InterpreterValue>(fields)) {}

  /// A value of an algebraic data type. `constructor` is its symbol
  /// (`@List::@Cons`), `index` its place among the constructors of the type.
  static InterpreterValue getData(SymbolRefAttr constructor, unsigned index,
                                  ArrayRef<InterpreterValue> fields);

  InterpreterValue(const InterpreterValue &other) : object(other.object) {
    retain();
  }
  InterpreterValue(InterpreterValue &&other) noexcept
      : object(std::exchange(other.object, nullptr)) {}
  InterpreterValue &operator=(InterpreterValue other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~InterpreterValue() {
    if (object)
      release();
  }

  explicit operator bool() const { return object; }
  Kind getKind() const;
  bool is(Kind kind) const { return object && getKind() == kind; }
  bool isTensor() const { return is(Kind::Tensor); }
  bool isTuple() const { return is(Kind::Tuple); }
  bool isData() const { return is(Kind::Data); }
  bool isReference() const { return is(Kind::Reference); }
  /// Something to be called: a closure, a function of the module, or a
  /// constructor.
  bool isFunction() const { return is(Kind::Closure) || is(Kind::Constructor); }

  const Tensor &getTensor() const;
  /// The fields of a tuple, or of a value of a data type.
  ArrayRef<InterpreterValue> getFields() const;
  /// Of a value of a data type, or of a constructor.
  SymbolRefAttr getConstructor() const;
  StringRef getConstructorName() const;
  unsigned getConstructorIndex() const;
  /// What a reference holds now.
  InterpreterValue getContents() const;

  /// Type of the value. Its shapes are static; that of a value of a data type
  /// lacks the arguments.
  Type getType(MLIRContext *context) const;

  /// Prints as Relay spells it: `1`, `[1, 2]`, `(1, True)`, `Cons(1, Nil)`,
  /// `ref(1)`, `<closure>`. Values nested deeper than `maxDepth` become `...`.
  void print(raw_ostream &os,
             unsigned maxDepth = std::numeric_limits<unsigned>::max()) const;

  /// The object itself, for the interpreter. It stays that of this value.
  detail::Object *getObject() const { return object; }
  /// Takes a reference that the caller held.
  static InterpreterValue adopt(detail::Object *object) {
    InterpreterValue value;
    value.object = object;
    return value;
  }

private:
  void retain() const;
  void release();

  detail::Object *object = nullptr;
};

/// Prints a tensor as a dense attribute, a tuple as `(field, ...)`, and other
/// values as InterpreterValue::print does.
raw_ostream &operator<<(raw_ostream &os, const InterpreterValue &value);

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_INTERPRETERVALUE_H
