//===- ConfigTest.cpp - Configurations of VTA -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/VTA/Config.h"

#include "gtest/gtest.h"

using namespace relay_vta;

namespace {

TEST(ConfigTest, SizesOfTheDefault) {
  Config config;
  EXPECT_EQ(checkConfig(config), "");
  EXPECT_EQ(config.getElementBytes(Memory::Uop), 4u);
  EXPECT_EQ(config.getElementBytes(Memory::Inp), 16u);
  EXPECT_EQ(config.getElementBytes(Memory::Wgt), 256u);
  EXPECT_EQ(config.getElementBytes(Memory::Acc), 64u);
  EXPECT_EQ(config.getElementBytes(Memory::Out), 16u);
  EXPECT_EQ(config.getElementBytes(Memory::Acc8), 16u);
  EXPECT_EQ(config.getDepth(Memory::Uop), 8192u);
  EXPECT_EQ(config.getDepth(Memory::Inp), 2048u);
  EXPECT_EQ(config.getDepth(Memory::Wgt), 1024u);
  EXPECT_EQ(config.getDepth(Memory::Acc), 2048u);
}

TEST(ConfigTest, SizesOfBatchFour) {
  Config config;
  config.batch = 2;
  config.block = 3;
  config.inpBuffer = config.wgtBuffer = 16;
  config.accBuffer = 18;
  EXPECT_EQ(checkConfig(config), "");
  EXPECT_EQ(config.getElementBytes(Memory::Inp), 32u);
  EXPECT_EQ(config.getElementBytes(Memory::Wgt), 64u);
  EXPECT_EQ(config.getElementBytes(Memory::Acc), 128u);
  EXPECT_EQ(config.getDepth(Memory::Wgt), 1024u);
}

TEST(ConfigTest, Names) {
  Config config, read;
  EXPECT_EQ(getConfigName(config), "1x16_i8w8a32_15_15_18_17");
  config.batch = 2;
  config.block = 3;
  config.inpWidth = 4;
  EXPECT_EQ(getConfigName(config), "4x8_i16w8a32_15_15_18_17");
  ASSERT_EQ(parseConfigName(getConfigName(config), read), "");
  EXPECT_TRUE(read == config);
  for (const char *name :
       {"", "1x16", "1x16_i8w8a32_15_15_18", "1x16_i8w8a32_15_15_18_17_",
        "1x15_i8w8a32_15_15_18_17", "0x16_i8w8a32_15_15_18_17",
        "-1x16_i8w8a32_15_15_18_17", "1x16_i8w8a32_15_15_18_171234567",
        "01x16_i8w8a32_15_15_18_17"})
    EXPECT_NE(parseConfigName(name, read), "") << name;
  EXPECT_EQ(parseConfigName("1x16", read),
            "expects a configuration such as 1x16_i8w8a32_15_15_18_17, but got "
            "'1x16'");
  EXPECT_EQ(parseConfigName("3x16_i8w8a32_15_15_18_17", read),
            "expects a configuration such as 1x16_i8w8a32_15_15_18_17, but got "
            "'3x16_i8w8a32_15_15_18_17': expects a power of 2 for batch, but "
            "got 3");
}

/// Why a VTA with `value` for a parameter is refused.
std::string refuse(uint32_t Config::*parameter, uint32_t value) {
  Config config;
  config.*parameter = value;
  return checkConfig(config);
}

TEST(ConfigTest, Refused) {
  EXPECT_EQ(refuse(&Config::inpWidth, 60),
            "expects LOG_INP_WIDTH from 0 to 5, but got 60");
  EXPECT_EQ(refuse(&Config::accWidth, 2),
            "expects LOG_ACC_WIDTH from 3 to 5, but got 2");
  EXPECT_EQ(refuse(&Config::block, 4000000000u),
            "expects LOG_BLOCK from 0 to 12, but got 4000000000");
  EXPECT_EQ(
      refuse(&Config::block, 12),
      "expects an element of wgt of 4096 bytes at most, but got 16777216");
  EXPECT_EQ(refuse(&Config::inpBuffer, 3), "expects a buffer of inp with room "
                                           "for an element of 16 bytes, but "
                                           "got 8");
  EXPECT_EQ(refuse(&Config::uopBuffer, 20),
            "expects scratchpads for which the fields of GEMM take 128 bits, "
            "but got 142");
  EXPECT_EQ(refuse(&Config::wgtBuffer, 20), "expects scratchpads for which the "
                                            "fields of GEMM take 128 bits, but "
                                            "got 132");
  EXPECT_EQ(refuse(&Config::busWidth, 31),
            "expects LOG_BUS_WIDTH from 3 to 12, but got 31");
}

TEST(ConfigTest, NothingIsDerivedOfWhatIsRefused) {
  // Every value of every parameter, alone and in pairs, ends in a message or a
  // configuration whose sizes make sense.
  uint32_t Config::*parameters[] = {
      &Config::inpWidth,  &Config::wgtWidth,  &Config::accWidth,
      &Config::batch,     &Config::block,     &Config::uopBuffer,
      &Config::inpBuffer, &Config::wgtBuffer, &Config::accBuffer};
  unsigned accepted = 0;
  for (auto first : parameters)
    for (auto second : parameters)
      for (uint32_t a = 0; a < 34; ++a)
        for (uint32_t b = 0; b < 34; ++b) {
          Config config;
          config.*first = a;
          config.*second = b;
          if (!checkConfig(config).empty())
            continue;
          ++accepted;
          for (Memory memory : {Memory::Wgt, Memory::Inp, Memory::Acc}) {
            ASSERT_GE(config.getElementBytes(memory), 1u);
            ASSERT_LE(config.getElementBytes(memory), 4096u);
            ASSERT_LE(config.getLogDepth(memory), 28u);
          }
        }
  EXPECT_GT(accepted, 1000u);
}

} // namespace
