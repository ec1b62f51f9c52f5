//===- Winograd.cpp - Convolutions by Winograd's algorithm ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All transforms are products with small matrices (Support/Winograd.h). That of
// the data reads tiles that overlap, which is a convolution with strides: tiles
// beyond the end read zeros. In two dimensions the convolution has loops of its
// own.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Support/Winograd.h"
#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/Padding.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

/// The type to compute in: at least f32.
static Type getComputeType(ValueRange values) {
  MLIRContext *context = values.front().getContext();
  for (Value value : values)
    if (getElementTypeOrSelf(value).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}

/// A depth is transformed if it is neither small nor large.
static bool isTransformed(int64_t axis, ArrayRef<int64_t> kernel) {
  return axis != 0 || kernel.size() < 3 || (kernel[0] > 2 && kernel[0] < 8);
}

/// A constant of `shape` with the elements of `matrix`.
static Term getConstant(Decomposition &d, const WinogradMatrix &matrix,
                        ArrayRef<int64_t> shape, Type type) {
  SmallVector<Attribute> values;
  for (double value : matrix.values)
    values.push_back(d.getFloatAttr(type, value));
  return d.make<ConstantOp>(
      DenseElementsAttr::get(RankedTensorType::get(shape, type), values));
}

/// The matrix that transforms several dimensions at once.
static WinogradMatrix multiplyOut(ArrayRef<WinogradMatrix> factors) {
  WinogradMatrix product(1, 1);
  product(0, 0) = 1;
  for (const WinogradMatrix &factor : factors) {
    WinogradMatrix next(product.rows * factor.rows,
                        product.columns * factor.columns);
    for (int64_t row = 0; row < next.rows; ++row)
      for (int64_t column = 0; column < next.columns; ++column)
        next(row, column) =
            product(row / factor.rows, column / factor.columns) *
            factor(row % factor.rows, column % factor.columns);
    product = next;
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Transforms the spatial dimensions of an (O, I, spatial...) weight one after
/// the other. `order` names the dimensions of the result by those of the
/// weight.
static FailureOr<Value> transformWeight(Value value, int64_t tile,
                                        ArrayRef<int64_t> order,
                                        Type resultType, Decomposition &d) {
  // Products of integers are exact in f64, whatever the precision.
  bool hasFloats = isa<FloatType>(resultType);
  Type type = hasFloats ? getComputeType(value) : d.getF64Type();
  WinogradNumbers numbers =
      hasFloats ? WinogradNumbers::Floats : WinogradNumbers::Integers;
  Term weight = d.castTo(value, type);
  ArrayRef<int64_t> kernel = weight.getType().getShape().drop_front(2);
  if (ShapedType::isDynamicShape(kernel))
    return d.refuse() << "a weight of known kernel sizes, but got "
                      << value.getType();
  SmallVector<int64_t> dims =
      llvm::to_vector(llvm::seq<int64_t>(weight.getRank()));
  // Where each dimension of the result is among `dims`.
  auto arrange = [&](ArrayRef<int64_t> wanted) {
    SmallVector<int64_t> axes;
    for (int64_t dim : wanted)
      axes.push_back(llvm::find(dims, dim) - dims.begin());
    weight = d.transpose(weight, axes);
    dims.assign(wanted.begin(), wanted.end());
  };
  for (int64_t axis = kernel.size() - 1; axis >= 0; --axis) {
    if (!isTransformed(axis, kernel))
      continue;
    SmallVector<int64_t> wanted(dims);
    wanted.erase(llvm::find(wanted, axis + 2));
    wanted.push_back(axis + 2);
    arrange(wanted);
    WinogradMatrix matrix =
        getWinogradFilterTransform(tile, kernel[axis], numbers);
    Term factor = getConstant(d, matrix, {matrix.rows, matrix.columns}, type);
    weight = d.make<NNDenseOp>(weight.get(), factor.get(),
                               d.getI64IntegerAttr(matrix.rows), TypeAttr());
  }
  arrange(order);
  return d.castTo(weight, resultType).get();
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {

/// A convolution in `rank` dimensions; tensors are (N, C, spatial...).
template <typename OpTy, typename ConvOp>
class WinogradTerms {
public:
  WinogradTerms(OpTy op, Decomposition &d, StringRef canonical)
      : op(op), d(d), canonical(canonical), rank(canonical.size() - 2),
        type(getComputeType({op.getData(), op.getWeight(), op.getResult()})),
        kernel(*op.getKernelSize()),
        padding(*expandPadding(op.getPadding(), rank)) {
    for (int64_t axis = 0; axis < rank; ++axis)
      tiles.push_back(isTransformed(axis, kernel) ? op.getTileSize() : 1);
  }

  FailureOr<Value> write();

private:
  bool isTiled(int64_t axis) const { return isTransformed(axis, kernel); }
  /// Products in each tile, of all transformed dimensions.
  int64_t getNumProducts() const {
    int64_t result = 1;
    for (int64_t axis = 0; axis < rank; ++axis)
      result *= isTiled(axis) ? tiles[axis] + kernel[axis] - 1 : 1;
    return result;
  }
  /// A code of a reshape for each spatial dimension, after `codes`.
  SmallVector<int64_t> keepSpatial(ArrayRef<int64_t> codes) const {
    SmallVector<int64_t> result(codes);
    result.append(rank, 0);
    return result;
  }
  /// As `keepSpatial`, for a transpose of the dimensions before.
  SmallVector<int64_t> permute(ArrayRef<int64_t> axes) const {
    SmallVector<int64_t> result(axes);
    for (int64_t axis = 0; axis < rank; ++axis)
      result.push_back(axes.size() + axis);
    return result;
  }
  Term convolve(Term data, Term weight, ArrayRef<int64_t> strides,
                ArrayRef<int64_t> pads, int64_t groups = 1);

  /// (N * C, products, tiles...)
  Term transformData(Term data);
  /// (products * O, C, kernel...), whose sizes are 1 but for a depth that is
  /// not transformed.
  Term arrangeWeight();
  /// (N, O, spatial...), from products (N, products * O, tiles...).
  Term transformResult(Term products);
  /// Drops what tiles have beyond the end.
  Term crop(Term result, Term data);

  OpTy op;
  Decomposition &d;
  StringRef canonical;
  int64_t rank;
  Type type;
  ArrayRef<int64_t> kernel;
  Padding padding;
  SmallVector<int64_t> tiles;
  int64_t inputs = 0, outputs = 0;
};

} // namespace

template <typename OpTy, typename ConvOp>
Term WinogradTerms<OpTy, ConvOp>::convolve(Term data, Term weight,
                                           ArrayRef<int64_t> strides,
                                           ArrayRef<int64_t> pads,
                                           int64_t groups) {
  std::string weightLayout = ("OI" + canonical.drop_front(2)).str();
  ArrayRef<int64_t> shape = weight.getType().getShape();
  SmallVector<int64_t> ones(rank, 1);
  return d.make<ConvOp>(data.get(), weight.get(), strides, pads, ones, groups,
                        d.getI64IntegerAttr(shape[0]),
                        d.getDenseI64ArrayAttr(shape.drop_front(2)), canonical,
                        weightLayout, "", TypeAttr());
}

template <typename OpTy, typename ConvOp>
Term WinogradTerms<OpTy, ConvOp>::transformData(Term data) {
  data = d.make<ExpandDimsOp>(d.reshape(data, keepSpatial({-3})).get(),
                              int64_t(1), int64_t(1));
  // One dimension after the other, each for all products so far.
  int64_t groups = 1;
  for (int64_t axis = 0; axis < rank; ++axis) {
    SmallVector<int64_t> pads(2 * rank, 0), strides(rank, 1), shape(rank, 1);
    pads[axis] = padding.before[axis];
    // As many whole tiles as results need.
    pads[rank + axis] = padding.after[axis] + tiles[axis] - 1;
    WinogradMatrix matrix(1, 1);
    matrix(0, 0) = 1;
    if (isTiled(axis))
      matrix = getWinogradDataTransform(tiles[axis] + kernel[axis] - 1);
    strides[axis] = tiles[axis];
    shape[axis] = matrix.columns;
    shape.insert(shape.begin(), {groups * matrix.rows, 1});
    WinogradMatrix repeated(groups * matrix.rows, matrix.columns);
    for (int64_t row = 0; row < repeated.rows; ++row)
      for (int64_t column = 0; column < matrix.columns; ++column)
        repeated(row, column) = matrix(row % matrix.rows, column);
    data = convolve(data, getConstant(d, repeated, shape, type), strides, pads,
                    groups);
    groups = repeated.rows;
  }
  return data;
}

template <typename OpTy, typename ConvOp>
Term WinogradTerms<OpTy, ConvOp>::arrangeWeight() {
  Term weight = d.castTo(op.getWeight(), type);
  SmallVector<int64_t> shape = {getNumProducts() * outputs, inputs};
  shape.append(rank, 1);
  if (!isTiled(0)) {
    // (H, W, D, O, I)
    weight = d.transpose(weight, {0, 1, 3, 4, 2});
    shape[2] = kernel[0];
  }
  return d.reshape(weight, shape);
}

template <typename OpTy, typename ConvOp>
Term WinogradTerms<OpTy, ConvOp>::transformResult(Term products) {
  int64_t number = getNumProducts();
  Term result = d.reshape(products, keepSpatial({0, -4, number, outputs}));
  result =
      d.reshape(d.transpose(result, permute({0, 2, 1})), keepSpatial({-3, 0}));
  SmallVector<WinogradMatrix> factors;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (isTiled(axis))
      factors.push_back(getWinogradResultTransform(tiles[axis], kernel[axis]));
  WinogradMatrix matrix = multiplyOut(factors);
  SmallVector<int64_t> shape = {matrix.rows, number}, ones(rank, 1);
  shape.append(rank, 1);
  SmallVector<int64_t> zeros(2 * rank, 0);
  result = convolve(result, getConstant(d, matrix, shape, type), ones, zeros);

  // (N * O, m, m, ..., tiles...) -> (N * O, tiles, m, tiles, m, ...)
  int64_t rest = matrix.rows, numSplit = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!isTiled(axis))
      continue;
    ++numSplit;
    rest /= tiles[axis];
    if (numSplit == static_cast<int64_t>(factors.size()))
      break;
    SmallVector<int64_t> codes(numSplit, 0);
    codes.append({-4, tiles[axis], rest});
    result = d.reshape(result, keepSpatial(codes));
  }
  SmallVector<int64_t> axes = {0}, codes = {-4, -1, outputs};
  for (int64_t axis = 0, within = 0; axis < rank; ++axis) {
    axes.push_back(1 + numSplit + axis);
    codes.push_back(isTiled(axis) ? -3 : 0);
    if (isTiled(axis))
      axes.push_back(1 + within++);
  }
  return d.reshape(d.transpose(result, axes), codes);
}

template <typename OpTy, typename ConvOp>
Term WinogradTerms<OpTy, ConvOp>::crop(Term result, Term data) {
  constexpr int64_t kAll = std::numeric_limits<int32_t>::max();
  SmallVector<int64_t> change = {kAll, kAll}, begin(rank + 2, 0),
                       ones(rank + 2, 1);
  for (int64_t axis = 0; axis < rank; ++axis)
    change.push_back(padding.before[axis] + padding.after[axis] -
                     (kernel[axis] - 1));
  if (ShapedType::isStaticShape(data.getType().getShape().drop_front(2))) {
    for (int64_t dim = 2; dim < rank + 2; ++dim)
      result = d.slice(result, dim, 0, data.getSize(dim) + change[dim]);
    return result;
  }
  Term end = d.shapeOf(data) + d.integers(change);
  return d.make<DynStridedSliceOp>(
      result.get(), d.integers(begin).get(), end.get(), d.integers(ones).get(),
      DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(), "end",
      DenseI64ArrayAttr());
}

template <typename OpTy, typename ConvOp>
FailureOr<Value> WinogradTerms<OpTy, ConvOp>::write() {
  auto weightType = cast<RankedTensorType>(op.getWeight().getType());
  outputs = weightType.getShape().take_back(2)[0];
  inputs = weightType.getShape().take_back(2)[1];
  if (ShapedType::isDynamic(outputs) || ShapedType::isDynamic(inputs) ||
      inputs == 0)
    return d.refuse() << "a weight of known channels, but got " << weightType;
  Term data = d.changeLayout(d.castTo(op.getData(), type), op.getDataLayout(),
                             canonical);
  Term runs = d.reshape(transformData(data), keepSpatial({-4, -1, inputs, 0}));
  runs = d.reshape(d.transpose(runs, permute({0, 2, 1})), keepSpatial({0, -3}));
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  Term products =
      convolve(runs, arrangeWeight(), ones, zeros, getNumProducts());
  Term result = d.castTo(crop(transformResult(products), data),
                         getElementTypeOrSelf(op.getType()));
  return d
      .changeLayout(result, canonical,
                    op.getOutLayout().empty() ? op.getDataLayout()
                                              : op.getOutLayout())
      .get();
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

static FailureOr<Value> write(NNContribConv2dWinogradWeightTransformOp op,
                              Decomposition &d) {
  return transformWeight(op.getWeight(), op.getTileSize(), {2, 3, 0, 1},
                         getElementTypeOrSelf(op.getType()), d);
}

static FailureOr<Value> write(NNContribConv3dWinogradWeightTransformOp op,
                              Decomposition &d) {
  auto type = cast<RankedTensorType>(op.getWeight().getType());
  bool hasDepth = isTransformed(0, type.getShape().drop_front(2));
  return transformWeight(op.getWeight(), op.getTileSize(),
                         hasDepth ? ArrayRef<int64_t>{2, 3, 4, 0, 1}
                                  : ArrayRef<int64_t>{3, 4, 2, 0, 1},
                         getElementTypeOrSelf(op.getType()), d);
}

/// Tiles of six results.
static FailureOr<Value> write(NNContribConv2dWinogradNnpackWeightTransformOp op,
                              Decomposition &d) {
  return transformWeight(op.getWeight(), 6, {0, 1, 2, 3},
                         getElementTypeOrSelf(op.getType()), d);
}

static FailureOr<Value>
write(NNContribConv3dWinogradWithoutWeightTransformOp op, Decomposition &d) {
  return WinogradTerms<NNContribConv3dWinogradWithoutWeightTransformOp,
                       NNConv3dOp>(op, d, "NCDHW")
      .write();
}

} // namespace mlir::relay::decompositions

void decompositions::registerWinograd(MLIRContext *context) {
  attach<NNContribConv2dWinogradNnpackWeightTransformOp,
         NNContribConv2dWinogradWeightTransformOp,
         NNContribConv3dWinogradWeightTransformOp,
         NNContribConv3dWinogradWithoutWeightTransformOp>(context);
}
