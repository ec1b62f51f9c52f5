//===- KernelCompiler.cpp - Scheduled kernels to machine code -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/Kernel/KernelCompiler.h"

#include "ObjectCache.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/AMX/Transforms.h"
#include "mlir/IR/Threading.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "relay-mlir/Support/SilentDiagnostics.h"
#include "relay-mlir/Support/Version.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace mlir;
using namespace mlir::relay;

/// What tells one build of the compiler from another: two builds of a version
/// under development share its number, but not their code.
static std::string getCompilerIdentity() {
  std::string identity = getVersionString();
  Dl_info info;
  llvm::sys::fs::file_status status;
  if (dladdr(reinterpret_cast<void *>(&getCompilerIdentity), &info) &&
      !llvm::sys::fs::status(info.dli_fname, status)) {
    identity +=
        "/" + std::to_string(status.getSize()) + "/" +
        std::to_string(
            status.getLastModificationTime().time_since_epoch().count());
  }
  return identity;
}

KernelCompiler::KernelCompiler(MLIRContext *context,
                               KernelCompilerOptions options)
    : context(context), options(options) {
  prepareForCodeGeneration(*context);
  // Dialects cannot be loaded once several threads are at work.
  PassManager manager(context);
  buildTIRToLLVMPipeline(manager);
  DialectRegistry registry;
  manager.getDependentDialects(registry);
  registry.insert<amx::AMXDialect>();
  registerConvertAMXToLLVMInterface(registry);
  context->appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context->getOrLoadDialect(name);
}

/// The kernel's text, without its name if `withName` is false.
static std::string getText(tir::PrimFuncOp kernel, bool withName = true) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // The printer would otherwise verify, and look for aliases in, everything
  // around the kernel, for every kernel.
  OpPrintingFlags flags;
  flags.useLocalScope().assumeVerified();
  if (withName) {
    kernel->print(os, flags);
    return text;
  }
  OwningOpRef<tir::PrimFuncOp> unnamed = kernel.clone();
  unnamed->setSymName("kernel");
  (*unnamed)->print(os, flags);
  return text;
}

/// The kernel with an empty body.
/// What the code of a kernel depends on beside its text.
static FailureOr<std::string> getEnvironment(tir::PrimFuncOp kernel) {
  FailureOr<CPUAttr> cpu = getTargetCPU(kernel);
  if (failed(cpu))
    return failure();
  return cpu->getInfo().getKey() + "\n" +
         stringifyPrecision(getPrecision(kernel)).str();
}

static OwningOpRef<tir::PrimFuncOp> getSignature(tir::PrimFuncOp kernel) {
  auto signature = cast<tir::PrimFuncOp>(kernel->cloneWithoutRegions());
  OpBuilder builder(kernel.getContext());
  Block *entry = builder.createBlock(&signature.getRegion());
  for (Type type : kernel.getArgumentTypes())
    entry->addArgument(type, kernel.getLoc());
  tir::ReturnOp::create(builder, kernel.getLoc());
  return signature;
}

namespace {

/// One kernel on its way.
struct Job {
  tir::PrimFuncOp kernel;
  std::string scheduleKey;
  CompiledKernel result;
};

} // namespace

/// The kernel from the cache; failure if it is not there.
static LogicalResult loadKernel(relay::detail::ObjectCache &cache,
                                StringRef key, MLIRContext *context,
                                CompiledKernel &result) {
  std::optional<relay::detail::ObjectCache::Entry> entry = cache.load(key);
  if (!entry)
    return failure();
  // An entry that was written by a build whose operations differ has another
  // key; one that does not parse is damaged.
  SilentDiagnostics silence(context);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(entry->signature, context);
  if (!module || !llvm::hasSingleElement(module->getOps<tir::PrimFuncOp>()))
    return failure();
  auto signature = *module->getOps<tir::PrimFuncOp>().begin();
  signature->remove();
  result.signature = signature;
  result.object = std::make_shared<const std::string>(std::move(entry->object));
  result.fromCache = true;
  return success();
}

std::string
KernelCompiler::remember(StringRef key,
                         llvm::function_ref<std::string()> find) const {
  if (!options.useCache)
    return find();
  relay::detail::ObjectCache cache(options.cacheDir, options.cacheLimitBytes);
  std::string hash = relay::detail::ObjectCache::getKey(
      (key + "\n" + getCompilerIdentity()).str());
  if (std::optional<relay::detail::ObjectCache::Entry> entry = cache.load(hash))
    return entry->signature;
  std::string found = find();
  // A cache that cannot be written is a warning where objects are.
  cache.store(hash, {found, ""});
  return found;
}

FailureOr<std::vector<CompiledKernel>>
KernelCompiler::compile(ArrayRef<tir::PrimFuncOp> kernels,
                        const ScheduleFn &schedule, ScheduleKeyFn getKey) {
  relay::detail::ObjectCache cache(options.cacheDir, options.cacheLimitBytes);
  std::string compiler = getCompilerIdentity();

  // Equal kernels are one job.
  std::vector<Job> jobs;
  llvm::StringMap<size_t> jobOf;
  SmallVector<size_t> jobIndex;
  for (tir::PrimFuncOp kernel : kernels) {
    std::string scheduleKey = getKey ? getKey(kernel).str() : std::string();
    auto [it, isNew] = jobOf.try_emplace(
        getText(kernel, /*withName=*/false) + "\n" + scheduleKey, jobs.size());
    if (isNew)
      jobs.push_back({kernel, std::move(scheduleKey), {}});
    jobIndex.push_back(it->second);
  }

  auto run = [&](Job &job) -> LogicalResult {
    CompiledKernel &result = job.result;
    FailureOr<std::string> environment = getEnvironment(job.kernel);
    if (failed(environment))
      return failure();
    result.symbol = job.kernel.getSymName().str();
    std::string key;
    if (options.useCache) {
      key = relay::detail::ObjectCache::getKey(getText(job.kernel) + "\n" +
                                               job.scheduleKey + "\n" +
                                               *environment + "\n" + compiler);
      if (succeeded(loadKernel(cache, key, context, result)))
        return success();
    }
    OwningOpRef<ModuleOp> module = job.kernel.cloneIntoModule();
    auto kernel = *module->getOps<tir::PrimFuncOp>().begin();
    if (failed(schedule(kernel)))
      return failure();
    result.signature = getSignature(kernel);
    SmallVector<char, 0> object;
    if (failed(compileKernelModule(*module, CodeKind::Object, object)))
      return failure();
    result.object =
        std::make_shared<const std::string>(object.begin(), object.end());
    if (options.useCache)
      cache.store(key, {getText(*result.signature), *result.object});
    return success();
  };
  if (failed(failableParallelForEach(context, jobs, run)))
    return failure();
  if (options.useCache) {
    if (std::string warning = cache.takeWarning(); !warning.empty())
      emitWarning(UnknownLoc::get(context)) << warning;
    if (llvm::any_of(jobs, [](Job &job) { return !job.result.fromCache; }))
      cache.evict();
  }

  std::vector<CompiledKernel> results;
  for (size_t index : jobIndex) {
    CompiledKernel &result = jobs[index].result;
    results.push_back({result.object, result.symbol,
                       result.signature.get().clone(), result.fromCache});
  }
  return results;
}
