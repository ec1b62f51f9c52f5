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

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {

/// Decodes `newshape` of relay.reshape against a shape.
class ReshapeDecoder {
public:
  ReshapeDecoder(ReshapeOp op, ArrayRef<int64_t> from)
      : op(op), from(from), codes(op.getNewshape()) {}

  FailureOr<SmallVector<int64_t>> decode();

private:
  /// Takes the next size of the data.
  FailureOr<int64_t> takeSize() {
    if (position == from.size())
      return op.emitOpError("expects newshape to use ")
             << from.size() << " dimensions, but got more";
    return from[position++];
  }
  void copy(int64_t size) {
    if (size == 0)
      copiedZeros.push_back(shape.size());
    shape.push_back(size);
  }
  LogicalResult decodeCode();
  LogicalResult split();
  LogicalResult infer();

  ReshapeOp op;
  ArrayRef<int64_t> from, codes;
  size_t position = 0; // Of the next size of the data.
  size_t next = 0;     // Of the next code.
  std::optional<size_t> inferred;
  SmallVector<size_t> copiedZeros; // Where they are in the result.
  SmallVector<int64_t> shape;
};

} // namespace

/// -4, a, b: the next size of the data is a * b, of which one may be -1.
LogicalResult ReshapeDecoder::split() {
  FailureOr<int64_t> size = takeSize();
  if (failed(size))
    return failure();
  if (next + 2 > codes.size())
    return op.emitOpError("expects two values after -4, but got ")
           << codes.size() - next;
  int64_t first = codes[next++], second = codes[next++];
  if (first == -1 && second > 0)
    first = *size / second;
  else if (second == -1 && first > 0)
    second = *size / first;
  if (first < 0 || second < 0 || first * second != *size)
    return op.emitOpError("expects -4 to split a dimension of size ")
           << *size << ", but got " << codes[next - 2] << " and "
           << codes[next - 1];
  shape.append({first, second});
  return success();
}

LogicalResult ReshapeDecoder::decodeCode() {
  int64_t code = codes[next++];
  if (code > 0 || (code == 0 && op.getAllowzero())) {
    shape.push_back(code);
    ++position;
    return success();
  }
  if (code == 0) {
    FailureOr<int64_t> size = takeSize();
    if (succeeded(size))
      copy(*size);
    return size;
  }
  if (code == -1) {
    if (inferred)
      return op.emitOpError("expects at most one -1, but got more");
    inferred = shape.size();
    shape.push_back(1);
    ++position;
    return success();
  }
  if (code == -2) {
    for (; position < from.size(); ++position)
      copy(from[position]);
    return success();
  }
  if (code == -3) {
    FailureOr<int64_t> first = takeSize();
    FailureOr<int64_t> second = failed(first) ? first : takeSize();
    if (failed(second))
      return failure();
    shape.push_back(*first * *second);
    return success();
  }
  if (code == -4)
    return split();
  return op.emitOpError("expects a code of newshape from -4 on, but got ")
         << code;
}

/// Zeros that are copied do not count: the columns of a matrix without rows are
/// those that rows would have.
LogicalResult ReshapeDecoder::infer() {
  if (!inferred)
    return success();
  SmallVector<int64_t> all(from), given;
  for (size_t i = 0; i < copiedZeros.size(); ++i)
    all.erase(llvm::find(all, 0));
  for (auto [index, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(copiedZeros, index))
      given.push_back(size);
  int64_t numElements = getProduct(all), known = getProduct(given);
  if (known == 0 ? numElements != 0 : numElements % known != 0)
    return op.emitOpError("expects newshape to divide the ")
           << numElements << " elements of data, but got [" << codes << "]";
  shape[*inferred] = known == 0 ? 0 : numElements / known;
  return success();
}

FailureOr<SmallVector<int64_t>> ReshapeDecoder::decode() {
  // Sizes given as they are take part in the position only while there are any.
  while (next < codes.size()) {
    position = std::min(position, from.size());
    if (failed(decodeCode()))
      return failure();
  }
  if (failed(infer()))
    return failure();
  if (getProduct(shape) != getProduct(from))
    return op.emitOpError("expects ")
           << getProduct(from) << " elements, but got a shape of "
           << getProduct(shape);
  return shape;
}

static FailureOr<Tensor> evaluateReshape(ReshapeOp op,
                                         ArrayRef<Tensor> operands) {
  FailureOr<SmallVector<int64_t>> shape =
      ReshapeDecoder(op, operands[0].getShape()).decode();
  if (failed(shape))
    return failure();
  return operands[0].reshape(*shape);
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
    SmallVector<W> values(static_cast<int64_t>(std::max(count, 0.0)));
    for (auto [index, value] : llvm::enumerate(values))
      value = start + static_cast<W>(index) * step;
    Tensor result = Tensor::allocate(values.size(), elementType);
    result.store(0, values.size(), values.data());
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
