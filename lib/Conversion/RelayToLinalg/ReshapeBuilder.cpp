//===- ReshapeBuilder.cpp - Row-major reshapes ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReshapeBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// A product of sizes: a number times dynamic sizes, each known by the source
/// dimension it equals, or unknown (-1), over a number. Where it is the size of
/// a part of a dimension, the division has no rest.
struct Product {
  int64_t factor = 1, divisor = 1;
  SmallVector<int64_t> dynamic;

  static Product getSize(int64_t size) { return {size, 1, {}}; }
  static Product getSourceDim(int64_t dim) { return {1, 1, {dim}}; }

  void multiply(const Product &other) {
    factor = saturatingMultiply(factor, other.factor);
    divisor = saturatingMultiply(divisor, other.divisor);
    llvm::append_range(dynamic, other.dynamic);
    llvm::sort(dynamic);
  }
  bool isConstant() const { return divisor == 1 && dynamic.empty(); }
  bool isKnownEqual(const Product &other) const {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    int64_t left = saturatingMultiply(factor, other.divisor);
    int64_t right = saturatingMultiply(other.factor, divisor);
    return left == right && left != most && dynamic == other.dynamic &&
           !llvm::is_contained(dynamic, -1);
  }
};

/// What `expr` of `operands` is as a product of dynamic dimensions of `data`.
std::optional<Product> getProduct(AffineExpr expr, ArrayRef<Value> operands,
                                  Value data);

std::optional<Product> getProduct(Value value, Value data) {
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (dim.getSource() == data && dim.getConstantIndex())
      return Product::getSourceDim(*dim.getConstantIndex());
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return getProduct(apply.getAffineMap().getResult(0),
                      llvm::to_vector(apply.getSymbolOperands()), data);
  return std::nullopt;
}

std::optional<Product> getProduct(AffineExpr expr, ArrayRef<Value> operands,
                                  Value data) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Product::getSize(constant.getValue());
  // Maps of sizes have symbols only.
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbol.getPosition() < operands.size()
               ? getProduct(operands[symbol.getPosition()], data)
               : std::nullopt;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary || (expr.getKind() != AffineExprKind::Mul &&
                  expr.getKind() != AffineExprKind::FloorDiv))
    return std::nullopt;
  std::optional<Product> left = getProduct(binary.getLHS(), operands, data);
  std::optional<Product> right = getProduct(binary.getRHS(), operands, data);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::FloorDiv) {
    if (!right->isConstant() || right->factor < 1)
      return std::nullopt;
    left->divisor = saturatingMultiply(left->divisor, right->factor);
    return left;
  }
  left->multiply(*right);
  return left;
}

/// Neighbouring dimensions of the source and of the result that hold the same
/// elements.
struct Group {
  int64_t sourceEnd, resultEnd;
};

class Grouping {
public:
  Grouping(Value data, ArrayRef<OpFoldResult> sizes)
      : source(cast<RankedTensorType>(data.getType()).getShape()),
        result(sizes) {
    for (OpFoldResult size : sizes)
      products.push_back(describe(data, size));
    linkLastUnknown();
  }

  /// Whether all of them are sure to have one size on both sides is told.
  SmallVector<Group> getGroups(bool &isKnown) const;

private:
  Product getSourceSize(int64_t dim) const {
    return ShapedType::isDynamic(source[dim]) ? Product::getSourceDim(dim)
                                              : Product::getSize(source[dim]);
  }

  /// A size of the result by those of the source.
  Product describe(Value data, OpFoldResult size) const {
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return Product::getSize(*known);
    auto value = dyn_cast<Value>(size);
    return (value ? getProduct(value, data) : std::nullopt)
        .value_or(Product::getSourceDim(-1));
  }

  /// The one dynamic size left on either side is the same if the static sizes
  /// have the same product.
  void linkLastUnknown();

  std::optional<Group> findNext(Group begin) const;

  ArrayRef<int64_t> source;
  ArrayRef<OpFoldResult> result;
  /// The sizes of the result.
  SmallVector<Product> products;
};

void Grouping::linkLastUnknown() {
  Product sourceProduct, resultProduct;
  for (int64_t dim = 0, rank = source.size(); dim < rank; ++dim)
    sourceProduct.multiply(getSourceSize(dim));
  SmallVector<int64_t> unknown;
  for (auto [position, product] : llvm::enumerate(products))
    if (llvm::is_contained(product.dynamic, -1))
      unknown.push_back(position);
    else
      resultProduct.multiply(product);
  if (unknown.size() != 1)
    return;
  for (int64_t dim : sourceProduct.dynamic) {
    Product whole = resultProduct;
    whole.multiply(Product::getSourceDim(dim));
    if (whole.isKnownEqual(sourceProduct))
      products[unknown[0]] = Product::getSourceDim(dim);
  }
}

std::optional<Group> Grouping::findNext(Group begin) const {
  Product sourceProduct;
  for (int64_t i = begin.sourceEnd, e = source.size(); i < e; ++i) {
    sourceProduct.multiply(getSourceSize(i));
    Product resultProduct;
    for (int64_t j = begin.resultEnd, f = result.size(); j < f; ++j) {
      resultProduct.multiply(products[j]);
      if (sourceProduct.isKnownEqual(resultProduct))
        return Group{i + 1, j + 1};
    }
  }
  return std::nullopt;
}

SmallVector<Group> Grouping::getGroups(bool &isKnown) const {
  isKnown = true;
  SmallVector<Group> groups;
  Group last{0, 0};
  Group end{static_cast<int64_t>(source.size()),
            static_cast<int64_t>(result.size())};
  // Without elements only the whole is the same on both sides: next to a size
  // 0, the other sizes need not agree.
  if (llvm::is_contained(source, 0))
    return {end};
  while (last.sourceEnd < end.sourceEnd && last.resultEnd < end.resultEnd) {
    std::optional<Group> next = findNext(last);
    isKnown &= next.has_value();
    last = next.value_or(end);
    groups.push_back(last);
  }
  isKnown &= last.sourceEnd == end.sourceEnd && last.resultEnd == end.resultEnd;
  // What remains on one side has size one.
  if (!groups.empty())
    groups.back() = end;
  return groups;
}

} // namespace

/// The type of a tensor of `data`'s elements with `sizes`.
static RankedTensorType getTypeOf(Value data, ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return cast<RankedTensorType>(data.getType()).clone(shape);
}

/// Makes each dimension of `data` static exactly if the dimensions it is split
/// into are.
static Value matchStaticness(LinalgBuilder &b, Value data,
                             ArrayRef<ReassociationIndices> split,
                             ArrayRef<int64_t> resultShape) {
  auto type = cast<RankedTensorType>(data.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [extent, group] : llvm::zip_equal(shape, split)) {
    int64_t product = 1;
    for (int64_t dim : group)
      product = ShapedType::isDynamic(resultShape[dim]) ||
                        ShapedType::isDynamic(product)
                    ? ShapedType::kDynamic
                    : product * resultShape[dim];
    extent = product;
  }
  return b.castTo(data, RankedTensorType::get(shape, type.getElementType()));
}

static constexpr StringLiteral kCountMessage =
    "expects newshape to have as many elements as the data";

static OpFoldResult multiplyAll(LinalgBuilder &b,
                                ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = b.getIndexAttr(1);
  for (OpFoldResult size : sizes)
    product = b.multiply(product, size);
  return product;
}

Value mlir::relay::detail::buildReshape(LinalgBuilder &b, Value data,
                                        ArrayRef<OpFoldResult> sizes,
                                        bool isChecked) {
  auto type = cast<RankedTensorType>(data.getType());
  // Without elements nothing tells which sizes belong together, and upstream's
  // patterns, which guess from types, may find others.
  if (llvm::is_contained(type.getShape(), 0) &&
      !getTypeOf(data, sizes).hasStaticShape()) {
    if (isChecked)
      b.assertEqual(multiplyAll(b, sizes), b.getIndexAttr(0), kCountMessage);
    return b.filled(sizes, b.getZeroAttr(type.getElementType()));
  }
  bool isKnown;
  SmallVector<Group> groups = Grouping(data, sizes).getGroups(isKnown);
  SmallVector<ReassociationIndices> merge, split;
  Group begin{0, 0};
  for (Group group : groups) {
    merge.push_back(
        llvm::to_vector<2>(llvm::seq(begin.sourceEnd, group.sourceEnd)));
    split.push_back(
        llvm::to_vector<2>(llvm::seq(begin.resultEnd, group.resultEnd)));
    begin = group;
  }
  int64_t groupCount = groups.size();
  // Where sizes are split, that they fit is checked; what is merged would have
  // the size that it has.
  if (isChecked && !isKnown &&
      groupCount == static_cast<int64_t>(sizes.size())) {
    SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
    int64_t first = merge.empty() ? 0 : merge.back().front();
    b.assertEqual(multiplyAll(b, ArrayRef(dataSizes).drop_front(first)),
                  sizes.empty() ? b.getIndexAttr(1) : sizes.back(),
                  kCountMessage);
  }
  if (groupCount != type.getRank())
    data = tensor::CollapseShapeOp::create(b, data, merge);
  if (groupCount == static_cast<int64_t>(sizes.size()))
    return b.castTo(data, getTypeOf(data, sizes));
  return buildSplit(b, data, split, sizes);
}

Value mlir::relay::detail::buildSplit(LinalgBuilder &b, Value data,
                                      ArrayRef<ReassociationIndices> parts,
                                      ArrayRef<OpFoldResult> sizes) {
  RankedTensorType type = getTypeOf(data, sizes);
  data = matchStaticness(b, data, parts, type.getShape());
  return tensor::ExpandShapeOp::create(b, type, data, parts, sizes);
}

Value mlir::relay::detail::buildMerge(LinalgBuilder &b, Value data,
                                      ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::create(b, data, groups);
}

Value mlir::relay::detail::buildExpandDims(LinalgBuilder &b, Value data,
                                           ArrayRef<int64_t> axes) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
  int64_t rank = dataSizes.size() + axes.size();
  auto next = dataSizes.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(llvm::is_contained(axes, dim) ? b.getIndexAttr(1)
                                                  : *next++);
  return buildReshape(b, data, sizes);
}

Value mlir::relay::detail::buildFlatten(LinalgBuilder &b, Value data) {
  return buildReshape(b, data, multiplyAll(b, b.getSizes(data)));
}

Value mlir::relay::detail::buildPermute(LinalgBuilder &b, Value data,
                                        StringRef name,
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
      name, {{data, b.map(rank, exprs)}}, sizes, elementType,
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}
