//===- QnnBuilder.h - Quantized arithmetic in basic operators ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. A quantized tensor holds integers q, each standing
// for scale * (q - zero point); both are tensors of rank 0, or vectors along an
// axis of the data. What is written here computes the same bits as the
// interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_QNN_QNNBUILDER_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_QNN_QNNBUILDER_H

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"

#include <optional>

namespace mlir::relay::qnn {

using relay::getNumbers;

/// Whether two parameters are known to be the same single value.
bool isSameScalar(Value a, Value b);

/// Where halves go.
enum class HalfRounding { Upward, AwayFromZero, ToEven };

/// How a change of scale multiplies, and where halves go.
struct RequantizeMode {
  HalfRounding rounding = HalfRounding::Upward;
  /// Bits of the floats that multiply; 0 for a 31-bit mantissa and a shift.
  int floatBits = 0;
};

/// Scale and zero point of a tensor along one of its dimensions.
struct Params {
  Value scale;
  Value zeroPoint;
  int64_t axis = -1;
};

/// Writes what an operator computes before it.
class QnnBuilder : public TermBuilder {
public:
  explicit QnnBuilder(Operation *op) : QnnBuilder(op, OpBuilder(op)) {}
  QnnBuilder(Operation *op, const OpBuilder &builder)
      : TermBuilder(op->getLoc(), builder), op(op) {}

  InFlightDiagnostic refuse() { return op->emitOpError(); }

  Value toInt32(Value value) { return castTo(value, getI32Type()); }
  /// A scalar of an element type.
  Value integer(int64_t value, Type elementType);
  /// Numbers along dimension `axis` of `rank`; one number is a scalar.
  Value numbers(ArrayRef<double> values, Type elementType, int64_t axis,
                int64_t rank);
  Value integers(ArrayRef<int64_t> values, Type elementType, int64_t axis,
                 int64_t rank);

  /// A parameter that broadcasts against tensors of `rank` along `axis`.
  Value align(Value param, int64_t axis, int64_t rank);
  /// data - zeroPoint, as i32.
  Value subtractZeroPoint(Value data, Value zeroPoint, int64_t axis);
  /// Integers, in the range of the type after clipping.
  Value saturateTo(Value value, Type elementType);

  Value quantize(Value data, const Params &to, Type elementType,
                 HalfRounding rounding = HalfRounding::AwayFromZero);
  Value dequantize(Value data, const Params &from, Type elementType);
  /// Null, after an error, if the scales are not constants.
  Value requantize(Value data, const Params &from, const Params &to,
                   Type elementType, RequantizeMode mode = {});
  /// The same to i32, or a mere conversion where nothing changes.
  Value requantizeToInt32(Value data, const Params &from, const Params &to);
  /// round(value * factor) of i32 values, each factor as a 31-bit mantissa and
  /// a shift; the factors lie along `axis`, or are one.
  Value multiplyFixedPoint(Value value, ArrayRef<double> factors, int64_t axis,
                           bool awayFromZero);

private:
  Value roundFloats(Value value, HalfRounding rounding);
  Value requantizeInFloats(Value data, const Params &from, const Params &to,
                           ArrayRef<double> factors, RequantizeMode mode);

  Operation *op;
};

inline int64_t getRank(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}
inline Type getElementType(Value value) {
  return cast<ShapedType>(value.getType()).getElementType();
}

/// Whether a tensor holds integers of 8 to 32 bits; an error if it does not.
/// Relay infers types of others as well, which have no value.
bool isQuantized(QnnBuilder &b, Value data);

/// A value that may be null, after an error.
inline FailureOr<Value> orFailure(Value value) {
  if (!value)
    return failure();
  return value;
}

} // namespace mlir::relay::qnn

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_QNN_QNNBUILDER_H
