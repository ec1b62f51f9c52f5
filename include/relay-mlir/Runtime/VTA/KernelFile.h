//===- KernelFile.h - Kernels of VTA in artefacts ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code of devices of kind "vta", in the format "vta 1": functions, each a
// program and where its buffers are in memory. docs/VTA.md describes the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_KERNELFILE_H
#define RELAY_MLIR_RUNTIME_VTA_KERNELFILE_H

#include "relay-mlir/Runtime/VTA/ProgramFile.h"

namespace relay_vta {

/// What an artefact calls the format.
constexpr char kKernelFormat[] = "vta 1";

/// A function on buffers: inputs and outputs.
struct Kernel {
  struct Buffer {
    /// In the memory of the program.
    uint64_t address = 0, bytes = 0;
    /// The program reads it, writes it.
    bool isInput = false, isOutput = false;
  };

  std::string name;
  std::vector<Buffer> buffers;
  Program program;
};

/// Reads kernels. Returns what is wrong with them; empty if nothing is.
std::string readKernels(const uint8_t *bytes, size_t size,
                        std::vector<Kernel> &kernels);

std::vector<uint8_t> writeKernels(const std::vector<Kernel> &kernels);

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_KERNELFILE_H
