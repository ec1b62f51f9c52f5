//===- ShapeMovement.cpp - Move the numbers of shapes at import ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeEvaluator.h"

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay::onnx;

static int64_t getOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    offset = offset * size + i;
  return offset;
}

/// Advances a row-major index.
static void advance(ArrayRef<int64_t> shape, MutableArrayRef<int64_t> index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i])
      return;
    index[i] = 0;
  }
}

ShapeEvaluator::Result ShapeEvaluator::permute(
    const ShapeTensor &source, ArrayRef<int64_t> shape,
    llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
        position) {
  std::optional<int64_t> count = getShapeElementCount(shape);
  if (!count)
    return std::nullopt;
  ShapeTensor result{source.elementType, llvm::to_vector(shape), {}};
  SmallVector<int64_t> index(shape.size(), 0);
  SmallVector<int64_t> sourceIndex(source.shape.size(), 0);
  for (int64_t i = 0; i < *count; ++i) {
    position(index, sourceIndex);
    for (auto [size, at] : llvm::zip_equal(source.shape, sourceIndex))
      if (at < 0 || at >= size)
        return std::nullopt;
    result.elements.push_back(
        source.elements[getOffset(source.shape, sourceIndex)]);
    advance(shape, index);
  }
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::broadcast(const ShapeTensor &source,
                                                 ArrayRef<int64_t> shape) {
  if (shape.size() < source.shape.size())
    return std::nullopt;
  size_t extra = shape.size() - source.shape.size();
  for (auto [i, size] : llvm::enumerate(source.shape))
    if (size != 1 && size != shape[extra + i])
      return std::nullopt;
  return permute(source, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (auto [i, size] : llvm::enumerate(source.shape))
                     at[i] = size == 1 ? 0 : index[extra + i];
                 });
}

/// `axis` counted from the front; none if there is no such axis.
static std::optional<int64_t> normalize(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

ShapeEvaluator::Result ShapeEvaluator::gather() {
  const ShapeTensor &data = get(0);
  std::optional<int64_t> axis =
      normalize(node.getInt("axis", 0), data.shape.size());
  std::optional<SmallVector<int64_t>> indices = get(1).getConstants();
  if (!axis || !indices)
    return std::nullopt;
  int64_t limit = data.shape[*axis];
  for (int64_t &index : *indices)
    if (index < 0)
      index += limit;
  ArrayRef<int64_t> inner = get(1).shape;
  SmallVector<int64_t> shape(data.shape.begin(), data.shape.begin() + *axis);
  shape.append(inner.begin(), inner.end());
  shape.append(data.shape.begin() + *axis + 1, data.shape.end());
  return permute(
      data, shape, [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
        llvm::copy(index.take_front(*axis), at.begin());
        at[*axis] =
            (*indices)[getOffset(inner, index.slice(*axis, inner.size()))];
        llvm::copy(index.drop_front(*axis + inner.size()),
                   at.begin() + *axis + 1);
      });
}

ShapeEvaluator::Result ShapeEvaluator::scatter() {
  ShapeTensor result = get(0);
  const ShapeTensor &updates = get(2);
  std::optional<int64_t> axis =
      normalize(node.getInt("axis", 0), result.shape.size());
  std::optional<SmallVector<int64_t>> indices = get(1).getConstants();
  ArrayRef<int64_t> shape = get(1).shape;
  if (!axis || !indices || node.getString("reduction", "none") != "none" ||
      shape != ArrayRef(updates.shape) || shape.size() != result.shape.size() ||
      updates.elementType != result.elementType)
    return std::nullopt;
  for (auto [i, size] : llvm::enumerate(shape))
    if (static_cast<int64_t>(i) != *axis && size > result.shape[i])
      return std::nullopt;
  SmallVector<int64_t> at(shape.size(), 0);
  for (auto [update, index] : llvm::zip_equal(updates.elements, *indices)) {
    int64_t limit = result.shape[*axis];
    int64_t position = index < 0 ? index + limit : index;
    if (position < 0 || position >= limit)
      return std::nullopt;
    SmallVector<int64_t> target = at;
    target[*axis] = position;
    result.elements[getOffset(result.shape, target)] = update;
    advance(shape, at);
  }
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::slice() {
  const ShapeTensor &data = get(0);
  std::optional<SmallVector<int64_t>> starts = getInts(1, "starts");
  std::optional<SmallVector<int64_t>> ends = getInts(2, "ends");
  if (!starts || !ends || starts->size() != ends->size())
    return std::nullopt;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(starts->size())));
  if (has(3) || node.hasAttr("axes")) {
    std::optional<SmallVector<int64_t>> values = getInts(3, "axes");
    if (!values)
      return std::nullopt;
    axes = *values;
  }
  SmallVector<int64_t> steps(starts->size(), 1);
  if (has(4)) {
    std::optional<SmallVector<int64_t>> values = get(4).getConstants();
    if (!values)
      return std::nullopt;
    steps = *values;
  }
  if (axes.size() != starts->size() || steps.size() != starts->size())
    return std::nullopt;
  SmallVector<int64_t> first(data.shape.size(), 0), step(data.shape.size(), 1);
  SmallVector<int64_t> shape = data.shape;
  for (auto [axis, start, end, by] :
       llvm::zip_equal(axes, *starts, *ends, steps)) {
    std::optional<int64_t> position = normalize(axis, data.shape.size());
    if (!position || by == 0)
      return std::nullopt;
    int64_t size = data.shape[*position];
    // A larger step takes the first element, too.
    by = std::clamp(by, -size - 1, size + 1);
    int64_t low = by > 0 ? 0 : -1, high = by > 0 ? size : size - 1;
    int64_t from = std::clamp(start < 0 ? start + size : start, low, high);
    int64_t to = std::clamp(end < 0 ? end + size : end, low, high);
    first[*position] = from;
    step[*position] = by;
    shape[*position] =
        std::max<int64_t>(0, by > 0 ? llvm::divideCeilSigned(to - from, by)
                                    : llvm::divideCeilSigned(from - to, -by));
  }
  return permute(data, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (size_t i = 0; i < index.size(); ++i)
                     at[i] = first[i] + index[i] * step[i];
                 });
}

ShapeEvaluator::Result ShapeEvaluator::concat() {
  ShapeTensor result = get(0);
  // Along an outer axis, rows are not contiguous; shapes are vectors.
  std::optional<int64_t> axis =
      normalize(node.getInt("axis", 0), result.shape.size());
  if (!axis || *axis != 0)
    return std::nullopt;
  for (unsigned i = 1, e = node.getNumInputs(); i < e; ++i) {
    const ShapeTensor &other = get(i);
    if (other.shape.size() != result.shape.size() ||
        ArrayRef(other.shape).drop_front() !=
            ArrayRef(result.shape).drop_front() ||
        other.elementType != result.elementType)
      return std::nullopt;
    result.shape[0] += other.shape[0];
    result.elements.insert(result.elements.end(), other.elements.begin(),
                           other.elements.end());
  }
  if (!getShapeElementCount(result.shape))
    return std::nullopt;
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::reshape() {
  std::optional<SmallVector<int64_t>> shape = getInts(1, "shape");
  if (!shape)
    return std::nullopt;
  ShapeTensor result = get(0);
  int64_t count = result.elements.size(), known = 1, inferred = -1;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !node.getBool("allowzero", false)) {
      if (i >= result.shape.size())
        return std::nullopt;
      size = result.shape[i];
    }
    if (size < 0)
      inferred = i;
    else if (llvm::MulOverflow(known, size, known))
      return std::nullopt;
  }
  if (inferred >= 0) {
    if (known == 0 || count % known)
      return std::nullopt;
    (*shape)[inferred] = count / known;
  }
  if (getShapeElementCount(*shape) != count)
    return std::nullopt;
  result.shape = std::move(*shape);
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::squeeze() {
  ShapeTensor result = get(0);
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  if (!axes && (has(1) || node.hasAttr("axes")))
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(result.shape)) {
    bool isListed = !axes && size == 1;
    for (int64_t axis : axes.value_or(SmallVector<int64_t>()))
      isListed |= normalize(axis, result.shape.size()) == int64_t(i);
    if (!isListed)
      shape.push_back(size);
    else if (size != 1)
      return std::nullopt;
  }
  result.shape = std::move(shape);
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::unsqueeze() {
  ShapeTensor result = get(0);
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  if (!axes)
    return std::nullopt;
  int64_t rank = result.shape.size() + axes->size();
  if (rank > kMaxTensorRank)
    return std::nullopt;
  SmallVector<int64_t> shape(rank, 0);
  for (int64_t axis : *axes) {
    std::optional<int64_t> position = normalize(axis, rank);
    if (!position || shape[*position] == 1)
      return std::nullopt;
    shape[*position] = 1;
  }
  auto next = result.shape.begin();
  for (int64_t &size : shape)
    if (size == 0)
      size = *next++;
  result.shape = std::move(shape);
  return result;
}

ShapeEvaluator::Result ShapeEvaluator::expand() {
  std::optional<SmallVector<int64_t>> shape = get(1).getConstants();
  if (!shape)
    return std::nullopt;
  ArrayRef<int64_t> source = get(0).shape;
  if (shape->size() < source.size())
    shape->insert(shape->begin(), source.size() - shape->size(), 1);
  for (auto [size, target] :
       llvm::zip(llvm::reverse(source), llvm::reverse(*shape)))
    if (target == 1)
      target = size;
  return broadcast(get(0), *shape);
}

ShapeEvaluator::Result ShapeEvaluator::transpose() {
  const ShapeTensor &data = get(0);
  size_t rank = data.shape.size();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rank)));
  if (std::optional<ArrayRef<int64_t>> perm = node.getInts("perm"))
    order = llvm::to_vector(*perm);
  SmallVector<int64_t> sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(rank)))
    return std::nullopt;
  SmallVector<int64_t> shape =
      llvm::map_to_vector(order, [&](int64_t i) { return data.shape[i]; });
  return permute(data, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (auto [i, axis] : llvm::enumerate(order))
                     at[axis] = index[i];
                 });
}
