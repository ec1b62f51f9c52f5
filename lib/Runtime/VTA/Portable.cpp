//===- Portable.cpp - On what published implementations differ ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The behavioural simulator is called fsim here, the Xilinx source HLS, and the
// RTL Chisel. docs/VTA.md has the list.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Instruction.h"

using namespace relay_vta;

static Fault makeFault(const char *field, const std::string &message) {
  return {ErrorKind::NotPortable, field, message};
}

static std::string number(int64_t value) { return std::to_string(value); }

static std::optional<Fault> checkMemory(const Config &config,
                                        const Instruction &instruction) {
  auto memory = static_cast<Memory>(instruction.memory);
  bool hasYPads = instruction.yPad0 || instruction.yPad1;
  bool hasPads = hasYPads || instruction.xPad0 || instruction.xPad1;
  if (instruction.isNoOp()) {
    if (hasPads)
      return makeFault("x_size", "expects no padding where x_size is 0, which "
                                 "HLS writes and others do not");
    return std::nullopt;
  }
  if (instruction.ySize == 0)
    return makeFault("y_size",
                     "expects y_size from 1 on: with 0, Chisel hangs");
  if (memory == Memory::Acc8)
    return makeFault("memory_id",
                     "expects no memory 5 (acc8), which fsim alone has");
  if (memory == Memory::Wgt && hasPads)
    return makeFault("y_pad_0", "expects no padding of wgt, which HLS ignores");
  if (memory == Memory::Uop && (hasPads || instruction.ySize > 1))
    return makeFault("y_size", "expects one row of micro-ops without padding; "
                               "HLS loads nothing else");
  if (memory == Memory::Uop &&
      instruction.sramBase + uint64_t(instruction.xSize) > kPortableUopDepth)
    return makeFault("sram_base",
                     "expects micro-ops below " + number(kPortableUopDepth) +
                         ", where the memory of Chisel ends, but got " +
                         number(instruction.sramBase + instruction.xSize - 1));
  if (instruction.is(Opcode::Store) && instruction.ySize > 1 &&
      config.getOutBits() != 8)
    return makeFault(
        "y_size", "expects a STORE of one row where results have " +
                      number(config.getOutBits()) + " bits: Chisel assumes 8");
  return std::nullopt;
}

std::optional<Fault> relay_vta::checkPortable(const Config &config,
                                              const Instruction &instruction) {
  if (config.getLogDepth(Memory::Inp) < config.getLogDepth(Memory::Acc))
    return makeFault("", "expects a configuration with as many elements of inp "
                         "as of acc, or more: with fewer, HLS has wgt "
                         "elsewhere in micro-ops");
  if (instruction.isMemory())
    return checkMemory(config, instruction);
  if (!instruction.isCompute())
    return std::nullopt;
  if (!instruction.getNumIterations())
    return makeFault(instruction.iterOut ? "iter_in" : "iter_out",
                     "expects iterations from 1 on: with 0, Chisel goes round "
                     "16384 times");
  if (!instruction.getNumUops())
    return makeFault("uop_end",
                     "expects micro-ops: without any, Chisel goes on for ever");
  if (instruction.uopEnd > kPortableUopDepth)
    return makeFault("uop_end",
                     "expects micro-ops below " + number(kPortableUopDepth) +
                         ", where the memory of Chisel ends, but got " +
                         number(instruction.uopEnd - 1));
  if (!instruction.is(Opcode::Alu))
    return std::nullopt;
  auto opcode = static_cast<AluOpcode>(instruction.aluOpcode);
  if (opcode == AluOpcode::Mul)
    return makeFault("alu_opcode", "expects no mul, which fsim alone has");
  if (opcode == AluOpcode::Shr && instruction.useImm &&
      (instruction.imm < -16 || instruction.imm > 15))
    return makeFault("imm", "expects a shift from -16 to 15, but got " +
                                number(instruction.imm) +
                                ", of which HLS keeps 5 bits");
  return std::nullopt;
}

namespace {

/// Indices that one micro-op of one iteration has.
struct Access {
  uint64_t dst, src;
};

} // namespace

/// Chisel's ALU reads what the micro-op one step before writes too early.
static std::optional<Fault> checkHazard(const Access &before,
                                        const Access &access) {
  bool isDst = access.dst == before.dst;
  if (!isDst && access.src != before.dst)
    return std::nullopt;
  return makeFault(
      isDst ? "dst" : "src",
      std::string("expects no element of acc in two micro-ops of an ALU one "
                  "after the other, but got ") +
          (isDst ? "dst " : "src ") + number(before.dst) +
          ", which the one before writes: the pipeline of Chisel reads it too "
          "early");
}

std::optional<Fault>
relay_vta::checkPortableUops(const Instruction &instruction,
                             const std::vector<Uop> &uops) {
  if (!instruction.is(Opcode::Alu) || uops.empty() ||
      !instruction.getNumIterations())
    return std::nullopt;
  if (instruction.useImm) {
    if (instruction.iterOut > 1 && instruction.srcOut != instruction.dstOut)
      return makeFault("src_factor_out",
                       "expects src_factor_out " + number(instruction.dstOut) +
                           " with an immediate, as dst_factor_out, but got " +
                           number(instruction.srcOut) +
                           ": Chisel computes on src");
    if (instruction.iterIn > 1 && instruction.srcIn != instruction.dstIn)
      return makeFault("src_factor_in",
                       "expects src_factor_in " + number(instruction.dstIn) +
                           " with an immediate, as dst_factor_in, but got " +
                           number(instruction.srcIn) +
                           ": Chisel computes on src");
  }
  for (const Uop &uop : uops) {
    if (instruction.useImm && uop.src != uop.dst)
      return makeFault("src", "expects src " + number(uop.dst) +
                                  " with an immediate, as dst, but got " +
                                  number(uop.src) + ": Chisel computes on src");
  }
  // Neighbours in the walk: inside of an iteration, from the last micro-op to
  // the first of the next one, and from the last inner iteration to the first.
  auto at = [&](uint64_t o, uint64_t i, const Uop &uop) -> Access {
    return {uop.dst + o * instruction.dstOut + i * instruction.dstIn,
            uop.src + o * instruction.srcOut + i * instruction.srcIn};
  };
  // Where dst and src step alike, one iteration is as good as any other; else
  // src may meet dst in any of them.
  bool isAlike = instruction.dstOut == instruction.srcOut &&
                 instruction.dstIn == instruction.srcIn;
  uint64_t numOut = isAlike ? 1 : instruction.iterOut;
  uint64_t numIn = isAlike ? 1 : instruction.iterIn;
  for (uint64_t o = 0; o < numOut; ++o) {
    for (uint64_t i = 0; i < numIn; ++i) {
      for (size_t u = 1; u < uops.size(); ++u)
        if (auto fault = checkHazard(at(o, i, uops[u - 1]), at(o, i, uops[u])))
          return fault;
      if (i + 1 < instruction.iterIn)
        if (auto fault =
                checkHazard(at(o, i, uops.back()), at(o, i + 1, uops.front())))
          return fault;
    }
    if (o + 1 < instruction.iterOut)
      if (auto fault = checkHazard(at(o, instruction.iterIn - 1, uops.back()),
                                   at(o + 1, 0, uops.front())))
        return fault;
  }
  return std::nullopt;
}
