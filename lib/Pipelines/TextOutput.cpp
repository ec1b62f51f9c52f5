//===- TextOutput.cpp - Texts that compilations write ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextOutput.h"

#include "relay-mlir/Support/OutputFile.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

LogicalResult relay::emitText(MLIRContext *context, StringRef path,
                              function_ref<void(raw_ostream &)> write) {
  if (std::error_code error = writeOutputText(path, [&](raw_ostream &os) {
        write(os);
        return success();
      }))
    return emitError(UnknownLoc::get(context), "cannot write '")
           << path << "': " << error.message();
  return success();
}
