//===- DriverTest.cpp - Drivers and kernels of VTA ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamBuilder.h"

#include "relay-mlir/Runtime/VTA/Driver.h"
#include "relay-mlir/Runtime/VTA/KernelFile.h"

using namespace relay_vta_test;

namespace {

std::unique_ptr<Driver> makeDriver(uint64_t capacity) {
  return makeSimulatorDriver(Config(), SimulatorKind::Functional, capacity);
}

TEST(DriverTest, Allocations) {
  std::unique_ptr<Driver> driver = makeDriver(4 * kPageBytes);
  uint64_t a = driver->allocate(1);
  uint64_t b = driver->allocate(2 * kPageBytes);
  uint64_t c = driver->allocate(kPageBytes);
  EXPECT_EQ(a, kPageBytes);
  EXPECT_EQ(b, 2 * kPageBytes);
  EXPECT_EQ(c, 4 * kPageBytes);
  EXPECT_EQ(driver->allocate(1), 0u);
  EXPECT_EQ(driver->allocate(~uint64_t(0)), 0u);
  driver->release(b);
  EXPECT_EQ(driver->allocate(2 * kPageBytes + 1), 0u);
  // Into the gap.
  EXPECT_EQ(driver->allocate(5), b);
  EXPECT_EQ(driver->allocate(kPageBytes), b + kPageBytes);
}

TEST(DriverTest, CopiesStayInside) {
  std::unique_ptr<Driver> driver = makeDriver(4 * kPageBytes);
  uint64_t a = driver->allocate(kPageBytes);
  uint64_t b = driver->allocate(kPageBytes);
  uint32_t value = 77, read = 0;
  EXPECT_TRUE(driver->write(a + kPageBytes - 4, &value, 4));
  EXPECT_TRUE(driver->read(a + kPageBytes - 4, &read, 4));
  EXPECT_EQ(read, 77u);
  // Not from one allocation into the next, nor outside.
  EXPECT_FALSE(driver->write(a + kPageBytes - 3, &value, 4));
  EXPECT_FALSE(driver->write(b + kPageBytes, &value, 4));
  EXPECT_FALSE(driver->read(0, &read, 4));
  EXPECT_FALSE(driver->read(~uint64_t(0), &read, 4));
  EXPECT_FALSE(driver->read(a, &read, ~uint64_t(0)));
  driver->release(b);
  EXPECT_FALSE(driver->write(b, &value, 4));
}

/// Loads an element of acc from the first page, and stores it to the second.
Program makeCopy() {
  StreamBuilder builder;
  builder.load(Memory::Acc, 0, 1);
  builder.sync(Stage::Compute, PushNext);
  builder.store(0, 1, PopPrev | PushPrev);
  builder.finish(PopNext);
  for (int i = 0; i < 64; i += 4)
    builder.program.image[i] = static_cast<uint8_t>(i + 1);
  return builder.program;
}

TEST(DriverTest, RunsAProgramElsewhere) {
  for (SimulatorKind kind : {SimulatorKind::Functional, SimulatorKind::Cycle}) {
    std::unique_ptr<Driver> driver =
        makeSimulatorDriver(Config(), kind, 64 * kPageBytes);
    driver->allocate(11 * kPageBytes);
    Program program = makeCopy();
    uint64_t memory = driver->allocate(program.image.size());
    uint64_t stream = driver->allocate(4096);
    ASSERT_EQ(relocate(program, memory), "");
    ASSERT_TRUE(
        driver->write(memory, program.image.data(), program.image.size()));
    for (size_t i = 0; i < program.instructions.size(); ++i) {
      uint8_t bytes[kInstructionBytes];
      writeWords(program.instructions[i], bytes);
      ASSERT_TRUE(driver->write(stream + i * sizeof(bytes), bytes, 16));
    }
    RunStatus status = driver->run(stream, program.instructions.size());
    EXPECT_EQ(status.message, "");
    uint8_t out[16];
    ASSERT_TRUE(driver->read(memory + kPageBytes, out, 16));
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(out[i], 4 * i + 1);
    EXPECT_EQ(driver->run(stream, 1000).kind, ErrorKind::DramOutOfRange);
    EXPECT_EQ(driver->run(stream, ~uint64_t(0)).kind,
              ErrorKind::DramOutOfRange);
    EXPECT_EQ(driver->run(0, 1).kind, ErrorKind::DramOutOfRange);
  }
}

TEST(DriverTest, RelocationHasLimits) {
  Program program = makeCopy();
  EXPECT_EQ(relocate(program, 4097), "expects dram_base, a multiple of 4096 "
                                     "from 4096 on, but got 4097");
  // There and back.
  Program moved = program;
  ASSERT_EQ(relocate(moved, kPageBytes << 20), "");
  EXPECT_NE(moved.instructions, program.instructions);
  ASSERT_EQ(relocate(moved, program.dramBase), "");
  EXPECT_EQ(moved.instructions, program.instructions);
  // An address of 64 bytes counts to 2^38 with 32 bits.
  ASSERT_EQ(relocate(moved, uint64_t(1) << 35), "");
  moved = program;
  EXPECT_EQ(relocate(moved, uint64_t(1) << 38),
            "instruction 0: expects an address that fits in dram_base, but got "
            "4294967296");
}

TEST(DriverTest, LoadsWithoutRowsStay) {
  Program program = makeCopy();
  Instruction padding;
  padding.memory = static_cast<uint8_t>(Memory::Inp);
  padding.xSize = 1;
  padding.yPad0 = 1;
  program.instructions.insert(program.instructions.begin(), InstructionWords());
  ASSERT_FALSE(encode(program.config, padding, program.instructions[0]));
  // It reads nothing, so that no address of it is wrong.
  Program moved = program;
  ASSERT_EQ(relocate(moved, kPageBytes << 20), "");
  EXPECT_EQ(moved.instructions[0], program.instructions[0]);
  EXPECT_NE(moved.instructions[1], program.instructions[1]);
}

TEST(KernelFileTest, NamesAreText) {
  struct {
    std::string name;
    bool isText;
  } cases[] = {{"a", true},
               {"", true},
               {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", true},
               {"\xff", false},
               {std::string("a\0b", 3), false},
               {"\xc3", false},
               {"\x80", false},
               {"\xc0\x80", false},
               {"\xe0\x80\x80", false},
               {"\xed\xa0\x80", false},
               {"\xf4\x90\x80\x80", false}};
  for (const auto &[name, isText] : cases) {
    std::vector<Kernel> kernels(1), again;
    kernels[0].program = makeCopy();
    kernels[0].name = name;
    std::vector<uint8_t> bytes = writeKernels(kernels);
    std::string message = readKernels(bytes.data(), bytes.size(), again);
    EXPECT_EQ(message, isText ? ""
                              : "offset " + std::to_string(16 + name.size()) +
                                    ": expects the name of a kernel in UTF-8");
  }
}

TEST(KernelFileTest, ComesBack) {
  std::vector<Kernel> kernels(2), again;
  kernels[0].name = "first";
  kernels[0].program = makeCopy();
  kernels[0].buffers = {{kPageBytes, 64, true, false},
                        {2 * kPageBytes, 16, false, true}};
  kernels[1].name = "second";
  std::vector<uint8_t> bytes = writeKernels(kernels);
  ASSERT_EQ(readKernels(bytes.data(), bytes.size(), again), "");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].name, "first");
  EXPECT_EQ(again[0].program.instructions, kernels[0].program.instructions);
  EXPECT_TRUE(again[0].buffers[0].isInput && !again[0].buffers[0].isOutput);
  EXPECT_TRUE(!again[0].buffers[1].isInput && again[0].buffers[1].isOutput);
  EXPECT_EQ(writeKernels(again), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of its own size: what is read beyond it is seen.
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    ASSERT_NE(readKernels(cut.data(), cut.size(), again), "") << size;
  }
}

TEST(KernelFileTest, BuffersAreInsideOfMemory) {
  struct {
    uint64_t address, bytes;
    bool isInside;
  } cases[] = {{kPageBytes, 2 * kPageBytes, true},
               {kPageBytes, 2 * kPageBytes + 1, false},
               {3 * kPageBytes, 0, true},
               {3 * kPageBytes, 1, false},
               {kPageBytes - 1, 1, false},
               {2 * kPageBytes, ~uint64_t(0), false},
               {~uint64_t(0), 1, false}};
  for (auto [address, size, isInside] : cases) {
    std::vector<Kernel> kernels(1), again;
    kernels[0].program = makeCopy();
    kernels[0].buffers = {{address, size, true, true}};
    std::vector<uint8_t> bytes = writeKernels(kernels);
    EXPECT_EQ(readKernels(bytes.data(), bytes.size(), again).empty(), isInside)
        << address << ' ' << size;
  }
}

} // namespace
