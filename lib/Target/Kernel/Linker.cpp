//===- Linker.cpp - Objects to a shared object ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/Linker.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

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

/// Writes an object that defines `names` as one empty function.
static bool writeStub(ArrayRef<StringLiteral> names, const TargetInfo &target,
                      StringRef path) {
  llvm::LLVMContext context;
  llvm::Module module("stub", context);
  module.setTargetTriple(target.getTriple());
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       /*isVarArg=*/false);
  auto *body = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                      "body", module);
  llvm::IRBuilder<>(llvm::BasicBlock::Create(context, "", body))
      .CreateRetVoid();
  for (StringRef name : names)
    llvm::GlobalAlias::create(type, 0, llvm::GlobalValue::ExternalLinkage, name,
                              body, &module);

  std::string error;
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(target.getTriple(), error);
  if (!found)
    return false;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      target.getTriple(), target.getCPU(), target.getFeatureString(), {},
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::None));
  module.setDataLayout(machine->createDataLayout());
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  llvm::legacy::PassManager codegen;
  if (code || machine->addPassesToEmitFile(codegen, os, nullptr,
                                           llvm::CodeGenFileType::ObjectFile))
    return false;
  codegen.run(module);
  os.close();
  bool isGood = !os.has_error();
  os.clear_error();
  return isGood;
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

static LogicalResult link(ArrayRef<LinkInput> inputs, const TargetInfo &target,
                          StringRef output, bool isShared,
                          EmitErrorFn emitError) {
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
      std::string object = inFolder(name + ".o"), library = inFolder(name);
      if (!writeStub(functions, target, object) ||
          !runLinker({"-shared", "-soname", name.str(), "-o", library, object},
                     messages))
        return emitError() << "cannot write " << library
                           << (messages.empty() ? "" : ": ")
                           << summarize(messages);
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
  if (std::error_code code = llvm::sys::fs::rename(temporary, output))
    return failToWrite(code.message());
  removeTemporary.releaseFile();
  return success();
}

LogicalResult mlir::relay::linkSharedObject(ArrayRef<LinkInput> inputs,
                                            const TargetInfo &target,
                                            StringRef output,
                                            EmitErrorFn emitError) {
  return link(inputs, target, output, /*isShared=*/true, emitError);
}

LogicalResult mlir::relay::linkRelocatableObject(ArrayRef<LinkInput> inputs,
                                                 const TargetInfo &target,
                                                 StringRef output,
                                                 EmitErrorFn emitError) {
  return link(inputs, target, output, /*isShared=*/false, emitError);
}
