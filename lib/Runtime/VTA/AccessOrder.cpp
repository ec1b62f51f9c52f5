//===- AccessOrder.cpp - What tokens order --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessOrder.h"

#include "relay-mlir/Runtime/VTA/ProgramFile.h"

#include <algorithm>

using namespace relay_vta;

/// Bytes that each LOAD and STORE accesses a multiple of, from a multiple of
/// them on.
static uint64_t getDramUnit(const Config &config) {
  uint64_t unit = kPageBytes;
  for (Memory memory : {Memory::Uop, Memory::Wgt, Memory::Inp, Memory::Acc,
                        Memory::Out, Memory::Acc8})
    unit = std::min(unit, config.getElementBytes(memory));
  return unit;
}

AccessOrder::AccessOrder(const Config &config, AddressRange range)
    : storable(config.getDepth(Memory::Acc)) {
  init(inp, config.getDepth(Memory::Inp), Stage::Load, {Stage::Compute});
  init(wgt, config.getDepth(Memory::Wgt), Stage::Load, {Stage::Compute});
  init(acc, config.getDepth(Memory::Acc), Stage::Compute,
       {Stage::Compute, Stage::Store});
  dram.unit = getDramUnit(config);
  init(dram, (range.size + dram.unit - 1) / dram.unit, Stage::Store,
       {Stage::Load, Stage::Compute});
}

void AccessOrder::init(Log &log, uint64_t size, Stage writer,
                       std::initializer_list<Stage> readers) {
  auto allocate = [&](Numbers &numbers) {
    numbers.reset(static_cast<uint32_t *>(
        std::calloc(std::max<uint64_t>(size, 1), sizeof(uint32_t))));
    hasMemory &= numbers != nullptr;
  };
  log.writer = writer;
  allocate(log.write);
  for (Stage reader : readers)
    allocate(log.reads[static_cast<unsigned>(reader)]);
}

void AccessOrder::begin(Stage runningStage, uint64_t index,
                        const Clock &after) {
  stage = runningStage;
  clock = after;
  begun[static_cast<unsigned>(stage)].push_back(index);
}

AccessOrder::Log &AccessOrder::getLog(Memory memory) {
  switch (memory) {
  case Memory::Inp:
    return inp;
  case Memory::Wgt:
    return wgt;
  default:
    return acc;
  }
}

std::optional<Fault> AccessOrder::checkOrder(const char *name, uint64_t index,
                                             bool isWrite, Stage other,
                                             uint32_t number,
                                             bool isOtherWrite) {
  auto otherStage = static_cast<unsigned>(other);
  if (number == 0 || other == stage || clock[otherStage] >= number)
    return std::nullopt;
  return Fault{ErrorKind::Race, "",
               std::string(isWrite ? "writes " : "reads ") + name + "[" +
                   std::to_string(index) + "], which instruction " +
                   std::to_string(begun[otherStage][number - 1]) + " of the " +
                   getStageName(other) + " stage " +
                   (isOtherWrite ? "writes" : "reads") +
                   ": expects tokens that order them"};
}

std::optional<Fault> AccessOrder::access(Log &log, const char *name,
                                         uint64_t index, bool isWrite) {
  uint64_t place = index * log.unit;
  if (auto fault = checkOrder(name, place, isWrite, log.writer,
                              log.write[index], /*isOtherWrite=*/true))
    return fault;
  auto own = static_cast<unsigned>(stage);
  auto number = static_cast<uint32_t>(begun[own].size());
  if (!isWrite) {
    if (stage != log.writer)
      log.reads[own][index] = number;
    return std::nullopt;
  }
  for (unsigned other = 0; other < kNumStages; ++other)
    if (log.reads[other])
      if (auto fault =
              checkOrder(name, place, isWrite, static_cast<Stage>(other),
                         log.reads[other][index],
                         /*isOtherWrite=*/false))
        return fault;
  log.write[index] = number;
  return std::nullopt;
}

std::optional<Fault> AccessOrder::read(Memory memory, uint64_t index) {
  return access(getLog(memory), getMemoryName(static_cast<unsigned>(memory)),
                index, /*isWrite=*/false);
}

std::optional<Fault> AccessOrder::write(Memory memory, uint64_t index) {
  return access(getLog(memory), getMemoryName(static_cast<unsigned>(memory)),
                index, /*isWrite=*/true);
}

std::optional<Fault> AccessOrder::accessDram(uint64_t begin, uint64_t end,
                                             bool isWrite) {
  for (uint64_t i = begin / dram.unit; i < end / dram.unit; ++i)
    if (auto fault = access(dram, "dram", i, isWrite))
      return fault;
  return std::nullopt;
}

std::optional<Fault> AccessOrder::readDram(uint64_t begin, uint64_t end) {
  return accessDram(begin, end, /*isWrite=*/false);
}

std::optional<Fault> AccessOrder::writeDram(uint64_t begin, uint64_t end) {
  return accessDram(begin, end, /*isWrite=*/true);
}
