//===- LoopPlan.cpp - What the emitter must know before it starts ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks at the whole kernel before the emitter changes anything, and decides
//
// * which vectorized loops can run on lanes, and why others cannot,
// * which reductions over lanes accumulate in each lane, and behind which loop
//   the lanes are combined,
// * before which loop the init of a reduction runs.
//
//===----------------------------------------------------------------------===//

#include "LoopPlan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "relay-mlir/Dialect/TIR/Analysis/CombiningKind.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay::detail;
using tir::BlockOp;
using tir::ForOp;

//===----------------------------------------------------------------------===//
// Dependence on loops
//===----------------------------------------------------------------------===//

bool LoopDependence::contains(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  bool result = compute(value);
  known[value] = result;
  return result;
}

bool LoopDependence::compute(Value value) {
  if (value == loop.getInductionVar())
    return true;
  // Whatever is defined outside does not change.
  if (!loop.getRegion().isAncestor(value.getParentRegion()))
    return false;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    Operation *parent = arg.getOwner()->getParentOp();
    if (auto block = dyn_cast<BlockOp>(parent))
      return contains(block.getBindings()[arg.getArgNumber()]);
    // Inner loops run through the same values each time if their bounds do not
    // change. Other region arguments are loop-carried data.
    if (auto inner = dyn_cast<ForOp>(parent))
      return llvm::any_of(inner->getOperands(),
                          [&](Value operand) { return contains(operand); });
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() != 0)
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return !isa<MemRefType>(operand.getType()) && contains(operand);
  });
}

/// The index operands of a load or a store of one element.
static OperandRange getIndexOperands(Operation *op) {
  return llvm::TypeSwitch<Operation *, OperandRange>(op)
      .Case<affine::AffineLoadOp, affine::AffineStoreOp>(
          [](auto access) { return OperandRange(access.getMapOperands()); })
      .Case<memref::LoadOp, memref::StoreOp>(
          [](auto access) { return OperandRange(access.getIndices()); })
      .DefaultUnreachable("not an element access");
}

static bool isElementLoad(Operation *op) {
  return isa<affine::AffineLoadOp, memref::LoadOp>(op);
}
static bool isElementStore(Operation *op) {
  return isa<affine::AffineStoreOp, memref::StoreOp>(op);
}
static Value getAccessedBuffer(Operation *op) {
  return op->getOperand(isElementLoad(op) ? 0 : 1);
}

//===----------------------------------------------------------------------===//
// Init of reductions
//===----------------------------------------------------------------------===//

void LoopPlan::planInit(BlockOp block) {
  SmallVector<Value> spatial, reduce;
  for (auto [kind, binding] : llvm::zip(block.getKinds(), block.getBindings()))
    (kind == tir::IterKind::Reduce ? reduce : spatial).push_back(binding);
  auto feeds = [](ForOp loop, ArrayRef<Value> bindings) {
    return llvm::any_of(bindings, [&](Value v) { return dependsOn(v, loop); });
  };

  SmallVector<ForOp, 6> loops = block.getLoops();
  ForOp outermost;
  for (ForOp loop : loops) {
    if (!feeds(loop, reduce))
      continue;
    if (!outermost)
      outermost = loop;
    // Before a loop that moves both, no single place is the start.
    if (feeds(loop, spatial) || loop.getKind() == tir::ForKind::Parallel)
      return;
  }
  if (!outermost)
    return;

  // Another block in the loop that uses the result needs it as it was.
  SmallVector<Value> buffers;
  block.getInit().walk([&](Operation *op) {
    if (isElementStore(op))
      buffers.push_back(tir::getBaseBuffer(getAccessedBuffer(op)));
  });
  for (BlockOp other : outermost.getBlocks()) {
    if (other == block)
      continue;
    for (const tir::BufferAccess &access : tir::collectAccesses(other))
      if (llvm::is_contained(buffers, access.buffer))
        return;
  }
  hoistedInits.insert(block);
  initsBefore[outermost].push_back(block);
}

ArrayRef<BlockOp> LoopPlan::getInitsBefore(ForOp loop) const {
  auto it = initsBefore.find(loop);
  return it == initsBefore.end() ? ArrayRef<BlockOp>() : it->second;
}

//===----------------------------------------------------------------------===//
// Vectorized loops
//===----------------------------------------------------------------------===//

static AffineMap getAccessMap(Operation *op) {
  if (auto load = dyn_cast<affine::AffineLoadOp>(op))
    return load.getAffineMap();
  if (auto store = dyn_cast<affine::AffineStoreOp>(op))
    return store.getAffineMap();
  return AffineMap::getMultiDimIdentityMap(getIndexOperands(op).size(),
                                           op->getContext());
}

std::optional<LaneReduction> LoopPlan::matchReduction(Operation *store,
                                                      ForOp loop) {
  Operation *combiner = store->getOperand(0).getDefiningOp();
  if (!combiner || !combiner->hasOneUse() ||
      combiner->getBlock() != store->getBlock())
    return std::nullopt;
  // Sums of half precision would be rounded in another order, and machines
  // have no reductions of bits.
  Type type = store->getOperand(0).getType();
  if (type.isInteger(1) || type.isF16() || type.isBF16())
    return std::nullopt;
  std::optional<vector::CombiningKind> kind = tir::getCombiningKind(combiner);
  if (!kind)
    return std::nullopt;
  for (unsigned operand : {0u, 1u}) {
    Operation *load = combiner->getOperand(operand).getDefiningOp();
    if (!load || !isElementLoad(load) || !load->hasOneUse() ||
        load->getBlock() != store->getBlock() ||
        getAccessedBuffer(load) != getAccessedBuffer(store) ||
        getAccessMap(load) != getAccessMap(store) ||
        !llvm::equal(getIndexOperands(load), getIndexOperands(store)))
      continue;
    auto block = store->getParentOfType<BlockOp>();
    if (!block || (block.getInit() && !isInitHoisted(block)))
      return std::nullopt;

    // The lanes may run on until somebody else needs the sum.
    Value buffer = tir::getBaseBuffer(getAccessedBuffer(store));
    auto isPrivate = [&](ForOp candidate) {
      WalkResult result = candidate.walk([&](Operation *op) {
        if (op == load || op == store || isa<BlockOp>(op) ||
            (block.getInit() && block.getInit()->isProperAncestor(op)))
          return WalkResult::advance();
        for (Value value : op->getOperands())
          if (isa<MemRefType>(value.getType()) &&
              tir::getBaseBuffer(value) == buffer)
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
      return !result.wasInterrupted();
    };
    auto leavesInPlace = [&](ForOp candidate) {
      return llvm::none_of(getIndexOperands(store), [&](Value index) {
        return dependsOn(index, candidate);
      });
    };
    if (!isPrivate(loop))
      return std::nullopt;
    ForOp carrier = loop;
    // No further out than the init, which stores to the accumulator.
    for (ForOp parent = carrier.getParentLoop();
         parent && !llvm::is_contained(getInitsBefore(carrier), block);
         parent = parent.getParentLoop()) {
      bool canCarry = parent.getKind() == tir::ForKind::Serial ||
                      parent.getKind() == tir::ForKind::Unrolled;
      if (!canCarry || !leavesInPlace(parent) || !isPrivate(parent))
        break;
      carrier = parent;
    }
    return LaneReduction{
        load,  combiner, store,  combiner->getOperand(!operand),
        *kind, block,    carrier};
  }
  return std::nullopt;
}

const char *LoopPlan::planVectorized(ForOp loop) {
  SmallVector<LaneReduction> found;
  const char *reason = nullptr;
  loop.getBody()->walk([&](Operation *op) {
    auto refuse = [&](const char *why) {
      reason = why;
      return WalkResult::interrupt();
    };
    if (isa<BlockOp, tir::InitOp, tir::YieldOp, scf::YieldOp,
            affine::AffineYieldOp, scf::IfOp, affine::AffineIfOp,
            affine::AffineApplyOp, memref::DimOp, UnrealizedConversionCastOp>(
            op) ||
        op->hasTrait<OpTrait::ConstantLike>() || isElementLoad(op))
      return WalkResult::advance();
    if (auto inner = dyn_cast<ForOp>(op)) {
      for (Value bound : inner->getOperands())
        if (dependsOn(bound, loop))
          return refuse("bounds of an inner loop differ between lanes");
      return WalkResult::advance();
    }
    if (isElementStore(op)) {
      bool moves = llvm::any_of(getIndexOperands(op), [&](Value index) {
        return dependsOn(index, loop);
      });
      if (moves)
        return WalkResult::advance();
      // An init that is hoisted out of this loop does not meet the lanes.
      if (auto init = op->getParentOfType<tir::InitOp>()) {
        auto block = cast<BlockOp>(init->getParentOp());
        for (ForOp around : block.getLoops())
          if (llvm::is_contained(getInitsBefore(around), block) &&
              around->isAncestor(loop))
            return WalkResult::advance();
        return refuse("its iterations store to the same element");
      }
      std::optional<LaneReduction> reduction = matchReduction(op, loop);
      if (!reduction)
        return refuse("its iterations store to the same element");
      found.push_back(*reduction);
      return WalkResult::advance();
    }
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return refuse("an operation has no form on vectors");
    for (Type type : op->getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return refuse("an operation has no form on vectors");
    return WalkResult::advance();
  });
  if (reason)
    return reason;
  vectorizable.insert(loop);
  for (const LaneReduction &reduction : found) {
    const LaneReduction *kept = &reductions.emplace_back(reduction);
    for (Operation *op : {kept->load, kept->combiner, kept->store})
      reductionOf[op] = kept;
    carriedBy[kept->carrier].push_back(kept);
  }
  return nullptr;
}

ArrayRef<const LaneReduction *>
LoopPlan::getReductionsCarriedBy(ForOp loop) const {
  auto it = carriedBy.find(loop);
  return it == carriedBy.end() ? ArrayRef<const LaneReduction *>() : it->second;
}

void LoopPlan::analyze(tir::PrimFuncOp kernel) {
  kernel.walk([&](BlockOp block) {
    if (block.getInit())
      planInit(block);
  });
  kernel.walk<WalkOrder::PostOrder>([&](ForOp loop) {
    if (loop.getKind() != tir::ForKind::Vectorized)
      return;
    // Of vectorized loops in one another, the innermost has the lanes.
    bool hasInner = loop.getBody()
                        ->walk([&](ForOp inner) {
                          return canVectorize(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                        })
                        .wasInterrupted();
    const char *reason =
        hasInner ? "a loop inside it is vectorized" : planVectorized(loop);
    if (reason)
      remark::missed(loop.getLoc(), remark::RemarkOpts::name("vectorize")
                                        .category("tir-lowering")
                                        .function(kernel.getSymName()))
          << (Twine("vectorized loop runs serially: ") + reason).str();
  });
}
