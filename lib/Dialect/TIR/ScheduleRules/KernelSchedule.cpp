//===- KernelSchedule.cpp - A kernel while rules schedule it ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each method tries one primitive, as a step of the script. If it worked,
// handles that it made invalid are forgotten. If it was refused, a remark says
// why and the caller gets a failure, with the kernel unchanged. What was
// deferred is tensorized at the end, since other primitives do not see through
// intrinsics.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"

#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

/// Operations on vectors that a tile without reduction may be written out as.
/// More take a compiler much longer than the loop that they save is worth.
static constexpr int64_t kMaxTileWork = 8192;
/// Buffers up to this size move to the stack of a thread.
static constexpr int64_t kMaxLocalBytes = 64 << 10;

BlockOp KernelSchedule::getNextBlock() {
  for (BlockOp block : kernel.getBlocks())
    if (returned.insert(block.getName()).second)
      return block;
  return {};
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

Type KernelSchedule::getHandleType() {
  return transform::AnyOpType::get(kernel->getContext());
}

void KernelSchedule::find(transform::TransformOpInterface query) {
  DiagnosedSilenceableFailure found = session.tryStep(query);
  isBroken |= failed(found.checkAndReport());
}

Value KernelSchedule::getHandle(BlockOp block) {
  Value &handle = blocks[block.getName()];
  if (!handle) {
    OpBuilder builder = session.getBuilder();
    auto query = GetBlockOp::create(builder, kernel.getLoc(), getHandleType(),
                                    block.getName(), session.getKernel());
    find(query);
    handle = query.getBlock();
  }
  return handle;
}

/// The first block in a loop.
static BlockOp getFirstBlock(ForOp loop) {
  SmallVector<BlockOp, 6> blocks = loop.getBlocks();
  return blocks.empty() ? BlockOp() : blocks.front();
}

Value KernelSchedule::getHandle(ForOp loop) {
  BlockOp block = getFirstBlock(loop);
  assert(block && "a loop without a block has no handle");
  SmallVector<Value> &handles = loops[block.getName()];
  if (handles.empty()) {
    Value blockHandle = getHandle(block);
    OpBuilder builder = session.getBuilder();
    auto query = GetLoopsOp::create(
        builder, kernel.getLoc(),
        SmallVector<Type>(block.getLoops().size(), getHandleType()),
        blockHandle);
    find(query);
    llvm::append_range(handles, query.getLoops());
  }
  unsigned depth = 0;
  for (ForOp parent = loop.getParentLoop(); parent;
       parent = parent.getParentLoop())
    ++depth;
  return handles[depth];
}

SmallVector<Value> KernelSchedule::getHandles(ArrayRef<ForOp> loops) {
  return llvm::map_to_vector(loops,
                             [&](ForOp loop) { return getHandle(loop); });
}

template <typename PayloadT>
PayloadT KernelSchedule::getPayload(Value handle) {
  return cast<PayloadT>(session.getPayload(handle).front());
}

template <typename OpTy, typename... Args>
FailureOr<OpTy> KernelSchedule::apply(Loops change, StringRef name,
                                      StringRef block, Args &&...args) {
  OpBuilder builder = session.getBuilder();
  OpTy step =
      OpTy::create(builder, kernel.getLoc(), std::forward<Args>(args)...);
  DiagnosedSilenceableFailure result = session.tryStep(step);
  if (!result.succeeded()) {
    if (remarks && result.isSilenceableFailure())
      remarkRefusal(name, block, result.getMessage());
    isBroken |= failed(result.silence());
    // Handles that the step would have consumed are invalid even so.
    blocks.clear();
    loops.clear();
    return failure();
  }
  if (change == Loops::Change)
    loops.clear();
  return step;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static std::string getBlockName(ForOp loop) {
  BlockOp block = getFirstBlock(loop);
  return block ? "@" + block.getName().str() : "no block";
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

void KernelSchedule::remarkRefusal(StringRef name, StringRef block,
                                   std::string reason) {
  StringRef line = StringRef(reason).trim();
  line = line.take_until([](char c) { return c == '\n'; });
  remarkMissed(name,
               (block.empty() ? Twine() : "@" + Twine(block) + ": ") + line);
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

SmallVector<ForOp> KernelSchedule::split(ForOp loop,
                                         ArrayRef<int64_t> factors) {
  FailureOr<SplitOp> step =
      apply<SplitOp>(Loops::Change, "loops", getFirstBlock(loop).getName(),
                     SmallVector<Type>(factors.size(), getHandleType()),
                     getHandle(loop), factors);
  if (failed(step))
    return {};
  return llvm::map_to_vector(
      step->getLoops(), [&](Value part) { return getPayload<ForOp>(part); });
}

ForOp KernelSchedule::fuse(ArrayRef<ForOp> loops) {
  if (loops.size() == 1)
    return loops.front();
  FailureOr<FuseOp> step = apply<FuseOp>(Loops::Change, "loops",
                                         getFirstBlock(loops.front()).getName(),
                                         getHandleType(), getHandles(loops));
  return failed(step) ? ForOp() : getPayload<ForOp>(step->getFused());
}

LogicalResult KernelSchedule::reorder(ArrayRef<ForOp> loops) {
  return apply<ReorderOp>(Loops::Change, "loops",
                          getFirstBlock(loops.front()).getName(),
                          getHandles(loops));
}

LogicalResult KernelSchedule::parallel(ForOp loop) {
  if (failed(apply<ParallelOp>(Loops::Stay, "parallel",
                               getFirstBlock(loop).getName(), getHandle(loop))))
    return failure();
  if (remarks)
    remark("parallel", Twine(getBlockName(loop)) + ": " + describeExtent(loop));
  return success();
}

LogicalResult KernelSchedule::vectorize(ForOp loop) {
  // Lanes of one iteration would only be in the way.
  if (loop.getConstantExtent() == 1)
    return failure();
  if (failed(apply<VectorizeOp>(Loops::Stay, "vectorize",
                                getFirstBlock(loop).getName(),
                                getHandle(loop))))
    return failure();
  if (remarks)
    remark("vectorize", Twine(getBlockName(loop)) + ": loop of " +
                            describeExtent(loop) + " by vectors of " +
                            Twine(target.getVectorBits()) + " bits");
  return success();
}

LogicalResult KernelSchedule::unroll(ForOp loop) {
  if (failed(apply<UnrollOp>(Loops::Stay, "unroll",
                             getFirstBlock(loop).getName(), getHandle(loop))))
    return failure();
  if (remarks)
    remark("unroll", Twine(getBlockName(loop)) + ": " + describeExtent(loop));
  return success();
}

LogicalResult KernelSchedule::bind(ForOp loop, StringRef tag) {
  if (failed(apply<BindOp>(Loops::Stay, "bind", getFirstBlock(loop).getName(),
                           getHandle(loop), tag)))
    return failure();
  if (remarks)
    remark("bind", Twine(getBlockName(loop)) + ": " + describeExtent(loop) +
                       " to " + tag);
  return success();
}

LogicalResult KernelSchedule::annotate(BlockOp block, StringRef name,
                                       Attribute value) {
  return apply<AnnotateOp>(Loops::Stay, "annotate", block.getName(),
                           getHandle(block), name, value);
}

LogicalResult KernelSchedule::computeInline(BlockOp block) {
  std::string name = block.getName().str();
  if (failed(apply<ComputeInlineOp>(Loops::Change, "inline", name,
                                    getHandle(block))))
    return failure();
  blocks.erase(name);
  remark("inline", "@" + Twine(name) + " is computed where it is read");
  return success();
}

LogicalResult KernelSchedule::reverseComputeInline(BlockOp block) {
  std::string name = block.getName().str();
  if (failed(apply<ReverseComputeInlineOp>(Loops::Change, "inline", name,
                                           getHandle(block))))
    return failure();
  blocks.erase(name);
  remark("inline",
         "@" + Twine(name) + " is applied before its input is stored");
  return success();
}

LogicalResult KernelSchedule::computeAt(BlockOp block, ForOp loop) {
  Value handle = getHandle(block);
  if (failed(apply<ComputeAtOp>(Loops::Change, "fuse-loops", block.getName(),
                                handle, getHandle(loop))))
    return failure();
  if (remarks)
    remark("fuse-loops", "@" + block.getName() +
                             " is computed in a loop of its consumer, " +
                             describeExtent(loop));
  return success();
}

LogicalResult KernelSchedule::reverseComputeAt(BlockOp block, ForOp loop) {
  Value handle = getHandle(block);
  if (failed(apply<ReverseComputeAtOp>(Loops::Change, "fuse-loops",
                                       block.getName(), handle,
                                       getHandle(loop))))
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
  FailureOr<CacheReadOp> step =
      apply<CacheReadOp>(Loops::Change, "copy", block.getName(),
                         getHandleType(), getHandle(block), *index, scope);
  if (failed(step))
    return {};
  if (remarks)
    remark("copy", "@" + block.getName() + " reads a copy of a buffer of " +
                       describeType(buffer) + " that the kernel makes");
  return getPayload<BlockOp>(step->getCopy());
}

BlockOp KernelSchedule::cacheWrite(BlockOp block, Value buffer,
                                   StringRef scope) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  if (!index)
    return {};
  FailureOr<CacheWriteOp> step =
      apply<CacheWriteOp>(Loops::Change, "copy", block.getName(),
                          getHandleType(), getHandle(block), *index, scope);
  if (failed(step))
    return {};
  if (remarks)
    remark("copy", "@" + block.getName() + " writes to a buffer of " +
                       describeType(buffer) + ", which is copied then");
  return getPayload<BlockOp>(step->getCopy());
}

BlockOp KernelSchedule::decomposeReduction(BlockOp block, ForOp loop) {
  FailureOr<DecomposeReductionOp> step = apply<DecomposeReductionOp>(
      Loops::Change, "reduction", block.getName(), getHandleType(),
      getHandle(block), getHandle(loop));
  return failed(step) ? BlockOp() : getPayload<BlockOp>(step->getInit());
}

BlockOp KernelSchedule::rfactor(ForOp loop) {
  FailureOr<RFactorOp> step = apply<RFactorOp>(
      Loops::Change, "reduction", getFirstBlock(loop).getName(),
      getHandleType(), getHandle(loop), /*axis=*/int64_t(0));
  if (failed(step))
    return {};
  auto partial = getPayload<BlockOp>(step->getPartial());
  if (remarks)
    remark("reduction", "@" + partial.getName() + " computes partial results");
  return partial;
}

LogicalResult KernelSchedule::setScope(BlockOp block, Value buffer,
                                       StringRef scope) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  if (!index || failed(apply<SetScopeOp>(Loops::Stay, "memory", block.getName(),
                                         getHandle(block),
                                         /*write=*/true, *index, scope)))
    return failure();
  if (remarks)
    remark("memory", "@" + block.getName() + ": a buffer of " +
                         describeType(buffer) + " is in memory " + scope);
  return success();
}

LogicalResult KernelSchedule::transformLayout(BlockOp block, Value buffer,
                                              bool isWritten, unsigned index,
                                              AffineMap layout) {
  std::string before = remarks ? describeType(buffer) : "";
  if (failed(apply<TransformLayoutOp>(Loops::Stay, "layout", block.getName(),
                                      getHandle(block), isWritten, index,
                                      layout)))
    return failure();
  if (remarks)
    remark("layout", "@" + block.getName() + ": a buffer of " + before +
                         " is laid out as " + describeMap(layout));
  return success();
}

LogicalResult KernelSchedule::transformReadLayout(BlockOp block, Value buffer,
                                                  AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index)
    return failure();
  return transformLayout(block, buffer, /*isWritten=*/false, *index, layout);
}

LogicalResult KernelSchedule::transformWriteLayout(BlockOp block, Value buffer,
                                                   AffineMap layout) {
  std::optional<unsigned> index = getIndexOf(getWrittenBuffers(block), buffer);
  if (!index)
    return failure();
  return transformLayout(block, buffer, /*isWritten=*/true, *index, layout);
}

LogicalResult KernelSchedule::transformBlockLayout(BlockOp block,
                                                   AffineMap layout) {
  return apply<TransformBlockLayoutOp>(Loops::Change, "layout", block.getName(),
                                       getHandle(block), layout);
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
  return apply<StorageAlignOp>(Loops::Stay, "layout", block.getName(),
                               getHandle(block), *index, axis, 2 * distance,
                               distance);
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

LogicalResult KernelSchedule::narrowWeights(BlockOp block, Value buffer) {
  std::optional<unsigned> index = getIndexOf(getReadBuffers(block), buffer);
  if (!index ||
      failed(apply<NarrowWeightsOp>(Loops::Stay, "narrow", block.getName(),
                                    getHandle(block), *index)))
    return failure();
  remark("narrow", "@" + block.getName() +
                       ": constant weights are stored as bf16, which take half "
                       "the time to come from memory");
  return success();
}

LogicalResult KernelSchedule::tileMatrix(BlockOp block,
                                         const MatrixTileOptions &options) {
  std::string name = block.getName().str();
  SmallVector<std::string> before;
  if (remarks)
    for (BlockOp other : kernel.getBlocks())
      before.push_back(other.getName().str());
  if (failed(apply<MatrixTilesOp>(Loops::Change, "tile", name, getHandle(block),
                                  options)))
    return failure();
  blocks.erase(name);
  for (StringRef other : before)
    if (other != name && !kernel.getBlock(other))
      remark("inline", "@" + Twine(other) + " becomes part of the tiles of @" +
                           Twine(name));
  return success();
}

LogicalResult KernelSchedule::tensorize(ForOp loop, Intrinsic intrinsic) {
  bool isTile = intrinsic == Intrinsic::RegisterTile;
  int64_t bits = target.getVectorBits();
  std::string tile = !remarks ? ""
                     : isTile ? describeTile(loop)
                              : getBlockName(loop) + ": lanes of " +
                                    std::to_string(bits) +
                                    " bits hold partial results of a row";
  std::string block = getFirstBlock(loop).getName().str();
  FailureOr<TensorizeOp> step = apply<TensorizeOp>(
      Loops::Change, "tile", block, getHandleType(), getHandle(loop),
      isTile ? TensorizeOp::kRegisterTile : TensorizeOp::kRowReduction, bits);
  if (failed(step))
    return failure();
  // The block that takes the place of the nest has its name.
  blocks[block] = step->getBlock();
  llvm::erase_if(deferred,
                 [&](const Deferred &entry) { return entry.block == block; });
  remark("tile", tile);
  return success();
}

LogicalResult KernelSchedule::tensorizeWith(ForOp loop, PrimFuncOp description,
                                            PrimFuncOp implementation) {
  session.addIntrinsic(description);
  session.addIntrinsic(implementation);
  std::string block = getFirstBlock(loop).getName().str();
  FailureOr<TensorizeWithOp> step = apply<TensorizeWithOp>(
      Loops::Change, "tensorize", block, getHandleType(), getHandle(loop),
      description.getSymName(), implementation.getSymName());
  if (failed(step))
    return failure();
  blocks[block] = step->getBlock();
  remark("tensorize", block + ": @" + implementation.getSymName());
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

/// Whether no other block is in `loop`, which is around `block`.
static bool isAlone(BlockOp block, ForOp loop) {
  WalkResult others = loop.walk([&](BlockOp other) {
    return other == block ? WalkResult::skip() : WalkResult::interrupt();
  });
  return !others.wasInterrupted();
}

void KernelSchedule::compactBuffers(int64_t maxBytes) {
  (void)apply<CompactBuffersOp>(Loops::Stay, "loops", "", session.getKernel(),
                                maxBytes);
}

void KernelSchedule::finalize() {
  // Threads of a grid see what is in a loop around them: where it lies is for
  // rules to say.
  if (target.getThreading() != relay::Threading::Grid)
    compactBuffers(kMaxLocalBytes);
  while (!deferred.empty()) {
    auto [name, intrinsic, numLoops] = deferred.front();
    deferred.pop_front();
    BlockOp block = kernel.getBlock(name);
    // It has become part of another.
    if (!block)
      continue;
    SmallVector<ForOp, 6> loops = block.getLoops();
    auto feeds = [&](ForOp loop) { return feedsReduction(loop, block); };
    size_t numTiled = 0;
    if (llvm::any_of(loops, feeds)) {
      auto *first = loops.end();
      while (first != loops.begin() && !feeds(*std::prev(first)))
        --first;
      // (A loop that another block is in, too, is none of the tile.)
      while (first != loops.begin() && feeds(*std::prev(first)) &&
             isAlone(block, *std::prev(first)))
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
  (void)apply<SimplifyOp>(Loops::Change, "loops", "", session.getKernel());
}
