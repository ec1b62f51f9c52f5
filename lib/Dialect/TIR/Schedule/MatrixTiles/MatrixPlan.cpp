//===- MatrixPlan.cpp - Sizes of products on matrix units -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tir;

int64_t MatrixPlan::getBlockChannels() const {
  int64_t largest = getGroupSize() * kTileSize;
  if (!isDot() || packsWeights)
    return largest;
  // Vectors need no more than whole groups.
  int64_t multiple = dot == DotKind::NeonQuads ? 16 : getGroupSize();
  int64_t numBlocks = llvm::divideCeil(getDepth(), largest);
  return llvm::alignTo(llvm::divideCeil(getDepth(), numBlocks), multiple);
}

bool MatrixPlan::flipsData() const {
  // Bytes of 0 to 127 are the same numbers with a sign and without one.
  if (isDataPositive)
    return false;
  bool hasSameSigns = isDataUnsigned == isWeightsUnsigned;
  switch (dot) {
  case DotKind::Quads:
    return hasSameSigns;
  case DotKind::NeonQuads:
    return !hasSameSigns;
  case DotKind::SmallQuads:
    return !isDataUnsigned;
  case DotKind::None:
  case DotKind::Pairs:
    return false;
  }
  llvm_unreachable("unknown instruction");
}

bool MatrixPlan::sumsWeightsAhead() const {
  if (!flipsData())
    return false;
  // Where the sum of each tile is one product of many, weights that come from
  // far are not to come twice.
  constexpr int64_t kMinRows = 64;
  int64_t least = dot == DotKind::SmallQuads ? 2 : kMinRows;
  return dynamicRows || numRows >= least;
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

int64_t MatrixPlan::getTiledRows() const {
  return llvm::alignTo(numRows + (kGuessedExtent - 1) * dynamicRows,
                       getPanelUnit());
}

StringRef MatrixPlan::explainNoLines() const {
  if (!isDot())
    return "matrix units take runs of rows";
  if (isMerged())
    return "pixels are merged with channels";
  const MatrixDim *outermost = llvm::find_if(
      dims, [](const MatrixDim &dim) { return dim.kind == MatrixDim::Row; });
  if (outermost == dims.end() || outermost == &getInnermostRow())
    return "there is one line only";
  const MatrixDim &line = getInnermostRow();
  if (line.radix == line.extent)
    return "there is nothing between lines";
  if (tileRows < line.extent ? getTilesPerLine() * tileRows > line.radix
                             : tileRows % line.extent != 0)
    return "neither does a line have whole tiles, nor a tile whole lines";
  return {};
}

StringRef MatrixPlan::explainNoBatchSums() const {
  if (!isDot())
    return "matrix units take one batch after the other";
  if (getNumBatches() == 1)
    return "there is one batch only";
  if (batchVars.size() != 1 || isMerged() || packsWeights)
    return "batches are no single variable beside constant weights";
  if (dynamicRows || getPanelsPerBatch() != 1)
    return "the rows of a batch are several panels";
  return {};
}

void MatrixProduct::planRows() {
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

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

/// What is wrong with the sizes of tiles, if anything.
static std::string explainTile(const MatrixTileOptions &options,
                               const MatrixPlan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t rows = options.tileRows, columns = options.tileColumns;
  constexpr int64_t kMaxRows = 16, kMaxVectors = 16;
  if (!plan.isDot()) {
    auto isUnfit = [](int64_t size) {
      return size != kTileSize && size != 2 * kTileSize;
    };
    if (isUnfit(rows) || isUnfit(columns))
      os << "expects tiles of " << kTileSize << " or " << 2 * kTileSize
         << " rows and columns, but got " << rows << " and " << columns;
    return text;
  }
  if (rows < 1 || rows > kMaxRows)
    os << "expects tiles of 1 to " << kMaxRows << " rows, but got " << rows;
  else if (columns < 1 || columns % kTileSize != 0 ||
           columns % plan.dotLanes != 0 ||
           columns > kMaxVectors * plan.dotLanes)
    os << "expects tiles of a multiple of " << kTileSize << " and of "
       << plan.dotLanes << " columns, at most " << kMaxVectors * plan.dotLanes
       << ", but got " << columns;
  return text;
}

/// Rows of a panel where nobody knows how many there are.
static constexpr int64_t kMaxDynamicPanel = 1 << 14;

/// Takes over the sizes of tiles and panels, or says what is wrong with them.
static std::string takeSizes(const MatrixTileOptions &options,
                             MatrixPlan &plan) {
  std::string text = explainTile(options, plan);
  if (!text.empty())
    return text;
  llvm::raw_string_ostream os(text);
  plan.tileRows = options.tileRows;
  plan.tileColumns = options.tileColumns;
  plan.alongLines = options.alongLines;
  plan.columnsFirst = options.columnsFirst;
  plan.panelRows = options.panelRows;
  if (StringRef why = plan.explainNoLines(); plan.alongLines && !why.empty()) {
    os << "expects tiles that can be along lines, but " << why;
    return text;
  }
  int64_t rows = plan.getTiledRows();
  if (plan.panelRows < 1 || plan.panelRows % plan.getPanelUnit() != 0)
    os << "expects panels of a multiple of " << plan.getPanelUnit()
       << " rows, but got " << plan.panelRows;
  else if (plan.panelRows > (plan.dynamicRows ? kMaxDynamicPanel : rows))
    os << "expects panels of at most "
       << (plan.dynamicRows ? kMaxDynamicPanel : rows) << " rows, but got "
       << plan.panelRows;
  else if (plan.isMerged() && plan.panelRows != rows)
    os << "expects one panel of all " << rows << " rows, but got panels of "
       << plan.panelRows;
  else if (plan.getNumBatches() > 1 && plan.dynamicRows)
    os << "expects a constant number of rows beside batches";
  if (!text.empty())
    return text;
  plan.numPanels =
      llvm::divideCeil(rows, plan.panelRows) * plan.getNumBatches();
  if (StringRef why = plan.explainNoBatchSums();
      options.addsBatches && !why.empty())
    os << "expects batches that can be added up, but " << why;
  return text;
}

/// Adds to the features that the kernel uses.
static void addFeatures(PrimFuncOp kernel, ArrayRef<StringRef> features) {
  llvm::SetVector<StringRef> used;
  if (auto known = kernel->getAttrOfType<StringAttr>(kFeaturesAttr)) {
    SmallVector<StringRef> names;
    known.getValue().split(names, ',');
    used.insert_range(names);
  }
  used.insert_range(features);
  kernel->setAttr(kFeaturesAttr,
                  StringAttr::get(kernel.getContext(), llvm::join(used, ",")));
}

DiagnosedSilenceableFailure
mlir::tir::tileMatrix(RewriterBase &rewriter, BlockOp block,
                      const MatrixTileOptions &options) {
  FailureOr<BlockNest> nest = BlockNest::get(block);
  if (failed(nest))
    return refuse(block)
           << "expects block @" << block.getName()
           << " to have a loop for each variable, and nothing else in "
              "them";
  auto kernel = block->getParentOfType<PrimFuncOp>();
  MatrixProduct product(kernel, *nest);
  MatrixPlan &plan = product.plan;
  plan.dot = options.dot;
  plan.dotLanes = options.dotLanes;
  plan.numPieces = options.numPieces;
  if (failed(product.matchTypes()))
    return refuse(block)
           << "expects block @" << block.getName()
           << " to add up products of f32, or of bytes in i32, from "
              "zero on";
  if (plan.isDot() && !plan.isInteger)
    return refuse(block)
           << "expects products of bytes for instructions on vectors, "
              "but got f32";
  if (plan.isWide && plan.dot != DotKind::Pairs)
    return refuse(block) << "expects products of bytes, or of i16 in pairs";
  if (plan.isInteger && plan.numPieces != 1)
    return refuse(block) << "expects one piece of a byte, but got "
                         << plan.numPieces;
  StringRef side = options.isRightWeights ? "right" : "left";
  if (failed(product.matchWeights(options.isRightWeights)))
    return refuse(block)
           << "expects the " << side
           << " operand to have one variable of columns, those of the "
              "reduction and of batches, each by itself";
  if (plan.dot == DotKind::SmallQuads && !plan.canSumInWords())
    return refuse(block)
           << "expects weights with a sign, and data of bytes that are 0 to "
              "127 or weights that are -64 to 64 in every call, for pmaddubsw";
  if (failed(product.matchData(options.isMerged)))
    return refuse(block)
           << "expects rows, taps"
           << (options.isMerged ? " that are merged" : "")
           << " and channels in the indices of the operand beside the " << side
           << " one, and rows and columns in those of the sum";
  if (std::string reason = takeSizes(options, plan); !reason.empty())
    return refuse(block) << reason;
  BlockOp batchSum = options.addsBatches ? product.findBatchSum() : BlockOp();
  if (options.addsBatches && !batchSum)
    return refuse(block) << "expects a sum over the batches after block @"
                         << block.getName();
  MatrixEmitter(rewriter, kernel, *nest, plan, options.isParallel)
      .emit(batchSum);
  if (!plan.isDot())
    addFeatures(kernel, {"amx-tile", plan.isInteger ? "amx-int8" : "amx-bf16"});
  return DiagnosedSilenceableFailure::success();
}
