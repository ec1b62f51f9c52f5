//===- RegisterTileResults.cpp - What register tiles store ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegisterTileEmission.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "relay-mlir/Dialect/TIR/Schedule/VectorTranspose.h"

using namespace mlir;
using namespace mlir::tir;

/// Stores one vector to consecutive elements from `point` on.
void RegisterTile::storeVector(OpBuilder &builder, Value value, Value mask) {
  Value buffer = computation.getBuffer();
  // Nobody reads the rest of the last vector of a row of a local buffer.
  auto type = cast<MemRefType>(buffer.getType());
  auto local = buffer.getDefiningOp<AllocBufferOp>();
  if (mask && local && local.getMemory() && shape.ownsVectors && !isFirst &&
      type.hasStaticShape() && type.getShape().back() % shape.lanes == 0)
    mask = Value();
  Value view = emitter.getFlatView(buffer);
  Value index =
      emitter.emitIndex(builder, emitter.getPosition(computation.store, point));
  if (isFirst) {
    Value old;
    if (mask)
      old = vector::MaskedLoadOp::create(builder, loc, vectorType, view, index,
                                         mask, value);
    else
      old = vector::LoadOp::create(builder, loc, vectorType, view, index);
    Value sum = computation.combine(builder, old, value);
    value = arith::SelectOp::create(builder, loc, isFirst, value, sum);
  }
  if (mask)
    vector::MaskedStoreOp::create(builder, loc, view, index, mask, value);
  else
    vector::StoreOp::create(builder, loc, value, view, index);
}

/// Stores the lanes of one vector one by one.
void RegisterTile::storeScalars(OpBuilder &builder, Value value,
                                int64_t vector) {
  int64_t first = vector * shape.lanes;
  AffineExpr lane = point[shape.laneLoop];
  for (int64_t i = 0; i != shape.lanes && first + i < maxLanes; ++i) {
    OpBuilder::InsertionGuard guard(builder);
    point[shape.laneLoop] = lane + i;
    Value view = emitter.getFlatView(computation.getBuffer());
    Value index = emitter.emitIndex(
        builder, emitter.getPosition(computation.store, point));
    Value element = vector::ExtractOp::create(builder, loc, value, i);
    if (numLanes) {
      Value exists =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                numLanes, constantIndex(builder, first + i));
      auto branch = scf::IfOp::create(builder, loc, exists);
      builder.setInsertionPoint(branch.thenYield());
    }
    if (isFirst) {
      Value old = memref::LoadOp::create(builder, loc, view, index);
      Value sum = computation.combine(builder, old, element);
      element = arith::SelectOp::create(builder, loc, isFirst, element, sum);
    }
    memref::StoreOp::create(builder, loc, element, view, index);
  }
  point[shape.laneLoop] = lane;
}

/// Where the rows are all there is between neighbouring lanes, and fewer than
/// a vector, whole vectors take the place of one part of a vector for each
/// lane. Returns whether it is so.
bool RegisterTile::storeInterleaved(OpBuilder &builder, ArrayRef<Value> values,
                                    int64_t vector) {
  int64_t lanes = shape.lanes, first = vector * lanes;
  AffineExpr position = nest.getLinearIndex(computation.store);
  bool isDense = rows < lanes && first + lanes <= shape.numLanes &&
                 NestedBlock::getStride(position, shape.laneLoop) == rows;
  if (!isDense || isFirst)
    return false;
  SmallVector<Value> sources;
  for (int64_t row = 0; row != rows; ++row)
    sources.push_back(values[row * shape.getNumVectors() + vector]);
  SmallVector<Value> results = interleaveVectors(builder, loc, sources);
  moveTo(0, first);
  Value view = emitter.getFlatView(computation.getBuffer());
  Value index =
      emitter.emitIndex(builder, emitter.getPosition(computation.store, point));
  auto storeAll = [&](Value count) {
    auto maskType = emitter.getVectorType(builder.getI1Type());
    for (auto [number, value] : llvm::enumerate(results)) {
      Value offset = constantIndex(builder, number * lanes);
      Value place = arith::AddIOp::create(builder, loc, index, offset);
      if (!count) {
        vector::StoreOp::create(builder, loc, value, view, place);
        continue;
      }
      Value rest = arith::SubIOp::create(builder, loc, count, offset);
      Value mask = vector::CreateMaskOp::create(builder, loc, maskType, rest);
      vector::MaskedStoreOp::create(builder, loc, view, place, mask, value);
    }
  };
  if (!numLanes) {
    storeAll(/*count=*/Value());
    return true;
  }
  // Masked stores are slow on some processors, and rarely needed.
  OpBuilder::InsertionGuard guard(builder);
  Value rest = arith::SubIOp::create(builder, loc, numLanes,
                                     constantIndex(builder, first));
  Value isWhole = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        rest, constantIndex(builder, lanes));
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  builder.setInsertionPoint(branch.thenYield());
  storeAll(/*count=*/Value());
  builder.setInsertionPoint(branch.elseYield());
  storeAll(
      arith::MulIOp::create(builder, loc, rest, constantIndex(builder, rows)));
  return true;
}

/// The result is contiguous along the rows: transposes squares of registers.
void RegisterTile::storeTransposed(OpBuilder &builder, ArrayRef<Value> values) {
  int64_t lanes = shape.lanes, numVectors = shape.getNumVectors();
  auto maskType = emitter.getVectorType(builder.getI1Type());
  for (int64_t row = 0; row < rows; row += lanes) {
    int64_t numValid = std::min(lanes, rows - row);
    for (int64_t vector = 0; vector != numVectors; ++vector) {
      if (storeInterleaved(builder, values, vector))
        continue;
      // Rows that are missing may hold anything.
      SmallVector<Value> square;
      for (int64_t i = 0; i != lanes; ++i)
        square.push_back(
            values[(row + std::min(i, numValid - 1)) * numVectors + vector]);
      SmallVector<Value> columns = transposeVectors(builder, loc, square);
      for (int64_t i = 0; i != lanes; ++i) {
        int64_t lane = vector * lanes + i;
        if (lane >= maxLanes)
          break;
        Value mask;
        if (numLanes) {
          Value exists =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                    numLanes, constantIndex(builder, lane));
          Value count = arith::SelectOp::create(
              builder, loc, exists, constantIndex(builder, numValid),
              constantIndex(builder, 0));
          mask = vector::CreateMaskOp::create(builder, loc, maskType, count);
        } else if (numValid != lanes) {
          mask = vector::ConstantMaskOp::create(builder, loc, maskType,
                                                ArrayRef{numValid});
        }
        moveTo(row, lane);
        storeVector(builder, columns[i], mask);
      }
    }
  }
}

void RegisterTile::store(OpBuilder &builder, ArrayRef<Value> values) {
  AffineExpr position = nest.getLinearIndex(computation.store);
  bool byLanes = NestedBlock::getStride(position, shape.laneLoop) == 1;
  if (!byLanes && rows > 1 && shape.isContiguousByRows(nest, position) &&
      canTransposeVectors(shape.lanes,
                          computation.getElementType().getIntOrFloatBitWidth()))
    return storeTransposed(builder, values);
  int64_t numVectors = shape.getNumVectors();
  for (auto [index, value] : llvm::enumerate(values)) {
    int64_t vector = index % numVectors;
    moveTo(index / numVectors, vector * shape.lanes);
    if (byLanes)
      storeVector(builder, value, masks[vector]);
    else
      storeScalars(builder, value, vector);
  }
}
