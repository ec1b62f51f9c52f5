//===- Words.h - What lines of a function are made of -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. All functions throw std::runtime_error.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_ONEDNN_WORDS_H
#define RELAY_MLIR_LIB_RUNTIME_ONEDNN_WORDS_H

#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

namespace relay_dnnl {

using Dims = dnnl::memory::dims;

template <typename T>
inline T read(std::istringstream &line, const char *what) {
  T value;
  if (!(line >> value))
    throw std::runtime_error("expects " + std::string(what) + " in '" +
                             line.str() + "'");
  return value;
}

/// The number of an input, an output or a value; there are not many.
inline size_t readNumber(std::istringstream &line, const char *what) {
  auto value = read<int64_t>(line, what);
  if (value < 0 || value >= (1 << 20))
    throw std::runtime_error("expects " + std::string(what) + " from 0, in '" +
                             line.str() + "'");
  return static_cast<size_t>(value);
}

inline size_t readRank(std::istringstream &line, size_t least = 1) {
  size_t rank = readNumber(line, "a number of dimensions");
  if (rank < least || rank > DNNL_MAX_NDIMS)
    throw std::runtime_error(
        "expects at most " + std::to_string(DNNL_MAX_NDIMS) +
        " dimensions, and at least " + std::to_string(least));
  return rank;
}

inline Dims readDims(std::istringstream &line, size_t count) {
  Dims dims;
  for (size_t i = 0; i != count; ++i)
    dims.push_back(read<int64_t>(line, "a dimension"));
  return dims;
}

/// Reads the sizes of a tensor, whose bytes can be counted.
inline Dims readSizes(std::istringstream &line, size_t rank) {
  Dims sizes = readDims(line, rank);
  int64_t elements = 1;
  for (int64_t size : sizes)
    if (size <= 0 || __builtin_mul_overflow(elements, size, &elements) ||
        elements > (int64_t(1) << 56))
      throw std::runtime_error("expects sizes from 1, of a tensor that fits "
                               "into memory, in '" +
                               line.str() + "'");
  return sizes;
}

/// Reads a shape. The elements are some of as many as there are, each once.
inline dnnl::memory::desc readShape(std::istringstream &line) {
  size_t rank = readRank(line);
  Dims dims = readSizes(line, rank), strides = readDims(line, rank);
  int64_t elements = 1, last = 0;
  for (size_t i = 0; i != rank; ++i) {
    elements *= dims[i];
    if (strides[i] <= 0 || strides[i] > (int64_t(1) << 56) / dims[i])
      throw std::runtime_error("expects strides from 1, in '" + line.str() +
                               "'");
    last += (dims[i] - 1) * strides[i];
  }
  if (last >= elements)
    throw std::runtime_error("expects strides of contiguous elements, in '" +
                             line.str() + "'");
  return {dims, dnnl::memory::data_type::f32, strides};
}

} // namespace relay_dnnl

#endif // RELAY_MLIR_LIB_RUNTIME_ONEDNN_WORDS_H
