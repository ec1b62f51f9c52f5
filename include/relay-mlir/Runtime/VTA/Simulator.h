//===- Simulator.h - Runs programs of VTA -----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two simulators. The functional one computes what a program computes. The
// cycle one computes the same, and how long the published RTL takes. Both are
// deterministic, and end for every program.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_SIMULATOR_H
#define RELAY_MLIR_RUNTIME_VTA_SIMULATOR_H

#include "relay-mlir/Runtime/VTA/ProgramFile.h"

#include <memory>

namespace relay_vta {

/// How a run ends.
struct RunStatus {
  ErrorKind kind = ErrorKind::None;
  std::string message;
  /// The instruction at fault.
  std::optional<uint64_t> instruction;
  /// At a deadlock: the first instruction of each stage that has not run.
  std::array<std::optional<uint64_t>, kNumStages> stuck;

  bool isOk() const { return kind == ErrorKind::None; }
};

/// What a run has done. Padding is not counted; an element of acc8 counts as
/// one of acc; resets are no products.
struct Profile {
  uint64_t inpLoadBytes = 0, wgtLoadBytes = 0, accLoadBytes = 0,
           uopLoadBytes = 0, outStoreBytes = 0;
  /// Micro-ops that ran.
  uint64_t gemmCount = 0, aluCount = 0;
};

struct RunOptions {
  /// Refuse what published implementations do differently, and accesses that
  /// no token orders.
  bool strict = false;
  /// How many lanes GEMM and ALU may compute, and bytes LOAD and STORE may
  /// move: 20 times ResNet-50. A micro-op or a row counts as 64 at least.
  uint64_t maxWork = uint64_t(1) << 36;
  /// Keep what the stages do when (cycle simulator).
  bool trace = false;
  /// Compute nothing: how long a program takes does not depend on data. What
  /// micro-ops may access is checked.
  bool timingOnly = false;
};

/// Why a stage does nothing.
enum class StallCause : uint8_t {
  /// It has no instruction.
  Fetch,
  /// It waits for tokens of the stage before or after it.
  TokenPrev,
  TokenNext,
  /// Its LOAD waits for memory.
  Memory
};
constexpr unsigned kNumStallCauses = 4;
const char *getStallCauseName(StallCause cause);

/// What a stage does from one cycle to another.
struct TraceEvent {
  Stage stage;
  uint64_t begin, end;
  /// An instruction, or else the cause why there is none.
  std::optional<uint64_t> instruction;
  StallCause cause;
};

/// A batch of instructions that fetch reads, then hands to the stages.
struct FetchEvent {
  /// From its request to when it is there, and to when the last one is handed
  /// on.
  uint64_t begin, ready, end;
  uint64_t first, count;
};

/// How long a program takes.
struct Timing {
  /// From launch to FINISH.
  uint64_t cycles = 0;
  struct StageTiming {
    uint64_t busy = 0;
    std::array<uint64_t, kNumStallCauses> stalls{};
  };
  std::array<StageTiming, kNumStages> stages;
  /// Of fetch: cycles in which it reads, hands an instruction on, or cannot
  /// since the queue of the stage is full.
  uint64_t fetchReading = 0, fetchDispatching = 0, fetchStalled = 0;
  /// Cycles in which GEMM issues products, and ALU micro-ops.
  uint64_t gemmIssue = 0, aluIssue = 0;
  /// Cycles in which the buses move data.
  uint64_t readBeats = 0, writeBeats = 0;
  std::vector<TraceEvent> trace;
  std::vector<FetchEvent> fetchTrace;
};

/// A VTA whose scratchpads hold zeros at first, and keep what they hold from
/// one run to the next.
class Simulator {
public:
  /// `config` must be one that checkConfig accepts.
  explicit Simulator(const Config &config);
  ~Simulator();

  /// Runs `instructions` on `image`, memory from `dramBase` on.
  RunStatus run(const std::vector<InstructionWords> &instructions,
                uint64_t dramBase, std::vector<uint8_t> &image,
                const RunOptions &options = {});
  /// The same, and says how long it takes. Tokens, bursts and latency are those
  /// of the published RTL (docs/VTA.md).
  RunStatus runCycles(const std::vector<InstructionWords> &instructions,
                      uint64_t dramBase, std::vector<uint8_t> &image,
                      Timing &timing, const RunOptions &options = {});

  /// What all runs have done.
  const Profile &getProfile() const;

private:
  std::unique_ptr<class Core> core;
};

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_SIMULATOR_H
