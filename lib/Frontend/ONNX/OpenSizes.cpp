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
#include "Limits.h"
#include "NodeContext.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Sizes as values
//===----------------------------------------------------------------------===//

Value NodeContext::getIntsValue(unsigned index) {
  if (!hasInput(index)) {
    emitError() << "expects input " << index << ", which is left out";
    return nullptr;
  }
  RankedTensorType type = getInputType(index);
  if (!type.getElementType().isInteger() || type.getRank() > 1 ||
      !type.hasStaticShape()) {
    emitError() << "expects a vector of integers of known length in input "
                << index << " (\"" << getNode().inputs[index] << "\"), but got "
                << type;
    return nullptr;
  }
  // They are of dimensions or parts, for each of which there will be something.
  if (type.getNumElements() > kMaxShapeElements) {
    emitError() << "expects at most " << kMaxShapeElements
                << " integers in input " << index << " (\""
                << getNode().inputs[index] << "\"), but got " << type;
    return nullptr;
  }
  Binding &binding = *pending.inputs[index];
  if (failed(importer.materialize(binding)))
    return fail();
  return castTo(reshape(binding.value, {type.getNumElements()}),
                getBuilder().getI64Type());
}

Value NodeContext::createInts(ArrayRef<ShapeScalar> values, Value source) {
  Type type = getBuilder().getI64Type();
  SmallVector<Value> parts;
  SmallVector<int64_t> constants;
  auto addConstants = [&] {
    if (!constants.empty())
      parts.push_back(createInts(constants));
    constants.clear();
  };
  for (auto [index, value] : llvm::enumerate(values)) {
    if (std::optional<int64_t> constant = value.getConstant()) {
      constants.push_back(*constant);
      continue;
    }
    addConstants();
    int64_t position = static_cast<int64_t>(index);
    if (source) {
      parts.push_back(slice(source, 0, position, position + 1));
    } else if (auto dimension = importer.findDimension(value)) {
      auto [tensor, dim] = *dimension;
      parts.push_back(createSizes(tensor, dim, dim + 1, type));
    } else {
      emitError() << "expects number " << index
                  << " of a shape to be a constant or the size of a tensor, "
                     "but it is computed at run time";
      return nullptr;
    }
  }
  addConstants();
  if (parts.empty())
    return createInts(ArrayRef<int64_t>());
  if (parts.size() == 1)
    return parts.front();
  return concatenate(parts, 0);
}

Value NodeContext::createSizes(Value value, int64_t begin, int64_t end,
                               Type elementType) {
  ArrayRef<int64_t> sizes = getType(value).getShape().slice(begin, end - begin);
  if (!llvm::is_contained(sizes, ShapedType::kDynamic))
    return castTo(createInts(sizes), elementType);
  ShapeOfOp::Properties properties;
  properties.dtype = TypeAttr::get(elementType);
  Value shape = create<ShapeOfOp>({value}, properties);
  if (begin == 0 && end == getRank(value))
    return shape;
  return slice(shape, 0, begin, end);
}

Value NodeContext::createSize(Value value, int64_t dim) {
  return reshape(createSizes(value, dim, dim + 1, getBuilder().getI64Type()),
                 ArrayRef<int64_t>());
}

//===----------------------------------------------------------------------===//
// Tensors of open sizes
//===----------------------------------------------------------------------===//

Value NodeContext::assertThat(Value value, Value condition,
                              const Twine &message) {
  AssertOp::Properties properties;
  properties.message = getBuilder().getStringAttr(message);
  return create<AssertOp>({value, condition}, properties);
}

Value NodeContext::assertNotNegative(Value value, const Twine &message) {
  if (!value)
    return nullptr;
  Value zero = createScalar(0, getElementType(value));
  return assertThat(value, create<GreaterEqualOp>({value, zero}), message);
}

Value NodeContext::wrapIndices(Value indices, Value sizes) {
  if (!indices || !sizes)
    return nullptr;
  Value zero = createScalar(0, getElementType(indices));
  Value isNegative = create<LessOp>({indices, zero});
  return create<WhereOp>(
      {isNegative, create<AddOp>({indices, sizes}), indices});
}

Value NodeContext::isWithin(Value value, Value end) {
  if (!value)
    return nullptr;
  Value zero = createScalar(0, getElementType(value));
  return create<LogicalAndOp>(
      {create<GreaterEqualOp>({value, zero}), create<LessOp>({value, end})});
}

Value NodeContext::createRange(Value count, Type elementType) {
  Type type = getBuilder().getI64Type();
  ArangeOp::Properties properties;
  properties.dtype = TypeAttr::get(type);
  return castTo(
      create<ArangeOp>({createScalar(0, type), count, createScalar(1, type)},
                       properties),
      elementType);
}

Value NodeContext::createPositions(const ShapeScalar &size, Type elementType) {
  std::optional<int64_t> constant = size.getConstant();
  Value count = constant
                    ? createScalar(static_cast<double>(*constant),
                                   getBuilder().getI64Type())
                    : reshape(createInts(ArrayRef(size)), ArrayRef<int64_t>());
  return assumeDims(createRange(count, elementType), size);
}

Value NodeContext::createPositions(Value line) {
  if (!line)
    return nullptr;
  if (getType(line).hasStaticShape())
    return createPositions(getDims(line).front(), getElementType(line));
  return assumeDims(createRange(createSize(line, 0), getElementType(line)),
                    getDims(line));
}

Value NodeContext::createLine(Value value, int64_t dim, Type elementType) {
  if (!value)
    return nullptr;
  if (!getType(value).isDynamicDim(dim)) {
    FullOp::Properties zeros;
    zeros.shape =
        getBuilder().getDenseI64ArrayAttr(getType(value).getDimSize(dim));
    return create<FullOp>({createScalar(0, elementType)}, zeros);
  }
  DynZerosOp::Properties properties;
  properties.dtype = TypeAttr::get(elementType);
  Value sizes = createSizes(value, dim, dim + 1, getBuilder().getI64Type());
  return refineDims(create<DynZerosOp>({sizes}, properties),
                    getDims(value)[dim]);
}

Value NodeContext::take(Value data, Value positions, int64_t axis,
                        StringRef mode) {
  TakeOp::Properties properties;
  properties.axis = getBuilder().getI64IntegerAttr(axis);
  properties.mode = getBuilder().getStringAttr(mode);
  return create<TakeOp>({data, positions}, properties);
}

//===----------------------------------------------------------------------===//
// What is known of sizes
//===----------------------------------------------------------------------===//

Value NodeContext::assumeDims(Value value, ArrayRef<ShapeScalar> dims) {
  if (value && !getType(value).hasStaticShape())
    importer.setDims(value, {llvm::to_vector(dims)});
  return value;
}

Value NodeContext::refineDims(Value value, ArrayRef<ShapeScalar> dims) {
  if (!value)
    return nullptr;
  RankedTensorType type = getType(value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ShapeScalar> known;
  for (auto [size, dim] : llvm::zip_equal(shape, dims)) {
    known.push_back(dim.isReliable() ? dim : importer.createSymbol());
    if (std::optional<int64_t> constant = dim.getConstant();
        constant && ShapedType::isDynamic(size))
      size = *constant;
  }
  RankedTensorType refined = type.clone(shape);
  if (failed(checkTensorLimits([&] { return emitError(); }, refined)))
    return fail();
  value.setType(refined);
  return assumeDims(value, known);
}

Value NodeContext::expectDims(Value value, ArrayRef<ShapeScalar> dims) {
  if (!value)
    return nullptr;
  RankedTensorType type = getType(value);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ShapeScalar> known;
  for (auto [size, dim] : llvm::zip_equal(shape, dims)) {
    known.push_back(dim.isReliable() ? dim : importer.createSymbol());
    if (std::optional<int64_t> constant = dim.getConstant();
        constant && ShapedType::isDynamic(size))
      size = *constant;
  }
  RankedTensorType expected = type.clone(shape);
  if (failed(checkTensorLimits([&] { return emitError(); }, expected)))
    return fail();
  if (expected != type)
    value = AscribeOp::create(getBuilder(), getLoc(), expected, value);
  return assumeDims(value, known);
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
  bool fits = offset >= 0;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!fits || size == 1 || ShapedType::isDynamic(size))
      continue;
    int64_t axis = offset + static_cast<int64_t>(dim);
    if (getType(value).isDynamicDim(axis))
      value = expectSize(value, axis, size);
    else
      fits = getType(value).getDimSize(axis) == size;
    if (!value)
      return nullptr;
  }
  if (!fits) {
    emitError() << "expects an operand that broadcasts to " << value.getType()
                << ", but got " << other.getType();
    return nullptr;
  }
  return value;
}
