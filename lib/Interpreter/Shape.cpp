//===- Shape.cpp - Shapes, and tensors made from nothing ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/FormatNumber.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The operator's type inference decodes `newshape`, also for the sizes that
/// the data turns out to have.
static FailureOr<Tensor> evaluateReshape(ReshapeOp op,
                                         ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  RankedTensorType type = op.getType();
  if (!type.hasStaticShape()) {
    Block scratch; // Owns an argument that stands for the data.
    Value argument = scratch.addArgument(data.getType(), op.getLoc());
    SmallVector<Type> types;
    if (failed(ReshapeOp::inferReturnTypes(
            op.getContext(), op.getLoc(), ValueRange(argument),
            op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    type = cast<RankedTensorType>(types.front());
  }
  if (type.getNumElements() != data.getNumElements())
    return op.emitOpError("expects ")
           << data.getNumElements() << " elements, but got a shape of "
           << type.getNumElements();
  return data.reshape(type.getShape());
}

static FailureOr<Tensor> evaluateExpandDims(ExpandDimsOp op,
                                            ArrayRef<Tensor> operands) {
  SmallVector<int64_t> shape(operands[0].getShape());
  int64_t axis = normalizeAxis(op.getAxis(), shape.size() + 1);
  shape.insert(shape.begin() + axis, op.getNumNewaxis(), 1);
  return operands[0].reshape(shape);
}

static FailureOr<Tensor> evaluateSqueeze(SqueezeOp op,
                                         ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t rank = data.getRank();
  // Without axes, those that the type says are one: a dynamic size that happens
  // to be one stays.
  SmallVector<int64_t> axes;
  if (auto listed = op.getAxis())
    for (int64_t axis : *listed)
      axes.push_back(normalizeAxis(axis, rank));
  else
    for (int64_t dim = 0; dim < rank; ++dim)
      if (op.getData().getType().getDimSize(dim) == 1)
        axes.push_back(dim);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = data.getDimSize(dim);
    if (!llvm::is_contained(axes, dim))
      shape.push_back(size);
    else if (size != 1)
      return op.emitOpError("expects dimension ")
             << dim << " to have size 1, but got " << size;
  }
  return data.reshape(shape);
}

static FailureOr<Tensor> evaluateBatchFlatten(NNBatchFlattenOp op,
                                              ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  return operands[0].reshape({shape[0], getProduct(shape.drop_front())});
}

//===----------------------------------------------------------------------===//
// Shapes as values
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateShapeOf(ShapeOfOp op,
                                         ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  Tensor result = Tensor::getVector(getResultElementType(op), shape);
  // A scalar has a scalar for its shape.
  auto type = cast<RankedTensorType>(op.getResult().getType());
  if (type.getRank() == 0)
    return Tensor::getScalar(getResultElementType(op), 0);
  return result;
}

static FailureOr<Tensor> evaluateNdarraySize(NdarraySizeOp op,
                                             ArrayRef<Tensor> operands) {
  return Tensor::getScalar(getResultElementType(op),
                           operands[0].getNumElements());
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static Tensor fill(const Tensor &value, ArrayRef<int64_t> shape,
                   Type elementType) {
  return broadcastTo(castTo(value, elementType), shape);
}

static FailureOr<Tensor> evaluateZeros(ZerosOp op, ArrayRef<Tensor>) {
  return Tensor::allocateZeros(op.getShape(), getResultElementType(op));
}

static FailureOr<Tensor> evaluateOnes(OnesOp op, ArrayRef<Tensor>) {
  Type elementType = getResultElementType(op);
  return fill(Tensor::getScalar(elementType, 1), op.getShape(), elementType);
}

static FailureOr<Tensor> evaluateFull(FullOp op, ArrayRef<Tensor> operands) {
  return fill(operands[0], op.getShape(), getResultElementType(op));
}

static FailureOr<Tensor> evaluateFullLike(FullLikeOp op,
                                          ArrayRef<Tensor> operands) {
  return fill(operands[1], operands[0].getShape(),
              operands[0].getElementType());
}

static FailureOr<Tensor> evaluateArange(ArangeOp op,
                                        ArrayRef<Tensor> operands) {
  Type elementType = getResultElementType(op);
  auto evaluate = [&](auto wide) -> FailureOr<Tensor> {
    using W = decltype(wide);
    W start, stop, step;
    operands[0].load(0, 1, 1, &start);
    operands[1].load(0, 1, 1, &stop);
    operands[2].load(0, 1, 1, &step);
    if (step == 0)
      return op.emitOpError("expects a step other than 0, but got 0");
    double count =
        std::ceil((static_cast<double>(stop) - static_cast<double>(start)) /
                  static_cast<double>(step));
    constexpr double maxCount = 0x1p40;
    if (!(count < maxCount))
      return op.emitOpError("expects a finite number of elements, but got ")
             << formatNumber(count);
    auto size = static_cast<int64_t>(std::max(count, 0.0));
    Tensor result = Tensor::allocate(size, elementType);
    // In pieces: the count may be any.
    std::array<W, 256> values;
    for (int64_t begin = 0; begin < size; begin += values.size()) {
      int64_t end = std::min<int64_t>(size, begin + values.size());
      for (int64_t i = begin; i < end; ++i)
        values[i - begin] = start + static_cast<W>(i) * step;
      result.store(begin, end - begin, values.data());
    }
    return result;
  };
  if (isa<FloatType>(elementType))
    return evaluate(double());
  return evaluate(int64_t());
}

/// Where an index is out of range, all of its row is off.
static FailureOr<Tensor> evaluateOneHot(OneHotOp op,
                                        ArrayRef<Tensor> operands) {
  const Tensor &indices = operands[0];
  Type elementType = getResultElementType(op);
  int64_t rank = indices.getRank();
  int64_t axis = normalizeAxis(op.getAxis(), rank + 1);
  SmallVector<int64_t> positions;
  for (int64_t i = 0; i < op.getDepth(); ++i)
    positions.push_back(i);
  Tensor along = alignWithAxis(
      Tensor::getVector(IntegerType::get(op.getContext(), 64), positions), axis,
      rank + 1);
  SmallVector<int64_t> shape(indices.getShape());
  shape.insert(shape.begin() + axis, 1);
  Tensor expanded = indices.reshape(shape);
  shape[axis] = op.getDepth();
  Tensor isOn = mapElements<int64_t>(
      {expanded, along}, shape, IntegerType::get(op.getContext(), 1),
      [](const int64_t *x) { return x[0] == x[1]; });
  return dispatchWideType(elementType, [&](auto wide) {
    using W = decltype(wide);
    return mapElements<W>(
        {isOn, operands[1], operands[2]}, shape, elementType,
        [](const W *x) { return x[0] != W(0) ? x[1] : x[2]; });
  });
}

void relay::detail::populateShapeEvaluators(EvaluatorTable &table) {
  table.add<ReshapeOp>(evaluateReshape);
  table.add<ExpandDimsOp>(evaluateExpandDims);
  table.add<SqueezeOp>(evaluateSqueeze);
  table.add<NNBatchFlattenOp>(evaluateBatchFlatten);
  table.add<ShapeOfOp>(evaluateShapeOf);
  table.add<NdarraySizeOp>(evaluateNdarraySize);
  table.add<ZerosOp>(evaluateZeros);
  table.add<OnesOp>(evaluateOnes);
  table.add<FullOp>(evaluateFull);
  table.add<FullLikeOp>(evaluateFullLike);
  table.add<ArangeOp>(evaluateArange);
  table.add<OneHotOp>(evaluateOneHot);
}
