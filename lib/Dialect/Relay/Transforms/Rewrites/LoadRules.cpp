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

/// The place of `file:line:column`, which may be written as
/// `loc("file":line:column)`; null if a text is none.
static FileLineColLoc parsePlace(StringRef text, MLIRContext *context) {
  if (text.consume_front("loc("))
    text.consume_back(")");
  auto [rest, columnText] = text.rsplit(':');
  auto [file, lineText] = rest.rsplit(':');
  unsigned line, column;
  if (lineText.getAsInteger(10, line) || columnText.getAsInteger(10, column))
    return {};
  return FileLineColLoc::get(context, file.trim('"'), line, column);
}

/// Where a text is in a file, or the file.
static Location findText(StringRef text, StringRef source, StringRef file,
                         MLIRContext *context) {
  size_t position = source.find(text);
  if (position == StringRef::npos)
    return getFileLocation(context, file);
  StringRef before = source.take_front(position);
  return FileLineColLoc::get(context, file, before.count('\n') + 1,
                             before.size() - (before.rfind('\n') + 1) + 1);
}

/// Reports messages of the form `place: error: text`, each of which has an
/// excerpt of the file after it. Attributes and types are texts in `source`,
/// that of the file: a message about one has its place in that text, and need
/// not be followed by one about the file. Returns whether there are errors.
static bool reportMessages(StringRef messages, StringRef file, StringRef source,
                           MLIRContext *context) {
  std::optional<InFlightDiagnostic> diag;
  bool hasErrors = false;
  StringRef inner, innerText;
  auto report = [&](Location loc, const Twine &message) {
    diag.reset();
    diag.emplace(emitError(loc) << "cannot read rules: " << message);
    hasErrors = true;
  };
  SmallVector<StringRef> lines;
  messages.split(lines, '\n');
  for (StringRef line : lines) {
    bool isError = line.contains(": error: ");
    if (!isError && !line.contains(": note: "))
      continue;
    auto [place, message] = line.split(isError ? ": error: " : ": note: ");
    FileLineColLoc loc = parsePlace(place, context);
    if (!loc)
      continue;
    if (isError && place.starts_with("loc(") && loc.getFilename() != file) {
      inner = message;
      innerText = loc.getFilename();
    } else if (isError) {
      report(loc, inner.empty() ? Twine(message) : message + ": " + inner);
      inner = {};
    } else if (diag) {
      diag->attachNote(loc) << message;
    }
  }
  if (!inner.empty())
    report(findText(innerText, source, file, context), inner);
  return hasErrors;
}

/// Makes PDL of a file in PDLL.
static FailureOr<std::vector<char>> compilePDLL(StringRef file,
                                                StringRef source,
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
  if (reportMessages(StringRef(text->data(), text->size()), file, source,
                     context))
    return failure();
  if (status->signal)
    return fail(*compiler + " was ended by signal " + Twine(*status->signal));
  if (status->code.value_or(0) != 0)
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
          compilePDLL(file, text, includeDirs, context);
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
