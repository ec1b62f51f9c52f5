//===- KernelCompiler.h - Scheduled kernels to machine code -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_KERNELCOMPILER_H
#define RELAY_MLIR_TARGET_KERNEL_KERNELCOMPILER_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::relay {

/// Adds the passes that bring a module of scheduled kernels to the LLVM
/// dialect. Each kernel `@k` becomes an exported function of type RelayKernel
/// (see Runtime/KernelABI.h).
void buildTIRToLLVMPipeline(OpPassManager &manager);

/// Registers it as `--tir-to-llvm{target=}`.
void registerTIRToLLVMPipeline();

/// Lowers a module of scheduled kernels, which is consumed, to code for its
/// target.
LogicalResult compileKernelModule(ModuleOp module, CodeKind kind,
                                  SmallVectorImpl<char> &output);

/// One compiled kernel.
struct CompiledKernel {
  /// The relocatable object that exports it. Kernels that are equal but for
  /// their names share one.
  std::shared_ptr<const std::string> object;

  /// The exported function: the kernel's name, or that of the equal kernel
  /// whose object it shares.
  std::string symbol;

  /// The kernel as scheduled, with an empty body: argument types, layouts and
  /// workspaces.
  OwningOpRef<tir::PrimFuncOp> signature;

  bool fromCache = false;
};

struct KernelCompilerOptions {
  bool useCache = true;
  /// An empty string means `$RELAY_CACHE_DIR`, else `relay-mlir` in
  /// `$XDG_CACHE_HOME` or `~/.cache`.
  std::string cacheDir;
  /// Objects beyond this total are evicted, least recently used first.
  int64_t cacheLimitBytes = int64_t(1) << 30;
};

/// Compiles kernels side by side, each in a module of its own, and remembers
/// the objects on disk.
class KernelCompiler {
public:
  /// Brings one kernel, the only op of its module but for what it adds, to the
  /// form `tir-scheduled`. Called by several threads at once.
  using ScheduleFn = std::function<LogicalResult(tir::PrimFuncOp)>;

  /// What tells the schedule of a kernel from other ways to schedule it, beside
  /// the kernel, the target and the precision.
  using ScheduleKeyFn = llvm::function_ref<StringRef(tir::PrimFuncOp)>;

  KernelCompiler(MLIRContext *context, KernelCompilerOptions options = {});

  /// Compiles `kernels`, which stay as they are. The schedule, which is not run
  /// for what the cache holds, must be a function of the kernel, the target,
  /// the precision and the key; no `getKey` means that there is one way. Errors
  /// are reported at the kernels.
  FailureOr<std::vector<CompiledKernel>>
  compile(ArrayRef<tir::PrimFuncOp> kernels, const ScheduleFn &schedule,
          ScheduleKeyFn getKey = {});

  /// What `find` returns, which is a function of `key` for this compiler: it is
  /// kept beside the objects, and not called for what is there.
  std::string remember(StringRef key,
                       llvm::function_ref<std::string()> find) const;

private:
  MLIRContext *context;
  KernelCompilerOptions options;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_KERNELCOMPILER_H
