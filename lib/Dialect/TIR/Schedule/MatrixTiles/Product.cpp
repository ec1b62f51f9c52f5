//===- Product.cpp - Products of tiles ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixEmitter.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tir;

/// The first row of the data that a step reads for a tile, and its plane, as
/// functions of `steps` and of the first row of the tile.
std::pair<AffineExpr, AffineExpr> MatrixEmitter::getDataRow() const {
  AffineExpr plane = constant(0), row = dim(1 + plan.taps.size());
  for (const MatrixDim &index : plan.dims) {
    if (index.taps.empty())
      continue;
    AffineExpr shift = constant(0);
    for (auto [var, distance] : index.taps) {
      const auto *it = llvm::find(plan.taps, var);
      shift = shift + dim(1 + (it - plan.taps.begin())) * distance;
    }
    row = row + shift.floorDiv(index.stride) * index.rowStride;
    plane = plane + (shift % index.stride) * index.planeStride;
  }
  return {row, plane};
}

SmallVector<Value> MatrixEmitter::getWeightsPlace() const {
  if (!isBatched())
    return {columnTile};
  return batchSum ? SmallVector<Value>{columnTile, batch}
                  : SmallVector<Value>{batch, columnTile};
}

/// Weights that have not been used yet come from afar: while the first tile of
/// rows has them, those of some steps ahead are fetched into the second cache.
void MatrixEmitter::prefetchWeights(OpBuilder &builder) {
  constexpr int64_t kBytesAhead = 8 << 10, kLineBytes = 64;
  auto type = cast<MemRefType>(weights.getType());
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getNumElements() * bytes <= 2 * kBytesAhead || plan.packsWeights)
    return;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        firstRow, zero);
  auto branch = scf::IfOp::create(builder, loc, isFirst);
  OpBuilder body = branch.getThenBodyBuilder();
  SmallVector<Value> place = getWeightsPlace();
  llvm::append_range(place, steps);
  place.append(type.getRank() - place.size(), zero);
  int64_t numElements =
      plan.numPieces * plan.tileColumns * plan.getBlockChannels();
  for (int64_t i = 0; i < numElements; i += kLineBytes / bytes) {
    place.back() =
        arith::ConstantIndexOp::create(body, loc, kBytesAhead / bytes + i);
    memref::PrefetchOp::create(body, loc, weights, place, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

/// One step of the reduction: 32 channels of one tap. Small terms come first.
/// Each operand is loaded when the tile it replaces has been used last: eight
/// tiles are all there are.
SmallVector<Value> MatrixEmitter::multiply(OpBuilder &builder,
                                           ArrayRef<Value> sums) {
  auto tileType = amx::TileType::get({kTileSize, plan.getBlockChannels()},
                                     plan.isInteger ? Type(builder.getI8Type())
                                                    : builder.getBF16Type());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> operands(steps);
  operands.push_back(firstRow);
  AffineExpr dataRow, plane;
  std::tie(dataRow, plane) = getDataRow();
  Value planeIndex = apply(builder, plane, operands);
  auto loadData = [&](int64_t piece) {
    SmallVector<Value, 2> tiles;
    for (int64_t i = 0; i != plan.tileRows; i += kTileSize) {
      if (plan.isMerged()) {
        // Rows overlap: each begins a few elements after the one before.
        Value element = apply(builder,
                              (dataRow + i) * plan.getRowPitch() +
                                  dim(0) * plan.getBlockChannels(),
                              operands);
        Value pitch =
            arith::ConstantIndexOp::create(builder, loc, plan.getRowPitch());
        tiles.push_back(
            amx::TileLoadOp::create(builder, loc, tileType, pieces[piece],
                                    ValueRange{planeIndex, element}, pitch));
        continue;
      }
      Value rowIndex = apply(builder, dataRow + i, operands);
      tiles.push_back(amx::TileLoadOp::create(
          builder, loc, tileType, pieces[piece],
          ValueRange{steps.front(), planeIndex, rowIndex, zero}));
    }
    return tiles;
  };
  auto loadFactors = [&](int64_t piece) {
    SmallVector<Value, 2> tiles;
    for (int64_t i = 0; i != plan.tileColumns / kTileSize; ++i) {
      SmallVector<Value> indices = getWeightsPlace();
      llvm::append_range(indices, steps);
      indices.push_back(arith::ConstantIndexOp::create(builder, loc, piece));
      indices.push_back(arith::ConstantIndexOp::create(builder, loc, i));
      indices.append(2, zero);
      tiles.push_back(
          amx::TileLoadOp::create(builder, loc, tileType, weights, indices));
    }
    return tiles;
  };

  prefetchWeights(builder);
  // Pieces of the data and of the weights; neighbours share one.
  using Term = std::pair<int64_t, int64_t>;
  SmallVector<Term> terms;
  if (plan.numPieces == 1)
    terms = {{0, 0}};
  else if (plan.numPieces == 2)
    terms = {{0, 1}, {0, 0}, {1, 0}};
  else
    terms = {{0, 2}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {0, 0}};
  SmallVector<Value> result(sums);
  SmallVector<Value, 2> data, factors;
  Term loaded = {-1, -1};
  for (Term term : terms) {
    if (term.first != loaded.first)
      data = loadData(term.first);
    if (term.second != loaded.second)
      factors = loadFactors(term.second);
    loaded = term;
    for (size_t i = 0; i != data.size(); ++i)
      for (size_t j = 0; j != factors.size(); ++j) {
        Value &sum = result[i * factors.size() + j];
        sum = plan.isInteger
                  ? amx::TileMulIOp::create(
                        builder, loc, sum.getType(), data[i], factors[j], sum,
                        plan.isDataUnsigned, plan.isWeightsUnsigned)
                        .getResult()
                  : amx::TileMulFOp::create(builder, loc, sum.getType(),
                                            data[i], factors[j], sum)
                        .getResult();
      }
  }
  return result;
}

/// The loops over channel blocks and taps, with the tiles as loop-carried
/// values. Taps are inside: they read the same rows of the data.
SmallVector<Value> MatrixEmitter::reduce(OpBuilder &builder, unsigned depth,
                                         ArrayRef<Value> sums) {
  if (depth > plan.taps.size())
    return plan.isDot() ? multiplyDots(builder, sums) : multiply(builder, sums);
  int64_t extent =
      depth == 0 ? plan.getNumChannelBlocks() : plan.tapExtents[depth - 1];
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  if (extent == 1) {
    steps.push_back(zero);
    SmallVector<Value> result = reduce(builder, depth + 1, sums);
    steps.pop_back();
    return result;
  }
  auto loop = scf::ForOp::create(
      builder, loc, zero, arith::ConstantIndexOp::create(builder, loc, extent),
      arith::ConstantIndexOp::create(builder, loc, 1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  steps.push_back(loop.getInductionVar());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  SmallVector<Value> result = reduce(builder, depth + 1, carried);
  steps.pop_back();
  scf::YieldOp::create(builder, loc, result);
  return loop.getResults();
}

void MatrixEmitter::emitProduct(OpBuilder &builder, Value panel,
                                Value tileIndex, Value tile) {
  AffineExpr row = getTileStart(getRowTile());
  // A panel may have few rows.
  SmallVector<AffineExpr> guards;
  if (plan.dynamicRows)
    guards.push_back(getNumRows() - 1 - getFirstRow(getPanel()) - row);
  SmallVector<AffineExpr> bindings = {getColumnTile(), row};
  SmallVector<int64_t> extents = {plan.getNumColumnTiles(), plan.panelRows};
  if (isBatched()) {
    bindings.push_back(getBatch(getPanel()));
    extents.push_back(plan.getNumBatches());
  }
  BlockOp block = createBlock(builder, name, bindings,
                              getAsIndexOpFoldResult(context, extents), guards,
                              {panel, tileIndex});
  columnTile = block.getIterVars()[0];
  firstRow = block.getIterVars()[1];
  if (isBatched())
    batch = block.getIterVars()[2];
  OpBuilder body(block.getBody()->getTerminator());
  if (plan.isDot()) {
    emitDotTile(body, tile);
    block.updateAccessRegions();
    return;
  }
  auto sumType = amx::TileType::get({kTileSize, kTileSize}, getSumType());
  SmallVector<Value> start;
  int64_t numTiles = plan.tileRows / kTileSize * (plan.tileColumns / kTileSize);
  for (int64_t i = 0; i != numTiles; ++i)
    start.push_back(amx::TileZeroOp::create(body, loc, sumType));
  for (auto [i, sum] : llvm::enumerate(reduce(body, 0, start))) {
    int64_t perRow = plan.tileColumns / kTileSize;
    Value row =
        arith::ConstantIndexOp::create(body, loc, i / perRow * kTileSize);
    Value column =
        arith::ConstantIndexOp::create(body, loc, i % perRow * kTileSize);
    amx::TileStoreOp::create(body, loc, tile, ValueRange{row, column}, sum);
  }
  // A row of merged data ends in elements that only others count.
  if (!plan.isInteger && (plan.numPieces > 1 || plan.isMerged()))
    repairSums(body, tile);
  block.updateAccessRegions();
}

//===----------------------------------------------------------------------===//
// Sums that are no numbers
//===----------------------------------------------------------------------===//

/// The number whose pieces have these bits, the largest first.
static Value joinPieces(OpBuilder &builder, Location loc,
                        ArrayRef<Value> pieces) {
  Value sum;
  for (Value piece : llvm::reverse(pieces)) {
    Value wide =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), piece);
    Value sixteen = arith::ConstantIntOp::create(builder, loc, 16, 32);
    Value number = arith::BitcastOp::create(
        builder, loc, builder.getF32Type(),
        arith::ShLIOp::create(builder, loc, wide, sixteen));
    sum = sum ? arith::AddFOp::create(builder, loc, sum, number).getResult()
              : number;
  }
  return sum;
}

/// One sum of the tile, product by product.
Value MatrixEmitter::emitSum(OpBuilder &builder, Value row, Value column) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  // Merged channels are not padded: what follows them counts nothing.
  bool isMerged = plan.isMerged();
  SmallVector<int64_t> extents = {isMerged ? 1 : plan.getNumChannelBlocks()};
  llvm::append_range(extents, plan.tapExtents);
  extents.push_back(isMerged ? plan.getDepth() : plan.getBlockChannels());
  Value sum =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  SmallVector<scf::ForOp> loops;
  OpBuilder inner = builder;
  for (int64_t extent : extents) {
    Value to = arith::ConstantIndexOp::create(inner, loc, extent);
    loops.push_back(scf::ForOp::create(inner, loc, zero, to, one, sum));
    steps.push_back(loops.back().getInductionVar());
    sum = loops.back().getRegionIterArg(0);
    inner.setInsertionPointToEnd(loops.back().getBody());
  }
  Value channel = steps.pop_back_val();
  AffineExpr dataRow, plane;
  std::tie(dataRow, plane) = getDataRow();
  SmallVector<Value> operands(steps);
  operands.append({firstRow, row, column, channel});
  unsigned first = steps.size();
  Value rowIndex = apply(inner, dataRow + dim(first + 1), operands);
  Value planeIndex = apply(inner, plane, operands);
  AffineExpr columnDim = dim(first + 2), channelDim = dim(first + 3);
  SmallVector<Value> data, factors;
  SmallVector<Value> place = {steps.front(), planeIndex, rowIndex, channel};
  if (isMerged) {
    AffineExpr element =
        (dataRow + dim(first + 1)) * plan.getRowPitch() + channelDim;
    place = {planeIndex, apply(inner, element, operands)};
    steps.front() =
        apply(inner, channelDim.floorDiv(plan.getBlockChannels()), operands);
    channelDim = channelDim % plan.getBlockChannels();
  }
  for (Value buffer : pieces)
    data.push_back(memref::LoadOp::create(inner, loc, buffer, place));
  for (int64_t piece = 0; piece != plan.numPieces; ++piece) {
    SmallVector<Value> indices = getWeightsPlace();
    llvm::append_range(indices, steps);
    indices.push_back(arith::ConstantIndexOp::create(inner, loc, piece));
    for (AffineExpr index :
         {columnDim.floorDiv(kTileSize), channelDim.floorDiv(2),
          columnDim % kTileSize * 2 + channelDim % 2})
      indices.push_back(apply(inner, index, operands));
    factors.push_back(memref::LoadOp::create(inner, loc, weights, indices));
  }
  Value result = math::FmaOp::create(inner, loc, joinPieces(inner, loc, data),
                                     joinPieces(inner, loc, factors), sum);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    scf::YieldOp::create(inner, loc, result);
    inner.setInsertionPointAfter(loop);
    result = loop.getResult(0);
  }
  steps.clear();
  return result;
}

/// An infinity times the smaller pieces of a finite number, which may be zero
/// or of the other sign, makes a NaN of what should be an infinity; so does one
/// beyond the window times zero. Sums that are no numbers are computed again.
void MatrixEmitter::repairSums(OpBuilder &builder, Value tile) {
  constexpr int64_t kLanes = 16, kSums = 4;
  auto vectorType = VectorType::get(kLanes, builder.getF32Type());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto isNaN = [&](Value value) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                                 value);
  };
  // No NaN is lost in the sum of all.
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  int64_t numVectors = plan.tileColumns / kLanes;
  auto rows = scf::ForOp::create(builder, loc, index(0), index(plan.tileRows),
                                 index(kSums / numVectors),
                                 SmallVector<Value>(kSums, zeros));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(rows.getBody());
  SmallVector<Value> next;
  for (int64_t i = 0; i != kSums; ++i) {
    Value row = arith::AddIOp::create(builder, loc, rows.getInductionVar(),
                                      index(i / numVectors));
    Value part =
        vector::LoadOp::create(builder, loc, vectorType, tile,
                               ValueRange{row, index(i % numVectors * kLanes)});
    next.push_back(
        arith::AddFOp::create(builder, loc, rows.getRegionIterArg(i), part));
  }
  scf::YieldOp::create(builder, loc, next);
  builder.setInsertionPointAfter(rows);
  Value all = rows.getResult(0);
  for (int64_t i = 1; i != kSums; ++i)
    all = arith::AddFOp::create(builder, loc, all, rows.getResult(i));
  Value total =
      vector::ReductionOp::create(builder, loc, vector::CombiningKind::ADD, all,
                                  arith::FastMathFlags::reassoc);

  auto any = scf::IfOp::create(builder, loc, isNaN(total));
  builder.setInsertionPoint(any.thenYield());
  SmallVector<Value, 2> position;
  for (int64_t extent : {plan.tileRows, plan.tileColumns}) {
    auto each =
        scf::ForOp::create(builder, loc, index(0), index(extent), index(1));
    builder.setInsertionPoint(each.getBody()->getTerminator());
    position.push_back(each.getInductionVar());
  }
  Value sum = memref::LoadOp::create(builder, loc, tile, position);
  auto branch = scf::IfOp::create(builder, loc, isNaN(sum));
  builder.setInsertionPoint(branch.thenYield());
  Value exact = emitSum(builder, position[0], position[1]);
  memref::StoreOp::create(builder, loc, exact, tile, position);
}
