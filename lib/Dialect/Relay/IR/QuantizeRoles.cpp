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
