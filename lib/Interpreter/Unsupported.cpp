//===- Unsupported.cpp - Operators that cannot run ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Unsupported.h"

#include "Evaluators.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"

using namespace mlir;
using namespace mlir::relay;

namespace {
/// An operation, and what the interpreter expects instead.
struct Unsupported {
  StringRef name, instead;
};
} // namespace

static ArrayRef<Unsupported> getUnsupported() {
  // Values of the interpreter own their memory: there is none to allocate.
  static constexpr StringLiteral beforeAllocation =
      "the program before allocations are made explicit";
  static const Unsupported operations[] = {
      {CallLoweredOp::getOperationName(),
       "a function of Relay, called by relay.call or relay.call_indirect, "
       "instead of one that is lowered"},
      {MemoryAllocStorageOp::getOperationName(), beforeAllocation},
      {MemoryAllocTensorOp::getOperationName(), beforeAllocation},
      {ParserMetaRefOp::getOperationName(),
       "the contents of the metadata in its place"},
      {TorchOp::getOperationName(),
       "operators of Relay instead of a TorchScript function, which only "
       "libtorch can run"},
      {VmInvokeTvmOp::getOperationName(), beforeAllocation},
      {VmShapeFuncOp::getOperationName(), beforeAllocation}};
  return operations;
}

bool mlir::relay::isUnsupportedByInterpreter(OperationName name) {
  return llvm::any_of(getUnsupported(), [&](const Unsupported &operation) {
    return operation.name == name.getStringRef();
  });
}

void relay::detail::populateUnsupportedEvaluators(EvaluatorTable &table) {
  for (const Unsupported &operation : getUnsupported()) {
    StringRef instead = operation.instead;
    table.add(operation.name,
              [instead](Operation *op, ArrayRef<InterpreterValue>)
                  -> FailureOr<InterpreterValue> {
                return op->emitOpError("expects ") << instead;
              });
  }
}
