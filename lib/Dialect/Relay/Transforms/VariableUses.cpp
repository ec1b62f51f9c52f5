//===- VariableUses.cpp - Where variables are used last -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableUses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::isVariable(Value value) {
  return isa<BlockArgument>(value) || isa<LetOp>(value.getDefiningOp());
}

VariableUses::VariableUses(Operation *function, bool throughTuples)
    : function(function), throughTuples(throughTuples) {
  addBlock(function->getRegion(0).front());
}

void VariableUses::addVariable(Value value) {
  variables.push_back(value);
  parts[value] = {value};
}

ArrayRef<Value> VariableUses::getParts(Value variable) const {
  auto it = parts.find(variable);
  return it == parts.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

void VariableUses::addUse(Value value, Operation *user) {
  for (Value variable : getParts(value)) {
    // From where it is used out to where it is defined.
    Block *home = variable.getParentBlock();
    for (Operation *op = user; op != function; op = op->getParentOp()) {
      last[{variable, op->getBlock()}] = op;
      if (op->getBlock() == home)
        break;
    }
  }
}

void VariableUses::addBlock(Block &block) {
  for (BlockArgument argument : block.getArguments())
    addVariable(argument);
  for (Operation &op : block) {
    for (Value operand : op.getOperands())
      addUse(operand, &op);
    if (isa<FnOp>(op)) {
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          addUse(operand, &op);
      });
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        addBlock(inner);
    bool isMade = throughTuples && isa<TupleOp, TupleGetItemOp>(op);
    if (isMade || isa<LetOp>(op)) {
      llvm::SetVector<Value> made;
      for (Value operand : op.getOperands())
        for (Value part : getParts(operand))
          made.insert(part);
      // A variable for a tuple is no other thing than the tuple. The tuple may
      // be `()`, without operands.
      auto isTuple = [](Value value) {
        return isa_and_present<TupleOp, TupleGetItemOp, LetOp>(
            value.getDefiningOp());
      };
      if (isMade || (throughTuples && isTuple(op.getOperand(0))))
        parts[op.getResult(0)] = llvm::to_vector<1>(made);
      else
        addVariable(op.getResult(0));
    }
  }
}
