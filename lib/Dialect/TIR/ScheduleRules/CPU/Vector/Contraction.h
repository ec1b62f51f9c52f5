//===- Contraction.h - Schedules sums of products ---------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_CONTRACTION_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_CONTRACTION_H

#include "../CPURules.h"
#include "TilePlan.h"

namespace mlir::tir {

enum class Role { Batch, Row, Column, Reduce };

enum class Packing {
  None,
  /// The layout of a constant argument changes.
  Layout,
  /// The kernel copies the operand first,
  Copy,
  /// or the columns of one tile before the rows go through them.
  CopyColumns,
  /// The kernel makes the columns from constants, those of one tile for a part
  /// of the reduction before the rows go through them.
  MakeColumns
};

/// What is walked through again and again inside.
enum class LoopOrder {
  /// The rows, once for each tile of columns.
  ColumnsOutside,
  /// The columns, once for each tile of rows.
  RowsOutside,
  /// As many rows as stay in the second cache, once for each tile of columns.
  RowBlocks
};

class Contraction {
public:
  Contraction(KernelSchedule &schedule, BlockNest nest)
      : schedule(schedule), nest(std::move(nest)) {}

  LogicalResult match();
  /// Before `apply`; returns whether there is something else to match now.
  bool gatherGroups();
  void apply();

private:
  LogicalResult matchBody();
  /// Tells people why a sum of products is left to other rules.
  void remarkDeclined(const Twine &reason);
  SmallVector<unsigned> getOwnVars(const BufferAccess &operand,
                                   const BufferAccess &other) const;
  bool isReadOnceAlongRows(const BufferAccess &operand,
                           const BufferAccess &other) const;
  bool waitsTransposed(const BufferAccess &operand, const BufferAccess &other,
                       unsigned var) const;
  bool isWorthNarrowColumns(bool isRight, unsigned var) const;
  LogicalResult chooseColumns();
  void chooseRows();
  void chooseImages();
  void choosePlan();
  void chooseReductionOrder();
  AffineMap getPackedLayout(const BufferAccess &operand, unsigned var,
                            int64_t size, bool splitsReduction) const;
  int64_t getGroupSize(AffineExpr index, unsigned var, int64_t size) const;
  bool canPack(const BufferAccess &operand, unsigned var, int64_t size) const;
  bool paysToCopyColumns(int64_t width) const;
  bool canCopyInLoop(int64_t width) const;
  BlockOp copyOperand(const BufferAccess &operand);
  void layOutCopy(BlockOp copy, const BufferAccess &operand, unsigned var,
                  int64_t size);
  void placeColumnCopy(ForOp loop);
  bool canMakeColumns(const BufferAccess &operand, unsigned var) const;
  int64_t getMadePart(const BufferAccess &operand, int64_t width) const;
  void chooseMadePart();
  void placeMaker(ForOp loop);
  void placeRowCopy(ForOp loop);
  bool canCopyRowsInLoop() const;
  void packColumns();
  void packRows();
  void choosePartialSums();
  void chooseReductionBlocks();
  int64_t getNumStreams() const;
  SmallVector<int64_t> guessExtents() const;
  double getBytes(const BufferAccess &operand, ArrayRef<int64_t> extents,
                  llvm::function_ref<bool(unsigned)> isWalked) const;
  double getBytesOf(const BufferAccess &operand, Role role,
                    ArrayRef<int64_t> extents) const;
  double getBytesOf(const BufferAccess &operand, Role role) const {
    return getBytesOf(operand, role, guessExtents());
  }
  double getNumIterations(Role role) const;
  std::optional<int64_t> getRowExtent(unsigned var) const;
  LoopOrder chooseLoopOrder(double rowBytes, double columnBytes) const;

  KernelSchedule &schedule;
  BlockNest nest;
  BufferAccess left, right, out;
  SmallVector<Role> roles;
  Packing packing = Packing::None;
  /// With `CopyColumns`, the block that copies.
  BlockOp columnCopy;
  /// The block that copies the rows of a block and a part of the reduction, if
  /// that is done in the loops.
  BlockOp rowCopy;
  unsigned column = 0;
  /// The row variables of the tile, innermost last; at most two.
  SmallVector<unsigned> rows;
  /// If rows are those of an unknown number of images, and many of each: an
  /// image goes through the columns by itself, as it would alone. What is
  /// guessed of row variables is what one image has.
  bool hasImages = false;
  TilePlan plan;
  int64_t lanes = 1;
  /// Reduction variables in loop order.
  SmallVector<unsigned> reduction;
  /// The innermost reduction variable runs in parts of this size, if not 0,
  /// outside of the others,
  int64_t reductionPart = 0;
  /// and outside of the outer row loops, too: partial sums are stored.
  bool storesPartialSums = false;
  /// Or outside of all columns, for a block of rows.
  bool blocksReduction = false;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULERULES_CPU_VECTOR_CONTRACTION_H
