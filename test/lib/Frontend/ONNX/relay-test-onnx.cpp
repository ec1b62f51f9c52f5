//===- relay-test-onnx.cpp - Import and interpret ONNX models -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves test/python/onnx_backend.py, which has thousands of small models. Each
// line of input is a request, its words separated by tabs:
//
//   import MODEL.onnx
//   run MODEL.onnx OUTPUT_PREFIX [INPUT.npy ...]
//   operators
//
// The answer is one line, `ok` with the number of outputs, or `error` with the
// diagnostics. Output i is written to OUTPUT_PREFIX<i>.npy. Operators are
// answered by their number, then NAME:SINCE:UNTIL of each.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Strings.h"
#include "relay-mlir/Frontend/ONNX/ImportONNX.h"
#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Interpreter/TensorIO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"

#include <iostream>

using namespace mlir;
using namespace mlir::relay;

static FailureOr<unsigned> serve(ArrayRef<StringRef> words,
                                 MLIRContext *context) {
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = importOnnxFile(words[1], context);
  if (!module || failed(verify(*module)))
    return failure();
  auto main = module->lookupSymbol<func::FuncOp>("main");
  if (words[0] == "import")
    return main.getNumResults();

  SmallVector<InterpreterValue> inputs;
  StringTable strings(*module);
  for (auto [index, path] : llvm::enumerate(words.drop_front(3))) {
    if (index < main.getNumArguments() &&
        main.getArgAttr(index, kIsStringAttrName)) {
      llvm::Expected<NpyStrings> texts = readNpyStrings(path);
      if (!texts)
        return emitError(loc) << llvm::toString(texts.takeError());
      inputs.push_back(getTensor(*texts, strings, context));
      continue;
    }
    llvm::Expected<NpyArray> array = readNpy(path);
    if (!array)
      return emitError(loc) << llvm::toString(array.takeError());
    inputs.push_back(getTensor(*array, context));
  }
  StringRun stringRun(strings);
  FailureOr<SmallVector<InterpreterValue>> results =
      interpretMain(*module, inputs);
  if (failed(results))
    return failure();
  stringRun.addTo(strings);
  for (auto [index, result] : llvm::enumerate(*results)) {
    if (!result.isTensor())
      return emitError(loc)
             << "expects tensors, but output " << index << " is none";
    std::string path = (words[2] + llvm::Twine(index) + ".npy").str();
    llvm::Error error = llvm::Error::success();
    if (main.getResultAttr(index, kIsStringAttrName)) {
      llvm::Expected<NpyStrings> texts =
          getNpyStrings(result.getTensor(), strings);
      error = texts ? writeNpyStrings(path, *texts) : texts.takeError();
    } else {
      error = writeNpy(path, getNpyArray(result.getTensor()));
    }
    if (error)
      return emitError(loc) << llvm::toString(std::move(error));
  }
  return results->size();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  mlir::relay::registerProjectDialects(registry);
  registry.insert<func::FuncDialect>();
  std::string line;
  while (std::getline(std::cin, line)) {
    // A context of its own: resources of one model do not outlive it.
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    std::string messages;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      messages += diagnostic.str() + "; ";
      for (Diagnostic &note : diagnostic.getNotes())
        messages += note.str() + "; ";
      return success();
    });
    SmallVector<StringRef> words;
    StringRef(line).split(words, '\t');
    if (words[0] == "operators") {
      std::vector<OnnxOperator> operators = getOnnxOperators();
      std::cout << "ok " << operators.size();
      for (const OnnxOperator &op : operators)
        std::cout << ' ' << op.domain << (op.domain.empty() ? "" : ".")
                  << op.name << ':' << op.since << ':' << op.until;
      std::cout << std::endl;
      continue;
    }
    FailureOr<unsigned> count = serve(words, &context);
    std::replace(messages.begin(), messages.end(), '\n', ' ');
    if (succeeded(count))
      std::cout << "ok " << *count << std::endl;
    else
      std::cout << "error " << messages << std::endl;
  }
  return 0;
}
