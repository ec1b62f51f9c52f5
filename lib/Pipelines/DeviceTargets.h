//===- DeviceTargets.h - Names of targets with devices ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_PIPELINES_DEVICETARGETS_H
#define RELAY_MLIR_LIB_PIPELINES_DEVICETARGETS_H

#include "relay-mlir/Pipelines/Options.h"

namespace mlir::relay {

/// Divides `options.target` if it names a kind of devices, such as
/// "cuda -arch=sm_90a,x86-64-v3": into the target of the processor, that of the
/// devices, and the device that the model runs on. Returns what is wrong with
/// it, else an empty text.
std::string resolveDeviceTargets(CompileOptions &options);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_PIPELINES_DEVICETARGETS_H
