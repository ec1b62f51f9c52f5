//===- BlockedConvolution.cpp - Convolutions on blocks of channels --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution whose channels, and maybe images, come in blocks, such as
// NCHW4n16c with kernels OIHW16o16i, is one nest: blocks of images and of
// output channels, positions, an image and a channel of the block, and then the
// reduction: blocks of input channels, the window, and a channel of the block.
// In groups, each has whole blocks of output channels.
//
//===----------------------------------------------------------------------===//

#include "ContractionBuilder.h"
#include "PopulatePatterns.h"
#include "WindowBuilder.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Reads a layout that has the axes `letters`: those in `blocked` in blocks,
/// others whole or, if they are in `free`, in blocks too.
static FailureOr<Layout> parseBlocked(StringRef text, StringRef letters,
                                      StringRef blocked, StringRef free) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout) || layout->getPrimals().size() != letters.size())
    return failure();
  bool isKnown = llvm::all_of(letters, [&](char letter) {
    size_t parts = layout->getParts(letter).size();
    if (blocked.contains(letter))
      return parts == 2;
    return parts == 1 || (parts == 2 && free.contains(letter));
  });
  if (!isKnown)
    return failure();
  return layout;
}

/// Puts the number of an element along an axis, of which `outer` and `inner`
/// are the parts, to where the layout has them.
static void setAxis(SmallVectorImpl<AffineExpr> &exprs, const Layout &layout,
                    char letter, AffineExpr outer, AffineExpr inner = {}) {
  SmallVector<int64_t, 2> parts = layout.getParts(letter);
  exprs[parts.front()] = outer;
  if (parts.size() == 2)
    exprs[parts.back()] = inner;
}

namespace {

/// Takes no groups of parts of blocks, and no layouts that only permute axes.
struct BlockedConv2dToLinalg : OpConversionPattern<NNConv2dOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NNConv2dOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Layout> data =
        parseBlocked(op.getDataLayout(), "NCHW", /*blocked=*/"C", /*free=*/"N");
    FailureOr<Layout> kernel = parseBlocked(op.getKernelLayout(), "OIHW",
                                            /*blocked=*/"OI", /*free=*/"");
    StringRef outLayout = op.getOutLayout();
    if (failed(data) || failed(kernel) ||
        (!outLayout.empty() && outLayout != op.getDataLayout()))
      return failure();
    // One block size for all channels, so that results are data of the same
    // layout.
    int64_t block = data->getFactor('C');
    if (kernel->getFactor('O') != block || kernel->getFactor('I') != block)
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects blocks of one size, but got data \""
                   << op.getDataLayout() << "\" and kernel \""
                   << op.getKernelLayout() << "\"";
      });

    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    auto groups = static_cast<int64_t>(op.getGroups());
    int64_t inputs = weightType.getDimSize(kernel->getParts('I')[0]);
    int64_t outputs = weightType.getDimSize(kernel->getParts('O')[0]);
    if (groups != 1 &&
        (ShapedType::isDynamic(inputs) || ShapedType::isDynamic(outputs) ||
         outputs % groups != 0))
      return rewriter.notifyMatchFailure(
          op, "expects whole blocks of output channels in a group");

    LinalgBuilder b(rewriter, op);
    bool hasImages = data->getParts('N').size() == 2;
    int64_t loops = 0;
    AffineExpr n = b.dim(loops++), o = b.dim(loops++), y = b.dim(loops++),
               x = b.dim(loops++);
    AffineExpr image = hasImages ? b.dim(loops++) : AffineExpr();
    AffineExpr outer = b.dim(loops++);
    int64_t parallel = loops;
    AffineExpr c = b.dim(loops++), kh = b.dim(loops++), kw = b.dim(loops++),
               inner = b.dim(loops++);

    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    SmallVector<int64_t> spatial = {data->getParts('H')[0],
                                    data->getParts('W')[0]};
    SmallVector<AffineExpr> dataExprs(dataType.getRank());
    SmallVector<AffineExpr> resultExprs(dataType.getRank());
    SmallVector<AffineExpr> weightExprs(weightType.getRank());
    AffineExpr positions[] = {y, x}, taps[] = {kh, kw};
    setAxis(dataExprs, *data, 'N', n, image);
    AffineExpr dataBlock = c;
    if (groups != 1)
      dataBlock = o.floorDiv(outputs / groups) * inputs + c;
    setAxis(dataExprs, *data, 'C', dataBlock, inner);
    setAxis(resultExprs, *data, 'N', n, image);
    setAxis(resultExprs, *data, 'C', o, outer);
    setAxis(weightExprs, *kernel, 'O', o, outer);
    setAxis(weightExprs, *kernel, 'I', c, inner);
    for (auto [axis, letter] : llvm::enumerate(StringRef("HW"))) {
      setAxis(dataExprs, *data, letter,
              positions[axis] * window.strides[axis] +
                  taps[axis] * window.dilation[axis]);
      setAxis(resultExprs, *data, letter, positions[axis]);
      setAxis(weightExprs, *kernel, letter, taps[axis]);
    }

    Value padded =
        padAxes(b, adaptor.getData(), spatial,
                getAsIndexOpFoldResult(b.getContext(), window.padBefore),
                getAsIndexOpFoldResult(b.getContext(), window.padAfter),
                b.getZeroAttr(dataType.getElementType()));
    SmallVector<OpFoldResult> sizes = b.getSizes(adaptor.getData());
    sizes[data->getParts('C')[0]] =
        b.getSize(adaptor.getWeight(), kernel->getParts('O')[0]);
    for (int64_t axis = 0; axis < 2; ++axis)
      sizes[spatial[axis]] = getWindowCount(
          b, window, axis, b.getSize(adaptor.getData(), spatial[axis]),
          b.getSize(adaptor.getWeight(),
                    kernel->getParts(axis == 0 ? 'H' : 'W')[0]));
    sizes = LinalgBuilder::refine(sizes, resultType);
    Value result = buildContraction(
        b, {padded, b.map(loops, dataExprs), dataType.getElementType()},
        {adaptor.getWeight(), b.map(loops, weightExprs),
         weightType.getElementType()},
        sizes, b.map(loops, resultExprs),
        getIterators(parallel, loops - parallel), resultType.getElementType());
    rewriter.replaceOp(
        op, b.castTo(result, getTypeConverter()->convertType(resultType)));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateBlockedConvolutionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<BlockedConv2dToLinalg>(converter, patterns.getContext());
}
