//===- ProgramFile.cpp - Programs of VTA in files -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/ProgramFile.h"

#include <algorithm>
#include <cstring>

using namespace relay_vta;

static constexpr char kMagic[4] = {'V', 'T', 'A', 'O'};
static constexpr uint32_t kVersion = 1;
static constexpr uint64_t kHeaderBytes = 80;

/// The parameters in the order that the file has.
static std::array<uint32_t Config::*, 10> getParameters() {
  return {&Config::inpWidth,  &Config::wgtWidth,  &Config::accWidth,
          &Config::batch,     &Config::block,     &Config::uopBuffer,
          &Config::inpBuffer, &Config::wgtBuffer, &Config::accBuffer,
          &Config::busWidth};
}

template <typename T>
static T readInteger(const uint8_t *bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= T(bytes[i]) << (i * 8);
  return value;
}

template <typename T>
static void appendInteger(std::vector<uint8_t> &bytes, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    bytes.push_back(static_cast<uint8_t>(value >> (i * 8)));
}

static std::string atOffset(uint64_t offset, const std::string &message) {
  return "offset " + std::to_string(offset) + ": " + message;
}

static std::string expects(const std::string &what, const std::string &got) {
  return "expects " + what + ", but got " + got;
}

static std::string expects(const std::string &what, uint64_t got) {
  return expects(what, std::to_string(got));
}

std::string relay_vta::checkDram(uint64_t base, uint64_t size) {
  if (base < kPageBytes || base % kPageBytes)
    return expects("dram_base, a multiple of 4096 from 4096 on", base);
  if (size % kPageBytes)
    return expects("dram_size, a multiple of 4096", size);
  if (size > kMaxDramBytes)
    return "expects at most " + std::to_string(kMaxDramBytes) +
           " bytes of memory, but got " + std::to_string(size);
  if (size > ~uint64_t(0) - base)
    return expects("dram_base + dram_size below 2^64",
                   std::to_string(base) + " + " + std::to_string(size));
  return "";
}

std::string relay_vta::readProgram(const uint8_t *bytes, size_t size,
                                   Program &program) {
  program = Program();
  if (size < sizeof(kMagic) || std::memcmp(bytes, kMagic, sizeof(kMagic)) != 0)
    return atOffset(0, "expects a program of VTA, which begins with 'VTAO'");
  if (size < kHeaderBytes)
    return atOffset(size, expects("a header of 80 bytes", size));
  if (auto version = readInteger<uint32_t>(bytes + 4); version != kVersion)
    return atOffset(4, expects("version 1", version));
  uint64_t offset = 8;
  for (uint32_t Config::*parameter : getParameters()) {
    program.config.*parameter = readInteger<uint32_t>(bytes + offset);
    offset += 4;
  }
  if (std::string message = checkConfig(program.config); !message.empty())
    return atOffset(8, message);
  program.dramBase = readInteger<uint64_t>(bytes + 48);
  auto dramSize = readInteger<uint64_t>(bytes + 56);
  program.instructionAddress = readInteger<uint64_t>(bytes + 64);
  uint64_t count = readInteger<uint32_t>(bytes + 72);
  if (std::string message = checkDram(program.dramBase, dramSize);
      !message.empty())
    return atOffset(48, message);
  if (auto zero = readInteger<uint32_t>(bytes + 76))
    return atOffset(76, expects("0", zero));
  uint64_t rest = size - kHeaderBytes;
  if (dramSize > rest)
    return atOffset(56, expects("an image of dram_size " +
                                    std::to_string(dramSize) + " bytes",
                                rest));
  const uint8_t *image = bytes + kHeaderBytes;
  const uint8_t *instructions = image + dramSize;
  rest -= dramSize;
  uint64_t streamBytes = count * kInstructionBytes;
  if (program.instructionAddress) {
    uint64_t address = program.instructionAddress;
    if (address < program.dramBase || address - program.dramBase > dramSize ||
        streamBytes > dramSize - (address - program.dramBase))
      return atOffset(64, "expects " + std::to_string(count) +
                              " instructions inside of the image, but got "
                              "insn_addr " +
                              std::to_string(address));
    instructions = image + (address - program.dramBase);
    streamBytes = 0;
  }
  if (rest != streamBytes)
    return atOffset(kHeaderBytes + dramSize,
                    expects(std::to_string(streamBytes) +
                                " bytes of instructions behind the image",
                            rest));
  program.image.assign(image, image + dramSize);
  program.instructions.reserve(count);
  for (uint64_t i = 0; i < count; ++i)
    program.instructions.push_back(
        readWords(instructions + i * kInstructionBytes));
  return "";
}

std::vector<uint8_t> relay_vta::writeProgram(const Program &program) {
  std::vector<uint8_t> bytes(kMagic, kMagic + sizeof(kMagic));
  appendInteger(bytes, kVersion);
  for (uint32_t Config::*parameter : getParameters())
    appendInteger(bytes, program.config.*parameter);
  appendInteger(bytes, program.dramBase);
  appendInteger(bytes, uint64_t(program.image.size()));
  appendInteger(bytes, program.instructionAddress);
  appendInteger(bytes, static_cast<uint32_t>(program.instructions.size()));
  appendInteger(bytes, uint32_t(0));
  bytes.insert(bytes.end(), program.image.begin(), program.image.end());
  uint64_t start = getFileOffset(program, 0);
  uint64_t streamBytes = program.instructions.size() * kInstructionBytes;
  bytes.resize(std::max<uint64_t>(bytes.size(), start + streamBytes));
  for (const InstructionWords &words : program.instructions) {
    writeWords(words, bytes.data() + start);
    start += kInstructionBytes;
  }
  return bytes;
}

uint64_t relay_vta::getFileOffset(const Program &program, uint64_t index) {
  uint64_t start = program.instructionAddress
                       ? program.instructionAddress - program.dramBase
                       : program.image.size();
  return kHeaderBytes + start + index * kInstructionBytes;
}

std::optional<uint64_t> relay_vta::findStore(const Program &program,
                                             uint64_t address) {
  std::optional<uint64_t> found;
  uint64_t bytes = program.config.getElementBytes(Memory::Out);
  for (uint64_t i = 0; i < program.instructions.size(); ++i) {
    Instruction instruction = decode(program.config, program.instructions[i]);
    if (instruction.is(Opcode::Finish))
      break;
    if (!instruction.is(Opcode::Store))
      continue;
    for (uint64_t y = 0; y < instruction.ySize; ++y) {
      uint64_t begin = (instruction.dramBase + y * instruction.xStride) * bytes;
      if (begin <= address && address - begin < instruction.xSize * bytes)
        found = i;
    }
  }
  return found;
}
