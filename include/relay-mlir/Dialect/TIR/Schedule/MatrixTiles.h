//===- MatrixTiles.h - Products on matrix units -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix units (AMX) multiply tiles of bf16. A product of f32 becomes a sum of
// products of pieces (Support/SplitFloat.h): `1` term with one piece of each
// operand, `3` with two, `6` with three, less the smallest ones.
//
// Constant weights are split and laid out in tiles ahead of time, others by the
// kernel before all else. The data is
// split by the kernel, all of it or, where it is large, a panel of rows at a
// time, into buffers of rows of 32 channels, channels padded with zeros. Bytes
// with sums of 32 bits are laid out likewise, 64 channels at a time. The
// rows of a convolution are the pixels of its input, row after row: the taps of
// the window only move the first row of a tile, and the results beside the
// image are left out when a tile is stored. Strides make planes: pixels a
// stride apart are neighbours.
//
// Where there are few channels, those of the pixels under a row of the window
// are one run of elements, which takes the place of the channels. The rows of
// a tile overlap in memory: each begins one stride of pixels after the one
// before it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_MATRIXTILES_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_MATRIXTILES_H

#include "mlir/Dialect/Transform/Utils/DiagnosedSilenceableFailure.h"
#include "mlir/IR/PatternMatch.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

namespace mlir::tir {

/// Rows and columns of one tile register, of f32.
inline constexpr int64_t kTileSize = 16;

/// Where one index of the data comes from.
struct MatrixDim {
  enum Kind { Constant, Channel, Row } kind = Constant;
  /// Row: the index is coordinate * stride + offset + taps, where the
  /// coordinate is the row variable `var`, if there is one.
  std::optional<unsigned> var;
  int64_t extent = 1, stride = 1, offset = 0;
  /// The extent is not constant; there is one such dimension at most, the
  /// outermost of the rows, and its `extent` is 1.
  bool isDynamic = false;
  /// Variables of the weights, too, with their distance: added to a constant or
  /// to the channels.
  SmallVector<std::pair<unsigned, int64_t>> batches;
  /// Window variables with their distance.
  SmallVector<std::pair<unsigned, int64_t>> taps;
  /// The taps are merged with the channels; this many pixels beside each other.
  int64_t mergedPixels = 1;
  /// Pixels in all, per plane, and planes.
  int64_t reach = 1, radix = 1, numPlanes = 1;
  /// Rows between neighbours, and planes.
  int64_t rowStride = 1, planeStride = 1;
};

/// Instructions on vectors that add up the products of neighbouring bytes in
/// lanes of 32 bits. They take the same layouts as tiles.
enum class DotKind {
  /// Matrix units.
  None,
  /// Two bytes, widened, or two of 16 bits (x86 pmaddwd).
  Pairs,
  /// Four bytes, in two steps, the first of which saturates beyond 16 bits
  /// (x86 pmaddubsw): for data without a sign and weights with one, where two
  /// products stay within: 2 * 127 * 128 with data of 0 to 127, 2 * 255 * 64
  /// with weights of -64 to 64.
  SmallQuads,
  /// Four bytes, those of one operand with a sign (AVX-VNNI, AVX512-VNNI).
  Quads,
  /// Four bytes, both with a sign or both without (NEON sdot, udot).
  NeonQuads
};

/// What is to be computed, and how it is cut up. Most follows from the block
/// (MatrixProduct); what is decided is in MatrixTileOptions.
struct MatrixPlan {
  BufferAccess data, weights, out;
  /// One for each index of the data.
  SmallVector<MatrixDim> dims;
  std::optional<unsigned> channelVar;
  unsigned columnVar = 0;
  /// Variables of data, weights and results: products beside each other, as of
  /// groups of channels.
  SmallVector<unsigned> batchVars;
  SmallVector<int64_t> batchExtents;
  /// The kernel splits and packs the weights, too.
  bool packsWeights = false;
  int64_t numChannels = 1, numColumns = 0;
  /// The window variable whose pixels are merged with the channels: the pixels
  /// of the innermost rows.
  std::optional<unsigned> mergedVar;
  int64_t numMerged = 1;
  /// Merged channels lie in the data one image of pixels after the other.
  bool isPlanar = false;
  /// Reduction variables of more than one iteration beside the channels.
  SmallVector<unsigned> taps;
  SmallVector<int64_t> tapExtents;

  int64_t numPieces = 2;
  /// Results of a tile.
  int64_t tileRows = 32, tileColumns = 32;
  /// Whether tiles begin with lines of the innermost rows: a line has whole
  /// tiles, up to what windows reach beyond it, or a tile whole lines.
  /// Otherwise a tile is a run of rows, whatever they are.
  bool alongLines = false;
  /// Whether all columns of a tile of rows come before the next rows, instead
  /// of the other way round.
  bool columnsFirst = false;
  /// Rows of results, garbage included, and how many more rows taps reach. With
  /// a dynamic dimension, each step of it adds `dynamicRows`.
  int64_t numRows = 0, reachRows = 0, dynamicRows = 0;
  int64_t numPlanes = 1;
  /// Rows of one panel, a multiple of getPanelUnit(); all if there is one. With
  /// a dynamic dimension the number of panels is a guess. Panels belong to one
  /// batch.
  int64_t panelRows = 0, numPanels = 1;

  /// Bytes in place of f32: no pieces, and exact results.
  bool isInteger = false;
  /// Integers of 16 bits in place of bytes, which only pairs take.
  bool isWide = false;
  bool isDataUnsigned = false, isWeightsUnsigned = false;
  /// The data is bytes of 0 to 127, the weights are bytes of -64 to 64 with a
  /// sign.
  bool isDataPositive = false, areWeightsSmall = false;
  /// Whether constant weights are numbers from 0 to 15.
  bool areWeightsNibbles = false;
  /// By vectors, of so many lanes.
  DotKind dot = DotKind::None;
  int64_t dotLanes = 0;

  /// Products of pieces that make up one of floats; the smallest are left out.
  int64_t getNumTerms() const { return numPieces * (numPieces + 1) / 2; }
  bool isDot() const { return dot != DotKind::None; }
  /// Whether no sum of two products is beyond 16 bits.
  bool canSumInWords() const {
    return isInteger && !isWide && !isWeightsUnsigned &&
           (isDataPositive || areWeightsSmall);
  }
  /// Whether the data is stored with the other signedness, 128 more or less.
  bool flipsData() const;
  /// Whether what the weights add up to is computed before the tiles, and not
  /// in each of them, where it takes registers and products of rows. The
  /// weights are read once more for it.
  bool sumsWeightsAhead() const;
  /// Channels that one multiplication of tiles adds up, and those that are
  /// neighbours in a tile of weights.
  int64_t getBlockChannels() const;
  int64_t getGroupSize() const {
    return isInteger && dot != DotKind::Pairs ? 4 : 2;
  }
  int64_t getNumBatches() const {
    int64_t count = 1;
    for (int64_t extent : batchExtents)
      count *= extent;
    return count;
  }
  int64_t getPanelsPerBatch() const { return numPanels / getNumBatches(); }
  bool isMerged() const { return mergedVar.has_value(); }
  /// Elements that are neighbours in the depth of tiles.
  int64_t getDepth() const { return numChannels * numMerged; }
  int64_t getNumChannelBlocks() const {
    return llvm::divideCeil(getDepth(), getBlockChannels());
  }
  /// Multiplications of tiles, of one term, for a tile of results.
  int64_t countSteps() const;
  /// The innermost dimension of rows.
  const MatrixDim &getInnermostRow() const;
  /// Elements between one row of merged data and the next, and the rows of its
  /// buffers: whole lines of the image, and what the last tile reads beyond.
  int64_t getRowPitch() const { return getInnermostRow().stride * numChannels; }
  int64_t getMergedRows() const;
  int64_t getNumColumnTiles() const {
    return llvm::divideCeil(numColumns, tileColumns);
  }
  /// What can be said against tiles along lines, and against adding up batches,
  /// if anything.
  StringRef explainNoLines() const;
  StringRef explainNoBatchSums() const;
  /// Along lines: tiles of a line, 1 where tiles have lines, and lines of a
  /// tile.
  int64_t getTilesPerLine() const {
    return llvm::divideCeil(getInnermostRow().extent, tileRows);
  }
  int64_t getLinesPerTile() const {
    return llvm::divideCeil(tileRows, getInnermostRow().extent);
  }
  /// The rows that panels are multiples of.
  int64_t getPanelUnit() const {
    return alongLines ? getLinesPerTile() * getInnermostRow().radix : tileRows;
  }
  int64_t getTilesPerPanel() const {
    return panelRows / getPanelUnit() * (alongLines ? getTilesPerLine() : 1);
  }
  /// Rows up to the end of the last tile; a guess with a dynamic dimension.
  int64_t getTiledRows() const;
};

/// Finds what there is to know of a product, step by step: each of them needs
/// those before it, and what is already decided in `plan`.
class MatrixProduct {
public:
  MatrixProduct(PrimFuncOp kernel, const BlockNest &nest)
      : kernel(kernel), nest(nest) {}

  /// A sum of products of types that there are units for.
  LogicalResult matchTypes();
  /// Takes one operand for the weights; of instructions on vectors, their kind
  /// is known.
  LogicalResult matchWeights(bool isRight);
  /// Data and result; `isMerged` if the window over the innermost pixels is
  /// merged with the channels.
  LogicalResult matchData(bool isMerged);
  /// What adds up the results of all batches, after blocks without a reduction;
  /// null if there is none.
  BlockOp findBatchSum() const;

  MatrixPlan plan;

protected:
  bool isConstant(const BufferAccess &operand) const;
  bool isBatch(unsigned var) const {
    return llvm::is_contained(plan.batchVars, var);
  }
  LogicalResult chooseWeights(bool isRight);
  LogicalResult matchWeightIndices();
  bool canPackWeights() const;
  LogicalResult matchDataIndices(bool isMerged);
  LogicalResult mergeWindow();
  LogicalResult matchResult();
  LogicalResult matchIndex(AffineExpr index, bool isLast, bool isMerged,
                           MatrixDim &dim);
  void planRows();

  PrimFuncOp kernel;
  const BlockNest &nest;
  std::optional<SumOfProducts> sum;
};

/// Whether all that is written to a buffer of the kernel is floats that bf16
/// has: made of such, or zeros around them.
bool holdsHalves(Value buffer);

/// What is decided of a product on matrix units.
struct MatrixTileOptions {
  /// Which operand is cut up as weights; the other one is the data.
  bool isRightWeights = true;
  /// Whether the window over the innermost pixels is merged with the channels.
  bool isMerged = false;
  /// bf16 of which a float is made up; 1 to 3.
  int64_t numPieces = 1;
  DotKind dot = DotKind::None;
  int64_t dotLanes = 0;
  int64_t tileRows = 0, tileColumns = 0;
  /// Whether tiles begin with lines of pixels.
  bool alongLines = false;
  /// Whether all columns of a tile of rows come before the next rows.
  bool columnsFirst = false;
  /// Whether the results of batches are added up as they come: a tile of
  /// columns has all batches pass by before the next one.
  bool addsBatches = false;
  /// Rows that are split at a time.
  int64_t panelRows = 0;
  /// Whether threads are worth it.
  bool isParallel = false;
};

/// Computes the block by matrix units, or by instructions that add up products
/// of bytes: splits and packs its operands, multiplies tiles, and takes in the
/// elementwise blocks that follow. Refuses what is no product of that kind, and
/// sizes that do not fit it.
DiagnosedSilenceableFailure tileMatrix(RewriterBase &rewriter, BlockOp block,
                                       const MatrixTileOptions &options);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_MATRIXTILES_H
