//===- Cycles.cpp - The cycle simulator -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timing of the RTL that the published Chisel source generates: fetch fills
// the queues of the stages, each stage runs one instruction after the other
// when its tokens are there, and all reads share a port. docs/VTA.md has the
// numbers.
//
//===----------------------------------------------------------------------===//

#include "ReadPort.h"
#include "Stream.h"

#include <algorithm>

using namespace relay_vta;

const char *relay_vta::getStallCauseName(StallCause cause) {
  static const char *const names[] = {"no instruction", "token of stage before",
                                      "token of stage after", "memory"};
  return names[static_cast<unsigned>(cause)];
}

// From the begin of a LOAD or batch to its first request, and from its last
// beat to its end.
static constexpr uint64_t kRequestCycles = 2, kResponseCycles = 2;
static constexpr uint64_t kPipelineCycles = 5, kBurstCycles = 4;
static constexpr uint64_t kBurstRequestCycles = 2;
/// From the request of a row to that of the next: a load of micro-ops is
/// slower.
static constexpr uint64_t kRowCycles = 1, kUopRowCycles = 3;
static constexpr uint64_t kBatch = 128;

static ReadClient getClient(const Instruction &instruction) {
  switch (static_cast<Memory>(instruction.memory)) {
  case Memory::Uop:
    return ReadClient::Uop;
  case Memory::Wgt:
    return ReadClient::Wgt;
  case Memory::Inp:
    return ReadClient::Inp;
  default:
    return ReadClient::Acc;
  }
}

namespace {

/// Reads instructions in batches and hands them to the stages.
struct Fetch {
  uint64_t next = 0, batchEnd = 0;
  /// When `next` can be handed on; never while its batch is being read.
  uint64_t time = 0;
  bool isReading = false;
  FetchEvent batch{};
};

struct StageState {
  struct Queued {
    uint64_t instruction, time;
  };
  std::deque<Queued> queue;
  /// What runs, from when to when; the end is not known while it waits for
  /// memory.
  std::optional<uint64_t> running;
  uint64_t begin = 0, end = kNever;
  /// When the next one can begin.
  uint64_t free = 0;
  /// Of a LOAD that runs.
  std::optional<ReadClient> client;
  uint64_t beats = 0, earliestEnd = 0;
};

class CycleRun {
public:
  CycleRun(Core &core, const Stream &stream, AddressRange dram, uint8_t *image,
           const RunOptions &options, Timing &timing)
      : config(core.config), stream(stream), options(options), timing(timing),
        run(core, stream, dram, image, options) {}

  RunStatus go();

private:
  void stepFetch(uint64_t time);
  uint64_t getFetchTime() const;
  uint64_t getStartTime(const StageState &stage) const;
  bool start(Stage name, uint64_t time);
  bool finish(Stage name, uint64_t time);
  void startLoad(StageState &stage, const Instruction &instruction,
                 uint64_t time);
  uint64_t getComputeCycles(const Instruction &instruction);
  uint64_t getStoreCycles(const Instruction &instruction);
  void recordWait(Stage name, uint64_t time);
  void record(Stage name, uint64_t begin, uint64_t end,
              std::optional<uint64_t> instruction, StallCause cause);
  StageState &get(Stage name) { return stages[static_cast<unsigned>(name)]; }

  const Config &config;
  const Stream &stream;
  const RunOptions &options;
  Timing &timing;
  Run run;
  ReadPort port;
  Fetch fetch;
  std::array<StageState, kNumStages> stages;
};

constexpr std::array<Stage, kNumStages> kStages = {Stage::Load, Stage::Compute,
                                                   Stage::Store};

} // namespace

//===----------------------------------------------------------------------===//
// Fetch
//===----------------------------------------------------------------------===//

uint64_t CycleRun::getFetchTime() const {
  if (fetch.isReading || fetch.next == stream.size())
    return kNever;
  if (fetch.next == fetch.batchEnd)
    return fetch.time;
  const StageState &stage =
      stages[static_cast<unsigned>(stream.get(fetch.next).getStage())];
  return stage.queue.size() < kQueueDepth ? fetch.time : kNever;
}

void CycleRun::stepFetch(uint64_t time) {
  if (fetch.next == fetch.batchEnd) {
    fetch.batchEnd = std::min(fetch.next + kBatch, stream.size());
    fetch.isReading = true;
    fetch.batch = {time, 0, 0, fetch.next, fetch.batchEnd - fetch.next};
    visitBursts(fetch.next * kInstructionBytes,
                (fetch.batchEnd - fetch.next) * kInstructionBytes,
                config.getBusBytes(), [&](uint64_t beats, uint64_t) {
                  port.request(ReadClient::Fetch, time + kRequestCycles, beats);
                  timing.readBeats += beats;
                });
    return;
  }
  get(stream.get(fetch.next).getStage()).queue.push_back({fetch.next, time});
  ++timing.fetchDispatching;
  timing.fetchStalled += time - fetch.time;
  ++fetch.next;
  fetch.time = time + 1;
  if (fetch.next != fetch.batchEnd || !options.trace)
    return;
  fetch.batch.end = fetch.time;
  timing.fetchTrace.push_back(fetch.batch);
}

//===----------------------------------------------------------------------===//
// What instructions take
//===----------------------------------------------------------------------===//

uint64_t CycleRun::getComputeCycles(const Instruction &instruction) {
  uint64_t count = instruction.getNumIterations() * instruction.getNumUops();
  if (instruction.is(Opcode::Alu)) {
    // The register file of acc has one port to read.
    count *= instruction.useImm ? 1 : 2;
    timing.aluIssue += count;
  } else if (!instruction.reset) {
    timing.gemmIssue += count;
  }
  return count + kPipelineCycles;
}

uint64_t CycleRun::getStoreCycles(const Instruction &instruction) {
  uint64_t bytes = config.getElementBytes(Memory::Out);
  uint64_t cycles = 0;
  for (uint64_t y = 0; y < instruction.ySize; ++y)
    visitBursts((instruction.dramBase + y * instruction.xStride) * bytes,
                instruction.xSize * bytes, config.getBusBytes(),
                [&](uint64_t beats, uint64_t burstBytes) {
                  uint64_t elements = std::max<uint64_t>(burstBytes / bytes, 1);
                  cycles += beats + elements - 1 + kBurstCycles;
                  timing.writeBeats += beats;
                });
  return std::max<uint64_t>(cycles, 1);
}

void CycleRun::startLoad(StageState &stage, const Instruction &instruction,
                         uint64_t time) {
  auto memory = static_cast<Memory>(instruction.memory);
  uint64_t bytes = config.getElementBytes(memory);
  ReadClient client = getClient(instruction);
  // A row of padding takes a cycle to pass. Then come the requests.
  uint64_t rowCycles = memory == Memory::Uop ? kUopRowCycles : kRowCycles;
  uint64_t request = time + kRequestCycles + instruction.yPad0;
  stage.beats = 0;
  for (uint64_t y = 0; y < instruction.ySize; ++y) {
    uint64_t next = request;
    visitBursts((instruction.dramBase + y * instruction.xStride) * bytes,
                instruction.xSize * bytes, config.getBusBytes(),
                [&](uint64_t beats, uint64_t) {
                  port.request(client, next, beats);
                  stage.beats += beats;
                  request = next + rowCycles;
                  next += kBurstRequestCycles;
                });
  }
  timing.readBeats += stage.beats;
  uint64_t padding = instruction.getNumElements() -
                     uint64_t(instruction.ySize) * instruction.xSize;
  stage.earliestEnd = time + kRequestCycles + padding + stage.beats;
  if (stage.beats)
    stage.client = client;
  else
    stage.end = stage.earliestEnd;
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void CycleRun::record(Stage name, uint64_t begin, uint64_t end,
                      std::optional<uint64_t> instruction, StallCause cause) {
  if (begin >= end)
    return;
  Timing::StageTiming &stage = timing.stages[static_cast<unsigned>(name)];
  if (instruction)
    stage.busy += end - begin;
  else
    stage.stalls[static_cast<unsigned>(cause)] += end - begin;
  if (options.trace)
    timing.trace.push_back({name, begin, end, instruction, cause});
}

/// What the stage has waited for until `time`, when its next one begins.
void CycleRun::recordWait(Stage name, uint64_t time) {
  StageState &stage = get(name);
  uint64_t from = stage.free;
  uint64_t fetched = std::min(stage.queue.front().time, time);
  record(name, from, fetched, std::nullopt, StallCause::Fetch);
  from = std::max(from, fetched);
  TokenQueues pops = getPops(stream.get(stage.queue.front().instruction));
  uint64_t prev = pops.prev ? *run.getTokenTime(*pops.prev) : 0;
  uint64_t next = pops.next ? *run.getTokenTime(*pops.next) : 0;
  // The one that comes last is what it waits for.
  record(name, from, time, std::nullopt,
         prev >= next ? StallCause::TokenPrev : StallCause::TokenNext);
}

uint64_t CycleRun::getStartTime(const StageState &stage) const {
  if (stage.running || stage.queue.empty())
    return kNever;
  uint64_t time = std::max(stage.free, stage.queue.front().time);
  TokenQueues pops = getPops(stream.get(stage.queue.front().instruction));
  for (std::optional<TokenQueue> queue : {pops.prev, pops.next})
    if (queue)
      time = std::max(time, run.getTokenTime(*queue).value_or(kNever));
  return time;
}

bool CycleRun::start(Stage name, uint64_t time) {
  StageState &stage = get(name);
  recordWait(name, time);
  uint64_t index = stage.queue.front().instruction;
  stage.queue.pop_front();
  if (!run.execute(index))
    return false;
  const Instruction &instruction = stream.get(index);
  stage.running = index;
  stage.begin = time;
  stage.end = kNever;
  if (instruction.is(Opcode::Finish)) {
    stage.end = time + 1;
    timing.cycles = stage.end;
  } else if (instruction.isNoOp()) {
    stage.end = time + 1;
  } else if (instruction.isCompute()) {
    stage.end = time + getComputeCycles(instruction);
  } else if (instruction.is(Opcode::Store)) {
    stage.end = time + getStoreCycles(instruction);
  } else {
    startLoad(stage, instruction, time);
  }
  return true;
}

bool CycleRun::finish(Stage name, uint64_t time) {
  StageState &stage = get(name);
  const Instruction &instruction = stream.get(*stage.running);
  uint64_t begin = stage.begin;
  if (instruction.is(Opcode::Load) && !instruction.isNoOp()) {
    uint64_t moving = std::min(
        time - begin, stage.beats + instruction.getNumElements() -
                          uint64_t(instruction.ySize) * instruction.xSize);
    record(name, begin, time - moving, std::nullopt, StallCause::Memory);
    begin = time - moving;
  }
  record(name, begin, time, stage.running, StallCause::Fetch);
  uint64_t index = *stage.running;
  stage.running.reset();
  stage.free = time + 1;
  return run.finish(index, time + 1);
}

RunStatus CycleRun::go() {
  while (true) {
    uint64_t time = std::min(port.getNextTime(), getFetchTime());
    for (const StageState &stage : stages)
      time = std::min(
          {time, stage.running ? stage.end : kNever, getStartTime(stage)});
    if (time == kNever)
      break;
    for (Stage name : kStages)
      if (get(name).running && get(name).end == time && !finish(name, time))
        return run.status;
    if (port.getNextTime() == time)
      port.step(time);
    if (std::optional<uint64_t> done = port.takeDone(ReadClient::Fetch)) {
      fetch.isReading = false;
      fetch.time = fetch.batch.ready = *done + kResponseCycles;
      timing.fetchReading += fetch.batch.ready - fetch.batch.begin;
    }
    for (StageState &stage : stages) {
      if (!stage.client)
        continue;
      if (std::optional<uint64_t> done = port.takeDone(*stage.client)) {
        stage.end = std::max(*done + kResponseCycles, stage.earliestEnd);
        stage.client.reset();
      }
    }
    if (getFetchTime() == time)
      stepFetch(time);
    for (Stage name : kStages)
      if (getStartTime(get(name)) == time && !start(name, time))
        return run.status;
  }
  std::array<std::optional<uint64_t>, kNumStages> heads;
  for (unsigned i = 0; i < kNumStages; ++i)
    if (!stages[i].queue.empty())
      heads[i] = stages[i].queue.front().instruction;
  // What was not fetched waits behind a queue that is full.
  for (uint64_t i = fetch.next; i < stream.size(); ++i) {
    auto stage = static_cast<unsigned>(stream.get(i).getStage());
    if (!heads[stage])
      heads[stage] = i;
  }
  run.end(heads, kNever);
  return run.status;
}

RunStatus
Simulator::runCycles(const std::vector<InstructionWords> &instructions,
                     uint64_t dramBase, std::vector<uint8_t> &image,
                     Timing &timing, const RunOptions &options) {
  timing = Timing();
  AddressRange dram = {dramBase, image.size()};
  Stream stream;
  RunStatus status =
      stream.read(core->config, instructions, dram, options.strict);
  if (!status.isOk())
    return status;
  return CycleRun(*core, stream, dram, image.data(), options, timing).go();
}
