//===- Losses.cpp - Losses in other operators -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNLossOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

/// -sum(x * y) / N
static Term writeCrossEntropy(Decomposition &d, Term x, Term y,
                              Type elementType) {
  Term size = d.sizeOf(x, 0, x.getElementType());
  return d.castTo(-d.sumAll(x * y) / size, elementType);
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

static Term write(NNCrossEntropyOp op, Decomposition &d) {
  Type elementType = op.getX().getType().getElementType();
  Type wide = d.getWideType(elementType);
  return writeCrossEntropy(d, log(d.castTo(op.getX(), wide)),
                           d.castTo(op.getY(), wide), elementType);
}

static Term write(NNCrossEntropyWithLogitsOp op, Decomposition &d) {
  Type elementType = op.getX().getType().getElementType();
  Type wide = d.getWideType(elementType);
  return writeCrossEntropy(d, d.castTo(op.getX(), wide),
                           d.castTo(op.getY(), wide), elementType);
}

static Term write(NNNllLossOp op, Decomposition &d) {
  Type elementType = op.getPredictions().getType().getElementType();
  Type wide = d.getWideType(elementType), indexType = d.getI64Type();
  auto index = [&](int64_t value) {
    auto type = RankedTensorType::get({}, indexType);
    return d.make<ConstantOp>(DenseElementsAttr::get(type, value));
  };
  Term targets = d.castTo(op.getTargets(), indexType);
  Term isIgnored = isEqual(targets, index(op.getIgnoreIndex()));
  // No target counts from the end: a negative one is out of range.
  constexpr int64_t kNowhere = std::numeric_limits<int64_t>::max();
  targets = d.where(isLess(targets, index(0)), index(kNowhere), targets);
  targets = d.where(isIgnored, index(0), targets);
  Term weights =
      d.castTo(d.make<TakeOp>(op.getWeights(), targets.get(), int64_t(0),
                              d.getI64IntegerAttr(0), "fast"),
               wide);
  weights = d.where(isIgnored, d.number(0, wide), weights);
  Term rows = d.make<ExpandDimsOp>(targets.get(), int64_t(1), int64_t(1));
  Term predictions =
      d.make<GatherOp>(op.getPredictions(), rows.get(), int64_t(1));
  predictions = d.castTo(
      d.make<SqueezeOp>(predictions.get(), d.getDenseI64ArrayAttr(1)), wide);
  Term losses = d.where(isIgnored, d.number(0, wide), -predictions * weights);
  if (op.getReduction() != "none")
    losses = d.sumAll(losses);
  if (op.getReduction() == "mean")
    losses = losses / d.sumAll(weights);
  return d.castTo(losses, elementType);
}

} // namespace mlir::relay::decompositions

void decompositions::registerLosses(MLIRContext *context) {
  attach<NNCrossEntropyOp, NNCrossEntropyWithLogitsOp, NNNllLossOp>(context);
}
