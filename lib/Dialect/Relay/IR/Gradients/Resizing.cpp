//===- Resizing.cpp - Gradients of resizing -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resizing, and means over windows of given number, are linear along each
// spatial dimension: a product with a matrix, which is what becomes of the unit
// vectors. The gradient is the product with its transpose. Constant folding
// evaluates the matrices.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// Unit vectors as sequences of one channel each: (1, size, size).
static Term getUnits(Gradient &d, int64_t size, Type elementType) {
  auto type = RankedTensorType::get({1, size, size}, elementType);
  auto floating = cast<FloatType>(elementType);
  SmallVector<APFloat> values(size * size,
                              APFloat::getZero(floating.getFloatSemantics()));
  for (int64_t i = 0; i < size; ++i)
    values[i * size + i] = APFloat::getOne(floating.getFloatSemantics());
  return d.make<ConstantOp>(DenseElementsAttr::get(type, values));
}

/// Unit vectors longer than this are no constants that anybody wants.
static constexpr int64_t kMaxSize = 1 << 11;

/// The gradient of a map that `mapUnits` applies along each spatial dimension:
/// given the number of it among them, the unit vectors and the new size.
static LogicalResult differentiateAlongDims(
    Value data, StringRef layout, Gradient &d,
    llvm::function_ref<Term(unsigned, Term, int64_t)> mapUnits) {
  Term x = d.term(data), g = d.get();
  if (!llvm::all_of(layout, llvm::isAlpha))
    return d.refuse() << "a layout without parts, but got " << layout;
  unsigned number = 0;
  int64_t rank = x.getRank();
  for (char letter : StringRef("DHW")) {
    size_t dim = layout.find(letter);
    if (dim == StringRef::npos)
      continue;
    int64_t from = x.getSize(dim), to = g.getSize(dim);
    if (ShapedType::isDynamic(from) || ShapedType::isDynamic(to) || from == 0 ||
        from > kMaxSize)
      return d.refuse() << "known spatial sizes of 1 to " << kMaxSize
                        << ", but got " << x.getType();
    Term matrix = d.reshape(
        mapUnits(number++, getUnits(d, from, g.getType().getElementType()), to),
        {from, to});
    // The dimension comes last and goes back.
    SmallVector<int64_t> order = getOthers(dim, rank), back(rank);
    order.push_back(dim);
    for (auto [i, axis] : llvm::enumerate(order))
      back[axis] = i;
    g = d.transpose(g, order);
    g = d.make<NNDenseOp>(g.get(), matrix.get(), IntegerAttr(), TypeAttr());
    g = d.transpose(g, back);
  }
  d.set(0, g);
  return success();
}

/// Of image.resize1d, 2d and 3d, which have the same attributes.
template <typename OpTy>
static LogicalResult differentiateResize(OpTy op, Gradient &d) {
  std::optional<ArrayRef<double>> roi = op.getRoi();
  return differentiateAlongDims(
      op.getData(), op.getLayout(), d,
      [&](unsigned number, Term units, int64_t size) {
        DenseF64ArrayAttr part;
        if (roi && roi->size() >= 2 * op.getSize().size())
          part = d.getDenseF64ArrayAttr(
              {(*roi)[number], (*roi)[number + op.getSize().size()]});
        // What lies outside is a constant.
        return d.make<ImageResize1dOp>(
            units.get(), ArrayRef<int64_t>{size}, part, "NCW", op.getMethod(),
            op.getCoordinateTransformationMode(), op.getRoundingMethod(),
            op.getCubicAlpha(), op.getCubicExclude(), llvm::APFloat(0.0),
            TypeAttr());
      });
}

/// Of upsampling, which is resizing in other words.
static LogicalResult differentiateUpsampling(Value data, StringRef layout,
                                             StringRef method, StringRef mode,
                                             Gradient &d) {
  StringRef name = method == "bicubic"            ? "cubic"
                   : method == "nearest_neighbor" ? "nearest_neighbor"
                                                  : "linear";
  StringRef rounding = mode == "align_corners" ? "round" : "floor";
  return differentiateAlongDims(
      data, layout, d, [&](unsigned, Term units, int64_t size) {
        return d.make<ImageResize1dOp>(
            units.get(), ArrayRef<int64_t>{size}, DenseF64ArrayAttr(), "NCW",
            name, mode, rounding, llvm::APFloat(-0.5), int64_t(0),
            llvm::APFloat(0.0), TypeAttr());
      });
}

template <typename OpTy>
static LogicalResult differentiateMeans(OpTy op, Gradient &d) {
  return differentiateAlongDims(
      op.getData(), op.getLayout(), d, [&](unsigned, Term units, int64_t size) {
        return d.make<NNAdaptiveAvgPool1dOp>(
            units.get(), ArrayRef<int64_t>{size}, "NCW", "");
      });
}

// Found by GradientModel.
namespace mlir::relay::gradients {

static LogicalResult differentiate(ImageResize1dOp op, Gradient &d) {
  return differentiateResize(op, d);
}
static LogicalResult differentiate(ImageResize2dOp op, Gradient &d) {
  return differentiateResize(op, d);
}
static LogicalResult differentiate(ImageResize3dOp op, Gradient &d) {
  return differentiateResize(op, d);
}
static LogicalResult differentiate(NNUpsamplingOp op, Gradient &d) {
  return differentiateUpsampling(
      op.getData(), op.getLayout(), op.getMethod(),
      op.getAlignCorners() ? "align_corners" : "asymmetric", d);
}
static LogicalResult differentiate(NNUpsampling3dOp op, Gradient &d) {
  return differentiateUpsampling(op.getData(), op.getLayout(), op.getMethod(),
                                 op.getCoordinateTransformationMode(), d);
}
static LogicalResult differentiate(NNAdaptiveAvgPool1dOp op, Gradient &d) {
  return differentiateMeans(op, d);
}
static LogicalResult differentiate(NNAdaptiveAvgPool2dOp op, Gradient &d) {
  return differentiateMeans(op, d);
}
static LogicalResult differentiate(NNAdaptiveAvgPool3dOp op, Gradient &d) {
  return differentiateMeans(op, d);
}

} // namespace mlir::relay::gradients

void gradients::registerResizing(MLIRContext *context) {
  attach<ImageResize1dOp, ImageResize2dOp, ImageResize3dOp, NNUpsamplingOp,
         NNUpsampling3dOp, NNAdaptiveAvgPool1dOp, NNAdaptiveAvgPool2dOp,
         NNAdaptiveAvgPool3dOp>(context);
}
