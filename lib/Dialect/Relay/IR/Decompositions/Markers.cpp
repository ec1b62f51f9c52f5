//===- Markers.cpp - Marks that have done what they are for ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands between operators for passes of the user. Passes of every
// compilation that look for marks (devices, fusion) take them away themselves.
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

namespace mlir::relay::decompositions {

static FailureOr<Value> write(AnnotationBitpackEndOp op, Decomposition &) {
  return op.getData();
}
static FailureOr<Value> write(AnnotationBitpackStartOp op, Decomposition &) {
  return op.getData();
}
static FailureOr<Value> write(AnnotationCastHintOp op, Decomposition &) {
  return op.getData();
}

/// Only the partial evaluator asks which function it is.
static FailureOr<Value> write(AnnotationWithFuncidOp op, Decomposition &) {
  return op.getFunc();
}

/// The machine of relay asks for sizes that are on the host. All sizes are.
static Term write(VmShapeOfOp op, Decomposition &d) {
  Type elementType = getElementTypeOrSelf(op.getType());
  return d.make<ShapeOfOp>(op.getTensor(), TypeAttr::get(elementType));
}

static Term write(VmReshapeTensorOp op, Decomposition &d) {
  return d.make<DynReshapeOp>(op.getData(), op.getShape(), DenseI64ArrayAttr(),
                              /*allowzero=*/true);
}

} // namespace mlir::relay::decompositions

void decompositions::registerMarkers(MLIRContext *context) {
  attach<AnnotationBitpackEndOp, AnnotationBitpackStartOp, AnnotationCastHintOp,
         AnnotationWithFuncidOp, VmReshapeTensorOp, VmShapeOfOp>(context);
}
