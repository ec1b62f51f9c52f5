//===- Plugin.h - What makes a shared object a plugin -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plugin brings a dialect to the tools. Everything else that the compiler is
// to know of is an interface of the dialect, of its operators or of its
// attributes (docs/Architecture.md), or is registered when the plugin is
// loaded: passes, and code generators.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PLUGIN_H
#define RELAY_MLIR_PLUGIN_H

#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"
#include "relay-mlir/Dialect/Relay/IR/Offload.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"

namespace mlir::relay {

/// What a plugin with the dialect DialectT returns from its entry point:
///
///   extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
///   mlirGetDialectPluginInfo() {
///     return relay::getPluginInfo<acme::AcmeDialect>("Acme", "0.1");
///   }
///
/// `registerOthers` is called when the plugin is loaded. The dialect is there
/// wherever relay's is, since a model need not name it: it may come from ONNX.
template <typename DialectT>
DialectPluginLibraryInfo getPluginInfo(const char *name, const char *version,
                                       void (*registerOthers)() = nullptr) {
  static void (*others)() = registerOthers;
  return {MLIR_PLUGIN_API_VERSION, name, version,
          [](DialectRegistry *registry) {
            registry->insert<DialectT>();
            registry->addExtension(+[](MLIRContext *context, RelayDialect *) {
              context->getOrLoadDialect<DialectT>();
            });
            if (others)
              others();
          }};
}

/// Adds a code generator: `takes` says which operators it takes, and `generate`
/// makes code of functions of them (ExternalCode.h).
inline void
addCodeGenerator(StringRef name, bool (*takes)(Operation *),
                 FailureOr<ExternalCode> (*generate)(ModuleOp functions)) {
  struct Generator : ExternalCodeGenerator {
    FailureOr<ExternalCode> (*fn)(ModuleOp);
    FailureOr<ExternalCode> generate(ModuleOp functions) const override {
      return fn(functions);
    }
  };
  auto generator = std::make_shared<Generator>();
  generator->fn = generate;
  addExternalCodeGenerator(name, std::move(generator));
  addOffloadProvider([name = name.str(), takes](ModuleOp) -> OffloadQuery {
    return [name, takes](Operation *op, StringRef target) -> FailureOr<bool> {
      return target == name && takes(op);
    };
  });
}

} // namespace mlir::relay

#endif // RELAY_MLIR_PLUGIN_H
