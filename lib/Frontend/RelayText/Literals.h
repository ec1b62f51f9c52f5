//===- Literals.h - Numbers and strings in Relay text -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LITERALS_H
#define RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LITERALS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <string>

namespace mlir::relay::text {

/// A number as it is written: digits, and a suffix that tells the data type.
struct NumberText {
  explicit NumberText(StringRef spelling);

  bool negative = false;
  /// Without sign and suffix; `inf` for infinity.
  StringRef digits;
  /// `i`, `f`, or 0.
  char suffix = 0;
  /// What follows the suffix.
  StringRef width;

  bool hasFraction() const {
    return digits == "inf" || digits.find_first_of(".eE") != StringRef::npos;
  }
};

using LiteralErrorFn = function_ref<void(const Twine &)>;

/// Makes an IntegerAttr or a FloatAttr of the literal's own type: int32, or
/// int64 if the value needs it; float32. `bareFloats` says whether a fraction
/// needs no suffix. Reports what is malformed or does not fit; null then.
TypedAttr parseNumber(const NumberText &number, bool bareFloats,
                      MLIRContext *context, LiteralErrorFn error);

/// Reads a number as the value of an attribute: floats keep all their digits.
TypedAttr parseAttributeNumber(const NumberText &number, MLIRContext *context,
                               LiteralErrorFn error);

/// The contents of a quoted string, its escapes replaced.
std::string unescape(StringRef quoted);
/// A quoted string that `unescape` turns into `text`.
std::string escape(StringRef text);

/// The shortest decimal from which `value` is read back as `type`, and which
/// is not beyond the range of the type. Finite values only.
std::string formatFloat(const APFloat &value);

/// The literal for a scalar; nothing if the data type or the value has none.
std::optional<std::string> formatScalar(Attribute value, Type type);

} // namespace mlir::relay::text

#endif // RELAY_MLIR_LIB_FRONTEND_RELAYTEXT_LITERALS_H
