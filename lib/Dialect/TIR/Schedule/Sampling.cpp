//===- Sampling.cpp - Choices drawn at random -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Schedule/Sampling.h"

#include "ScheduleSupport.h"

#include <random>

using namespace mlir;
using namespace mlir::tir;

namespace {

/// Draws numbers that depend on the seed only: the distributions of the
/// standard library differ from one to another.
class Sampler {
public:
  explicit Sampler(uint64_t seed) : engine(seed) {}

  /// A number from 0 to `weights`' size, as likely as its weight.
  size_t draw(ArrayRef<double> weights) {
    double total = 0;
    for (double weight : weights)
      total += weight;
    // 53 bits, as many as a double has.
    double point = static_cast<double>(engine() >> 11) / (1ull << 53) * total;
    size_t last = 0;
    for (auto [index, weight] : llvm::enumerate(weights)) {
      if (weight <= 0)
        continue;
      last = index;
      if (point < weight)
        return index;
      point -= weight;
    }
    return last;
  }

private:
  std::mt19937_64 engine;
};

} // namespace

int64_t mlir::tir::sampleCategorical(ArrayRef<double> probabilities,
                                     uint64_t seed) {
  return Sampler(seed).draw(probabilities);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getDivisors(int64_t number) {
  SmallVector<int64_t> divisors;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
    if (number % divisor != 0)
      continue;
    divisors.push_back(divisor);
    if (divisor != number / divisor)
      divisors.push_back(number / divisor);
  }
  llvm::sort(divisors);
  return divisors;
}

/// The number of ways to write `number` as a product of `count` factors.
static double countProducts(int64_t number, int64_t count) {
  if (count == 0)
    return number == 1;
  // Each prime by itself: its exponent is spread over the factors.
  double ways = 1;
  auto spread = [&](int64_t exponent) {
    for (int64_t i = 1; i <= exponent; ++i)
      ways = ways * (count - 1 + i) / i;
  };
  for (int64_t prime = 2; prime * prime <= number; ++prime) {
    int64_t exponent = 0;
    for (; number % prime == 0; number /= prime)
      ++exponent;
    spread(exponent);
  }
  if (number > 1)
    spread(1);
  return ways;
}

/// Prepends `count` factors of `number` to `factors`, the last at most
/// `maxLast` (0: any).
static void drawProduct(Sampler &sampler, int64_t number, int64_t count,
                        int64_t maxLast, SmallVectorImpl<int64_t> &factors) {
  for (int64_t left = count; left > 0; --left) {
    SmallVector<int64_t> divisors = getDivisors(number);
    SmallVector<double> weights;
    for (int64_t divisor : divisors) {
      bool fits = left != count || maxLast == 0 || divisor <= maxLast;
      weights.push_back(fits ? countProducts(number / divisor, left - 1) : 0);
    }
    int64_t factor = divisors[sampler.draw(weights)];
    factors.insert(factors.begin(), factor);
    number /= factor;
  }
}

/// The extent that factors are drawn for.
static DiagnosedSilenceableFailure
getTileExtent(ForOp loop, const TileConstraint &constraint, int64_t &extent) {
  constexpr int64_t maxExtent = int64_t(1) << 40;
  std::optional<int64_t> constant = loop.getConstantExtent();
  if (!constant || *constant < 1 || *constant > maxExtent)
    return refuse(loop) << "expects a loop of constant extent, at least 1, to "
                           "draw factors of";
  extent = *constant;
  if (constraint.count < 1)
    return refuse(loop) << "expects at least one factor to draw";
  if (constraint.maxInnermost < 0)
    return refuse(loop) << "expects a largest innermost factor of at least 1";
  if (constraint.partition < 0 || constraint.partition > constraint.count)
    return refuse(loop) << "expects a partition from 0 to " << constraint.count
                        << ", but got " << constraint.partition;
  if (constraint.innerMultiple < 1 || extent % constraint.innerMultiple != 0)
    return refuse(loop) << "expects an extent that is a multiple of "
                        << constraint.innerMultiple << ", but got " << extent;
  if (constraint.partition == constraint.count && constraint.innerMultiple != 1)
    return refuse(loop) << "expects an inner factor that can be a multiple of "
                        << constraint.innerMultiple;
  if (constraint.count == 1 && constraint.maxInnermost != 0 &&
      extent > constraint.maxInnermost)
    return refuse(loop) << "expects an extent of at most "
                        << constraint.maxInnermost
                        << " for a single factor, but got " << extent;
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::sampleTile(ForOp loop, const TileConstraint &constraint,
                      uint64_t seed, SmallVectorImpl<int64_t> &factors) {
  int64_t extent;
  DiagnosedSilenceableFailure possible =
      getTileExtent(loop, constraint, extent);
  if (!possible.succeeded())
    return possible;
  Sampler sampler(seed);
  if (constraint.innerMultiple == 1) {
    drawProduct(sampler, extent, constraint.count, constraint.maxInnermost,
                factors);
    return DiagnosedSilenceableFailure::success();
  }
  // The inner product first, then both parts.
  int64_t numInner = constraint.count - constraint.partition;
  SmallVector<int64_t> divisors = getDivisors(extent);
  SmallVector<double> weights;
  for (int64_t inner : divisors)
    weights.push_back(
        inner % constraint.innerMultiple == 0
            ? countProducts(inner, numInner) *
                  countProducts(extent / inner, constraint.partition)
            : 0);
  int64_t inner = divisors[sampler.draw(weights)];
  drawProduct(sampler, inner, numInner, /*maxLast=*/0, factors);
  drawProduct(sampler, extent / inner, constraint.partition, /*maxLast=*/0,
              factors);
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure
mlir::tir::checkTile(ForOp loop, const TileConstraint &constraint,
                     ArrayRef<int64_t> factors) {
  int64_t extent;
  DiagnosedSilenceableFailure possible =
      getTileExtent(loop, constraint, extent);
  if (!possible.succeeded())
    return possible;
  if (static_cast<int64_t>(factors.size()) != constraint.count)
    return refuse(loop) << "expects " << constraint.count
                        << " factors as decision, but got " << factors.size();
  int64_t left = extent, inner = 1;
  for (auto [index, factor] : llvm::enumerate(factors)) {
    if (factor < 1 || left % factor != 0)
      return refuse(loop) << "expects factors with a product of " << extent
                          << " as decision, but got " << getText(factors);
    left /= factor;
    if (static_cast<int64_t>(index) >= constraint.partition)
      inner *= factor;
  }
  if (left != 1)
    return refuse(loop) << "expects factors with a product of " << extent
                        << " as decision, but got " << getText(factors);
  if (constraint.maxInnermost != 0 && factors.back() > constraint.maxInnermost)
    return refuse(loop) << "expects an innermost factor of at most "
                        << constraint.maxInnermost << " as decision, but got "
                        << factors.back();
  if (inner % constraint.innerMultiple != 0)
    return refuse(loop) << "expects inner factors with a multiple of "
                        << constraint.innerMultiple
                        << " for product as decision, but got " << inner;
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// The loops around the first reader of what `block` writes.
static SmallVector<ForOp, 6> getReaderLoops(BlockOp block) {
  SmallVector<BlockOp, 6> readers = getConsumers(block);
  return readers.empty() ? SmallVector<ForOp, 6>() : readers.front().getLoops();
}

/// Whether `location` is accepted, which is tried on a copy of the kernel.
static DiagnosedSilenceableFailure tryLocation(BlockOp block,
                                               int64_t location) {
  if (location == kComputeAtRoot)
    return DiagnosedSilenceableFailure::success();
  PrimFuncOp copy = block.getFunction().clone();
  IRRewriter rewriter(block.getContext());
  BlockOp copied = copy.getBlock(block.getName());
  DiagnosedSilenceableFailure result = DiagnosedSilenceableFailure::success();
  if (location == kComputeInline)
    result = computeInline(rewriter, copied);
  else
    result = computeAt(rewriter, copied, getReaderLoops(copied)[location]);
  copy->erase();
  return result;
}

int64_t mlir::tir::sampleComputeLocation(BlockOp block, uint64_t seed) {
  SmallVector<int64_t> candidates = {kComputeAtRoot};
  auto consider = [&](int64_t location) {
    if (succeeded(tryLocation(block, location).silence()))
      candidates.push_back(location);
  };
  consider(kComputeInline);
  for (int64_t i = 0, e = getReaderLoops(block).size(); i != e; ++i)
    consider(i);
  SmallVector<double> weights(candidates.size(), 1);
  return candidates[Sampler(seed).draw(weights)];
}

DiagnosedSilenceableFailure
mlir::tir::resolveComputeLocation(BlockOp block, int64_t location,
                                  Operation *&target) {
  SmallVector<ForOp, 6> loops = getReaderLoops(block);
  if (location < kComputeInline ||
      location >= static_cast<int64_t>(loops.size()))
    return refuse(block) << "expects a decision from " << kComputeInline
                         << " to " << static_cast<int64_t>(loops.size()) - 1
                         << " where to compute block @" << block.getName()
                         << ", but got " << location;
  // A refusal on the copy names ops that are gone.
  DiagnosedSilenceableFailure possible = tryLocation(block, location);
  if (!possible.succeeded()) {
    std::string reason = possible.getMessage();
    (void)possible.silence();
    return refuse(block) << "expects a decision where block @"
                         << block.getName() << " can be computed, but got "
                         << location << ": " << reason;
  }
  if (location == kComputeInline)
    target = block;
  else if (location == kComputeAtRoot)
    target = block.getFunction();
  else
    target = loops[location];
  return DiagnosedSilenceableFailure::success();
}
