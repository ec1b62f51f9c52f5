//===- PackLayout.cpp - Rearrange the elements of an array ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts split and permute dimensions, (o, c) -> (o floordiv 32, c, o mod 32).
// The packed offset is then a sum of functions of one index each, or of a few
// together, (c, w) -> (w * 24 + c) floordiv 32. They are tabulated; copying an
// element costs two loads from tables. Other layouts are evaluated element by
// element.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/PackLayout.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/AffineExpr.h"
#include "relay-mlir/Support/AffineEvaluation.h"
#include "relay-mlir/Support/SplitFloat.h"
#include "llvm/ADT/IntEqClasses.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;

/// Offsets, in elements, for the values of one or several indices.
using Table = std::vector<int64_t>;

namespace {

/// A part of a sum.
struct Term {
  AffineExpr expr;
  int64_t factor;
};

} // namespace

/// Adds the terms of `expr`, times `factor`.
static void collectTerms(AffineExpr expr, int64_t factor,
                         SmallVectorImpl<Term> &terms) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add) {
    collectTerms(binary.getLHS(), factor, terms);
    return collectTerms(binary.getRHS(), factor, terms);
  }
  if (expr.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return collectTerms(binary.getLHS(), factor * constant.getValue(), terms);
  terms.push_back({expr, factor});
}

/// Groups dimensions that terms have in common, each in order; the groups are
/// in the order of their last dimensions.
static SmallVector<SmallVector<unsigned>> groupDims(ArrayRef<Term> terms,
                                                    unsigned rank) {
  llvm::IntEqClasses groups(rank);
  for (const Term &term : terms) {
    std::optional<unsigned> first;
    for (unsigned dim = 0; dim != rank; ++dim) {
      if (!term.expr.isFunctionOfDim(dim))
        continue;
      if (!first)
        first = dim;
      groups.join(*first, dim);
    }
  }
  SmallVector<SmallVector<unsigned>> result;
  auto dims = llvm::seq<unsigned>(0, rank);
  for (unsigned last : dims) {
    auto isMember = [&](unsigned dim) {
      return groups.findLeader(dim) == groups.findLeader(last);
    };
    if (llvm::none_of(llvm::drop_begin(dims, last + 1), isMember))
      result.push_back(
          llvm::to_vector(llvm::make_filter_range(dims, isMember)));
  }
  return result;
}

/// Calls `visit` with an index of all dimensions for each value of those of
/// `dims`, in order; the others are 0.
static void forEachIndex(ArrayRef<unsigned> dims, ArrayRef<int64_t> shape,
                         function_ref<void(ArrayRef<int64_t>)> visit) {
  SmallVector<int64_t> index(shape.size(), 0);
  auto advance = [&] {
    for (unsigned dim : llvm::reverse(dims)) {
      if (++index[dim] < shape[dim])
        return true;
      index[dim] = 0;
    }
    return false;
  };
  do
    visit(index);
  while (advance());
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

/// The length of the pieces that `table` consists of, in which each offset is
/// `step` more than the one before it.
static size_t getRunLength(const Table &table, int64_t step = 1) {
  auto isRun = [&](size_t i) { return table[i] == table[i - 1] + step; };
  size_t run = 1;
  while (run < table.size() && isRun(run))
    ++run;
  for (size_t i = 1; i < table.size(); ++i)
    if (i % run != 0 && !isRun(i))
      return 1;
  return run;
}

/// Whether pieces of `run` are in order in `table`, too.
static bool isOrdered(const Table &table, size_t run) {
  size_t length = getRunLength(table);
  return length == table.size() || length % run == 0;
}

static int64_t count(ArrayRef<int64_t> shape) {
  return llvm::product_of(shape, int64_t(1));
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

LayoutPacker::LayoutPacker(ArrayRef<int64_t> sourceShape, AffineMap layout,
                           ArrayRef<int64_t> packedShape, int64_t elementBytes,
                           int64_t numPieces)
    : shape(sourceShape), elementBytes(elementBytes), numPieces(numPieces) {
  if (numPieces != 0) {
    shape.push_back(numPieces);
    this->elementBytes = sizeof(uint16_t);
  }
  offset = getAffineConstantExpr(0, layout.getContext());
  for (auto [expr, size] : llvm::zip_equal(layout.getResults(), packedShape))
    offset = offset * size + expr;
  slabElements = count(packedShape);
  hasPadding = slabElements != count(shape);
  if (count(shape) == 0)
    return;

  SmallVector<Term> terms;
  collectTerms(offset, /*factor=*/1, terms);
  axes = groupDims(terms, shape.size());
  // A table as long as all elements would be no table.
  constexpr int64_t kMaxJointSize = 1 << 20;
  auto getSize = [&](ArrayRef<unsigned> dims) {
    int64_t size = 1;
    for (unsigned dim : dims)
      size *= shape[dim];
    return size;
  };
  if (axes.empty() || (numPieces != 0 && axes.back().size() != 1) ||
      llvm::any_of(axes, [&](ArrayRef<unsigned> dims) {
        return dims.size() > 1 && getSize(dims) > kMaxJointSize;
      }))
    return;
  // Of what is split, the source has floats, and of a piece the number counts.
  SmallVector<int64_t> strides = computeStrides(sourceShape);
  if (numPieces != 0)
    strides.push_back(1);
  for (ArrayRef<unsigned> dims : axes) {
    Table &source = sources.emplace_back();
    Table &table = tables.emplace_back();
    // A constant counts for the first of them.
    auto isHere = [&, isFirst = tables.size() == 1](const Term &term) {
      return term.expr.isSymbolicOrConstant()
                 ? isFirst
                 : llvm::any_of(dims, [&](unsigned dim) {
                     return term.expr.isFunctionOfDim(dim);
                   });
    };
    SmallVector<Term> parts =
        llvm::to_vector(llvm::make_filter_range(terms, isHere));
    forEachIndex(dims, shape, [&](ArrayRef<int64_t> index) {
      int64_t place = 0;
      for (const Term &term : parts)
        place += term.factor * evaluateAffineExpr(term.expr, index);
      table.push_back(place);
      source.push_back(linearize(index, strides));
    });
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
  for (auto [axis, dims] : llvm::enumerate(axes))
    if (ArrayRef<unsigned>(dims) == ArrayRef<unsigned>(*decisive))
      slabAxis = axis;
  if (!slabAxis)
    return;
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

/// The elements that a row of a tile has at most.
static constexpr size_t kRowTile = 64;

namespace {

/// Copies elements as they are.
template <typename T>
struct CopyElements {
  using Target = T;
  static constexpr size_t kSourceBytes = sizeof(T);

  size_t copyRow(const char *from, T *to, size_t begin, size_t end,
                 int64_t /*distance*/) const {
    for (size_t i = begin; i < end; ++i)
      to[inner.packed[i]] = load<T>(from, inner.source[i]);
    return 1;
  }

  const Offsets &inner;
};

/// Splits each f32 in pieces of bf16.
template <size_t numPieces>
struct SplitElements {
  using Target = uint16_t;
  static constexpr size_t kSourceBytes = sizeof(float);

  SplitElements(const Offsets &inner, const Offsets &pieces)
      : inner(inner), pieces(pieces), sourceRun(getRunLength(inner.source)) {
    // Matrix units want two rows side by side, some columns at a time.
    size_t run = getRunLength(inner.packed, /*step=*/2);
    if (kRowTile % run == 0 && isOrdered(inner.source, run))
      pairRun = run;
  }

  size_t copyRow(const char *from, uint16_t *to, size_t begin, size_t end,
                 int64_t distance) const {
    if (distance != 0 && pairRun > 1) {
      const char *second = from + distance * int64_t(kSourceBytes);
      for (size_t i = begin; i < end; i += pairRun)
        copyPairs(from, second, to, i, std::min(i + pairRun, end));
      return 2;
    }
    uint16_t bits[numPieces][kRowTile];
    splitRow(from, begin, end, bits);
    for (size_t p = 0, e = pieces.size(); p < e; ++p)
      for (size_t i = begin; i < end; ++i)
        to[inner.packed[i] + pieces.packed[p]] =
            bits[pieces.source[p]][i - begin];
    return 1;
  }

  /// The pieces of inner elements. Of those in order by vector code.
  void splitRow(const char *from, size_t begin, size_t end,
                uint16_t (&bits)[numPieces][kRowTile]) const {
    auto split = [&](int64_t position, size_t i) {
      uint16_t element[numPieces];
      splitFloat(load<float>(from, position), element, numPieces);
      for (size_t p = 0; p < numPieces; ++p)
        bits[p][i] = element[p];
    };
    int64_t first = inner.source[begin];
    size_t count = end - begin;
    if (begin / sourceRun == (end - 1) / sourceRun)
      for (size_t i = 0; i < count; ++i)
        split(first + i, i);
    else
      for (size_t i = 0; i < count; ++i)
        split(inner.source[begin + i], i);
  }

  /// Copies elements in order of two rows that go side by side.
  void copyPairs(const char *first, const char *second, uint16_t *to,
                 size_t begin, size_t end) const {
    uint16_t bits[2][numPieces][kRowTile];
    size_t count = end - begin;
    splitRow(first, begin, end, bits[0]);
    splitRow(second, begin, end, bits[1]);
    for (size_t p = 0, e = pieces.size(); p < e; ++p) {
      const uint16_t *evens = bits[0][pieces.source[p]];
      const uint16_t *odds = bits[1][pieces.source[p]];
      uint16_t *place = to + inner.packed[begin] + pieces.packed[p];
      for (size_t i = 0; i < count; ++i) {
        place[2 * i] = evens[i];
        place[2 * i + 1] = odds[i];
      }
    }
  }

  const Offsets &inner;
  /// Which pieces are stored, and where.
  const Offsets &pieces;
  /// So many inner elements follow each other in the source.
  size_t sourceRun;
  /// So many of them leave room for those of the next row in the packed array.
  size_t pairRun = 1;
};

} // namespace

/// Copies outer x middle x inner elements. The middle dimension is contiguous
/// in the packed array, if any is, and the inner one in the source. Rows are
/// those of inner elements; copyRow() may copy the next one with it, which lies
/// `distance` further in the source and beside it in the packed array, and
/// returns how many it has copied.
template <typename Copy>
static void copyTabulated(const char *source, typename Copy::Target *packed,
                          const Offsets &outer, const Offsets &middle,
                          const Copy &copy) {
  // Tiles whose lines of source and target fit into the first-level cache.
  constexpr size_t middleTile = 32;
  for (size_t o = 0; o < outer.size(); ++o)
    for (size_t first = 0; first < middle.size(); first += middleTile) {
      size_t end = std::min(first + middleTile, middle.size());
      for (size_t tile = 0; tile < copy.inner.size(); tile += kRowTile) {
        size_t tileEnd = std::min(tile + kRowTile, copy.inner.size());
        for (size_t m = first; m < end;) {
          int64_t distance = 0;
          if (m + 1 < end && middle.packed[m + 1] == middle.packed[m] + 1)
            distance = middle.source[m + 1] - middle.source[m];
          int64_t from = outer.source[o] + middle.source[m];
          m += copy.copyRow(source + from * int64_t(Copy::kSourceBytes),
                            packed + outer.packed[o] + middle.packed[m], tile,
                            tileEnd, distance);
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

/// Calls `visit` with the number of each element and where it goes.
static void forEachElement(AffineExpr offset, ArrayRef<int64_t> shape,
                           function_ref<void(int64_t, int64_t)> visit) {
  int64_t linear = 0;
  forEachIndex(llvm::to_vector(llvm::seq<unsigned>(0, shape.size())), shape,
               [&](ArrayRef<int64_t> index) {
                 visit(linear++, evaluateAffineExpr(offset, index));
               });
}

bool LayoutPacker::getOffsets(int64_t begin, int64_t end,
                              SmallVectorImpl<Table> &from,
                              SmallVectorImpl<Table> &to) const {
  from.assign(sources.begin(), sources.end());
  to.assign(tables.begin(), tables.end());
  if (slabAxis) {
    auto slice = [&](Table &table) {
      table.erase(table.begin() + slabBegins[end], table.end());
      table.erase(table.begin(), table.begin() + slabBegins[begin]);
    };
    slice(from[*slabAxis]);
    slice(to[*slabAxis]);
    for (int64_t &position : to[*slabAxis])
      position -= begin * slabElements;
    if (to[*slabAxis].empty())
      return false;
  }
  return true;
}

/// Calls `copy` with the dimensions in the roles that copyTabulated() gives
/// them.
static void
splitDimensions(ArrayRef<Table> from, ArrayRef<Table> to,
                function_ref<void(const Offsets &outer, const Offsets &middle,
                                  const Offsets &inner)>
                    copy) {
  const Table *middle = llvm::find_if(to, [](const Table &table) {
    return table.size() > 1 && table[1] == table[0] + 1;
  });
  if (middle == to.end())
    middle = to.begin();
  size_t position = middle - to.begin();
  // Rows of one element would be slow.
  if (llvm::all_of(to.drop_front(position + 1),
                   [](const Table &table) { return table.size() == 1; }))
    return copy(Offsets(from.take_front(position), to.take_front(position)),
                Offsets({}, {}),
                Offsets(from.drop_front(position), to.drop_front(position)));
  copy(Offsets(from.take_front(position), to.take_front(position)),
       Offsets(from[position], to[position]),
       Offsets(from.drop_front(position + 1), to.drop_front(position + 1)));
}

template <typename T>
void LayoutPacker::packAs(const char *source, int64_t begin, int64_t end,
                          T *packed) const {
  if (tables.empty())
    return forEachElement(offset, shape, [&](int64_t linear, int64_t place) {
      packed[place] = load<T>(source, linear);
    });
  SmallVector<Table> from, to;
  if (!getOffsets(begin, end, from, to))
    return;

  // A whole suffix may stay in order: the dimensions after a blocked one.
  size_t run = getRunLength(to.back());
  if (run > 1 && isOrdered(from.back(), run))
    return copyRuns(
        source, packed,
        Offsets(ArrayRef(from).drop_back(), ArrayRef(to).drop_back()),
        Offsets(from.back(), to.back()), run);
  splitDimensions(
      from, to,
      [&](const Offsets &outer, const Offsets &middle, const Offsets &inner) {
        copyTabulated(source, packed, outer, middle, CopyElements<T>{inner});
      });
}

template <size_t numPieces>
void LayoutPacker::packPieces(const char *source, int64_t begin, int64_t end,
                              uint16_t *packed) const {
  if (tables.empty())
    return forEachElement(offset, shape, [&](int64_t linear, int64_t place) {
      uint16_t bits[numPieces];
      splitFloat(load<float>(source, linear / numPieces), bits, numPieces);
      packed[place] = bits[linear % numPieces];
    });
  SmallVector<Table> from, to;
  if (!getOffsets(begin, end, from, to))
    return;
  Offsets pieces(from.pop_back_val(), to.pop_back_val());
  if (from.empty()) {
    from.push_back({0});
    to.push_back({0});
  }
  splitDimensions(
      from, to,
      [&](const Offsets &outer, const Offsets &middle, const Offsets &inner) {
        copyTabulated(source, packed, outer, middle,
                      SplitElements<numPieces>(inner, pieces));
      });
}

void LayoutPacker::pack(const char *source, int64_t begin, int64_t end,
                        MutableArrayRef<char> packed) const {
  assert(packed.size() == (end - begin) * getSlabBytes() && "slabs that fit");
  if (hasPadding)
    std::memset(packed.data(), 0, packed.size());
  if (count(shape) == 0)
    return;
  auto *halves = reinterpret_cast<uint16_t *>(packed.data());
  switch (numPieces) {
  case 0:
    break;
  case 1:
    return packPieces<1>(source, begin, end, halves);
  case 2:
    return packPieces<2>(source, begin, end, halves);
  case 3:
    return packPieces<3>(source, begin, end, halves);
  default:
    llvm_unreachable("number of pieces that the pool refuses");
  }
  switch (elementBytes) {
  case 1:
    return packAs(source, begin, end,
                  reinterpret_cast<uint8_t *>(packed.data()));
  case 2:
    return packAs(source, begin, end, halves);
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
