//===- CUDACode.h - Code for devices of kind cuda ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler puts into an artefact for devices of kind "cuda", as
// format "cuda": lines of text, and then the bytes of images.
//
//   relay-cuda 1
//   image <ptx|cubin|mlir> <arch> <number of bytes>
//   ...
//   kernel <name> <number of buffers> <number of dims>
//   launch <entry> <gridX> <gridY> <gridZ> <blockX> <blockY> <blockZ>
//     <dynamic shared bytes> [flags...]          (in the same line)
//   ...
//   end
//   <bytes of the images, in order, without anything between them>
//
// One space separates words, one '\n' ends a line. A kernel is a sequence of
// launches, those of the lines that follow it. The sizes of the grid and the
// dynamic shared bytes are expressions over the kernel's dims; those of a block
// are integers. A launch whose grid has a size of 0 is skipped. The flag
// `cluster=X` makes clusters of X blocks along x; `buffers=0,3` says which
// buffers of the kernel the entry has as parameters, in order, if not all.
// Images of MLIR bytecode are for executors in software, which are what else
// may include this file: it needs no CUDA and throws nothing.
//
// Every entry has as parameters the address of each of its buffers, then each
// dim as an int64, then the address of the status, a uint32 in memory of the
// device: code that finds an index out of range stores the number of its kernel
// there, counted from 1, if it is 0.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_CUDACODE_H
#define RELAY_MLIR_RUNTIME_CUDACODE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace relay_cuda {

/// The name of the format.
constexpr const char *kCodeFormat = "cuda";

/// An expression over the dims of a kernel.
class Expression {
public:
  /// Reads an expression in postfix form, items separated by commas: integers,
  /// `d0` for dims[0], and the operators + - * floordiv ceildiv mod max min,
  /// such as "d0,128,*,255,ceildiv". Returns false, and the reason, if it is
  /// none.
  bool parse(const std::string &text, int32_t numDims, std::string &reason);

  /// Returns false if a division is not by a positive number, or a value has
  /// more than 64 bits.
  bool evaluate(const int64_t *dims, int64_t &value) const;

  /// Whether the value does not depend on dims.
  bool isConstant() const;

private:
  enum class Kind {
    Constant,
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
    int64_t value;
  };
  std::vector<Item> items;
};

/// A chip, such as sm_90a.
struct Architecture {
  int major = 0, minor = 0;
  /// 0; 'a' for code that runs on this chip alone; 'f' for code that runs on
  /// chips of the same major number too.
  char suffix = 0;

  bool parse(const std::string &text);
};

struct Image {
  enum class Kind { PTX, Cubin, MLIR };
  Kind kind;
  std::string archName;
  Architecture arch;
  const char *data;
  uint64_t size;
};

struct Launch {
  std::string entry;
  Expression grid[3];
  uint32_t block[3];
  Expression sharedBytes;
  /// Blocks of a cluster, along x; 0 for none.
  uint32_t cluster = 0;
  /// Whether the entry has all buffers of the kernel, or else the numbers of
  /// those that it has.
  bool hasAllBuffers = true;
  std::vector<int32_t> buffers;

  /// Calls `add` with the number of each buffer that is a parameter.
  template <typename Function>
  void forEachBuffer(int32_t numBuffers, Function add) const {
    if (!hasAllBuffers)
      for (int32_t number : buffers)
        add(number);
    else
      for (int32_t number = 0; number != numBuffers; ++number)
        add(number);
  }
};

struct Kernel {
  std::string name;
  int32_t numBuffers, numDims;
  std::vector<Launch> launches;
};

struct Code {
  std::vector<Image> images;
  std::vector<Kernel> kernels;
};

/// Reads code; images point into `data`. Returns false, and which line is wrong
/// and why, if it is not as the compiler writes it.
bool parseCode(const void *data, uint64_t size, Code &code,
               std::string &reason);

/// Returns the image for a chip: machine code if there is some for it, or else
/// PTX; null if there is none.
const Image *chooseImage(const Code &code, int major, int minor);

/// The chips of all images but those of MLIR, for messages, such as
/// "cubin sm_80, ptx sm_90a".
std::string describeImages(const Code &code);

} // namespace relay_cuda

#endif // RELAY_MLIR_RUNTIME_CUDACODE_H
