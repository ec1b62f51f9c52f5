//===- Delegate.cpp - Operators that mean another one ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Delegate.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;

/// Sizes that come from data may be anything: none of them may exhaust memory.
static LogicalResult checkSizes(Operation *op) {
  constexpr int64_t maxElements = int64_t(1) << 32;
  auto check = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t count = 1;
    if (tensor)
      for (int64_t size : tensor.getShape())
        if (size &&
            (llvm::MulOverflow(count, size, count) || count > maxElements))
          return op->emitOpError("expects up to ")
                 << maxElements << " elements, but got " << tensor;
    return success();
  };
  if (auto tuple = dyn_cast<TupleType>(op->getResult(0).getType()))
    return success(llvm::all_of(
        tuple.getTypes(), [&](Type field) { return succeeded(check(field)); }));
  return check(op->getResult(0).getType());
}

FailureOr<InterpreterValue>
mlir::relay::evaluateState(OperationState &state, ArrayRef<Tensor> operands,
                           const Evaluator &evaluator) {
  Block scratch; // Owns the operation, and arguments that stand for operands.
  SmallVector<InterpreterValue> values;
  for (const Tensor &operand : operands) {
    state.operands.push_back(
        scratch.addArgument(operand.getType(), state.location));
    values.push_back(operand);
  }
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  MLIRContext *context = state.getContext();
  if (failed(inference->inferReturnTypes(
          context, state.location, state.operands,
          state.attributes.getDictionary(context), state.getRawProperties(), {},
          state.types)))
    return failure();
  Operation *op = Operation::create(state);
  scratch.push_back(op);
  if (failed(op->getName().verifyInvariants(op)) || failed(checkSizes(op)))
    return failure();
  return evaluator(op, values);
}
