//===- Blocks.cpp - Moved blocks and tiles in other operators -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// Widths [before, after] of padding for dimensions from 1 on, as of all
/// dimensions.
static SmallVector<int64_t> getAllWidths(ArrayRef<int64_t> widths,
                                         int64_t rank) {
  SmallVector<int64_t> all(2 * rank, 0);
  llvm::copy(widths, all.begin() + 2);
  return all;
}

static Term pad(Decomposition &d, Term x, ArrayRef<int64_t> widths,
                double value) {
  if (llvm::all_of(widths, [](int64_t width) { return width == 0; }))
    return x;
  // A cast saturates what is beyond the type.
  Term fill =
      d.fold(d.castTo(d.number(value, d.getF64Type()), x.getElementType()));
  return d.make<NNPadOp>(x.get(), fill.get(), widths, "constant");
}

//===----------------------------------------------------------------------===//
// Tiles of index maps
//===----------------------------------------------------------------------===//

namespace {

/// A result of an index map that is a digit of one dimension:
/// d<dim> floordiv step mod size.
struct Digit {
  unsigned dim;
  int64_t step = 1, size = 0;
};

} // namespace

static std::optional<Digit> matchDigit(AffineExpr expr,
                                       ArrayRef<int64_t> shape) {
  std::optional<int64_t> size;
  int64_t step = 1;
  auto takeConstant = [&](AffineExprKind kind) -> std::optional<int64_t> {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() != kind)
      return std::nullopt;
    auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!constant || constant.getValue() <= 0)
      return std::nullopt;
    expr = binary.getLHS();
    return constant.getValue();
  };
  size = takeConstant(AffineExprKind::Mod);
  step = takeConstant(AffineExprKind::FloorDiv).value_or(1);
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim)
    return std::nullopt;
  int64_t extent = shape[dim.getPosition()];
  if (!size && !ShapedType::isDynamic(extent) && extent % step != 0)
    return std::nullopt;
  // The outermost digit of an open dimension has an open size.
  return Digit{dim.getPosition(), step,
               size                            ? *size
               : ShapedType::isDynamic(extent) ? extent
                                               : extent / step};
}

/// The digits that the results of `map` are, if each dimension is in them as a
/// whole.
static std::optional<SmallVector<Digit>> matchDigits(AffineMap map,
                                                     ArrayRef<int64_t> shape) {
  SmallVector<Digit> digits;
  for (AffineExpr expr : map.getResults()) {
    std::optional<Digit> digit = matchDigit(expr, shape);
    if (!digit)
      return std::nullopt;
    digits.push_back(*digit);
  }
  auto countsElements = [](const Digit &digit) { return digit.size != 1; };
  int64_t numUsed = 0;
  for (unsigned dim = 0; dim < shape.size(); ++dim) {
    // From the innermost digit on, the steps are products of the sizes.
    int64_t step = 1;
    while (step != shape[dim]) {
      const auto *next = llvm::find_if(digits, [&](const Digit &digit) {
        return digit.dim == dim && digit.step == step && countsElements(digit);
      });
      if (next == digits.end() || next->size == 0)
        return std::nullopt;
      ++numUsed;
      step = ShapedType::isDynamic(next->size) ? next->size : step * next->size;
    }
  }
  // One that is there twice is no bijection.
  if (llvm::count_if(digits, countsElements) != numUsed)
    return std::nullopt;
  return digits;
}

/// Splits each dimension into its digits, and puts these in their order.
static Term writeDigits(Decomposition &d, Term x, ArrayRef<Digit> digits) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, digits.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return std::tuple(digits[a].dim, -digits[a].step, a) <
           std::tuple(digits[b].dim, -digits[b].step, b);
  });
  SmallVector<int64_t> codes, permutation(digits.size());
  bool isOpen = !x.getType().hasStaticShape();
  for (auto [position, digit] : llvm::enumerate(order)) {
    permutation[digit] = position;
    codes.push_back(digits[digit].size);
  }
  if (!isOpen)
    return d.transpose(d.reshape(x, codes), permutation);
  // One dimension after the other, from the last: the outermost digit is what
  // the others leave.
  for (int64_t dim = x.getRank() - 1; dim >= 0; --dim) {
    SmallVector<int64_t> own;
    for (int64_t digit : order)
      if (digits[digit].dim == dim)
        own.push_back(digits[digit].size);
    for (size_t i = own.size(); i-- > 1;) {
      SmallVector<int64_t> split(dim, 0);
      split.append({-4, -1, own[i]});
      if (dim + 1 < x.getRank())
        split.push_back(-2);
      x = d.reshape(x, split);
    }
  }
  return d.transpose(x, permutation);
}

/// Where the elements come from, for a map that is a bijection.
static FailureOr<SmallVector<int64_t>>
invert(AffineMap map, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  int64_t count = 1;
  for (int64_t size : from)
    count *= size;
  SmallVector<int64_t> sources(count, -1), index(from.size(), 0);
  MLIRContext *context = map.getContext();
  Type type = IntegerType::get(context, 64);
  for (int64_t source = 0; source < count; ++source) {
    int64_t rest = source;
    for (size_t dim = from.size(); dim-- > 0; rest /= from[dim])
      index[dim] = rest % from[dim];
    SmallVector<Attribute> attributes, results;
    for (int64_t i : index)
      attributes.push_back(IntegerAttr::get(type, i));
    if (failed(map.constantFold(attributes, results)))
      return failure();
    int64_t target = 0;
    for (auto [position, size] : llvm::zip_equal(results, to))
      target = target * size + cast<IntegerAttr>(position).getInt();
    if (std::exchange(sources[target], source) != -1)
      return failure();
  }
  return sources;
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

//===----------------------------------------------------------------------===//
// Blocks of the batch
//===----------------------------------------------------------------------===//

/// (n, y1, b1, y2, b2, ..., rest) -> (b1, b2, ..., n, y1, y2, ..., rest)
static Term write(NNSpaceToBatchNdOp op, Decomposition &d) {
  Term x = d.term(op.getData());
  ArrayRef<int64_t> blocks = op.getBlockShape();
  int64_t rank = x.getRank(), count = blocks.size();
  x = pad(d, x, getAllWidths(op.getPaddings(), rank),
          op.getPadValue().convertToDouble());
  SmallVector<int64_t> codes = {0}, inner, outer = {0};
  for (auto [i, block] : llvm::enumerate(blocks)) {
    codes.append({-4, -1, block});
    outer.push_back(2 * i + 1);
    inner.push_back(2 * i + 2);
  }
  for (int64_t dim = count + 1; dim < rank; ++dim) {
    codes.push_back(0);
    outer.push_back(count + dim);
  }
  llvm::append_range(inner, outer);
  x = d.transpose(d.reshape(x, codes), inner);
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> merge(x.getRank() - 1, 0);
    merge.front() = -3;
    x = d.reshape(x, merge);
  }
  return x;
}

/// (b1, b2, ..., n, y1, y2, ..., rest) -> (n, y1, b1, y2, b2, ..., rest)
static Term write(NNBatchToSpaceNdOp op, Decomposition &d) {
  Term x = d.term(op.getData());
  ArrayRef<int64_t> blocks = op.getBlockShape(), crops = op.getCrops();
  int64_t rank = x.getRank(), count = blocks.size();
  for (auto [i, block] : llvm::enumerate(blocks)) {
    SmallVector<int64_t> split(i, 0);
    split.append({-4, block, -1});
    split.append(rank - 1, 0);
    x = d.reshape(x, split);
  }
  SmallVector<int64_t> order = {count}, merge = {0};
  for (int64_t i = 0; i < count; ++i) {
    order.append({count + 1 + i, i});
    merge.push_back(-3);
  }
  for (int64_t dim = count + 1; dim < rank; ++dim) {
    order.push_back(count + dim);
    merge.push_back(0);
  }
  x = d.reshape(d.transpose(x, order), merge);
  // Padding less than nothing asks that what is cut off is there.
  SmallVector<int64_t> widths(2 * rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t size = x.getSize(i + 1), before = crops[2 * i],
            after = crops[2 * i + 1];
    if (ShapedType::isDynamic(size)) {
      widths[2 * i + 2] = -before;
      widths[2 * i + 3] = -after;
    } else {
      x = d.slice(x, i + 1, before, size - after);
    }
  }
  return pad(d, x, widths, 0);
}

/// The last elements of the buffer and the data behind it.
static Term write(NNFifoBufferOp op, Decomposition &d) {
  Term data = d.term(op.getData()), buffer = d.term(op.getBuffer());
  int64_t axis = normalize(op.getAxis(), buffer.getRank());
  int64_t pushed = data.getSize(axis), size = buffer.getSize(axis);
  bool isPushedOpen = ShapedType::isDynamic(pushed);
  bool isSizeOpen = ShapedType::isDynamic(size);
  if (!isPushedOpen && !isSizeOpen) {
    if (pushed >= size)
      return d.slice(data, axis, pushed - size, pushed);
    return d.make<ConcatenateOp>(
        ValueRange{d.slice(buffer, axis, pushed, size), data}, axis);
  }
  Term all = d.make<ConcatenateOp>(ValueRange{buffer, data}, axis);
  if (!isPushedOpen)
    return d.slice(all, axis, pushed, kEnd);
  if (!isSizeOpen)
    return size == 0 ? d.slice(all, axis, 0, 0)
                     : d.slice(all, axis, -size, kEnd);
  Term shape = d.shapeOf(data);
  return d.makeWith<DynStridedSliceOp>(
      {all, d.slice(shape, 0, axis, axis + 1), d.integers(kEnd), d.integers(1)},
      {d.getNamedAttr("axes", d.getDenseI64ArrayAttr(axis))});
}

//===----------------------------------------------------------------------===//
// Shapes and layouts
//===----------------------------------------------------------------------===//

static Term write(CollapseSumToOp op, Decomposition &d) {
  Term data = d.term(op.getData());
  if (std::optional<ArrayRef<int64_t>> shape = op.getShape())
    return d.collapseLike(data, d.make<ZerosOp>(*shape, data.getElementType()));
  // The type of a tensor tells which of its sizes are 1.
  if (auto shape = op.getTarget().getDefiningOp<ShapeOfOp>();
      shape && shape.getData().getType().getRank() != 0) {
    return d.collapseLike(data,
                          d.castTo(shape.getData(), data.getElementType()));
  }
  Term zeros = d.makeWith<DynZerosOp>(
      op.getTarget(),
      {d.getNamedAttr("dtype", TypeAttr::get(data.getElementType()))});
  return d.make<CollapseSumLikeOp>(data.get(), zeros.get());
}

static FailureOr<Value> write(AutoSchedulerLayoutTransformOp op,
                              Decomposition &d) {
  FailureOr<TiledLayout> from = TiledLayout::parse(op.getSrcLayout());
  FailureOr<TiledLayout> to = TiledLayout::parse(op.getDstLayout());
  if (failed(from) || failed(to))
    return d.refuse() << "layouts such as \"4N16C\"";
  // The parts of an axis are in the same order in both layouts.
  SmallVector<int64_t> codes, permutation(to->axes.size());
  for (StringRef axis : from->axes)
    for (auto [i, other] : llvm::enumerate(to->axes))
      if (other == axis) {
        permutation[i] = codes.size();
        codes.push_back(to->sizes[i]);
      }
  Value data = d.make<AscribeOp>(op.getData().getType().clone(from->sizes),
                                 op.getData());
  return d.transpose(d.reshape(data, codes), permutation).get();
}

static FailureOr<Value> write(MetaScheduleLayoutTransformOp op,
                              Decomposition &d) {
  Term data = d.term(op.getData());
  ArrayRef<int64_t> shape = data.getType().getShape();
  if (auto digits = matchDigits(op.getIndexMap(), shape))
    return writeDigits(d, data, *digits).get();
  if (!data.getType().hasStaticShape())
    return d.refuse() << "data of static sizes for " << op.getIndexMapAttr()
                      << ", but got " << data.getType();
  ArrayRef<int64_t> to = cast<RankedTensorType>(op.getType()).getShape();
  FailureOr<SmallVector<int64_t>> sources = invert(op.getIndexMap(), shape, to);
  if (failed(sources))
    return d.refuse() << "a bijective index_map for " << data.getType()
                      << ", but got " << op.getIndexMapAttr();
  Term flat = d.reshape(data, {-1});
  Term taken = d.make<TakeOp>(flat.get(), d.integers(*sources).get(),
                              int64_t(0), d.getI64IntegerAttr(0), "fast");
  return d.reshape(taken, to).get();
}

} // namespace mlir::relay::decompositions

void decompositions::registerBlocks(MLIRContext *context) {
  attach<AutoSchedulerLayoutTransformOp, CollapseSumToOp,
         MetaScheduleLayoutTransformOp, NNBatchToSpaceNdOp, NNFifoBufferOp,
         NNSpaceToBatchNdOp>(context);
}
