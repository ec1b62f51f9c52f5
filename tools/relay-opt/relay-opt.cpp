//===- relay-opt.cpp - Run passes on .mlir files --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << mlir::relay::getVersionString() << '\n';
  });
  mlir::relay::registerAllPasses();
  mlir::DialectRegistry registry;
  mlir::relay::registerAllDialects(registry);
  // Where messages are compared, all of them count.
  if (llvm::none_of(llvm::ArrayRef(argv, argc), [](llvm::StringRef argument) {
        return argument.contains("-verify-diagnostics");
      })) {
    registry.addExtension(
        +[](mlir::MLIRContext *context, mlir::relay::RelayDialect *) {
          mlir::relay::limitErrors(context);
        });
    registry.addExtension(
        +[](mlir::MLIRContext *context, mlir::tir::TIRDialect *) {
          mlir::relay::limitErrors(context);
        });
  }
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Optimiser of the relay-mlir dialects\n", registry));
}
