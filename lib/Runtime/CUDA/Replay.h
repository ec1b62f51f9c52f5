//===- Replay.h - Sequences of launches that come again ---------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model whose sizes stay the same launches the same kernels with the same
// arguments in each run. What a stream has launched between two points at which
// somebody waited is noted; a sequence that comes for the second time is made a
// graph of the driver, and from then on is one call. While kernels are launched
// as a graph has them, nothing is handed to the driver; the first one that
// differs has those before it launched one by one.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CUDA_REPLAY_H
#define RELAY_MLIR_LIB_RUNTIME_CUDA_REPLAY_H

#include "Driver.h"

#include <vector>

namespace relay_cuda {

struct LoadedKernel;

/// Calls of kernels with their arguments.
class Recording {
public:
  struct Call {
    const LoadedKernel *kernel;
    uint64_t id;
    size_t firstArg, firstDim;
  };

  size_t size() const { return calls.size(); }
  bool empty() const { return calls.empty(); }
  const Call &operator[](size_t i) const { return calls[i]; }
  void *const *getArgs(const Call &call) const {
    return args.data() + call.firstArg;
  }
  const int64_t *getDims(const Call &call) const {
    return dims.data() + call.firstDim;
  }

  void add(const LoadedKernel &kernel, void *const *args, const int64_t *dims);
  /// Keeps the memory.
  void clear();

  /// Whether call `i` is this one.
  bool isCall(size_t i, const LoadedKernel &kernel, void *const *args,
              const int64_t *dims) const;
  /// Whether the first calls, `count` of them, are those of another recording.
  bool beginsAs(const Recording &other, size_t count) const;

private:
  std::vector<Call> calls;
  std::vector<void *> args;
  std::vector<int64_t> dims;
};

/// Sequences of a stream.
class ReplayCache {
public:
  explicit ReplayCache(const Driver &driver) : driver(driver) {}
  ~ReplayCache();
  ReplayCache(const ReplayCache &) = delete;

  /// Whether launches so far, `getNumMatched()` of them, and this one are those
  /// of a graph: then this one need not be launched yet.
  bool match(const LoadedKernel &kernel, void *const *args,
             const int64_t *dims);
  size_t getNumMatched() const { return numMatched; }
  /// The calls that were matched, of a graph.
  const Recording &getMatched() const { return entries[matched].calls; }
  /// The graph, if all of its calls were matched, or null.
  GraphExec getGraph() const;
  void reset() { numMatched = 0; }

  /// Notes a sequence that was launched one by one. Returns whether it comes
  /// again, so that it should become a graph, handed to `add`.
  bool note(const Recording &recording);
  void add(GraphExec graph) { entries[noted].graph = graph; }

private:
  struct Entry {
    Recording calls;
    GraphExec graph = nullptr;
    uint64_t lastUse = 0;
  };

  const Driver &driver;
  std::vector<Entry> entries;
  uint64_t clock = 0;
  size_t matched = 0, numMatched = 0, noted = 0;
};

} // namespace relay_cuda

#endif // RELAY_MLIR_LIB_RUNTIME_CUDA_REPLAY_H
