//===- TensorLoader.h - Bytes and attributes of ONNX tensors ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_TENSORLOADER_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_TENSORLOADER_H

#include "Model.h"
#include "ModelSource.h"
#include "Strings.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::relay::onnx {

/// The builtin type of an ONNX element type; null if there is none.
Type getElementType(MLIRContext *context, DataType type);

/// Turns the tensors of one model into attributes. No byte is copied more than
/// once: what lies in a file is read straight into the buffer of the resource.
class TensorLoader {
public:
  TensorLoader(MLIRContext *context, ModelSource &source);

  /// Fails if the type is not supported, or the shape does not fit the bytes.
  llvm::Error check(const Tensor &tensor) const;

  /// A dense attribute for a few elements, a resource for many.
  llvm::Expected<ElementsAttr> load(const Tensor &tensor);

  /// The same, never as a resource, for looking at the numbers.
  llvm::Expected<DenseElementsAttr> loadInline(const Tensor &tensor);

  StringTable &getStrings() { return strings; }

private:
  struct Bytes {
    ArrayRef<char> data;
    size_t alignment;
    std::shared_ptr<const void> owner;
  };

  /// Elements one by one, of small types one in a byte.
  llvm::Expected<Bytes> getBytes(const Tensor &tensor);
  /// As the model has them.
  llvm::Expected<Bytes> readBytes(const Tensor &tensor, size_t size);
  /// Opens the tensor's file of external data, and looks whether it is long
  /// enough for `size` bytes.
  llvm::Expected<const InputFile *> openExternal(const Tensor &tensor,
                                                 uint64_t size);
  RankedTensorType getType(const Tensor &tensor) const;

  MLIRContext *context;
  ModelSource &source;
  llvm::StringMap<std::optional<InputFile>> externalFiles;
  StringTable strings;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_TENSORLOADER_H
