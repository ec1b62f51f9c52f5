//===- ErrorsTest.cpp - Syntax errors in Relay text -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include "relay-mlir/Support/DiagnosticPrinter.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class ErrorsTest : public RelayTextTest {
protected:
  /// What a tool shows of the errors in an expression.
  std::string print(StringRef text) {
    llvm::SourceMgr source;
    fill(source, text);
    std::string output;
    llvm::raw_string_ostream os(output);
    DiagnosticPrinter printer(&context, &source, os);
    EXPECT_TRUE(failed(parseRelayExpr(source, &context)));
    return output;
  }
};

TEST_F(ErrorsTest, Expressions) {
  std::pair<StringRef, StringRef> cases[] = {
      {"let @x = 1; ()",
       "1:5: expects a local variable such as '%x', but got '@x'\n"},
      {"let x = 1; ()",
       "1:5: expects a local variable such as '%x', but got 'x'\n"},
      {"", "1:1: expects an expression, but got the end of the file\n"},
      {"free_var %x;",
       "1:13: expects an expression, but got the end of the file\n"},
      {"add(1, 2", "1:9: expects ',' or ')' after an argument, but got the "
                   "end of the file\n"},
      {"add(1 2)", "1:7: expects ',' or ')' after an argument, but got '2'\n"},
      {"(1, 2]", "1:6: expects ',' or ')', but got ']'\n"},
      {"if (True) { 1 }",
       "1:16: expects 'else', but got the end of the file\n"},
      {"1 2", "1:3: expects the end of the file, but got '2'\n"},
      {"fn (%x: Tensor) { %x }",
       "1:15: expects '[' after 'Tensor', but got ')'\n"},
      {"%3", "1:1: expects a graph variable that is bound, but got '%3'\n"},
      {"1 + * 2", "1:5: expects an expression, but got '*'\n"},
      {"fn (%x) %x", "1:9: expects '{', but got '%x'\n"},
      {"fn (%x) -> { %x }", "1:12: expects a type, but got '{'\n"},
      {"%x.y", "1:1: expects a variable that is declared, but got '%x.y'\n"},
      {"(1).x", "1:5: expects the index of a field after '.', but got 'x'\n"},
      {"match (1) { Foo => 1 }",
       "1:13: expects a constructor, but got 'Foo'\n"},
      {"match (1) { _ -> 1 }", "1:15: expects '=>', but got '->'\n"},
      {"/* open", "1:1: expects '*/' at the end of this comment\n"
                  "1:8: expects an expression, but got the end of the file\n"},
      {"1 $ 2", "1:3: unexpected character '$'\n"},
      {"% 1", "1:1: expects a name after '%'\n"},
      {"1 \r 2", "1:3: expects a line feed after this carriage return\n"},
      {"#[version = \"0.0.6\"] 1",
       "1:1: expects version 0.0.5, 0.0.4 or 0.0.1, but got \"0.0.6\"\n"},
      {"#[versio] 1", "1:1: expects '#[version = \"0.0.5\"]' or "
                      "'#[metadata]', but got '#[versio]'\n"},
      {"else", "1:1: expects an expression, but got 'else'\n"},
      {"fn [A, A]() { 1 }",
       "1:8: expects distinct type parameters, but got 'A' twice\n"},
      {"meta[relay.Constant][0]", "1:1: expects metadata of the key "
                                  "'relay.Constant', but there is none\n"},
      {"meta[relay.Constant", "1:1: expects meta[KEY][INDEX]\n"},
  };
  for (auto [text, errors] : cases)
    EXPECT_EQ(getExprErrors(text), errors.str()) << text.str();
}

TEST_F(ErrorsTest, Modules) {
  EXPECT_EQ(getModuleErrors("def @f() { 1 }"),
            "1:1: expects '#[version = \"0.0.5\"]', but got 'def'\n");
  EXPECT_EQ(getModuleErrors("#[version = \"0.0.5\"]\ndef f() { 1 }"),
            "2:5: expects the name of a function, such as '@main', but got "
            "'f'\n");
  EXPECT_EQ(getModuleErrors("#[version = \"0.0.5\"]\ndef @f() { 1 } 2"),
            "2:16: expects a definition, but got '2'\n");
}

/// Parsing goes on at the next statement and the next definition.
TEST_F(ErrorsTest, SeveralErrors) {
  EXPECT_EQ(getModuleErrors("#[version = \"0.0.5\"]\n"
                            "def @f(%x) {\n"
                            "  let %y = add(%x, ;\n"
                            "  let %z = 70000i16;\n"
                            "  foo(%w, %y)\n"
                            "}\n"
                            "def @g(%x {\n"
                            "  %x\n"
                            "}\n"
                            "def @h() { 1 + }\n"),
            "3:20: expects an expression, but got ';'\n"
            "4:12: expects an integer of 16 bits, but got 70000\n"
            "5:7: expects a variable that is declared, but got '%w'\n"
            "8:3: expects the name of an attribute, but got '%x'\n"
            "10:16: expects an expression, but got '}'\n");
}

TEST_F(ErrorsTest, NumberOfErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += "%x" + std::to_string(i) + ";\n";
  EXPECT_EQ(StringRef(print(text + "1")).count("error: expects a variable"),
            ErrorLimit::kMaxErrors);
  EXPECT_TRUE(
      StringRef(print(text + "1")).ends_with("\nerror: 980 more errors\n"));
}

/// The handler that tools install shows the line with what is meant.
TEST_F(ErrorsTest, Places) {
  EXPECT_EQ(print("let %x = 1;\nadd(%x, %y)\n"),
            "test.relay:2:9: error: expects a variable that is declared, but "
            "got '%y'\nadd(%x, %y)\n        ^\n");
  // Of a long line the part around the place.
  std::string many = "1";
  for (int i = 0; i < 100000; ++i)
    many += " + 1";
  std::string output = print(many + " + %y" + many);
  EXPECT_LT(output.size(), 500u) << output;
  EXPECT_TRUE(StringRef(output).contains("1 + %y1 + 1 +")) << output;
}

TEST_F(ErrorsTest, Nesting) {
  auto nest = [](size_t depth, StringRef open, StringRef middle,
                 StringRef close) {
    std::string text;
    for (size_t i = 0; i < depth; ++i)
      text += open;
    text += middle;
    for (size_t i = 0; i < depth; ++i)
      text += close;
    return text;
  };
  EXPECT_TRUE(parseExpr(nest(1900, "(", "1", ")"))) << getMessages();
  EXPECT_TRUE(parseExpr(nest(900, "fn () {", "1", "}"))) << getMessages();
  for (auto [open, close] : {std::pair<StringRef, StringRef>{"(", ")"},
                             {"f(", ")"},
                             {"fn () {", "}"},
                             {"if (True) {", "} else { 1 }"},
                             {"if (", ") { 1 } else { 1 }"},
                             {"match (1) { _ => ", "}"},
                             {"let %x = (", "); 1"},
                             {"ref(", ")"}}) {
    std::string errors = getExprErrors(nest(100000, open, "1", close));
    EXPECT_TRUE(
        StringRef(errors).contains("expects at most 2000 levels of nesting"))
        << errors;
    // Without the ends.
    EXPECT_FALSE(parseExpr(nest(100000, open, "", "")));
  }
  for (auto [open, close] : {std::pair<StringRef, StringRef>{"(", ")"},
                             {"fn () -> ", ""},
                             {"ref(", ")"},
                             {"List[", "]"}}) {
    std::string text = "free_var %x: " + nest(100000, open, "int32", close);
    EXPECT_TRUE(StringRef(getExprErrors(text + "; %x"))
                    .contains("expects at most 2000 levels of nesting"));
  }
  EXPECT_FALSE(parseExpr("f(a=" + nest(100000, "[", "", "]") + ")"));
  EXPECT_FALSE(
      parseExpr("match (1) { " + nest(100000, "(", "_", ",)") + " => 1 }"));
  EXPECT_TRUE(parseExpr(nest(100000, "/*", "", "*/") + "1"));
  EXPECT_TRUE(parseExpr(std::string(100000, '-') + "1"));
}

} // namespace
