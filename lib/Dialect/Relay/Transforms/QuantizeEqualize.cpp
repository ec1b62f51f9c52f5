//===- QuantizeEqualize.cpp - Channels as large as each other -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZEEQUALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Beyond that from the middle one, a factor serves channels that do not count.
static constexpr double kMaxFactor = 256;

namespace {

/// A product whose weight may be scaled, and the factors that it is to be
/// scaled by along its channels.
struct Product {
  Operation *op = nullptr;
  ChannelAxes axes;
  /// The first of its numbers in `ranges`.
  size_t firstRange = 0;
  SmallVector<double> in, out;

  Value getWeight() const { return op->getOperand(1); }
  int64_t getWeightSize(int64_t axis) const {
    return cast<RankedTensorType>(getWeight().getType()).getDimSize(axis);
  }
  bool isDepthwise() const { return axes.weightIn == axes.weightOut; }
  /// The largest magnitude of each of the channels along an axis of the weight,
  /// scaled; none if it is not a constant of finite numbers.
  std::optional<SmallVector<double>> getMagnitudes(int64_t axis) const;
};

/// What takes the factors in, which make a value's channels as large as each
/// other.
struct Source {
  /// A product, or else an operator whose operands do.
  Product *product = nullptr;
  SmallVector<OpOperand *> operands;
};

class Equalizer {
public:
  Equalizer(func::FuncOp function, double strength, ArrayRef<double> ranges,
            bool isPerChannel);

  /// How many numbers `ranges` must have.
  size_t getNumRanges() const { return numRanges; }
  void run();

  unsigned numEqualized = 0;

private:
  bool equalize(Value value);
  bool findReaders(Value value, SmallVectorImpl<Product *> &readers);
  bool findSource(Value value, int64_t axis, Source &source);
  std::optional<SmallVector<double>> getFactors(ArrayRef<Product *> readers,
                                                const Source &source);
  void scaleWeight(const Product &product);

  llvm::MapVector<Operation *, Product> products;
  double strength;
  ArrayRef<double> ranges;
  bool isPerChannel;
  size_t numRanges = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::optional<SmallVector<double>> Product::getMagnitudes(int64_t axis) const {
  std::optional<SmallVector<float>> weight = getFloats(getWeight());
  auto type = cast<RankedTensorType>(getWeight().getType());
  if (!weight || !type.hasStaticShape() || weight->empty())
    return std::nullopt;
  SmallVector<int64_t> strides = computeSuffixProduct(type.getShape());
  int64_t size = type.getDimSize(axis), stride = strides[axis];
  int64_t outSize = type.getDimSize(axes.weightOut);
  int64_t outStride = strides[axes.weightOut];
  int64_t inSize = axes.weightIn ? type.getDimSize(*axes.weightIn) : 1;
  int64_t inStride = axes.weightIn ? strides[*axes.weightIn] : 1;
  SmallVector<double> largest(size, 0);
  // Of a splat there is one element.
  bool isSplat = weight->size() == 1;
  for (int64_t i = 0; i != type.getNumElements(); ++i) {
    float element = (*weight)[isSplat ? 0 : i];
    if (!std::isfinite(element))
      return std::nullopt;
    double value = std::abs(element);
    if (!out.empty())
      value *= out[i / outStride % outSize];
    if (!in.empty())
      value *= in[i / inStride % inSize];
    double &most = largest[i / stride % size];
    most = std::max(most, value);
  }
  return largest;
}

Equalizer::Equalizer(func::FuncOp function, double strength,
                     ArrayRef<double> ranges, bool isPerChannel)
    : strength(strength), ranges(ranges), isPerChannel(isPerChannel) {
  for (auto [op, axes] : getQuantizedProducts(function)) {
    products.insert({op, Product{op, axes, numRanges, {}, {}}});
    numRanges += cast<RankedTensorType>(op->getOperand(0).getType())
                     .getDimSize(axes.data);
  }
}

/// Whether nothing but products reads a value, as data, whose weights can be
/// divided by factors of its channels.
bool Equalizer::findReaders(Value value, SmallVectorImpl<Product *> &readers) {
  for (OpOperand &use : value.getUses()) {
    auto *it = products.find(use.getOwner());
    if (it == products.end() || use.getOperandNumber() != 0)
      return false;
    Product &product = it->second;
    if (!product.axes.weightIn ||
        !product.getWeight().getDefiningOp<ConstantOp>() ||
        (!readers.empty() && product.axes.data != readers.front()->axes.data))
      return false;
    readers.push_back(&product);
  }
  return !readers.empty();
}

//===----------------------------------------------------------------------===//
// What computes a value
//===----------------------------------------------------------------------===//

/// The channels of a pooling operator.
template <typename OpTy>
static bool isPoolOf(Operation *op, int64_t axis) {
  auto pool = dyn_cast<OpTy>(op);
  return pool && static_cast<int64_t>(pool.getLayout().find('C')) == axis &&
         pool.getLayout().size() == 4 &&
         (pool.getOutLayout().empty() ||
          pool.getOutLayout() == pool.getLayout());
}

/// Whether an operator computes each channel alone, and of one that is so many
/// times as large a result that is as many times as large.
static bool isHomogeneousAlong(Operation *op, int64_t axis) {
  if (op->hasTrait<PositivelyHomogeneous>() ||
      isPoolOf<NNMaxPool2dOp>(op, axis) || isPoolOf<NNAvgPool2dOp>(op, axis) ||
      isPoolOf<NNGlobalAvgPool2dOp>(op, axis))
    return true;
  if (!isa<NNBatchFlattenOp>(op) || axis != 1)
    return false;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() > 2 &&
         llvm::all_of(type.getShape().drop_front(2),
                      [](int64_t size) { return size == 1; });
}

static int64_t normalize(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// Whether what computes a value, which nobody else needs, can compute it with
/// its channels scaled; what does so is added to `source`.
bool Equalizer::findSource(Value value, int64_t axis, Source &source) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  auto isConstant = [&](unsigned i) {
    return op->getOperand(i).getDefiningOp<ConstantOp>() != nullptr;
  };
  auto follow = [&](unsigned i) {
    Value operand = op->getOperand(i);
    return operand.hasOneUse() && findSource(operand, axis, source);
  };
  if (auto *it = products.find(op); it != products.end()) {
    Product &product = it->second;
    source.product = &product;
    return product.axes.result == axis && isConstant(1);
  }
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (auto norm = dyn_cast<NNLayerNormOp>(op)) {
    source.operands.push_back(&op->getOpOperand(1));
    source.operands.push_back(&op->getOpOperand(2));
    return normalize(norm.getAxis(), rank) == axis && norm.getScale() &&
           isConstant(1) && isConstant(2);
  }
  if (isHomogeneousAlong(op, axis))
    return follow(0);
  if (auto bias = dyn_cast<NNBiasAddOp>(op)) {
    source.operands.push_back(&op->getOpOperand(1));
    return normalize(bias.getAxis(), rank) == axis && isConstant(1) &&
           follow(0);
  }
  auto quantizable = dyn_cast<QuantizeOpInterface>(op);
  bool isSum =
      quantizable && quantizable.getQuantizeRole() == QuantizeRole::Sum;
  bool isProduct =
      quantizable && quantizable.getQuantizeRole() == QuantizeRole::Product;
  if (!isSum && !isProduct)
    return false;
  for (unsigned i : {0, 1})
    if (isConstant(1 - i) && !isConstant(i) &&
        op->getOperand(i).getType() == value.getType()) {
      source.operands.push_back(&op->getOpOperand(1 - i));
      return isProduct || follow(i);
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// The factor of each channel; none if they are not known, or all the same.
std::optional<SmallVector<double>>
Equalizer::getFactors(ArrayRef<Product *> readers, const Source &source) {
  int64_t channels =
      readers.front()->getWeightSize(*readers.front()->axes.weightIn);
  SmallVector<double> weights(channels, 0), data;
  bool hasWeights = false;
  for (const Product *reader : readers) {
    if (isPerChannel && reader->isDepthwise())
      continue;
    auto largest = reader->getMagnitudes(*reader->axes.weightIn);
    if (!largest || static_cast<int64_t>(largest->size()) != channels)
      return std::nullopt;
    hasWeights = true;
    for (auto [most, value] : llvm::zip_equal(weights, *largest))
      most = std::max(most, value);
  }
  if (!ranges.empty()) {
    data.append(ranges.begin() + readers.front()->firstRange,
                ranges.begin() + readers.front()->firstRange + channels);
  } else {
    auto largest =
        source.product
            ? source.product->getMagnitudes(source.product->axes.weightOut)
            : std::nullopt;
    if (!largest || static_cast<int64_t>(largest->size()) != channels)
      return std::nullopt;
    data = *largest;
  }
  // Logarithms, of channels that count.
  double power = hasWeights ? strength : 1;
  SmallVector<double> factors, known;
  for (auto [x, weight] : llvm::zip_equal(data, weights)) {
    bool counts = x > 0 && (!hasWeights || weight > 0);
    double factor = std::numeric_limits<double>::infinity();
    if (counts)
      known.push_back(factor =
                          (hasWeights ? (1 - power) * std::log(weight) : 0) -
                          power * std::log(x));
    factors.push_back(factor);
  }
  if (known.empty())
    return std::nullopt;
  llvm::sort(known);
  // What all channels have in common would change nothing.
  double middle = known[known.size() / 2], bound = std::log(kMaxFactor);
  double least = std::clamp(known.front() - middle, -bound, bound);
  bool differ = false;
  for (double &factor : factors) {
    // Others are not to be larger than any of those that are known.
    factor =
        std::isinf(factor) ? least : std::clamp(factor - middle, -bound, bound);
    factor = std::exp(factor);
    differ |= std::abs(factor - 1) > 1e-6;
  }
  return differ ? std::optional(factors) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The rewriting
//===----------------------------------------------------------------------===//

/// Multiplies an operand by factors along a dimension of its tensor.
static void scaleOperand(OpOperand &operand, ArrayRef<double> factors,
                         int64_t rank, int64_t axis) {
  OpBuilder builder(operand.getOwner());
  Location loc = operand.get().getLoc();
  operand.set(
      MultiplyOp::create(builder, loc, operand.get(),
                         createVector(builder, loc, rank - axis, factors)));
}

void Equalizer::scaleWeight(const Product &product) {
  int64_t rank =
      cast<RankedTensorType>(product.getWeight().getType()).getRank();
  OpOperand &weight = product.op->getOpOperand(1);
  if (!product.in.empty())
    scaleOperand(weight, product.in, rank, *product.axes.weightIn);
  if (!product.out.empty())
    scaleOperand(weight, product.out, rank, product.axes.weightOut);
}

static void multiply(SmallVectorImpl<double> &numbers, ArrayRef<double> factors,
                     bool isInverse) {
  if (numbers.empty())
    numbers.assign(factors.size(), 1);
  for (auto [number, factor] : llvm::zip_equal(numbers, factors))
    number *= isInverse ? 1 / factor : factor;
}

bool Equalizer::equalize(Value value) {
  SmallVector<Product *> readers;
  if (!findReaders(value, readers))
    return false;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t axis = readers.front()->axes.data;
  Source source;
  if (!type.getElementType().isF32() || !findSource(value, axis, source))
    return false;
  std::optional<SmallVector<double>> factors = getFactors(readers, source);
  if (!factors)
    return false;
  // Vectors are of one dimension; others broadcast to the value.
  for (OpOperand *operand : source.operands) {
    bool isVector = isa<NNBiasAddOp, NNLayerNormOp>(operand->getOwner());
    auto result =
        cast<RankedTensorType>(operand->getOwner()->getResult(0).getType());
    scaleOperand(*operand, *factors, isVector ? 1 : result.getRank(),
                 isVector ? 0 : axis);
  }
  if (source.product)
    multiply(source.product->out, *factors, /*isInverse=*/false);
  for (Product *reader : readers)
    multiply(reader->in, *factors, /*isInverse=*/true);
  return true;
}

void Equalizer::run() {
  llvm::SetVector<Value> values;
  for (auto &[op, product] : products)
    values.insert(op->getOperand(0));
  for (Value value : values)
    if (equalize(value))
      ++numEqualized;
  for (auto &[op, product] : products)
    scaleWeight(product);
}

namespace {

struct QuantizeEqualizePass final
    : relay::impl::QuantizeEqualizePassBase<QuantizeEqualizePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    double part = strength;
    if (std::isnan(part) || part < 0 || part > 1)
      return emitError(UnknownLoc::get(context))
             << "expects strength to be from 0 to 1, but got " << part;
    for (double range : ranges)
      if (!(range >= 0) || std::isinf(range))
        return emitError(UnknownLoc::get(context))
               << "expects ranges that are finite and not negative, but got "
               << range;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || isCompiledAsItIs(function))
      return;
    Equalizer equalizer(function, strength, ranges, perChannel);
    if (!ranges.empty() && ranges.size() != equalizer.getNumRanges()) {
      function.emitError("expects a range for each of ")
          << equalizer.getNumRanges()
          << " channels of the data of products, but got " << ranges.size();
      return signalPassFailure();
    }
    equalizer.run();
    numEqualized += equalizer.numEqualized;
  }
};

} // namespace
