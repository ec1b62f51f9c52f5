//===- ProgramFileTest.cpp - Files of programs ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/ProgramFile.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace relay_vta;

namespace {

Program makeProgram() {
  Program program;
  program.dramBase = 8192;
  program.image.resize(4096);
  program.image[5] = 77;
  program.instructions = {{1, 2}, {3, 4}, {5, ~uint64_t(0)}};
  return program;
}

std::string read(const std::vector<uint8_t> &bytes) {
  Program program;
  return readProgram(bytes.data(), bytes.size(), program);
}

/// The file of makeProgram with another number of 4 or 8 bytes.
template <typename T>
std::string readWith(size_t offset, T value) {
  std::vector<uint8_t> bytes = writeProgram(makeProgram());
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
  return read(bytes);
}

TEST(ProgramFileTest, ComesBack) {
  Program program = makeProgram();
  std::vector<uint8_t> bytes = writeProgram(program);
  EXPECT_EQ(bytes.size(), 80u + 4096 + 3 * 16);
  Program again;
  ASSERT_EQ(readProgram(bytes.data(), bytes.size(), again), "");
  EXPECT_TRUE(again.config == program.config);
  EXPECT_EQ(again.dramBase, program.dramBase);
  EXPECT_EQ(again.image, program.image);
  EXPECT_EQ(again.instructions, program.instructions);
  EXPECT_EQ(getFileOffset(again, 2), 80u + 4096 + 32);
}

TEST(ProgramFileTest, StreamInTheImage) {
  Program program = makeProgram();
  program.instructionAddress = 8192 + 4096 - 48;
  std::vector<uint8_t> bytes = writeProgram(program);
  EXPECT_EQ(bytes.size(), 80u + 4096);
  Program again;
  ASSERT_EQ(readProgram(bytes.data(), bytes.size(), again), "");
  EXPECT_EQ(again.instructions, program.instructions);
  EXPECT_EQ(getFileOffset(again, 0), 80u + 4096 - 48);
  // One byte further they do not fit.
  EXPECT_EQ(readWith<uint64_t>(64, 8192 + 4096 - 47),
            "offset 64: expects 3 instructions inside of the image, but got "
            "insn_addr 12241");
  EXPECT_EQ(readWith<uint64_t>(64, ~uint64_t(0)),
            "offset 64: expects 3 instructions inside of the image, but got "
            "insn_addr 18446744073709551615");
}

TEST(ProgramFileTest, EveryCutIsFound) {
  std::vector<uint8_t> bytes = writeProgram(makeProgram());
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of its own size: what is read beyond it is seen.
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    ASSERT_NE(read(cut), "") << size;
  }
  bytes.push_back(0);
  EXPECT_EQ(read(bytes), "offset 4176: expects 48 bytes of instructions behind "
                         "the image, but got 49");
}

TEST(ProgramFileTest, Headers) {
  EXPECT_EQ(readWith<uint32_t>(0, 0), "offset 0: expects a program of VTA, "
                                      "which begins with 'VTAO'");
  EXPECT_EQ(readWith<uint32_t>(4, 2), "offset 4: expects version 1, but got 2");
  EXPECT_EQ(readWith<uint32_t>(8, 60),
            "offset 8: expects LOG_INP_WIDTH from 0 to 5, but got 60");
  EXPECT_EQ(readWith<uint64_t>(48, 0), "offset 48: expects dram_base, a "
                                       "multiple of 4096 from 4096 on, but got "
                                       "0");
  EXPECT_EQ(readWith<uint64_t>(48, 4097), "offset 48: expects dram_base, a "
                                          "multiple of 4096 from 4096 on, but "
                                          "got 4097");
  EXPECT_EQ(readWith<uint64_t>(48, ~uint64_t(4095)),
            "offset 48: expects dram_base + dram_size below 2^64, but got "
            "18446744073709547520 + 4096");
  EXPECT_EQ(readWith<uint64_t>(56, 4095),
            "offset 48: expects dram_size, a multiple of 4096, but got 4095");
  EXPECT_EQ(readWith<uint64_t>(56, uint64_t(1) << 28),
            "offset 56: expects an image of dram_size 268435456 bytes, but got "
            "4144");
  EXPECT_EQ(readWith<uint64_t>(56, (uint64_t(1) << 28) + 4096),
            "offset 48: expects at most 268435456 bytes of memory, but got "
            "268439552");
  EXPECT_EQ(readWith<uint32_t>(72, ~uint32_t(0)),
            "offset 4176: expects 68719476720 bytes of instructions behind the "
            "image, but got 48");
  EXPECT_EQ(readWith<uint32_t>(76, 1), "offset 76: expects 0, but got 1");
}

} // namespace
