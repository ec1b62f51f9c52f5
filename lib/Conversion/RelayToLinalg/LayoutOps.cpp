//===- LayoutOps.cpp - Lower changes of layout to linalg ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Layout.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "ElementMath.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// A nest that copies `data` with its axes in the order of `permutation`.
static Value buildPermute(LinalgBuilder &b, Value data,
                          ArrayRef<int64_t> permutation) {
  Type elementType = cast<RankedTensorType>(data.getType()).getElementType();
  int64_t rank = permutation.size();
  SmallVector<OpFoldResult> sizes;
  SmallVector<AffineExpr> exprs(rank);
  for (auto [loop, axis] : llvm::enumerate(permutation)) {
    sizes.push_back(b.getSize(data, axis));
    exprs[axis] = b.dim(loop);
  }
  return b.elements(
      b.getBlockName(), {{data, b.map(rank, exprs)}}, sizes, elementType,
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}

namespace {

/// depth_to_space and space_to_depth: channels and pixels are split into their
/// parts, the parts permuted and merged. Channels are (block y, block x, depth)
/// in DCR order, (depth, block y, block x) in CDR order.
template <typename OpT>
struct BlockToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  static constexpr bool toSpace = std::is_same_v<OpT, NNDepthToSpaceOp>;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<SmallVector<int64_t>> axes =
        getAxisPositions(op.getLayout(), "NCHW");
    if (failed(axes))
      return rewriter.notifyMatchFailure(op, "expects layout NCHW or NHWC");
    auto type =
        this->getTypeConverter()->template convertType<RankedTensorType>(
            op.getType());
    int64_t channel = (*axes)[1];
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    OpFoldResult block = b.getIndexAttr(op.getBlockSize());
    OpFoldResult blocks = b.getIndexAttr(op.getBlockSize() * op.getBlockSize());
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    OpFoldResult depth =
        toSpace ? b.floorDiv(sizes[channel], blocks) : sizes[channel];

    // The parts in the order of the axes with many channels and in that with
    // many pixels: y and x in the block, depth, height, width, batch.
    StringRef channels = op.getMode() == "CDR" ? "dyx" : "yxd";
    auto getParts = [&](bool isDeep) {
      std::string parts;
      for (char letter : op.getLayout()) {
        if (letter == 'N')
          parts += "n";
        else if (letter == 'C')
          parts += isDeep ? channels.str() : "d";
        else
          parts += isDeep ? (letter == 'H' ? "h" : "w")
                          : (letter == 'H' ? "hy" : "wx");
      }
      return parts;
    };
    auto getPartSize = [&](char part) -> OpFoldResult {
      auto getPixels = [&](int64_t axis) {
        return toSpace ? sizes[axis] : b.floorDiv(sizes[axis], block);
      };
      switch (part) {
      case 'n':
        return sizes[(*axes)[0]];
      case 'd':
        return depth;
      case 'h':
        return getPixels((*axes)[2]);
      case 'w':
        return getPixels((*axes)[3]);
      default:
        return block;
      }
    };
    std::string from = getParts(toSpace), to = getParts(!toSpace);
    SmallVector<OpFoldResult> partSizes;
    for (char part : from)
      partSizes.push_back(getPartSize(part));
    SmallVector<int64_t> permutation;
    for (char part : to)
      permutation.push_back(from.find(part));
    Value parts =
        buildSplit(b, data, getGroups(op.getLayout(), toSpace), partSizes);
    Value permuted = buildPermute(b, parts, permutation);
    Value result = buildMerge(b, permuted, getGroups(op.getLayout(), !toSpace));
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// Which parts belong to which axis of `layout`: channels consist of three
  /// when they are deep, height and width of two when they are not.
  static SmallVector<SmallVector<int64_t, 2>> getGroups(StringRef layout,
                                                        bool isDeep) {
    SmallVector<SmallVector<int64_t, 2>> groups;
    int64_t next = 0;
    for (char letter : layout) {
      int64_t count = letter == 'N'   ? 1
                      : letter == 'C' ? (isDeep ? 3 : 1)
                                      : (isDeep ? 1 : 2);
      groups.push_back(llvm::to_vector<2>(llvm::seq(next, next + count)));
      next += count;
    }
    return groups;
  }
};

/// One copy that reads where an element of the new layout was in the old one.
struct LayoutTransformToLinalg : OpConversionPattern<LayoutTransformOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(LayoutTransformOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Layout> from = Layout::parse(op.getSrcLayout());
    FailureOr<Layout> to = Layout::parse(op.getDstLayout());
    if (failed(from) || failed(to))
      return rewriter.notifyMatchFailure(op, "expects valid layouts");
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    SmallVector<OpFoldResult> sizes(rank);

    SmallVector<AffineExpr> exprs(from->getRank());
    for (LayoutAxis axis : from->getAxes()) {
      char primal = axis.getPrimal();
      int64_t oldFactor = from->getFactor(primal);
      int64_t newFactor = to->getFactor(primal);
      int64_t outer = to->find(primal), inner = to->find(llvm::toLower(primal));
      if (outer < 0)
        return rewriter.notifyMatchFailure(op, "expects the same axes");
      if (!axis.isInner()) {
        OpFoldResult size = b.multiply(b.getSize(data, from->find(primal)),
                                       b.getIndexAttr(oldFactor));
        if (!isMultiple(size, newFactor))
          return rewriter.notifyMatchFailure(
              op, "expects sizes that the factors of the layout divide");
        sizes[outer] = b.floorDiv(size, b.getIndexAttr(newFactor));
        if (inner >= 0)
          sizes[inner] = b.getIndexAttr(newFactor);
      }
      exprs[from->find(axis.letter)] =
          getIndex(b, axis, oldFactor, newFactor, outer, inner);
    }
    Value result = b.elements(
        b.getBlockName(), {{data, b.map(rank, exprs)}},
        LinalgBuilder::refine(sizes, type), type.getElementType(),
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// A dynamic size is taken to be a multiple, as the operator requires.
  static bool isMultiple(OpFoldResult size, int64_t factor) {
    std::optional<int64_t> known = getConstantIntValue(size);
    return !known || *known % factor == 0;
  }

  /// The index on the old axis `axis` of an element at the new axes `outer` and
  /// `inner`.
  static AffineExpr getIndex(LinalgBuilder &b, LayoutAxis axis,
                             int64_t oldFactor, int64_t newFactor,
                             int64_t outer, int64_t inner) {
    if (oldFactor == newFactor)
      return b.dim(axis.isInner() ? inner : outer);
    AffineExpr whole = b.dim(outer) * newFactor;
    if (inner >= 0)
      whole = whole + b.dim(inner);
    if (axis.isInner())
      return whole % oldFactor;
    return whole.floorDiv(oldFactor);
  }
};

} // namespace

void mlir::relay::detail::populateLayoutPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<BlockToLinalg<NNDepthToSpaceOp>, BlockToLinalg<NNSpaceToDepthOp>,
               LayoutTransformToLinalg>(converter, patterns.getContext());
}
