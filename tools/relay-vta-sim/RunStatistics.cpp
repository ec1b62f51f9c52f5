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
  os << "stage fetch: reads " << timing.fetchReading << ", dispatches "
     << timing.fetchDispatching << ", full queue " << timing.fetchStalled
     << '\n';
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
  uint64_t loaded = profile.inpLoadBytes + profile.wgtLoadBytes +
                    profile.accLoadBytes + profile.uopLoadBytes;
  uint64_t bytes = loaded + profile.outStoreBytes;
  uint64_t peak = 2 * config.getLanes(Memory::Acc) * config.getBlock();
  double intensity = divide(2 * products, bytes);
  // Reads and writes have a bus each, so that the one with more bytes counts.
  double roof = std::min(static_cast<double>(peak),
                         divide(2 * products * config.getBusBytes(),
                                std::max(loaded, profile.outStoreBytes)));
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

/// Fetch is the first of the four rows, then come the three stages.
static unsigned getRow(Stage stage) { return static_cast<unsigned>(stage) + 1; }

static void writeRowName(llvm::json::OStream &json, unsigned row,
                         const char *name) {
  json.object([&] {
    json.attribute("name", "thread_name");
    json.attribute("ph", "M");
    json.attribute("pid", 1);
    json.attribute("tid", row);
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

/// From one cycle to another; `writeArgs` may add more.
static void writeSlice(llvm::json::OStream &json, const std::string &name,
                       const char *category, unsigned row, uint64_t begin,
                       uint64_t end, llvm::function_ref<void()> writeArgs) {
  json.object([&] {
    json.attribute("name", name);
    json.attribute("cat", category);
    json.attribute("ph", "X");
    json.attribute("ts", begin);
    json.attribute("dur", end - begin);
    json.attribute("pid", 1);
    json.attribute("tid", row);
    writeArgs();
  });
}

static void writeFetch(llvm::json::OStream &json, const FetchEvent &event) {
  std::string batch = "instructions " + std::to_string(event.first) + " to " +
                      std::to_string(event.first + event.count - 1);
  writeSlice(json, "reads " + batch, "fetch", 0, event.begin, event.ready,
             [] {});
  writeSlice(json, "dispatches " + batch, "fetch", 0, event.ready, event.end,
             [] {});
}

static void writeEvent(llvm::json::OStream &json, const Program &program,
                       const TraceEvent &event) {
  if (!event.instruction)
    return writeSlice(
        json, std::string("waits: ") + getStallCauseName(event.cause), "stall",
        getRow(event.stage), event.begin, event.end, [] {});
  Instruction instruction =
      decode(program.config, program.instructions[*event.instruction]);
  writeSlice(json, describe(program.config, instruction), "instruction",
             getRow(event.stage), event.begin, event.end, [&] {
               json.attributeObject("args", [&] {
                 json.attribute("instruction", *event.instruction);
               });
             });
}

void relay_vta_sim::writeTrace(const Program &program, const Timing &timing,
                               llvm::raw_ostream &os) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      writeRowName(json, 0, "fetch");
      for (unsigned i = 0; i < kNumStages; ++i) {
        auto stage = static_cast<Stage>(i);
        writeRowName(json, getRow(stage), getStageName(stage));
      }
      for (const FetchEvent &event : timing.fetchTrace)
        writeFetch(json, event);
      for (const TraceEvent &event : timing.trace)
        writeEvent(json, program, event);
    });
  });
  os << '\n';
}
