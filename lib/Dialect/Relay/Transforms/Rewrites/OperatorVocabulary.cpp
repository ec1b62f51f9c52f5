//===- OperatorVocabulary.cpp - What rules ask of operators -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VocabularyBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Orders of dimensions
//===----------------------------------------------------------------------===//

/// The tokens of a layout: the axes, with the factors of their inner parts.
static FailureOr<SmallVector<std::string>> splitLayout(StringRef text) {
  FailureOr<Layout> layout = Layout::parse(text);
  if (failed(layout))
    return failure();
  SmallVector<std::string> tokens;
  for (LayoutAxis axis : layout->getAxes())
    tokens.push_back((axis.isInner() ? std::to_string(axis.factor) : "") +
                     std::string(1, axis.letter));
  return tokens;
}

/// The dimension of the data that each dimension of the result is, if an
/// operator only permutes them.
static FailureOr<Attribute> getPermutation(Operation *op) {
  SmallVector<int64_t> axes;
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    axes = transpose.getPermutation();
  } else if (auto transform = dyn_cast<LayoutTransformOp>(op)) {
    auto from = splitLayout(transform.getSrcLayout());
    auto to = splitLayout(transform.getDstLayout());
    if (failed(from) || failed(to) || from->size() != to->size())
      return failure();
    // Parts of one axis have a meaning by their order.
    if (llvm::any_of(transform.getSrcLayout(), llvm::isLower) &&
        transform.getSrcLayout() != transform.getDstLayout())
      return failure();
    for (const std::string &token : *to)
      axes.push_back(llvm::find(*from, token) - from->begin());
  } else {
    return failure();
  }
  return Attribute(DenseI64ArrayAttr::get(op->getContext(), axes));
}

static bool changesTiles(Operation *op) { return failed(getPermutation(op)); }

static FailureOr<Attribute> composeAxes(Attribute first, Attribute second) {
  auto inner = cast<DenseI64ArrayAttr>(first).asArrayRef();
  auto outer = cast<DenseI64ArrayAttr>(second).asArrayRef();
  if (inner.size() != outer.size())
    return failure();
  return Attribute(DenseI64ArrayAttr::get(first.getContext(),
                                          applyPermutation(inner, outer)));
}

static bool isIdentity(Attribute axes) {
  return isIdentityPermutation(cast<DenseI64ArrayAttr>(axes).asArrayRef());
}

/// Fails if parts of one axis would change their order, which has a meaning.
static FailureOr<Attribute> permuteTokens(Attribute layout,
                                          ArrayRef<int64_t> axes) {
  auto tokens = splitLayout(cast<StringAttr>(layout).getValue());
  if (failed(tokens) || tokens->size() != axes.size())
    return failure();
  std::string result, innerBefore, innerAfter;
  for (int64_t axis : axes)
    result += (*tokens)[axis];
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    for (const std::string &token : *tokens)
      if (token.back() == letter)
        innerBefore += token;
    for (int64_t axis : axes)
      if ((*tokens)[axis].back() == letter)
        innerAfter += (*tokens)[axis];
  }
  // Equal parts of one axis cannot be told apart.
  for (auto [index, token] : llvm::enumerate(*tokens))
    if (llvm::count(*tokens, token) != 1)
      return failure();
  if (innerBefore != innerAfter)
    return failure();
  return Attribute(StringAttr::get(layout.getContext(), result));
}

static FailureOr<Attribute> getPermutedLayout(Attribute layout,
                                              Attribute axes) {
  return permuteTokens(layout, cast<DenseI64ArrayAttr>(axes).asArrayRef());
}

static FailureOr<Attribute> getUnpermutedLayout(Attribute layout,
                                                Attribute axes) {
  return permuteTokens(layout, invertPermutationVector(
                                   cast<DenseI64ArrayAttr>(axes).asArrayRef()));
}

//===----------------------------------------------------------------------===//
// Ranges of integers
//===----------------------------------------------------------------------===//

/// The smallest and the largest number of an integer type.
static std::optional<std::pair<double, double>> getRange(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() == 1)
    return std::nullopt;
  unsigned bits = integer.getWidth();
  if (integer.isUnsigned())
    return std::make_pair(0.0, APInt::getMaxValue(bits).roundToDouble(false));
  return std::make_pair(APInt::getSignedMinValue(bits).signedRoundToDouble(),
                        APInt::getSignedMaxValue(bits).signedRoundToDouble());
}

static bool clipFits(Operation *op, Value between) {
  auto clip = dyn_cast<ClipOp>(op);
  auto from = clip ? getRange(getElementTypeOrSelf(clip)) : std::nullopt;
  auto range = getRange(getElementTypeOrSelf(between));
  if (!from || !range)
    return false;
  // Bounds beyond the type that is clipped do not bind.
  double low = std::max(clip.getAMin().convertToDouble(), from->first);
  double high = std::min(clip.getAMax().convertToDouble(), from->second);
  if (low < range->first)
    return false;
  // Doubles tell numbers near the end of 64 bits from those beyond no more.
  constexpr double exact = 9.0e15;
  return high <= exact ? high <= range->second : from->second <= range->second;
}

static bool clipsNothing(Operation *op) {
  auto clip = dyn_cast<ClipOp>(op);
  auto range = clip ? getRange(getElementTypeOrSelf(clip)) : std::nullopt;
  return range && clip.getAMin().convertToDouble() <= range->first &&
         clip.getAMax().convertToDouble() >= range->second;
}

static bool isNotQuantized(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !op->hasTrait<OnQuantized>();
}

static bool keepsOrder(Operation *op) {
  auto dequantize = dyn_cast<QNNDequantizeOp>(op);
  if (!dequantize)
    return false;
  Type type = getElementTypeOrSelf(dequantize.getData());
  auto constant = dequantize.getInputScale().getDefiningOp<ConstantOp>();
  auto scale = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                        : DenseElementsAttr();
  auto zero =
      dyn_cast<RankedTensorType>(dequantize.getInputZeroPoint().getType());
  // Different numbers have to stay different in float32.
  if (type.getIntOrFloatBitWidth() > 16 || !dequantize.getOutDtype().isF32() ||
      !scale || !scale.isSplat() || !zero || zero.getRank() != 0)
    return false;
  double value = scale.getSplatValue<APFloat>().convertToDouble();
  return value > 1e-20 && value < 1e20;
}

//===----------------------------------------------------------------------===//
// Axes and operands
//===----------------------------------------------------------------------===//

/// How many dimensions follow the axis of a bias.
static FailureOr<Attribute> getAxesAfter(Operation *op) {
  auto bias = dyn_cast<NNBiasAddOp>(op);
  if (!bias)
    return failure();
  int64_t rank = cast<RankedTensorType>(bias.getType()).getRank();
  int64_t axis = bias.getAxis() < 0 ? bias.getAxis() + rank : bias.getAxis();
  if (axis == rank - 1)
    return failure();
  return Attribute(IntegerAttr::get(IntegerType::get(op->getContext(), 64),
                                    rank - 1 - axis));
}

static bool isAlongLastAxis(Operation *op) {
  return isa<NNBiasAddOp>(op) && failed(getAxesAfter(op));
}

static Operation *withOperand(PatternRewriter &rewriter, Operation *op,
                              Value value, Attribute number) {
  Operation *copy = rewriter.clone(*op);
  copy->setOperand(cast<IntegerAttr>(number).getInt(), value);
  return copy;
}

void relay::detail::addOperatorConstraints(VocabularyBuilder &builder) {
  builder.addConstraint("Permutation", getPermutation);
  builder.addConstraint("ChangesTiles", changesTiles);
  builder.addConstraint("ComposedAxes", composeAxes);
  builder.addConstraint("IsIdentity", isIdentity);
  builder.addConstraint("PermutedLayout", getPermutedLayout);
  builder.addConstraint("UnpermutedLayout", getUnpermutedLayout);
  builder.addConstraint("ClipFits", clipFits);
  builder.addConstraint("ClipsNothing", clipsNothing);
  builder.addConstraint("IsNotQuantized", isNotQuantized);
  builder.addConstraint("KeepsOrder", keepsOrder);
  builder.addConstraint("AxesAfter", getAxesAfter);
  builder.addConstraint("IsAlongLastAxis", isAlongLastAxis);
}

void relay::detail::addOperatorRewrites(VocabularyBuilder &builder) {
  builder.addRewrite("WithOperand", withOperand);
}
