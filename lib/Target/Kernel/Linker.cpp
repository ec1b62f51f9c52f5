//===- Linker.cpp - Objects to a shared object ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/Linker.h"

#include "relay-mlir/Support/ChildProcess.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Target/Kernel/ElfFile.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>

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
                                  const CPUInfo &target) {
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

/// Where the linker is if the compiler carries it: in the folder of programs
/// that is beside the folder of this library. Empty if that is not known.
static std::string getCarriedLinker() {
  Dl_info info;
  SmallString<128> path;
  if (!dladdr(reinterpret_cast<void *>(&getCarriedLinker), &info) ||
      !info.dli_fname)
    return "";
  path = info.dli_fname;
  if (llvm::sys::fs::make_absolute(path))
    return "";
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "bin", "ld.lld");
  return path.str().str();
}

/// The program to run; an error if there is none.
static llvm::ErrorOr<std::string> findLinker() {
  // Who sets the variable does not want another one.
  if (auto name = llvm::sys::Process::GetEnv("RELAY_LINKER")) {
    llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(*name);
    if (!path || llvm::sys::fs::can_execute(*path))
      return path;
    return std::make_error_code(std::errc::no_such_file_or_directory);
  }
  for (const std::string &path :
       {getCarriedLinker(), std::string(RELAY_LLD_PATH)})
    if (llvm::sys::fs::can_execute(path))
      return path;
  for (StringRef name : {"ld.lld-" RELAY_LLVM_MAJOR, "ld.lld"})
    if (llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(name))
      return path;
  return std::make_error_code(std::errc::no_such_file_or_directory);
}

/// A file in memory with these bytes.
static llvm::ErrorOr<FileDescriptor> makeFile(StringRef name, StringRef bytes) {
  llvm::ErrorOr<FileDescriptor> file = FileDescriptor::createInMemory(name);
  if (!file)
    return file;
  if (std::error_code error =
          writeAt(file->get(), ArrayRef(bytes.data(), bytes.size()), 0))
    return error;
  return file;
}

/// All objects as one file.
static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
makeArchive(ArrayRef<StringRef> objects) {
  SmallVector<llvm::NewArchiveMember> members;
  for (auto [index, object] : llvm::enumerate(objects)) {
    llvm::NewArchiveMember &member = members.emplace_back();
    member.Buf = llvm::MemoryBuffer::getMemBuffer(
        object, "object", /*RequiresNullTerminator=*/false);
    member.MemberName = "object";
  }
  return llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                    llvm::object::Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
}

/// What comes of objects.
enum class Linked {
  Shared,
  /// A shared object that need not define, or depend on, what it uses.
  SharedPart,
  Relocatable
};

static FailureOr<std::vector<char>> link(ArrayRef<StringRef> objects,
                                         const CPUInfo &target, Linked kind,
                                         EmitErrorFn emitError) {
  auto fail = [&](const Twine &reason) -> LogicalResult {
    return emitError() << "cannot link: " << reason;
  };
  llvm::ErrorOr<std::string> linker = findLinker();
  if (!linker) {
    auto given = llvm::sys::Process::GetEnv("RELAY_LINKER");
    return fail(given ? "expects RELAY_LINKER to be the linker ld.lld, but '" +
                            *given + "' is no program"
                      : "expects the linker ld.lld at " RELAY_LLD_PATH
                        " or on the PATH (Debian: package "
                        "lld-" RELAY_LLVM_MAJOR "), but found none");
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive =
      makeArchive(objects);
  if (!archive)
    return fail(llvm::toString(archive.takeError()));

  // Descriptors of the linker: nothing to read, the output, messages, and then
  // its inputs.
  std::vector<std::string> args{"ld.lld", "--no-warnings", "--threads=1", "-o",
                                "-"};
  SmallVector<std::pair<std::string, std::string>> inputs;
  inputs.push_back({"objects.a", (*archive)->getBuffer().str()});
  switch (kind) {
  case Linked::Shared:
    llvm::append_range(args, ArrayRef<std::string>{
                                 "-shared", "--gc-sections", "-z", "defs", "-z",
                                 "now", "--hash-style=gnu", "--as-needed"});
    inputs.push_back(
        {"libm.so.6", getStubLibrary("libm.so.6", kMathFunctions, target)});
    inputs.push_back(
        {"libc.so.6", getStubLibrary("libc.so.6", kLibcFunctions, target)});
    break;
  case Linked::SharedPart:
    args.push_back("-shared");
    break;
  case Linked::Relocatable:
    args.push_back("-r");
    break;
  }
  std::vector<FileDescriptor> files;
  SmallVector<int> numbers{-1};
  for (StringRef name : {"output", "messages"}) {
    llvm::ErrorOr<FileDescriptor> file = FileDescriptor::createInMemory(name);
    if (!file)
      return fail(file.getError().message());
    numbers.push_back(file->get());
    files.push_back(std::move(*file));
  }
  for (auto &[name, bytes] : inputs) {
    llvm::ErrorOr<FileDescriptor> file = makeFile(name, bytes);
    if (!file)
      return fail(file.getError().message());
    std::string path = "/proc/self/fd/" + std::to_string(numbers.size());
    bool isArchive = StringRef(name).ends_with(".a");
    if (isArchive)
      args.push_back("--whole-archive");
    args.push_back(path);
    if (isArchive)
      args.push_back("--no-whole-archive");
    numbers.push_back(file->get());
    files.push_back(std::move(*file));
  }

  llvm::ErrorOr<ExitStatus> status = runChild(*linker, args, numbers);
  if (!status)
    return fail("cannot run " + *linker + ": " + status.getError().message());
  llvm::ErrorOr<std::vector<char>> output = readAll(files[0].get());
  llvm::ErrorOr<std::vector<char>> messages = readAll(files[1].get());
  if (!output || !messages)
    return fail("cannot read what " + *linker + " has written");
  if (status->signal)
    return fail(*linker + " was ended by signal " + Twine(*status->signal));
  // A process that ignores its children does not learn how they end.
  std::string message =
      summarize(StringRef(messages->data(), messages->size()));
  if (!message.empty() && (output->empty() || status->code.value_or(0) != 0))
    return fail(message);
  if (status->code.value_or(0) != 0)
    return fail(*linker + " has ended with code " + Twine(*status->code));
  if (output->empty())
    return fail(*linker + " has written nothing");
  return std::move(*output);
}

bool mlir::relay::isProvidedFunction(StringRef name) {
  return llvm::is_contained(kMathFunctions, name) ||
         llvm::is_contained(kLibcFunctions, name);
}

FailureOr<std::vector<char>>
mlir::relay::linkSharedObject(ArrayRef<StringRef> objects,
                              const CPUInfo &target, EmitErrorFn emitError) {
  return link(objects, target, Linked::Shared, emitError);
}

LogicalResult mlir::relay::checkLinksShared(StringRef object,
                                            const CPUInfo &target,
                                            EmitErrorFn emitError) {
  return link(object, target, Linked::SharedPart, emitError);
}

FailureOr<std::vector<char>> mlir::relay::linkRelocatableObject(
    ArrayRef<StringRef> objects, const CPUInfo &target, EmitErrorFn emitError) {
  return link(objects, target, Linked::Relocatable, emitError);
}
