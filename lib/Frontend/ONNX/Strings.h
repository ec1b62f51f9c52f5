//===- Strings.h - Strings as numbers of a table ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of strings is one of their numbers in the table of strings of the
// model, with 64 bits. Number 0 is the empty string; others follow in the order
// in which the model uses them. Behind them come those that a call brings, and
// those that it makes: equal strings have equal numbers, and that is all that
// operators may rely on which compare and move strings. Those that look into
// strings or make them do so by relay.string_map.
//
// While a model is imported, numbers of strings have a type of their own,
// integers of 63 bits, which no tensor of ONNX has: so no operator of numbers
// takes them for such.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGS_H

#include "Model.h"

#include "relay-mlir/Dialect/Relay/IR/Strings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::relay::onnx {

/// What numbers of strings are while a model is imported.
Type getStringType(MLIRContext *context);
bool isStringType(Type type);

/// What tensors of strings have, for messages.
inline constexpr StringLiteral kStringElements = "strings that are UTF-8 text";
bool isStringElement(StringRef text);

/// A tensor of strings that have these numbers.
DenseElementsAttr getStringElements(MLIRContext *context,
                                    ArrayRef<int64_t> shape,
                                    ArrayRef<int64_t> numbers);

/// While it lives, messages call the type of strings so.
class StringTypeNames : public ScopedDiagnosticHandler {
public:
  explicit StringTypeNames(MLIRContext *context);
};

/// The type of the elements of a tensor: as getElementType, or strings.
Type getTensorElementType(MLIRContext *context, DataType type);

/// Whether an operator knows what to do with strings.
bool takesStrings(StringRef domain, StringRef opType);

/// Makes numbers of 64 bits of all strings in the module of `main`, and says
/// with attributes which arguments and results are strings, and which strings
/// there are. Fails where strings are parts of arguments or results.
LogicalResult finishStrings(func::FuncOp main, const StringTable &table);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_STRINGS_H
