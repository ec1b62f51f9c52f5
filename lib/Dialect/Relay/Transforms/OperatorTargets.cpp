//===- OperatorTargets.cpp - What computes operators ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorTargets.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::hasVectorsAndCaches(TargetAttrInterface target) {
  return target.getThreading() != Threading::Grid &&
         target.getVectorBits() != 0 && target.getCacheSizes().l3 != 0;
}

/// Where a copy ends; null if it does not say, or not what there is, which is
/// an error elsewhere.
static DeviceAttr getDestination(DeviceCopyOp copy) {
  std::optional<DictionaryAttr> device = copy.getDstVirtualDevice();
  if (!device)
    return {};
  FailureOr<DeviceAttr> result = DeviceAttr::fromVirtualDevice(*device, [&] {
    InFlightDiagnostic diag = copy.emitOpError();
    diag.abandon();
    return diag;
  });
  return succeeded(result) && *result && !result->isHost() ? *result
                                                           : DeviceAttr();
}

OperatorTargets::OperatorTargets(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    DeviceAttr device;
    if (auto copy = dyn_cast<DeviceCopyOp>(op))
      device = getDestination(copy);
    else
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && !device)
          device = devices.lookup(source);
    if (device)
      devices[op] = device;
  });
}
