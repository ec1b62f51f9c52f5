//===- PackLayout.cpp - Rearrange the elements of an array ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts split and permute dimensions, (o, c) -> (o floordiv 32, c, o mod 32).
// The packed offset is then a sum of functions of one index each, which are
// tabulated; copying an element costs two loads from tables. Other layouts are
// evaluated element by element.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "mlir/IR/Threading.h"

#include <cstring>
#include <numeric>
#include <vector>

using namespace mlir;
using namespace mlir::relay;

namespace {

int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> index) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return index[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t lhs = evaluate(binary.getLHS(), index);
  int64_t rhs = evaluate(binary.getRHS(), index);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::Mod:
    return llvm::mod(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(lhs, rhs);
  default:
    return llvm::divideCeilSigned(lhs, rhs);
  }
}

/// The offset, in elements, of each index in the packed array.
AffineExpr getOffset(AffineMap layout, ArrayRef<int64_t> packedShape) {
  AffineExpr offset = getAffineConstantExpr(0, layout.getContext());
  for (auto [expr, size] : llvm::zip_equal(layout.getResults(), packedShape))
    offset = offset * size + expr;
  return offset;
}

using Table = std::vector<int64_t>;

/// Splits `expr`, times `factor`, into terms of one dimension each and adds
/// these to the tables. Fails on a term of several dimensions.
LogicalResult tabulate(AffineExpr expr, int64_t factor,
                       MutableArrayRef<Table> tables) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return success(succeeded(tabulate(binary.getLHS(), factor, tables)) &&
                   succeeded(tabulate(binary.getRHS(), factor, tables)));
  if (expr.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return tabulate(binary.getLHS(), factor * constant.getValue(), tables);

  SmallVector<unsigned> used;
  for (unsigned dim = 0, e = tables.size(); dim != e; ++dim)
    if (expr.isFunctionOfDim(dim))
      used.push_back(dim);
  if (used.size() > 1)
    return failure();
  // A constant counts for the first dimension.
  unsigned dim = used.empty() ? 0 : used.front();
  SmallVector<int64_t> index(tables.size(), 0);
  for (auto [i, offset] : llvm::enumerate(tables[dim])) {
    index[dim] = i;
    offset += factor * evaluate(expr, index);
  }
  return success();
}

/// The table of the row-major index over the dimensions of `tables`.
Table combine(ArrayRef<Table> tables) {
  Table result = {0};
  for (const Table &table : tables) {
    Table next;
    next.reserve(result.size() * table.size());
    for (int64_t base : result)
      for (int64_t offset : table)
        next.push_back(base + offset);
    result = std::move(next);
  }
  return result;
}

/// Copies outer x middle x inner elements. The middle dimension is contiguous
/// in the packed array, if any is, and the inner one in the source.
template <typename T>
void copyTabulated(const T *source, T *packed, const Table &outer,
                   const Table &middle, const Table &inner,
                   MLIRContext *context) {
  // Tiles whose lines of source and target fit into the first-level cache.
  constexpr size_t middleTile = 32, innerTile = 64;
  size_t numMiddle = middle.size(), numInner = inner.size();
  size_t blocks = llvm::divideCeil(numMiddle, middleTile);
  parallelFor(context, 0, outer.size() * blocks, [&](size_t task) {
    size_t o = task / blocks;
    size_t begin = task % blocks * middleTile;
    size_t end = std::min(begin + middleTile, numMiddle);
    for (size_t tile = 0; tile < numInner; tile += innerTile) {
      size_t tileEnd = std::min(tile + innerTile, numInner);
      for (size_t m = begin; m < end; ++m) {
        const T *from = source + (o * numMiddle + m) * numInner;
        T *to = packed + outer[o] + middle[m];
        for (size_t i = tile; i < tileEnd; ++i)
          to[inner[i]] = from[i];
      }
    }
  });
}

/// Copies rows whose elements stay in order, in pieces of `run` elements.
template <typename T>
void copyRuns(const T *source, T *packed, const Table &outer,
              const Table &inner, size_t run, MLIRContext *context) {
  parallelFor(context, 0, outer.size(), [&](size_t o) {
    const T *from = source + o * inner.size();
    T *to = packed + outer[o];
    for (size_t i = 0; i < inner.size(); i += run)
      std::memcpy(to + inner[i], from + i,
                  std::min(run, inner.size() - i) * sizeof(T));
  });
}

template <typename T>
void copyByExpression(const T *source, T *packed, AffineExpr offset,
                      ArrayRef<int64_t> shape, MLIRContext *context) {
  int64_t rowSize = shape.back();
  int64_t numRows = std::accumulate(shape.begin(), shape.end() - 1, int64_t(1),
                                    std::multiplies<int64_t>());
  parallelFor(context, 0, numRows, [&](size_t row) {
    SmallVector<int64_t> index(shape.size());
    int64_t rest = row;
    for (int64_t dim = shape.size() - 2; dim >= 0; --dim) {
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    for (index.back() = 0; index.back() < rowSize; ++index.back())
      packed[evaluate(offset, index)] = source[row * rowSize + index.back()];
  });
}

/// The length of the pieces of consecutive offsets that `table` consists of.
size_t getRunLength(const Table &table) {
  auto isRun = [&](size_t i) { return table[i] == table[i - 1] + 1; };
  size_t run = 1;
  while (run < table.size() && isRun(run))
    ++run;
  for (size_t i = 1; i < table.size(); ++i)
    if (i % run != 0 && !isRun(i))
      return 1;
  return run;
}

template <typename T>
void pack(const T *source, ArrayRef<int64_t> shape, AffineExpr offset,
          T *packed, MLIRContext *context) {
  SmallVector<Table> tables;
  for (int64_t size : shape)
    tables.emplace_back(size, 0);
  if (failed(tabulate(offset, /*factor=*/1, tables)))
    return copyByExpression(source, packed, offset, shape, context);

  // A whole suffix may stay in order: the dimensions after a blocked one.
  ArrayRef<Table> all = tables;
  if (size_t run = getRunLength(tables.back()); run > 1 || all.size() == 1)
    return copyRuns(source, packed, combine(all.drop_back()), all.back(), run,
                    context);
  const Table *middle = llvm::find_if(tables, [](const Table &table) {
    return table.size() > 1 && table[1] == table[0] + 1;
  });
  if (middle == tables.end())
    middle = tables.begin();
  size_t position = middle - tables.begin();
  copyTabulated(source, packed, combine(all.take_front(position)), *middle,
                combine(all.drop_front(position + 1)), context);
}

} // namespace

void mlir::relay::packLayout(ArrayRef<char> source, ArrayRef<int64_t> shape,
                             AffineMap layout, ArrayRef<int64_t> packedShape,
                             int64_t elementBytes, MutableArrayRef<char> packed,
                             MLIRContext *context) {
  if (source.empty())
    return;
  AffineExpr offset = getOffset(layout, packedShape);
  auto packAs = [&](auto element) {
    using T = decltype(element);
    if (shape.empty())
      reinterpret_cast<T *>(packed.data())[evaluate(offset, {})] =
          *reinterpret_cast<const T *>(source.data());
    else
      pack(reinterpret_cast<const T *>(source.data()), shape, offset,
           reinterpret_cast<T *>(packed.data()), context);
  };
  switch (elementBytes) {
  case 1:
    return packAs(uint8_t());
  case 2:
    return packAs(uint16_t());
  case 4:
    return packAs(uint32_t());
  case 8:
    return packAs(uint64_t());
  default:
    llvm_unreachable("element of a size that add() refuses");
  }
}
