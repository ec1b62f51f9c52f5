//===- MachinePeak.h - Measured limits of this machine ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_MACHINEPEAK_H
#define RELAY_MLIR_SUPPORT_MACHINEPEAK_H

#include <string>
#include <vector>

namespace mlir::relay {

/// What no program can exceed.
struct MachinePeak {
  /// f32 operations per second, a fused multiply-add counting two.
  double flopsPerSecond = 0;
  /// Bytes per second of a copy between arrays far larger than the caches,
  /// bytes read and bytes written.
  double bytesPerSecond = 0;
  /// The instructions of the multiply-adds: "avx512", "fma", ...
  const char *instructions = "";
};

/// Measures both with `numThreads` threads at work at once, in about half a
/// second.
MachinePeak measureMachinePeak(int numThreads);

/// The processor's name, "unknown" if the system does not tell.
std::string getProcessorName();

/// Those of the instruction sets that matter to kernels that this processor
/// has.
std::vector<std::string> getProcessorFeatures();

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_MACHINEPEAK_H
