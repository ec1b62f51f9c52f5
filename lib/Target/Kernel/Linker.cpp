//===- Linker.cpp - Objects to a shared object ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/Linker.h"

#include "lld/Common/Driver.h"
#include "relay-mlir/Target/Kernel/ElfFile.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <fcntl.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::relay;

using EmitErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// What generated code may call. The user's machine need not have the
/// libraries' development files, nor, when we cross-compile, the libraries: the
/// linker gets stand-ins that define these names.
static constexpr StringLiteral kMathFunctions[] = {
    "acos",      "acosf",      "acosh", "acoshf", "asin",      "asinf",
    "asinh",     "asinhf",     "atan",  "atanf",  "atan2",     "atan2f",
    "atanh",     "atanhf",     "cbrt",  "cbrtf",  "ceil",      "ceilf",
    "copysign",  "copysignf",  "cos",   "cosf",   "cosh",      "coshf",
    "erf",       "erff",       "erfc",  "erfcf",  "exp",       "expf",
    "exp10",     "exp10f",     "exp2",  "exp2f",  "expm1",     "expm1f",
    "fabs",      "fabsf",      "floor", "floorf", "fma",       "fmaf",
    "fmax",      "fmaxf",      "fmin",  "fminf",  "fmod",      "fmodf",
    "frexp",     "frexpf",     "ldexp", "ldexpf", "llrint",    "llrintf",
    "llround",   "llroundf",   "log",   "logf",   "log10",     "log10f",
    "log1p",     "log1pf",     "log2",  "log2f",  "lrint",     "lrintf",
    "lround",    "lroundf",    "modf",  "modff",  "nearbyint", "nearbyintf",
    "pow",       "powf",       "rint",  "rintf",  "round",     "roundf",
    "roundeven", "roundevenf", "sin",   "sinf",   "sincos",    "sincosf",
    "sinh",      "sinhf",      "sqrt",  "sqrtf",  "tan",       "tanf",
    "tanh",      "tanhf",      "trunc", "truncf"};
static constexpr StringLiteral kLibcFunctions[] = {
    "abort", "free", "malloc", "memcmp", "memcpy", "memmove", "memset"};

/// A shared library called `soname` that defines `names`.
static std::string getStubLibrary(StringRef soname,
                                  ArrayRef<StringLiteral> names,
                                  const TargetInfo &target) {
  using namespace llvm::ELF;
  ElfFile file;
  ElfFile::Section text{".text", SHT_NOBITS};
  text.flags = SHF_ALLOC | SHF_EXECINSTR;
  text.size = 1;
  uint32_t textIndex = file.add(text), stringsIndex = textIndex + 1;

  ElfStrings strings;
  uint64_t sonameOffset = strings.add(soname);
  ElfFile::Section symbols{".dynsym", SHT_DYNSYM};
  symbols.contents = ElfFile::getSymbol(0, 0, 0, 0, 0);
  for (StringRef name : names)
    symbols.contents += ElfFile::getSymbol(
        strings.add(name), STB_GLOBAL << 4 | STT_FUNC, 0, textIndex, 1);
  symbols.alignment = 8;
  symbols.info = 1; // the first global symbol
  symbols.entrySize = sizeof(Elf64_Sym);
  symbols.link = stringsIndex;

  ElfFile::Section dynamic{".dynamic", SHT_DYNAMIC};
  for (uint64_t word :
       {uint64_t(DT_SONAME), sonameOffset, uint64_t(DT_NULL), uint64_t(0)}) {
    char bytes[8];
    llvm::support::endian::write64le(bytes, word);
    dynamic.contents.append(bytes, sizeof(bytes));
  }
  dynamic.alignment = 8;
  dynamic.entrySize = sizeof(Elf64_Dyn);
  dynamic.link = stringsIndex;

  ElfFile::Section table{".dynstr", SHT_STRTAB};
  table.contents = strings.getContents();
  file.add(table);
  file.add(symbols);
  file.add(dynamic);
  return file.write(ET_DYN, target.isX86());
}

/// Runs the linker; what it has to say goes to `messages`.
static bool runLinker(ArrayRef<std::string> args, std::string &messages) {
  // The linker keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<const char *> argv{"ld.lld"};
  for (const std::string &arg : args)
    argv.push_back(arg.c_str());
  llvm::raw_string_ostream os(messages);
  lld::Result result =
      lld::lldMain(argv, llvm::nulls(), os, {{lld::Gnu, &lld::elf::link}});
  return result.retCode == 0;
}

/// Drops the linker's own name and keeps its first messages: one undefined
/// symbol is reported for each use.
static std::string summarize(StringRef messages) {
  SmallVector<StringRef> lines;
  messages.trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  std::string summary;
  // Where a symbol is used does not help: objects are temporary.
  llvm::erase_if(lines, [](StringRef line) { return line.starts_with(">>>"); });
  for (StringRef line : ArrayRef(lines).take_front(5)) {
    line.consume_front("ld.lld: ");
    line.consume_front("error: ");
    (summary += summary.empty() ? "" : "; ") += line.trim();
  }
  return summary;
}

static std::error_code writeFile(StringRef path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return code;
  os << bytes;
  os.close();
  code = os.error();
  os.clear_error();
  return code;
}

/// Gives the file `from` the name `to`, which another file may have.
static std::error_code replaceFile(const Twine &from, const Twine &to) {
#ifdef RENAME_EXCHANGE
  // Some file systems write a file to disk before it replaces another one, but
  // not when two change their names.
  if (::renameat2(AT_FDCWD, from.str().c_str(), AT_FDCWD, to.str().c_str(),
                  RENAME_EXCHANGE) == 0)
    return llvm::sys::fs::remove(from);
#endif
  return llvm::sys::fs::rename(from, to);
}

static std::error_code finishFile(StringRef path, const LinkFinishFn &finish) {
  if (!finish)
    return {};
  int descriptor;
  if (std::error_code code = llvm::sys::fs::openFileForReadWrite(
          path, descriptor, llvm::sys::fs::CD_OpenExisting,
          llvm::sys::fs::OF_None))
    return code;
  std::error_code result = finish(descriptor);
  llvm::sys::fs::file_t file = llvm::sys::fs::convertFDToNativeFile(descriptor);
  std::error_code closed = llvm::sys::fs::closeFile(file);
  return result ? result : closed;
}

static LogicalResult link(ArrayRef<LinkInput> inputs, const TargetInfo &target,
                          StringRef output, bool isShared,
                          EmitErrorFn emitError, const LinkFinishFn &finish) {
  SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("relay-link", folder))
    return emitError() << "cannot create a folder for temporary files: "
                       << code.message();
  llvm::scope_exit removeFolder(
      [&] { (void)llvm::sys::fs::remove_directories(folder); });
  auto inFolder = [&](const Twine &name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };

  std::vector<std::string> args{"--no-warnings", "--threads=1"};
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!input.path.empty()) {
      args.push_back(input.path);
      continue;
    }
    std::string path = inFolder(Twine(index) + ".o");
    if (std::error_code code = writeFile(path, input.bytes))
      return emitError() << "cannot write " << path << ": " << code.message();
    args.push_back(path);
  }

  std::string messages;
  if (isShared) {
    llvm::append_range(args, ArrayRef<std::string>{
                                 "-shared", "--gc-sections", "-z", "defs", "-z",
                                 "now", "--hash-style=gnu", "--as-needed"});
    for (auto [name, functions] :
         {std::pair<StringRef, ArrayRef<StringLiteral>>("libm.so.6",
                                                        kMathFunctions),
          {"libc.so.6", kLibcFunctions}}) {
      std::string library = inFolder(name);
      if (std::error_code code =
              writeFile(library, getStubLibrary(name, functions, target)))
        return emitError() << "cannot write " << library << ": "
                           << code.message();
      args.push_back(library);
    }
  } else {
    args.push_back("-r");
  }

  auto failToWrite = [&](const Twine &reason) -> LogicalResult {
    return emitError() << "cannot write " << output << ": " << reason;
  };
  if (llvm::sys::fs::is_directory(output))
    return failToWrite("is a directory");
  // A device gets a copy: the linker gives up the process when one is full.
  if (llvm::sys::fs::exists(output) &&
      !llvm::sys::fs::is_regular_file(output)) {
    std::string linked = inFolder("output");
    llvm::append_range(args, ArrayRef<std::string>{"-o", linked});
    if (!runLinker(args, messages))
      return failToWrite(summarize(messages));
    if (std::error_code code = finishFile(linked, finish))
      return failToWrite(code.message());
    auto buffer = llvm::MemoryBuffer::getFile(linked);
    if (!buffer)
      return failToWrite(buffer.getError().message());
    if (std::error_code code = writeFile(output, (*buffer)->getBuffer()))
      return failToWrite(code.message());
    return success();
  }

  // Linked beside the output and renamed, so that nobody sees half a file.
  SmallString<128> temporary;
  llvm::sys::fs::createUniquePath(output + ".tmp%%%%%%", temporary,
                                  /*MakeAbsolute=*/false);
  llvm::FileRemover removeTemporary(temporary);
  llvm::append_range(args, ArrayRef<std::string>{"-o", std::string(temporary)});
  if (!runLinker(args, messages))
    return failToWrite(summarize(messages));
  if (std::error_code code = finishFile(temporary, finish))
    return failToWrite(code.message());
  if (std::error_code code = replaceFile(temporary, output))
    return failToWrite(code.message());
  removeTemporary.releaseFile();
  return success();
}

LogicalResult mlir::relay::linkSharedObject(ArrayRef<LinkInput> inputs,
                                            const TargetInfo &target,
                                            StringRef output,
                                            EmitErrorFn emitError,
                                            const LinkFinishFn &finish) {
  return link(inputs, target, output, /*isShared=*/true, emitError, finish);
}

LogicalResult mlir::relay::linkRelocatableObject(ArrayRef<LinkInput> inputs,
                                                 const TargetInfo &target,
                                                 StringRef output,
                                                 EmitErrorFn emitError,
                                                 const LinkFinishFn &finish) {
  return link(inputs, target, output, /*isShared=*/false, emitError, finish);
}
