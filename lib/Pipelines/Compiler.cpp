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

/// Whether a value of `type` is no tensor, and has none for parts alone.
static bool isObject(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::any_of(tuple.getTypes(), isObject);
  return isa<ADTType, FunctionType, RefType>(type);
}

/// Whether @main cannot be a function of tensors, by its type. It might be one
/// with tuples as parameters, but would take their fields one by one.
static bool takesObjects(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main && (llvm::any_of(main.getArgumentTypes(),
                               [](Type type) {
                                 return isa<TupleType>(type) || isObject(type);
                               }) ||
                  llvm::any_of(main.getResultTypes(), isObject));
}

static LogicalResult compileAs(ModuleOp module, const CompileOptions &options,
                               EmitKind kind, StringRef outputPath) {
  if (options.isProgram)
    *options.isProgram = options.hasGlue;
  return runCompilation(module, options, kind, outputPath);
}

/// Whether functions of objects would do what is wrong for any program: one
/// that cannot be called, or whose inputs cannot be told apart.
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

/// Compiles one function of tensors, or all of a program if that fails. Of what
/// neither takes, it is told what is wrong with the whole program.
static LogicalResult compileForEither(ModuleOp module, CompileOptions options,
                                      EmitKind kind, StringRef outputPath) {
  MLIRContext *context = module.getContext();
  OwningOpRef<ModuleOp> copy = module.clone();
  SmallVector<Diagnostic> diagnostics;
  LogicalResult result = failure();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      diagnostics.push_back(std::move(diagnostic));
      return success();
    });
    result = compileAs(module, options, kind, outputPath);
  }
  if (failed(result) && !isWrongForBoth(*copy)) {
    options.hasGlue = true;
    result = compileAs(*copy, options, kind, outputPath);
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
  if (kind == EmitKind::Bytecode) {
    // Native code is made of the same.
    resolved.executor = ExecutorKind::VM;
    return writeBytecode(module, resolved, outputPath);
  }
  // Bytecode is always a program of functions of objects.
  resolved.hasGlue |=
      resolved.executor == ExecutorKind::VM ||
      (resolved.executor == ExecutorKind::AOT &&
       (llvm::any_of(module.getOps<relax::FuncOp>(), relax::isObjectFunction) ||
        takesObjects(module)));
  // Most parts of the way, objects, and variants are of functions of tensors.
  bool isPart = resolved.from != NormalForm::RelayTyped ||
                (resolved.to && *resolved.to != NormalForm::RelaxKernels);
  bool isOpen = resolved.executor == ExecutorKind::AOT && !resolved.hasGlue &&
                !isPart && kind != EmitKind::Object &&
                resolved.variants.empty();
  return isOpen ? compileForEither(module, resolved, kind, outputPath)
                : compileAs(module, resolved, kind, outputPath);
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
