//===- HoistDivisions.cpp - Divisions of indices before loops -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_HOISTDIVISIONSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

/// A division by a size that is not known.
static bool isIndexDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
             op) &&
         getElementTypeOrSelf(op->getResult(0)).isIndex() &&
         !matchPattern(op->getOperand(1), m_Constant());
}

/// Moves `op` out of the regions that none of its operands is in, after what
/// computes these, where that has no effects. What is in `visited` was moved
/// before.
static void hoist(Operation *op, DenseSet<Operation *> &visited) {
  if (!visited.insert(op).second)
    return;
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && source->getNumRegions() == 0 && isPure(source))
      hoist(source, visited);
  }
  Operation *place = op;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       place = parent, parent = parent->getParentOp())
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return parent->isAncestor(operand.getParentBlock()->getParentOp());
        }))
      break;
  if (place != op)
    op->moveBefore(place);
}

/// Writes expressions that divide by a size as divisions.
static void expandDivisions(func::FuncOp function) {
  function.walk([](affine::AffineApplyOp apply) {
    bool divides = false;
    apply.getAffineMap().walkExprs([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      divides |= binary && !isa<AffineConstantExpr>(binary.getRHS()) &&
                 expr.getKind() != AffineExprKind::Add &&
                 expr.getKind() != AffineExprKind::Mul;
    });
    if (!divides)
      return;
    OpBuilder builder(apply);
    auto values =
        affine::expandAffineMap(builder, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getMapOperands()));
    if (!values)
      return;
    apply.getResult().replaceAllUsesWith(values->front());
    apply.erase();
  });
}

namespace {
struct HoistDivisionsPass
    : relay::impl::HoistDivisionsPassBase<HoistDivisionsPass> {
  void runOnOperation() override {
    expandDivisions(getOperation());
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isIndexDivision(op))
        divisions.push_back(op);
    });
    // Operands come before what uses them.
    DenseSet<Operation *> visited;
    for (Operation *op : divisions) {
      OpBuilder builder(op);
      Location loc = op->getLoc();
      Value divisor = op->getOperand(1);
      Value one = arith::ConstantOp::create(
          builder, loc, builder.getOneAttr(divisor.getType()));
      // A large unsigned number is negative.
      if (isa<arith::DivUIOp, arith::RemUIOp>(op))
        divisor = arith::MaxUIOp::create(builder, loc, divisor, one);
      else
        divisor = arith::MaxSIOp::create(builder, loc, divisor, one);
      op->setOperand(1, divisor);
      hoist(op, visited);
    }
  }
};
} // namespace
