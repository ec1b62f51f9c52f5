//===- AffineNest.cpp - Loop nests as sums of steps -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

SmallVector<tir::BlockOp> relay::detail::getBlocksBelow(Operation *op) {
  SmallVector<tir::BlockOp> blocks;
  op->walk([&](tir::BlockOp block) { blocks.push_back(block); });
  return blocks;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

static LinearIndex scale(LinearIndex index, int64_t factor) {
  index.constant *= factor;
  for (int64_t &step : index.steps)
    step *= factor;
  return index;
}

static LinearIndex add(LinearIndex lhs, const LinearIndex &rhs) {
  lhs.constant += rhs.constant;
  for (auto [left, right] : llvm::zip_equal(lhs.steps, rhs.steps))
    left += right;
  return lhs;
}

bool LinearIndex::toElements(ArrayRef<unsigned> lanes, int64_t numLanes) {
  if (constant % numLanes != 0)
    return false;
  constant /= numLanes;
  for (auto [loop, step] : llvm::enumerate(steps)) {
    if (llvm::is_contained(lanes, loop))
      continue;
    if (step % numLanes != 0)
      return false;
    step /= numLanes;
  }
  return true;
}

FailureOr<LinearIndex> AffineNest::evaluate(AffineExpr expr,
                                            ArrayRef<LinearIndex> operands,
                                            unsigned numDims) const {
  LinearIndex result;
  result.steps.assign(getNumLoops(), 0);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    result.constant = constant.getValue();
    return result;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  FailureOr<LinearIndex> lhs = evaluate(binary.getLHS(), operands, numDims);
  FailureOr<LinearIndex> rhs = evaluate(binary.getRHS(), operands, numDims);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return add(*lhs, *rhs);
  if (!rhs->isConstant())
    return failure();
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(*lhs, rhs->constant);
  // Divisions of what steps are multiples of, but for some that stay between
  // two multiples of the divisor.
  int64_t divisor = rhs->constant;
  if (divisor <= 0)
    return failure();
  int64_t rest = ((lhs->constant % divisor) + divisor) % divisor;
  int64_t least = rest, most = rest;
  LinearIndex remainder;
  remainder.constant = rest;
  for (auto [step, extent] : llvm::zip_equal(lhs->steps, extents)) {
    remainder.steps.push_back(step % divisor == 0 ? 0 : step);
    (step < 0 ? least : most) += remainder.steps.back() * (extent - 1);
  }
  if (least < 0 || most >= divisor)
    return failure();
  if (expr.getKind() == AffineExprKind::Mod)
    return remainder;
  result.constant = (lhs->constant - rest) / divisor;
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    if (least == 0 && most != 0)
      return failure();
    result.constant += most != 0;
  }
  for (auto [to, from, small] :
       llvm::zip_equal(result.steps, lhs->steps, remainder.steps))
    to = small == 0 ? from / divisor : 0;
  return result;
}

FailureOr<LinearIndex> AffineNest::lookup(Value value) const {
  auto it = values.find(value);
  if (it != values.end())
    return it->second;
  LinearIndex result;
  result.steps.assign(getNumLoops(), 0);
  if (auto constant = value.getDefiningOp<arith::ConstantIndexOp>()) {
    result.constant = constant.value();
    return result;
  }
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return getIndex(apply.getAffineMap().getResult(0),
                    apply.getAffineMap().getNumDims(), apply.getOperands());
  return failure();
}

FailureOr<LinearIndex> AffineNest::getIndex(AffineExpr expr, unsigned numDims,
                                            ValueRange operands) const {
  SmallVector<LinearIndex> indices;
  for (Value operand : operands) {
    FailureOr<LinearIndex> index = lookup(operand);
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  return evaluate(expr, indices, numDims);
}

FailureOr<LinearIndex> AffineNest::getAddress(Operation *op) const {
  AffineMap map;
  SmallVector<Value> operands;
  MemRefType type;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    map = load.getAffineMap();
    operands = load.getMapOperands();
    type = load.getMemRefType();
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    map = store.getAffineMap();
    operands = store.getMapOperands();
    type = store.getMemRefType();
  } else {
    return failure();
  }
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return failure();
  LinearIndex address;
  address.steps.assign(getNumLoops(), 0);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape())) {
    FailureOr<LinearIndex> index = getIndex(expr, map.getNumDims(), operands);
    if (failed(index))
      return failure();
    address = add(scale(address, size), *index);
  }
  return address;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

void AffineNest::split(unsigned loop, int64_t size) {
  extents[loop] /= size;
  extents.push_back(size);
  for (auto &[value, index] : values) {
    int64_t step = index.steps[loop];
    index.steps[loop] = step * size;
    index.steps.push_back(step);
  }
}

void AffineNest::restrict(unsigned loop, int64_t begin, int64_t size) {
  extents[loop] = size;
  for (auto &[value, index] : values)
    index.constant += index.steps[loop] * begin;
}

std::optional<unsigned>
AffineNest::takeLoop(int64_t size, function_ref<bool(unsigned)> matches) {
  for (unsigned loop = 0; loop < getNumLoops(); ++loop) {
    if (extents[loop] % size != 0 || !matches(loop))
      continue;
    if (extents[loop] == size)
      return loop;
    split(loop, size);
    return getNumLoops() - 1;
  }
  return std::nullopt;
}

std::optional<SmallVector<unsigned>> AffineNest::takeLanes(Operation *access,
                                                           int64_t numLanes) {
  SmallVector<unsigned> lanes;
  for (int64_t taken = 1; taken < numLanes;) {
    FailureOr<LinearIndex> address = getAddress(access);
    if (failed(address))
      return std::nullopt;
    std::optional<unsigned> next;
    for (unsigned loop = 0; loop < getNumLoops() && !next; ++loop)
      if (address->steps[loop] == taken && extents[loop] > 1 &&
          !llvm::is_contained(lanes, loop))
        next = loop;
    if (!next)
      return std::nullopt;
    // Images of a block and positions may be one loop.
    int64_t rest = numLanes / taken;
    if (extents[*next] > rest && extents[*next] % rest == 0) {
      split(*next, rest);
      next = getNumLoops() - 1;
    }
    if (numLanes % (taken * extents[*next]) != 0)
      return std::nullopt;
    lanes.push_back(*next);
    taken *= extents[*next];
  }
  return lanes;
}

FailureOr<AffineNest> AffineNest::get(tir::ForOp root,
                                      const IndexValues &outer) {
  AffineNest nest;
  nest.block = getBlocksBelow(root).front();
  SmallVector<tir::ForOp> loops;
  for (tir::ForOp loop : nest.block.getLoops())
    if (root->isAncestor(loop))
      loops.push_back(loop);
  for (tir::ForOp loop : loops) {
    std::optional<int64_t> extent = loop.getConstantExtent();
    if (!extent || !loop.getConstantLowerBound())
      return loop.emitError(
          "expects a loop with constant bounds in a kernel of VTA");
    nest.extents.push_back(*extent);
  }
  auto getConstant = [&](int64_t value) {
    LinearIndex index;
    index.constant = value;
    index.steps.assign(loops.size(), 0);
    return index;
  };
  for (auto [value, number] : outer)
    nest.values[value] = getConstant(number);
  for (auto [position, loop] : llvm::enumerate(loops)) {
    LinearIndex index = getConstant(*loop.getConstantLowerBound());
    index.steps[position] = 1;
    nest.values[loop.getInductionVar()] = index;
  }
  for (auto [variable, binding] :
       llvm::zip_equal(nest.block.getIterVars(), nest.block.getBindings())) {
    FailureOr<LinearIndex> index = nest.lookup(binding);
    if (failed(index))
      return nest.block.emitError("expects indices that are sums of loops in "
                                  "a kernel of VTA, but got another one");
    nest.values[variable] = *index;
  }
  if (nest.block.getPredicate())
    return nest.block.emitError(
        "expects tiles that divide sizes in a kernel of VTA, but got a block "
        "with a condition");
  return nest;
}
