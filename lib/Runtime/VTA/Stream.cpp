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
    if (fault)
      return makeStatus(i, *fault);
    finished = instruction.is(Opcode::Finish);
  }
  if (strict && size() < words.size())
    return makeStatus(size(), {ErrorKind::NotPortable, "",
                               "expects no instruction after FINISH, for which "
                               "fsim waits"});
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
