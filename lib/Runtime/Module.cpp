//===- Module.cpp - Bind and run a loaded artefact ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One run of a model: checks the inputs and takes the open sizes from them,
// computes all other sizes and checks their conditions, provides outputs and
// memory for what lies between, and calls the artefact's main function. Runs of
// several threads share nothing but the module: memory is lent to a run and
// comes back. Everything that can be wrong with a call is an error that names
// the input, the expression or the kernel.
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "Error.h"
#include "OutputPool.h"
#include "ThreadPool.h"

#include <algorithm>
#include <chrono>

using namespace relay_rt;

std::string RelayModule::describeShape(const RelayTensorInfo &info) const {
  std::string text = "[";
  for (int32_t i = 0; i < info.ndim; ++i) {
    text += i ? ", " : "";
    text += info.dim_names[i] ? std::string(info.dim_names[i])
                              : std::to_string(info.shape[i]);
  }
  return text + "]";
}

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

RelayModule::RelayModule(const char *path, int32_t flags)
    : library(path, flags), devices(library.getArtifact()),
      outputPool(std::make_shared<OutputPool>()) {
  const RelayArtifact &artifact = getArtifact();
  inputs = describe(artifact.inputs, artifact.num_inputs);
  outputs = describe(artifact.outputs, artifact.num_outputs);
}

std::vector<RelayTensorInfo>
RelayModule::describe(const RelayArtifactTensor *tensors, int32_t count) {
  std::vector<RelayTensorInfo> infos;
  for (int32_t i = 0; i < count; ++i) {
    const RelayArtifactTensor &tensor = tensors[i];
    auto shape = std::make_unique<int64_t[]>(tensor.rank);
    for (int32_t d = 0; d < tensor.rank; ++d)
      shape[d] = std::max<int64_t>(tensor.dims[d], -1);
    DLDataType dtype = {tensor.dtype.code, tensor.dtype.bits,
                        tensor.dtype.lanes};
    infos.push_back(
        {tensor.name, dtype, tensor.rank, shape.get(), tensor.dim_names});
    shapes.push_back(std::move(shape));
  }
  return infos;
}

void RelayModule::checkInput(int32_t index, const DLTensor &tensor,
                             std::vector<int64_t> &symbols) const {
  const RelayTensorInfo &info = inputs[index];
  if (tensor.device.device_type != kDLCPU)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to be in CPU memory, but got DLPack device type ",
         int(tensor.device.device_type));
  if (!isSameDType(tensor.dtype, info.dtype))
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have dtype ", describeDType(info.dtype), ", but got ",
         describeDType(tensor.dtype));
  if (tensor.ndim > 0 && !tensor.shape)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have a shape, but got a null pointer");
  if (tensor.ndim != info.ndim)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have shape ", describeShape(info), ", but got ",
         describeDims(tensor.shape, tensor.ndim));

  const int64_t *dims = getArtifact().inputs[index].dims;
  for (int32_t d = 0; d < info.ndim; ++d) {
    int64_t size = tensor.shape[d];
    if (size < 0)
      fail(RELAY_INVALID_ARGUMENT, "expects the sizes of input '", info.name,
           "' not to be negative, but got ",
           describeDims(tensor.shape, tensor.ndim));
    if (dims[d] >= 0) {
      if (size != dims[d])
        fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
             "' to have shape ", describeShape(info), ", but got ",
             describeDims(tensor.shape, tensor.ndim));
      continue;
    }
    int64_t &symbol = symbols[-1 - dims[d]];
    if (symbol >= 0 && symbol != size)
      fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
           "' to have shape ", describeShape(info), " with ", info.dim_names[d],
           " = ", symbol, " as in an earlier dimension, but got ",
           describeDims(tensor.shape, tensor.ndim));
    symbol = size;
  }
  std::optional<size_t> bytes =
      getNumBytes(tensor.dtype, tensor.shape, tensor.ndim);
  if (!bytes)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have fewer than 2^63 bytes, but got shape ",
         describeDims(tensor.shape, tensor.ndim), " of ",
         describeDType(tensor.dtype));
  if (!tensor.data && *bytes > 0)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have data, but got a null pointer");
}

void RelayModule::checkOutput(int32_t index, const DLTensor &tensor,
                              const int64_t *dims) const {
  const RelayTensorInfo &info = outputs[index];
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
// Sizes that follow from those of the inputs
//===----------------------------------------------------------------------===//

static std::string describeValue(int64_t value) {
  return value == RELAY_OVERFLOW ? "2^63 or more" : std::to_string(value);
}

void RelayModule::failCheck(const RelayArtifactCheck &check,
                            const int64_t *values,
                            const std::vector<int64_t> &symbols) const {
  const RelayArtifact &artifact = getArtifact();
  // "2 * n = 6", or "6" if that is all.
  auto describe = [&](int32_t i) {
    std::string value = describeValue(values[i]);
    return check.values[i] == value ? value : check.values[i] + (" = " + value);
  };
  std::string text;
  if (!check.subject) {
    const char *relation =
        check.kind == RELAY_CHECK_EQUAL      ? " to equal "
        : check.kind == RELAY_CHECK_AT_LEAST ? " to be at least "
        : check.kind == RELAY_CHECK_MULTIPLE ? " to be a multiple of "
                                             : " to be 1 or ";
    text =
        std::string("expects ") + check.values[0] + relation + check.values[1];
    const char *separator = ", but got ";
    for (int32_t i = 0; i < 2; ++i) {
      std::string value = describeValue(values[i]);
      if (value == check.values[i])
        continue; // A constant, which has been said.
      text += separator + value;
      separator = " and ";
    }
  } else {
    bool isNegative =
        std::any_of(values, values + check.num_values, [](int64_t value) {
          return value < 0 && value != RELAY_OVERFLOW;
        });
    text = std::string("expects ") + check.subject +
           (isNegative ? " to have sizes from 0"
                       : " to have fewer than 2^63 bytes");
    for (int32_t i = 0; i < check.num_values; ++i)
      text += (i ? ", " : ", but got shape [") + describe(i) +
              (i + 1 == check.num_values ? "]" : "");
  }

  // Which dimensions of the inputs decide.
  for (int64_t i = 0; i < check.num_symbols; ++i) {
    int64_t symbol = check.symbols[i];
    text += std::string(i ? ", " : "; ") + artifact.symbols[symbol] + " = " +
            std::to_string(symbols[symbol]);
    for (int32_t input = 0, dim = 0; input < artifact.num_inputs;) {
      const RelayArtifactTensor &tensor = artifact.inputs[input];
      if (dim == tensor.rank) {
        ++input;
        dim = 0;
        continue;
      }
      if (tensor.dims[dim++] != -1 - symbol)
        continue;
      text += " is dimension " + std::to_string(dim - 1) + " of input '" +
              tensor.name + "'";
      break;
    }
  }
  throw Error(RELAY_INVALID_ARGUMENT, text);
}

std::vector<int64_t>
RelayModule::computeShapes(const std::vector<int64_t> &symbols,
                           std::vector<int64_t> &arenaBytes) const {
  const RelayArtifact &artifact = getArtifact();
  size_t numDims = 0;
  for (const RelayTensorInfo &info : outputs)
    numDims += info.ndim;
  std::vector<int64_t> dims(numDims), values(artifact.max_check_values);
  arenaBytes.resize(1 + devices.size());
  int32_t status = artifact.shapes(symbols.data(), dims.data(),
                                   arenaBytes.data(), values.data());
  if (status > 0 && status <= artifact.num_checks)
    failCheck(artifact.checks[status - 1], values.data(), symbols);
  if (status != 0)
    fail(RELAY_EXECUTION_FAILED, "computing shapes failed with code ", status);
  return dims;
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

/// Throws what a kernel has found wrong with its data.
[[noreturn]] static void failKernel(const RelayArtifact &artifact,
                                    int32_t status, const DeviceRun *devices) {
  int32_t code = status & ((1 << RELAY_ERROR_BITS) - 1);
  int32_t call = status >> RELAY_ERROR_BITS;
  if (code == RELAY_KERNEL_DEVICE_FAILED && devices)
    throw Error(devices->status, devices->error);
  if (call < 0 || call >= artifact.num_calls)
    fail(RELAY_EXECUTION_FAILED, "a kernel failed with code ", status);
  if (code != RELAY_KERNEL_INDEX_OUT_OF_RANGE)
    fail(RELAY_EXECUTION_FAILED, "kernel '", artifact.calls[call].function,
         "' failed with code ", code);
  fail(RELAY_INVALID_ARGUMENT,
       "expects indices within the data, but got one that is out of range; it "
       "is used by kernel '",
       artifact.calls[call].function, "'");
}

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

std::vector<int64_t>
RelayModule::checkInputs(const DLTensor *const *inputTensors,
                         int32_t numInputs) const {
  const RelayArtifact &artifact = getArtifact();
  if (numInputs != artifact.num_inputs)
    fail(RELAY_INVALID_ARGUMENT, "expects ", artifact.num_inputs,
         " inputs, but got ", numInputs);
  std::vector<int64_t> symbols(artifact.num_symbols, -1);
  for (int32_t i = 0; i < numInputs; ++i) {
    if (!inputTensors[i])
      fail(RELAY_INVALID_ARGUMENT, "expects input '", inputs[i].name,
           "', but got a null pointer");
    checkInput(i, *inputTensors[i], symbols);
  }
  return symbols;
}

void RelayModule::getWork(const DLTensor *const *inputTensors,
                          int32_t numInputs, int64_t *flops,
                          int64_t *bytes) const {
  std::vector<int64_t> symbols = checkInputs(inputTensors, numInputs);
  getArtifact().work(symbols.data(), flops, bytes);
}

void RelayModule::run(const DLTensor *const *inputTensors, int32_t numInputs,
                      DLManagedTensor **outputTensors, int32_t numOutputs) {
  const RelayArtifact &artifact = getArtifact();
  std::vector<int64_t> symbols = checkInputs(inputTensors, numInputs);
  if (numOutputs != artifact.num_outputs)
    fail(RELAY_INVALID_ARGUMENT, "expects room for ", artifact.num_outputs,
         " outputs, but got ", numOutputs);

  std::vector<int64_t> arenaBytes;
  std::vector<int64_t> outputDims = computeShapes(symbols, arenaBytes);
  std::shared_ptr<ThreadPool> pool = ThreadPool::get();
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
      checkOutput(i, outputTensors[i]->dl_tensor, dims);
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

  RelayKernelContext context = {};
  context.parallel_for = parallelFor;
  context.observer_data = this;
  if (observer)
    context.observer = observe;
  if (threadObserver)
    context.parallel_for = observedParallelFor;
  Arena arena;
  try {
    arena = takeArena(arenaBytes.front());
  } catch (const std::bad_alloc &) {
    failToAllocate(arenaBytes.front(), "intermediate tensors");
  }
  std::optional<DeviceRun> deviceRun;
  if (!devices.empty()) {
    deviceRun.emplace(devices, arenaBytes.data(), observer != nullptr);
    deviceRun->attach(context);
  }
  ThreadPool::Run run(*pool, hasParallelLoops.load(std::memory_order_relaxed));
  context.thread_pool = &run;
  if (observer)
    observer(observerData, RELAY_OBSERVER_START, nullptr, nullptr);
  int32_t status =
      artifact.main(inputData.data(), outputData.data(), artifact.weights,
                    arena.data.get(), symbols.data(), &context);
  hasParallelLoops.store(run.hasRunLoops(), std::memory_order_relaxed);
  returnArena(std::move(arena));
  if (status != 0)
    failKernel(artifact, status, deviceRun ? &*deviceRun : nullptr);

  for (int32_t i = 0; i < numOutputs; ++i)
    if (!outputTensors[i])
      outputTensors[i] = created[i].release();
}
