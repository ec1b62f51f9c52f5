//===- StoragePlanner.cpp - Share memory among buffers --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relax/Analysis/StoragePlanner.h"

#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"
#include "relay-mlir/Support/SaturatingMath.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <tuple>

using namespace mlir;
using namespace mlir::relax;

int64_t StoragePlan::getTotalBytes(ArrayRef<int64_t> symbols,
                                   int64_t alignment) const {
  int64_t total = 0;
  for (ArrayRef<AffineExpr> alternatives : storages) {
    int64_t bytes = 0;
    for (AffineExpr expr : alternatives)
      bytes = std::max(bytes,
                       relay::evaluateAffineExpr(expr, /*dims=*/{}, symbols));
    total =
        relay::saturatingAdd(total, relay::saturatingAlignTo(bytes, alignment));
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Interval packing
//===----------------------------------------------------------------------===//

namespace {

/// A buffer of `size` units that lives in [first, last].
struct Interval {
  unsigned buffer;
  int64_t size;
  int64_t first;
  int64_t last;
  int64_t offset = 0;

  bool livesWith(const Interval &other) const {
    return first <= other.last && other.first <= last;
  }
};

} // namespace

/// Places the intervals one after the other, each into the tightest gap that
/// the already placed ones leave. Returns the height of the packing.
static int64_t packInOrder(MutableArrayRef<Interval> intervals) {
  // Placed intervals by offset.
  SmallVector<const Interval *> placed;
  int64_t height = 0;
  for (Interval &interval : intervals) {
    int64_t top = 0, best = -1;
    int64_t bestGap = std::numeric_limits<int64_t>::max();
    for (const Interval *other : placed) {
      if (!interval.livesWith(*other))
        continue;
      int64_t gap = other->offset - top;
      if (gap >= interval.size && gap < bestGap) {
        best = top;
        bestGap = gap;
      }
      top = std::max(top, relay::saturatingAdd(other->offset, other->size));
    }
    interval.offset = best < 0 ? top : best;
    height =
        std::max(height, relay::saturatingAdd(interval.offset, interval.size));
    auto *position = llvm::upper_bound(
        placed, interval.offset, [](int64_t offset, const Interval *other) {
          return offset < other->offset;
        });
    placed.insert(position, &interval);
  }
  return height;
}

/// Packs by size, and in program order, and keeps the better result: the first
/// wastes least on average, the second wins on chains that shrink.
static int64_t packIntervals(MutableArrayRef<Interval> intervals) {
  SmallVector<Interval> bySize(intervals.begin(), intervals.end());
  llvm::sort(bySize, [](const Interval &lhs, const Interval &rhs) {
    return std::tie(rhs.size, lhs.buffer) < std::tie(lhs.size, rhs.buffer);
  });
  SmallVector<Interval> byStep(intervals.begin(), intervals.end());
  llvm::sort(byStep, [](const Interval &lhs, const Interval &rhs) {
    return std::tie(lhs.first, lhs.buffer) < std::tie(rhs.first, rhs.buffer);
  });
  int64_t heightBySize = packInOrder(bySize);
  int64_t heightByStep = packInOrder(byStep);
  llvm::copy(heightByStep < heightBySize ? byStep : bySize, intervals.begin());
  return std::min(heightBySize, heightByStep);
}

/// Units that may be negative give sizes no order: only buffers of one size
/// share memory, one after the other.
static void packEqualSizes(ArrayRef<BufferLifetime> buffers,
                           MutableArrayRef<Interval> intervals,
                           StoragePlan &plan) {
  struct Row {
    AffineExpr bytes;
    int64_t last;
    unsigned storage;
  };
  SmallVector<Row> rows;
  llvm::sort(intervals, [](const Interval &lhs, const Interval &rhs) {
    return std::tie(lhs.first, lhs.buffer) < std::tie(rhs.first, rhs.buffer);
  });
  for (const Interval &interval : intervals) {
    AffineExpr bytes = canonicalizeSymbolicExpr(buffers[interval.buffer].bytes);
    auto *row = llvm::find_if(rows, [&](const Row &row) {
      return row.bytes == bytes && row.last < interval.first;
    });
    if (row == rows.end()) {
      rows.push_back({bytes, 0, static_cast<unsigned>(plan.storages.size())});
      plan.storages.push_back({bytes});
      row = &rows.back();
    }
    row->last = interval.last;
    plan.placements[interval.buffer] = {
        row->storage, getAffineConstantExpr(0, bytes.getContext())};
  }
}

static AffineExpr multiply(AffineExpr expr, int64_t factor) {
  MLIRContext *context = expr.getContext();
  return getSymbolicProduct({expr, getAffineConstantExpr(factor, context)},
                            context);
}

StoragePlan relax::packByUnit(ArrayRef<BufferLifetime> buffers,
                              int64_t alignment, MLIRContext *context) {
  llvm::MapVector<AffineExpr, SmallVector<Interval>> groups;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Polynomial bytes(buffer.bytes);
    int64_t content = bytes.getContent();
    AffineExpr unit = getAffineConstantExpr(1, context);
    if (content != 0)
      unit = bytes.floorDiv(Polynomial(context, content)).getExpr();
    // A multiple of the alignment in units is one in bytes as well.
    int64_t size = relay::saturatingAlignTo(content, alignment);
    groups[unit].push_back(
        {static_cast<unsigned>(index), size, buffer.first, buffer.last});
  }

  StoragePlan plan;
  plan.placements.resize(buffers.size());
  for (auto &[unit, intervals] : groups) {
    if (!isProvablyGreaterEqual(unit, getAffineConstantExpr(0, context))) {
      packEqualSizes(buffers, intervals, plan);
      continue;
    }
    int64_t height = packIntervals(intervals);
    for (const Interval &interval : intervals)
      plan.placements[interval.buffer] = {
          static_cast<unsigned>(plan.storages.size()),
          multiply(unit, interval.offset)};
    plan.storages.push_back({multiply(unit, height)});
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// Sharing of whole storages
//===----------------------------------------------------------------------===//

namespace {

struct SharedStorage {
  SmallVector<AffineExpr> size;
  /// The last step that uses it.
  int64_t last;

  bool isAtLeast(AffineExpr bytes) const {
    return llvm::any_of(size, [&](AffineExpr expr) {
      return isProvablyGreaterEqual(expr, bytes);
    });
  }
  bool isAtMost(AffineExpr bytes) const {
    return llvm::all_of(size, [&](AffineExpr expr) {
      return isProvablyGreaterEqual(bytes, expr);
    });
  }
  bool isAtMost(const SharedStorage &other) const {
    return llvm::all_of(size,
                        [&](AffineExpr expr) { return other.isAtLeast(expr); });
  }

  /// Makes room for `bytes`.
  void grow(AffineExpr bytes) {
    if (isAtLeast(bytes))
      return;
    llvm::erase_if(size, [&](AffineExpr expr) {
      return isProvablyGreaterEqual(bytes, expr);
    });
    size.push_back(bytes);
  }
};

} // namespace

/// The free storage to use for `bytes`, or null.
static SharedStorage *pickStorage(MutableArrayRef<SharedStorage> storages,
                                  AffineExpr bytes, int64_t first) {
  SharedStorage *fitting = nullptr, *smaller = nullptr, *any = nullptr;
  for (SharedStorage &storage : storages) {
    if (storage.last >= first)
      continue;
    any = &storage;
    if (storage.isAtLeast(bytes)) {
      if (!fitting || storage.isAtMost(*fitting))
        fitting = &storage;
    } else if (storage.isAtMost(bytes)) {
      if (!smaller || smaller->isAtMost(storage))
        smaller = &storage;
    }
  }
  return fitting ? fitting : smaller ? smaller : any;
}

StoragePlan relax::shareWhole(ArrayRef<BufferLifetime> buffers,
                              MLIRContext *context) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, buffers.size()));
  llvm::sort(order, [&](unsigned lhs, unsigned rhs) {
    return std::tie(buffers[lhs].first, lhs) <
           std::tie(buffers[rhs].first, rhs);
  });

  SmallVector<SharedStorage> storages;
  StoragePlan plan;
  plan.placements.resize(buffers.size());
  for (unsigned index : order) {
    const BufferLifetime &buffer = buffers[index];
    SharedStorage *storage = pickStorage(storages, buffer.bytes, buffer.first);
    if (!storage)
      storage = &storages.emplace_back();
    storage->grow(buffer.bytes);
    storage->last = buffer.last;
    plan.placements[index] = {static_cast<unsigned>(storage - storages.begin()),
                              getAffineConstantExpr(0, context)};
  }
  for (SharedStorage &storage : storages)
    plan.storages.push_back(std::move(storage.size));
  return plan;
}

StoragePlan relax::planStorage(ArrayRef<BufferLifetime> buffers,
                               unsigned numSymbols, int64_t alignment,
                               MLIRContext *context) {
  StoragePlan packed = packByUnit(buffers, alignment, context);
  StoragePlan shared = shareWhole(buffers, context);
  // Small enough for a batch, large enough that products outweigh constants.
  SmallVector<int64_t> typical(numSymbols, 16);
  return shared.getTotalBytes(typical, alignment) <
                 packed.getTotalBytes(typical, alignment)
             ? shared
             : packed;
}
