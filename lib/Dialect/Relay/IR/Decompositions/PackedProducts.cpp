//===- PackedProducts.cpp - Products of data that is packed ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whose layouts are made for the loops of other compilers: unpacked, they are
// products that the layouts of this one fit. Weights are unpacked when a model
// is compiled, and transforms of data between two such products cancel out.
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

template <typename OpTy>
static StringRef getOutLayout(OpTy op) {
  return op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
}

template <typename OpTy>
static Term writeConvolution(OpTy op, Decomposition &d) {
  Term data = d.changeLayout(op.getData(), op.getDataLayout(), "NCHW");
  Term weight = d.changeLayout(op.getWeight(), op.getKernelLayout(), "OIHW");
  Term result = d.make<NNConv2dOp>(
      data.get(), weight.get(), op.getStrides(), op.getPadding(),
      op.getDilation(), op.getGroups(), op.getChannelsAttr(),
      op.getKernelSizeAttr(), "NCHW", "OIHW", "", op.getOutDtypeAttr());
  return d.changeLayout(result, "NCHW", getOutLayout(op));
}

/// The image with a border of zeros, and of each of its pixels the nine around
/// it as channels. Data is NHWC.
static Term getNeighbours(Term data, TermBuilder &d) {
  Term padded =
      d.make<NNPadOp>(data.get(), d.number(0, data).get(),
                      ArrayRef<int64_t>{0, 0, 1, 1, 1, 1, 0, 0}, "constant");
  SmallVector<Value> taps;
  for (int64_t y : {0, 1, 2})
    for (int64_t x : {0, 1, 2}) {
      // The last ones count from the end.
      int64_t most = std::numeric_limits<int64_t>::max();
      auto getEnd = [&](int64_t begin) {
        return begin == 2 ? most : begin - 2;
      };
      taps.push_back(
          d.make<StridedSliceOp>(padded.get(), ArrayRef<int64_t>{y, x},
                                 ArrayRef<int64_t>{getEnd(y), getEnd(x)},
                                 d.getDenseI64ArrayAttr({1, 1}), "end",
                                 d.getDenseI64ArrayAttr({1, 2}))
              .get());
    }
  return d.make<ConcatenateOp>(taps, int64_t(3));
}

/// (pixels, O) as (N, H, W, O), where `data` is (N, H, W, I).
static Term splitPixels(Term rows, Term data, TermBuilder &d) {
  int64_t outputs = rows.getSize(1);
  SmallVector<int64_t> sizes(data.getType().getShape().drop_back());
  // 0 stands for a size of the operand.
  bool isUsual = llvm::all_of(sizes, [](int64_t size) { return size > 0; });
  if (isUsual && outputs > 0) {
    sizes.push_back(outputs);
    return d.reshape(rows, sizes);
  }
  // Rows of no pixels do not tell how many outputs there are, their shape does.
  SmallVector<Value> parts = {d.slice(d.shapeOf(data), 0, 0, 3),
                              d.slice(d.shapeOf(rows), 0, 1, 2)};
  return d.make<DynReshapeOp>(rows.get(),
                              d.make<ConcatenateOp>(parts, int64_t(0)).get(),
                              DenseI64ArrayAttr(), /*allowzero=*/true);
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

static Term write(NNContribConv2dNCHWcOp op, Decomposition &d) {
  return writeConvolution(op, d);
}
static Term write(NNContribDepthwiseConv2dNCHWcOp op, Decomposition &d) {
  return writeConvolution(op, d);
}

/// The weight is (N / t, K, t), or (N / t, K / u, t, u).
static Term write(NNContribDensePackOp op, Decomposition &d) {
  Term weight = d.term(op.getWeight());
  weight = weight.getRank() == 3
               ? d.reshape(d.transpose(weight, {0, 2, 1}), {-3, 0})
               : d.reshape(d.transpose(weight, {0, 2, 1, 3}), {-3, -3});
  return d.make<NNDenseOp>(op.getData(), weight.get(), op.getUnitsAttr(),
                           op.getOutDtypeAttr());
}

/// The tiles are those of an (H * W * I, O) matrix, with zeros behind it.
static FailureOr<Value> write(NNContribConv2dGemmWithoutWeightTransformOp op,
                              Decomposition &d) {
  Term tiles = d.term(op.getWeight());
  int64_t kh = (*op.getKernelSize())[0], kw = (*op.getKernelSize())[1];
  int64_t in = d.term(op.getData()).getSize(3), out = *op.getChannels();
  if (ShapedType::isDynamic(in) || in == 0)
    return d.refuse() << "a known number of input channels, but got "
                      << op.getData().getType();
  // Those of 8-bit integers are (N, K).
  bool isTransposed = tiles.getElementType().isInteger(8);
  Term matrix = d.reshape(
      d.transpose(tiles, isTransposed ? ArrayRef<int64_t>{1, 3, 0, 2}
                                      : ArrayRef<int64_t>{1, 2, 0, 3}),
      {-3, -3});
  int64_t sizes[] = {kh * kw * in, out};
  for (int64_t dim : {0, 1}) {
    int64_t size = matrix.getSize(dim);
    if (ShapedType::isStatic(size) && size < sizes[dim])
      return d.refuse() << "tiles of a matrix of at least " << sizes[0] << "x"
                        << sizes[1] << ", but got " << tiles.getType();
    matrix = d.slice(matrix, dim, 0, sizes[dim]);
  }
  Term weight = d.reshape(matrix, {kh, kw, in, out});
  return d
      .make<NNConv2dOp>(op.getData(), weight.get(), op.getStrides(),
                        op.getPadding(), op.getDilation(), int64_t(1),
                        op.getChannelsAttr(), op.getKernelSizeAttr(), "NHWC",
                        "HWIO", op.getOutLayout(), op.getOutDtypeAttr())
      .get();
}

/// The product of the pixels, or of what is around them, as rows.
static Term write(NNSparseConv2dOp op, Decomposition &d) {
  Term data = d.changeLayout(op.getDenseData(), op.getLayout(), "NHWC");
  Term rows = op.getKernelSize()[0] == 3 ? getNeighbours(data, d) : data;
  rows = d.reshape(d.reshape(rows, {-3, 0, 0}), {-3, 0});
  Term blocks = d.term(op.getSparseData());
  if (blocks.getRank() == 2)
    blocks = d.make<ExpandDimsOp>(blocks.get(), int64_t(2), int64_t(1));
  Term product =
      d.make<NNSparseDenseOp>(rows.get(), blocks.get(), op.getSparseIndices(),
                              op.getSparseIndptr(), /*sparse_lhs=*/false);
  Term result = splitPixels(product, data, d);
  return d.changeLayout(result, "NHWC", op.getLayout());
}

} // namespace mlir::relay::decompositions

void decompositions::registerPackedProducts(MLIRContext *context) {
  attach<NNContribConv2dGemmWithoutWeightTransformOp, NNContribConv2dNCHWcOp,
         NNContribDensePackOp, NNContribDepthwiseConv2dNCHWcOp,
         NNSparseConv2dOp>(context);
}
