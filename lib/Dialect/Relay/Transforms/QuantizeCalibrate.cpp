//===- QuantizeCalibrate.cpp - Scales of what is quantized ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZECALIBRATEPASS
#define GEN_PASS_DEF_QUANTIZECOLLECTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

using SimulatedQuantizeOp = RelayOpAnnotationSimulatedQuantizeOp;

static bool isWeight(SimulatedQuantizeOp op) {
  return op.getKind() == static_cast<int64_t>(QuantizeKind::Weight);
}

//===----------------------------------------------------------------------===//
// Collection
//===----------------------------------------------------------------------===//

namespace {

struct QuantizeCollectPass final
    : relay::impl::QuantizeCollectPassBase<QuantizeCollectPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = getMainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    SmallVector<Value> values;
    Block &body = main.getBody().front();
    for (SimulatedQuantizeOp op : getSimulatedQuantizes(main)) {
      if (op->getBlock() != &body) {
        op.emitOpError("expects quantized values outside of branches and "
                       "closures");
        return signalPassFailure();
      }
      if (all || !isWeight(op))
        values.push_back(op.getData());
      op.replaceAllUsesWith(op.getData());
    }
    // Not those that were replaced themselves.
    SmallVector<Value> data;
    for (Value value : values) {
      while (auto op = value.getDefiningOp<SimulatedQuantizeOp>())
        value = op.getData();
      data.push_back(value);
    }
    returnTuple(main, data);
  }
};

//===----------------------------------------------------------------------===//
// Calibration
//===----------------------------------------------------------------------===//

struct QuantizeCalibratePass final
    : relay::impl::QuantizeCalibratePassBase<QuantizeCalibratePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  FailureOr<double> getThreshold(SimulatedQuantizeOp op, size_t &index);
};

} // namespace

LogicalResult QuantizeCalibratePass::initialize(MLIRContext *context) {
  auto reject = [&](const Twine &message) {
    return emitError(UnknownLoc::get(context)) << message;
  };
  for (int64_t bits :
       {static_cast<int64_t>(nbitInput), static_cast<int64_t>(nbitWeight),
        static_cast<int64_t>(nbitActivation)})
    if (bits < 2 || bits > 32)
      return reject("expects 2 to 32 bits, but got " + Twine(bits));
  if (weightScale != "power2" && weightScale != "max")
    return reject("expects weight-scale to be power2 or max, but got '" +
                  weightScale + "'");
  for (double threshold : thresholds)
    if (!(threshold >= 0) || std::isinf(threshold))
      return reject("expects thresholds that are finite and not negative");
  if (!(globalScale > 0) || std::isinf(globalScale))
    return reject("expects a global-scale that is positive and finite");
  return success();
}

/// Reports a weight that is computed, an input, or of other floats.
static LogicalResult emitNoConstant(SimulatedQuantizeOp op) {
  Value weight = op.getData();
  InFlightDiagnostic diag = emitError(op.getLoc())
                            << "expects weights that are constants of f32, "
                               "but got ";
  auto input = dyn_cast<BlockArgument>(weight);
  auto function =
      input ? dyn_cast<func::FuncOp>(input.getOwner()->getParentOp()) : nullptr;
  if (weight.getDefiningOp<ConstantOp>()) {
    diag << "one of type " << weight.getType();
    diag.attachNote()
        << "quantize the network in float32, as it was before its "
           "weights were made smaller";
    return diag;
  }
  if (!function)
    return diag << "one that is computed, of type " << weight.getType();
  diag << "the input \"";
  if (auto name = function.getArgAttrOfType<StringAttr>(input.getArgNumber(),
                                                        kNameAttrName))
    diag << name.getValue();
  else
    diag << "input" << input.getArgNumber();
  diag << '"';
  diag.attachNote() << "fix its value (--input, inputs= in Python, "
                       "relay-fix-inputs), or bind the parameters, before";
  return diag;
}

FailureOr<double> QuantizeCalibratePass::getThreshold(SimulatedQuantizeOp op,
                                                      size_t &index) {
  if (!isWeight(op)) {
    if (thresholds.empty())
      return static_cast<double>(globalScale);
    if (index == thresholds.size())
      return op.emitOpError("expects a threshold for each value that is "
                            "quantized, but got ")
             << thresholds.size();
    double threshold = thresholds[index++];
    return threshold == 0 ? 1.0 : threshold;
  }
  std::optional<SmallVector<float>> values = getFloats(op.getData());
  if (!values)
    return emitNoConstant(op);
  double largest = 0;
  for (float value : *values) {
    if (!std::isfinite(value))
      return op.emitOpError("expects a weight of finite numbers, but got ")
             << value;
    largest = std::max(largest, static_cast<double>(std::abs(value)));
  }
  if (largest == 0)
    return 1.0;
  return weightScale == "max" ? largest
                              : std::exp2(std::ceil(std::log2(largest)));
}

void QuantizeCalibratePass::runOnOperation() {
  func::FuncOp main = getMainFunction(getOperation());
  if (!main)
    return signalPassFailure();
  size_t index = 0;
  for (SimulatedQuantizeOp op : getSimulatedQuantizes(main)) {
    FailureOr<double> threshold = getThreshold(op, index);
    if (failed(threshold))
      return signalPassFailure();
    int64_t bits = nbitActivation;
    if (isWeight(op))
      bits = nbitWeight;
    else if (op.getKind() == static_cast<int64_t>(QuantizeKind::Input))
      bits = nbitInput;
    double range =
        std::exp2(static_cast<double>(bits - (op.getSign() ? 1 : 0)));
    OpBuilder builder(op);
    auto makeNumber = [&](double value) -> Value {
      auto type = RankedTensorType::get({}, builder.getF32Type());
      return ConstantOp::create(
          builder, op.getLoc(),
          DenseElementsAttr::get(type, static_cast<float>(value)));
    };
    // A scale that is not 0, however small the values are.
    auto scale = static_cast<float>(*threshold / range);
    if (!std::isnormal(scale))
      scale = std::numeric_limits<float>::min();
    op.getDomScaleMutable().assign(makeNumber(scale));
    op.getClipMinMutable().assign(
        makeNumber(op.getSign() ? -(range - 1) : 0.0));
    op.getClipMaxMutable().assign(makeNumber(range - 1));
  }
  if (index != thresholds.size()) {
    main.emitError("expects thresholds for ")
        << index << " values that are quantized, but got " << thresholds.size();
    signalPassFailure();
  }
}
