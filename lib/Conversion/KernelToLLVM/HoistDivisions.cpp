//===- HoistDivisions.cpp - Divisions of indices before loops -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
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
         op->getResult(0).getType().isIndex() &&
         !matchPattern(op->getOperand(1), m_Constant());
}

/// Moves `op` out of the regions that none of its operands is in, after what
/// computes these, where that has no effects.
static void hoist(Operation *op) {
  for (Value operand : op->getOperands()) {
    Operation *source = operand.getDefiningOp();
    if (source && source->getNumRegions() == 0 && isPure(source))
      hoist(source);
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

namespace {
struct HoistDivisionsPass
    : relay::impl::HoistDivisionsPassBase<HoistDivisionsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> divisions;
    getOperation().walk([&](Operation *op) {
      if (isIndexDivision(op))
        divisions.push_back(op);
    });
    // Operands come before what uses them.
    for (Operation *op : divisions) {
      OpBuilder builder(op);
      Value one = arith::ConstantIndexOp::create(builder, op->getLoc(), 1);
      op->setOperand(1, arith::MaxSIOp::create(builder, op->getLoc(),
                                               op->getOperand(1), one));
      hoist(op);
    }
  }
};
} // namespace
