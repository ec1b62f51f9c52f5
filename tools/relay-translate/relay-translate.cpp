//===- relay-translate.cpp - Read and write foreign formats ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/InitAllTranslations.h"
#include "relay-mlir/Pipelines/OnnxCoverageReport.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Support/TranslateFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using namespace mlir;

namespace {

/// What the command line says.
struct TranslateOptions {
  std::string inputPath, outputPath;
  /// Each reads what the one before it wrote.
  std::vector<const Translation *> translations;
  std::string splitMarker;
  bool verifyDiagnostics = false;
  bool allowUnregisteredDialects = false;
#ifdef RELAY_ENABLE_ONNX
  /// How to write what a model needs, instead of a translation: "table" or
  /// "json"; empty for translations.
  std::string coverage;
#endif
  std::vector<std::string> dialectPlugins;
};

} // namespace

[[noreturn]] static void refuse(const Twine &message) {
  llvm::errs() << "error: " << message << '\n';
  std::exit(1);
}

static TranslateOptions parseCommandLine(int argc, char **argv) {
  TranslateOptions result;
  cl::opt<std::string> input(cl::Positional, cl::desc("<input file>"),
                             cl::init("-"));
  cl::opt<std::string> output("o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-"));
  cl::list<const Translation *, bool, TranslationParser> translations(
      "", cl::desc("Translations to perform"));
#ifdef RELAY_ENABLE_ONNX
  cl::opt<std::string> coverage(
      "onnx-coverage", cl::ValueOptional,
      cl::desc(
          "Print what an ONNX model needs (operators, opsets, types), what "
          "is missing and why, and what it compiles to; as JSON with "
          "=json"),
      cl::value_desc("json"));
#endif
  cl::opt<bool> split("split-input-file",
                      cl::desc("Process each piece of the input between lines "
                               "'// -----' on its own"));
  cl::opt<bool> verify(
      "verify-diagnostics",
      cl::desc("Compare messages with expected-* lines of the input"));
  cl::opt<bool> allow("allow-unregistered-dialect",
                      cl::desc("Read operations of unknown dialects"));
  cl::list<std::string> dialectPlugins(
      relay::kDialectPluginOption,
      cl::desc("Load dialects, such as converters of ONNX operators, from a "
               "plugin"),
      cl::value_desc("shared object"));
  registerAsmPrinterCLOptions();
  registerMLIRContextCLOptions();
  registerTranslationCLOptions();
  cl::ParseCommandLineOptions(
      argc, argv, "Translation between relay-mlir and other formats\n");
#ifdef RELAY_ENABLE_ONNX
  if (coverage.getNumOccurrences()) {
    result.coverage = coverage.empty() ? "table" : coverage.getValue();
    if (result.coverage != "table" && result.coverage != "json")
      refuse("expects --onnx-coverage=json, but got '" + coverage + "'");
    if (!translations.empty() || split || verify)
      refuse("expects --onnx-coverage without translations");
  } else
#endif
      if (translations.empty())
    refuse("expects a translation, such as --import-onnx");
  result.inputPath = input;
  result.outputPath = output;
  result.translations.assign(translations.begin(), translations.end());
  if (split)
    result.splitMarker = kDefaultSplitMarker;
  result.verifyDiagnostics = verify;
  result.allowUnregisteredDialects = allow;
  result.dialectPlugins.assign(dialectPlugins.begin(), dialectPlugins.end());
  return result;
}

static LogicalResult translate(const Translation &translation,
                               std::unique_ptr<llvm::MemoryBuffer> input,
                               const TranslateOptions &options,
                               const DialectRegistry &plugins,
                               raw_ostream &os) {
  MLIRContext context(plugins);
  context.allowUnregisteredDialects(options.allowUnregisteredDialects);
  context.printOpOnDiagnostic(!options.verifyDiagnostics);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  if (options.verifyDiagnostics) {
    SourceMgrDiagnosticVerifierHandler handler(*sources, &context);
    (void)translation(sources, os, &context);
    return handler.verify();
  }
  SourceMgrDiagnosticHandler handler(*sources, &context);
  return translation(sources, os, &context);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::relay::removeTemporaryFilesOnSignals();
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  relay::registerAllTranslations();
  TranslateOptions options = parseCommandLine(argc, argv);
  DialectRegistry plugins;
  if (failed(relay::loadDialectPlugins(options.dialectPlugins, plugins)))
    return 1;
#ifdef RELAY_ENABLE_ONNX
  if (!options.coverage.empty()) {
    relay::registerAllDialects(plugins);
    MLIRContext context(plugins);
    return failed(relay::translateFile(
        options.inputPath, options.outputPath,
        [&](std::unique_ptr<llvm::MemoryBuffer> input, raw_ostream &os) {
          return relay::writeOnnxCoverage(input->getMemBufferRef(), &context,
                                          options.coverage == "json", os);
        }));
  }
#endif
  // Pieces of a file do not end in zeros, which readers look for.
  auto translatePiece = [&](std::unique_ptr<llvm::MemoryBuffer> input,
                            raw_ostream &os) -> LogicalResult {
    if (!options.splitMarker.empty())
      input = llvm::MemoryBuffer::getMemBufferCopy(
          input->getBuffer(), input->getBufferIdentifier());
    for (const Translation *translation :
         ArrayRef(options.translations).drop_back()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      std::string name = input->getBufferIdentifier().str();
      if (failed(translate(*translation, std::move(input), options, plugins,
                           stream)))
        return failure();
      input = llvm::MemoryBuffer::getMemBufferCopy(text, name);
    }
    return translate(*options.translations.back(), std::move(input), options,
                     plugins, os);
  };
  return failed(relay::translateFile(
      options.inputPath, options.outputPath,
      [&](std::unique_ptr<llvm::MemoryBuffer> input, raw_ostream &os) {
        return splitAndProcessBuffer(std::move(input), translatePiece, os,
                                     options.splitMarker);
      }));
}
