//===- Shapes.cpp - Gradients of creation and changes of shape ------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayRandomOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

// Found by GradientModel.
namespace mlir::relay::gradients {

//===----------------------------------------------------------------------===//
// The same elements
//===----------------------------------------------------------------------===//

static void differentiate(ReshapeOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(SqueezeOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(ExpandDimsOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(NNBatchFlattenOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(ReshapeLikeOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(ContribReverseReshapeOp, Gradient &d) {
  d.set(0, d.get());
}
static void differentiate(DynReshapeOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(DynSqueezeOp, Gradient &d) { d.set(0, d.get()); }
static void differentiate(DynExpandDimsOp, Gradient &d) { d.set(0, d.get()); }

static void differentiate(TransposeOp op, Gradient &d) {
  SmallVector<int64_t> axes = op.getPermutation();
  SmallVector<int64_t> inverse(axes.size());
  for (auto [i, axis] : llvm::enumerate(axes))
    inverse[axis] = i;
  d.set(0, d.transpose(d.get(), inverse));
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

static void differentiate(BroadcastToOp, Gradient &d) { d.setSum(0, d.get()); }
static void differentiate(BroadcastToLikeOp, Gradient &d) {
  d.setSum(0, d.get());
}
static void differentiate(DynBroadcastToOp, Gradient &d) {
  d.setSum(0, d.get());
}
static void differentiate(CollapseSumLikeOp op, Gradient &d) {
  d.set(0, d.broadcastLike(d.get(), op.getData()));
}
static void differentiate(CollapseSumToOp op, Gradient &d) {
  d.set(0, d.broadcastLike(d.get(), op.getData()));
}

static void differentiate(TileOp op, Gradient &d) {
  Term g = d.get();
  SmallVector<int64_t> codes, repeated;
  ArrayRef<int64_t> reps = op.getReps();
  int64_t missing = g.getRank() - static_cast<int64_t>(reps.size());
  for (int64_t dim = 0; dim < g.getRank(); ++dim) {
    repeated.push_back(2 * dim);
    llvm::append_range(
        codes,
        ArrayRef<int64_t>{-4, dim < missing ? 1 : reps[dim - missing], -1});
  }
  d.set(0, d.sum(d.reshape(g, codes), repeated));
}

static void differentiate(RepeatOp op, Gradient &d) {
  Term g = d.get();
  int64_t rank = g.getRank();
  int64_t axis = normalize(op.getAxis().value_or(0), rank);
  SmallVector<int64_t> codes(axis, 0);
  llvm::append_range(
      codes, ArrayRef<int64_t>{-4, -1, static_cast<int64_t>(op.getRepeats())});
  codes.push_back(-2);
  if (axis == rank - 1)
    codes.pop_back();
  d.set(0, d.sum(d.reshape(g, codes), {axis + 1}));
}

static void differentiate(MeshgridOp op, Gradient &d) {
  // Operand i varies along dimension i only, of which xy swaps the first two.
  int64_t rank = op.getData().size();
  for (int64_t i = 0; i < rank; ++i) {
    int64_t dim = op.getIndexing() == "xy" && i < 2 && rank > 1 ? 1 - i : i;
    d.set(i, d.sum(d.get(i), getOthers(dim, rank)));
  }
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void differentiate(FullOp op, Gradient &d) {
  d.set(0, d.sumAll(d.get()));
}
static void differentiate(FullLikeOp op, Gradient &d) {
  d.set(1, d.sumAll(d.get()));
}
static void differentiate(DynFullOp op, Gradient &d) {
  d.set(0, d.sumAll(d.get()));
}

/// Element i is start + i * step.
static void differentiate(ArangeOp op, Gradient &d) {
  Term g = d.get();
  Term numbers = d.make<CumsumOp>(d.onesLike(g).get(), IntegerAttr(),
                                  TypeAttr(), /*exclusive=*/true);
  d.set(0, d.sumAll(g));
  d.set(2, d.sumAll(g * numbers));
}

/// Sums where the result is on_value, and where it is off_value.
static void differentiateOneHot(Operation *op, Gradient &d) {
  Term g = d.get();
  Type elementType = g.getType().getElementType();
  SmallVector<Value> operands(op->getOperands());
  operands[1] = d.number(1, elementType);
  operands[2] = d.number(0, elementType);
  OperationState state(op->getLoc(), op->getName(), operands,
                       op->getResultTypes(), op->getAttrs());
  Term isOn = d.term(d.create(state)->getResult(0));
  d.set(1, d.sumAll(g * isOn));
  d.set(2, d.sumAll(g * (1 - isOn)));
}
static void differentiate(OneHotOp op, Gradient &d) {
  differentiateOneHot(op, d);
}
static void differentiate(DynOneHotOp op, Gradient &d) {
  differentiateOneHot(op, d);
}

/// The numbers of the same key for the bounds 0 and 1, or mean 0 and scale 1:
/// the result is linear in its bounds.
static Term getPlainNumbers(Operation *op, Gradient &d) {
  SmallVector<Value> operands = {op->getOperand(0)};
  for (unsigned i : {0, 1})
    operands.push_back(
        d.number(i, cast<RankedTensorType>(op->getOperand(i + 1).getType())
                        .getElementType()));
  OperationState state(op->getLoc(), op->getName(), operands,
                       op->getResultTypes(), op->getAttrs());
  return d.make<TupleGetItemOp>(d.create(state)->getResult(0), int64_t(1));
}
static void differentiate(RandomUniformOp op, Gradient &d) {
  Term u = getPlainNumbers(op, d), g = d.get(1);
  d.set(1, d.sumAll(g * (1 - u)));
  d.set(2, d.sumAll(g * u));
}
static void differentiate(RandomNormalOp op, Gradient &d) {
  Term z = getPlainNumbers(op, d), g = d.get(1);
  d.set(1, d.sumAll(g));
  d.set(2, d.sumAll(g * z));
}

} // namespace mlir::relay::gradients

void gradients::registerShapes(MLIRContext *context) {
  attach<ReshapeOp, SqueezeOp, ExpandDimsOp, NNBatchFlattenOp, ReshapeLikeOp,
         ContribReverseReshapeOp, DynReshapeOp, DynSqueezeOp, DynExpandDimsOp,
         TransposeOp>(context);
  attach<BroadcastToOp, BroadcastToLikeOp, DynBroadcastToOp, CollapseSumLikeOp,
         CollapseSumToOp, TileOp, RepeatOp, MeshgridOp>(context);
  attach<FullOp, FullLikeOp, DynFullOp, ArangeOp, OneHotOp, DynOneHotOp,
         RandomUniformOp, RandomNormalOp>(context);
}
