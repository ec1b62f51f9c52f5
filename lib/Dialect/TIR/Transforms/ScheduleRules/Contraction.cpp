//===- Contraction.cpp - Schedules sums of products -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// out[..] += left[..] * right[..]
//
// Variables of the right operand alone are columns: one of them becomes the
// lanes of a register tile, and the operand is packed so that the columns of a
// tile are consecutive: ahead of time if it is a constant, else in the kernel.
// Variables of the left operand alone are rows. What the two share besides the
// reduction is a batch.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "ScheduleRule.h"
#include "TilePlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tir;

namespace {

enum class Role { Batch, Row, Column, Reduce };

enum class Packing {
  None,
  /// The layout of a constant argument changes.
  Layout,
  /// The kernel copies the operand first.
  Copy
};

class Contraction {
public:
  Contraction(KernelSchedule &schedule, BlockNest nest)
      : schedule(schedule), nest(std::move(nest)) {}

  LogicalResult match();
  void apply();

private:
  LogicalResult matchBody();
  SmallVector<unsigned> getOwnVars(const BufferAccess &operand,
                                   const BufferAccess &other) const;
  LogicalResult chooseColumns();
  void chooseRows();
  void choosePlan();
  void chooseReductionOrder();
  AffineMap getPackedLayout(const BufferAccess &operand, unsigned var,
                            int64_t size, bool splitsReduction) const;
  int64_t getGroupSize(AffineExpr index, unsigned var, int64_t size) const;
  bool canPack(const BufferAccess &operand, unsigned var, int64_t size) const;
  bool paysToCopyColumns(int64_t width) const;
  void packOperands();
  void choosePartialSums();
  double getBytes(const BufferAccess &operand, ArrayRef<unsigned> vars) const;
  double getBytesOf(const BufferAccess &operand, Role role) const;

  KernelSchedule &schedule;
  BlockNest nest;
  BufferAccess left, right, out;
  SmallVector<Role> roles;
  Packing packing = Packing::None;
  unsigned column = 0;
  /// The row variables of the tile, innermost last; at most two.
  SmallVector<unsigned> rows;
  TilePlan plan;
  int64_t lanes = 1;
  /// Reduction variables in loop order.
  SmallVector<unsigned> reduction;
  /// The innermost reduction variable runs in parts of this size, if not 0,
  /// outside of the others,
  int64_t reductionPart = 0;
  /// and outside of the outer row loops, too: partial sums are stored.
  bool storesPartialSums = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The match
//===----------------------------------------------------------------------===//

/// The load that `value` is, seen through conversions.
static Operation *getLoad(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && isa<affine::AffineLoadOp, memref::LoadOp>(op) ? op : nullptr;
}

std::optional<SumOfProducts>
mlir::tir::matchSumOfProducts(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  if (!store || !store->map || !nest.isReduction() ||
      !BlockOp(nest.block).getInit())
    return std::nullopt;
  Operation *sum = store->op->getOperand(0).getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    Operation *old = getLoad(sum->getOperand(i));
    Operation *product = sum->getOperand(1 - i).getDefiningOp();
    if (!old || !product || !isa<arith::MulFOp, arith::MulIOp>(product))
      continue;
    const BufferAccess *update = nest.getAccess(old);
    if (!update || update->buffer != store->buffer || update->map != store->map)
      continue;
    Operation *lhs = getLoad(product->getOperand(0));
    Operation *rhs = getLoad(product->getOperand(1));
    const BufferAccess *first = lhs ? nest.getAccess(lhs) : nullptr;
    const BufferAccess *second = rhs ? nest.getAccess(rhs) : nullptr;
    if (!first || !second || !first->map || !second->map ||
        !first->symbols.empty() || !second->symbols.empty())
      return std::nullopt;
    return SumOfProducts{*first, *second, *store};
  }
  return std::nullopt;
}

LogicalResult Contraction::matchBody() {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum)
    return failure();
  left = sum->left;
  right = sum->right;
  out = sum->out;
  return success();
}

SmallVector<unsigned> Contraction::getOwnVars(const BufferAccess &operand,
                                              const BufferAccess &other) const {
  SmallVector<unsigned> vars;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (!nest.isReduce(var) && dependsOn(operand, var) &&
        !dependsOn(other, var))
      vars.push_back(var);
  return vars;
}

LogicalResult Contraction::match() {
  if (failed(matchBody()))
    return failure();
  lanes = schedule.getLanes(
      cast<MemRefType>(out.buffer.getType()).getElementType());
  if (lanes < 4 || failed(chooseColumns()))
    return failure();
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    bool inLeft = dependsOn(left, var), inRight = dependsOn(right, var);
    if (nest.isReduce(var))
      roles.push_back(Role::Reduce);
    else
      roles.push_back(inLeft == inRight ? Role::Batch
                      : inLeft          ? Role::Row
                                        : Role::Column);
  }
  chooseRows();
  choosePlan();
  chooseReductionOrder();
  choosePartialSums();
  return success();
}

/// Picks the operand that is loaded by vectors, makes it the right one, and
/// picks the variable of the lanes.
LogicalResult Contraction::chooseColumns() {
  struct Candidate {
    unsigned var;
    bool isRight;
    Packing packing;
    int64_t score;
  };
  // A tile is transposed if the result is contiguous along its rows, which a
  // short reduction does not make up for.
  constexpr double kShortReduction = 32;
  double depth = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    depth *= nest.guessExtent(var);
  std::optional<Candidate> best;
  for (bool isRight : {true, false}) {
    const BufferAccess &operand = isRight ? right : left;
    for (unsigned var : getOwnVars(operand, isRight ? left : right)) {
      int64_t extent = nest.guessExtent(var);
      // Fewer columns than half a vector waste most of each update.
      if (extent < lanes / 2 || !nest.getExtent(var))
        continue;
      bool isOutContiguous = isContiguous(out, var);
      Candidate candidate{var, isRight, Packing::None, 0};
      if (schedule.isLayoutFree(operand.buffer) &&
          canPack(operand, var, lanes)) {
        candidate.packing = Packing::Layout;
        candidate.score = 8;
      } else if (isContiguous(operand, var)) {
        candidate.score = 4;
      } else if (canPack(operand, var, lanes)) {
        candidate.packing = Packing::Copy;
        candidate.score = 1;
      } else {
        continue;
      }
      candidate.score += isOutContiguous ? 2 : 0;
      if (isOutContiguous && candidate.packing == Packing::None &&
          depth <= kShortReduction && extent % lanes == 0)
        candidate.score += 4;
      if (!best || candidate.score > best->score)
        best = candidate;
    }
  }
  if (!best)
    return failure();
  if (!best->isRight)
    std::swap(left, right);
  column = best->var;
  packing = best->packing;
  return success();
}

/// The rows of the tile: the innermost row variable of the result, and the next
/// one if the first has few iterations.
void Contraction::chooseRows() {
  SmallVector<unsigned> candidates;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (roles[var] == Role::Row && nest.getExtent(var) != 1)
      candidates.push_back(var);
  if (candidates.empty())
    return;
  rows.push_back(candidates.back());
  std::optional<int64_t> inner = nest.getExtent(rows.front());
  if (candidates.size() > 1 && inner &&
      *inner <= schedule.getNumVectorRegisters() / 2)
    rows.insert(rows.begin(), candidates[candidates.size() - 2]);
}

void Contraction::choosePlan() {
  TileProblem problem;
  problem.lanes = lanes;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    problem.depth *= nest.guessExtent(var);
  problem.numRegisters = schedule.getNumVectorRegisters();
  problem.hasMasks = schedule.getTarget().hasMaskedAccess();
  problem.columns = nest.getExtent(column);
  if (!rows.empty())
    problem.innerRows = nest.getExtent(rows.back());
  if (rows.size() == 2)
    problem.outerRows = nest.getExtent(rows.front());
  // A packed operand that holds several groups of columns must not mix them.
  if (packing == Packing::Layout && roles.size() == nest.getNumVars())
    for (AffineExpr index : right.map->getResults()) {
      if (!index.isFunctionOfDim(column))
        continue;
      for (auto [term, coefficient] : LinearSum::get(index).terms)
        if (coefficient != 1 && !getGroupSize(index, column, lanes))
          problem.columnMultiple = coefficient;
    }
  plan = planTile(problem);
  if (plan.outerRows == 1 && rows.size() == 2)
    rows.erase(rows.begin());
}

/// Window variables outside, so that a step of the innermost loop reads
/// elements that no other step of it reads.
void Contraction::chooseReductionOrder() {
  std::optional<unsigned> channel;
  for (unsigned var : nest.getVars(/*isReduce=*/true)) {
    // A window variable moves along a dimension with a row variable.
    bool isWindow = llvm::any_of(left.map->getResults(), [&](AffineExpr index) {
      if (!index.isFunctionOfDim(var))
        return false;
      for (unsigned other = 0; other != nest.getNumVars(); ++other)
        if (roles[other] == Role::Row && index.isFunctionOfDim(other))
          return true;
      return false;
    });
    if (!isWindow &&
        (!channel || nest.guessExtent(var) > nest.guessExtent(*channel))) {
      if (channel)
        reduction.push_back(*channel);
      channel = var;
    } else {
      reduction.push_back(var);
    }
  }
  bool hasWindow = llvm::any_of(
      reduction, [&](unsigned var) { return nest.getExtent(var) != 1; });
  if (!channel)
    return;
  reduction.push_back(*channel);
  // The rows under the window of this many channels stay in the first cache.
  constexpr int64_t kPart = 64;
  std::optional<int64_t> extent = nest.getExtent(*channel);
  if (hasWindow && extent && *extent > kPart && *extent % kPart == 0)
    reductionPart = kPart;
}

/// Where neither the columns of a tile nor the rows stay in the second cache,
/// but the results of these columns stay in the first: all rows for a part of
/// the reduction, then the next part.
void Contraction::choosePartialSums() {
  if (reduction.empty() || rows.empty())
    return;
  constexpr double kMaxSums = 32 << 10;
  int64_t width = plan.numVectors * lanes;
  double numRows = 1;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (roles[var] == Role::Row)
      numRows *= nest.getExtent(var) ? *nest.getExtent(var) : kMaxSums;
  std::optional<int64_t> extent = nest.getExtent(reduction.back());
  double cache = schedule.getTarget().getCacheSizes().l2 / 2.0;
  double rowBytes = getBytesOf(left, Role::Row);
  double columnBytes = getBytesOf(right, Role::Column) /
                       llvm::divideCeil(nest.guessExtent(column), width);
  if (!extent || rowBytes + columnBytes <= cache ||
      numRows * width * sizeof(float) > kMaxSums)
    return;
  for (int64_t numParts = 2; *extent / numParts >= 32; ++numParts) {
    if (*extent % numParts != 0 || (rowBytes + columnBytes) / numParts > cache)
      continue;
    reductionPart = *extent / numParts;
    storesPartialSums = true;
    return;
  }
}

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The size of the groups of `var` that share an index of the operand with
/// another variable, as the outputs of a grouped convolution do, if these are
/// no multiple of `size`: g * groupSize + var. Otherwise 0.
int64_t Contraction::getGroupSize(AffineExpr index, unsigned var,
                                  int64_t size) const {
  if (!index.isFunctionOfDim(var))
    return 0;
  int64_t group = 0;
  for (auto [term, coefficient] : LinearSum::get(index).terms)
    if (coefficient != 1)
      group = group ? std::gcd(group, coefficient) : coefficient;
  return group % size != 0 && group == nest.getExtent(var) ? group : 0;
}

/// Whether each index of the operand is one variable, or, for `var`, a
/// multiple of `size` or of all of `var` more.
bool Contraction::canPack(const BufferAccess &operand, unsigned var,
                          int64_t size) const {
  bool found = false;
  for (AffineExpr index : operand.map->getResults()) {
    if (isa<AffineConstantExpr>(index))
      continue;
    LinearSum sum = LinearSum::get(index);
    if (sum.constant != 0)
      return false;
    int64_t group = getGroupSize(index, var, size);
    for (auto [term, coefficient] : sum.terms) {
      if (!isa<AffineDimExpr>(term))
        return false;
      if (coefficient != 1 && !group &&
          (!index.isFunctionOfDim(var) || coefficient % size != 0))
        return false;
    }
    int64_t numUnit =
        llvm::count_if(sum.terms, [](auto &term) { return term.second == 1; });
    if (numUnit != 1)
      return false;
    found |= index.isFunctionOfDim(var);
  }
  return found;
}

/// Batch dimensions, then groups of `size` of `var`, then the reduction in
/// loop order, then the members of a group.
AffineMap Contraction::getPackedLayout(const BufferAccess &operand,
                                       unsigned var, int64_t size,
                                       bool splitsReduction) const {
  MLIRContext *context = schedule.getKernel().getContext();
  AffineMap map = *operand.map;
  SmallVector<AffineExpr> batch, groups, members, reduce;
  SmallVector<bool> isDone(map.getNumResults());
  auto dim = [&](unsigned position) {
    isDone[position] = true;
    return getAffineDimExpr(position, context);
  };
  for (unsigned position = 0; position != map.getNumResults(); ++position)
    if (map.getResult(position).isFunctionOfDim(var)) {
      AffineExpr index = dim(position);
      if (int64_t group = getGroupSize(map.getResult(position), var, size)) {
        batch.push_back(index.floorDiv(group));
        index = index % group;
      }
      groups.push_back(index.floorDiv(size));
      members.push_back(index % size);
    }
  unsigned innermost = reduction.back();
  for (unsigned reduceVar : reduction)
    for (unsigned position = 0; position != map.getNumResults(); ++position) {
      if (isDone[position] ||
          !map.getResult(position).isFunctionOfDim(reduceVar))
        continue;
      AffineExpr index = dim(position);
      if (splitsReduction && reduceVar == innermost && reductionPart) {
        reduce.insert(reduce.begin(), index.floorDiv(reductionPart));
        index = index % reductionPart;
      }
      reduce.push_back(index);
    }
  for (unsigned position = 0; position != map.getNumResults(); ++position)
    if (!isDone[position])
      batch.push_back(dim(position));
  llvm::append_range(batch, groups);
  llvm::append_range(batch, reduce);
  llvm::append_range(batch, members);
  return AffineMap::get(map.getNumResults(), 0, batch, context);
}

/// Whether so many rows go through columns that lie far apart that copying
/// these columns first takes less time than reading every row's in another
/// page, often in the same lines of the first cache.
bool Contraction::paysToCopyColumns(int64_t width) const {
  constexpr double kMinRows = 64, kMinDepth = 64, kMinBytes = 128 << 10;
  constexpr int64_t kMinStrideBytes = 512;
  auto type = cast<MemRefType>(right.buffer.getType());
  if (packing != Packing::None || reduction.empty() || !type.hasStaticShape() ||
      !canPack(right, column, width))
    return false;
  double numRows = 1, depth = 1;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    if (roles[var] == Role::Row)
      numRows *= nest.guessExtent(var);
    else if (roles[var] == Role::Reduce)
      depth *= nest.guessExtent(var);
  }
  std::optional<int64_t> stride = getStride(right, reduction.back());
  return stride && numRows >= kMinRows && depth >= kMinDepth &&
         *stride * type.getElementTypeBitWidth() / 8 >= kMinStrideBytes &&
         getBytesOf(right, Role::Column) >= kMinBytes;
}

void Contraction::packOperands() {
  int64_t width = plan.numVectors * lanes;
  if (paysToCopyColumns(width))
    packing = Packing::Copy;
  if (packing == Packing::Layout &&
      failed(schedule.transformReadLayout(
          nest.block, right.buffer,
          getPackedLayout(right, column, width, /*splitsReduction=*/true))))
    packing = Packing::Copy;
  auto copy = [&](const BufferAccess &operand, unsigned var, int64_t size) {
    BlockOp copy = schedule.cacheRead(nest.block, operand.buffer, "global");
    if (!copy)
      return;
    Value packed = getWrittenBuffers(copy).front();
    (void)schedule.transformWriteLayout(
        copy, packed,
        getPackedLayout(operand, var, size, /*splitsReduction=*/false));
  };
  if (packing == Packing::Copy)
    copy(right, column, width);

  // Rows that are a multiple of a page apart compete for the same cache lines.
  constexpr int64_t kAliasBytes = 2048;
  if (rows.size() != 1 || plan.innerRows < 8)
    return;
  std::optional<int64_t> stride = getStride(left, rows.front());
  std::optional<int64_t> extent = nest.getExtent(rows.front());
  auto type = cast<MemRefType>(left.buffer.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (!stride || !extent || *stride * bytes % kAliasBytes != 0 ||
      nest.guessExtent(column) < 8 * width ||
      !canPack(left, rows.front(), plan.innerRows) || !type.hasStaticShape())
    return;
  copy(left, rows.front(), plan.innerRows);
}

//===----------------------------------------------------------------------===//
// The loops
//===----------------------------------------------------------------------===//

/// The bytes of the operand that the given variables reach. Unknown extents are
/// those of batches, which run outside.
double Contraction::getBytes(const BufferAccess &operand,
                             ArrayRef<unsigned> vars) const {
  double bytes =
      cast<MemRefType>(operand.buffer.getType()).getElementTypeBitWidth() / 8;
  for (AffineExpr index : operand.map->getResults()) {
    double reach = 1;
    for (auto [term, coefficient] : LinearSum::get(index).terms)
      if (auto dim = dyn_cast<AffineDimExpr>(term))
        if (llvm::is_contained(vars, dim.getPosition()))
          reach +=
              std::abs(coefficient) * (nest.guessExtent(dim.getPosition()) - 1);
    bytes *= reach;
  }
  return bytes;
}

/// The bytes that all variables of a role and the reduction reach.
double Contraction::getBytesOf(const BufferAccess &operand, Role role) const {
  SmallVector<unsigned> vars;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (roles[var] == role || roles[var] == Role::Reduce)
      vars.push_back(var);
  return getBytes(operand, vars);
}

void Contraction::apply() {
  double work = nest.getWork() / lanes;
  packOperands();

  int64_t width = plan.numVectors * lanes;
  SmallVector<ForOp> loops = nest.loops;
  ForOp columnInner = loops[column];
  ForOp columnOuter;
  if (*nest.getExtent(column) > width) {
    SmallVector<ForOp> parts =
        schedule.split(loops[column], {kInferFactor, width});
    columnOuter = parts[0];
    columnInner = parts[1];
  }
  SmallVector<ForOp> rowsInner;
  std::optional<unsigned> splitRow;
  ForOp rowOuter;
  for (unsigned row : rows) {
    bool isOuterGroup = rows.size() == 2 && row == rows.front();
    int64_t size = isOuterGroup ? plan.outerRows : plan.innerRows;
    std::optional<int64_t> extent = nest.getExtent(row);
    if (extent && *extent <= size) {
      rowsInner.push_back(loops[row]);
      continue;
    }
    SmallVector<ForOp> parts = schedule.split(loops[row], {kInferFactor, size});
    splitRow = row;
    rowOuter = parts[0];
    rowsInner.push_back(parts[1]);
  }
  SmallVector<ForOp> reduceLoops;
  for (unsigned var : reduction)
    reduceLoops.push_back(loops[var]);
  if (reductionPart) {
    SmallVector<ForOp> parts =
        schedule.split(reduceLoops.back(), {kInferFactor, reductionPart});
    reduceLoops.back() = parts[1];
    reduceLoops.insert(reduceLoops.begin(), parts[0]);
  }

  // Outer loops: batches; then rows and columns so that what is walked through
  // again and again stays in the second cache.
  SmallVector<ForOp> batches, outerRows, outerColumns;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    if (nest.isReduce(var))
      continue;
    if (roles[var] == Role::Batch) {
      batches.push_back(loops[var]);
    } else if (roles[var] == Role::Column) {
      if (var != column)
        outerColumns.push_back(loops[var]);
      else if (columnOuter)
        outerColumns.push_back(columnOuter);
    } else {
      if (var == splitRow)
        outerRows.push_back(rowOuter);
      else if (!llvm::is_contained(rows, var))
        outerRows.push_back(loops[var]);
    }
  }
  if (outerRows.size() > 1 && !outerRows.front().getConstantExtent()) {
    batches.push_back(outerRows.front());
    outerRows.erase(outerRows.begin());
  }
  double secondCache = schedule.getTarget().getCacheSizes().l2;
  double cache = secondCache / 2;
  SmallVector<ForOp> outer = batches;
  // What was split has the extent of its outer loop by now. With the sizes of
  // the whole operands, ResNet-50 and 2048x2048x2048 were measured to be
  // slower.
  double leftBytes = getBytesOf(left, Role::Row);
  // A column tile that stays while the rows pass by touches fewer pages of the
  // result at a time than the other way round.
  bool rowsStay = leftBytes <= 0.85 * secondCache;
  SmallVector<ForOp> partial;
  if (storesPartialSums) {
    llvm::append_range(outer, outerColumns);
    partial.push_back(reduceLoops.front());
    reduceLoops.erase(reduceLoops.begin());
    llvm::append_range(partial, outerRows);
  } else if ((!rowsStay && getBytesOf(right, Role::Column) <= cache) ||
             outerColumns.empty() || outerRows.empty()) {
    llvm::append_range(outer, outerRows);
    llvm::append_range(outer, outerColumns);
  } else {
    // As many of the inner row loops as fit; the next one in parts.
    size_t first = 0;
    for (; first != outerRows.size() && !rowsStay && leftBytes > cache;
         ++first) {
      ForOp loop = outerRows[first];
      int64_t extent = loop.getConstantExtent().value_or(kGuessedExtent);
      double perIteration = leftBytes / extent;
      int64_t fitting = cache / perIteration;
      leftBytes = perIteration;
      if (fitting >= 2 && fitting < extent && loop.getConstantExtent()) {
        // Parts of equal size.
        int64_t numParts = llvm::divideCeil(extent, fitting);
        int64_t size = llvm::divideCeil(extent, numParts);
        SmallVector<ForOp> parts = schedule.split(loop, {kInferFactor, size});
        outer.push_back(parts[0]);
        outerRows[first] = parts[1];
        break;
      }
      outer.push_back(loop);
    }
    llvm::append_range(outer, outerColumns);
    llvm::append_range(outer, ArrayRef(outerRows).drop_front(first));
  }

  SmallVector<ForOp> order = outer;
  llvm::append_range(order, partial);
  llvm::append_range(order, reduceLoops);
  llvm::append_range(order, rowsInner);
  order.push_back(columnInner);
  if (failed(schedule.reorder(order)))
    return scheduleFallback(schedule, nest.block);

  if (!outer.empty())
    attachEpilogue(schedule, out.buffer, outer.back());
  parallelizeOuter(schedule, outer, work);
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
}

LogicalResult mlir::tir::scheduleContraction(KernelSchedule &schedule,
                                             BlockNest nest) {
  if (succeeded(scheduleMatrixTiles(schedule, nest)))
    return success();
  Contraction contraction(schedule, std::move(nest));
  if (failed(contraction.match()))
    return failure();
  contraction.apply();
  return success();
}
