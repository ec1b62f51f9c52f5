//===- SplitBatch.cpp - A few samples of a batch after the others ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first layers of a network on images have large results and small weights.
// Of a batch, such results do not fit the caches: each layer writes to memory
// what the next one reads from there. Of a few samples they do. So these layers
// run for a few samples, then for the next ones, and the others for the batch.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "FoldConstant.h"
#include "OperatorTargets.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/MatrixCost.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_SPLITBATCHPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The type of a value, if that is a tensor of known sizes with a dimension.
static RankedTensorType getKnownType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() > 0 &&
                 type.getElementType().isIntOrFloat()
             ? type
             : nullptr;
}

static double getBytes(Value value) {
  return static_cast<double>(getSizeInBytes(value.getType()).value_or(0));
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {

/// The operators that are computed sample by sample.
class SampleOps {
public:
  explicit SampleOps(int64_t batch) : batch(batch) {}

  /// The first operators of a block, until one that needs the whole batch.
  void addFirst(Block &block);

  ArrayRef<Operation *> getOps() const { return ops; }
  bool contains(Value value) const {
    return value.getDefiningOp() && members.contains(value.getDefiningOp());
  }
  /// Whether one of the operators reads an argument sample by sample there.
  bool takesArgument(OpOperand &operand) const {
    return arguments.contains(&operand);
  }

private:
  /// Operands that are read sample by sample; the others are read whole.
  using Operands = SmallVector<OpOperand *>;

  /// Whether `value` has a sample in each index of its first dimension.
  bool hasSamples(Value value) const {
    return contains(value) || (isa<BlockArgument>(value) && isBatch(value));
  }
  bool isBatch(Value value) const {
    RankedTensorType type = getKnownType(value);
    return type && type.getDimSize(0) == batch;
  }
  /// Whether the operation, or one in its regions, uses such a result.
  bool usesOne(Operation &op) const {
    return op
        .walk([&](Operation *inner) {
          return llvm::any_of(inner->getOperands(),
                              [&](Value value) { return contains(value); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }
  /// Whether each sample of the result follows from the same sample of some
  /// operands, and from all of the others.
  bool matches(Operation *op, Operands &operands) const;
  bool matchesSpatial(SpatialOpInterface op, Operands &operands) const;
  bool matchesBroadcast(BroadcastOpInterface op, Operands &operands) const;

  int64_t batch;
  SmallVector<Operation *> ops;
  DenseSet<Operation *> members;
  DenseSet<OpOperand *> arguments;
};

} // namespace

/// Whether samples are the first dimension in all of the layouts.
static bool haveSamplesFirst(ArrayRef<StringRef> layouts) {
  return llvm::all_of(layouts, [](StringRef layout) {
    return layout.empty() || (layout.starts_with("N") && !layout.contains('n'));
  });
}

bool SampleOps::matchesSpatial(SpatialOpInterface op,
                               Operands &operands) const {
  // Others read parts of any image that operands name, for example.
  if (op->getNumOperands() != 1 && !isa<ConvolutionOpInterface>(*op))
    return false;
  operands.push_back(&op->getOpOperand(0));
  return haveSamplesFirst({op.getDataLayout(), op.getOutLayout()});
}

bool SampleOps::matchesBroadcast(BroadcastOpInterface op,
                                 Operands &operands) const {
  for (OpOperand &operand : op->getOpOperands()) {
    RankedTensorType type = getKnownType(operand.get());
    std::optional<int64_t> axis =
        op.getOperandAxis(operand.getOperandNumber(), 0);
    if (!axis || (type && type.getDimSize(*axis) == 1))
      continue;
    // What has open sizes may have samples.
    if (!type || *axis != 0)
      return false;
    operands.push_back(&operand);
  }
  return true;
}

bool SampleOps::matches(Operation *op, Operands &operands) const {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      !isBatch(op->getResult(0)) || !isPure(op))
    return false;
  auto takeAll = [&] {
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
    return true;
  };
  if (auto spatial = dyn_cast<SpatialOpInterface>(op))
    return matchesSpatial(spatial, operands);
  if (auto concatenate = dyn_cast<ConcatenateOp>(op))
    return concatenate.getAxis() > 0 && takeAll();
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    std::optional<ArrayRef<int64_t>> axes = transpose.getAxes();
    return axes && !axes->empty() && axes->front() == 0 && takeAll();
  }
  if (auto transform = dyn_cast<LayoutTransformOp>(op))
    return haveSamplesFirst(
               {transform.getSrcLayout(), transform.getDstLayout()}) &&
           takeAll();
  if (auto broadcast = dyn_cast<BroadcastOpInterface>(op))
    return matchesBroadcast(broadcast, operands);
  auto pattern = dyn_cast<FusionPatternOpInterface>(op);
  return pattern && pattern.getFusionPattern() == OpPatternKind::ElemWise &&
         llvm::all_of(op->getOperands(),
                      [&](Value value) {
                        RankedTensorType type = getKnownType(value);
                        return type &&
                               type.getShape() ==
                                   getKnownType(op->getResult(0)).getShape();
                      }) &&
         takeAll();
}

void SampleOps::addFirst(Block &block) {
  for (Operation &op : block) {
    Operands operands;
    bool isOne = matches(&op, operands) && !operands.empty();
    for (OpOperand &operand : op.getOpOperands()) {
      bool isSample = llvm::is_contained(operands, &operand);
      isOne &= isSample ? hasSamples(operand.get()) : !contains(operand.get());
    }
    if (isOne) {
      ops.push_back(&op);
      members.insert(&op);
      for (OpOperand *operand : operands)
        if (isa<BlockArgument>(operand->get()))
          arguments.insert(operand);
    } else if (usesOne(op)) {
      return;
    }
  }
}

/// The number of samples of the first operator on images; 0 if there is none
/// that says.
static int64_t getBatch(Block &block) {
  for (Operation &op : block)
    if (isa<SpatialOpInterface>(op)) {
      RankedTensorType type = getKnownType(op.getOperand(0));
      return type ? type.getDimSize(0) : 0;
    }
  return 0;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

namespace {

/// A core and its caches, in bytes and cycles.
struct Machine {
  double lanes, l2, l3;

  double getTime(double bytes, double range) const {
    return bytes / getBandwidth(range, l2, l3);
  }
};

/// What an operator on images reads, writes and computes for the whole batch;
/// of the others, which are fused with it, nothing.
struct Work {
  explicit Work(Operation *op) {
    if (!isa<SpatialOpInterface, ConcatenateOp, TransposeOp, LayoutTransformOp>(
            op))
      return;
    hasKernel = true;
    Value result = op->getResult(0);
    samples = getBytes(result) + getBytes(op->getOperand(0));
    auto contraction = dyn_cast<ContractionOpInterface>(op);
    RankedTensorType weightType =
        contraction ? getKnownType(op->getOperand(1)) : nullptr;
    if (!weightType)
      return;
    weights = getBytes(op->getOperand(1));
    flops = 2.0 * getKnownType(result).getNumElements();
    for (int64_t axis : contraction.getSummedWeightAxes())
      flops *= weightType.getDimSize(axis);
  }

  bool hasKernel = false;
  double samples = 0, weights = 0, flops = 0;
};

} // namespace

/// How many of the operators to split, such that `numParts` parts save most;
/// none if that is not worth it.
static size_t chooseLength(const SampleOps &sampleOps, double numParts,
                           const Machine &machine) {
  // What it costs to begin a kernel, on all threads.
  constexpr double kKernelCycles = 5000, kMinGain = 0.1;
  // In cycles: what the operators took before, and what parts save of it.
  double time = 0, saved = 0, best = 0;
  // Bytes of what is taken apart, and of what is put together if the operators
  // end here: what has uses left.
  double taken = 0, put = 0;
  DenseMap<Value, int64_t> numUsesLeft;
  size_t length = 0;
  for (auto [index, op] : llvm::enumerate(sampleOps.getOps())) {
    if (Work work(op); work.hasKernel) {
      double whole = machine.getTime(work.samples, work.samples);
      time += work.flops / (4 * machine.lanes) + whole;
      saved += whole - machine.getTime(work.samples, work.samples / numParts);
      saved -= (numParts - 1) *
               (machine.getTime(work.weights, work.weights) + kKernelCycles);
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (sampleOps.contains(value) && --numUsesLeft[value] == 0)
        put -= getBytes(value);
      if (sampleOps.takesArgument(operand) &&
          numUsesLeft.try_emplace(value, 0).second)
        taken += getBytes(value);
    }
    Value result = op->getResult(0);
    numUsesLeft[result] = std::distance(result.use_begin(), result.use_end());
    if (!result.use_empty())
      put += getBytes(result);
    double copies =
        machine.getTime(2 * taken, taken) + machine.getTime(2 * put, put);
    if (saved - copies > std::max(best, kMinGain * time)) {
      best = saved - copies;
      length = index + 1;
    }
  }
  return length;
}

/// How many samples are computed at a time: half of what the caches hold.
static int64_t chooseSamples(ArrayRef<Operation *> ops, int64_t batch,
                             const Machine &machine) {
  // Each part is code of its own.
  constexpr int64_t kMaxParts = 32;
  double most = 1;
  for (Operation *op : ops)
    most = std::max(most, Work(op).samples / static_cast<double>(batch));
  auto fitting = static_cast<int64_t>(machine.l3 / 4 / most);
  int64_t least = llvm::divideCeil(batch, kMaxParts);
  int64_t samples = std::max({int64_t(1), least, fitting});
  while (samples < batch && batch % samples != 0)
    ++samples;
  return std::min(samples, batch);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The uses of a value by others than `members`.
static SmallVector<OpOperand *>
getOtherUses(Value value, const DenseSet<Operation *> &members) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses())
    if (!members.contains(use.getOwner()))
      uses.push_back(&use);
  return uses;
}

/// Samples from `begin` to before `end`.
static Value slice(OpBuilder &builder, Value value, int64_t begin,
                   int64_t end) {
  return StridedSliceOp::create(
      builder, value.getLoc(), value, ArrayRef<int64_t>{begin},
      ArrayRef<int64_t>{end}, builder.getDenseI64ArrayAttr({1}), "end",
      builder.getDenseI64ArrayAttr({0}));
}

/// Computes `ops` for so many samples at a time.
static void split(ArrayRef<Operation *> ops, const SampleOps &sampleOps,
                  int64_t batch, int64_t samples) {
  SmallVector<IRMapping> parts;
  OpBuilder builder(ops.back()->getContext());
  builder.setInsertionPointAfter(ops.back());
  for (int64_t begin = 0; begin < batch; begin += samples) {
    IRMapping &mapping = parts.emplace_back();
    DenseMap<Value, Value> slices;
    for (Operation *op : ops) {
      SmallVector<std::pair<unsigned, Value>> taken;
      for (OpOperand &operand : op->getOpOperands()) {
        if (!sampleOps.takesArgument(operand))
          continue;
        Value &part = slices[operand.get()];
        if (!part)
          part = slice(builder, operand.get(), begin, begin + samples);
        taken.push_back({operand.getOperandNumber(), part});
      }
      Operation *part = builder.clone(*op, mapping);
      for (auto [index, value] : taken)
        part->setOperand(index, value);
      auto type = cast<RankedTensorType>(op->getResult(0).getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = samples;
      part->getResult(0).setType(type.clone(shape));
    }
  }
  DenseSet<Operation *> members(ops.begin(), ops.end());
  for (Operation *op : ops) {
    Value result = op->getResult(0);
    SmallVector<OpOperand *> uses = getOtherUses(result, members);
    if (uses.empty())
      continue;
    SmallVector<Value> values;
    for (const IRMapping &mapping : parts)
      values.push_back(mapping.lookup(result));
    Value whole = ConcatenateOp::create(builder, result.getLoc(),
                                        result.getType(), values, /*axis=*/0);
    for (OpOperand *use : uses)
      use->set(whole);
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

namespace {

struct SplitBatchPass final : relay::impl::SplitBatchPassBase<SplitBatchPass> {
  using SplitBatchPassBase::SplitBatchPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    Block &block = getOperation().front();
    int64_t batch = getBatch(block);
    SampleOps sampleOps(batch);
    if (batch > 1)
      sampleOps.addFirst(block);
    ArrayRef<Operation *> ops = sampleOps.getOps();
    int64_t chosen = samples;
    size_t length = ops.size();
    if (samples == 0 && !ops.empty()) {
      FailureOr<TargetAttrInterface> target =
          OperatorTargets(getOperation()).get(ops.front());
      if (failed(target))
        return signalPassFailure();
      // There is nothing to estimate with.
      if (!hasVectorsAndCaches(*target))
        return;
      CacheSizes caches = target->getCacheSizes();
      Machine machine = {target->getVectorBits() / 32.0, double(caches.l2),
                         double(caches.l3)};
      chosen = chooseSamples(ops, batch, machine);
      double numParts =
          static_cast<double>(batch) / static_cast<double>(chosen);
      length = chooseLength(sampleOps, numParts, machine);
    }
    if (length == 0 || chosen < 1 || chosen >= batch || batch % chosen != 0)
      return;
    numSplit += length;
    split(ops.take_front(length), sampleOps, batch, chosen);
  }
};

} // namespace
