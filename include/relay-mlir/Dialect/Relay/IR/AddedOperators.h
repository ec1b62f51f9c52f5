//===- AddedOperators.h - Operators that programs add -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs, such as those of Python, may add operators while they run. A call
// of one is `relay.apply`, before and after type inference. What its result is
// follows from a function that is added with the operator; how it is evaluated,
// from one that the interpreter is given (Interpreter/AddedOperators.h).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_ADDEDOPERATORS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_ADDEDOPERATORS_H

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/IR/TypeRange.h"

#include <functional>
#include <string>
#include <vector>

namespace mlir::relay {

struct AddedOperator {
  std::string name, summary;
  /// Names of the operands; without a value, a call may have any number.
  std::optional<std::vector<std::string>> operands;
  /// Returns the type of a call's result. All types of operands are complete.
  /// Fails with a diagnostic at the location. Any thread may call it.
  std::function<FailureOr<Type>(Location, TypeRange, DictionaryAttr)> inferType;
};

/// What the name of a packed function begins with that computes an added
/// operator in compiled programs; the operator's name follows. Its first
/// argument is a vector of ui8, the text of a call: an array of the attributes
/// and the type of the result. The others are the operands.
inline constexpr llvm::StringLiteral kOperatorFunctionPrefix = "relay.op.";

/// Adds an operator for the whole process, or replaces an added one of the same
/// name. Fails if there is an operator of that name that was not added.
LogicalResult addOperator(AddedOperator op);

/// Returns null for what was not added. Valid forever.
const AddedOperator *lookupAddedOperator(StringRef name);

namespace detail {
/// The schema of an operator that was added, or null. Valid forever.
const OperatorSchema *lookupAddedSchema(StringRef name);
} // namespace detail

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_ADDEDOPERATORS_H
