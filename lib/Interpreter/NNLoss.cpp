//===- NNLoss.cpp - Loss functions ----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "WideTensor.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// -sum(f(x) * y) / N, where NaN of the logarithm of 0 times 0 stays.
template <typename OpT>
static FailureOr<Tensor> evaluateCrossEntropy(OpT op, ArrayRef<Tensor> operands,
                                              double (*function)(double)) {
  const Tensor &x = operands[0], &y = operands[1];
  if (x.getShape() != y.getShape())
    return op.emitOpError("expects operands of one shape, but got ")
           << x.getType() << " and " << y.getType();
  double sum = 0;
  for (auto [prediction, target] :
       llvm::zip_equal(x.loadAll<double>(), y.loadAll<double>()))
    sum += function(prediction) * target;
  WideTensor<double> result(ArrayRef<int64_t>(), -sum / x.getDimSize(0));
  return result.toTensor(x.getElementType());
}

static FailureOr<Tensor> evaluateNllLoss(NNNllLossOp op,
                                         ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> shape = operands[0].getShape();
  int64_t batch = shape[0], classes = shape[1], inner = 1;
  for (int64_t size : shape.drop_front(2))
    inner *= size;
  if (operands[1].getNumElements() != batch * inner ||
      operands[2].getNumElements() != classes)
    return op.emitOpError("expects targets and weights that fit ")
           << operands[0].getType() << ", but got " << operands[1].getType()
           << " and " << operands[2].getType();
  WideTensor<double> predictions(operands[0].reshape({batch, classes, inner}));
  WideTensor<int64_t> targets(operands[1].reshape({batch, inner}));
  WideTensor<double> weights(operands[2]);
  WideTensor<double> losses({batch, inner});
  double sum = 0, weightSum = 0;
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t i = 0; i < inner; ++i) {
      int64_t target = targets(n, i);
      if (target == op.getIgnoreIndex())
        continue;
      if (target < 0 || target >= classes)
        return op.emitOpError("expects targets in the range [0, ")
               << classes << "), but got " << target;
      losses(n, i) = -predictions(n, target, i) * weights(target);
      sum += losses(n, i);
      weightSum += weights(target);
    }
  Type elementType = operands[0].getElementType();
  if (op.getReduction() == "none")
    return losses.toTensor(elementType).reshape(operands[1].getShape());
  bool isMean = op.getReduction() == "mean";
  return WideTensor<double>(ArrayRef<int64_t>(), isMean ? sum / weightSum : sum)
      .toTensor(elementType);
}

void relay::detail::populateNNLossEvaluators(EvaluatorTable &table) {
  table.add<NNCrossEntropyOp>([](NNCrossEntropyOp op, ArrayRef<Tensor> xs) {
    return evaluateCrossEntropy(op, xs, std::log);
  });
  table.add<NNCrossEntropyWithLogitsOp>(
      [](NNCrossEntropyWithLogitsOp op, ArrayRef<Tensor> xs) {
        return evaluateCrossEntropy(op, xs, [](double x) { return x; });
      });
  table.add<NNNllLossOp>(evaluateNllLoss);
}
