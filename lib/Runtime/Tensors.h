//===- Tensors.h - Sizes, memory and text of tensors ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_TENSORS_H
#define RELAY_MLIR_LIB_RUNTIME_TENSORS_H

#include "relay-mlir-c/Runtime.h"

#include <memory>
#include <optional>
#include <string>

namespace relay_rt {

struct AlignedFree {
  void operator()(void *pointer) const;
};
using AlignedBuffer = std::unique_ptr<void, AlignedFree>;

/// Returns memory of RELAY_BUFFER_ALIGNMENT; throws std::bad_alloc.
AlignedBuffer allocateAligned(size_t bytes);

/// Throws an Error that says for what there is no memory.
[[noreturn]] void failToAllocate(size_t bytes, const std::string &what);

bool isSameDType(DLDataType a, DLDataType b);

/// The bytes of a tensor whose sizes are not negative; nothing if they are
/// 2^63 or more. A tensor without elements has none, whatever its other sizes.
std::optional<size_t> getNumBytes(DLDataType type, const int64_t *dims,
                                  int32_t rank);

inline char *getData(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

/// Whether the elements of a tensor, whose bytes are known to be countable, lie
/// in row-major order without gaps.
bool isContiguous(const DLTensor &tensor);

/// Copies a strided tensor, whose bytes are countable, into row-major order;
/// throws std::bad_alloc.
AlignedBuffer copyContiguous(const DLTensor &tensor);

/// Text for messages: "float32", "[1, 2]".
std::string describeDType(DLDataType type);
std::string describeDims(const int64_t *dims, int32_t rank);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_TENSORS_H
