//===- MatrixEmitter.h - Code of matrix tiles -------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_MATRIXTILES_MATRIXEMITTER_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_MATRIXTILES_MATRIXEMITTER_H

#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/Schedule/MatrixTiles.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

namespace mlir::tir {

/// Writes the code of one plan.
class MatrixEmitter {
public:
  /// `isParallel` if threads are worth it.
  MatrixEmitter(RewriterBase &rewriter, PrimFuncOp kernel, BlockNest &nest,
                const MatrixPlan &plan, bool isParallel)
      : rewriter(rewriter), kernel(kernel), nest(nest), plan(plan),
        isParallel(isParallel), loc(nest.block.getLoc()),
        context(loc.getContext()) {}

  /// Replaces the nest, and the sum over batches if there is one.
  void emit(BlockOp sumOfBatches);

private:
  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  AffineExpr dim(unsigned position) const {
    return getAffineDimExpr(position, context);
  }
  /// `expr` of `operands` as an index.
  Value apply(OpBuilder &builder, AffineExpr expr, ValueRange operands) const;
  Type getSumType() const {
    return AllocBufferOp(sums).getType().getElementType();
  }
  ForOp getOutermostLoop(BlockOp block) const {
    return block.getLoops().front();
  }
  /// A block whose variables, all spatial without `kinds`, are bound to
  /// `bindings`.
  BlockOp createBlock(OpBuilder &builder, StringRef name,
                      ArrayRef<AffineExpr> bindings,
                      ArrayRef<OpFoldResult> extents,
                      ArrayRef<AffineExpr> guards, ValueRange loops,
                      ArrayRef<IterKind> kinds = {}) const;

  BlockOp createResultBlock();
  void layOutWeights();
  SmallVector<int64_t> getPackedShape() const;
  /// Whether two groups of constant weights are in the halves of bytes.
  bool hasNibbles() const;
  /// In Packing.cpp: weights that are no constants.
  void packWeights();
  void emitPackedRows(OpBuilder &builder, ValueRange vars);
  void emitPackedColumns(OpBuilder &builder, ValueRange vars);
  Value loadWeights(OpBuilder &builder, Value flat, AffineExpr column,
                    AffineExpr channel, bool alongColumns, ValueRange operands);
  Value flattenWeights(OpBuilder &builder) const;
  bool isBatched() const { return plan.getNumBatches() > 1; }
  /// The coordinate of each batch variable, in their order.
  SmallVector<std::pair<unsigned, AffineExpr>>
  getBatchCoordinates(AffineExpr batch) const;
  /// What batches add to an index of the data.
  AffineExpr getBatchPart(const MatrixDim &index, AffineExpr batch) const;
  /// `index` with the variables of the nest replaced, others by 0.
  AffineExpr substitute(AffineExpr index,
                        ArrayRef<std::pair<unsigned, AffineExpr>> values) const;
  /// The batch of a panel, and the first row of the panel in it.
  AffineExpr getBatch(AffineExpr panel) const;
  AffineExpr getFirstRow(AffineExpr panel) const;
  /// Where the weights of the tile under construction begin.
  SmallVector<Value> getWeightsPlace() const;
  void allocatePieces();
  void emitSplit(Value panel);
  void emitMergedSplit();
  void emitMergedLine(OpBuilder &builder, ValueRange origin, Value plane,
                      Value start);
  void emitZeros(OpBuilder &builder, Value plane, Value start, int64_t count);
  void emitTiles(Value panel);
  void emitTile(Value panel, Value tileIndex);
  void emitProduct(OpBuilder &builder, Value panel, Value tileIndex,
                   Value tile);
  void emitResults(OpBuilder &builder, Value panel, Value tileIndex,
                   Value tile);
  /// In BatchSums.cpp: results that are added up.
  void emitBatchSums();
  void startBatchSum(OpBuilder &builder, ValueRange vars);
  void addToBatchSum(OpBuilder &builder, Value result, ValueRange vars);
  SmallVector<Value> getPlaceOfSum(OpBuilder &builder, ValueRange vars) const;
  /// In Split.cpp; `isHalf` if it is known to be a float of bf16.
  SmallVector<Value> splitValue(OpBuilder &builder, Value value,
                                bool isHalf = false) const;
  /// The same of weights, whose bytes stay as they are.
  SmallVector<Value> splitWeights(OpBuilder &builder, Value value) const {
    return plan.isInteger ? SmallVector<Value>{value}
                          : splitValue(builder, value);
  }
  AffineExpr getCoordinate(const MatrixDim &row, AffineExpr position) const;
  /// Of the two loops around a tile, dimensions 0 and 1: the panel, and which
  /// columns and rows of its results.
  AffineExpr getPanel() const {
    return batchSum ? dim(0).floorDiv(plan.getTilesPerPanel()) : dim(0);
  }
  AffineExpr getColumnTile() const {
    if (plan.columnsFirst)
      return dim(1) % plan.getNumColumnTiles();
    return batchSum ? dim(1) : dim(1).floorDiv(plan.getTilesPerPanel());
  }
  AffineExpr getRowTile() const {
    if (plan.columnsFirst)
      return dim(1).floorDiv(plan.getNumColumnTiles());
    return dim(batchSum ? 0 : 1) % plan.getTilesPerPanel();
  }
  /// Where a tile of a panel begins, and a row of a tile.
  AffineExpr getTileStart(AffineExpr tile) const;
  AffineExpr getRowOffset(AffineExpr row) const;
  bool isOutermostRow(const MatrixDim &row) const;
  /// Whether there is more than one panel, or may be.
  bool hasPanels() const {
    return plan.numPanels > 1 || plan.dynamicRows || isBatched();
  }
  /// How many rows there are in all.
  AffineExpr getNumRows() const;
  /// The value of an expression of the dynamic extent, if it has one.
  OpFoldResult getSize(OpBuilder &builder, AffineExpr expr) const;
  /// The sizes of a buffer of data or results.
  SmallVector<OpFoldResult> getSizes(MemRefType type) const;

  // The product of tiles.
  SmallVector<Value> reduce(OpBuilder &builder, unsigned depth,
                            ArrayRef<Value> sums);
  SmallVector<Value> multiply(OpBuilder &builder, ArrayRef<Value> sums);
  std::pair<AffineExpr, AffineExpr> getDataRow() const;
  void prefetchWeights(OpBuilder &builder);
  void repairSums(OpBuilder &builder, Value tile);
  /// The same by vectors (Dot.cpp).
  void emitDotTile(OpBuilder &builder, Value tile);
  void emitWeightSums();
  int64_t getPrefetchDistance() const;
  SmallVector<Value> multiplyDots(OpBuilder &builder, ArrayRef<Value> sums);
  Value loadDotData(OpBuilder &builder, Value group, int64_t row,
                    int64_t numGroups);
  Value createDot(OpBuilder &builder, Value sum, Value data,
                  Value weights) const;
  Value emitSum(OpBuilder &builder, Value row, Value column);

  RewriterBase &rewriter;
  mutable PrimFuncOp kernel;
  BlockNest &nest;
  const MatrixPlan &plan;
  bool isParallel;
  Location loc;
  MLIRContext *context;
  std::string name;

  /// The extent of the dynamic dimension, symbol 0 in guards.
  Value dynamicExtent;
  /// Where the results go; what it reads them from, until there is a tile.
  BlockOp resultBlock;
  /// What adds up the results of batches as they come, until there are tiles;
  /// null if nothing does.
  BlockOp batchSum;
  AllocBufferOp sums;
  /// A buffer for each piece: batch if all of them are split ahead, channel
  /// block, plane, row, channel.
  SmallVector<Value> pieces;
  /// The weights in the layout of tiles.
  Value weights;
  /// For each column of them, where sums start if they are computed ahead:
  /// at what takes the 128 back that the data has too much.
  Value starts;
  /// A tile of each piece on its way there.
  SmallVector<Value> scratch;

  // Of the product under construction.
  Value batch, columnTile, firstRow;
  /// How many rows of the data there are, and whether the weights are added up,
  /// too.
  int64_t numDotRows = 0;
  bool addsWeights = false;
  /// Where it is: the channel block, then the taps.
  SmallVector<Value> steps;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_MATRIXTILES_MATRIXEMITTER_H
