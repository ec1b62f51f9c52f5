//===- CudaCode.h - Code for devices of kind cuda ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is a header of lines, and images behind it:
//
//   relay-cuda 1
//   image <ptx|cubin|mlir> <arch> <bytes>
//   kernel <name> <buffers> <dims>
//   launch <entry> <gridX> <gridY> <gridZ> <blockX> <blockY> <blockZ> <shared>
//   end
//
// A kernel is the launches behind it. Sizes of a grid and bytes of shared
// memory are expressions over the sizes of a kernel, operands first:
// d0,128,ceildiv.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_DEVICE_CUDACODE_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_DEVICE_CUDACODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::relay {

/// An expression over the sizes of a kernel.
class SizeExpression {
public:
  /// Reads one over `numDims` sizes.
  static llvm::Expected<SizeExpression> parse(llvm::StringRef text,
                                              unsigned numDims);

  /// Fails where a number is divided by 0, or is too large.
  llvm::Expected<int64_t> evaluate(llvm::ArrayRef<int64_t> dims) const;

private:
  enum class Kind {
    Number,
    Dim,
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Max,
    Min
  };
  struct Item {
    Kind kind;
    int64_t number = 0;
  };
  llvm::SmallVector<Item, 4> items;
  std::string text;
};

struct CudaLaunch {
  std::string entry;
  std::array<SizeExpression, 3> grid;
  std::array<int64_t, 3> block;
  SizeExpression sharedBytes;
  int64_t cluster = 1;
};

struct CudaKernel {
  std::string name;
  unsigned numBuffers = 0;
  unsigned numDims = 0;
  std::vector<CudaLaunch> launches;
};

struct CudaCode {
  struct Image {
    llvm::StringRef kind, arch, bytes;
  };
  std::vector<Image> images;
  std::vector<CudaKernel> kernels;

  /// Reads code; images stay where they are.
  static llvm::Expected<CudaCode> parse(llvm::StringRef data);
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_DEVICE_CUDACODE_H
