//===- LayoutForms.h - Operators on permuted tensors ------------*- C++ -*-===//
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
// An operator says what it can do by LayoutOpInterface (RelayInterfaces.td).
// The functions of `detail` are the rules that many share
// (RelayLayoutRules.td).
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_LAYOUTFORMS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_LAYOUTFORMS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::relay {

using DimOrder = SmallVector<int64_t, 6>;

/// `order`, empty if it is the identity.
DimOrder canonicalOrder(DimOrder order);

/// The order of the stored dimensions of `order` after `axes` (as of
/// `relay.transpose`) has renamed the value's dimensions.
DimOrder renameOrder(ArrayRef<int64_t> order, ArrayRef<int64_t> axes);

/// A layout such as NCHW in another order.
std::string permuteLayout(StringRef layout, ArrayRef<int64_t> order);

/// The type of a value of `type` stored in `order`. An order of a higher rank
/// stands for the value with leading dimensions of size 1, which are dropped
/// again where they still lead. Fields of a tuple of another rank stay as they
/// are.
Type getStoredType(Type type, ArrayRef<int64_t> order);

/// The forms in which an operator takes its operands and leaves its result.
struct OperatorForm {
  SmallVector<DimOrder> operands;
  DimOrder result;
  /// Whether the stored result is the stored first operand.
  bool isAlias = false;
};

/// Of an operator whose methods of LayoutOpInterface follow from a rule.
template <typename ConcreteOp>
class HasLayoutRule : public OpTrait::TraitBase<ConcreteOp, HasLayoutRule> {};

namespace detail {

/// The position of the value's dimension `axis` among the stored ones.
int64_t getPosition(ArrayRef<int64_t> order, int64_t axis);

/// The first operand and the result are in `order`, the others as they are.
OperatorForm getDataForm(Operation *op, ArrayRef<int64_t> order);

/// Whether the elements of `type` lie in the same sequence in both orders, so
/// that a reshape leads from one to the other.
bool isSameSequence(RankedTensorType type, ArrayRef<int64_t> from,
                    ArrayRef<int64_t> to);

/// `newshape` of the relay.reshape that makes `result` from `data`; none if the
/// dynamic sizes cannot be told.
std::optional<SmallVector<int64_t>> getReshapeCodes(RankedTensorType data,
                                                    RankedTensorType result);

// The rules: what LayoutOpInterface::inferForm() returns, and what setForm()
// does, with the attributes that count.

std::optional<OperatorForm> inferDataForm(Operation *op, unsigned index,
                                          ArrayRef<int64_t> order);
std::optional<OperatorForm> inferElementwiseForm(Operation *op, unsigned index,
                                                 ArrayRef<int64_t> order);

std::optional<OperatorForm> inferAxisForm(Operation *op, unsigned index,
                                          ArrayRef<int64_t> order,
                                          std::optional<int64_t> axis);
std::optional<OperatorForm> inferInstancesForm(Operation *op, unsigned index,
                                               ArrayRef<int64_t> order,
                                               std::optional<int64_t> axis);
std::optional<OperatorForm> inferAxisOfAllForm(Operation *op, unsigned index,
                                               ArrayRef<int64_t> order,
                                               std::optional<int64_t> axis);
void setAxisForm(Operation *op, const OperatorForm &form, StringAttr name,
                 std::optional<int64_t> axis);

/// Axes that are absent or empty mean all.
std::optional<OperatorForm>
inferAxesForm(Operation *op, unsigned index, ArrayRef<int64_t> order,
              std::optional<ArrayRef<int64_t>> axes);
void setAxesForm(Operation *op, const OperatorForm &form, StringAttr name,
                 std::optional<ArrayRef<int64_t>> axes);

/// What a reduction reduces, as its attributes have it.
struct ReducedAxes {
  std::optional<ArrayRef<int64_t>> axes;
  bool exclude;
};
/// The result `isPosition` if it counts in the reduced axes flattened.
std::optional<OperatorForm> inferReduceForm(Operation *op, unsigned index,
                                            ArrayRef<int64_t> order,
                                            ReducedAxes axes, bool keepDims,
                                            bool isPosition);
void setReduceForm(Operation *op, const OperatorForm &form, StringAttr axisName,
                   StringAttr excludeName, ReducedAxes axes);

std::optional<OperatorForm> inferPerDimensionForm(Operation *op, unsigned index,
                                                  ArrayRef<int64_t> order,
                                                  ArrayRef<int64_t> values);
void setPerDimensionForm(Operation *op, const OperatorForm &form,
                         StringAttr name, ArrayRef<int64_t> values);

std::optional<OperatorForm> inferSpatialForm(Operation *op, unsigned index,
                                             ArrayRef<int64_t> order);
void setSpatialForm(Operation *op, const OperatorForm &form, StringAttr name);

/// Elementwise operators on two quantized tensors, with an axis for each.
std::optional<OperatorForm> inferQnnForm(Operation *op, unsigned index,
                                         ArrayRef<int64_t> order,
                                         std::array<int64_t, 2> axes);
void setQnnForm(Operation *op, const OperatorForm &form,
                std::array<StringAttr, 2> names, std::array<int64_t, 2> axes);

std::optional<OperatorForm>
inferTransposedForm(Operation *op, ArrayRef<int64_t> order,
                    std::optional<SmallVector<int64_t>> axes);

/// Reshapes of any name.
std::optional<OperatorForm> inferReshapeForm(Operation *op,
                                             ArrayRef<int64_t> order);
Operation *buildReshapeInForm(OpBuilder &builder, Operation *op,
                              const OperatorForm &form, Value data);

/// What LayoutOpInterface::buildInForm() does unless it is told otherwise.
Operation *cloneInForm(OpBuilder &builder, Operation *op,
                       const OperatorForm &form, ValueRange operands);

/// Whether each channel of a convolution's data has kernels of its own.
bool isDepthwise(Operation *op);
/// ConvolutionOpInterface::getUsualKernelLayout(); `isOutputFirst` where the
/// channels of data come last.
std::string getUsualKernelLayout(Operation *op, StringRef layout,
                                 bool isOutputFirst);

} // namespace detail

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_LAYOUTFORMS_H
