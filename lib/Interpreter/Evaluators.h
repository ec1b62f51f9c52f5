//===- Evaluators.h - Evaluators of relay operators by family ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H
#define RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H

#include "relay-mlir/Interpreter/Interpreter.h"

namespace mlir::relay {

/// Adds the evaluators of all operations of the relay dialect.
void populateRelayEvaluators(EvaluatorTable &table);

/// Returns the element type of the tensor that `op` returns.
Type getResultElementType(Operation *op);

namespace detail {
void populateAddedEvaluators(EvaluatorTable &table);
void populateAnnotationEvaluators(EvaluatorTable &table);
void populateConvolutionEvaluators(EvaluatorTable &table);
void populateCoreEvaluators(EvaluatorTable &table);
void populateDynEvaluators(EvaluatorTable &table);
void populateElementwiseEvaluators(EvaluatorTable &table);
void populateEthosuEvaluators(EvaluatorTable &table);
void populateGeometryEvaluators(EvaluatorTable &table);
void populateImageEvaluators(EvaluatorTable &table);
void populateIndexingEvaluators(EvaluatorTable &table);
void populateMatmulEvaluators(EvaluatorTable &table);
void populateMemoryEvaluators(EvaluatorTable &table);
void populateMovementEvaluators(EvaluatorTable &table);
void populateNNContribEvaluators(EvaluatorTable &table);
void populateNNLossEvaluators(EvaluatorTable &table);
void populateNNSpatialEvaluators(EvaluatorTable &table);
void populateNonMaxSuppressionEvaluators(EvaluatorTable &table);
void populateNormalizationEvaluators(EvaluatorTable &table);
void populatePoolingEvaluators(EvaluatorTable &table);
void populateQnnEvaluators(EvaluatorTable &table);
void populateQnnProductEvaluators(EvaluatorTable &table);
void populateRandomEvaluators(EvaluatorTable &table);
void populateReduceEvaluators(EvaluatorTable &table);
void populateSearchEvaluators(EvaluatorTable &table);
void populateShapeEvaluators(EvaluatorTable &table);
void populateSortEvaluators(EvaluatorTable &table);
void populateSparseEvaluators(EvaluatorTable &table);
void populateSpectralEvaluators(EvaluatorTable &table);
void populateTransformEvaluators(EvaluatorTable &table);
void populateUnsupportedEvaluators(EvaluatorTable &table);
void populateVisionEvaluators(EvaluatorTable &table);
void populateWinogradEvaluators(EvaluatorTable &table);
} // namespace detail

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_EVALUATORS_H
