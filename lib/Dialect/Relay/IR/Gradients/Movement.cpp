//===- Movement.cpp - Gradients of joining, cutting and padding -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

/// Zeros around, or less where widths are negative: [before0, after0, ...].
static Term pad(Term x, ArrayRef<int64_t> widths) {
  TermBuilder &d = x.getBuilder();
  if (llvm::all_of(widths, [](int64_t width) { return width == 0; }))
    return x;
  return d.make<NNPadOp>(x.get(), d.number(0, x).get(), widths, "constant");
}

// Found by GradientModel.
namespace mlir::relay::gradients {

//===----------------------------------------------------------------------===//
// Joining and cutting
//===----------------------------------------------------------------------===//

static LogicalResult differentiate(ConcatenateOp op, Gradient &d) {
  Term g = d.get();
  int64_t axis = normalize(op.getAxis(), g.getRank());
  // Sizes before the one that is not known, and behind it: from the end.
  SmallVector<int64_t> sizes;
  for (Value operand : op.getData())
    sizes.push_back(d.term(operand).getSize(axis));
  ArrayRef<int64_t> after = sizes;
  after = after.drop_while(ShapedType::isStatic);
  if (!after.empty())
    after = after.drop_front();
  if (llvm::is_contained(after, ShapedType::kDynamic))
    return d.refuse() << "known sizes along axis " << axis
                      << " of all operands but one, but got "
                      << op.getOperandTypes();
  int64_t begin = 0;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t end = begin + size;
    if (ShapedType::isDynamic(size))
      end = -std::accumulate(after.begin(), after.end(), int64_t(0));
    bool isLast = i + 1 == sizes.size();
    d.set(i, d.slice(g, axis, begin, isLast ? kEnd : end));
    begin = end;
  }
  return success();
}

static void differentiate(StackOp op, Gradient &d) {
  Term g = d.get();
  int64_t axis = normalize(op.getAxis(), g.getRank());
  for (int64_t i = 0, count = op.getData().size(); i < count; ++i)
    d.set(i, d.slice(g, axis, i, i + 1));
}

static void differentiate(SplitOp op, Gradient &d) {
  SmallVector<Value> parts;
  for (unsigned i = 0, end = cast<TupleType>(op.getResult().getType()).size();
       i < end; ++i)
    parts.push_back(d.get(i));
  int64_t rank = d.get().getRank();
  d.set(0, d.make<ConcatenateOp>(parts, normalize(op.getAxis(), rank)));
}

static void differentiate(StridedSliceOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  int64_t rank = x.getRank();
  bool bySize = op.getSliceMode() == "size";
  SmallVector<int64_t> begins(rank, 0), ends(rank, kEnd), strides(rank, 1);
  std::optional<ArrayRef<int64_t>> axes = op.getAxes();
  for (size_t i = 0; i < op.getBegin().size(); ++i) {
    int64_t dim = axes ? normalize((*axes)[i], rank) : i;
    begins[dim] = op.getBegin()[i];
    if (i < op.getEnd().size())
      ends[dim] = op.getEnd()[i];
    if (bySize && i < op.getEnd().size()) {
      int64_t size = op.getEnd()[i];
      bool isToEnd = size < 0 || (begins[dim] < 0 && begins[dim] + size >= 0);
      ends[dim] = isToEnd ? kEnd : begins[dim] + size;
    } else if (op.getStrides() && !op.getStrides()->empty()) {
      ArrayRef<int64_t> list = *op.getStrides();
      strides[dim] = list.size() == 1 ? list.front() : list[i];
    }
  }
  // Zeros around what was cut out, if it is one piece.
  SmallVector<int64_t> widths;
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = x.getSize(dim), begin = begins[dim];
    bool isWhole =
        begin == 0 && ends[dim] >= (ShapedType::isDynamic(size) ? kEnd : size);
    if (strides[dim] != 1 || (ShapedType::isDynamic(size) && !isWhole))
      break;
    if (isWhole) {
      widths.append({0, 0});
      continue;
    }
    begin = std::clamp<int64_t>(normalize(begin, size), 0, size);
    widths.append({begin, size - begin - g.getSize(dim)});
  }
  if (static_cast<int64_t>(widths.size()) == 2 * rank) {
    d.set(0, pad(g, widths));
    return;
  }
  d.setMoved(0);
}
static void differentiate(DynStridedSliceOp, Gradient &d) { d.setMoved(0); }

static void differentiate(SliceLikeOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  SmallVector<int64_t> widths;
  for (int64_t dim = 0; dim < x.getRank(); ++dim) {
    int64_t from = x.getSize(dim), to = g.getSize(dim);
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to)) {
      d.setMoved(0);
      return;
    }
    widths.append({0, from - to});
  }
  d.set(0, pad(g, widths));
}

static void differentiate(StridedSetOp op, Gradient &d) {
  Term g = d.get();
  Value begin = op.getBegin(), end = op.getEnd(), strides = op.getStrides();
  d.set(0, d.make<StridedSetOp>(g.get(), d.zerosLike(d.term(op.getV())).get(),
                                begin, end, strides));
  // Which elements come from v, which may be repeated.
  d.setMoved(1);
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

static void differentiate(NNPadOp op, Gradient &d) {
  if (op.getPadMode() != "constant") {
    d.setMoved(0);
    return;
  }
  SmallVector<int64_t> widths = llvm::map_to_vector(
      op.getPadWidth(), [](int64_t width) { return -width; });
  Term inside = pad(d.get(), widths);
  d.set(0, inside);
  d.set(1, d.sumAll(d.get()) - d.sumAll(inside));
}
static void differentiate(NNMirrorPadOp, Gradient &d) { d.setMoved(0); }
static void differentiate(DynNNPadOp op, Gradient &d) {
  d.setMoved(0);
  // What does not come from data.
  Term isPadding = d.make<EqualOp>(d.getPositions(0).get(),
                                   d.number(0, d.getI64Type()).get());
  d.set(2, d.sumAll(d.where(isPadding, d.get(), d.number(0, d.get()))));
}

static void differentiate(NNDilateOp op, Gradient &d) {
  Term g = d.get();
  for (auto [dim, stride] : llvm::enumerate(op.getStrides()))
    g = d.slice(g, dim, 0, stride == 1 ? g.getSize(dim) : kEnd, stride);
  d.set(0, g);
}

//===----------------------------------------------------------------------===//
// Other orders
//===----------------------------------------------------------------------===//

static void differentiate(ReverseOp op, Gradient &d) {
  d.set(0, d.make<ReverseOp>(d.get().get(), op.getAxis()));
}
static void differentiate(ReverseSequenceOp op, Gradient &d) {
  d.set(0, d.make<ReverseSequenceOp>(d.get().get(), op.getSeqLengths(),
                                     op.getSeqAxis(), op.getBatchAxis()));
}
static void differentiate(LayoutTransformOp op, Gradient &d) {
  d.set(0, d.make<LayoutTransformOp>(d.get().get(), op.getDstLayout(),
                                     op.getSrcLayout()));
}
static void differentiate(NNDepthToSpaceOp op, Gradient &d) {
  d.set(0, d.make<NNSpaceToDepthOp>(d.get().get(), op.getBlockSize(),
                                    op.getLayout(), op.getMode()));
}
static void differentiate(NNSpaceToDepthOp op, Gradient &d) {
  d.set(0, d.make<NNDepthToSpaceOp>(d.get().get(), op.getBlockSize(),
                                    op.getLayout(), op.getMode()));
}
static void differentiate(NNSpaceToBatchNdOp op, Gradient &d) {
  d.set(0, d.make<NNBatchToSpaceNdOp>(d.get().get(), op.getBlockShape(),
                                      op.getPaddings()));
}
static void differentiate(NNBatchToSpaceNdOp op, Gradient &d) {
  d.set(0, d.make<NNSpaceToBatchNdOp>(d.get().get(), op.getBlockShape(),
                                      op.getCrops(), llvm::APFloat(0.0)));
}
static void differentiate(AutoSchedulerLayoutTransformOp, Gradient &d) {
  d.setMoved(0);
}
static void differentiate(MetaScheduleLayoutTransformOp, Gradient &d) {
  d.setMoved(0);
}
static void differentiate(SlidingWindowOp, Gradient &d) { d.setMoved(0); }
static void differentiate(DynTileOp, Gradient &d) { d.setMoved(0); }
static void differentiate(VisionYoloReorgOp, Gradient &d) { d.setMoved(0); }

//===----------------------------------------------------------------------===//
// Parts that others replace
//===----------------------------------------------------------------------===//

static void differentiate(TriluOp op, Gradient &d) {
  d.set(0, d.make<TriluOp>(d.get().get(), op.getK(), op.getUpper()));
}
static void differentiate(SequenceMaskOp op, Gradient &d) {
  d.set(0, d.make<SequenceMaskOp>(d.get().get(), op.getValidLength(),
                                  llvm::APFloat(0.0), op.getAxis()));
}
static void differentiate(MatrixSetDiagOp op, Gradient &d) {
  Term zeros = d.zerosLike(d.term(op.getDiagonal()));
  d.set(0, d.make<MatrixSetDiagOp>(d.get().get(), zeros.get(), op.getK1(),
                                   op.getK2(), op.getSuperDiagRightAlign(),
                                   op.getSubDiagRightAlign()));
  d.setMoved(1);
}
static void differentiate(NNFifoBufferOp, Gradient &d) {
  d.setMoved(0);
  d.setMoved(1);
}

} // namespace mlir::relay::gradients

void gradients::registerMovement(MLIRContext *context) {
  attach<ConcatenateOp, StackOp, SplitOp, StridedSliceOp, DynStridedSliceOp,
         SliceLikeOp, StridedSetOp>(context);
  attach<NNPadOp, NNMirrorPadOp, DynNNPadOp, NNDilateOp>(context);
  attach<ReverseOp, ReverseSequenceOp, LayoutTransformOp, NNDepthToSpaceOp,
         NNSpaceToDepthOp, NNSpaceToBatchNdOp, NNBatchToSpaceNdOp,
         AutoSchedulerLayoutTransformOp, MetaScheduleLayoutTransformOp,
         SlidingWindowOp, DynTileOp, VisionYoloReorgOp>(context);
  attach<TriluOp, SequenceMaskOp, MatrixSetDiagOp, NNFifoBufferOp>(context);
}
