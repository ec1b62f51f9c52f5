//===- Emission.cpp - Code of matrix tiles --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is around the products: where rows and weights are, and what becomes of
// sums.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/IntegerSet.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// Whether a primitive was not refused; a refusal is no error here.
static bool tryStep(DiagnosedSilenceableFailure result) {
  bool isDone = result.succeeded();
  (void)result.silence();
  return isDone;
}

Value MatrixEmitter::apply(OpBuilder &builder, AffineExpr expr,
                           ValueRange operands) const {
  AffineMap map = simplifyAffineMap(AffineMap::get(operands.size(), 0, expr));
  if (auto value = dyn_cast<AffineConstantExpr>(map.getResult(0)))
    return arith::ConstantIndexOp::create(builder, loc, value.getValue());
  SmallVector<Value> used(operands);
  dropUnusedOperands(map, used);
  return affine::AffineApplyOp::create(builder, loc, map, used);
}

BlockOp MatrixEmitter::createBlock(OpBuilder &builder, StringRef blockName,
                                   ArrayRef<AffineExpr> bindings,
                                   ArrayRef<OpFoldResult> extents,
                                   ArrayRef<AffineExpr> guards,
                                   ValueRange loops,
                                   ArrayRef<IterKind> kinds) const {
  SmallVector<Value> values;
  for (AffineExpr binding : bindings)
    values.push_back(apply(builder, binding, loops));
  SmallVector<IterKind> spatial(bindings.size(), IterKind::Spatial);
  auto block =
      BlockOp::create(builder, loc, kernel.getUniqueBlockName(blockName),
                      kinds.empty() ? spatial : kinds, values, extents);
  if (!guards.empty()) {
    SmallVector<Value> operands(loops);
    if (dynamicExtent)
      operands.push_back(dynamicExtent);
    block.setGuard(IntegerSet::get(loops.size(), dynamicExtent ? 1 : 0, guards,
                                   SmallVector<bool>(guards.size(), false)),
                   operands);
  }
  return block;
}

AffineExpr MatrixEmitter::getNumRows() const {
  AffineExpr rows = constant(plan.numRows);
  if (plan.dynamicRows)
    rows = rows + (getAffineSymbolExpr(0, context) - 1) * plan.dynamicRows;
  return rows;
}

OpFoldResult MatrixEmitter::getSize(OpBuilder &builder, AffineExpr expr) const {
  AffineMap map = simplifyAffineMap(AffineMap::get(0, 1, expr));
  if (auto value = dyn_cast<AffineConstantExpr>(map.getResult(0)))
    return builder.getIndexAttr(value.getValue());
  return affine::AffineApplyOp::create(builder, loc, map, dynamicExtent)
      .getResult();
}

SmallVector<OpFoldResult> MatrixEmitter::getSizes(MemRefType type) const {
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult(dynamicExtent)
                                                : rewriter.getIndexAttr(size));
  return sizes;
}

bool MatrixEmitter::isOutermostRow(const MatrixDim &row) const {
  for (const MatrixDim &other : plan.dims)
    if (other.kind == MatrixDim::Row)
      return &other == &row;
  return false;
}

/// The coordinate along a dimension of the row at `position` of all rows.
AffineExpr MatrixEmitter::getCoordinate(const MatrixDim &row,
                                        AffineExpr position) const {
  AffineExpr coordinate = position.floorDiv(row.rowStride);
  return isOutermostRow(row) ? coordinate : coordinate % row.radix;
}

AffineExpr MatrixEmitter::getTileStart(AffineExpr tile) const {
  if (!plan.alongLines)
    return tile * plan.tileRows;
  int64_t perLine = plan.getTilesPerLine();
  return tile.floorDiv(perLine) * plan.getPanelUnit() +
         tile % perLine * plan.tileRows;
}

AffineExpr MatrixEmitter::getRowOffset(AffineExpr row) const {
  if (!plan.alongLines || plan.getLinesPerTile() == 1)
    return row;
  const MatrixDim &line = plan.getInnermostRow();
  return row.floorDiv(line.extent) * line.radix + row % line.extent;
}

AffineExpr MatrixEmitter::getBatch(AffineExpr panel) const {
  return panel.floorDiv(plan.getPanelsPerBatch());
}

AffineExpr MatrixEmitter::getFirstRow(AffineExpr panel) const {
  if (isBatched())
    panel = panel % plan.getPanelsPerBatch();
  return panel * plan.panelRows;
}

SmallVector<std::pair<unsigned, AffineExpr>>
MatrixEmitter::getBatchCoordinates(AffineExpr batch) const {
  SmallVector<std::pair<unsigned, AffineExpr>> coordinates;
  for (size_t i = plan.batchExtents.size(); i-- != 0;) {
    coordinates.push_back(
        {plan.batchVars[i], i == 0 ? batch : batch % plan.batchExtents[i]});
    batch = batch.floorDiv(plan.batchExtents[i]);
  }
  return coordinates;
}

AffineExpr MatrixEmitter::getBatchPart(const MatrixDim &index,
                                       AffineExpr batch) const {
  AffineExpr part = constant(0);
  for (auto [var, coordinate] : getBatchCoordinates(batch))
    for (auto [other, distance] : index.batches)
      if (var == other)
        part = part + coordinate * distance;
  return part;
}

AffineExpr MatrixEmitter::substitute(
    AffineExpr index, ArrayRef<std::pair<unsigned, AffineExpr>> values) const {
  SmallVector<AffineExpr> dims(nest.getNumVars(), constant(0));
  for (auto [var, value] : values)
    dims[var] = value;
  return index.replaceDims(dims);
}

//===----------------------------------------------------------------------===//
// Before and after the product
//===----------------------------------------------------------------------===//

/// Creates the block that reads each sum once, and takes in it what comes
/// after.
BlockOp MatrixEmitter::createResultBlock() {
  Value out = plan.out.buffer;
  auto type = cast<MemRefType>(out.getType());
  ForOp outermost = nest.loops.front();
  rewriter.setInsertionPoint(outermost);
  sums = AllocBufferOp::create(
      rewriter, loc, type,
      SmallVector<Value>(type.getNumDynamicDims(), dynamicExtent));
  rewriter.replaceUsesWithIf(out, sums.getBuffer(), [&](OpOperand &use) {
    return nest.block->isAncestor(use.getOwner());
  });
  rewriter.modifyOpInPlace(nest.block,
                           [&] { nest.block.updateAccessRegions(); });
  rewriter.setInsertionPointAfter(outermost);
  SmallVector<IterKind> kinds(type.getRank(), IterKind::Spatial);
  BlockOp block = buildBlockNest(
      rewriter, loc, kernel.getUniqueBlockName(name + "_rows"), kinds,
      getSizes(type), [&](OpBuilder &body, BlockOp block) {
        AffineMap index = body.getMultiDimIdentityMap(type.getRank());
        Value value =
            createLoad(body, loc, sums.getBuffer(), index, block.getIterVars());
        createStore(body, loc, value, out, index, block.getIterVars());
      });
  while (out.getDefiningOp<AllocBufferOp>()) {
    SmallVector<BlockOp> readers = getReaders(out);
    if (readers.size() != 1 || readers.front().hasReduceIters() ||
        failed(BlockNest::get(readers.front())) ||
        !tryStep(reverseComputeInline(rewriter, readers.front())))
      break;
    out = getWrittenBuffers(block).front();
  }
  return block;
}

bool MatrixEmitter::hasNibbles() const {
  return plan.areWeightsNibbles && !plan.packsWeights &&
         plan.dot == DotKind::Quads &&
         plan.getBlockChannels() / plan.getGroupSize() % 2 == 0;
}

/// Batches if there are several (within columns where they are added up), then
/// columns, blocks of channels, taps and pieces, then the tiles: pairs of
/// channels, each with the columns. Of numbers of 4 bits, two groups of
/// channels are in the same bytes.
SmallVector<int64_t> MatrixEmitter::getPackedShape() const {
  SmallVector<int64_t> shape = {plan.getNumColumnTiles(),
                                plan.getNumChannelBlocks()};
  if (isBatched())
    shape.insert(shape.begin() + (batchSum ? 1 : 0), plan.getNumBatches());
  llvm::append_range(shape, plan.tapExtents);
  llvm::append_range(shape,
                     ArrayRef{plan.numPieces, plan.tileColumns / kTileSize,
                              plan.getBlockChannels() / plan.getGroupSize() /
                                  (hasNibbles() ? 2 : 1),
                              kTileSize * plan.getGroupSize()});
  return shape;
}

/// Gives constant weights the layout of tiles.
void MatrixEmitter::layOutWeights() {
  AffineMap map = *plan.weights.map;
  unsigned rank = map.getNumResults();
  // An index that has a batch, too, counts the batches outside.
  auto positionOf = [&](unsigned var) {
    for (unsigned position = 0; position != rank; ++position) {
      AffineExpr index = map.getResult(position);
      for (auto [term, coefficient] : LinearSum::get(index).terms) {
        if (term != dim(var))
          continue;
        if (coefficient != 1)
          return dim(position).floorDiv(coefficient);
        bool isAlone = index == dim(var);
        return isAlone ? dim(position) : dim(position) % *nest.getExtent(var);
      }
    }
    llvm_unreachable("weights without a variable of the product");
  };
  AffineExpr column = positionOf(plan.columnVar);
  AffineExpr channel =
      plan.channelVar ? positionOf(*plan.channelVar) : constant(0);
  if (plan.isMerged())
    channel = positionOf(*plan.mergedVar) * plan.numChannels + channel;
  SmallVector<AffineExpr> layout = {column.floorDiv(plan.tileColumns)};
  if (isBatched()) {
    AffineExpr batch = constant(0);
    for (auto [var, extent] :
         llvm::zip_equal(plan.batchVars, plan.batchExtents))
      batch = batch * extent + positionOf(var);
    layout.insert(layout.begin() + (batchSum ? 1 : 0), batch);
  }
  layout.push_back(channel.floorDiv(plan.getBlockChannels()));
  for (unsigned tap : plan.taps)
    layout.push_back(positionOf(tap));
  layout.push_back(plan.isInteger ? constant(0) : dim(rank));
  layout.push_back((column % plan.tileColumns).floorDiv(kTileSize));
  AffineExpr group =
      (channel % plan.getBlockChannels()).floorDiv(plan.getGroupSize());
  layout.push_back(hasNibbles() ? group.floorDiv(2) : group);
  layout.push_back((column % kTileSize) * plan.getGroupSize() +
                   channel % plan.getGroupSize());
  if (hasNibbles())
    layout.push_back(group % 2);

  auto argument = cast<BlockArgument>(plan.weights.buffer);
  weights = argument;
  unsigned index = argument.getArgNumber();
  auto original = cast<MemRefType>(argument.getType());
  auto type = MemRefType::get(getPackedShape(), plan.isInteger
                                                    ? original.getElementType()
                                                    : rewriter.getI16Type());
  unsigned numDims = plan.isInteger ? rank : rank + 1;
  rewriter.modifyOpInPlace(kernel, [&] {
    kernel.setArgAttr(index, PrimFuncOp::kOriginalType,
                      TypeAttr::get(original));
    kernel.setArgAttr(
        index, PrimFuncOp::kLayout,
        AffineMapAttr::get(AffineMap::get(numDims, 0, layout, context)));
    if (!plan.isInteger)
      kernel.setArgAttr(index, kPiecesAttr,
                        rewriter.getI64IntegerAttr(plan.numPieces));
    if (hasNibbles())
      kernel.setArgAttr(index, kNibblesAttr, rewriter.getUnitAttr());
    setArgumentType(kernel, argument, type);
  });
}

/// What becomes of the sums, row by row, without those beside the image.
/// Without a tile, where the sum over batches starts.
void MatrixEmitter::emitResults(OpBuilder &builder, Value panel,
                                Value tileIndex, Value tile) {
  SmallVector<ForOp> loops = buildLoops(
      builder, loc,
      getAsIndexOpFoldResult(context, {plan.tileRows, plan.tileColumns}));
  loops.back().setKind(ForKind::Vectorized);
  // Dimensions: panel, tile, row, column.
  AffineExpr position = getFirstRow(getPanel()) + getTileStart(getRowTile()) +
                        getRowOffset(dim(2));
  AffineExpr column = getColumnTile() * plan.tileColumns + dim(3);
  SmallVector<AffineExpr> bindings, guards;
  SmallVector<OpFoldResult> extents = getSizes(sums.getType());
  SmallVector<std::pair<unsigned, AffineExpr>> coordinates = {
      {plan.columnVar, column}};
  for (const MatrixDim &row : plan.dims)
    if (row.var)
      coordinates.push_back({*row.var, getCoordinate(row, position)});
  llvm::append_range(coordinates, getBatchCoordinates(getBatch(getPanel())));
  SmallVector<IterKind> kinds;
  for (AffineExpr index : plan.out.map->getResults()) {
    bindings.push_back(substitute(index, coordinates));
    bool isAddedUp = batchSum && tile && index == dim(plan.batchVars.front());
    kinds.push_back(isAddedUp ? IterKind::Reduce : IterKind::Spatial);
  }
  if (plan.dynamicRows ||
      plan.getPanelsPerBatch() * plan.panelRows != plan.numRows)
    guards.push_back(getNumRows() - 1 - position);
  // Tiles along lines leave out what is between them.
  bool hasWholeLines =
      plan.alongLines &&
      plan.getTilesPerLine() * plan.tileRows ==
          plan.getLinesPerTile() * plan.getInnermostRow().extent;
  for (const MatrixDim &row : plan.dims)
    if (row.kind == MatrixDim::Row && !isOutermostRow(row) &&
        row.radix > row.extent &&
        !(hasWholeLines && &row == &plan.getInnermostRow()))
      guards.push_back(constant(row.extent - 1) - getCoordinate(row, position));
  if (plan.numColumns % plan.tileColumns != 0)
    guards.push_back(constant(plan.numColumns - 1) - column);
  unsigned numIndices = bindings.size();
  llvm::append_range(bindings, ArrayRef{dim(2), dim(3)});
  extents.push_back(builder.getIndexAttr(plan.tileRows));
  extents.push_back(builder.getIndexAttr(plan.tileColumns));
  kinds.append(2, IterKind::Spatial);
  std::string blockName = resultBlock.getName().str();
  BlockOp block = createBlock(builder, tile ? blockName : blockName + "_start",
                              bindings, extents, guards,
                              {panel, tileIndex, loops[0].getInductionVar(),
                               loops[1].getInductionVar()},
                              kinds);
  OpBuilder body(block.getBody()->getTerminator());
  ValueRange vars = block.getIterVars();
  if (!tile) {
    startBatchSum(body, vars.take_front(numIndices));
    block.updateAccessRegions();
    return;
  }
  IRMapping mapping;
  mapping.map(resultBlock.getIterVars(), vars.take_front(numIndices));
  for (Operation &op : resultBlock.getBody()->without_terminator()) {
    auto load = dyn_cast<affine::AffineLoadOp>(op);
    if (load && load.getMemRef() == sums.getBuffer())
      mapping.map(load.getResult(),
                  createLoad(body, loc, tile, body.getMultiDimIdentityMap(2),
                             vars.drop_front(numIndices)));
    else if (batchSum && isa<affine::AffineStoreOp>(op))
      addToBatchSum(body, mapping.lookupOrDefault(op.getOperand(0)),
                    vars.take_front(numIndices));
    else
      body.clone(op, mapping);
  }
  block.updateAccessRegions();
}

/// A tile of sums, and what becomes of it.
void MatrixEmitter::emitTile(Value panel, Value tileIndex) {
  Value tile = AllocBufferOp::create(
                   rewriter, loc,
                   getBufferType({plan.tileRows, plan.tileColumns},
                                 getSumType(), getLocalMemory(context)))
                   .getBuffer();
  emitProduct(rewriter, panel, tileIndex, tile);
  emitResults(rewriter, panel, tileIndex, tile);
}

void MatrixEmitter::emitTiles(Value panel) {
  OpBuilder::InsertionGuard insertion(rewriter);
  int64_t count = plan.getNumColumnTiles() * plan.getTilesPerPanel();
  SmallVector<ForOp> loops =
      buildLoops(rewriter, loc, OpFoldResult(rewriter.getIndexAttr(count)));
  if (isParallel && !hasPanels())
    loops.front().setKind(ForKind::Parallel);
  emitTile(panel, loops.front().getInductionVar());
}

void MatrixEmitter::emit(BlockOp sumOfBatches) {
  OpBuilder::InsertionGuard insertion(rewriter);
  name = nest.block.getName().str();
  for (const MatrixDim &row : plan.dims)
    if (row.isDynamic)
      dynamicExtent = cast<Value>(ForOp(nest.loops[*row.var]).getUpperBound());
  resultBlock = createResultBlock();
  // (What comes between may be no part of the results.)
  if (sumOfBatches &&
      getOnlyReader(getWrittenBuffers(resultBlock).front()) == sumOfBatches)
    batchSum = sumOfBatches;
  rewriter.eraseOp(nest.loops.front());
  ForOp results = getOutermostLoop(resultBlock);
  rewriter.setInsertionPoint(results);
  if (plan.packsWeights)
    packWeights();
  else
    layOutWeights();
  if (plan.sumsWeightsAhead())
    emitWeightSums();

  if (batchSum) {
    emitBatchSums();
  } else if (!hasPanels()) {
    allocatePieces();
    Value panel = arith::ConstantIndexOp::create(rewriter, loc, 0);
    if (plan.isMerged())
      emitMergedSplit();
    else
      emitSplit(panel);
    emitTiles(panel);
  } else {
    AffineExpr numPanels = dynamicExtent ? getNumRows().ceilDiv(plan.panelRows)
                                         : constant(plan.numPanels);
    SmallVector<ForOp> loops =
        buildLoops(rewriter, loc, getSize(rewriter, numPanels));
    if (isParallel)
      loops.front().setKind(ForKind::Parallel);
    allocatePieces();
    emitSplit(loops.front().getInductionVar());
    emitTiles(loops.front().getInductionVar());
  }
  Value addedUp = getWrittenBuffers(resultBlock).front();
  rewriter.eraseOp(results);
  rewriter.eraseOp(sums);
  if (batchSum)
    rewriter.eraseOp(addedUp.getDefiningOp());

  // Padding and the like happen where the data is split.
  if (!plan.isMerged() && plan.data.buffer.getDefiningOp<AllocBufferOp>())
    for (BlockOp producer : getWriters(plan.data.buffer))
      (void)tryStep(computeInline(rewriter, producer));
}
