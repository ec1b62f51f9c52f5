//===- ShapeUtils.cpp - Checks and sizes that result types share ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

LogicalResult shapes::checkRank(std::optional<Location> location,
                                StringRef name, RankedTensorType type,
                                int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return emitOptionalError(location, "expects ", name, " of rank ", rank,
                           ", but got ", type);
}

LogicalResult shapes::checkSize(std::optional<Location> location,
                                StringRef name, RankedTensorType type,
                                int64_t dim, int64_t size) {
  if (mayEqual(type.getDimSize(dim), size))
    return success();
  return emitOptionalError(location, "expects ", name, " of size ", size,
                           " along dimension ", dim, ", but got ", type);
}

LogicalResult shapes::checkElement(std::optional<Location> location,
                                   StringRef name, RankedTensorType type,
                                   Type elementType) {
  if (type.getElementType() == elementType)
    return success();
  return emitOptionalError(location, "expects ", name, " of element type ",
                           elementType, ", but got ", type);
}

LogicalResult shapes::checkPositive(std::optional<Location> location,
                                    StringRef name, ArrayRef<int64_t> values,
                                    int64_t count) {
  if (static_cast<int64_t>(values.size()) == count &&
      llvm::all_of(values, [](int64_t value) { return value > 0; }))
    return success();
  return emitOptionalError(location, "expects ", count, " positive ", name,
                           ", but got [", values, "]");
}

LogicalResult shapes::checkPositive(std::optional<Location> location,
                                    StringRef name, int64_t value) {
  if (value > 0)
    return success();
  return emitOptionalError(location, "expects positive ", name, ", but got ",
                           value);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>>
shapes::mapShape(std::optional<Location> location, StringRef name,
                 ArrayRef<int64_t> shape, StringRef from, StringRef to) {
  FailureOr<Layout> source = Layout::parse(from), target = Layout::parse(to);
  if (failed(source) || failed(target) || !source->hasSameAxes(*target))
    return emitOptionalError(location, "expects ", name,
                             " to have the dimensions of \"", to,
                             "\", but got \"", from, "\"");
  if (source->getRank() != static_cast<int64_t>(shape.size()))
    return emitOptionalError(location, "expects a tensor of rank ",
                             source->getRank(), " for ", name, " \"", from,
                             "\", but got ", relay::detail::formatShape(shape));
  SmallVector<int64_t> result;
  for (LayoutAxis axis : target->getAxes()) {
    if (axis.isInner()) {
      result.push_back(axis.factor);
      continue;
    }
    int64_t size = 1; // Of the whole axis.
    for (auto [dim, part] : llvm::enumerate(source->getAxes())) {
      if (part.getPrimal() != axis.letter)
        continue;
      if (part.isInner() && !mayEqual(part.factor, shape[dim]))
        return emitOptionalError(location, "expects size ", part.factor,
                                 " of dimension ", dim, " for ", name, " \"",
                                 from, "\", but got ", shape[dim]);
      size = multiply(size, part.isInner() ? part.factor : shape[dim]);
    }
    int64_t inner = target->getFactor(axis.letter);
    if (!isDynamic(size)) {
      if (size % inner != 0)
        return emitOptionalError(location, "expects the size of ",
                                 StringRef(&axis.letter, 1),
                                 " to be a multiple of ", inner,
                                 " for layout \"", to, "\", but got ", size);
      size /= inner;
    }
    result.push_back(size);
  }
  return result;
}

LogicalResult shapes::checkDType(std::optional<Location> location,
                                 StringRef attribute, std::optional<Type> type,
                                 ArrayRef<StringRef> names) {
  if (type && llvm::any_of(names, [&](StringRef name) {
        return getDType(name, type->getContext()) == *type;
      }))
    return success();
  if (!location)
    return failure();
  // As types, which every handler prints in its own way.
  InFlightDiagnostic diag = emitError(*location)
                            << "expects " << attribute << " to be one of ";
  llvm::interleaveComma(names, diag, [&](StringRef name) {
    diag << getDType(name, location->getContext());
  });
  diag << ", but got ";
  if (type)
    diag << *type;
  else
    diag << "none";
  return diag;
}

//===----------------------------------------------------------------------===//
// Concatenation
//===----------------------------------------------------------------------===//

FailureOr<RankedTensorType>
shapes::inferConcatenation(std::optional<Location> location, TypeRange types,
                           int64_t axis) {
  auto first = dyn_cast<RankedTensorType>(types.front());
  if (!first)
    return emitOptionalError(location, "expects tensors, but got ",
                             types.front());
  FailureOr<int64_t> dim =
      relay::detail::normalizeAxis(location, axis, first.getRank());
  if (failed(dim))
    return failure();
  SmallVector<int64_t> known(first.getShape());
  SmallVector<bool> isKnown(first.getRank(), true);
  int64_t length = 0;
  for (Type field : types) {
    auto type = dyn_cast<RankedTensorType>(field);
    if (!type || type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(location,
                               "expects tensors of one rank and element type, "
                               "but got ",
                               first, " and ", field);
    bool fits = true;
    for (int64_t i = 0; fits && i < type.getRank(); ++i) {
      int64_t size = type.getDimSize(i);
      if (i == *dim) {
        length = isDynamic(length) || isDynamic(size) ? ShapedType::kDynamic
                                                      : length + size;
        continue;
      }
      fits = mayEqual(known[i], size);
      known[i] = getKnown(known[i], size);
      isKnown[i] &= !isDynamic(size);
    }
    if (!fits)
      return emitOptionalError(location,
                               "expects tensors that agree in all dimensions "
                               "but axis ",
                               *dim, ", but got ", first, " and ", field);
  }
  // As Relay has it, a size is taken from the others only here.
  if (!isDynamic(length))
    for (auto [size, whether] : llvm::zip_equal(known, isKnown))
      if (!whether)
        size = ShapedType::kDynamic;
  known[*dim] = length;
  return first.clone(known);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<int64_t>>
shapes::getConvShape(std::optional<Location> location, ArrayRef<int64_t> data,
                     const ConvShape &conv) {
  int64_t spatial = data.size() - 2;
  if (failed(checkPositive(location, "strides", conv.strides, spatial)) ||
      failed(checkPositive(location, "dilation", conv.dilation, spatial)) ||
      failed(checkPositive(location, "kernel_size", conv.kernel, spatial)) ||
      failed(checkPositive(location, "channels", conv.channels)))
    return failure();
  FailureOr<Padding> padding = expandPadding(conv.padding, spatial);
  if (failed(padding) ||
      llvm::any_of(conv.padding, [](int64_t value) { return value < 0; }))
    return emitOptionalError(
        location, "expects 1, ", spatial, " or ", 2 * spatial,
        " padding values that are not negative, but got [", conv.padding, "]");
  SmallVector<int64_t> result = {data[0], conv.channels};
  for (int64_t i = 0; i < spatial; ++i) {
    if (isDynamic(data[2 + i])) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t padded =
        saturatingSum({data[2 + i], padding->before[i], padding->after[i]});
    int64_t window = saturatingAdd(
        saturatingMultiply(conv.kernel[i] - 1, conv.dilation[i]), 1);
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along spatial dimension ", i,
                               ", but got ", padded);
    result.push_back((padded - window) / conv.strides[i] + 1);
  }
  return result;
}

/// Whether the bytes of all tensors in a type can be counted.
static bool isCountable(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isCountable);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrIndexOrFloat() ||
      llvm::is_contained(tensor.getShape(), 0))
    return true;
  Type element = tensor.getElementType();
  int64_t bytes = element.isIndex()
                      ? sizeof(int64_t)
                      : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  for (int64_t size : tensor.getShape())
    if (!shapes::isDynamic(size) && llvm::MulOverflow(bytes, size, bytes))
      return false;
  return true;
}

LogicalResult relay::detail::verifyCountableResults(Operation *op) {
  for (Type type : op->getResultTypes())
    if (!isCountable(type))
      return op->emitOpError("expects results of fewer than 2^63 bytes, but "
                             "got ")
             << type;
  return success();
}
