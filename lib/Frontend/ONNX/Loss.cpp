//===- Loss.cpp - Loss functions of ONNX ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static Value createTotal(NodeContext &node, Value value) {
  return node.create<SumOp>({value});
}

/// The loss for (N, C, ...) log-probabilities, of which the target names a
/// class at each place; weights by class, and places that do not count.
static Value createLoss(NodeContext &node, Value logProb) {
  OpBuilder &b = node.getBuilder();
  Value target = node.getInput(1);
  int64_t rank = node.getRank(logProb);
  if (rank < 2 || node.getRank(target) != rank - 1) {
    node.emitError() << "expects classes along dimension 1 and a target of one "
                        "dimension less, but got "
                     << logProb.getType() << " and " << target.getType();
    return nullptr;
  }
  Type type = node.getElementType(logProb);
  bool hasIgnored = node.hasAttr("ignore_index");
  Value isIgnored;
  if (hasIgnored) {
    Type targetType = node.getElementType(target);
    Value ignored =
        node.createScalar(node.getInt("ignore_index", 0), targetType);
    isIgnored = node.create<EqualOp>({target, ignored});
    // It may be no class.
    target = node.create<WhereOp>(
        {isIgnored, node.createScalar(0, targetType), target});
  }
  auto drop = [&](Value value) {
    return hasIgnored ? node.create<WhereOp>(
                            {isIgnored, node.createScalar(0, type), value})
                      : value;
  };
  GatherOp::Properties gather;
  gather.axis = b.getI64IntegerAttr(1);
  Value chosen =
      node.create<GatherOp>({logProb, node.expandDims(target, 1)}, gather);
  Value loss =
      drop(node.create<NegativeOp>({node.squeeze(chosen, {int64_t(1)})}));
  Value weights;
  if (node.hasInput(2)) {
    weights = drop(node.take(node.getInput(2), target, /*axis=*/0, "fast"));
    loss = node.create<MultiplyOp>({loss, weights});
  } else if (hasIgnored) {
    weights = node.create<WhereOp>(
        {isIgnored, node.createScalar(0, type), node.createScalar(1, type)});
  }

  StringRef reduction = node.getString("reduction", "mean");
  if (reduction == "none")
    return loss;
  if (reduction == "sum")
    return createTotal(node, loss);
  if (reduction != "mean") {
    node.emitError() << "reduction \"" << reduction << "\" is not supported";
    return nullptr;
  }
  if (!weights)
    return node.create<MeanOp>({loss});
  return node.create<DivideOp>(
      {createTotal(node, loss), createTotal(node, weights)});
}

static LogicalResult convertNegativeLogLikelihoodLoss(NodeContext &node) {
  return node.setResult(createLoss(node, node.getInput(0)));
}

static LogicalResult convertSoftmaxCrossEntropyLoss(NodeContext &node) {
  NNLogSoftmaxOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  Value logProb = node.create<NNLogSoftmaxOp>({node.getInput(0)}, properties);
  if (!logProb || failed(node.setOutput(1, logProb)))
    return failure();
  return node.setResult(createLoss(node, logProb));
}

void mlir::relay::onnx::addLossOps(OpTable &table) {
  table.add({"NegativeLogLikelihoodLoss"},
            {convertNegativeLogLikelihoodLoss, 12, kNewestOpset, 2, 3,
             /*contentInputs=*/0, /*isComposed=*/true});
  table.add({"SoftmaxCrossEntropyLoss"},
            {convertSoftmaxCrossEntropyLoss, 12, kNewestOpset, 2, 3,
             /*contentInputs=*/0, /*isComposed=*/true});
}
