//===- Driver.h - NVIDIA's driver -------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVER_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVER_H

#include "DriverAPI.h"

#include <string>

namespace relay_cuda {

/// Functions of the driver. It is loaded when it is first needed.
class Driver {
public:
  /// Throws, saying what is missing and what to do, if there is no driver that
  /// can be used; a later call tries again.
  static const Driver &get();

  /// How many devices there are, at least one.
  int getNumDevices() const { return numDevices; }

  /// What a result means, such as "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(Result result) const;

#define RELAY_CUDA_FUNCTION(NAME, SYMBOL, PARAMETERS) Result(*NAME) PARAMETERS;
  RELAY_CUDA_FUNCTIONS(RELAY_CUDA_FUNCTION)
#undef RELAY_CUDA_FUNCTION

private:
  Driver();
  void load(void *library, const std::string &path);

  int numDevices = 0;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_DRIVER_H
