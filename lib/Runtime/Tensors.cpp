//===- Tensors.cpp - Sizes, memory and text of tensors --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace relay_rt;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void AlignedFree::operator()(void *pointer) const { std::free(pointer); }

AlignedBuffer relay_rt::allocateAligned(size_t bytes) {
  size_t align = RELAY_BUFFER_ALIGNMENT;
  // The system hands out large blocks page by page when they are first written.
  // Of usual pages that takes several times as long as writing them.
  constexpr size_t kHugePage = 2 << 20;
  bool isLarge = bytes >= 4 * kHugePage;
  if (isLarge)
    align = kHugePage;
  if (bytes > SIZE_MAX - align)
    throw std::bad_alloc();
  // aligned_alloc wants a multiple of the alignment.
  size_t size = std::max(align, (bytes + align - 1) / align * align);
  void *pointer = std::aligned_alloc(align, size);
  if (!pointer)
    throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (isLarge)
    (void)madvise(pointer, size, MADV_HUGEPAGE);
#endif
  return AlignedBuffer(pointer);
}

void relay_rt::failToAllocate(size_t bytes, const std::string &what) {
  fail(RELAY_OUT_OF_MEMORY, "out of memory: cannot allocate ", bytes,
       " bytes for ", what);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Elements of fewer bits have a byte each, too.
static size_t getElementBytes(DLDataType type) { return (type.bits + 7) / 8; }

bool relay_rt::isSameDType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::optional<size_t> relay_rt::getNumBytes(DLDataType type,
                                            const int64_t *dims, int32_t rank) {
  if (std::find(dims, dims + rank, 0) != dims + rank)
    return 0;
  auto bytes = static_cast<int64_t>(getElementBytes(type));
  for (int32_t i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(bytes, dims[i], &bytes))
      return std::nullopt;
  return static_cast<size_t>(bytes);
}

bool relay_rt::isContiguous(const DLTensor &tensor) {
  int64_t *end = tensor.shape + tensor.ndim;
  if (!tensor.strides || std::find(tensor.shape, end, 0) != end)
    return true;
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

AlignedBuffer relay_rt::copyContiguous(const DLTensor &tensor) {
  size_t elementSize = getElementBytes(tensor.dtype);
  size_t bytes = *getNumBytes(tensor.dtype, tensor.shape, tensor.ndim);
  AlignedBuffer buffer = allocateAligned(bytes);
  char *to = static_cast<char *>(buffer.get());
  std::vector<int64_t> index(tensor.ndim, 0);
  for (char *end = to + bytes; to != end; to += elementSize) {
    int64_t offset = 0;
    for (int32_t d = 0; d < tensor.ndim; ++d)
      offset += index[d] * tensor.strides[d];
    std::memcpy(to, getData(tensor) + offset * int64_t(elementSize),
                elementSize);
    for (int32_t d = tensor.ndim - 1; d >= 0; --d) {
      if (++index[d] < tensor.shape[d])
        break;
      index[d] = 0;
    }
  }
  return buffer;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string relay_rt::describeDType(DLDataType type) {
  if (type.code == 6)
    return "bool";
  // The codes that DLPack has for floats of 8 and 4 bits.
  static const struct {
    uint8_t code;
    const char *name;
  } smallFloats[] = {{10, "float8_e4m3fn"},  {11, "float8_e4m3fnuz"},
                     {12, "float8_e5m2"},    {13, "float8_e5m2fnuz"},
                     {14, "float8_e8m0fnu"}, {17, "float4_e2m1fn"}};
  for (const auto &entry : smallFloats)
    if (entry.code == type.code && type.lanes == 1)
      return entry.name;
  std::string text = type.code == kDLInt      ? "int"
                     : type.code == kDLUInt   ? "uint"
                     : type.code == kDLFloat  ? "float"
                     : type.code == kDLBfloat ? "bfloat"
                                              : "unknown";
  text += std::to_string(type.bits);
  if (type.lanes != 1)
    text += "x" + std::to_string(type.lanes);
  return text;
}

std::string relay_rt::describeDims(const int64_t *dims, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}
