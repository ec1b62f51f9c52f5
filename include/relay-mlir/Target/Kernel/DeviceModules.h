//===- DeviceModules.h - Code for other devices -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_DEVICEMODULES_H
#define RELAY_MLIR_TARGET_KERNEL_DEVICEMODULES_H

#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// The code of all kernels for devices of one kind.
struct DeviceModule {
  std::string kind;
  DeviceCode code;
};

/// Whether a kernel is for the target of its module, and is linked with the
/// program.
bool isForHost(Operation *kernel);

/// Lets the targets in `target.device_specs` of a module make code of those of
/// its kernels, in the form tir-scheduled, that are for them. The module stays
/// as it is. Errors are reported at kernels or at the module.
FailureOr<std::vector<DeviceModule>> generateDeviceModules(ModuleOp module);

/// What the code generator of a target may be whose devices have a processor
/// that LLVM knows: `processor` describes it, as --target does. The kernels of
/// the module, which is consumed, become code of the format
/// RELAY_MODULE_FORMAT_LIBRARY.
FailureOr<DeviceCode> compileKernelLibrary(ModuleOp kernels,
                                           StringRef processor);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_DEVICEMODULES_H
