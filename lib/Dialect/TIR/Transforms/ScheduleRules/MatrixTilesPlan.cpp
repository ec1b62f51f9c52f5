//===- MatrixTilesPlan.cpp - Sizes and costs of matrix tiles --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The sizes of tiles and panels, and what they cost.
//
//===----------------------------------------------------------------------===//

#include "MatrixMatcher.h"

#include "relay-mlir/Dialect/TIR/IR/Work.h"
#include "relay-mlir/Support/MatrixCost.h"

using namespace mlir;
using namespace mlir::tir;

/// The largest panel of split data that goes on the stack of a thread.
static constexpr int64_t kMaxPanelBytes = 640 << 10;
/// Cycles beside those of splitting to bring weights in the order of tiles, if
/// columns are beside each other, or channels.
static constexpr double kInterleaveCycles = 2;
static constexpr double kTransposeCycles = 6;
/// By vectors: cycles of a vector of results beside its products, and to copy a
/// vector of the data.
static constexpr double kDotTileCycles = 4;
static constexpr double kCopyCycles = 2;
/// Cycles of a product of a vector of integers, in those of floats.
static constexpr double kIntegerProduct = 3;

int64_t MatrixPlan::getBlockChannels() const {
  int64_t largest = getGroupSize() * kTileSize;
  if (!isDot() || packsWeights)
    return largest;
  // Vectors need no more than whole groups.
  int64_t multiple = dot == DotKind::NeonQuads ? 16 : getGroupSize();
  int64_t numBlocks = llvm::divideCeil(getDepth(), largest);
  return llvm::alignTo(llvm::divideCeil(getDepth(), numBlocks), multiple);
}

int64_t MatrixPlan::countSteps() const {
  int64_t steps = getNumChannelBlocks();
  for (int64_t extent : tapExtents)
    steps *= extent;
  return steps;
}

const MatrixDim &MatrixPlan::getInnermostRow() const {
  for (const MatrixDim &dim : llvm::reverse(dims))
    if (dim.kind == MatrixDim::Row)
      return dim;
  llvm_unreachable("no rows");
}

int64_t MatrixPlan::getMergedRows() const {
  int64_t beyond = llvm::divideCeil(getNumChannelBlocks() * getBlockChannels(),
                                    getRowPitch());
  return llvm::alignTo(panelRows + reachRows + beyond, getInnermostRow().radix);
}

void MatrixMatcher::planRows() {
  int64_t rowStride = 1, planeStride = 1;
  plan.numRows = 1;
  for (MatrixDim &dim : llvm::reverse(plan.dims)) {
    if (dim.kind != MatrixDim::Row)
      continue;
    int64_t window = 0;
    for (auto [var, distance] : dim.taps)
      window += distance * (*nest.getExtent(var) - 1);
    if (dim.mergedPixels > 1) {
      dim.reach = dim.stride * (dim.extent - 1) + dim.mergedPixels;
      dim.radix = llvm::divideCeil(dim.reach, dim.stride);
    } else if (dim.taps.empty()) {
      dim.radix = dim.extent;
      dim.reach = dim.extent;
    } else {
      dim.reach = dim.stride * (dim.extent - 1) + window + 1;
      dim.radix = llvm::divideCeil(dim.reach, dim.stride);
      dim.numPlanes = std::min(dim.stride, window + 1);
    }
    dim.rowStride = rowStride;
    dim.planeStride = planeStride;
    plan.numRows += (dim.extent - 1) * rowStride;
    if (dim.isDynamic)
      plan.dynamicRows = rowStride;
    if (!dim.taps.empty())
      plan.reachRows += window / dim.stride * rowStride;
    rowStride *= dim.radix;
    planeStride *= dim.numPlanes;
  }
  plan.numPlanes = planeStride;
}

/// As many results as registers hold beside the operands.
void MatrixMatcher::planDotTile() {
  constexpr int64_t kFewRows = 4, kMaxRows = 16;
  int64_t numRegisters = schedule.getNumVectorRegisters();
  bool isNeon = plan.dot == DotKind::NeonQuads;
  bool hasFewRows = plan.numRows < kFewRows && !plan.dynamicRows;
  plan.tileColumns = llvm::alignTo(
      std::min<int64_t>(plan.numColumns,
                        hasFewRows ? 4 * plan.dotLanes : 2 * plan.dotLanes),
      kTileSize);
  int64_t vectors = plan.tileColumns / plan.dotLanes;
  // Weights, their sums, and a product or a row of the data.
  numRegisters -= vectors * (plan.flipsData ? 2 : 1) + (isNeon ? 0 : 2);
  int64_t rows = std::clamp<int64_t>(
      numRegisters / (vectors + (isNeon ? 1 : 0)), 1, kMaxRows);
  plan.tileRows = rows;
  if (!plan.dynamicRows)
    plan.tileRows =
        llvm::divideCeil(plan.numRows, llvm::divideCeil(plan.numRows, rows));
}

LogicalResult MatrixMatcher::planPanels() {
  plan.tileRows = plan.numRows <= 16 && !plan.dynamicRows ? 16 : 32;
  plan.tileColumns = plan.numColumns <= 16 ? 16 : 32;
  if (plan.isDot())
    planDotTile();
  int64_t rows = llvm::alignTo(
      plan.numRows + (kGuessedExtent - 1) * plan.dynamicRows, plan.tileRows);
  if (plan.isMerged()) {
    plan.panelRows = rows;
    plan.numPanels = 1;
    return success();
  }
  int64_t rowBytes =
      plan.numPlanes * plan.getNumChannelBlocks() * 64 * plan.numPieces;
  int64_t cache = schedule.getTarget().getCacheSizes().l2 / 2;
  if (plan.getNumBatches() > 1) {
    int64_t fitting =
        (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) /
        plan.tileRows * plan.tileRows;
    if (plan.dynamicRows || fitting < plan.tileRows)
      return failure();
    int64_t panels = llvm::divideCeil(rows, fitting);
    plan.panelRows =
        llvm::alignTo(llvm::divideCeil(rows, panels), plan.tileRows);
    plan.numPanels =
        llvm::divideCeil(rows, plan.panelRows) * plan.getNumBatches();
    return success();
  }
  if (plan.dynamicRows) {
    // There may be few rows.
    constexpr int64_t kMaxRows = 128;
    int64_t fitting =
        (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) /
        plan.tileRows * plan.tileRows;
    int64_t wanted = llvm::alignTo(plan.reachRows, plan.tileRows);
    plan.panelRows = std::min(fitting, std::max(kMaxRows, wanted));
    if (plan.panelRows < plan.tileRows)
      return failure();
    plan.numPanels = llvm::divideCeil(rows, plan.panelRows);
    return success();
  }
  plan.panelRows = rows;
  plan.numPanels = 1;
  if ((rows + plan.reachRows) * rowBytes <= cache)
    return success();
  int64_t fitting =
      (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) /
      plan.tileRows * plan.tileRows;
  // What two panels share is split twice.
  if (fitting < plan.tileRows || fitting < plan.reachRows)
    return success();
  // Panels are what threads share.
  constexpr int64_t kMultiple = 4;
  plan.numPanels = llvm::alignTo(llvm::divideCeil(rows, fitting), kMultiple);
  plan.panelRows =
      llvm::alignTo(llvm::divideCeil(rows, plan.numPanels), plan.tileRows);
  plan.numPanels = llvm::divideCeil(rows, plan.panelRows);

  // Each panel has the weights pass by; or each column tile all of the data.
  double weightBytes = double(plan.getNumColumnTiles()) * plan.tileColumns *
                       plan.getNumChannelBlocks() * 64 * plan.numPieces;
  for (int64_t extent : plan.tapExtents)
    weightBytes *= extent;
  double dataBytes = double(rows) * rowBytes;
  bool dataStays = dataBytes <= 1.6 * cache, weightsStay = weightBytes <= cache;
  double panelTraffic =
      dataBytes + weightBytes * (weightsStay ? 1 : plan.numPanels);
  double wholeTraffic = 2 * dataBytes + weightBytes +
                        (dataStays ? 0 : dataBytes * plan.getNumColumnTiles());
  if (wholeTraffic < panelTraffic) {
    plan.panelRows = rows;
    plan.numPanels = 1;
  }
  return success();
}

/// Rows of results that count.
double MatrixMatcher::getRows() const {
  double rows = 1;
  for (const MatrixDim &dim : plan.dims)
    if (dim.kind == MatrixDim::Row)
      rows *= dim.isDynamic ? kGuessedExtent : dim.extent;
  return rows;
}

double MatrixMatcher::estimateCycles() const {
  double lanes = schedule.getTarget().getVectorBits() / 32.0;
  double steps = plan.countSteps();
  double rowTiles = double(plan.numPanels) * plan.getTilesPerPanel();
  // Tiles that have no rows are left out.
  if (plan.dynamicRows)
    rowTiles = llvm::divideCeil(
        plan.numRows + (kGuessedExtent - 1) * plan.dynamicRows, plan.tileRows);
  double tiles = rowTiles * plan.getNumColumnTiles();
  if (plan.isDot()) {
    // Two instructions start in each cycle, or not quite a product and a sum.
    double perVector = plan.dot == DotKind::Pairs ? 0.9 : 0.5;
    double vectors = double(plan.tileRows) * plan.tileColumns / plan.dotLanes;
    double groups = double(plan.getBlockChannels()) / plan.getGroupSize();
    double copied = double(plan.numPanels) * (plan.panelRows + plan.reachRows) *
                    plan.numPlanes * plan.getDepth();
    return tiles * vectors * (steps * groups * perVector + kDotTileCycles) +
           copied / lanes * kCopyCycles;
  }
  double products =
      (plan.tileRows / 16) * (plan.tileColumns / 16) * plan.numTerms;
  double productCycles = relay::estimateMatrixTiles(tiles, steps * products);
  if (plan.packsWeights)
    productCycles +=
        double(plan.getNumBatches()) * plan.getNumColumnTiles() *
        plan.tileColumns * steps * (plan.getBlockChannels() / lanes) *
        plan.numPieces / 2 *
        (relay::kSplitCycles + (isContiguous(plan.weights, plan.columnVar)
                                    ? kInterleaveCycles
                                    : kTransposeCycles));
  if (plan.isMerged())
    return productCycles + double(plan.getMergedRows()) * plan.numPlanes *
                               plan.getRowPitch() / lanes * plan.numPieces / 2 *
                               relay::kSplitCycles;
  double splits = double(plan.numPanels) * (plan.panelRows + plan.reachRows) *
                  plan.numPlanes * plan.getNumChannelBlocks() *
                  (plan.getBlockChannels() / lanes) * plan.numPieces / 2;
  return productCycles + splits * relay::kSplitCycles;
}

/// The same without matrix units.
double MatrixMatcher::estimateVectorCycles() const {
  constexpr double kEfficiency = 0.85;
  double lanes = schedule.getTarget().getVectorBits() / 32.0;
  double depth = plan.getDepth();
  for (int64_t extent : plan.tapExtents)
    depth *= extent;
  double columns = std::ceil(plan.numColumns / lanes);
  // A few rows only wait for the weights, and for each other.
  double rows = std::max(getRows(), 4.0) * plan.getNumBatches();
  double cycles = rows * columns * depth / (2 * kEfficiency);
  return plan.isInteger ? cycles * kIntegerProduct : cycles;
}

double MatrixMatcher::estimateMemoryCycles() const {
  auto getBytes = [](const BufferAccess &access) {
    double bytes = sizeof(float);
    for (int64_t size : cast<MemRefType>(access.buffer.getType()).getShape())
      bytes *= ShapedType::isDynamic(size) ? kGuessedExtent : size;
    return bytes;
  };
  // Constant weights are stored in pieces of half the bytes.
  double weights = getBytes(plan.weights);
  if (!plan.packsWeights)
    weights *= plan.numPieces / 2.0;
  double bytes = getBytes(plan.data) + getBytes(plan.out) + weights;
  const relay::CacheSizes &caches = schedule.getTarget().getCacheSizes();
  return bytes / relay::getBandwidth(bytes, caches.l2, caches.l3);
}

bool MatrixMatcher::isWorthIt() {
  if (schedule.getKernel()->hasAttr(kForceTilesAttr))
    return true;
  if (plan.isDot())
    return cycles < estimateVectorCycles();
  // A few rows take as long as the weights take to come.
  constexpr double kMinRows = 4, kMinGain = 1.2, kMinExactGain = 1.1;
  if (getRows() < kMinRows)
    return false;
  // Less is not worth the digits, which three pieces do not lose.
  return cycles * (plan.numPieces == 3 ? kMinExactGain : kMinGain) <
         estimateVectorCycles();
}
