//===- SymbolicExprTest.cpp - Tests of shape expressions ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"

#include "mlir/IR/MLIRContext.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::relax;

namespace {

class SymbolicExprTest : public ::testing::Test {
protected:
  SymbolicExprTest() { context.loadDialect<RelaxDialect>(); }

  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, &context);
  }

  std::string print(ArrayRef<AffineExpr> exprs) {
    SmallVector<StringAttr> names;
    for (StringRef name : {"h", "m", "n"})
      names.push_back(StringAttr::get(&context, name));
    std::string text;
    llvm::raw_string_ostream os(text);
    ShapeAttr::get(&context, names, exprs).printList(os);
    return text;
  }

  /// A random expression over three symbols.
  AffineExpr makeExpr(std::mt19937 &random, int depth) {
    auto pick = [&](int64_t low, int64_t high) {
      return std::uniform_int_distribution<int64_t>(low, high)(random);
    };
    if (depth == 0)
      return pick(0, 2) == 0 ? constant(pick(-5, 9))
                             : getAffineSymbolExpr(pick(0, 2), &context);
    AffineExpr lhs = makeExpr(random, depth - 1);
    AffineExpr rhs = makeExpr(random, depth - 1);
    switch (pick(0, 5)) {
    case 0:
      return lhs + rhs;
    case 1:
      return lhs - rhs;
    case 2:
      return lhs * rhs;
    case 3:
      return lhs.floorDiv(pick(1, 6));
    case 4:
      return lhs.ceilDiv(pick(1, 6));
    default:
      return lhs % pick(1, 6);
    }
  }

  MLIRContext context;
  AffineExpr h = getAffineSymbolExpr(0, &context);
  AffineExpr m = getAffineSymbolExpr(1, &context);
  AffineExpr n = getAffineSymbolExpr(2, &context);
};

TEST_F(SymbolicExprTest, CanonicalFormKeepsTheValue) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    AffineExpr expr = makeExpr(random, 4);
    AffineExpr canonical = canonicalizeSymbolicExpr(expr);
    for (int sample = 0; sample < 8; ++sample) {
      SmallVector<int64_t> symbols;
      for (int s = 0; s < 3; ++s)
        symbols.push_back(random() % 12);
      ASSERT_EQ(relay::evaluateAffineExpr(expr, {}, symbols),
                relay::evaluateAffineExpr(canonical, {}, symbols))
          << "case " << i;
    }
    ASSERT_EQ(canonicalizeSymbolicExpr(canonical), canonical) << "case " << i;
  }
}

TEST_F(SymbolicExprTest, ComparisonIsSound) {
  std::mt19937 random(11);
  unsigned numProven = 0;
  for (int i = 0; i < 4000; ++i) {
    AffineExpr lhs = makeExpr(random, 3), rhs = makeExpr(random, 2);
    if (!isProvablyGreaterEqual(lhs, rhs))
      continue;
    ++numProven;
    for (int sample = 0; sample < 16; ++sample) {
      SmallVector<int64_t> symbols;
      for (int s = 0; s < 3; ++s)
        symbols.push_back(random() % 9);
      ASSERT_GE(relay::evaluateAffineExpr(lhs, {}, symbols),
                relay::evaluateAffineExpr(rhs, {}, symbols))
          << "case " << i;
    }
  }
  EXPECT_GT(numProven, 100u);
}

TEST_F(SymbolicExprTest, EqualPolynomialsAreTheSameAttribute) {
  EXPECT_EQ(print({(n + m) * (n - m), n * n - m * m}),
            "[-1 * m * m + n * n, -1 * m * m + n * n]");
  EXPECT_EQ(print({(n * m * 12).floorDiv(4), (n * m).floorDiv(m)}),
            "[3 * m * n, n]");
}

TEST_F(SymbolicExprTest, ConvolutionSizes) {
  // 3x3, stride 2, padding 1, twice; then 2x2 pooling.
  AffineExpr once = (h + 2 - 3).floorDiv(2) + 1;
  AffineExpr twice = (once + 2 - 3).floorDiv(2) + 1;
  EXPECT_EQ(print({once, twice, twice.floorDiv(2)}),
            "[(h + 1) floordiv 2, (h + 3) floordiv 4, (h + 3) floordiv 8]");
  EXPECT_TRUE(isProvablyGreaterEqual(once * 64 * n, once * 32 * n));
  EXPECT_FALSE(isProvablyGreaterEqual(once, h));
}

TEST_F(SymbolicExprTest, ScopeUnifiesNumberings) {
  SymbolScope scope(&context);
  auto name = [&](StringRef text) { return StringAttr::get(&context, text); };
  AffineExpr s0 = getAffineSymbolExpr(0, &context);
  auto first = ShapeAttr::get(&context, {name("m")}, {s0 * 2});
  auto second = ShapeAttr::get(&context, {name("k")}, {s0 + 1});
  AffineExpr sum = scope.import(first, 0) + scope.import(second, 0);
  EXPECT_EQ(scope.getNames().size(), 2u);
  std::string text;
  llvm::raw_string_ostream os(text);
  scope.makeShape({sum}).printList(os);
  EXPECT_EQ(text, "[k + 2 * m + 1]");
}

// A size that does not fit 64 bits never becomes a small one.
TEST_F(SymbolicExprTest, LargeSizesStayLarge) {
  AffineExpr n = getAffineSymbolExpr(2, &context);
  AffineExpr large = constant(int64_t(1) << 40);
  AffineExpr product = getSymbolicProduct({n, large, large}, &context);
  EXPECT_EQ(print(product), "[9223372036854775807 * n]");
  EXPECT_EQ(getSymbolicProduct({large, large}, &context), constant(INT64_MAX));
  EXPECT_EQ(getSymbolicProduct({large, large, constant(-1)}, &context),
            constant(-INT64_MAX));
  EXPECT_EQ(getSymbolicProduct({large, large, constant(0)}, &context),
            constant(0));
  EXPECT_TRUE(isProvablyGreaterEqual(product, n * 1000));
  EXPECT_FALSE(isProvablyGreaterEqual(n * 1000, product));
  SymbolScope scope(&context);
  auto type = SymbolicTensorType::get({int64_t(1) << 31, int64_t(1) << 31},
                                      Float32Type::get(&context));
  EXPECT_EQ(getNumBytes(type, scope), constant(INT64_MAX));
  int64_t symbols[] = {0, 0, 3};
  EXPECT_EQ(relay::evaluateAffineExpr(product, {}, symbols), INT64_MAX);
  symbols[2] = 0;
  EXPECT_EQ(relay::evaluateAffineExpr(product, {}, symbols), 0);
}

} // namespace
