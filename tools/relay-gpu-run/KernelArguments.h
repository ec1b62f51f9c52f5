//===- KernelArguments.h - Arguments of a kernel from text ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_GPU_RUN_KERNELARGUMENTS_H
#define RELAY_MLIR_TOOLS_RELAY_GPU_RUN_KERNELARGUMENTS_H

#include "relay-mlir/GPUExecutor/GPUExecutor.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::relay {

/// Where the buffers of a run are; `KernelArguments` has them.
class KernelArguments {
public:
  explicit KernelArguments(MLIRContext *context) : context(context) {}

  /// Adds an argument:
  ///   7              an integer
  ///   f32:1.5        a float
  ///   2x3xf32        a buffer of zeros
  ///   2x3xf32=1,2    a buffer that begins with these numbers
  ///   64xi8=iota     a buffer with 0, 1, 2 and so on
  llvm::Error add(StringRef text);

  ArrayRef<uint64_t> getValues() const { return values; }
  GPUMemory &getMemory() { return memory; }

  /// Prints the elements of the buffer that is an argument.
  llvm::Error print(unsigned number, raw_ostream &os) const;

private:
  struct Buffer {
    std::unique_ptr<char[]> bytes;
    int64_t count = 0;
    Type type;
  };

  MLIRContext *context;
  SmallVector<uint64_t> values;
  std::map<unsigned, Buffer> buffers;
  GPUMemory memory;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TOOLS_RELAY_GPU_RUN_KERNELARGUMENTS_H
