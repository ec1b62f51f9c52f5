//===- Dot.cpp - Products of bytes on vectors -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where there are no matrix units, or none for bytes: a tile of results is held
// in vectors of i32, to each of whose lanes an instruction adds the products of
// a group of neighbouring channels. A group of the data is the same for all
// lanes; the weights have the layout of tiles, in which the groups of columns
// are beside each other. What the weights add up to, where the data has 128
// more of each byte, is taken back by where sums start, or in each tile.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// Groups that one load of NEON holds, each of which an instruction picks.
static constexpr int64_t kNeonGroups = 4;
/// Weights that are not in a near cache since the last time, and how many tiles
/// of rows pass by each of their columns before the next ones are too many to
/// wait for these.
static constexpr int64_t kMinFarBytes = 1 << 20, kMaxPassing = 8;

Value MatrixEmitter::createDot(OpBuilder &builder, Value sum, Value data,
                               Value factors) const {
  bool isWide = plan.dotLanes == 16;
  auto call = [&](StringRef intrinsic, ValueRange operands) -> Value {
    return LLVM::CallIntrinsicOp::create(builder, loc, sum.getType(),
                                         builder.getStringAttr(intrinsic),
                                         operands)
        .getResult(0);
  };
  switch (plan.dot) {
  case DotKind::Pairs: {
    Value products =
        call(isWide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd",
             {data, factors});
    return arith::AddIOp::create(builder, loc, sum, products);
  }
  case DotKind::SmallQuads: {
    auto wordsType = VectorType::get(2 * plan.dotLanes, builder.getI16Type());
    Value words =
        LLVM::CallIntrinsicOp::create(
            builder, loc, wordsType,
            builder.getStringAttr(isWide ? "llvm.x86.avx512.pmaddubs.w.512"
                                         : "llvm.x86.avx2.pmadd.ub.sw"),
            ValueRange{data, factors})
            .getResult(0);
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(wordsType, builder.getI16IntegerAttr(1)));
    Value products =
        call(isWide ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd",
             {words, ones});
    return arith::AddIOp::create(builder, loc, sum, products);
  }
  case DotKind::Quads:
    // The first operand has no signs.
    if (plan.isWeightsUnsigned)
      std::swap(data, factors);
    return call(isWide ? "llvm.x86.avx512.vpdpbusd.512"
                       : "llvm.x86.avx512.vpdpbusd.256",
                {sum, data, factors});
  case DotKind::NeonQuads:
    return call(plan.isWeightsUnsigned ? "llvm.aarch64.neon.udot.v4i32.v16i8"
                                       : "llvm.aarch64.neon.sdot.v4i32.v16i8",
                {sum, factors, data});
  case DotKind::None:
    break;
  }
  llvm_unreachable("not a product of bytes on vectors");
}

/// The groups of one row of the tile from `group` on, as vectors of i32.
Value MatrixEmitter::loadDotData(OpBuilder &builder, Value group, int64_t row,
                                 int64_t numGroups) {
  SmallVector<Value> operands(steps);
  operands.push_back(firstRow);
  operands.push_back(group);
  auto [dataRow, plane] = getDataRow();
  dataRow = dataRow + getRowOffset(constant(row));
  AffineExpr channel = dim(operands.size() - 1) * plan.getGroupSize();
  Value planeIndex = apply(builder, plane, operands);
  SmallVector<Value> place;
  if (plan.isMerged()) {
    AffineExpr element = dataRow * plan.getRowPitch() +
                         dim(0) * plan.getBlockChannels() + channel;
    place = {planeIndex, apply(builder, element, operands)};
  } else {
    place = {steps.front(), planeIndex, apply(builder, dataRow, operands),
             apply(builder, channel, operands)};
    if (batchSum)
      place.insert(place.begin(), batch);
  }
  Type element = cast<MemRefType>(pieces.front().getType()).getElementType();
  Value bytes = vector::LoadOp::create(
      builder, loc, VectorType::get(numGroups * plan.getGroupSize(), element),
      pieces.front(), place);
  return vector::BitCastOp::create(
      builder, loc, VectorType::get(numGroups, builder.getI32Type()), bytes);
}

/// How many elements ahead weights are fetched; 0 if they need not be. Where
/// several tiles pass by the columns of one, those of the next have time to
/// come.
int64_t MatrixEmitter::getPrefetchDistance() const {
  auto type = cast<MemRefType>(weights.getType());
  int64_t width = type.getElementTypeBitWidth();
  int64_t bytes = type.getNumElements() * width / 8;
  if (bytes < kMinFarBytes || plan.getTilesPerPanel() > kMaxPassing)
    return 0;
  // Each column is read once, in the order in which they lie.
  bool isLinear = !plan.dynamicRows && plan.numPanels == plan.getNumBatches();
  if (plan.getTilesPerPanel() == 1 && isLinear)
    return kBytesAhead * 8 / width;
  return type.getNumElements() /
         (plan.getNumBatches() * plan.getNumColumnTiles());
}

/// One half of each byte.
static Value takeNibbles(OpBuilder &builder, Value bytes, int64_t half) {
  Location loc = bytes.getLoc();
  auto splat = [&](int64_t number) -> Value {
    auto type = cast<VectorType>(bytes.getType());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            type, builder.getIntegerAttr(type.getElementType(), number)));
  };
  return half == 0
             ? arith::AndIOp::create(builder, loc, bytes, splat(15)).getResult()
             : arith::ShRUIOp::create(builder, loc, bytes, splat(4))
                   .getResult();
}

/// All groups of a block of channels. The sums of a row are beside each other;
/// sums of the weights come last.
SmallVector<Value> MatrixEmitter::multiplyDots(OpBuilder &builder,
                                               ArrayRef<Value> sums) {
  int64_t lanes = plan.dotLanes, numVectors = plan.tileColumns / lanes;
  int64_t numGroups = plan.getBlockChannels() / plan.getGroupSize();
  // Of data, and of steps of the loop.
  int64_t numLoaded = plan.dot == DotKind::NeonQuads ? kNeonGroups : 1;
  int64_t atOnce = hasNibbles() ? 2 : numLoaded;
  auto index = [&](OpBuilder &at, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(at, loc, value);
  };
  Type element = plan.dot == DotKind::Pairs ? Type(builder.getI16Type())
                                            : builder.getI8Type();
  auto groupsType = VectorType::get(lanes * plan.getGroupSize(), element);
  auto loop = scf::ForOp::create(builder, loc, index(builder, 0),
                                 index(builder, numGroups),
                                 index(builder, atOnce), sums);
  auto weightsType = cast<MemRefType>(weights.getType());
  int64_t distance = getPrefetchDistance();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value group = loop.getInductionVar();
  SmallVector<Value> results(loop.getRegionIterArgs());
  SmallVector<Value> rows;
  for (int64_t row = 0; row != numDotRows; ++row)
    rows.push_back(
        numLoaded == 1 ? Value() : loadDotData(builder, group, row, numLoaded));
  // The bytes of which the factors are halves.
  SmallVector<Value> bytes;
  for (int64_t part = 0; part != atOnce; ++part) {
    SmallVector<Value> factors;
    int64_t lineElements =
        kLineBytes * 8 / weightsType.getElementTypeBitWidth();
    for (int64_t i = 0; i != numVectors; ++i) {
      if (hasNibbles() && part != 0) {
        factors.push_back(takeNibbles(builder, bytes[i], part));
        continue;
      }
      SmallVector<Value> place = getWeightsPlace();
      llvm::append_range(place, steps);
      int64_t column = i * lanes;
      llvm::append_range(
          place,
          ArrayRef{index(builder, 0), index(builder, column / kTileSize),
                   apply(builder,
                         hasNibbles() ? dim(0).floorDiv(2) : dim(0) + part,
                         ValueRange{group}),
                   index(builder, column % kTileSize * plan.getGroupSize())});
      if (distance && column * plan.getGroupSize() % lineElements == 0) {
        SmallVector<Value> ahead = place;
        ahead.back() =
            index(builder, column % kTileSize * plan.getGroupSize() + distance);
        memref::PrefetchOp::create(builder, loc, weights, ahead,
                                   /*isWrite=*/false, /*localityHint=*/2,
                                   /*isDataCache=*/true);
      }
      auto type =
          VectorType::get(groupsType.getShape(), weightsType.getElementType());
      Value vector = vector::LoadOp::create(builder, loc, type, weights, place);
      if (type != groupsType)
        vector = plan.isWeightsUnsigned
                     ? arith::ExtUIOp::create(builder, loc, groupsType, vector)
                           .getResult()
                     : arith::ExtSIOp::create(builder, loc, groupsType, vector)
                           .getResult();
      bytes.push_back(vector);
      factors.push_back(hasNibbles() ? takeNibbles(builder, vector, part)
                                     : vector);
    }
    for (int64_t row = 0; row != numDotRows; ++row) {
      Value loaded = rows[row];
      if (!loaded)
        loaded = loadDotData(
            builder, apply(builder, dim(0) + part, ValueRange{group}), row, 1);
      Value data = vector::BroadcastOp::create(
          builder, loc, VectorType::get(lanes, builder.getI32Type()),
          vector::ExtractOp::create(builder, loc, loaded,
                                    numLoaded == 1 ? 0 : part));
      data = vector::BitCastOp::create(builder, loc, groupsType, data);
      for (int64_t i = 0; i != numVectors; ++i) {
        Value &sum = results[row * numVectors + i];
        sum = createDot(builder, sum, data, factors[i]);
      }
    }
    if (!addsWeights)
      continue;
    Value ones = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(groupsType, builder.getI8IntegerAttr(1)));
    for (int64_t i = 0; i != numVectors; ++i) {
      Value &sum = results[numDotRows * numVectors + i];
      sum = createDot(builder, sum, ones, factors[i]);
    }
  }
  scf::YieldOp::create(builder, loc, results);
  return loop.getResults();
}

/// What the sums of each column start from: the weights times -128, or 128 if
/// the data has that less.
void MatrixEmitter::emitWeightSums() {
  OpBuilder::InsertionGuard insertion(rewriter);
  int64_t lanes = plan.dotLanes, numVectors = plan.tileColumns / lanes;
  int64_t numTiles = plan.getNumBatches() * plan.getNumColumnTiles();
  starts = AllocBufferOp::create(rewriter, loc,
                                 MemRefType::get({numTiles, plan.tileColumns},
                                                 rewriter.getI32Type()))
               .getBuffer();
  SmallVector<ForOp> loops =
      buildLoops(rewriter, loc, OpFoldResult(rewriter.getIndexAttr(numTiles)));
  if (isParallel)
    loops.front().setKind(ForKind::Parallel);
  SmallVector<AffineExpr> bindings = {
      dim(0), dim(0) % plan.getNumColumnTiles(),
      dim(0).floorDiv(plan.getNumColumnTiles())};
  BlockOp block = createBlock(
      rewriter, name + "_starts", bindings,
      getAsIndexOpFoldResult(
          context, {numTiles, plan.getNumColumnTiles(), plan.getNumBatches()}),
      /*guards=*/{}, loops.front().getInductionVar());
  columnTile = block.getIterVars()[1];
  batch = block.getIterVars()[2];
  OpBuilder body(block.getBody()->getTerminator());
  auto type = VectorType::get(lanes, body.getI32Type());
  Value zero = arith::ConstantOp::create(body, loc, body.getZeroAttr(type));
  Value seven = arith::ConstantOp::create(
      body, loc, DenseElementsAttr::get(type, body.getI32IntegerAttr(7)));
  numDotRows = 0;
  addsWeights = true;
  SmallVector<Value> sums =
      reduce(body, 0, SmallVector<Value>(numVectors, zero));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Value start = arith::ShLIOp::create(body, loc, sum, seven);
    if (!plan.isDataUnsigned)
      start = arith::SubIOp::create(body, loc, zero, start);
    vector::StoreOp::create(
        body, loc, start, starts,
        ValueRange{block.getIterVars()[0],
                   arith::ConstantIndexOp::create(body, loc, i * lanes)});
  }
  block.updateAccessRegions();
}

void MatrixEmitter::emitDotTile(OpBuilder &builder, Value tile) {
  int64_t lanes = plan.dotLanes, numVectors = plan.tileColumns / lanes;
  auto type = VectorType::get(lanes, builder.getI32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  numDotRows = plan.tileRows;
  addsWeights = plan.flipsData() && !plan.sumsWeightsAhead();
  SmallVector<Value> start;
  for (int64_t i = 0; starts && i != numVectors; ++i) {
    AffineExpr tileOfAll =
        isBatched() ? dim(1) * plan.getNumColumnTiles() + dim(0) : dim(0);
    SmallVector<Value> operands = {columnTile};
    if (isBatched())
      operands.push_back(batch);
    start.push_back(vector::LoadOp::create(
        builder, loc, type, starts,
        ValueRange{apply(builder, tileOfAll, operands),
                   arith::ConstantIndexOp::create(builder, loc, i * lanes)}));
  }
  SmallVector<Value> first = start;
  if (first.empty())
    first.assign(numVectors, zero);
  start.clear();
  for (int64_t row = 0; row != plan.tileRows + (addsWeights ? 1 : 0); ++row)
    llvm::append_range(start, first);
  SmallVector<Value> sums = reduce(builder, 0, start);
  // 128 times the weights, which the data has too much or too little.
  SmallVector<Value> corrections;
  for (Value sum : ArrayRef(sums).drop_front(plan.tileRows * numVectors)) {
    Value seven = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI32IntegerAttr(7)));
    corrections.push_back(arith::ShLIOp::create(builder, loc, sum, seven));
  }
  for (int64_t row = 0; row != plan.tileRows; ++row)
    for (int64_t i = 0; i != numVectors; ++i) {
      Value sum = sums[row * numVectors + i];
      if (!corrections.empty())
        sum = plan.isDataUnsigned
                  ? arith::AddIOp::create(builder, loc, sum, corrections[i])
                        .getResult()
                  : arith::SubIOp::create(builder, loc, sum, corrections[i])
                        .getResult();
      vector::StoreOp::create(
          builder, loc, sum, tile,
          ValueRange{arith::ConstantIndexOp::create(builder, loc, row),
                     arith::ConstantIndexOp::create(builder, loc, i * lanes)});
    }
}
