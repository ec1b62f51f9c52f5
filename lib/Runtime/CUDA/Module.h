//===- Module.h - Code on a device ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_MODULE_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_MODULE_H

#include "Device.h"

#include "relay-mlir/Runtime/CUDACode.h"

namespace relay_cuda {

class Module;

/// A kernel whose entries have been found.
struct LoadedKernel {
  /// Of all kernels of all modules, from 1 on.
  uint64_t id;
  const Module *module;
  const Kernel *description;
  /// One for each launch.
  std::vector<Function> functions;
};

class Module {
public:
  /// Throws if the code is not as the compiler writes it, or is for other
  /// devices.
  Module(Device &device, const void *data, uint64_t size);
  ~Module();
  Module(const Module &) = delete;

  /// Throws if there is none of that name.
  const LoadedKernel &find(const char *name) const;

  /// The name of the kernel that the status of a stream names.
  std::string getName(uint32_t number) const;

private:
  void loadImage(const Image &image);
  Function findEntry(const Kernel &kernel, const Launch &launch,
                     const Image &image) const;

  Device &device;
  Code code;
  DriverModule handle = nullptr;
  std::vector<LoadedKernel> kernels;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_MODULE_H
