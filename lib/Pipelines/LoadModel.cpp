//===- LoadModel.cpp - Read a model of any format -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/LoadModel.h"

#include "relay-mlir/Dialect/Relay/Transforms/FixInputs.h"
#include "relay-mlir/Dialect/Relay/Transforms/InferTypes.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/ParseModule.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

/// Reads Relay text, whose types are inferred.
static OwningOpRef<ModuleOp> loadRelayText(llvm::SourceMgr &sources,
                                           MLIRContext *context) {
  FailureOr<relay::ast::Module> text =
      relay::parseRelayModule(sources, context);
  if (failed(text))
    return nullptr;
  OwningOpRef<ModuleOp> module = relay::importRelay(*text, context);
  if (!module)
    return nullptr;
  PassManager manager(context);
  manager.addPass(relay::createInferTypesPass());
  if (failed(manager.run(*module)))
    return nullptr;
  return module;
}

bool mlir::relay::isRelayText(StringRef path) {
  return path.ends_with(".relay");
}

/// What a file is if its content does not fit its name; "" if it may.
static StringRef getOtherKind(StringRef content, bool isRelay) {
  if (content.starts_with("\177ELF"))
    return "an ELF file";
  if (!isRelay && content.ltrim().starts_with("#[version"))
    return "text of Relay in a file whose name does not end in .relay";
  // The version, which is the first field of what ONNX writes.
  if (content.starts_with("\x08"))
    return "an ONNX model in a file whose name does not end in .onnx";
  return "";
}

relay::ModelDiagnostics::ModelDiagnostics(MLIRContext *context, StringRef path)
    : printer(context) {
  context->printOpOnDiagnostic(false);
  if (isRelayText(path))
    words.emplace(context);
}

LogicalResult mlir::relay::specializeModule(ModuleOp module,
                                            const FixedInputs &fixed) {
  if (fixed.empty())
    return success();
  if (failed(inferTypes(module)) || failed(fixInputs(module, fixed)))
    return failure();
  if (fixed.values.empty())
    return success();
  PassManager manager(module.getContext());
  manager.addPass(createDynamicToStaticPass());
  return manager.run(module);
}

LogicalResult mlir::relay::checkResources(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    for (NamedAttribute attr : op->getAttrs()) {
      auto resource = dyn_cast<DenseResourceElementsAttr>(attr.getValue());
      if (!resource || resource.getRawHandle().getBlob())
        continue;
      InFlightDiagnostic diag = op->emitError("expects resource '")
                                << resource.getRawHandle().getKey()
                                << "' to have data, but got none";
      diag.attachNote() << "text for people leaves large constants out; write "
                           "the module with them, in Python with save() or "
                           "print(elide_larger=None)";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

OwningOpRef<ModuleOp> mlir::relay::loadModel(StringRef path,
                                             MLIRContext *context,
                                             const FixedInputs &fixed) {
  if (path.ends_with(".onnx"))
    return importOnnxFile(path, context, {fixed});

  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> read = readInputText(path);
  if (!read) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "cannot open input file '" << path
        << "': " << read.getError().message();
    return nullptr;
  }
  std::unique_ptr<llvm::MemoryBuffer> buffer = std::move(*read);
  // Files of other kinds would give a parse error at their first byte, which
  // tells nobody what is wrong.
  StringRef kind = getOtherKind(buffer->getBuffer(), isRelayText(path));
  if (!kind.empty()) {
    emitError(FileLineColLoc::get(context, path, 0, 0))
        << "expects a model (.onnx, .relay or .mlir), but got " << kind;
    return nullptr;
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = isRelayText(path)
                                     ? loadRelayText(sources, context)
                                     : parseModule(sources, context);
  if (!module || failed(specializeModule(*module, fixed)))
    return nullptr;
  return module;
}
