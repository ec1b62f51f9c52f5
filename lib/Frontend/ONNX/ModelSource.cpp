//===- ModelSource.cpp - The bytes of an ONNX model -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay::onnx;

/// Bytes to read at once.
static constexpr uint64_t kWindowSize = 64 * 1024;

llvm::Expected<std::unique_ptr<ModelSource>> ModelSource::open(StringRef path) {
  llvm::ErrorOr<relay::InputFile> file = relay::InputFile::open(path);
  if (!file)
    return llvm::errorCodeToError(file.getError());
  std::unique_ptr<ModelSource> source(new ModelSource(path));
  source->size = file->getSize();
  source->file = std::move(*file);
  return source;
}

std::unique_ptr<ModelSource> ModelSource::get(llvm::MemoryBufferRef buffer) {
  llvm::Expected<std::unique_ptr<ModelSource>> file =
      open(buffer.getBufferIdentifier());
  if (!file)
    llvm::consumeError(file.takeError());
  else if ((*file)->size == buffer.getBufferSize())
    return std::move(*file);
  std::unique_ptr<ModelSource> source(
      new ModelSource(buffer.getBufferIdentifier()));
  source->memory = buffer.getBuffer();
  source->size = buffer.getBufferSize();
  return source;
}

llvm::Expected<StringRef> ModelSource::view(uint64_t offset, uint64_t count) {
  assert(offset <= size && count <= size - offset && "beyond the model");
  if (!file)
    return memory.substr(offset, count);
  bool isInside = offset >= windowOffset &&
                  offset - windowOffset <= window.size() &&
                  count <= window.size() - (offset - windowOffset);
  if (!isInside) {
    windowOffset = offset;
    window.resize(std::min(std::max(count, kWindowSize), size - offset));
    if (llvm::Error error = read(offset, window))
      return std::move(error);
  }
  return StringRef(window.data() + (offset - windowOffset), count);
}

llvm::Error ModelSource::read(uint64_t offset, MutableArrayRef<char> bytes) {
  if (!file) {
    llvm::copy(memory.substr(offset, bytes.size()), bytes.begin());
    return llvm::Error::success();
  }
  if (std::error_code error = file->read(bytes, offset))
    return llvm::errorCodeToError(error);
  return llvm::Error::success();
}
