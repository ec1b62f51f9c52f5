//===- FuzzGPU.cpp - Kernels of gpu modules, as text ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzing.h"

#include "relay-mlir/GPUExecutor/GPUExecutor.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Parser/Parser.h"

#include <array>
#include <vector>

using namespace mlir;
using namespace mlir::relay;

/// A context with what kernels are made of; it serves some hundred inputs.
static MLIRContext *getKernelContext() {
  static std::unique_ptr<MLIRContext> context;
  static unsigned numUses = 0;
  if (numUses++ % 256 == 0) {
    DialectRegistry registry;
    mlir::relay::registerAllDialects(registry);
    context = std::make_unique<MLIRContext>(registry,
                                            MLIRContext::Threading::DISABLED);
  }
  return context.get();
}

/// Runs a kernel on buffers of a few numbers, or on small numbers.
static void launch(GPUExecutor &executor, StringRef name,
                   fuzz::QuietDiagnostics &diagnostics, bool isOnBuffers) {
  constexpr uint64_t firstAddress = uint64_t(1) << 32;
  GPUMemory memory;
  GPULaunch launch;
  launch.grid = {2, 1, 1};
  launch.block = {32, 2, 1};
  launch.dynamicSharedBytes = 256;
  std::vector<std::array<char, 512>> buffers(executor.getNumParameters(name));
  for (size_t i = 0; i < buffers.size(); ++i) {
    buffers[i].fill(1);
    uint64_t address = firstAddress * (i + 1);
    // Buffers of their own size: what is read beyond them is seen.
    memory.add(address, buffers[i].data(), buffers[i].size());
    launch.arguments.push_back(isOnBuffers || i % 2 == 0 ? address : i + 3);
  }
  unsigned numErrors = diagnostics.numErrors;
  bool failed = mlir::failed(executor.launch(name, launch, memory));
  fuzz::expect(failed == (diagnostics.numErrors != numErrors),
               "a launch that fails has an error");
}

// libFuzzer calls it.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MLIRContext *context = getKernelContext();
  fuzz::QuietDiagnostics diagnostics(context);
  // MLIR reads the zero behind a text.
  std::string text(reinterpret_cast<const char *>(data), size);
  // MLIR's reader of bytecode is MLIR's.
  if (StringRef(text).starts_with("ML\xefR"))
    return 0;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, context);
  if (!module)
    return 0;
  GPUExecutorOptions options;
  options.maxSteps = 5000;
  unsigned numErrors = diagnostics.numErrors;
  FailureOr<GPUExecutor> executor = GPUExecutor::create(*module, options);
  fuzz::expect(failed(executor) == (diagnostics.numErrors != numErrors),
               "a module that is refused has an error");
  if (failed(executor))
    return 0;
  for (auto gpuModule : module->getOps<gpu::GPUModuleOp>())
    for (auto function : gpuModule.getOps<gpu::GPUFuncOp>())
      if (executor->hasKernel(function.getName()))
        for (bool isOnBuffers : {true, false})
          launch(*executor, function.getName(), diagnostics, isOnBuffers);
  return 0;
}
