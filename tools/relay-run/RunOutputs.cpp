//===- RunOutputs.cpp - Outputs of a run ----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunOutputs.h"

#include "FileArguments.h"

#include "relay-mlir/Interpreter/TensorIO.h"
#include "relay-mlir/Pipelines/ProgramValues.h"
#include "relay-mlir/Support/ForeignText.h"
#include "relay-mlir/Support/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace relay_run;
using relay::InterpreterValue;
using relay::Tensor;

/// Elements of an output on its line.
static constexpr int64_t kMaxPrinted = 16;

static void printStrings(const relay::NpyStrings &strings) {
  llvm::outs() << "tensor<";
  for (int64_t size : strings.shape)
    llvm::outs() << size << 'x';
  llvm::outs() << "string> [";
  ArrayRef<std::string> texts = strings.texts;
  llvm::interleaveComma(texts.take_front(kMaxPrinted), llvm::outs(),
                        [](StringRef text) {
                          // Quoted, and letters as they are.
                          llvm::outs() << llvm::json::Value(text);
                        });
  llvm::outs() << (texts.size() > kMaxPrinted ? ", ...]\n" : "]\n");
}

/// One line per output: its type, and all elements or their range.
static void printSummary(const Output &output) {
  const Tensor &tensor = output.tensor;
  llvm::outs() << relay::formatForeignText(output.name) << ": ";
  if (!tensor) {
    llvm::outs() << output.text << '\n';
    return;
  }
  if (output.strings)
    return printStrings(*output.strings);
  llvm::outs() << tensor.getType();
  int64_t count = tensor.getNumElements();
  if (count <= kMaxPrinted) {
    llvm::outs() << " [";
    llvm::interleaveComma(
        tensor.loadAll<double>(), llvm::outs(),
        [](double value) { llvm::outs() << llvm::format("%.6g", value); });
    llvm::outs() << "]\n";
    return;
  }
  // Piece by piece: as numbers of 64 bits they may be more than there is
  // memory.
  double sum = 0, least = 0, greatest = 0;
  double values[1024];
  for (int64_t done = 0; done < count;) {
    int64_t size = std::min<int64_t>(std::size(values), count - done);
    tensor.load(done, /*stride=*/1, size, values);
    for (int64_t i = 0; i < size; ++i) {
      bool isFirst = done + i == 0;
      least = isFirst || values[i] < least ? values[i] : least;
      greatest = isFirst || greatest < values[i] ? values[i] : greatest;
      sum += values[i];
    }
    done += size;
  }
  llvm::outs() << llvm::format(" min %.6g max %.6g mean %.6g\n", least,
                               greatest, sum / count);
}

LogicalResult relay_run::setStrings(Output &output,
                                    const relay::StringTable &table) {
  llvm::Expected<relay::NpyStrings> strings =
      relay::getNpyStrings(output.tensor, table);
  if (!strings)
    return printError("'" + output.name +
                      "': " + llvm::toString(strings.takeError()));
  output.strings = std::move(*strings);
  return success();
}

static LogicalResult
forEachFile(ArrayRef<std::string> files, ArrayRef<StringRef> names,
            llvm::function_ref<LogicalResult(size_t, StringRef)> use) {
  std::string expected =
      "one of the outputs '" + llvm::join(names, "', '") + "'";
  return FileArguments{files, names, "outputs", expected}.forEach(use);
}

LogicalResult relay_run::checkOutputFiles(ArrayRef<std::string> files,
                                          ArrayRef<StringRef> names) {
  return forEachFile(files, names, [](size_t, StringRef) { return success(); });
}

LogicalResult
relay_run::checkOutputFilesOfParts(ArrayRef<std::string> files,
                                   ArrayRef<std::string> results) {
  for (StringRef file : files) {
    auto [name, path] = file.split('=');
    // Names of parts are output0.1 and so on.
    bool isPart = llvm::any_of(results, [name = name](StringRef result) {
      StringRef rest = name;
      return rest.consume_front(result) && (rest.empty() || rest[0] == '.');
    });
    if (!path.empty() && !isPart)
      return printError("expects the name of an output, or of a part of '" +
                        llvm::join(results, "', '") + "', but got '" + name +
                        "'");
  }
  return success();
}

LogicalResult relay_run::writeOutputs(ArrayRef<Output> outputs,
                                      ArrayRef<std::string> outputFiles) {
  for (const Output &output : outputs)
    printSummary(output);
  // What is no tensor has no file.
  SmallVector<StringRef> names;
  SmallVector<const Output *> tensors;
  for (const Output &output : outputs)
    if (output.tensor) {
      names.push_back(output.name);
      tensors.push_back(&output);
    }
  return forEachFile(outputFiles, names,
                     [&](size_t position, StringRef path) -> LogicalResult {
                       const Output &output = *tensors[position];
                       llvm::Error error =
                           output.strings
                               ? relay::writeNpyStrings(path, *output.strings)
                               : relay::writeNpy(
                                     path, relay::getNpyArray(output.tensor));
                       if (error)
                         return printError(llvm::toString(std::move(error)));
                       return success();
                     });
}

/// Splits tuples into their fields, "t.0" and so on.
void relay_run::addOutputs(std::string name, const InterpreterValue &value,
                           SmallVectorImpl<Output> &outputs) {
  if (value.isTensor()) {
    outputs.push_back({std::move(name), value.getTensor(), {}, {}});
    return;
  }
  if (value.isTuple() && !value.getFields().empty()) {
    for (auto [i, field] : llvm::enumerate(value.getFields()))
      addOutputs(name + "." + std::to_string(i), field, outputs);
    return;
  }
  Output &output = outputs.emplace_back();
  output.name = std::move(name);
  llvm::raw_string_ostream os(output.text);
  value.print(os);
}

/// Splits tuples into their fields, as addOutputs does.
void relay_run::addOutputs(std::string name, RelayValue *value,
                           MLIRContext &context,
                           SmallVectorImpl<Output> &outputs) {
  int32_t count = 0;
  switch (relayValueGetKind(value)) {
  case RELAY_VALUE_TENSOR:
    outputs.push_back(
        {std::move(name), relay::getProgramTensor(value, &context), {}, {}});
    return;
  case RELAY_VALUE_TUPLE:
    (void)relayValueGetNumFields(value, &count);
    for (int32_t i = 0; i < count; ++i) {
      RelayValue *field = nullptr;
      if (relayValueGetField(value, i, &field) != RELAY_OK)
        continue;
      relay::ProgramValue owner(field);
      addOutputs(name + "." + std::to_string(i), field, context, outputs);
    }
    if (count != 0)
      return;
    break;
  default:
    break;
  }
  Output &output = outputs.emplace_back();
  output.name = std::move(name);
  llvm::raw_string_ostream os(output.text);
  relay::printProgramValue(os, value, &context,
                           std::numeric_limits<unsigned>::max());
}

void relay_run::addResults(ArrayRef<std::string> names, RelayValue *value,
                           MLIRContext &context,
                           SmallVectorImpl<Output> &outputs) {
  if (names.size() == 1)
    return addOutputs(names.front(), value, context, outputs);
  for (auto [i, name] : llvm::enumerate(names)) {
    RelayValue *field = nullptr;
    if (relayValueGetField(value, static_cast<int32_t>(i), &field) != RELAY_OK)
      continue;
    relay::ProgramValue owner(field);
    addOutputs(name, field, context, outputs);
  }
}
