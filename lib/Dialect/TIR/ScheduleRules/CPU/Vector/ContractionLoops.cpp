//===- ContractionLoops.cpp - Loops around a tile of products -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"

using namespace mlir;
using namespace mlir::tir;

/// Unknown extents are those of batches, which run outside.
SmallVector<int64_t> Contraction::guessExtents() const {
  SmallVector<int64_t> extents;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    extents.push_back(nest.guessExtent(var));
  return extents;
}

/// The bytes of the operand that some variables reach, which have the given
/// extents.
double
Contraction::getBytes(const BufferAccess &operand, ArrayRef<int64_t> extents,
                      llvm::function_ref<bool(unsigned)> isWalked) const {
  double bytes =
      cast<MemRefType>(operand.buffer.getType()).getElementTypeBitWidth() / 8;
  for (AffineExpr index : operand.map->getResults()) {
    double reach = 1;
    for (auto [term, coefficient] : LinearSum::get(index).terms)
      if (auto dim = dyn_cast<AffineDimExpr>(term))
        if (isWalked(dim.getPosition()))
          reach += std::abs(coefficient) * (extents[dim.getPosition()] - 1);
    bytes *= reach;
  }
  return bytes;
}

/// The bytes of the operand that all variables of a role and the reduction
/// reach.
double Contraction::getBytesOf(const BufferAccess &operand, Role role,
                               ArrayRef<int64_t> extents) const {
  return getBytes(operand, extents, [&](unsigned var) {
    return roles[var] == role || roles[var] == Role::Reduce;
  });
}

double Contraction::getNumIterations(Role role) const {
  double count = 1;
  for (unsigned var = 0; var != nest.getNumVars(); ++var)
    if (roles[var] == role)
      count *= nest.guessExtent(var);
  return count;
}

/// In how many places at a time packed weights are read that few rows use, so
/// that reading them is all that takes time: one stream gets about half of what
/// memory has to give. Two get all that the last cache has.
int64_t Contraction::getNumStreams() const {
  constexpr int64_t kFarStreams = 4, kNearStreams = 2, kMinSteps = 64;
  constexpr double kMaxRows = 4, kMinBytes = 1 << 20;
  if (packing != Packing::Layout || reductionPart || reduction.empty() ||
      getNumIterations(Role::Row) > kMaxRows)
    return 1;
  double bytes = getBytesOf(right, Role::Column);
  bool isNear = bytes <= getCPU(schedule).getCacheSizes().l3 / 2.0;
  int64_t numStreams = isNear ? kNearStreams : kFarStreams;
  std::optional<int64_t> extent = nest.getExtent(reduction.back());
  bool isDivisible = extent && *extent == getNumIterations(Role::Reduce) &&
                     *extent % numStreams == 0 &&
                     *extent / numStreams >= kMinSteps;
  return isDivisible && bytes >= kMinBytes ? numStreams : 1;
}

/// `rowBytes` is what of the rows passes by again and again, `columnBytes` of
/// the columns.
LoopOrder Contraction::chooseLoopOrder(double rowBytes,
                                       double columnBytes) const {
  double secondCache = getCPU(schedule).getCacheSizes().l2;
  // A column tile that stays while the rows pass by touches fewer pages of the
  // result at a time than the other way round.
  if (rowBytes <= 0.85 * secondCache)
    return LoopOrder::ColumnsOutside;
  if (columnBytes <= secondCache / 2)
    return LoopOrder::RowsOutside;
  return LoopOrder::RowBlocks;
}

void Contraction::apply() {
  double work = nest.getWork() / lanes;
  double numRows = getNumIterations(Role::Row);
  packColumns();
  packRows();
  int64_t numStreams = getNumStreams();

  int64_t width = plan.numVectors * lanes;
  SmallVector<ForOp> loops = nest.loops;
  SmallVector<int64_t> outerExtents = guessExtents();
  auto split = [&](unsigned var, ArrayRef<int64_t> factors) {
    SmallVector<ForOp> parts = schedule.split(loops[var], factors);
    outerExtents[var] = parts[0].getConstantExtent().value_or(kGuessedExtent);
    return parts;
  };
  ForOp columnInner = loops[column];
  ForOp columnOuter;
  if (std::optional<int64_t> extent = nest.getExtent(column);
      !extent || *extent > width) {
    SmallVector<ForOp> parts = split(column, {kInferFactor, width});
    columnOuter = parts[0];
    columnInner = parts[1];
  }
  SmallVector<ForOp> rowsInner;
  std::optional<unsigned> splitRow;
  ForOp rowOuter, images;
  for (unsigned row : rows) {
    if (!hasImages || nest.getExtent(row))
      continue;
    SmallVector<ForOp> parts = split(row, {kInferFactor, *getRowExtent(row)});
    images = parts[0];
    loops[row] = parts[1];
    outerExtents[row] = *getRowExtent(row);
  }
  for (unsigned row : rows) {
    bool isOuterGroup = rows.size() == 2 && row == rows.front();
    int64_t size = isOuterGroup ? plan.outerRows : plan.innerRows;
    std::optional<int64_t> extent = getRowExtent(row);
    if (extent && *extent <= size) {
      rowsInner.push_back(loops[row]);
      continue;
    }
    SmallVector<ForOp> parts = split(row, {kInferFactor, size});
    splitRow = row;
    rowOuter = parts[0];
    rowsInner.push_back(parts[1]);
  }
  SmallVector<ForOp> reduceLoops;
  for (unsigned var : reduction)
    reduceLoops.push_back(loops[var]);
  if (reductionPart) {
    SmallVector<ForOp> parts =
        split(reduction.back(), {kInferFactor, reductionPart});
    reduceLoops.back() = parts[1];
    reduceLoops.insert(reduceLoops.begin(), parts[0]);
  } else if (numStreams > 1) {
    SmallVector<ForOp> parts =
        split(reduction.back(), {numStreams, kInferFactor});
    reduceLoops.back() = parts[1];
    reduceLoops.push_back(parts[0]);
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
  if (images)
    batches.push_back(images);
  // (What is not known of the rows of a tile, `images` has.)
  if (hasImages)
    llvm::erase_if(outerRows, [&](ForOp loop) {
      if (loop.getConstantExtent())
        return false;
      batches.push_back(loop);
      return true;
    });
  if (outerRows.size() > 1 && !outerRows.front().getConstantExtent()) {
    batches.push_back(outerRows.front());
    outerRows.erase(outerRows.begin());
  }
  SmallVector<ForOp> outer = batches;
  // What was split counts by its outer loop. With the sizes of the whole
  // operands, ResNet-50 and 2048x2048x2048 were measured to be slower.
  double leftBytes = getBytesOf(left, Role::Row, outerExtents);
  LoopOrder loopOrder =
      columnCopy || packing == Packing::MakeColumns
          ? LoopOrder::ColumnsOutside
          : chooseLoopOrder(leftBytes,
                            getBytesOf(right, Role::Column, outerExtents));
  if (blocksReduction) {
    loopOrder = LoopOrder::RowBlocks;
    leftBytes *= static_cast<double>(reductionPart) /
                 *reduceLoops.front().getConstantExtent();
  }
  SmallVector<ForOp> partial;
  if (storesPartialSums) {
    llvm::append_range(outer, outerColumns);
    partial.push_back(reduceLoops.front());
    reduceLoops.erase(reduceLoops.begin());
    llvm::append_range(partial, outerRows);
  } else if (loopOrder == LoopOrder::RowsOutside || outerColumns.empty() ||
             outerRows.empty()) {
    llvm::append_range(outer, outerRows);
    llvm::append_range(outer, outerColumns);
  } else {
    // As many of the inner row loops as fit; the next one in parts.
    double cache = getCPU(schedule).getCacheSizes().l2 / 2.0;
    size_t first = 0;
    for (; first != outerRows.size() && loopOrder == LoopOrder::RowBlocks &&
           leftBytes > cache;
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
    if (blocksReduction) {
      partial.push_back(reduceLoops.front());
      reduceLoops.erase(reduceLoops.begin());
    }
    SmallVector<ForOp> &inner = blocksReduction ? partial : outer;
    llvm::append_range(inner, outerColumns);
    llvm::append_range(inner, ArrayRef(outerRows).drop_front(first));
  }

  SmallVector<ForOp> order = outer;
  llvm::append_range(order, partial);
  llvm::append_range(order, reduceLoops);
  llvm::append_range(order, rowsInner);
  order.push_back(columnInner);
  if (failed(schedule.reorder(order)))
    return scheduleFallback(schedule, nest.block);

  if (columnCopy)
    placeColumnCopy(columnOuter);
  if (packing == Packing::MakeColumns)
    placeMaker(partial.empty() ? columnOuter : partial.front());
  if (rowCopy)
    placeRowCopy(partial.empty() ? ForOp() : partial.front());
  if (!outer.empty())
    attachEpilogue(schedule, out.buffer, outer.back());
  // The loops around a copy are not one with those after it.
  if (columnOuter && (columnCopy || packing == Packing::MakeColumns))
    outer.truncate(llvm::find(outer, columnOuter) - outer.begin() + 1);
  parallelizeOuter(schedule, outer, work);
  if (packing == Packing::Layout)
    halveWeights(schedule, nest.block, right.buffer, numRows);
  schedule.deferTensorize(nest.block, Intrinsic::RegisterTile);
}
