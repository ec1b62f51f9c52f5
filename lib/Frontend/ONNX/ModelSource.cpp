//===- ModelSource.cpp - The bytes of an ONNX model -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"

#include "MappingGuard.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay::onnx;
namespace fs = llvm::sys::fs;

/// Bytes to read at once.
static constexpr uint64_t kWindowSize = 64 * 1024;

llvm::Expected<std::unique_ptr<ModelSource>> ModelSource::open(StringRef path,
                                                               bool shouldMap) {
  llvm::Expected<fs::file_t> file = fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  std::unique_ptr<ModelSource> source(new ModelSource(path));
  source->file = *file;
  fs::file_status status;
  if (std::error_code error = fs::status(*file, status))
    return llvm::errorCodeToError(error);
  if (status.type() != fs::file_type::regular_file)
    return llvm::createStringError("not a regular file");
  source->size = status.getSize();
  if (shouldMap && source->size != 0) {
    // A file system that cannot do that is read.
    std::error_code error;
    struct GuardedMapping {
      Mapping mapping;
      std::optional<MappingGuard> guard;
    };
    auto guarded = std::make_shared<GuardedMapping>();
    guarded->mapping =
        Mapping(*file, Mapping::readonly, source->size, 0, error);
    if (!error) {
      guarded->guard.emplace(guarded->mapping.const_data(), source->size, path);
      source->mapping =
          std::shared_ptr<const Mapping>(guarded, &guarded->mapping);
    }
  }
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

ModelSource::~ModelSource() {
  if (file)
    fs::closeFile(*file);
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
  while (!bytes.empty()) {
    llvm::Expected<size_t> count =
        fs::readNativeFileSlice(*file, bytes, offset);
    if (!count)
      return count.takeError();
    if (*count == 0)
      return llvm::createStringError("the file changed while it was read");
    bytes = bytes.drop_front(*count);
    offset += *count;
  }
  return llvm::Error::success();
}
