//===- ConstantTransforms.cpp - Products with small constant matrices -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A transform multiplies vectors by a small constant matrix, as Winograd's
// algorithm does with tiles of data and of results, along one dimension after
// the other. All that belongs to one tile is computed together, one vector of
// channels at a time: the first transform at the second one, and both at the
// block that places the results, if there is one. Tensorized, the matrix
// dissolves into constants.
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"
#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::tir;

namespace {

/// A block whose instances sum products of a constant matrix and a buffer.
struct Transform {
  explicit Transform(BlockNest nest) : nest(std::move(nest)) {}

  static std::optional<Transform> match(BlockOp block);

  Value getResult() const { return nest.getStore()->buffer; }

  BlockNest nest;
  /// The rows and columns of the matrix; columns are summed.
  unsigned row = 0, column = 0;
  /// The variable along which data and result are contiguous.
  unsigned lane = 0;
  BufferAccess data;
};

} // namespace

std::optional<Transform> Transform::match(BlockOp block) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return std::nullopt;
  Transform transform(*nest);
  const BufferAccess *store = nest->getStore();
  SmallVector<unsigned> reduce = nest->getVars(/*isReduce=*/true);
  constexpr int64_t kMaxColumns = 16;
  if (!store || !store->map || reduce.size() != 1 ||
      nest->getExtent(reduce.front()).value_or(kMaxColumns + 1) > kMaxColumns ||
      !store->buffer.getDefiningOp<AllocBufferOp>())
    return std::nullopt;
  transform.column = reduce.front();

  std::optional<unsigned> row, lane;
  bool hasData = false;
  for (const BufferAccess &access : nest->accesses) {
    if (access.isWrite || access.buffer == store->buffer)
      continue;
    if (!access.map)
      return std::nullopt;
    if (failed(ConstantTable::get(access.buffer))) {
      if (hasData || !dependsOn(access, transform.column))
        return std::nullopt;
      hasData = true;
      transform.data = access;
      continue;
    }
    for (unsigned var : nest->getVars(/*isReduce=*/false)) {
      if (!dependsOn(access, var))
        continue;
      if (row)
        return std::nullopt;
      row = var;
    }
  }
  if (!row || !hasData || dependsOn(transform.data, *row))
    return std::nullopt;
  for (unsigned var : nest->getVars(/*isReduce=*/false))
    if (isContiguous(*store, var) && isContiguous(transform.data, var) &&
        nest->getExtent(var))
      lane = var;
  if (!lane)
    return std::nullopt;
  transform.row = *row;
  transform.lane = *lane;
  return transform;
}

/// The transform that writes what `transform` reads, and nobody else reads.
static std::optional<Transform> getProducer(const Transform &transform) {
  Value buffer = transform.data.buffer;
  SmallVector<BlockOp> writers = getWriters(buffer);
  if (writers.size() != 1 || getOnlyReader(buffer) != transform.nest.block)
    return std::nullopt;
  return Transform::match(writers.front());
}

/// Computes `transform` in `place`, and puts the sum outside of the rows of the
/// matrix and the lanes, all other loops around them.
static LogicalResult computeAt(KernelSchedule &schedule,
                               const Transform &transform, ForOp place) {
  BlockOp block = transform.nest.block;
  if (failed(schedule.computeAt(block, place)))
    return failure();
  ForOp sum = getLoopOf(block, transform.column);
  ForOp row = getLoopOf(block, transform.row);
  ForOp lane = getLoopOf(block, transform.lane);
  SmallVector<ForOp> inner, order;
  for (ForOp loop : {sum, row, lane})
    if (loop && place->isProperAncestor(loop))
      inner.push_back(loop);
  for (ForOp loop : block.getLoops())
    if (place->isProperAncestor(loop) && !llvm::is_contained(inner, loop))
      order.push_back(loop);
  llvm::append_range(order, inner);
  (void)schedule.reorder(order);
  schedule.deferTensorize(block, Intrinsic::RegisterTile);
  return success();
}

/// Splits the lanes off loop `loop`; `outer` receives the rest, if any.
static ForOp splitLanes(KernelSchedule &schedule, ForOp loop, int64_t lanes,
                        SmallVectorImpl<ForOp> &outer) {
  if (*loop.getConstantExtent() <= lanes)
    return loop;
  SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, lanes});
  outer.push_back(parts[0]);
  return parts[1];
}

static int64_t getLanesOf(KernelSchedule &schedule, const Transform &last) {
  return schedule.getLanes(
      cast<MemRefType>(last.getResult().getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Planes
//===----------------------------------------------------------------------===//

/// How many of `count` lines that are `bytes` apart fall into one set of a
/// cache of 64 sets of 64 bytes.
static int64_t countConflicts(int64_t count, int64_t bytes) {
  constexpr int64_t kLine = 64, kSets = 64;
  SmallVector<int64_t> lines(kSets, 0);
  for (int64_t i = 0; i != count; ++i)
    ++lines[i * bytes / kLine % kSets];
  return *llvm::max_element(lines);
}

/// A transform reads or writes an element of each plane at a time, that is, of
/// all dimensions but the last two. If these fall into few sets of the first
/// cache, they push each other out before the next vector of their lines: rows
/// and planes grow.
static void spreadPlanes(KernelSchedule &schedule, Value buffer) {
  auto allocation = buffer.getDefiningOp<AllocBufferOp>();
  SmallVector<BlockOp> writers = getWriters(buffer);
  if (!allocation || writers.size() != 1)
    return;
  MemRefType type = allocation.getType();
  int64_t rank = type.getRank();
  if (rank < 3 || ShapedType::isDynamic(type.getShape().back()) ||
      ShapedType::isDynamicShape(type.getShape().drop_back(2)))
    return;
  int64_t bytes = type.getElementTypeBitWidth() / 8, planes = 1;
  for (int64_t size : type.getShape().drop_back(2))
    planes *= size;
  int64_t rows = type.getDimSize(rank - 2), columns = type.getShape().back();
  // Of an unknown number of rows, which a batch multiplies, an odd one is best.
  bool isOpen = ShapedType::isDynamic(rows);
  if (isOpen)
    rows = 1;
  struct Size {
    int64_t rows, columns;
  };
  // Few enough to leave ways for the rest.
  constexpr int64_t kMaxConflicts = 4;
  auto count = [&](Size size) {
    return countConflicts(planes, size.rows * size.columns * bytes);
  };
  Size best{rows, columns};
  int64_t conflicts = count(best);
  for (int64_t line : {int64_t(0), 64 / bytes})
    for (int64_t extra = 0; extra <= (isOpen ? 0 : 3); ++extra) {
      Size size{rows + extra, columns + line};
      int64_t number = std::max(count(size), kMaxConflicts);
      bool isSmaller = size.rows * size.columns < best.rows * best.columns;
      if (number > conflicts || (number == conflicts && !isSmaller))
        continue;
      best = size;
      conflicts = number;
    }
  if (best.columns != columns &&
      failed(schedule.enlarge(writers.front(), buffer, /*isLast=*/true,
                              best.columns)))
    return;
  // The buffer may be a new one.
  buffer = getWrittenBuffers(writers.front()).front();
  if (isOpen || best.rows != rows)
    (void)schedule.enlarge(writers.front(), buffer, /*isLast=*/false,
                           best.rows);
}

/// Spreads the planes between transforms and products.
static void spreadAllPlanes(KernelSchedule &schedule) {
  auto isProduct = [](BlockOp block) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    return succeeded(nest) && nest->isReduction() && !Transform::match(block);
  };
  // Spreading replaces a buffer, so that each may be listed once only.
  llvm::SetVector<Value> buffers;
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    std::optional<Transform> transform = Transform::match(block);
    if (!transform)
      continue;
    if (BlockOp reader = getOnlyReader(transform->getResult());
        reader && isProduct(reader))
      buffers.insert(transform->getResult());
    SmallVector<BlockOp> writers = getWriters(transform->data.buffer);
    if (writers.size() == 1 && isProduct(writers.front()))
      buffers.insert(transform->data.buffer);
  }
  for (Value buffer : buffers)
    spreadPlanes(schedule, buffer);
}

//===----------------------------------------------------------------------===//
// Transforms at the last of them
//===----------------------------------------------------------------------===//

/// For each tile: all of `first` for one vector, then `last`.
static void scheduleAtLast(KernelSchedule &schedule,
                           const std::optional<Transform> &first,
                           const Transform &last) {
  const BlockNest &nest = last.nest;
  double work = nest.getWork() / getLanesOf(schedule, last);
  // The variables of `last` that need all rows of `first` run inside.
  SmallVector<ForOp> outer, inner;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (var == last.row || var == last.lane)
      continue;
    bool isInner = false;
    if (first) {
      const BufferAccess *store = first->nest.getStore();
      for (auto [written, read] :
           llvm::zip(store->map->getResults(), last.data.map->getResults()))
        isInner |=
            written.isFunctionOfDim(first->row) && read.isFunctionOfDim(var);
    }
    (isInner ? inner : outer).push_back(nest.loops[var]);
  }
  ForOp lane = splitLanes(schedule, nest.loops[last.lane],
                          getLanesOf(schedule, last), outer);
  SmallVector<ForOp> order = outer;
  llvm::append_range(order, inner);
  order.push_back(nest.loops[last.column]);
  order.push_back(nest.loops[last.row]);
  order.push_back(lane);
  if (outer.empty() || failed(schedule.reorder(order)))
    return scheduleFallback(schedule, nest.block);
  if (first)
    (void)computeAt(schedule, *first, outer.back());
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  parallelizeOuter(schedule, outer, work);
}

//===----------------------------------------------------------------------===//
// Transforms at their consumer
//===----------------------------------------------------------------------===//

/// By how much each variable of the consumer is divided to find its tile; fails
/// if the index is of another form.
static LogicalResult findTileSizes(const BlockNest &consumer,
                                   const BufferAccess &read,
                                   MutableArrayRef<int64_t> sizes) {
  for (AffineBinaryOpExpr division : getDivisions(*read.map)) {
    auto dim = dyn_cast<AffineDimExpr>(division.getLHS());
    auto size = dyn_cast<AffineConstantExpr>(division.getRHS());
    if (!dim || !size)
      return failure();
    int64_t &known = sizes[dim.getPosition()];
    if (known != 0 && known != size.getValue())
      return failure();
    known = size.getValue();
  }
  return success();
}

/// For each tile of what `consumer` reads: the transforms for one vector, then
/// the consumer. Fails before it changes anything.
static LogicalResult scheduleAtConsumer(KernelSchedule &schedule,
                                        const std::optional<Transform> &first,
                                        const Transform &last, BlockOp block) {
  FailureOr<BlockNest> consumer = BlockNest::get(block);
  if (failed(consumer) || consumer->isReduction())
    return failure();
  const BufferAccess *store = consumer->getStore();
  const BufferAccess *read = nullptr;
  for (const BufferAccess &access : consumer->accesses) {
    if (access.buffer != last.getResult())
      continue;
    if (read && access.map != read->map)
      return failure();
    read = &access;
  }
  if (!store || !store->map || !read || !read->map || !read->symbols.empty())
    return failure();
  SmallVector<int64_t> sizes(consumer->getNumVars());
  if (failed(findTileSizes(*consumer, *read, sizes)))
    return failure();
  std::optional<unsigned> lane;
  for (unsigned var = 0; var != consumer->getNumVars(); ++var) {
    if (consumer->kinds[var] != IterKind::Spatial ||
        (sizes[var] != 0 && !consumer->getExtent(var)))
      return failure();
    if (isContiguous(*store, var) && isContiguous(*read, var) &&
        sizes[var] == 0 && consumer->getExtent(var).value_or(1) != 1)
      lane = var;
  }
  if (!lane)
    return failure();

  double work = (last.nest.getWork() + (first ? first->nest.getWork() : 0)) /
                getLanesOf(schedule, last);
  SmallVector<ForOp> outer, inner;
  for (unsigned var = 0; var != consumer->getNumVars(); ++var) {
    if (var == *lane)
      continue;
    ForOp loop = consumer->loops[var];
    if (sizes[var] == 0) {
      outer.push_back(loop);
    } else if (*loop.getConstantExtent() <= sizes[var]) {
      inner.push_back(loop);
    } else {
      SmallVector<ForOp> parts =
          schedule.split(loop, {kInferFactor, sizes[var]});
      outer.push_back(parts[0]);
      inner.push_back(parts[1]);
    }
  }
  ForOp laneLoop = splitLanes(schedule, consumer->loops[*lane],
                              getLanesOf(schedule, last), outer);
  SmallVector<ForOp> order = outer;
  llvm::append_range(order, inner);
  order.push_back(laneLoop);
  if (outer.empty() || failed(schedule.reorder(order))) {
    scheduleFallback(schedule, block);
    return success();
  }
  if (succeeded(computeAt(schedule, last, outer.back())) && first)
    (void)computeAt(schedule, *first, outer.back());
  schedule.deferTensorize(block, Intrinsic::RegisterTile);
  parallelizeOuter(schedule, outer, work);
  return success();
}

bool mlir::tir::scheduleConstantTransforms(KernelSchedule &schedule) {
  bool found = false;
  spreadAllPlanes(schedule);
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    std::optional<Transform> last = Transform::match(block);
    if (!last)
      continue;
    BlockOp reader = getOnlyReader(last->getResult());
    // It is scheduled with the one that reads it.
    if (reader)
      if (std::optional<Transform> next = Transform::match(reader);
          next && next->data.buffer == last->getResult())
        continue;
    std::optional<Transform> first = getProducer(*last);
    if (!reader || failed(scheduleAtConsumer(schedule, first, *last, reader)))
      scheduleAtLast(schedule, first, *last);
    found = true;
  }
  return found;
}
