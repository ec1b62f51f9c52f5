//===- relay-gpu-run.cpp - Run a GPU kernel in software -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelArguments.h"

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Support/DiagnosticPrinter.h"
#include "relay-mlir/Support/ParseModule.h"
#include "relay-mlir/Support/TranslateFile.h"
#include "relay-mlir/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

namespace cl = llvm::cl;
using namespace mlir;

namespace {

cl::OptionCategory category("relay-gpu-run options");

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::desc("Name of the kernel"),
                             cl::value_desc("name"), cl::cat(category)};
  cl::list<int64_t> grid{"grid", cl::CommaSeparated,
                         cl::desc("Blocks, along x, y and z"),
                         cl::value_desc("sizes"), cl::cat(category)};
  cl::list<int64_t> block{"block", cl::CommaSeparated,
                          cl::desc("Threads of a block, along x, y and z"),
                          cl::value_desc("sizes"), cl::cat(category)};
  cl::opt<uint64_t> shared{"shared", cl::desc("Bytes of dynamic shared memory"),
                           cl::init(0), cl::cat(category)};
  cl::list<std::string> arguments{
      "arg",
      cl::desc("The next argument: 7, f32:1.5, or a buffer as 2x3xf32, "
               "2x3xf32=1,2 or 64xi8=iota"),
      cl::value_desc("argument"), cl::cat(category)};
  cl::list<unsigned> prints{
      "print", cl::desc("Print the argument of this number after the run"),
      cl::value_desc("number"), cl::cat(category)};
  cl::opt<uint64_t> maxSteps{
      "max-steps",
      cl::desc("Instructions after which a thread has an infinite loop"),
      cl::init(relay::GPUExecutorOptions().maxSteps), cl::cat(category)};
  cl::opt<bool> detect{
      "detect",
      cl::desc("Look for races and for memory that nobody has written"),
      cl::init(true), cl::cat(category)};
};

} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "relay-gpu-run: error: " << message << '\n';
  return failure();
}

static LogicalResult readSizes(const cl::list<int64_t> &option,
                               std::array<int64_t, 3> &sizes) {
  if (option.size() > 3)
    return fail("expects at most 3 sizes in --" + option.ArgStr + ", but got " +
                Twine(option.size()));
  llvm::copy(option, sizes.begin());
  return success();
}

static LogicalResult run(const Options &options) {
  DialectRegistry registry;
  relay::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  relay::DiagnosticPrinter printer(&context, &sources);
  std::string error;
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
  if (!file)
    return fail("cannot read " + options.input + ": " +
                file.getError().message());
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  OwningOpRef<ModuleOp> module =
      relay::parseModule(sources, ParserConfig(&context));
  if (!module)
    return failure();
  relay::GPUExecutorOptions executorOptions;
  executorOptions.maxSteps = options.maxSteps;
  executorOptions.detect = options.detect;
  auto executor = relay::GPUExecutor::create(*module, executorOptions);
  if (failed(executor))
    return failure();
  if (!executor->hasKernel(options.entry))
    return fail("expects the name of a kernel, but got '" + options.entry +
                "'");
  relay::KernelArguments arguments(&context);
  for (const std::string &text : options.arguments)
    if (llvm::Error problem = arguments.add(text))
      return fail(llvm::toString(std::move(problem)));
  relay::GPULaunch launch;
  if (failed(readSizes(options.grid, launch.grid)) ||
      failed(readSizes(options.block, launch.block)))
    return failure();
  launch.dynamicSharedBytes = options.shared;
  llvm::append_range(launch.arguments, arguments.getValues());
  if (failed(executor->launch(options.entry, launch, arguments.getMemory())))
    return failure();
  for (unsigned number : options.prints)
    if (llvm::Error problem = arguments.print(number, llvm::outs()))
      return fail(llvm::toString(std::move(problem)));
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  Options options;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a kernel of a gpu.module on the processor, and looks for races and "
      "other mistakes\n");
  return failed(run(options));
}
