//===- ExecutorDevice.cpp - A device of kind cuda in software -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device whose kernels the GPU executor runs when they are launched.
// Addresses of its memory are no addresses of the host, and none is used twice:
// a copy that is missing and memory that is used too late are found at once.
// New memory has NaN everywhere.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Device.h"
#include "relay-mlir/GPUExecutor/GPUExecutor.h"
#include "relay-mlir/Runtime/CUDACode.h"
#include "relay-mlir/Support/ParseModule.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

/// Code that is loaded, with what runs it.
struct LoadedModule {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> source;
  std::optional<GPUExecutor> executor;
  relay_cuda::Code code;
  /// Where kernels report data that they cannot work with.
  uint64_t status = 0;
};

struct LoadedKernel {
  LoadedModule *module;
  const relay_cuda::Kernel *kernel;
};

struct Allocation {
  std::unique_ptr<char[]> bytes;
  uint64_t size;
};

/// The device. One thread at a time uses it.
struct Device {
  static constexpr uint64_t kFirstAddress = uint64_t(1) << 62;
  static constexpr uint64_t kAlignment = 256;
  /// Bytes between allocations, which belong to none.
  static constexpr uint64_t kGap = 4096;
  static constexpr uint64_t kTotalBytes = uint64_t(16) << 30;

  std::mutex mutex;
  GPUMemory memory;
  std::map<uint64_t, Allocation> allocations;
  uint64_t nextAddress = kFirstAddress;
  uint64_t usedBytes = 0;
  std::map<LoadedModule *, std::vector<std::unique_ptr<LoadedKernel>>> modules;

  /// Outlives every model.
  static Device &get() {
    static auto *device = new Device;
    return *device;
  }

  uint64_t allocate(uint64_t bytes, bool shared = false) {
    Allocation allocation{std::make_unique<char[]>(bytes), bytes};
    std::memset(allocation.bytes.get(), 0xff, bytes);
    uint64_t address = nextAddress;
    nextAddress += llvm::alignTo(bytes + kGap, kAlignment);
    memory.add(address, allocation.bytes.get(), bytes, shared);
    usedBytes += bytes;
    allocations[address] = std::move(allocation);
    return address;
  }

  void release(uint64_t address) {
    auto it = allocations.find(address);
    if (it == allocations.end())
      return;
    usedBytes -= it->second.size;
    memory.remove(address);
    allocations.erase(it);
  }
};

} // namespace

static thread_local std::string lastError;

static RelayStatus fail(RelayStatus status, const Twine &message) {
  lastError = message.str();
  return status;
}

static uint64_t getAddress(const void *memory) {
  return reinterpret_cast<uint64_t>(memory);
}

/// The bytes of the host behind an address; null after an error.
static char *getBytes(Device &device, const void *memory, uint64_t bytes) {
  uint64_t address = getAddress(memory);
  GPUMemory::Allocation *allocation = device.memory.find(address);
  if (!allocation) {
    fail(RELAY_INVALID_ARGUMENT,
         "expects memory of the device, but got address 0x" +
             llvm::utohexstr(address));
    return nullptr;
  }
  uint64_t offset = address - allocation->address;
  if (bytes > allocation->bytes - offset) {
    fail(RELAY_INVALID_ARGUMENT, "expects a copy in an allocation, but got " +
                                     Twine(bytes) + " bytes from byte " +
                                     Twine(offset) + " of " +
                                     Twine(allocation->bytes));
    return nullptr;
  }
  return allocation->host + offset;
}

/// Keeps the diagnostics of a context as one line.
static std::string collect(MLIRContext *context,
                           llvm::function_ref<void()> fn) {
  std::string text;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diag) {
      if (diag.getSeverity() != DiagnosticSeverity::Error)
        return success();
      llvm::raw_string_ostream os(text);
      auto print = [&](const Diagnostic &each) {
        if (!text.empty())
          os << "; ";
        if (!isa<UnknownLoc>(each.getLocation()))
          os << each.getLocation() << ": ";
        os << each;
      };
      print(diag);
      for (const Diagnostic &note : diag.getNotes())
        print(note);
      return success();
    });
    fn();
  }
  for (char &c : text)
    if (c == '\n')
      c = ' ';
  return text;
}

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

static const char *getError(void *) { return lastError.c_str(); }

static RelayStatus getNumDevices(void *, int32_t *count) {
  *count = 1;
  return RELAY_OK;
}

static RelayStatus allocate(void *, int32_t, uint64_t bytes, void **memory) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  if (bytes > Device::kTotalBytes - device.usedBytes)
    return fail(RELAY_OUT_OF_MEMORY,
                "out of device memory: " + Twine(bytes) +
                    " bytes are asked for, and " + Twine(device.usedBytes) +
                    " of " + Twine(Device::kTotalBytes) + " are in use");
  *memory = reinterpret_cast<void *>(device.allocate(bytes));
  return RELAY_OK;
}

static RelayStatus release(void *, int32_t, void *memory) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  device.release(getAddress(memory));
  return RELAY_OK;
}

// All that is put into a stream has run when the function returns.
static RelayStatus createStream(void *, int32_t, void **stream) {
  *stream = new char;
  return RELAY_OK;
}

static RelayStatus destroyStream(void *, int32_t, void *stream) {
  delete static_cast<char *>(stream);
  return RELAY_OK;
}

static RelayStatus synchronize(void *, int32_t, void *) { return RELAY_OK; }

static RelayStatus copyFromHost(void *, int32_t, void *, void *to,
                                const void *from, uint64_t bytes) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  char *target = getBytes(device, to, bytes);
  if (!target)
    return RELAY_INVALID_ARGUMENT;
  std::memcpy(target, from, bytes);
  return RELAY_OK;
}

static RelayStatus copyToHost(void *, int32_t, void *, void *to,
                              const void *from, uint64_t bytes) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  char *source = getBytes(device, from, bytes);
  if (!source)
    return RELAY_INVALID_ARGUMENT;
  std::memcpy(to, source, bytes);
  return RELAY_OK;
}

static RelayStatus copyAcross(void *, int32_t, void *, void *to, int32_t,
                              const void *from, uint64_t bytes) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  char *source = getBytes(device, from, bytes);
  char *target = source ? getBytes(device, to, bytes) : nullptr;
  if (!target)
    return RELAY_INVALID_ARGUMENT;
  std::memmove(target, source, bytes);
  return RELAY_OK;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static void loadDialects(MLIRContext &context) {
  // Attributes may be of dialects that are for compiling alone.
  context.allowUnregisteredDialects();
  context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                      cf::ControlFlowDialect, func::FuncDialect,
                      gpu::GPUDialect, index::IndexDialect, LLVM::LLVMDialect,
                      NVVM::NVVMDialect, math::MathDialect,
                      memref::MemRefDialect, nvgpu::NVGPUDialect,
                      scf::SCFDialect, vector::VectorDialect>();
}

static RelayStatus loadModule(void *, int32_t, const char *format,
                              const void *data, uint64_t size, void **result) {
  if (StringRef(format) != "cuda")
    return fail(RELAY_INCOMPATIBLE, "expects code of format 'cuda', but got '" +
                                        Twine(format) + "'");
  auto module = std::make_unique<LoadedModule>();
  std::string reason;
  if (!relay_cuda::parseCode(data, size, module->code, reason))
    return fail(RELAY_INVALID_ARTIFACT, reason);
  auto image =
      llvm::find_if(module->code.images, [](const relay_cuda::Image &image) {
        return image.kind == relay_cuda::Image::Kind::MLIR;
      });
  if (image == module->code.images.end())
    return fail(RELAY_INCOMPATIBLE,
                "expects code with an image 'mlir', which the GPU executor "
                "runs, but got none; compile with --target=\"cuda "
                "-code=mlir\"");
  loadDialects(module->context);
  std::string error = collect(&module->context, [&] {
    module->source =
        parseModule(StringRef(image->data, image->size), "<code of kernels>",
                    ParserConfig(&module->context));
    if (!module->source)
      return;
    GPUExecutorOptions options;
    const char *detect = std::getenv("RELAY_GPU_EXECUTOR_DETECT");
    options.detect = !detect || StringRef(detect) != "0";
    auto executor = GPUExecutor::create(*module->source, options);
    if (succeeded(executor))
      module->executor.emplace(std::move(*executor));
  });
  if (!module->executor)
    return fail(RELAY_INVALID_ARTIFACT, error);
  for (const relay_cuda::Kernel &kernel : module->code.kernels)
    for (const relay_cuda::Launch &launch : kernel.launches) {
      if (!module->executor->hasKernel(launch.entry))
        return fail(RELAY_INVALID_ARTIFACT,
                    "expects an entry of the image, but got '" +
                        Twine(launch.entry) + "'");
      unsigned count = kernel.numDims + 1;
      launch.forEachBuffer(kernel.numBuffers, [&](int32_t) { ++count; });
      if (module->executor->getNumParameters(launch.entry) != count)
        return fail(
            RELAY_INVALID_ARTIFACT,
            "expects entry '" + Twine(launch.entry) + "' to have " +
                Twine(count) + " parameters, but got " +
                Twine(module->executor->getNumParameters(launch.entry)));
    }
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  // Threads look at it while others report.
  module->status = device.allocate(sizeof(uint32_t), /*shared=*/true);
  std::memset(device.allocations[module->status].bytes.get(), 0,
              sizeof(uint32_t));
  auto &kernels = device.modules[module.get()];
  for (const relay_cuda::Kernel &kernel : module->code.kernels)
    kernels.push_back(
        std::make_unique<LoadedKernel>(LoadedKernel{module.get(), &kernel}));
  *result = module.release();
  return RELAY_OK;
}

static RelayStatus unloadModule(void *, int32_t, void *handle) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  auto *module = static_cast<LoadedModule *>(handle);
  device.release(module->status);
  device.modules.erase(module);
  delete module;
  return RELAY_OK;
}

static RelayStatus getKernel(void *, int32_t, void *handle, const char *name,
                             void **kernel) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  for (auto &each : device.modules[static_cast<LoadedModule *>(handle)])
    if (each->kernel->name == name) {
      *kernel = each.get();
      return RELAY_OK;
    }
  return fail(RELAY_INVALID_ARTIFACT,
              "expects a kernel of the module, but got '" + Twine(name) + "'");
}

/// What a launch is for the sizes of a run.
static llvm::Expected<GPULaunch> makeLaunch(const relay_cuda::Launch &launch,
                                            ArrayRef<int64_t> dims) {
  GPULaunch result;
  for (int i = 0; i < 3; ++i) {
    if (!launch.grid[i].evaluate(dims.data(), result.grid[i]))
      return llvm::createStringError(
          "expects a grid whose sizes follow from those of buffers, which "
          "entry '" +
          launch.entry + "' has not");
    result.block[i] = launch.block[i];
  }
  int64_t bytes = 0;
  if (!launch.sharedBytes.evaluate(dims.data(), bytes) || bytes < 0)
    return llvm::createStringError("expects bytes of shared memory, but got " +
                                   Twine(bytes));
  result.dynamicSharedBytes = bytes;
  return result;
}

static RelayStatus launch(void *, int32_t, void *, void *handle,
                          void *const *args, int32_t numArgs,
                          const int64_t *dims, const RelayKernelContext *) {
  Device &device = Device::get();
  std::lock_guard<std::mutex> lock(device.mutex);
  const auto &loaded = *static_cast<LoadedKernel *>(handle);
  LoadedModule *module = loaded.module;
  const relay_cuda::Kernel *kernel = loaded.kernel;
  if (numArgs != static_cast<int32_t>(kernel->numBuffers))
    return fail(RELAY_INVALID_ARGUMENT, "expects " + Twine(kernel->numBuffers) +
                                            " buffers of kernel '" +
                                            kernel->name + "', but got " +
                                            Twine(numArgs));
  ArrayRef<int64_t> sizes(dims, kernel->numDims);
  for (const relay_cuda::Launch &each : kernel->launches) {
    auto launch = makeLaunch(each, sizes);
    if (!launch)
      return fail(RELAY_EXECUTION_FAILED, llvm::toString(launch.takeError()));
    if (llvm::is_contained(launch->grid, 0))
      continue;
    each.forEachBuffer(numArgs, [&](int32_t number) {
      launch->arguments.push_back(getAddress(args[number]));
    });
    llvm::append_range(launch->arguments, sizes);
    launch->arguments.push_back(module->status);
    LogicalResult result = success();
    std::string error = collect(&module->context, [&] {
      result = module->executor->launch(each.entry, *launch, device.memory);
    });
    if (failed(result))
      return fail(RELAY_EXECUTION_FAILED, error);
  }
  uint32_t status;
  char *word = device.allocations[module->status].bytes.get();
  std::memcpy(&status, word, sizeof(status));
  if (status == 0)
    return RELAY_OK;
  std::memset(word, 0, sizeof(status));
  if (status > module->code.kernels.size())
    return fail(RELAY_EXECUTION_FAILED,
                "expects the number of a kernel in the status word, but got " +
                    Twine(status));
  return fail(RELAY_EXECUTION_FAILED,
              "kernel '" + Twine(module->code.kernels[status - 1].name) +
                  "': an index is out of range");
}

static const RelayDeviceAPI kApi = {
    RELAY_DEVICE_API_VERSION, sizeof(RelayDeviceAPI), "cuda", nullptr, getError,
    getNumDevices, allocate, release, createStream, destroyStream, synchronize,
    copyFromHost, copyToHost, copyAcross, loadModule, unloadModule, getKernel,
    launch,
    // What runs here has no clock of its own.
    nullptr, nullptr, nullptr, nullptr,
    // Addresses are checked when code uses them.
    nullptr,
    // It runs kernels in one way, and counts nothing.
    nullptr, nullptr};

extern "C" RELAY_RT_EXPORT const RelayDeviceAPI *relayGetDeviceAPI() {
  return &kApi;
}
