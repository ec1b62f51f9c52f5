//===- CountWork.cpp - What a kernel computes and moves -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Counted before scheduling: what the operator asks for, not what a schedule
// makes of it.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "SizeExprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRCOUNTWORKPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

/// Whether a selection gives the larger or smaller one of what it compares: the
/// form in which relu and others keep NaN.
static bool isExtremum(arith::SelectOp select) {
  Operation *comparison = select.getCondition().getDefiningOp();
  return isa_and_present<arith::CmpFOp, arith::CmpIOp>(comparison) &&
         llvm::is_contained(comparison->getOperands(), select.getTrueValue()) &&
         llvm::is_contained(comparison->getOperands(), select.getFalseValue());
}

/// Operations on elements. Indices, comparisons, other selections than maxima
/// and minima, and conversions are not counted.
static int64_t getNumFlops(Operation *op) {
  if (op->getNumResults() != 1 || op->getResult(0).getType().isIndex())
    return 0;
  if (isa<math::FmaOp>(op))
    return 2;
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isExtremum(select);
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
          arith::RemFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
          arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::SubIOp,
          arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::MaxSIOp,
          arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op))
    return 1;
  return isa<math::MathDialect>(op->getDialect()) ? 1 : 0;
}

static int64_t getNumFlops(BlockOp block) {
  int64_t count = 0;
  block.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Start values are set once for each result.
    if (isa<InitOp>(op))
      return WalkResult::skip();
    count += getNumFlops(op);
    return WalkResult::advance();
  });
  return count;
}

/// Null if an extent does not follow from the sizes of inputs and outputs.
static AffineExpr getNumInstances(BlockOp block, const SizeExprs &sizes) {
  AffineExpr count = getAffineConstantExpr(1, block.getContext());
  for (ForOp loop : block.getLoops()) {
    AffineExpr lower = sizes.get(loop.getLowerBound());
    AffineExpr upper = sizes.get(loop.getUpperBound());
    if (!lower || !upper)
      return {};
    count = count * (upper - lower);
  }
  return count;
}

static int64_t getElementBytes(Value buffer) {
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

namespace {

/// How much of one input or output the blocks touch.
struct Touched {
  /// Accesses; null once they cannot be counted.
  AffineExpr accesses;
  bool byData = false;
};

class WorkCounter {
public:
  explicit WorkCounter(PrimFuncOp kernel) : kernel(kernel), sizes(kernel) {}

  void run();

private:
  AffineExpr getBytes(BlockArgument argument, const Touched &touched) const;
  void setAttr(StringRef name, AffineExpr expr) {
    if (expr)
      kernel->setAttr(name, AffineMapAttr::get(AffineMap::get(
                                0, sizes.getNumSymbols(), expr)));
  }

  PrimFuncOp kernel;
  SizeExprs sizes;
};

} // namespace

AffineExpr WorkCounter::getBytes(BlockArgument argument,
                                 const Touched &touched) const {
  AffineExpr whole = sizes.getNumElements(argument);
  AffineExpr count = whole;
  if (auto accesses =
          dyn_cast_if_present<AffineConstantExpr>(touched.accesses)) {
    // A slice, or a few rows of a table.
    auto constant = dyn_cast<AffineConstantExpr>(whole);
    if (constant ? accesses.getValue() < constant.getValue() : touched.byData)
      count = accesses;
  } else if (touched.byData && touched.accesses) {
    count = touched.accesses;
  }
  return count * getElementBytes(argument);
}

void WorkCounter::run() {
  AffineExpr zero = getAffineConstantExpr(0, kernel.getContext());
  AffineExpr flops = zero;
  llvm::SmallDenseMap<Value, Touched> touchedBy;
  for (BlockOp block : kernel.getBlocks()) {
    AffineExpr instances = getNumInstances(block, sizes);
    flops = flops && instances ? flops + instances * getNumFlops(block)
                               : AffineExpr();
    for (const BufferAccess &access : collectAccesses(block)) {
      auto [it, isNew] =
          touchedBy.try_emplace(access.buffer, Touched{zero, false});
      Touched &touched = it->second;
      touched.accesses = touched.accesses && instances
                             ? touched.accesses + instances
                             : AffineExpr();
      touched.byData |= !access.map;
    }
  }
  AffineExpr bytes = zero;
  for (BlockArgument argument :
       kernel.getArguments().drop_back(kernel.getNumWorkspaces()))
    if (auto it = touchedBy.find(argument); it != touchedBy.end())
      bytes = bytes + getBytes(argument, it->second);
  setAttr(kFlopsAttr, flops);
  setAttr(kBytesAttr, bytes);
}

namespace {
struct CountWorkPass : tir::impl::TIRCountWorkPassBase<CountWorkPass> {
  void runOnOperation() override { WorkCounter(getOperation()).run(); }
};
} // namespace
