//===- Tensor.h - Tensors in host memory ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INTERPRETER_TENSOR_H
#define RELAY_MLIR_INTERPRETER_TENSOR_H

#include "relay-mlir/Interpreter/ElementTypes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace mlir::relay {

/// Thrown when memory for a tensor is asked for that cannot be had. The
/// interpreter turns it into an error at the operation.
struct TensorTooLarge {
  RankedTensorType type;
};

/// A tensor of static shape: row-major and contiguous in host memory, a bool in
/// one byte (0 or 1). Copies and reshapes share the memory, which must
/// therefore not be written after the tensor was handed out.
class Tensor {
public:
  Tensor() = default;

  /// Whether tensors of this element type exist.
  static bool supports(Type elementType) {
    return isSupportedElementType(elementType);
  }

  /// Returns a new tensor with unspecified elements, aligned to 64 bytes; one
  /// of at most 16 bytes, such as a scalar, to 16 bytes. Throws TensorTooLarge.
  static Tensor allocate(ArrayRef<int64_t> shape, Type elementType);
  static Tensor allocate(RankedTensorType type);

  /// The same for code that knows no exceptions; nothing if it is too large.
  static std::optional<Tensor> tryAllocate(RankedTensorType type);

  /// How large a tensor may be; by default as large as the machine's memory.
  static int64_t getMaxSizeInBytes();
  static void setMaxSizeInBytes(int64_t size);

  /// Returns a new tensor with every element zero.
  static Tensor allocateZeros(ArrayRef<int64_t> shape, Type elementType);

  /// Returns a tensor over existing memory of the right size and alignment,
  /// which `owner` keeps alive (null: it outlives the tensor).
  static Tensor view(RankedTensorType type, const void *data,
                     std::shared_ptr<const void> owner = nullptr);

  /// Returns the contents of a dense attribute, without a copy where its memory
  /// has the form described above.
  static FailureOr<Tensor> get(ElementsAttr attr,
                               function_ref<InFlightDiagnostic()> emitError);

  /// Returns a rank-0 or rank-1 tensor of the given integers.
  static Tensor getScalar(Type elementType, int64_t value);
  static Tensor getVector(Type elementType, ArrayRef<int64_t> values);

  /// Returns the contents as a dense attribute (a copy).
  DenseElementsAttr toDenseElements() const;

  /// Returns the contents as a dense resource attribute without a copy: the
  /// resource keeps the memory alive.
  DenseResourceElementsAttr toDenseResource(StringRef name) const;

  explicit operator bool() const { return static_cast<bool>(type); }
  RankedTensorType getType() const { return type; }
  Type getElementType() const { return type.getElementType(); }
  ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t getDimSize(int64_t dim) const { return type.getDimSize(dim); }
  int64_t getNumElements() const { return type.getNumElements(); }
  int64_t getSizeInBytes() const {
    return getNumElements() * getElementSize(getElementType());
  }
  MLIRContext *getContext() const { return type.getContext(); }

  const char *getRawData() const { return data; }
  char *getMutableRawData() { return const_cast<char *>(data); }

  /// Elements of the C++ type that stands for the element type.
  template <typename T>
  ArrayRef<T> getElements() const {
    return ArrayRef<T>(reinterpret_cast<const T *>(data), getNumElements());
  }
  template <typename T>
  MutableArrayRef<T> getMutableElements() {
    return MutableArrayRef<T>(reinterpret_cast<T *>(getMutableRawData()),
                              getNumElements());
  }

  /// Returns the same elements in another shape, without a copy.
  Tensor reshape(ArrayRef<int64_t> shape) const;

  /// Reads `count` elements from `offset`, `stride` apart, as `W`: double,
  /// int64_t or uint64_t.
  template <typename W>
  void load(int64_t offset, int64_t stride, int64_t count, W *values) const;

  /// Writes `count` values from element `offset` on, rounded or wrapped to the
  /// element type.
  template <typename W>
  void store(int64_t offset, int64_t count, const W *values);

  /// Returns all elements as `W`.
  template <typename W>
  SmallVector<W> loadAll() const {
    checkFitsVector();
    SmallVector<W> values(getNumElements());
    load<W>(0, 1, getNumElements(), values.data());
    return values;
  }

private:
  /// Throws if there are more elements than a vector holds.
  void checkFitsVector() const;

  Tensor(RankedTensorType type, const char *data,
         std::shared_ptr<const void> owner)
      : type(type), data(data), owner(std::move(owner)) {}

  RankedTensorType type;
  const char *data = nullptr;
  std::shared_ptr<const void> owner;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_INTERPRETER_TENSOR_H
