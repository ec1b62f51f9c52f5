//===- SlidingWindows.cpp - Blocks of sliding windows ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SlidingWindows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/Analysis/CombiningKind.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::tir;

std::optional<unsigned> mlir::tir::getBareIndex(const BufferAccess &access,
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

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

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

std::optional<ChannelWindow>
mlir::tir::matchChannelWindow(const BlockNest &nest) {
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

  ChannelWindow window;
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
// Rows
//===----------------------------------------------------------------------===//

/// The op that combines a loaded element with the result, if the block does
/// nothing else.
static Operation *getOnlyCombiner(BlockOp block) {
  Operation *combiner = nullptr;
  bool isPlain = true;
  block.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<InitOp>(op))
      return WalkResult::skip();
    if (isa<affine::AffineLoadOp, affine::AffineStoreOp, affine::AffineIfOp,
            affine::AffineYieldOp, affine::AffineApplyOp>(op) ||
        op == block.getBody()->getTerminator() ||
        op->hasTrait<OpTrait::ConstantLike>())
      return WalkResult::advance();
    isPlain &= !combiner && getCombiningKind(op).has_value();
    combiner = op;
    return WalkResult::advance();
  });
  return isPlain ? combiner : nullptr;
}

std::optional<RowWindow> mlir::tir::matchRowWindow(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction() ||
      !BlockOp(nest.block).getInit())
    return std::nullopt;
  Type type = cast<MemRefType>(store->buffer.getType()).getElementType();
  RowWindow window;
  window.combiner = getOnlyCombiner(nest.block);
  if (!window.combiner || !(type.isF32() || type.isF64()))
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned var : nest.getVars(/*isReduce=*/false)) {
    if (isContiguous(*store, var) && nest.getExtent(var).value_or(0) > 1)
      lane = var;
    else if (nest.getExtent(var).value_or(0) > 1)
      window.row = var;
  }
  for (unsigned var : nest.getVars(/*isReduce=*/true)) {
    if (nest.getExtent(var).value_or(0) < 1)
      return std::nullopt;
    window.numSteps *= *nest.getExtent(var);
  }
  if (!lane || window.numSteps > RowWindow::kMaxUpdates)
    return std::nullopt;
  window.lane = *lane;
  for (const BufferAccess &access : nest.accesses) {
    if (access.isWrite || access.buffer == store->buffer)
      continue;
    if (window.data || !access.map)
      return std::nullopt;
    window.data = &access;
  }
  if (!window.data)
    return std::nullopt;
  std::optional<int64_t> stride = getStride(*window.data, window.lane);
  if (stride != 1 && stride != 2)
    return std::nullopt;
  window.stride = *stride;
  // The index that moves with the lanes moves with the window, too.
  unsigned numIndices = 0;
  bool moves = false;
  for (auto [axis, index] : llvm::enumerate(window.data->map->getResults())) {
    if (!index.isFunctionOfDim(window.lane))
      continue;
    ++numIndices;
    window.axis = axis;
    for (unsigned var : nest.getVars(/*isReduce=*/true))
      moves |= index.isFunctionOfDim(var) && nest.getExtent(var) != 1;
    for (unsigned var : nest.getVars(/*isReduce=*/false))
      if (var != window.lane && index.isFunctionOfDim(var))
        return std::nullopt;
  }
  return moves && numIndices == 1 ? std::optional(window) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

bool mlir::tir::pads(BlockOp block) {
  return llvm::any_of(*block.getBody(), [](Operation &op) {
    return isa<affine::AffineIfOp>(op);
  });
}

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
  std::optional<ChannelWindow> window = matchChannelWindow(consumer);
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
