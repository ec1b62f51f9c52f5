//===- Module.cpp - Bind and run a loaded artefact ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs of several threads share nothing but the module: memory is lent to a run
// and comes back.
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "Bytecode.h"
#include "Error.h"
#include "OutputPool.h"

#include <algorithm>
#include <chrono>

using namespace relay_rt;

namespace {
/// A tensor that owns its data, as returned to the caller.
struct OwnedTensor {
  DLManagedTensor managed = {};
  std::vector<int64_t> shape;
  Arena data;
  std::weak_ptr<OutputPool> pool;

  ~OwnedTensor() {
    if (std::shared_ptr<OutputPool> alive = pool.lock())
      alive->give(std::move(data));
  }
};
} // namespace

static DLManagedTensor *makeTensor(DLDataType type, const int64_t *dims,
                                   int32_t rank, size_t bytes,
                                   const std::shared_ptr<OutputPool> &pool) {
  auto owned = std::make_unique<OwnedTensor>();
  owned->shape.assign(dims, dims + rank);
  owned->pool = pool;
  owned->data = pool->take(bytes);
  DLTensor &tensor = owned->managed.dl_tensor;
  tensor.data = owned->data.data.get();
  tensor.device = {kDLCPU, 0};
  tensor.ndim = rank;
  tensor.dtype = type;
  tensor.shape = owned->shape.data();
  owned->managed.manager_ctx = owned.get();
  owned->managed.deleter = [](DLManagedTensor *self) {
    delete static_cast<OwnedTensor *>(self->manager_ctx);
  };
  return &owned.release()->managed;
}

//===----------------------------------------------------------------------===//
// RelayModule
//===----------------------------------------------------------------------===//

RelayModule::RelayModule(const char *path, int32_t flags, const char *device)
    : library(path, flags), devices(library.getArtifact(), device),
      strings(std::make_shared<ModuleStrings>(library.getArtifact())),
      outputPool(std::make_shared<OutputPool>()) {
  const RelayArtifact &artifact = getArtifact();
  for (int32_t i = 0; i < artifact.num_functions; ++i)
    functions.push_back(
        std::make_unique<TensorFunction>(artifact, artifact.functions[i]));
  if (artifact.program) {
    program = std::make_unique<Program>(artifact);
    return;
  }
  if (functions.empty())
    fail(RELAY_INVALID_ARTIFACT, "expects '", path,
         "' to have a function, but got none");
  for (size_t i = 1; i < functions.size(); ++i)
    variants.push_back(makeVariant(*functions[i]));
}

RelayModule::~RelayModule() = default;

const Program &RelayModule::getProgram() const {
  if (!program)
    fail(RELAY_INVALID_ARGUMENT,
         "expects a program of several functions, but got one function of "
         "tensors; call relayModuleRun");
  return *program;
}

const TensorFunction &RelayModule::getMain() const {
  if (program)
    fail(RELAY_INVALID_ARGUMENT,
         "expects one function of tensors, but got a program of several "
         "functions; call relayModuleInvoke");
  return *functions.front();
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

RelayModule::Variant
RelayModule::makeVariant(const TensorFunction &function) const {
  const RelayArtifactFunction &main = getMain().getDescription();
  const RelayArtifactFunction &other = function.getDescription();
  Variant variant = {&function, {}};
  bool isLike = other.num_inputs == main.num_inputs &&
                other.num_outputs == main.num_outputs;
  for (int32_t i = 0; isLike && i < main.num_outputs; ++i)
    isLike = other.outputs[i].rank == main.outputs[i].rank;
  for (int32_t i = 0; isLike && i < main.num_inputs; ++i) {
    isLike = other.inputs[i].rank == main.inputs[i].rank;
    for (int32_t d = 0; isLike && d < main.inputs[i].rank; ++d) {
      int64_t size = main.inputs[i].dims[d], own = other.inputs[i].dims[d];
      if (size < 0 && own >= 0)
        variant.sizes.push_back({static_cast<size_t>(-1 - size), own});
      else
        isLike = size < 0 || own == size;
    }
  }
  if (!isLike)
    fail(RELAY_INVALID_ARTIFACT, "expects '", other.name,
         "' to be a variant of '", main.name,
         "', but its inputs and outputs are others");
  return variant;
}

const TensorFunction &RelayModule::choose(const DLTensor *const *inputs,
                                          int32_t numInputs,
                                          std::vector<int64_t> &symbols) const {
  const TensorFunction &main = getMain();
  main.checkInputs(inputs, numInputs, symbols);
  for (const Variant &variant : variants) {
    bool fits = std::all_of(
        variant.sizes.begin(), variant.sizes.end(),
        [&](auto &entry) { return symbols[entry.first] == entry.second; });
    if (!fits)
      continue;
    variant.function->checkInputs(inputs, numInputs, symbols);
    return *variant.function;
  }
  return main;
}

static void checkOutput(const RelayTensorInfo &info, const DLTensor &tensor,
                        const int64_t *dims) {
  if (!isSameDType(tensor.dtype, info.dtype))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to have dtype ", describeDType(info.dtype), ", but got ",
         describeDType(tensor.dtype));
  if (tensor.ndim != info.ndim ||
      !std::equal(dims, dims + info.ndim, tensor.shape))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to have shape ", describeDims(dims, info.ndim), ", but got ",
         describeDims(tensor.shape, tensor.ndim));
  if (tensor.device.device_type != kDLCPU || !isContiguous(tensor))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to be contiguous and in CPU memory");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Arena RelayModule::takeArena(size_t bytes) {
  Arena arena;
  {
    std::lock_guard<std::mutex> lock(arenaMutex);
    if (!freeArenas.empty()) {
      arena = std::move(freeArenas.back());
      freeArenas.pop_back();
    }
  }
  if (arena.size < bytes) {
    arena.data.reset(); // Never hold the old and the new one at once.
    arena.data = allocateAligned(bytes);
    arena.size = bytes;
  }
  return arena;
}

void RelayModule::returnArena(Arena arena) {
  std::lock_guard<std::mutex> lock(arenaMutex);
  freeArenas.push_back(std::move(arena));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static int32_t parallelFor(const RelayKernelContext *context,
                           RelayParallelBody body, void *const *args,
                           const int64_t *dims, int64_t extent) {
  static_cast<ThreadPool::Run *>(context->thread_pool)
      ->parallelFor(body, args, dims, extent);
  return 0;
}

namespace {

/// A loop whose pieces are observed.
struct ObservedLoop {
  RelayParallelBody body;
  void *const *args;
  const RelayModule *module;

  static int64_t getTime() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  /// Whether the thread is in a piece.
  static thread_local bool isRunning;

  /// The body of the loop in place of `body`; the loop itself is passed as its
  /// arguments.
  static void run(void *const *self, const int64_t *dims, int64_t begin,
                  int64_t end) {
    const auto &loop = *reinterpret_cast<const ObservedLoop *>(self);
    int64_t start = getTime();
    isRunning = true;
    loop.body(loop.args, dims, begin, end);
    isRunning = false;
    loop.module->threadObserver(loop.module->threadObserverData,
                                ThreadPool::getThread(), begin, end, start,
                                getTime());
  }
};

thread_local bool ObservedLoop::isRunning = false;

} // namespace

static int32_t observedParallelFor(const RelayKernelContext *context,
                                   RelayParallelBody body, void *const *args,
                                   const int64_t *dims, int64_t extent) {
  // A loop in a piece of another one is part of that piece.
  if (ObservedLoop::isRunning)
    return parallelFor(context, body, args, dims, extent);
  auto *module = static_cast<const RelayModule *>(context->observer_data);
  ObservedLoop loop = {body, args, module};
  int64_t start = ObservedLoop::getTime();
  int32_t status =
      parallelFor(context, ObservedLoop::run,
                  reinterpret_cast<void *const *>(&loop), dims, extent);
  module->threadObserver(module->threadObserverData, RELAY_WHOLE_LOOP, 0,
                         extent, start, ObservedLoop::getTime());
  return status;
}

static void observe(const RelayKernelContext *context, int64_t callIndex,
                    void *const *args, const int64_t *dims) {
  auto *module = static_cast<const RelayModule *>(context->observer_data);
  module->observer(module->observerData, callIndex, args, dims);
}

int32_t ModuleRun::callStringFunction(const RelayKernelContext *context,
                                      int32_t function, const int64_t *args,
                                      int32_t numArgs, int64_t *result) {
  auto &run = *static_cast<ModuleRun *>(context->strings);
  // A kernel goes on after an error, with what nobody will see.
  if (!run.stringError.empty())
    return RELAY_KERNEL_STRING_FAILED;
  if (!run.strings)
    run.strings = &run.ownStrings.emplace(run.module.strings);
  try {
    // Numbers among the params are the module's.
    if (run.strings->getBase() != run.module.strings.get())
      fail(RELAY_INVALID_ARGUMENT,
           "expects strings that were made for this module, but got others");
    *result = run.strings->call(function, args, numArgs, run.lists);
    return 0;
  } catch (const std::exception &error) {
    run.stringError = error.what();
    return RELAY_KERNEL_STRING_FAILED;
  }
}

ModuleRun::ModuleRun(RelayModule &module)
    : module(module), pool(ThreadPool::get()),
      // Who waits for a device leaves the processor to others.
      turn(module.queue, module.devices.empty() ? pool->getNumPlaces() : 0),
      threads(*pool, module.hasParallelLoops.load(std::memory_order_relaxed)),
      strings(relayGetUsedStrings()) {
  context.parallel_for =
      module.threadObserver ? observedParallelFor : parallelFor;
  context.observer_data = &module;
  if (module.observer)
    context.observer = observe;
  context.thread_pool = &threads;
  context.expectation = &expectation;
  context.call_string_function = callStringFunction;
  context.strings = this;
  context.call_packed = callPacked;
  context.packed_run = this;
}

ModuleRun::~ModuleRun() {
  module.hasParallelLoops.store(threads.hasRunLoops(),
                                std::memory_order_relaxed);
  if (arena.data)
    module.returnArena(std::move(arena));
}

void ModuleRun::provideMemory(const std::vector<int64_t> &arenaBytes) {
  auto bytes = static_cast<size_t>(arenaBytes.front());
  if (!arena.data || arena.size < bytes) {
    if (arena.data)
      module.returnArena(std::move(arena));
    try {
      arena = module.takeArena(bytes);
    } catch (const std::bad_alloc &) {
      failToAllocate(bytes, "intermediate tensors");
    }
  }
  if (!module.devices.empty()) {
    devices.emplace(module.devices, arenaBytes.data(),
                    module.observer != nullptr,
                    module.deviceObserver != nullptr);
    devices->attach(context);
  }
}

void ModuleRun::call(const TensorFunction &function, void *const *inputs,
                     void *const *outputs, const int64_t *symbols) {
  if (module.observer)
    module.observer(module.observerData, RELAY_OBSERVER_START, nullptr,
                    nullptr);
  expectation = nullptr;
  stringError.clear();
  int32_t status = function.getDescription().main(
      inputs, outputs, module.getArtifact().weights, arena.data.get(), symbols,
      &context);
  if (status != 0)
    function.failKernel(status, *this);
  if (devices)
    devices->reportTimes(module.deviceObserver, module.deviceObserverData,
                         module.counterObserver, module.counterObserverData);
}

void RelayModule::getWork(const DLTensor *const *inputTensors,
                          int32_t numInputs, int64_t *flops,
                          int64_t *bytes) const {
  std::vector<int64_t> symbols;
  const RelayArtifactFunction &function =
      choose(inputTensors, numInputs, symbols).getDescription();
  // Calls of other variants do not happen.
  std::fill_n(flops, getArtifact().num_calls, -1);
  std::fill_n(bytes, getArtifact().num_calls, -1);
  function.work(symbols.data(), flops + function.first_call,
                bytes + function.first_call);
}

void RelayModule::run(const DLTensor *const *inputTensors, int32_t numInputs,
                      DLManagedTensor **outputTensors, int32_t numOutputs) {
  CallScratch call;
  const TensorFunction &function =
      choose(inputTensors, numInputs, call.symbols);
  const std::vector<RelayTensorInfo> &inputs = function.getInputs();
  const std::vector<RelayTensorInfo> &outputs = function.getOutputs();
  if (numOutputs != static_cast<int32_t>(outputs.size()))
    fail(RELAY_INVALID_ARGUMENT, "expects room for ", outputs.size(),
         " outputs, but got ", numOutputs);

  function.computeShapes(call);
  const std::vector<int64_t> &outputDims = call.dims;
  std::vector<void *> inputData(numInputs);
  std::vector<AlignedBuffer> copies;
  for (int32_t i = 0; i < numInputs; ++i) {
    const DLTensor &tensor = *inputTensors[i];
    inputData[i] = getData(tensor);
    if (isContiguous(tensor))
      continue;
    try {
      copies.push_back(copyContiguous(tensor));
    } catch (const std::bad_alloc &) {
      failToAllocate(*getNumBytes(tensor.dtype, tensor.shape, tensor.ndim),
                     std::string("a contiguous copy of input '") +
                         inputs[i].name + "' of shape " +
                         describeDims(tensor.shape, tensor.ndim));
    }
    inputData[i] = copies.back().get();
  }

  struct Deleter {
    void operator()(DLManagedTensor *tensor) const { tensor->deleter(tensor); }
  };
  std::vector<std::unique_ptr<DLManagedTensor, Deleter>> created(numOutputs);
  std::vector<void *> outputData(numOutputs);
  std::vector<size_t> outputBytes(numOutputs);
  const int64_t *dims = outputDims.data();
  size_t runBytes = 0;
  for (int32_t i = 0; i < numOutputs; dims += outputs[i].ndim, ++i) {
    std::optional<size_t> bytes =
        getNumBytes(outputs[i].dtype, dims, outputs[i].ndim);
    if (!bytes)
      fail(RELAY_INVALID_ARGUMENT, "expects output '", outputs[i].name,
           "' to have fewer than 2^63 bytes, but got shape ",
           describeDims(dims, outputs[i].ndim));
    outputBytes[i] = *bytes;
    // What all take is less than there is memory, once they are allocated.
    if (!outputTensors[i])
      runBytes = std::min(runBytes + *bytes, SIZE_MAX / 4);
  }
  outputPool->setRunBytes(runBytes);
  dims = outputDims.data();
  for (int32_t i = 0; i < numOutputs; dims += outputs[i].ndim, ++i) {
    if (outputTensors[i]) {
      checkOutput(outputs[i], outputTensors[i]->dl_tensor, dims);
      outputData[i] = getData(outputTensors[i]->dl_tensor);
      continue;
    }
    try {
      created[i].reset(makeTensor(outputs[i].dtype, dims, outputs[i].ndim,
                                  outputBytes[i], outputPool));
    } catch (const std::bad_alloc &) {
      failToAllocate(outputBytes[i], std::string("output '") + outputs[i].name +
                                         "' of shape " +
                                         describeDims(dims, outputs[i].ndim));
    }
    outputData[i] = getData(created[i]->dl_tensor);
  }

  ModuleRun run(*this);
  run.provideMemory(call.arenaBytes);
  run.call(function, inputData.data(), outputData.data(), call.symbols.data());

  for (int32_t i = 0; i < numOutputs; ++i)
    if (!outputTensors[i])
      outputTensors[i] = created[i].release();
}
