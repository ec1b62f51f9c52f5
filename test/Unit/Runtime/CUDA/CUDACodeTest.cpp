//===- CUDACodeTest.cpp - Code for devices of kind cuda -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Runtime/CUDACode.h"

#include "gtest/gtest.h"

#include <chrono>
#include <optional>

using namespace relay_cuda;

static std::optional<int64_t> evaluate(const std::string &text,
                                       std::vector<int64_t> dims = {}) {
  Expression expression;
  std::string reason;
  EXPECT_TRUE(expression.parse(text, static_cast<int32_t>(dims.size()), reason))
      << reason;
  int64_t value;
  if (!expression.evaluate(dims.data(), value))
    return std::nullopt;
  return value;
}

static std::string getExpressionError(const std::string &text) {
  Expression expression;
  std::string reason;
  EXPECT_FALSE(expression.parse(text, 2, reason));
  return reason;
}

static std::string getError(const std::string &text) {
  Code code;
  std::string reason;
  EXPECT_FALSE(parseCode(text.data(), text.size(), code, reason));
  return reason;
}

TEST(CUDACodeTest, ExpressionsAreEvaluated) {
  EXPECT_EQ(7, evaluate("7"));
  EXPECT_EQ(-7, evaluate("-7"));
  EXPECT_EQ(51, evaluate("d0,128,*,255,ceildiv", {101}));
  EXPECT_EQ(50, evaluate("d0,128,*,255,floordiv", {100}));
  EXPECT_EQ(3, evaluate("d0,d1,-", {10, 7}));
  EXPECT_EQ(17, evaluate("d0,d1,+", {10, 7}));
  EXPECT_EQ(10, evaluate("d0,d1,max", {10, 7}));
  EXPECT_EQ(7, evaluate("d0,d1,min", {10, 7}));
  // Divisions of negative numbers round as those of positive ones.
  EXPECT_EQ(-4, evaluate("-7,2,floordiv"));
  EXPECT_EQ(-3, evaluate("-7,2,ceildiv"));
  EXPECT_EQ(1, evaluate("-7,2,mod"));
  EXPECT_EQ(4, evaluate("7,2,ceildiv"));
  EXPECT_EQ(1, evaluate("7,2,mod"));
  EXPECT_EQ(9223372036854775807, evaluate("9223372036854775807"));
}

TEST(CUDACodeTest, ExpressionsWithoutAValueAreFound) {
  EXPECT_EQ(std::nullopt, evaluate("1,d0,floordiv", {0}));
  EXPECT_EQ(std::nullopt, evaluate("1,d0,ceildiv", {-1}));
  EXPECT_EQ(std::nullopt, evaluate("1,d0,mod", {0}));
  EXPECT_EQ(std::nullopt, evaluate("d0,d0,*", {int64_t(1) << 32}));
  EXPECT_EQ(std::nullopt, evaluate("d0,1,+", {INT64_MAX}));
  EXPECT_EQ(std::nullopt, evaluate("d0,1,-", {INT64_MIN}));
}

TEST(CUDACodeTest, WrongExpressionsAreRefused) {
  EXPECT_EQ("expects a dim, an integer or an operator, but got '' in ''",
            getExpressionError(""));
  EXPECT_EQ("expects two values before '+' in '1,+'",
            getExpressionError("1,+"));
  EXPECT_EQ("expects one value, but '1,2' leaves 2", getExpressionError("1,2"));
  EXPECT_EQ("expects a dim below 2, but got 'd2' in 'd2'",
            getExpressionError("d2"));
  for (const char *text :
       {"x", "1,,", "1 2,+", "d", "d-1", "--1", "0x10", "1,2,/",
        "99999999999999999999", "9223372036854775808"})
    EXPECT_NE("", getExpressionError(text)) << text;
  std::string deep = "1";
  for (int i = 0; i != 100; ++i)
    deep += ",1";
  for (int i = 0; i != 100; ++i)
    deep += ",+";
  EXPECT_EQ("expects a simpler expression than '" + deep + "'",
            getExpressionError(deep));
}

TEST(CUDACodeTest, OnlyDimsAreNotConstant) {
  Expression expression;
  std::string reason;
  ASSERT_TRUE(expression.parse("1,2,+", 1, reason));
  EXPECT_TRUE(expression.isConstant());
  ASSERT_TRUE(expression.parse("1,d0,+", 1, reason));
  EXPECT_FALSE(expression.isConstant());
}

TEST(CUDACodeTest, CodeIsRead) {
  std::string text = "relay-cuda 1\n"
                     "image cubin sm_90a 3\n"
                     "image ptx sm_80 5\n"
                     "image mlir sm_90a 2\n"
                     "kernel first 3 2\n"
                     "launch first_0 d0,128,ceildiv d1 1 128 2 1 d0,4,*\n"
                     "launch first_1 1 1 1 32 1 1 0 cluster=4 buffers=0,2\n"
                     "kernel second 1 0\n"
                     "end\n"
                     "ABCptx\n0ML";
  Code code;
  std::string reason;
  ASSERT_TRUE(parseCode(text.data(), text.size(), code, reason)) << reason;
  ASSERT_EQ(3u, code.images.size());
  EXPECT_EQ("ABC", std::string(code.images[0].data, code.images[0].size));
  EXPECT_EQ("ptx\n0", std::string(code.images[1].data, code.images[1].size));
  EXPECT_EQ("ML", std::string(code.images[2].data, code.images[2].size));
  EXPECT_EQ("cubin sm_90a, ptx sm_80", describeImages(code));
  ASSERT_EQ(2u, code.kernels.size());
  const Kernel &first = code.kernels[0];
  EXPECT_EQ("first", first.name);
  EXPECT_EQ(3, first.numBuffers);
  EXPECT_EQ(2, first.numDims);
  ASSERT_EQ(2u, first.launches.size());
  int64_t dims[] = {300, 7}, value;
  EXPECT_TRUE(first.launches[0].grid[0].evaluate(dims, value));
  EXPECT_EQ(3, value);
  EXPECT_TRUE(first.launches[0].grid[1].evaluate(dims, value));
  EXPECT_EQ(7, value);
  EXPECT_TRUE(first.launches[0].sharedBytes.evaluate(dims, value));
  EXPECT_EQ(1200, value);
  EXPECT_EQ(2u, first.launches[0].block[1]);
  EXPECT_EQ(0u, first.launches[0].cluster);
  EXPECT_EQ("first_1", first.launches[1].entry);
  EXPECT_EQ(4u, first.launches[1].cluster);
  std::vector<int32_t> all, some;
  first.launches[0].forEachBuffer(3, [&](int32_t i) { all.push_back(i); });
  first.launches[1].forEachBuffer(3, [&](int32_t i) { some.push_back(i); });
  EXPECT_EQ((std::vector<int32_t>{0, 1, 2}), all);
  EXPECT_EQ((std::vector<int32_t>{0, 2}), some);
  EXPECT_TRUE(code.kernels[1].launches.empty());

  // Wherever it is cut, it is not read.
  for (size_t size = 0; size != text.size(); ++size)
    EXPECT_FALSE(parseCode(text.data(), size, code, reason)) << size;
}

TEST(CUDACodeTest, NothingIsRefused) {
  Code code;
  std::string reason;
  EXPECT_FALSE(parseCode(nullptr, 0, code, reason));
  EXPECT_EQ("line 1: expects 'end', but there are no more lines", reason);
}

// As long as there are lines, not as their square.
TEST(CUDACodeTest, ManyKernelsAreReadInTime) {
  constexpr size_t count = 200000;
  std::string text = "relay-cuda 1\n";
  for (size_t i = 0; i != count; ++i)
    text += "kernel a_kernel_with_a_long_name_" + std::to_string(i) + " 0 0\n";
  Code code;
  std::string reason;
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(parseCode((text + "end\n").data(), text.size() + 4, code, reason))
      << reason;
  EXPECT_EQ(count, code.kernels.size());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(
      "line 200002: expects one kernel 'a_kernel_with_a_long_name_7', but "
      "there is one already",
      getError(text + "kernel a_kernel_with_a_long_name_7 0 0\nend\n"));
}

TEST(CUDACodeTest, DamagedCodeIsRefused) {
  std::string start = "relay-cuda 1\nkernel f 1 1\n";
  EXPECT_EQ("line 1: expects 'end', but there are no more lines", getError(""));
  EXPECT_EQ("line 1: expects 'relay-cuda 1', but got 'relay-cuda 2'",
            getError("relay-cuda 2\nend\n"));
  EXPECT_EQ("line 3: expects 'image', 'kernel', 'launch' or 'end', but got "
            "'lunch f'",
            getError(start + "lunch f\nend\n"));
  EXPECT_EQ("line 2: expects an image of kind ptx, cubin or mlir, but got "
            "'sass'",
            getError("relay-cuda 1\nimage sass sm_80 1\nend\n."));
  EXPECT_EQ("line 2: expects a chip such as sm_90a, but got 'sm_9x'",
            getError("relay-cuda 1\nimage ptx sm_9x 1\nend\n."));
  EXPECT_EQ("line 3: expects 5 bytes of the image for sm_80, but there are 4",
            getError("relay-cuda 1\nimage ptx sm_80 5\nend\n...."));
  EXPECT_EQ("line 3: expects nothing after the images, but there are 1 bytes",
            getError("relay-cuda 1\nimage ptx sm_80 5\nend\n......"));
  EXPECT_EQ("line 2: expects a kernel before a launch",
            getError("relay-cuda 1\nlaunch f 1 1 1 1 1 1 0\nend\n"));
  EXPECT_EQ("line 3: expects one kernel 'f', but there is one already",
            getError(start + "kernel f 1 1\nend\n"));
  EXPECT_EQ("line 3: expects a dim below 1, but got 'd1' in 'd1'",
            getError(start + "launch f d1 1 1 1 1 1 0\nend\n"));
  EXPECT_EQ("line 3: expects threads of a block from 1 to 1024, but got '0'",
            getError(start + "launch f 1 1 1 0 1 1 0\nend\n"));
  EXPECT_EQ("line 3: expects at most 1024 threads in a block, but got 2048",
            getError(start + "launch f 1 1 1 1024 2 1 0\nend\n"));
  EXPECT_EQ("line 3: expects the flag cluster=<blocks> or buffers=<numbers>, "
            "but got 'fast'",
            getError(start + "launch f 1 1 1 1 1 1 0 fast\nend\n"));
  for (const char *numbers : {"", "1", "0,0", "-1", "x", "0,", "4294967296"})
    EXPECT_NE("", getError(start + "launch f 1 1 1 1 1 1 0 buffers=" + numbers +
                           "\nend\n"))
        << numbers;
  EXPECT_EQ("line 3: expects numbers of buffers below 1, in order, but got '1'",
            getError(start + "launch f 1 1 1 1 1 1 0 buffers=1\nend\n"));
  EXPECT_EQ(
      "line 3: expects the flag buffers=<numbers> once",
      getError(start + "launch f 1 1 1 1 1 1 0 buffers=0 buffers=0\nend\n"));
  EXPECT_EQ("line 3: expects blocks of a cluster from 1 to 16, but got '17'",
            getError(start + "launch f 1 1 1 1 1 1 0 cluster=17\nend\n"));
  EXPECT_EQ("line 2: expects a number of dims from 0 to 4000, but got '-1'",
            getError("relay-cuda 1\nkernel f 1 -1\nend\n"));
  for (const char *line : {"kernel f 1", "kernel  f 1 1", "launch f 1 1 1",
                           "image ptx sm_80", "image ptx sm_80 0", ""})
    EXPECT_NE("", getError("relay-cuda 1\n" + std::string(line) + "\nend\n"))
        << line;
}

TEST(CUDACodeTest, WhateverIsChangedItIsReadOrRefused) {
  const std::string text =
      "relay-cuda 1\n"
      "image cubin sm_90a 3\n"
      "image ptx sm_80 2\n"
      "kernel first 3 2\n"
      "launch first_0 d0,128,ceildiv d1 1 128 2 1 d0,4,*\n"
      "launch first_1 1 1 1 32 1 1 0 cluster=4 buffers=0,2\n"
      "end\n"
      "ABCDE";
  uint32_t state = 1;
  auto draw = [&](size_t count) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % count;
  };
  const char letters[] = "d0123456789,*+- \nxacmn\0\xff";
  int numRead = 0;
  for (int i = 0; i != 20000; ++i) {
    std::string changed = text;
    for (size_t k = 0; k <= draw(3); ++k)
      changed[draw(changed.size())] = letters[draw(sizeof(letters) - 1)];
    Code code;
    std::string reason;
    if (!parseCode(changed.data(), changed.size(), code, reason)) {
      EXPECT_EQ(0u, reason.rfind("line ", 0)) << reason;
      continue;
    }
    ++numRead;
    // What it has read is whole.
    const char *end = changed.data() + changed.size();
    for (const Image &image : code.images)
      EXPECT_TRUE(image.data >= changed.data() &&
                  image.size <= static_cast<uint64_t>(end - image.data));
    for (const Kernel &kernel : code.kernels) {
      std::vector<int64_t> dims(static_cast<size_t>(kernel.numDims), 7);
      int64_t value;
      for (const Launch &launch : kernel.launches)
        for (const Expression &size : launch.grid)
          (void)size.evaluate(dims.data(), value);
    }
  }
  // Some changes do no harm, such as those of images.
  EXPECT_LT(100, numRead);
}

TEST(CUDACodeTest, TheImageIsChosenByTheChip) {
  auto choose = [](std::vector<const char *> images, int major, int minor) {
    std::string text = "relay-cuda 1\n";
    for (const char *image : images)
      text += "image " + std::string(image) + " 1\n";
    text += "end\n" + std::string(images.size(), '.');
    Code code;
    std::string reason;
    EXPECT_TRUE(parseCode(text.data(), text.size(), code, reason)) << reason;
    const Image *image = chooseImage(code, major, minor);
    return image ? static_cast<int>(image - code.images.data()) : -1;
  };
  // Machine code before PTX, wherever it is.
  EXPECT_EQ(1, choose({"ptx sm_80", "cubin sm_80"}, 8, 6));
  // Of the same major number, and not newer.
  EXPECT_EQ(0, choose({"ptx sm_80", "cubin sm_80"}, 9, 0));
  EXPECT_EQ(0, choose({"ptx sm_80", "cubin sm_89"}, 8, 6));
  EXPECT_EQ(2, choose({"mlir sm_90a", "cubin sm_80", "cubin sm_90a"}, 9, 0));
  // On that chip and no other.
  EXPECT_EQ(-1, choose({"cubin sm_100a", "ptx sm_100a"}, 10, 3));
  EXPECT_EQ(-1, choose({"ptx sm_90a"}, 10, 0));
  EXPECT_EQ(0, choose({"ptx sm_90a"}, 9, 0));
  // On chips of the family.
  EXPECT_EQ(0, choose({"cubin sm_100f"}, 10, 3));
  EXPECT_EQ(-1, choose({"ptx sm_100f"}, 12, 0));
  // PTX for older chips.
  EXPECT_EQ(0, choose({"ptx sm_80"}, 12, 1));
  EXPECT_EQ(-1, choose({"ptx sm_100"}, 9, 0));
  // An executor in software has no chip.
  EXPECT_EQ(-1, choose({"mlir sm_80"}, 9, 0));
}
