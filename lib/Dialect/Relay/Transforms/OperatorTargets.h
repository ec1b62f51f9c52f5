//===- OperatorTargets.h - What computes operators --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORTARGETS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORTARGETS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {

/// Whether estimates by vectors and caches say something of a target.
bool hasVectorsAndCaches(TargetAttrInterface target);

/// The targets of the operators of a function whose devices are planned
/// (--relay-plan-devices): an operator is where its operands are, and a value
/// where the last `device_copy` before it has put it, or on the host.
class OperatorTargets {
public:
  explicit OperatorTargets(func::FuncOp function);

  /// Null if nothing says what code on the device of `op` is for.
  TargetAttrInterface lookup(Operation *op) const {
    return lookupDeviceTarget(op, devices.lookup(op));
  }
  /// The same, or an error that says how to give one.
  FailureOr<TargetAttrInterface> get(Operation *op) const {
    return getDeviceTarget(op, devices.lookup(op));
  }

private:
  /// Of what is not on the host.
  DenseMap<Operation *, DeviceAttr> devices;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_OPERATORTARGETS_H
