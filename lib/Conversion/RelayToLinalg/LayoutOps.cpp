//===- LayoutOps.cpp - Lower changes of layout to linalg ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"

#include "ElementMath.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayVisionOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// The parts of an image's axes: batch (n), height and width in blocks (h, w),
/// depth (d), and the position in a block (y, x). Deep images have y and x
/// among the channels, flat ones in height and width.
class BlockParts {
public:
  BlockParts(StringRef layout, StringRef mode)
      : layout(layout), channels(mode == "CDR" ? "dyx" : "yxd") {}

  /// The letters of all parts, in the order of the dimensions.
  std::string getLetters(bool isDeep) const {
    std::string letters;
    for (char axis : layout)
      letters += getLetters(axis, isDeep);
    return letters;
  }

  /// Which parts each axis consists of.
  SmallVector<SmallVector<int64_t, 2>> getGroups(bool isDeep) const {
    SmallVector<SmallVector<int64_t, 2>> groups;
    int64_t next = 0;
    for (char axis : layout) {
      int64_t end = next + getLetters(axis, isDeep).size();
      groups.push_back(llvm::to_vector<2>(llvm::seq(next, end)));
      next = end;
    }
    return groups;
  }

  /// The size of a part of an image that has `sizes`.
  OpFoldResult getSize(LinalgBuilder &b, char part, bool isDeep,
                       ArrayRef<OpFoldResult> sizes, int64_t block) const {
    if (part == 'y' || part == 'x')
      return b.getIndexAttr(block);
    char axis = part == 'd' ? 'C' : llvm::toUpper(part);
    OpFoldResult size = sizes[layout.find(axis)];
    if (part == 'd')
      return isDeep ? b.floorDiv(size, b.getIndexAttr(block * block)) : size;
    if (part == 'n' || isDeep)
      return size;
    return b.floorDiv(size, b.getIndexAttr(block));
  }

private:
  StringRef getLetters(char axis, bool isDeep) const {
    switch (axis) {
    case 'C':
      return isDeep ? channels : "d";
    case 'H':
      return isDeep ? "h" : "hy";
    case 'W':
      return isDeep ? "w" : "wx";
    default:
      return "n";
    }
  }

  StringRef layout, channels;
};

/// depth_to_space and space_to_depth: channels and pixels are split into their
/// parts, the parts permuted and merged.
template <typename OpT>
struct BlockToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  static constexpr bool toSpace = std::is_same_v<OpT, NNDepthToSpaceOp>;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(getAxisPositions(op.getLayout(), "NCHW")))
      return rewriter.notifyMatchFailure(
          op, "expects layout NCHW or NHWC, but got " + op.getLayout());
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    BlockParts parts(op.getLayout(), op.getMode());
    std::string from = parts.getLetters(toSpace);
    std::string to = parts.getLetters(!toSpace);
    SmallVector<OpFoldResult> sizes = b.getSizes(data), partSizes;
    for (char part : from)
      partSizes.push_back(
          parts.getSize(b, part, toSpace, sizes, op.getBlockSize()));
    SmallVector<int64_t> permutation;
    for (char part : to)
      permutation.push_back(from.find(part));

    Value split = buildSplit(b, data, parts.getGroups(toSpace), partSizes);
    Value permuted = buildPermute(b, split, b.getBlockName(), permutation);
    Value result = buildMerge(b, permuted, parts.getGroups(!toSpace));
    rewriter.replaceOp(op,
                       b.castTo(result, this->getTypeConverter()->convertType(
                                            op.getResult().getType())));
    return success();
  }
};

/// Read as (n, c, y, i, x, j), the data becomes (n, i, j, c, y, x).
struct YoloReorgToLinalg : OpConversionPattern<VisionYoloReorgOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(VisionYoloReorgOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    SmallVector<OpFoldResult> sizes = b.getSizes(data);
    int64_t stride = op.getStride();
    auto divide = [&](int64_t axis, int64_t by) {
      OpFoldResult part = b.floorDiv(sizes[axis], b.getIndexAttr(by));
      b.assertEqual(b.multiply(part, b.getIndexAttr(by)), sizes[axis],
                    "expects sizes that are multiples of the stride");
      return part;
    };
    OpFoldResult channels = divide(1, stride * stride);
    OpFoldResult height = divide(2, stride), width = divide(3, stride);
    OpFoldResult step = b.getIndexAttr(stride);
    // Rows and columns are whole ones of a picture with fewer channels.
    Value blocks =
        buildSplit(b, buildFlatten(b, data), {{0, 1, 2, 3, 4, 5}},
                   {sizes[0], channels, sizes[2], step, sizes[3], step});
    Value permuted =
        buildPermute(b, blocks, b.getBlockName(), {0, 3, 5, 1, 2, 4});
    Value result = buildSplit(
        b, buildFlatten(b, permuted), {{0, 1, 2, 3}},
        {sizes[0], b.multiply(sizes[1], b.getIndexAttr(stride * stride)),
         height, width});
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
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
    if (failed(from) || failed(to) || !from->hasSameAxes(*to))
      return rewriter.notifyMatchFailure(
          op, "expects layouts of equal axes, but got \"" + op.getSrcLayout() +
                  "\" and \"" + op.getDstLayout() + "\"");
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    int64_t rank = type.getRank();
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    SmallVector<OpFoldResult> sizes(rank);

    SmallVector<AffineExpr> exprs(from->getRank());
    for (char primal : from->getPrimals()) {
      SmallVector<int64_t, 2> oldParts = from->getParts(primal);
      SmallVector<int64_t, 2> newParts = to->getParts(primal);
      OpFoldResult size = b.multiply(b.getSize(data, oldParts.front()),
                                     b.getIndexAttr(from->getFactor(primal)));
      for (int64_t part : ArrayRef(oldParts).drop_front())
        b.assertEqual(b.getSize(data, part),
                      b.getIndexAttr(from->getAxes()[part].factor),
                      "expects the sizes of the layout's parts");
      int64_t factor = to->getFactor(primal);
      if (std::optional<int64_t> known = getConstantIntValue(size);
          known && *known % factor != 0)
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
          diagnostic << "expects sizes that the factors of the layout divide, "
                        "but got "
                     << data.getType() << " for \"" << op.getDstLayout()
                     << "\"";
        });
      OpFoldResult outer = b.floorDiv(size, b.getIndexAttr(factor));
      if (from->getFactor(primal) % factor != 0)
        b.assertEqual(b.multiply(outer, b.getIndexAttr(factor)), size,
                      "expects sizes that the factors of the layout divide");
      sizes[newParts.front()] = outer;
      for (int64_t part : ArrayRef(newParts).drop_front())
        sizes[part] = b.getIndexAttr(to->getAxes()[part].factor);
      mapAxis(b, *from, oldParts, *to, newParts, exprs);
    }
    Value result = b.elements(
        b.getBlockName(), {{data, b.map(rank, exprs)}},
        LinalgBuilder::refine(sizes, type), type.getElementType(),
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
    rewriter.replaceOp(op, b.castTo(result, type));
    return success();
  }

private:
  /// Sets the indices on the old parts of an axis of an element at the new
  /// ones.
  static void mapAxis(LinalgBuilder &b, const Layout &from,
                      ArrayRef<int64_t> oldParts, const Layout &to,
                      ArrayRef<int64_t> newParts,
                      MutableArrayRef<AffineExpr> exprs) {
    auto getFactor = [](const Layout &layout) {
      return [&](int64_t part) { return layout.getAxes()[part].factor; };
    };
    // The outermost parts have no factor.
    if (llvm::equal(llvm::map_range(oldParts, getFactor(from)),
                    llvm::map_range(newParts, getFactor(to)))) {
      for (auto [oldPart, newPart] : llvm::zip_equal(oldParts, newParts))
        exprs[oldPart] = b.dim(newPart);
      return;
    }
    AffineExpr whole = b.dim(newParts.front());
    for (int64_t part : newParts.drop_front())
      whole = whole * to.getAxes()[part].factor + b.dim(part);
    for (int64_t part : llvm::reverse(oldParts.drop_front())) {
      int64_t factor = from.getAxes()[part].factor;
      exprs[part] = whole % factor;
      whole = whole.floorDiv(factor);
    }
    exprs[oldParts.front()] = whole;
  }
};

} // namespace

void mlir::relay::detail::populateLayoutPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<BlockToLinalg<NNDepthToSpaceOp>, BlockToLinalg<NNSpaceToDepthOp>,
               LayoutTransformToLinalg, YoloReorgToLinalg>(
      converter, patterns.getContext());
}
