//===- OperatorSchema.h - What operators take -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands and attributes of every relay operator, as data: what the text
// format and the Python package need to know of them. Generated from the
// operators' definitions.
//
// Attributes have two forms. Operations have those of their definition. Calls
// in the text are written with raw ones:
//
//   bool          BoolAttr
//   integer       IntegerAttr, i32 unless the value or a suffix asks for i64
//   float         FloatAttr, f64
//   string, dtype StringAttr
//   list, tuple   ArrayAttr
//   None          UnitAttr
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_OPERATORSCHEMA_H
#define RELAY_MLIR_DIALECT_RELAY_IR_OPERATORSCHEMA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::relay {

enum class OperandKind {
  Single,
  Optional,
  /// Any number of operands of the operation, which are one tuple in Relay.
  Tuple,
  /// Any number of arguments.
  Variadic,
};

struct OperandSchema {
  StringRef name;
  OperandKind kind;
  /// Whether an operand, each one of a tuple, may be of a type; its inference
  /// and verifier rely on it.
  bool (*accepts)(Type type);
  /// What it may be, for messages: `0D tensor of floating-point values`.
  StringRef description;
};

enum class AttrKind {
  Bool,
  Int,
  Float,
  String,
  /// An element type, by name.
  DType,
  Ints,
  Floats,
  /// A list of pairs of integers; flat in the operation.
  Pairs,
  IntOrInts,
  /// Anything else, which both forms write alike: dictionaries, elements.
  Other,
};

enum class AttrPresence {
  Required,
  /// May be None, but text has it always.
  Nullable,
  /// None if it is missing.
  Optional,
  /// Has a default.
  Default,
};

struct AttributeSchema {
  StringRef name;
  AttrKind kind;
  AttrPresence presence;
  // The default's value; lists and numbers in the list of their kind, a bool as
  // an integer.
  ArrayRef<int64_t> defaultInts = {};
  ArrayRef<double> defaultFloats = {};
  StringRef defaultText = {};

  /// The raw form of the value that a missing attribute has; null if it must
  /// not be missing.
  Attribute getDefault(MLIRContext *context) const;
};

struct OperatorSchema {
  /// Without the dialect: `nn.conv2d`.
  StringRef name;
  StringRef summary, description;
  ArrayRef<OperandSchema> operands;
  ArrayRef<AttributeSchema> attributes;
  /// Whether calls may have attributes of any name and kind, which the
  /// operation keeps in the raw form. So do operators that programs add.
  bool takesAnyAttribute = false;

  const AttributeSchema *lookupAttribute(StringRef name) const;
  /// How many arguments a call may have.
  unsigned getMinArguments() const;
  /// No bound if there is none.
  std::optional<unsigned> getMaxArguments() const;
};

/// The schemas of the operators of the dialect, by name.
ArrayRef<const OperatorSchema *> getOperatorSchemas();

/// Returns null for what is not an operator; operators that programs add have a
/// schema as well.
const OperatorSchema *getOperatorSchema(StringRef name);
const OperatorSchema *getOperatorSchema(Operation *op);

/// Makes the attributes of the operation from raw ones. Reports names that the
/// operator does not have, missing values, and values of another kind, unless
/// `emitError` is null.
FailureOr<NamedAttrList>
convertRawAttrs(const OperatorSchema &schema, ArrayRef<NamedAttribute> raw,
                MLIRContext *context,
                function_ref<InFlightDiagnostic()> emitError = nullptr);

/// Returns the raw form of the attributes of an operation in the order of the
/// schema, without those that equal the default.
SmallVector<NamedAttribute> toRawAttrs(const OperatorSchema &schema,
                                       DictionaryAttr attrs);
SmallVector<NamedAttribute> toRawAttrs(Operation *op);

/// Returns raw attributes as text has them: in the order of the schema, without
/// those that equal the default. Returns them as they are if they do not fit.
SmallVector<NamedAttribute> normalizeRawAttrs(const OperatorSchema &schema,
                                              ArrayRef<NamedAttribute> raw,
                                              MLIRContext *context);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_OPERATORSCHEMA_H
