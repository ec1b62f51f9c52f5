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

#include "relay-mlir/Target/AOT/PackLayout.h"

#include "mlir/IR/AffineExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

/// Offsets, in elements, for the values of one or several indices.
using Table = std::vector<int64_t>;

/// Splits `expr`, times `factor`, into terms of one dimension each and adds
/// these to the tables. Fails on a term of several dimensions.
static LogicalResult tabulate(AffineExpr expr, int64_t factor,
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
    offset += factor * evaluateAffineExpr(expr, index);
  }
  return success();
}

/// The table of the row-major index over the dimensions of `tables`.
static Table combine(ArrayRef<Table> tables) {
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

/// The length of the pieces of consecutive offsets that `table` consists of.
static size_t getRunLength(const Table &table) {
  auto isRun = [&](size_t i) { return table[i] == table[i - 1] + 1; };
  size_t run = 1;
  while (run < table.size() && isRun(run))
    ++run;
  for (size_t i = 1; i < table.size(); ++i)
    if (i % run != 0 && !isRun(i))
      return 1;
  return run;
}

static int64_t count(ArrayRef<int64_t> shape) {
  return llvm::product_of(shape, int64_t(1));
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LayoutPacker::LayoutPacker(ArrayRef<int64_t> shape, AffineMap layout,
                           ArrayRef<int64_t> packedShape, int64_t elementBytes)
    : shape(shape), elementBytes(elementBytes) {
  offset = getAffineConstantExpr(0, layout.getContext());
  for (auto [expr, size] : llvm::zip_equal(layout.getResults(), packedShape))
    offset = offset * size + expr;
  slabElements = count(packedShape);
  hasPadding = slabElements != count(shape);
  if (count(shape) == 0)
    return;

  for (int64_t size : shape)
    tables.emplace_back(size, 0);
  if (tables.empty() || failed(tabulate(offset, /*factor=*/1, tables))) {
    tables.clear();
    return;
  }
  findSlabs(layout, packedShape);
}

void LayoutPacker::findSlabs(AffineMap layout, ArrayRef<int64_t> packedShape) {
  // Slabs are the outermost packed dimension, if one dimension of the source
  // decides where in it an element goes, in order.
  unsigned outermost = 0;
  while (outermost < packedShape.size() && packedShape[outermost] == 1)
    ++outermost;
  if (outermost == packedShape.size())
    return;
  AffineExpr expr = layout.getResult(outermost);
  std::optional<unsigned> decisive;
  for (unsigned dim = 0, e = shape.size(); dim != e; ++dim) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (decisive)
      return;
    decisive = dim;
  }
  if (!decisive)
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  SmallVector<int64_t> begins(packedShape[outermost] + 1, shape[*decisive]);
  int64_t slab = -1;
  for (int64_t i = 0; i < shape[*decisive]; ++i) {
    index[*decisive] = i;
    int64_t next = evaluateAffineExpr(expr, index);
    if (next < slab)
      return;
    while (slab < next)
      begins[++slab] = i;
  }
  slabDim = decisive;
  slabBegins = std::move(begins);
  numSlabs = packedShape[outermost];
  slabElements /= numSlabs;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {

/// Where elements come from and where they go, for some of the dimensions.
struct Offsets {
  Offsets(ArrayRef<Table> source, ArrayRef<Table> packed)
      : source(combine(source)), packed(combine(packed)) {}

  size_t size() const { return source.size(); }

  Table source, packed;
};

} // namespace

/// Sources may lie anywhere, such as in a file.
template <typename T>
static T load(const char *from, int64_t index) {
  T value;
  std::memcpy(&value, from + index * sizeof(T), sizeof(T));
  return value;
}

/// Copies outer x middle x inner elements. The middle dimension is contiguous
/// in the packed array, if any is, and the inner one in the source.
template <typename T>
static void copyTabulated(const char *source, T *packed, const Offsets &outer,
                          const Offsets &middle, const Offsets &inner) {
  // Tiles whose lines of source and target fit into the first-level cache.
  constexpr size_t middleTile = 32, innerTile = 64;
  for (size_t o = 0; o < outer.size(); ++o)
    for (size_t first = 0; first < middle.size(); first += middleTile) {
      size_t end = std::min(first + middleTile, middle.size());
      for (size_t tile = 0; tile < inner.size(); tile += innerTile) {
        size_t tileEnd = std::min(tile + innerTile, inner.size());
        for (size_t m = first; m < end; ++m) {
          const char *from =
              source + (outer.source[o] + middle.source[m]) * sizeof(T);
          T *to = packed + outer.packed[o] + middle.packed[m];
          for (size_t i = tile; i < tileEnd; ++i)
            to[inner.packed[i]] = load<T>(from, inner.source[i]);
        }
      }
    }
}

/// Copies rows whose elements stay in order, in pieces of `run` elements.
template <typename T>
static void copyRuns(const char *source, T *packed, const Offsets &outer,
                     const Offsets &inner, size_t run) {
  for (size_t o = 0; o < outer.size(); ++o) {
    const char *from = source + outer.source[o] * sizeof(T);
    T *to = packed + outer.packed[o];
    for (size_t i = 0; i < inner.size(); i += run)
      std::memcpy(to + inner.packed[i], from + inner.source[i] * sizeof(T),
                  std::min(run, inner.size() - i) * sizeof(T));
  }
}

template <typename T>
static void copyByExpression(const char *source, T *packed, AffineExpr offset,
                             ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t linear = 0, e = count(shape); linear < e; ++linear) {
    int64_t rest = linear;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      index[dim] = rest % shape[dim];
      rest /= shape[dim];
    }
    packed[evaluateAffineExpr(offset, index)] = load<T>(source, linear);
  }
}

template <typename T>
void LayoutPacker::packAs(const char *source, int64_t begin, int64_t end,
                          T *packed) const {
  if (tables.empty())
    return copyByExpression(source, packed, offset, shape);

  SmallVector<Table> from(tables.size()), to(tables.begin(), tables.end());
  int64_t stride = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    for (int64_t i = 0; i < shape[dim]; ++i)
      from[dim].push_back(i * stride);
    stride *= shape[dim];
  }
  if (slabDim) {
    auto slice = [&](Table &table) {
      table.erase(table.begin() + slabBegins[end], table.end());
      table.erase(table.begin(), table.begin() + slabBegins[begin]);
    };
    slice(from[*slabDim]);
    slice(to[*slabDim]);
    for (int64_t &position : to[*slabDim])
      position -= begin * slabElements;
    if (to[*slabDim].empty())
      return;
  }

  // A whole suffix may stay in order: the dimensions after a blocked one.
  ArrayRef<Table> sources = from, targets = to;
  if (size_t run = getRunLength(to.back()); run > 1 || to.size() == 1)
    return copyRuns(source, packed,
                    Offsets(sources.drop_back(), targets.drop_back()),
                    Offsets(sources.back(), targets.back()), run);
  const Table *middle = llvm::find_if(to, [](const Table &table) {
    return table.size() > 1 && table[1] == table[0] + 1;
  });
  if (middle == to.end())
    middle = to.begin();
  size_t position = middle - to.begin();
  copyTabulated(
      source, packed,
      Offsets(sources.take_front(position), targets.take_front(position)),
      Offsets(sources[position], targets[position]),
      Offsets(sources.drop_front(position + 1),
              targets.drop_front(position + 1)));
}

void LayoutPacker::pack(const char *source, int64_t begin, int64_t end,
                        MutableArrayRef<char> packed) const {
  assert(packed.size() == (end - begin) * getSlabBytes() && "slabs that fit");
  if (hasPadding)
    std::memset(packed.data(), 0, packed.size());
  if (count(shape) == 0)
    return;
  switch (elementBytes) {
  case 1:
    return packAs(source, begin, end,
                  reinterpret_cast<uint8_t *>(packed.data()));
  case 2:
    return packAs(source, begin, end,
                  reinterpret_cast<uint16_t *>(packed.data()));
  case 4:
    return packAs(source, begin, end,
                  reinterpret_cast<uint32_t *>(packed.data()));
  case 8:
    return packAs(source, begin, end,
                  reinterpret_cast<uint64_t *>(packed.data()));
  default:
    llvm_unreachable("element of a size that the pool refuses");
  }
}
