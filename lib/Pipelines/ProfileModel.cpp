//===- ProfileModel.cpp - Where the time of a run goes --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/ProfileModel.h"

#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

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

/// Notes when functions of tensors start and kernels end. The clock is read
/// first thing, so that keeping the time costs no kernel any.
struct CallRecorder {
  struct Event {
    int64_t call;
    Clock::time_point time;
  };
  std::vector<Event> events;

  void observe(int64_t callIndex) {
    Clock::time_point now = Clock::now();
    events.push_back({callIndex, now});
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

/// Notes when devices with a clock of their own ran calls.
struct DeviceRecorder {
  struct Event {
    int64_t call, start, stop;
    std::vector<std::pair<std::string, int64_t>> counters;
  };
  std::vector<Event> events;
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

namespace mlir::relay {

/// Watches the runs of a module.
class ProfileRecorder {
public:
  static llvm::Expected<ModelProfile>
  record(RelayModule *module, llvm::ArrayRef<int64_t> flops,
         llvm::ArrayRef<int64_t> bytes, const ProfileOptions &options,
         bool isProgram, llvm::function_ref<llvm::Error()> run);

private:
  ProfileRecorder(RelayModule *module, int numThreads)
      : module(module), threads(numThreads), first(Clock::now()) {
    calls.events.reserve(1024);
    relayModuleSetObserver(
        module,
        [](void *user, int64_t callIndex, void *const *, const int64_t *) {
          static_cast<CallRecorder *>(user)->observe(callIndex);
        },
        &calls);
    relayModuleSetThreadObserver(
        module,
        [](void *user, int32_t thread, int64_t begin, int64_t end,
           int64_t start, int64_t stop) {
          static_cast<ThreadRecorder *>(user)->observe(
              thread, {begin, end, start, stop});
        },
        &threads);
    relayModuleSetDeviceObserver(
        module,
        [](void *user, int64_t callIndex, int64_t start, int64_t stop) {
          static_cast<DeviceRecorder *>(user)->events.push_back(
              {callIndex, start, stop, {}});
        },
        &devices);
    relayModuleSetCounterObserver(
        module,
        [](void *user, int64_t, const RelayDeviceCounter *counters,
           int32_t count) {
          DeviceRecorder::Event &event =
              static_cast<DeviceRecorder *>(user)->events.back();
          for (const RelayDeviceCounter &counter :
               llvm::ArrayRef(counters, count))
            event.counters.emplace_back(counter.name, counter.value);
        },
        &devices);
  }
  ~ProfileRecorder() {
    relayModuleSetDeviceObserver(module, nullptr, nullptr);
    relayModuleSetCounterObserver(module, nullptr, nullptr);
    relayModuleSetObserver(module, nullptr, nullptr);
    relayModuleSetThreadObserver(module, nullptr, nullptr);
  }

  double getSeconds(Clock::time_point time) const {
    return std::chrono::duration<double>(time - first).count();
  }
  double getSeconds(int64_t nanoseconds) const {
    return getSeconds(
        Clock::time_point(std::chrono::duration_cast<Clock::duration>(
            std::chrono::nanoseconds(nanoseconds))));
  }
  ModelProfile::Run makeRun() const;

  RelayModule *module;
  CallRecorder calls;
  ThreadRecorder threads;
  DeviceRecorder devices;
  Clock::time_point first;
};

} // namespace mlir::relay

/// What was noted since the lists were cleared.
ModelProfile::Run ProfileRecorder::makeRun() const {
  ModelProfile::Run run;
  double start = 0;
  for (const CallRecorder::Event &event : calls.events) {
    double end = getSeconds(event.time);
    if (event.call == RELAY_OBSERVER_START)
      ++run.numFunctions;
    else
      // The caller works all the time, but for what it waits for in loops.
      run.steps.push_back(
          {static_cast<size_t>(event.call), start, end, end - start, {}});
    start = end;
  }
  if (run.steps.empty())
    return run;
  run.start = run.steps.front().start;
  for (const ModelProfile::Step &step : run.steps)
    run.end = std::max(run.end, step.end);
  // When the host put a call into a stream says little of it: the device knows
  // when it ran, perhaps while the host did something else.
  llvm::BitVector isTimed(run.steps.size());
  llvm::DenseMap<size_t, llvm::SmallVector<size_t>> stepsOf;
  for (size_t i = run.steps.size(); i-- != 0;)
    stepsOf[run.steps[i].call].push_back(i);
  for (const DeviceRecorder::Event &event : devices.events) {
    llvm::SmallVector<size_t> &steps = stepsOf[event.call];
    if (steps.empty())
      continue;
    size_t step = steps.pop_back_val();
    isTimed.set(step);
    run.steps[step].start = getSeconds(event.start);
    run.steps[step].end = getSeconds(event.stop);
    run.steps[step].counters = event.counters;
    run.end = std::max(run.end, run.steps[step].end);
  }
  // The threads are those of the host.
  llvm::SmallVector<size_t> hostSteps;
  for (size_t i = 0; i != run.steps.size(); ++i)
    if (!isTimed.test(i))
      hostSteps.push_back(i);
  if (hostSteps.empty())
    return run;
  auto getStep = [&](double time) -> size_t {
    auto isBefore = [&](double time, size_t step) {
      return time < run.steps[step].end;
    };
    const size_t *it = llvm::upper_bound(hostSteps, time, isBefore);
    return it == hostSteps.end() ? hostSteps.back() : *it;
  };
  for (auto [thread, list] : llvm::enumerate(threads.lists))
    for (const ThreadRecorder::Event &event : list) {
      double begin = getSeconds(event.start), end = getSeconds(event.stop);
      size_t step = getStep(begin);
      bool isLoop = thread + 1 == threads.lists.size();
      run.steps[step].busy += isLoop ? begin - end : end - begin;
      if (!isLoop)
        run.pieces.push_back({static_cast<int>(thread), step, event.begin,
                              event.end, begin, end});
    }
  return run;
}

llvm::Expected<ModelProfile>
ProfileRecorder::record(RelayModule *module, llvm::ArrayRef<int64_t> flops,
                        llvm::ArrayRef<int64_t> bytes,
                        const ProfileOptions &options, bool isProgram,
                        llvm::function_ref<llvm::Error()> run) {
  const RelayArtifact &artifact = *relayModuleGetArtifact(module);
  ModelProfile profile;
  profile.isProgram = isProgram;
  profile.numDevices = artifact.num_devices;
  for (int32_t i = 0; i < artifact.num_calls; ++i) {
    const RelayArtifactCall &call = artifact.calls[i];
    const RelayArtifactDevice &device = artifact.devices[call.device];
    profile.calls.push_back(
        {call.kernel, call.function, call.source,
         std::string(device.kind) + ":" + std::to_string(device.index),
         flops[i], bytes[i]});
  }
  int32_t numThreads = 1;
  if (relayGetNumThreads(&numThreads) != RELAY_OK)
    return makeRuntimeError();
  profile.numThreads = numThreads;

  ProfileRecorder recorder(module, numThreads);
  for (int i = -options.warmUp; i < options.repeat; ++i) {
    recorder.calls.events.clear();
    recorder.devices.events.clear();
    recorder.threads.clear();
    Clock::time_point start = Clock::now();
    if (llvm::Error error = run())
      return std::move(error);
    Clock::time_point end = Clock::now();
    if (i < 0)
      continue;
    ModelProfile::Run made = recorder.makeRun();
    if (isProgram) {
      made.start = recorder.getSeconds(start);
      made.end = recorder.getSeconds(end);
    }
    profile.runs.push_back(std::move(made));
  }
  return profile;
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
  return ProfileRecorder::record(
      module, flops, bytes, options, /*isProgram=*/false, [&]() -> llvm::Error {
        Outputs outputs(relayModuleGetNumOutputs(module));
        if (relayModuleRun(module, inputs.data(), numInputs,
                           outputs.tensors.data(),
                           relayModuleGetNumOutputs(module)) != RELAY_OK)
          return makeRuntimeError();
        return llvm::Error::success();
      });
}

llvm::Expected<ModelProfile>
mlir::relay::profileProgram(RelayModule *module, const std::string &function,
                            llvm::ArrayRef<RelayValue *> arguments,
                            const ProfileOptions &options) {
  // Sizes differ from call to call, and with them the work.
  std::vector<int64_t> unknown(relayModuleGetArtifact(module)->num_calls, -1);
  return ProfileRecorder::record(
      module, unknown, unknown, options, /*isProgram=*/true,
      [&]() -> llvm::Error {
        RelayValue *result = nullptr;
        if (relayModuleInvoke(module, function.c_str(), arguments.data(),
                              static_cast<int32_t>(arguments.size()),
                              &result) != RELAY_OK)
          return makeRuntimeError();
        relayValueRelease(result);
        return llvm::Error::success();
      });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether the threads and the limits of the processor say something of it.
static bool isOnProcessor(const KernelProfile &kernel) {
  return llvm::StringRef(kernel.device).starts_with("cpu:");
}

/// Adds what a device has counted in a call to what it had counted before.
static void
addCounters(std::vector<std::pair<std::string, int64_t>> &sums,
            llvm::ArrayRef<std::pair<std::string, int64_t>> counters) {
  for (const auto &[name, value] : counters) {
    auto it =
        llvm::find_if(sums, [&, name = llvm::StringRef(name)](const auto &sum) {
          return sum.first == name;
        });
    if (it == sums.end())
      sums.emplace_back(name, value);
    else
      it->second = saturatingAdd(it->second, value);
  }
}

std::vector<KernelProfile> ModelProfile::getKernels() const {
  std::vector<KernelProfile> kernels;
  std::vector<std::vector<double>> times;
  std::vector<double> busy, whole;
  llvm::StringMap<size_t> indexOf;
  for (auto [number, run] : llvm::enumerate(runs))
    for (const Step &step : run.steps) {
      const Call &call = calls[step.call];
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
      // Runs of a program need not be alike.
      KernelProfile &kernel = kernels[it->second];
      if (number == 0) {
        ++kernel.numCalls;
        addCount(kernel.flops, call.flops);
        addCount(kernel.bytes, call.bytes);
        addCounters(kernel.counters, step.counters);
      }
      double seconds = step.end - step.start;
      times[it->second][number] += seconds;
      whole[it->second] += seconds * numThreads;
      busy[it->second] += step.busy;
    }
  for (auto [kernel, work, time] : llvm::zip(kernels, busy, whole))
    kernel.busy = !isOnProcessor(kernel) ? -1
                  : time > 0             ? std::min(work / time, 1.0)
                                         : 0;
  if (isProgram && !runs.empty()) {
    KernelProfile &glue = kernels.emplace_back();
    glue.name = "(program)";
    glue.device = "cpu:0";
    glue.numCalls = runs.front().numFunctions;
    glue.flops = glue.bytes = -1;
    glue.busy = 1.0 / numThreads;
    std::vector<double> &rest = times.emplace_back();
    for (const Run &run : runs) {
      rest.push_back(run.end - run.start);
      for (const Step &step : run.steps)
        rest.back() -= step.end - step.start;
      // It goes on while devices run calls.
      rest.back() = std::max(rest.back(), 0.0);
    }
  }
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
    times.push_back(run.end - run.start);
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
  printRow(isProgram ? "all" : "all kernels", "", numCalls, /*minimum=*/-1,
           median, median > 0 ? 1 : 0, flops, bytes, limit,
           median > 0 && busy >= 0 ? busy / median : busy);
  os << llvm::format("median of %d runs on %d thread%s: %.3f ms; roofline: "
                     "%.1f GFLOP/s, %.1f GB/s\n",
                     getNumRuns(), numThreads, numThreads == 1 ? "" : "s",
                     getMedianSeconds() * 1e3, peak.flopsPerSecond / 1e9,
                     peak.bytesPerSecond / 1e9);
  printCounters(os, kernels, nameWidth);
}

void ModelProfile::printCounters(llvm::raw_ostream &os,
                                 llvm::ArrayRef<KernelProfile> kernels,
                                 size_t nameWidth) {
  KernelProfile all;
  all.name = "all kernels that count";
  for (const KernelProfile &kernel : kernels)
    addCounters(all.counters, kernel.counters);
  if (all.counters.empty())
    return;
  nameWidth = std::max(nameWidth, all.name.size());
  os << '\n' << llvm::left_justify("kernel", nameWidth);
  auto getWidth = [](llvm::StringRef counter) {
    return std::max<size_t>(counter.size(), 10) + 2;
  };
  for (const auto &[name, value] : all.counters)
    os << llvm::right_justify(name, getWidth(name));
  os << '\n';
  // Cycles of a part of the device are a share of all cycles.
  constexpr llvm::StringLiteral whole = "cycles", part = " cycles";
  auto find = [](const KernelProfile &kernel, llvm::StringRef name) {
    for (const auto &[counter, value] : kernel.counters)
      if (counter == name)
        return value;
    return int64_t(0);
  };
  auto printRow = [&](const KernelProfile &kernel) {
    os << llvm::left_justify(kernel.name, nameWidth);
    int64_t cycles = find(kernel, whole);
    for (const auto &[name, sum] : all.counters) {
      int64_t value = find(kernel, name);
      if (llvm::StringRef(name).ends_with(part) && cycles > 0)
        os << llvm::format("%*.1f%%", int(getWidth(name)) - 1,
                           100.0 * double(value) / double(cycles));
      else
        os << llvm::right_justify(std::to_string(value), getWidth(name));
    }
    os << '\n';
  };
  for (const KernelProfile &kernel : kernels)
    if (!kernel.counters.empty())
      printRow(kernel);
  printRow(all);
}
