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

/// What is written takes the place of what was there, or is added to it, or
/// multiplied by it, or the larger or smaller of them stays; where an element
/// is written twice, each counts. `scatter` writes into a tensor like data,
/// `read` reads where updates are written.
template <typename Scatter, typename Read>
static LogicalResult differentiateWriting(Operation *op, StringRef how,
                                          Gradient &d, const Scatter &scatter,
                                          const Read &read) {
  Term g = d.get(), data = d.term(op->getOperand(0));
  Term updates = d.term(op->getOperand(2));
  if (how == "add") {
    d.set(0, g);
    d.set(2, read(g));
  } else if (how == "update") {
    d.set(0, scatter(g, d.zerosLike(updates), "update"));
    d.set(2, read(g));
  } else if (how == "mul") {
    // The product of what is not 0, how much is 0, and the sum of that: it is
    // 0, but has a gradient.
    auto isZero = [&](Term x) { return isEqual(x, d.number(0, x)); };
    auto orOne = [&](Term x) { return d.where(isZero(x), d.number(1, x), x); };
    auto orZero = [&](Term x) { return d.where(isZero(x), x, d.number(0, x)); };
    auto count = [&](Term x) {
      return d.castTo(isZero(x), x.getElementType());
    };
    Term product = scatter(orOne(data), orOne(updates), "mul");
    Term zeros = scatter(count(data), count(updates), "add");
    Term sum = scatter(orZero(data), orZero(updates), "add");
    // The product of all others than x.
    auto multiplyOthers = [&](Term x, Term product, Term zeros, Term sum) {
      Term none = d.number(0, x), one = d.number(1, x);
      Term isOne = isEqual(zeros, one);
      Term rest = product / orOne(x);
      Term ofZero = d.where(
          isOne, product,
          d.where(isEqual(zeros, one + one), product * (sum - x), none));
      Term ofOthers =
          d.where(isEqual(zeros, none), rest, d.where(isOne, rest * sum, none));
      return d.where(isZero(x), ofZero, ofOthers);
    };
    d.set(0, g * multiplyOthers(data, product, zeros, sum));
    d.set(2, read(g) * multiplyOthers(updates, read(product), read(zeros),
                                      read(sum)));
  } else if (how == "min" || how == "max") {
    // Equal elements share the gradient.
    Term y = d.term(op->getResult(0));
    auto isEqualTo = [&](Term x, Term y) {
      return d.castTo(isEqual(x, y), x.getElementType());
    };
    Term inData = isEqualTo(data, y), inUpdates = isEqualTo(updates, read(y));
    Term share = g / scatter(inData, inUpdates, "add");
    d.set(0, share * inData);
    d.set(2, read(share) * inUpdates);
  } else {
    return d.refuse() << "update, add, mul, min or max, but got " << how;
  }
  return success();
}

static LogicalResult differentiate(ScatterElementsOp op, Gradient &d) {
  Term updates = d.term(op.getUpdates());
  int64_t rank = updates.getRank(), axis = normalize(op.getAxis(), rank);
  // Updates may lie in a part of the other dimensions.
  for (int64_t dim : getOthers(axis, rank))
    if (ShapedType::isDynamic(updates.getSize(dim)) &&
        updates.getSize(dim) != d.get().getSize(dim))
      return d.refuse() << "updates of known sizes, but got "
                        << op.getUpdates().getType();
  auto scatter = [&](Term x, Term updates, StringRef how) -> Term {
    return d.make<ScatterElementsOp>(x.get(), op.getIndices(), updates.get(),
                                     axis, how);
  };
  auto read = [&](Term x) -> Term {
    for (int64_t dim : getOthers(axis, rank))
      if (int64_t size = updates.getSize(dim); !ShapedType::isDynamic(size))
        x = d.slice(x, dim, 0, size);
    return d.make<GatherOp>(x.get(), op.getIndices(), axis);
  };
  return differentiateWriting(op, op.getReduction(), d, scatter, read);
}

static LogicalResult differentiate(ScatterNdOp op, Gradient &d) {
  auto scatter = [&](Term x, Term updates, StringRef how) -> Term {
    return d.make<ScatterNdOp>(x.get(), op.getIndices(), updates.get(), how);
  };
  auto read = [&](Term x) -> Term {
    return d.make<GatherNdOp>(x.get(), op.getIndices(), int64_t(0),
                              IntegerAttr());
  };
  return differentiateWriting(op, op.getMode(), d, scatter, read);
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
