//===- VersionsTest.cpp - Older versions of Relay text --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class VersionsTest : public RelayTextTest {
protected:
  std::string printAs(TextVersion version, const ast::ExprPtr &expr) {
    PrintOptions printOptions;
    printOptions.version = version;
    return printWhole(expr, printOptions);
  }
};

/// As a notebook of that time shows it.
constexpr StringLiteral kNotebook =
    R"(v0.0.1
fn (%data: Tensor[(1, 1, 28, 28), float32], %fc1_weight: Tensor[(128, 784), float32], %fc1_bias: Tensor[(128,), float32]) -> Tensor[(1, 128), float32] {
  %0 = nn.batch_flatten(%data) /* ty=Tensor[(1, 784), float32] */
  %1 = nn.dense(%0, %fc1_weight, units=128) /* ty=Tensor[(1, 128), float32] */
  %2 = nn.bias_add(%1, %fc1_bias, axis=-1) /* ty=Tensor[(1, 128), float32] */
  nn.softmax(%2) /* ty=Tensor[(1, 128), float32] */
})";

TEST_F(VersionsTest, Notebook) {
  ast::ExprPtr expr = parseExpr(kNotebook);
  ASSERT_TRUE(expr) << getMessages();
  // Comments are not read, so the types come from here.
  Builder builder(&context);
  auto type = RankedTensorType::get({1, 128}, builder.getF32Type());
  auto flat = RankedTensorType::get({1, 784}, builder.getF32Type());
  ast::visitPostOrder(expr, [&](const ast::ExprPtr &node) {
    auto *call = dyn_cast<ast::Call>(node.get());
    if (!call)
      return;
    bool isFlatten =
        cast<ast::Op>(call->callee.get())->name == "nn.batch_flatten";
    node->checkedType = isFlatten ? flat : type;
  });
  EXPECT_EQ(printAs(TextVersion::V0_0_1, expr), kNotebook.str());
  int count = 0;
  PrintOptions printOptions;
  printOptions.version = TextVersion::V0_0_1;
  printOptions.annotate = [&](const ast::ExprPtr &) {
    return " <expression: " + std::to_string(++count) + ">";
  };
  EXPECT_EQ(printWhole(expr, printOptions),
            R"(v0.0.1
fn (%data: Tensor[(1, 1, 28, 28), float32], %fc1_weight: Tensor[(128, 784), float32], %fc1_bias: Tensor[(128,), float32]) -> Tensor[(1, 128), float32] {
  %0 = nn.batch_flatten <expression: 1>(%data) <expression: 2>
  %1 = nn.dense <expression: 3>(%0, %fc1_weight, units=128) <expression: 4>
  %2 = nn.bias_add <expression: 5>(%1, %fc1_bias, axis=-1) <expression: 6>
  nn.softmax <expression: 7>(%2) <expression: 8>
} <expression: 9>)");
}

TEST_F(VersionsTest, FreeVariables) {
  StringRef text = "v0.0.1\nfree_var %x: Tensor[(10, 1), float32]\nadd(%x, %x)";
  ast::ExprPtr expr = parseExpr(text);
  ASSERT_TRUE(expr) << getMessages();
  EXPECT_EQ(printAs(TextVersion::V0_0_1, expr), text.str());
  EXPECT_EQ(printAs(TextVersion::V0_0_5, expr),
            "#[version = \"0.0.5\"]\nfree_var %x: Tensor[(10, 1), float32];\n"
            "add(%x, %x)");
  EXPECT_EQ(printAs(TextVersion::V0_0_4, expr),
            "v0.0.4\nfree_var %x: Tensor[(10, 1), float32]\nadd(%x, %x)");
}

TEST_F(VersionsTest, Oldest) {
  EXPECT_EQ(reprint("v0.0.1\n1.5 # ty=float32\n"), "1.5f");
  EXPECT_EQ(reprint("v0.0.1\n1e10"), "1e+10f");
  EXPECT_EQ(reprint("v0.0.1\nlet mut %x = 1; let %y = { %x }; -%y"),
            "let %x = 1;\nlet %y = %x;\nnegative(%y)");
  // A parenthesis on a new line is no call.
  EXPECT_EQ(reprint("v0.0.1\nfn (%x) {\n  %0 = (%x,)\n  (%0, %0)\n}"),
            "fn (%x) {\n  %0 = (%x,);\n  (%0, %0)\n}");
  EXPECT_EQ(printAs(TextVersion::V0_0_1, parseExpr("(2f, 0.5f, 1e10f, 3)")),
            "v0.0.1\n(2.0, 0.5, 1e+10, 3)");
}

TEST_F(VersionsTest, Middle) {
  EXPECT_EQ(reprint("v0.0.4\n1 ;; 2"), "let %v = 1;\n2");
  EXPECT_EQ(reprint("v0.0.4\nfn (%x: Tensor[4, float32]) { -%x * 2f }"),
            "fn (%x: Tensor[(4), float32]) {\n  %0 = negative(%x);\n"
            "  multiply(%0, 2f)\n}");
  std::optional<ast::Module> module =
      parseModule("v0.0.4\ntype List[A] { Cons(A, List[A]), Nil }\n"
                  "def @f[A](%x: List[A]) -> int32 {\n"
                  "  match? (%x) { Cons(_, _) => { 1 } }\n}\n");
  ASSERT_TRUE(module) << getMessages();
  EXPECT_EQ(print(*module),
            "type List[A] {\n  Cons(A, List[A]),\n  Nil,\n}\n\n"
            "def @f[A](%x: List[A]) -> int32 {\n  match? (%x) {\n"
            "    Cons(_, _) => {\n      1\n    },\n  }\n}\n");
}

TEST_F(VersionsTest, Metadata) {
  Builder builder(&context);
  ast::ExprPtr expr = std::make_shared<ast::Constant>(DenseElementsAttr::get(
      RankedTensorType::get({2}, builder.getF32Type()), 0.5f));
  for (TextVersion version :
       {TextVersion::V0_0_1, TextVersion::V0_0_4, TextVersion::V0_0_5}) {
    std::string text = printAs(version, expr);
    ast::ExprPtr again = parseExpr(text);
    ASSERT_TRUE(again) << getMessages() << text;
    EXPECT_EQ(cast<ast::Constant>(again.get())->value,
              cast<ast::Constant>(expr.get())->value);
  }
}

} // namespace
