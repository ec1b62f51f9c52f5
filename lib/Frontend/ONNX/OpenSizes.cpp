//===- OpenSizes.cpp - Sizes that are known when a model runs -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What converters build where a size is open: tensors of that size, positions
// in it, and conditions on it that are checked before each run.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "NodeContext.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

Value NodeContext::createPositions(const ShapeScalar &size, Type elementType) {
  if (std::optional<int64_t> count = size.getConstant()) {
    ArangeOp::Properties properties;
    properties.dtype = TypeAttr::get(elementType);
    return create<ArangeOp>(
        {createScalar(0, elementType),
         createScalar(static_cast<double>(*count), elementType),
         createScalar(1, elementType)},
        properties);
  }
  return createPositions(broadcast(createScalar(0, elementType), size));
}

Value NodeContext::createPositions(Value line) {
  CumsumOp::Properties properties;
  properties.axis = getBuilder().getI64IntegerAttr(0);
  properties.exclusive = getBuilder().getBoolAttr(true);
  return create<CumsumOp>({create<OnesLikeOp>({line})}, properties);
}

Value NodeContext::createLine(Value value, int64_t dim, Type elementType) {
  return createZeros(value, dim, /*axis=*/0, /*rank=*/1, elementType);
}

Value NodeContext::take(Value data, Value positions, int64_t axis,
                        StringRef mode) {
  TakeOp::Properties properties;
  properties.axis = getBuilder().getI64IntegerAttr(axis);
  properties.mode = getBuilder().getStringAttr(mode);
  return create<TakeOp>({data, positions}, properties);
}

Value NodeContext::createSizes(Value value, int64_t begin, int64_t end,
                               Type elementType) {
  ArrayRef<int64_t> sizes = getType(value).getShape().slice(begin, end - begin);
  if (!llvm::is_contained(sizes, ShapedType::kDynamic))
    return castTo(createInts(sizes), elementType);
  ShapeOfOp::Properties properties;
  properties.dtype = TypeAttr::get(elementType);
  return slice(create<ShapeOfOp>({value}, properties), 0, begin, end);
}

Value NodeContext::createSize(Value value, int64_t dim) {
  return reshape(createSizes(value, dim, dim + 1, getBuilder().getI64Type()),
                 ArrayRef<int64_t>());
}

Value NodeContext::assumeDims(Value value, ArrayRef<ShapeScalar> dims) {
  if (value && !getType(value).hasStaticShape())
    importer.setDims(value, {llvm::to_vector(dims)});
  return value;
}

Value NodeContext::expectSize(Value value, int64_t axis, int64_t size) {
  if (!value)
    return nullptr;
  RankedTensorType type = getType(value);
  if (!type.isDynamicDim(axis)) {
    if (type.getDimSize(axis) == size)
      return value;
    emitError() << "expects " << size << " elements along axis " << axis
                << ", but got " << type;
    return nullptr;
  }
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ShapeScalar> dims = getDims(value);
  shape[axis] = size;
  dims[axis] = ShapeScalar::get(size);
  Value checked =
      AscribeOp::create(getBuilder(), getLoc(), type.clone(shape), value);
  importer.setDims(checked, {dims});
  return checked;
}

void NodeContext::expectEqualSizes(Value &lhs, int64_t lhsAxis, Value &rhs,
                                   int64_t rhsAxis) {
  if (!lhs || !rhs)
    return;
  int64_t left = getType(lhs).getDimSize(lhsAxis);
  int64_t right = getType(rhs).getDimSize(rhsAxis);
  if (ShapedType::isDynamic(left) == ShapedType::isDynamic(right))
    return;
  if (ShapedType::isDynamic(left))
    lhs = expectSize(lhs, lhsAxis, right);
  else
    rhs = expectSize(rhs, rhsAxis, left);
}

Value NodeContext::expectCovers(Value value, Value other) {
  if (!value || !other)
    return nullptr;
  ArrayRef<int64_t> sizes = getType(other).getShape();
  int64_t offset = getRank(value) - static_cast<int64_t>(sizes.size());
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t axis = offset + static_cast<int64_t>(dim);
    if (value && axis >= 0 && size > 1 && getType(value).isDynamicDim(axis))
      value = expectSize(value, axis, size);
  }
  return value;
}

Value NodeContext::takeFirst(Value data, int64_t axis,
                             const ShapeScalar &size) {
  std::optional<std::pair<Value, unsigned>> source =
      importer.findDimension(size);
  if (!source) {
    emitError() << "expects a slice along axis " << axis
                << " to end at a constant or at the size of a tensor, but the "
                   "end is computed at run time";
    return nullptr;
  }
  Value like = source->first;
  if (int64_t(source->second) != axis)
    like = createZeros(like, source->second, axis, getRank(data),
                       getElementType(data));
  SliceLikeOp::Properties properties;
  properties.axes = getBuilder().getDenseI64ArrayAttr({axis});
  SmallVector<ShapeScalar> dims = getDims(data);
  dims[axis] = size;
  Value slice = create<SliceLikeOp>({data, like}, properties);
  // It is taken to fit, also where sizes are tried that do not.
  if (slice)
    importer.setDims(slice, {dims});
  return slice;
}

/// Zeros of shape [1, ..., n, ..., 1], where n at `axis` is the size of
/// dimension `position` of `source`.
Value NodeContext::createZeros(Value source, unsigned position, int64_t axis,
                               int64_t rank, Type elementType) {
  if (!source)
    return nullptr;
  SmallVector<int64_t> others;
  for (int64_t i = 0, e = getRank(source); i != e; ++i)
    if (i != int64_t(position)) {
      source = slice(source, i, 0, 1);
      others.push_back(i);
    }
  // Another dimension may turn out to be empty: a sum is 0 then, where a
  // reshape would have no elements.
  Value zeros =
      castTo(create<ZerosLikeOp>({source}), getBuilder().getI32Type());
  if (!others.empty()) {
    SumOp::Properties properties;
    properties.axis = getBuilder().getDenseI64ArrayAttr(others);
    zeros = create<SumOp>({zeros}, properties);
  }
  SmallVector<int64_t> column(rank, 1);
  column[axis] = -1;
  return reshape(castTo(zeros, elementType), column);
}
