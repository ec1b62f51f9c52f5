//===- LoadRules.cpp - Rules from files -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PDLL is compiled to PDL by the program mlir-pdll: its parser is not among the
// libraries that packages of MLIR have.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/Parser/Parser.h"
#include "relay-mlir/Support/ChildProcess.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/ParseModule.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::relay;

static llvm::ErrorOr<std::string> findCompiler() {
  if (auto given = llvm::sys::Process::GetEnv("RELAY_PDLL"))
    return llvm::sys::findProgramByName(*given);
  for (StringRef name :
       {RELAY_PDLL_PATH, "mlir-pdll-" RELAY_LLVM_MAJOR, "mlir-pdll"})
    if (auto path = llvm::sys::findProgramByName(name))
      return path;
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

/// The folders of what rules include, besides those that the user names: of the
/// sources, if they are there, of an installed library, and of MLIR.
static SmallVector<std::string> getIncludeDirs() {
  SmallVector<std::string> dirs = {RELAY_SOURCE_INCLUDE_DIR};
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&getIncludeDirs), &info) &&
      info.dli_fname) {
    SmallString<128> path(info.dli_fname);
    if (!llvm::sys::fs::make_absolute(path)) {
      llvm::sys::path::remove_filename(path);
      llvm::sys::path::append(path, "..", "include");
      dirs.push_back(path.str().str());
    }
  }
  dirs.push_back(RELAY_MLIR_INCLUDE_DIR);
  return dirs;
}

/// Reports messages of the form `file:line:column: error: text`, each of which
/// has an excerpt of the file after it. Returns whether there are errors.
static bool reportMessages(StringRef text, MLIRContext *context) {
  std::optional<InFlightDiagnostic> diag;
  bool hasErrors = false;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    bool isError = line.contains(": error: ");
    if (!isError && !line.contains(": note: "))
      continue;
    auto [place, message] = line.split(isError ? ": error: " : ": note: ");
    auto [rest, columnText] = place.rsplit(':');
    auto [file, lineText] = rest.rsplit(':');
    unsigned number, column;
    if (lineText.getAsInteger(10, number) ||
        columnText.getAsInteger(10, column))
      continue;
    auto loc = FileLineColLoc::get(context, file, number, column);
    if (isError) {
      diag.reset();
      diag.emplace(emitError(loc) << "cannot read rules: " << message);
      hasErrors = true;
    } else if (diag) {
      diag->attachNote(loc) << message;
    }
  }
  return hasErrors;
}

/// Makes PDL of a file in PDLL.
static FailureOr<std::vector<char>> compilePDLL(StringRef file,
                                                ArrayRef<std::string> includes,
                                                MLIRContext *context) {
  Location loc = getFileLocation(context, file);
  auto fail = [&](const Twine &reason) -> LogicalResult {
    return emitError(loc) << "cannot read rules: " << reason;
  };
  llvm::ErrorOr<std::string> compiler = findCompiler();
  if (!compiler)
    return fail("expects the program mlir-pdll at " RELAY_PDLL_PATH
                " or on the PATH (Debian: package mlir-" RELAY_LLVM_MAJOR
                "-tools), but found none");
  std::vector<std::string> args = {"mlir-pdll", "-x=mlir"};
  for (const std::string &dir : includes)
    args.push_back("-I" + dir);
  for (const std::string &dir : getIncludeDirs())
    args.push_back("-I" + dir);
  args.push_back(file.str());
  llvm::ErrorOr<FileDescriptor> output =
      FileDescriptor::createInMemory("output");
  llvm::ErrorOr<FileDescriptor> messages =
      FileDescriptor::createInMemory("messages");
  if (!output || !messages)
    return fail("no memory for its compilation");
  llvm::ErrorOr<ExitStatus> status =
      runChild(*compiler, args, {-1, output->get(), messages->get()});
  if (!status)
    return fail("cannot run " + *compiler + ": " + status.getError().message());
  llvm::ErrorOr<std::vector<char>> result = readAll(output->get());
  llvm::ErrorOr<std::vector<char>> text = readAll(messages->get());
  if (!result || !text)
    return fail("cannot read what " + *compiler + " has written");
  if (reportMessages(StringRef(text->data(), text->size()), context))
    return failure();
  if (status->signal || status->code.value_or(0) != 0)
    return fail(*compiler + " has failed: " +
                StringRef(text->data(), text->size()).take_front(200));
  return std::move(*result);
}

LogicalResult relay::loadRules(ModuleOp rules, ArrayRef<std::string> files,
                               ArrayRef<std::string> includeDirs) {
  MLIRContext *context = rules.getContext();
  for (const std::string &file : files) {
    Location loc = getFileLocation(context, file);
    bool isPDLL = StringRef(file).ends_with(".pdll");
    if (!isPDLL && !StringRef(file).ends_with(".mlir"))
      return emitError(loc)
             << "expects rules in a file .pdll or .mlir, but got '" << file
             << "'";
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        readInputFile(file);
    if (!buffer)
      return emitError(loc)
             << "cannot read rules: " << buffer.getError().message();
    std::string text = (*buffer)->getBuffer().str();
    if (isPDLL) {
      FailureOr<std::vector<char>> compiled =
          compilePDLL(file, includeDirs, context);
      if (failed(compiled))
        return failure();
      text.assign(compiled->begin(), compiled->end());
    }
    OwningOpRef<ModuleOp> module = parseModule(text, file, context);
    if (!module)
      return failure();
    size_t before = rules.getBody()->getOperations().size();
    for (Operation &op : module->getBody()->getOperations())
      if (!isa<pdl::PatternOp>(op))
        return emitError(op.getLoc(), "expects pdl.pattern, but got '")
               << op.getName() << "'";
    rules.getBody()->getOperations().splice(rules.getBody()->end(),
                                            module->getBody()->getOperations());
    if (rules.getBody()->getOperations().size() == before)
      return emitError(loc) << "expects rules, but got none";
  }
  return success();
}
