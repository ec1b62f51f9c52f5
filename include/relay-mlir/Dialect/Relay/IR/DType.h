//===- DType.h - Names of data types ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace mlir::relay {

enum class SmallFloatKind {
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  Float4E2M1FN,
};

/// A float of 4 or 8 bits. Kernels and the interpreter have it as a byte, whose
/// low bits are its code: sign, exponent and fraction, of which the last is
/// `fractionBits` wide. There is no arithmetic on it but casts.
struct SmallFloat {
  SmallFloatKind kind;
  /// Relay's name, which is that of the package ml_dtypes.
  llvm::StringLiteral name;
  /// DLPack's DLDataTypeCode.
  uint8_t dlpackCode;
  uint8_t width;
  uint8_t fractionBits;
  uint8_t bias;
  /// Codes of positive values: the largest finite one, what a larger one is
  /// rounded to (infinity, NaN, or the largest), and what NaN is.
  uint8_t largest;
  uint8_t overflow;
  uint8_t nan;
  /// The code of minus zero is NaN (the types FNUZ).
  bool isUnsignedZero = false;

  /// A power of two and nothing else (E8M0).
  bool isExponentOnly() const { return fractionBits == 0; }
  static llvm::ArrayRef<SmallFloat> getAll();
  static const SmallFloat &get(SmallFloatKind kind);
  /// Null if `type` is something else.
  static const SmallFloat *get(Type type);
  Type getType(MLIRContext *context) const;
};

/// Whether elements of `type` are bits of a byte for kernels, which move them
/// and cast them only: floats and integers of 2, 4 or 8 bits, but bool and
/// integers of 8.
bool isSmallElement(Type type);

/// Returns the element type that Relay calls `name` (float32, uint8, bool,
/// bfloat16, float8_e4m3fn), or null.
Type getDType(StringRef name, MLIRContext *context);

/// Returns Relay's name of an element type; MLIR's if it has none.
std::string getDTypeName(Type type);

/// The smallest and largest value of an integer type of at most 32 bits.
std::pair<int64_t, int64_t> getIntegerRange(Type type);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_DTYPE_H
