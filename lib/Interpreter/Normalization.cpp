//===- Normalization.cpp - Softmax and normalisations ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All statistics are computed in double from the elements as they are; results
// are rounded once.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// Moves `axes` to the end as one dimension, applies `fn` to each row of it,
/// and moves them back.
static Tensor mapAlong(const Tensor &data, ArrayRef<int64_t> axes,
                       Type elementType,
                       function_ref<void(MutableArrayRef<double> row)> fn) {
  SmallVector<int64_t> permutation =
      getAxesLastPermutation(data.getRank(), axes);
  Tensor moved = transpose(data, permutation);
  int64_t columns = 1;
  for (int64_t axis : axes)
    columns *= data.getDimSize(axis);
  int64_t rows = getProduct(moved.getShape().drop_back(axes.size()));
  Tensor mapped =
      mapRows<double>(moved.reshape({rows, columns}), elementType, fn);
  return transpose(mapped.reshape(moved.getShape()),
                   invertPermutation(permutation));
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

static double getMaximum(ArrayRef<double> row) {
  double maximum = -std::numeric_limits<double>::infinity();
  for (double value : row)
    maximum = std::max(maximum, value);
  return maximum;
}

static double getSumOfExponentials(ArrayRef<double> row, double maximum) {
  double sum = 0;
  for (double value : row)
    sum += std::exp(value - maximum);
  return sum;
}

template <typename OpT>
static FailureOr<Tensor> evaluateSoftmax(OpT op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  return mapAlong(data, axis, data.getElementType(),
                  [](MutableArrayRef<double> row) {
                    double maximum = getMaximum(row);
                    double sum = getSumOfExponentials(row, maximum);
                    for (double &value : row)
                      value = std::exp(value - maximum) / sum;
                  });
}

static FailureOr<Tensor> evaluateLogSoftmax(NNLogSoftmaxOp op,
                                            ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  return mapAlong(
      data, axis, data.getElementType(), [](MutableArrayRef<double> row) {
        double maximum = getMaximum(row);
        double shift = maximum + std::log(getSumOfExponentials(row, maximum));
        for (double &value : row)
          value -= shift;
      });
}

//===----------------------------------------------------------------------===//
// Normalisation by mean and variance
//===----------------------------------------------------------------------===//

/// Subtracts the mean and divides by the standard deviation, two passes over
/// the row.
static void standardize(MutableArrayRef<double> row, double epsilon) {
  double mean = llvm::accumulate(row, 0.0) / row.size();
  double squares = 0;
  for (double value : row)
    squares += (value - mean) * (value - mean);
  double scale = 1 / std::sqrt(squares / row.size() + epsilon);
  for (double &value : row)
    value = (value - mean) * scale;
}

/// Multiplies by gamma and adds beta along `axis`, as the flags of `op` say.
template <typename OpT>
static FailureOr<Tensor> scaleAndCenter(OpT op, const Tensor &standardized,
                                        Tensor gamma, Tensor beta, int64_t axis,
                                        Type elementType) {
  int64_t rank = standardized.getRank();
  int64_t size = standardized.getDimSize(axis);
  for (const Tensor &vector : {gamma, beta})
    if (vector.getNumElements() != size)
      return op.emitOpError("expects vectors of ")
             << size << " elements along axis " << axis << ", but got "
             << vector.getType();
  bool scales = op.getScale(), centers = op.getCenter();
  return mapElements<double>(
      {standardized, alignWithAxis(gamma, axis, rank),
       alignWithAxis(beta, axis, rank)},
      standardized.getShape(), elementType, [&](const double *x) {
        return (scales ? x[0] * x[1] : x[0]) + (centers ? x[2] : 0.0);
      });
}

static FailureOr<Tensor> evaluateLayerNorm(NNLayerNormOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  double epsilon = op.getEpsilon().convertToDouble();
  Tensor standardized =
      mapAlong(data, axis, Float64Type::get(op.getContext()),
               [&](MutableArrayRef<double> row) { standardize(row, epsilon); });
  return scaleAndCenter(op, standardized, operands[1], operands[2], axis,
                        data.getElementType());
}

static FailureOr<Tensor> evaluateInstanceNorm(NNInstanceNormOp op,
                                              ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  double epsilon = op.getEpsilon().convertToDouble();
  SmallVector<int64_t> axes;
  for (int64_t dim = 1; dim < data.getRank(); ++dim)
    if (dim != axis)
      axes.push_back(dim);
  Tensor standardized =
      mapAlong(data, axes, Float64Type::get(op.getContext()),
               [&](MutableArrayRef<double> row) { standardize(row, epsilon); });
  return scaleAndCenter(op, standardized, operands[1], operands[2], axis,
                        data.getElementType());
}

static FailureOr<Tensor> evaluateGroupNorm(NNGroupNormOp op,
                                           ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  int64_t groups = op.getNumGroups(), channels = data.getDimSize(axis);
  if (groups <= 0 || channels % groups)
    return op.emitOpError("expects ")
           << channels << " channels in equal groups, but got " << groups
           << " groups";
  double epsilon = op.getEpsilon().convertToDouble();
  // The channels as (group, channel of the group); statistics are over all
  // dimensions but the batch and the group.
  SmallVector<int64_t> shape(data.getShape());
  shape[axis] = groups;
  shape.insert(shape.begin() + axis + 1, channels / groups);
  SmallVector<int64_t> axes;
  for (int64_t dim = 1, rank = shape.size(); dim < rank; ++dim)
    if (dim != axis)
      axes.push_back(dim);
  Tensor standardized =
      mapAlong(data.reshape(shape), axes, Float64Type::get(op.getContext()),
               [&](MutableArrayRef<double> row) { standardize(row, epsilon); });
  return scaleAndCenter(op, standardized.reshape(data.getShape()), operands[1],
                        operands[2], axis, data.getElementType());
}

static FailureOr<InterpreterValue>
evaluateBatchNorm(NNBatchNormOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t rank = data.getRank(), axis = normalizeAxis(op.getAxis(), rank);
  SmallVector<Tensor> aligned = {data};
  for (const Tensor &vector : operands.drop_front()) {
    if (vector.getNumElements() != data.getDimSize(axis))
      return op.emitOpError("expects vectors of ")
             << data.getDimSize(axis) << " elements along axis " << axis
             << ", but got " << vector.getType();
    aligned.push_back(alignWithAxis(vector, axis, rank));
  }
  double epsilon = op.getEpsilon().convertToDouble();
  bool scales = op.getScale(), centers = op.getCenter();
  Tensor result = mapElements<double>(
      aligned, data.getShape(), data.getElementType(), [&](const double *x) {
        double value = (x[0] - x[3]) / std::sqrt(x[4] + epsilon);
        return (scales ? value * x[1] : value) + (centers ? x[2] : 0.0);
      });
  return InterpreterValue(
      std::vector<InterpreterValue>{result, operands[3], operands[4]});
}

//===----------------------------------------------------------------------===//
// Other normalisations
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateLrn(NNLrnOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  int64_t axis = normalizeAxis(op.getAxis(), data.getRank());
  int64_t size = op.getSize();
  double bias = op.getBias().convertToDouble();
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();
  auto normalize = [&](MutableArrayRef<double> row) {
    int64_t channels = row.size();
    SmallVector<double> values(row);
    for (int64_t c = 0; c < channels; ++c) {
      // An even window reaches one further up than down.
      int64_t first = std::max<int64_t>(0, c - (size - 1) / 2);
      int64_t last = std::min(channels - 1, c + size / 2);
      double squares = 0;
      for (int64_t i = first; i <= last; ++i)
        squares += values[i] * values[i];
      row[c] = values[c] / std::pow(bias + alpha / size * squares, beta);
    }
  };
  return mapAlong(data, axis, data.getElementType(), normalize);
}

static FailureOr<Tensor> evaluateL2Normalize(NNL2NormalizeOp op,
                                             ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  double epsilon = op.getEps().convertToDouble();
  SmallVector<int64_t> axes;
  for (int64_t axis : op.getAxis())
    axes.push_back(normalizeAxis(axis, data.getRank()));
  if (axes.empty())
    axes.append(llvm::to_vector(llvm::seq<int64_t>(data.getRank())));
  auto normalize = [&](MutableArrayRef<double> row) {
    double squares = 0;
    for (double value : row)
      squares += value * value;
    double norm = std::sqrt(std::max(squares, epsilon));
    for (double &value : row)
      value /= norm;
  };
  return mapAlong(data, axes, data.getElementType(), normalize);
}

/// For inference: the data, and a mask that keeps everything.
static FailureOr<InterpreterValue> evaluateDropout(NNDropoutOp op,
                                                   ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  auto mask = cast<RankedTensorType>(
      cast<TupleType>(op.getResult().getType()).getType(1));
  Tensor ones =
      broadcastTo(Tensor::getScalar(mask.getElementType(), 1), data.getShape());
  return InterpreterValue(std::vector<InterpreterValue>{data, ones});
}

void relay::detail::populateNormalizationEvaluators(EvaluatorTable &table) {
  table.add<NNSoftmaxOp>(evaluateSoftmax<NNSoftmaxOp>);
  table.add<NNFastSoftmaxOp>(evaluateSoftmax<NNFastSoftmaxOp>);
  table.add<NNLogSoftmaxOp>(evaluateLogSoftmax);
  table.add<NNLayerNormOp>(evaluateLayerNorm);
  table.add<NNInstanceNormOp>(evaluateInstanceNorm);
  table.add<NNGroupNormOp>(evaluateGroupNorm);
  table.add<NNBatchNormOp>(evaluateBatchNorm);
  table.add<NNLrnOp>(evaluateLrn);
  table.add<NNL2NormalizeOp>(evaluateL2Normalize);
  table.add<NNDropoutOp>(evaluateDropout);
}
