//===- ImportONNX.cpp - Entry points of the ONNX importer ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"

#include "Importer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

OwningOpRef<ModuleOp>
mlir::relay::importOnnxBuffer(llvm::MemoryBufferRef buffer,
                              MLIRContext *context,
                              const OnnxImportOptions &options) {
  context->loadDialect<RelayDialect, func::FuncDialect>();
  llvm::Expected<std::unique_ptr<Model>> model = readModel(buffer);
  if (!model) {
    emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0))
        << llvm::toString(model.takeError());
    return nullptr;
  }
  return Importer(**model, buffer, context, options).run();
}

OwningOpRef<ModuleOp>
mlir::relay::importOnnxFile(StringRef path, MLIRContext *context,
                            const OnnxImportOptions &options) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                  /*RequiresNullTerminator=*/false);
  if (!buffer) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "cannot read the file: " << buffer.getError().message();
    return nullptr;
  }
  return importOnnxBuffer(**buffer, context, options);
}

void mlir::relay::registerImportOnnxTranslation() {
  TranslateToMLIRRegistration registration(
      "import-onnx", "Import an ONNX model as the relay dialect",
      [](llvm::SourceMgr &sourceMgr,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
        return importOnnxBuffer(buffer->getMemBufferRef(), context);
      },
      [](DialectRegistry &registry) {
        registry.insert<RelayDialect, func::FuncDialect>();
      });
}
