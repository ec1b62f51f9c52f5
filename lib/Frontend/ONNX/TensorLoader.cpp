//===- TensorLoader.cpp - Bytes and attributes of ONNX tensors ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorLoader.h"

#include "ModelFiles.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"

#include <cstdlib>
#include <sys/mman.h>

using namespace mlir;
using namespace mlir::relay::onnx;

/// Alignment of the buffers that we allocate: a cache line, and what kernels
/// like best.
static constexpr size_t kAlignment = 64;

/// Alignment that resources claim at most: MLIR's reader of bytecode cannot
/// give more where it does not map the file.
static constexpr size_t kResourceAlignment = 16;

/// Elements up to which a tensor is printed in place.
static constexpr int64_t kMaxInlineElements = 8;

Type mlir::relay::onnx::getElementType(MLIRContext *context, DataType type) {
  auto integer = [&](unsigned width) -> Type {
    return IntegerType::get(context, width);
  };
  auto unsignedInteger = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case DataType::Bool:
    return integer(1);
  case DataType::Int8:
    return integer(8);
  case DataType::Int16:
    return integer(16);
  case DataType::Int32:
    return integer(32);
  case DataType::Int64:
    return integer(64);
  case DataType::UInt8:
    return unsignedInteger(8);
  case DataType::UInt16:
    return unsignedInteger(16);
  case DataType::UInt32:
    return unsignedInteger(32);
  case DataType::UInt64:
    return unsignedInteger(64);
  case DataType::Float16:
    return Float16Type::get(context);
  case DataType::BFloat16:
    return BFloat16Type::get(context);
  case DataType::Float:
    return Float32Type::get(context);
  case DataType::Double:
    return Float64Type::get(context);
  case DataType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case DataType::Float8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case DataType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case DataType::Float8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case DataType::Float8E8M0:
    return Float8E8M0FNUType::get(context);
  case DataType::Float4E2M1:
    return Float4E2M1FNType::get(context);
  case DataType::Int4:
    return integer(4);
  case DataType::UInt4:
    return unsignedInteger(4);
  case DataType::Int2:
    return integer(2);
  case DataType::UInt2:
    return unsignedInteger(2);
  default:
    return {};
  }
}

TensorLoader::TensorLoader(MLIRContext *context, ModelSource &source)
    : context(context), source(source) {
  // Number 0, which zeros are.
  strings.getNumber("");
}

static llvm::Error makeError(const Tensor &tensor, const llvm::Twine &message) {
  return llvm::createStringError("tensor \"" + llvm::Twine(tensor.name) +
                                 "\": " + message);
}

static std::string formatDims(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  // A broken model may have a million.
  constexpr size_t maxDims = 8;
  llvm::interleaveComma(dims.take_front(maxDims), os);
  os << (dims.size() > maxDims ? ", ...]" : "]");
  return text;
}

llvm::Error TensorLoader::check(const Tensor &tensor) const {
  if (!getTensorElementType(context, tensor.type))
    return makeError(tensor, "element type " + getDataTypeName(tensor.type) +
                                 " is not supported");
  std::optional<int64_t> count = tensor.getNumElements();
  if (tensor.type == DataType::String) {
    if (tensor.bytes || tensor.range || tensor.external)
      return makeError(tensor, "expects strings in string_data");
    if (!count || uint64_t(*count) != tensor.strings.size() ||
        int64_t(tensor.dims.size()) > kMaxTensorRank)
      return makeError(tensor, "expects strings for the dimensions " +
                                   formatDims(tensor.dims) + ", but got " +
                                   llvm::Twine(tensor.strings.size()));
    if (!llvm::all_of(tensor.strings, isStringElement))
      return makeError(tensor, llvm::Twine("expects ") + kStringElements);
    return llvm::Error::success();
  }
  unsigned elementSize = *getElementSize(tensor.type);
  int64_t size;
  if (!count || llvm::MulOverflow<int64_t>(*count, elementSize, size) ||
      int64_t(tensor.dims.size()) > kMaxTensorRank)
    return makeError(tensor,
                     "impossible dimensions " + formatDims(tensor.dims));
  size = llvm::divideCeil(size, getElementsPerByte(tensor.type));
  std::optional<uint64_t> available;
  if (tensor.bytes)
    available = tensor.bytes->size();
  else if (tensor.range)
    available = tensor.range->size;
  else if (tensor.external)
    available = tensor.external->length;
  if (available && *available != uint64_t(size))
    return makeError(tensor, "expects " + llvm::Twine(size) + " bytes for " +
                                 formatDims(tensor.dims) + " elements of " +
                                 getDataTypeName(tensor.type) + ", but got " +
                                 llvm::Twine(*available));
  return llvm::Error::success();
}

llvm::Expected<const relay::InputFile *>
TensorLoader::openExternal(const Tensor &tensor, uint64_t size) {
  const Tensor::External &external = *tensor.external;
  StringRef location = external.location;
  std::optional<relay::InputFile> &file = externalFiles[location];
  if (!file) {
    llvm::Expected<std::string> fileName =
        findExternalData(source.getName(), location);
    if (!fileName)
      return makeError(tensor, llvm::toString(fileName.takeError()));
    llvm::ErrorOr<relay::InputFile> opened = relay::InputFile::open(*fileName);
    if (!opened)
      return makeError(tensor, "cannot read external data file \"" + *fileName +
                                   "\": " + opened.getError().message());
    file = std::move(*opened);
  }
  uint64_t available = file->getSize();
  if (external.offset > available || size > available - external.offset)
    return makeError(
        tensor, "expects " + llvm::Twine(size) + " bytes at offset " +
                    llvm::Twine(external.offset) + " of external data file \"" +
                    location + "\", but it has " + llvm::Twine(available));
  return &*file;
}

/// Buffers of resources; null if there is no memory.
static std::shared_ptr<char> allocate(size_t size) {
  // Reading into whole pages of 2 MiB takes a third of the time.
  constexpr size_t hugePage = 2 << 20;
  bool isLarge = size >= 2 * hugePage;
  size_t alignment = isLarge ? hugePage : kAlignment;
  if (size > SIZE_MAX - alignment)
    return nullptr;
  auto *data = static_cast<char *>(std::aligned_alloc(
      alignment, std::max<size_t>(llvm::alignTo(size, alignment), alignment)));
#ifdef MADV_HUGEPAGE
  if (data && isLarge)
    (void)::madvise(data, size, MADV_HUGEPAGE);
#endif
  return {data, [](char *data) { std::free(data); }};
}

llvm::Expected<TensorLoader::Bytes>
TensorLoader::getBytes(const Tensor &tensor) {
  if (llvm::Error error = check(tensor))
    return std::move(error);
  size_t size = *tensor.getNumElements() * *getElementSize(tensor.type);
  unsigned perByte = getElementsPerByte(tensor.type);
  llvm::Expected<Bytes> bytes =
      readBytes(tensor, llvm::divideCeil(size, perByte));
  if (!bytes || perByte == 1)
    return bytes;
  std::shared_ptr<char> data = allocate(size);
  if (!data)
    return makeError(tensor, "out of memory: cannot allocate " +
                                 llvm::Twine(size) + " bytes");
  unsigned width = 8 / perByte;
  for (size_t i = 0; i < size; ++i)
    data.get()[i] = (bytes->data[i / perByte] >> (i % perByte * width)) &
                    ((1 << width) - 1);
  return Bytes{ArrayRef(data.get(), size), kAlignment, data};
}

llvm::Expected<TensorLoader::Bytes>
TensorLoader::readBytes(const Tensor &tensor, size_t size) {
  unsigned elementSize = *getElementSize(tensor.type);
  const relay::InputFile *external = nullptr;
  if (tensor.external) {
    llvm::Expected<const relay::InputFile *> opened =
        openExternal(tensor, size);
    if (!opened)
      return opened.takeError();
    external = *opened;
  }
  Bytes bytes;
  if (!external && !tensor.range) {
    bytes = {ArrayRef(tensor.bytes->data(), size), alignof(std::max_align_t),
             tensor.bytes};
    // A short string lies inside its object.
    if (!llvm::isAddrAligned(llvm::Align(bytes.alignment), bytes.data.data()))
      bytes.alignment = 1;
    if (bytes.alignment >= elementSize)
      return bytes;
  }

  std::shared_ptr<char> data = allocate(size);
  if (!data)
    return makeError(tensor, "out of memory: cannot allocate " +
                                 llvm::Twine(size) + " bytes");
  MutableArrayRef<char> target(data.get(), size);
  if (external) {
    if (std::error_code error = external->read(target, tensor.external->offset))
      return makeError(tensor, "cannot read external data file \"" +
                                   tensor.external->location +
                                   "\": " + error.message());
  } else if (tensor.range) {
    if (llvm::Error error = source.read(tensor.range->offset, target))
      return makeError(tensor, "cannot read \"" + source.getName() +
                                   "\": " + llvm::toString(std::move(error)));
  } else {
    llvm::copy(bytes.data, data.get());
  }
  return Bytes{target, kAlignment, std::move(data)};
}

RankedTensorType TensorLoader::getType(const Tensor &tensor) const {
  return RankedTensorType::get(tensor.dims,
                               getTensorElementType(context, tensor.type));
}

llvm::Expected<DenseElementsAttr>
TensorLoader::loadInline(const Tensor &tensor) {
  if (tensor.type == DataType::String) {
    if (llvm::Error error = check(tensor))
      return std::move(error);
    return getStringElements(context, tensor.dims,
                             strings.getNumbers(tensor.strings));
  }
  llvm::Expected<Bytes> bytes = getBytes(tensor);
  if (!bytes)
    return bytes.takeError();
  RankedTensorType type = getType(tensor);
  if (tensor.type != DataType::Bool)
    return DenseElementsAttr::getFromRawBuffer(type, bytes->data);
  SmallVector<bool> values =
      llvm::map_to_vector(bytes->data, [](char c) { return c != 0; });
  return DenseElementsAttr::get(type, values);
}

llvm::Expected<ElementsAttr> TensorLoader::load(const Tensor &tensor) {
  if (llvm::Error error = check(tensor))
    return std::move(error);
  RankedTensorType type = getType(tensor);
  // The numbers of strings are nowhere in the file.
  if (tensor.type == DataType::String ||
      type.getNumElements() <= kMaxInlineElements)
    return loadInline(tensor);
  llvm::Expected<Bytes> bytes = getBytes(tensor);
  if (!bytes)
    return bytes.takeError();
  // A true of some writers is any nonzero byte; ours is 1.
  if (tensor.type == DataType::Bool &&
      llvm::any_of(bytes->data, [](char c) { return c & ~1; })) {
    std::shared_ptr<char> data = allocate(bytes->data.size());
    if (!data)
      return makeError(tensor, "out of memory");
    llvm::transform(bytes->data, data.get(), [](char c) { return c != 0; });
    *bytes = {ArrayRef<char>(data.get(), bytes->data.size()), kAlignment, data};
  }
  AsmResourceBlob blob(
      bytes->data, std::min(bytes->alignment, kResourceAlignment),
      [owner = std::move(bytes->owner)](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(
      type, tensor.name.empty() ? "constant" : tensor.name, std::move(blob));
}
