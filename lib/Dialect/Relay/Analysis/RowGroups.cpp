//===- RowGroups.cpp - Operators along the same rows ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Analysis/RowGroups.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using namespace mlir::relay;

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

/// Whether each element of the result is computed from one element of each
/// operand.
static bool isElementwise(Operation *op) {
  auto fusable = dyn_cast<FusionPatternOpInterface>(op);
  return fusable && fusable.getFusionPattern() <= OpPatternKind::Broadcast &&
         op->getNumResults() == 1 && getTensorType(op->getResult(0)) &&
         llvm::all_of(op->getOperands(), getTensorType);
}

/// The one operation of the block that uses the one result of `op`, or null.
static Operation *getOnlyUser(Operation *op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return nullptr;
  Operation *user = *op->user_begin();
  return user->getBlock() == op->getBlock() ? user : nullptr;
}

/// The operation that makes `value` for one use alone, in the block of that
/// use, or null.
static Operation *getOnlyProducer(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == block && op->getNumResults() == 1 &&
                 op->hasOneUse()
             ? op
             : nullptr;
}

using Members = llvm::SetVector<Operation *>;

static FusionGroup sortMembers(const Members &members) {
  FusionGroup group(members.begin(), members.end());
  llvm::sort(group,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return group;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Adds to `members` what lies between a product and `value`, its scaled and
/// masked result, and the product, which is returned; null if there is none.
static NNBatchMatmulOp collectScores(Value value, Block *block,
                                     unsigned maxDepth, Members &members) {
  Operation *op = getOnlyProducer(value, block);
  if (!op || maxDepth == 0)
    return {};
  if (auto product = dyn_cast<NNBatchMatmulOp>(op)) {
    members.insert(op);
    return product;
  }
  bool isReshape = isa<ReshapeOp>(op);
  if (!isReshape && !isElementwise(op))
    return {};
  for (Value operand : op->getOperands()) {
    // Scores are neither broadcast nor read twice.
    if (!isReshape && getTensorType(operand).getShape() !=
                          getTensorType(op->getResult(0)).getShape())
      continue;
    if (NNBatchMatmulOp product =
            collectScores(operand, block, maxDepth - 1, members)) {
      members.insert(op);
      return product;
    }
  }
  return {};
}

static void collectMovements(Value value, Block *block, Members &members) {
  while (Operation *op = getOnlyProducer(value, block)) {
    if (!op->hasTrait<MovesElements>())
      return;
    members.insert(op);
    value = op->getOperand(0);
  }
}

/// Adds splits all parts of which `members` read.
static void collectSplits(Block *block, Members &members) {
  SmallVector<Operation *> items;
  for (Operation *op : members)
    for (Value operand : op->getOperands())
      if (auto item =
              dyn_cast_or_null<TupleGetItemOp>(getOnlyProducer(operand, block)))
        items.push_back(item);
  for (Operation *item : items) {
    auto split = item->getOperand(0).getDefiningOp<SplitOp>();
    if (!split || split->getBlock() != block ||
        !llvm::all_of(split->getUsers(), [&](Operation *user) {
          return llvm::is_contained(items, user);
        }))
      continue;
    members.insert(split);
    members.insert(item);
  }
}

static bool isFloatProduct(NNBatchMatmulOp op) {
  return !op.getTransposeA() &&
         isa<FloatType>(getTensorType(op.getTensorA()).getElementType()) &&
         getTensorType(op.getTensorA()).getElementType() ==
             getTensorType(op.getResult()).getElementType();
}

/// The group around `softmax`; empty if it is no attention.
static FusionGroup findAttention(NNSoftmaxOp softmax, unsigned maxDepth) {
  Block *block = softmax->getBlock();
  RankedTensorType type = getTensorType(softmax.getData());
  int64_t axis = softmax.getAxis();
  if (!type || type.getRank() < 2 || (axis != -1 && axis != type.getRank() - 1))
    return {};
  Members members;
  members.insert(softmax);
  Operation *last = softmax;
  Operation *user = getOnlyUser(last);
  for (; isa_and_nonnull<ReshapeOp>(user); user = getOnlyUser(last)) {
    members.insert(user);
    last = user;
  }
  auto product = dyn_cast_or_null<NNBatchMatmulOp>(user);
  // The softmax of fewer rows than it is used for would run again and again.
  if (!product || product.getTensorA() != last->getResult(0) ||
      !isFloatProduct(product) ||
      getTensorType(product.getTensorA()).getDimSize(0) !=
          getTensorType(product.getResult()).getDimSize(0))
    return {};
  members.insert(product);
  constexpr unsigned kMaxSteps = 8;
  NNBatchMatmulOp scores =
      collectScores(softmax.getData(), block, kMaxSteps, members);
  if (!scores || !isFloatProduct(scores))
    return {};
  for (Value operand :
       {scores.getTensorA(), scores.getTensorB(), product.getTensorB()})
    collectMovements(operand, block, members);
  collectSplits(block, members);
  last = product;
  for (user = getOnlyUser(last); isa_and_nonnull<ReshapeOp, TransposeOp>(user);
       user = getOnlyUser(last)) {
    members.insert(user);
    last = user;
  }
  return members.size() <= maxDepth ? sortMembers(members) : FusionGroup();
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// Whether `op` reduces the last axis, which stays with size 1.
static bool isRowReduction(Operation *op) {
  auto reduce = dyn_cast<ReductionOpInterface>(op);
  if (!reduce || !reduce.getKeepdims() || reduce.getExclude())
    return false;
  RankedTensorType type = getTensorType(op->getOperand(0));
  std::optional<ArrayRef<int64_t>> axes = reduce.getAxis();
  return type && axes && axes->size() == 1 && type.getRank() >= 2 &&
         (axes->front() == -1 || axes->front() == type.getRank() - 1) &&
         isa<FloatType>(type.getElementType());
}

/// Whether `shape` has the rows of `rows`, each with all elements or one.
static bool hasRowsOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> rows) {
  return shape.size() == rows.size() && shape.drop_back() == rows.drop_back() &&
         (shape.back() == rows.back() || shape.back() == 1);
}

/// The group that begins with the reduction `first`; empty if rows are not
/// computed with what it gives.
static FusionGroup findNormalization(Operation *first,
                                     const DenseSet<Operation *> &taken,
                                     unsigned maxDepth) {
  ArrayRef<int64_t> rows = getTensorType(first->getOperand(0)).getShape();
  Members members;
  // Squares or magnitudes that only the reduction reads.
  Value source = first->getOperand(0);
  while (Operation *op = getOnlyProducer(source, first->getBlock())) {
    if (!isElementwise(op) || taken.contains(op) || op->getNumOperands() == 0 ||
        !llvm::all_equal(op->getOperands()) ||
        getTensorType(op->getOperand(0)).getShape() != rows)
      break;
    members.insert(op);
    source = op->getOperand(0);
  }
  members.insert(first);

  auto isJoinable = [&](Operation *op) {
    if (taken.contains(op) || !(isElementwise(op) || isRowReduction(op)) ||
        !hasRowsOf(getTensorType(op->getResult(0)).getShape(), rows))
      return false;
    bool uses = false;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isInside = producer && members.contains(producer);
      uses |= isInside;
      // What comes from outside must not depend on the group.
      if (!isInside && producer && producer->getBlock() == op->getBlock() &&
          !isa<ConstantOp>(producer) && !producer->isBeforeInBlock(first))
        return false;
    }
    return uses;
  };
  // The longest group so far whose last result alone is used outside.
  size_t best = 0;
  constexpr size_t kMaxOps = 32;
  DenseSet<Operation *> open(members.begin(), members.end());
  auto isClosed = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      return members.contains(user);
    });
  };
  // What uses the group, in block order.
  auto isEarlier = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  std::set<Operation *, decltype(isEarlier)> candidates(isEarlier);
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (user->getBlock() == first->getBlock() && first->isBeforeInBlock(user))
        candidates.insert(user);
  };
  llvm::for_each(members, addUsers);
  while (!candidates.empty() &&
         members.size() < std::min<size_t>(kMaxOps, maxDepth)) {
    Operation *op = *candidates.begin();
    candidates.erase(candidates.begin());
    if (!isJoinable(op))
      continue;
    members.insert(op);
    addUsers(op);
    open.insert(op);
    for (Operation *member : llvm::to_vector(open))
      if (isClosed(member))
        open.erase(member);
    bool isExit = open.empty() || (open.size() == 1 && open.contains(op));
    if (isExit && getTensorType(op->getResult(0)).getShape() == rows)
      best = members.size();
  }
  if (best == 0)
    return {};
  Members group;
  group.insert(members.begin(), members.begin() + best);
  return sortMembers(group);
}

//===----------------------------------------------------------------------===//
// All groups of a block
//===----------------------------------------------------------------------===//

SmallVector<FusionGroup> relay::computeRowGroups(Block &block,
                                                 unsigned maxDepth) {
  SmallVector<FusionGroup> groups;
  DenseSet<Operation *> taken;
  auto add = [&](FusionGroup group) {
    if (group.empty() ||
        llvm::any_of(group, [&](Operation *op) { return taken.contains(op); }))
      return;
    taken.insert(group.begin(), group.end());
    groups.push_back(std::move(group));
  };
  for (Operation &op : block)
    if (auto softmax = dyn_cast<NNSoftmaxOp>(op))
      add(findAttention(softmax, maxDepth));
  for (Operation &op : block)
    if (!taken.contains(&op) && isRowReduction(&op))
      add(findNormalization(&op, taken, maxDepth));
  return groups;
}
