//===- Replay.cpp - Sequences of launches that come again -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"

#include "Module.h"

#include <algorithm>

using namespace relay_cuda;

/// How many sequences a stream remembers: parts of a run, for some sizes.
constexpr size_t kMaxEntries = 16;

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

void Recording::add(const LoadedKernel &kernel, void *const *newArgs,
                    const int64_t *newDims) {
  calls.push_back({&kernel, kernel.id, args.size(), dims.size()});
  args.insert(args.end(), newArgs, newArgs + kernel.description->numBuffers);
  dims.insert(dims.end(), newDims, newDims + kernel.description->numDims);
}

void Recording::clear() {
  calls.clear();
  args.clear();
  dims.clear();
}

bool Recording::isCall(size_t i, const LoadedKernel &kernel,
                       void *const *otherArgs, const int64_t *otherDims) const {
  // Kernels are told apart by number: another one may have the address of one
  // that was unloaded.
  const Call &call = calls[i];
  const Kernel &description = *kernel.description;
  return call.id == kernel.id &&
         std::equal(otherArgs, otherArgs + description.numBuffers,
                    getArgs(call)) &&
         std::equal(otherDims, otherDims + description.numDims, getDims(call));
}

bool Recording::beginsAs(const Recording &other, size_t count) const {
  if (size() < count || other.size() < count)
    return false;
  auto sameId = [](const Call &a, const Call &b) { return a.id == b.id; };
  if (!std::equal(calls.begin(), calls.begin() + count, other.calls.begin(),
                  sameId))
    return false;
  // The same kernels have as many arguments.
  size_t numArgs = count == size() ? args.size() : calls[count].firstArg;
  size_t numDims = count == size() ? dims.size() : calls[count].firstDim;
  return std::equal(args.begin(), args.begin() + numArgs, other.args.begin()) &&
         std::equal(dims.begin(), dims.begin() + numDims, other.dims.begin());
}

//===----------------------------------------------------------------------===//
// ReplayCache
//===----------------------------------------------------------------------===//

ReplayCache::~ReplayCache() {
  for (Entry &entry : entries)
    if (entry.graph)
      (void)driver.graphExecDestroy(entry.graph);
}

bool ReplayCache::match(const LoadedKernel &kernel, void *const *args,
                        const int64_t *dims) {
  size_t i = numMatched;
  auto continues = [&](const Entry &entry) {
    return entry.graph && i < entry.calls.size() &&
           entry.calls.isCall(i, kernel, args, dims);
  };
  if (i == 0 || !continues(entries[matched])) {
    // Another one may begin in the same way.
    size_t found = entries.size();
    for (size_t e = 0; e != entries.size(); ++e)
      if (continues(entries[e]) &&
          (i == 0 || entries[e].calls.beginsAs(entries[matched].calls, i)) &&
          (found == entries.size() ||
           entries[e].lastUse > entries[found].lastUse))
        found = e;
    if (found == entries.size())
      return false;
    matched = found;
  }
  ++numMatched;
  return true;
}

GraphExec ReplayCache::getGraph() const {
  return entries[matched].calls.size() == numMatched ? entries[matched].graph
                                                     : nullptr;
}

bool ReplayCache::note(const Recording &recording) {
  ++clock;
  for (noted = 0; noted != entries.size(); ++noted) {
    Entry &entry = entries[noted];
    if (entry.calls.size() == recording.size() &&
        entry.calls.beginsAs(recording, recording.size())) {
      entry.lastUse = clock;
      return !entry.graph;
    }
  }
  if (entries.size() < kMaxEntries)
    entries.emplace_back();
  else
    noted = static_cast<size_t>(
        std::min_element(entries.begin(), entries.end(),
                         [](const Entry &a, const Entry &b) {
                           return a.lastUse < b.lastUse;
                         }) -
        entries.begin());
  Entry &entry = entries[noted];
  if (entry.graph)
    (void)driver.graphExecDestroy(entry.graph);
  entry.calls = recording;
  entry.graph = nullptr;
  entry.lastUse = clock;
  return false;
}
