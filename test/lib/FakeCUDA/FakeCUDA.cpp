//===- FakeCUDA.cpp - NVIDIA's driver in software -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared object with those functions of the driver that lib/Runtime/CUDA
// uses, for tests on machines without a GPU (RELAY_CUDA_LIBRARY). It is as
// strict as it can be:
//
// * The processor cannot read memory of devices: addresses are off by kBias.
// * What is put into a stream runs when somebody waits for it, and not before.
// * Copies to and from the host want pinned memory, and calls a context.
// * After a kernel that faults every call for its device fails.
//
// Code is text: ".entry NAME" makes a kernel known, which is a function here.
//
//===----------------------------------------------------------------------===//

#include "FakeCUDA.h"

#include "../../../lib/Runtime/CUDA/DriverAPI.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace relay_cuda;

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

#define DECLARE(NAME, SYMBOL, PARAMETERS) FAKE_EXPORT Result SYMBOL PARAMETERS;
RELAY_CUDA_FUNCTIONS(DECLARE)
#undef DECLARE

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

constexpr Address kBias = Address(1) << 62;

/// An error of the driver.
struct Failure {
  Result result;
};

struct Block {
  std::unique_ptr<char[]> memory;
  uint64_t bytes;
};

} // namespace

struct relay_cuda::ContextState {
  int device = 0;
  /// The one pool; the driver would have several.
  MemoryPool pool = nullptr;
  Result fault = kSuccess;
  std::map<Address, Block> blocks;
  uint64_t usedBytes = 0, reservedBytes = 0;
  /// In nanoseconds: kernels and copies make it go on.
  uint64_t clock = 0;

  uint64_t getFree(uint64_t total) const { return total - reservedBytes; }

  /// Where `bytes` bytes of memory of this device are.
  char *find(Address address, uint64_t bytes) {
    auto it = blocks.upper_bound(address);
    if (it == blocks.begin())
      throw Failure{kIllegalAddress};
    --it;
    uint64_t offset = address - it->first;
    if (offset > it->second.bytes || bytes > it->second.bytes - offset)
      throw Failure{kIllegalAddress};
    return reinterpret_cast<char *>(it->first - kBias) + offset;
  }
};

struct relay_cuda::PoolState {
  Context context;
  uint64_t threshold = 0;
  /// Sizes of pieces that were released.
  std::multiset<uint64_t> kept;
};

struct relay_cuda::StreamState {
  Context context;
  std::deque<std::function<void()>> work;
  Graph capture = nullptr;
};

struct relay_cuda::EventState {
  bool isRecorded = false, hasTime = true;
  /// How often it was put into a stream: the last time counts.
  uint64_t numRecords = 0;
  uint64_t time = 0;
  StreamHandle stream = nullptr;
};

namespace {

/// A launch, as a kernel sees it.
struct Call {
  Context context;
  unsigned grid[3], block[3];
  std::vector<uint64_t> params;

  uint64_t getThreads() const {
    uint64_t threads = 1;
    for (int i = 0; i != 3; ++i)
      threads *= uint64_t(grid[i]) * block[i];
    return threads;
  }
  float *floats(size_t i, uint64_t count) const {
    return reinterpret_cast<float *>(
        context->find(params[i], count * sizeof(float)));
  }
  uint32_t *status() const {
    return reinterpret_cast<uint32_t *>(
        context->find(params.back(), sizeof(uint32_t)));
  }
};

using KernelFunction = void (*)(const Call &);

struct KernelEntry {
  const char *name;
  size_t numParams;
  int maxThreads;
  KernelFunction run;
};

void complain(const Call &call) {
  if (*call.status() == 0)
    *call.status() = 2;
}

/// Each thread has one element, as in a kernel of the compiler.
const KernelEntry kKernels[] = {
    // x[n, 3], w, y[n, 3]; n, n
    {"scale", 3 + 2 + 1, 1024,
     [](const Call &call) {
       uint64_t count = 3 * call.params[3];
       const float *x = call.floats(0, count), *w = call.floats(1, 1);
       float *y = call.floats(2, count);
       for (uint64_t i = 0; i < std::min(count, call.getThreads()); ++i)
         y[i] = *w * x[i];
     }},
    // x[n]; n: adds 1
    {"increment", 1 + 1 + 1, 1024,
     [](const Call &call) {
       float *x = call.floats(0, call.params[1]);
       for (uint64_t i = 0; i < std::min(call.params[1], call.getThreads());
            ++i)
         x[i] += 1;
     }},
    // x[n]; n: doubles
    {"double", 1 + 1 + 1, 1024,
     [](const Call &call) {
       float *x = call.floats(0, call.params[1]);
       for (uint64_t i = 0; i < call.params[1]; ++i)
         x[i] *= 2;
     }},
    // Reads where nothing is.
    {"fault", 1 + 1 + 1, 1024,
     [](const Call &call) { call.floats(0, uint64_t(1) << 40); }},
    // The second kernel of its module finds an index out of range; with the
    // parameters of increment, and of scale.
    {"complain", 1 + 1 + 1, 1024, complain},
    {"complain-scale", 3 + 2 + 1, 1024, complain},
    // Uses so many registers that few threads have some.
    {"hungry", 1 + 1 + 1, 128, [](const Call &) {}},
};

} // namespace

struct relay_cuda::FunctionState {
  const KernelEntry *entry;
  int dynamicSharedBytes = 48 << 10;
  bool hasLargeClusters = false;
};

struct relay_cuda::ModuleState {
  Context context;
  std::map<std::string, FunctionState> functions;
};

struct relay_cuda::GraphState {
  std::vector<std::function<void()>> work;
};

struct relay_cuda::GraphExecState {
  std::vector<std::function<void()>> work;
};

namespace {

struct State {
  FakeCUDA fake;
  std::recursive_mutex mutex;
  std::vector<std::unique_ptr<ContextState>> contexts;
  std::map<const char *, size_t> pinned;
  /// Streams, events, graphs and code. Those of a lost device nobody destroys:
  /// they are the driver's.
  std::set<const void *> objects;

  State() {
    auto read = [](const char *name, int &value) {
      if (const char *text = std::getenv(name))
        value = std::atoi(text);
    };
    int arch = 10 * fake.major + fake.minor;
    read("FAKE_CUDA_VERSION", fake.version);
    read("FAKE_CUDA_DEVICES", fake.numDevices);
    read("FAKE_CUDA_ARCH", arch);
    fake.major = arch / 10;
    fake.minor = arch % 10;
  }
};

} // namespace

static State &get() {
  static auto *state = new State;
  return *state;
}

template <typename T>
static T *own(T *object) {
  std::lock_guard<std::recursive_mutex> lock(get().mutex);
  get().objects.insert(object);
  return object;
}

template <typename T>
static void destroy(T *object) {
  std::lock_guard<std::recursive_mutex> lock(get().mutex);
  get().objects.erase(object);
  delete object;
}

FAKE_EXPORT FakeCUDA *getFakeCUDA() { return &get().fake; }

static std::vector<Context> &getContexts() {
  static thread_local std::vector<Context> stack;
  return stack;
}

/// Runs `body`, which gets the state, alone; what it throws is the result.
template <typename Body>
static Result call(Body body) {
  State &state = get();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  try {
    body(state);
    return kSuccess;
  } catch (const Failure &failure) {
    return failure.result;
  }
}

/// The current context, which has to work.
static ContextState &getContext() {
  if (getContexts().empty())
    throw Failure{kInvalidContext};
  ContextState &context = *getContexts().back();
  if (context.fault != kSuccess)
    throw Failure{context.fault};
  return context;
}

/// A stream has to be of the current context.
static void checkStream(StreamHandle stream) {
  if (!stream || stream->context != &getContext())
    throw Failure{kInvalidHandle};
}

/// Runs what is in a stream, until `isOver`.
template <typename IsOver>
static void runWork(StreamHandle stream, IsOver isOver) {
  while (!stream->work.empty() && !isOver()) {
    std::function<void()> next = std::move(stream->work.front());
    stream->work.pop_front();
    try {
      next();
    } catch (const Failure &failure) {
      stream->context->fault = failure.result;
      throw;
    }
  }
}

static void enqueue(StreamHandle stream, uint64_t nanoseconds,
                    std::function<void()> work) {
  checkStream(stream);
  Context context = stream->context;
  auto timed = [context, nanoseconds, work = std::move(work)] {
    work();
    context->clock += nanoseconds;
  };
  if (stream->capture)
    stream->capture->work.push_back(timed);
  else
    stream->work.push_back(timed);
}

static void checkPinned(State &state, const void *memory, size_t bytes) {
  const char *begin = static_cast<const char *>(memory);
  auto it = state.pinned.upper_bound(begin);
  if (it == state.pinned.begin())
    throw Failure{kInvalidValue};
  --it;
  size_t offset = static_cast<size_t>(begin - it->first);
  if (offset > it->second || bytes > it->second - offset)
    throw Failure{kInvalidValue};
}

static Address addBlock(ContextState &context, uint64_t bytes) {
  Block block;
  block.memory = std::make_unique<char[]>(bytes + 256);
  block.bytes = bytes;
  auto place = reinterpret_cast<Address>(block.memory.get());
  Address address = (place + 255) / 256 * 256 + kBias;
  // What nobody has written is no zero.
  std::memset(reinterpret_cast<char *>(address - kBias), 0xfe, bytes);
  context.blocks[address] = std::move(block);
  context.usedBytes += bytes;
  ++get().fake.allocations;
  return address;
}

/// Removes a block; returns its size.
static uint64_t removeBlock(ContextState &context, Address address) {
  auto it = context.blocks.find(address);
  if (it == context.blocks.end())
    throw Failure{kInvalidValue};
  uint64_t bytes = it->second.bytes;
  context.blocks.erase(it);
  context.usedBytes -= bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

Result cuInit(unsigned flags) {
  return static_cast<Result>(get().fake.initResult);
}

Result cuDriverGetVersion(int *version) {
  *version = get().fake.version;
  return kSuccess;
}

Result cuGetErrorName(Result result, const char **name) {
  *name = result == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : result == kInvalidPTX     ? "CUDA_ERROR_INVALID_PTX"
          : result == kInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
                                      : nullptr;
  return *name ? kSuccess : kInvalidValue;
}

Result cuGetErrorString(Result result, const char **text) {
  *text = result == kOutOfMemory      ? "out of memory"
          : result == kIllegalAddress ? "an illegal memory access was "
                                        "encountered"
          : result == kInvalidPTX     ? "a PTX JIT compilation failed"
          : result == kInvalidValue   ? "invalid argument"
                                      : nullptr;
  return *text ? kSuccess : kInvalidValue;
}

Result cuDeviceGetCount(int *count) {
  *count = get().fake.numDevices;
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber *device, int index) {
  if (index < 0 || index >= get().fake.numDevices)
    return kInvalidDevice;
  *device = index;
  return kSuccess;
}

Result cuDeviceGetName(char *name, int size, DeviceNumber device) {
  std::strncpy(name, "Fake GPU", static_cast<size_t>(size));
  return kSuccess;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                            DeviceNumber device) {
  const FakeCUDA &fake = get().fake;
  switch (attribute) {
  case kMajor:
    *value = fake.major;
    return kSuccess;
  case kMinor:
    *value = fake.minor;
    return kSuccess;
  case kMaxSharedBytes:
    *value = 227 << 10;
    return kSuccess;
  case kMemoryPoolsSupported:
    *value = fake.hasPools;
    return kSuccess;
  case kClusterLaunch:
    *value = fake.major >= 9;
    return kSuccess;
  default:
    return kInvalidValue;
  }
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber device) {
  *bytes = get().fake.memoryBytes;
  return kSuccess;
}

Result cuDeviceCanAccessPeer(int *can, DeviceNumber device, DeviceNumber peer) {
  *can = device != peer;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  return call([&](State &state) {
    state.contexts.resize(static_cast<size_t>(state.fake.numDevices));
    std::unique_ptr<ContextState> &place =
        state.contexts[static_cast<size_t>(device)];
    if (!place) {
      place = std::make_unique<ContextState>();
      place->device = device;
      ++state.fake.contexts;
    }
    *context = place.get();
  });
}

Result cuCtxGetCurrent(Context *context) {
  *context = getContexts().empty() ? nullptr : getContexts().back();
  return kSuccess;
}

Result cuCtxPushCurrent_v2(Context context) {
  getContexts().push_back(context);
  return kSuccess;
}

Result cuCtxPopCurrent_v2(Context *context) {
  if (getContexts().empty())
    return kInvalidContext;
  *context = getContexts().back();
  getContexts().pop_back();
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call([&](State &state) {
    *total = state.fake.memoryBytes;
    *free = getContext().getFree(*total);
  });
}

Result cuMemAlloc_v2(Address *address, size_t bytes) {
  return call([&](State &state) {
    ContextState &context = getContext();
    if (bytes == 0)
      throw Failure{kInvalidValue};
    if (bytes > context.getFree(state.fake.memoryBytes))
      throw Failure{kOutOfMemory};
    context.reservedBytes += bytes;
    *address = addBlock(context, bytes);
  });
}

Result cuMemFree_v2(Address address) {
  return call([&](State &) {
    ContextState &context = getContext();
    context.reservedBytes -= removeBlock(context, address);
  });
}

Result cuMemPoolCreate(MemoryPool *pool, const PoolProperties *properties) {
  return call([&](State &state) {
    if (!state.fake.hasPools || properties->allocationType != 1 ||
        properties->location.type != 1 ||
        properties->location.device != getContext().device)
      throw Failure{kInvalidValue};
    *pool = new PoolState;
    (*pool)->context = &getContext();
    getContext().pool = *pool;
  });
}

Result cuMemPoolTrimTo(MemoryPool pool, size_t bytes) {
  return call([&](State &state) {
    ++state.fake.trims;
    for (uint64_t size : pool->kept)
      pool->context->reservedBytes -= size;
    pool->kept.clear();
  });
}

Result cuMemPoolSetAttribute(MemoryPool pool, PoolAttribute attribute,
                             void *value) {
  if (attribute != kReleaseThreshold)
    return kInvalidValue;
  pool->threshold = *static_cast<uint64_t *>(value);
  return kSuccess;
}

Result cuMemPoolGetAttribute(MemoryPool pool, PoolAttribute attribute,
                             void *value) {
  if (attribute != kReservedBytes && attribute != kUsedBytes)
    return kInvalidValue;
  *static_cast<uint64_t *>(value) = attribute == kReservedBytes
                                        ? pool->context->reservedBytes
                                        : pool->context->usedBytes;
  return kSuccess;
}

Result cuMemPoolSetAccess(MemoryPool pool, const AccessDescription *access,
                          size_t count) {
  bool isRight = count == 1 && access->flags == 3 &&
                 access->location.device != pool->context->device;
  return isRight ? kSuccess : kInvalidValue;
}

Result cuMemAllocFromPoolAsync(Address *address, size_t bytes, MemoryPool pool,
                               StreamHandle stream) {
  return call([&](State &state) {
    checkStream(stream);
    ContextState &context = *pool->context;
    // A piece that was released is used again if it has the size.
    auto it = pool->kept.find(bytes);
    if (it != pool->kept.end())
      pool->kept.erase(it);
    else if (bytes > context.getFree(state.fake.memoryBytes))
      throw Failure{kOutOfMemory};
    else
      context.reservedBytes += bytes;
    *address = addBlock(context, bytes);
  });
}

Result cuMemFreeAsync(Address address, StreamHandle stream) {
  return call([&](State &) {
    checkStream(stream);
    // It keeps everything.
    stream->context->pool->kept.insert(removeBlock(*stream->context, address));
  });
}

Result cuMemHostAlloc(void **memory, size_t bytes, unsigned flags) {
  return call([&](State &state) {
    getContext();
    ++state.fake.pinnedAllocations;
    *memory = std::malloc(bytes);
    state.pinned[static_cast<char *>(*memory)] = bytes;
  });
}

Result cuMemFreeHost(void *memory) {
  return call([&](State &state) {
    if (state.pinned.erase(static_cast<char *>(memory)) != 1)
      throw Failure{kInvalidValue};
    std::free(memory);
  });
}

Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes,
                            StreamHandle stream) {
  return call([&](State &state) {
    checkPinned(state, from, bytes);
    ++state.fake.copiesFromHost;
    enqueue(stream, bytes, [=] {
      std::memcpy(stream->context->find(to, bytes), from, bytes);
    });
  });
}

Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes,
                            StreamHandle stream) {
  return call([&](State &state) {
    checkPinned(state, to, bytes);
    ++state.fake.copiesToHost;
    enqueue(stream, bytes, [=] {
      std::memcpy(to, stream->context->find(from, bytes), bytes);
    });
  });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes,
                            StreamHandle stream) {
  return cuMemcpyPeerAsync(to, stream->context, from, stream->context, bytes,
                           stream);
}

Result cuMemcpyPeerAsync(Address to, Context toContext, Address from,
                         Context fromContext, size_t bytes,
                         StreamHandle stream) {
  return call([&](State &state) {
    ++state.fake.copiesAcross;
    enqueue(stream, bytes, [=] {
      std::memmove(toContext->find(to, bytes), fromContext->find(from, bytes),
                   bytes);
    });
  });
}

Result cuMemsetD32Async(Address to, unsigned value, size_t count,
                        StreamHandle stream) {
  return call([&](State &) {
    enqueue(stream, count, [=] {
      char *memory = stream->context->find(to, 4 * count);
      std::fill_n(reinterpret_cast<uint32_t *>(memory), count, value);
    });
  });
}

//===----------------------------------------------------------------------===//
// Streams, events and graphs
//===----------------------------------------------------------------------===//

Result cuStreamCreate(StreamHandle *stream, unsigned flags) {
  return call([&](State &state) {
    if (flags != kNonBlocking)
      throw Failure{kInvalidValue};
    *stream = own(new StreamState);
    (*stream)->context = &getContext();
    ++state.fake.streams;
  });
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return call([&](State &state) {
    runWork(stream, [] { return false; });
    destroy(stream);
    --state.fake.streams;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  return call([&](State &) {
    checkStream(stream);
    if (stream->capture)
      throw Failure{kStreamCaptureInvalidated};
    runWork(stream, [] { return false; });
  });
}

Result cuStreamBeginCapture_v2(StreamHandle stream, unsigned mode) {
  return call([&](State &) {
    checkStream(stream);
    if (stream->capture || mode != kCaptureThreadLocal)
      throw Failure{kInvalidValue};
    stream->capture = own(new GraphState);
  });
}

Result cuStreamEndCapture(StreamHandle stream, Graph *graph) {
  return call([&](State &) {
    checkStream(stream);
    *graph = stream->capture;
    stream->capture = nullptr;
  });
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, Graph graph,
                                   unsigned long long flags) {
  return call([&](State &state) {
    if (int result = std::exchange(state.fake.nextGraph, 0))
      throw Failure{static_cast<Result>(result)};
    *exec = own(new GraphExecState{graph->work});
    ++state.fake.graphs;
  });
}

Result cuGraphDestroy(Graph graph) {
  destroy(graph);
  return kSuccess;
}

Result cuGraphExecDestroy(GraphExec exec) {
  return call([&](State &state) {
    destroy(exec);
    --state.fake.graphs;
  });
}

Result cuGraphLaunch(GraphExec exec, StreamHandle stream) {
  return call([&](State &state) {
    checkStream(stream);
    ++state.fake.graphLaunches;
    for (const std::function<void()> &work : exec->work)
      stream->work.push_back(work);
  });
}

Result cuLaunchHostFunc(StreamHandle stream, HostFunction function,
                        void *user) {
  return call([&](State &) { enqueue(stream, 0, [=] { function(user); }); });
}

Result cuEventCreate(Event *event, unsigned flags) {
  *event = own(new EventState);
  (*event)->hasTime = (flags & kDisableTiming) == 0;
  return kSuccess;
}

Result cuEventDestroy_v2(Event event) {
  destroy(event);
  return kSuccess;
}

Result cuEventRecord(Event event, StreamHandle stream) {
  return call([&](State &) {
    event->isRecorded = false;
    event->stream = stream;
    uint64_t number = ++event->numRecords;
    enqueue(stream, 0, [=] {
      if (event->numRecords != number)
        return;
      event->time = stream->context->clock;
      event->isRecorded = true;
    });
  });
}

Result cuEventSynchronize(Event event) {
  return call([&](State &) {
    if (event->stream)
      runWork(event->stream, [&] { return event->isRecorded; });
  });
}

Result cuEventElapsedTime(float *milliseconds, Event start, Event end) {
  if (!start->hasTime || !end->hasTime)
    return kInvalidHandle;
  if (!start->isRecorded || !end->isRecorded)
    return kNotReady;
  *milliseconds = static_cast<float>(end->time - start->time) / 1e6f;
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

Result cuModuleLoadDataEx(DriverModule *module, const void *image,
                          unsigned numOptions, JITOption *options,
                          void **values) {
  return call([&](State &state) {
    std::string text = static_cast<const char *>(image);
    if (text.find("mistake") != std::string::npos) {
      char *log = nullptr;
      size_t size = 0;
      for (unsigned i = 0; i != numOptions; ++i) {
        if (options[i] == kErrorLog)
          log = static_cast<char *>(values[i]);
        if (options[i] == kErrorLogBytes)
          size = reinterpret_cast<size_t>(values[i]);
      }
      if (size)
        std::strncpy(log, "line 1: there is a mistake\nfatal error\n", size);
      throw Failure{kInvalidPTX};
    }
    if (text.find("newer") != std::string::npos)
      throw Failure{kUnsupportedPTXVersion};
    auto made = std::make_unique<ModuleState>();
    made->context = &getContext();
    for (const KernelEntry &entry : kKernels)
      if (text.find(std::string(".entry ") + entry.name + "\n") !=
          std::string::npos)
        made->functions[entry.name].entry = &entry;
    *module = own(made.release());
    ++state.fake.modules;
  });
}

Result cuModuleUnload(DriverModule module) {
  return call([&](State &state) {
    destroy(module);
    --state.fake.modules;
  });
}

Result cuModuleGetFunction(Function *function, DriverModule module,
                           const char *name) {
  return call([&](State &) {
    auto it = module->functions.find(name);
    if (it == module->functions.end())
      throw Failure{kNotFound};
    *function = &it->second;
  });
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                          Function function) {
  if (attribute != kMaxThreads && attribute != kStaticSharedBytes)
    return kInvalidValue;
  *value = attribute == kMaxThreads ? function->entry->maxThreads : 1 << 10;
  return kSuccess;
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute,
                          int value) {
  if (attribute == kMaxDynamicSharedBytes && value <= 226 << 10)
    function->dynamicSharedBytes = value;
  else if (attribute == kNonPortableClusters)
    function->hasLargeClusters = value != 0;
  else
    return kInvalidValue;
  return kSuccess;
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                        void **params, void **extra) {
  return call([&](State &state) {
    FakeCUDA &fake = state.fake;
    unsigned cluster = 0;
    if (config->numAttributes == 1 && config->attributes->kind == 4)
      cluster = config->attributes->value.cluster.x;
    else if (config->numAttributes != 0)
      throw Failure{kInvalidValue};
    if (int result = std::exchange(fake.nextLaunch, 0))
      throw Failure{static_cast<Result>(result)};
    Call launch;
    launch.context = config->stream->context;
    unsigned grid[] = {config->gridX, config->gridY, config->gridZ};
    unsigned block[] = {config->blockX, config->blockY, config->blockZ};
    std::copy_n(grid, 3, launch.grid);
    std::copy_n(block, 3, launch.block);
    bool isRight = config->sharedBytes <=
                       static_cast<unsigned>(function->dynamicSharedBytes) &&
                   cluster <= (function->hasLargeClusters ? 16 : 8) &&
                   (cluster == 0 || grid[0] % cluster == 0) &&
                   block[0] * block[1] * block[2] <=
                       static_cast<unsigned>(function->entry->maxThreads);
    for (int i = 0; i != 3; ++i)
      isRight &= grid[i] != 0 && block[i] != 0;
    if (!isRight)
      throw Failure{kInvalidValue};
    for (size_t i = 0; i != function->entry->numParams; ++i)
      launch.params.push_back(*static_cast<uint64_t *>(params[i]));
    bool isCaptured = config->stream->capture;
    // A microsecond for each block.
    uint64_t blocks = uint64_t(grid[0]) * grid[1] * grid[2];
    const KernelEntry *entry = function->entry;
    enqueue(config->stream, 1000 * blocks, [launch, entry] {
      ++get().fake.kernelsRun;
      entry->run(launch);
    });
    if (isCaptured)
      return;
    ++fake.launches;
    fake.clusterLaunches += cluster != 0;
    std::copy_n(grid, 3, fake.grid);
    std::copy_n(block, 3, fake.block);
    fake.sharedBytes = config->sharedBytes;
    fake.cluster = cluster;
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes,
                      StreamHandle stream, void **params, void **extra) {
  LaunchConfig config = {gridX,  gridY,       gridZ,  blockX,  blockY,
                         blockZ, sharedBytes, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, params, extra);
}
