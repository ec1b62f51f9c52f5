//===- Control.cpp - Loops, branches and calls ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

using Registers = KernelBuilder::Registers;

/// The value of an integer that has the bits of `imm` above it.
static int64_t toSigned(uint64_t value, uint64_t unused) {
  return static_cast<int64_t>(value << unused);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Enters the loop, or jumps behind it.
static void startLoop(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  if (toSigned(r[inst.c], inst.imm) <= 0) {
    thread.block->fail(thread, inst,
                       "expects the step of a loop to be positive, but got ")
        << (toSigned(r[inst.c], inst.imm) >> inst.imm);
    return;
  }
  if (toSigned(r[inst.a], inst.imm) >= toSigned(r[inst.b], inst.imm))
    thread.pc = thread.block->getKernel().code.data() + inst.x;
}

static void startUnsignedLoop(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  if (!r[inst.c])
    thread.block->fail(thread, inst,
                       "expects the step of a loop to be positive, but got 0");
  else if (r[inst.a] >= r[inst.b])
    thread.pc = thread.block->getKernel().code.data() + inst.x;
}

/// Goes on to the next value and back, if there is one.
template <bool isUnsigned>
static void continueLoop(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  uint64_t mask = ~uint64_t(0) >> inst.imm;
  uint64_t value = r[inst.a] = (r[inst.a] + r[inst.c]) & mask;
  if (isUnsigned ? value < r[inst.b]
                 : toSigned(value, inst.imm) < toSigned(r[inst.b], inst.imm))
    thread.pc = thread.block->getKernel().code.data() + inst.x;
}

static LogicalResult lowerFor(KernelBuilder &builder, scf::ForOp op) {
  uint32_t induction = builder.define(op.getInductionVar());
  builder.emitMove(op, induction, builder.get(op.getLowerBound()), 1);
  SmallVector<Registers> carried;
  for (auto [argument, result] :
       llvm::zip_equal(op.getRegionIterArgs(), op.getResults())) {
    auto registers = builder.allocate(op, argument.getType());
    if (failed(registers))
      return failure();
    builder.set(argument, *registers);
    builder.set(result, *registers);
    carried.push_back(*registers);
  }
  if (failed(builder.emitMoves(op, carried, op.getInitArgs())))
    return failure();
  bool isUnsigned = op.getUnsignedCmp();
  Inst start;
  start.a = induction;
  start.b = builder.get(op.getUpperBound());
  start.c = builder.get(op.getStep());
  start.imm = 64 - getIntegerBits(op.getInductionVar().getType());
  uint32_t test = builder.getPosition();
  Inst &first = builder.emit(op, isUnsigned ? startUnsignedLoop : startLoop);
  start.fn = first.fn;
  first = start;
  uint32_t body = builder.getPosition();
  if (failed(builder.lowerBody(op.getRegion())))
    return failure();
  Operation *yield = op.getBody()->getTerminator();
  if (failed(builder.emitMoves(yield, carried, yield->getOperands())))
    return failure();
  Inst &last =
      builder.emit(op, isUnsigned ? continueLoop<true> : continueLoop<false>);
  start.fn = last.fn;
  last = start;
  last.x = body;
  builder.setTarget(test);
  return success();
}

static LogicalResult lowerWhile(KernelBuilder &builder, scf::WhileOp op) {
  auto allocateAll = [&](ValueRange values, SmallVector<Registers> &all) {
    for (Value value : values) {
      auto registers = builder.allocate(op, value.getType());
      if (failed(registers))
        return failure();
      builder.set(value, *registers);
      all.push_back(*registers);
    }
    return success();
  };
  SmallVector<Registers> before, after;
  if (failed(allocateAll(op.getBeforeArguments(), before)) ||
      failed(allocateAll(op.getAfterArguments(), after)))
    return failure();
  for (auto [result, registers] : llvm::zip_equal(op.getResults(), after))
    builder.set(result, registers);
  if (failed(builder.emitMoves(op, before, op.getInits())))
    return failure();
  uint32_t head = builder.getPosition();
  if (failed(builder.lowerBody(op.getBefore())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(builder.emitMoves(condition, after, condition.getArgs())))
    return failure();
  uint32_t leave =
      builder.emitJumpIfZero(condition, builder.get(condition.getCondition()));
  if (failed(builder.lowerBody(op.getAfter())))
    return failure();
  scf::YieldOp yield = op.getYieldOp();
  if (failed(builder.emitMoves(yield, before, yield.getOperands())))
    return failure();
  builder.emitJump(yield, head);
  builder.setTarget(leave);
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Registers>> defineResults(KernelBuilder &builder,
                                                       Operation *op) {
  SmallVector<Registers> all;
  for (Value result : op->getResults()) {
    auto registers = builder.allocate(op, result.getType());
    if (failed(registers))
      return failure();
    builder.set(result, *registers);
    all.push_back(*registers);
  }
  return all;
}

/// The only block of a region, then its values as results.
static LogicalResult lowerArm(KernelBuilder &builder, Region &region,
                              ArrayRef<Registers> results) {
  if (region.empty())
    return success();
  if (failed(builder.lowerBody(region)))
    return failure();
  Operation *yield = region.front().getTerminator();
  return builder.emitMoves(yield, results, yield->getOperands());
}

static LogicalResult lowerIf(KernelBuilder &builder, scf::IfOp op) {
  auto results = defineResults(builder, op);
  if (failed(results))
    return failure();
  uint32_t toElse = builder.emitJumpIfZero(op, builder.get(op.getCondition()));
  if (failed(lowerArm(builder, op.getThenRegion(), *results)))
    return failure();
  if (op.getElseRegion().empty()) {
    builder.setTarget(toElse);
    return success();
  }
  uint32_t toEnd = builder.emitJump(op);
  builder.setTarget(toElse);
  if (failed(lowerArm(builder, op.getElseRegion(), *results)))
    return failure();
  builder.setTarget(toEnd);
  return success();
}

static void isDifferent(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  r[inst.d] = r[inst.a] != r[inst.b];
}

/// A jump, taken if two registers are different, whose target is set later.
static uint32_t emitJumpIfEqual(KernelBuilder &builder, Operation *op,
                                uint32_t a, uint32_t b) {
  uint32_t differ = builder.allocate();
  Inst &inst = builder.emit(op, isDifferent);
  inst.d = differ;
  inst.a = a;
  inst.b = b;
  return builder.emitJumpIfZero(op, differ);
}

static LogicalResult lowerIndexSwitch(KernelBuilder &builder,
                                      scf::IndexSwitchOp op) {
  auto results = defineResults(builder, op);
  if (failed(results))
    return failure();
  SmallVector<uint32_t> toCases, toEnd;
  for (int64_t value : op.getCases())
    toCases.push_back(emitJumpIfEqual(builder, op, builder.get(op.getArg()),
                                      builder.getConstant(value)));
  if (failed(lowerArm(builder, op.getDefaultRegion(), *results)))
    return failure();
  for (auto [jump, region] : llvm::zip_equal(toCases, op.getCaseRegions())) {
    toEnd.push_back(builder.emitJump(op));
    builder.setTarget(jump);
    if (failed(lowerArm(builder, region, *results)))
      return failure();
  }
  for (uint32_t jump : toEnd)
    builder.setTarget(jump);
  return success();
}

static LogicalResult lowerExecuteRegion(KernelBuilder &builder,
                                        scf::ExecuteRegionOp op) {
  auto results = defineResults(builder, op);
  if (failed(results))
    return failure();
  SmallVector<uint32_t> jumps;
  if (failed(builder.lowerBlocks(op.getRegion(), [&](Operation *end) {
        if (failed(builder.emitMoves(end, *results, end->getOperands())))
          return failure();
        jumps.push_back(builder.emitJump(end));
        return success();
      })))
    return failure();
  for (uint32_t jump : jumps)
    builder.setTarget(jump);
  return success();
}

static LogicalResult lowerCondBranch(KernelBuilder &builder,
                                     cf::CondBranchOp op) {
  uint32_t toFalse = builder.emitJumpIfZero(op, builder.get(op.getCondition()));
  if (failed(
          builder.emitBranch(op, op.getTrueDest(), op.getTrueDestOperands())))
    return failure();
  builder.setTarget(toFalse);
  return builder.emitBranch(op, op.getFalseDest(), op.getFalseDestOperands());
}

static LogicalResult lowerSwitch(KernelBuilder &builder, cf::SwitchOp op) {
  SmallVector<uint32_t> toCases;
  if (op.getCaseValues())
    for (const APInt &value : op.getCaseValues()->getValues<APInt>())
      toCases.push_back(
          emitJumpIfEqual(builder, op, builder.get(op.getFlag()),
                          builder.getConstant(value.getZExtValue())));
  if (failed(builder.emitBranch(op, op.getDefaultDestination(),
                                op.getDefaultOperands())))
    return failure();
  for (auto [i, jump] : llvm::enumerate(toCases)) {
    builder.setTarget(jump);
    if (failed(builder.emitBranch(op, op.getCaseDestinations()[i],
                                  op.getCaseOperands(i))))
      return failure();
  }
  return success();
}

static void checkAssertion(Thread &thread, const Inst &inst) {
  if (thread.registers[inst.a])
    return;
  auto op = cast<cf::AssertOp>(
      thread.block->getKernel().operations[thread.block->getIndex(inst)]);
  thread.block->fail(thread, inst, "an assertion fails: ") << op.getMsg();
}

void gpu_executor::populateControlLowerings(LoweringTable &table) {
  table.add<scf::ForOp>(lowerFor);
  table.add<scf::WhileOp>(lowerWhile);
  table.add<scf::IfOp>(lowerIf);
  table.add<scf::IndexSwitchOp>(lowerIndexSwitch);
  table.add<scf::ExecuteRegionOp>(lowerExecuteRegion);
  table.add<cf::BranchOp>([](KernelBuilder &builder, cf::BranchOp op) {
    return builder.emitBranch(op, op.getDest(), op.getDestOperands());
  });
  table.add<cf::CondBranchOp>(lowerCondBranch);
  table.add<cf::SwitchOp>(lowerSwitch);
  table.add<cf::AssertOp>([](KernelBuilder &builder, cf::AssertOp op) {
    builder.emit(op, checkAssertion).a = builder.get(op.getArg());
    return success();
  });
  table.add<func::CallOp>([](KernelBuilder &builder,
                             func::CallOp op) -> LogicalResult {
    auto callee = dyn_cast_or_null<FunctionOpInterface>(
        SymbolTable::lookupNearestSymbolFrom(op, op.getCalleeAttr()));
    if (!callee)
      return op.emitError("expects a function of the module, but got '")
             << op.getCallee() << "'";
    return builder.inlineCall(op, callee, op.getOperands(), op.getResults());
  });
}
