//===- CombineParallel.cpp - One operator for parallel branches -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "ParallelBranches.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relay {
#define GEN_PASS_DEF_COMBINEPARALLELBATCHMATMULPASS
#define GEN_PASS_DEF_COMBINEPARALLELCONV2DPASS
#define GEN_PASS_DEF_COMBINEPARALLELDENSEPASS
#define GEN_PASS_DEF_COMBINEPARALLELMATMULPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Where branches lie side by side.
struct Axes {
  int64_t weight, result;
  /// The attribute that repeats the number of outputs, if it is given.
  StringRef sizeAttr;
};

using GetAxes = llvm::function_ref<std::optional<Axes>(Operation *)>;

struct Combiner {
  unsigned minNumBranches;
  bool estimate;

  /// Returns the number of branches that were combined.
  unsigned run(func::FuncOp function, GetAxes getAxes);

private:
  bool combine(ArrayRef<Operation *> roots, Axes axes);
};

} // namespace

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static bool isKnown(int64_t size) { return !ShapedType::isDynamic(size); }

//===----------------------------------------------------------------------===//
// What is combined
//===----------------------------------------------------------------------===//

static std::optional<Axes> getDenseAxes(Operation *op) {
  if (!isa<NNDenseOp>(op))
    return std::nullopt;
  return Axes{0, getTensorType(op->getResult(0)).getRank() - 1, "units"};
}

static std::optional<Axes> getMatmulAxes(Operation *op) {
  auto matmul = dyn_cast<NNMatmulOp>(op);
  if (!matmul || getTensorType(matmul.getTensorB()).getRank() != 2)
    return std::nullopt;
  return Axes{matmul.getTransposeB() ? 0 : 1,
              getTensorType(op->getResult(0)).getRank() - 1, "units"};
}

static std::optional<Axes> getBatchMatmulAxes(Operation *op) {
  auto matmul = dyn_cast<NNBatchMatmulOp>(op);
  if (!matmul || matmul.getTransposeA() || !matmul.getTransposeB())
    return std::nullopt;
  return Axes{1, 2, ""};
}

static std::optional<Axes> getConv2DAxes(Operation *op) {
  auto conv = dyn_cast<NNConv2dOp>(op);
  if (!conv || conv.getGroups() != 1)
    return std::nullopt;
  StringRef layout =
      conv.getOutLayout().empty() ? conv.getDataLayout() : conv.getOutLayout();
  size_t output = conv.getKernelLayout().find('O'), channel = layout.find('C');
  // Blocked layouts have two dimensions of channels.
  if (conv.getKernelLayout().size() != 4 || layout.size() != 4 ||
      output == StringRef::npos || channel == StringRef::npos)
    return std::nullopt;
  return Axes{static_cast<int64_t>(output), static_cast<int64_t>(channel),
              "channels"};
}

/// Whether the two are the same but for the number of their outputs.
static bool areCompatible(Operation *a, Operation *b, Axes axes) {
  auto getAttrs = [&](Operation *op) {
    NamedAttrList attrs(op->getAttrDictionary());
    if (!axes.sizeAttr.empty())
      attrs.erase(axes.sizeAttr);
    return attrs.getDictionary(op->getContext());
  };
  RankedTensorType weightA = getTensorType(a->getOperand(1));
  RankedTensorType weightB = getTensorType(b->getOperand(1));
  if (a->getName() != b->getName() || getAttrs(a) != getAttrs(b) ||
      weightA.getElementType() != weightB.getElementType() ||
      getTensorType(a->getResult(0)).getElementType() !=
          getTensorType(b->getResult(0)).getElementType() ||
      weightA.getRank() != weightB.getRank())
    return false;
  for (int64_t axis = 0; axis != weightA.getRank(); ++axis)
    if (axis != axes.weight &&
        weightA.getDimSize(axis) != weightB.getDimSize(axis))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What follows
//===----------------------------------------------------------------------===//

namespace {

/// How an operand of a follower is combined.
enum class Combination {
  /// It cannot be.
  None,
  /// All branches have the same one, which does not differ along the axis.
  Shared,
  /// Those of the branches lie side by side.
  Concatenated,
};

} // namespace

/// The axis of operand `index` of a follower along which it lies beside those
/// of the other branches; none if it has none. A scalar can have one, the last.
static std::optional<int64_t> getOperandAxis(Operation *op, unsigned index,
                                             int64_t axis) {
  if (getTensorType(op->getOperand(index)).getRank() == 0)
    return axis + 1 == getTensorType(op->getResult(0)).getRank()
               ? std::optional<int64_t>(0)
               : std::nullopt;
  return cast<BroadcastOpInterface>(op).getOperandAxis(index, axis);
}

/// Whether the operand has one element, or a size of 1, for all outputs.
static bool isUniform(Operation *op, unsigned index, int64_t axis) {
  std::optional<int64_t> operandAxis = getOperandAxis(op, index, axis);
  RankedTensorType type = getTensorType(op->getOperand(index));
  return !operandAxis || type.getRank() == 0 ||
         type.getDimSize(*operandAxis) == 1;
}

static Combination getCombination(ArrayRef<Branch> branches, unsigned level,
                                  unsigned index, int64_t axis) {
  Operation *first = branches.front()[level];
  Value model = first->getOperand(index);
  if (llvm::all_of(branches, [&](const Branch &branch) {
        return branch[level]->getOperand(index) == model &&
               isUniform(branch[level], index, axis);
      }))
    return Combination::Shared;
  std::optional<int64_t> modelAxis = getOperandAxis(first, index, axis);
  RankedTensorType wanted = getTensorType(model);
  for (const Branch &branch : branches) {
    Operation *op = branch[level];
    std::optional<int64_t> operandAxis = getOperandAxis(op, index, axis);
    RankedTensorType type = getTensorType(op->getOperand(index));
    if (!operandAxis || operandAxis != modelAxis ||
        type.getRank() != wanted.getRank())
      return Combination::None;
    int64_t outputs = getTensorType(op->getResult(0)).getDimSize(axis);
    for (int64_t dim = 0; dim != type.getRank(); ++dim) {
      int64_t size = type.getDimSize(dim);
      if (dim == *operandAxis ? size != outputs && size != 1
                              : size != wanted.getDimSize(dim))
        return Combination::None;
    }
  }
  return Combination::Concatenated;
}

/// Whether the followers of all branches at `level` are one operator when
/// branches lie side by side along `axis`.
static bool canCombineLevel(ArrayRef<Branch> branches, unsigned level,
                            int64_t axis) {
  if (!areAlike(branches, level))
    return false;
  Operation *first = branches.front()[level], *root = branches.front().front();
  for (unsigned i = 0; i != first->getNumOperands(); ++i) {
    if (first->getOperand(i) == branches.front()[level - 1]->getResult(0))
      continue;
    if (getCombination(branches, level, i, axis) == Combination::None ||
        llvm::any_of(branches, [&](const Branch &branch) {
          return !isAvailable(branch[level]->getOperand(i), root);
        }))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Combination
//===----------------------------------------------------------------------===//

static Value concatenate(OpBuilder &builder, Location loc, ValueRange values,
                         int64_t axis) {
  RankedTensorType type = getTensorType(values.front());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = 0;
  for (Value value : values)
    shape[axis] += getTensorType(value).getDimSize(axis);
  return ConcatenateOp::create(
      builder, loc, TypeRange(type.clone(shape)), values,
      {builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))});
}

/// The value, with `size` elements along an axis where it has one.
static Value repeat(OpBuilder &builder, Value value, int64_t axis,
                    int64_t size) {
  if (getTensorType(value).getRank() == 0)
    value = ExpandDimsOp::create(
        builder, value.getLoc(), TypeRange(getTensorType(value).clone({1})),
        value, {builder.getNamedAttr("axis", builder.getI64IntegerAttr(0))});
  RankedTensorType type = getTensorType(value);
  if (type.getDimSize(axis) == size)
    return value;
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  return RepeatOp::create(
      builder, value.getLoc(), TypeRange(type.clone(shape)), value,
      {builder.getNamedAttr("repeats", builder.getI64IntegerAttr(size)),
       builder.getNamedAttr("axis", builder.getI64IntegerAttr(axis))});
}

/// Whether every reader of what `op` computes takes a slice of it in.
static bool readersTakeSlices(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto fusable = dyn_cast<FusionPatternOpInterface>(user);
    return fusable && fusable.getFusionPattern() <= OpPatternKind::Injective;
  });
}

bool Combiner::combine(ArrayRef<Operation *> roots, Axes axes) {
  SmallVector<Branch> branches = llvm::map_to_vector(roots, getBranch);
  unsigned numLevels = 1;
  while (canCombineLevel(branches, numLevels, axes.result))
    ++numLevels;
  if (estimate && !llvm::all_of(branches, [&](const Branch &branch) {
        return branch.front()->getOperand(1).getDefiningOp<ConstantOp>() &&
               readersTakeSlices(branch[numLevels - 1]);
      }))
    return false;

  Operation *first = roots.front();
  OpBuilder builder(first);
  Location loc = getBranchesLoc(roots);
  RankedTensorType type = getTensorType(first->getResult(0));
  SmallVector<int64_t> shape(type.getShape());
  shape[axes.result] = 0;
  for (Operation *root : roots)
    shape[axes.result] +=
        getTensorType(root->getResult(0)).getDimSize(axes.result);
  // Constants may come later in the block.
  auto gather = [&](unsigned level, unsigned index, int64_t axis) {
    SmallVector<Value> values;
    for (const Branch &branch : branches) {
      Value value = branch[level]->getOperand(index);
      makeAvailable(value, first);
      builder.setInsertionPoint(first);
      if (level != 0)
        value = repeat(builder, value, axis,
                       getTensorType(branch.front()->getResult(0))
                           .getDimSize(axes.result));
      values.push_back(value);
    }
    return concatenate(builder, loc, values, axis);
  };

  Value combined;
  for (unsigned level = 0; level != numLevels; ++level) {
    Operation *model = branches.front()[level];
    IRMapping mapping;
    for (auto [index, operand] : llvm::enumerate(model->getOperands())) {
      if (level == 0 && index == 0)
        continue;
      if (level != 0 && operand == branches.front()[level - 1]->getResult(0)) {
        mapping.map(operand, combined);
        continue;
      }
      if (level != 0 && getCombination(branches, level, index, axes.result) ==
                            Combination::Shared) {
        makeAvailable(operand, first);
        continue;
      }
      int64_t axis =
          level == 0 ? axes.weight : *getOperandAxis(model, index, axes.result);
      mapping.map(operand, gather(level, index, axis));
    }
    builder.setInsertionPoint(first);
    Operation *op = builder.clone(*model, mapping);
    op->setLoc(loc);
    op->getResult(0).setType(getTensorType(model->getResult(0)).clone(shape));
    if (level == 0 && !axes.sizeAttr.empty() && op->hasAttr(axes.sizeAttr))
      op->setAttr(axes.sizeAttr, builder.getI64IntegerAttr(shape[axes.result]));
    combined = op->getResult(0);
  }

  int64_t begin = 0;
  for (const Branch &branch : branches) {
    Value result = branch[numLevels - 1]->getResult(0);
    int64_t size = getTensorType(result).getDimSize(axes.result);
    auto array = [&](int64_t value) {
      return builder.getDenseI64ArrayAttr(value);
    };
    Value slice = StridedSliceOp::create(
        builder, result.getLoc(), TypeRange(result.getType()), combined,
        {builder.getNamedAttr("axes", array(axes.result)),
         builder.getNamedAttr("begin", array(begin)),
         builder.getNamedAttr("end", array(size)),
         builder.getNamedAttr("slice_mode", builder.getStringAttr("size"))});
    result.replaceAllUsesWith(slice);
    begin += size;
  }
  eraseLevels(branches, numLevels);
  return true;
}

unsigned Combiner::run(func::FuncOp function, GetAxes getAxes) {
  // Operators on the same data, each with those that are like it, in the order
  // of the block.
  struct Group {
    Axes axes;
    SmallVector<Operation *> roots;
  };
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) { blocks.push_back(block); });
  unsigned numCombined = 0;
  for (Block *block : blocks) {
    llvm::MapVector<Value, SmallVector<Group>> groups;
    for (Operation &op : *block) {
      if (op.getNumOperands() != 2 || op.getNumResults() != 1 ||
          !llvm::all_of(op.getOperands(), getTensorType) ||
          !getTensorType(op.getResult(0)))
        continue;
      std::optional<Axes> axes = getAxes(&op);
      if (!axes ||
          !isKnown(getTensorType(op.getOperand(1)).getDimSize(axes->weight)) ||
          !isKnown(getTensorType(op.getResult(0)).getDimSize(axes->result)))
        continue;
      SmallVector<Group> &candidates = groups[op.getOperand(0)];
      auto *group = llvm::find_if(candidates, [&](const Group &candidate) {
        Operation *first = candidate.roots.front();
        return areCompatible(first, &op, *axes) &&
               isAvailable(op.getOperand(1), first);
      });
      if (group == candidates.end())
        candidates.push_back({*axes, {&op}});
      else
        group->roots.push_back(&op);
    }
    for (auto &[data, candidates] : groups)
      for (Group &group : candidates)
        if (group.roots.size() >= minNumBranches && group.roots.size() > 1 &&
            combine(group.roots, group.axes))
          numCombined += group.roots.size();
  }
  return numCombined;
}

//===----------------------------------------------------------------------===//
// The passes
//===----------------------------------------------------------------------===//

namespace {

struct CombineParallelBatchMatmulPass final
    : relay::impl::CombineParallelBatchMatmulPassBase<
          CombineParallelBatchMatmulPass> {
  using Base::Base;
  void runOnOperation() override {
    Combiner combiner{minNumBranches, estimate};
    numCombined += combiner.run(getOperation(), getBatchMatmulAxes);
  }
};

struct CombineParallelConv2DPass final
    : relay::impl::CombineParallelConv2DPassBase<CombineParallelConv2DPass> {
  using Base::Base;
  void runOnOperation() override {
    Combiner combiner{minNumBranches, estimate};
    numCombined += combiner.run(getOperation(), getConv2DAxes);
  }
};

struct CombineParallelDensePass final
    : relay::impl::CombineParallelDensePassBase<CombineParallelDensePass> {
  using Base::Base;
  void runOnOperation() override {
    Combiner combiner{minNumBranches, estimate};
    numCombined += combiner.run(getOperation(), getDenseAxes);
  }
};

struct CombineParallelMatmulPass final
    : relay::impl::CombineParallelMatmulPassBase<CombineParallelMatmulPass> {
  using Base::Base;
  void runOnOperation() override {
    Combiner combiner{minNumBranches, estimate};
    numCombined += combiner.run(getOperation(), getMatmulAxes);
  }
};

} // namespace
