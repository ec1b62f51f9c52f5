//===- Ptx.cpp - PTX and cubin of a GPU module ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of mathematics that PTX has no instructions for are in libdevice,
// a bitcode file of NVIDIA's, which is linked in if a kernel needs one. It and
// `ptxas` are in the CUDA toolkit and in the PyPI package nvidia-cuda-nvcc.
//
//===----------------------------------------------------------------------===//

#include "Ptx.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "relay-mlir/Support/TemporaryFile.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

using namespace mlir;
using namespace mlir::cuda;

static constexpr StringLiteral kTriple = "nvptx64-nvidia-cuda";

/// Folders that may be a CUDA toolkit, in the order in which they are asked.
static SmallVector<std::string> getToolkits() {
  SmallVector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"})
    if (std::optional<std::string> folder = llvm::sys::Process::GetEnv(name))
      folders.push_back(*folder);
  folders.push_back("/usr/local/cuda");
  folders.push_back("/usr/lib/cuda");
  return folders;
}

static std::string findInToolkit(StringRef path) {
  for (const std::string &folder : getToolkits()) {
    SmallString<128> file(folder);
    llvm::sys::path::append(file, path);
    if (llvm::sys::fs::exists(file))
      return file.str().str();
  }
  return {};
}

static constexpr StringLiteral kToolkitNote =
    "it is in the CUDA toolkit, which $CUDA_HOME names, and in the PyPI "
    "package nvidia-cuda-nvcc";

/// Links the definitions of functions that `module` calls.
static LogicalResult linkLibdevice(llvm::Module &module, Location loc) {
  const llvm::Function *needed = nullptr;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      needed = &function;
  if (!needed)
    return success();
  std::string path = findInToolkit("nvvm/libdevice/libdevice.10.bc");
  if (path.empty()) {
    InFlightDiagnostic diag = emitError(loc)
                              << "expects NVIDIA's libdevice for "
                              << needed->getName() << ", but did not find it";
    diag.attachNote() << kToolkitNote;
    return diag;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return emitError(loc) << "cannot read '" << path
                          << "': " << buffer.getError().message();
  auto library = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!library)
    return emitError(loc) << "expects bitcode in '" << path << "', but got: "
                          << llvm::toString(library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  if (llvm::Linker::linkModules(
          module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
          [](llvm::Module &linked, const llvm::StringSet<> &names) {
            llvm::internalizeModule(linked, [&](const llvm::GlobalValue &v) {
              return !v.hasName() || !names.contains(v.getName());
            });
          }))
    return emitError(loc) << "cannot link '" << path << "'";
  return success();
}

/// Bytes of parameters that every kernel may have, and those of PTX of
/// kManyParameters.
static constexpr size_t kFewParameterBytes = 4352;
static constexpr size_t kMaxParameterBytes = 32764;
static constexpr int kManyParameters = 81;

/// The version of PTX, times ten: code for the first driver that knows the
/// architecture and as many parameters runs on later ones.
static FailureOr<int> getPtxVersion(const llvm::Module &module,
                                    const ArchInfo &arch, Location loc) {
  int version = arch.ptxVersion;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    // Addresses and sizes.
    size_t bytes = function.arg_size() * sizeof(uint64_t);
    if (bytes > kMaxParameterBytes)
      return emitError(loc)
             << "expects at most " << kMaxParameterBytes / sizeof(uint64_t)
             << " parameters of kernel '" << function.getName() << "', but got "
             << function.arg_size();
    if (bytes > kFewParameterBytes)
      version = std::max(version, kManyParameters);
  }
  return version;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

FailureOr<std::string> mlir::cuda::emitPtx(gpu::GPUModuleOp module,
                                           GPUAttr target) {
  static std::once_flag isInitialized;
  std::call_once(isInitialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  Location loc = module.getLoc();
  std::string error;
  llvm::Triple triple(kTriple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return emitError(loc) << "expects an LLVM with the NVPTX back end";
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, "kernels");
  if (!code)
    return emitError(loc) << "expects a module in the LLVM dialect";
  code->setTargetTriple(triple);
  FailureOr<int> version = getPtxVersion(*code, target.getInfo(), loc);
  if (failed(version))
    return failure();
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      triple, target.getArch(), "+ptx" + std::to_string(*version),
      llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  code->setDataLayout(machine->createDataLayout());
  if (failed(linkLibdevice(*code, loc)))
    return failure();
  optimize(*code, *machine);

  SmallVector<char, 0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return emitError(loc) << "expects an LLVM that can emit PTX";
  codegen.run(*code);
  return std::string(text.begin(), text.end());
}

FailureOr<std::string> mlir::cuda::assemblePtx(Location loc, StringRef ptx,
                                               GPUAttr target) {
  std::string program = findInToolkit("bin/ptxas");
  if (program.empty())
    if (auto inPath = llvm::sys::findProgramByName("ptxas"))
      program = *inPath;
  if (program.empty()) {
    InFlightDiagnostic diag = emitError(loc)
                              << "expects the program ptxas for code in the "
                                 "form cubin, but did not find it";
    diag.attachNote() << kToolkitNote;
    return diag;
  }
  auto fail = [&](const Twine &reason) {
    return emitError(loc) << "cannot assemble PTX: " << reason;
  };
  auto inputFile = relay::TemporaryFile::create("relay", "ptx");
  auto outputFile = relay::TemporaryFile::create("relay", "cubin");
  auto messageFile = relay::TemporaryFile::create("relay", "log");
  for (const auto *file : {&inputFile, &outputFile, &messageFile})
    if (!*file)
      return fail(file->getError().message());
  StringRef input = inputFile->getPath(), output = outputFile->getPath(),
            messages = messageFile->getPath();
  {
    std::error_code code;
    llvm::raw_fd_ostream os(input, code);
    os << ptx;
    os.close();
    if (code || os.has_error()) {
      std::string reason = (code ? code : os.error()).message();
      os.clear_error();
      return fail(reason);
    }
  }
  std::string arch = "-arch=" + target.getArch().str();
  StringRef arguments[] = {program, arch, input, "-o", output};
  std::optional<StringRef> redirects[] = {std::nullopt, messages, messages};
  std::string reason;
  if (llvm::sys::ExecuteAndWait(program, arguments, std::nullopt, redirects, 0,
                                0, &reason) != 0) {
    if (auto log = llvm::MemoryBuffer::getFile(messages))
      reason += (*log)->getBuffer().rtrim().str();
    return fail(program + ": " + reason);
  }
  auto cubin = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return fail(cubin.getError().message());
  return (*cubin)->getBuffer().str();
}
