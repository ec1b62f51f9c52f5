//===- Pooling.cpp - Result types of pooling operators --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;

/// Returns the positions of the spatial letters of a layout without splits.
static FailureOr<SmallVector<int64_t>>
getSpatialDims(std::optional<Location> location, RankedTensorType data,
               relay::detail::PoolLayouts layouts) {
  StringRef layout = layouts.data;
  if (!layouts.out.empty() && layouts.out != layout)
    return emitOptionalError(location, "expects out_layout \"", layout,
                             "\", but got \"", layouts.out, "\"");
  if (static_cast<int64_t>(layout.size()) != data.getRank())
    return emitOptionalError(location, "expects data of rank ", layout.size(),
                             " for layout \"", layout, "\", but got ", data);
  SmallVector<int64_t> dims;
  for (char letter : {'D', 'H', 'W'}) {
    size_t position = layout.find(letter);
    if (position != StringRef::npos)
      dims.push_back(position);
  }
  if (static_cast<int64_t>(dims.size()) != data.getRank() - 2 ||
      layout.count('N') != 1 || layout.count('C') != 1)
    return emitOptionalError(location,
                             "expects a layout of N, C and spatial letters, "
                             "but got \"",
                             layout, "\"");
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
