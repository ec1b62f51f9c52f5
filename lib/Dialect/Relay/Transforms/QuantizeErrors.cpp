//===- QuantizeErrors.cpp - What quantization takes from means ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "QuantizedTypes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Dialect/Relay/IR/SimulatedQuantize.h"

#include <cmath>

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZECORRECTBIASESPASS
#define GEN_PASS_DEF_QUANTIZEERRORSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The floats of a value that was quantized and dequantized; null if it was
/// not.
static Value getFloatsBefore(QNNDequantizeOp op) {
  Value value = op.getData();
  if (auto clip = value.getDefiningOp<ClipOp>())
    value = clip.getData();
  auto quantize = value.getDefiningOp<QNNQuantizeOp>();
  return quantize ? quantize.getData() : Value();
}

static bool isQuantized(Operation *product) {
  return product->getOperand(0).getDefiningOp<QNNDequantizeOp>() != nullptr;
}

namespace {

struct QuantizeErrorsPass final
    : relay::impl::QuantizeErrorsPassBase<QuantizeErrorsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp main = getMainFunction(getOperation());
    if (!main)
      return signalPassFailure();
    Block &body = main.getBody().front();
    SmallVector<Value> errors;
    llvm::SmallPtrSet<Operation *, 16> rounded;
    for (auto [op, axes] : getQuantizedProducts(main)) {
      if (op->getBlock() != &body) {
        op->emitOpError("expects products outside of branches and closures");
        return signalPassFailure();
      }
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      Operation *copy = builder.clone(*op);
      rounded.insert(copy);
      Value difference = SubtractOp::create(
          builder, op->getLoc(), op->getResult(0), copy->getResult(0));
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      errors.push_back(MeanOp::create(
          builder, op->getLoc(),
          RankedTensorType::get({type.getDimSize(axes.result)},
                                type.getElementType()),
          difference, builder.getDenseI64ArrayAttr({axes.result}),
          /*keepdims=*/builder.getBoolAttr(false),
          /*exclude=*/builder.getBoolAttr(true)));
    }
    main.walk([&](QNNDequantizeOp op) {
      if (Value floats = getFloatsBefore(op))
        op.getResult().replaceUsesWithIf(floats, [&](OpOperand &use) {
          return !rounded.contains(use.getOwner());
        });
    });
    returnTuple(main, errors);
  }
};

struct QuantizeCorrectBiasesPass final
    : relay::impl::QuantizeCorrectBiasesPassBase<QuantizeCorrectBiasesPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    for (double error : errors)
      if (!std::isfinite(error))
        return emitError(UnknownLoc::get(context))
               << "expects errors that are finite, but got " << error;
    return success();
  }

  void runOnOperation() override;
};

} // namespace

/// Adds numbers to a constant that is added along a dimension, so many from the
/// last one, and has nothing but channels.
static bool addToBias(OpOperand &bias, int64_t rank, ArrayRef<double> numbers) {
  std::optional<SmallVector<float>> terms = getFloats(bias.get());
  auto type = cast<RankedTensorType>(bias.get().getType());
  if (!terms || type.getRank() > rank)
    return false;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (size != 1 && static_cast<int64_t>(dim) != type.getRank() - rank)
      return false;
  // There may be one term for all.
  SmallVector<double> sums(numbers);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum += (*terms)[terms->size() == 1 ? 0 : i];
  OpBuilder builder(bias.getOwner());
  bias.set(createVector(builder, bias.get().getLoc(), rank, sums));
  return true;
}

/// Adds numbers to the channels of the result of a product, or to the bias that
/// is added to it. That stays a constant: what reads it makes integers of it.
static void addToChannels(Operation *op, int64_t axis,
                          ArrayRef<double> numbers) {
  Value result = op->getResult(0);
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  if (result.hasOneUse()) {
    Operation *reader = *result.getUsers().begin();
    if (auto bias = dyn_cast<NNBiasAddOp>(reader)) {
      int64_t along = bias.getAxis() + (bias.getAxis() < 0 ? rank : 0);
      if (along == axis && addToBias(bias->getOpOperand(1), 1, numbers))
        return;
    }
    if (isa<AddOp>(reader) &&
        reader->getResult(0).getType() == result.getType())
      for (OpOperand &operand : reader->getOpOperands())
        if (addToBias(operand, rank - axis, numbers))
          return;
  }
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value vector = createVector(builder, op->getLoc(), rank - axis, numbers);
  auto sum = AddOp::create(builder, op->getLoc(), result, vector);
  result.replaceAllUsesExcept(sum, sum);
}

void QuantizeCorrectBiasesPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal() || isCompiledAsItIs(function))
    return;
  auto products = getQuantizedProducts(function);
  auto getSize = [](const std::pair<Operation *, ChannelAxes> &product) {
    auto type = cast<RankedTensorType>(product.first->getResult(0).getType());
    return static_cast<size_t>(type.getDimSize(product.second.result));
  };
  size_t numErrors = 0;
  for (const auto &product : products)
    numErrors += getSize(product);
  if (numErrors != errors.size()) {
    function.emitError("expects an error for each of ")
        << numErrors << " channels of products, but got " << errors.size();
    return signalPassFailure();
  }
  ArrayRef<double> rest = errors;
  for (const auto &product : products) {
    ArrayRef<double> numbers = rest.take_front(getSize(product));
    rest = rest.drop_front(numbers.size());
    if (!isQuantized(product.first) ||
        llvm::all_of(numbers, [](double number) { return number == 0; }))
      continue;
    addToChannels(product.first, product.second.result, numbers);
    ++numCorrected;
  }
}
