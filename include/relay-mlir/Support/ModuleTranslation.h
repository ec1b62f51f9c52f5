//===- ModuleTranslation.h - Translations from modules ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_MODULETRANSLATION_H
#define RELAY_MLIR_SUPPORT_MODULETRANSLATION_H

#include "relay-mlir/Support/ParseModule.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-translate/Translation.h"

namespace mlir::relay {

/// Registers the translation `name` of modules, whose text may be anything: as
/// TranslateFromMLIRRegistration does, which trusts the text.
inline void registerModuleTranslation(
    StringRef name, StringRef description,
    std::function<LogicalResult(ModuleOp, raw_ostream &)> translate,
    std::function<void(DialectRegistry &)> addDialects) {
  TranslateRegistration registration(
      name, description,
      [=](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &output,
          MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        addDialects(registry);
        context->appendDialectRegistry(registry);
        OwningOpRef<ModuleOp> module =
            parseModule(*sources, ParserConfig(context));
        return module ? translate(*module, output) : failure();
      });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_MODULETRANSLATION_H
