//===- Indexing.cpp - Gradients of reading and writing at positions -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <numeric>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gradients;

/// Indices of `take` as positions that exist.
static Term getTaken(TakeOp op, int64_t size, Gradient &d) {
  Term indices = d.term(op.getIndices());
  if (op.getMode() == "clip")
    return d.make<ClipOp>(indices.get(), llvm::APFloat(0.0),
                          llvm::APFloat(double(size - 1)));
  if (op.getMode() == "wrap")
    return d.make<FloorModOp>(indices.get(), d.number(size, indices).get());
  return indices;
}

/// What is to be added at positions along `axis` of a tensor like `like`.
static Term scatterElements(Term like, Value indices, Term updates,
                            int64_t axis) {
  TermBuilder &d = like.getBuilder();
  return d.make<ScatterElementsOp>(d.zerosLike(like).get(), indices,
                                   updates.get(), axis, "add");
}

// Found by GradientModel.
namespace mlir::relay::gradients {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static void differentiate(TakeOp op, Gradient &d) {
  Term x = d.term(op.getData()), g = d.get();
  if (op.getBatchDims() != 0) {
    d.setMoved(0);
    return;
  }
  Term data = op.getAxis() ? x : d.reshape(x, {-1});
  int64_t rank = data.getRank();
  int64_t axis = normalize(op.getAxis().value_or(0), rank);
  int64_t size = data.getSize(axis);
  // Positions need the size, but for those that count for themselves.
  if (ShapedType::isDynamic(size) && op.getMode() != "fast") {
    d.setMoved(0);
    return;
  }
  // The axis comes first, as do the indices in the gradient.
  int64_t indexRank = d.term(op.getIndices()).getRank();
  SmallVector<int64_t> toFront = {axis}, back(rank), updateOrder;
  llvm::append_range(toFront, getOthers(axis, rank));
  for (auto [i, dim] : llvm::enumerate(toFront))
    back[dim] = i;
  for (int64_t i = 0; i < indexRank; ++i)
    updateOrder.push_back(axis + i);
  for (int64_t i = 0; i < g.getRank(); ++i)
    if (i < axis || i >= axis + indexRank)
      updateOrder.push_back(i);
  Term zeros = d.zerosLike(d.transpose(data, toFront));
  Term indices =
      d.make<ExpandDimsOp>(getTaken(op, size, d).get(), int64_t(0), int64_t(1));
  Term sums = d.make<ScatterNdOp>(zeros.get(), indices.get(),
                                  d.transpose(g, updateOrder).get(), "add");
  d.set(0, d.transpose(sums, back));
}

static void differentiate(GatherOp op, Gradient &d) {
  d.set(0, scatterElements(d.term(op.getData()), op.getIndices(), d.get(),
                           op.getAxis()));
}
static void differentiate(GatherNdOp op, Gradient &d) {
  if (op.getBatchDims() != 0) {
    d.setMoved(0);
    return;
  }
  d.set(0, d.make<ScatterNdOp>(d.zerosLike(d.term(op.getData())).get(),
                               op.getIndices(), d.get().get(), "add"));
}
static void differentiate(AdvIndexOp, Gradient &d) { d.setMoved(0); }

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// What is written takes the place of what was there, or is added to it; where
/// an element is written twice, each counts.
static LogicalResult differentiate(ScatterElementsOp op, Gradient &d) {
  Term g = d.get(), updates = d.term(op.getUpdates());
  int64_t axis = normalize(op.getAxis(), g.getRank());
  if (op.getReduction() != "update" && op.getReduction() != "add")
    return d.refuse() << "reduction update or add, but got "
                      << op.getReduction();
  // Updates may lie in a part of the other dimensions.
  Term read = g;
  for (int64_t dim : getOthers(axis, g.getRank())) {
    int64_t size = updates.getSize(dim);
    if (ShapedType::isDynamic(size) && size != g.getSize(dim))
      return d.refuse() << "updates of known sizes, but got "
                        << op.getUpdates().getType();
    if (!ShapedType::isDynamic(size))
      read = d.slice(read, dim, 0, size);
  }
  bool isAdded = op.getReduction() == "add";
  d.set(0, isAdded ? g
                   : d.make<ScatterElementsOp>(g.get(), op.getIndices(),
                                               d.zerosLike(updates).get(), axis,
                                               "update"));
  d.set(2, d.make<GatherOp>(read.get(), op.getIndices(), axis));
  return success();
}

static LogicalResult differentiate(ScatterNdOp op, Gradient &d) {
  Term g = d.get(), updates = d.term(op.getUpdates());
  if (op.getMode() != "update" && op.getMode() != "add")
    return d.refuse() << "mode update or add, but got " << op.getMode();
  bool isAdded = op.getMode() == "add";
  d.set(0, isAdded ? g
                   : d.make<ScatterNdOp>(g.get(), op.getIndices(),
                                         d.zerosLike(updates).get(), "update"));
  d.set(2, d.make<GatherNdOp>(g.get(), op.getIndices(), int64_t(0),
                              IntegerAttr()));
  return success();
}

static void differentiate(SparseToDenseOp op, Gradient &d) {
  d.setMoved(1);
  // What does not come from a value.
  Term isDefault = d.make<EqualOp>(d.getPositions(1).get(),
                                   d.number(0, d.getI64Type()).get());
  d.set(2, d.sumAll(d.where(isDefault, d.get(), d.number(0, d.get()))));
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

static void differentiate(SortOp op, Gradient &d) {
  Term order = d.make<ArgsortOp>(op.getData(), op.getAxis(), op.getIsAscend(),
                                 TypeAttr::get(d.getI32Type()));
  Term x = d.term(op.getData());
  d.set(0, scatterElements(x, order, d.get(),
                           normalize(op.getAxis(), x.getRank())));
}

/// Positions have no gradient: only that of the values counts.
static void differentiateTopk(Operation *op, int64_t axis, StringRef returned,
                              Gradient &d) {
  if (returned == "indices")
    return;
  Term x = d.term(op->getOperand(0));
  Value indices;
  if (returned == "both") {
    indices = d.make<TupleGetItemOp>(op->getResult(0), int64_t(1));
  } else {
    OperationState state(op->getLoc(), op->getName(), op->getOperands(),
                         d.get().getType().clone(d.getI32Type()),
                         op->getAttrs());
    state.attributes.set("ret_type", d.getStringAttr("indices"));
    state.attributes.set("dtype", TypeAttr::get(d.getI32Type()));
    indices = d.create(state)->getResult(0);
  }
  d.set(0, scatterElements(x, indices, d.get(), normalize(axis, x.getRank())));
}
static void differentiate(TopkOp op, Gradient &d) {
  differentiateTopk(op, op.getAxis(), op.getRetType(), d);
}
static void differentiate(DynTopkOp op, Gradient &d) {
  differentiateTopk(op, op.getAxis(), op.getRetType(), d);
}

} // namespace mlir::relay::gradients

void gradients::registerIndexing(MLIRContext *context) {
  attach<TakeOp, GatherOp, GatherNdOp, AdvIndexOp, ScatterElementsOp,
         ScatterNdOp, SparseToDenseOp, SortOp, TopkOp, DynTopkOp>(context);
}
