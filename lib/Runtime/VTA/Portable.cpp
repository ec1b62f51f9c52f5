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

#include <algorithm>

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

/// How often the loops go round, or where they are: inner ones run first.
struct Iteration {
  int64_t out, in;
  bool operator<(const Iteration &other) const {
    return out != other.out ? out < other.out : in < other.in;
  }
};

/// first + out * o + in * i, in iteration (o, i).
struct Index {
  int64_t first, out, in;
  int64_t at(Iteration iteration) const {
    return first + iteration.out * out + iteration.in * in;
  }
};

/// Two micro-ops one after the other, in the first `count` iterations.
struct Neighbours {
  Index dstBefore, dst, src;
  Iteration count;
};

} // namespace

/// Floors the quotient by a positive divisor.
static int64_t divideDown(int64_t dividend, int64_t divisor) {
  int64_t quotient = dividend / divisor;
  return dividend % divisor < 0 ? quotient - 1 : quotient;
}

/// The greatest common divisor of `a` and `b`, not negative, and in `inverse`
/// what `a` is multiplied by to give it modulo `b`.
static int64_t findInverse(int64_t a, int64_t b, int64_t &inverse) {
  int64_t next = 0;
  inverse = 1;
  while (b) {
    int64_t quotient = a / b;
    a -= quotient * b;
    inverse -= quotient * next;
    std::swap(a, b);
    std::swap(inverse, next);
  }
  return a;
}

/// The first iteration in which `index` is 0. The loops may go round 2^28
/// times, so that this is no search: the steps decide.
static std::optional<Iteration> findZero(Index index, Iteration count) {
  if (count.out <= 0 || count.in <= 0)
    return std::nullopt;
  // As in * i == rest - out * o, with `in` from 0 on.
  int64_t rest = -index.first, out = index.out, in = index.in;
  if (in < 0) {
    rest = -rest;
    out = -out;
    in = -in;
  }
  if (out == 0 && in == 0)
    return rest == 0 ? std::optional(Iteration{0, 0}) : std::nullopt;
  // i is from 0 to count.in - 1 where out * o is from `low` to `rest`.
  int64_t low = rest - in * (count.in - 1), high = rest;
  if (out < 0) {
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  int64_t step = out < 0 ? -out : out;
  int64_t o = 0, last = 0;
  if (step == 0) {
    if (low > 0 || high < 0)
      return std::nullopt;
  } else {
    o = std::max<int64_t>(0, -divideDown(-low, step));
    last = std::min(count.out - 1, divideDown(high, step));
  }
  if (in == 0)
    return o <= last ? std::optional(Iteration{o, 0}) : std::nullopt;
  // The first o from there on for which rest - out * o is a multiple of `in`.
  int64_t inverse;
  int64_t divisor = findInverse(step, in, inverse);
  if (rest % divisor)
    return std::nullopt;
  int64_t period = in / divisor;
  int64_t residue = (rest / divisor % period) * (inverse % period) % period;
  if (out < 0)
    residue = -residue;
  o += ((residue - o) % period + period) % period;
  if (o > last)
    return std::nullopt;
  return Iteration{o, (rest - out * o) / in};
}

/// The first iteration in which two indices are the same.
static std::optional<Iteration> findSame(const Index &a, const Index &b,
                                         Iteration count) {
  return findZero({a.first - b.first, a.out - b.out, a.in - b.in}, count);
}

/// Chisel's ALU reads what the micro-op one step before writes too early. Only
/// a fault in an iteration before `end` is one, and then `end` is that
/// iteration.
static void checkHazard(const Neighbours &neighbours, Iteration &end,
                        std::optional<Fault> &fault) {
  for (bool isDst : {true, false}) {
    const Index &index = isDst ? neighbours.dst : neighbours.src;
    std::optional<Iteration> found =
        findSame(neighbours.dstBefore, index, neighbours.count);
    if (!found || !(*found < end))
      continue;
    end = *found;
    fault = makeFault(
        isDst ? "dst" : "src",
        std::string("expects no element of acc in two micro-ops of an ALU one "
                    "after the other, but got ") +
            (isDst ? "dst " : "src ") +
            number(neighbours.dstBefore.at(*found)) +
            ", which the one before writes: the pipeline of Chisel reads it "
            "too early");
  }
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
  int64_t numOut = instruction.iterOut, numIn = instruction.iterIn;
  auto getDst = [&](const Uop &uop) -> Index {
    return {uop.dst, instruction.dstOut, instruction.dstIn};
  };
  auto getSrc = [&](const Uop &uop) -> Index {
    return {uop.src, instruction.srcOut, instruction.srcIn};
  };
  Iteration end = {numOut, 0};
  std::optional<Fault> fault;
  for (size_t u = 1; u < uops.size(); ++u)
    checkHazard({getDst(uops[u - 1]),
                 getDst(uops[u]),
                 getSrc(uops[u]),
                 {numOut, numIn}},
                end, fault);
  Index last = getDst(uops.back());
  auto addStep = [](Index index, int64_t step) -> Index {
    return {index.first + step, index.out, index.in};
  };
  checkHazard({last,
               addStep(getDst(uops.front()), instruction.dstIn),
               addStep(getSrc(uops.front()), instruction.srcIn),
               {numOut, numIn - 1}},
              end, fault);
  // The inner loop is at its end before, and at its begin after.
  auto fixInner = [](Index index, int64_t inner) -> Index {
    return {index.at({0, inner}), index.out, 0};
  };
  checkHazard({fixInner(last, numIn - 1),
               fixInner(addStep(getDst(uops.front()), instruction.dstOut), 0),
               fixInner(addStep(getSrc(uops.front()), instruction.srcOut), 0),
               {numOut - 1, 1}},
              end, fault);
  return fault;
}
