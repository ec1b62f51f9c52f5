//===- DataflowPatternTest.cpp - Patterns of operations -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/DataflowMatcher.h"

#include "relay-mlir/Dialect/Relay/Analysis/OperationGraph.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::dataflow;

namespace {

class DataflowPatternTest : public testing::Test {
protected:
  DataflowPatternTest() {
    context.loadDialect<RelayDialect, func::FuncDialect>();
  }

  /// Makes a function of %x and %y, tensors of four floats, and %c, a bool.
  void parse(StringRef body) {
    std::string text = ("func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>, "
                        "%c: tensor<i1>) -> tensor<4xf32> {" +
                        body + "}")
                           .str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    graph = std::make_unique<OperationGraph>(&module->getBody()->front());
  }

  std::vector<Group> find(const PatternPtr &pattern) {
    return findGroups(*graph, pattern, getOperatorAttributes(&context));
  }

  /// Whether the result of the function matches.
  bool matches(const PatternPtr &pattern) {
    Operation *terminator =
        module->getBody()->front().getRegion(0).front().getTerminator();
    Matcher matcher(*graph, pattern, getOperatorAttributes(&context));
    for (unsigned node = 0; node < graph->size(); ++node)
      if (graph->getValue(node) == terminator->getOperand(0))
        return matcher.match(node).has_value();
    return false;
  }

  PatternPtr elementwise() {
    Builder builder(&context);
    return wildcard()
        ->hasAttributes(builder.getNamedAttr(
            "TOpPattern", builder.getI32IntegerAttr(
                              static_cast<int>(OpPatternKind::ElemWise))))
        ->callWithAny();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<OperationGraph> graph;
};

constexpr StringLiteral kUnary = " : (tensor<4xf32>) -> tensor<4xf32>\n";
constexpr StringLiteral kBinary =
    " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";

TEST_F(DataflowPatternTest, CallsAndNames) {
  parse(("%0 = relay.add %x, %y" + kBinary + "%1 = relay.nn.relu %0" + kUnary +
         "return %1 : tensor<4xf32>")
            .str());
  PatternPtr sum = wildcard() + wildcard();
  EXPECT_TRUE(matches(isOp("nn.relu")->call({sum})));
  EXPECT_FALSE(matches(sum));
  EXPECT_FALSE(matches(isOp("nn.relu")->call({wildcard() - wildcard()})));
  EXPECT_TRUE(matches(wildcard()->callWithAny()->hasShape({4}, &context)));
  EXPECT_FALSE(matches(wildcard()->hasShape({5}, &context)));
  EXPECT_TRUE(matches(wildcard()->hasDType(Float32Type::get(&context))));
  std::vector<Group> groups = find(isOp("nn.relu")->call({sum}));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].name, "add_nn.relu_");
  EXPECT_EQ(groups[0].inputs.size(), 2u);
}

TEST_F(DataflowPatternTest, Dominators) {
  PatternPtr parent = isOp("nn.softmax")->callWithAny();
  PatternPtr pattern =
      (wildcard() + wildcard())->dominates(parent, elementwise());
  std::string diamond =
      ("%0 = relay.nn.softmax %x" + kUnary + "%1 = relay.nn.relu %0" + kUnary +
       "%2 = relay.tanh %0" + kUnary + "%3 = relay.add %1, %2" + kBinary)
          .str();
  parse(diamond + "return %3 : tensor<4xf32>");
  EXPECT_TRUE(matches(pattern));
  // With a use of the parent on the side, the sum is not on all ways from it.
  parse(diamond + ("%4 = relay.multiply %3, %0" + kBinary).str() +
        "return %4 : tensor<4xf32>");
  EXPECT_TRUE(find(pattern).empty());
}

TEST_F(DataflowPatternTest, BranchesAndClosures) {
  parse(("%0 = relay.if %c : tensor<i1> -> tensor<4xf32> {\n"
         "%1 = relay.nn.relu %x" +
         kUnary +
         "relay.yield %1 : tensor<4xf32>\n} else {\n"
         "relay.yield %y : tensor<4xf32>\n}\n"
         "%f = relay.fn (%a: tensor<4xf32> {relay.name = \"a\"}) -> "
         "tensor<4xf32> {\n%2 = relay.tanh %a" +
         kUnary +
         "relay.yield %2 : tensor<4xf32>\n}\n"
         "%3 = relay.call_indirect %f(%0)" +
         kUnary + "return %3 : tensor<4xf32>")
            .str());
  PatternPtr a = isVar("a");
  PatternPtr function = isFunction({a}, isOp("tanh")->call({a}));
  PatternPtr branch =
      isIf(wildcard(), isOp("nn.relu")->callWithAny(), wildcard());
  EXPECT_TRUE(matches(function->call({branch})));
  EXPECT_TRUE(matches(isFunctionOf(wildcard())->callWithAny()));
  EXPECT_FALSE(matches(isFunction({}, wildcard())->callWithAny()));
}

TEST_F(DataflowPatternTest, EqualGraphs) {
  parse(
      ("%0 = relay.add %x, %y" + kBinary + "return %0 : tensor<4xf32>").str());
  auto first = std::make_unique<OperationGraph>(&module->getBody()->front());
  OwningOpRef<ModuleOp> kept = std::move(module);
  parse(
      ("%0 = relay.add %x, %y" + kBinary + "return %0 : tensor<4xf32>").str());
  EXPECT_TRUE(areEqual(*first, first->size() - 1, *graph, graph->size() - 1));
  parse(
      ("%0 = relay.add %y, %x" + kBinary + "return %0 : tensor<4xf32>").str());
  EXPECT_FALSE(areEqual(*first, first->size() - 1, *graph, graph->size() - 1));
}

TEST_F(DataflowPatternTest, DeepPatternsAreFreed) {
  PatternPtr pattern = wildcard();
  for (int i = 0; i < 200000; ++i)
    pattern = isOp("nn.relu")->call({pattern});
  EXPECT_TRUE(needsTypes(pattern->hasShape({}, &context)));
  EXPECT_FALSE(needsTypes(pattern));
}

} // namespace
