//===- Tensor.cpp - Tensors in host memory --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Tensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::relay;

static constexpr size_t tensorAlignment = 64;
/// Tensors of this size on are in huge pages if the system has any.
static constexpr size_t hugePage = size_t(2) << 20, minHugeSize = 2 * hugePage;

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

static int64_t getPhysicalMemory() {
  int64_t size;
  if (llvm::MulOverflow<int64_t>(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE),
                                 size) ||
      size <= 0)
    return std::numeric_limits<int64_t>::max();
  return size;
}

static std::atomic<int64_t> &getLimit() {
  static std::atomic<int64_t> limit{getPhysicalMemory()};
  return limit;
}

int64_t Tensor::getMaxSizeInBytes() { return getLimit(); }
void Tensor::setMaxSizeInBytes(int64_t size) { getLimit() = size; }

/// Returns the size of a tensor; one that is too large throws.
static size_t getCheckedSize(RankedTensorType type) {
  int64_t size = getElementSize(type.getElementType());
  if (llvm::is_contained(type.getShape(), 0))
    return 0;
  int64_t limit = Tensor::getMaxSizeInBytes();
  for (int64_t dim : type.getShape())
    if (llvm::MulOverflow(size, dim, size) || size > limit)
      throw TensorTooLarge{type};
  return size;
}

Tensor Tensor::allocate(RankedTensorType type) {
  Tensor tensor(type, nullptr, nullptr);
  size_t size = getCheckedSize(type);
  // Programs with recursion and lists consist of scalars: their elements lie
  // beside the counter of references.
  struct alignas(16) Small {
    char bytes[16];
  };
  if (size <= sizeof(Small)) {
    auto memory = std::make_shared<Small>();
    tensor.data = memory->bytes;
    tensor.owner = std::move(memory);
    return tensor;
  }
  bool isHuge = size >= minHugeSize;
  size_t alignment = isHuge ? hugePage : tensorAlignment;
  // Not by new, for which LLVM's tools have a handler that ends the program.
  char *memory = static_cast<char *>(
      std::aligned_alloc(alignment, llvm::alignTo(size, alignment)));
  if (!memory)
    throw TensorTooLarge{type};
  // To fault small pages of weights in takes as long as to compute them. What
  // does not fill a huge page stays in small ones. It is advice: a failure is
  // nothing.
  if (isHuge)
    (void)madvise(memory, llvm::alignDown(size, hugePage), MADV_HUGEPAGE);
  tensor.data = memory;
  tensor.owner = std::shared_ptr<const void>(memory, std::free);
  return tensor;
}

std::optional<Tensor> Tensor::tryAllocate(RankedTensorType type) {
  try {
    return allocate(type);
  } catch (const TensorTooLarge &) {
    return std::nullopt;
  }
}

Tensor Tensor::allocate(ArrayRef<int64_t> shape, Type elementType) {
  return allocate(RankedTensorType::get(shape, elementType));
}

Tensor Tensor::allocateZeros(ArrayRef<int64_t> shape, Type elementType) {
  Tensor tensor = allocate(shape, elementType);
  std::memset(tensor.getMutableRawData(), 0, tensor.getSizeInBytes());
  return tensor;
}

Tensor Tensor::view(RankedTensorType type, const void *data,
                    std::shared_ptr<const void> owner) {
  return Tensor(type, static_cast<const char *>(data), std::move(owner));
}

void Tensor::checkFitsVector() const {
  if (getNumElements() > std::numeric_limits<uint32_t>::max())
    throw TensorTooLarge{type};
}

Tensor Tensor::getScalar(Type elementType, int64_t value) {
  Tensor tensor = allocate({}, elementType);
  tensor.store(0, 1, &value);
  return tensor;
}

Tensor Tensor::getVector(Type elementType, ArrayRef<int64_t> values) {
  Tensor tensor = allocate(static_cast<int64_t>(values.size()), elementType);
  tensor.store(0, values.size(), values.data());
  return tensor;
}

Tensor Tensor::reshape(ArrayRef<int64_t> shape) const {
  Tensor result = *this;
  result.type = RankedTensorType::get(shape, getElementType());
  assert(result.getNumElements() == getNumElements());
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static FailureOr<Tensor>
getFromResource(DenseResourceElementsAttr attr, RankedTensorType type,
                function_ref<InFlightDiagnostic()> emitError) {
  StringRef name = attr.getRawHandle().getKey();
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob)
    return emitError() << "expects resource '" << name
                       << "' to have data, but got none";
  ArrayRef<char> bytes = blob->getData();
  int64_t numElements = type.getNumElements();
  int64_t size = numElements * getElementSize(type.getElementType());
  if (static_cast<int64_t>(bytes.size()) != size)
    return emitError() << "expects resource '" << name << "' to hold " << size
                       << " bytes, but got " << bytes.size();
  if (llvm::isAddrAligned(llvm::Align(8), bytes.data()))
    return Tensor::view(type, bytes.data());
  Tensor tensor = Tensor::allocate(type);
  std::memcpy(tensor.getMutableRawData(), bytes.data(), size);
  return tensor;
}

FailureOr<Tensor> Tensor::get(ElementsAttr attr,
                              function_ref<InFlightDiagnostic()> emitError) {
  auto type = dyn_cast<RankedTensorType>(attr.getShapedType());
  if (!type || !supports(type.getElementType()))
    return emitError() << "expects a tensor of floats or integers, but got "
                       << attr.getShapedType();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return getFromResource(resource, type, emitError);

  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense)
    return emitError() << "expects a dense constant, but got " << attr;
  if (type.getElementType().isInteger(1)) {
    // Attributes pack bools into bits.
    Tensor tensor = allocate(type);
    llvm::copy(dense.getValues<bool>(),
               tensor.getMutableElements<bool>().begin());
    return tensor;
  }
  ArrayRef<char> bytes = dense.getRawData();
  if (!dense.isSplat())
    return view(type, bytes.data()); // Attributes live as long as the context.
  Tensor tensor = allocate(type);
  char *out = tensor.getMutableRawData();
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    std::memcpy(out + i * bytes.size(), bytes.data(), bytes.size());
  return tensor;
}

DenseElementsAttr Tensor::toDenseElements() const {
  if (getElementType().isInteger(1))
    return DenseElementsAttr::get(type, getElements<bool>());
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(data, getSizeInBytes()));
}

DenseResourceElementsAttr Tensor::toDenseResource(StringRef name) const {
  AsmResourceBlob blob(
      ArrayRef<char>(data, getSizeInBytes()), getElementSize(getElementType()),
      [owner = owner](void *, size_t, size_t) mutable { owner.reset(); },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename W>
void Tensor::load(int64_t offset, int64_t stride, int64_t count,
                  W *values) const {
  dispatchElementType(getElementType(), [&](auto element) {
    using T = decltype(element);
    const T *source = reinterpret_cast<const T *>(data) + offset;
    if (stride == 1)
      for (int64_t i = 0; i < count; ++i)
        values[i] = narrow<W>(static_cast<WideType<T>>(source[i]));
    else
      for (int64_t i = 0; i < count; ++i)
        values[i] = narrow<W>(static_cast<WideType<T>>(source[i * stride]));
  });
}

template <typename W>
void Tensor::store(int64_t offset, int64_t count, const W *values) {
  dispatchElementType(getElementType(), [&](auto element) {
    using T = decltype(element);
    T *target = reinterpret_cast<T *>(getMutableRawData()) + offset;
    for (int64_t i = 0; i < count; ++i)
      target[i] = narrow<T>(values[i]);
  });
}

namespace mlir::relay {
template void Tensor::load(int64_t, int64_t, int64_t, double *) const;
template void Tensor::load(int64_t, int64_t, int64_t, int64_t *) const;
template void Tensor::load(int64_t, int64_t, int64_t, uint64_t *) const;
template void Tensor::store(int64_t, int64_t, const double *);
template void Tensor::store(int64_t, int64_t, const int64_t *);
template void Tensor::store(int64_t, int64_t, const uint64_t *);
} // namespace mlir::relay
