//===- BlockNest.cpp - What there is to ask of a fresh block ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::tir;

int64_t mlir::tir::guessSize(OpFoldResult size, int64_t guess) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return *known;
  auto apply = cast<Value>(size).getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return guess;
  AffineMap map = apply.getAffineMap();
  SmallVector<AffineExpr> values;
  for (Value operand : apply.getMapOperands())
    values.push_back(
        getAffineConstantExpr(guessSize(operand, guess), map.getContext()));
  ArrayRef<AffineExpr> all = values;
  auto value =
      dyn_cast<AffineConstantExpr>(map.getResult(0).replaceDimsAndSymbols(
          all.take_front(map.getNumDims()), all.drop_front(map.getNumDims())));
  return value ? std::max<int64_t>(value.getValue(), 1) : guess;
}

FailureOr<BlockNest> BlockNest::get(BlockOp block) {
  BlockNest nest;
  nest.block = block;
  nest.kinds = block.getKinds();
  llvm::append_range(nest.loops, block.getLoops());
  if (block.getPredicate() || nest.loops.size() != block.getNumIters())
    return failure();
  for (auto [index, loop] : llvm::enumerate(nest.loops)) {
    bool isOnly = index + 1 == nest.loops.size()
                      ? llvm::hasNItems(*loop.getBody(), 2)
                      : loop.getOnlyChildLoop() == nest.loops[index + 1];
    if (!isOnly || loop.getKind() != ForKind::Serial ||
        loop.getConstantLowerBound() != 0 ||
        block.getBindings()[index] != loop.getInductionVar())
      return failure();
    nest.extents.push_back(loop.getConstantExtent());
    nest.guesses.push_back(guessSize(block.getExtents()[index]));
  }
  nest.accesses = collectAccesses(block);
  return nest;
}

BlockNest BlockNest::getWithoutLoops(BlockOp block) {
  BlockNest nest;
  nest.block = block;
  nest.kinds = block.getKinds();
  for (OpFoldResult extent : block.getExtents()) {
    nest.extents.push_back(getConstantIntValue(extent));
    nest.guesses.push_back(guessSize(extent));
  }
  nest.accesses = collectAccesses(block);
  return nest;
}

SmallVector<unsigned> BlockNest::getVars(bool wantReduce) const {
  SmallVector<unsigned> vars;
  for (unsigned var = 0; var != getNumVars(); ++var)
    if (isReduce(var) == wantReduce)
      vars.push_back(var);
  return vars;
}

const BufferAccess *BlockNest::getAccess(Operation *op) const {
  for (const BufferAccess &access : accesses)
    if (access.op == op)
      return &access;
  return nullptr;
}

const BufferAccess *BlockNest::getStore() const {
  const BufferAccess *store = nullptr;
  for (const BufferAccess &access : accesses) {
    if (!access.isWrite || isa<InitOp>(access.op->getParentOp()))
      continue;
    if (store)
      return nullptr;
    store = &access;
  }
  return store;
}

bool BlockNest::areJointlyContiguous(unsigned outer, unsigned inner) const {
  std::optional<int64_t> extent = getExtent(inner);
  if (!extent)
    return false;
  return llvm::all_of(accesses, [&](const BufferAccess &access) {
    std::optional<int64_t> high = getStride(access, outer);
    std::optional<int64_t> low = getStride(access, inner);
    return high && low && *high == *low * *extent;
  });
}

double BlockNest::getNumInstances() const {
  double count = 1;
  for (unsigned var = 0; var != getNumVars(); ++var)
    count *= guessExtent(var);
  return count;
}

int64_t mlir::tir::getBodyWork(BlockOp block) {
  int64_t numOps = 0;
  block.getBody()->walk([&](Operation *op) {
    // Machines have these; transcendental functions take a polynomial each, and
    // a square root takes as long.
    bool isPlain = isa<math::AbsFOp, math::AbsIOp, math::CeilOp,
                       math::CopySignOp, math::FloorOp, math::FmaOp,
                       math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
    bool isMath = op->getName().getDialectNamespace() == "math";
    numOps += isMath && !isPlain ? 15 : 1;
  });
  return numOps;
}

double BlockNest::getWork() const {
  return getNumInstances() * getBodyWork(block);
}

bool mlir::tir::dependsOn(const BufferAccess &access, unsigned var) {
  return !access.map || access.map->isFunctionOfDim(var);
}

std::optional<int64_t> mlir::tir::getStride(const BufferAccess &access,
                                            unsigned var) {
  auto type = cast<MemRefType>(access.buffer.getType());
  if (!access.map)
    return std::nullopt;
  int64_t total = 0;
  std::optional<int64_t> size = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    for (auto [term, coefficient] :
         LinearSum::get(access.map->getResult(axis)).terms) {
      auto dim = dyn_cast<AffineDimExpr>(term);
      if (dim && dim.getPosition() == var) {
        if (!size)
          return std::nullopt;
        total += coefficient * *size;
      } else if (term.isFunctionOfDim(var)) {
        return std::nullopt;
      }
    }
    if (type.isDynamicDim(axis))
      size = std::nullopt;
    else if (size)
      *size *= type.getDimSize(axis);
  }
  return total;
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// The load that `value` is, seen through conversions.
static Operation *getLoad(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && isa<affine::AffineLoadOp, memref::LoadOp>(op) ? op : nullptr;
}

/// Whether `block` computes what it stores, element by element, from constants
/// alone: itself, or by blocks of the same kind.
static bool followsFromConstants(BlockOp block) {
  auto kernel = block->getParentOfType<PrimFuncOp>();
  SmallVector<BlockOp> worklist = {block};
  DenseSet<Operation *> visited;
  while (!worklist.empty()) {
    BlockOp maker = worklist.pop_back_val();
    if (!visited.insert(maker).second)
      continue;
    if (llvm::is_contained(maker.getKinds(), IterKind::Reduce))
      return false;
    for (const BufferAccess &access : collectAccesses(maker)) {
      if (access.isWrite)
        continue;
      auto argument = dyn_cast<BlockArgument>(access.buffer);
      if (!argument)
        llvm::append_range(worklist, getWriters(access.buffer));
      else if (!kernel.isLayoutFree(argument.getArgNumber()))
        return false;
    }
  }
  return true;
}

bool mlir::tir::isUnsigned(const BufferAccess &access) {
  return llvm::any_of(access.op->getUsers(), llvm::IsaPred<arith::ExtUIOp>);
}

std::optional<SumOfProducts>
mlir::tir::matchSumOfProducts(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction() ||
      !BlockOp(nest.block).getInit())
    return std::nullopt;
  Operation *sum = store->op->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    Operation *old = getLoad(sum->getOperand(i));
    Operation *product = sum->getOperand(1 - i).getDefiningOp();
    if (!old || !product || !isa<arith::MulFOp, arith::MulIOp>(product))
      continue;
    const BufferAccess *update = nest.getAccess(old);
    if (!update || update->buffer != store->buffer || update->map != store->map)
      continue;
    Operation *lhs = getLoad(product->getOperand(0));
    Operation *rhs = getLoad(product->getOperand(1));
    const BufferAccess *first = lhs ? nest.getAccess(lhs) : nullptr;
    const BufferAccess *second = rhs ? nest.getAccess(rhs) : nullptr;
    if (!first || !second || !first->map || !second->map ||
        !first->symbols.empty() || !second->symbols.empty())
      return std::nullopt;
    return SumOfProducts{*first, *second, *store};
  }
  return std::nullopt;
}

bool mlir::tir::isWeightMaker(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  auto allocation =
      store ? store->buffer.getDefiningOp<AllocBufferOp>() : AllocBufferOp();
  if (!allocation || !allocation.getType().hasStaticShape() || !store->map ||
      !store->map->isPermutation() || getWriters(store->buffer).size() != 1 ||
      !followsFromConstants(nest.block))
    return false;
  BlockOp reader = getOnlyReader(store->buffer);
  if (!reader)
    return false;
  FailureOr<BlockNest> product = BlockNest::get(reader);
  return succeeded(product) && matchSumOfProducts(*product);
}
