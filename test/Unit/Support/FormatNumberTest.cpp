//===- FormatNumberTest.cpp - Tests of floats in messages -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/FormatNumber.h"

#include "gtest/gtest.h"

#include <limits>

using mlir::relay::formatNumber;

namespace {

TEST(FormatNumberTest, IsWhatPeopleWrite) {
  EXPECT_EQ(formatNumber(1.5), "1.5");
  EXPECT_EQ(formatNumber(3), "3");
  EXPECT_EQ(formatNumber(0), "0");
  EXPECT_EQ(formatNumber(-0.25), "-0.25");
  EXPECT_EQ(formatNumber(0.001), "0.001");
  EXPECT_EQ(formatNumber(32768), "32768");
  EXPECT_EQ(formatNumber(1e-7), "1e-07");
  EXPECT_EQ(formatNumber(1e30), "1e+30");
}

TEST(FormatNumberTest, HasTheDigitsThatTheNumberHas) {
  EXPECT_EQ(formatNumber(0.1), "0.1");
  EXPECT_EQ(formatNumber(0.1f), "0.1");
  EXPECT_EQ(formatNumber(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(formatNumber(1.0f / 3), "0.33333334");
}

TEST(FormatNumberTest, TakesEveryNumber) {
  using Limits = std::numeric_limits<double>;
  EXPECT_EQ(formatNumber(Limits::infinity()), "inf");
  EXPECT_EQ(formatNumber(-Limits::infinity()), "-inf");
  EXPECT_EQ(formatNumber(Limits::quiet_NaN()), "nan");
  EXPECT_EQ(formatNumber(Limits::max()), "1.7976931348623157e+308");
  EXPECT_EQ(formatNumber(Limits::denorm_min()), "5e-324");
}

} // namespace
