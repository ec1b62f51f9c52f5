//===- ProfileModel.cpp - Where the time of a run goes --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/ProfileModel.h"

#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <chrono>
#include <tuple>

using namespace mlir::relay;

using Clock = std::chrono::steady_clock;

static double getMedian(std::vector<double> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  size_t half = values.size() / 2;
  return values.size() % 2 ? values[half]
                           : (values[half - 1] + values[half]) / 2;
}

/// Adds counts of work, of which -1 is an unknown one.
static void addCount(int64_t &sum, int64_t count) {
  sum = sum < 0 || count < 0 ? -1 : saturatingAdd(sum, count);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {

/// Notes when the kernels of a run end. The clock is read first thing, so that
/// keeping the time costs no kernel any.
struct Recorder {
  Clock::time_point start;
  std::vector<Clock::time_point> ends;

  void observe(int64_t callIndex) {
    Clock::time_point now = Clock::now();
    if (callIndex == RELAY_OBSERVER_START)
      start = now;
    else
      ends[callIndex] = now;
  }
};

/// Notes what each thread does in parallel loops. A list for each thread, so
/// that they do not wait for each other; a list for whole loops comes last.
struct ThreadRecorder {
  struct Event {
    int64_t begin, end, start, stop;
  };
  std::vector<std::vector<Event>> lists;

  explicit ThreadRecorder(int numThreads) : lists(numThreads + 1) {
    for (std::vector<Event> &list : lists)
      list.reserve(1024);
  }
  void observe(int32_t thread, Event event) {
    bool isPiece = thread >= 0 && thread + 1 < static_cast<int>(lists.size());
    if (isPiece || thread == RELAY_WHOLE_LOOP)
      (isPiece ? lists[thread] : lists.back()).push_back(event);
  }
  void clear() {
    for (std::vector<Event> &list : lists)
      list.clear();
  }
};

/// Frees the outputs of a run.
struct Outputs {
  explicit Outputs(int32_t count) : tensors(count, nullptr) {}
  ~Outputs() {
    for (DLManagedTensor *tensor : tensors)
      if (tensor)
        tensor->deleter(tensor);
  }
  std::vector<DLManagedTensor *> tensors;
};

} // namespace

static llvm::Error makeRuntimeError() {
  return llvm::createStringError(relayGetLastError());
}

llvm::Expected<ModelProfile>
mlir::relay::profileModel(RelayModule *module,
                          llvm::ArrayRef<const DLTensor *> inputs,
                          const ProfileOptions &options) {
  const RelayArtifact &artifact = *relayModuleGetArtifact(module);
  auto numInputs = static_cast<int32_t>(inputs.size());
  std::vector<int64_t> flops(artifact.num_calls), bytes(artifact.num_calls);
  if (relayModuleGetWork(module, inputs.data(), numInputs, flops.data(),
                         bytes.data()) != RELAY_OK)
    return makeRuntimeError();
  ModelProfile profile;
  profile.numDevices = artifact.num_devices;
  for (int32_t i = 0; i < artifact.num_calls; ++i) {
    const RelayArtifactCall &call = artifact.calls[i];
    const RelayArtifactDevice &device = artifact.devices[call.device];
    profile.calls.push_back(
        {call.kernel, call.function,
         std::string(device.kind) + ":" + std::to_string(device.index),
         flops[i], bytes[i]});
  }

  Recorder recorder;
  recorder.ends.resize(artifact.num_calls);
  relayModuleSetObserver(
      module,
      [](void *user, int64_t callIndex, void *const *, const int64_t *) {
        static_cast<Recorder *>(user)->observe(callIndex);
      },
      &recorder);
  int32_t numThreads = 1;
  if (relayGetNumThreads(&numThreads) != RELAY_OK)
    return makeRuntimeError();
  profile.numThreads = numThreads;
  ThreadRecorder threads(numThreads);
  relayModuleSetThreadObserver(
      module,
      [](void *user, int32_t thread, int64_t begin, int64_t end, int64_t start,
         int64_t stop) {
        static_cast<ThreadRecorder *>(user)->observe(thread,
                                                     {begin, end, start, stop});
      },
      &threads);
  llvm::scope_exit removeObserver([&] {
    relayModuleSetObserver(module, nullptr, nullptr);
    relayModuleSetThreadObserver(module, nullptr, nullptr);
  });
  Clock::time_point first = Clock::now();
  auto getSeconds = [&](Clock::time_point time) {
    return std::chrono::duration<double>(time - first).count();
  };
  auto getTime = [&](int64_t nanoseconds) {
    return getSeconds(
        Clock::time_point(std::chrono::duration_cast<Clock::duration>(
            std::chrono::nanoseconds(nanoseconds))));
  };
  for (int i = -options.warmUp; i < options.repeat; ++i) {
    threads.clear();
    Outputs outputs(relayModuleGetNumOutputs(module));
    if (relayModuleRun(module, inputs.data(), numInputs, outputs.tensors.data(),
                       relayModuleGetNumOutputs(module)) != RELAY_OK)
      return makeRuntimeError();
    if (i < 0)
      continue;
    ModelProfile::Run run;
    run.start = getSeconds(recorder.start);
    for (Clock::time_point end : recorder.ends)
      run.ends.push_back(getSeconds(end));
    // The caller works all the time, but for what it waits for in loops.
    double start = run.start;
    for (double end : run.ends) {
      run.busy.push_back(end - start);
      start = end;
    }
    auto getCall = [&](double time) {
      return std::min<size_t>(llvm::upper_bound(run.ends, time) -
                                  run.ends.begin(),
                              run.busy.size() - 1);
    };
    for (auto [thread, list] : llvm::enumerate(threads.lists))
      for (const ThreadRecorder::Event &event : list) {
        double begin = getTime(event.start), end = getTime(event.stop);
        size_t call = getCall(begin);
        bool isLoop = thread + 1 == threads.lists.size();
        run.busy[call] += isLoop ? begin - end : end - begin;
        if (!isLoop)
          run.pieces.push_back({static_cast<int>(thread), call, event.begin,
                                event.end, begin, end});
      }
    profile.runs.push_back(std::move(run));
  }
  return profile;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether the threads and the limits of the processor say something of it.
static bool isOnProcessor(const KernelProfile &kernel) {
  return llvm::StringRef(kernel.device).starts_with("cpu:");
}

std::vector<KernelProfile> ModelProfile::getKernels() const {
  std::vector<KernelProfile> kernels;
  std::vector<std::vector<double>> times;
  std::vector<double> busy, whole;
  llvm::StringMap<size_t> indexOf;
  for (auto [number, call] : llvm::enumerate(calls)) {
    auto [it, isNew] =
        indexOf.try_emplace(call.device + " " + call.kernel, kernels.size());
    if (isNew) {
      kernels.emplace_back();
      kernels.back().name = call.function;
      kernels.back().device = call.device;
      times.emplace_back(runs.size());
      busy.push_back(0);
      whole.push_back(0);
    }
    KernelProfile &kernel = kernels[it->second];
    ++kernel.numCalls;
    addCount(kernel.flops, call.flops);
    addCount(kernel.bytes, call.bytes);
    for (auto [run, time] : llvm::zip(runs, times[it->second])) {
      double seconds =
          run.ends[number] - (number ? run.ends[number - 1] : run.start);
      time += seconds;
      whole[it->second] += seconds * numThreads;
      busy[it->second] += run.busy[number];
    }
  }
  for (auto [kernel, work, time] : llvm::zip(kernels, busy, whole))
    kernel.busy = !isOnProcessor(kernel) ? -1
                  : time > 0             ? std::min(work / time, 1.0)
                                         : 0;
  double total = 0;
  for (auto [kernel, time] : llvm::zip(kernels, times)) {
    kernel.minSeconds = time.empty() ? 0 : *llvm::min_element(time);
    kernel.medianSeconds = getMedian(time);
    total += kernel.medianSeconds;
  }
  for (KernelProfile &kernel : kernels)
    kernel.share = total > 0 ? kernel.medianSeconds / total : 0;
  llvm::sort(kernels, [](const KernelProfile &a, const KernelProfile &b) {
    return std::tie(b.medianSeconds, a.name, a.device) <
           std::tie(a.medianSeconds, b.name, b.device);
  });
  return kernels;
}

double ModelProfile::getMedianSeconds() const {
  std::vector<double> times;
  for (const Run &run : runs)
    times.push_back(run.ends.empty() ? 0 : run.ends.back() - run.start);
  return getMedian(std::move(times));
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

/// A number right-aligned in `width`, "-" if it is not known.
static void printNumber(llvm::raw_ostream &os, int width, int digits,
                        bool isKnown, double value) {
  if (isKnown)
    os << llvm::format("%*.*f", width, digits, value);
  else
    os.indent(width - 1) << '-';
}

void ModelProfile::print(llvm::raw_ostream &os, const MachinePeak &peak) const {
  std::vector<KernelProfile> kernels = getKernels();
  // Devices have a column where there is more than one.
  size_t nameWidth = 12, deviceWidth = numDevices > 1 ? 6 : 0;
  for (const KernelProfile &kernel : kernels) {
    nameWidth = std::max(nameWidth, kernel.name.size());
    if (deviceWidth)
      deviceWidth = std::max(deviceWidth, kernel.device.size());
  }
  auto printNames = [&](llvm::StringRef name, llvm::StringRef device) {
    os << llvm::left_justify(name, nameWidth);
    if (deviceWidth)
      os << ' ' << llvm::left_justify(device, deviceWidth);
  };
  printNames("kernel", "device");
  os << " calls     min us  median us  share      MFLOP         MB  GFLOP/s"
        "     GB/s roofline threads\n";
  auto printRow = [&](llvm::StringRef name, llvm::StringRef device,
                      int64_t numCalls, double minimum, double median,
                      double share, int64_t flops, int64_t bytes, double limit,
                      double busy) {
    printNames(name, device);
    os << llvm::format("%6d", int(numCalls));
    printNumber(os, 11, 1, minimum >= 0, minimum * 1e6);
    os << llvm::format("%11.1f%6.1f%%", median * 1e6, share * 100);
    printNumber(os, 11, 3, flops >= 0, flops / 1e6);
    printNumber(os, 11, 3, bytes >= 0, bytes / 1e6);
    bool isTimed = median > 0;
    printNumber(os, 9, 2, flops >= 0 && isTimed, flops / median / 1e9);
    printNumber(os, 9, 2, bytes >= 0 && isTimed, bytes / median / 1e9);
    printNumber(os, 8, 1, limit >= 0 && isTimed, limit / median * 100);
    os << (limit >= 0 && isTimed ? '%' : ' ');
    printNumber(os, 7, 1, busy >= 0, busy * 100);
    os << (busy >= 0 ? "%\n" : "\n");
  };
  auto getLimit = [&](const KernelProfile &kernel) {
    if (kernel.flops < 0 || kernel.bytes < 0 || !isOnProcessor(kernel))
      return -1.0;
    return std::max(kernel.flops / peak.flopsPerSecond,
                    kernel.bytes / peak.bytesPerSecond);
  };
  int64_t numCalls = 0, flops = 0, bytes = 0;
  double median = 0, limit = 0, busy = 0;
  for (const KernelProfile &kernel : kernels) {
    double kernelLimit = getLimit(kernel);
    printRow(kernel.name, kernel.device, kernel.numCalls, kernel.minSeconds,
             kernel.medianSeconds, kernel.share, kernel.flops, kernel.bytes,
             kernelLimit, kernel.busy);
    numCalls += kernel.numCalls;
    median += kernel.medianSeconds;
    busy = busy < 0 || kernel.busy < 0
               ? -1
               : busy + kernel.medianSeconds * kernel.busy;
    addCount(flops, kernel.flops);
    addCount(bytes, kernel.bytes);
    limit = limit < 0 || kernelLimit < 0 ? -1 : limit + kernelLimit;
  }
  printRow("all kernels", "", numCalls, /*minimum=*/-1, median,
           median > 0 ? 1 : 0, flops, bytes, limit,
           median > 0 && busy >= 0 ? busy / median : busy);
  os << llvm::format("median of %d runs on %d thread%s: %.3f ms; roofline: "
                     "%.1f GFLOP/s, %.1f GB/s\n",
                     getNumRuns(), numThreads, numThreads == 1 ? "" : "s",
                     getMedianSeconds() * 1e3, peak.flopsPerSecond / 1e9,
                     peak.bytesPerSecond / 1e9);
}

void ModelProfile::writeTrace(llvm::raw_ostream &os) const {
  llvm::json::OStream json(os);
  auto writeEvent = [&](llvm::StringRef name, llvm::StringRef category, int row,
                        double start, double end,
                        llvm::function_ref<void()> writeArguments) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("cat", category);
      json.attribute("ph", "X");
      json.attribute("ts", start * 1e6);
      json.attribute("dur", (end - start) * 1e6);
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", writeArguments);
    });
  };
  // Kernels in the first row, threads in the others.
  constexpr int kernelRow = 1;
  auto writeName = [&](llvm::StringRef what, int row, const std::string &name) {
    json.object([&] {
      json.attribute("name", what);
      json.attribute("ph", "M");
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", [&] { json.attribute("name", name); });
    });
    if (what != "thread_name")
      return;
    json.object([&] {
      json.attribute("name", "thread_sort_index");
      json.attribute("ph", "M");
      json.attribute("pid", 1);
      json.attribute("tid", row);
      json.attributeObject("args", [&] { json.attribute("sort_index", row); });
    });
  };
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      writeName("process_name", kernelRow, "relay-mlir");
      writeName("thread_name", kernelRow, "kernels");
      for (int thread = 0; thread < numThreads; ++thread)
        writeName("thread_name", kernelRow + 1 + thread,
                  thread == 0 ? "thread 0 (caller)"
                              : "thread " + std::to_string(thread));
      for (auto [number, run] : llvm::enumerate(runs)) {
        double start = run.start;
        writeEvent("run " + std::to_string(number), "run", kernelRow, start,
                   run.ends.empty() ? start : run.ends.back(), [] {});
        for (auto [index, call] : llvm::enumerate(calls)) {
          double end = run.ends[index];
          double seconds = end - start;
          writeEvent(call.function, "kernel", kernelRow, start, end,
                     [&, &call = call, index = index] {
                       json.attribute("call", static_cast<int64_t>(index));
                       if (numDevices > 1)
                         json.attribute("device", call.device);
                       if (call.flops >= 0) {
                         json.attribute("flop", call.flops);
                         if (seconds > 0)
                           json.attribute("GFLOP/s",
                                          call.flops / seconds / 1e9);
                       }
                       if (call.bytes >= 0) {
                         json.attribute("bytes", call.bytes);
                         if (seconds > 0)
                           json.attribute("GB/s", call.bytes / seconds / 1e9);
                       }
                     });
          start = end;
        }
        for (const Piece &piece : run.pieces)
          writeEvent(calls[piece.call].function, "piece",
                     kernelRow + 1 + piece.thread, piece.startTime,
                     piece.endTime, [&] {
                       json.attribute("call", static_cast<int64_t>(piece.call));
                       json.attribute("from", piece.begin);
                       json.attribute("to", piece.end);
                     });
      }
    });
  });
  os << '\n';
}
