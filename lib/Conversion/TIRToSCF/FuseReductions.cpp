//===- FuseReductions.cpp - Reduce what is still in registers -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseReductions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace {

/// An index as a constant and multiples of values. The variables of the two
/// loops are the same one, the null value.
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallMapVector<Value, int64_t, 4> terms;

  void add(Value term, int64_t factor) {
    if ((terms[term] += factor) == 0)
      terms.erase(term);
  }
  /// How far this is behind `other`, if that is known.
  std::optional<int64_t> getDistance(const LinearIndex &other) const {
    if (terms.size() != other.terms.size())
      return std::nullopt;
    for (auto [term, factor] : terms)
      if (other.terms.lookup(term) != factor)
        return std::nullopt;
    return constant - other.constant;
  }
};

} // namespace

static void addIndex(LinearIndex &sum, Value index, int64_t factor,
                     Value variable) {
  if (std::optional<int64_t> constant = getConstantIntValue(index)) {
    sum.constant += *constant * factor;
    return;
  }
  if (index == variable)
    return sum.add(Value(), factor);
  if (auto add = index.getDefiningOp<arith::AddIOp>()) {
    addIndex(sum, add.getLhs(), factor, variable);
    return addIndex(sum, add.getRhs(), factor, variable);
  }
  if (auto mul = index.getDefiningOp<arith::MulIOp>())
    if (std::optional<int64_t> constant = getConstantIntValue(mul.getRhs()))
      return addIndex(sum, mul.getLhs(), factor * *constant, variable);
  sum.add(index, factor);
}

/// The buffer that `memref` is all of, in another shape.
static Value getBase(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

/// The row-major position of an element; none if the shape is not known.
static std::optional<LinearIndex> getPosition(Value memref, ValueRange indices,
                                              Value variable) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return std::nullopt;
  LinearIndex position;
  int64_t stride = 1;
  for (auto [index, size] :
       llvm::reverse(llvm::zip_equal(indices, type.getShape()))) {
    addIndex(position, index, stride, variable);
    stride *= size;
  }
  return position;
}

/// The only store of `loop`, if it does nothing but compute vectors and store
/// them to a buffer on the stack.
static vector::StoreOp getOnlyStore(scf::ForOp loop) {
  vector::StoreOp store;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() != 0)
      return {};
    if (auto next = dyn_cast<vector::StoreOp>(op)) {
      if (store)
        return {};
      store = next;
    } else if (!isPure(&op) && !isa<memref::LoadOp, vector::LoadOp>(op)) {
      return {};
    }
  }
  if (!store || loop.getNumResults() != 0 ||
      !getBase(store.getBase()).getDefiningOp<memref::AllocaOp>() ||
      store.getVectorType().getRank() != 1)
    return {};
  return store;
}

/// The loop before `loop` with the same iterations; only values are computed in
/// between.
static scf::ForOp getLoopBefore(scf::ForOp loop) {
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
    auto before = dyn_cast<scf::ForOp>(op);
    if (!before) {
      if (!isPure(op) || op->getNumRegions() != 0)
        return {};
      continue;
    }
    auto isSame = [](Value lhs, Value rhs) {
      return isEqualConstantIntOrValue(getAsOpFoldResult(lhs),
                                       getAsOpFoldResult(rhs));
    };
    if (isSame(before.getLowerBound(), loop.getLowerBound()) &&
        isSame(before.getUpperBound(), loop.getUpperBound()) &&
        isSame(before.getStep(), loop.getStep()))
      return before;
    return {};
  }
  return {};
}

static void fuseWithStores(scf::ForOp loop) {
  scf::ForOp before = getLoopBefore(loop);
  vector::StoreOp store = before ? getOnlyStore(before) : vector::StoreOp();
  if (!store)
    return;
  Value buffer = getBase(store.getBase());
  std::optional<LinearIndex> stored = getPosition(
      store.getBase(), store.getIndices(), before.getInductionVar());
  int64_t numStored = store.getVectorType().getNumElements();
  if (!stored)
    return;

  // Where in the vector each load finds what it loads.
  SmallVector<std::pair<vector::LoadOp, int64_t>> loads;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isPure(&op) && op.getNumRegions() == 0)
      continue;
    auto load = dyn_cast<vector::LoadOp>(op);
    if (!load)
      return;
    if (getBase(load.getBase()) != buffer)
      continue;
    std::optional<LinearIndex> position =
        getPosition(load.getBase(), load.getIndices(), loop.getInductionVar());
    std::optional<int64_t> offset =
        position ? position->getDistance(*stored) : std::nullopt;
    if (!offset || *offset < 0 || load.getVectorType().getRank() != 1 ||
        *offset + load.getVectorType().getNumElements() > numStored)
      return;
    loads.push_back({load, *offset});
  }
  if (loads.empty())
    return;

  OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
  IRMapping mapping;
  mapping.map(before.getInductionVar(), loop.getInductionVar());
  for (Operation &op : before.getBody()->without_terminator())
    builder.clone(op, mapping);
  Value vector = mapping.lookupOrDefault(store.getValueToStore());
  for (auto [load, offset] : loads) {
    builder.setInsertionPoint(load);
    Value part = vector;
    if (load.getVectorType() != store.getVectorType())
      part = vector::ExtractStridedSliceOp::create(
          builder, load.getLoc(), vector, offset,
          load.getVectorType().getNumElements(), 1);
    load.replaceAllUsesWith(part);
    load.erase();
  }
  before.erase();
}

void mlir::relay::detail::fuseReductions(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) {
    if (loop.getNumResults() != 0)
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    fuseWithStores(loop);
}
