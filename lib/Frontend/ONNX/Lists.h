//===- Lists.h - Lists and optional values in ONNX models -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sequences whose elements are not known at import are values of the data type
// List, and optional values of the data type Option, both as the prelude has
// them (prelude.rly). What is done with lists are functions of the module,
// which are there if something calls them. They loop by calls in the end of
// functions, so lists may be long.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_LISTS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_LISTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::relay::onnx {

/// The type of lists of `element`, which is incomplete for a list without
/// elements.
Type getListType(Type element);
/// The type of elements; null for other types.
Type getListElement(Type type);
/// The same of optional values.
Type getOptionType(Type element);
Type getOptionElement(Type type);

/// Builds operations on lists in `module`, to which it adds what they need.
class ListBuilder {
public:
  ListBuilder(ModuleOp module, OpBuilder &builder, Location loc)
      : module(module), builder(builder), loc(loc) {}

  /// Defines the data types in `type`.
  void define(Type type);

  /// A list without elements.
  Value createNil(Type element);
  Value createCons(Value head, Value tail);
  Value createSome(Value value);
  Value createNone(Type element);

  /// Joins tensors along an axis, of which each has an open size. The list, in
  /// which there must be one, begins with the last; in all, a logarithm of
  /// their number of copies of it are made.
  Value joinReversed(Value list, int64_t axis);
  /// The list in opposite order, of its elements with a new axis, or of the
  /// elements as they are, in which the axis is open.
  Value reverseRows(Value list, int64_t axis, bool isNewAxis);
  /// The list of what `tensor` has along an axis, with the axis or without it.
  Value split(Value tensor, int64_t axis, bool keepsAxis, Value count);
  /// The list of the `count` parts of `tensor` along an axis that begin and end
  /// at positions, both vectors of one type.
  Value split(Value tensor, int64_t axis, Value begins, Value ends,
              Value count);
  /// The list with its elements in opposite order.
  Value reverse(Value list);
  /// The number of elements, a scalar of 64 bits.
  Value getLength(Value list);
  /// Element `position`, a scalar of 64 bits, which counts from the end if it
  /// is negative. It is an error of the run if there is none.
  Value getElement(Value list, Value position);
  /// The list with `value` before `position`, which may also be the end.
  Value insert(Value list, Value position, Value value);
  /// The list without the element at `position`.
  Value erase(Value list, Value position);
  /// Whether an optional value is there, and what it is, which is an error of
  /// the run if it is not.
  Value hasElement(Value option);
  Value getOptional(Value option);

private:
  void defineList();
  void defineOption();
  /// Adds the functions in `text`, unless there is one called `name`.
  void define(StringRef name, StringRef text);
  /// Adds the functions in `text`, in which `$NAME` is that of the one that is
  /// called: `base` with the types of `args`. Calls it.
  Value call(StringRef base, StringRef text, ValueRange args, Type result,
             ArrayRef<std::pair<StringRef, std::string>> others = {});
  Value createNumber(int64_t value);
  Value createFlag(bool value);

  ModuleOp module;
  OpBuilder &builder;
  Location loc;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_LISTS_H
