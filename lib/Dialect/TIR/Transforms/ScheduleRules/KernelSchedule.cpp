//===- KernelSchedule.cpp - A kernel while rules schedule it ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each method tries one primitive. If it worked, the step is appended to the
// trace, from which a script can be written, and handles that it made invalid
// are forgotten. If it was refused, a remark says why and the caller gets a
// failure, with the kernel unchanged. What was deferred is tensorized at the
// end, since other primitives do not see through intrinsics.
//
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"

#include "BlockNest.h"

#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/Transforms/Tensorize.h"

using namespace mlir;
using namespace mlir::tir;

/// Operations on vectors that a tile without reduction may be written out as.
/// More take a compiler much longer than the loop that they save is worth.
static constexpr int64_t kMaxTileWork = 8192;
/// Buffers up to this size move to the stack of a thread.
static constexpr int64_t kMaxLocalBytes = 64 << 10;

void KernelSchedule::notifyOperationErased(Operation *op) {
  returned.erase(op);
  llvm::erase_if(deferred, [&](const Deferred &entry) {
    return BlockOp(entry.block).getOperation() == op;
  });
}

BlockOp KernelSchedule::getNextBlock() {
  for (BlockOp block : kernel.getBlocks())
    if (returned.insert(block).second)
      return block;
  return {};
}

bool KernelSchedule::isLayoutFree(Value buffer) {
  auto arg = dyn_cast<BlockArgument>(buffer);
  return arg && isa<PrimFuncOp>(arg.getOwner()->getParentOp()) &&
         kernel.isLayoutFree(arg.getArgNumber()) &&
         getReaders(buffer).size() == 1;
}

int64_t KernelSchedule::getNumVectorRegisters() const {
  bool isWide = target.isAArch64() || target.hasFeature("avx512vl");
  return isWide ? 32 : 16;
}

LoopPosition KernelSchedule::getPosition(ForOp loop) const {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  if (blocks.empty())
    return {};
  unsigned depth = 0;
  for (ForOp parent = loop.getParentLoop(); parent;
       parent = parent.getParentLoop())
    ++depth;
  BlockOp block = blocks.front();
  return {block.getName().str(), depth,
          static_cast<unsigned>(block.getLoops().size())};
}

ScheduleStep KernelSchedule::getStep(Kind kind, ArrayRef<ForOp> loops,
                                     BlockOp block) const {
  ScheduleStep step{kind, block ? block.getName().str() : "", {}, {}, {}, {}};
  if (trace)
    for (ForOp loop : loops)
      step.loops.push_back(getPosition(loop));
  return step;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static StringRef getName(ScheduleStep::Kind kind) {
  using Kind = ScheduleStep::Kind;
  switch (kind) {
  case Kind::Parallel:
    return "parallel";
  case Kind::Vectorize:
    return "vectorize";
  case Kind::ComputeInline:
  case Kind::ReverseComputeInline:
    return "inline";
  case Kind::ComputeAt:
  case Kind::ReverseComputeAt:
    return "fuse-loops";
  case Kind::CacheRead:
  case Kind::CacheWrite:
    return "copy";
  case Kind::TransformLayout:
  case Kind::StorageAlign:
    return "layout";
  case Kind::TensorizeRegisterTile:
  case Kind::TensorizeRowReduction:
    return "tile";
  default:
    return "loops";
  }
}

static std::string getBlockName(ForOp loop) {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  return blocks.empty() ? "no block" : "@" + blocks.front().getName().str();
}

static std::string describeExtent(ForOp loop) {
  std::optional<int64_t> extent = loop.getConstantExtent();
  if (extent == 1)
    return "1 iteration";
  return (extent ? std::to_string(*extent) : "an unknown number of") +
         " iterations";
}

static std::string describeType(Value buffer) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto type = cast<MemRefType>(buffer.getType());
  for (int64_t size : type.getShape())
    if (ShapedType::isDynamic(size))
      os << "?x";
    else
      os << size << 'x';
  os << type.getElementType();
  return text;
}

static std::string describeMap(AffineMap map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  map.print(os);
  return text;
}

void KernelSchedule::remarkRefusal(const ScheduleStep &step,
                                   std::string reason) {
  StringRef line = StringRef(reason).trim();
  line = line.take_until([](char c) { return c == '\n'; });
  std::string block = step.block;
  if (block.empty() && !step.loops.empty())
    block = step.loops.front().block;
  remarkMissed(getName(step.kind),
               (block.empty() ? Twine() : "@" + Twine(block) + ": ") + line);
}

LogicalResult KernelSchedule::finish(DiagnosedSilenceableFailure result,
                                     ScheduleStep step) {
  if (!result.succeeded()) {
    if (remarks && result.isSilenceableFailure())
      remarkRefusal(step, result.getMessage());
    (void)result.silence();
    return failure();
  }
  if (trace)
    trace->push_back(std::move(step));
  return success();
}

SmallVector<ForOp> KernelSchedule::split(ForOp loop,
                                         ArrayRef<int64_t> factors) {
  ScheduleStep step = getStep(Kind::Split, loop);
  llvm::append_range(step.numbers, factors);
  SmallVector<ForOp> results;
  DiagnosedSilenceableFailure result =
      tir::split(rewriter, loop, factors, TailStrategy::Predicate, results);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  return results;
}

ForOp KernelSchedule::fuse(ArrayRef<ForOp> loops) {
  if (loops.size() == 1)
    return loops.front();
  ScheduleStep step = getStep(Kind::Fuse, loops);
  ForOp fused;
  DiagnosedSilenceableFailure result = tir::fuse(rewriter, loops, fused);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  return fused;
}

LogicalResult KernelSchedule::reorder(ArrayRef<ForOp> loops) {
  ScheduleStep step = getStep(Kind::Reorder, loops);
  return finish(tir::reorder(rewriter, loops), std::move(step));
}

LogicalResult KernelSchedule::parallel(ForOp loop) {
  ScheduleStep step = getStep(Kind::Parallel, loop);
  if (failed(finish(tir::parallel(rewriter, loop), std::move(step))))
    return failure();
  if (remarks)
    remark("parallel", Twine(getBlockName(loop)) + ": " + describeExtent(loop));
  return success();
}

LogicalResult KernelSchedule::vectorize(ForOp loop) {
  // Lanes of one iteration would only be in the way.
  if (loop.getConstantExtent() == 1)
    return failure();
  ScheduleStep step = getStep(Kind::Vectorize, loop);
  if (failed(finish(tir::vectorize(rewriter, loop), std::move(step))))
    return failure();
  if (remarks)
    remark("vectorize", Twine(getBlockName(loop)) + ": loop of " +
                            describeExtent(loop) + " by vectors of " +
                            Twine(target.getVectorBits()) + " bits");
  return success();
}

LogicalResult KernelSchedule::computeInline(BlockOp block) {
  ScheduleStep step = getStep(Kind::ComputeInline, {}, block);
  std::string name = block.getName().str();
  if (failed(finish(tir::computeInline(rewriter, block), std::move(step))))
    return failure();
  remark("inline", "@" + Twine(name) + " is computed where it is read");
  return success();
}

LogicalResult KernelSchedule::reverseComputeInline(BlockOp block) {
  ScheduleStep step = getStep(Kind::ReverseComputeInline, {}, block);
  std::string name = block.getName().str();
  if (failed(
          finish(tir::reverseComputeInline(rewriter, block), std::move(step))))
    return failure();
  remark("inline",
         "@" + Twine(name) + " is applied before its input is stored");
  return success();
}

LogicalResult KernelSchedule::computeAt(BlockOp block, ForOp loop) {
  ScheduleStep step = getStep(Kind::ComputeAt, loop, block);
  if (failed(finish(tir::computeAt(rewriter, block, loop), std::move(step))))
    return failure();
  if (remarks)
    remark("fuse-loops", "@" + block.getName() +
                             " is computed in a loop of its consumer, " +
                             describeExtent(loop));
  return success();
}

LogicalResult KernelSchedule::reverseComputeAt(BlockOp block, ForOp loop) {
  ScheduleStep step = getStep(Kind::ReverseComputeAt, loop, block);
  if (failed(finish(tir::reverseComputeAt(rewriter, block, loop),
                    std::move(step))))
    return failure();
  if (remarks)
    remark("fuse-loops", "@" + block.getName() +
                             " is computed in a loop of its producer, " +
                             describeExtent(loop));
  return success();
}

static std::optional<unsigned> getIndexOf(ArrayRef<Value> buffers,
                                          Value buffer) {
  const auto *it = llvm::find(buffers, buffer);
  if (it == buffers.end())
    return std::nullopt;
  return it - buffers.begin();
}

BlockOp KernelSchedule::cacheRead(BlockOp block, Value buffer,
                                  StringRef scope) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index)
    return {};
  ScheduleStep step = getStep(Kind::CacheRead, {}, block);
  step.numbers.push_back(*index);
  step.scope = scope.str();
  BlockOp copy;
  DiagnosedSilenceableFailure result =
      tir::cacheRead(rewriter, block, *index, scope, copy);
  if (failed(finish(std::move(result), std::move(step))))
    return {};
  if (remarks)
    remark("copy", "@" + block.getName() + " reads a copy of a buffer of " +
                       describeType(buffer) + " that the kernel makes");
  return copy;
}

LogicalResult KernelSchedule::transformLayout(Value buffer, AffineMap layout,
                                              ScheduleStep step) {
  std::string before = remarks ? describeType(buffer) : "";
  std::string block = step.block;
  if (failed(finish(tir::transformLayout(rewriter, buffer, layout),
                    std::move(step))))
    return failure();
  if (remarks)
    remark("layout", "@" + Twine(block) + ": a buffer of " + before +
                         " is laid out as " + describeMap(layout));
  return success();
}

LogicalResult KernelSchedule::transformReadLayout(BlockOp block, Value buffer,
                                                  AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index)
    return failure();
  ScheduleStep step = getStep(Kind::TransformLayout, {}, block);
  step.numbers = {0, *index};
  step.layout = layout;
  return transformLayout(buffer, layout, std::move(step));
}

LogicalResult KernelSchedule::transformWriteLayout(BlockOp block, Value buffer,
                                                   AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  if (!index)
    return failure();
  ScheduleStep step = getStep(Kind::TransformLayout, {}, block);
  step.numbers = {1, *index};
  step.layout = layout;
  return transformLayout(buffer, layout, std::move(step));
}

LogicalResult KernelSchedule::enlarge(BlockOp block, Value buffer, bool isLast,
                                      int64_t size) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  auto allocation = buffer.getDefiningOp<AllocBufferOp>();
  if (!index || !allocation)
    return failure();
  MemRefType type = allocation.getType();
  int64_t axis = type.getRank() - (isLast ? 2 : 3);
  // The distance along the axis is what counts; no smaller one is `distance`
  // modulo twice as much.
  int64_t distance = isLast ? size : size * type.getShape().back();
  ScheduleStep step = getStep(Kind::StorageAlign, {}, block);
  step.numbers = {*index, axis, 2 * distance, distance};
  return finish(
      tir::storageAlign(rewriter, allocation, axis, 2 * distance, distance),
      std::move(step));
}

void KernelSchedule::compactBuffers() {
  tir::compactBuffers(rewriter, kernel, kMaxLocalBytes);
  if (!trace)
    return;
  ScheduleStep step = getStep(Kind::CompactBuffers, {});
  step.numbers.push_back(kMaxLocalBytes);
  trace->push_back(std::move(step));
}

void KernelSchedule::simplify() {
  tir::simplifyIndices(rewriter, kernel);
  if (trace)
    trace->push_back(getStep(Kind::Simplify, {}));
}

/// Whether `value` is computed from the induction variable of `loop`.
static bool dependsOn(Value value, ForOp loop) {
  DenseSet<Value> visited;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value source = worklist.pop_back_val();
    if (source == loop.getInductionVar())
      return true;
    Operation *op = source.getDefiningOp();
    if (op && visited.insert(source).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

static bool feedsReduction(ForOp loop, BlockOp block) {
  for (unsigned i = 0, e = block.getNumIters(); i != e; ++i)
    if (block.getIterKind(i) == IterKind::Reduce &&
        dependsOn(block.getBindings()[i], loop))
      return true;
  return false;
}

LogicalResult KernelSchedule::tensorize(ForOp loop, Intrinsic intrinsic) {
  bool isTile = intrinsic == Intrinsic::RegisterTile;
  ScheduleStep step = getStep(
      isTile ? Kind::TensorizeRegisterTile : Kind::TensorizeRowReduction, loop);
  int64_t bits = target.getVectorBits();
  step.numbers.push_back(bits);
  std::string tile = !remarks ? ""
                     : isTile ? describeTile(loop)
                              : getBlockName(loop) + ": lanes of " +
                                    std::to_string(bits) +
                                    " bits hold partial results of a row";
  BlockOp result;
  if (failed(finish(isTile
                        ? tensorizeRegisterTile(rewriter, loop, bits, result)
                        : tensorizeRowReduction(rewriter, loop, bits, result),
                    std::move(step))))
    return failure();
  remark("tile", tile);
  return success();
}

std::string KernelSchedule::describeTile(ForOp loop) const {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  if (blocks.empty() || getWrittenBuffers(blocks.front()).empty())
    return "";
  BlockOp block = blocks.front();
  auto type = cast<MemRefType>(getWrittenBuffers(block).front().getType());
  ForOp lanes = block.getLoops().back();
  int64_t rows = 1, depth = 1;
  for (ForOp outer = loop; outer && outer != lanes;
       outer = outer.getOnlyChildLoop()) {
    int64_t extent = outer.getConstantExtent().value_or(ShapedType::kDynamic);
    int64_t &product = feedsReduction(outer, block) ? depth : rows;
    product = extent < 0 || product < 0 ? -1 : product * extent;
  }
  int64_t columns = lanes.getConstantExtent().value_or(-1);
  auto print = [](int64_t size) {
    return size < 0 ? std::string("?") : std::to_string(size);
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '@' << block.getName() << ": " << print(rows) << " x " << print(columns)
     << " results of " << type.getElementType() << " in vectors of "
     << target.getVectorBits() << " bits";
  if (columns > 0 && rows > 0)
    os << ", "
       << rows * llvm::divideCeil(columns, getLanes(type.getElementType()))
       << " registers";
  if (depth != 1)
    os << ", through " << print(depth) << " steps of a reduction";
  return text;
}

size_t KernelSchedule::limitTile(BlockOp block, size_t numLoops) {
  SmallVector<Value> written = getWrittenBuffers(block);
  SmallVector<ForOp, 6> loops = block.getLoops();
  numLoops = std::min(numLoops, loops.size());
  if (written.empty())
    return numLoops;
  Type type = cast<MemRefType>(written.front().getType()).getElementType();
  int64_t lanes = type.isIntOrFloat() ? getLanes(type) : 1;
  int64_t work = getBodyWork(block);
  for (size_t depth = 0; depth != numLoops; ++depth) {
    ForOp loop = loops[loops.size() - 1 - depth];
    int64_t extent = loop.getConstantExtent().value_or(1);
    int64_t numVectors =
        depth == 0 ? std::max<int64_t>(1, llvm::divideCeil(extent, lanes))
                   : extent;
    if (numVectors * work <= kMaxTileWork) {
      work *= numVectors;
      continue;
    }
    // Some vectors at a time: their chains of operations run side by side.
    int64_t part = kMaxTileWork / work, unit = depth == 0 ? lanes : 1;
    while (part > 1 && extent % (part * unit) != 0)
      --part;
    if (part <= 1 || split(loop, {kInferFactor, part * unit}).empty())
      return depth;
    return depth + 1;
  }
  return numLoops;
}

void KernelSchedule::finalize() {
  compactBuffers();
  while (!deferred.empty()) {
    auto [block, intrinsic, numLoops] = deferred.front();
    deferred.pop_front();
    SmallVector<ForOp, 6> loops = block.getLoops();
    auto feeds = [&, block = block](ForOp loop) {
      return feedsReduction(loop, block);
    };
    size_t numTiled = 0;
    if (llvm::any_of(loops, feeds)) {
      auto first = loops.end();
      while (first != loops.begin() && !feeds(*std::prev(first)))
        --first;
      while (first != loops.begin() && feeds(*std::prev(first)))
        --first;
      numTiled = loops.end() - first;
    } else {
      numTiled = limitTile(block, numLoops);
      loops = block.getLoops();
    }
    ForOp innermost = loops.back();
    if (numTiled == 0 ||
        failed(tensorize(loops[loops.size() - numTiled], intrinsic)))
      (void)vectorize(innermost);
  }
  simplify();
}
