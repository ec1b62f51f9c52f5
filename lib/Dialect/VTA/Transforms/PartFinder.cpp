//===- PartFinder.cpp - What VTA computes of a graph ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is a convolution or dense layer of bytes with constant weights, and
// what is computed of each of its results until there are bytes again. VTA has
// 32 bits for what is in between, so that bounds of it are kept. Pools of bytes
// and functions of elements that are on the device already are parts too.
//
//===----------------------------------------------------------------------===//

#include "PartFinder.h"
#include "PartReasons.h"
#include "PoolWindow.h"
#include "RoundedScale.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

static bool isIntegers(Value value, unsigned bits) {
  RankedTensorType type = getStaticType(value);
  return type && type.getElementType().isSignlessInteger(bits);
}

static bool hasSameShape(Value value, Value other) {
  RankedTensorType type = getStaticType(value);
  RankedTensorType otherType = getStaticType(other);
  return type && otherType && type.getShape() == otherType.getShape();
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

  std::optional<Part> find(Operation *root, const relay_vta::Config &config,
                           std::string &reason);
  std::optional<Part> findElements(Operation *root, Value operand);
  std::optional<Part> findMaxPool(Operation *root,
                                  const relay_vta::Config &config);
  std::optional<Part> findAverage(Operation *root,
                                  const relay_vta::Config &config);

private:
  Value getData(Operation *root, std::string &reason);
  /// Adds the steps from `value` on, which is in `bounds`, up to the last one
  /// that is bytes. False if there is none; `value` is what no step takes.
  bool addSteps(Value &value, Bounds bounds, Part &part);
  /// The step that takes `value`, which is in `bounds`; changes these.
  std::optional<Step> getStep(Value value, Bounds &bounds, Part &part);
  std::optional<Step> getStepOf(Operation *op, Value value, Bounds &bounds,
                                Part &part);
  std::optional<Step> getScaleChange(CastOp cast, Bounds &bounds, Part &part);
  std::optional<Step> getRoundedScale(CastOp cast, Bounds &bounds, Part &part);
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

bool vta::isLayer(Operation *op) {
  // Quantized ones have more operands.
  return isa<ContractionOpInterface>(op) && op->getNumOperands() == 2;
}

/// The bytes that a layer multiplies, which may have been cast to 32 bits; null
/// if VTA does not have the layer.
Value PartFinder::getData(Operation *root, std::string &reason) {
  // Folding leaves casts of large weights.
  Value data = getUncast(root->getOperand(0)),
        weight = getUncast(root->getOperand(1));
  RankedTensorType type = getStaticType(root->getResult(0));
  if (!type)
    reason = "its sizes are open";
  else if (llvm::is_contained(type.getShape(), 0))
    reason = "it has no elements";
  else if (!isIntegers(data, 8))
    reason = "expects data of i8, but got " + llvm::to_string(data.getType());
  else if (data.getDefiningOp<ConstantOp>())
    reason = "its data is a constant";
  else if (!weight.getDefiningOp<ConstantOp>())
    reason = "its weights are no constant";
  else if (!isIntegers(weight, 8) && !isIntegers(weight, 32))
    reason =
        "expects weights of i8, but got " + llvm::to_string(weight.getType());
  else if (!isIntegers(root->getResult(0), 32))
    reason = "expects sums of i32, but got " + llvm::to_string(type);
  else
    return data;
  return {};
}

/// Whether a constant has one number, or one for each channel of `type`.
static bool isPerChannel(RankedTensorType constant, RankedTensorType type) {
  if (constant.getNumElements() == 1)
    return true;
  int64_t first = type.getRank() - constant.getRank();
  if (first < 0)
    return false;
  for (auto [axis, size] : llvm::enumerate(constant.getShape()))
    if (size != 1 && static_cast<int64_t>(axis) + first != 1)
      return false;
  return true;
}

/// Where `value` is a multiple of another one by a weight that is positive,
/// this is that other one then, and the weight is returned.
static int64_t takeFactor(Value &value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<LeftShiftOp, MultiplyOp>(op) || !isIntegers(value, 32))
    return 1;
  std::optional<int64_t> number = getNumber(op->getOperand(1));
  if (!number || op->getOperand(0).getType() != value.getType() ||
      *number < (isa<MultiplyOp>(op) ? 1 : 0) ||
      *number > (isa<MultiplyOp>(op) ? INT8_MAX : 6))
    return 1;
  value = op->getOperand(0);
  return isa<MultiplyOp>(op) ? *number : int64_t(1) << *number;
}

bool PartFinder::takesOperand(Operation *op, Value other, Bounds &bounds,
                              const Part &part) {
  RankedTensorType type = getStaticType(op->getResult(0));
  bool isPerBlock =
      llvm::any_of(part.products.products, [](const BlockProduct &product) {
        return product.isPerBlock;
      });
  if (std::optional<SmallVector<int64_t>> numbers = getIntegers(other)) {
    if (!isPerChannel(getStaticType(other), type))
      return false;
    if (isPerBlock && getStaticType(other).getNumElements() != 1)
      return false;
    bounds = {*llvm::min_element(*numbers), *llvm::max_element(*numbers)};
    return true;
  }
  // Phases of a result would need those of the operand, and blocks that are as
  // images another form of it.
  if (part.products.products.size() > 1 || isPerBlock)
    return false;
  // Bytes of the same shape, which may be on the device already, or a multiple
  // of them.
  Value bytes = other;
  int64_t factor = isa<AddOp>(op) ? takeFactor(bytes) : 1;
  if (auto cast = bytes.getDefiningOp<CastOp>();
      cast && type.getElementType().isInteger(32))
    bytes = cast.getData();
  bounds = {INT8_MIN * factor, INT8_MAX * factor};
  return isIntegers(bytes, 8) && !bytes.getDefiningOp<ConstantOp>() &&
         getStaticType(bytes).getShape() == type.getShape();
}

/// (x * 2^p + 2^(s - 1)) >> s in 64 bits is a sum and a shift in 32 bits.
std::optional<Step> PartFinder::getScaleChange(CastOp cast, Bounds &bounds,
                                               Part &part) {
  SmallVector<Operation *> ops = {cast};
  // A constant of one element may have more dimensions than the layer.
  auto next = [&](Value value) -> Operation * {
    if (!value.hasOneUse())
      return nullptr;
    Operation *op = *value.user_begin();
    return op->getNumResults() == 1 && hasSameShape(op->getResult(0), value)
               ? ops.emplace_back(op)
               : nullptr;
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
  int64_t left = *bits - power;
  // Halves of what is left over do not count.
  int64_t addend = *rounding >> power;
  if (left < 0 || left > 31 || addend < 0 || (left == 0 && addend != 0))
    return std::nullopt;
  step.scale.shift = left;
  step.scale.addend = addend;
  Bounds sum = {bounds.least + addend, bounds.most + addend};
  // The product must not have left 64 bits either.
  if (!sum.fits(32) || power > 31)
    return std::nullopt;
  bounds = {sum.least >> left, sum.most >> left};
  step.result = back.getResult();
  llvm::append_range(part.ops, ops);
  return step;
}

/// What has floats in the graph.
std::optional<Step> PartFinder::getRoundedScale(CastOp cast, Bounds &bounds,
                                                Part &part) {
  std::optional<RoundedScale> found =
      findRoundedScale(cast, bounds.least, bounds.most);
  if (!found)
    return std::nullopt;
  Step step;
  step.scale = found->scale;
  step.result = found->ops.back()->getResult(0);
  bounds = {*step.scale.least, *step.scale.most};
  llvm::append_range(part.ops, found->ops);
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

/// Shifts, and products with a number.
std::optional<Bounds>
PartFinder::getBoundsOfShift(Operation *op, unsigned operand, Bounds bounds) {
  if (!isa<RightShiftOp, LeftShiftOp, MultiplyOp>(op) ||
      !isIntegers(op->getResult(0), 32))
    return std::nullopt;
  std::optional<int64_t> number = getNumber(op->getOperand(1 - operand));
  if (!number)
    return std::nullopt;
  if (isa<MultiplyOp>(op)) {
    if (*number <= 0)
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
  return value.hasOneUse() ? getStepOf(*value.user_begin(), value, bounds, part)
                           : std::nullopt;
}

std::optional<Step> PartFinder::getStepOf(Operation *op, Value value,
                                          Bounds &bounds, Part &part) {
  if (op->getNumResults() != 1 || op->getBlock() != part.root->getBlock() ||
      taken.contains(op))
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op);
      cast && isIntegers(op->getResult(0), 64))
    return isIntegers(value, 32) ? getScaleChange(cast, bounds, part)
                                 : std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op); cast && isIntegers(value, 32))
    if (std::optional<Step> step = getRoundedScale(cast, bounds, part))
      return step;
  bool isWord = isIntegers(op->getResult(0), 32);
  if ((!isWord && !isIntegers(op->getResult(0), 8)) ||
      !hasSameShape(op->getResult(0), value))
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

std::optional<Part> PartFinder::find(Operation *root,
                                     const relay_vta::Config &config,
                                     std::string &reason) {
  auto block = static_cast<int64_t>(config.getBlock());
  Value data = getData(root, reason);
  if (!data)
    return std::nullopt;
  std::optional<BlockProducts> products = getBlockProducts(root, block);
  if (!products) {
    reason = "its layout, weights or groups have no form in blocks";
    return std::nullopt;
  }
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
  Value last = root->getResult(0);
  if (!addSteps(last, bounds, part)) {
    reason = whyNoBytes(last);
    return std::nullopt;
  }
  reason = whyNoRoom(part, config);
  if (!reason.empty())
    return std::nullopt;
  return part;
}

bool PartFinder::addSteps(Value &value, Bounds bounds, Part &part) {
  size_t numSteps = part.steps.size(), numOps = part.ops.size();
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
  part.steps.resize(numSteps);
  part.ops.truncate(numOps);
  return part.result != nullptr;
}

//===----------------------------------------------------------------------===//
// Parts without layers
//===----------------------------------------------------------------------===//

std::optional<Part> PartFinder::findElements(Operation *root, Value operand) {
  Part part;
  part.root = root;
  part.data = getUncast(operand);
  Bounds bounds = Bounds::ofBits(8);
  // A cast that others need too is of no part.
  if (part.data != operand) {
    Step cast;
    cast.op = operand.getDefiningOp();
    cast.result = operand;
    part.steps.push_back(cast);
  }
  std::optional<Step> step = getStepOf(root, operand, bounds, part);
  if (!step || bounds.least == bounds.most)
    return std::nullopt;
  part.steps.push_back(*step);
  if (isIntegers(step->result, 8))
    part.result = step->result;
  Value value = step->result;
  if (!addSteps(value, bounds, part))
    return std::nullopt;
  // Casts alone move bytes around.
  bool isUseful = llvm::any_of(part.steps, [](const Step &step) {
    return !isa_and_present<CastOp>(step.op);
  });
  if (!isUseful)
    return std::nullopt;
  return part;
}

bool vta::isMaxPool(Operation *op) {
  return isa<NNMaxPool2dOp, NNGlobalMaxPool2dOp>(op);
}

static bool hasStaticTypes(Operation *op) {
  RankedTensorType data = getStaticType(op->getOperand(0));
  RankedTensorType result = getStaticType(op->getResult(0));
  return data && result && data.getRank() == 4 &&
         !llvm::is_contained(result.getShape(), 0);
}

std::optional<Part> PartFinder::findMaxPool(Operation *root,
                                            const relay_vta::Config &config) {
  if (!isIntegers(root->getResult(0), 8) || !hasStaticTypes(root))
    return std::nullopt;
  std::optional<PoolWindow> window = getMaxWindow(root);
  if (!fitWindow(window, config))
    return std::nullopt;
  Part part;
  part.root = root;
  part.data = root->getOperand(0);
  part.ops.push_back(root);
  Value value = part.result = root->getResult(0);
  addSteps(value, Bounds::ofBits(8), part);
  return part;
}

/// The bytes of which an average takes multiples; null if there are none.
static Value getAveraged(Operation *root, AverageChain &chain, Part &part) {
  Value value = root->getOperand(0);
  if (isIntegers(value, 8))
    return value;
  SmallVector<Operation *> ops;
  if (auto multiply = value.getDefiningOp<MultiplyOp>()) {
    std::optional<int64_t> number = getNumber(multiply.getRhs());
    // The largest byte must stay what it is.
    if (!number || *number < 1 || *number > (1 << 23))
      return {};
    chain.factor = *number;
    ops.push_back(multiply);
    value = multiply.getLhs();
  }
  auto cast = value.getDefiningOp<CastOp>();
  if (!cast || !isIntegers(value, 32) || !isIntegers(cast.getData(), 8))
    return {};
  ops.push_back(cast);
  // Others may need them too.
  for (Operation *op : ops) {
    if (!op->hasOneUse())
      break;
    part.ops.push_back(op);
  }
  return cast.getData();
}

std::optional<Part> PartFinder::findAverage(Operation *root,
                                            const relay_vta::Config &config) {
  if (!hasStaticTypes(root))
    return std::nullopt;
  std::optional<PoolWindow> window = getAverageWindow(root);
  if (!fitWindow(window, config) ||
      window->count >=
          static_cast<int64_t>(config.getDepth(relay_vta::Memory::Wgt)))
    return std::nullopt;
  bool hasPads =
      llvm::any_of(window->padding, [](int64_t pad) { return pad != 0; });
  // All windows count as many elements.
  if (auto pool = dyn_cast<NNAvgPool2dOp>(root);
      pool && hasPads && (!pool.getCountIncludePad() || pool.getCeilMode()))
    return std::nullopt;
  Part part;
  AverageChain chain;
  part.data = getAveraged(root, chain, part);
  if (!part.data)
    return std::nullopt;
  std::reverse(part.ops.begin(), part.ops.end());
  chain.ops.push_back(root);
  chain.count = window->count;
  if (!followToBytes(chain) || llvm::any_of(chain.ops, [&](Operation *op) {
        return taken.contains(op);
      }))
    return std::nullopt;
  std::optional<ScaleChange> scale = fitAverage(chain);
  if (!scale)
    return std::nullopt;
  // The sum of a channel is a product with ones.
  auto block = static_cast<int64_t>(config.getBlock());
  BlockProduct product;
  product.isPerBlock = true;
  product.weightShape = {block, block, window->size[0], window->size[1]};
  product.strides = window->strides;
  product.dilation = window->dilation;
  product.padding = window->padding;
  product.weight.assign(block * block * window->count, 0);
  for (int64_t o = 0; o < block; ++o)
    for (int64_t tap = 0; tap < window->count; ++tap)
      product.weight[(o * block + o) * window->count + tap] = 1;
  part.root = root;
  part.products.products.push_back(std::move(product));
  llvm::append_range(part.ops, chain.ops);
  Step step;
  step.scale = *scale;
  Value value = step.result = part.result = chain.ops.back()->getResult(0);
  part.steps.push_back(step);
  addSteps(value, Bounds::ofBits(8), part);
  return part;
}

std::optional<Part> vta::findPart(Operation *root,
                                  const relay_vta::Config &config,
                                  const DenseSet<Operation *> &taken,
                                  std::string &reason) {
  return PartFinder(taken).find(root, config, reason);
}

std::optional<Part> vta::findElementPart(Operation *root,
                                         const relay_vta::Config &config,
                                         const DenseSet<Operation *> &taken,
                                         const DenseSet<Value> &onDevice) {
  if (root->getNumResults() != 1 || root->getNumOperands() == 0 ||
      taken.contains(root))
    return std::nullopt;
  PartFinder finder(taken);
  if (isa<NNAvgPool2dOp, NNGlobalAvgPool2dOp>(root)) {
    std::optional<Part> part = finder.findAverage(root, config);
    return part && onDevice.contains(part->data) ? part : std::nullopt;
  }
  for (Value operand : root->getOperands()) {
    bool isThere = onDevice.contains(operand) ||
                   (!isMaxPool(root) && onDevice.contains(getUncast(operand)));
    if (!isThere)
      continue;
    std::optional<Part> part = isMaxPool(root)
                                   ? finder.findMaxPool(root, config)
                                   : finder.findElements(root, operand);
    if (part)
      return part;
  }
  return std::nullopt;
}
