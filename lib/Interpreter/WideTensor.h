//===- WideTensor.h - Tensors of wide values by index -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_WIDETENSOR_H
#define RELAY_MLIR_LIB_INTERPRETER_WIDETENSOR_H

#include "relay-mlir/Interpreter/Tensor.h"

#include <vector>

namespace mlir::relay {

/// A row-major tensor in the type in which one computes: double, int64_t or
/// uint64_t. For definitions that read like their formulas.
template <typename W>
class WideTensor {
public:
  explicit WideTensor(const Tensor &tensor)
      : shape(tensor.getShape()), values(tensor.getNumElements()) {
    tensor.load(0, 1, tensor.getNumElements(), values.data());
  }
  explicit WideTensor(ArrayRef<int64_t> shape, W fill = W(0)) : shape(shape) {
    int64_t size = 1;
    for (int64_t dim : shape)
      size *= dim;
    values.assign(size, fill);
  }
  explicit WideTensor(std::initializer_list<int64_t> shape, W fill = W(0))
      : WideTensor(ArrayRef<int64_t>(shape), fill) {}

  int64_t size(int64_t dim) const { return shape[dim]; }
  ArrayRef<int64_t> getShape() const { return shape; }

  /// The element at an index, one value per dimension.
  template <typename... Index>
  W &operator()(Index... index) {
    return values[getOffset(index...)];
  }
  template <typename... Index>
  W operator()(Index... index) const {
    return values[getOffset(index...)];
  }

  Tensor toTensor(Type elementType) const {
    Tensor tensor = Tensor::allocate(shape, elementType);
    tensor.store(0, values.size(), values.data());
    return tensor;
  }

private:
  template <typename... Index>
  int64_t getOffset(Index... index) const {
    int64_t offset = 0;
    const int64_t *size = shape.begin();
    ((offset = offset * *size++ + static_cast<int64_t>(index)), ...);
    return offset;
  }

  SmallVector<int64_t> shape;
  std::vector<W> values;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_WIDETENSOR_H
