//===- ParseExprTest.cpp - Expressions in Relay text ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

using ParseExprTest = RelayTextTest;

TEST_F(ParseExprTest, Precedence) {
  EXPECT_EQ(reprint("1 * 1 + 1"), "%0 = multiply(1, 1);\nadd(%0, 1)");
  EXPECT_EQ(reprint("1 * 1 + 1"), reprint("(1 * 1) + 1"));
  EXPECT_EQ(reprint("1 == 1 < 1 + 1 * 1"),
            "%0 = multiply(1, 1);\n%1 = add(1, %0);\n%2 = less(1, %1);\n"
            "equal(1, %2)");
  EXPECT_EQ(reprint("1 == 1 < 1 + 1 * 1"), reprint("1 == (1 < (1 + (1 * 1)))"));
  EXPECT_EQ(reprint("1 * 1 + 1 < 1 == 1"), reprint("(((1 * 1) + 1) < 1) == 1"));
  EXPECT_EQ(reprint("1 - 2 - 3"), reprint("(1 - 2) - 3"));
  EXPECT_EQ(reprint("1 >= 2"), "greater_equal(1, 2)");
  EXPECT_EQ(reprint("1 <= 2"), "less_equal(1, 2)");
  EXPECT_EQ(reprint("1 != 2"), "not_equal(1, 2)");
  EXPECT_EQ(reprint("1 > 2"), "greater(1, 2)");
  EXPECT_EQ(reprint("1 / 2"), "divide(1, 2)");
}

TEST_F(ParseExprTest, GraphVariablesShareNodes) {
  ast::ExprPtr expr = parseExpr("%0 = (); %1 = 1; (%0, %0, %1)");
  ASSERT_TRUE(expr);
  auto *tuple = cast<ast::Tuple>(expr.get());
  ASSERT_EQ(tuple->fields.size(), 3u);
  EXPECT_EQ(tuple->fields[0], tuple->fields[1]);
  EXPECT_TRUE(isa<ast::Constant>(*tuple->fields[2]));
  EXPECT_EQ(reprint("%1 = (); %1"), "()");
  EXPECT_EQ(reprint("%0 = 1; %0 == 1"), "equal(1, 1)");
}

TEST_F(ParseExprTest, Sequences) {
  ast::ExprPtr expr = parseExpr("(); ()");
  ASSERT_TRUE(expr);
  auto *let = cast<ast::Let>(expr.get());
  EXPECT_EQ(let->var->name, "");
  EXPECT_FALSE(let->var->annotation);
  EXPECT_EQ(print(expr), "let %v = ();\n()");
}

TEST_F(ParseExprTest, Calls) {
  EXPECT_EQ(reprint("free_var %x: float32; %x((%x,).0, %x)"),
            "free_var %x: float32;\n%0 = (%x,);\n%1 = %0.0;\n%x(%1, %x)");
  EXPECT_EQ(reprint("(fn (%x) { %x })(0)"), "%0 = fn (%x) {\n  %x\n};\n%0(0)");
  EXPECT_EQ(
      reprint("let %curried = fn (%x) { fn (%y) { %x * %y } };\n"
              "%curried(0); %curried(0)(0)"),
      "let %curried = fn (%x) {\n  fn (%y) {\n    multiply(%x, %y)\n  }\n};\n"
      "let %v = %curried(0);\n%0 = %curried(0);\n%0(0)");
  ast::ExprPtr call = parseExpr("abs(1)");
  ASSERT_TRUE(call);
  EXPECT_EQ(cast<ast::Op>(cast<ast::Call>(call.get())->callee.get())->name,
            "abs");
  EXPECT_EQ(reprint("@f(1, @g,)"), "@f(1, @g)");
}

TEST_F(ParseExprTest, Projections) {
  EXPECT_EQ(reprint("free_var %x; %x.0.1"), "free_var %x;\n%0 = %x.0;\n%0.1");
  EXPECT_EQ(reprint("(1, 2).1"), "%0 = (1, 2);\n%0.1");
  EXPECT_EQ(reprint("f(1).0(2)"), "%0 = f(1);\n%1 = %0.0;\n%1(2)");
}

/// What is declared tells where a name ends.
TEST_F(ParseExprTest, NamesWithJoints) {
  EXPECT_EQ(reprint("fn (%layer1.0.weight, %x.1) { (%layer1.0.weight, %x.1) }"),
            "fn (%layer1.0.weight, %x.1) {\n  (%layer1.0.weight, %x.1)\n}");
  EXPECT_EQ(reprint("fn (%byoc-target_0_i0) { %byoc-target_0_i0 }"),
            "fn (%byoc-target_0_i0) {\n  %byoc-target_0_i0\n}");
  EXPECT_EQ(reprint("fn (%base/x, %n) { %base/x-1/%n }"),
            "fn (%base/x, %n) {\n  %0 = divide(1, %n);\n"
            "  subtract(%base/x, %0)\n}");
  EXPECT_EQ(reprint("fn (%\"a b\", %\"x\") { (%\"a b\", %x) }"),
            "fn (%\"a b\", %x) {\n  (%\"a b\", %x)\n}");
}

TEST_F(ParseExprTest, Lets) {
  EXPECT_EQ(reprint("let %x: int32 = 1; %x"), "let %x: int32 = 1;\n%x");
  // Only functions see the variable that they are bound to.
  EXPECT_EQ(reprint("let %f = fn (%x) { %f(%x) }; %f(1)"),
            "let %f = fn (%x) {\n  %f(%x)\n};\n%f(1)");
  EXPECT_EQ(reprint("let %x = 1; let %x = %x + 1; %x"),
            "let %x = 1;\nlet %x1 = add(%x, 1);\n%x1");
  EXPECT_EQ(reprint("fn (%x) { let %x = 1; %x }"),
            "fn (%x) {\n  let %x1 = 1;\n  %x1\n}");
  EXPECT_EQ(reprint("let %x = match (1) { _ => 2 }; %x"),
            "let %x = match (1) {\n  _ => {\n    2\n  },\n};\n%x");
  EXPECT_EQ(reprint("let %x = { let %y = 1; %y }; %x"),
            "let %x = (\n  let %y = 1;\n  %y\n);\n%x");
}

TEST_F(ParseExprTest, ScopesAreLexical) {
  EXPECT_EQ(getExprErrors("if (True) { let %x = (); () } else { %x }"),
            "1:38: expects a variable that is declared, but got '%x'\n");
  EXPECT_EQ(getExprErrors("(fn (%x) { %x })(%x)"),
            "1:18: expects a variable that is declared, but got '%x'\n");
  EXPECT_EQ(getExprErrors("let %x = %x + 1; %x"),
            "1:10: expects a variable that is declared, but got '%x'\n");
}

TEST_F(ParseExprTest, References) {
  EXPECT_EQ(reprint("let %r = ref(1); ref_write(%r, 2); ref_read(%r)"),
            "let %r = ref(1);\nlet %v = ref_write(%r, 2);\nref_read(%r)");
}

TEST_F(ParseExprTest, Comments) {
  EXPECT_EQ(reprint("/* a /* nested */ / * comment */ 1 // end\n"), "1");
  EXPECT_EQ(reprint("add(1 /* ty=int32 */, 2) /* ty=int32 */"), "add(1, 2)");
}

TEST_F(ParseExprTest, Attributes) {
  for (StringRef text :
       {"f(a=1, b=2i64, c=-1, d=1f, e=\"s\", g=True, h=None)",
        "f(a=[1, 2], b=[], c=[[1, 2], [3]], d=[1f, \"x\", None])",
        "f(1, relay.reshape_only=1)", "f(a={b=1, c=[2]}, d=@main)",
        "f(\"odd name\"=1)", "f(a=0.1f, b=-inff, c=nanf, d=1e-05f)"})
    EXPECT_EQ(reprint(text), text.str());
  EXPECT_EQ(reprint("f(a=(1, 2), b=(3,), c=(4), d=(), e=nullptr)"),
            "f(a=[1, 2], b=[3], c=4, d=[], e=None)");
  EXPECT_EQ(reprint("cumsum(1, axis=0, attrs_type_key=\"relay.attrs.Scan\")"),
            "cumsum(1, axis=0)");
  EXPECT_EQ(getExprErrors("f(a=1, a=2)"),
            "1:8: expects each attribute once, but got 'a' twice\n");
  EXPECT_EQ(getExprErrors("f(a=1, 2)"),
            "1:8: expects an attribute after attributes, but got '2'\n");
}

/// Attributes keep the form in which they are written.
TEST_F(ParseExprTest, AttributesAreRaw) {
  ast::ExprPtr expr =
      parseExpr("f(a=1, b=1i64, c=4294967296, d=0.1f, e=True, g=None)");
  ASSERT_TRUE(expr);
  std::string types;
  for (NamedAttribute attr : cast<ast::Call>(expr.get())->attrs)
    llvm::raw_string_ostream(types) << attr.getValue() << "; ";
  EXPECT_EQ(types, "1 : i32; 1 : i64; 4294967296 : i64; 1.000000e-01 : f64; "
                   "true; unit; ");
}

TEST_F(ParseExprTest, Types) {
  for (StringRef type :
       {"float32", "bool", "uint8", "bfloat16", "int8x4",
        "Tensor[(2, ?), int8]", "Tensor[(4), float32]", "Tensor[(0), uint16]",
        "()", "(int32,)", "(int32, (bool, float16))", "fn (int32) -> bool",
        "fn () -> ()", "fn [A, B](A, fn (B) -> A) -> (A, B)",
        "ref(Tensor[(2), int32])", "_", "List[List[int32]]", "nat[]",
        "(fn (_) -> _, _)"})
    EXPECT_EQ(reprint(("fn (%x: " + type + ") {\n  %x\n}").str()),
              ("fn (%x: " + type + ") {\n  %x\n}").str());
  EXPECT_EQ(reprint("fn [A](%x: A, %y: nat) -> A { %x }"),
            "fn [A](%x: A, %y: nat[]) -> A {\n  %x\n}");
  EXPECT_EQ(reprint("free_var %x: Tensor[(1,), int32]; %x"),
            "free_var %x: Tensor[(1), int32];\n%x");
  EXPECT_EQ(reprint("free_var %x: Tensor[(4i64, 2), int32]; %x"),
            "free_var %x: Tensor[(4, 2), int32];\n%x");
  EXPECT_EQ(getExprErrors("free_var %x: Tensor[(-1), int32]; %x"),
            "1:22: expects a size or '?', but got '-'\n");
  EXPECT_EQ(getExprErrors("free_var %x: float31; %x"),
            "1:14: expects a data type, but got 'float31'\n");
  EXPECT_EQ(getExprErrors("free_var %x: Tensor[(1), real]; %x"),
            "1:26: expects a data type such as 'float32', but got 'real'\n");
}

TEST_F(ParseExprTest, Locations) {
  ast::ExprPtr expr = parseExpr("let %x = 1;\n  add(%x,\n      %x)");
  ASSERT_TRUE(expr);
  auto *let = cast<ast::Let>(expr.get());
  EXPECT_EQ(describe(Location(let->location)), "1:1: ");
  EXPECT_EQ(describe(Location(let->var->location)), "1:5: ");
  EXPECT_EQ(describe(Location(let->body->location)), "2:3: ");
}

} // namespace
