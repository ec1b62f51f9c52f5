//===- QuantizeRoles.cpp - What is quantized ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.cpp.inc"

namespace {

template <typename OpTy, QuantizeRole Role>
struct QuantizeModel
    : QuantizeOpInterface::ExternalModel<QuantizeModel<OpTy, Role>, OpTy> {
  QuantizeRole getQuantizeRole(Operation *) const { return Role; }
};

} // namespace

template <QuantizeRole Role, typename... Ops>
static void attach(MLIRContext *context) {
  (Ops::template attachInterface<QuantizeModel<Ops, Role>>(*context), ...);
}

void relay::detail::registerQuantizeRoles(MLIRContext *context) {
  attach<QuantizeRole::Contraction, NNConv1dOp, NNConv2dOp, NNConv2dTransposeOp,
         NNDenseOp, NNMatmulOp>(context);
  attach<QuantizeRole::MatrixProduct, NNBatchMatmulOp>(context);
  attach<QuantizeRole::Product, MultiplyOp>(context);
  attach<QuantizeRole::Sum, AddOp>(context);
  attach<QuantizeRole::Join, ConcatenateOp>(context);
  attach<QuantizeRole::Clip, ClipOp, NNReluOp>(context);
  attach<QuantizeRole::Same, AnnotationStopFusionOp, NNBatchFlattenOp,
         ReshapeOp, StridedSliceOp, TransposeOp>(context);
  attach<QuantizeRole::Mean, NNAvgPool2dOp>(context);
  attach<QuantizeRole::Narrow, AnnotationCastHintOp, NNMaxPool1dOp,
         NNMaxPool2dOp>(context);
  attach<QuantizeRole::End, NNGlobalAvgPool2dOp>(context);
}

SmallVector<RelayOpAnnotationSimulatedQuantizeOp>
relay::getSimulatedQuantizes(Operation *function) {
  SmallVector<RelayOpAnnotationSimulatedQuantizeOp> ops;
  function->walk([&](RelayOpAnnotationSimulatedQuantizeOp op) {
    if (op.getKind() != static_cast<int64_t>(QuantizeKind::Identity))
      ops.push_back(op);
  });
  return ops;
}

static bool isProduct(Operation *op) {
  auto quantizable = dyn_cast<QuantizeOpInterface>(op);
  return quantizable &&
         (quantizable.getQuantizeRole() == QuantizeRole::Contraction ||
          quantizable.getQuantizeRole() == QuantizeRole::MatrixProduct);
}

std::optional<ChannelAxes> relay::getQuantizedChannels(Operation *op) {
  auto contraction = dyn_cast<ContractionOpInterface>(op);
  if (!contraction || !isProduct(op))
    return std::nullopt;
  auto data = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  auto weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  if (!data || !result || !weight)
    return std::nullopt;
  std::optional<ChannelAxes> axes = contraction.getChannelAxes();
  if (auto matmul = dyn_cast<NNMatmulOp>(op); matmul && weight.getRank() == 2) {
    int64_t out = matmul.getTransposeB() ? 0 : 1;
    axes = ChannelAxes{data.getRank() - (matmul.getTransposeA() ? 2 : 1),
                       result.getRank() - 1, 1 - out, out};
  }
  if (!axes || data.isDynamicDim(axes->data) ||
      result.isDynamicDim(axes->result))
    return std::nullopt;
  return axes;
}

SmallVector<std::pair<Operation *, ChannelAxes>>
relay::getQuantizedProducts(Operation *function) {
  SmallVector<std::pair<Operation *, ChannelAxes>> products;
  function->walk([&](Operation *op) {
    if (std::optional<ChannelAxes> axes = getQuantizedChannels(op))
      products.emplace_back(op, *axes);
  });
  return products;
}
