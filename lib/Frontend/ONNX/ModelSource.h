//===- ModelSource.h - The bytes of an ONNX model ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H

#include "mlir/Support/LLVM.h"
#include "relay-mlir/Support/InputFile.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir::relay::onnx {

/// The bytes of a model, in a file or in memory.
///
/// A file is read piece by piece: most of it are weights, which go straight
/// into the buffers of their resources. It is not mapped: a file that shrinks
/// meanwhile is an error, not a signal.
class ModelSource {
public:
  static llvm::Expected<std::unique_ptr<ModelSource>> open(StringRef path);
  /// Reads from the file that `buffer` is named after if it is that file.
  static std::unique_ptr<ModelSource> get(llvm::MemoryBufferRef buffer);

  StringRef getName() const { return name; }
  uint64_t getSize() const { return size; }

  /// Some bytes within the model, valid until the next call.
  llvm::Expected<StringRef> view(uint64_t offset, uint64_t count);
  /// Fills `bytes` from `offset` on.
  llvm::Error read(uint64_t offset, MutableArrayRef<char> bytes);

private:
  explicit ModelSource(StringRef name) : name(name) {}

  std::string name;
  uint64_t size = 0;
  std::optional<InputFile> file;
  /// The model, if it is in memory.
  StringRef memory;
  /// A part of the file, from `windowOffset` on.
  std::vector<char> window;
  uint64_t windowOffset = 0;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_MODELSOURCE_H
