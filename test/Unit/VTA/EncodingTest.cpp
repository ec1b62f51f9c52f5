//===- EncodingTest.cpp - Bits of instructions ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Instruction.h"

#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace relay_vta;

namespace {

/// Where fields of an opcode lie: name, lowest and highest bit.
std::map<std::string, std::pair<unsigned, unsigned>>
getBits(const Config &config, Opcode opcode) {
  std::map<std::string, std::pair<unsigned, unsigned>> bits;
  for (const FieldLayout &field : getFields(config, opcode))
    bits[field.name] = {field.offset, field.offset + field.width - 1};
  return bits;
}

using Bits = std::pair<unsigned, unsigned>;

TEST(EncodingTest, FieldsOfTheDefault) {
  Config config;
  auto load = getBits(config, Opcode::Load);
  EXPECT_EQ(load["opcode"], Bits(0, 2));
  EXPECT_EQ(load["push_next_dep"], Bits(6, 6));
  EXPECT_EQ(load["memory_id"], Bits(7, 9));
  EXPECT_EQ(load["sram_base"], Bits(10, 25));
  EXPECT_EQ(load["dram_base"], Bits(26, 57));
  // Does not cross the middle.
  EXPECT_EQ(load["y_size"], Bits(64, 79));
  EXPECT_EQ(load["x_stride"], Bits(96, 111));
  EXPECT_EQ(load["x_pad_1"], Bits(124, 127));
  auto gemm = getBits(config, Opcode::Gemm);
  EXPECT_EQ(gemm["reset"], Bits(7, 7));
  EXPECT_EQ(gemm["uop_bgn"], Bits(8, 20));
  EXPECT_EQ(gemm["uop_end"], Bits(21, 34));
  EXPECT_EQ(gemm["iter_in"], Bits(49, 62));
  EXPECT_EQ(gemm["dst_factor_out"], Bits(64, 74));
  EXPECT_EQ(gemm["wgt_factor_in"], Bits(118, 127));
  auto alu = getBits(config, Opcode::Alu);
  EXPECT_EQ(alu["src_factor_in"], Bits(97, 107));
  EXPECT_EQ(alu["alu_opcode"], Bits(108, 110));
  EXPECT_EQ(alu["use_imm"], Bits(111, 111));
  EXPECT_EQ(alu["imm"], Bits(112, 127));
}

TEST(EncodingTest, FactorInTheFirstWordOfSmallScratchpads) {
  Config config;
  config.uopBuffer = 12;
  config.accBuffer = 13;
  auto gemm = getBits(config, Opcode::Gemm);
  EXPECT_EQ(gemm["dst_factor_out"], Bits(57, 63));
  EXPECT_EQ(gemm["dst_factor_in"], Bits(64, 70));
}

/// A configuration that exists.
Config makeConfig(std::mt19937 &random) {
  auto pick = [&](uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random);
  };
  while (true) {
    Config config;
    config.inpWidth = pick(0, 5);
    config.wgtWidth = pick(0, 5);
    config.accWidth = pick(3, 5);
    config.batch = pick(0, 4);
    config.block = pick(0, 6);
    config.uopBuffer = pick(2, 16);
    config.inpBuffer = pick(4, 18);
    config.wgtBuffer = pick(4, 20);
    config.accBuffer = pick(4, 18);
    if (checkConfig(config).empty())
      return config;
  }
}

bool isSame(const Instruction &a, const Instruction &b) {
  return a.opcode == b.opcode && a.popPrev == b.popPrev &&
         a.popNext == b.popNext && a.pushPrev == b.pushPrev &&
         a.pushNext == b.pushNext && a.memory == b.memory &&
         a.sramBase == b.sramBase && a.dramBase == b.dramBase &&
         a.ySize == b.ySize && a.xSize == b.xSize && a.xStride == b.xStride &&
         a.yPad0 == b.yPad0 && a.yPad1 == b.yPad1 && a.xPad0 == b.xPad0 &&
         a.xPad1 == b.xPad1 && a.reset == b.reset && a.uopBegin == b.uopBegin &&
         a.uopEnd == b.uopEnd && a.iterOut == b.iterOut &&
         a.iterIn == b.iterIn && a.dstOut == b.dstOut && a.dstIn == b.dstIn &&
         a.srcOut == b.srcOut && a.srcIn == b.srcIn && a.wgtOut == b.wgtOut &&
         a.wgtIn == b.wgtIn && a.aluOpcode == b.aluOpcode &&
         a.useImm == b.useImm && a.imm == b.imm;
}

TEST(EncodingTest, RandomInstructionsComeBack) {
  std::mt19937 random(1);
  std::uniform_int_distribution<uint64_t> any;
  for (int i = 0; i < 20000; ++i) {
    Config config = makeConfig(random);
    InstructionWords words = {any(random), any(random)};
    Instruction instruction = decode(config, words);
    InstructionWords encoded;
    if (instruction.opcode >= kNumOpcodes) {
      ASSERT_TRUE(checkInstruction(config, instruction, nullptr));
      continue;
    }
    // All that decode reads is what encode writes.
    ASSERT_FALSE(encode(config, instruction, encoded));
    ASSERT_TRUE(isSame(decode(config, encoded), instruction));
    ASSERT_FALSE(hasReservedBits(config, encoded));
    for (int word = 0; word < 2; ++word)
      ASSERT_EQ(encoded[word] & ~words[word], 0u);
    ASSERT_EQ(encoded != words, hasReservedBits(config, words));
    // Bytes are little endian.
    uint8_t bytes[kInstructionBytes];
    writeWords(encoded, bytes);
    ASSERT_EQ(readWords(bytes), encoded);
    ASSERT_EQ(bytes[0] & 7, instruction.opcode);
  }
}

TEST(EncodingTest, FieldsOfNoBitsLieBehindTheLast) {
  Config config;
  ASSERT_EQ(parseConfigName("1x16_i8w8a32_15_25_8_17", config), "");
  Instruction gemm;
  gemm.opcode = static_cast<uint8_t>(Opcode::Gemm);
  gemm.iterOut = 3;
  gemm.iterIn = 2;
  InstructionWords words;
  ASSERT_FALSE(encode(config, gemm, words));
  EXPECT_TRUE(isSame(decode(config, words), gemm));
  gemm.wgtIn = 1;
  EXPECT_TRUE(encode(config, gemm, words));
}

TEST(EncodingTest, FieldsDoNotOverlap) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    Config config = makeConfig(random);
    for (unsigned opcode = 0; opcode < kNumOpcodes; ++opcode) {
      unsigned end = 0;
      for (const FieldLayout &field :
           getFields(config, static_cast<Opcode>(opcode))) {
        ASSERT_GE(field.offset, end);
        end = field.offset + field.width;
        ASSERT_LE(end, 128u);
        if (field.width)
          ASSERT_EQ(field.offset / 64, (end - 1) / 64) << field.name;
      }
    }
  }
}

TEST(EncodingTest, FieldsThatAreTooLargeAreNamed) {
  Config config;
  Instruction instruction;
  instruction.opcode = static_cast<uint8_t>(Opcode::Gemm);
  instruction.iterOut = 16384;
  InstructionWords words;
  std::optional<Fault> fault = encode(config, instruction, words);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->field, "iter_out");
  EXPECT_EQ(fault->message,
            "expects iter_out of at most 16383 (14 bits), but got 16384");
  instruction.iterOut = 1;
  instruction.wgtIn = 1024;
  fault = encode(config, instruction, words);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message,
            "expects wgt_factor_in of at most 1023 (10 bits), but got 1024");
  Uop uop = {2048, 0, 0};
  uint32_t word;
  fault = encodeUop(config, uop, word);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message,
            "expects dst of at most 2047 (11 bits), but got 2048");
}

TEST(EncodingTest, MicroOpsComeBack) {
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    Config config = makeConfig(random);
    uint32_t word = std::uniform_int_distribution<uint32_t>()(random), encoded;
    Uop uop = decodeUop(config, word);
    ASSERT_FALSE(encodeUop(config, uop, encoded));
    ASSERT_EQ(encoded & ~word, 0u);
    Uop again = decodeUop(config, encoded);
    ASSERT_EQ(again.dst, uop.dst);
    ASSERT_EQ(again.src, uop.src);
    ASSERT_EQ(again.wgt, uop.wgt);
  }
  // src is as wide as the deeper one of inp and acc.
  Config config;
  uint32_t word;
  ASSERT_FALSE(encodeUop(config, {1, 2, 3}, word));
  EXPECT_EQ(word, 1u | 2u << 11 | 3u << 22);
  config.inpBuffer = 12;
  ASSERT_FALSE(encodeUop(config, {1, 2, 3}, word));
  EXPECT_EQ(word, 1u | 2u << 11 | 3u << 22);
}

} // namespace
