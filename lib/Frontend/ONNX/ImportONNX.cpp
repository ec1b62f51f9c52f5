//===- ImportONNX.cpp - Entry points of the ONNX importer ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"

#include "Importer.h"
#include "ModelSource.h"
#include "Strings.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/ForeignText.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

static std::unique_ptr<Model> read(ModelSource &source, MLIRContext *context) {
  context->loadDialect<RelayDialect, func::FuncDialect>();
  llvm::Expected<std::unique_ptr<Model>> model = readModel(source);
  if (model)
    return std::move(*model);
  emitError(FileLineColLoc::get(context, source.getName(), 0, 0))
      << llvm::toString(model.takeError());
  return nullptr;
}

static OwningOpRef<ModuleOp> importModel(ModelSource &source,
                                         MLIRContext *context,
                                         const OnnxImportOptions &options) {
  ForeignTextDiagnostics cleaning(context);
  std::unique_ptr<Model> model = read(source, context);
  if (!model)
    return nullptr;
  StringTypeNames names(context);
  return Importer(*model, source, context, options).run();
}

FailureOr<OnnxCoverage>
mlir::relay::getOnnxCoverage(llvm::MemoryBufferRef buffer,
                             MLIRContext *context) {
  ForeignTextDiagnostics cleaning(context);
  std::unique_ptr<ModelSource> source = ModelSource::get(buffer);
  std::unique_ptr<Model> model = read(*source, context);
  if (!model)
    return failure();
  StringTypeNames names(context);
  return Importer(*model, *source, context, {}).getCoverage();
}

OwningOpRef<ModuleOp>
mlir::relay::importOnnxBuffer(llvm::MemoryBufferRef buffer,
                              MLIRContext *context,
                              const OnnxImportOptions &options) {
  return importModel(*ModelSource::get(buffer), context, options);
}

OwningOpRef<ModuleOp>
mlir::relay::importOnnxFile(StringRef path, MLIRContext *context,
                            const OnnxImportOptions &options) {
  llvm::Expected<std::unique_ptr<ModelSource>> source = ModelSource::open(path);
  if (!source) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "cannot read the file: " << llvm::toString(source.takeError());
    return nullptr;
  }
  return importModel(**source, context, options);
}

std::vector<OnnxOperator> mlir::relay::getOnnxOperators() {
  std::vector<OnnxOperator> operators;
  for (const auto &domain : OpTable::get().getEntries())
    for (const auto &[name, entry] : domain.getValue())
      if (entry.refusal.empty())
        operators.push_back(
            {domain.getKey().str(), name.str(), entry.since, entry.until});
  llvm::sort(operators, [](const OnnxOperator &a, const OnnxOperator &b) {
    return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
  });
  return operators;
}

static OwningOpRef<ModuleOp> importMainBuffer(llvm::SourceMgr &sourceMgr,
                                              MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  return importOnnxBuffer(buffer->getMemBufferRef(), context);
}

void mlir::relay::registerImportOnnxTranslation() {
  TranslateToMLIRRegistration text(
      "import-onnx", "Import an ONNX model as the relay dialect",
      [](llvm::SourceMgr &sourceMgr,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        return importMainBuffer(sourceMgr, context);
      },
      [](DialectRegistry &registry) {
        registry.insert<RelayDialect, func::FuncDialect>();
      });
  // Text spells each byte of a weight in two characters.
  TranslateRegistration bytecode(
      "import-onnx-bytecode",
      "Import an ONNX model as the relay dialect, written as bytecode",
      [](const std::shared_ptr<llvm::SourceMgr> &sourceMgr, raw_ostream &output,
         MLIRContext *context) -> LogicalResult {
        SourceMgrDiagnosticHandler handler(*sourceMgr, context);
        OwningOpRef<ModuleOp> module = importMainBuffer(*sourceMgr, context);
        return module ? writeBytecodeToFile(*module, output) : failure();
      });
}
