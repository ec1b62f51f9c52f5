//===- Functional.cpp - The functional simulator --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stream.h"

using namespace relay_vta;

Simulator::Simulator(const Config &config)
    : core(std::make_unique<Core>(config)) {}

Simulator::~Simulator() = default;

const Profile &Simulator::getProfile() const { return core->profile; }

RunStatus Simulator::run(const std::vector<InstructionWords> &instructions,
                         uint64_t dramBase, std::vector<uint8_t> &image,
                         const RunOptions &options) {
  AddressRange dram = {dramBase, image.size()};
  Stream stream;
  RunStatus status =
      stream.read(core->config, instructions, dram, options.strict);
  if (!status.isOk())
    return status;
  std::array<std::deque<uint64_t>, kNumStages> queues;
  for (uint64_t i = 0; i < stream.size(); ++i)
    queues[static_cast<unsigned>(stream.get(i).getStage())].push_back(i);
  Run run(*core, stream, dram, image.data(), options);
  // Each stage runs until it has to wait. Any order of stages gives the same,
  // unless tokens leave accesses unordered, which the strict mode finds.
  for (bool progress = true; progress;) {
    progress = false;
    for (std::deque<uint64_t> &queue : queues) {
      while (!queue.empty() &&
             !run.getMissingToken(stream.get(queue.front()), 0)) {
        if (!run.execute(queue.front()) || !run.finish(queue.front(), 0))
          return run.status;
        queue.pop_front();
        progress = true;
      }
    }
  }
  std::array<std::optional<uint64_t>, kNumStages> heads;
  for (unsigned stage = 0; stage < kNumStages; ++stage)
    if (!queues[stage].empty())
      heads[stage] = queues[stage].front();
  run.end(heads, 0);
  return run.status;
}
