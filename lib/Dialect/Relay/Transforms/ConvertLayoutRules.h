//===- ConvertLayoutRules.h - Operators in other layouts --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// How operators compute on tensors whose dimensions are stored in another
// order. The order in which a value was written is its canonical form; any
// other one is a permutation: dimension i of the stored tensor is dimension
// `order[i]` of the value. An empty order is the canonical form.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTRULES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTRULES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlir::relay {

using Order = SmallVector<int64_t, 6>;

/// `order`, empty if it is the identity.
Order canonicalOrder(Order order);

/// The order of the stored dimensions of `order` after `axes` (as of
/// `relay.transpose`) has renamed the value's dimensions.
Order renameOrder(ArrayRef<int64_t> order, ArrayRef<int64_t> axes);

/// The type of a value of `type` stored in `order`. An order of a higher rank
/// stands for the value with leading dimensions of size 1, which are dropped
/// again where they still lead. Fields of a tuple of another rank stay as they
/// are.
Type getStoredType(Type type, ArrayRef<int64_t> order);

/// Whether the elements of `type` lie in the same sequence in both orders, so
/// that a reshape leads from one to the other.
bool isSameSequence(RankedTensorType type, ArrayRef<int64_t> from,
                    ArrayRef<int64_t> to);

/// `newshape` of the relay.reshape that makes `result` from `data`; none if the
/// dynamic sizes cannot be told.
std::optional<SmallVector<int64_t>> getReshapeCodes(RankedTensorType data,
                                                    RankedTensorType result);

/// The forms in which an operator takes its operands and leaves its result.
struct OperatorForm {
  SmallVector<Order> operands;
  Order result;
  /// Whether the stored result is the stored first operand.
  bool isAlias = false;
};

/// The layouts that an operator is to run in.
struct DesiredLayout {
  std::string data;
  /// Empty: as it is. kDefaultLayout: the usual one for the layout of the data.
  std::string kernel;
};
inline constexpr StringLiteral kDefaultLayout = "default";

/// Returns how `op` runs if its operand `index` comes in `order`, which the
/// form may adjust; none if only the canonical form is possible.
std::optional<OperatorForm> inferForm(Operation *op, unsigned index,
                                      ArrayRef<int64_t> order);

/// The order in which the operand of a transposition is stored, as one of its
/// result; none if `op` is no transposition.
std::optional<Order> getAliasOrder(Operation *op);

/// Returns how the convolution-like `op` runs in the desired layout; none if it
/// has no layout, or is in the desired one already.
std::optional<OperatorForm> inferDesiredForm(Operation *op,
                                             const DesiredLayout &desired);

/// Creates `op` in `form`, which is no alias, on the stored `operands`.
Operation *buildInForm(OpBuilder &builder, Operation *op,
                       const OperatorForm &form, ValueRange operands);

/// Floating-point operations of a convolution, 0 for another operator. Dynamic
/// sizes count as `kTypicalSize`.
double getConvolutionWork(Operation *op);
inline constexpr int64_t kTypicalSize = 32;

/// Number of channels of the data of a convolution.
int64_t getConvolutionChannels(Operation *op);

/// Number of spatial dimensions of a convolution, 0 for another operator.
int64_t getConvolutionRank(Operation *op);

namespace detail {
/// The parts of inferForm() and buildInForm() for reshapes of any name.
std::optional<OperatorForm> inferReshapeForm(Operation *op,
                                             ArrayRef<int64_t> order);
Operation *buildReshapeInForm(OpBuilder &builder, Operation *op,
                              const OperatorForm &form, Value data);
/// The rule for elementwise operators on two quantized tensors.
std::optional<OperatorForm> inferQnnForm(Operation *op, unsigned index,
                                         ArrayRef<int64_t> order,
                                         StringRef attribute);
void updateQnnAxes(Operation *op, Operation *original, const OperatorForm &form,
                   StringRef attribute);
} // namespace detail

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTRULES_H
