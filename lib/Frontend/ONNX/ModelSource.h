//===- ModelSource.h - The bytes of an ONNX model ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir::relay::onnx {

/// The bytes of a model, in a file or in memory.
///
/// A file is read piece by piece: most of it are weights, which go straight
/// into the buffers of their resources, and a file that shrinks meanwhile is an
/// error, not a signal. Programs may map it instead; then a file that shrinks
/// ends the program with an error, see MappingGuard.
class ModelSource {
public:
  static llvm::Expected<std::unique_ptr<ModelSource>>
  open(StringRef path, bool shouldMap = false);
  /// Reads from the file that `buffer` is named after if it is that file.
  static std::unique_ptr<ModelSource> get(llvm::MemoryBufferRef buffer);
  ~ModelSource();

  StringRef getName() const { return name; }
  uint64_t getSize() const { return size; }

  /// Some bytes within the model, valid until the next call.
  llvm::Expected<StringRef> view(uint64_t offset, uint64_t count);
  /// Fills `bytes` from `offset` on.
  llvm::Error read(uint64_t offset, MutableArrayRef<char> bytes);

  /// The model's mapping, which may outlive this object; null if it has none.
  using Mapping = llvm::sys::fs::mapped_file_region;
  std::shared_ptr<const Mapping> getMapping() const { return mapping; }

private:
  explicit ModelSource(StringRef name) : name(name) {}

  std::string name;
  uint64_t size = 0;
  std::optional<llvm::sys::fs::file_t> file;
  /// The model, if it is in memory.
  StringRef memory;
  std::shared_ptr<const Mapping> mapping;
  /// A part of the file, from `windowOffset` on.
  std::vector<char> window;
  uint64_t windowOffset = 0;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H
