//===- VectorTranspose.cpp - Square transposes in registers -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shuffles are chosen so that each is one x86 instruction on 32-bit
// elements: first 4x4 transposes inside each group of four lanes (unpack and
// shuffle within 128 bits), then a transpose of these groups (shuffle of
// 128-bit parts, two of each operand). Any other target sees two-operand
// shuffles, which is what it would have to do anyway.
//
//===----------------------------------------------------------------------===//

#include "VectorTranspose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

static constexpr int64_t kGroup = 4;

bool mlir::tir::canTransposeVectors(int64_t lanes) {
  return lanes == 4 || lanes == 8 || lanes == 16;
}

namespace {

class Transposer {
public:
  Transposer(OpBuilder &builder, Location loc, int64_t lanes)
      : builder(builder), loc(loc), lanes(lanes) {}

  /// A shuffle that does the same in every group of four lanes. Lanes of the
  /// second operand count from 4.
  Value inGroups(Value a, Value b, ArrayRef<int64_t> pattern) {
    SmallVector<int64_t> mask;
    for (int64_t base = 0; base < lanes; base += kGroup)
      for (int64_t lane : pattern)
        mask.push_back(lane < kGroup ? base + lane
                                     : lanes + base + lane - kGroup);
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }

  /// A shuffle of whole groups. Groups of the second operand count from
  /// lanes / 4.
  Value ofGroups(Value a, Value b, ArrayRef<int64_t> groups) {
    SmallVector<int64_t> mask;
    for (int64_t group : groups)
      for (int64_t lane = 0; lane != kGroup; ++lane)
        mask.push_back(group * kGroup + lane);
    return vector::ShuffleOp::create(builder, loc, a, b, mask);
  }

  /// Four rows to four vectors; group q of vector j holds column 4 * q + j.
  SmallVector<Value> transposeGroups(ArrayRef<Value> r) {
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
  OpBuilder &builder;
  Location loc;
  int64_t lanes;
};

} // namespace

SmallVector<Value> mlir::tir::transposeVectors(OpBuilder &builder, Location loc,
                                               ArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  assert(canTransposeVectors(lanes) && "expects 4, 8 or 16 rows");
  Transposer shuffles(builder, loc, lanes);
  int64_t numGroups = lanes / kGroup;
  SmallVector<SmallVector<Value>> parts;
  for (int64_t group = 0; group != numGroups; ++group)
    parts.push_back(
        shuffles.transposeGroups(rows.slice(group * kGroup, kGroup)));

  SmallVector<Value> columns(lanes);
  for (int64_t j = 0; j != kGroup; ++j) {
    if (numGroups == 1) {
      columns[j] = parts[0][j];
    } else if (numGroups == 2) {
      columns[j] = shuffles.ofGroups(parts[0][j], parts[1][j], {0, 2});
      columns[4 + j] = shuffles.ofGroups(parts[0][j], parts[1][j], {1, 3});
    } else {
      Value even01 = shuffles.ofGroups(parts[0][j], parts[1][j], {0, 2, 4, 6});
      Value odd01 = shuffles.ofGroups(parts[0][j], parts[1][j], {1, 3, 5, 7});
      Value even23 = shuffles.ofGroups(parts[2][j], parts[3][j], {0, 2, 4, 6});
      Value odd23 = shuffles.ofGroups(parts[2][j], parts[3][j], {1, 3, 5, 7});
      columns[j] = shuffles.ofGroups(even01, even23, {0, 2, 4, 6});
      columns[8 + j] = shuffles.ofGroups(even01, even23, {1, 3, 5, 7});
      columns[4 + j] = shuffles.ofGroups(odd01, odd23, {0, 2, 4, 6});
      columns[12 + j] = shuffles.ofGroups(odd01, odd23, {1, 3, 5, 7});
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
