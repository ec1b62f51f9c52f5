//===- InlineProducers.cpp - Inlines elementwise producers ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlineProducers.h"

#include "SlidingWindows.h"
#include "relay-mlir/Dialect/TIR/IR/IndexSize.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

using namespace mlir;
using namespace mlir::tir;

/// What it takes to store an element and load it again, in operations, while it
/// stays in the cache and if it does not. What may be computed twice takes
/// less.
static constexpr double kCacheTrip = 8;
static constexpr double kMemoryTrip = 64;

/// Work of all copies of a body.
static constexpr double kMaxCopiedWork = 256;

/// Work of an instance of a reduction, whose body is written out many times,
/// above which an element takes longer to compute than to store and load.
static constexpr double kMaxReductionWork = 128;

/// The largest index that may come of inlining. Larger ones take more time to
/// compute than an element to store and load.
static constexpr int64_t kMaxIndexSize = 128;

/// The largest index in a copy of the body of `producer` where `load` is.
static int64_t getIndexSizeAt(const BlockNest &producer,
                              const BufferAccess &load) {
  IndexSizes sizes;
  BlockOp block = producer.block;
  AffineMap index = *producer.getStore()->map;
  for (auto [dim, expr] : llvm::enumerate(index.getResults())) {
    auto iter = dyn_cast<AffineDimExpr>(expr);
    if (!iter || !load.map)
      continue;
    SmallVector<int64_t> inputs(load.map->getNumInputs(), 1);
    sizes.set(block.getIterVars()[iter.getPosition()],
              IndexSizes::get(load.map->getResult(dim), load.map->getNumDims(),
                              inputs));
  }
  int64_t largest = 1;
  auto add = [&](ArrayRef<AffineExpr> exprs, unsigned numDims,
                 ValueRange operands) {
    for (AffineExpr expr : exprs)
      largest = std::max(largest, sizes.get(expr, numDims, operands));
  };
  block.getBody()->walk([&](Operation *op) {
    if (auto read = dyn_cast<affine::AffineReadOpInterface>(op)) {
      AffineMap map = read.getAffineMap();
      add(map.getResults(), map.getNumDims(), read.getMapOperands());
    } else if (auto condition = dyn_cast<affine::AffineIfOp>(op)) {
      IntegerSet set = condition.getIntegerSet();
      add(set.getConstraints(), set.getNumDims(), condition.getOperands());
    } else if (isa<affine::AffineApplyOp>(op)) {
      largest = std::max(largest, sizes.get(op->getResult(0)));
    }
  });
  return largest;
}

namespace {

/// What would come of a block that became part of its readers.
struct Inlining {
  /// One reader: its instances per instance of the block, and how many elements
  /// each of them reads.
  struct Use {
    double repeats;
    double numElements;
  };
  SmallVector<Use> uses;
  /// How often the body would be there, and run per instance of the block.
  double numCopies = 0, numRuns = 0;
  /// A copy of a window that its only reader can do without.
  bool isWindowPadding = false;
};

} // namespace

/// Whether loops in the body of `reader` read `buffer`, elements of it again
/// and again. (Running sums, whose loops are of scf, read each element once.)
static bool isReadInLoops(BlockOp reader, Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    auto loop = user->getParentOfType<ForOp>();
    return loop && reader->isProperAncestor(loop);
  });
}

static bool multiplies(BlockOp block) {
  return llvm::any_of(*block.getBody(), [](Operation &op) {
    return isa<arith::MulFOp, arith::MulIOp>(op);
  });
}

/// Looks at the readers of the block at hand; nothing if it may not become part
/// of all of them.
static std::optional<Inlining> planInlining(const BlockNest &producer,
                                            bool isGrid) {
  const BufferAccess *store = producer.getStore();
  if (!store || !store->map || producer.isReduction() ||
      !store->buffer.getDefiningOp<AllocBufferOp>())
    return std::nullopt;
  // Its product's schedule says where a weight is made. (On a grid what is kept
  // is a kernel of its own.)
  if (!isGrid && isWeightMaker(producer))
    return std::nullopt;
  SmallVector<BlockOp> readers = getReaders(store->buffer);
  Inlining plan;
  for (BlockOp reader : readers) {
    FailureOr<BlockNest> consumer = BlockNest::get(reader);
    if (failed(consumer) || isReadInLoops(reader, store->buffer))
      return std::nullopt;
    double repeats = consumer->getNumInstances() / producer.getNumInstances();
    // A reduction that reads each element once may compute it as well; one with
    // reuse may not.
    if (consumer->isReduction() && repeats > 1) {
      plan.isWindowPadding =
          readers.size() == 1 && isWindowPadding(producer, *consumer);
      return plan.isWindowPadding ? std::optional(plan) : std::nullopt;
    }
    // Factors that are there under a condition are no tile of products.
    if (!isGrid && consumer->isReduction() && multiplies(reader) &&
        pads(producer.block))
      return std::nullopt;
    if (consumer->isReduction() &&
        getBodyWork(producer.block) + getBodyWork(reader) > kMaxReductionWork)
      return std::nullopt;
    SmallVector<ElementLoads> elements =
        groupLoads(consumer->accesses, store->buffer);
    for (const ElementLoads &element : elements)
      if (getIndexSizeAt(producer, *consumer->getAccess(element.front())) >
          kMaxIndexSize)
        return std::nullopt;
    double numElements = elements.size();
    plan.uses.push_back({repeats, numElements});
    plan.numCopies += numElements;
    plan.numRuns += repeats * numElements;
  }
  return plan.numCopies != 0 ? std::optional(plan) : std::nullopt;
}

/// Whether no element of what the block computes would be computed twice.
static bool isReadOnce(const BlockNest &producer, const Inlining &plan) {
  if (plan.isWindowPadding)
    return true;
  // The parts of what is split are read at one place each.
  constexpr double kRounding = 1e-6;
  return plan.numRuns <= 1 + kRounding &&
         (plan.numCopies == 1 ||
          plan.numCopies * getBodyWork(producer.block) <= kMaxCopiedWork);
}

/// Whether computing elements more than once takes less than keeping them.
static bool isCheap(const BlockNest &producer, const Inlining &plan,
                    int64_t cacheSize) {
  double work = getBodyWork(producer.block);
  if (plan.numCopies * work > kMaxCopiedWork)
    return false;
  if (plan.uses.size() == 1 && plan.uses.front().repeats <= 1) {
    auto type = cast<MemRefType>(producer.getStore()->buffer.getType());
    Type elementType = type.getElementType();
    double numBytes =
        producer.getNumInstances() *
        (elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() / 8.0
                                    : sizeof(int64_t));
    bool fitsInCache = type.hasStaticShape() && numBytes <= cacheSize;
    return work * (plan.numRuns - 1) <=
           (fitsInCache ? kCacheTrip : kMemoryTrip);
  }
  return llvm::all_of(plan.uses, [&](Inlining::Use use) {
    return work * std::max(use.repeats * use.numElements, plan.numCopies) <=
           kCacheTrip * std::max(1.0, use.repeats);
  });
}

/// Makes the block part of its readers if that is of use.
static void inlineIfWorth(KernelSchedule &schedule, BlockOp block,
                          bool mayRepeat) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return;
  std::optional<Inlining> plan = planInlining(
      *nest, schedule.getTarget().getThreading() == relay::Threading::Grid);
  if (!plan)
    return;
  if (isReadOnce(*nest, *plan) ||
      (mayRepeat &&
       isCheap(*nest, *plan, schedule.getTarget().getCacheSizes().l2))) {
    (void)schedule.computeInline(block);
  } else if (mayRepeat) {
    schedule.remarkMissed("inline",
                          "@" + block.getName() + " is read at " +
                              Twine(static_cast<int64_t>(plan->numCopies)) +
                              " places, and costs more to compute again than "
                              "to keep");
  }
}

void mlir::tir::inlineProducers(KernelSchedule &schedule) {
  // Readers first: once they have become one block, what they share is read
  // once. What is then left is read at several places.
  SmallVector<BlockOp, 6> blocks = schedule.getKernel().getBlocks();
  for (BlockOp block : llvm::reverse(blocks))
    inlineIfWorth(schedule, block, /*mayRepeat=*/false);
  // Producers first: what costs nothing by itself may hold costly producers.
  for (BlockOp block : schedule.getKernel().getBlocks())
    inlineIfWorth(schedule, block, /*mayRepeat=*/true);
}
