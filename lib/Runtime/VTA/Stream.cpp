//===- Stream.cpp - Instructions in their queues --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

#include <algorithm>

using namespace relay_vta;

const char *relay_vta::getTokenQueueName(TokenQueue queue) {
  static const char *const names[] = {"load to compute", "compute to load",
                                      "compute to store", "store to compute"};
  return names[static_cast<unsigned>(queue)];
}

TokenQueues relay_vta::getPops(const Instruction &instruction) {
  TokenQueues queues;
  switch (instruction.getStage()) {
  case Stage::Load:
    if (instruction.popNext)
      queues.next = TokenQueue::ComputeToLoad;
    break;
  case Stage::Compute:
    if (instruction.popPrev)
      queues.prev = TokenQueue::LoadToCompute;
    if (instruction.popNext)
      queues.next = TokenQueue::StoreToCompute;
    break;
  case Stage::Store:
    if (instruction.popPrev)
      queues.prev = TokenQueue::ComputeToStore;
    break;
  }
  return queues;
}

TokenQueues relay_vta::getPushes(const Instruction &instruction) {
  TokenQueues queues;
  switch (instruction.getStage()) {
  case Stage::Load:
    if (instruction.pushNext)
      queues.next = TokenQueue::LoadToCompute;
    break;
  case Stage::Compute:
    if (instruction.pushPrev)
      queues.prev = TokenQueue::ComputeToLoad;
    if (instruction.pushNext)
      queues.next = TokenQueue::ComputeToStore;
    break;
  case Stage::Store:
    if (instruction.pushPrev)
      queues.prev = TokenQueue::StoreToCompute;
    break;
  }
  return queues;
}

//===----------------------------------------------------------------------===//
// Queues that have an end
//===----------------------------------------------------------------------===//

namespace {

/// Runs a stream that only takes and gives tokens. Whether it comes to its end
/// does not depend on how long instructions take.
class TokenRun {
public:
  explicit TokenRun(const std::vector<Instruction> &instructions)
      : instructions(instructions) {}

  /// Goes on as far as possible with queues of `depth` instructions.
  void go(uint64_t depth);

  bool isAtEnd() const { return numDone == instructions.size(); }
  std::optional<TokenQueue> getMissing(const Instruction &instruction) const;

  /// What waits in each stage, and what is fetched next.
  std::array<std::deque<uint64_t>, kNumStages> queues;
  uint64_t next = 0;

private:
  bool fetch(uint64_t depth);
  void execute(const Instruction &instruction);

  const std::vector<Instruction> &instructions;
  std::array<uint64_t, kNumTokenQueues> tokens{};
  uint64_t numDone = 0;
};

} // namespace

std::optional<TokenQueue>
TokenRun::getMissing(const Instruction &instruction) const {
  TokenQueues pops = getPops(instruction);
  for (std::optional<TokenQueue> queue : {pops.prev, pops.next})
    if (queue && !tokens[static_cast<unsigned>(*queue)])
      return queue;
  return std::nullopt;
}

bool TokenRun::fetch(uint64_t depth) {
  if (next == instructions.size())
    return false;
  auto &queue = queues[static_cast<unsigned>(instructions[next].getStage())];
  if (queue.size() >= depth)
    return false;
  queue.push_back(next++);
  return true;
}

void TokenRun::execute(const Instruction &instruction) {
  TokenQueues pops = getPops(instruction), pushes = getPushes(instruction);
  for (std::optional<TokenQueue> queue : {pops.prev, pops.next})
    if (queue)
      --tokens[static_cast<unsigned>(*queue)];
  for (std::optional<TokenQueue> queue : {pushes.prev, pushes.next})
    if (queue)
      ++tokens[static_cast<unsigned>(*queue)];
  ++numDone;
}

void TokenRun::go(uint64_t depth) {
  for (bool progress = true; progress;) {
    progress = false;
    while (fetch(depth))
      progress = true;
    for (std::deque<uint64_t> &queue : queues) {
      while (!queue.empty() && !getMissing(instructions[queue.front()])) {
        execute(instructions[queue.front()]);
        queue.pop_front();
        progress = true;
      }
    }
  }
}

std::optional<std::pair<uint64_t, Fault>>
relay_vta::checkPortableQueues(const std::vector<Instruction> &instructions) {
  TokenRun run(instructions);
  run.go(kQueueDepth);
  uint64_t next = run.next;
  if (next == instructions.size())
    return std::nullopt;
  Stage stage = instructions[next].getStage();
  uint64_t first = run.queues[static_cast<unsigned>(stage)].front();
  TokenQueue missing = *run.getMissing(instructions[first]);
  run.go(instructions.size());
  if (!run.isAtEnd())
    return std::nullopt;
  return std::pair(
      next,
      Fault{ErrorKind::NotPortable, "",
            "expects at most " + std::to_string(kQueueDepth) +
                " instructions in the queue of the " + getStageName(stage) +
                " stage, but got one more: instruction " +
                std::to_string(first) + " waits for a token from " +
                getTokenQueueName(missing) +
                " of an instruction behind them, which hardware never "
                "fetches"});
}

//===----------------------------------------------------------------------===//
// The stream
//===----------------------------------------------------------------------===//

static RunStatus makeStatus(uint64_t index, const Fault &fault) {
  RunStatus status;
  status.kind = fault.kind;
  status.instruction = index;
  status.message = "instruction " + std::to_string(index) + ": ";
  if (!fault.field.empty())
    status.message += fault.field + ": ";
  status.message += fault.message;
  return status;
}

RunStatus Stream::read(const Config &config,
                       const std::vector<InstructionWords> &words,
                       AddressRange dram, bool strict) {
  for (uint64_t i = 0; i < words.size() && !finished; ++i) {
    instructions.push_back(decode(config, words[i]));
    const Instruction &instruction = instructions.back();
    std::optional<Fault> fault = checkInstruction(config, instruction, &dram);
    if (!fault && strict)
      fault = checkPortable(config, instruction);
    if (!fault && strict && hasReservedBits(config, words[i]))
      fault = Fault{ErrorKind::NotPortable, "reserved",
                    "expects zeros in bits that belong to no field"};
    if (fault)
      return makeStatus(i, *fault);
    finished = instruction.is(Opcode::Finish);
  }
  if (!strict)
    return {};
  if (size() < words.size())
    return makeStatus(size(), {ErrorKind::NotPortable, "",
                               "expects no instruction after FINISH, for which "
                               "fsim waits"});
  if (auto fault = checkPortableQueues(instructions))
    return makeStatus(fault->first, fault->second);
  return {};
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

Run::Run(Core &core, const Stream &stream, AddressRange dram, uint8_t *image,
         const RunOptions &options)
    : core(core), stream(stream) {
  if (options.strict)
    order = std::make_unique<AccessOrder>(core.config, dram);
  core.start(dram, image, options, order.get());
}

bool Run::fail(uint64_t index, Fault fault) {
  status = makeStatus(index, fault);
  return false;
}

std::optional<uint64_t> Run::getTokenTime(TokenQueue queue) const {
  const std::deque<Token> &queued = tokens[static_cast<unsigned>(queue)];
  if (queued.empty())
    return std::nullopt;
  return queued.front().time;
}

std::optional<TokenQueue> Run::getMissingToken(const Instruction &instruction,
                                               uint64_t time) const {
  TokenQueues pops = getPops(instruction);
  for (std::optional<TokenQueue> queue : {pops.prev, pops.next}) {
    if (!queue)
      continue;
    std::optional<uint64_t> when = getTokenTime(*queue);
    if (!when || *when > time)
      return queue;
  }
  return std::nullopt;
}

bool Run::execute(uint64_t index) {
  const Instruction &instruction = stream.get(index);
  Clock &clock = clocks[static_cast<unsigned>(instruction.getStage())];
  TokenQueues pops = getPops(instruction);
  for (std::optional<TokenQueue> queue : {pops.prev, pops.next}) {
    if (!queue)
      continue;
    const Clock &before = get(*queue).front().clock;
    for (unsigned stage = 0; stage < kNumStages; ++stage)
      clock[stage] = std::max(clock[stage], before[stage]);
    get(*queue).pop_front();
  }
  if (order)
    order->begin(instruction.getStage(), index, clock);
  if (std::optional<Fault> fault = core.execute(instruction))
    return fail(index, *fault);
  if (!order || !instruction.is(Opcode::Finish))
    return true;
  // What reads or writes memory must be before FINISH in every interleaving.
  // (Those that drain tokens need not.)
  Clock all{}, seen{};
  for (uint64_t i = 0; i < index; ++i) {
    auto stage = static_cast<unsigned>(stream.get(i).getStage());
    ++seen[stage];
    if (!stream.get(i).isNoOp())
      all[stage] = seen[stage];
  }
  for (Stage stage : {Stage::Load, Stage::Store})
    if (clock[static_cast<unsigned>(stage)] < all[static_cast<unsigned>(stage)])
      return fail(index, {ErrorKind::NotPortable, "",
                          std::string("expects tokens that order all of the ") +
                              getStageName(stage) +
                              " stage before FINISH: hardware is done then, "
                              "and fsim waits for ever"});
  return true;
}

bool Run::finish(uint64_t index, uint64_t time) {
  const Instruction &instruction = stream.get(index);
  auto stage = static_cast<unsigned>(instruction.getStage());
  ++clocks[stage][stage];
  TokenQueues pushes = getPushes(instruction);
  for (std::optional<TokenQueue> queue : {pushes.prev, pushes.next}) {
    if (!queue)
      continue;
    get(*queue).push_back({time, clocks[stage]});
    // The counters of Chisel have 8 bits.
    if (order && get(*queue).size() > 255)
      return fail(index, {ErrorKind::NotPortable, "",
                          std::string("expects 255 tokens at most from ") +
                              getTokenQueueName(*queue) +
                              "; Chisel loses the next one"});
  }
  return true;
}

void Run::end(const std::array<std::optional<uint64_t>, kNumStages> &heads,
              uint64_t time) {
  if (!status.isOk())
    return;
  std::string text;
  for (unsigned stage = 0; stage < kNumStages; ++stage) {
    if (!heads[stage])
      continue;
    std::optional<TokenQueue> missing =
        getMissingToken(stream.get(*heads[stage]), time);
    text += text.empty() ? "" : ", ";
    text += std::string(getStageName(static_cast<Stage>(stage))) +
            " at instruction " + std::to_string(*heads[stage]) +
            (missing ? std::string(", which waits for a token from ") +
                           getTokenQueueName(*missing)
                     : ", which was not fetched");
  }
  if (!text.empty()) {
    status.kind = ErrorKind::Deadlock;
    status.message = "no stage can go on: " + text;
    status.stuck = heads;
    return;
  }
  if (!stream.hasFinish()) {
    status.kind = ErrorKind::MissingFinish;
    status.message = "expects a FINISH, but got none in " +
                     std::to_string(stream.size()) + " instructions";
    return;
  }
  for (unsigned i = 0; i < kNumTokenQueues; ++i) {
    if (tokens[i].empty())
      continue;
    text += text.empty() ? "" : ", ";
    text += std::to_string(tokens[i].size()) + " from " +
            getTokenQueueName(static_cast<TokenQueue>(i));
  }
  if (text.empty())
    return;
  status.kind = ErrorKind::TokensLeft;
  status.message = "expects no tokens at the end, but got " + text;
}
