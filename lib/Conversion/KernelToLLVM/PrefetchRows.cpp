//===- PrefetchRows.cpp - Fetch the next row meanwhile --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrefetchRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

static constexpr int64_t kLineBytes = 64;
/// Longer rows would push each other out of the cache.
static constexpr int64_t kMaxRowBytes = 64 << 10;

/// The vector loads from `buffer` and views of it; false if somebody writes it.
static bool collectLoads(Value buffer, SmallVectorImpl<vector::LoadOp> &loads) {
  for (Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<vector::LoadOp>(user)) {
      loads.push_back(load);
      continue;
    }
    if (isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(user)) {
      if (!collectLoads(user->getResult(0), loads))
        return false;
      continue;
    }
    if (!isa<memref::DimOp, memref::LoadOp, vector::MaskedLoadOp>(user))
      return false;
  }
  return true;
}

/// `value`, which is computed in `loop`, as it is when the induction variable
/// is `next`; null if that cannot be computed again. `clones` are those that
/// were made before.
static Value cloneFor(Value value, scf::ForOp loop, Value next,
                      OpBuilder &builder, IRMapping &clones) {
  if (value == loop.getInductionVar())
    return next;
  if (Value known = clones.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !loop->isProperAncestor(op))
    return value;
  if (!isPure(op) || op->getNumRegions() != 0)
    return {};
  IRMapping mapping;
  bool changes = false;
  for (Value operand : op->getOperands()) {
    Value clone = cloneFor(operand, loop, next, builder, clones);
    if (!clone)
      return {};
    mapping.map(operand, clone);
    changes |= clone != operand;
  }
  Value result = changes ? builder.clone(*op, mapping)->getResult(0) : value;
  clones.map(value, result);
  return result;
}

/// The bytes that `load` takes, and its loop reads in all; 0 if unknown.
static int64_t getBytes(vector::LoadOp load) {
  return load.getVectorType().getNumElements() *
         load.getVectorType().getElementTypeBitWidth() / 8;
}
static int64_t getRowBytes(vector::LoadOp load, scf::ForOp inner) {
  std::optional<int64_t> from = getConstantIntValue(inner.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(inner.getUpperBound());
  if (!from || !to || *to <= *from)
    return 0;
  return (*to - *from) * load.getVectorType().getElementTypeBitWidth() / 8;
}

static void prefetch(vector::LoadOp load, scf::ForOp rows, Value next) {
  OpBuilder builder(load);
  SmallVector<Value> indices;
  IRMapping clones;
  bool changes = false;
  for (Value index : load.getIndices()) {
    Value clone = cloneFor(index, rows, next, builder, clones);
    if (!clone)
      return;
    changes |= clone != index;
    indices.push_back(clone);
  }
  if (!changes || indices.empty())
    return;
  int64_t lineSize =
      kLineBytes * 8 / load.getVectorType().getElementTypeBitWidth();
  Value last = indices.back();
  for (int64_t offset = 0; offset < load.getVectorType().getNumElements();
       offset += lineSize) {
    if (offset != 0)
      indices.back() = arith::AddIOp::create(
          builder, load.getLoc(), last,
          arith::ConstantIndexOp::create(builder, load.getLoc(), offset));
    // To the second cache: this row fills the first one.
    memref::PrefetchOp::create(builder, load.getLoc(), load.getBase(), indices,
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

static bool storesToArgument(Operation *loop) {
  return loop
      ->walk([](vector::StoreOp store) {
        Value base = store.getBase();
        while (auto view = base.getDefiningOp<ViewLikeOpInterface>())
          base = view.getViewSource();
        return isa<BlockArgument>(base) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

static void prefetchRowsOf(scf::ForOp rows, ArrayRef<vector::LoadOp> loads) {
  // What each loop within reads, in order.
  llvm::MapVector<Operation *, SmallVector<vector::LoadOp>> readers;
  for (Operation &op : *rows.getBody())
    op.walk([&](vector::LoadOp load) {
      auto inner = dyn_cast<scf::ForOp>(op);
      if (inner && load->getParentOp() == inner &&
          llvm::is_contained(loads, load))
        readers[inner].push_back(load);
    });
  if (readers.size() < 2)
    return;
  // Stores keep memory busy as well: better a loop that only computes, if it is
  // not the first one, which waits for the row itself.
  auto *reader = &readers.back();
  for (auto &other : llvm::reverse(llvm::drop_begin(readers)))
    if (!storesToArgument(other.first)) {
      reader = &other;
      break;
    }
  auto inner = cast<scf::ForOp>(reader->first);
  ArrayRef<vector::LoadOp> last = reader->second;
  int64_t rowBytes = getRowBytes(last.front(), inner);
  if (rowBytes < kLineBytes || rowBytes > kMaxRowBytes)
    return;
  OpBuilder builder(inner);
  Location loc = rows.getLoc();
  Value next = arith::AddIOp::create(builder, loc, rows.getInductionVar(),
                                     rows.getStep());
  // After the last row there is nothing.
  Value isRow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      next, rows.getUpperBound());
  next = arith::SelectOp::create(builder, loc, isRow, next,
                                 rows.getInductionVar());
  // Several short loads share a line.
  int64_t bytes = getBytes(last.front());
  int64_t share =
      std::max<int64_t>(1, kLineBytes / std::max<int64_t>(1, bytes));
  for (size_t index = 0; index < last.size(); index += share)
    prefetch(last[index], rows, next);
}

void mlir::relay::detail::prefetchRows(func::FuncOp function,
                                       int64_t minBytes) {
  for (BlockArgument arg : function.getArguments()) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat() ||
        type.getNumElements() * type.getElementTypeBitWidth() / 8 < minBytes)
      continue;
    SmallVector<vector::LoadOp> loads;
    if (!collectLoads(arg, loads))
      continue;
    function.walk([&](scf::ForOp rows) { prefetchRowsOf(rows, loads); });
  }
}
