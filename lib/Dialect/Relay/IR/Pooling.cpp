//===- Pooling.cpp - Result types of pooling operators --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;

/// Returns the dimensions D, H and W of a layout, which are not split; batch
/// and channels may be.
static FailureOr<SmallVector<int64_t>>
getSpatialDims(std::optional<Location> location, RankedTensorType data,
               relay::detail::PoolLayouts layouts) {
  StringRef text = layouts.data;
  if (!layouts.out.empty() && layouts.out != text)
    return emitOptionalError(location, "expects out_layout \"", text,
                             "\", but got \"", layouts.out, "\"");
  FailureOr<Layout> layout = Layout::parse(text);
  SmallVector<int64_t> dims;
  bool isValid = succeeded(layout);
  if (isValid) {
    for (char letter : {'D', 'H', 'W'}) {
      SmallVector<int64_t, 2> parts = layout->getParts(letter);
      isValid &= parts.size() < 2;
      dims.append(parts.begin(), parts.end());
    }
    // N, C and the spatial letters, and nothing else.
    isValid &= !layout->getParts('N').empty() &&
               !layout->getParts('C').empty() && !dims.empty() &&
               layout->getPrimals().size() == dims.size() + 2;
  }
  if (!isValid)
    return emitOptionalError(location,
                             "expects a layout of N, C and spatial letters, of "
                             "which only N and C are split, but got \"",
                             text, "\"");
  if (layout->getRank() != data.getRank())
    return emitOptionalError(location, "expects data of rank ",
                             layout->getRank(), " for layout \"", text,
                             "\", but got ", data);
  for (auto [dim, axis] : llvm::enumerate(layout->getAxes())) {
    int64_t size = data.getDimSize(dim);
    if (axis.isInner() && !ShapedType::isDynamic(size) && size != axis.factor)
      return emitOptionalError(location, "expects size ", axis.factor,
                               " of dimension ", dim, " for layout \"", text,
                               "\", but got ", data);
  }
  return dims;
}

LogicalResult relay::detail::inferPool(std::optional<Location> location,
                                       Type dataArg, ArrayRef<int64_t> poolSize,
                                       ArrayRef<int64_t> strides,
                                       ArrayRef<int64_t> dilation,
                                       ArrayRef<int64_t> paddingList,
                                       PoolLayouts layouts, bool ceilMode,
                                       SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  FailureOr<SmallVector<int64_t>> dims =
      getSpatialDims(location, data, layouts);
  if (failed(dims))
    return failure();
  std::pair<ArrayRef<int64_t>, StringRef> lists[] = {
      {poolSize, "pool_size"}, {strides, "strides"}, {dilation, "dilation"}};
  for (auto [list, name] : lists)
    if (list.size() != dims->size() ||
        llvm::any_of(list, [](int64_t value) { return value < 1; }))
      return emitOptionalError(location, "expects ", dims->size(), " positive ",
                               name, ", but got [", list, "]");
  FailureOr<Padding> padding = expandPadding(paddingList, dims->size());
  if (failed(padding) ||
      llvm::any_of(paddingList, [](int64_t value) { return value < 0; }))
    return emitOptionalError(
        location, "expects 1, ", dims->size(), " or ", 2 * dims->size(),
        " padding values that are not negative, but got [", paddingList, "]");

  SmallVector<int64_t> shape(data.getShape());
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    if (ShapedType::isDynamic(shape[dim]))
      continue;
    int64_t padded =
        saturatingSum({shape[dim], padding->before[i], padding->after[i]});
    int64_t window =
        saturatingAdd(saturatingMultiply(poolSize[i] - 1, dilation[i]), 1);
    if (padded < window)
      return emitOptionalError(location, "expects padded data of at least ",
                               window, " along dimension ", dim, ", but got ",
                               padded);
    int64_t rest =
        saturatingAdd(padded - window, ceilMode ? strides[i] - 1 : 0);
    shape[dim] = rest / strides[i] + 1;
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult relay::detail::inferAdaptivePool(std::optional<Location> location,
                                               Type dataArg,
                                               ArrayRef<int64_t> outputSize,
                                               PoolLayouts layouts,
                                               SmallVectorImpl<Type> &types) {
  auto data = cast<RankedTensorType>(dataArg);
  FailureOr<SmallVector<int64_t>> dims =
      getSpatialDims(location, data, layouts);
  if (failed(dims))
    return failure();
  if ((outputSize.size() > 1 && outputSize.size() != dims->size()) ||
      llvm::any_of(outputSize, [](int64_t size) { return size < 1; }))
    return emitOptionalError(location, "expects 0, 1 or ", dims->size(),
                             " positive output sizes, but got [", outputSize,
                             "]");
  SmallVector<int64_t> shape(data.getShape());
  for (auto [i, dim] : llvm::enumerate(*dims))
    if (!outputSize.empty())
      shape[dim] = outputSize[outputSize.size() == 1 ? 0 : i];
  types.push_back(data.clone(shape));
  return success();
}
