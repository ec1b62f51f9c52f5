//===- Core.cpp - What instructions do ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>
#include <cstring>

using namespace relay_vta;

/// What a micro-op or a row counts at least: either takes time of its own.
static constexpr uint64_t kLeastWork = 64;

Core::Core(const Config &config)
    : config(config), uop(config, Memory::Uop), wgt(config, Memory::Wgt),
      inp(config, Memory::Inp), acc(config, Memory::Acc),
      multiply(selectGemm(config)) {}

void Core::start(AddressRange range, uint8_t *memory, const RunOptions &options,
                 AccessOrder *accessOrder) {
  dram = range;
  image = memory;
  work = 0;
  maxWork = options.maxWork;
  computes = !options.timingOnly;
  order = accessOrder;
}

Scratchpad &Core::getScratchpad(Memory memory) {
  switch (memory) {
  case Memory::Uop:
    return uop;
  case Memory::Wgt:
    return wgt;
  case Memory::Inp:
    return inp;
  default:
    return acc;
  }
}

std::optional<Fault> Core::execute(const Instruction &instruction) {
  if (!uop || !wgt || !inp || !acc)
    return Fault{ErrorKind::Memory, "", "there is no memory for scratchpads"};
  if (order && !*order)
    return Fault{ErrorKind::Memory, "",
                 "there is no memory for who accesses what in the strict mode"};
  if (instruction.isCompute())
    return compute(instruction);
  if (instruction.is(Opcode::Finish) || instruction.isNoOp())
    return std::nullopt;
  return instruction.is(Opcode::Load) ? load(instruction) : store(instruction);
}

//===----------------------------------------------------------------------===//
// LOAD and STORE
//===----------------------------------------------------------------------===//

std::optional<Fault> Core::charge(uint64_t count, uint64_t each,
                                  const char *what) {
  each = std::max(each, kLeastWork);
  // Neither factor has more than 42 bits, but their product may.
  if (count > (maxWork - work) / each)
    return Fault{ErrorKind::Limit, "",
                 "expects a program of " + std::to_string(maxWork) +
                     " lanes and bytes at most, but got " +
                     std::to_string(work) + " and then " +
                     std::to_string(count) + " " + what + " of " +
                     std::to_string(each)};
  work += count * each;
  return std::nullopt;
}

std::optional<Fault> Core::chargeRows(const Instruction &instruction,
                                      uint64_t elementBytes) {
  uint64_t rows =
      uint64_t(instruction.yPad0) + instruction.ySize + instruction.yPad1;
  uint64_t elements =
      uint64_t(instruction.xPad0) + instruction.xSize + instruction.xPad1;
  return charge(rows, elements * elementBytes, "rows");
}

std::optional<Fault> Core::load(const Instruction &instruction) {
  auto memory = static_cast<Memory>(instruction.memory);
  Scratchpad &pad = getScratchpad(memory);
  uint64_t bytes = config.getElementBytes(memory);
  if (auto fault = chargeRows(instruction, pad.elementBytes))
    return fault;
  if (order && memory != Memory::Uop) {
    uint64_t count = instruction.getNumElements();
    for (uint64_t i = 0; i < count; ++i) {
      if (auto fault =
              order->write(memory == Memory::Acc8 ? Memory::Acc : memory,
                           instruction.sramBase + i))
        return fault;
      if (memory == Memory::Acc || memory == Memory::Acc8)
        order->setStorable(instruction.sramBase + i, false);
    }
  }
  uint64_t rowBytes = instruction.xSize * bytes;
  uint64_t position = instruction.sramBase;
  auto zero = [&](uint64_t count) {
    std::memset(pad.at(position), 0, count * pad.elementBytes);
    position += count;
  };
  uint64_t width = uint64_t(instruction.xPad0) + instruction.xSize +
                   uint64_t(instruction.xPad1);
  zero(width * instruction.yPad0);
  for (uint64_t y = 0; y < instruction.ySize; ++y) {
    zero(instruction.xPad0);
    uint64_t offset =
        (instruction.dramBase + y * instruction.xStride) * bytes - dram.base;
    if (order)
      if (auto fault = order->readDram(offset, offset + rowBytes))
        return fault;
    const uint8_t *from = image + offset;
    uint8_t *to = pad.at(position);
    if (memory == Memory::Acc8)
      for (uint64_t i = 0; i < rowBytes; ++i)
        writeLane(to, i, config.accWidth,
                  static_cast<uint32_t>(static_cast<int8_t>(from[i])));
    else
      std::memcpy(to, from, rowBytes);
    position += instruction.xSize;
    zero(instruction.xPad1);
  }
  zero(width * instruction.yPad1);
  uint64_t loaded =
      uint64_t(instruction.ySize) * instruction.xSize * pad.elementBytes;
  (memory == Memory::Uop   ? profile.uopLoadBytes
   : memory == Memory::Wgt ? profile.wgtLoadBytes
   : memory == Memory::Inp ? profile.inpLoadBytes
                           : profile.accLoadBytes) += loaded;
  return std::nullopt;
}

std::optional<Fault> Core::store(const Instruction &instruction) {
  uint64_t bytes = config.getElementBytes(Memory::Out);
  uint64_t position = instruction.sramBase;
  if (auto fault = chargeRows(instruction, acc.elementBytes))
    return fault;
  for (uint64_t y = 0; y < instruction.ySize; ++y) {
    uint64_t offset =
        (instruction.dramBase + y * instruction.xStride) * bytes - dram.base;
    if (order) {
      if (auto fault =
              order->writeDram(offset, offset + instruction.xSize * bytes))
        return fault;
      for (uint64_t x = 0; x < instruction.xSize; ++x) {
        if (auto fault = order->read(Memory::Acc, position + x))
          return fault;
        if (!order->isStorable(position + x))
          return Fault{ErrorKind::NotPortable, "sram_base",
                       "expects elements that an ALU or GEMM has written last, "
                       "but got acc[" +
                           std::to_string(position + x) +
                           "], loaded, reset or never written: hardware stores "
                           "from a buffer of its own"};
      }
    }
    for (uint64_t x = 0; x < instruction.xSize; ++x)
      truncate(config, image + offset + x * bytes, acc.at(position + x));
    position += instruction.xSize;
  }
  profile.outStoreBytes +=
      uint64_t(instruction.ySize) * instruction.xSize * bytes;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// GEMM and ALU
//===----------------------------------------------------------------------===//

/// Calls `visit(o, i, uop)` in the order of the hardware until it returns a
/// fault.
template <typename VisitFn>
static std::optional<Fault> walk(const Instruction &instruction,
                                 const std::vector<Uop> &uops, VisitFn visit) {
  for (uint64_t o = 0; o < instruction.iterOut; ++o)
    for (uint64_t i = 0; i < instruction.iterIn; ++i)
      for (const Uop &uop : uops)
        if (std::optional<Fault> fault =
                visit(uop.dst + o * instruction.dstOut + i * instruction.dstIn,
                      uop.src + o * instruction.srcOut + i * instruction.srcIn,
                      uop.wgt + o * instruction.wgtOut + i * instruction.wgtIn))
          return fault;
  return std::nullopt;
}

std::optional<Fault> Core::compute(const Instruction &instruction) {
  uint64_t iterations = instruction.getNumIterations();
  if (iterations == 0 || instruction.getNumUops() == 0)
    return std::nullopt;
  if (instruction.uopEnd > uop.depth)
    return Fault{ErrorKind::ScratchpadOverflow, "uop_end",
                 "expects micro-ops below " + std::to_string(uop.depth) +
                     ", but got " + std::to_string(instruction.uopEnd - 1)};
  uops.clear();
  for (uint64_t i = instruction.uopBegin; i < instruction.uopEnd; ++i) {
    uint32_t word;
    std::memcpy(&word, uop.at(i), sizeof(word));
    uops.push_back(decodeUop(config, word));
    if (std::optional<Fault> fault =
            checkIndices(config, instruction, uops.back())) {
      fault->message = "micro-op " + std::to_string(i) + ": " + fault->message;
      return fault;
    }
  }
  bool isGemm = instruction.is(Opcode::Gemm);
  uint64_t count = iterations * uops.size();
  uint64_t lanes = config.getLanes(Memory::Acc);
  if (isGemm && !instruction.reset)
    lanes *= config.getBlock();
  if (auto fault = charge(count, lanes, "micro-ops"))
    return fault;
  if (order) {
    if (auto fault = checkPortableUops(instruction, uops))
      return fault;
    if (auto fault = orderCompute(instruction))
      return fault;
  }
  if (!isGemm) {
    profile.aluCount += count;
    if (computes)
      alu(instruction);
    return std::nullopt;
  }
  if (!instruction.reset)
    profile.gemmCount += count;
  if (computes)
    gemm(instruction);
  return std::nullopt;
}

std::optional<Fault> Core::orderCompute(const Instruction &instruction) {
  bool isReset = instruction.is(Opcode::Gemm) && instruction.reset;
  bool isGemm = instruction.is(Opcode::Gemm) && !instruction.reset;
  if (auto fault = checkShifts(instruction))
    return fault;
  return walk(
      instruction, uops,
      [&](uint64_t dst, uint64_t src, uint64_t weight) -> std::optional<Fault> {
        if (isGemm) {
          if (auto fault = order->read(Memory::Inp, src))
            return fault;
          if (auto fault = order->read(Memory::Wgt, weight))
            return fault;
        }
        order->setStorable(dst, !isReset);
        return order->write(Memory::Acc, dst);
      });
}

/// Shift amounts in registers that implementations agree on. An instruction may
/// write what it shifts by, so they are looked at before.
std::optional<Fault> Core::checkShifts(const Instruction &instruction) {
  if (!instruction.is(Opcode::Alu) || instruction.useImm ||
      static_cast<AluOpcode>(instruction.aluOpcode) != AluOpcode::Shr)
    return std::nullopt;
  return walk(instruction, uops,
              [&](uint64_t, uint64_t src, uint64_t) -> std::optional<Fault> {
                for (uint64_t i = 0; i < config.getLanes(Memory::Acc); ++i) {
                  int32_t amount = readLane(acc.at(src), i, config.accWidth);
                  if (amount < 0 || amount > 15)
                    return Fault{
                        ErrorKind::NotPortable, "src",
                        "expects shifts by 0 to 15 in acc, but got " +
                            std::to_string(amount) + " in acc[" +
                            std::to_string(src) +
                            "], which implementations take differently"};
                }
                return std::nullopt;
              });
}

void Core::gemm(const Instruction &instruction) {
  (void)walk(
      instruction, uops,
      [&](uint64_t dst, uint64_t src, uint64_t weight) -> std::optional<Fault> {
        if (instruction.reset)
          std::memset(acc.at(dst), 0, acc.elementBytes);
        else
          multiply(config, acc.at(dst), inp.at(src), wgt.at(weight));
        return std::nullopt;
      });
}

void Core::alu(const Instruction &instruction) {
  auto opcode = static_cast<AluOpcode>(instruction.aluOpcode);
  (void)walk(instruction, uops,
             [&](uint64_t dst, uint64_t src, uint64_t) -> std::optional<Fault> {
               operateElement(config, opcode, acc.at(dst),
                              instruction.useImm ? nullptr : acc.at(src),
                              instruction.imm);
               return std::nullopt;
             });
}
