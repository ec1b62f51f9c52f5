//===- StrictTest.cpp - The strict mode of the simulators -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each behaviour that published implementations do not share is refused, and
// what is next to it is not.
//
//===----------------------------------------------------------------------===//

#include "StreamBuilder.h"

#include <random>

using namespace relay_vta_test;

namespace {

/// What the strict mode says of a stream with `middle` between data that is
/// loaded and a store; empty if nothing.
template <typename AddFn>
std::string check(const std::vector<Uop> &uops, AddFn middle,
                  const Config &config = {}) {
  StreamBuilder builder;
  builder.program.config = config;
  builder.loadUops(uops);
  builder.load(Memory::Acc, 0, 8);
  middle(builder);
  builder.finish();
  // It is fine otherwise.
  EXPECT_EQ(builder.run().message, "");
  RunStatus status = builder.runStrict();
  if (status.isOk())
    return "";
  EXPECT_EQ(status.kind, ErrorKind::NotPortable);
  return status.message;
}

std::vector<Uop> twoUops() { return {{0, 0, 0}, {1, 1, 0}}; }

TEST(StrictTest, Shifts) {
  for (int amount : {-17, -16, 15, 16}) {
    std::string message = check(twoUops(), [&](StreamBuilder &builder) {
      builder.add(
          builder.makeImm(AluOpcode::Shr, static_cast<int16_t>(amount), 2));
    });
    bool isPortable = amount >= -16 && amount <= 15;
    EXPECT_EQ(message.empty(), isPortable) << message;
  }
  // By a register: what is loaded there.
  for (int amount : {-1, 15, 16}) {
    StreamBuilder builder;
    builder.program.image[0] = static_cast<uint8_t>(amount);
    for (int i = 1; i < 4; ++i)
      builder.program.image[i] = amount < 0 ? 255 : 0;
    builder.loadUops({{1, 0, 0}});
    builder.load(Memory::Acc, 0, 1);
    builder.add(builder.makeAlu(AluOpcode::Shr, 1));
    builder.finish();
    EXPECT_EQ(builder.run().message, "");
    EXPECT_EQ(builder.runStrict().isOk(), amount == 15);
  }
}

TEST(StrictTest, ImmediatesAreInPlace) {
  EXPECT_EQ(check({{0, 1, 0}},
                  [](StreamBuilder &builder) {
                    builder.add(builder.makeImm(AluOpcode::Add, 1, 1));
                  }),
            "instruction 2: src: expects src 0 with an immediate, as dst, but "
            "got 1: Chisel computes on src");
  auto addLoop = [](unsigned srcIn) {
    return [srcIn](StreamBuilder &builder) {
      Instruction alu = builder.makeImm(AluOpcode::Add, 1, 1);
      alu.iterIn = 2;
      alu.dstIn = 1;
      alu.srcIn = srcIn;
      builder.add(alu);
    };
  };
  EXPECT_EQ(check({{0, 0, 0}}, addLoop(1)), "");
  EXPECT_NE(check({{0, 0, 0}}, addLoop(0)), "");
}

TEST(StrictTest, Hazards) {
  auto add = [](StreamBuilder &builder) {
    builder.add(builder.makeAlu(AluOpcode::Add,
                                static_cast<unsigned>(builder.numUops)));
  };
  EXPECT_EQ(check({{0, 4, 0}, {1, 5, 0}, {0, 6, 0}}, add), "");
  EXPECT_NE(check({{0, 4, 0}, {0, 5, 0}}, add), "");
  EXPECT_NE(check({{0, 4, 0}, {1, 0, 0}}, add), "");
  // From one iteration to the next.
  auto addLoop = [](unsigned step) {
    return [step](StreamBuilder &builder) {
      Instruction alu = builder.makeImm(AluOpcode::Add, 1, 1);
      alu.iterOut = 2;
      alu.dstOut = alu.srcOut = step;
      builder.add(alu);
    };
  };
  EXPECT_EQ(check({{0, 0, 0}}, addLoop(1)), "");
  EXPECT_NE(check({{0, 0, 0}}, addLoop(0)), "");
}

/// Whether a micro-op has an element that the one before it in the walk writes.
bool hasHazard(const Instruction &alu, const std::vector<Uop> &uops) {
  std::optional<uint64_t> before;
  for (uint64_t o = 0; o < alu.iterOut; ++o)
    for (uint64_t i = 0; i < alu.iterIn; ++i)
      for (const Uop &uop : uops) {
        uint64_t dst = uop.dst + o * alu.dstOut + i * alu.dstIn;
        uint64_t src = uop.src + o * alu.srcOut + i * alu.srcIn;
        if (before && (*before == dst || *before == src))
          return true;
        before = dst;
      }
  return false;
}

TEST(StrictTest, HazardsOfRandomLoops) {
  std::mt19937 random(1);
  auto pick = [&](unsigned low, unsigned high) {
    return std::uniform_int_distribution<unsigned>(low, high)(random);
  };
  unsigned numHazards = 0;
  constexpr unsigned kCases = 50000;
  for (unsigned i = 0; i < kCases; ++i) {
    Instruction alu = StreamBuilder().makeAlu(AluOpcode::Add, pick(1, 3));
    alu.iterOut = pick(1, 6);
    alu.iterIn = pick(1, 6);
    unsigned steps = pick(0, 1) ? 40 : 4;
    for (uint32_t *step : {&alu.dstOut, &alu.dstIn, &alu.srcOut, &alu.srcIn})
      *step = pick(0, steps);
    std::vector<Uop> uops;
    for (unsigned u = 0; u < alu.uopEnd; ++u)
      uops.push_back({pick(0, 60), pick(0, 60), 0});
    bool expected = hasHazard(alu, uops);
    numHazards += expected;
    ASSERT_EQ(checkPortableUops(alu, uops).has_value(), expected) << i;
  }
  // There are enough of both.
  EXPECT_GT(numHazards, kCases / 5);
  EXPECT_LT(numHazards, kCases / 5 * 4);
}

TEST(StrictTest, HazardsOfLongLoops) {
  // The last micro-op is the first that has one, and src never meets dst.
  Instruction alu = StreamBuilder().makeAlu(AluOpcode::Add, 2);
  alu.iterOut = alu.iterIn = 16383;
  alu.dstOut = 16384;
  alu.dstIn = 1;
  alu.srcIn = 2;
  uint32_t last = 16382 * 16384 + 16382;
  EXPECT_TRUE(checkPortableUops(
      alu, {{0, 1 << 29, 0}, {1 << 30, last - 2 * 16382, 0}}));
  EXPECT_FALSE(
      checkPortableUops(alu, {{0, 1 << 29, 0}, {1 << 30, last + 1, 0}}));
}

/// `count` LOADs, the first of which waits for what comes after them.
StreamBuilder makeWaitingLoads(unsigned count) {
  StreamBuilder builder;
  for (unsigned i = 0; i < count; ++i)
    builder.load(Memory::Inp, 0, 1,
                 (i == 0 ? PopNext : 0u) | (i + 1 == count ? PushNext : 0u));
  builder.sync(Stage::Compute, PushPrev);
  builder.finish(PopPrev);
  return builder;
}

TEST(StrictTest, FullQueues) {
  StreamBuilder fits = makeWaitingLoads(512);
  EXPECT_EQ(fits.runStrict().message, "");
  Timing timing;
  EXPECT_EQ(fits.runCycles(timing).message, "");

  StreamBuilder waits = makeWaitingLoads(513);
  // Queues of fsim have no end, those of hardware have.
  EXPECT_EQ(waits.run().message, "");
  EXPECT_EQ(waits.runCycles(timing).kind, ErrorKind::Deadlock);
  RunStatus status = waits.runStrict();
  EXPECT_EQ(status.kind, ErrorKind::NotPortable);
  EXPECT_EQ(status.instruction, 512u);
  EXPECT_EQ(status.message,
            "instruction 512: expects at most 512 instructions in the queue of "
            "the load stage, but got one more: instruction 0 waits for a token "
            "from compute to load of an instruction behind them, which "
            "hardware never fetches");

  // What no queue helps is a deadlock.
  StreamBuilder stuck = makeWaitingLoads(513);
  stuck.program.instructions[513] = stuck.program.instructions[1];
  EXPECT_EQ(stuck.runStrict().kind, ErrorKind::Deadlock);
}

TEST(StrictTest, ReservedBits) {
  StreamBuilder builder;
  builder.finish();
  builder.program.instructions[0][1] = uint64_t(1) << 63;
  EXPECT_EQ(builder.run().message, "");
  RunStatus status = builder.runStrict();
  EXPECT_EQ(status.kind, ErrorKind::NotPortable);
  EXPECT_EQ(status.message, "instruction 0: reserved: expects zeros in bits "
                            "that belong to no field");
}

TEST(StrictTest, WhatIsStored) {
  auto store = [](bool reset, bool compute) {
    StreamBuilder builder;
    builder.loadUops({{0, 0, 0}});
    builder.load(Memory::Acc, 0, 1);
    if (reset)
      builder.add(builder.makeGemm(true, 1));
    if (compute)
      builder.add(builder.makeImm(AluOpcode::Add, 0, 1));
    builder.sync(Stage::Compute, PushNext);
    builder.store(0, 1, PopPrev | PushPrev);
    builder.finish(PopNext);
    EXPECT_EQ(builder.run().message, "");
    return builder.runStrict().kind;
  };
  EXPECT_EQ(store(false, false), ErrorKind::NotPortable);
  EXPECT_EQ(store(true, false), ErrorKind::NotPortable);
  EXPECT_EQ(store(false, true), ErrorKind::None);
  EXPECT_EQ(store(true, true), ErrorKind::None);
}

TEST(StrictTest, Instructions) {
  auto checkOne = [](auto make) {
    return check(twoUops(),
                 [&](StreamBuilder &builder) { builder.add(make(builder)); });
  };
  EXPECT_NE(checkOne([](StreamBuilder &builder) {
              return builder.makeImm(AluOpcode::Mul, 3, 2);
            }),
            "");
  EXPECT_NE(checkOne([](StreamBuilder &builder) {
              return builder.makeLoad(Memory::Acc8, 0, 1);
            }),
            "");
  EXPECT_NE(checkOne([](StreamBuilder &builder) {
              Instruction alu = builder.makeImm(AluOpcode::Add, 3, 2);
              alu.iterIn = 0;
              return alu;
            }),
            "");
  EXPECT_NE(checkOne([](StreamBuilder &builder) {
              return builder.makeImm(AluOpcode::Add, 3, 0);
            }),
            "");
  for (Memory memory : {Memory::Uop, Memory::Acc}) {
    std::string message = checkOne([&](StreamBuilder &builder) {
      Instruction load = builder.makeLoad(memory, 0, 1);
      load.ySize = 2;
      return load;
    });
    EXPECT_EQ(message.empty(), memory == Memory::Acc);
    message = checkOne([&](StreamBuilder &builder) {
      Instruction load = builder.makeLoad(memory, 0, 1);
      load.xPad0 = 2;
      return load;
    });
    EXPECT_EQ(message.empty(), memory == Memory::Acc);
    EXPECT_NE(checkOne([&](StreamBuilder &builder) {
                Instruction load = builder.makeLoad(memory, 0, 1);
                load.ySize = 0;
                return load;
              }),
              "");
  }
  EXPECT_NE(checkOne([](StreamBuilder &builder) {
              return builder.makeLoad(Memory::Uop, 2048, 1);
            }),
            "");
  EXPECT_EQ(checkOne([](StreamBuilder &builder) {
              return builder.makeLoad(Memory::Uop, 2047, 1);
            }),
            "");
  Config config;
  config.inpBuffer = 14;
  auto nothing = [](StreamBuilder &) {};
  EXPECT_NE(check(twoUops(), nothing, config), "");
  EXPECT_EQ(check(twoUops(), nothing), "");
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// A GEMM between a load of its input and another load of it.
RunStatus runLoads(bool readAfterWrite, bool writeAfterRead) {
  StreamBuilder builder;
  builder.loadUops({{0, 0, 0}});
  builder.load(Memory::Wgt, 0, 1);
  builder.load(Memory::Inp, 0, 1, readAfterWrite ? PushNext : 0);
  builder.add(builder.makeGemm(false, 1,
                               (readAfterWrite ? PopPrev : 0u) |
                                   (writeAfterRead ? PushPrev : 0u)));
  builder.load(Memory::Inp, 0, 1, (writeAfterRead ? PopNext : 0u) | PushNext);
  builder.finish(PopPrev);
  EXPECT_EQ(builder.run().message, "");
  return builder.runStrict();
}

TEST(StrictTest, Races) {
  EXPECT_EQ(runLoads(true, true).message, "");
  RunStatus status = runLoads(true, false);
  EXPECT_EQ(status.kind, ErrorKind::Race);
  EXPECT_EQ(runLoads(false, true).kind, ErrorKind::Race);
}

TEST(StrictTest, StoresAreOrdered) {
  for (bool isOrdered : {true, false}) {
    StreamBuilder builder;
    builder.loadUops({{0, 0, 0}});
    builder.add(builder.makeImm(AluOpcode::Add, 1, 1, PushNext));
    builder.store(0, 1, PopPrev | PushPrev);
    Instruction again =
        builder.makeImm(AluOpcode::Add, 1, 1, isOrdered ? PopNext : 0);
    builder.add(again);
    if (!isOrdered)
      builder.sync(Stage::Compute, PopNext);
    builder.finish();
    RunStatus status = builder.runStrict();
    EXPECT_EQ(status.kind, isOrdered ? ErrorKind::None : ErrorKind::Race)
        << status.message;
  }
  // FINISH does not wait for a store.
  StreamBuilder builder;
  builder.loadUops({{0, 0, 0}});
  builder.add(builder.makeImm(AluOpcode::Add, 1, 1, PushNext));
  builder.store(0, 1, PopPrev);
  builder.finish();
  EXPECT_EQ(builder.run().message, "");
  EXPECT_EQ(builder.runStrict().kind, ErrorKind::NotPortable);
}

TEST(StrictTest, MemoryIsOrdered) {
  // A load of what a store writes.
  for (bool isOrdered : {true, false}) {
    StreamBuilder builder;
    builder.loadUops({{0, 0, 0}});
    builder.add(builder.makeImm(AluOpcode::Add, 1, 1, PushNext));
    builder.store(0, 1, PopPrev | PushPrev);
    if (isOrdered)
      builder.sync(Stage::Compute, PopNext);
    Instruction load = builder.makeLoad(Memory::Acc, 5, 1);
    load.dramBase *= 2;
    builder.add(load);
    if (!isOrdered)
      builder.sync(Stage::Compute, PopNext);
    builder.finish();
    RunStatus status = builder.runStrict();
    EXPECT_EQ(status.kind, isOrdered ? ErrorKind::None : ErrorKind::Race)
        << status.message;
  }
}

TEST(StrictTest, TokensThatCountersLose) {
  for (int count : {255, 256}) {
    StreamBuilder builder;
    for (int i = 0; i < count; ++i)
      builder.sync(Stage::Load, PushNext);
    for (int i = 0; i < count; ++i)
      builder.sync(Stage::Compute, PopPrev);
    builder.finish();
    EXPECT_EQ(builder.run().message, "");
    EXPECT_EQ(builder.runStrict().isOk(), count == 255);
  }
}

} // namespace
