//===- relay-translate.cpp - Read and write foreign formats ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllTranslations.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << mlir::relay::getVersionString() << '\n';
  });
  mlir::relay::registerAllTranslations();
  return failed(mlir::mlirTranslateMain(
      argc, argv, "Translation between relay-mlir and other formats"));
}
