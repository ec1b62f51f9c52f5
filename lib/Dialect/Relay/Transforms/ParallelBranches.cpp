//===- ParallelBranches.cpp - Operators on the same data ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParallelBranches.h"

using namespace mlir;
using namespace mlir::relay;

/// Whether `op` computes each element of its result from the element of operand
/// `data` in the same place, with all that matters in its operands and
/// attributes.
static bool isFollower(Operation *op, Value data) {
  auto fusable = dyn_cast<FusionPatternOpInterface>(op);
  if (!fusable || op->getNumResults() != 1 ||
      op->getResult(0).getType() != data.getType())
    return false;
  if (op->getNumOperands() == 1)
    return fusable.getFusionPattern() == OpPatternKind::ElemWise;
  return llvm::count(op->getOperands(), data) == 1 &&
         isa<BroadcastOpInterface>(op);
}

Branch relay::getBranch(Operation *root) {
  Branch branch = {root};
  while (branch.back()->hasOneUse()) {
    Operation *user = *branch.back()->user_begin();
    if (user->getBlock() != root->getBlock() ||
        !isFollower(user, branch.back()->getResult(0)))
      break;
    branch.push_back(user);
  }
  return branch;
}

bool relay::isAvailable(Value value, Operation *first) {
  Operation *op = value.getDefiningOp();
  return !op || op->getBlock() != first->getBlock() || isa<ConstantOp>(op) ||
         op->isBeforeInBlock(first);
}

void relay::makeAvailable(Value value, Operation *first) {
  Operation *op = value.getDefiningOp();
  if (op && op->getBlock() == first->getBlock() && first->isBeforeInBlock(op))
    op->moveBefore(first);
}

bool relay::areAlike(ArrayRef<Branch> branches, unsigned level) {
  if (llvm::any_of(branches, [&](const Branch &branch) {
        return branch.size() <= level;
      }))
    return false;
  auto isData = [&](const Branch &branch, unsigned index) {
    return branch[level]->getOperand(index) == branch[level - 1]->getResult(0);
  };
  const Branch &model = branches.front();
  return llvm::all_of(branches, [&](const Branch &branch) {
    Operation *op = branch[level];
    if (op->getName() != model[level]->getName() ||
        op->getAttrDictionary() != model[level]->getAttrDictionary() ||
        op->getNumOperands() != model[level]->getNumOperands())
      return false;
    return llvm::all_of(llvm::seq(op->getNumOperands()), [&](unsigned index) {
      return isData(branch, index) == isData(model, index);
    });
  });
}

void relay::eraseLevels(ArrayRef<Branch> branches, unsigned numLevels) {
  for (const Branch &branch : branches)
    for (Operation *op : llvm::reverse(ArrayRef(branch).take_front(numLevels)))
      op->erase();
}

Location relay::getBranchesLoc(ArrayRef<Operation *> roots) {
  SmallVector<Location> locations;
  for (Operation *root : roots)
    locations.push_back(root->getLoc());
  return FusedLoc::get(roots.front()->getContext(), locations);
}
