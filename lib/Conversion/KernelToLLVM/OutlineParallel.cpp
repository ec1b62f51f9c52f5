//===- OutlineParallel.cpp - Parallel loops to functions ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::relay {
#define GEN_PASS_DEF_OUTLINEPARALLELPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;

/// Clones what `value` is computed from, up to the kernel's arguments, which
/// `mapping` knows.
static LogicalResult rematerialize(Value value, IRMapping &mapping,
                                   OpBuilder &builder) {
  if (mapping.contains(value))
    return success();
  Operation *op = value.getDefiningOp();
  // What the kernel has computed before, such as a quotient, it computes again.
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0) {
    InFlightDiagnostic diag = emitError(
        value.getLoc(), "expects a value that a parallel loop uses to "
                        "follow from the sizes of the arguments");
    if (op)
      diag << ", but got a result of " << op->getName();
    return diag;
  }
  for (Value operand : op->getOperands())
    if (failed(rematerialize(operand, mapping, builder)))
      return failure();
  builder.clone(*op, mapping);
  return success();
}

static LogicalResult outline(scf::ParallelOp loop, func::FuncOp kernel,
                             unsigned index) {
  if (loop.getNumLoops() != 1 || loop.getNumReductions() != 0)
    return loop.emitOpError("expects one induction variable and no reductions");
  Location loc = loop.getLoc();
  OpBuilder builder(kernel->getContext());
  builder.setInsertionPointAfter(kernel);
  SmallVector<Type> inputs(kernel.getArgumentTypes());
  inputs.append(2, builder.getIndexType());
  auto body = func::FuncOp::create(
      builder, loc, (kernel.getSymName() + ".par" + Twine(index)).str(),
      builder.getFunctionType(inputs, {}));
  body.setPrivate();
  body->setAttr(tir::kParallelBodyAttr, builder.getUnitAttr());
  for (unsigned arg = 0; arg < kernel.getNumArguments(); ++arg)
    body.setArgAttrs(arg, kernel.getArgAttrDict(arg));

  Block *entry = body.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  IRMapping mapping;
  mapping.map(kernel.getArguments(), entry->getArguments().drop_back(2));
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loop.getRegion(), captured);
  for (Value value : captured)
    if (failed(rematerialize(value, mapping, builder)))
      return failure();

  // Iterations are counted from 0.
  Value lower = loop.getLowerBound().front();
  if (failed(rematerialize(lower, mapping, builder)))
    return failure();
  lower = mapping.lookup(lower);
  Value begin = arith::AddIOp::create(builder, loc, lower,
                                      entry->getArgument(inputs.size() - 2));
  Value end = arith::AddIOp::create(builder, loc, lower,
                                    entry->getArgument(inputs.size() - 1));
  Value step = arith::ConstantIndexOp::create(builder, loc, 1);
  auto serial = scf::ForOp::create(builder, loc, begin, end, step);
  func::ReturnOp::create(builder, loc);
  mapping.map(loop.getInductionVars().front(), serial.getInductionVar());
  builder.setInsertionPointToStart(serial.getBody());
  for (Operation &op : loop.getBody()->without_terminator()) {
    // The stack would grow with each iteration.
    if (isa<memref::AllocaOp>(op)) {
      OpBuilder atEntry = OpBuilder::atBlockBegin(entry);
      atEntry.clone(op, mapping);
    } else {
      builder.clone(op, mapping);
    }
  }

  builder.setInsertionPoint(loop);
  Value extent = arith::SubIOp::create(
      builder, loc, loop.getUpperBound().front(), loop.getLowerBound().front());
  SmallVector<Value> operands(kernel.getArguments());
  operands.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  operands.push_back(extent);
  auto call = func::CallOp::create(builder, loc, body, operands);
  call->setAttr(tir::kParallelAttr, builder.getUnitAttr());
  loop.erase();
  return success();
}

namespace {
struct OutlineParallelPass
    : relay::impl::OutlineParallelPassBase<OutlineParallelPass> {
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      unsigned index = 0;
      for (auto loop : llvm::to_vector(kernel.getOps<scf::ParallelOp>()))
        if (failed(outline(loop, kernel, index++)))
          return signalPassFailure();
    }
  }
};
} // namespace
