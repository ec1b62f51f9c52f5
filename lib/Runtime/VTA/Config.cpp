//===- Config.cpp - What a VTA is made of ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Config.h"

#include "relay-mlir/Runtime/VTA/Instruction.h"

#include <cstdio>

using namespace relay_vta;

const char *relay_vta::getMemoryName(unsigned memory) {
  return memory < kNumMemories ? kMemoryNames[memory] : nullptr;
}

uint64_t Config::getLanes(Memory memory) const {
  switch (memory) {
  case Memory::Uop:
    return 1;
  case Memory::Wgt:
    return getBlock() * getBlock();
  default:
    return getBatch() * getBlock();
  }
}

uint64_t Config::getElementBytes(Memory memory) const {
  uint64_t lanes = getLanes(memory);
  switch (memory) {
  case Memory::Uop:
    return 4;
  case Memory::Wgt:
    return lanes * getWgtBits() / 8;
  case Memory::Inp:
  case Memory::Out:
    return lanes * getInpBits() / 8;
  case Memory::Acc:
    return lanes * getAccBits() / 8;
  case Memory::Acc8:
    return lanes;
  }
  return 0;
}

uint32_t Config::getLogDepth(Memory memory) const {
  switch (memory) {
  case Memory::Uop:
    return uopBuffer - 2;
  case Memory::Wgt:
    return wgtBuffer + 3 - 2 * block - wgtWidth;
  case Memory::Inp:
    return inpBuffer + 3 - batch - block - inpWidth;
  case Memory::Acc:
  case Memory::Out:
  case Memory::Acc8:
    return accBuffer + 3 - batch - block - accWidth;
  }
  return 0;
}

bool Config::operator==(const Config &other) const {
  return inpWidth == other.inpWidth && wgtWidth == other.wgtWidth &&
         accWidth == other.accWidth && batch == other.batch &&
         block == other.block && uopBuffer == other.uopBuffer &&
         inpBuffer == other.inpBuffer && wgtBuffer == other.wgtBuffer &&
         accBuffer == other.accBuffer && busWidth == other.busWidth;
}

static std::string expects(const std::string &what, uint64_t got) {
  return "expects " + what + ", but got " + std::to_string(got);
}

/// `value`, a logarithm, is in a range; else what is expected.
static bool isOutside(std::string &message, const char *name, uint32_t value,
                      uint32_t low, uint32_t high) {
  if (value >= low && value <= high)
    return false;
  message = expects(std::string(name) + " from " + std::to_string(low) +
                        " to " + std::to_string(high),
                    value);
  return true;
}

std::string relay_vta::checkConfig(const Config &config) {
  std::string message;
  // Ranges first, so that no sum below overflows.
  constexpr uint32_t kMaxBuffer = 28;
  if (isOutside(message, "LOG_INP_WIDTH", config.inpWidth, 0, 5) ||
      isOutside(message, "LOG_WGT_WIDTH", config.wgtWidth, 0, 5) ||
      isOutside(message, "LOG_ACC_WIDTH", config.accWidth, config.inpWidth,
                5) ||
      isOutside(message, "LOG_BATCH", config.batch, 0, 12) ||
      isOutside(message, "LOG_BLOCK", config.block, 0, 12) ||
      isOutside(message, "LOG_UOP_BUFF_SIZE", config.uopBuffer, 2,
                kMaxBuffer) ||
      isOutside(message, "LOG_INP_BUFF_SIZE", config.inpBuffer, 0,
                kMaxBuffer) ||
      isOutside(message, "LOG_WGT_BUFF_SIZE", config.wgtBuffer, 0,
                kMaxBuffer) ||
      isOutside(message, "LOG_ACC_BUFF_SIZE", config.accBuffer, 0,
                kMaxBuffer) ||
      isOutside(message, "LOG_BUS_WIDTH", config.busWidth, 3, 12))
    return message;
  struct {
    const char *name;
    uint32_t logBits, logBuffer;
  } memories[] = {
      {"inp", config.batch + config.block + config.inpWidth, config.inpBuffer},
      {"wgt", 2 * config.block + config.wgtWidth, config.wgtBuffer},
      {"acc", config.batch + config.block + config.accWidth, config.accBuffer}};
  for (auto &memory : memories) {
    std::string element = std::string("an element of ") + memory.name;
    if (memory.logBits < 3)
      return expects(element + " of whole bytes (8 bits at least)",
                     uint64_t(1) << memory.logBits);
    // Buffers are aligned to pages, so that no element may be larger.
    if (memory.logBits > 15)
      return expects(element + " of 4096 bytes at most",
                     uint64_t(1) << (memory.logBits - 3));
    if (memory.logBuffer + 3 < memory.logBits)
      return expects(std::string("a buffer of ") + memory.name +
                         " with room for an element of " +
                         std::to_string(uint64_t(1) << (memory.logBits - 3)) +
                         " bytes",
                     uint64_t(1) << memory.logBuffer);
  }
  return checkEncoding(config);
}

std::string relay_vta::getConfigName(const Config &config) {
  return std::to_string(config.getBatch()) + "x" +
         std::to_string(config.getBlock()) + "_i" +
         std::to_string(config.getInpBits()) + "w" +
         std::to_string(config.getWgtBits()) + "a" +
         std::to_string(config.getAccBits()) + "_" +
         std::to_string(config.uopBuffer) + "_" +
         std::to_string(config.inpBuffer) + "_" +
         std::to_string(config.wgtBuffer) + "_" +
         std::to_string(config.accBuffer);
}

/// The logarithm of a power of 2.
static bool toLog(unsigned value, uint32_t &log) {
  if (value == 0 || (value & (value - 1)))
    return false;
  for (log = 0; (value >>= 1);)
    ++log;
  return true;
}

std::string relay_vta::parseConfigName(const std::string &name,
                                       Config &config) {
  unsigned batch, block, inp, wgt, acc, uopBuffer, inpBuffer, wgtBuffer,
      accBuffer;
  int end = -1;
  std::string message = "expects a configuration such as " +
                        getConfigName(Config()) + ", but got '" + name + "'";
  if (std::sscanf(name.c_str(), "%5ux%5u_i%5uw%5ua%5u_%5u_%5u_%5u_%5u%n",
                  &batch, &block, &inp, &wgt, &acc, &uopBuffer, &inpBuffer,
                  &wgtBuffer, &accBuffer, &end) != 9 ||
      end != static_cast<int>(name.size()))
    return message;
  Config result;
  result.busWidth = config.busWidth;
  struct {
    const char *name;
    unsigned value;
    uint32_t &log;
  } powers[] = {{"batch", batch, result.batch},
                {"block", block, result.block},
                {"the width of inp", inp, result.inpWidth},
                {"the width of wgt", wgt, result.wgtWidth},
                {"the width of acc", acc, result.accWidth}};
  for (auto &power : powers)
    if (!toLog(power.value, power.log))
      return message + ": " +
             expects("a power of 2 for " + std::string(power.name),
                     power.value);
  result.uopBuffer = uopBuffer;
  result.inpBuffer = inpBuffer;
  result.wgtBuffer = wgtBuffer;
  result.accBuffer = accBuffer;
  // Fields are cut at five digits; another number is another name.
  if (getConfigName(result) != name)
    return message;
  config = result;
  return "";
}
