//===- Elementwise.cpp - Gradients of elementwise operators ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

// Found by GradientModel.
namespace mlir::relay::gradients {

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

static void differentiate(LogOp op, Gradient &d) {
  d.set(0, d.get() / d.term(op.getData()));
}
static void differentiate(Log2Op op, Gradient &d) {
  d.set(0, d.get() / (d.term(op.getData()) * std::log(2.0)));
}
static void differentiate(Log10Op op, Gradient &d) {
  d.set(0, d.get() / (d.term(op.getData()) * std::log(10.0)));
}
static void differentiate(TanOp op, Gradient &d) {
  Term y = d.term(op.getResult());
  d.set(0, d.get() * (y * y + 1));
}
static void differentiate(CosOp op, Gradient &d) {
  d.set(0, -(d.get() * d.make<SinOp>(op.getData())));
}
static void differentiate(CoshOp op, Gradient &d) {
  d.set(0, d.get() * d.make<SinhOp>(op.getData()));
}
static void differentiate(SinOp op, Gradient &d) {
  d.set(0, d.get() * d.make<CosOp>(op.getData()));
}
static void differentiate(SinhOp op, Gradient &d) {
  d.set(0, d.get() * d.make<CoshOp>(op.getData()));
}
static void differentiate(AcosOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, -(d.get() / sqrt(1 - x * x)));
}
static void differentiate(AcoshOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.get() / sqrt(x * x - 1));
}
static void differentiate(AsinOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.get() / sqrt(1 - x * x));
}
static void differentiate(AsinhOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.get() / sqrt(x * x + 1));
}
static void differentiate(AtanOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.get() / (x * x + 1));
}
static void differentiate(AtanhOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.get() / (1 - x * x));
}
static void differentiate(ExpOp op, Gradient &d) {
  d.set(0, d.get() * d.term(op.getResult()));
}
static void differentiate(FastExpOp op, Gradient &d) {
  d.set(0, d.get() * d.term(op.getResult()));
}
static void differentiateErf(Value x, Gradient &d) {
  Term data = d.term(x);
  d.set(0, d.get() * exp(-(data * data)) * (2 / std::sqrt(M_PI)));
}
static void differentiate(ErfOp op, Gradient &d) {
  differentiateErf(op.getData(), d);
}
static void differentiate(FastErfOp op, Gradient &d) {
  differentiateErf(op.getData(), d);
}
static void differentiate(SqrtOp op, Gradient &d) {
  d.set(0, d.get() * 0.5 / d.term(op.getResult()));
}
static void differentiate(RsqrtOp op, Gradient &d) {
  d.set(0, d.get() * d.term(op.getResult()) / d.term(op.getData()) * -0.5);
}
static void differentiate(SigmoidOp op, Gradient &d) {
  Term y = d.term(op.getResult());
  d.set(0, d.get() * (y * (1 - y)));
}
static void differentiateTanh(Value result, Gradient &d) {
  Term y = d.term(result);
  d.set(0, d.get() * (1 - y * y));
}
static void differentiate(TanhOp op, Gradient &d) {
  differentiateTanh(op.getResult(), d);
}
static void differentiate(FastTanhOp op, Gradient &d) {
  differentiateTanh(op.getResult(), d);
}
static void differentiate(NegativeOp op, Gradient &d) { d.set(0, -d.get()); }
static void differentiate(CopyOp op, Gradient &d) { d.set(0, d.get()); }

/// At 0 that of positive numbers.
static void differentiate(AbsOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.where(isLess(x, d.number(0, x)), -d.get(), d.get()));
}
/// At 0 that of positive numbers.
static void differentiate(NNReluOp op, Gradient &d) {
  Term x = d.term(op.getData());
  Term zero = d.number(0, x);
  d.set(0, d.where(isLess(x, zero), zero, d.get()));
}
/// At 0 that of negative numbers, which is where the operator begins to scale.
static void differentiate(NNLeakyReluOp op, Gradient &d) {
  Term x = d.term(op.getData());
  d.set(0, d.where(isLess(d.number(0, x), x), d.get(),
                   d.get() * op.getAlpha().convertToDouble()));
}
/// At the bounds that of what is between them.
static void differentiate(ClipOp op, Gradient &d) {
  Term x = d.term(op.getData());
  Term zero = d.number(0, x);
  Term low = d.number(op.getAMin().convertToDouble(), x);
  Term high = d.number(op.getAMax().convertToDouble(), x);
  d.set(0,
        d.where(isLess(x, low), zero, d.where(isLess(high, x), zero, d.get())));
}

// The result does not change with the operand, but where it leaps.
static void differentiate(FloorOp, Gradient &) {}
static void differentiate(CeilOp, Gradient &) {}
static void differentiate(TruncOp, Gradient &) {}
static void differentiate(RoundOp, Gradient &) {}
static void differentiate(SignOp, Gradient &) {}
static void differentiate(ZerosLikeOp, Gradient &) {}
static void differentiate(OnesLikeOp, Gradient &) {}

static void differentiate(CastOp op, Gradient &d) { d.set(0, d.get()); }
static void differentiate(CastLikeOp op, Gradient &d) { d.set(0, d.get()); }

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

static void differentiate(AddOp op, Gradient &d) {
  d.setSum(0, d.get());
  d.setSum(1, d.get());
}
static void differentiate(SubtractOp op, Gradient &d) {
  d.setSum(0, d.get());
  d.setSum(1, -d.get());
}
static void differentiate(MultiplyOp op, Gradient &d) {
  d.setSum(0, d.get() * d.term(op.getRhs()));
  d.setSum(1, d.get() * d.term(op.getLhs()));
}
static void differentiate(DivideOp op, Gradient &d) {
  Term quotient = d.get() / d.term(op.getRhs());
  d.setSum(0, quotient);
  d.setSum(1, -(quotient * d.term(op.getResult())));
}
/// x^0 is 1 for every x, and 0^y is 0 for every y > 0: neither changes, though
/// the formulas have 0 * inf there.
static void differentiate(PowerOp op, Gradient &d) {
  Term x = d.term(op.getLhs()), y = d.term(op.getRhs());
  Term zero = d.number(0, x);
  d.setSum(0, d.get() * d.where(isEqual(y, zero), zero, y * power(x, y - 1)));
  d.setSum(1, d.get() * d.where(isEqual(x, zero), zero,
                                d.term(op.getResult()) * log(x)));
}
/// Of equal operands the first one counts.
static void differentiateExtreme(Term isSecond, Gradient &d) {
  Term zero = d.number(0, d.get());
  d.setSum(0, d.where(isSecond, zero, d.get()));
  d.setSum(1, d.where(isSecond, d.get(), zero));
}
static void differentiate(MaximumOp op, Gradient &d) {
  differentiateExtreme(isLess(d.term(op.getLhs()), d.term(op.getRhs())), d);
}
static void differentiate(MinimumOp op, Gradient &d) {
  differentiateExtreme(isLess(d.term(op.getRhs()), d.term(op.getLhs())), d);
}
/// A remainder is x - q * y for a whole number q.
static void differentiateRemainder(Term quotient, Gradient &d) {
  d.setSum(0, d.get());
  d.setSum(1, -(d.get() * quotient));
}
static void differentiate(ModOp op, Gradient &d) {
  differentiateRemainder(d.make<TruncDivideOp>(op.getLhs(), op.getRhs()), d);
}
static void differentiate(TruncModOp op, Gradient &d) {
  differentiateRemainder(d.make<TruncDivideOp>(op.getLhs(), op.getRhs()), d);
}
static void differentiate(FloorModOp op, Gradient &d) {
  differentiateRemainder(d.make<FloorDivideOp>(op.getLhs(), op.getRhs()), d);
}
// Whole numbers, which change by leaps.
static void differentiate(TruncDivideOp, Gradient &) {}
static void differentiate(FloorDivideOp, Gradient &) {}

static void differentiate(WhereOp op, Gradient &d) {
  Term condition = d.term(op.getCondition());
  Term zero = d.number(0, d.get());
  d.setSum(1, d.where(condition, d.get(), zero));
  d.setSum(2, d.where(condition, zero, d.get()));
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

static void differentiate(NNBiasAddOp op, Gradient &d) {
  Term g = d.get();
  int64_t rank = g.getRank();
  d.set(0, g);
  d.set(1, d.sum(g, getOthers(normalize(op.getAxis(), rank), rank)));
}
/// At 0 that of negative numbers.
static void differentiate(NNPreluOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  int64_t rank = x.getRank(), axis = normalize(op.getAxis(), rank);
  Term zero = d.number(0, x), isPositive = isLess(zero, x);
  d.set(0, d.where(isPositive, g,
                   g * d.alongAxis(d.term(op.getAlpha()), axis, rank)));
  d.set(1, d.sum(d.where(isPositive, zero, g * x), getOthers(axis, rank)));
}
static void differentiateSoftmax(Value result, int64_t axis, Gradient &d) {
  Term y = d.term(result), g = d.get();
  d.set(0, (g - d.sum(g * y, {normalize(axis, y.getRank())}, true)) * y);
}
static void differentiate(NNSoftmaxOp op, Gradient &d) {
  differentiateSoftmax(op.getResult(), op.getAxis(), d);
}
static void differentiate(NNFastSoftmaxOp op, Gradient &d) {
  differentiateSoftmax(op.getResult(), op.getAxis(), d);
}
static void differentiate(NNLogSoftmaxOp op, Gradient &d) {
  Term y = d.term(op.getResult()), g = d.get();
  d.set(0, g - d.sum(g, {normalize(op.getAxis(), y.getRank())}, true) * exp(y));
}

} // namespace mlir::relay::gradients

//===----------------------------------------------------------------------===//
// The operand itself
//===----------------------------------------------------------------------===//

namespace {

template <typename OpTy>
struct MarkerModel
    : GradientOpInterface::ExternalModel<MarkerModel<OpTy>, OpTy> {
  LogicalResult buildGradients(Operation *, OpBuilder &, ValueRange gradients,
                               MutableArrayRef<Value> results) const {
    results.front() = gradients.front();
    return success();
  }
  bool returnsOperand(Operation *) const { return true; }
};

} // namespace

template <typename... Ops>
static void attachMarkers(MLIRContext *context) {
  (Ops::template attachInterface<MarkerModel<Ops>>(*context), ...);
}

void gradients::registerElementwise(MLIRContext *context) {
  attach<LogOp, Log2Op, Log10Op, TanOp, CosOp, CoshOp, SinOp, SinhOp, AcosOp,
         AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp, ExpOp, FastExpOp, ErfOp,
         FastErfOp, SqrtOp, RsqrtOp, SigmoidOp, TanhOp, FastTanhOp, NegativeOp,
         CopyOp, AbsOp, NNReluOp, NNLeakyReluOp, ClipOp, FloorOp, CeilOp,
         TruncOp, RoundOp, SignOp, ZerosLikeOp, OnesLikeOp, CastOp, CastLikeOp>(
      context);
  attach<AddOp, SubtractOp, MultiplyOp, DivideOp, PowerOp, MaximumOp, MinimumOp,
         ModOp, TruncModOp, FloorModOp, TruncDivideOp, FloorDivideOp, WhereOp>(
      context);
  attach<NNBiasAddOp, NNPreluOp, NNSoftmaxOp, NNFastSoftmaxOp, NNLogSoftmaxOp>(
      context);
  attachMarkers<AnnotationStopFusionOp, AnnotationCastHintOp,
                AnnotationBitpackStartOp, AnnotationBitpackEndOp,
                AnnotationCheckpointOp, AnnotationCompilerBeginOp,
                AnnotationCompilerEndOp, AnnotationWithFuncidOp, OnDeviceOp,
                DeviceCopyOp, DebugOp, AssertOp>(context);
}
