//===- KernelRunner.h - Compile a kernel and call it ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_TARGET_KERNELRUNNER_H
#define RELAY_MLIR_TEST_UNIT_TARGET_KERNELRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Runtime/KernelABI.h"

#include <string>
#include <vector>

namespace relay_test {

/// A kernel that is compiled, linked and loaded.
class CompiledFunction {
public:
  /// Compiles `text`, a module with the kernel `@k`. A failure is a failure of
  /// the test.
  CompiledFunction(const std::string &text,
                   const std::string &target = "native");
  ~CompiledFunction();
  CompiledFunction(const CompiledFunction &) = delete;

  explicit operator bool() const { return kernel != nullptr; }

  /// Calls the kernel with a context that splits parallel loops in three parts.
  int32_t operator()(std::vector<void *> args, std::vector<int64_t> dims = {});

private:
  void load(const std::string &text, const std::string &target);

  void *library = nullptr;
  RelayKernel kernel = nullptr;
};

/// Memory whose neighbours may not be touched: `bytes` of it end (or start) at
/// a page that faults.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes, bool atEnd = true);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;
  template <typename T>
  T *get() {
    return static_cast<T *>(data);
  }

private:
  void *base, *data;
  size_t mapped;
};

/// The assembly of the kernels in `text`.
std::string compileToAssembly(const std::string &text,
                              const std::string &target);

mlir::relay::CPUInfo parseTarget(const std::string &description);

/// Makes `target` what the module is compiled for.
void attachTarget(mlir::ModuleOp module, const mlir::relay::CPUInfo &target);

} // namespace relay_test

#endif // RELAY_MLIR_TEST_UNIT_TARGET_KERNELRUNNER_H
