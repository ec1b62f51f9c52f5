//===- Winograd.cpp - Lower Winograd's convolutions to linalg -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The result is cut into tiles of m x m elements, numbered in one dimension p.
// A tile depends on (m + 2) x (m + 2) elements of the padded data, which are
// transformed along one dimension after the other; so are the products. All
// transforms are products with small constant matrices:
//
//   rows(a, p, j, c)    = sum_i B(a, i) data(tile p, i, j, c)
//   data(a, b, p, c)    = sum_j B(b, j) rows(a, p, j, c)
//   product(a, b, p, o) = sum_c data(a, b, p, c) weight(a, b, o, c)
//   rows(i, b, p, o)    = sum_a A(i, a) product(a, b, p, o)
//   result(p, i, j, o)  = sum_b A(j, b) rows(i, b, p, o)
//
// Of bytes, transformed data and weights have 16 bits, and all else 32.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Winograd.h"
#include "ContractionBuilder.h"
#include "PopulatePatterns.h"
#include "WindowBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// One spatial dimension: its size, and how tiles cover the result.
struct TiledAxis {
  int64_t size, padBefore, result, tile, kernel;

  int64_t getNumTiles() const { return llvm::divideCeil(result, tile); }
  /// Elements that a tile reads.
  int64_t getReach() const { return tile + kernel - 1; }
  int64_t getPaddedSize() const { return getNumTiles() * tile + kernel - 1; }
  /// Padding behind the data, up to the end of the last tile.
  int64_t getPadAfter() const { return getPaddedSize() - padBefore - size; }
};

class WinogradNests {
public:
  /// The types of elements are those of the data, the weight and the result.
  WinogradNests(LinalgBuilder &b, Type dataType, Type weightType,
                Type resultType, OpFoldResult batch, int64_t channels,
                int64_t outputs, TiledAxis height, TiledAxis width)
      : b(b), numbers(isa<FloatType>(resultType) ? WinogradNumbers::Floats
                                                 : WinogradNumbers::Integers),
        dataType(dataType), weightType(weightType), resultType(resultType),
        batch(batch), channels(channels), outputs(outputs), height(height),
        width(width) {
    numTiles =
        b.multiply(batch, getSize(height.getNumTiles() * width.getNumTiles()));
  }

  /// `axes` are batch, channel, rows and columns of `padded`.
  Value transformData(Value padded, ArrayRef<int64_t> axes);
  Value multiply(Value data, Value weight);
  Value transformResult(Value product);
  /// Puts tiles side by side and drops what lies beyond the result.
  Value crop(Value tiles, ArrayRef<int64_t> axes);

private:
  OpFoldResult getSize(int64_t size) const { return b.getIndexAttr(size); }
  Value constant(const WinogradMatrix &matrix, Type type);
  Value transform(StringRef name, const WinogradMatrix &matrix,
                  ArrayRef<int64_t> matrixDims, Factor data, Type type,
                  ArrayRef<OpFoldResult> sizes);

  LinalgBuilder &b;
  WinogradNumbers numbers;
  Type dataType, weightType, resultType;
  OpFoldResult batch, numTiles;
  int64_t channels, outputs;
  TiledAxis height, width;
};

} // namespace

Value WinogradNests::constant(const WinogradMatrix &matrix, Type type) {
  SmallVector<Attribute> values;
  for (double value : matrix.values)
    values.push_back(getNumberAttr(type, value));
  auto matrixType = RankedTensorType::get({matrix.rows, matrix.columns}, type);
  return arith::ConstantOp::create(b,
                                   DenseElementsAttr::get(matrixType, values));
}

/// Sums products of `matrix`, indexed by `matrixDims`, and `data` over the last
/// loop, in `type`; the others are the dimensions of the result.
Value WinogradNests::transform(StringRef name, const WinogradMatrix &matrix,
                               ArrayRef<int64_t> matrixDims, Factor data,
                               Type type, ArrayRef<OpFoldResult> sizes) {
  int64_t rank = sizes.size(), loops = rank + 1;
  Value init = b.filled(sizes, getZeroAttr(type));
  return b.nest(name,
                {{constant(matrix, type), b.select(loops, matrixDims)},
                 {data.tensor, data.map}},
                {init, b.select(loops, llvm::to_vector(llvm::seq(rank)))},
                getIterators(rank, 1),
                [&](ImplicitLocOpBuilder &body, ValueRange args) {
                  ElementMath math(body, type);
                  Value element = math.convertFrom(data.elementType, args[1]);
                  return math.add(args[2], math.mul(args[0], element));
                });
}

Value WinogradNests::transformData(Value padded, ArrayRef<int64_t> axes) {
  int64_t rows = height.getNumTiles(), columns = width.getNumTiles();
  WinogradMatrix high = getWinogradDataTransform(height.getReach(), numbers);
  WinogradMatrix wide = getWinogradDataTransform(width.getReach(), numbers);
  // Loops a, p, j, c, i.
  AffineExpr p = b.dim(1);
  SmallVector<AffineExpr> element(4);
  element[axes[0]] = p.floorDiv(rows * columns);
  element[axes[1]] = b.dim(3);
  element[axes[2]] = (p.floorDiv(columns) % rows) * height.tile + b.dim(4);
  element[axes[3]] = (p % columns) * width.tile + b.dim(2);
  Value half = transform(
      "transform_data_rows", high, {0, 4},
      {padded, b.map(5, element), dataType}, weightType,
      {getSize(high.rows), numTiles, getSize(wide.rows), getSize(channels)});
  // Loops a, b, p, c, j.
  return transform(
      "transform_data", wide, {1, 4},
      {half, b.select(5, {0, 2, 4, 3}), weightType}, weightType,
      {getSize(high.rows), getSize(wide.rows), numTiles, getSize(channels)});
}

Value WinogradNests::multiply(Value data, Value weight) {
  // Loops a, b, p, o, c.
  SmallVector<OpFoldResult> sizes = {getSize(height.getReach()),
                                     getSize(width.getReach()), numTiles,
                                     getSize(outputs)};
  return buildContraction(b, {data, b.select(5, {0, 1, 2, 4}), weightType},
                          {weight, b.select(5, {0, 1, 3, 4}), weightType},
                          sizes, b.select(5, {0, 1, 2, 3}), getIterators(4, 1),
                          resultType);
}

Value WinogradNests::transformResult(Value product) {
  WinogradMatrix high =
      getWinogradResultTransform(height.tile, height.kernel, numbers);
  WinogradMatrix wide =
      getWinogradResultTransform(width.tile, width.kernel, numbers);
  // Loops i, b, p, o, a.
  Value half = transform(
      "transform_result_rows", high, {0, 4},
      {product, b.select(5, {4, 1, 2, 3}), resultType}, resultType,
      {getSize(high.rows), getSize(wide.columns), numTiles, getSize(outputs)});
  // Loops p, i, j, o, b.
  return transform(
      "transform_result", wide, {2, 4},
      {half, b.select(5, {1, 4, 0, 3}), resultType}, resultType,
      {numTiles, getSize(high.rows), getSize(wide.rows), getSize(outputs)});
}

Value WinogradNests::crop(Value tiles, ArrayRef<int64_t> axes) {
  AffineExpr n = b.dim(axes[0]), y = b.dim(axes[2]), x = b.dim(axes[3]);
  AffineExpr p = (n * height.getNumTiles() + y.floorDiv(height.tile)) *
                     width.getNumTiles() +
                 x.floorDiv(width.tile);
  SmallVector<OpFoldResult> sizes(4);
  sizes[axes[0]] = batch;
  sizes[axes[1]] = getSize(outputs);
  sizes[axes[2]] = getSize(height.result);
  sizes[axes[3]] = getSize(width.result);
  AffineMap map =
      b.map(4, {p, y % height.tile, x % width.tile, b.dim(axes[1])});
  return b.elements(
      "place_tiles", {{tiles, map}}, sizes, resultType,
      [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
        if (numbers == WinogradNumbers::Floats)
          return args[0];
        WinogradDivision division = getWinogradDivision(height.getReach());
        Value product = arith::MulIOp::create(
            body, args[0],
            arith::ConstantOp::create(
                body, body.getI32IntegerAttr(
                          static_cast<int32_t>(division.inverse))));
        return arith::ShRSIOp::create(
            body, product,
            arith::ConstantOp::create(
                body,
                body.getI32IntegerAttr(static_cast<int32_t>(division.shift))));
      });
}

namespace {

struct WinogradToLinalg
    : OpConversionPattern<NNContribConv2dWinogradWithoutWeightTransformOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NNContribConv2dWinogradWithoutWeightTransformOp op,
                  OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto dataType = cast<RankedTensorType>(op.getData().getType());
    auto weightType = cast<RankedTensorType>(op.getWeight().getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    Type data = dataType.getElementType(), weight = weightType.getElementType(),
         type = resultType.getElementType();
    bool areFloats =
        (type.isF32() || type.isF64()) && data == type && weight == type;
    if (!areFloats && isa<FloatType>(type))
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects data, weight and result of f32, or all of f64, "
                      "or bytes, weights of i16 and a result of i32, but got "
                   << dataType << ", " << weightType << " and " << resultType;
      });
    StringRef outLayout =
        op.getOutLayout().empty() ? op.getDataLayout() : op.getOutLayout();
    FailureOr<SmallVector<int64_t>> axes =
        getAxisPositions(op.getDataLayout(), "NCHW");
    FailureOr<SmallVector<int64_t>> resultAxes =
        getAxisPositions(outLayout, "NCHW");
    if (failed(axes) || failed(resultAxes))
      return rewriter.notifyMatchFailure(
          op, "expects layouts that only permute the axes, but got \"" +
                  op.getDataLayout() + "\" and \"" + outLayout + "\"");

    // All but the batch.
    auto isKnown = [](RankedTensorType tensor, int64_t batchAxis) {
      for (auto [axis, size] : llvm::enumerate(tensor.getShape()))
        if (ShapedType::isDynamic(size) && int64_t(axis) != batchAxis)
          return false;
      return true;
    };
    if (!isKnown(dataType, (*axes)[0]) ||
        !isKnown(resultType, (*resultAxes)[0]) || !weightType.hasStaticShape())
      return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
        diagnostic << "expects sizes that are known when it is compiled, but "
                      "for that of the batch, but got "
                   << dataType << " and " << weightType;
      });

    Window window =
        Window::get(op.getStrides(), op.getDilation(), op.getPadding());
    SmallVector<TiledAxis> tiled;
    for (int64_t axis : {0, 1})
      tiled.push_back({dataType.getDimSize((*axes)[2 + axis]),
                       window.padBefore[axis],
                       resultType.getDimSize((*resultAxes)[2 + axis]),
                       int64_t(op.getTileSize()), (*op.getKernelSize())[axis]});
    // Matrices are small tables in the kernel.
    if (tiled[0].getReach() > 8 || tiled[1].getReach() > 8)
      return rewriter.notifyMatchFailure(
          op, "expects tiles that depend on at most 8 x 8 elements, but got " +
                  Twine(tiled[0].getReach()) + " x " +
                  Twine(tiled[1].getReach()));

    LinalgBuilder b(rewriter, op);
    Value padded = padAxes(b, adaptor.getData(), {(*axes)[2], (*axes)[3]},
                           {b.getIndexAttr(tiled[0].padBefore),
                            b.getIndexAttr(tiled[1].padBefore)},
                           {b.getIndexAttr(tiled[0].getPadAfter()),
                            b.getIndexAttr(tiled[1].getPadAfter())},
                           getZeroAttr(data));
    WinogradNests nests(
        b, data, weight, type, b.getSize(adaptor.getData(), (*axes)[0]),
        dataType.getDimSize((*axes)[1]),
        resultType.getDimSize((*resultAxes)[1]), tiled[0], tiled[1]);
    Value transformed = nests.transformData(padded, *axes);
    Value product = nests.multiply(transformed, adaptor.getWeight());
    rewriter.replaceOp(op,
                       nests.crop(nests.transformResult(product), *resultAxes));
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateWinogradPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<WinogradToLinalg>(converter, patterns.getContext());
}
