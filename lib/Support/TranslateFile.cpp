//===- TranslateFile.cpp - From one file to another -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/TranslateFile.h"

#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/OutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::relay;

llvm::LogicalResult mlir::relay::translateFile(
    llvm::StringRef input, llvm::StringRef output,
    llvm::function_ref<llvm::LogicalResult(std::unique_ptr<llvm::MemoryBuffer>,
                                           llvm::raw_ostream &)>
        translate) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text =
      readInputText(input);
  if (!text) {
    llvm::errs() << "error: cannot open input file '" << input
                 << "': " << text.getError().message() << '\n';
    return llvm::failure();
  }
  std::error_code error = writeOutputText(output, [&](llvm::raw_ostream &os) {
    return translate(std::move(*text), os);
  });
  if (!error)
    return llvm::success();
  // Whoever fails has said why.
  if (error != std::errc::operation_canceled)
    llvm::errs() << "error: cannot write '" << output
                 << "': " << error.message() << '\n';
  return llvm::failure();
}
