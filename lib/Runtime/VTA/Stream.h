//===- Stream.h - Instructions in their queues ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What both simulators share: a checked stream up to its FINISH, the queue of
// each stage, and the queues of tokens between stages.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VTA_STREAM_H
#define RELAY_MLIR_LIB_RUNTIME_VTA_STREAM_H

#include "AccessOrder.h"
#include "Core.h"

#include <deque>

namespace relay_vta {

/// Queues of tokens between stages.
enum class TokenQueue : uint8_t {
  LoadToCompute,
  ComputeToLoad,
  ComputeToStore,
  StoreToCompute
};
constexpr unsigned kNumTokenQueues = 4;
/// "load to compute", ...
const char *getTokenQueueName(TokenQueue queue);

struct Token {
  /// When it is there (cycle simulator).
  uint64_t time = 0;
  /// What is before it (strict mode).
  Clock clock{};
};

/// Up to two queues of an instruction.
struct TokenQueues {
  std::optional<TokenQueue> prev, next;
};
TokenQueues getPops(const Instruction &instruction);
TokenQueues getPushes(const Instruction &instruction);

class Stream {
public:
  /// Reads and checks instructions up to the first FINISH.
  RunStatus read(const Config &config,
                 const std::vector<InstructionWords> &words, AddressRange dram,
                 bool strict);

  const Instruction &get(uint64_t index) const { return instructions[index]; }
  uint64_t size() const { return instructions.size(); }
  bool hasFinish() const { return finished; }

private:
  std::vector<Instruction> instructions;
  bool finished = false;
};

/// The state of a run.
class Run {
public:
  Run(Core &core, const Stream &stream, AddressRange dram, uint8_t *image,
      const RunOptions &options);

  /// The queue of tokens that keeps `instruction` from running at `time`.
  std::optional<TokenQueue> getMissingToken(const Instruction &instruction,
                                            uint64_t time) const;
  /// Takes the tokens of an instruction, and runs it; false if `status` has
  /// what went wrong.
  bool execute(uint64_t index);
  /// Gives its tokens, which are there from `time` on.
  bool finish(uint64_t index, uint64_t time);
  /// When the next token of a queue is there; none if none is.
  std::optional<uint64_t> getTokenTime(TokenQueue queue) const;
  /// What can be said at the end. `heads` are the first ones that have
  /// not run.
  void end(const std::array<std::optional<uint64_t>, kNumStages> &heads,
           uint64_t time);

  RunStatus status;

private:
  bool fail(uint64_t index, Fault fault);
  std::deque<Token> &get(TokenQueue queue) {
    return tokens[static_cast<unsigned>(queue)];
  }

  Core &core;
  const Stream &stream;
  std::array<std::deque<Token>, kNumTokenQueues> tokens;
  std::unique_ptr<AccessOrder> order;
  /// What is before the next instruction of each stage.
  std::array<Clock, kNumStages> clocks{};
};

} // namespace relay_vta

#endif // RELAY_MLIR_LIB_RUNTIME_VTA_STREAM_H
