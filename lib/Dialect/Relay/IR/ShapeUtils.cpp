//===- ShapeUtils.cpp - Checks and sizes that result types share ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"

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

namespace {

/// One dimension of a layout.
struct Part {
  char letter;    // Upper case, also for inner parts.
  int64_t factor; // Size of an inner part; 0 for the dimension itself.
};

} // namespace

/// Reads a layout in which each letter has an outer part; none if it is not.
static std::optional<SmallVector<Part>> parseLayout(StringRef layout) {
  SmallVector<Part> parts;
  while (!layout.empty()) {
    int64_t factor = 0;
    bool isInner = llvm::isDigit(layout.front());
    if (isInner && (layout.consumeInteger(10, factor) || factor <= 0))
      return std::nullopt;
    if (layout.empty() || !llvm::isAlpha(layout.front()) ||
        isInner == llvm::isUpper(layout.front()))
      return std::nullopt;
    parts.push_back({llvm::toUpper(layout.front()), factor});
    layout = layout.drop_front();
  }
  for (Part part : parts)
    if (llvm::count_if(parts, [&](Part other) {
          return other.letter == part.letter && !other.factor;
        }) != 1)
      return std::nullopt;
  return parts;
}

FailureOr<SmallVector<int64_t>>
shapes::mapShape(std::optional<Location> location, StringRef name,
                 ArrayRef<int64_t> shape, StringRef from, StringRef to) {
  auto source = parseLayout(from), target = parseLayout(to);
  auto has = [](ArrayRef<Part> layout, Part part) {
    return llvm::any_of(
        layout, [&](Part other) { return other.letter == part.letter; });
  };
  if (!source || !target ||
      !llvm::all_of(*source, [&](Part p) { return has(*target, p); }) ||
      !llvm::all_of(*target, [&](Part p) { return has(*source, p); }))
    return emitOptionalError(location, "expects ", name,
                             " to have the dimensions of \"", to,
                             "\", but got \"", from, "\"");
  if (source->size() != shape.size())
    return emitOptionalError(location, "expects a tensor of rank ",
                             source->size(), " for ", name, " \"", from,
                             "\", but got ", relay::detail::formatShape(shape));
  SmallVector<int64_t> result;
  for (Part part : *target) {
    if (part.factor) {
      result.push_back(part.factor);
      continue;
    }
    int64_t size = 1;
    for (auto [dim, other] : llvm::enumerate(*source)) {
      if (other.letter != part.letter)
        continue;
      if (other.factor && !mayEqual(other.factor, shape[dim]))
        return emitOptionalError(location, "expects size ", other.factor,
                                 " of dimension ", dim, " for ", name, " \"",
                                 from, "\", but got ", shape[dim]);
      size = multiply(size, other.factor ? other.factor : shape[dim]);
    }
    for (Part other : *target) {
      if (other.letter != part.letter || !other.factor || isDynamic(size))
        continue;
      if (size % other.factor != 0)
        return emitOptionalError(location, "expects the size of ",
                                 StringRef(&part.letter, 1),
                                 " to be a multiple of ", other.factor,
                                 " for layout \"", to, "\", but got ", size);
      size /= other.factor;
    }
    result.push_back(size);
  }
  return result;
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
    int64_t padded = data[2 + i] + padding->before[i] + padding->after[i];
    int64_t window = (conv.kernel[i] - 1) * conv.dilation[i] + 1;
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along spatial dimension ", i,
                               ", but got ", padded);
    result.push_back((padded - window) / conv.strides[i] + 1);
  }
  return result;
}
