//===- Schedules.cpp - Schedules that people edit -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/Schedules.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Threading.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Support/InputFile.h"
#include "relay-mlir/Support/ParseModule.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

LogicalResult ScheduleScripts::load(StringRef path, ModuleOp module) {
  if (!llvm::sys::fs::exists(path))
    return module.emitError(
               "expects a file or a folder of schedules, but there "
               "is no '")
           << path << "'";
  if (!llvm::sys::fs::is_directory(path))
    return loadFile(path, module);
  SmallVector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(path, code), end;
       it != end && !code; it.increment(code))
    if (llvm::sys::path::extension(it->path()) == ".mlir")
      paths.push_back(it->path());
  if (code)
    return module.emitError("cannot read the folder '")
           << path << "': " << code.message();
  if (paths.empty())
    return module.emitError("expects .mlir files in the folder '")
           << path << "', but there are none";
  llvm::sort(paths);
  for (const std::string &file : paths)
    if (failed(loadFile(file, module)))
      return failure();
  return success();
}

/// Fails if a schedule says that it is for another target than its kernel, or
/// that it is less exact.
static LogicalResult checkTarget(transform::NamedSequenceOp script,
                                 tir::PrimFuncOp kernel) {
  Attribute spec = script->getAttr(TargetDialect::kSpecAttrName);
  if (TargetAttrInterface target = lookupTarget(kernel);
      spec && spec != target) {
    InFlightDiagnostic diag =
        script.emitError("expects a schedule for the target of the kernel, ")
        << target << ", but got one for " << spec;
    diag.attachNote() << "without " << TargetDialect::kSpecAttrName
                      << ", a schedule is for any target that it fits";
    return diag;
  }
  auto precision =
      script->getAttrOfType<PrecisionAttr>(TargetDialect::kPrecisionAttrName);
  if (precision && precision.getValue() > getPrecision(kernel))
    return script.emitError(
               "expects a schedule of the precision of the kernel, ")
           << stringifyPrecision(getPrecision(kernel))
           << ", or higher, but got "
           << stringifyPrecision(precision.getValue());
  return success();
}

LogicalResult ScheduleScripts::loadFile(StringRef path, ModuleOp module) {
  MLIRContext *context = module.getContext();
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = readInputFile(path);
  if (!text)
    return module.emitError("cannot read the schedules '")
           << path << "': " << text.getError().message();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(*text), llvm::SMLoc());
  OwningOpRef<ModuleOp> file = parseModule(source, ParserConfig(context));
  if (!file)
    return failure();
  for (auto script : file->getOps<transform::NamedSequenceOp>()) {
    StringRef name = script.getSymName();
    if (!name.consume_back(tir::kScheduleSuffix)) {
      return script.emitError("expects a schedule called @<kernel>")
             << tir::kScheduleSuffix << ", but got @" << name;
    }
    auto kernel = module.lookupSymbol<tir::PrimFuncOp>(name);
    if (!kernel) {
      InFlightDiagnostic diag =
          script.emitError("expects the schedule of a "
                           "kernel of the model, but there "
                           "is no kernel @")
          << name;
      for (auto other : module.getOps<tir::PrimFuncOp>())
        diag.attachNote(script.getLoc())
            << "there is a kernel @" << other.getSymName();
      return diag;
    }
    if (failed(checkTarget(script, kernel)))
      return failure();
    auto [it, isNew] = scripts.try_emplace(name, script);
    if (!isNew) {
      InFlightDiagnostic diag =
          script.emitError("expects one schedule of kernel @") << name;
      diag.attachNote(it->second.getLoc()) << "another one is here";
      return diag;
    }
    llvm::raw_string_ostream os(keys[name]);
    script->print(os, OpPrintingFlags().useLocalScope());
    for (auto function : file->getOps<tir::PrimFuncOp>())
      function->print(os, OpPrintingFlags().useLocalScope());
  }
  files.push_back(std::move(file));
  return success();
}

bool ScheduleScripts::contains(tir::PrimFuncOp kernel) const {
  return scripts.contains(kernel.getSymName());
}

StringRef ScheduleScripts::getKey(tir::PrimFuncOp kernel) const {
  auto it = keys.find(kernel.getSymName());
  return it == keys.end() ? StringRef() : StringRef(it->second);
}

LogicalResult ScheduleScripts::apply(tir::PrimFuncOp kernel) const {
  return tir::applyScheduleScript(kernel, scripts.lookup(kernel.getSymName()));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> ScheduleScripts::write(ModuleOp module) const {
  MLIRContext *context = module.getContext();
  SmallVector<tir::PrimFuncOp> kernels(module.getOps<tir::PrimFuncOp>());
  std::vector<OwningOpRef<ModuleOp>> parts(kernels.size());
  LogicalResult result = failableParallelForEachN(
      context, 0, kernels.size(), [&](size_t index) -> LogicalResult {
        tir::PrimFuncOp kernel = kernels[index];
        if (transform::NamedSequenceOp known =
                scripts.lookup(kernel.getSymName())) {
          parts[index] = ModuleOp::create(kernel.getLoc());
          OpBuilder builder(parts[index]->getBodyRegion());
          builder.clone(*known);
          for (auto function :
               known->getParentOfType<ModuleOp>().getOps<tir::PrimFuncOp>())
            builder.clone(*function);
          return success();
        }
        // The rules work on a copy: what stays is the record.
        OwningOpRef<ModuleOp> scratch = kernel.cloneIntoModule();
        parts[index] =
            tir::scheduleKernel(*scratch->getOps<tir::PrimFuncOp>().begin());
        if (!parts[index])
          return failure();
        // What is read again is for the same target.
        for (auto script : parts[index]->getOps<transform::NamedSequenceOp>()) {
          script->setAttr(TargetDialect::kSpecAttrName, lookupTarget(kernel));
          script->setAttr(TargetDialect::kPrecisionAttrName,
                          PrecisionAttr::get(context, getPrecision(kernel)));
        }
        return success();
      });
  if (failed(result))
    return {};
  OwningOpRef<ModuleOp> all = ModuleOp::create(module.getLoc());
  OpBuilder builder(all->getBodyRegion());
  (*all)->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                  builder.getUnitAttr());
  for (OwningOpRef<ModuleOp> &part : parts)
    for (Operation &op : *part->getBody())
      // Several scripts may share an intrinsic.
      if (!all->lookupSymbol(SymbolTable::getSymbolName(&op)))
        builder.clone(op);
  return all;
}

/// Writes one script and its kernel to a file.
static LogicalResult saveScript(StringRef path, tir::PrimFuncOp kernel,
                                transform::NamedSequenceOp script) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code)
    return emitError(UnknownLoc::get(kernel.getContext()), "cannot write '")
           << path << "': " << code.message();
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.useLocalScope().assumeVerified().elideLargeElementsAttrs(16);
  kernel->print(stream, flags);
  os << "// The kernel before the schedule:\n//\n";
  for (StringRef line : llvm::split(text, '\n'))
    os << (line.empty() ? "//" : "// ") << line << '\n';
  OwningOpRef<ModuleOp> file = ModuleOp::create(script.getLoc());
  OpBuilder builder(file->getBodyRegion());
  (*file)->setAttr(transform::TransformDialect::kWithNamedSequenceAttrName,
                   builder.getUnitAttr());
  script.walk([&](tir::transform_ops::TensorizeWithOp op) {
    for (FlatSymbolRefAttr name :
         {op.getIntrinsicAttr(), op.getImplementationAttr()}) {
      Operation *function =
          SymbolTable::lookupNearestSymbolFrom(op, name.getAttr());
      if (function && !file->lookupSymbol(name.getAttr()))
        builder.clone(*function);
    }
  });
  builder.clone(*script);
  os << '\n';
  file->print(os, OpPrintingFlags().useLocalScope());
  os.flush();
  if (os.has_error()) {
    code = os.error();
    os.clear_error();
    return emitError(UnknownLoc::get(kernel.getContext()), "cannot write '")
           << path << "': " << code.message();
  }
  return success();
}

LogicalResult ScheduleScripts::save(StringRef folder, ModuleOp module) const {
  OwningOpRef<ModuleOp> written = write(module);
  if (!written)
    return failure();
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return emitError(UnknownLoc::get(module.getContext()),
                     "cannot create the folder '")
           << folder << "': " << code.message();
  for (auto kernel : module.getOps<tir::PrimFuncOp>()) {
    StringRef name = kernel.getSymName();
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name + ".mlir");
    auto script = written->lookupSymbol<transform::NamedSequenceOp>(
        (name + tir::kScheduleSuffix).str());
    if (failed(saveScript(path, kernel, script)))
      return failure();
  }
  return success();
}
