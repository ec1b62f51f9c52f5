//===- ThreadRegions.cpp - Bound loops to threads of a block --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of a block is a sequence of regions: a loop that is bound to threads
// is one, and what is between such loops is another, which one thread runs.
// Loops and conditions around them are the same for all threads. Regions that
// meet in memory have a barrier between them.
//
//===----------------------------------------------------------------------===//

#include "ThreadRegions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

std::optional<BoundAxis> mlir::relay::detail::getBoundAxis(Operation *op) {
  auto loop = dyn_cast<scf::ForallOp>(op);
  std::optional<ArrayAttr> mapping =
      loop ? loop.getMapping() : std::optional<ArrayAttr>();
  // The emitter maps one dimension at a time.
  if (!mapping || mapping->size() != 1)
    return std::nullopt;
  Attribute attr = mapping->getValue().front();
  bool isBlock = isa<gpu::GPUBlockMappingAttr>(attr);
  if (!isBlock && !isa<gpu::GPUThreadMappingAttr>(attr))
    return std::nullopt;
  auto id = cast<DeviceMappingAttrInterface>(attr).getMappingId();
  return BoundAxis{isBlock,
                   static_cast<unsigned>(id - int64_t(gpu::MappingId::DimX))};
}

bool mlir::relay::detail::hasBoundLoop(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return getBoundAxis(inner) ? WalkResult::interrupt()
                                   : WalkResult::advance();
      })
      .wasInterrupted();
}

std::optional<int64_t> mlir::relay::detail::getExtent(scf::ForallOp loop) {
  std::optional<int64_t> lower =
      getConstantIntValue(loop.getMixedLowerBound()[0]);
  std::optional<int64_t> upper =
      getConstantIntValue(loop.getMixedUpperBound()[0]);
  if (!lower || !upper)
    return std::nullopt;
  return std::max<int64_t>(0, *upper - *lower);
}

/// Threads along an axis whose loops have unknown extents.
static constexpr int64_t kThreads = 256;
static constexpr int64_t kMaxThreads = 1024;

FailureOr<BlockSize> mlir::relay::detail::getBlockSize(Operation *op) {
  BlockSize size = {1, 1, 1};
  op->walk([&](scf::ForallOp loop) {
    std::optional<BoundAxis> bound = getBoundAxis(loop);
    if (!bound || bound->isBlock)
      return;
    int64_t extent = getExtent(loop).value_or(kThreads);
    size[bound->axis] = std::max(size[bound->axis], extent);
  });
  if (size[0] * size[1] * size[2] > kMaxThreads || size[2] > 64)
    return op->emitError("expects loops of at most ")
           << kMaxThreads << " threads in all, but got " << size[0] << " x "
           << size[1] << " x " << size[2];
  return size;
}

namespace {

/// What a part of a block accesses: buffers that more than one thread sees.
struct Accesses {
  llvm::SmallPtrSet<Value, 8> reads, writes;
  /// Whether it accesses what is not known.
  bool isUnknown = false;

  bool isEmpty() const { return reads.empty() && writes.empty() && !isUnknown; }
  bool meets(const Accesses &other) const {
    if (isUnknown || other.isUnknown)
      return !isEmpty() && !other.isEmpty();
    auto overlap = [](const auto &a, const auto &b) {
      return llvm::any_of(a, [&](Value value) { return b.contains(value); });
    };
    return overlap(writes, other.writes) || overlap(writes, other.reads) ||
           overlap(reads, other.writes);
  }
  void add(const Accesses &other) {
    reads.insert(other.reads.begin(), other.reads.end());
    writes.insert(other.writes.begin(), other.writes.end());
    isUnknown |= other.isUnknown;
  }
};

/// Lowers the bound loops of one function.
class ThreadLowering {
public:
  ThreadLowering(gpu::GPUFuncOp function, BlockSize size,
                 llvm::function_ref<bool(scf::ForallOp)> isExact)
      : builder(function.getContext()), size(size), isExact(isExact) {}

  /// Code of a block, the same for all threads up to its regions. Returns what
  /// it accesses since the last barrier in `pending`.
  LogicalResult lowerBlock(Block &block);

private:
  Value getId(BoundAxis bound, Location loc);
  std::pair<Value, Value> getRange(scf::ForallOp loop, Value id);
  void inlineBody(scf::ForallOp loop, Value index);
  void lowerBlockLoop(scf::ForallOp loop);
  /// Makes a region code of one thread.
  void lowerThreads(Operation *op);
  void lowerThreadLoop(scf::ForallOp loop);
  /// Lets one thread run what is there, but along axes that are shared out.
  void runOnOneThread(Block::iterator begin, Block::iterator end,
                      std::array<bool, 3> isShared = {});
  /// Says that a region follows, before `op`.
  void enter(const Accesses &accesses, Operation *op);
  /// Puts a barrier before `op`.
  void wait(Operation *before);
  Value getIndex(int64_t value, Location loc) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  OpBuilder builder;
  BlockSize size;
  llvm::function_ref<bool(scf::ForallOp)> isExact;
  /// What regions access since the last barrier, and what they did before the
  /// first one in the loop at hand.
  Accesses pending, first;
  bool hasWaited = false;
  /// The axes along which threads have work in the region at hand.
  std::array<bool, 3> isUsed = {false, false, false};
};

} // namespace

static Value getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Whether each thread has its own.
static bool isPrivate(Value root) {
  auto alloca = root.getDefiningOp<memref::AllocaOp>();
  return alloca && !alloca.getType().getMemorySpace();
}

static Accesses getAccesses(Operation *op) {
  Accesses accesses;
  op->walk([&](Operation *inner) {
    // What copies access, they say themselves; a product by a warpgroup reads
    // what it has the address of.
    if (isa<NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp,
            NVVM::FenceProxyOp, NVVM::WgmmaFenceAlignedOp,
            NVVM::WgmmaGroupSyncAlignedOp, NVVM::WgmmaMmaAsyncOp,
            NVVM::WgmmaWaitGroupSyncOp>(inner))
      return;
    if (auto address =
            dyn_cast<memref::ExtractAlignedPointerAsIndexOp>(inner)) {
      accesses.reads.insert(getRoot(address.getSource()));
      return;
    }
    auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!effects) {
      if (!isMemoryEffectFree(inner) &&
          !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
        accesses.isUnknown = true;
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &instance : instances) {
      bool isRead = isa<MemoryEffects::Read>(instance.getEffect());
      bool isWrite = isa<MemoryEffects::Write>(instance.getEffect());
      if (!isRead && !isWrite)
        continue;
      Value value = instance.getValue();
      if (!value) {
        // Assertions order nothing in memory.
        accesses.isUnknown |= !isa<cf::AssertOp>(inner);
        continue;
      }
      Value root = getRoot(value);
      if (!isPrivate(root))
        (isRead ? accesses.reads : accesses.writes).insert(root);
    }
  });
  return accesses;
}

Value ThreadLowering::getId(BoundAxis bound, Location loc) {
  auto dimension = static_cast<gpu::Dimension>(bound.axis);
  if (bound.isBlock)
    return gpu::BlockIdOp::create(builder, loc, dimension);
  return gpu::ThreadIdOp::create(builder, loc, dimension);
}

/// The iteration that number `id` begins with, and where iterations end.
std::pair<Value, Value> ThreadLowering::getRange(scf::ForallOp loop, Value id) {
  Location loc = loop.getLoc();
  auto toValue = [&](OpFoldResult bound) {
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  };
  OpFoldResult lower = loop.getMixedLowerBound()[0];
  Value first = id;
  if (getConstantIntValue(lower) != 0)
    first = arith::AddIOp::create(builder, loc, toValue(lower), id);
  return {first, toValue(loop.getMixedUpperBound()[0])};
}

/// Moves the body of a loop to where the builder is, for one iteration.
void ThreadLowering::inlineBody(scf::ForallOp loop, Value index) {
  loop.getInductionVar(0).replaceAllUsesWith(index);
  Block *target = builder.getInsertionBlock();
  Block *body = loop.getBody();
  body->getTerminator()->erase();
  target->getOperations().splice(builder.getInsertionPoint(),
                                 body->getOperations());
}

void ThreadLowering::enter(const Accesses &accesses, Operation *op) {
  if (pending.meets(accesses))
    wait(op);
  pending.add(accesses);
  if (!hasWaited)
    first.add(accesses);
}

void ThreadLowering::wait(Operation *before) {
  builder.setInsertionPoint(before);
  gpu::BarrierOp::create(builder, before->getLoc());
  pending = {};
  hasWaited = true;
}

void ThreadLowering::lowerBlockLoop(scf::ForallOp loop) {
  Location loc = loop.getLoc();
  builder.setInsertionPoint(loop);
  BoundAxis bound = *getBoundAxis(loop);
  Value id = getId(bound, loc);
  auto [first, upper] = getRange(loop, id);
  if (isExact(loop)) {
    inlineBody(loop, first);
    loop.erase();
    return;
  }
  Value step = gpu::GridDimOp::create(builder, loc,
                                      static_cast<gpu::Dimension>(bound.axis));
  auto serial = scf::ForOp::create(builder, loc, first, upper, step);
  builder.setInsertionPointToStart(serial.getBody());
  inlineBody(loop, serial.getInductionVar());
  loop.erase();
}

void ThreadLowering::lowerThreadLoop(scf::ForallOp loop) {
  Location loc = loop.getLoc();
  BoundAxis bound = *getBoundAxis(loop);
  isUsed[bound.axis] = true;
  builder.setInsertionPoint(loop);
  Value id = getId(bound, loc);
  auto [first, upper] = getRange(loop, id);
  std::optional<int64_t> extent = getExtent(loop);
  Block *body = nullptr;
  if (!extent) {
    auto serial = scf::ForOp::create(builder, loc, first, upper,
                                     getIndex(size[bound.axis], loc));
    builder.setInsertionPointToStart(serial.getBody());
    body = serial.getBody();
    inlineBody(loop, serial.getInductionVar());
  } else if (*extent == size[bound.axis]) {
    // Operations of the body are next to those around.
    auto marker = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
    body = builder.createBlock(&marker.getRegion());
    scf::YieldOp::create(builder, loc);
    builder.setInsertionPointToStart(body);
    inlineBody(loop, first);
  } else {
    Value isActive = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, id, getIndex(*extent, loc));
    auto ifOp = scf::IfOp::create(builder, loc, isActive,
                                  /*withElseRegion=*/false);
    body = ifOp.thenBlock();
    builder.setInsertionPointToStart(body);
    inlineBody(loop, first);
  }
  loop.erase();
  for (Operation &op : llvm::make_early_inc_range(*body))
    lowerThreads(&op);
}

void ThreadLowering::lowerThreads(Operation *op) {
  if (getBoundAxis(op))
    return lowerThreadLoop(cast<scf::ForallOp>(op));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : llvm::make_early_inc_range(block))
        lowerThreads(&inner);
}

void ThreadLowering::runOnOneThread(Block::iterator begin, Block::iterator end,
                                    std::array<bool, 3> isShared) {
  Location loc = begin->getLoc();
  builder.setInsertionPoint(&*begin);
  Value isFirst;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (size[axis] == 1 || isShared[axis])
      continue;
    Value id = getId({/*isBlock=*/false, axis}, loc);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         id, getIndex(0, loc));
    isFirst =
        isFirst ? arith::AndIOp::create(builder, loc, isFirst, isZero) : isZero;
  }
  if (!isFirst)
    return;
  auto ifOp = scf::IfOp::create(builder, loc, isFirst,
                                /*withElseRegion=*/false);
  Block *block = ifOp->getBlock();
  Block *body = ifOp.thenBlock();
  body->getOperations().splice(body->begin(), block->getOperations(), begin,
                               end);
}

bool mlir::relay::detail::hasEffects(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        if (isa<cf::AssertOp>(inner))
          return WalkResult::interrupt();
        if (isa<memref::AllocaOp>(inner) || isMemoryEffectFree(inner) ||
            inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
            hasSingleEffect<MemoryEffects::Read>(inner))
          return WalkResult::advance();
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

/// The end of what one thread runs from `begin` on: as far as operations change
/// memory, and as what they compute is used.
static FailureOr<Block::iterator> findEndOfRegion(Block::iterator begin) {
  Block *block = begin->getBlock();
  Operation *last = &*begin;
  for (auto it = begin; it != block->end(); ++it) {
    bool isNeeded = it->isBeforeInBlock(last) || &*it == last;
    bool canBeIn =
        !it->hasTrait<OpTrait::IsTerminator>() && !hasBoundLoop(&*it);
    if (!canBeIn && isNeeded)
      return begin->emitError("expects results that one thread computes not "
                              "to be needed by others");
    if (!canBeIn || (!isNeeded && !hasEffects(&*it)))
      return it;
    if (!isNeeded)
      last = &*it;
    for (Operation *user : it->getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (ancestor && last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  }
  return block->end();
}

LogicalResult ThreadLowering::lowerBlock(Block &block) {
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    if (std::optional<BoundAxis> bound = getBoundAxis(op);
        bound && bound->isBlock) {
      Operation *before = op->getPrevNode();
      lowerBlockLoop(cast<scf::ForallOp>(op));
      it = before ? std::next(before->getIterator()) : block.begin();
      continue;
    }
    if (getBoundAxis(op)) {
      bool isWait =
          op->walk([](Operation *inner) {
              return isa<NVVM::CpAsyncWaitGroupOp, NVVM::FenceProxyOp>(inner)
                         ? WalkResult::interrupt()
                         : WalkResult::advance();
            }).wasInterrupted();
      enter(getAccesses(op), op);
      ++it;
      isUsed = {false, false, false};
      auto next = it;
      Operation *last = op->getPrevNode();
      lowerThreadLoop(cast<scf::ForallOp>(op));
      // Along other axes, one thread does what all would.
      runOnOneThread(last ? std::next(last->getIterator()) : block.begin(),
                     next, isUsed);
      it = next;
      // What a thread has waited for, all see after a barrier.
      if (isWait)
        wait(&*it);
      continue;
    }
    if (hasBoundLoop(op)) {
      // The same for all threads.
      Accesses before = first;
      bool hadWaited = hasWaited;
      first = {};
      hasWaited = false;
      unsigned numRegions = 0;
      for (Region &region : op->getRegions())
        for (Block &inner : region) {
          for (Operation &part : inner)
            numRegions += hasBoundLoop(&part) || hasEffects(&part);
          if (failed(lowerBlock(inner)))
            return failure();
          // The next iteration begins with what came first. Of one region
          // alone, each thread meets only itself.
          if (isa<LoopLikeOpInterface>(op) && numRegions > 1 &&
              pending.meets(first))
            wait(inner.getTerminator());
        }
      if (!hadWaited)
        before.add(first);
      first = before;
      hasWaited |= hadWaited;
      ++it;
      continue;
    }
    if (!hasEffects(op)) {
      // All threads read it.
      enter(getAccesses(op), op);
      ++it;
      continue;
    }
    FailureOr<Block::iterator> end = findEndOfRegion(it);
    if (failed(end))
      return failure();
    Accesses accesses;
    for (Operation &part : llvm::make_range(it, *end))
      accesses.add(getAccesses(&part));
    enter(accesses, op);
    runOnOneThread(it, *end);
    it = *end;
  }
  return success();
}

/// Regions that only keep operations together are no part of the result.
static void inlineMarkers(gpu::GPUFuncOp function) {
  SmallVector<scf::ExecuteRegionOp> markers;
  function.walk([&](scf::ExecuteRegionOp op) { markers.push_back(op); });
  for (scf::ExecuteRegionOp marker : markers) {
    Block &body = marker.getRegion().front();
    body.getTerminator()->erase();
    marker->getBlock()->getOperations().splice(marker->getIterator(),
                                               body.getOperations());
    marker.erase();
  }
}

LogicalResult mlir::relay::detail::lowerBoundLoops(
    gpu::GPUFuncOp function, BlockSize size,
    llvm::function_ref<bool(scf::ForallOp)> isExact) {
  ThreadLowering lowering(function, size, isExact);
  if (failed(lowering.lowerBlock(function.getBody().front())))
    return failure();
  inlineMarkers(function);
  return success();
}
