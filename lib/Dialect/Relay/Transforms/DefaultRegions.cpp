//===- DefaultRegions.cpp - Annotations of what we compile ourselves ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes between those that annotate and those that read annotations put the
// bodies of functions where they are called, values in place of variables, and
// continuations in place of results: annotations lose their counterparts. Of
// parts for others that is an error. What is for us may be left to us at any
// place, and gets the annotations that it lacks.
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "VariableUses.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Goes through a function once, in the order of its program.
class DefaultSettler {
public:
  void run(func::FuncOp function);

private:
  void visit(Operation *op);
  void visitBegin(BeginOp begin);
  void visitEnd(EndOp end);
  /// Where an operand comes from in a part for us that is still open.
  bool isOurs(Value value) const {
    return targets.lookup(value) == kDefaultTarget;
  }
  void leave(OpOperand &operand);
  void enter(OpOperand &operand, StringRef target);

  /// Of values in parts that they have not left.
  DenseMap<Value, StringRef> targets;
  SmallVector<EndOp> dead;
};

} // namespace

void DefaultSettler::leave(OpOperand &operand) {
  OpBuilder builder(operand.getOwner());
  Value value = operand.get();
  operand.set(EndOp::create(builder, operand.getOwner()->getLoc(),
                            value.getType(), value, kDefaultTarget));
}

void DefaultSettler::enter(OpOperand &operand, StringRef target) {
  OpBuilder builder(operand.getOwner());
  Value value = operand.get();
  auto begin = BeginOp::create(builder, operand.getOwner()->getLoc(),
                               value.getType(), value, target);
  targets[begin] = begin.getCompiler();
  operand.set(begin);
}

void DefaultSettler::visitBegin(BeginOp begin) {
  if (isOurs(begin.getData()))
    leave(begin.getDataMutable());
  targets[begin] = begin.getCompiler();
}

void DefaultSettler::visitEnd(EndOp end) {
  if (end.getCompiler() != kDefaultTarget || targets.contains(end.getData()))
    return;
  end.getResult().replaceAllUsesWith(end.getData());
  dead.push_back(end);
}

void DefaultSettler::visit(Operation *op) {
  if (auto begin = dyn_cast<BeginOp>(op))
    return visitBegin(begin);
  if (auto end = dyn_cast<EndOp>(op))
    return visitEnd(end);
  SmallVector<OpOperand *> ours, outside;
  StringRef target;
  bool isApart = false;
  // Which closure is called, the first operand, is none of a region.
  MutableArrayRef<OpOperand> operands = op->getOpOperands();
  if (isa<CallIndirectOp>(op))
    operands = operands.drop_front();
  for (OpOperand &operand : operands) {
    Value value = operand.get();
    if (isOurs(value)) {
      ours.push_back(&operand);
      isApart |= value.getParentBlock() != op->getBlock();
    } else if (targets.contains(value)) {
      target = targets.lookup(value);
    } else if (!needsNoRegion(getBound(value))) {
      outside.push_back(&operand);
    }
  }
  if (!ours.empty()) {
    bool ends = op->hasTrait<OpTrait::IsTerminator>() || op->getNumRegions();
    // An operation of its own is never in a circle.
    if (ends || !target.empty() || !outside.empty() || isApart) {
      for (OpOperand *operand : ours)
        leave(*operand);
      if (ends)
        return;
      StringRef into = target.empty() ? StringRef(kDefaultTarget) : target;
      for (OpOperand *operand : ours)
        enter(*operand, into);
      if (target.empty())
        for (OpOperand *operand : outside)
          enter(*operand, into);
    }
    if (target.empty())
      target = kDefaultTarget;
  }
  if (!target.empty())
    for (Value result : op->getResults())
      targets[result] = target;
}

void DefaultSettler::run(func::FuncOp function) {
  function.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (op != function)
      visit(op);
  });
  for (EndOp end : dead)
    end.erase();
}

void relay::detail::settleDefaults(func::FuncOp function) {
  DefaultSettler().run(function);
}
