//===- PartFinder.cpp - What VTA computes of a graph ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is a convolution or dense layer of bytes with constant weights, and
// what is computed of each of its results until there are bytes again. VTA has
// 32 bits for what is in between, so that bounds of it are kept.
//
//===----------------------------------------------------------------------===//

#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

static bool isIntegers(Value value, unsigned bits) {
  RankedTensorType type = getStaticType(value);
  return type && type.getElementType().isSignlessInteger(bits);
}

/// The one number that a constant has in all elements.
static std::optional<int64_t> getNumber(Value value) {
  std::optional<SmallVector<int64_t>> elements = getIntegers(value);
  return elements && elements->size() == 1 ? std::optional(elements->front())
                                           : std::nullopt;
}

namespace {

/// What numbers may be. Beyond 32 bits, they are not what they would be.
struct Bounds {
  int64_t least, most;

  static Bounds ofBits(unsigned bits) {
    return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  }
  bool fits(unsigned bits) const {
    Bounds all = ofBits(bits);
    return least >= all.least && most <= all.most;
  }
};

/// Finds parts.
class PartFinder {
public:
  explicit PartFinder(const DenseSet<Operation *> &taken) : taken(taken) {}

  std::optional<Part> find(Operation *root, int64_t block);

private:
  Value getData(Operation *root);
  /// The step that takes `value`, which is in `bounds`; changes these.
  std::optional<Step> getStep(Value value, Bounds &bounds, Part &part);
  std::optional<Step> getScaleChange(CastOp cast, Bounds &bounds, Part &part);
  bool takesOperand(Operation *op, Value other, Bounds &bounds,
                    const Part &part);
  // Of the result of an operator of a kind that VTA has, whose operand is in
  // `bounds`; none of others.
  std::optional<Bounds> getBoundsOfPair(Operation *op, unsigned operand,
                                        Bounds bounds, const Part &part);
  std::optional<Bounds> getBoundsOfRange(Operation *op, Bounds bounds);
  std::optional<Bounds> getBoundsOfShift(Operation *op, unsigned operand,
                                         Bounds bounds);

  const DenseSet<Operation *> &taken;
};

} // namespace

/// The bytes that a layer multiplies, which may have been cast to 32 bits; null
/// if VTA does not have the layer.
Value PartFinder::getData(Operation *root) {
  if (!isa<NNConv2dOp, NNConv2dTransposeOp, NNDenseOp>(root))
    return {};
  // Folding leaves casts of large weights.
  Value data = getUncast(root->getOperand(0)),
        weight = getUncast(root->getOperand(1));
  bool isTaken = isIntegers(data, 8) && !data.getDefiningOp<ConstantOp>() &&
                 (isIntegers(weight, 8) || isIntegers(weight, 32)) &&
                 weight.getDefiningOp<ConstantOp>() &&
                 isIntegers(root->getResult(0), 32);
  if (!isTaken ||
      llvm::is_contained(getStaticType(root->getResult(0)).getShape(), 0))
    return {};
  return data;
}

/// Whether a constant has one number, or one for each channel of `type`.
static bool isPerChannel(RankedTensorType constant, RankedTensorType type) {
  if (constant.getNumElements() == 1)
    return true;
  int64_t channelAxis = type.getRank() - 1 - (type.getRank() == 4 ? 2 : 0);
  int64_t first = type.getRank() - constant.getRank();
  if (first < 0)
    return false;
  for (auto [axis, size] : llvm::enumerate(constant.getShape()))
    if (size != 1 && static_cast<int64_t>(axis) + first != channelAxis)
      return false;
  return true;
}

bool PartFinder::takesOperand(Operation *op, Value other, Bounds &bounds,
                              const Part &part) {
  RankedTensorType type = getStaticType(op->getResult(0));
  if (std::optional<SmallVector<int64_t>> numbers = getIntegers(other)) {
    if (!isPerChannel(getStaticType(other), type))
      return false;
    bounds = {*llvm::min_element(*numbers), *llvm::max_element(*numbers)};
    return true;
  }
  // Phases of a result would need those of the operand.
  if (part.products.products.size() != 1)
    return false;
  // Bytes of the same shape, which may be on the device already.
  auto cast = other.getDefiningOp<CastOp>();
  bounds = Bounds::ofBits(8);
  return cast && isIntegers(cast.getData(), 8) &&
         !cast.getData().getDefiningOp<ConstantOp>() &&
         getStaticType(cast.getData()).getShape() == type.getShape();
}

/// (x * 2^p + 2^(s - 1)) >> s in 64 bits is a sum and a shift in 32 bits.
std::optional<Step> PartFinder::getScaleChange(CastOp cast, Bounds &bounds,
                                               Part &part) {
  SmallVector<Operation *> ops = {cast};
  auto next = [&](Value value) -> Operation * {
    if (!value.hasOneUse())
      return nullptr;
    return ops.emplace_back(*value.user_begin());
  };
  auto multiply = dyn_cast_or_null<MultiplyOp>(next(cast.getResult()));
  if (!multiply || multiply.getLhs() != cast.getResult())
    return std::nullopt;
  auto add = dyn_cast_or_null<AddOp>(next(multiply.getResult()));
  if (!add || add.getLhs() != multiply.getResult())
    return std::nullopt;
  auto shift = dyn_cast_or_null<RightShiftOp>(next(add.getResult()));
  if (!shift || shift.getLhs() != add.getResult())
    return std::nullopt;
  auto back = dyn_cast_or_null<CastOp>(next(shift.getResult()));
  std::optional<int64_t> factor = getNumber(multiply.getRhs());
  std::optional<int64_t> rounding = getNumber(add.getRhs());
  std::optional<int64_t> bits = getNumber(shift.getRhs());
  if (!back || !isIntegers(back.getResult(), 32) || !factor || !rounding ||
      !bits || *factor <= 0 || !llvm::isPowerOf2_64(*factor) || *bits < 0 ||
      *bits > 62)
    return std::nullopt;
  int64_t power = llvm::Log2_64(*factor);
  Step step;
  step.shift = *bits - power;
  // Halves of what is left over do not count.
  step.addend = *rounding >> power;
  if (step.shift < 0 || step.shift > 31 || step.addend < 0 ||
      (step.shift == 0 && step.addend != 0))
    return std::nullopt;
  Bounds sum = {bounds.least + step.addend, bounds.most + step.addend};
  // The product must not have left 64 bits either.
  if (!sum.fits(32) || power > 31)
    return std::nullopt;
  bounds = {sum.least >> step.shift, sum.most >> step.shift};
  step.result = back.getResult();
  llvm::append_range(part.ops, ops);
  return step;
}

/// Sums, minima and maxima of two tensors.
std::optional<Bounds> PartFinder::getBoundsOfPair(Operation *op,
                                                  unsigned operand,
                                                  Bounds bounds,
                                                  const Part &part) {
  Bounds other{};
  if (!isa<AddOp, MaximumOp, MinimumOp>(op) ||
      op->getOperand(0) == op->getOperand(1) ||
      !takesOperand(op, op->getOperand(1 - operand), other, part))
    return std::nullopt;
  if (isa<MaximumOp>(op))
    return Bounds{std::max(bounds.least, other.least),
                  std::max(bounds.most, other.most)};
  if (isa<MinimumOp>(op))
    return Bounds{std::min(bounds.least, other.least),
                  std::min(bounds.most, other.most)};
  // Sums of bytes wrap around; they are left to the processor.
  if (!isIntegers(op->getResult(0), 32))
    return std::nullopt;
  return Bounds{bounds.least + other.least, bounds.most + other.most};
}

/// What cuts numbers off at the ends of a range.
std::optional<Bounds> PartFinder::getBoundsOfRange(Operation *op,
                                                   Bounds bounds) {
  if (isa<NNReluOp>(op))
    return Bounds{std::max<int64_t>(bounds.least, 0),
                  std::max<int64_t>(bounds.most, 0)};
  auto clip = dyn_cast<ClipOp>(op);
  if (!clip)
    return std::nullopt;
  double least = clip.getAMin().convertToDouble();
  double most = clip.getAMax().convertToDouble();
  Bounds all =
      Bounds::ofBits(getStaticType(op->getResult(0)).getElementTypeBitWidth());
  if (least != std::floor(least) || most != std::floor(most) ||
      least < all.least || most > all.most || least > most)
    return std::nullopt;
  return Bounds{std::clamp<int64_t>(bounds.least, least, most),
                std::clamp<int64_t>(bounds.most, least, most)};
}

/// Shifts, and products of powers of two.
std::optional<Bounds>
PartFinder::getBoundsOfShift(Operation *op, unsigned operand, Bounds bounds) {
  if (!isa<RightShiftOp, LeftShiftOp, MultiplyOp>(op) ||
      !isIntegers(op->getResult(0), 32))
    return std::nullopt;
  std::optional<int64_t> number = getNumber(op->getOperand(1 - operand));
  if (!number)
    return std::nullopt;
  if (isa<MultiplyOp>(op)) {
    if (*number <= 0 || !llvm::isPowerOf2_64(*number))
      return std::nullopt;
    return Bounds{bounds.least * *number, bounds.most * *number};
  }
  if (operand != 0 || *number < 0 || *number > 31)
    return std::nullopt;
  if (isa<RightShiftOp>(op))
    return Bounds{bounds.least >> *number, bounds.most >> *number};
  return Bounds{bounds.least * (int64_t(1) << *number),
                bounds.most * (int64_t(1) << *number)};
}

std::optional<Step> PartFinder::getStep(Value value, Bounds &bounds,
                                        Part &part) {
  if (!value.hasOneUse())
    return std::nullopt;
  Operation *op = *value.user_begin();
  if (op->getNumResults() != 1 || op->getBlock() != part.root->getBlock() ||
      taken.contains(op))
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op);
      cast && isIntegers(op->getResult(0), 64))
    return isIntegers(value, 32) ? getScaleChange(cast, bounds, part)
                                 : std::nullopt;
  bool isWord = isIntegers(op->getResult(0), 32);
  if ((!isWord && !isIntegers(op->getResult(0), 8)) ||
      getStaticType(op->getResult(0)).getShape() !=
          getStaticType(value).getShape())
    return std::nullopt;
  unsigned bits = isWord ? 32 : 8;
  Step step;
  step.op = op;
  step.result = op->getResult(0);
  step.operand = op->getOperand(0) == value ? 0 : 1;
  std::optional<Bounds> next = getBoundsOfPair(op, step.operand, bounds, part);
  if (!next)
    next = getBoundsOfRange(op, bounds);
  if (!next)
    next = getBoundsOfShift(op, step.operand, bounds);
  if (!next && isa<CastOp>(op))
    next = bounds;
  if (!next)
    return std::nullopt;
  bounds = next->fits(bits) ? *next : Bounds::ofBits(bits);
  part.ops.push_back(op);
  return step;
}

std::optional<Part> PartFinder::find(Operation *root, int64_t block) {
  Value data = getData(root);
  if (!data)
    return std::nullopt;
  std::optional<BlockProducts> products = getBlockProducts(root, block);
  if (!products)
    return std::nullopt;
  Part part;
  part.root = root;
  part.data = data;
  part.products = std::move(*products);
  part.ops.push_back(root);
  RankedTensorType weight = getStaticType(root->getOperand(1));
  int64_t outputs = weight.getDimSize(isa<NNConv2dTransposeOp>(root) ? 1 : 0);
  int64_t terms = weight.getNumElements() / outputs;
  constexpr int64_t kLargestProduct = int64_t(1) << 14;
  Bounds bounds = {-terms * kLargestProduct, terms * kLargestProduct};
  if (!bounds.fits(32))
    bounds = Bounds::ofBits(32);
  Value value = root->getResult(0);
  size_t numSteps = 0, numOps = 0;
  Bounds before = bounds;
  while (std::optional<Step> step = getStep(value, bounds, part)) {
    // A bound that all results are beyond is a constant, and needs no device.
    if (bounds.least == bounds.most && before.least != before.most &&
        isa_and_present<MaximumOp, MinimumOp, ClipOp>(step->op))
      break;
    before = bounds;
    part.steps.push_back(*step);
    value = step->result;
    if (!isIntegers(value, 8))
      continue;
    part.result = value;
    numSteps = part.steps.size();
    numOps = part.ops.size();
  }
  if (!part.result)
    return std::nullopt;
  part.steps.resize(numSteps);
  part.ops.truncate(numOps);
  return part;
}

std::optional<Part> vta::findPart(Operation *root, int64_t block,
                                  const DenseSet<Operation *> &taken) {
  return PartFinder(taken).find(root, block);
}
