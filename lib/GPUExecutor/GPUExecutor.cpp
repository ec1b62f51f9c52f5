//===- GPUExecutor.cpp - Runs GPU kernels in software ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/GPUExecutor/GPUExecutor.h"

#include "Builder.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

GPUExecutor::GPUExecutor() = default;
GPUExecutor::GPUExecutor(GPUExecutor &&) = default;
GPUExecutor::~GPUExecutor() = default;

FailureOr<GPUExecutor> GPUExecutor::create(ModuleOp module,
                                           GPUExecutorOptions options) {
  GPUExecutor executor;
  executor.options = options;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (auto function : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!function.isKernel())
        continue;
      auto kernel = std::make_unique<Kernel>();
      kernel->name = function.getName();
      if (failed(KernelBuilder(*kernel).build(function)))
        return failure();
      if (!executor.kernels.try_emplace(function.getName(), std::move(kernel))
               .second)
        return function.emitError("expects kernels of different names, but got "
                                  "two that are '")
               << function.getName() << "'";
    }
  return executor;
}

unsigned GPUExecutor::getNumParameters(StringRef name) const {
  return kernels.find(name)->second->parameters.size();
}

/// Devices have these limits.
static constexpr int64_t kMaxThreads = 1024;
static constexpr uint64_t kMaxSharedBytes = 227 << 10;

static std::string formatSize(const std::array<int64_t, 3> &size) {
  return llvm::formatv("{0} x {1} x {2}", size[0], size[1], size[2]);
}

static LogicalResult checkLaunch(const Kernel &kernel,
                                 const GPULaunch &launch) {
  Location loc = kernel.operations.front()->getParentOp()->getLoc();
  if (kernel.parameters.size() != launch.arguments.size())
    return emitError(loc, "expects ")
           << kernel.parameters.size() << " arguments of kernel '"
           << kernel.name << "', but got " << launch.arguments.size();
  int64_t threads = 1;
  for (int64_t size : launch.block) {
    if (size < 1 || size > kMaxThreads)
      return emitError(loc, "expects a block of 1 to ")
             << kMaxThreads << " threads, but got " << formatSize(launch.block);
    threads *= size;
  }
  if (threads > kMaxThreads)
    return emitError(loc, "expects a block of 1 to ")
           << kMaxThreads << " threads, but got " << formatSize(launch.block);
  if (kernel.knownBlock && *kernel.knownBlock != launch.block)
    return emitError(loc, "expects a block of ")
           << formatSize(*kernel.knownBlock) << " threads, as the kernel says, "
           << "but got " << formatSize(launch.block);
  constexpr std::array<int64_t, 3> kMaxGrid = {INT32_MAX, 65535, 65535};
  for (auto [size, limit] : llvm::zip(launch.grid, kMaxGrid))
    if (size < 0 || size > limit)
      return emitError(loc, "expects a grid of at most ")
             << formatSize(kMaxGrid) << " blocks, but got "
             << formatSize(launch.grid);
  // Blocks have numbers of 32 bits.
  if (launch.grid[0] * launch.grid[1] >
      INT32_MAX / std::max<int64_t>(launch.grid[2], 1))
    return emitError(loc, "expects a grid of at most ")
           << INT32_MAX << " blocks, but got " << formatSize(launch.grid);
  // Their sum may have more than 64 bits.
  if (launch.dynamicSharedBytes > kMaxSharedBytes ||
      kernel.sharedBytes + launch.dynamicSharedBytes > kMaxSharedBytes)
    return emitError(loc, "expects at most ")
           << kMaxSharedBytes << " bytes of shared memory, but got "
           << kernel.sharedBytes << " of the kernel and "
           << launch.dynamicSharedBytes << " of the launch";
  return success();
}

LogicalResult GPUExecutor::launch(StringRef name, const GPULaunch &launch,
                                  GPUMemory &memory) {
  auto it = kernels.find(name);
  assert(it != kernels.end() && "callers look for the kernel first");
  const Kernel &kernel = *it->second;
  if (failed(checkLaunch(kernel, launch)))
    return failure();
  for (const Access &access : kernel.accesses)
    access.cached = nullptr;
  memory.forget();
  LaunchState state{kernel, launch, options, memory};
  const auto &[gridX, gridY, gridZ] = launch.grid;
  uint32_t serial = kFirstSerial;
  ThreadBlock block(state);
  for (int64_t z = 0; z < gridZ; ++z)
    for (int64_t y = 0; y < gridY; ++y)
      for (int64_t x = 0; x < gridX; ++x)
        if (failed(block.run({x, y, z}, serial++)))
          return failure();
  return success();
}
