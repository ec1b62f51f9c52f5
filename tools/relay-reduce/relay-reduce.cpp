//===- relay-reduce.cpp - The smallest program that still fails -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs MLIR's pass `reduction-tree` until nothing becomes smaller. A test says
// what is interesting, as mlir-reduce has it: a program that gets the name of a
// file, and ends with another status than 0 if it is. --command writes one.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include "relay-mlir/InitAllDialects.h"
#include "relay-mlir/Support/DialectPlugins.h"
#include "relay-mlir/Support/ParseModule.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Support/TranslateFile.h"
#include "relay-mlir/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Reducer/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
using namespace mlir;

namespace {

cl::OptionCategory category("relay-reduce options");

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Output file"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::opt<std::string> test{
      "test",
      cl::desc("Program that gets the name of a file, and ends with another "
               "status than 0 if the file is still interesting"),
      cl::value_desc("program"), cl::cat(category)};
  cl::list<std::string> testArgs{"test-arg",
                                 cl::desc("Argument of the test before the "
                                          "name of the file"),
                                 cl::cat(category)};
  cl::opt<std::string> command{
      "command",
      cl::desc(
          "In place of a test: a command of the shell, which gets the name "
          "of a file at its end. A file is interesting if a signal ends "
          "the command or, with --message, if it fails with that message"),
      cl::value_desc("command"), cl::cat(category)};
  cl::opt<std::string> message{
      "message", cl::desc("What the command has to say when it fails"),
      cl::value_desc("text"), cl::cat(category)};
  cl::opt<unsigned> timeout{
      "timeout",
      cl::desc("Seconds after which the command is stopped, and its "
               "file not interesting"),
      cl::init(60), cl::cat(category)};
  cl::list<std::string> dialectPlugins{
      relay::kDialectPluginOption, cl::desc("Load dialects from a plugin"),
      cl::value_desc("shared object"), cl::cat(category)};
};

} // namespace

static LogicalResult fail(const Twine &message) {
  llvm::errs() << "relay-reduce: error: " << message << '\n';
  return failure();
}

/// `text` as one word of a shell.
static std::string quote(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Writes a test that runs the command.
static LogicalResult writeTest(const Options &options, StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return fail("cannot write " + path + ": " + error.message());
  // timeout ends with 124 when it stops the command, and with 137 if it has to
  // kill it; a shell with 128 and the number of the signal. What the command
  // leaves running may hold a file, but not a pipe that is waited for.
  os << "#!/bin/sh\n"
     << "output=$(mktemp) || exit 0\n"
     << "timeout -k 1 " << options.timeout << " sh -c "
     << quote(options.command + " \"$0\"") << " \"$1\" >\"$output\" 2>&1\n"
     << "status=$?\n"
     << "said=$(cat \"$output\")\n"
     << "rm -f \"$output\"\n"
     << "[ $status = 124 ] && exit 0\n"
     << "[ $status = 137 ] && exit 0\n";
  if (options.message.empty())
    os << "[ $status -ge 128 ] && exit 1\nexit 0\n";
  else
    os << "[ $status = 0 ] && exit 0\n"
       << "case $said in *" << quote(StringRef(options.message).rtrim('\n'))
       << "*) exit 1;; esac\nexit 0\n";
  os.close();
  if (os.has_error())
    return fail("cannot write " + path + ": " + os.error().message());
  if ((error = llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_all)))
    return fail("cannot make " + path + " executable: " + error.message());
  return success();
}

static size_t getNumOperations(ModuleOp module) {
  size_t count = 0;
  module->walk([&](Operation *) { ++count; });
  return count - 1;
}

/// Runs the pass in a process of its own: it does not get over a program that
/// is no longer interesting when it has been folded.
static LogicalResult runReductionTree(ModuleOp module, StringRef test,
                                      ArrayRef<std::string> testArgs) {
  auto file = relay::TemporaryFile::create("relay-reduce", "mlir");
  if (!file)
    return failure();
  std::string path = file->getPath().str();
  pid_t child = fork();
  if (child < 0)
    return failure();
  if (child == 0) {
    // How it ends is no news for the user.
    if (int null = open("/dev/null", O_WRONLY); null >= 0)
      dup2(null, STDERR_FILENO);
    PassManager manager(module.getContext());
    ReductionTreePassOptions options;
    options.testerName = test.str();
    options.testerArgs.assign(testArgs.begin(), testArgs.end());
    manager.addPass(createReductionTreePass(options));
    std::error_code error;
    bool isDone = succeeded(manager.run(module));
    if (isDone) {
      llvm::raw_fd_ostream os(path, error);
      os << module;
      os.close();
      isDone = !error && !os.has_error();
    }
    _exit(isDone ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return failure();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return failure();
  OwningOpRef<ModuleOp> reduced =
      parseSourceFile<ModuleOp>(path, module.getContext());
  if (!reduced)
    return failure();
  module.getBodyRegion().takeBody(reduced->getBodyRegion());
  return success();
}

static LogicalResult reduce(ModuleOp module, const Tester &tester,
                            StringRef test, ArrayRef<std::string> testArgs,
                            bool isCommand) {
  size_t before = getNumOperations(module);
  if (tester.isInteresting(module).first != Tester::Interestingness::True)
    return fail(isCommand
                    ? "expects a command that a signal ends, or that fails "
                      "with the message, but it does not do so for the input"
                    : "expects an input that is interesting, but the test ends "
                      "with status 0 for it");
  // Most of what the pass tries is not valid.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  relay::zeroWeights(module, tester);
  relay::returnEarlier(module, tester);
  // The pass leaves what a change has made superfluous to its next run.
  for (std::string text, last;; last = text) {
    text.clear();
    llvm::raw_string_ostream(text) << module;
    if (text == last)
      break;
    if (failed(runReductionTree(module, test, testArgs)))
      relay::simplifyOneByOne(module, tester);
    relay::eraseUnused(module, tester);
  }
  llvm::errs() << "relay-reduce: " << before << " operations became "
               << getNumOperations(module) << '\n';
  return success();
}

static LogicalResult run(const Options &options,
                         const DialectRegistry &registry,
                         std::unique_ptr<llvm::MemoryBuffer> input,
                         raw_ostream &os) {
  std::string test = options.test;
  std::optional<relay::TemporaryFile> script;
  if (!options.command.empty()) {
    auto made = relay::TemporaryFile::create("relay-reduce", "sh");
    if (!made)
      return fail("cannot make a file: " + made.getError().message());
    test = script.emplace(std::move(*made)).getPath().str();
    if (failed(writeTest(options, test)))
      return failure();
  } else {
    auto found = llvm::sys::findProgramByName(test);
    if (!found || !llvm::sys::fs::can_execute(*found))
      return fail("expects a test that can be run, but got '" + test + "'");
    test = *found;
  }
  // (A process that is to be forked has one thread.)
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      relay::parseModule(sources, ParserConfig(&context));
  if (!module)
    return failure();
  std::vector<std::string> args(options.testArgs.begin(),
                                options.testArgs.end());
  Tester tester(test, args);
  if (failed(reduce(*module, tester, test, args, !options.command.empty())))
    return failure();
  os << *module << '\n';
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::relay::removeTemporaryFilesOnSignals();
  cl::AddExtraVersionPrinter([](llvm::raw_ostream &os) {
    os << "relay-mlir " << relay::getVersionString() << '\n';
  });
  Options options;
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Makes a program smaller that something is wrong with\n");
  if (options.test.empty() == options.command.empty())
    return failed(fail("expects either --test or --command"));
  if (!options.message.empty() && options.command.empty())
    return failed(fail("expects --command beside --message"));
  DialectRegistry registry;
  relay::registerAllDialects(registry);
  relay::registerReductionPatterns(registry);
  if (failed(relay::loadDialectPlugins(options.dialectPlugins, registry)))
    return 1;
  return failed(relay::translateFile(
      options.input, options.output,
      [&](std::unique_ptr<llvm::MemoryBuffer> input, raw_ostream &os) {
        return run(options, registry, std::move(input), os);
      }));
}
