//===- Tensor.h - Tensors of tests ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_RUNTIME_TENSOR_H
#define RELAY_MLIR_TEST_UNIT_RUNTIME_TENSOR_H

#include "relay-mlir-c/Runtime.h"

#include <utility>
#include <vector>

namespace relay_test {

/// A float tensor over caller's memory.
struct Tensor {
  Tensor(std::vector<int64_t> dims, float *data) : shape(std::move(dims)) {
    tensor.data = data;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(shape.size());
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape.data();
  }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  std::vector<int64_t> shape;
  DLTensor tensor = {};
};

} // namespace relay_test

#endif // RELAY_MLIR_TEST_UNIT_RUNTIME_TENSOR_H
