//===- CUDA.h - NVIDIA GPUs as targets --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_CUDA_IR_CUDA_H
#define RELAY_MLIR_DIALECT_CUDA_IR_CUDA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include <array>

namespace mlir::cuda {

/// The kind of devices that the run time knows them by.
inline constexpr StringLiteral kDeviceKind = "cuda";

/// What schedules and code generation ask of an architecture. Numbers are those
/// of the table of compute capabilities in NVIDIA's CUDA programming guide.
struct ArchInfo {
  StringRef name;
  /// The first version of PTX that knows it, times ten.
  int ptxVersion;
  /// Of a typical device: streaming multiprocessors.
  int64_t numMultiprocessors;
  /// Bytes of shared memory that one block may have, and all blocks of a
  /// multiprocessor.
  int64_t sharedPerBlock, sharedPerMultiprocessor;
  /// Products of matrices by `wgmma`.
  bool hasWarpgroupProducts;

  /// Threads of a warp and of a block, and registers of a multiprocessor: the
  /// same for all.
  static constexpr int64_t kWarpSize = 32;
  static constexpr int64_t kMaxBlockSize = 1024;
  static constexpr int64_t kNumRegisters = 65536;
  /// Blocks of a grid along each dimension.
  static constexpr std::array<int64_t, 3> kMaxGrid = {INT32_MAX, 65535, 65535};
};

/// What is known of `arch`; null for one that there is no code for.
const ArchInfo *lookupArch(StringRef arch);

/// The one whose code makes most of a device of compute capability
/// `capability`, times ten; null if there is none that the device runs.
const ArchInfo *lookupArchOfDevice(int capability);

/// All architectures that there is code for: "sm_80, sm_90, ...".
std::string getArchNames();

/// The memory that the threads of a block share.
inline constexpr StringLiteral kShared = "shared";

} // namespace mlir::cuda

#include "relay-mlir/Dialect/CUDA/IR/CUDADialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/CUDA/IR/CUDAAttributes.h.inc"

#endif // RELAY_MLIR_DIALECT_CUDA_IR_CUDA_H
