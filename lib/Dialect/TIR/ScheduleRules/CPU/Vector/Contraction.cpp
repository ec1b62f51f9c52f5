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

#include "Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexSpace.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tir;

//===----------------------------------------------------------------------===//
// The match
//===----------------------------------------------------------------------===//

void Contraction::remarkDeclined(const Twine &reason) {
  schedule.remarkMissed("rule", "@" + BlockOp(nest.block).getName() +
                                    ": no tile of products, " + reason);
}

LogicalResult Contraction::matchBody() {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum) {
    // Of what is no sum of products by far, there is nothing to say.
    bool multiplies = false;
    const BufferAccess *store = nest.getStore();
    Operation *add = store ? store->op->getOperand(0).getDefiningOp() : nullptr;
    if (nest.isReduction() &&
        isa_and_nonnull<arith::AddFOp, arith::AddIOp>(add))
      multiplies = llvm::any_of(add->getOperands(), [](Value value) {
        return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(
            value.getDefiningOp());
      });
    if (multiplies)
      remarkDeclined("a factor is not just an element at affine indices");
    return failure();
  }
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
  if (lanes < 4) {
    remarkDeclined("a vector holds only " + Twine(lanes) + " results");
    return failure();
  }
  if (failed(chooseColumns()))
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
  chooseImages();
  choosePlan();
  chooseReductionOrder();
  chooseMadePart();
  choosePartialSums();
  if (!storesPartialSums)
    chooseReductionBlocks();
  return success();
}

/// Whether each element of `operand` is a factor once, and both factors follow
/// one another in memory as the terms of a sum do: the product of a matrix and
/// a vector, which takes no longer than to read the matrix.
bool Contraction::isReadOnceAlongRows(const BufferAccess &operand,
                                      const BufferAccess &other) const {
  for (unsigned var : getOwnVars(other, operand))
    if (nest.getExtent(var) != 1)
      return false;
  return llvm::any_of(nest.getVars(/*isReduce=*/true), [&](unsigned var) {
    return nest.getExtent(var) != 1 && isContiguous(operand, var) &&
           isContiguous(other, var);
  });
}

/// Whether `operand`, along `var` and the reduction, comes from far and many
/// rows of `other` pass by it. With vectors of those rows, a transposed tile
/// reads and writes few elements of many pages each. Copied side by side, the
/// operand took 0.55 to 0.95 of the time, from half of the second cache and 64
/// rows on.
bool Contraction::waitsTransposed(const BufferAccess &operand,
                                  const BufferAccess &other,
                                  unsigned var) const {
  constexpr double kManyRows = 64;
  double numRows = 1;
  for (unsigned row : getOwnVars(other, operand))
    numRows *= static_cast<double>(nest.guessExtent(row));
  double bytes = getBytes(operand, guessExtents(), [&](unsigned walked) {
    return walked == var || nest.isReduce(walked);
  });
  return numRows >= kManyRows &&
         bytes > getCPU(schedule).getCacheSizes().l2 / 2.0;
}

/// Whether constant columns that fill a part of a vector are nevertheless
/// faster than sums along rows, one by one: each row is read once, not once for
/// each column, and as many sums as there are registers do not wait for one
/// another. 64 channels to 3 in windows of 7x7 took 0.4 of the time with
/// AVX-512, 0.15 with AVX2.
bool Contraction::isWorthNarrowColumns(bool isRight, unsigned var) const {
  constexpr int64_t kMaxWaste = 8, kMinRows = 64;
  const BufferAccess &operand = isRight ? right : left;
  if (nest.guessExtent(var) == 1 || nest.guessExtent(var) * kMaxWaste < lanes ||
      !hasFreeLayout(operand.buffer) || !canPack(operand, var, lanes))
    return false;
  int64_t numRows = 1;
  for (unsigned row : getOwnVars(isRight ? left : right, operand))
    numRows *= nest.guessExtent(row);
  return numRows >= kMinRows;
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
  // short reduction does not make up for: about 200 cycles were measured, half
  // of what a tile of 64 steps takes.
  constexpr double kShortReduction = 96;
  double depth = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    depth *= nest.guessExtent(var);
  std::optional<Candidate> best;
  std::string reason = "no variable is of one factor alone";
  // Columns of which there are too few for anything but many rows, packed.
  std::optional<Candidate> narrow;
  for (bool isRight : {true, false}) {
    const BufferAccess &operand = isRight ? right : left;
    for (unsigned var : getOwnVars(operand, isRight ? left : right)) {
      int64_t extent = nest.guessExtent(var);
      bool isKnown = nest.getExtent(var).has_value();
      // Fewer columns than half a vector waste most of each update.
      if (extent < lanes / 2) {
        if (isKnown && isWorthNarrowColumns(isRight, var))
          narrow = Candidate{var, isRight, Packing::Layout, 0};
        reason = std::to_string(extent) +
                 " columns are less than half of the " + std::to_string(lanes) +
                 " lanes of a vector";
        continue;
      }
      bool isOutContiguous = isContiguous(out, var);
      Candidate candidate{var, isRight, Packing::None, 0};
      if (isKnown && hasFreeLayout(operand.buffer) &&
          canPack(operand, var, lanes)) {
        candidate.packing = Packing::Layout;
        candidate.score = 8;
      } else if (isKnown && canMakeColumns(operand, var)) {
        candidate.packing = Packing::MakeColumns;
        candidate.score = 8;
      } else if (isContiguous(operand, var)) {
        // The last of an unknown number of columns are masked.
        candidate.score = isKnown ? 4 : 3;
      } else if (isReadOnceAlongRows(operand, isRight ? left : right)) {
        reason = "no row but one would read a copy of the columns";
        continue;
      } else if (isKnown && canPack(operand, var, lanes)) {
        candidate.packing = Packing::Copy;
        candidate.score = 1;
      } else {
        reason = isKnown ? "columns are neither contiguous nor at indices of "
                           "their own"
                         : "an unknown number of columns is not contiguous";
        continue;
      }
      candidate.score += isOutContiguous ? 2 : 0;
      if (isOutContiguous && candidate.packing == Packing::None &&
          ((depth <= kShortReduction && extent % lanes == 0) ||
           waitsTransposed(operand, isRight ? left : right, var)))
        candidate.score += 4;
      if (!best || candidate.score > best->score)
        best = candidate;
    }
  }
  if (!best)
    best = narrow;
  if (!best) {
    remarkDeclined(reason);
    return failure();
  }
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
      *inner <= getCPU(schedule).getNumVectorRegisters() / 2)
    rows.insert(rows.begin(), candidates[candidates.size() - 2]);
}

/// The rows of one image are known where the rows of a batch are not: as of
/// pictures, or of sentences that one matrix has. The columns pass by each
/// image anew, which takes little beside the products of many rows.
void Contraction::chooseImages() {
  constexpr int64_t kMinRows = 96;
  IndexSpace space(nest.block.getContext());
  SmallVector<int64_t> rowsOfImage = nest.guesses;
  int64_t numRows = 1;
  bool isOpen = false;
  for (unsigned var = 0; var != nest.getNumVars(); ++var) {
    if (roles[var] != Role::Row)
      continue;
    if (!nest.getExtent(var)) {
      isOpen = true;
      rowsOfImage[var] =
          space.getExpr(nest.block.getExtents()[var]).getLargestKnownDivisor();
      // A tile takes rows of one image.
      if (llvm::is_contained(rows, var) && rowsOfImage[var] < kMinRows)
        return;
    }
    numRows *= nest.getExtent(var).value_or(rowsOfImage[var]);
  }
  if (!isOpen || rows.empty() || numRows < kMinRows)
    return;
  nest.guesses = rowsOfImage;
  hasImages = true;
}

/// The extent of a row variable, of one image if there are images.
std::optional<int64_t> Contraction::getRowExtent(unsigned var) const {
  return hasImages ? nest.guessExtent(var) : nest.getExtent(var);
}

void Contraction::choosePlan() {
  TileProblem problem;
  problem.lanes = lanes;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    problem.depth *= nest.guessExtent(var);
  problem.numRegisters = getCPU(schedule).getNumVectorRegisters();
  int64_t bits =
      cast<MemRefType>(right.buffer.getType()).getElementTypeBitWidth();
  problem.nearColumns =
      getCPU(schedule).getCacheSizes().l1 / 2.0 / (bits / 8.0);
  problem.hasMasks = getCPU(schedule).hasMaskedAccess();
  problem.columns = nest.getExtent(column);
  if (!rows.empty()) {
    problem.innerRows = getRowExtent(rows.back());
    // As of Winograd's algorithm, which has the tiles of all images in one
    // dimension.
    if (int64_t guess = nest.guessExtent(rows.back());
        !hasImages && guess % kGuessedExtent == 0 && guess != kGuessedExtent)
      problem.rowsOfImage = guess / kGuessedExtent;
  }
  if (rows.size() == 2)
    problem.outerRows = getRowExtent(rows.front());
  constexpr int64_t kMaxOpenRows = 6;
  if (rows.size() == 1 && !getStride(left, rows.front()) &&
      !cast<MemRefType>(left.buffer.getType()).hasStaticShape())
    problem.maxRows = kMaxOpenRows;
  // A packed operand that holds several groups of columns must not mix them.
  if (packing == Packing::Layout && roles.size() == nest.getNumVars())
    for (AffineExpr index : right.map->getResults()) {
      if (!index.isFunctionOfDim(column))
        continue;
      for (auto [term, coefficient] : LinearSum::get(index).terms)
        // (Groups of all the columns are packed one by one, whatever the
        // width.)
        if (coefficient != 1 && coefficient != nest.getExtent(column))
          problem.columnMultiple = coefficient;
    }
  if (packing == Packing::MakeColumns) {
    problem.nearColumns = std::numeric_limits<double>::infinity();
    // Wider tiles are of fewer steps, and of fewer rows: 4 rows of 2 x 128
    // took 1.1 times as long as of 4 x 64.
    problem.maxVectors = 4;
    while (getMadePart(right, problem.maxVectors * lanes) == 0)
      --problem.maxVectors;
    // Where there may be a single row, wide tiles wait less for its sums.
    if (!problem.innerRows)
      problem.maxRows = kMaxOpenRows;
    // Parts of tiles are made by loops of an extent that is not constant.
    if (nest.getExtent(column).value_or(1) % lanes == 0)
      problem.columnMultiple = *nest.getExtent(column);
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
  if (reduction.empty() || rows.empty() || packing == Packing::MakeColumns)
    return;
  constexpr double kMaxSums = 32 << 10;
  // Sums of fewer steps are read and stored too often: 361x728 by 728x728 in
  // parts of 104 took 1.1 times as long as in one.
  constexpr int64_t kMinPart = 32, kMinSteps = 160;
  int64_t width = plan.numVectors * lanes;
  double numRows = 1;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (roles[var] == Role::Row)
      numRows *= getRowExtent(var).value_or(kMaxSums);
  std::optional<int64_t> extent = nest.getExtent(reduction.back());
  double cache = getCPU(schedule).getCacheSizes().l2 / 2.0;
  double rowBytes = getBytesOf(left, Role::Row);
  double columnBytes = getBytesOf(right, Role::Column) /
                       llvm::divideCeil(nest.guessExtent(column), width);
  // Rows pass by columns that stay in the first cache fast enough.
  if (!extent || rowBytes + columnBytes <= cache ||
      columnBytes <= getCPU(schedule).getCacheSizes().l1 ||
      numRows * width * sizeof(float) > kMaxSums)
    return;
  double taps = getNumIterations(Role::Reduce) / *extent;
  for (int64_t numParts = 2;
       *extent / numParts >= kMinPart && *extent / numParts * taps >= kMinSteps;
       ++numParts) {
    if (*extent % numParts != 0 || (rowBytes + columnBytes) / numParts > cache)
      continue;
    reductionPart = *extent / numParts;
    storesPartialSums = true;
    return;
  }
}

/// Where rows pass by in blocks, and the columns of a tile are so long that
/// they do not stay in the second cache beside the rows: a block of rows and a
/// part of the reduction for all columns, then the next part.
void Contraction::chooseReductionBlocks() {
  constexpr int64_t kMinPart = 512;
  if (reductionPart || reduction.size() != 1 || rows.size() != 1 ||
      !isa<BlockArgument>(out.buffer))
    return;
  std::optional<int64_t> extent = nest.getExtent(reduction.back());
  if (!extent || !getRowExtent(rows.front()) || !nest.getExtent(column))
    return;
  const relay::CacheSizes &caches = getCPU(schedule).getCacheSizes();
  int64_t width = plan.numVectors * lanes;
  double rowBytes = getBytesOf(left, Role::Row) / plan.innerRows;
  double columnBytes = getBytesOf(right, Role::Column);
  double panelBytes = columnBytes * width / getNumIterations(Role::Column);
  double cache = caches.l2 / 4.0;
  if (panelBytes <= cache ||
      chooseLoopOrder(rowBytes, columnBytes / width) != LoopOrder::RowBlocks)
    return;
  // Half of what would do was measured to be faster, but each part costs
  // reading and storing the sums.
  for (int64_t numParts = std::ceil(2 * panelBytes / cache);
       *extent / numParts >= kMinPart; ++numParts) {
    if (*extent % numParts != 0)
      continue;
    reductionPart = *extent / numParts;
    blocksReduction = true;
    return;
  }
}

LogicalResult mlir::tir::scheduleContraction(KernelSchedule &schedule,
                                             BlockNest nest) {
  if (succeeded(scheduleMatrixTiles(schedule, nest)) ||
      succeeded(scheduleMadeRow(schedule, nest)))
    return success();
  std::optional<Contraction> contraction;
  BlockOp block = nest.block;
  contraction.emplace(schedule, std::move(nest));
  if (failed(contraction->match()))
    return failure();
  if (contraction->gatherGroups()) {
    // The rows are in another buffer now.
    contraction.emplace(schedule, *BlockNest::get(block));
    if (failed(contraction->match()))
      return failure();
  }
  contraction->apply();
  return success();
}
