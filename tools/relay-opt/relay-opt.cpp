//===- relay-opt.cpp - Run passes on .mlir files --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/InitAllPasses.h"
#include "relay-mlir/Report/Report.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"
#include "relay-mlir/Support/OptionUse.h"
#include "relay-mlir/Support/ParseModule.h"
#include "relay-mlir/Support/PassFailures.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Support/TranslateFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ProgramStack.h"
#include "llvm/Support/raw_ostream.h"

static llvm::cl::opt<bool> listRewrites(
    "list-rewrites",
    llvm::cl::desc("Print the rules that are compiled in, by the tables that "
                   "have them, with the passes that apply these, and exit"));

static llvm::cl::opt<std::string> reportPath(
    "relay-report",
    llvm::cl::desc("Write a page that shows what each pass does, with graphs; "
                   "the graphs alone, for Model Explorer, if it ends in .json"),
    llvm::cl::value_desc("file"));
static llvm::cl::opt<std::string> reportProfile(
    "relay-report-profile",
    llvm::cl::desc("Times for the report, of relay-run --profile=<file>"),
    llvm::cl::value_desc("file"));

/// Prepares the report that the command line asks for, if any.
static llvm::LogicalResult
startReport(llvm::StringRef inputPath, llvm::StringRef outputPath,
            std::unique_ptr<mlir::relay::Report> &report) {
  if (!reportPath.getNumOccurrences())
    return mlir::relay::refuseOptions({"relay-report-profile"},
                                      "without --relay-report");
  report = std::make_unique<mlir::relay::Report>(
      mlir::relay::ReportOptions{reportPath, "relay-opt", inputPath.str()});
  if (failed(mlir::relay::checkReportPath(
          reportPath, {inputPath, outputPath, reportProfile})))
    return mlir::failure();
  return reportProfile.empty() ? mlir::success()
                               : report->readProfile(reportProfile);
}

/// Of a long list of errors the first ones are printed, from when the dialect
/// is loaded: the context is not ours.
template <typename Dialect>
static void limitErrorsOf(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, Dialect *) {
    mlir::relay::limitErrors(context);
  });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::relay::removeTemporaryFilesOnSignals();
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
    limitErrorsOf<mlir::func::FuncDialect>(registry);
    limitErrorsOf<mlir::relay::RelayDialect>(registry);
    limitErrorsOf<mlir::tir::TIRDialect>(registry);
  }
  auto [inputPath, outputPath] = mlir::registerAndParseCLIOptions(
      argc, argv, "Optimiser of the relay-mlir dialects\n", registry);
  if (listRewrites) {
    mlir::relay::listRewrites(llvm::outs());
    return 0;
  }
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, inputPath, outputPath, registry));
  std::unique_ptr<mlir::relay::Report> report;
  if (failed(startReport(inputPath, outputPath, report)))
    return 1;
  config.setPassPipelineSetupFn(
      [config, &report](mlir::PassManager &manager) -> llvm::LogicalResult {
        if (failed(config.setupPassPipeline(manager)))
          return mlir::failure();
        mlir::relay::nameFailedPasses(manager);
        if (report)
          report->attach(manager);
        return mlir::success();
      });
  llvm::LogicalResult result = mlir::relay::translateFile(
      inputPath, outputPath,
      [&](std::unique_ptr<llvm::MemoryBuffer> input, llvm::raw_ostream &os) {
        mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
        mlir::relay::DiagnosticPrinter printer(&context);
        if (failed(mlir::relay::checkText(*input, &context)))
          return mlir::failure();
        llvm::LogicalResult result = mlir::failure();
        llvm::runOnNewStack(mlir::relay::kParserStackSize, [&] {
          result = mlir::MlirOptMain(os, std::move(input), registry, config);
        });
        return result;
      });
  // What failed is what one wants to see most.
  if (report && failed(report->write()))
    return 1;
  return mlir::asMainReturnCode(result);
}
