//===- StringsTest.cpp - Strings of a run ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Strings.h"

#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

class StringsTest : public ::testing::Test {
protected:
  StringsTest() : strings(nullptr, relayStringsFree) {
    RelayStrings *created = nullptr;
    EXPECT_EQ(RELAY_OK, relayStringsCreate(nullptr, &created));
    strings.reset(created);
  }

  int64_t number(const std::string &text) {
    int64_t result = -1;
    EXPECT_EQ(RELAY_OK, relayStringsGetNumber(strings.get(), text.data(),
                                              text.size(), &result));
    return result;
  }
  std::string text(int64_t number) {
    const char *data = nullptr;
    uint64_t length = 0;
    EXPECT_EQ(RELAY_OK,
              relayStringsGetText(strings.get(), number, &data, &length))
        << relayGetLastError();
    return std::string(data, length);
  }
  int64_t call(RelayStringFunction function, std::vector<int64_t> args) {
    int64_t result = -1;
    EXPECT_EQ(RELAY_OK,
              relayStringsCall(strings.get(), function, args.data(),
                               static_cast<int32_t>(args.size()), &result))
        << relayGetLastError();
    return result;
  }
  std::string error(int32_t function, std::vector<int64_t> args) {
    int64_t result = -1;
    EXPECT_EQ(RELAY_INVALID_ARGUMENT,
              relayStringsCall(strings.get(), function, args.data(),
                               static_cast<int32_t>(args.size()), &result));
    return relayGetLastError();
  }
  std::vector<std::string> items(int64_t list) {
    std::vector<std::string> result;
    for (int64_t i = 0, e = call(RELAY_STRING_LIST_SIZE, {list}); i < e; ++i)
      result.push_back(text(call(RELAY_STRING_LIST_ITEM, {list, i, -1})));
    return result;
  }

  std::unique_ptr<RelayStrings, decltype(&relayStringsFree)> strings;
};

using Texts = std::vector<std::string>;

TEST_F(StringsTest, Numbers) {
  EXPECT_EQ(0, number(""));
  EXPECT_EQ(1, number("a"));
  EXPECT_EQ(2, number(std::string("a\0", 2)));
  EXPECT_EQ(1, number("a"));
  EXPECT_EQ(3, relayStringsGetSize(strings.get()));
  EXPECT_EQ(std::string("a\0", 2), text(2));
  EXPECT_EQ(1, call(RELAY_STRING_CONCAT, {0, 1}));
  EXPECT_EQ("aa", text(call(RELAY_STRING_CONCAT, {1, 1})));
}

TEST_F(StringsTest, Errors) {
  const char *data;
  uint64_t length;
  for (int64_t wrong : {int64_t(-1), int64_t(1), INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(RELAY_INVALID_ARGUMENT,
              relayStringsGetText(strings.get(), wrong, &data, &length));
    EXPECT_EQ("expects the number of a string, below 1, but got " +
                  std::to_string(wrong),
              error(RELAY_STRING_CONCAT, {0, wrong}));
    EXPECT_EQ("expects the number of a list, below 0, but got " +
                  std::to_string(wrong),
              error(RELAY_STRING_LIST_SIZE, {wrong}));
  }
  EXPECT_EQ("expects 2 arguments for 'concat', but got 1",
            error(RELAY_STRING_CONCAT, {0}));
  EXPECT_EQ("expects a function of strings below 18, but got 99",
            error(99, {0}));
  int64_t result;
  // A lonely byte, a code point that is too long, a surrogate, one too large.
  for (const char *wrong : {"\xff", "\x80", "\xc0\x80", "\xed\xa0\x80",
                            "\xf4\x90\x80\x80", "\xe6\xb0", "a\xc3"})
    EXPECT_EQ(RELAY_INVALID_ARGUMENT,
              relayStringsGetNumber(strings.get(), wrong,
                                    std::string(wrong).size(), &result));
}

TEST_F(StringsTest, FunctionsHaveNames) {
  const RelayStringFunctionInfo *info = relayFindStringFunction("split", 5);
  ASSERT_TRUE(info);
  EXPECT_EQ(RELAY_STRING_SPLIT, info->function);
  EXPECT_EQ(1, info->num_operands);
  EXPECT_EQ(2, info->num_params);
  EXPECT_FALSE(relayFindStringFunction("spli", 4));
}

TEST_F(StringsTest, Lists) {
  EXPECT_EQ(
      Texts({"a", "", "b c"}),
      items(call(RELAY_STRING_SPLIT, {number("a,,b c"), number(","), -1})));
  EXPECT_EQ(Texts({"a", "b c"}),
            items(call(RELAY_STRING_SPLIT, {number(" a  b c "), 0, 1})));
  EXPECT_EQ(Texts(), items(call(RELAY_STRING_SPLIT, {0, number(","), -1})));
  EXPECT_EQ(
      Texts({"\xc3\xa4", "b", "\xf0\x9f\x99\x82"}),
      items(call(RELAY_STRING_CHARACTERS, {number("\xc3\xa4"
                                                  "b\xf0\x9f\x99\x82")})));
}

TEST_F(StringsTest, Hash) {
  // As the reference implementation of MurmurHash3 has it.
  EXPECT_EQ(0, call(RELAY_STRING_HASH, {0, 0}));
  EXPECT_EQ(0xba6bd213, call(RELAY_STRING_HASH, {number("test"), 0}));
  EXPECT_EQ(0xc0363e43, call(RELAY_STRING_HASH, {number("Hello, world!"), 0}));
  EXPECT_EQ(0x2fa826cd,
            call(RELAY_STRING_HASH,
                 {number("The quick brown fox jumps over the lazy dog"),
                  0x9747b28c}));
}

TEST_F(StringsTest, Order) {
  EXPECT_EQ(1, call(RELAY_STRING_LESS, {0, number("a")}));
  EXPECT_EQ(0, call(RELAY_STRING_LESS, {number("a"), number("a")}));
  EXPECT_EQ(1, call(RELAY_STRING_LESS, {number("z"), number("\xc3\xa4")}));
}

TEST_F(StringsTest, Threads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j)
        EXPECT_EQ(std::to_string(j), text(number(std::to_string(j))));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(1001, relayStringsGetSize(strings.get()));
}

TEST_F(StringsTest, UsedByOneThread) {
  EXPECT_EQ(nullptr, relayUseStrings(strings.get()));
  EXPECT_EQ(strings.get(), relayGetUsedStrings());
  std::thread([] { EXPECT_EQ(nullptr, relayGetUsedStrings()); }).join();
  EXPECT_EQ(strings.get(), relayUseStrings(nullptr));
}

} // namespace
