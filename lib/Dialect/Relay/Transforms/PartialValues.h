//===- PartialValues.h - What is known of values ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to partial evaluation. A value of a program is a value of the program
// that is being made, and perhaps more is known of it. Where all is known it is
// made only if something needs it: until then a placeholder stands for it, in
// the place where it would be.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALVALUES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALVALUES_H

#include "Functional.h"

#include "relay-mlir/Interpreter/InterpreterValue.h"

#include <optional>

namespace mlir::relay {

struct Partial;

/// What the values of one activation of a function are, and the one around it.
struct Activation {
  Activation *parent = nullptr;
  DenseMap<Value, Partial *> values;

  Partial *lookup(Value value) const {
    for (const Activation *each = this; each; each = each->parent)
      if (auto it = each->values.find(value); it != each->values.end())
        return it->second;
    llvm_unreachable("a value is known where it is used");
  }
};

/// How far the calls of a function that are being evaluated have come. Each
/// argument, or field of one, and the closure itself, has a time, which is less
/// for what was made earlier, such as the parts of data, and perhaps a number.
/// A call makes progress if one of these is less than ever before; both are
/// bounded below.
class Fuel {
public:
  /// The closure is null for a function of the module.
  Fuel(Partial *closure, ArrayRef<Partial *> args);

  /// The least of both, and whether `next` makes progress.
  std::pair<Fuel, bool> meet(const Fuel &next) const;

private:
  struct Measure {
    unsigned time;
    std::optional<int64_t> number;
  };
  void add(const Partial &value);

  SmallVector<Measure, 4> measures;
};

/// The fuel of functions, that of the innermost call first.
struct FuelFrame {
  Operation *function;
  Fuel fuel;
  FuelFrame *parent;
};

/// A function whose body is known: a closure, a function of the module, or a
/// constructor.
struct KnownFunction {
  Operation *op;
  /// Where a closure was made, with what types, and in which calls.
  Activation *activation = nullptr;
  TypeSubstitution types = {};
  FuelFrame *fuel = nullptr;
};

struct Partial {
  enum class Kind { Unknown, Tensor, Tuple, Data, Reference, Function };

  Kind kind = Kind::Unknown;
  /// Of the program that is being made.
  Value value;
  /// Counts all values.
  unsigned time = 0;
  /// Of a tensor.
  InterpreterValue contents;
  /// Of a tuple, or data.
  SmallVector<Partial *> fields;
  SymbolRefAttr constructor;
  unsigned reference = 0;
  KnownFunction *function = nullptr;

  Type getType() const { return value.getType(); }
  /// The number that a scalar of integers is.
  std::optional<int64_t> getNumber() const;
};

/// Whether a pattern is known to match; none if that is open. Appends the
/// values of its variables.
std::optional<bool> matchPattern(Attribute pattern, Partial *value,
                                 SmallVectorImpl<Partial *> &bound);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_PARTIALVALUES_H
