//===- LiteralsTest.cpp - Literals in Relay text --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class LiteralsTest : public RelayTextTest {
protected:
  /// The value and the type of a literal.
  std::string read(StringRef text) {
    ast::ExprPtr expr = parseExpr(text);
    if (!expr)
      return getMessages();
    auto *constant = dyn_cast<ast::Constant>(expr.get());
    if (!constant)
      return "no constant";
    EXPECT_EQ(constant->value.getShapedType().getRank(), 0);
    std::string result;
    llvm::raw_string_ostream(result)
        << *constant->value.value_begin<Attribute>();
    return result;
  }
};

TEST_F(LiteralsTest, Integers) {
  EXPECT_EQ(read("1"), "1 : i32");
  EXPECT_EQ(read("-05"), "-5 : i32");
  EXPECT_EQ(read("2147483647"), "2147483647 : i32");
  EXPECT_EQ(read("-2147483648"), "-2147483648 : i32");
  EXPECT_EQ(read("2147483648"), "2147483648 : i64");
  EXPECT_EQ(read("--2147483648"), "2147483648 : i64");
  EXPECT_EQ(read("-42i"), "-42 : i32");
  EXPECT_EQ(read("-42i32"), "-42 : i32");
  EXPECT_EQ(read("-42i16"), "-42 : i16");
  EXPECT_EQ(read("-42i64"), "-42 : i64");
  EXPECT_EQ(read("-9223372036854775808"), "-9223372036854775808 : i64");
  EXPECT_EQ(read("--10"), "10 : i32");
  EXPECT_EQ(read("---10"), "-10 : i32");
}

TEST_F(LiteralsTest, IntegersOutOfRange) {
  EXPECT_EQ(read("2147483648i32"),
            "1:1: expects an integer of 32 bits, but got 2147483648\n");
  EXPECT_EQ(read("32768i16"),
            "1:1: expects an integer of 16 bits, but got 32768\n");
  EXPECT_EQ(read("-32769i16"),
            "1:1: expects an integer of 16 bits, but got -32769\n");
  EXPECT_EQ(
      read("9223372036854775808"),
      "1:1: expects an integer of 64 bits, but got 9223372036854775808\n");
  EXPECT_EQ(read("5i8"),
            "1:1: expects an integer of 16, 32 or 64 bits, but got '5i8'\n");
}

TEST_F(LiteralsTest, Floats) {
  EXPECT_EQ(read("3f"), "3.000000e+00 : f32");
  EXPECT_EQ(read("3.0f"), "3.000000e+00 : f32");
  EXPECT_EQ(read("3.f"), "3.000000e+00 : f32");
  EXPECT_EQ(read("3f32"), "3.000000e+00 : f32");
  EXPECT_EQ(read("3f16"), "3.000000e+00 : f16");
  EXPECT_EQ(read("3f64"), "3.000000e+00 : f64");
  EXPECT_EQ(read("1e-1f"), "1.000000e-01 : f32");
  EXPECT_EQ(read("1.0E+1f"), "1.000000e+01 : f32");
  EXPECT_EQ(read("1E+1f"), "1.000000e+01 : f32");
  EXPECT_EQ(read("-0f"), "-0.000000e+00 : f32");
  EXPECT_EQ(read("inff"), "0x7F800000 : f32");
  EXPECT_EQ(read("-inff"), "0xFF800000 : f32");
}

TEST_F(LiteralsTest, FloatsOutOfRange) {
  EXPECT_EQ(read("3.40283e+38f32"),
            "1:1: expects a float of 32 bits, but got 3.40283e+38\n");
  EXPECT_EQ(read("65505f16"),
            "1:1: expects a float of 16 bits, but got 65505\n");
  EXPECT_EQ(read("65504f16"), "6.550400e+04 : f16");
  EXPECT_EQ(read("1e400f64"),
            "1:1: expects a float of 64 bits, but got 1e400\n");
  EXPECT_EQ(read("3f8"),
            "1:1: expects a float of 16, 32 or 64 bits, but got '3f8'\n");
  EXPECT_EQ(read("1.5"), "1:1: expects a float to end in 'f', but got '1.5'\n");
  EXPECT_EQ(read("1e5"), "1:1: expects a float to end in 'f', but got '1e5'\n");
  EXPECT_EQ(read("12ab"), "1:1: expects a number, but got '12ab'\n");
}

TEST_F(LiteralsTest, Bools) {
  EXPECT_EQ(read("True"), "true");
  EXPECT_EQ(read("False"), "false");
}

/// A minus between numbers is an operator, with and without blanks.
TEST_F(LiteralsTest, Differences) {
  for (StringRef text : {"1 - 2", "1-2", "1 -2", "1- 2"})
    EXPECT_EQ(reprint(text), "subtract(1, 2)") << text.str();
  EXPECT_EQ(reprint("1 - -2"), "subtract(1, -2)");
  EXPECT_EQ(reprint("1 < -1"), "less(1, -1)");
  EXPECT_EQ(reprint("free_var %x; %x-1"), "free_var %x;\nsubtract(%x, 1)");
  EXPECT_EQ(getExprErrors("free_var %x; -%x"),
            "1:15: expects a number after '-'; other values are negated by "
            "'negative', but got '%x'\n");
}

/// Six digits where they say the value, otherwise as many as it takes.
TEST_F(LiteralsTest, FloatsSurvive) {
  for (StringRef text :
       {"0.1f", "1e-05f", "1e+11f", "100000f", "1e+06f", "3.1415927f",
        "0.33333334f", "16777216f", "1e-45f", "3.402823466e+38f",
        "3.141592653589793f64", "1.7976931348623157e+308f64", "4.94066e-324f64",
        "0.1f16", "65500f16", "6e-08f16", "-0f", "-inff", "inff64"})
    EXPECT_EQ(reprint(text), text.str());
  // Halves need fewer digits than streams would print.
  EXPECT_EQ(reprint("0.0999755859375f16"), "0.1f16");
  EXPECT_EQ(reprint("0.30000001192092896f"), "0.3f");
}

TEST_F(LiteralsTest, Strings) {
  for (StringRef value :
       {R"("")", R"("plain")", R"("a \"quoted\" word")", R"("back\\slash")",
        R"("tab\tline\nreturn\r")", R"("\x01\x7f")", "\"\xC3\xBC\""})
    EXPECT_EQ(reprint(("f(attr=" + value + ")").str()),
              ("f(attr=" + value + ")").str());
  // Unknown escapes are what they look like.
  EXPECT_EQ(reprint(R"(f(attr="\d"))"), R"(f(attr="\\d"))");
  EXPECT_EQ(getExprErrors("f(attr=\"open)\n"),
            "1:8: expects '\"' at the end of this string\n");
}

} // namespace
