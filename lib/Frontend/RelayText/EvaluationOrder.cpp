//===- EvaluationOrder.cpp - What needs a let -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EvaluationOrder.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

SmallVector<Value> ast::getOperandsInOrder(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  // Arguments come before the callee.
  if (isa<CallIndirectOp>(op))
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
  return operands;
}

/// Whether the operation itself, apart from its regions, has effects.
static bool hasOwnEffects(Operation *op) {
  // Operators are pure, those that memory planning makes excepted.
  if (auto apply = dyn_cast<ApplyOp>(op))
    return apply.getName().starts_with("memory.") ||
           apply.getName().starts_with("vm.");
  // Annotations are of uses, whenever these are.
  if (isa<AnnotationCompilerBeginOp, AnnotationCompilerEndOp>(op))
    return false;
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> instances;
    interface.getEffects(instances);
    return !instances.empty();
  }
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// A closure that calls itself, which only a let can name.
static bool isRecursiveWithoutLet(Operation *op) {
  auto fn = dyn_cast<FnOp>(op);
  return fn && fn.getRecursive() && !getBinding(fn);
}

/// A declared type for which there is no place but a variable's.
static bool isTypeOfNothing(Operation *op) {
  if (!isa<AscribeOp>(op) || op->use_empty())
    return false;
  if (!op->hasOneUse())
    return true;
  Operation *user = *op->user_begin();
  return user->getBlock() != op->getBlock() ||
         !(isa<LetOp, func::ReturnOp>(user) ||
           (isa<YieldOp>(user) && isa<FnOp>(user->getParentOp())));
}

EvaluationOrder::EvaluationOrder(Operation *function) : function(function) {
  findEffects();
  findPlaces();
  // Lets in one block may change what is needed first in those around it.
  constexpr unsigned kMaxRounds = 4;
  for (unsigned round = 0; bindReordered(); ++round) {
    if (round < kMaxRounds)
      continue;
    function->walk([&](Block *block) { bindEffects(*block); });
    break;
  }
}

void EvaluationOrder::findEffects() {
  function->walk([&](Operation *op) {
    if (op == function || op->hasTrait<OpTrait::IsTerminator>())
      return;
    if (!hasEffectsAt(op) && !hasOwnEffects(op))
      return;
    effects.insert(op);
    // A closure is made without the effects that it has when it is called.
    Operation *parent = op->getParentOp();
    if (parent != function && !isa<FnOp>(parent))
      effects.insert(parent);
  });
}

//===----------------------------------------------------------------------===//
// Where expressions are evaluated
//===----------------------------------------------------------------------===//

void EvaluationOrder::use(Value value, Region *region) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  Region *&place = places[op];
  if (!place) {
    place = region;
    return;
  }
  place = scopes.getCommon(place, region);
}

void EvaluationOrder::placeOperation(Operation *op) {
  Region *own = op->getParentRegion();
  Region *place = places.lookup(op);
  if (!op->hasTrait<OpTrait::IsTerminator>() && !isa<LetOp>(op)) {
    if ((hasEffectsAt(op) && place != own) || isRecursiveWithoutLet(op) ||
        isTypeOfNothing(op)) {
      bound.insert(op);
      place = own;
    }
    // What nobody uses is no part of an expression.
    if (!place)
      return;
  } else {
    place = own;
  }
  places[op] = place;
  for (Value operand : op->getOperands())
    use(operand, place);
}

void EvaluationOrder::findPlaces() {
  scopes.visit(function->getRegion(0), [&](Operation *op) {
    placeOperation(op);
    return places.lookup(op);
  });
}

//===----------------------------------------------------------------------===//
// The order of effects
//===----------------------------------------------------------------------===//

/// What is evaluated one after the other in a block, whatever uses it: lets,
/// then the block's value.
static std::vector<Operation *>
getStatements(Block &block, const DenseSet<Operation *> &bound) {
  std::vector<Operation *> statements;
  for (Operation &op : block)
    if (isa<LetOp>(op) || bound.contains(&op) ||
        op.hasTrait<OpTrait::IsTerminator>())
      statements.push_back(&op);
  return statements;
}

bool EvaluationOrder::bindReordered() {
  struct Frame {
    Operation *op;
    /// Operands first, then the statements of the regions.
    std::vector<Operation *> children;
    size_t next = 0;
  };
  llvm::MapVector<Block *, std::vector<Operation *>> order;
  DenseSet<Operation *> visited;
  std::vector<Frame> stack;
  auto enter = [&](Operation *op) {
    if (!visited.insert(op).second)
      return;
    Frame frame{op, {}};
    for (Value operand : getOperandsInOrder(op))
      if (Operation *child = operand.getDefiningOp())
        frame.children.push_back(child);
    for (Region &region : op->getRegions())
      llvm::append_range(frame.children, getStatements(region.front(), bound));
    stack.push_back(std::move(frame));
  };
  auto finish = [&](Operation *op) {
    if (hasEffectsAt(op))
      order[op->getBlock()].push_back(op);
  };
  visited.insert(function);
  stack.push_back(
      {function, getStatements(function->getRegion(0).front(), bound)});
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next < frame.children.size()) {
      enter(frame.children[frame.next++]);
      continue;
    }
    Operation *op = frame.op;
    stack.pop_back();
    if (op != function)
      finish(op);
  }
  bool changed = false;
  for (auto &[block, found] : order) {
    size_t index = 0;
    for (Operation &op : *block) {
      if (!hasEffectsAt(&op))
        continue;
      if (index == found.size() || found[index++] != &op) {
        bindEffects(*block);
        changed = true;
        break;
      }
    }
  }
  return changed;
}

void EvaluationOrder::bindEffects(Block &block) {
  Operation *pending = nullptr;
  for (Operation &op : block) {
    // The next let binds what only it uses, unless there are effects between.
    if (isa<LetOp>(op) && pending && pending->hasOneUse()) {
      Operation *value = op.getOperand(0).getDefiningOp();
      if (auto ascribe = dyn_cast_if_present<AscribeOp>(value))
        value = ascribe.getValue().getDefiningOp();
      if (value == pending)
        bound.erase(pending);
    }
    if (!hasEffectsAt(&op))
      continue;
    bound.insert(&op);
    pending = &op;
  }
}
