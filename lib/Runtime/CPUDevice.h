//===- CPUDevice.h - Processors as devices ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CPUDEVICE_H
#define RELAY_MLIR_LIB_RUNTIME_CPUDEVICE_H

#include "relay-mlir-c/Device.h"

namespace relay_rt {

/// What drives devices of kind "cpu": as many as anybody asks for, each with
/// memory of its own, on which alone its kernels and copies work. Their kernels
/// are functions of the host and run at once.
const RelayDeviceAPI &getCPUDeviceAPI();

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_CPUDEVICE_H
