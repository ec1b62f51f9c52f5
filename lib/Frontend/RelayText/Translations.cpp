//===- Translations.cpp - Relay text in relay-translate -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/RelayText/Diagnostics.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"
#include "relay-mlir/Support/ModuleTranslation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mlir::relay;

static LogicalResult exportText(ModuleOp op, raw_ostream &os,
                                const PrintOptions &options) {
  FailureOr<ast::Module> module = exportRelay(op);
  if (failed(module))
    return failure();
  printRelay(os, *module, options);
  return success();
}

static void registerDialects(DialectRegistry &registry) {
  registry.insert<RelayDialect, func::FuncDialect>();
}

void mlir::relay::registerRelayTextTranslations() {
  TranslateToMLIRRegistration import(
      "import-relay", "Import Relay text as the relay dialect",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        DiagnosticPrinter printer(context, &sources);
        RelayDiagnostics words(context);
        FailureOr<ast::Module> module = parseRelayModule(sources, context);
        if (failed(module))
          return nullptr;
        OwningOpRef<ModuleOp> op = importRelay(*module, context);
        // Here, where messages are in the words of the text.
        if (!op || failed(verify(*op)))
          return nullptr;
        return op;
      },
      registerDialects);
  registerModuleTranslation(
      "export-relay", "Export the relay dialect as Relay text",
      [](ModuleOp op, raw_ostream &os) {
        return exportText(op, os, PrintOptions());
      },
      registerDialects);
  registerModuleTranslation(
      "export-relay-without-types",
      "Export the relay dialect as Relay text without types in comments",
      [](ModuleOp op, raw_ostream &os) {
        PrintOptions options;
        options.showTypes = false;
        return exportText(op, os, options);
      },
      registerDialects);
}
