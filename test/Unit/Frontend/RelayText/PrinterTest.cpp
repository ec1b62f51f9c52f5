//===- PrinterTest.cpp - Printing Relay text ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::relay;
using ast::ExprPtr;

namespace {

class PrinterTest : public RelayTextTest {
protected:
  ExprPtr constant(int32_t value) {
    return std::make_shared<ast::Constant>(
        DenseElementsAttr::get(scalar(builder.getI32Type()), value));
  }
  RankedTensorType scalar(Type type) { return RankedTensorType::get({}, type); }
  static std::shared_ptr<ast::Var> var(StringRef name, Type type = {}) {
    return std::make_shared<ast::Var>(name.str(), type);
  }
  static ExprPtr call(StringRef op, std::vector<ExprPtr> args,
                      std::vector<NamedAttribute> attrs = {}) {
    return std::make_shared<ast::Call>(std::make_shared<ast::Op>(op.str()),
                                       std::move(args), std::move(attrs));
  }
  static ExprPtr tuple(std::vector<ExprPtr> fields) {
    return std::make_shared<ast::Tuple>(std::move(fields));
  }
  static ExprPtr let(std::shared_ptr<ast::Var> var, ExprPtr value,
                     ExprPtr body) {
    return std::make_shared<ast::Let>(var, value, body);
  }
  static std::shared_ptr<ast::Function>
  function(std::vector<std::shared_ptr<ast::Var>> params, ExprPtr body,
           Type result = {}) {
    return std::make_shared<ast::Function>(params, body, result,
                                           std::vector<std::string>(),
                                           std::vector<NamedAttribute>());
  }
  NamedAttribute attr(StringRef name, Attribute value) {
    return {builder.getStringAttr(name), value};
  }

  Builder builder{&context};
};

TEST_F(PrinterTest, SharedNodesAreNumbered) {
  ExprPtr t = tuple({constant(0), constant(0)});
  auto x = var("x");
  EXPECT_EQ(print(let(x, t, t)), "%0 = (0, 0);\nlet %x = %0;\n%0");
  EXPECT_EQ(print(let(x, tuple({constant(0), constant(0)}), x)),
            "let %x = (0, 0);\n%x");
}

TEST_F(PrinterTest, ArgumentsComeBeforeTheCallee) {
  auto x = var("x"), y = var("y");
  ExprPtr inner = std::make_shared<ast::Call>(
      function({y}, y), std::vector<ExprPtr>{constant(1)});
  ExprPtr outer = std::make_shared<ast::Call>(function({x}, x),
                                              std::vector<ExprPtr>{inner});
  EXPECT_EQ(print(outer), "%0 = fn (%y) {\n  %y\n};\n%1 = %0(1);\n"
                          "%2 = fn (%x) {\n  %x\n};\n%2(%1)");
}

TEST_F(PrinterTest, Modules) {
  auto type = scalar(builder.getF32Type());
  auto x = var("x", type), y = var("y", type);
  ExprPtr sum = call("add", {x, y});
  ExprPtr body = call("add", {sum, sum});
  for (ExprPtr node : {ExprPtr(x), ExprPtr(y), sum, body})
    node->checkedType = type;
  ast::Module module;
  module.functions.push_back({"myf", function({x, y}, body, type), {}});
  EXPECT_EQ(printWhole(module),
            "#[version = \"0.0.5\"]\n"
            "def @myf(%x: float32 /* ty=float32 */, %y: float32 /* ty=float32 "
            "*/) -> float32 {\n"
            "  %0 = add(%x, %y) /* ty=float32 */;\n"
            "  add(%0, %0) /* ty=float32 */\n"
            "}\n");
}

/// Leaves show their type wherever they are.
TEST_F(PrinterTest, CommentsOfConstants) {
  auto type = scalar(builder.getI32Type());
  ExprPtr one = constant(1), sum = call("add", {one, one});
  one->checkedType = sum->checkedType = type;
  ast::Module module;
  module.functions.push_back({"main", function({}, sum, type), {}});
  EXPECT_EQ(print(module),
            "def @main() -> int32 {\n"
            "  add(1 /* ty=int32 */, 1 /* ty=int32 */) /* ty=int32 */\n}\n");
}

TEST_F(PrinterTest, Names) {
  EXPECT_EQ(print(ExprPtr(var("1"))), "free_var %v1;\n%v1");
  auto a = var("x"), b = var("x"), c = var("x1"), d = var("");
  EXPECT_EQ(print(function({a, b, c, d}, tuple({a, b, c, d}))),
            "fn (%x, %x1, %x11, %v) {\n  (%x, %x1, %x11, %v)\n}");
  // Names that would be read as projections of others.
  auto e = var("x"), f = var("x.1"), g = var("y.1"), h = var("y");
  EXPECT_EQ(print(function({e, f, g, h}, tuple({e, f, g, h}))),
            "fn (%x, %x.1_, %y.1, %y1) {\n  (%x, %x.1_, %y.1, %y1)\n}");
  EXPECT_EQ(print(function({var("a:0"), var("a b")}, constant(1))),
            "fn (%\"a:0\", %\"a b\") {\n  1\n}");
}

TEST_F(PrinterTest, Attributes) {
  ExprPtr x = var("x");
  EXPECT_EQ(print(call("nn.softmax", {x})), "free_var %x;\nnn.softmax(%x)");
  EXPECT_EQ(print(call("nn.softmax", {x},
                       {attr("axis", builder.getI32IntegerAttr(-1))})),
            "free_var %x;\nnn.softmax(%x)");
  EXPECT_EQ(print(call("nn.softmax", {x},
                       {attr("axis", builder.getI32IntegerAttr(2))})),
            "free_var %x;\nnn.softmax(%x, axis=2)");
  // In the order of the declaration; what has no default is always there.
  EXPECT_EQ(print(call("nn.dense", {x, x},
                       {attr("out_dtype", builder.getStringAttr("int32"))})),
            "free_var %x;\nnn.dense(%x, %x, units=None, out_dtype=\"int32\")");
  EXPECT_EQ(print(call("nn.dense", {x, x})),
            "free_var %x;\nnn.dense(%x, %x, units=None)");
}

TEST_F(PrinterTest, Spans) {
  ExprPtr one = parseExpr("add(1, 2)");
  ASSERT_TRUE(one);
  PrintOptions printOptions;
  printOptions.showSpans = true;
  EXPECT_EQ(print(one, printOptions),
            "add(1 /* span=test.relay:1:5 */, 2 /* span=test.relay:1:8 */) "
            "/* span=test.relay:1:1 */");
  one->checkedType = scalar(builder.getI32Type());
  printOptions.showSpans = false;
  EXPECT_EQ(print(one, printOptions), "add(1, 2) /* ty=int32 */");
  printOptions.showTypes = false;
  EXPECT_EQ(print(one, printOptions), "add(1, 2)");
}

/// Each expression is annotated once, operators too.
TEST_F(PrinterTest, Annotations) {
  ExprPtr x = var("x");
  ExprPtr program = function({std::static_pointer_cast<ast::Var>(x)},
                             call("nn.relu", {call("nn.relu", {x})}));
  int count = 0;
  PrintOptions printOptions;
  printOptions.annotate = [&](const ExprPtr &) {
    return " <" + std::to_string(++count) + ">";
  };
  EXPECT_EQ(print(program, printOptions),
            "fn (%x <1>) {\n  %0 = nn.relu <2>(%x) <3>;\n"
            "  nn.relu <2>(%0) <4>\n} <5>");
  printOptions.annotate = [](const ExprPtr &) { return ""; };
  EXPECT_EQ(print(program, printOptions),
            "fn (%x) {\n  %0 = nn.relu(%x);\n  nn.relu(%0)\n}");
}

/// A recursive function that is used twice cannot stand before its let.
TEST_F(PrinterTest, SharedRecursiveFunctions) {
  auto f = var("f"), x = var("x");
  ExprPtr recursive =
      function({x}, std::make_shared<ast::Call>(f, std::vector<ExprPtr>{x}));
  EXPECT_EQ(print(let(f, recursive, tuple({f, recursive}))),
            "let %f = fn (%x) {\n  %f(%x)\n};\n(%f, %f)");
}

TEST_F(PrinterTest, ScopesOfLets) {
  auto x = var("x"), y = var("y");
  ExprPtr inner = let(y, constant(1), y);
  EXPECT_EQ(print(call("f", {inner})),
            "%0 = (\n  let %y = 1;\n  %y\n);\nf(%0)");
  EXPECT_EQ(print(let(x, inner, x)), "let %x = (\n  let %y = 1;\n  %y\n);\n%x");
}

TEST_F(PrinterTest, Projections) {
  auto project = [](ExprPtr of) {
    return ExprPtr(std::make_shared<ast::TupleGetItem>(of, 1));
  };
  EXPECT_EQ(print(project(constant(1))), "(1).1");
  EXPECT_EQ(print(project(std::make_shared<ast::GlobalVar>("f"))), "(@f).1");
  EXPECT_EQ(print(project(var("x"))), "free_var %x;\n%x.1");
}

TEST_F(PrinterTest, Types) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRelayType(os, RankedTensorType::get({ShapedType::kDynamic, 2},
                                           builder.getI1Type()));
  EXPECT_EQ(text, "Tensor[(?, 2), bool]");
}

} // namespace
