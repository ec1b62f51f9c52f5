//===- ExternalObjects.cpp - Objects of C of others -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalObjects.h"

#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"
#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"
#include "relay-mlir/Support/ChildProcess.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// What an object has to do with others.
struct ObjectSymbols {
  llvm::StringSet<> functions, defined;
  std::vector<std::string> undefined, threadLocal;
};

/// The source of one code generator.
class SourceCompiler {
public:
  SourceCompiler(DictionaryAttr code, Location loc)
      : compiler(code.getAs<StringAttr>("compiler")),
        source(code.getAs<StringAttr>("source")),
        flags(code.getAs<ArrayAttr>("flags")), loc(loc) {}

  bool isValid() const {
    return compiler && source && flags &&
           llvm::all_of(flags, llvm::IsaPred<StringAttr>);
  }
  StringAttr getName() const { return compiler; }
  FailureOr<std::string> run(const CPUInfo &target) const;
  FailureOr<ObjectSymbols> readSymbols(StringRef object) const;
  /// Checks that an object defines the kernels that are its generator's.
  LogicalResult checkKernels(const ObjectSymbols &symbols,
                             ArrayRef<tir::PrimFuncOp> kernels) const;
  /// Checks that what an object needs is `defined` or provided.
  LogicalResult checkComplete(const ObjectSymbols &symbols,
                              const llvm::StringSet<> &defined) const;

private:
  InFlightDiagnostic emitFailure() const {
    return emitError(loc) << "code generator \"" << compiler.getValue()
                          << "\": ";
  }

  StringAttr compiler, source;
  ArrayAttr flags;
  Location loc;
};

} // namespace

/// The first lines of what a compiler writes.
static std::string summarize(StringRef messages) {
  SmallVector<StringRef> lines;
  messages.trim().split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  constexpr size_t maxLines = 8;
  return llvm::join(ArrayRef(lines).take_front(maxLines), "\n");
}

FailureOr<std::string> SourceCompiler::run(const CPUInfo &target) const {
  auto given = llvm::sys::Process::GetEnv("RELAY_CC");
  if (!given && llvm::Triple(llvm::sys::getProcessTriple()).getArch() !=
                    target.getTriple().getArch())
    return emitFailure() << "expects RELAY_CC to name a compiler of C for "
                         << target.getTriple().str()
                         << ", which this machine is not, but "
                            "there is none";
  if (!given)
    given = llvm::sys::Process::GetEnv("CC");
  std::string name = given.value_or("cc");
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(name);
  if (!program)
    return emitFailure() << "expects a compiler of C (RELAY_CC, CC, or cc on "
                            "the PATH), but found no '"
                         << name << "'";
  SmallString<128> path;
  if (std::error_code error =
          llvm::sys::fs::createTemporaryFile("relay-external", "o", path))
    return emitFailure() << "cannot make a file: " << error.message();
  llvm::FileRemover remover(path);
  llvm::ErrorOr<FileDescriptor> input =
      FileDescriptor::createInMemory("source.c");
  llvm::ErrorOr<FileDescriptor> messages =
      FileDescriptor::createInMemory("messages");
  if (!input || !messages)
    return emitFailure() << "cannot make files in memory";
  StringRef text = source.getValue();
  if (std::error_code error =
          writeAt(input->get(), ArrayRef(text.data(), text.size()), 0))
    return emitFailure() << "cannot write a file in memory: "
                         << error.message();

  // Kernels are parts of a shared object, and do not tell the system of errors.
  std::vector<std::string> args{
      name, "-x", "c", "-O2", "-fPIC", "-fno-math-errno", "-c"};
  for (auto flag : flags.getAsRange<StringAttr>())
    args.push_back(flag.str());
  llvm::append_range(args, ArrayRef<std::string>{"-o", path.str().str(), "-"});
  llvm::ErrorOr<ExitStatus> status =
      runChild(*program, args, {input->get(), -1, messages->get()});
  if (!status)
    return emitFailure() << "cannot run " << *program << ": "
                         << status.getError().message();
  if (status->code.value_or(0) != 0 || status->signal) {
    llvm::ErrorOr<std::vector<char>> written = readAll(messages->get());
    std::string why =
        written ? summarize(StringRef(written->data(), written->size()))
                : std::string();
    return emitFailure() << "expects C that " << name
                         << " compiles, but it says:\n"
                         << (why.empty() ? "nothing" : why);
  }
  auto object = llvm::MemoryBuffer::getFile(path);
  if (!object || (*object)->getBufferSize() == 0)
    return emitFailure() << "expects " << name
                         << " to write an object, but it has written nothing";
  return (*object)->getBuffer().str();
}

FailureOr<ObjectSymbols> SourceCompiler::readSymbols(StringRef object) const {
  using namespace llvm::object;
  auto file = ObjectFile::createObjectFile({object, "object"});
  if (!file || !isa<ELFObjectFileBase>(**file)) {
    std::string why =
        file ? "it is no ELF file" : llvm::toString(file.takeError());
    return emitFailure() << "expects an object of the compiler of C: " << why;
  }
  ObjectSymbols result;
  for (ELFSymbolRef symbol : cast<ELFObjectFileBase>(**file).symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if (symbol.getELFType() == llvm::ELF::STT_TLS)
      result.threadLocal.push_back(name->str());
    if (!(*flags & SymbolRef::SF_Global))
      continue;
    if (*flags & SymbolRef::SF_Undefined) {
      if (!(*flags & SymbolRef::SF_Weak))
        result.undefined.push_back(name->str());
      continue;
    }
    result.defined.insert(*name);
    // Data of that name would be called.
    if (symbol.getELFType() == llvm::ELF::STT_FUNC)
      result.functions.insert(*name);
  }
  return result;
}

LogicalResult
SourceCompiler::checkKernels(const ObjectSymbols &symbols,
                             ArrayRef<tir::PrimFuncOp> kernels) const {
  for (tir::PrimFuncOp kernel : kernels)
    if (kernel->getAttr(tir::kExternalAttr) == compiler &&
        !symbols.functions.contains(kernel.getSymName()))
      return emitError(kernel.getLoc())
             << "code generator \"" << compiler.getValue()
             << "\": expects its C to define the function "
             << kernel.getSymName() << ", but it does not";
  return success();
}

LogicalResult
SourceCompiler::checkComplete(const ObjectSymbols &symbols,
                              const llvm::StringSet<> &defined) const {
  // The loader would have to be asked for their addresses.
  if (!symbols.threadLocal.empty())
    return emitFailure() << "expects C without thread-local variables, but got "
                         << symbols.threadLocal.front();
  for (StringRef name : symbols.undefined)
    if (!defined.contains(name) && !isProvidedFunction(name) &&
        name != "_GLOBAL_OFFSET_TABLE_")
      return emitFailure() << "expects C that defines what it uses, or calls "
                              "functions of libm or libc that artefacts may "
                              "call, but got "
                           << name;
  return success();
}

FailureOr<ExternalObjects>
relay::compileExternalSources(ModuleOp module,
                              ArrayRef<tir::PrimFuncOp> kernels,
                              const CPUInfo &target, bool isComplete) {
  ExternalObjects objects;
  SmallVector<std::pair<SourceCompiler, ObjectSymbols>> compiled;
  llvm::StringSet<> defined;
  auto codes = module->getAttrOfType<ArrayAttr>(kExternalCodeAttrName);
  for (auto code : codes ? codes.getAsRange<DictionaryAttr>()
                         : ArrayAttr::get(module.getContext(), {})
                               .getAsRange<DictionaryAttr>()) {
    SourceCompiler compiler(code, module.getLoc());
    if (!compiler.isValid())
      return emitError(module.getLoc())
             << "expects the attribute " << kExternalCodeAttrName
             << " to have compiler, source and flags, but got " << code;
    FailureOr<std::string> object = compiler.run(target);
    if (failed(object))
      return failure();
    FailureOr<ObjectSymbols> symbols = compiler.readSymbols(*object);
    if (failed(symbols) || failed(compiler.checkKernels(*symbols, kernels)))
      return failure();
    for (StringRef name : symbols->defined.keys())
      defined.insert(name);
    compiled.emplace_back(compiler, std::move(*symbols));
    objects[compiler.getName()] =
        std::make_shared<const std::string>(std::move(*object));
  }
  for (const auto &[compiler, symbols] : compiled)
    if (isComplete && failed(compiler.checkComplete(symbols, defined)))
      return failure();
  for (tir::PrimFuncOp kernel : kernels) {
    auto name = kernel->getAttrOfType<StringAttr>(tir::kExternalAttr);
    if (name && !objects.contains(name))
      return emitError(kernel.getLoc())
             << "expects code of code generator \"" << name.getValue()
             << "\" in the attribute " << kExternalCodeAttrName
             << " of the module, but there is none";
  }
  return objects;
}
