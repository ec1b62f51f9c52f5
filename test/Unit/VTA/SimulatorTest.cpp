//===- SimulatorTest.cpp - Simulators of VTA ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamBuilder.h"

using namespace relay_vta_test;

namespace {

TEST(SimulatorTest, DeadlockNamesInstructions) {
  StreamBuilder builder;
  builder.load(Memory::Inp, 0, 1, PushNext);
  builder.load(Memory::Inp, 0, 1, PopNext);
  builder.sync(Stage::Compute, PopPrev);
  builder.sync(Stage::Compute, PopPrev | PopNext);
  builder.store(0, 1, PopPrev);
  builder.finish();
  RunStatus status = builder.run();
  EXPECT_EQ(status.kind, ErrorKind::Deadlock);
  EXPECT_EQ(status.stuck[0], 1u);
  EXPECT_EQ(status.stuck[1], 3u);
  EXPECT_EQ(status.stuck[2], 4u);
  EXPECT_EQ(status.message,
            "no stage can go on: load at instruction 1, which waits for a "
            "token from compute to load, compute at instruction 3, which waits "
            "for a token from load to compute, store at instruction 4, which "
            "waits for a token from compute to store");
  Timing timing;
  RunStatus cycles = builder.runCycles(timing);
  EXPECT_EQ(cycles.message, status.message);
  EXPECT_EQ(cycles.stuck, status.stuck);
}

TEST(SimulatorTest, PushesMayComeLaterInTheStream) {
  StreamBuilder builder;
  builder.load(Memory::Inp, 0, 1, PopNext | PushNext);
  builder.sync(Stage::Compute, PushPrev);
  builder.sync(Stage::Compute, PopPrev);
  builder.finish();
  EXPECT_EQ(builder.run().message, "");
  Timing timing;
  EXPECT_EQ(builder.runCycles(timing).message, "");
}

TEST(SimulatorTest, TokensThatAreLeft) {
  StreamBuilder builder;
  builder.load(Memory::Inp, 0, 1, PushNext);
  builder.load(Memory::Inp, 0, 1, PushNext);
  builder.sync(Stage::Compute, PopPrev | PushNext);
  builder.finish();
  RunStatus status = builder.run();
  EXPECT_EQ(status.kind, ErrorKind::TokensLeft);
  EXPECT_EQ(status.message,
            "expects no tokens at the end, but got 1 from load to compute, 1 "
            "from compute to store");
}

TEST(SimulatorTest, WhatComesAfterFinishIsIgnored) {
  StreamBuilder builder;
  builder.finish();
  builder.store(0, 1, PopPrev);
  EXPECT_EQ(builder.run().message, "");
  EXPECT_EQ(builder.runStrict().kind, ErrorKind::NotPortable);
}

/// The kind of error that a stream of one instruction and FINISH has.
ErrorKind getError(const Instruction &instruction) {
  StreamBuilder builder;
  builder.add(instruction);
  builder.finish();
  RunStatus status = builder.run();
  if (!status.isOk() && status.kind != ErrorKind::TokensLeft)
    EXPECT_EQ(status.instruction, 0u) << status.message;
  return status.kind;
}

TEST(SimulatorTest, KindsOfErrors) {
  StreamBuilder builder;
  Instruction load = builder.makeLoad(Memory::Inp, 0, 4);
  EXPECT_EQ(getError(load), ErrorKind::None);
  for (uint8_t memory : {4, 6, 7}) {
    load.memory = memory;
    EXPECT_EQ(getError(load), ErrorKind::BadMemoryId);
  }
  for (uint8_t memory : {0, 1, 2, 3, 5, 6, 7}) {
    Instruction store = builder.makeStore(0, 1);
    store.memory = memory;
    EXPECT_EQ(getError(store), ErrorKind::BadMemoryId);
  }
  for (Memory memory :
       {Memory::Uop, Memory::Wgt, Memory::Inp, Memory::Acc, Memory::Acc8}) {
    unsigned depth = builder.program.config.getDepth(memory);
    EXPECT_EQ(getError(builder.makeLoad(memory, depth - 2, 2)),
              ErrorKind::None);
    EXPECT_EQ(getError(builder.makeLoad(memory, depth - 1, 2)),
              ErrorKind::ScratchpadOverflow);
    // Padding is inside of the scratchpad, too.
    Instruction padded = builder.makeLoad(memory, depth - 2, 2);
    padded.yPad1 = 1;
    EXPECT_EQ(getError(padded), ErrorKind::ScratchpadOverflow);
    // One element before and after memory; the address 0.
    Instruction outside = builder.makeLoad(memory, 0, 1);
    uint32_t first = outside.dramBase;
    for (uint32_t dram : {first - 1, first * 3, 0u, ~0u}) {
      outside.dramBase = dram;
      EXPECT_EQ(getError(outside), ErrorKind::DramOutOfRange) << dram;
    }
    outside.dramBase = first * 3 - 1;
    EXPECT_EQ(getError(outside), ErrorKind::None);
    outside.ySize = 2;
    EXPECT_EQ(getError(outside), ErrorKind::DramOutOfRange);
  }
  Instruction store = builder.makeStore(0, 1);
  store.xPad1 = 1;
  EXPECT_EQ(getError(store), ErrorKind::StoreWithPads);
  // Without elements it only takes tokens.
  store.xSize = 0;
  EXPECT_EQ(getError(store), ErrorKind::None);
  Instruction alu = builder.makeAlu(AluOpcode::Add, 1);
  for (uint8_t opcode : {5, 6, 7}) {
    alu.aluOpcode = opcode;
    EXPECT_EQ(getError(alu), ErrorKind::BadAluOpcode);
  }
  for (unsigned flags : {PopPrev, PushPrev})
    EXPECT_EQ(getError(builder.makeLoad(Memory::Wgt, 0, 1, flags)),
              ErrorKind::IllegalDependencyFlag);
  for (unsigned flags : {PopNext, PushNext})
    EXPECT_EQ(getError(builder.makeStore(0, 1, flags)),
              ErrorKind::IllegalDependencyFlag);
  // The same flags are legal in the middle.
  EXPECT_EQ(getError(builder.makeLoad(Memory::Acc, 0, 1, PushPrev)),
            ErrorKind::TokensLeft);
  Instruction gemm = builder.makeGemm(false, 8192);
  EXPECT_EQ(getError(gemm), ErrorKind::None);
  gemm.uopEnd = 8193;
  EXPECT_EQ(getError(gemm), ErrorKind::ScratchpadOverflow);
  gemm.iterIn = 0;
  EXPECT_EQ(getError(gemm), ErrorKind::None);
}

TEST(SimulatorTest, LoopsReachTheLastIndex) {
  for (unsigned step : {0u, 1u}) {
    StreamBuilder builder;
    builder.loadUops({{1000, 0, 0}});
    Instruction reset = builder.makeGemm(true, 1);
    reset.iterOut = 48;
    reset.iterIn = 1001;
    reset.dstOut = 1 + step;
    reset.dstIn = 1;
    builder.add(reset);
    builder.finish();
    RunStatus status = builder.run();
    if (!step) {
      EXPECT_EQ(status.message, "");
      continue;
    }
    EXPECT_EQ(status.message,
              "instruction 1: dst: micro-op 0: expects indices of acc below "
              "2048, but got 2094 (dst 1000 + 47 * 2 + 1000 * 1)");
  }
}

TEST(SimulatorTest, WorkHasALimit) {
  StreamBuilder builder;
  builder.loadUops({{0, 0, 0}});
  for (int i = 0; i < 300; ++i) {
    Instruction gemm = builder.makeGemm(false, 1);
    gemm.iterOut = gemm.iterIn = 16383;
    builder.add(gemm);
  }
  builder.finish();
  RunOptions options;
  options.maxWork = 1000000;
  RunStatus status = builder.run(options);
  EXPECT_EQ(status.kind, ErrorKind::Limit);
  EXPECT_EQ(status.instruction, 1u);
  Timing timing;
  EXPECT_EQ(builder.runCycles(timing, options).message, status.message);
}

// Loads of the same bytes again and again are work, too, and so are rows of no
// bytes to speak of: a small file must not keep a simulator busy for hours.
TEST(SimulatorTest, LoadsAndStoresAreWork) {
  for (uint16_t rows : {1, 64}) {
    for (bool isStore : {false, true}) {
      StreamBuilder builder;
      for (int i = 0; i < 100; ++i) {
        Instruction instruction = isStore
                                      ? builder.makeStore(0, 64)
                                      : builder.makeLoad(Memory::Inp, 0, 64);
        instruction.ySize = rows;
        instruction.xSize = static_cast<uint16_t>(64 / rows);
        instruction.xStride = 0;
        builder.add(instruction);
      }
      builder.finish();
      RunOptions options;
      options.maxWork = 20000;
      RunStatus status = builder.run(options);
      EXPECT_EQ(status.kind, ErrorKind::Limit);
      // 16 bytes of inp, or 64 of acc, in 64 elements.
      uint64_t each = 64 * (isStore || rows == 64 ? 64 : 16);
      EXPECT_EQ(status.instruction, 20000 / each);
      Timing timing;
      EXPECT_EQ(builder.runCycles(timing, options).message, status.message);
      options.maxWork = 1000000;
      EXPECT_TRUE(builder.run(options).isOk());
    }
  }
}

TEST(SimulatorTest, ScratchpadsKeepWhatTheyHold) {
  StreamBuilder first;
  for (int i = 0; i < 64; ++i)
    first.program.image[i] = static_cast<uint8_t>(i % 4 ? 0 : i + 1);
  first.load(Memory::Acc, 3, 1);
  first.finish();
  Simulator simulator(first.program.config);
  std::vector<uint8_t> image = first.program.image;
  ASSERT_TRUE(
      simulator.run(first.program.instructions, kPageBytes, image).isOk());
  StreamBuilder second;
  second.store(3, 1);
  second.finish();
  image = second.program.image;
  ASSERT_TRUE(
      simulator.run(second.program.instructions, kPageBytes, image).isOk());
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(image[kPageBytes + i], 4 * i + 1);
  EXPECT_EQ(simulator.getProfile().accLoadBytes, 64u);
  EXPECT_EQ(simulator.getProfile().outStoreBytes, 16u);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

TEST(CycleTest, Syncs) {
  // Fetch: a request, the latency, two beats for each of 11 instructions.
  StreamBuilder builder;
  for (int i = 0; i < 10; ++i)
    builder.sync(Stage::Compute, 0);
  builder.finish();
  Timing timing;
  ASSERT_TRUE(builder.runCycles(timing).isOk());
  // A cycle each, and one between them.
  EXPECT_EQ(timing.cycles, 22u + 22 + 21);
  EXPECT_EQ(timing.stages[1].busy, 11u);
}

TEST(CycleTest, LoadAlone) {
  StreamBuilder builder;
  builder.load(Memory::Acc, 0, 10);
  builder.finish();
  Timing timing;
  ASSERT_TRUE(builder.runCycles(timing).isOk());
  // 64 bytes of an element are 8 beats.
  EXPECT_EQ(timing.cycles, 22u + 4 + (22 + 80) + 1 + 1);
  EXPECT_EQ(timing.readBeats, 4u + 80);
  EXPECT_EQ(timing.stages[1].stalls[static_cast<unsigned>(StallCause::Memory)],
            22u);
}

TEST(CycleTest, QueuesAreFinite) {
  // The load stage waits for what stands behind 600 of its own instructions.
  StreamBuilder builder;
  builder.load(Memory::Inp, 0, 1, PopNext);
  for (int i = 0; i < 600; ++i)
    builder.sync(Stage::Load, 0);
  builder.sync(Stage::Compute, PushPrev);
  builder.finish();
  EXPECT_EQ(builder.run().message, "");
  Timing timing;
  RunStatus status = builder.runCycles(timing);
  EXPECT_EQ(status.kind, ErrorKind::Deadlock);
  EXPECT_EQ(status.message,
            "no stage can go on: load at instruction 0, which waits for a "
            "token from compute to load, compute at instruction 601, which was "
            "not fetched");
}

TEST(CycleTest, TimeDoesNotDependOnData) {
  StreamBuilder builder;
  builder.loadUops({{0, 0, 0}, {1, 1, 0}});
  builder.load(Memory::Inp, 0, 4);
  builder.load(Memory::Wgt, 0, 3, PushNext);
  builder.add(builder.makeGemm(false, 2, PopPrev));
  builder.add(builder.makeImm(AluOpcode::Add, 3, 2, PushNext));
  builder.store(0, 2, PopPrev | PushPrev);
  builder.finish(PopNext);
  auto run = [&](const RunOptions &options, Timing &timing) {
    std::vector<uint8_t> image = builder.program.image;
    EXPECT_EQ(Simulator(builder.program.config)
                  .runCycles(builder.program.instructions,
                             builder.program.dramBase, image, timing, options)
                  .message,
              "");
    return image;
  };
  Timing whole, alone;
  RunOptions options;
  std::vector<uint8_t> computed = run(options, whole);
  options.timingOnly = true;
  EXPECT_NE(computed, run(options, alone));
  EXPECT_EQ(whole.cycles, alone.cycles);
  EXPECT_EQ(whole.gemmIssue, alone.gemmIssue);
  // What is wrong with a program is wrong with it then, too.
  StreamBuilder wrong;
  wrong.loadUops({{2047, 0, 0}});
  Instruction gemm = wrong.makeGemm(false, 1);
  gemm.iterOut = 2;
  gemm.dstOut = 1;
  wrong.add(gemm);
  wrong.finish();
  Timing none;
  EXPECT_EQ(wrong.runCycles(none, options).message, wrong.run().message);
  EXPECT_FALSE(wrong.run().isOk());
}

TEST(CycleTest, TraceIsWithoutOverlaps) {
  StreamBuilder builder;
  builder.loadUops({{0, 0, 0}, {1, 1, 0}});
  builder.load(Memory::Inp, 0, 4);
  builder.load(Memory::Wgt, 0, 3, PushNext);
  builder.add(builder.makeGemm(false, 2, PopPrev));
  builder.add(builder.makeImm(AluOpcode::Shr, 3, 2, PushNext));
  builder.store(0, 2, PopPrev | PushPrev);
  builder.finish(PopNext);
  RunOptions options;
  options.trace = true;
  Timing timing, again;
  ASSERT_EQ(builder.runCycles(timing, options).message, "");
  ASSERT_TRUE(builder.runCycles(again, options).isOk());
  EXPECT_EQ(timing.cycles, again.cycles);
  std::array<uint64_t, kNumStages> end{};
  std::array<uint64_t, kNumStages> busy{};
  for (const TraceEvent &event : timing.trace) {
    auto stage = static_cast<unsigned>(event.stage);
    EXPECT_GE(event.begin, end[stage]);
    EXPECT_GT(event.end, event.begin);
    EXPECT_LE(event.end, timing.cycles);
    end[stage] = event.end;
    if (event.instruction)
      busy[stage] += event.end - event.begin;
  }
  for (unsigned stage = 0; stage < kNumStages; ++stage)
    EXPECT_EQ(busy[stage], timing.stages[stage].busy);
  EXPECT_EQ(timing.gemmIssue, 2u);
  EXPECT_EQ(timing.aluIssue, 2u);
}

} // namespace
