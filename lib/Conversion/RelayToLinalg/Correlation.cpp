//===- Correlation.cpp - Lower correlations to linalg ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window of one image and one of another image, which is displaced by
// (p, q), are multiplied or subtracted element by element, in one nest (n, p,
// q, y, x, c, kh, kw) over the padded images.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "PopulatePatterns.h"
#include "ReshapeBuilder.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

struct CorrelationToLinalg : OpConversionPattern<NNCorrelationOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(NNCorrelationOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    Value sums = buildSums(b, op, adaptor);
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    rewriter.replaceOp(
        op, b.castTo(buildMeans(b, op, sums, b.getSize(adaptor.getData1(), 1)),
                     type));
    return success();
  }

private:
  static Type getElementType(NNCorrelationOp op) {
    return cast<RankedTensorType>(op.getType()).getElementType();
  }

  static Value buildSums(LinalgBuilder &b, NNCorrelationOp op,
                         OpAdaptor adaptor) {
    int64_t kernel = op.getKernelSize(), reach = op.getMaxDisplacement();
    int64_t stride = op.getStride1(), step = op.getStride2();
    int64_t border = reach + (kernel - 1) / 2, radius = reach / step;
    OpFoldResult count = b.getIndexAttr(2 * radius + 1);
    Window window =
        Window::get({stride, stride}, /*dilation=*/{1, 1}, op.getPadding());
    Type elementType = getElementType(op),
         type = getAccumulatorType(elementType);

    Value images[] = {adaptor.getData1(), adaptor.getData2()};
    for (int64_t dim = 0; dim < 4; ++dim)
      b.assertEqual(b.getSize(images[0], dim), b.getSize(images[1], dim),
                    "expects operands of one shape");
    SmallVector<OpFoldResult> sizes = {b.getSize(images[0], 0), count, count};
    for (int64_t axis = 0; axis < 2; ++axis) {
      AffineExpr room = b.dim(0) + window.padBefore[axis] +
                        window.padAfter[axis] - 2 * border;
      OpFoldResult size = b.getSize(images[0], 2 + axis);
      b.assertAtLeast(b.apply(room, size), 1,
                      "expects padded data as large as all displacements");
      sizes.push_back(b.apply(room.ceilDiv(stride), size));
    }
    for (Value &image : images)
      image = padAxes(b, image, {2, 3},
                      getAsIndexOpFoldResult(b.getContext(), window.padBefore),
                      getAsIndexOpFoldResult(b.getContext(), window.padAfter),
                      getZeroAttr(elementType));

    // Loops n, p, q, y, x, c, kh, kw.
    SmallVector<AffineExpr> first = {b.dim(0), b.dim(5)}, second = first;
    for (int64_t axis = 0; axis < 2; ++axis) {
      AffineExpr position = b.dim(3 + axis) * stride + b.dim(6 + axis);
      first.push_back(position + reach);
      // All of what is displaced is inside of the padded image.
      second.push_back(position + b.dim(1 + axis) * step +
                       (reach - radius * step));
    }
    Value window2d =
        b.shapeOnly({b.getIndexAttr(kernel), b.getIndexAttr(kernel)});
    Value init = b.filled(sizes, getZeroAttr(type));
    Value sums =
        b.nest(b.getBlockName(),
               {{images[0], b.map(8, first)},
                {images[1], b.map(8, second)},
                {window2d, b.select(8, {6, 7})}},
               {init, b.select(8, {0, 1, 2, 3, 4})}, getIterators(5, 3),
               [&](ImplicitLocOpBuilder &body, ValueRange args) {
                 ElementMath math(body, type);
                 Value left = math.convertFrom(elementType, args[0]);
                 Value right = math.convertFrom(elementType, args[1]);
                 Value term = op.getIsMultiply()
                                  ? math.mul(left, right)
                                  : math.abs(math.sub(left, right));
                 return math.add(args[3], term);
               });
    return buildMerge(b, sums, {{0}, {1, 2}, {3}, {4}});
  }

  /// Quotients of the sums and the elements of a window.
  static Value buildMeans(LinalgBuilder &b, NNCorrelationOp op, Value sums,
                          OpFoldResult channels) {
    Type elementType = getElementType(op);
    Type type = getAccumulatorType(elementType);
    OpFoldResult count = b.multiply(
        channels, b.getIndexAttr(op.getKernelSize() * op.getKernelSize()));
    return b.elements(
        (b.getBlockName() + "_mean").str(), {{sums, b.identity(4)}},
        b.getSizes(sums), getSignless(elementType),
        [&](ImplicitLocOpBuilder &body, ValueRange args) {
          ElementMath math(body, type);
          Value number = arith::IndexCastOp::create(body, body.getI64Type(),
                                                    emitIndex(body, count));
          Value mean =
              math.div(args[0], math.convertFrom(body.getI64Type(), number));
          return ElementMath(body, elementType).narrow(mean);
        });
  }
};

} // namespace

void mlir::relay::detail::populateCorrelationPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<CorrelationToLinalg>(converter, patterns.getContext());
}
