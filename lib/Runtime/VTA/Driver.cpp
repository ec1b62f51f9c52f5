//===- Driver.cpp - What drives a VTA -------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Driver.h"

#include <cstring>
#include <map>

using namespace relay_vta;

namespace {

/// Memory begins at the first page that a program may have.
class SimulatorDriver : public Driver {
public:
  SimulatorDriver(const Config &config, SimulatorKind kind, uint64_t capacity,
                  const RunOptions &options)
      : config(config), kind(kind), capacity(capacity), options(options),
        simulator(config) {}

  const Config &getConfig() const override { return config; }

  uint64_t allocate(uint64_t bytes) override {
    if (bytes > capacity)
      return 0;
    uint64_t size = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
    // The first gap that is large enough.
    uint64_t begin = 0;
    for (auto [used, length] : allocations) {
      if (used - begin >= size)
        break;
      begin = used + length;
    }
    if (size > capacity || begin > capacity - size)
      return 0;
    allocations[begin] = size;
    if (memory.size() < begin + size)
      memory.resize(begin + size);
    return begin + kPageBytes;
  }

  void release(uint64_t address) override {
    allocations.erase(address - kPageBytes);
  }

  bool write(uint64_t address, const void *from, uint64_t bytes) override {
    if (!isAllocated(address, bytes))
      return false;
    std::memcpy(memory.data() + (address - kPageBytes), from, bytes);
    return true;
  }

  bool read(uint64_t address, void *to, uint64_t bytes) override {
    if (!isAllocated(address, bytes))
      return false;
    std::memcpy(to, memory.data() + (address - kPageBytes), bytes);
    return true;
  }

  RunStatus run(uint64_t address, uint64_t count) override {
    if (count > memory.size() / kInstructionBytes ||
        !isAllocated(address, count * kInstructionBytes)) {
      RunStatus status;
      status.kind = ErrorKind::DramOutOfRange;
      status.message = "expects instructions in memory that is allocated";
      return status;
    }
    std::vector<InstructionWords> instructions;
    for (uint64_t i = 0; i < count; ++i)
      instructions.push_back(readWords(memory.data() + (address - kPageBytes) +
                                       i * kInstructionBytes));
    if (kind == SimulatorKind::Functional)
      return simulator.run(instructions, kPageBytes, memory, options);
    timing = Timing();
    return simulator.runCycles(instructions, kPageBytes, memory, timing,
                               options);
  }

  const Timing *getTiming() const override {
    return kind == SimulatorKind::Cycle ? &timing : nullptr;
  }

private:
  bool isAllocated(uint64_t address, uint64_t bytes) const {
    if (address < kPageBytes)
      return false;
    uint64_t begin = address - kPageBytes;
    auto it = allocations.upper_bound(begin);
    if (it == allocations.begin())
      return false;
    --it;
    return begin - it->first <= it->second &&
           bytes <= it->second - (begin - it->first);
  }

  const Config config;
  const SimulatorKind kind;
  const uint64_t capacity;
  const RunOptions options;
  Simulator simulator;
  Timing timing;
  std::vector<uint8_t> memory;
  /// Sizes by their begin.
  std::map<uint64_t, uint64_t> allocations;
};

} // namespace

std::unique_ptr<Driver>
relay_vta::makeSimulatorDriver(const Config &config, SimulatorKind kind,
                               uint64_t capacity, const RunOptions &options) {
  return std::make_unique<SimulatorDriver>(config, kind, capacity, options);
}

std::string relay_vta::relocate(Program &program, uint64_t dramBase) {
  if (std::string message = checkDram(dramBase, program.image.size());
      !message.empty())
    return message;
  for (uint64_t i = 0; i < program.instructions.size(); ++i) {
    Instruction instruction = decode(program.config, program.instructions[i]);
    // Without rows it may have any address.
    if (!instruction.isMemory() || instruction.isNoOp() || !instruction.ySize)
      continue;
    AddressRange dram = program.getDram();
    std::optional<Fault> fault =
        checkInstruction(program.config, instruction, &dram);
    if (fault)
      return "instruction " + std::to_string(i) + ": " + fault->message;
    // No element is larger than a page, and all sizes are powers of 2.
    uint64_t bytes =
        program.config.getElementBytes(static_cast<Memory>(instruction.memory));
    uint64_t address =
        instruction.dramBase - program.dramBase / bytes + dramBase / bytes;
    if (address > UINT32_MAX)
      return "instruction " + std::to_string(i) +
             ": expects an address that fits in dram_base, but got " +
             std::to_string(address);
    instruction.dramBase = static_cast<uint32_t>(address);
    if ((fault = encode(program.config, instruction, program.instructions[i])))
      return "instruction " + std::to_string(i) + ": " + fault->message;
  }
  if (program.instructionAddress)
    program.instructionAddress += dramBase - program.dramBase;
  program.dramBase = dramBase;
  return "";
}
