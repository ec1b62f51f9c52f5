//===- Memory.cpp - Explicit memory, and the virtual machine --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has a meaning without memory: values of the interpreter own theirs. The
// allocations are among the operators in Unsupported.cpp.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

using namespace mlir;
using namespace mlir::relay;

static FailureOr<InterpreterValue> evaluateKill(Operation *,
                                                ArrayRef<InterpreterValue>) {
  return InterpreterValue(std::vector<InterpreterValue>());
}

static FailureOr<Tensor> evaluateShapeOf(VmShapeOfOp op,
                                         ArrayRef<Tensor> operands) {
  return Tensor::getVector(getResultElementType(op), operands[0].getShape());
}

static FailureOr<Tensor> evaluateReshapeTensor(VmReshapeTensorOp op,
                                               ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  SmallVector<int64_t> shape = operands[1].loadAll<int64_t>();
  // A scalar's shape is a scalar or an empty vector.
  if (operands[1].getRank() == 0)
    shape.clear();
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }) ||
      getProduct(shape) != data.getNumElements())
    return op.emitOpError("expects a shape of ")
           << data.getNumElements() << " elements, but got [" << shape << "]";
  return data.reshape(shape);
}

void relay::detail::populateMemoryEvaluators(EvaluatorTable &table) {
  table.add(MemoryKillOp::getOperationName(), evaluateKill);
  table.add<VmShapeOfOp>(evaluateShapeOf);
  table.add<VmReshapeTensorOp>(evaluateReshapeTensor);
}
