//===- KernelTest.h - Running a kernel for each target ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_TARGET_KERNELTEST_H
#define RELAY_MLIR_TEST_UNIT_TARGET_KERNELTEST_H

#include "KernelRunner.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace relay_test {

inline std::string replaceAll(std::string text, llvm::StringRef from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Replaces each name by its value.
inline std::string
substitute(std::string text,
           std::vector<std::pair<std::string, int64_t>> values) {
  for (auto [name, value] : values)
    text = replaceAll(text, name, std::to_string(value));
  return text;
}

template <typename T>
void fillRandom(T *data, size_t count, double scale = 1) {
  std::mt19937 generator(count);
  std::uniform_real_distribution<double> values(-scale, scale);
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<T>(values(generator));
}

template <typename T>
std::vector<T> getRandom(size_t count, double scale = 1) {
  std::vector<T> data(count);
  fillRandom(data.data(), count, scale);
  return data;
}

inline constexpr const char *kTargets[] = {"x86-64-v2", "x86-64-v3",
                                           "x86-64-v4"};

/// Runs for each of the targets that this machine can run.
class TargetTest : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    mlir::relay::CPUInfo native = parseTarget("native");
    if (!native.isX86())
      GTEST_SKIP() << "not an x86-64";
    std::string target = GetParam();
    if (target == "x86-64-v4" && !native.hasFeature("avx512vl"))
      GTEST_SKIP() << "no AVX-512";
    if (target == "x86-64-v3" && !native.hasFeature("avx2"))
      GTEST_SKIP() << "no AVX2";
  }
};

inline std::string
getTargetName(const testing::TestParamInfo<const char *> &info) {
  return replaceAll(info.param, "-", "_");
}

} // namespace relay_test

#endif // RELAY_MLIR_TEST_UNIT_TARGET_KERNELTEST_H
