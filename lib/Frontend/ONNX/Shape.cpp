//===- Shape.cpp - Operators of ONNX that make tensors from sizes --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"
#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// Reached where the sizes are needed as a value at run time.
static LogicalResult convertShape(NodeContext &node) {
  Value data = node.getInput(0);
  int64_t rank = node.getRank(data);
  ShapeOfOp::Properties properties;
  properties.dtype = TypeAttr::get(node.getBuilder().getI64Type());
  Value shape = node.create<ShapeOfOp>({data}, properties);
  auto clamp = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = std::max(start, clamp(node.getInt("end", rank)));
  if (start != 0 || end != rank)
    shape = node.slice(shape, 0, start, end);
  return node.setResult(shape);
}

static LogicalResult convertSize(NodeContext &node) {
  NdarraySizeOp::Properties properties;
  properties.dtype = TypeAttr::get(node.getBuilder().getI64Type());
  return node.setResult(
      node.create<NdarraySizeOp>({node.getInput(0)}, properties));
}

/// Reached for strings, and for what the importer cannot hold.
static LogicalResult convertConstant(NodeContext &node) {
  if (node.hasAttr("value_string"))
    return node.setResult(node.reshape(
        node.createStrings(node.getStringNumbers(
            "value_string", node.getString("value_string", "").str())),
        ArrayRef<int64_t>{}));
  if (node.hasAttr("value_strings"))
    return node.setResult(node.createStrings(node.getStringNumbers(
        "value_strings", node.getStrings("value_strings"))));
  return node.emitError() << "expects a constant of numbers, in attribute "
                             "\"value\", \"value_int(s)\" or "
                             "\"value_float(s)\"";
}

static LogicalResult convertConstantOfShape(NodeContext &node) {
  const ShapeTensor *shape = node.getContents(0);
  FailureOr<DenseElementsAttr> value = node.getFillValue();
  if (failed(value))
    return failure();
  Type elementType = value->getElementType();
  DenseElementsAttr single =
      value->reshape(RankedTensorType::get({}, elementType));
  std::optional<SmallVector<int64_t>> sizes;
  if (shape)
    sizes = shape->getConstants();
  if (!sizes) {
    Value sizeValues = node.getIntsValue(0);
    DynFullOp::Properties properties;
    properties.dtype = TypeAttr::get(elementType);
    Value filled = node.create<DynFullOp>(
        {node.createConstant(single), sizeValues}, properties);
    if (shape)
      return node.setResult(node.refineDims(filled, shape->elements));
    const ShapeTensor *known = node.getPartialContents(0);
    if (!filled || !known)
      return node.setResult(filled);
    SmallVector<ShapeScalar> target =
        llvm::map_to_vector(known->elements, [](const ShapeScalar &size) {
          return size.getConstant().value_or(0) < 0 ? ShapeScalar() : size;
        });
    return node.setResult(node.expectDims(filled, target));
  }
  for (int64_t size : *sizes)
    if (size < 0)
      return node.emitError() << "expects sizes, but got " << size;
  auto type = RankedTensorType::get(*sizes, elementType);
  if (failed(checkTensorLimits([&] { return node.emitError(); }, type)))
    return failure();
  if (type.getNumElements() <= kMaxMadeUpElements)
    return node.setResult(node.createConstant(single.resizeSplat(type)));
  FullOp::Properties properties;
  properties.shape = node.getBuilder().getDenseI64ArrayAttr(*sizes);
  return node.setResult(
      node.create<FullOp>({node.createConstant(single)}, properties));
}

/// The number of elements of a range of integers; unknown if its bounds are.
static ShapeScalar getRangeSize(NodeContext &node) {
  ShapeScalar bounds[3], size;
  for (unsigned i = 0; i < 3; ++i) {
    // That of com.microsoft may leave out the step.
    if (i == 2 && !node.hasInput(i)) {
      bounds[i] = ShapeScalar::get(1);
      continue;
    }
    const ShapeTensor *contents = node.getContents(i);
    if (!contents || contents->isFloat() || contents->elements.size() != 1)
      return size;
    bounds[i] = contents->elements.front();
  }
  auto [start, limit, delta] = bounds;
  for (unsigned i = 0; i < kNumCases; ++i) {
    int64_t length;
    if (start.isPossible(i) && limit.isPossible(i) && delta.isPossible(i) &&
        delta[i] != 0 && !llvm::SubOverflow(limit[i], start[i], length) &&
        !llvm::divideSignedWouldOverflow(length, delta[i]))
      size.set(i,
               std::max<int64_t>(0, llvm::divideCeilSigned(length, delta[i])));
  }
  return size;
}

/// A range of floats by steps of 1, forwards or back, between bounds that are
/// computed: as many as a range of integers, whose size may be an expression of
/// sizes. Null for others.
static Value createFloatRange(NodeContext &node) {
  Type type = node.getInputType(0).getElementType();
  std::optional<double> step =
      node.hasInput(2) ? node.getConstantFloat(2) : std::optional<double>(1);
  bool isKnown = node.getConstantFloat(0) && node.getConstantFloat(1);
  if (!isa<FloatType>(type) || isKnown || !step || std::abs(*step) != 1)
    return nullptr;
  Value start = node.reshape(node.getInput(0), ArrayRef<int64_t>());
  Value limit = node.reshape(node.getInput(1), ArrayRef<int64_t>());
  Value length = *step > 0 ? node.create<SubtractOp>({limit, start})
                           : node.create<SubtractOp>({start, limit});
  Type i64 = node.getBuilder().getI64Type();
  Value count =
      node.create<MaximumOp>({node.castTo(node.create<CeilOp>({length}), i64),
                              node.createScalar(0, i64)});
  Value steps = node.castTo(node.createRange(count, i64), type);
  return *step > 0 ? node.create<AddOp>({start, steps})
                   : node.create<SubtractOp>({start, steps});
}

static LogicalResult convertRange(NodeContext &node) {
  if (Value range = createFloatRange(node))
    return node.setResult(range);
  if (node.hasFailed())
    return failure();
  ShapeScalar size = getRangeSize(node);
  ArangeOp::Properties properties;
  properties.dtype = TypeAttr::get(node.getInputType(0).getElementType());
  SmallVector<Value> bounds;
  for (unsigned i = 0; i < 3; ++i)
    bounds.push_back(node.hasInput(i)
                         ? node.reshape(node.getInput(i), ArrayRef<int64_t>())
                         : node.createScalar(1, properties.dtype.getValue()));
  if (node.hasInput(2) && bounds[2] && !node.getContents(2)) {
    Value zero = node.createScalar(0, properties.dtype.getValue());
    Value isZero = node.create<EqualOp>({bounds[2], zero});
    bounds[2] = node.assertThat(bounds[2], node.create<LogicalNotOp>({isZero}),
                                "expects a step other than 0");
  }
  Value range = node.create<ArangeOp>(bounds, properties);
  // Of a constant one the operator knows the size itself.
  return node.setResult(size.getConstant() ? range
                                           : node.refineDims(range, size));
}

/// Ones where the column is the row plus `k`, in a matrix of open sizes.
static Value createOpenEye(NodeContext &node, Type elementType, int64_t k) {
  Type type = node.getBuilder().getI64Type();
  Value rows = node.createPositions(node.createLine(node.getInput(0), 0, type));
  Value columns =
      node.createPositions(node.createLine(node.getInput(0), 1, type));
  // Further off, there is no one either.
  k = std::clamp<int64_t>(k, -kMaxTensorBytes, kMaxTensorBytes);
  Value diagonal =
      node.create<AddOp>({rows, node.createScalar(double(k), type)});
  return node.castTo(
      node.create<EqualOp>({node.expandDims(diagonal, 1), columns}),
      elementType);
}

static LogicalResult convertEyeLike(NodeContext &node) {
  RankedTensorType inputType = node.getInputType(0);
  if (inputType.getRank() != 2)
    return node.emitError() << "expects a matrix, but got " << inputType;
  Type type = inputType.getElementType();
  if (node.hasAttr("dtype"))
    type = getElementType(node.getContext(),
                          node.getDataType("dtype", DataType::Undefined));
  if (!type)
    return node.emitError() << "dtype is not supported";
  if (!inputType.hasStaticShape())
    return node.setResult(createOpenEye(node, type, node.getInt("k", 0)));
  OpBuilder &b = node.getBuilder();
  int64_t rows = inputType.getDimSize(0), columns = inputType.getDimSize(1);
  if (rows > kMaxShapeElements)
    return node.emitError() << "expects at most " << kMaxShapeElements
                            << " rows, but got " << rows;
  SmallVector<int64_t> positions;
  // Further off, there is no one either.
  int64_t k = std::clamp(node.getInt("k", 0), -rows, columns);
  for (int64_t i = 0; i < rows; ++i)
    positions.push_back(std::clamp<int64_t>(i + k, -1, columns));
  OneHotOp::Properties properties;
  properties.depth = b.getI64IntegerAttr(columns);
  properties.dtype = TypeAttr::get(type);
  return node.setResult(node.create<OneHotOp>({node.createInts(positions),
                                               node.createScalar(1, type),
                                               node.createScalar(0, type)},
                                              properties));
}

void mlir::relay::onnx::addShapeOps(OpTable &table) {
  table.add({"Constant"}, {convertConstant, kOldestOpset, kNewestOpset, 0, 0});
  table.add({"ConstantOfShape"}, {convertConstantOfShape, 9, kNewestOpset, 1, 1,
                                  /*contentInputs=*/0b1});
  table.add({"EyeLike"}, {convertEyeLike, 9});
  table.add({"Range"}, {convertRange, 11, kNewestOpset, 3, 3});
  table.add({"Shape"}, {convertShape});
  table.add({"Size"}, {convertSize});
}
