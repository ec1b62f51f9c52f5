//===- QuantizeRealize.cpp - Quantized values -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZEREALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

using SimulatedQuantizeOp = RelayOpAnnotationSimulatedQuantizeOp;

namespace {

/// Scales of a tensor, along a dimension if they are many.
struct Scales {
  SmallVector<float> values;
  int64_t axis = -1;
};

struct QuantizeRealizePass final
    : relay::impl::QuantizeRealizePassBase<QuantizeRealizePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  LogicalResult realize(SimulatedQuantizeOp op);

  IntegerType inputType, weightType, activationType;
};

} // namespace

LogicalResult QuantizeRealizePass::initialize(MLIRContext *context) {
  for (auto [text, type] :
       {std::pair(StringRef(dtypeInput), &inputType),
        std::pair(StringRef(dtypeWeight), &weightType),
        std::pair(StringRef(dtypeActivation), &activationType)}) {
    FailureOr<IntegerType> parsed = parseQuantizedType(text, context);
    if (failed(parsed))
      return failure();
    *type = *parsed;
  }
  if (rounding != "TONEAREST" && rounding != "TOEVEN")
    return emitError(UnknownLoc::get(context))
           << "expects rounding to be TONEAREST or TOEVEN, but got '"
           << rounding << "'";
  return success();
}

/// A scale for each channel of the result of the operator that reads a weight;
/// none if others read it, or it is no constant.
static std::optional<Scales> getChannelScales(SimulatedQuantizeOp op,
                                              float bound) {
  if (!op->hasOneUse())
    return std::nullopt;
  OpOperand &use = *op->use_begin();
  std::optional<SmallVector<float>> weight = getFloats(op.getData());
  if (use.getOperandNumber() != 1 || !weight)
    return std::nullopt;
  std::optional<ChannelAxes> axes = getQuantizedChannels(use.getOwner());
  auto type = cast<RankedTensorType>(op.getType());
  auto result = cast<RankedTensorType>(use.getOwner()->getResult(0).getType());
  if (!axes || !type.hasStaticShape() ||
      type.getDimSize(axes->weightOut) != result.getDimSize(axes->result))
    return std::nullopt;
  int64_t channels = type.getDimSize(axes->weightOut), inner = 1;
  for (int64_t size : type.getShape().drop_front(axes->weightOut + 1))
    inner *= size;
  // What attributes have once for all elements.
  if (static_cast<int64_t>(weight->size()) != type.getNumElements())
    return std::nullopt;
  Scales scales{SmallVector<float>(channels, 0), axes->weightOut};
  for (auto [i, value] : llvm::enumerate(*weight)) {
    float &scale = scales.values[(static_cast<int64_t>(i) / inner) % channels];
    scale = std::max(scale, std::abs(value));
  }
  for (float &scale : scales.values) {
    scale = scale / bound;
    if (!std::isnormal(scale))
      scale = scale == 0 ? 1.0f : std::numeric_limits<float>::min();
  }
  return scales;
}

LogicalResult QuantizeRealizePass::realize(SimulatedQuantizeOp op) {
  auto kind = static_cast<QuantizeKind>(op.getKind());
  if (kind == QuantizeKind::Identity) {
    op.replaceAllUsesWith(op.getData());
    op.erase();
    return success();
  }
  std::optional<SmallVector<float>> scale = getFloats(op.getDomScale()),
                                    low = getFloats(op.getClipMin()),
                                    high = getFloats(op.getClipMax());
  if (!scale || !low || !high || !std::isnormal(scale->front()) ||
      scale->front() < 0)
    return op.emitOpError("expects a scale that is a positive and finite "
                          "constant; relay-quantize-calibrate chooses it");
  auto type = cast<RankedTensorType>(op.getType());
  if (!type.getElementType().isF32())
    return op.emitOpError("expects data of f32, but got ") << type;
  IntegerType elementType = kind == QuantizeKind::Input    ? inputType
                            : kind == QuantizeKind::Weight ? weightType
                                                           : activationType;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Scales scales{*scale};
  if (perChannel && kind == QuantizeKind::Weight)
    if (std::optional<Scales> many = getChannelScales(op, high->front()))
      scales = *many;
  auto scaleType = RankedTensorType::get(
      scales.axis < 0
          ? ArrayRef<int64_t>()
          : ArrayRef<int64_t>({static_cast<int64_t>(scales.values.size())}),
      builder.getF32Type());
  Value scaleValue = ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(scaleType, ArrayRef<float>(scales.values)));
  Value zero = ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             static_cast<int32_t>(0)));
  IntegerAttr axis = builder.getI64IntegerAttr(scales.axis);
  Value value = QNNQuantizeOp::create(
      builder, loc, type.clone(elementType), op.getData(), scaleValue, zero,
      TypeAttr::get(elementType), axis, builder.getStringAttr(rounding));
  auto [lowest, highest] = getIntegerRange(elementType);
  double least = std::max<double>(low->front(), static_cast<double>(lowest)),
         most = std::min<double>(high->front(), static_cast<double>(highest));
  if (elementType.getWidth() < 32 && (least > static_cast<double>(lowest) ||
                                      most < static_cast<double>(highest)))
    value = ClipOp::create(builder, loc, value.getType(), value,
                           builder.getF64FloatAttr(least),
                           builder.getF64FloatAttr(most));
  value = QNNDequantizeOp::create(builder, loc, type, value, scaleValue, zero,
                                  TypeAttr::get(builder.getF32Type()), axis);
  op.replaceAllUsesWith(value);
  // One constant may be several of the numbers.
  llvm::SmallSetVector<Operation *, 4> constants;
  for (Value number : op->getOperands().drop_front())
    constants.insert(number.getDefiningOp());
  op.erase();
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
  ++numRealized;
  return success();
}

void QuantizeRealizePass::runOnOperation() {
  SmallVector<SimulatedQuantizeOp> ops;
  SmallVector<AnnotationCastHintOp> hints;
  getOperation().walk([&](Operation *op) {
    if (auto simulated = dyn_cast<SimulatedQuantizeOp>(op))
      ops.push_back(simulated);
    else if (auto hint = dyn_cast<AnnotationCastHintOp>(op))
      hints.push_back(hint);
  });
  for (SimulatedQuantizeOp op : ops)
    if (failed(realize(op)))
      return signalPassFailure();
  // Fusion ends kernels by itself before the next product; ends before sums
  // would cost more than they save.
  for (AnnotationCastHintOp hint : hints) {
    for (Operation *user : llvm::make_early_inc_range(hint->getUsers()))
      if (isa<AnnotationStopFusionOp>(user)) {
        user->getResult(0).replaceAllUsesWith(hint.getData());
        user->erase();
      }
    hint.replaceAllUsesWith(hint.getData());
    hint.erase();
  }
}
