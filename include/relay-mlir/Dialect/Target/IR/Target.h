//===- Target.h - The target dialect ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_TARGET_H
#define RELAY_MLIR_DIALECT_TARGET_IR_TARGET_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"
#include "relay-mlir/Dialect/Target/IR/Machine.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>

namespace mlir::relay {
class CPUAttr;

/// Code of kernels for devices that are no processor of the host.
struct DeviceCode {
  /// What `load_module` of the devices' RelayDeviceAPI knows it by.
  std::string format;
  std::string data;
};
} // namespace mlir::relay

#include "relay-mlir/Dialect/Target/IR/TargetDialect.h.inc"
#include "relay-mlir/Dialect/Target/IR/TargetEnums.h.inc"

#include "relay-mlir/Dialect/Target/IR/TargetInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Target/IR/TargetAttributes.h.inc"

namespace mlir::relay {

/// The target of an operation, its own or that of the nearest one around it;
/// null if there is none.
TargetAttrInterface lookupTarget(Operation *op);

/// The same, or an error that says how to give it one.
FailureOr<TargetAttrInterface> getTarget(Operation *op);

/// The processor of an operation, or an error if it is not for a processor.
FailureOr<CPUAttr> getTargetCPU(Operation *op);

/// What kernels on a device are compiled for: the target of `op` on devices of
/// kind cpu, and what `target.device_specs` around it says on others; null if
/// that says nothing.
TargetAttrInterface lookupDeviceTarget(Operation *op, DeviceAttr device);

/// The same, or an error that says how to give one.
FailureOr<TargetAttrInterface> getDeviceTarget(Operation *op,
                                               DeviceAttr device);

/// What `target` tells of the memory called `name`, if it has it.
std::optional<MemoryInfo> lookupMemory(TargetAttrInterface target,
                                       StringRef name);

/// What `target` calls its memories: "global, local".
std::string getMemoryNames(TargetAttrInterface target);

/// How exactly an operation computes, itself or as the nearest one around it
/// says.
Precision getPrecision(Operation *op);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_TARGET_IR_TARGET_H
