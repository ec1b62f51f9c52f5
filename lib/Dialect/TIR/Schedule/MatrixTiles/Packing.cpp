//===- Packing.cpp - Weights that are no constants ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel splits the weights and brings them in the layout of tiles: pairs
// of channels (four of bytes), each with 16 columns.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"
#include "relay-mlir/Dialect/TIR/Schedule/VectorTranspose.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

static constexpr int64_t kLanes = 16;

static Value getIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value MatrixEmitter::flattenWeights(OpBuilder &builder) const {
  auto type = cast<MemRefType>(plan.weights.buffer.getType());
  if (type.getRank() == 1)
    return plan.weights.buffer;
  SmallVector<ReassociationIndices> all(1);
  for (int64_t index = 0; index != type.getRank(); ++index)
    all.front().push_back(index);
  return memref::CollapseShapeOp::create(builder, loc, plan.weights.buffer,
                                         all);
}

/// Loads 16 weights along the columns or the channels, zeros beyond the last.
/// The variables of the block come first in `operands`: batch, column tile,
/// channel block, taps.
Value MatrixEmitter::loadWeights(OpBuilder &builder, Value flat,
                                 AffineExpr column, AffineExpr channel,
                                 bool alongColumns, ValueRange operands) {
  auto memref = cast<MemRefType>(plan.weights.buffer.getType());
  auto type = VectorType::get(kLanes, memref.getElementType());
  SmallVector<std::pair<unsigned, AffineExpr>> values = {
      {plan.columnVar, column}};
  if (plan.channelVar)
    values.push_back({*plan.channelVar, channel});
  for (auto [i, tap] : llvm::enumerate(plan.taps))
    values.push_back({tap, dim(3 + i)});
  llvm::append_range(values, getBatchCoordinates(dim(0)));
  AffineExpr element = constant(0);
  for (auto [index, size] :
       llvm::zip_equal(plan.weights.map->getResults(), memref.getShape()))
    element = element * size + substitute(index, values);
  Value place = apply(builder, element, operands);

  bool hasColumns = plan.numColumns % plan.tileColumns == 0;
  bool hasChannels = plan.numChannels % plan.getBlockChannels() == 0;
  if (hasColumns && hasChannels)
    return vector::LoadOp::create(builder, loc, type, flat, place);
  AffineExpr columnsLeft = constant(plan.numColumns) - column;
  AffineExpr channelsLeft = constant(plan.numChannels) - channel;
  Value count =
      apply(builder, alongColumns ? columnsLeft : channelsLeft, operands);
  Value zero = getIndex(builder, loc, 0);
  Value others =
      apply(builder, alongColumns ? channelsLeft : columnsLeft, operands);
  Value hasAny = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       others, zero);
  count = arith::SelectOp::create(builder, loc, hasAny, count, zero);
  Value mask = vector::CreateMaskOp::create(
      builder, loc, VectorType::get(kLanes, builder.getI1Type()), count);
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, flat, place, mask,
                                      zeros);
}

/// Columns are beside each other: rows of channels take turns.
void MatrixEmitter::emitPackedRows(OpBuilder &builder, ValueRange vars) {
  Value flat = flattenWeights(builder);
  int64_t group = plan.getGroupSize();
  int64_t numGroups = plan.getBlockChannels() / group;
  auto loop = scf::ForOp::create(builder, loc, getIndex(builder, loc, 0),
                                 getIndex(builder, loc, numGroups),
                                 getIndex(builder, loc, 1));
  OpBuilder body(loop.getBody()->getTerminator());
  SmallVector<Value> operands(vars);
  operands.push_back(loop.getInductionVar());
  AffineExpr member = dim(vars.size());
  for (int64_t half = 0; half != plan.tileColumns / kTileSize; ++half) {
    SmallVector<SmallVector<Value>> rows(plan.numPieces);
    for (int64_t i = 0; i != group; ++i) {
      Value value =
          loadWeights(body, flat, dim(1) * plan.tileColumns + half * kTileSize,
                      dim(2) * plan.getBlockChannels() + member * group + i,
                      /*alongColumns=*/true, operands);
      for (auto [piece, bits] : llvm::enumerate(splitWeights(body, value)))
        rows[piece].push_back(bits);
    }
    for (auto [piece, values] : llvm::enumerate(rows)) {
      SmallVector<Value> place(vars.drop_front(isBatched() ? 0 : 1));
      llvm::append_range(
          place, ArrayRef{getIndex(body, loc, piece), getIndex(body, loc, half),
                          Value(loop.getInductionVar()), Value()});
      for (auto [i, vector] :
           llvm::enumerate(interleaveVectors(body, loc, values))) {
        place.back() = getIndex(body, loc, i * kLanes);
        vector::StoreOp::create(body, loc, vector, weights, place);
      }
    }
  }
}

/// Channels are beside each other: the groups of 16 columns are transposed.
void MatrixEmitter::emitPackedColumns(OpBuilder &builder, ValueRange vars) {
  Value flat = flattenWeights(builder);
  Type element = cast<MemRefType>(weights.getType()).getElementType();
  auto rowType = VectorType::get(plan.getBlockChannels(), element);
  auto groupType = VectorType::get(kTileSize, builder.getI32Type());
  for (int64_t half = 0; half != plan.tileColumns / kTileSize; ++half) {
    auto loop = scf::ForOp::create(builder, loc, getIndex(builder, loc, 0),
                                   getIndex(builder, loc, kTileSize),
                                   getIndex(builder, loc, 1));
    OpBuilder body(loop.getBody()->getTerminator());
    SmallVector<Value> operands(vars);
    operands.push_back(loop.getInductionVar());
    AffineExpr column =
        dim(1) * plan.tileColumns + half * kTileSize + dim(vars.size());
    for (int64_t i = 0; i != plan.getBlockChannels(); i += kLanes) {
      Value value =
          loadWeights(body, flat, column, dim(2) * plan.getBlockChannels() + i,
                      /*alongColumns=*/false, operands);
      for (auto [bits, buffer] :
           llvm::zip_equal(splitWeights(body, value), scratch))
        vector::StoreOp::create(
            body, loc, bits, buffer,
            ValueRange{loop.getInductionVar(), getIndex(body, loc, i)});
    }
    for (auto [piece, buffer] : llvm::enumerate(scratch)) {
      SmallVector<Value> rows;
      Value zero = getIndex(builder, loc, 0);
      for (int64_t i = 0; i != kTileSize; ++i) {
        Value row =
            vector::LoadOp::create(builder, loc, rowType, buffer,
                                   ValueRange{getIndex(builder, loc, i), zero});
        rows.push_back(vector::BitCastOp::create(builder, loc, groupType, row));
      }
      SmallVector<Value> place(vars.drop_front(isBatched() ? 0 : 1));
      llvm::append_range(place,
                         ArrayRef{getIndex(builder, loc, piece),
                                  getIndex(builder, loc, half), Value(), zero});
      for (auto [i, groups] :
           llvm::enumerate(transposeVectors(builder, loc, rows))) {
        place[place.size() - 2] = getIndex(builder, loc, i);
        Value row = vector::BitCastOp::create(builder, loc, rowType, groups);
        vector::StoreOp::create(builder, loc, row, weights, place);
      }
    }
  }
}

void MatrixEmitter::packWeights() {
  OpBuilder::InsertionGuard insertion(rewriter);
  auto original = cast<MemRefType>(plan.weights.buffer.getType());
  Type element =
      plan.isInteger ? original.getElementType() : rewriter.getI16Type();
  weights = AllocBufferOp::create(rewriter, loc,
                                  MemRefType::get(getPackedShape(), element))
                .getBuffer();
  int64_t numTaps = 1;
  for (int64_t extent : plan.tapExtents)
    numTaps *= extent;
  SmallVector<ForOp> loops =
      buildLoops(rewriter, loc,
                 getAsIndexOpFoldResult(
                     context, {plan.getNumBatches() * plan.getNumColumnTiles(),
                               plan.getNumChannelBlocks() * numTaps}));
  if (isParallel)
    loops.front().setKind(ForKind::Parallel);
  bool alongColumns =
      plan.weights.map->getResults().back() == dim(plan.columnVar);
  if (!alongColumns)
    for (int64_t piece = 0; piece != plan.numPieces; ++piece)
      scratch.push_back(AllocBufferOp::create(
                            rewriter, loc,
                            getBufferType({kTileSize, plan.getBlockChannels()},
                                          element, getLocalMemory(context)))
                            .getBuffer());
  // Batch, column tile, channel block, taps.
  SmallVector<AffineExpr> bindings = {dim(0).floorDiv(plan.getNumColumnTiles()),
                                      dim(0) % plan.getNumColumnTiles(),
                                      dim(1).floorDiv(numTaps)};
  SmallVector<int64_t> extents = {plan.getNumBatches(),
                                  plan.getNumColumnTiles(),
                                  plan.getNumChannelBlocks()};
  int64_t rest = numTaps;
  for (int64_t extent : plan.tapExtents) {
    rest /= extent;
    bindings.push_back(dim(1).floorDiv(rest) % extent);
    extents.push_back(extent);
  }
  BlockOp block =
      createBlock(rewriter, name + "_pack", bindings,
                  getAsIndexOpFoldResult(context, extents), /*guards=*/{},
                  {loops[0].getInductionVar(), loops[1].getInductionVar()});
  OpBuilder body(block.getBody()->getTerminator());
  if (alongColumns)
    emitPackedRows(body, block.getIterVars());
  else
    emitPackedColumns(body, block.getIterVars());
  block.updateAccessRegions();
}
