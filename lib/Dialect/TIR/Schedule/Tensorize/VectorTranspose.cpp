//===- VectorTranspose.cpp - Square transposes in registers -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shuffles are chosen so that each is one x86 instruction: first transposes
// inside each group of lanes of 128 bits (unpack and shuffle), then a transpose
// of these groups (shuffle of 128-bit parts, two of each operand). Any other
// target sees two-operand shuffles, which is what it would have to do anyway.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Schedule/VectorTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

static constexpr int64_t kGroup = 4;
static constexpr int64_t kGroupBits = 128;

bool mlir::tir::canTransposeVectors(int64_t lanes, int64_t bits) {
  if (bits != 8 && bits != 16 && bits != 32)
    return false;
  int64_t group = kGroupBits / bits;
  return lanes == group || lanes == 2 * group || lanes == 4 * group;
}

namespace {

class Transposer {
public:
  Transposer(OpBuilder &builder, Location loc, int64_t lanes,
             int64_t groupSize = kGroup)
      : builder(builder), loc(loc), lanes(lanes), groupSize(groupSize) {}

  /// A shuffle that does the same in every group of lanes. Lanes of the second
  /// operand count from the size of a group.
  Value inGroups(Value a, Value b, ArrayRef<int64_t> pattern) {
    SmallVector<int64_t> mask;
    for (int64_t base = 0; base < lanes; base += groupSize)
      for (int64_t lane : pattern)
        mask.push_back(lane < groupSize ? base + lane
                                        : lanes + base + lane - groupSize);
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }

  /// A shuffle of whole groups. Groups of the second operand count from the
  /// number of groups.
  Value ofGroups(Value a, Value b, ArrayRef<int64_t> groups) {
    SmallVector<int64_t> mask;
    for (int64_t group : groups)
      for (int64_t lane = 0; lane != groupSize; ++lane)
        mask.push_back(group * groupSize + lane);
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }

  /// As many rows as a group has lanes to as many vectors; group q of vector j
  /// holds column q * size + j.
  SmallVector<Value> transposeGroups(ArrayRef<Value> r) {
    if (groupSize != kGroup)
      return interleaveGroups(r);
    Value low01 = inGroups(r[0], r[1], {0, 4, 1, 5});
    Value high01 = inGroups(r[0], r[1], {2, 6, 3, 7});
    Value low23 = inGroups(r[2], r[3], {0, 4, 1, 5});
    Value high23 = inGroups(r[2], r[3], {2, 6, 3, 7});
    return {inGroups(low01, low23, {0, 1, 4, 5}),
            inGroups(low01, low23, {2, 3, 6, 7}),
            inGroups(high01, high23, {0, 1, 4, 5}),
            inGroups(high01, high23, {2, 3, 6, 7})};
  }

private:
  /// The same by interleaving the first half of the rows with the second one,
  /// once for each bit of a row's number.
  SmallVector<Value> interleaveGroups(ArrayRef<Value> r) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane != groupSize / 2; ++lane) {
      low.append({lane, groupSize + lane});
      high.append({groupSize / 2 + lane, groupSize + groupSize / 2 + lane});
    }
    SmallVector<Value> rows(r);
    for (int64_t step = 1; step != groupSize; step *= 2) {
      SmallVector<Value> next;
      for (int64_t row = 0; row != groupSize / 2; ++row) {
        next.push_back(inGroups(rows[row], rows[groupSize / 2 + row], low));
        next.push_back(inGroups(rows[row], rows[groupSize / 2 + row], high));
      }
      rows = std::move(next);
    }
    return rows;
  }

  OpBuilder &builder;
  Location loc;
  int64_t lanes, groupSize;
};

} // namespace

SmallVector<Value> mlir::tir::transposeVectors(OpBuilder &builder, Location loc,
                                               ArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  int64_t bits = cast<VectorType>(rows.front().getType())
                     .getElementType()
                     .getIntOrFloatBitWidth();
  assert(canTransposeVectors(lanes, bits) && "expects 1, 2 or 4 groups");
  int64_t size = kGroupBits / bits;
  Transposer shuffles(builder, loc, lanes, size);
  int64_t numGroups = lanes / size;
  SmallVector<SmallVector<Value>> parts;
  for (int64_t group = 0; group != numGroups; ++group)
    parts.push_back(shuffles.transposeGroups(rows.slice(group * size, size)));

  SmallVector<Value> columns(lanes);
  for (int64_t j = 0; j != size; ++j) {
    if (numGroups == 1) {
      columns[j] = parts[0][j];
    } else if (numGroups == 2) {
      columns[j] = shuffles.ofGroups(parts[0][j], parts[1][j], {0, 2});
      columns[size + j] = shuffles.ofGroups(parts[0][j], parts[1][j], {1, 3});
    } else {
      Value even01 = shuffles.ofGroups(parts[0][j], parts[1][j], {0, 2, 4, 6});
      Value odd01 = shuffles.ofGroups(parts[0][j], parts[1][j], {1, 3, 5, 7});
      Value even23 = shuffles.ofGroups(parts[2][j], parts[3][j], {0, 2, 4, 6});
      Value odd23 = shuffles.ofGroups(parts[2][j], parts[3][j], {1, 3, 5, 7});
      columns[j] = shuffles.ofGroups(even01, even23, {0, 2, 4, 6});
      columns[2 * size + j] = shuffles.ofGroups(even01, even23, {1, 3, 5, 7});
      columns[size + j] = shuffles.ofGroups(odd01, odd23, {0, 2, 4, 6});
      columns[3 * size + j] = shuffles.ofGroups(odd01, odd23, {1, 3, 5, 7});
    }
  }
  return columns;
}

SmallVector<Value> mlir::tir::interleaveVectors(OpBuilder &builder,
                                                Location loc,
                                                ArrayRef<Value> rows) {
  int64_t numRows = rows.size();
  int64_t lanes = cast<VectorType>(rows.front().getType()).getDimSize(0);
  Transposer shuffles(builder, loc, lanes);
  if (lanes == 2 * kGroup && (numRows == 2 || numRows == 4)) {
    // The groups of part j hold the elements from numRows * j on of each half.
    SmallVector<Value> parts;
    if (numRows == 4)
      parts = shuffles.transposeGroups(rows);
    else
      parts = {shuffles.inGroups(rows[0], rows[1], {0, 4, 1, 5}),
               shuffles.inGroups(rows[0], rows[1], {2, 6, 3, 7})};
    SmallVector<Value> results;
    for (int64_t half : {0, 1})
      for (int64_t part = 0; part < numRows; part += 2)
        results.push_back(
            shuffles.ofGroups(parts[part], parts[part + 1], {half, 2 + half}));
    return results;
  }
  SmallVector<Value> results;
  for (int64_t result = 0; result != numRows; ++result) {
    Value value = rows.front();
    for (int64_t row = 1; row != numRows; ++row) {
      SmallVector<int64_t> mask;
      for (int64_t lane = 0; lane != lanes; ++lane) {
        int64_t element = result * lanes + lane;
        int64_t source = element % numRows, position = element / numRows;
        if (source == row)
          mask.push_back(lanes + position);
        else
          // The first step also brings elements of the first row in place.
          mask.push_back(row == 1 ? position : lane);
      }
      value = vector::ShuffleOp::create(builder, loc, value, rows[row], mask);
    }
    results.push_back(value);
  }
  return results;
}
