//===- MatrixTiles.cpp - Which products take matrix units -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sizes of tiles and panels, and what they cost.
//
//===----------------------------------------------------------------------===//

#include "../CPURules.h"
#include "MatrixMatcher.h"

#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/Target/IR/ByteProducts.h"
#include "relay-mlir/Dialect/Target/IR/MatrixCost.h"
#include "relay-mlir/Support/SplitFloat.h"

using namespace mlir;
using namespace mlir::tir;

/// Below this many cycles, starting threads costs more than it saves.
static constexpr double kMinParallelCycles = 16 << 10;
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
/// By vectors: cycles of the products of a group for a vector of results. Two
/// instructions start in each cycle, or not quite a product and a sum, which
/// there are two of with a step between.
static constexpr double kQuadCycles = 0.5, kPairCycles = 0.82,
                        kSmallQuadCycles = 1.32;
/// By vectors: cycles to make pairs of a vector of the weights, or to move one
/// that is read for several products.
static constexpr double kWeightCycles = 0.5;
/// By vectors: cycles from a sum to the next one, where it is part of the
/// product.
static constexpr double kQuadLatency = 5;
/// Cycles of a product of a vector of integers, in those of floats.
static constexpr double kIntegerProduct = 3;

/// By vectors: cycles of the products of a group for a tile.
static double getDotStepCycles(const MatrixPlan &plan) {
  double columns = double(plan.tileColumns) / plan.dotLanes;
  double vectors = plan.tileRows * columns;
  switch (plan.dot) {
  case DotKind::Pairs:
    return vectors * kPairCycles + columns * kWeightCycles;
  case DotKind::SmallQuads:
    return vectors * kSmallQuadCycles + columns * kWeightCycles;
  default:
    return std::max(vectors * kQuadCycles, kQuadLatency);
  }
}

/// As many results as registers hold beside the operands.
void MatrixMatcher::planDotTile() {
  constexpr int64_t kFewRows = 4, kMaxRows = 16;
  int64_t numRegisters = getCPU(schedule).getNumVectorRegisters();
  bool isNeon = plan.dot == DotKind::NeonQuads;
  bool hasFewRows = plan.numRows < kFewRows && !plan.dynamicRows;
  // One vector of columns reads weights in the order in which they lie, which
  // counts where they come from memory; several do not wait for each other, nor
  // for what becomes of short sums, if all rows have place beside them.
  constexpr int64_t kMinFarDepth = 32, kMaxVectors = 4;
  int64_t depth = plan.countSteps() * plan.getBlockChannels();
  int64_t weightBytes = plan.getNumBatches() * plan.numColumns * depth;
  // Other weights of a network take its place meanwhile.
  bool isFar = weightBytes > getCPU(schedule).getCacheSizes().l2 / 4 &&
               depth >= kMinFarDepth;
  bool hasPlace = (plan.numRows + 1) * kMaxVectors + 2 <= numRegisters;
  int64_t numVectors = !hasFewRows ? 2 : isFar ? 1 : hasPlace ? kMaxVectors : 2;
  plan.tileColumns = llvm::alignTo(
      std::min<int64_t>(plan.numColumns, numVectors * plan.dotLanes),
      kTileSize);
  int64_t vectors = plan.tileColumns / plan.dotLanes;
  // Weights, their sums, and a product or a row of the data.
  numRegisters -=
      vectors * (plan.flipsData() && !plan.sumsWeightsAhead() ? 2 : 1) +
      (isNeon ? 0 : 2);
  plan.tileRows = std::clamp<int64_t>(
      numRegisters / (vectors + (isNeon ? 1 : 0)), 1, kMaxRows);
}

LogicalResult MatrixMatcher::planTiles() {
  plan.tileRows = plan.numRows <= 16 && !plan.dynamicRows ? 16 : 32;
  plan.tileColumns = plan.numColumns <= 16 ? 16 : 32;
  if (!plan.isDot())
    return planPanels();
  planDotTile();
  if (plan.dynamicRows)
    return planPanels();
  // Tiles of equal height leave few rows over at the end of all rows; at the
  // end of each panel, or along lines, others may leave fewer. What they gain
  // must make up for weights that pass by more often.
  constexpr double kMinGain = 1.04;
  int64_t most = plan.tileRows;
  int64_t equal =
      llvm::divideCeil(plan.numRows, llvm::divideCeil(plan.numRows, most));
  MatrixPlan common = plan;
  std::optional<MatrixPlan> best;
  double bestCycles = 0;
  for (int64_t rows = most; rows != 0; --rows)
    for (bool alongLines : {false, true}) {
      plan = common;
      plan.tileRows = rows;
      plan.alongLines = alongLines;
      if ((alongLines && !plan.explainNoLines().empty()) ||
          failed(planPanels()))
        continue;
      bool isUsual = rows == (alongLines ? most : equal);
      double cycles = double(plan.numPanels) * plan.getTilesPerPanel() *
                      getDotStepCycles(plan) * (isUsual ? 1 : kMinGain);
      if (best && cycles >= bestCycles)
        continue;
      best = plan;
      bestCycles = cycles;
    }
  if (!best)
    return failure();
  plan = *best;
  return success();
}

/// Bytes of the weights in the layout of tiles.
static double countPackedBytes(const MatrixPlan &plan) {
  double bytes = double(plan.getNumColumnTiles()) * plan.tileColumns *
                 plan.getNumChannelBlocks() * 64 * plan.numPieces;
  for (int64_t extent : plan.tapExtents)
    bytes *= extent;
  // Pairs are made of bytes in registers.
  return plan.dot == DotKind::Pairs && !plan.isWide ? bytes / 2 : bytes;
}

LogicalResult MatrixMatcher::planPanels() {
  int64_t rows = plan.getTiledRows(), unit = plan.getPanelUnit();
  if (plan.isMerged()) {
    plan.panelRows = rows;
    plan.numPanels = 1;
    return success();
  }
  int64_t rowBytes =
      plan.numPlanes * plan.getNumChannelBlocks() * 64 * plan.numPieces;
  int64_t cache = getCPU(schedule).getCacheSizes().l2 / 2;
  if (plan.getNumBatches() > 1) {
    int64_t fitting =
        (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) / unit *
        unit;
    if (plan.dynamicRows || fitting < unit)
      return failure();
    int64_t panels = llvm::divideCeil(rows, fitting);
    plan.panelRows = llvm::alignTo(llvm::divideCeil(rows, panels), unit);
    plan.numPanels =
        llvm::divideCeil(rows, plan.panelRows) * plan.getNumBatches();
    return success();
  }
  if (plan.dynamicRows) {
    // There may be few rows.
    constexpr int64_t kMaxRows = 128;
    int64_t fitting =
        (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) / unit *
        unit;
    int64_t wanted = llvm::alignTo(std::max(plan.reachRows, kMaxRows), unit);
    plan.panelRows = std::min(fitting, wanted);
    if (plan.panelRows < unit)
      return failure();
    plan.numPanels = llvm::divideCeil(rows, plan.panelRows);
    return success();
  }
  plan.panelRows = rows;
  plan.numPanels = 1;
  if ((rows + plan.reachRows) * rowBytes <= cache)
    return success();
  int64_t fitting =
      (std::min(cache, kMaxPanelBytes) / rowBytes - plan.reachRows) / unit *
      unit;
  // What two panels share is split twice.
  if (fitting < unit || fitting < plan.reachRows)
    return success();
  // Panels are what threads share.
  constexpr int64_t kMultiple = 4;
  plan.numPanels = llvm::alignTo(llvm::divideCeil(rows, fitting), kMultiple);
  plan.panelRows = llvm::alignTo(llvm::divideCeil(rows, plan.numPanels), unit);
  plan.numPanels = llvm::divideCeil(rows, plan.panelRows);

  // Each panel has the weights pass by; or each column tile all of the data.
  double weightBytes = countPackedBytes(plan);
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
  double lanes = getCPU(schedule).getVectorBits() / 32.0;
  double steps = plan.countSteps();
  double rowTiles = double(plan.numPanels) * plan.getTilesPerPanel();
  // Tiles that have no rows are left out.
  if (plan.dynamicRows)
    rowTiles = double(plan.getTiledRows()) / double(plan.panelRows) *
               plan.getTilesPerPanel();
  double tiles = rowTiles * plan.getNumColumnTiles();
  if (plan.isDot()) {
    double vectors = double(plan.tileRows) * plan.tileColumns / plan.dotLanes;
    double groups = double(plan.getBlockChannels()) / plan.getGroupSize();
    double copied = double(plan.numPanels) * (plan.panelRows + plan.reachRows) *
                    plan.numPlanes * plan.getDepth();
    return tiles * (steps * groups * getDotStepCycles(plan) +
                    vectors * kDotTileCycles) +
           copied / lanes * kCopyCycles;
  }
  double products =
      (plan.tileRows / 16) * (plan.tileColumns / 16) * plan.getNumTerms();
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
  double lanes = getCPU(schedule).getVectorBits() / 32.0;
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
  const relay::CacheSizes &caches = getCPU(schedule).getCacheSizes();
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

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

/// Completes the plan in each way there is, and keeps the best.
void MatrixMatcher::findBest(const MatrixPlan &common, bool isRight) {
  for (bool isMerged : {false, true}) {
    MatrixPlan known = plan;
    bool isKnown = cycles != 0;
    plan = common;
    bool isPossible = succeeded(matchData(isMerged)) && succeeded(planTiles());
    double estimate = isPossible ? estimateCycles() : 0;
    // Merged data is not divided into panels: only for fewer products.
    bool isBetter =
        isPossible && (!isKnown || (estimate < cycles &&
                                    plan.countSteps() < known.countSteps()));
    if (isBetter) {
      cycles = estimate;
      isRightWeights = isRight;
    } else {
      plan = known;
    }
  }
}

LogicalResult MatrixMatcher::match() {
  if (failed(matchTypes()))
    return failure();
  const relay::CPUInfo &target = getCPU(schedule);
  bool hasTiles = target.hasTiles(!plan.isInteger) && !plan.isWide;
  bool isForced = kernel->hasAttr(kForceTilesAttr);
  if (plan.isInteger && hasTiles && hasQuadProducts(target) && !isForced) {
    // Units have one batch after the other, and take as long for a few rows as
    // for sixteen.
    MatrixPlan common = plan;
    plan.numPieces = 1;
    chooseDot();
    if (succeeded(matchOperands()) && addsUpBatches())
      return success();
    plan = common;
    cycles = 0;
  }
  if (plan.isInteger && !hasTiles)
    chooseDot();
  if (!hasTiles && !plan.isDot())
    return failure();
  plan.numPieces = plan.isInteger ? 1 : choosePieces();
  return matchOperands();
}

/// Whether a sum over the batches comes next, to which tiles may add theirs.
bool MatrixMatcher::addsUpBatches() const {
  return plan.explainNoBatchSums().empty() && findBatchSum();
}

/// Takes either operand for the weights.
LogicalResult MatrixMatcher::matchOperands() {
  MatrixPlan common = plan;
  for (bool isRight : {true, false}) {
    MatrixPlan known = plan;
    plan = common;
    bool isPossible = succeeded(matchWeights(isRight));
    if (plan.dot == DotKind::Pairs && plan.canSumInWords())
      plan.dot = DotKind::SmallQuads;
    MatrixPlan chosen = plan;
    plan = known;
    if (isPossible)
      findBest(chosen, isRight);
  }
  return success(cycles != 0);
}

/// As many pieces of an operand as the precision asks for. What is
/// forced here for tests is so whatever the depth.
int64_t MatrixMatcher::choosePieces() {
  int64_t depth = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    depth *= nest.guessExtent(var);
  bool isShort =
      depth < relay::kMinSplitDepth && !kernel->hasAttr(kForceTilesAttr);
  switch (relay::getPrecision(kernel)) {
  case relay::Precision::Highest:
    return 3;
  case relay::Precision::High:
    return isShort ? 3 : 2;
  case relay::Precision::Medium:
    return 1;
  }
  llvm_unreachable("unknown precision");
}

/// What the target has for products of bytes on vectors.
void MatrixMatcher::chooseDot() {
  const relay::CPUInfo &target = getCPU(schedule);
  plan.dotLanes = target.getVectorBits() / 32;
  if (relay::hasQuadProducts(target) && !plan.isWide)
    plan.dot = target.isAArch64() ? DotKind::NeonQuads : DotKind::Quads;
  else if (relay::hasPairProducts(target))
    plan.dot = DotKind::Pairs;
}

MatrixTileOptions MatrixMatcher::getOptions() const {
  MatrixTileOptions options;
  options.isRightWeights = isRightWeights;
  options.isMerged = plan.isMerged();
  options.numPieces = plan.numPieces;
  options.dot = plan.dot;
  options.dotLanes = plan.dotLanes;
  options.tileRows = plan.tileRows;
  options.tileColumns = plan.tileColumns;
  options.alongLines = plan.alongLines;
  // Weights that stay near may come again for each tile of rows.
  options.columnsFirst =
      !plan.isDot() && plan.getNumColumnTiles() > 1 &&
      countPackedBytes(plan) <= getCPU(schedule).getCacheSizes().l2 / 4;
  options.addsBatches = addsUpBatches();
  options.panelRows = plan.panelRows;
  options.isParallel = cycles >= kMinParallelCycles;
  return options;
}

static std::string describePlan(const MatrixPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << plan.tileRows << " x " << plan.tileColumns;
  if (plan.isDot())
    os << " results of i32 in vectors, sums of products of "
       << plan.getGroupSize() << (plan.isWide ? " i16" : " bytes");
  else if (plan.isInteger)
    os << " results of i32 in AMX tiles (tdpb"
       << (plan.isDataUnsigned ? 'u' : 's')
       << (plan.isWeightsUnsigned ? 'u' : 's') << "d)";
  else
    os << " results of f32 in AMX tiles (tdpbf16ps), terms of bf16: "
       << plan.getNumTerms();
  if (plan.alongLines)
    os << ", along lines";
  if (plan.isMerged())
    os << "; channels of " << plan.numMerged
       << " pixels are neighbours in a tile";
  os << "; data is split in panels: ";
  if (plan.dynamicRows)
    os << "as many as there are";
  else
    os << plan.numPanels;
  os << " of " << plan.panelRows << " rows";
  return text;
}

bool mlir::tir::isWideningForTiles(const BlockNest &nest) {
  const BufferAccess *store = nest.getStore();
  auto cpu = dyn_cast_or_null<relay::CPUAttr>(
      relay::lookupTarget(nest.block->getParentOfType<PrimFuncOp>()));
  if (!cpu || !cpu.getInfo().hasTiles() || !store || !store->map ||
      nest.isReduction() || !holdsHalves(store->buffer))
    return false;
  BlockOp reader = getOnlyReader(store->buffer);
  FailureOr<BlockNest> product = failure();
  if (reader)
    product = BlockNest::get(reader);
  return succeeded(product) && matchSumOfProducts(*product);
}

LogicalResult mlir::tir::scheduleMatrixTiles(KernelSchedule &schedule,
                                             BlockNest nest) {
  MatrixMatcher matcher(schedule, nest);
  if (failed(matcher.match()))
    return failure();
  std::string name = nest.block.getName().str();
  if (!matcher.isWorthIt()) {
    schedule.remarkMissed(
        "tile", "@" + Twine(name) +
                    ": vectors are estimated to be faster "
                    "than " +
                    (matcher.plan.isDot() ? "dot products" : "AMX tiles"));
    return failure();
  }
  const MatrixPlan &plan = matcher.plan;
  MatrixTileOptions options = matcher.getOptions();
  if (failed(schedule.tileMatrix(nest.block, options)))
    return failure();
  schedule.remark(
      "tile",
      "@" + Twine(name) + ": " + describePlan(plan) +
          (options.addsBatches ? "; results of batches are added up" : ""));
  if (!options.isParallel)
    return success();
  bool sharesPanels = plan.numPanels > 1 && !options.addsBatches;
  int64_t shares = plan.getNumColumnTiles();
  if (sharesPanels)
    shares = plan.numPanels;
  else if (!options.addsBatches)
    shares *= plan.getTilesPerPanel();
  schedule.remark("parallel", "@" + Twine(name) + ": " + Twine(shares) +
                                  (sharesPanels ? " panels" : " tiles"));
  return success();
}
