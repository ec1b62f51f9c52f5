//===- SizeTest.cpp - Large Relay programs --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include <ctime>

using namespace mlir;
using namespace mlir::relay;

namespace {

class SizeTest : public RelayTextTest {
protected:
  static constexpr int kLength = 100000;

  /// Parses, prints, and compares what that parses to.
  void check(StringRef text) {
    ast::ExprPtr expr = parseExpr(text);
    ASSERT_TRUE(expr) << getMessages();
    std::string printed = print(expr);
    ast::ExprPtr again = parseExpr(printed);
    ASSERT_TRUE(again) << getMessages();
    EXPECT_TRUE(print(again) == printed);
  }
};

TEST_F(SizeTest, GraphBindings) {
  std::string text = "fn (%x) {\n  %0 = nn.relu(%x);\n";
  for (int i = 1; i < kLength; ++i)
    text += "  %" + std::to_string(i) + " = nn.relu(%" + std::to_string(i - 1) +
            ");\n";
  text += "  nn.relu(%" + std::to_string(kLength - 1) + ")\n}";
  check(text);
  EXPECT_TRUE(reprint(text) == text);
}

TEST_F(SizeTest, Lets) {
  std::string text = "fn (%x0) {\n";
  for (int i = 1; i < kLength; ++i)
    text += "  let %y" + std::to_string(i) + " = abs(%x0);\n";
  text += "  %x0\n}";
  check(text);
}

TEST_F(SizeTest, Shadowing) {
  std::string text = "let %x = 1;\n";
  for (int i = 1; i < kLength; ++i)
    text += "let %x = abs(%x);\n";
  check(text + "%x");
}

TEST_F(SizeTest, Operators) {
  std::string sum = "1", difference = "1", calls = "@f", fields = "@f()";
  for (int i = 0; i < kLength; ++i) {
    sum += " + 1 * 2";
    difference += "-1";
    calls += "(1)";
    fields += ".0";
  }
  check(sum);
  check(difference);
  check(calls);
  check(fields);
}

TEST_F(SizeTest, Sequences) {
  std::string text, tuple = "(", args = "f(";
  for (int i = 0; i < kLength; ++i) {
    text += "abs(1);\n";
    tuple += "abs(1), ";
    args += "abs(1), ";
  }
  check(text + "1");
  check(tuple + ")");
  check(args + ")");
}

TEST_F(SizeTest, Modules) {
  std::string text = "#[version = \"0.0.5\"]\n";
  for (int i = 0; i < 20000; ++i)
    text += "type T" + std::to_string(i) + " { C" + std::to_string(i) +
            " }\ndef @f" + std::to_string(i) + "(%x) { C" + std::to_string(i) +
            " }\n";
  EXPECT_TRUE(parseModule(text));
}

/// The time grows with the size: 32 times the size in less than 32 times four
/// times the time, whatever machine this is.
TEST_F(SizeTest, TimeIsLinear) {
  auto measure = [&](int length) {
    ast::ExprPtr expr = std::make_shared<ast::Var>("x", Type());
    auto abs = std::make_shared<ast::Op>("abs");
    for (int i = 0; i < length; ++i)
      expr = std::make_shared<ast::Call>(abs, std::vector<ast::ExprPtr>{expr});
    // The processor's time, whatever else runs on it.
    std::clock_t start = std::clock();
    parseExpr(print(expr));
    return static_cast<double>(std::clock() - start);
  };
  double small = std::min({measure(2000), measure(2000), measure(2000)});
  EXPECT_LT(measure(64000), 4 * 32 * small);
}

} // namespace
