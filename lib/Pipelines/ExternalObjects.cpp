//===- ExternalObjects.cpp - Objects of C of others -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalObjects.h"

#include "relay-mlir/Conversion/LinalgToTIR/LinalgToTIR.h"
#include "relay-mlir/Dialect/Relay/IR/ExternalCode.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Support/ChildProcess.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
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
  /// Errors begin with `prefix`.
  SourceCompiler(ExternalCSource code, Location loc, std::string prefix)
      : source(std::move(code.source)), flags(std::move(code.flags)), loc(loc),
        prefix(std::move(prefix)) {}

  FailureOr<std::string> run(const CPUInfo &target) const;
  FailureOr<ObjectSymbols> readSymbols(StringRef object,
                                       const CPUInfo &target) const;
  /// Checks that an object defines a function, which is one of its generator.
  LogicalResult checkDefines(const ObjectSymbols &symbols,
                             SymbolOpInterface function) const;
  /// Checks that an object can be part of an artefact: what it needs is
  /// `defined` or provided, and its code may stand anywhere.
  LogicalResult checkLinks(StringRef object, const CPUInfo &target,
                           const ObjectSymbols &symbols,
                           const llvm::StringSet<> &defined) const;

private:
  InFlightDiagnostic emitFailure() const { return emitError(loc) << prefix; }

  std::string source;
  std::vector<std::string> flags;
  Location loc;
  std::string prefix;
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
  auto file = TemporaryFile::create("relay-external", "o");
  if (!file)
    return emitFailure() << "cannot make a file: " << file.getError().message();
  StringRef path = file->getPath();
  llvm::ErrorOr<FileDescriptor> input =
      FileDescriptor::createInMemory("source.c");
  llvm::ErrorOr<FileDescriptor> messages =
      FileDescriptor::createInMemory("messages");
  if (!input || !messages)
    return emitFailure() << "cannot make files in memory";
  if (std::error_code error =
          writeAt(input->get(), ArrayRef(source.data(), source.size()), 0))
    return emitFailure() << "cannot write a file in memory: "
                         << error.message();

  // Kernels are parts of a shared object, and do not tell the system of errors.
  std::vector<std::string> args{
      name, "-x", "c", "-O2", "-fPIC", "-fno-math-errno", "-c"};
  llvm::append_range(args, flags);
  llvm::append_range(args, ArrayRef<std::string>{"-o", path.str(), "-"});
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

FailureOr<ObjectSymbols>
SourceCompiler::readSymbols(StringRef object, const CPUInfo &target) const {
  using namespace llvm::object;
  auto file = ObjectFile::createObjectFile({object, "object"});
  if (!file || !isa<ELFObjectFileBase>(**file)) {
    std::string why =
        file ? "it is no ELF file" : llvm::toString(file.takeError());
    return emitFailure() << "expects an object of the compiler of C: " << why;
  }
  if (auto arch = (*file)->getArch(); arch != target.getTriple().getArch())
    return emitFailure() << "expects an object for "
                         << target.getTriple().getArchName() << ", but got one "
                         << "for " << llvm::Triple::getArchTypeName(arch);
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

LogicalResult SourceCompiler::checkDefines(const ObjectSymbols &symbols,
                                           SymbolOpInterface function) const {
  if (symbols.functions.contains(function.getName()))
    return success();
  return emitError(function.getLoc())
         << prefix << "expects its C to define the function "
         << function.getName() << ", but it does not";
}

LogicalResult
SourceCompiler::checkLinks(StringRef object, const CPUInfo &target,
                           const ObjectSymbols &symbols,
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
  return checkLinksShared(object, target, [&] { return emitFailure(); });
}

LogicalResult relay::checkExternalSource(const ExternalCSource &code,
                                         ArrayRef<func::FuncOp> functions,
                                         bool isComplete) {
  func::FuncOp first = functions.front();
  auto target = dyn_cast_if_present<CPUAttr>(lookupTarget(first));
  // What is compiled later is checked then.
  if (!target)
    return success();
  SourceCompiler compiler(code, first.getLoc(), /*prefix=*/"");
  FailureOr<std::string> object = compiler.run(target.getInfo());
  if (failed(object))
    return failure();
  FailureOr<ObjectSymbols> symbols =
      compiler.readSymbols(*object, target.getInfo());
  if (failed(symbols))
    return failure();
  for (func::FuncOp function : functions)
    if (failed(compiler.checkDefines(*symbols, function)))
      return failure();
  return isComplete ? compiler.checkLinks(*object, target.getInfo(), *symbols,
                                          symbols->defined)
                    : success();
}

/// What is in an attribute kExternalCodeAttrName of a module: the name of the
/// generator, and its code; nothing if it is not valid.
static std::optional<std::pair<StringAttr, ExternalCSource>>
readCode(Attribute attr) {
  auto code = dyn_cast<DictionaryAttr>(attr);
  auto compiler = code ? code.getAs<StringAttr>("compiler") : StringAttr();
  auto source = code ? code.getAs<StringAttr>("source") : StringAttr();
  auto flags = code ? code.getAs<ArrayAttr>("flags") : ArrayAttr();
  if (!compiler || !source || !flags ||
      !llvm::all_of(flags, llvm::IsaPred<StringAttr>))
    return std::nullopt;
  ExternalCSource result{source.str(), {}};
  for (auto flag : flags.getAsRange<StringAttr>())
    result.flags.push_back(flag.str());
  return std::pair(compiler, std::move(result));
}

FailureOr<ExternalObjects>
relay::compileExternalSources(ModuleOp module,
                              ArrayRef<tir::PrimFuncOp> kernels,
                              const CPUInfo &target, bool isComplete) {
  ExternalObjects objects;
  struct Compiled {
    SourceCompiler compiler;
    ObjectSymbols symbols;
    StringRef object;
  };
  SmallVector<Compiled> compiled;
  llvm::StringSet<> defined;
  auto codes = module->getAttrOfType<ArrayAttr>(kExternalCodeAttrName);
  for (Attribute attr : codes ? codes.getValue() : ArrayRef<Attribute>()) {
    auto code = readCode(attr);
    if (!code)
      return emitError(module.getLoc())
             << "expects the attribute " << kExternalCodeAttrName
             << " to have compiler, source and flags, but got " << attr;
    StringAttr name = code->first;
    SourceCompiler compiler(std::move(code->second), module.getLoc(),
                            "code generator \"" + name.str() + "\": ");
    FailureOr<std::string> object = compiler.run(target);
    if (failed(object))
      return failure();
    FailureOr<ObjectSymbols> symbols = compiler.readSymbols(*object, target);
    if (failed(symbols))
      return failure();
    for (tir::PrimFuncOp kernel : kernels)
      if (kernel->getAttr(tir::kExternalAttr) == name &&
          failed(compiler.checkDefines(*symbols, kernel)))
        return failure();
    for (StringRef name : symbols->defined.keys())
      defined.insert(name);
    auto kept = std::make_shared<const std::string>(std::move(*object));
    compiled.push_back({std::move(compiler), std::move(*symbols), *kept});
    objects[name] = std::move(kept);
  }
  for (const auto &[compiler, symbols, object] : compiled)
    if (isComplete &&
        failed(compiler.checkLinks(object, target, symbols, defined)))
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
