//===- FakeState.h - What the driver in software knows ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_LIB_FAKECUDA_FAKESTATE_H
#define RELAY_MLIR_TEST_LIB_FAKECUDA_FAKESTATE_H

#include "FakeCUDA.h"

#include "../../../lib/Runtime/CUDA/DriverAPI.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// What makes `RELAY_CUDA_FUNCTIONS` declare the functions of the driver.
#define FAKE_DECLARE(NAME, SYMBOL, PARAMETERS)                                 \
  FAKE_EXPORT Result SYMBOL PARAMETERS;

namespace relay_cuda {

/// What addresses of devices are off by.
inline constexpr Address kBias = Address(1) << 62;

/// An error of the driver.
struct Failure {
  Result result;
};

struct Block {
  std::unique_ptr<char[]> memory;
  uint64_t bytes;
};

struct ContextState {
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

struct PoolState {
  Context context;
  uint64_t threshold = 0;
  /// Sizes of pieces that were released.
  std::multiset<uint64_t> kept;
};

struct StreamState {
  Context context;
  std::deque<std::function<void()>> work;
  Graph capture = nullptr;
};

struct EventState {
  bool isRecorded = false, hasTime = true;
  /// How often it was put into a stream: the last time counts.
  uint64_t numRecords = 0;
  uint64_t time = 0;
  StreamHandle stream = nullptr;
};

struct KernelEntry;

struct FunctionState {
  const KernelEntry *entry;
  int dynamicSharedBytes = 48 << 10;
  bool hasLargeClusters = false;
};

struct ModuleState {
  Context context;
  std::map<std::string, FunctionState> functions;
};

struct GraphState {
  std::vector<std::function<void()>> work;
};

struct GraphExecState {
  std::vector<std::function<void()>> work;
};

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

/// The one state of the process.
State &get();

/// The contexts of this thread, the current one last.
std::vector<Context> &getContexts();

/// The current context, which has to work.
ContextState &getContext();

/// A stream has to be of the current context.
void checkStream(StreamHandle stream);

/// Puts work into a stream that takes so long.
void enqueue(StreamHandle stream, uint64_t nanoseconds,
             std::function<void()> work);

template <typename T>
T *own(T *object) {
  std::lock_guard<std::recursive_mutex> lock(get().mutex);
  get().objects.insert(object);
  return object;
}

template <typename T>
void destroy(T *object) {
  std::lock_guard<std::recursive_mutex> lock(get().mutex);
  get().objects.erase(object);
  delete object;
}

/// Runs `body`, which gets the state, alone; what it throws is the result.
template <typename Body>
Result call(Body body) {
  State &state = get();
  std::lock_guard<std::recursive_mutex> lock(state.mutex);
  try {
    body(state);
    return kSuccess;
  } catch (const Failure &failure) {
    return failure.result;
  }
}

} // namespace relay_cuda

#endif // RELAY_MLIR_TEST_LIB_FAKECUDA_FAKESTATE_H
