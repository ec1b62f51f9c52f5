//===- ProductResults.cpp - Results from registers to memory --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results go through shared memory, so that neighbouring threads store
// neighbouring elements, together with what is computed of them. A thread has
// the same results of both instructions: four of each eight columns, in two
// rows.
//
//===----------------------------------------------------------------------===//

#include "EmitProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;
using tir::BufferAccess;

/// Writes the rows `part` of each warp's results to shared memory.
void ProductEmitter::shareResults(Value thread, int64_t part) {
  Value lane = rem(thread, index(kWarp)), warp = div(thread, index(kWarp));
  Value row = add(mul(div(warp, index(attr.getWarps()[1])), index(kMmaRows)),
                  div(lane, index(4)));
  Value column =
      add(mul(rem(warp, index(attr.getWarps()[1])), index(warpColumns)),
          mul(rem(lane, index(4)), index(2)));
  int64_t numColumns = warpColumns / kMmaColumns;
  for (int64_t j = 0; j != numColumns; ++j)
    for (int64_t half : {0, 1}) {
      Value pair = loadSums(index((part * numColumns + j) * 2 + half));
      auto store = vector::StoreOp::create(
          b, loc, pair, results,
          ValueRange{add(row, index(half * 8)),
                     add(column, index(j * kMmaColumns))});
      store.setAlignment(8);
    }
}

LogicalResult ProductEmitter::storeResults(Value thread, int64_t part,
                                           Value firstRow, Value firstColumn) {
  int64_t partRows = kMmaRows * attr.getWarps()[0];
  int64_t tileColumns = attr.getTile()[1];
  Value numRows = count(rows), numColumns = count(columns);
  auto loop = scf::ForOp::create(
      b, loc, index(0), index(partRows * tileColumns / numThreads), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = add(thread, mul(loop.getInductionVar(), index(numThreads)));
  // Along what is next to each other where results go.
  bool alongRows =
      !rows.empty() && tir::isContiguous(accesses.out, rows.back());
  Value partRow = alongRows ? rem(number, index(partRows))
                            : div(number, index(tileColumns));
  Value partColumn = alongRows ? div(number, index(partRows))
                               : rem(number, index(tileColumns));
  Value row =
      add(add(firstRow, mul(div(partRow, index(kMmaRows)), index(warpRows))),
          add(rem(partRow, index(kMmaRows)), index(part * kMmaRows)));
  Value column = add(firstColumn, partColumn);
  Value isInside = arith::AndIOp::create(b, loc, isLess(row, numRows),
                                         isLess(column, numColumns));
  auto ifOp = scf::IfOp::create(b, loc, isInside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(ifOp.thenBlock());
  Value value =
      memref::LoadOp::create(b, loc, results, ValueRange{partRow, partColumn});
  SmallVector<Value> position(batchPosition);
  decode(row, rows, position);
  decode(column, columns, position);
  SmallVector<Value> indices = evaluate(accesses.out, position);
  Value buffer =
      epilogue ? createCell() : emitter.lookup(accesses.out.buffer).value;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  if (element != value.getType())
    value = arith::TruncFOp::create(b, loc, element, value);
  memref::StoreOp::create(b, loc, value, buffer, indices);
  return epilogue ? emitEpilogue(indices) : success();
}

/// A buffer that looks like the one of all results, and is one element: what
/// the epilogue reads of it has just been written.
Value ProductEmitter::createCell() {
  auto type = cast<MemRefType>(accesses.out.buffer.getType());
  Value cell = memref::AllocaOp::create(
      b, loc, MemRefType::get(1, type.getElementType()));
  SmallVector<int64_t> strides(type.getRank(), 0);
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, strides);
  Value buffer = memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get(type.getShape(), type.getElementType(), layout),
      cell,
      /*offset=*/int64_t(0), type.getShape(), strides);
  emitter.map(accesses.out.buffer, Lowered::uniform(buffer));
  return buffer;
}

/// Runs the instance of the epilogue that reads the element at `indices`.
LogicalResult ProductEmitter::emitEpilogue(ArrayRef<Value> indices) {
  std::optional<AffineMap> map;
  for (const BufferAccess &access : tir::collectAccesses(epilogue))
    if (access.buffer == accesses.out.buffer)
      map = access.map;
  if (!map)
    return block.emitOpError("expects an epilogue that reads its results");
  SmallVector<Value> position(epilogue.getNumIters());
  for (auto [expr, value] : llvm::zip(map->getResults(), indices))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      position[dim.getPosition()] = value;
  for (auto [var, value] : llvm::zip(epilogue.getIterVars(), position))
    emitter.map(var, Lowered::uniform(value ? value : index(0)));
  return emitter.emitBody(*epilogue.getBody());
}
