//===- RotateRows.cpp - Finish a row in the next one ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RotateRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace {

/// A loop over rows whose last step reads what `fill` has stored.
struct RowSteps {
  scf::ForOp rows, fill, finish;
  /// The steps of `finish` in one of `fill`.
  int64_t factor = 1;
};

} // namespace

/// Whether LLVM says of an intrinsic that it computes and does nothing else.
static bool isComputation(LLVM::CallIntrinsicOp call) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(call.getIntrin());
  if (id == llvm::Intrinsic::not_intrinsic)
    return false;
  llvm::LLVMContext context;
  llvm::AttributeSet attributes = llvm::Intrinsic::getFnAttributes(context, id);
  return attributes.getMemoryEffects().doesNotAccessMemory() &&
         attributes.hasAttribute(llvm::Attribute::WillReturn) &&
         attributes.hasAttribute(llvm::Attribute::NoUnwind);
}

/// Whether `op` computes and does nothing else.
static bool isComputation(Operation *op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
    return isComputation(call);
  return isPure(op) && op->getNumRegions() == 0;
}

static Value getBase(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// The only store of a loop that otherwise loads and computes; null if it does
/// anything else.
static vector::StoreOp getOnlyStore(scf::ForOp loop) {
  vector::StoreOp store;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (op.getNumRegions() != 0)
      return {};
    if (auto next = dyn_cast<vector::StoreOp>(op)) {
      if (store)
        return {};
      store = next;
    } else if (!isComputation(&op) &&
               !isa<memref::LoadOp, vector::LoadOp, memref::PrefetchOp>(op)) {
      return {};
    }
  }
  return loop.getNumResults() == 0 ? store : vector::StoreOp();
}

/// The steps of the body of `rows` that write to buffers; false if it does what
/// is not known here.
static bool
collectWriters(scf::ForOp rows,
               SmallVectorImpl<std::pair<Value, Operation *>> &writers) {
  WalkResult result = rows.getBody()->walk([&](Operation *op) {
    Operation *step = rows.getBody()->findAncestorOpInBlock(*op);
    if (auto store = dyn_cast<vector::StoreOp>(op))
      writers.push_back({getBase(store.getBase()), step});
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      writers.push_back({getBase(store.getMemRef()), step});
    else if (auto store = dyn_cast<vector::MaskedStoreOp>(op))
      writers.push_back({getBase(store.getBase()), step});
    else if (!isComputation(op) &&
             !isa<memref::LoadOp, vector::LoadOp, vector::MaskedLoadOp,
                  memref::PrefetchOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether `value` is known for any row by the number of the row alone.
static bool followsFromRow(Value value, scf::ForOp rows) {
  DenseSet<Operation *> visited;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    Operation *op = source.getDefiningOp();
    bool isInside = rows.getRegion().isAncestor(source.getParentRegion());
    if (!isInside || source == rows.getInductionVar())
      continue;
    if (!op || !isComputation(op))
      return false;
    if (visited.insert(op).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

/// Maps `value` to what it is in another row, whose number `mapping` knows.
static void recompute(Value value, scf::ForOp rows, IRMapping &mapping,
                      OpBuilder &builder) {
  Operation *op = value.getDefiningOp();
  if (mapping.contains(value) || !op || !rows->isProperAncestor(op))
    return;
  for (Value operand : op->getOperands())
    recompute(operand, rows, mapping, builder);
  builder.clone(*op, mapping);
}

/// Values from outside of `loop` that it and its body use.
static llvm::SetVector<Value> getCaptured(scf::ForOp loop) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  captured.insert(loop->operand_begin(), loop->operand_end());
  return captured;
}

static std::optional<RowSteps> match(scf::ForOp rows) {
  Block *body = rows.getBody();
  auto finish =
      dyn_cast_or_null<scf::ForOp>(body->getTerminator()->getPrevNode());
  if (!finish || rows.getNumResults() != 0 ||
      getConstantIntValue(rows.getStep()) != 1)
    return std::nullopt;
  vector::StoreOp result = getOnlyStore(finish);
  SmallVector<std::pair<Value, Operation *>> writers;
  if (!result || !isa<BlockArgument>(getBase(result.getBase())) ||
      !collectWriters(rows, writers))
    return std::nullopt;

  // The buffer that a step fills, and what else the last step reads.
  RowSteps steps{rows, {}, finish};
  vector::LoadOp reads;
  vector::StoreOp fills;
  SmallVector<Value> others;
  for (Operation &op : *finish.getBody()) {
    Value base;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      base = getBase(load.getMemRef());
    auto load = dyn_cast<vector::LoadOp>(op);
    if (load)
      base = getBase(load.getBase());
    if (!base)
      continue;
    scf::ForOp fill;
    if (load && base.getDefiningOp<memref::AllocaOp>())
      for (auto [buffer, step] : writers)
        if (buffer == base)
          fill = dyn_cast<scf::ForOp>(step);
    vector::StoreOp store = fill ? getOnlyStore(fill) : vector::StoreOp();
    if (!store || reads) {
      others.push_back(base);
      continue;
    }
    reads = load;
    fills = store;
    steps.fill = fill;
  }
  if (!reads || !steps.fill->isBeforeInBlock(finish))
    return std::nullopt;

  // Elements that one step of `fill` stores are those of some of `finish`.
  auto isRow = [](OperandRange indices, VectorType type, scf::ForOp loop) {
    return !indices.empty() && indices.back() == loop.getInductionVar() &&
           type.getRank() == 1 &&
           getConstantIntValue(loop.getStep()) == type.getNumElements();
  };
  if (fills.getBase() != reads.getBase() ||
      !isRow(fills.getIndices(), fills.getVectorType(), steps.fill) ||
      !isRow(reads.getIndices(), reads.getVectorType(), finish) ||
      !llvm::equal(fills.getIndices().drop_back(),
                   reads.getIndices().drop_back()))
    return std::nullopt;
  auto isSame = [](Value lhs, Value rhs) {
    return lhs == rhs || (getConstantIntValue(lhs) &&
                          getConstantIntValue(lhs) == getConstantIntValue(rhs));
  };
  int64_t fillStep = fills.getVectorType().getNumElements();
  int64_t finishStep = reads.getVectorType().getNumElements();
  if (!isSame(steps.fill.getLowerBound(), finish.getLowerBound()) ||
      !isSame(steps.fill.getUpperBound(), finish.getUpperBound()) ||
      fillStep % finishStep != 0)
    return std::nullopt;
  // A few vectors are as many as there are registers for.
  constexpr int64_t kMaxFactor = 8;
  steps.factor = fillStep / finishStep;
  if (steps.factor > kMaxFactor)
    return std::nullopt;

  // Nobody reads the result, which comes later now.
  WalkResult uses = rows.getBody()->walk([&](Operation *op) {
    Value memref;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      memref = load.getMemRef();
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      memref = load.getBase();
    else if (auto load = dyn_cast<vector::MaskedLoadOp>(op))
      memref = load.getBase();
    return memref && getBase(memref) == getBase(result.getBase())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (uses.wasInterrupted())
    return std::nullopt;
  // Until `fill` in the next row nobody else may touch what is read.
  for (auto [buffer, step] : writers) {
    if (buffer == getBase(reads.getBase()) && step != steps.fill)
      return std::nullopt;
    if (llvm::is_contained(others, buffer) &&
        (step == steps.fill || step->isBeforeInBlock(steps.fill)))
      return std::nullopt;
  }
  for (Value value : getCaptured(finish))
    if (!followsFromRow(value, rows))
      return std::nullopt;
  return steps;
}

/// Clones the body of `finish` for the element `column`.
static void cloneBody(scf::ForOp loop, Value column, IRMapping mapping,
                      OpBuilder &builder) {
  mapping.map(loop.getInductionVar(), column);
  for (Operation &op : loop.getBody()->without_terminator())
    builder.clone(op, mapping);
}

static void rotate(const RowSteps &steps) {
  scf::ForOp rows = steps.rows, fill = steps.fill, finish = steps.finish;
  Location loc = rows.getLoc();
  llvm::SetVector<Value> captured = getCaptured(finish);
  auto mapTo = [&](Value row, OpBuilder &builder) {
    IRMapping mapping;
    mapping.map(rows.getInductionVar(), row);
    for (Value value : captured)
      recompute(value, rows, mapping, builder);
    return mapping;
  };

  OpBuilder builder(fill);
  Value hasPrevious =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                            rows.getInductionVar(), rows.getLowerBound());
  auto branch = scf::IfOp::create(builder, loc, hasPrevious,
                                  /*withElseRegion=*/true);
  builder.setInsertionPoint(branch.elseYield());
  builder.clone(*fill);
  builder.setInsertionPoint(branch.thenYield());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value previous =
      arith::SubIOp::create(builder, loc, rows.getInductionVar(), one);
  IRMapping mapping = mapTo(previous, builder);
  auto joint = scf::ForOp::create(builder, loc, fill.getLowerBound(),
                                  fill.getUpperBound(), fill.getStep());
  builder.setInsertionPoint(joint.getBody()->getTerminator());
  int64_t step = *getConstantIntValue(finish.getStep());
  for (int64_t part = 0; part < steps.factor; ++part) {
    Value column = joint.getInductionVar();
    if (part != 0)
      column = arith::AddIOp::create(
          builder, loc, column,
          arith::ConstantIndexOp::create(builder, loc, part * step));
    cloneBody(finish, column, mapping, builder);
  }
  cloneBody(fill, joint.getInductionVar(), IRMapping(), builder);

  // The last row has no next one.
  builder.setInsertionPointAfter(rows);
  Value hasRows =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                            rows.getLowerBound(), rows.getUpperBound());
  auto rest = scf::IfOp::create(builder, loc, hasRows,
                                /*withElseRegion=*/false);
  builder.setInsertionPoint(rest.thenYield());
  one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value last = arith::SubIOp::create(builder, loc, rows.getUpperBound(), one);
  mapping = mapTo(last, builder);
  builder.clone(*finish, mapping);
  finish.erase();
  fill.erase();
}

void mlir::relay::detail::rotateRows(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    if (std::optional<RowSteps> steps = match(loop))
      rotate(*steps);
}
