//===- Module.cpp - Bind and run a loaded artefact ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "Error.h"
#include "OutputPool.h"
#include "ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <numeric>

#ifdef __linux__
#include <sys/mman.h>
#endif

using namespace relay_rt;

void AlignedFree::operator()(void *pointer) const { std::free(pointer); }

AlignedBuffer relay_rt::allocateAligned(size_t bytes) {
  size_t align = RELAY_BUFFER_ALIGNMENT;
  // The system hands out large blocks page by page when they are first written.
  // Of usual pages that takes several times as long as writing them.
  constexpr size_t kHugePage = 2 << 20;
  bool isLarge = bytes >= 4 * kHugePage;
  if (isLarge)
    align = kHugePage;
  if (bytes > SIZE_MAX - align)
    throw std::bad_alloc();
  // aligned_alloc wants a multiple of the alignment.
  size_t size = std::max(align, (bytes + align - 1) / align * align);
  void *pointer = std::aligned_alloc(align, size);
  if (!pointer)
    throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (isLarge)
    (void)madvise(pointer, size, MADV_HUGEPAGE);
#endif
  return AlignedBuffer(pointer);
}

//===----------------------------------------------------------------------===//
// Text for messages
//===----------------------------------------------------------------------===//

static std::string describeDType(DLDataType type) {
  if (type.code == 6)
    return "bool";
  std::string text = type.code == kDLInt      ? "int"
                     : type.code == kDLUInt   ? "uint"
                     : type.code == kDLFloat  ? "float"
                     : type.code == kDLBfloat ? "bfloat"
                                              : "unknown";
  text += std::to_string(type.bits);
  if (type.lanes != 1)
    text += "x" + std::to_string(type.lanes);
  return text;
}

static std::string describeDims(const int64_t *dims, int32_t rank) {
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

std::string RelayModule::describeShape(const RelayTensorInfo &info) const {
  std::string text = "[";
  for (int32_t i = 0; i < info.ndim; ++i) {
    text += i ? ", " : "";
    text += info.dim_names[i] ? std::string(info.dim_names[i])
                              : std::to_string(info.shape[i]);
  }
  return text + "]";
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static bool isSameDType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

static int64_t countElements(const int64_t *dims, int32_t rank) {
  return std::accumulate(dims, dims + rank, int64_t(1),
                         std::multiplies<int64_t>());
}

static size_t getByteSize(DLDataType type) { return (type.bits + 7) / 8; }

static bool isContiguous(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return false;
    expected *= tensor.shape[i];
  }
  return true;
}

static char *getData(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

/// Copies a strided tensor into row-major order.
static AlignedBuffer copyContiguous(const DLTensor &tensor) {
  size_t elementSize = getByteSize(tensor.dtype);
  int64_t count = countElements(tensor.shape, tensor.ndim);
  AlignedBuffer buffer = allocateAligned(count * elementSize);
  char *to = static_cast<char *>(buffer.get());
  std::vector<int64_t> index(tensor.ndim, 0);
  for (int64_t i = 0; i < count; ++i, to += elementSize) {
    int64_t offset = 0;
    for (int32_t d = 0; d < tensor.ndim; ++d)
      offset += index[d] * tensor.strides[d];
    std::memcpy(to, getData(tensor) + offset * int64_t(elementSize),
                elementSize);
    for (int32_t d = tensor.ndim - 1; d >= 0; --d) {
      if (++index[d] < tensor.shape[d])
        break;
      index[d] = 0;
    }
  }
  return buffer;
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
                                   int32_t rank,
                                   const std::shared_ptr<OutputPool> &pool) {
  auto owned = std::make_unique<OwnedTensor>();
  owned->shape.assign(dims, dims + rank);
  owned->pool = pool;
  owned->data = pool->take(countElements(dims, rank) * getByteSize(type));
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

RelayModule::RelayModule(const char *path)
    : library(path), outputPool(std::make_shared<OutputPool>()) {
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
  if (!tensor.data && countElements(tensor.shape, tensor.ndim) > 0)
    fail(RELAY_INVALID_ARGUMENT, "expects input '", info.name,
         "' to have data, but got a null pointer");
}

void RelayModule::checkOutput(int32_t index, const DLTensor &tensor,
                              const int64_t *dims) const {
  const RelayTensorInfo &info = outputs[index];
  if (tensor.device.device_type != kDLCPU || !isContiguous(tensor))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to be contiguous and in CPU memory");
  if (!isSameDType(tensor.dtype, info.dtype))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to have dtype ", describeDType(info.dtype), ", but got ",
         describeDType(tensor.dtype));
  if (tensor.ndim != info.ndim ||
      !std::equal(dims, dims + info.ndim, tensor.shape))
    fail(RELAY_INVALID_ARGUMENT, "expects output '", info.name,
         "' to have shape ", describeDims(dims, info.ndim), ", but got ",
         describeDims(tensor.shape, tensor.ndim));
}

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

  std::shared_ptr<ThreadPool> pool = ThreadPool::get();
  std::vector<void *> inputData(numInputs);
  std::vector<AlignedBuffer> copies;
  for (int32_t i = 0; i < numInputs; ++i) {
    const DLTensor &tensor = *inputTensors[i];
    inputData[i] = getData(tensor);
    if (!isContiguous(tensor)) {
      copies.push_back(copyContiguous(tensor));
      inputData[i] = copies.back().get();
    }
  }

  size_t numDims = 0;
  for (const RelayTensorInfo &info : outputs)
    numDims += info.ndim;
  std::vector<int64_t> outputDims(numDims);
  int64_t arenaBytes = 0;
  if (artifact.shapes(symbols.data(), outputDims.data(), &arenaBytes) != 0)
    fail(RELAY_EXECUTION_FAILED,
         "the shapes of the inputs do not fit the model");
  if (arenaBytes < 0 || std::any_of(
                            outputDims.begin(), outputDims.end(),
                            [](int64_t size) { return size < 0; }))
    fail(RELAY_INVALID_ARGUMENT, "expects inputs large enough for the model, "
                                 "but an intermediate size would be negative");

  struct Deleter {
    void operator()(DLManagedTensor *tensor) const { tensor->deleter(tensor); }
  };
  std::vector<std::unique_ptr<DLManagedTensor, Deleter>> created(numOutputs);
  std::vector<void *> outputData(numOutputs);
  const int64_t *dims = outputDims.data();
  size_t outputBytes = 0;
  for (int32_t i = 0; i < numOutputs; dims += outputs[i].ndim, ++i)
    if (!outputTensors[i])
      outputBytes +=
          countElements(dims, outputs[i].ndim) * getByteSize(outputs[i].dtype);
  outputPool->setRunBytes(outputBytes);
  dims = outputDims.data();
  for (int32_t i = 0; i < numOutputs; dims += outputs[i].ndim, ++i) {
    if (outputTensors[i]) {
      checkOutput(i, outputTensors[i]->dl_tensor, dims);
      outputData[i] = getData(outputTensors[i]->dl_tensor);
    } else {
      created[i].reset(
          makeTensor(outputs[i].dtype, dims, outputs[i].ndim, outputPool));
      outputData[i] = getData(created[i]->dl_tensor);
    }
  }

  RelayKernelContext context = {};
  context.parallel_for = parallelFor;
  context.observer_data = this;
  if (observer)
    context.observer = observe;
  if (threadObserver)
    context.parallel_for = observedParallelFor;
  Arena arena = takeArena(arenaBytes);
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
    fail(RELAY_EXECUTION_FAILED, "a kernel failed with code ", status);

  for (int32_t i = 0; i < numOutputs; ++i)
    if (!outputTensors[i])
      outputTensors[i] = created[i].release();
}
