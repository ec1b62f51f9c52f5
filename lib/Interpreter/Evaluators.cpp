//===- Evaluators.cpp - Evaluators of relay operators ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"

using namespace mlir;
using namespace mlir::relay;

Type mlir::relay::getResultElementType(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
}

void mlir::relay::populateRelayEvaluators(EvaluatorTable &table) {
  relay::detail::populateAddedEvaluators(table);
  relay::detail::populateAnnotationEvaluators(table);
  relay::detail::populateConvolutionEvaluators(table);
  relay::detail::populateCoreEvaluators(table);
  relay::detail::populateElementwiseEvaluators(table);
  relay::detail::populateEthosuEvaluators(table);
  relay::detail::populateGeometryEvaluators(table);
  relay::detail::populateImageEvaluators(table);
  relay::detail::populateIndexingEvaluators(table);
  relay::detail::populateMatmulEvaluators(table);
  relay::detail::populateMemoryEvaluators(table);
  relay::detail::populateMovementEvaluators(table);
  relay::detail::populateNNContribEvaluators(table);
  relay::detail::populateNNLossEvaluators(table);
  relay::detail::populateNNSpatialEvaluators(table);
  relay::detail::populateNonMaxSuppressionEvaluators(table);
  relay::detail::populateNormalizationEvaluators(table);
  relay::detail::populatePoolingEvaluators(table);
  relay::detail::populateQnnEvaluators(table);
  relay::detail::populateQnnProductEvaluators(table);
  relay::detail::populateRandomEvaluators(table);
  relay::detail::populateReduceEvaluators(table);
  relay::detail::populateSearchEvaluators(table);
  relay::detail::populateShapeEvaluators(table);
  relay::detail::populateSortEvaluators(table);
  relay::detail::populateSparseEvaluators(table);
  relay::detail::populateSpectralEvaluators(table);
  relay::detail::populateUnsupportedEvaluators(table);
  relay::detail::populateVisionEvaluators(table);
  relay::detail::populateWinogradEvaluators(table);

  // These evaluate operators as others, which are in the table by now.
  relay::detail::populateDynEvaluators(table);
  relay::detail::populateTransformEvaluators(table);
}
