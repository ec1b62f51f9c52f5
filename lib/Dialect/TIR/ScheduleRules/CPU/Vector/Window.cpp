//===- Window.cpp - Schedules sliding windows -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[.., x, c] = combine over (kh, kw) of data[.., x * s + kw, c] and perhaps
// weight[kh, kw, c]: depthwise convolutions and pooling, channels last. Lanes
// are channels. A tile takes several columns of one row, so that what is loaded
// serves all columns whose windows it is in; padding is a condition on the
// load, which the tile resolves.
//
//===----------------------------------------------------------------------===//

#include "Window.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/Analysis/CombiningKind.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::tir;

/// Columns of one tile; more bring nothing.
static constexpr int64_t kMaxColumns = 14;
/// Rows that follow one another at the same place, while what their windows
/// share is in the first cache.
static constexpr int64_t kMaxRows = 4;
/// Iterations of the loops over rows that keep several threads busy.
static constexpr int64_t kParallelRows = 16;
/// Results of a tile that runs along whole pixels. More need registers for what
/// maxima check.
static constexpr int64_t kMaxStreamed = 8;

namespace {
struct Window {
  /// Positions of variables.
  unsigned lane;
  std::optional<unsigned> column, row;
  /// The extent of the window along the columns.
  int64_t width = 1;
  /// The operand that the window moves over.
  const BufferAccess *data = nullptr;
  /// Operands to pack so that lanes are consecutive.
  SmallVector<const BufferAccess *> packed;
  bool hasWeights = false;
};
} // namespace

/// The position of the only index of `access` that depends on `var`, if it is
/// the bare variable.
static std::optional<unsigned> getBareIndex(const BufferAccess &access,
                                            unsigned var) {
  std::optional<unsigned> found;
  for (auto [position, index] : llvm::enumerate(access.map->getResults())) {
    if (!index.isFunctionOfDim(var))
      continue;
    if (found || index != getAffineDimExpr(var, index.getContext()))
      return std::nullopt;
    found = position;
  }
  return found;
}

/// Variables of window and place in one index.
static std::optional<unsigned>
getWindowVar(const BlockNest &nest, const BufferAccess &data, unsigned var) {
  for (AffineExpr index : data.map->getResults())
    if (index.isFunctionOfDim(var))
      for (unsigned step : nest.getVars(/*isReduce=*/true))
        if (index.isFunctionOfDim(step))
          return step;
  return std::nullopt;
}

static std::optional<Window> matchWindow(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction() ||
      !BlockOp(nest.block).getInit())
    return std::nullopt;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (nest.getExtent(var).value_or(!nest.isReduce(var)) < 1)
      return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    if (isContiguous(*store, var) && nest.getExtent(var).value_or(1) != 1)
      lane = var;
  if (!lane)
    return std::nullopt;

  Window window;
  window.lane = *lane;
  for (const BufferAccess &access : nest.accesses) {
    if (access.isWrite || access.buffer == store->buffer)
      continue;
    if (!access.map)
      return std::nullopt;
    std::optional<int64_t> stride = getStride(access, *lane);
    if (!stride)
      return std::nullopt;
    bool moves =
        llvm::any_of(nest.getVars(/*isReduce=*/false), [&](unsigned var) {
          return var != *lane && nest.getExtent(var) != 1 &&
                 getWindowVar(nest, access, var);
        });
    if (moves) {
      if (window.data || stride != 1 || !getBareIndex(access, *lane))
        return std::nullopt;
      window.data = &access;
      continue;
    }
    window.hasWeights |= stride != 0;
    if (stride == 0 || stride == 1)
      continue;
    if (!getBareIndex(access, *lane) || !access.symbols.empty())
      return std::nullopt;
    window.packed.push_back(&access);
  }
  // Results that share windows share more than this knows of.
  if (!window.data)
    return std::nullopt;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (nest.getExtent(var) == 1)
      continue;
    if (!dependsOn(*window.data, var))
      return std::nullopt;
    if (var == *lane || !getWindowVar(nest, *window.data, var))
      continue;
    window.row = window.column;
    window.column = var;
  }
  if (window.column)
    if (std::optional<unsigned> step =
            getWindowVar(nest, *window.data, *window.column))
      window.width = *nest.getExtent(*step);
  return window;
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// The constant that the block stores where its only condition does not hold;
/// null if it does anything but copy under a condition.
static affine::AffineIfOp matchPadding(BlockOp block, TypedAttr &value) {
  affine::AffineIfOp condition;
  for (Operation &op : block.getBody()->without_terminator()) {
    if (auto found = dyn_cast<affine::AffineIfOp>(op)) {
      if (condition || found.getNumResults() != 1)
        return {};
      condition = found;
    } else if (!isa<affine::AffineStoreOp, affine::AffineApplyOp>(op) &&
               !op.hasTrait<OpTrait::ConstantLike>()) {
      return {};
    }
  }
  if (!condition)
    return {};
  for (Operation &op : condition.getThenBlock()->without_terminator())
    if (!isa<affine::AffineLoadOp, affine::AffineApplyOp>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      return {};
  Value copied = condition.getThenBlock()->getTerminator()->getOperand(0);
  Value otherwise = condition.getElseBlock()->getTerminator()->getOperand(0);
  if (!copied.getDefiningOp<affine::AffineLoadOp>() ||
      !matchPattern(otherwise, m_Constant(&value)))
    return {};
  return condition;
}

/// Whether the reduction does nothing with a loaded `value`.
static bool isNeutral(BlockOp block, Operation *load, TypedAttr value) {
  Value current = load->getResult(0);
  bool isZero =
      matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
  bool isConverted = false;
  while (current.hasOneUse()) {
    Operation *user = *current.user_begin();
    if (isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp, arith::MulFOp,
            arith::MulIOp>(user)) {
      current = user->getResult(0);
      isConverted = true;
      continue;
    }
    std::optional<vector::CombiningKind> kind = getCombiningKind(user);
    if (!kind || !user->hasOneUse() ||
        !isa<affine::AffineStoreOp>(*user->user_begin()))
      return false;
    if (kind == vector::CombiningKind::ADD)
      return isZero;
    // The extremes: starting from it, it changes nothing.
    TypedAttr init;
    bool isExtreme = kind != vector::CombiningKind::MUL &&
                     kind != vector::CombiningKind::XOR;
    if (isConverted || !isExtreme)
      return false;
    for (Operation &op : block.getInit().getRegion().front())
      if (auto store = dyn_cast<affine::AffineStoreOp>(op))
        return matchPattern(store.getValueToStore(), m_Constant(&init)) &&
               init == value;
    return false;
  }
  return false;
}

/// Whether rows are padded by less than a vector at either end.
static bool isNarrowPadding(BlockOp block, affine::AffineIfOp condition,
                            unsigned var) {
  constexpr int64_t kMaxPadding = 4;
  int64_t extent = block.getStaticExtents()[var];
  if (ShapedType::isDynamic(extent))
    return false;
  IntegerSet set = condition.getIntegerSet();
  for (AffineExpr constraint : set.getConstraints()) {
    LinearSum sum = LinearSum::get(constraint);
    if (sum.terms.size() != 1)
      return false;
    auto [term, coefficient] = sum.terms.front();
    unsigned position;
    if (auto dim = dyn_cast<AffineDimExpr>(term))
      position = dim.getPosition();
    else if (auto symbol = dyn_cast<AffineSymbolExpr>(term))
      position = set.getNumDims() + symbol.getPosition();
    else
      return false;
    auto arg = cast<BlockArgument>(condition.getOperands()[position]);
    if (arg.getArgNumber() != var)
      continue;
    int64_t padding =
        coefficient == 1 ? -sum.constant : extent - 1 - sum.constant;
    if (std::abs(coefficient) != 1 || padding > kMaxPadding)
      return false;
  }
  return true;
}

bool mlir::tir::isWindowPadding(const BlockNest &producer,
                                const BlockNest &consumer) {
  const BufferAccess *store = producer.getStore();
  std::optional<Window> window = matchWindow(consumer);
  std::optional<RowWindow> rows;
  if (!window)
    rows = matchRowWindow(consumer);
  const BufferAccess *data = window ? window->data
                             : rows ? rows->data
                                    : nullptr;
  if (!store || !store->map || !data || data->buffer != store->buffer)
    return false;
  TypedAttr value;
  affine::AffineIfOp condition = matchPadding(producer.block, value);
  if (!condition || !isNeutral(consumer.block, data->op, value))
    return false;
  AffineExpr channel = store->map->getResult(
      window ? *getBareIndex(*data, window->lane) : rows->axis);
  auto channelDim = dyn_cast<AffineDimExpr>(channel);
  if (!channelDim)
    return false;
  IntegerSet set = condition.getIntegerSet();
  BlockOp block = producer.block;
  for (Value operand : condition.getOperands()) {
    auto arg = dyn_cast<BlockArgument>(operand);
    if (!arg || arg.getOwner() != block.getBody())
      return false;
  }
  if (rows)
    return isNarrowPadding(block, condition, channelDim.getPosition());
  // Lanes are padded together.
  for (auto [index, operand] : llvm::enumerate(condition.getOperands()))
    for (AffineExpr expr : set.getConstraints())
      if (cast<BlockArgument>(operand).getArgNumber() ==
              channelDim.getPosition() &&
          (index < set.getNumDims()
               ? expr.isFunctionOfDim(index)
               : expr.isFunctionOfSymbol(index - set.getNumDims())))
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// The largest divisor of `value` in [limit / 2, limit], or parts of about
/// equal size.
static int64_t getPartSize(int64_t value, int64_t limit) {
  if (value <= limit)
    return value;
  for (int64_t size = limit; 2 * size >= limit && size > 1; --size)
    if (value % size == 0)
      return size;
  return llvm::divideCeil(value, llvm::divideCeil(value, limit));
}

/// Lanes last.
static LogicalResult packLanes(KernelSchedule &schedule, const BlockNest &nest,
                               const BufferAccess &access, unsigned lane) {
  AffineMap layout =
      putLast(schedule.getKernel().getContext(), access.map->getNumResults(),
              *getBareIndex(access, lane));
  if (hasFreeLayout(access.buffer) && succeeded(schedule.transformReadLayout(
                                          nest.block, access.buffer, layout)))
    return success();
  BlockOp copy = schedule.cacheRead(nest.block, access.buffer, "global");
  if (!copy)
    return failure();
  return schedule.transformWriteLayout(copy, getWrittenBuffers(copy).front(),
                                       layout);
}

/// Whether tiles take a few columns and as many lanes as they can, one tile
/// after the other along the lanes of a pixel: memory is read as it lies, each
/// line once. Else tiles take many columns of one vector, which share what they
/// load, and weights; that pays for large windows, whose arithmetic takes
/// longer than reading, and where all is near.
static bool runsAlongPixels(const Window &window, const BlockNest &nest,
                            int64_t numVectors, int64_t registers) {
  if (!window.row)
    return false;
  if (!window.hasWeights)
    return true;
  // Of bytes arithmetic takes longer in any case.
  if (cast<MemRefType>(window.data->buffer.getType()).getElementTypeBitWidth() <
      16)
    return false;
  constexpr int64_t kMaxWidth = 3, kMinTile = 8;
  double rows = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/false))
    if (var != window.lane && var != window.column)
      rows *= nest.getExtent(var).value_or(1);
  return window.width <= kMaxWidth && numVectors % 2 == 0 &&
         registers - 2 * window.width >= kMinTile && rows >= kParallelRows;
}

LogicalResult mlir::tir::scheduleWindow(KernelSchedule &schedule,
                                        BlockNest nest) {
  std::optional<Window> window = matchWindow(nest);
  if (!window || !window->column)
    return failure();
  Value result = nest.getStore()->buffer;
  int64_t lanes =
      schedule.getLanes(cast<MemRefType>(result.getType()).getElementType());
  if (lanes < 2)
    return failure();
  double work = nest.getWork() / lanes;

  // Results, the weights of one row of the window, and an input.
  int64_t numLanes = *nest.getExtent(window->lane);
  int64_t numVectors = llvm::divideCeil(numLanes, lanes);
  int64_t registers = getCPU(schedule).getNumVectorRegisters() - 2;
  int64_t weights = window->hasWeights ? window->width : 0;
  // Sizes that are open may be small: no thread waits for many of them.
  auto getLeast = [&](unsigned var) { return nest.getExtent(var).value_or(1); };
  int64_t numColumns = nest.guessExtent(*window->column);
  int64_t maxColumns = std::clamp<int64_t>(registers - weights, 1, kMaxColumns);
  int64_t columns = getPartSize(numColumns, maxColumns);
  // Few columns leave room for more vectors of lanes.
  int64_t vectors = std::clamp<int64_t>(registers / (columns + weights), 1,
                                        std::min<int64_t>(numVectors, 4));
  bool isStreamed = runsAlongPixels(*window, nest, numVectors, registers);
  if (isStreamed) {
    vectors = window->hasWeights ? 2 : std::min(numVectors, kMaxStreamed);
    columns = 1;
  }
  while (numVectors % vectors != 0)
    --vectors;
  if (isStreamed) {
    int64_t room = window->hasWeights ? registers - weights * vectors
                                      : std::min(registers, kMaxStreamed);
    columns = getPartSize(numColumns, std::max<int64_t>(room / vectors, 1));
  }
  int64_t width = vectors * lanes;

  for (const BufferAccess *access : window->packed)
    if (failed(packLanes(schedule, nest, *access, window->lane)))
      break;

  auto split = [&](unsigned var, int64_t size) -> std::pair<ForOp, ForOp> {
    if (nest.getExtent(var).value_or(size + 1) <= size)
      return {ForOp(), nest.loops[var]};
    SmallVector<ForOp> parts =
        schedule.split(nest.loops[var], {kInferFactor, size});
    return {parts[0], parts[1]};
  };
  auto [laneOuter, laneInner] = split(window->lane, width);
  auto [columnOuter, columnInner] = split(*window->column, columns);
  SmallVector<ForOp> outer;
  int64_t numOuter = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (var == window->lane || var == window->column || var == window->row)
      continue;
    outer.push_back(nest.loops[var]);
    numOuter *= getLeast(var);
  }
  ForOp rowInner;
  if (window->row && isStreamed) {
    outer.push_back(nest.loops[*window->row]);
  } else if (window->row) {
    int64_t numRows = getLeast(*window->row), size = kMaxRows;
    while (size > 1 && (numRows % size != 0 ||
                        numOuter * (numRows / size) < kParallelRows / 2))
      --size;
    if (size > 1 && size < numRows) {
      std::pair<ForOp, ForOp> parts = split(*window->row, size);
      outer.push_back(parts.first);
      rowInner = parts.second;
    } else {
      outer.push_back(nest.loops[*window->row]);
    }
    numOuter *= numRows / size;
  }
  // Few rows: threads share the lanes, too. Not if the last tile is cut off,
  // which a loop of its own can tell.
  bool sharesLanes =
      !isStreamed && numOuter < kParallelRows && numLanes % width == 0;
  SmallVector<ForOp> inner;
  if (laneOuter && sharesLanes)
    outer.push_back(laneOuter);
  if (columnOuter)
    inner.push_back(columnOuter);
  if (laneOuter && !sharesLanes)
    inner.push_back(laneOuter);
  if (rowInner)
    inner.push_back(rowInner);

  SmallVector<ForOp> order = outer;
  llvm::append_range(order, inner);
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    order.push_back(nest.loops[var]);
  order.push_back(columnInner);
  order.push_back(laneInner);
  if (failed(schedule.reorder(order))) {
    scheduleFallback(schedule, nest.block);
    return success();
  }
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
  ForOp innermost =
      inner.empty() ? (outer.empty() ? ForOp() : outer.back()) : inner.back();
  if (innermost)
    if (BlockOp epilogue = moveEpilogue(schedule, result, innermost))
      schedule.deferTensorize(epilogue, Intrinsic::RegisterTile);
  parallelizeOuter(schedule, outer, work);
  return success();
}
