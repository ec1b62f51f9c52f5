//===- MarkByteBounds.cpp - Within which bounds bytes are -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of the elements of tensors, forwards from clips and constants through
// what moves elements, and through calls: a parameter is bounded by what all
// calls pass. What is not known here may be any number of its type.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"

#include "llvm/Support/SaveAndRestore.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_MARKBYTEBOUNDSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// A constant of more elements is any number, instead of being read; all bytes
/// are read.
static constexpr int64_t kMaxElements = 1 << 12;
/// Through more operators nothing is followed: the stack has an end.
static constexpr unsigned kMaxDepth = 256;
/// Integers up to it are floats of 32 bits.
static constexpr double kMaxExact = 1 << 24;

namespace {

/// What numbers an element may be; floats may be NaN besides.
struct Bounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  static Bounds of(Type type);
  Bounds join(Bounds other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
  bool isWithin(Bounds other) const {
    return low >= other.low && high <= other.high;
  }
  /// After min(max(x, lowest), highest).
  Bounds clip(double lowest, double highest) const {
    auto change = [&](double number) {
      return std::min(std::max(number, lowest), highest);
    };
    return {change(low), change(high)};
  }
};

class ByteBounds {
public:
  explicit ByteBounds(ModuleOp module);

  /// The parameters of `function`, in order, that are bytes within bounds that
  /// instructions ask for.
  SmallVector<Attribute> getBoundedParameters(func::FuncOp function);

private:
  Bounds get(Value value);
  Bounds compute(Value value);
  Bounds computeOp(OpResult result);
  Bounds computeConstant(ConstantOp op);
  Bounds computeCast(CastOp op);
  Bounds computeParameter(BlockArgument argument);
  /// All that an operator reads, and 0, which it may pad with.
  Bounds joinOperands(ValueRange operands);

  SymbolTable symbols;
  /// The calls of functions that nothing else refers to.
  DenseMap<Operation *, SmallVector<CallOp>> calls;
  DenseSet<Operation *> unknown;
  DenseMap<Value, Bounds> ranges;
  unsigned depth = 0;
};

} // namespace

Bounds Bounds::of(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!integer || integer.getWidth() > 32)
    return {};
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  double half = std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
  return isUnsigned ? Bounds{0, 2 * half - 1} : Bounds{-half, half - 1};
}

ByteBounds::ByteBounds(ModuleOp module) : symbols(module) {
  // Whoever refers to a function but to call it may pass it anything.
  module.walk([&](Operation *op) {
    auto call = dyn_cast<CallOp>(op);
    op->getAttrDictionary().walk([&](SymbolRefAttr reference) {
      Operation *function = symbols.lookup(reference.getRootReference());
      if (!function)
        return;
      if (call && reference == call.getCalleeAttr())
        calls[function].push_back(call);
      else
        unknown.insert(function);
    });
  });
}

Bounds ByteBounds::get(Value value) {
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  Bounds all = Bounds::of(value.getType());
  if (depth == kMaxDepth)
    return all;
  // What follows from itself may be anything.
  ranges[value] = all;
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  Bounds range = compute(value);
  if (!range.isWithin(all))
    range = all;
  ranges[value] = range;
  return range;
}

Bounds ByteBounds::compute(Value value) {
  if (!isa<RankedTensorType, TupleType>(value.getType()))
    return {};
  if (auto argument = dyn_cast<BlockArgument>(value))
    return computeParameter(argument);
  return computeOp(cast<OpResult>(value));
}

Bounds ByteBounds::computeParameter(BlockArgument argument) {
  Bounds all = Bounds::of(argument.getType());
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function || !function.isPrivate() || unknown.contains(function) ||
      argument.getOwner() != &function.getBody().front())
    return all;
  auto callers = calls.find(function);
  if (callers == calls.end())
    return all;
  std::optional<Bounds> range;
  for (CallOp call : callers->second) {
    if (call.getNumOperands() != function.getNumArguments())
      return all;
    Bounds passed = get(call.getOperand(argument.getArgNumber()));
    range = range ? range->join(passed) : passed;
  }
  return range.value_or(all);
}

Bounds ByteBounds::joinOperands(ValueRange operands) {
  Bounds range{0, 0};
  for (Value operand : operands)
    range = range.join(get(operand));
  return range;
}

/// Floats are truncated, and become the ends of the type beyond them, NaN 0.
Bounds ByteBounds::computeCast(CastOp op) {
  Bounds from = get(op.getData()), all = Bounds::of(op.getType());
  bool fromInteger =
      getElementTypeOrSelf(op.getData().getType()).isIntOrIndex();
  Type type = getElementTypeOrSelf(op.getType());
  if (!type.isIntOrIndex())
    return fromInteger && from.isWithin({-kMaxExact, kMaxExact}) && type.isF32()
               ? from
               : all;
  if (type.isInteger(1))
    return all;
  if (fromInteger)
    return from.isWithin(all) ? from : all;
  Bounds whole{std::trunc(from.low), std::trunc(from.high)};
  return whole.clip(all.low, all.high).join({0, 0});
}

/// Whether what a maximum is taken over has elements in each image. The maximum
/// of nothing is the lowest number.
static bool hasPixels(Value data, StringRef layout) {
  auto type = dyn_cast<RankedTensorType>(data.getType());
  return type && layout.starts_with("N") &&
         llvm::all_of(type.getShape().drop_front(), [](int64_t size) {
           return !ShapedType::isDynamic(size) && size != 0;
         });
}

/// Whether every window of a max pool has an element of the data, and not only
/// the lowest numbers around.
static bool hasDataInWindows(NNMaxPool2dOp op) {
  ArrayRef<int64_t> window = op.getPoolSize(), padding = op.getPadding();
  return hasPixels(op.getData(), op.getLayout()) && !op.getCeilMode() &&
         llvm::all_of(op.getDilation(), [](int64_t d) { return d == 1; }) &&
         llvm::all_of(padding, [&](int64_t pixels) {
           return pixels >= 0 && pixels < *llvm::min_element(window);
         });
}

Bounds ByteBounds::computeConstant(ConstantOp op) {
  Bounds all = Bounds::of(op.getType());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0)
    return all;
  bool isUnsigned = type.getElementType().isUnsignedInteger(8);
  if (isUnsigned || type.getElementType().isSignlessInteger(8)) {
    auto value = dyn_cast<ElementsAttr>(op.getValue());
    DenseElementsAttr contents = value ? getContents(value) : nullptr;
    if (!contents)
      return all;
    auto getNumber = [&](char byte) -> int {
      return isUnsigned ? int(static_cast<uint8_t>(byte))
                        : int(static_cast<int8_t>(byte));
    };
    // The one of a splat, or all.
    auto [low, high] = std::minmax_element(
        contents.getRawData().begin(), contents.getRawData().end(),
        [&](char a, char b) { return getNumber(a) < getNumber(b); });
    return {double(getNumber(*low)), double(getNumber(*high))};
  }
  if (type.getNumElements() > kMaxElements)
    return all;
  std::optional<SmallVector<double>> numbers = getNumbers(op);
  if (!numbers || numbers->empty())
    return all;
  Bounds range{numbers->front(), numbers->front()};
  for (double number : *numbers) {
    if (std::isnan(number))
      return all;
    range = range.join({number, number});
  }
  return range;
}

Bounds ByteBounds::computeOp(OpResult result) {
  Operation *op = result.getOwner();
  Bounds all = Bounds::of(result.getType());
  bool isInteger = getElementTypeOrSelf(result.getType()).isIntOrIndex();
  if (auto constant = dyn_cast<ConstantOp>(op))
    return computeConstant(constant);
  if (auto call = dyn_cast<CallOp>(op)) {
    auto function = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!function || function.isExternal() ||
        !function.getBody().hasOneBlock() ||
        function->hasAttr(kCompilerAttrName) ||
        function.getNumResults() != call->getNumResults())
      return all;
    return get(function.getBody().front().getTerminator()->getOperand(
        result.getResultNumber()));
  }
  if (auto clip = dyn_cast<ClipOp>(op)) {
    double low = clip.getAMin().convertToDouble(),
           high = clip.getAMax().convertToDouble();
    if (std::isnan(low) || std::isnan(high))
      return all;
    // They may be rounded either way, to integers or to floats of fewer bits.
    return get(clip.getData()).clip(std::floor(low), std::ceil(high));
  }
  if (isa<NNReluOp>(op))
    return get(op->getOperand(0)).clip(0, all.high);
  if (isInteger && isa<MaximumOp, MinimumOp>(op)) {
    Bounds left = get(op->getOperand(0)), right = get(op->getOperand(1));
    if (isa<MaximumOp>(op))
      return {std::max(left.low, right.low), std::max(left.high, right.high)};
    return {std::min(left.low, right.low), std::min(left.high, right.high)};
  }
  if (auto cast = dyn_cast<CastOp>(op))
    return computeCast(cast);
  if (isa<RoundOp>(op)) {
    Bounds range = get(op->getOperand(0));
    return {std::floor(range.low), std::ceil(range.high)};
  }
  if (auto pool = dyn_cast<NNMaxPool2dOp>(op))
    return hasDataInWindows(pool) ? get(pool.getData()) : all;
  if (auto pool = dyn_cast<NNGlobalMaxPool2dOp>(op))
    return hasPixels(pool.getData(), pool.getLayout()) ? get(pool.getData())
                                                       : all;
  // Means of floats are rounded.
  if (isa<NNAvgPool2dOp, NNGlobalAvgPool2dOp>(op)) {
    Bounds range = joinOperands(op->getOperands());
    return {std::floor(range.low), std::ceil(range.high)};
  }
  if (auto take = dyn_cast<TakeOp>(op))
    return joinOperands(take.getData());
  if (auto where = dyn_cast<WhereOp>(op))
    return joinOperands({where.getX(), where.getY()});
  // What moves elements.
  if (isa<TupleOp, TupleGetItemOp, ReshapeOp, TransposeOp, SqueezeOp,
          ExpandDimsOp, LayoutTransformOp, StridedSliceOp, SplitOp,
          ConcatenateOp, CopyOp, BroadcastToOp, NNBatchFlattenOp, NNPadOp>(op))
    return joinOperands(op->getOperands());
  return all;
}

SmallVector<Attribute> ByteBounds::getBoundedParameters(func::FuncOp function) {
  // Those of data behind a ReLU, of weights of 7 bits, and of weights of 4,
  // which may be of either type.
  struct Kind {
    int64_t low, high;
    bool mayBeUnsigned;
  };
  constexpr Kind kKinds[] = {{0, 127, false}, {-64, 64, false}, {0, 15, true}};
  SmallVector<Attribute> parameters;
  // Tuples become several arguments.
  if (function.isExternal() || !llvm::all_of(function.getArgumentTypes(),
                                             llvm::IsaPred<RankedTensorType>))
    return parameters;
  for (BlockArgument argument : function.getArguments()) {
    Type type = getElementTypeOrSelf(argument.getType());
    if (!type.isSignlessInteger(8) && !type.isUnsignedInteger(8))
      continue;
    Bounds range = get(argument);
    for (auto [low, high, mayBeUnsigned] : kKinds)
      if ((type.isSignlessInteger() || mayBeUnsigned) &&
          range.isWithin({double(low), double(high)}))
        parameters.push_back(DenseI64ArrayAttr::get(
            function.getContext(), {argument.getArgNumber(), low, high}));
  }
  return parameters;
}

namespace {

struct MarkByteBoundsPass final
    : relay::impl::MarkByteBoundsPassBase<MarkByteBoundsPass> {
  void runOnOperation() override {
    ByteBounds bounds(getOperation());
    Builder builder(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      function->removeAttr(tir::kByteBoundsAttr);
      if (!function->hasAttr(kPrimitiveAttrName))
        continue;
      SmallVector<Attribute> parameters = bounds.getBoundedParameters(function);
      if (!parameters.empty())
        function->setAttr(tir::kByteBoundsAttr,
                          builder.getArrayAttr(parameters));
    }
  }
};

} // namespace
