//===- Annotation.cpp - Annotations and markers ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// Markers say something about their operand, which is their result.
static FailureOr<InterpreterValue>
evaluateMarker(Operation *, ArrayRef<InterpreterValue> operands) {
  return operands.front();
}

static FailureOr<Tensor>
evaluateSimulatedQuantize(RelayOpAnnotationSimulatedQuantizeOp op,
                          ArrayRef<Tensor> operands) {
  if (op.getKind() == 0)
    return operands[0];
  return mapElements<double>(
      operands, operands[0].getShape(), getResultElementType(op),
      [](const double *x) {
        // In float32, as the scale is.
        auto scale = static_cast<float>(x[1]);
        double scaled = static_cast<float>(x[0]) / scale;
        return std::round(std::fmax(std::fmin(scaled, x[3]), x[2])) * scale;
      });
}

void relay::detail::populateAnnotationEvaluators(EvaluatorTable &table) {
  for (StringRef name :
       {AnnotationBitpackEndOp::getOperationName(),
        AnnotationBitpackStartOp::getOperationName(),
        AnnotationCastHintOp::getOperationName(),
        AnnotationCheckpointOp::getOperationName(),
        AnnotationCompilerBeginOp::getOperationName(),
        AnnotationCompilerEndOp::getOperationName(),
        AnnotationStopFusionOp::getOperationName(),
        AnnotationWithFuncidOp::getOperationName(),
        DeviceCopyOp::getOperationName(), OnDeviceOp::getOperationName()})
    table.add(name, evaluateMarker);
  table.add<RelayOpAnnotationSimulatedQuantizeOp>(evaluateSimulatedQuantize);
}
