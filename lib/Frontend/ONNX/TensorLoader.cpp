//===- TensorLoader.cpp - Bytes and attributes of ONNX tensors ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorLoader.h"

#include "MappingGuard.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relay::onnx;
namespace path = llvm::sys::path;

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
  default:
    return {};
  }
}

TensorLoader::TensorLoader(MLIRContext *context, ModelSource &source)
    : context(context), source(source) {}

static llvm::Error makeError(const Tensor &tensor, const llvm::Twine &message) {
  return llvm::createStringError("tensor \"" + llvm::Twine(tensor.name) +
                                 "\": " + message);
}

static std::string formatDims(ArrayRef<int64_t> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(dims, os);
  os << ']';
  return text;
}

llvm::Error TensorLoader::check(const Tensor &tensor) const {
  if (!getElementType(context, tensor.type))
    return makeError(tensor, "element type " + getDataTypeName(tensor.type) +
                                 " is not supported");
  std::optional<int64_t> count = tensor.getNumElements();
  unsigned elementSize = *getElementSize(tensor.type);
  int64_t size;
  if (!count || llvm::MulOverflow<int64_t>(*count, elementSize, size))
    return makeError(tensor,
                     "impossible dimensions " + formatDims(tensor.dims));
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

llvm::Expected<TensorLoader::Bytes>
TensorLoader::getExternalBytes(const Tensor &tensor, uint64_t size) {
  const Tensor::External &external = *tensor.external;
  StringRef location = external.location;
  // A model must not make its reader open arbitrary files.
  if (location.empty() || path::is_absolute(location) ||
      llvm::is_contained(
          llvm::make_range(path::begin(location), path::end(location)), ".."))
    return makeError(tensor, "external data location \"" + location +
                                 "\" does not lie beside the model");

  std::shared_ptr<llvm::MemoryBuffer> &file = externalFiles[location];
  if (!file) {
    SmallString<256> fileName(path::parent_path(source.getName()));
    path::append(fileName, location);
    // What may change is read; who maps the model maps this file, too.
    auto opened = llvm::MemoryBuffer::getFile(
        fileName, /*IsText=*/false, /*RequiresNullTerminator=*/false,
        /*IsVolatile=*/!source.getMapping());
    if (!opened)
      return makeError(tensor, "cannot read external data file \"" + fileName +
                                   "\": " + opened.getError().message());
    struct GuardedFile {
      std::unique_ptr<llvm::MemoryBuffer> buffer;
      std::optional<MappingGuard> guard;
    };
    auto guarded = std::make_shared<GuardedFile>();
    guarded->buffer = std::move(*opened);
    llvm::MemoryBuffer *buffer = guarded->buffer.get();
    if (buffer->getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap)
      guarded->guard.emplace(buffer->getBufferStart(), buffer->getBufferSize(),
                             fileName);
    file = std::shared_ptr<llvm::MemoryBuffer>(guarded, buffer);
  }
  uint64_t available = file->getBufferSize();
  if (external.offset > available || size > available - external.offset)
    return makeError(
        tensor, "expects " + llvm::Twine(size) + " bytes at offset " +
                    llvm::Twine(external.offset) + " of external data file \"" +
                    location + "\", but it has " + llvm::Twine(available));
  const char *data = file->getBufferStart() + external.offset;
  size_t alignment = std::min<uint64_t>(
      kAlignment, uint64_t(1) << llvm::countr_zero(
                      reinterpret_cast<uintptr_t>(data) | kAlignment));
  return Bytes{ArrayRef(data, size), alignment, file};
}

/// Buffers of resources.
static std::shared_ptr<char> allocate(size_t size) {
  auto *data = static_cast<char *>(llvm::allocate_buffer(size, kAlignment));
  return {data, [size](char *data) {
            llvm::deallocate_buffer(data, size, kAlignment);
          }};
}

llvm::Expected<TensorLoader::Bytes>
TensorLoader::getBytes(const Tensor &tensor) {
  if (llvm::Error error = check(tensor))
    return std::move(error);
  unsigned elementSize = *getElementSize(tensor.type);
  size_t size = *tensor.getNumElements() * elementSize;
  Bytes bytes;
  auto mapping = source.getMapping();
  if (tensor.range && mapping)
    // Aligned or not: who needs that makes a copy.
    return Bytes{ArrayRef(mapping->const_data() + tensor.range->offset, size),
                 /*alignment=*/1, mapping};
  if (tensor.range) {
    std::shared_ptr<char> data = allocate(size);
    MutableArrayRef<char> target(data.get(), size);
    if (llvm::Error error = source.read(tensor.range->offset, target))
      return makeError(tensor, llvm::toString(std::move(error)));
    return Bytes{target, kAlignment, std::move(data)};
  }
  if (tensor.external) {
    llvm::Expected<Bytes> external = getExternalBytes(tensor, size);
    if (!external)
      return external.takeError();
    bytes = *external;
  } else {
    bytes = {ArrayRef(tensor.bytes->data(), size), alignof(std::max_align_t),
             tensor.bytes};
    // A short string lies inside its object.
    if (!llvm::isAddrAligned(llvm::Align(bytes.alignment), bytes.data.data()))
      bytes.alignment = 1;
  }
  if (bytes.alignment >= elementSize)
    return bytes;
  std::shared_ptr<char> data = allocate(size);
  llvm::copy(bytes.data, data.get());
  return Bytes{ArrayRef<char>(data.get(), size), kAlignment, data};
}

RankedTensorType TensorLoader::getType(const Tensor &tensor) const {
  return RankedTensorType::get(tensor.dims,
                               getElementType(context, tensor.type));
}

llvm::Expected<DenseElementsAttr>
TensorLoader::loadInline(const Tensor &tensor) {
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
  if (type.getNumElements() <= kMaxInlineElements)
    return loadInline(tensor);
  llvm::Expected<Bytes> bytes = getBytes(tensor);
  if (!bytes)
    return bytes.takeError();
  // A true of some writers is any nonzero byte; ours is 1.
  if (tensor.type == DataType::Bool &&
      llvm::any_of(bytes->data, [](char c) { return c & ~1; })) {
    std::shared_ptr<char> data = allocate(bytes->data.size());
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
