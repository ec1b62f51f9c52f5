//===- OperatorFormat.h - Assembly and types of operators -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what the generated operator definitions call.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_OPERATORFORMAT_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_OPERATORFORMAT_H

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay::detail {

/// Returns `attr` as a dense array if it is a list of numbers of one kind.
Attribute toDenseArray(Attribute attr);

/// Attaches the models of OperandTypeOpInterface.
void registerOperandTypes(MLIRContext *context);

/// Reads `%a, %b {attributes} : (types) -> type`. Lists of numbers in the
/// attributes become dense arrays.
ParseResult parseOperator(OpAsmParser &parser, OperationState &result);

/// Prints the form that parseOperator reads, without the attributes that equal
/// those of `defaults`.
void printOperator(OpAsmPrinter &printer, Operation *op,
                   DictionaryAttr defaults);

/// Returns the attributes of an operator that has only defaults.
template <typename OpTy>
DictionaryAttr getDefaultAttrs(OpTy op) {
  if constexpr (!std::is_same_v<typename OpTy::Properties, EmptyProperties>) {
    typename OpTy::Properties defaults;
    OpTy::populateDefaultProperties(op->getName(), defaults);
    // Null where no attribute has a default.
    if (Attribute attrs = OpTy::getPropertiesAsAttr(op->getContext(), defaults))
      return cast<DictionaryAttr>(attrs);
  }
  return DictionaryAttr::get(op->getContext());
}

/// Whether `actual` may stand for `inferred`: equal up to dimensions that one
/// of the two does not know.
bool areTypesCompatible(TypeRange inferred, TypeRange actual);

/// Returns `axis` counted from the first of `rank` dimensions; fails with a
/// diagnostic if it is out of range.
FailureOr<int64_t> normalizeAxis(std::optional<Location> location, int64_t axis,
                                 int64_t rank, StringRef name = "axis");

/// Broadcasts shapes as NumPy does.
FailureOr<SmallVector<int64_t>>
broadcastShapes(std::optional<Location> location, ArrayRef<int64_t> lhs,
                ArrayRef<int64_t> rhs);

LogicalResult inferBroadcast(std::optional<Location> location, Type lhs,
                             Type rhs, SmallVectorImpl<Type> &types);
LogicalResult inferComparison(std::optional<Location> location, Type lhs,
                              Type rhs, SmallVectorImpl<Type> &types);

/// `elementType` null means that of the data.
LogicalResult inferReduce(std::optional<Location> location, Type data,
                          std::optional<ArrayRef<int64_t>> axis, bool keepdims,
                          bool exclude, Type elementType,
                          SmallVectorImpl<Type> &types);
LogicalResult inferCreate(std::optional<Location> location,
                          ArrayRef<int64_t> shape, Type dtype,
                          SmallVectorImpl<Type> &types);

/// Reads the codes of a reshape of `data`.
LogicalResult inferReshape(std::optional<Location> location,
                           RankedTensorType data, ArrayRef<int64_t> codes,
                           bool allowzero, SmallVectorImpl<int64_t> &shape);

/// The attributes of a convolution, and the layouts that are supported.
struct ConvAttrs {
  ArrayRef<int64_t> strides, padding, dilation;
  int64_t groups;
  std::optional<int64_t> channels;
  std::optional<ArrayRef<int64_t>> kernelSize;
  StringRef dataLayout, kernelLayout, outLayout;
  std::optional<Type> outDtype;
  StringRef supportedDataLayout, supportedKernelLayout;
};
LogicalResult inferConv(std::optional<Location> location, Type data,
                        Type weight, const ConvAttrs &attrs,
                        SmallVectorImpl<Type> &types);
LogicalResult inferConvTranspose(std::optional<Location> location, Type data,
                                 Type weight, const ConvAttrs &attrs,
                                 ArrayRef<int64_t> outputPadding,
                                 SmallVectorImpl<Type> &types);

// The methods of ContractionOpInterface for convolutions.
SmallVector<int64_t> getSummedKernelAxes(Operation *op);
std::optional<ChannelAxes> getConvolutionChannels(Operation *op);

/// The layouts of a pool; an empty one for the result means that of the data.
struct PoolLayouts {
  StringRef data, out;
};
LogicalResult inferPool(std::optional<Location> location, Type data,
                        ArrayRef<int64_t> poolSize, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilation, ArrayRef<int64_t> padding,
                        PoolLayouts layouts, bool ceilMode,
                        SmallVectorImpl<Type> &types);
LogicalResult inferAdaptivePool(std::optional<Location> location, Type data,
                                ArrayRef<int64_t> outputSize,
                                PoolLayouts layouts,
                                SmallVectorImpl<Type> &types);

/// Prints a shape as types do: 2x?x3.
std::string formatShape(ArrayRef<int64_t> shape);

/// Checks that `mode`, the value of attribute `name`, is one of `modes`.
LogicalResult checkMode(std::optional<Location> location, StringRef name,
                        StringRef mode, ArrayRef<StringRef> modes);

/// Checks the attributes method, coordinate_transformation_mode and
/// rounding_method of an operator that resizes images.
LogicalResult checkResizeModes(std::optional<Location> location,
                               StringRef method, StringRef coordinates,
                               StringRef rounding);

/// Checks that `value`, operand `name`, has the element type of `data`.
LogicalResult checkElementType(std::optional<Location> location, Value data,
                               Value value, StringRef name);

/// Checks the shift of a product with a fixed-point number.
LogicalResult checkShift(std::optional<Location> location, int64_t shift);

/// Checks that there is such a function of strings, and what it is given.
LogicalResult checkStringMap(std::optional<Location> location,
                             ValueRange operands, StringRef function,
                             ArrayRef<int64_t> params);

/// Checks that `axes` are dimensions of `data`, each at most once.
LogicalResult checkAxes(std::optional<Location> location, Value data,
                        ArrayRef<int64_t> axes);

LogicalResult checkLrn(std::optional<Location> location, Value data,
                       int64_t size, int64_t axis);
LogicalResult checkTrilu(std::optional<Location> location, Value data, Value k);
LogicalResult checkScatterElements(std::optional<Location> location, Value data,
                                   Value indices, Value updates, int64_t axis,
                                   StringRef reduction);
LogicalResult checkScatterNd(std::optional<Location> location, Value data,
                             Value indices, Value updates, StringRef mode);

/// Checks that vector `vector` has the size of dimension `axis` of `data`.
LogicalResult verifyAlongAxis(Operation *op, Value data, Value vector,
                              StringRef name, int64_t axis);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_OPERATORFORMAT_H
