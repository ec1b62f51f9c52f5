//===- relay-opt.cpp - Run passes on .mlir files --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << mlir::relay::getVersionString() << '\n';
  });
  mlir::relay::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::relay::registerAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Optimiser of the relay-mlir dialects\n", registry));
}
