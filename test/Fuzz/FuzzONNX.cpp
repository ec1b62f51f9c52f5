//===- FuzzONNX.cpp - Bytes of ONNX models --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::relay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext *context = fuzz::getContext();
  fuzz::QuietDiagnostics diagnostics(context);
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module =
      importOnnxBuffer(llvm::MemoryBufferRef(bytes, "model.onnx"), context);
  fuzz::expect(bool(module) == (diagnostics.numErrors == 0),
               "an import fails with an error, and only then");
  if (module)
    fuzz::expect(succeeded(verify(*module)), "what is imported is valid");
  return 0;
}
