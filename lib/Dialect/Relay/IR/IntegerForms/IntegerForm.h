//===- IntegerForm.h - Operators on integers that stand for floats -*- C++ -*-//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. What an operator is on integers, a function
// `write(OpTy, IntegerForm &)` says in one of its files, with a name in the
// list at the end of that file.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_INTEGERFORMS_INTEGERFORM_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_INTEGERFORMS_INTEGERFORM_H

#include "../Qnn/QnnBuilder.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"

namespace mlir::relay::integers {

/// Writes what an operator is on integers. Operators that it makes may be
/// invalid where those that it was given are unusual; whoever asks verifies
/// them.
class IntegerForm : public qnn::QnnBuilder {
public:
  IntegerForm(Operation *op, const OpBuilder &builder,
              ArrayRef<QuantizedValue> operands,
              const WantedQuantization &wanted)
      : QnnBuilder(op, builder), op(op), operands(operands), wanted(wanted) {}

  Operation *getOp() const { return op; }
  const QuantizedValue &getOperand(unsigned i) const { return operands[i]; }
  ArrayRef<QuantizedValue> getOperands() const { return operands; }
  const WantedQuantization &getWanted() const { return wanted; }

  /// The operator on other operands; its types are inferred. Null, after an
  /// error, if it cannot be.
  Value cloneWith(ValueRange values);

  /// An operand that is quantized; with one scale and zero point for all
  /// elements, for which it is requantized if need be.
  FailureOr<QuantizedValue> getQuantized(unsigned i);
  FailureOr<QuantizedValue> getUniform(unsigned i);

  /// Whether the result may be bytes or words in the quantization that is
  /// wanted, of one scale.
  bool wantsNarrow() const;
  /// The same quantization in i32, or one that is so fine that its rounding
  /// does not count. Fails if many scales are wanted.
  FailureOr<WantedQuantization> getFine();
  /// What a result is rounded to: the quantization that is wanted, or a fine
  /// one.
  FailureOr<WantedQuantization> getTarget();

  /// Of two operands, one of which may be a constant: fails, with an error, if
  /// both are.
  LogicalResult checkAnyQuantized();
  /// Whether all operands are quantized, in the type that is wanted.
  bool areAsWanted();
  /// The operator on both operands, in the same quantization.
  FailureOr<QuantizedValue> writeUnified(const WantedQuantization &common);

  /// An operand, quantized or a constant, as wanted.
  FailureOr<Value> convertTo(unsigned i, const WantedQuantization &to);
  Value requantizeTo(const QuantizedValue &x, const WantedQuantization &to);
  /// Floats, constant here, as integers.
  Value quantizeFloats(Value floats, const Quantization &to, Type elementType);

  /// A parameter that is one number, of rank 0.
  Value reshapeToScalar(Value param);
  /// The product of the scales of two tensors; at most one may be a vector.
  FailureOr<Value> multiplyScales(Value a, Value b);
  /// scale * factor.
  Value scaleBy(Value scale, double factor);
  Value zeroPoint(int64_t value = 0) { return integer(value, getI32Type()); }
  /// data - zero point, as i32.
  Value getShifted(const QuantizedValue &x);

private:
  Operation *op;
  ArrayRef<QuantizedValue> operands;
  const WantedQuantization &wanted;
};

/// Whether a parameter is one number; a vector of one counts.
bool isUniform(Value param);
bool isUniform(const Quantization &quantization);
/// Whether both are known to be the same, for all elements.
bool isSame(const Quantization &a, const Quantization &b);

// What `Traits` of `attach` may say.
enum : unsigned {
  kCommutesWithClip = 1,
  kIsIntegerAlone = 2,
  kIsIntegerOnRequest = 4
};

template <typename OpTy, unsigned Traits>
struct IntegerFormModel
    : IntegerFormOpInterface::ExternalModel<IntegerFormModel<OpTy, Traits>,
                                            OpTy> {
  FailureOr<QuantizedValue> toIntegers(Operation *op, OpBuilder &builder,
                                       ArrayRef<QuantizedValue> operands,
                                       const WantedQuantization &wanted) const {
    IntegerForm form(op, builder, operands, wanted);
    return write(cast<OpTy>(op), form);
  }
  bool commutesWithClip(Operation *) const {
    return (Traits & kCommutesWithClip) != 0;
  }
  bool isIntegerAlone(Operation *) const {
    return (Traits & kIsIntegerAlone) != 0;
  }
  bool isIntegerOnRequest(Operation *) const {
    return (Traits & kIsIntegerOnRequest) != 0;
  }
};

template <unsigned Traits, typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<IntegerFormModel<Ops, Traits>>(*context), ...);
}

// One for each file.
void registerArithmetic(MLIRContext *context);
void registerFunctions(MLIRContext *context);
void registerMovement(MLIRContext *context);
void registerProducts(MLIRContext *context);

} // namespace mlir::relay::integers

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_INTEGERFORMS_INTEGERFORM_H
