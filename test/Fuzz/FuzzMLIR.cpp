//===- FuzzMLIR.cpp - Text of the dialects --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Support/ParseModule.h"

#include "mlir/IR/AsmState.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relay;

static OwningOpRef<ModuleOp> parse(StringRef text, MLIRContext *context) {
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(text, "model.mlir"), llvm::SMLoc());
  return parseModule(sources, context);
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  // MLIR's own reader of bytecode trusts what it reads.
  if (bytes.starts_with("ML\xefR"))
    return 0;
  MLIRContext *context = fuzz::getContext();
  fuzz::QuietDiagnostics diagnostics(context);
  OwningOpRef<ModuleOp> module = parse(bytes, context);
  fuzz::expect(module || diagnostics.numErrors,
               "text is refused with an error");
  if (!module)
    return 0;
  std::string text = print(*module);
  OwningOpRef<ModuleOp> again = parse(text, context);
  fuzz::expect(bool(again), "what is printed can be read");
  // A resource that a context knows already gets another name in it.
  fuzz::expect(StringRef(text).contains("dense_resource<") ||
                   print(*again) == text,
               "what is printed stays as it is");
  return 0;
}
