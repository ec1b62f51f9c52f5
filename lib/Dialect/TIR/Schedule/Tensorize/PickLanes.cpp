//===- PickLanes.cpp - A vector out of the lanes of several ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Schedule/PickLanes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace mlir::tir;

/// Of this width, one instruction takes any lanes of two vectors.
static constexpr int64_t kAnyOfTwoBits = 512;

/// Whether no two lanes come from the same place of different vectors.
static bool haveOwnPlaces(ArrayRef<LanePick> picks) {
  llvm::SmallSet<int64_t, 16> places;
  return llvm::all_of(picks, [&](const LanePick &pick) {
    return pick.part < 0 || places.insert(pick.position).second;
  });
}

/// Every lane that is picked, where it was: only blends, which are cheap.
static Value blend(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                   ArrayRef<LanePick> picks) {
  int64_t lanes = static_cast<int64_t>(picks.size());
  Value blended = parts.front();
  for (int64_t part = 1, e = static_cast<int64_t>(parts.size()); part != e;
       ++part) {
    SmallVector<int64_t> indices = llvm::to_vector(llvm::seq(lanes));
    for (const LanePick &pick : picks)
      if (pick.part == part)
        indices[pick.position] = lanes + pick.position;
    blended =
        vector::ShuffleOp::create(builder, loc, blended, parts[part], indices);
  }
  return blended;
}

/// Lanes out of the parts [from, to), in their places; others are anything.
static Value pick(OpBuilder &builder, Location loc, ArrayRef<Value> parts,
                  ArrayRef<LanePick> picks, int64_t from, int64_t to) {
  int64_t lanes = static_cast<int64_t>(picks.size());
  // Of one or two vectors, or out of the two halves of more.
  bool areLeaves = to - from <= 2;
  int64_t middle = areLeaves ? from + 1 : from + llvm::divideCeil(to - from, 2);
  Value low =
      areLeaves ? parts[from] : pick(builder, loc, parts, picks, from, middle);
  bool isLeaf = to - middle <= 1;
  Value high = middle == to ? low
               : isLeaf     ? parts[middle]
                            : pick(builder, loc, parts, picks, middle, to);
  SmallVector<int64_t> indices(lanes, vector::ShuffleOp::kPoisonIndex);
  for (auto [lane, picked] : llvm::enumerate(picks)) {
    if (picked.part < from || picked.part >= to)
      continue;
    int64_t place = static_cast<int64_t>(lane);
    if (picked.part < middle)
      indices[lane] = areLeaves ? picked.position : place;
    else
      indices[lane] = lanes + (isLeaf ? picked.position : place);
  }
  return vector::ShuffleOp::create(builder, loc, low, high, indices);
}

SmallVector<int64_t> mlir::tir::getPartStarts(int64_t span, int64_t width) {
  SmallVector<int64_t> starts;
  for (int64_t start = 0; start < span; start += width)
    starts.push_back(std::min(start, span - width));
  return starts;
}

LanePick mlir::tir::getPick(ArrayRef<int64_t> starts, int64_t width,
                            int64_t element) {
  const auto *start = llvm::find_if(
      starts, [&](int64_t start) { return element < start + width; });
  return {start - starts.begin(), element - *start};
}

Value mlir::tir::pickLanes(OpBuilder &builder, Location loc,
                           ArrayRef<Value> parts, ArrayRef<LanePick> picks) {
  auto type = cast<VectorType>(parts.front().getType());
  bool isWide =
      type.getNumElements() * type.getElementTypeBitWidth() >= kAnyOfTwoBits;
  if (parts.size() > 2 && !isWide && haveOwnPlaces(picks)) {
    Value blended = blend(builder, loc, parts, picks);
    SmallVector<LanePick> moved(picks);
    for (LanePick &pick : moved)
      pick.part = std::min<int64_t>(pick.part, 0);
    return pick(builder, loc, blended, moved, 0, 1);
  }
  return pick(builder, loc, parts, picks, 0,
              static_cast<int64_t>(parts.size()));
}
