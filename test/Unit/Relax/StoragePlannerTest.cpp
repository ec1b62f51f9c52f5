//===- StoragePlannerTest.cpp - Tests of memory sharing -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Analysis/StoragePlanner.h"

#include "mlir/IR/MLIRContext.h"
#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace mlir::relax;

namespace {

constexpr int64_t kAlignment = 64;

class StoragePlannerTest : public ::testing::Test {
protected:
  AffineExpr constant(int64_t value) {
    return getAffineConstantExpr(value, &context);
  }

  /// Buffers of a random program; `symbolic` ones have sizes in two symbols.
  SmallVector<BufferLifetime> makeBuffers(std::mt19937 &random, unsigned count,
                                          bool symbolic) {
    SmallVector<BufferLifetime> buffers;
    for (unsigned i = 0; i < count; ++i) {
      AffineExpr bytes = constant(random() % 5000);
      if (symbolic) {
        switch (random() % 4) {
        case 0:
          break;
        case 1:
          bytes = n * (1 + random() % 300);
          break;
        case 2:
          bytes = n * m * (1 + random() % 30);
          break;
        default:
          bytes = (n * 2 + 3) * (1 + random() % 30);
        }
      }
      int64_t first = i, last = i + random() % 6;
      buffers.push_back({canonicalizeSymbolicExpr(bytes), first, last});
    }
    return buffers;
  }

  /// Checks that each buffer lies within its storage, aligned, and overlaps
  /// none that lives at the same time.
  void check(ArrayRef<BufferLifetime> buffers, const StoragePlan &plan,
             ArrayRef<int64_t> symbols) {
    struct Range {
      int64_t begin, end;
    };
    SmallVector<Range> ranges;
    for (auto [buffer, placement] : llvm::zip_equal(buffers, plan.placements)) {
      int64_t begin =
          relay::evaluateAffineExpr(placement.offset, /*dims=*/{}, symbols);
      int64_t end =
          begin + relay::evaluateAffineExpr(buffer.bytes, /*dims=*/{}, symbols);
      int64_t size = 0;
      for (AffineExpr expr : plan.storages[placement.storage])
        size = std::max(size,
                        relay::evaluateAffineExpr(expr, /*dims=*/{}, symbols));
      ASSERT_LE(end, size);
      ASSERT_EQ(begin % kAlignment, 0);
      ranges.push_back({begin, end});
    }
    for (size_t i = 0; i < buffers.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        if (plan.placements[i].storage != plan.placements[j].storage ||
            buffers[i].first > buffers[j].last ||
            buffers[j].first > buffers[i].last)
          continue;
        ASSERT_TRUE(ranges[i].end <= ranges[j].begin ||
                    ranges[j].end <= ranges[i].begin)
            << "buffers " << i << " and " << j;
      }
  }

  static int64_t getUnsharedBytes(ArrayRef<BufferLifetime> buffers,
                                  ArrayRef<int64_t> symbols) {
    int64_t total = 0;
    for (const BufferLifetime &buffer : buffers)
      total += llvm::alignTo(
          relay::evaluateAffineExpr(buffer.bytes, /*dims=*/{}, symbols),
          kAlignment);
    return total;
  }

  /// A lower bound of every plan: what is alive at one step.
  static int64_t getLiveBytes(ArrayRef<BufferLifetime> buffers,
                              ArrayRef<int64_t> symbols) {
    int64_t peak = 0;
    for (const BufferLifetime &at : buffers) {
      int64_t live = 0;
      for (const BufferLifetime &buffer : buffers)
        if (buffer.first <= at.first && at.first <= buffer.last)
          live += relay::evaluateAffineExpr(buffer.bytes, /*dims=*/{}, symbols);
      peak = std::max(peak, live);
    }
    return peak;
  }

  MLIRContext context;
  AffineExpr n = getAffineSymbolExpr(0, &context);
  AffineExpr m = getAffineSymbolExpr(1, &context);
};

TEST_F(StoragePlannerTest, RandomStaticProgramsArePackedTightly) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    SmallVector<BufferLifetime> buffers =
        makeBuffers(random, 60, /*symbolic=*/false);
    StoragePlan plan = planStorage(buffers, 0, kAlignment, &context);
    check(buffers, plan, {});
    int64_t total = plan.getTotalBytes({}, kAlignment);
    EXPECT_LT(total, getUnsharedBytes(buffers, {}) / 3);
    EXPECT_LT(total, getLiveBytes(buffers, {}) * 13 / 10);
  }
}

TEST_F(StoragePlannerTest, RandomSymbolicProgramsNeverOverlap) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    SmallVector<BufferLifetime> buffers =
        makeBuffers(random, 40, /*symbolic=*/true);
    StoragePlan packed = packByUnit(buffers, kAlignment, &context);
    StoragePlan shared = shareWhole(buffers, &context);
    const int64_t samples[][2] = {{1, 1}, {0, 3}, {7, 2}, {1, 200}, {64, 128}};
    for (ArrayRef<int64_t> symbols : samples) {
      check(buffers, packed, symbols);
      check(buffers, shared, symbols);
      EXPECT_LT(shared.getTotalBytes(symbols, kAlignment),
                getUnsharedBytes(buffers, symbols));
    }
  }
}

TEST_F(StoragePlannerTest, ChainNeedsTwoBuffers) {
  SmallVector<BufferLifetime> buffers;
  for (int64_t i = 0; i < 10; ++i)
    buffers.push_back({n * 256, i, i + 1});
  StoragePlan plan = planStorage(buffers, 1, kAlignment, &context);
  EXPECT_EQ(plan.getTotalBytes({5}, kAlignment), 2 * 5 * 256);
  check(buffers, plan, {5});
}

TEST_F(StoragePlannerTest, BestFitWhenComparable) {
  // The third buffer takes the smaller of the two free storages.
  SmallVector<BufferLifetime> buffers = {
      {n * 640, 0, 0}, {n * 128, 0, 0}, {n * 64, 1, 1}};
  StoragePlan plan = shareWhole(buffers, &context);
  EXPECT_EQ(plan.storages.size(), 2u);
  EXPECT_EQ(plan.placements[2].storage, plan.placements[1].storage);
}

TEST_F(StoragePlannerTest, IncomparableSizesBecomeAMaximum) {
  SmallVector<BufferLifetime> buffers = {{n * 64, 0, 0}, {m * 64, 1, 1}};
  StoragePlan plan = shareWhole(buffers, &context);
  ASSERT_EQ(plan.storages.size(), 1u);
  EXPECT_EQ(plan.storages[0].size(), 2u);
  EXPECT_EQ(plan.getTotalBytes({1, 9}, kAlignment), 9 * 64);
  EXPECT_EQ(plan.getTotalBytes({9, 1}, kAlignment), 9 * 64);
}

TEST_F(StoragePlannerTest, GapsAreFilled) {
  // 0 and 1 die after step 1; 2 of their joint size fits where they were.
  SmallVector<BufferLifetime> buffers = {{constant(512), 0, 1},
                                         {constant(512), 0, 1},
                                         {constant(64), 0, 3},
                                         {constant(1024), 2, 3}};
  StoragePlan plan = planStorage(buffers, 0, kAlignment, &context);
  EXPECT_EQ(plan.getTotalBytes({}, kAlignment), 1024 + 64);
  check(buffers, plan, {});
}

// Two that are alive at once never share, however large their sum is.
TEST_F(StoragePlannerTest, SizesBeyondTheLargestNumber) {
  SmallVector<BufferLifetime> buffers;
  for (int i = 0; i < 3; ++i)
    buffers.push_back({constant((int64_t(1) << 62) + 1), 0, 3});
  for (const StoragePlan &plan :
       {packByUnit(buffers, kAlignment, &context),
        shareWhole(buffers, &context),
        planStorage(buffers, /*numSymbols=*/2, kAlignment, &context)})
    // More than there is memory.
    EXPECT_GT(plan.getTotalBytes({1, 1}, kAlignment), int64_t(1) << 62);
}

} // namespace
