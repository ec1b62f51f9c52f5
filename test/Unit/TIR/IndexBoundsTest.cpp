//===- IndexBoundsTest.cpp - Simplified indices against all values -*- C++
//-*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::tir;

namespace {

class IndexBoundsTest : public ::testing::Test {
protected:
  AffineExpr dim(unsigned i) { return getAffineDimExpr(i, &context); }
  AffineExpr symbol(unsigned i) { return getAffineSymbolExpr(i, &context); }

  /// The value of `expr` at the given dimensions and symbols.
  int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> dims,
                   ArrayRef<int64_t> symbols = {}) {
    auto constants = [&](ArrayRef<int64_t> values) {
      return llvm::map_to_vector(values, [&](int64_t value) {
        return getAffineConstantExpr(value, &context);
      });
    };
    return cast<AffineConstantExpr>(
               expr.replaceDimsAndSymbols(constants(dims), constants(symbols)))
        .getValue();
  }

  static std::string str(AffineExpr expr) {
    std::string text;
    llvm::raw_string_ostream(text) << expr;
    return text;
  }

  MLIRContext context;
};

/// A random expression in dimensions 0, 1 and 2.
class ExprGenerator {
public:
  ExprGenerator(MLIRContext *context, unsigned seed)
      : context(context), random(seed) {}

  AffineExpr get(unsigned depth) {
    if (depth == 0)
      return pick(3) == 0 ? getAffineConstantExpr(pick(20) - 6, context)
                          : getAffineDimExpr(pick(3), context);
    AffineExpr lhs = get(depth - 1);
    switch (pick(5)) {
    case 0:
      return lhs + get(depth - 1);
    case 1:
      return lhs * static_cast<int64_t>(pick(9) - 2);
    case 2:
      return lhs.floorDiv(kDivisors[pick(5)]);
    case 3:
      return lhs % kDivisors[pick(5)];
    default:
      return lhs.ceilDiv(kDivisors[pick(5)]);
    }
  }

private:
  static constexpr int64_t kDivisors[] = {2, 3, 4, 8, 12};
  int pick(int count) {
    return std::uniform_int_distribution<int>(0, count - 1)(random);
  }

  MLIRContext *context;
  std::mt19937 random;
};
constexpr int64_t ExprGenerator::kDivisors[];

// Ranges hold, and simplified expressions have the same values everywhere.
TEST_F(IndexBoundsTest, AgreesWithEnumeration) {
  const int64_t extents[] = {4, 3, 8};
  IndexBounds bounds;
  for (int64_t extent : extents)
    bounds.dims.push_back(IndexRange::fromExtent(extent));

  ExprGenerator generator(&context, 7);
  for (int round = 0; round < 3000; ++round) {
    AffineExpr expr = generator.get(4);
    AffineExpr simplified = bounds.simplify(expr);
    IndexRange range = bounds.getRange(expr);
    bool isNonNegative = bounds.isNonNegative(expr);
    for (int64_t i = 0; i < extents[0]; ++i)
      for (int64_t j = 0; j < extents[1]; ++j)
        for (int64_t k = 0; k < extents[2]; ++k) {
          int64_t value = evaluate(expr, {i, j, k});
          ASSERT_EQ(value, evaluate(simplified, {i, j, k}))
              << str(expr) << " became " << str(simplified);
          if (range.min) {
            ASSERT_LE(*range.min, value) << str(expr);
          }
          if (range.max) {
            ASSERT_GE(*range.max, value) << str(expr);
          }
          if (isNonNegative) {
            ASSERT_GE(value, 0) << str(expr);
          }
        }
  }
}

// What splits and fusions leave behind goes away.
TEST_F(IndexBoundsTest, ResolvesSplitsAndFusions) {
  IndexBounds bounds;
  bounds.dims = {IndexRange::fromExtent(5), IndexRange::fromExtent(4),
                 IndexRange::fromExtent(8)};
  AffineExpr fused = dim(0) * 32 + dim(1) * 8 + dim(2);
  EXPECT_EQ(bounds.simplify(fused.floorDiv(32)), dim(0));
  EXPECT_EQ(bounds.simplify(fused % 32), dim(1) * 8 + dim(2));
  EXPECT_EQ(bounds.simplify((fused % 32).floorDiv(8)), dim(1));
  EXPECT_EQ(bounds.simplify(fused % 8), dim(2));
  EXPECT_EQ(bounds.simplify(fused.floorDiv(8)), dim(0) * 4 + dim(1));
  AffineExpr whole = bounds.simplify(fused.floorDiv(16) * 16 + fused % 16);
  EXPECT_EQ(str(LinearSum::get(whole - fused).toExpr(&context)), "0");
  EXPECT_EQ(bounds.simplify((dim(0) * 8).ceilDiv(8)), dim(0));
}

// Bounds that are sizes: d0 < s0, d1 < 16 * s0, d2 < s0 ceildiv 4.
TEST_F(IndexBoundsTest, ComparesWithSizes) {
  IndexBounds bounds;
  bounds.dims.assign(3, IndexRange::nonNegative());
  bounds.symbols = {IndexRange::nonNegative()};
  bounds.dimExtents = {symbol(0), symbol(0) * 16, symbol(0).ceilDiv(4)};
  EXPECT_TRUE(bounds.isNonNegative(symbol(0) - 1 - dim(0)));
  EXPECT_FALSE(bounds.isNonNegative(symbol(0) - 2 - dim(0)));
  EXPECT_TRUE(bounds.isNonNegative(symbol(0) - 1 - dim(1).floorDiv(16)));
  EXPECT_FALSE(bounds.isNonNegative(symbol(0) - 1 - dim(1).floorDiv(15)));
  EXPECT_TRUE(bounds.isNonNegative(symbol(0) - 1 - dim(2) * 4));
  EXPECT_FALSE(bounds.isNonNegative(symbol(0) - 2 - dim(2) * 4));
  EXPECT_EQ(bounds.simplify((dim(1) * symbol(0) + dim(0)).floorDiv(symbol(0))),
            dim(1));
  EXPECT_EQ(bounds.simplify((dim(1) * symbol(0) + dim(0)) % symbol(0)), dim(0));
}

} // namespace
