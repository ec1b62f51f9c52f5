//===- Attention.cpp - Two products around steps of rows ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// scores[.., row, col] = sum over k of queries[.., row, k] * keys[.., col, k]
// weights = steps along the columns (scale, mask, softmax)
// out[.., row, n] = sum over col of weights[.., row, col] * values[.., col, n]
//
// For a block of rows at a time, everything is computed one after another, so
// that scores and weights stay in cache. Keys are laid out in panels of as many
// columns as a tile takes, once for all rows.
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"
#include "TilePlan.h"

using namespace mlir;
using namespace mlir::tir;
using relay::CPUInfo;

namespace {

/// A batch of products of rows and columns.
struct Product {
  BlockNest nest;
  BufferAccess left, right, out;
  unsigned row = 0, column = 0, depth = 0;
  SmallVector<unsigned> batches;
};

class Attention {
public:
  explicit Attention(KernelSchedule &schedule) : schedule(schedule) {}

  LogicalResult match();
  void apply();

private:
  LogicalResult matchProducts();
  LogicalResult matchSteps();
  void inlineCopies();
  LogicalResult planTiles();
  void packKeys();
  void scheduleScores(ForOp block);
  void attachScoreSteps(ForOp tile);
  void scheduleSteps(ForOp block);
  void tileColumns(BlockOp product, ForOp row, ForOp column, ForOp depth,
                   int64_t numVectors, ForOp &rowTile,
                   SmallVectorImpl<ForOp> &order);

  KernelSchedule &schedule;
  std::optional<Product> scores, values;
  /// Between the products, in program order.
  SmallVector<BlockOp> steps;
  int64_t lanes = 1;
  /// Rows of a tile and of a block, vectors of a tile.
  int64_t tileRows = 1, blockRows = 1, scoreVectors = 1, valueVectors = 1;
  /// Whether the scores of a block live on the stack of a thread.
  bool isLocal = false;
  /// Whether values are read often enough to copy them side by side.
  bool copiesValues = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The match
//===----------------------------------------------------------------------===//

static std::optional<Product> getProduct(BlockOp block) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return std::nullopt;
  std::optional<SumOfProducts> sum = matchSumOfProducts(*nest);
  if (!sum)
    return std::nullopt;
  Product product = {std::move(*nest), sum->left,    sum->right,  sum->out,
                     /*row=*/0,        /*column=*/0, /*depth=*/0, {}};
  const BlockNest &loops = product.nest;
  SmallVector<unsigned> reduce = loops.getVars(/*isReduce=*/true);
  if (reduce.size() != 1)
    return std::nullopt;
  product.depth = reduce.front();
  SmallVector<unsigned> own[2];
  for (unsigned var : loops.getVars(/*isReduce=*/false)) {
    bool inLeft = dependsOn(product.left, var);
    bool inRight = dependsOn(product.right, var);
    if (inLeft == inRight || loops.getExtent(var) == 1)
      product.batches.push_back(var);
    else
      own[inRight].push_back(var);
  }
  if (own[0].size() != 1 || own[1].size() != 1)
    return std::nullopt;
  product.row = own[0].front();
  product.column = own[1].front();
  // Columns are the innermost dimension of the result.
  if (!isContiguous(product.out, product.column)) {
    std::swap(product.row, product.column);
    std::swap(product.left, product.right);
  }
  if (!isContiguous(product.out, product.column))
    return std::nullopt;
  return product;
}

static bool isIntermediate(Value buffer) {
  return buffer.getDefiningOp<AllocBufferOp>();
}

LogicalResult Attention::matchProducts() {
  for (BlockOp block : schedule.getKernel().getBlocks()) {
    std::optional<Product> product = getProduct(block);
    if (!product)
      continue;
    if (values)
      return failure();
    (scores ? values : scores) = std::move(product);
  }
  if (!values || !isIntermediate(scores->out.buffer) ||
      !isIntermediate(values->left.buffer))
    return failure();
  Type type = cast<MemRefType>(values->out.buffer.getType()).getElementType();
  if (!type.isF32() ||
      cast<MemRefType>(scores->out.buffer.getType()).getElementType() != type)
    return failure();
  lanes = schedule.getLanes(type);
  return success(lanes >= 4);
}

/// What is computed between the products, from the weights back.
LogicalResult Attention::matchSteps() {
  SmallVector<Value> wanted = {values->left.buffer};
  llvm::SmallSetVector<Operation *, 8> found;
  bool usesScores = false;
  while (!wanted.empty()) {
    Value buffer = wanted.pop_back_val();
    if (buffer == scores->out.buffer) {
      usesScores = true;
      continue;
    }
    SmallVector<BlockOp> writers = getWriters(buffer);
    if (writers.size() != 1)
      return failure();
    BlockOp block = writers.front();
    if (!found.insert(block))
      continue;
    for (Value read : getReadBuffers(block))
      if (isIntermediate(read) && read != buffer)
        wanted.push_back(read);
  }
  if (!usesScores)
    return failure();
  for (BlockOp block : schedule.getKernel().getBlocks())
    if (found.contains(block))
      steps.push_back(block);
  if (steps.back() != getWriters(values->left.buffer).front())
    return failure();
  for (BlockOp block : steps) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    if (failed(nest) || !nest->getStore() || !nest->getStore()->map)
      return failure();
    // All run through the rows; reductions through the columns.
    SmallVector<unsigned> reduce = nest->getVars(/*isReduce=*/true);
    if (reduce.size() > 1 ||
        (reduce.size() == 1 && reduce.front() + 1 != nest->getNumVars()))
      return failure();
  }
  // Of what the steps and the second product read, nobody else knows.
  auto isInside = [&](BlockOp reader) {
    return reader == BlockOp(values->nest.block) || found.contains(reader);
  };
  for (BlockOp block : steps)
    for (Value buffer : getWrittenBuffers(block))
      if (!isIntermediate(buffer) ||
          !llvm::all_of(getReaders(buffer), isInside))
        return failure();
  return success(llvm::all_of(getReaders(scores->out.buffer), [&](auto reader) {
    return reader == BlockOp(scores->nest.block) || found.contains(reader);
  }));
}

LogicalResult Attention::planTiles() {
  const CPUInfo &target = getCPU(schedule);
  int64_t numRegisters = getCPU(schedule).getNumVectorRegisters();
  TileProblem problem;
  problem.lanes = lanes;
  problem.numRegisters = numRegisters;
  problem.hasMasks = target.hasMaskedAccess();
  problem.depth = values->nest.guessExtent(values->depth);
  problem.columns = values->nest.getExtent(values->column);
  problem.innerRows = std::nullopt;
  TilePlan plan = planTile(problem);
  tileRows = plan.innerRows;
  valueVectors = plan.numVectors;
  // Rows are cut alike for both products.
  scoreVectors = std::max<int64_t>(1, (numRegisters - 1) / (tileRows + 1));
  std::optional<int64_t> length = scores->nest.getExtent(scores->column);
  std::optional<int64_t> numRows = scores->nest.getExtent(scores->row);
  if (length)
    scoreVectors =
        std::min<int64_t>(scoreVectors, llvm::divideCeil(*length, lanes));

  // Scores and weights of a block take half of the second cache.
  constexpr int64_t kMaxRows = 48, kGuessedLength = 512;
  int64_t rowBytes = 2 * sizeof(float) * length.value_or(kGuessedLength);
  int64_t l2 = target.getCacheSizes().l2;
  int64_t fitting = l2 / 2 / rowBytes;
  blockRows = std::clamp(fitting, tileRows, kMaxRows) / tileRows * tileRows;

  // Keys and values that are too many for it come from further away, for each
  // block again: then there are many rows for them, though their scores do not
  // fit either, as long as there is room for those of each batch.
  constexpr int64_t kManyRows = 96, kRoom = 48 << 20;
  int64_t depths = scores->nest.guessExtent(scores->depth) +
                   values->nest.guessExtent(values->column);
  int64_t operandBytes =
      sizeof(float) * depths * length.value_or(kGuessedLength);
  bool isLong = length && operandBytes > l2;
  if (isLong) {
    int64_t batchBytes = rowBytes;
    for (unsigned var : values->batches)
      batchBytes *= values->nest.guessExtent(var);
    int64_t roomy = std::min(kManyRows, kRoom / batchBytes);
    blockRows = std::max(blockRows, roomy / tileRows * tileRows);
  }
  // Where they fit on the stack, blocks of rows run in parallel.
  constexpr int64_t kStackBytes = 56 << 10;
  int64_t onStack = kStackBytes / rowBytes / tileRows * tileRows;
  if (length && onStack >= 2 * tileRows) {
    blockRows = std::min(blockRows, onStack);
    isLocal = true;
  }
  // One block holds all rows: there is nothing that could be too large.
  if (numRows && *numRows <= blockRows)
    blockRows = *numRows;
  // Where they are, rows of values lie a power of two or the like apart, so
  // that few of them are in a cache at the same time.
  constexpr int64_t kMaxApart = 512, kManyBlocks = 8;
  copiesValues = isLong || (length && *length > kMaxApart && numRows &&
                            *numRows >= kManyBlocks * blockRows);
  return success();
}

LogicalResult Attention::match() {
  if (failed(matchProducts()) || failed(matchSteps()))
    return failure();
  // Sizes of 1 have no loops, and little to gain.
  for (const Product *product : {&*scores, &*values})
    for (unsigned var : {product->row, product->column, product->depth})
      if (std::optional<int64_t> extent = product->nest.getExtent(var);
          extent && *extent < 2)
        return failure();
  if (values->nest.getExtent(values->row) !=
      scores->nest.getExtent(scores->row))
    return failure();
  return planTiles();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The block that copies what `operand` reads and nobody else does, or null.
static BlockOp getCopy(const BufferAccess &operand, BlockOp reader) {
  if (!isIntermediate(operand.buffer))
    return {};
  SmallVector<BlockOp> writers = getWriters(operand.buffer);
  SmallVector<BlockOp> readers = getReaders(operand.buffer);
  if (writers.size() != 1 || readers.size() != 1 || readers.front() != reader)
    return {};
  FailureOr<BlockNest> nest = BlockNest::get(writers.front());
  if (failed(nest) || nest->isReduction() || nest->accesses.size() != 2 ||
      !nest->accesses[0].map || !nest->accesses[1].map ||
      nest->accesses[0].isWrite == nest->accesses[1].isWrite)
    return {};
  auto body = BlockOp(nest->block).getBody()->without_terminator();
  return llvm::hasNItems(body, 2) ? writers.front() : BlockOp();
}

/// Reads queries and values where they are, as long as what a tile reads is
/// contiguous.
void Attention::inlineCopies() {
  auto tryInline = [&](std::optional<Product> &product, bool isLeft) {
    BufferAccess &operand = isLeft ? product->left : product->right;
    BlockOp block = product->nest.block;
    BlockOp copy = getCopy(operand, block);
    if (!copy)
      return;
    BlockNest nest = *BlockNest::get(copy);
    unsigned last = nest.getNumVars() - 1;
    if (!llvm::all_of(nest.accesses, [&](const BufferAccess &access) {
          return isContiguous(access, last);
        }))
      return;
    if (succeeded(schedule.computeInline(copy)))
      product = getProduct(block);
  };
  tryInline(scores, /*isLeft=*/true);
  if (scores && !copiesValues)
    tryInline(values, /*isLeft=*/false);
}

/// Keys of as many columns as a tile has lie side by side for each step.
void Attention::packKeys() {
  BlockOp copy = getCopy(scores->right, scores->nest.block);
  Value buffer = scores->right.buffer;
  if (!copy) {
    // What is contiguous already is read as it is.
    if (isContiguous(scores->right, scores->column))
      return;
    copy = schedule.cacheRead(scores->nest.block, buffer, "global");
    if (!copy)
      return;
    buffer = getWrittenBuffers(copy).front();
  }
  AffineMap map = *scores->right.map;
  MLIRContext *context = map.getContext();
  int64_t width = scoreVectors * lanes;
  SmallVector<AffineExpr> layout;
  AffineExpr group, member, depth;
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    AffineExpr dim = getAffineDimExpr(position, context);
    auto var = dyn_cast<AffineDimExpr>(index);
    if (var && var.getPosition() == scores->column) {
      group = dim.floorDiv(width);
      member = dim % width;
    } else if (var && var.getPosition() == scores->depth) {
      depth = dim;
    } else {
      layout.push_back(dim);
    }
  }
  if (!group || !depth)
    return;
  layout.append({group, depth, member});
  (void)schedule.transformWriteLayout(
      copy, buffer, AffineMap::get(map.getNumResults(), 0, layout, context));
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// Splits loops of a product into tiles; appends them to `order`, and returns
/// the loop of row tiles, if there are several.
void Attention::tileColumns(BlockOp product, ForOp row, ForOp column,
                            ForOp depth, int64_t numVectors, ForOp &rowTile,
                            SmallVectorImpl<ForOp> &order) {
  int64_t width = numVectors * lanes;
  auto cut = [&](ForOp &loop, int64_t size) -> ForOp {
    std::optional<int64_t> extent = loop.getConstantExtent();
    if (extent && *extent <= size)
      return {};
    SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, size});
    if (parts.empty())
      return {};
    loop = parts[1];
    return parts[0];
  };
  ForOp columnTile = cut(column, width);
  rowTile = cut(row, tileRows);
  if (columnTile)
    order.push_back(columnTile);
  if (rowTile)
    order.push_back(rowTile);
  order.append({depth, row, column});
}

/// The loops of the block inside of `outer`.
static SmallVector<ForOp> getLoopsInside(BlockOp block, ForOp outer) {
  SmallVector<ForOp> loops;
  for (ForOp loop : block.getLoops())
    if (outer->isProperAncestor(loop))
      loops.push_back(loop);
  return loops;
}

void Attention::scheduleScores(ForOp block) {
  BlockOp product = scores->nest.block;
  SmallVector<ForOp> loops = getLoopsInside(product, block);
  // In the order of the variables, without those of one iteration here.
  SmallVector<unsigned> vars = {scores->row, scores->column, scores->depth};
  llvm::sort(vars);
  if (!block->isProperAncestor(product) || loops.size() != vars.size()) {
    if (!loops.empty())
      (void)schedule.vectorize(loops.back());
    return;
  }
  auto getLoop = [&](unsigned var) {
    return loops[llvm::find(vars, var) - vars.begin()];
  };
  ForOp rowTile;
  SmallVector<ForOp> order;
  tileColumns(product, getLoop(scores->row), getLoop(scores->column),
              getLoop(scores->depth), scoreVectors, rowTile, order);
  if (failed(schedule.reorder(order)))
    return;
  attachScoreSteps(order.size() > 3 ? order[order.size() - 4] : block);
  schedule.deferTensorize(product, Intrinsic::RegisterTile);
}

void Attention::attachScoreSteps(ForOp tile) {
  // Scale and mask while the scores are in registers.
  BlockOp epilogue = steps.front();
  if (epilogue.hasReduceIters() || epilogue == steps.back() ||
      getReaders(scores->out.buffer).size() != 2 ||
      failed(schedule.reverseComputeAt(epilogue, tile)))
    return;
  steps.erase(steps.begin());
  SmallVector<ForOp> inner = getLoopsInside(epilogue, tile);
  if (inner.size() == 2 && inner.back().getConstantExtent() &&
      *inner.back().getConstantExtent() % lanes == 0)
    schedule.deferTensorize(epilogue, Intrinsic::RegisterTile, inner.size());
  else if (!inner.empty())
    (void)schedule.vectorize(inner.back());
}

void Attention::scheduleSteps(ForOp block) {
  SmallVector<ForOp> loops = getLoopsInside(steps.back(), block);
  ForOp row = loops.size() < 2 ? block : loops.front();
  for (BlockOp step : llvm::reverse(ArrayRef(steps).drop_back()))
    (void)schedule.computeAt(step, row);
  for (BlockOp step : steps) {
    SmallVector<ForOp> inner = getLoopsInside(step, row);
    if (inner.empty())
      continue;
    if (step.hasReduceIters())
      schedule.deferTensorize(step, Intrinsic::RowReduction);
    else
      (void)schedule.vectorize(inner.back());
  }
}

void Attention::apply() {
  double work = 0;
  work += (scores->nest.getWork() + values->nest.getWork()) / lanes;
  inlineCopies();
  if (!scores || !values)
    return;
  packKeys();

  // The second product is the nest that all else moves into.
  BlockOp product = values->nest.block;
  SmallVector<ForOp> loops = values->nest.loops, outer;
  for (unsigned var : values->batches)
    outer.push_back(loops[var]);
  size_t numBatches = dropUnitLoops(outer).size();
  ForOp row = loops[values->row], block;
  std::optional<int64_t> numRows = values->nest.getExtent(values->row);
  if (!numRows || *numRows > blockRows) {
    SmallVector<ForOp> parts = schedule.split(row, {kInferFactor, blockRows});
    if (parts.empty())
      return;
    block = parts[0];
    row = parts[1];
    outer.push_back(block);
  } else if (!outer.empty()) {
    block = outer.back();
  } else {
    return;
  }
  ForOp rowTile;
  SmallVector<ForOp> order = outer;
  tileColumns(product, row, loops[values->column], loops[values->depth],
              valueVectors, rowTile, order);
  if (failed(schedule.reorder(order)))
    return;
  attachEpilogue(schedule, values->out.buffer, order[order.size() - 4]);
  schedule.deferTensorize(product, Intrinsic::RegisterTile);

  bool moved = true;
  for (BlockOp step : llvm::reverse(steps))
    moved &= succeeded(schedule.computeAt(step, block));
  moved &= succeeded(schedule.computeAt(scores->nest.block, block));
  if (moved) {
    scheduleScores(block);
    scheduleSteps(block);
  }
  // Each thread has the scores of one block: on its stack, or, where they are
  // too large for that, in a part of a workspace for each batch.
  if (!isLocal && numBatches != 0 && outer.size() > values->batches.size())
    outer.pop_back();
  parallelizeOuter(schedule, outer, work);
}

LogicalResult mlir::tir::scheduleAttention(KernelSchedule &schedule) {
  Attention attention(schedule);
  if (failed(attention.match()))
    return failure();
  attention.apply();
  return success();
}
