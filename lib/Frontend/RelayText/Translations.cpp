//===- Translations.cpp - Relay text in relay-translate -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::relay;

static llvm::cl::OptionCategory exportCategory("Relay text options");

static llvm::cl::opt<bool> hideTypes(
    "relay-hide-types",
    llvm::cl::desc("Leave out the types that follow expressions in comments"),
    llvm::cl::cat(exportCategory));
static llvm::cl::opt<bool> hideMetadata(
    "relay-hide-metadata",
    llvm::cl::desc("Leave out the metadata section, which holds constants"),
    llvm::cl::cat(exportCategory));

void mlir::relay::registerRelayTextTranslations() {
  TranslateToMLIRRegistration import(
      "import-relay", "Import Relay text as the relay dialect",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        FailureOr<ast::Module> module = parseRelayModule(sources, context);
        if (failed(module))
          return nullptr;
        return importRelay(*module, context);
      },
      [](DialectRegistry &registry) {
        registry.insert<RelayDialect, func::FuncDialect>();
      });
  TranslateFromMLIRRegistration text(
      "export-relay", "Export the relay dialect as Relay text",
      [](ModuleOp op, raw_ostream &os) -> LogicalResult {
        FailureOr<ast::Module> module = exportRelay(op);
        if (failed(module))
          return failure();
        PrintOptions options;
        options.showTypes = !hideTypes;
        options.showMetadata = !hideMetadata;
        printRelay(os, *module, options);
        return success();
      },
      [](DialectRegistry &registry) {
        registry.insert<RelayDialect, func::FuncDialect>();
      });
}
