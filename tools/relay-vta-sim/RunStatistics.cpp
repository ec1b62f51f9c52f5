//===- RunStatistics.cpp - What a run of VTA has done ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunStatistics.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace relay_vta;

static double getShare(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole)
               : 0;
}

static double divide(uint64_t dividend, uint64_t divisor) {
  return divisor ? static_cast<double>(dividend) / static_cast<double>(divisor)
                 : 0;
}

static void printTiming(const Program &program, const Profile &profile,
                        const Timing &timing, llvm::raw_ostream &os) {
  uint64_t cycles = timing.cycles;
  os << "cycles: " << cycles << '\n'
     << llvm::format("gemm utilisation: %.1f %%\n",
                     getShare(timing.gemmIssue, cycles))
     << llvm::format("alu utilisation: %.1f %%\n",
                     getShare(timing.aluIssue, cycles))
     << llvm::format("read bus: %.1f %%\n", getShare(timing.readBeats, cycles))
     << llvm::format("write bus: %.1f %%\n",
                     getShare(timing.writeBeats, cycles));
  for (unsigned i = 0; i < kNumStages; ++i) {
    const Timing::StageTiming &stage = timing.stages[i];
    os << "stage " << getStageName(static_cast<Stage>(i)) << ": busy "
       << stage.busy;
    for (unsigned cause = 0; cause < kNumStallCauses; ++cause)
      os << ", " << getStallCauseName(static_cast<StallCause>(cause)) << ' '
         << stage.stalls[cause];
    os << '\n';
  }
  // A product and a sum are two operations.
  const Config &config = program.config;
  uint64_t products =
      profile.gemmCount * config.getLanes(Memory::Acc) * config.getBlock();
  uint64_t bytes = profile.inpLoadBytes + profile.wgtLoadBytes +
                   profile.accLoadBytes + profile.uopLoadBytes +
                   profile.outStoreBytes;
  uint64_t peak = 2 * config.getLanes(Memory::Acc) * config.getBlock();
  double intensity = divide(2 * products, bytes);
  double roof = std::min(static_cast<double>(peak),
                         intensity * static_cast<double>(config.getBusBytes()));
  os << llvm::format("roofline: %.2f operations per byte, %.2f of %.2f "
                     "operations per cycle (peak %llu)\n",
                     intensity, divide(2 * products, cycles), roof,
                     static_cast<unsigned long long>(peak));
}

void relay_vta_sim::printStatistics(const Program &program,
                                    const Profile &profile,
                                    const Timing *timing,
                                    llvm::raw_ostream &os) {
  os << "configuration: " << getConfigName(program.config) << '\n'
     << "instructions: " << program.instructions.size() << '\n'
     << "loaded bytes: inp " << profile.inpLoadBytes << ", wgt "
     << profile.wgtLoadBytes << ", acc " << profile.accLoadBytes << ", uop "
     << profile.uopLoadBytes << '\n'
     << "stored bytes: " << profile.outStoreBytes << '\n'
     << "micro-ops: gemm " << profile.gemmCount << ", alu " << profile.aluCount
     << '\n';
  if (timing)
    printTiming(program, profile, *timing, os);
}

void relay_vta_sim::writeTrace(const Program &program, const Timing &timing,
                               llvm::raw_ostream &os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      for (unsigned i = 0; i < kNumStages; ++i)
        json.object([&] {
          json.attribute("name", "thread_name");
          json.attribute("ph", "M");
          json.attribute("pid", 1);
          json.attribute("tid", i);
          json.attributeObject("args", [&] {
            json.attribute("name", getStageName(static_cast<Stage>(i)));
          });
        });
      for (const TraceEvent &event : timing.trace)
        json.object([&] {
          if (event.instruction)
            json.attribute(
                "name",
                describe(program.config,
                         decode(program.config,
                                program.instructions[*event.instruction])));
          else
            json.attribute("name", std::string("waits: ") +
                                       getStallCauseName(event.cause));
          json.attribute("cat", event.instruction ? "instruction" : "stall");
          json.attribute("ph", "X");
          json.attribute("ts", event.begin);
          json.attribute("dur", event.end - event.begin);
          json.attribute("pid", 1);
          json.attribute("tid", static_cast<unsigned>(event.stage));
          if (event.instruction)
            json.attributeObject("args", [&] {
              json.attribute("instruction", *event.instruction);
            });
        });
    });
  });
  os << '\n';
}
