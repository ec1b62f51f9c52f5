//===- FuzzRelayText.cpp - Text of Relay ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relay;

static FailureOr<ast::Module> parse(StringRef text, MLIRContext *context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "text.relay"), llvm::SMLoc());
  return parseRelayModule(sources, context);
}

static std::string print(const ast::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRelay(os, module);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext *context = fuzz::getContext();
  fuzz::QuietDiagnostics diagnostics(context);
  FailureOr<ast::Module> module =
      parse(StringRef(reinterpret_cast<const char *>(data), size), context);
  fuzz::expect(succeeded(module) == (diagnostics.numErrors == 0),
               "text is refused with an error, and only then");
  if (failed(module))
    return 0;

  std::string text = print(*module);
  FailureOr<ast::Module> again = parse(text, context);
  fuzz::expect(succeeded(again), "what is printed can be read");
  fuzz::expect(print(*again) == text, "what is printed stays as it is");

  diagnostics.numErrors = 0;
  OwningOpRef<ModuleOp> imported = importRelay(*module, context);
  fuzz::expect(bool(imported) == (diagnostics.numErrors == 0),
               "an import fails with an error, and only then");
  if (!imported)
    return 0;
  PassManager manager(context);
  manager.addPass(createInferTypesPass());
  // An annotation that is not kept is an error of the verifier, or of the pass.
  bool inferred = succeeded(manager.run(*imported));
  fuzz::expect(inferred == (diagnostics.numErrors == 0),
               "types are refused with an error, and only then");
  return 0;
}
