//===- relay-lsp-server.cpp - Language server for .mlir files -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/ParseModule.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/AsmParser/CodeComplete.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/ProgramStack.h"

#include <dlfcn.h>

/// Takes the place of MLIR's function, by which the server reads documents
/// without asking anyone before: a document that is nested too deep would use
/// up the stack.
LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::LogicalResult
mlir::parseAsmSourceFile(const llvm::SourceMgr &sources, Block *block,
                         const ParserConfig &config, AsmParserState *state,
                         AsmParserCodeCompleteContext *completion) {
  using Fn = decltype(&parseAsmSourceFile);
  static const auto parse = reinterpret_cast<Fn>(
      dlsym(RTLD_NEXT,
            "_ZN4mlir18parseAsmSourceFileERKN4llvm9SourceMgrEPNS_5BlockERKNS_"
            "12ParserConfigEPNS_14AsmParserStateEPNS_"
            "28AsmParserCodeCompleteContextE"));
  if (!parse)
    llvm::report_fatal_error("expects a parser in MLIR's library");
  llvm::MemoryBufferRef main =
      sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef();
  if (failed(relay::checkText(main, config.getContext())))
    return failure();
  LogicalResult result = failure();
  llvm::runOnNewStack(relay::kParserStackSize, [&] {
    result = parse(sources, block, config, state, completion);
  });
  return result;
}

namespace cl = llvm::cl;

static cl::list<std::string>
    dialectPlugins(mlir::relay::kDialectPluginOption,
                   cl::desc("Load the dialects of a shared object"),
                   cl::value_desc("path"));

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::relay::registerAllDialects(registry);
  bool isLoaded = false;
  // Called for each document, after the server has read its options.
  auto getRegistry =
      [&](const llvm::lsp::URIForFile &) -> mlir::DialectRegistry & {
    if (!isLoaded &&
        failed(mlir::relay::loadDialectPlugins(dialectPlugins, registry)))
      exit(EXIT_FAILURE);
    isLoaded = true;
    return registry;
  };
  return llvm::failed(mlir::MlirLspServerMain(argc, argv, getRegistry));
}
