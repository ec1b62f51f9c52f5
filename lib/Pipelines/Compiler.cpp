//===- Compiler.cpp - From a relay module to an artefact ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which executor compiles a program, and where the result goes: to a file, or
// into this process.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/Compiler.h"

#include "Compilation.h"
#include "DeviceTargets.h"
#include "TextOutput.h"

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Support/OutputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::relay;

std::optional<EmitKind> relay::parseEmitKind(StringRef name) {
  return llvm::StringSwitch<std::optional<EmitKind>>(name)
      .Case("relay", EmitKind::Relay)
      .Case("relax", EmitKind::Relax)
      .Case("schedules", EmitKind::Schedules)
      .Case("tir", EmitKind::TIR)
      .Case("llvm", EmitKind::LLVM)
      .Case("asm", EmitKind::Assembly)
      .Case("bytecode", EmitKind::Bytecode)
      .Case("obj", EmitKind::Object)
      .Case("so", EmitKind::SharedObject)
      .Default(std::nullopt);
}

std::optional<ExecutorKind> relay::parseExecutorKind(StringRef name) {
  return llvm::StringSwitch<std::optional<ExecutorKind>>(name)
      .Case("aot", ExecutorKind::AOT)
      .Case("vm", ExecutorKind::VM)
      .Case("auto", ExecutorKind::Auto)
      .Case("graph", ExecutorKind::Graph)
      .Default(std::nullopt);
}

std::optional<NormalForm> relay::parseNormalForm(StringRef name) {
  return llvm::StringSwitch<std::optional<NormalForm>>(name)
      .Case("relay-typed", NormalForm::RelayTyped)
      .Case("relay-fused", NormalForm::RelayFused)
      .Case("relax-kernels", NormalForm::RelaxKernels)
      .Case("tir-scheduled", NormalForm::TIRScheduled)
      .Case("relax-executable", NormalForm::RelaxExecutable)
      .Default(std::nullopt);
}
static LogicalResult writeBytecode(ModuleOp module,
                                   const CompileOptions &options,
                                   StringRef outputPath) {
  Location location = module.getLoc();
  if (options.executor != ExecutorKind::VM)
    return emitError(location, "expects the executor vm for bytecode, but got "
                               "aot, which has none");
  FailureOr<RelayModule *> compiled = compileAndLoad(module, options);
  if (failed(compiled))
    return failure();
  std::string text;
  uint64_t length = 0;
  RelayStatus status = relayModulePrintProgram(*compiled, nullptr, 0, &length);
  if (status == RELAY_OK) {
    text.resize(length);
    // The zero after the text is the string's own.
    status =
        relayModulePrintProgram(*compiled, text.data(), length + 1, &length);
  }
  relayModuleFree(*compiled);
  if (status != RELAY_OK)
    return emitError(location) << relayGetLastError();
  return emitText(location.getContext(), outputPath,
                  [&](raw_ostream &os) { os << text; });
}

/// Whether the virtual machine would run what is wrong for any executor: a
/// program that cannot be called, or whose inputs cannot be told apart.
static bool isWrongForBoth(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return true;
  llvm::StringSet<llvm::MallocAllocator> names;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto name = main.getArgAttrOfType<StringAttr>(i, kNameAttrName);
        name && !names.insert(name.getValue()).second)
      return true;
  WalkResult walk =
      main.getFunctionType().walk([](RankedTensorType type) -> WalkResult {
        return WalkResult(success(type.getElementType().isIntOrFloat()));
      });
  return walk.wasInterrupted();
}

/// Compiles for the executor aot, and for vm if that fails. Of a model that
/// both refuse, what is wrong for vm is told, which knows the whole language.
static LogicalResult compileForEither(ModuleOp module, CompileOptions options,
                                      EmitKind kind, StringRef outputPath) {
  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<Diagnostic> diagnostics;
  options.executor = ExecutorKind::AOT;
  LogicalResult result = failure();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back(std::move(diagnostic));
      return success();
    });
    result = compileModule(module, options, kind, outputPath);
  }
  if (failed(result) && !isWrongForBoth(*copy)) {
    options.executor = ExecutorKind::VM;
    result = compileModule(*copy, options, kind, outputPath);
  } else {
    for (Diagnostic &diagnostic : diagnostics)
      context->getDiagEngine().emit(std::move(diagnostic));
  }
  return result;
}

LogicalResult relay::compileModule(ModuleOp module,
                                   const CompileOptions &options, EmitKind kind,
                                   StringRef outputPath) {
  CompileOptions resolved = options;
  if (std::string error = resolveDeviceTargets(resolved); !error.empty())
    return emitError(module.getLoc()) << error;
  if (resolved.executor == ExecutorKind::Graph) {
    if (kind != EmitKind::SharedObject || resolved.to ||
        resolved.from > NormalForm::RelaxKernels)
      return module.emitError("expects a shared object, of a program whose "
                              "kernels are calls of a graph, for the executor "
                              "graph");
    if (llvm::sys::path::extension(outputPath) != ".so")
      return module.emitError("expects an output that ends in .so for the "
                              "executor graph, whose graph goes into a .json "
                              "beside it, but got '")
             << outputPath << "'";
    SmallString<128> path(outputPath);
    llvm::sys::path::replace_extension(path, "json");
    resolved.executor = ExecutorKind::AOT;
    resolved.graphPath = path.str();
  }
  // Only the virtual machine has functions of objects.
  if (resolved.executor == ExecutorKind::Auto &&
      llvm::any_of(module.getOps<relax::FuncOp>(), relax::isObjectFunction))
    resolved.executor = ExecutorKind::VM;
  // Parts of the way, objects, and variants are of functions of tensors.
  if (resolved.executor == ExecutorKind::Auto &&
      (resolved.from != NormalForm::RelayTyped || resolved.to ||
       kind == EmitKind::Object || !resolved.variants.empty()))
    resolved.executor = ExecutorKind::AOT;
  if (resolved.executor == ExecutorKind::Auto && kind != EmitKind::Bytecode)
    return compileForEither(module, resolved, kind, outputPath);
  if (kind == EmitKind::Bytecode)
    return writeBytecode(module, resolved, outputPath);
  if (resolved.chosenExecutor)
    *resolved.chosenExecutor = resolved.executor;
  return runCompilation(module, resolved, kind, outputPath);
}

FailureOr<RelayModule *>
relay::writeAndLoad(Location location,
                    function_ref<LogicalResult(StringRef)> write,
                    const char *device) {
  llvm::ErrorOr<FileDescriptor> file =
      FileDescriptor::createInMemory("model.so");
  if (!file)
    return emitError(location, "cannot create a file in memory: ")
           << file.getError().message();
  std::string path = "/proc/self/fd/" + std::to_string(file->get());
  if (failed(write(path)))
    return failure();
  // What nobody can change need not be copied to be loaded.
  if (std::error_code error = file->seal())
    return emitError(location, "cannot seal a file in memory: ")
           << error.message();
  RelayModule *loaded = nullptr;
  if (relayModuleLoadFor(path.c_str(), /*flags=*/0, device, &loaded) !=
      RELAY_OK)
    return emitError(location) << relayGetLastError();
  return loaded;
}

FailureOr<RelayModule *> relay::compileAndLoad(ModuleOp module,
                                               const CompileOptions &options,
                                               const char *device) {
  return writeAndLoad(
      module.getLoc(),
      [&](StringRef path) {
        return compileModule(module, options, EmitKind::SharedObject, path);
      },
      device);
}
