//===- RegisterTileEmission.h - Code of register tiles ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILEEMISSION_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILEEMISSION_H

#include "Prefetch.h"
#include "RegisterTile.h"
#include "TileEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tir {

class RegisterTile {
public:
  RegisterTile(NestedBlock &nest, const Computation &computation,
               const TileShape &shape, Operation *anchor,
               ArrayRef<Value> symbolValues)
      : nest(nest), computation(computation), shape(shape), anchor(anchor),
        emitter(nest, anchor, shape.laneLoop, shape.lanes, shape.getOverhang(),
                symbolValues),
        vectorType(emitter.getVectorType(computation.getElementType())),
        prefetch(Prefetch::plan(nest, shape)), loc(nest.block.getLoc()),
        context(loc.getContext()) {}

  void emit(OpBuilder &builder);

  /// The number of iterations of a guarded loop; null if nothing guards it.
  Value emitLimit(OpBuilder &builder, unsigned loop, int64_t extent);

private:
  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  Value constantIndex(OpBuilder &builder, int64_t value) const {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  bool sharesLoads(unsigned reduceLoop) const;

  void emitGuardedLanes(OpBuilder &builder);
  void emitGuardedRows(OpBuilder &builder);
  void emitTile(OpBuilder &builder, int64_t numRows, bool hasRowBase);
  void prefetchSums(OpBuilder &builder);
  SmallVector<Value> startValues(OpBuilder &builder);
  SmallVector<Value> reduce(OpBuilder &builder, unsigned depth,
                            SmallVector<Value> values);
  SmallVector<Value> loop(OpBuilder &builder, unsigned depth, Value from,
                          Value to, int64_t step, ArrayRef<Value> values);
  bool readsInStreams(unsigned depth) const;
  SmallVector<Value> loopInStreams(OpBuilder &builder, unsigned depth,
                                   int64_t step, ArrayRef<Value> values);
  SmallVector<Value> update(OpBuilder &builder, ArrayRef<Value> values);
  Value addProduct(OpBuilder &builder, Value sum, Value lhs, Value rhs,
                   Value mask);
  void store(OpBuilder &builder, ArrayRef<Value> values);
  void storeTransposed(OpBuilder &builder, ArrayRef<Value> values);
  bool storeInterleaved(OpBuilder &builder, ArrayRef<Value> values,
                        int64_t vector);
  void storeVector(OpBuilder &builder, Value value, Value mask);
  void storeScalars(OpBuilder &builder, Value value, int64_t vector);

  /// Moves `point` to a row and a lane of the tile.
  void moveTo(int64_t row, int64_t lane) {
    shape.moveTo(point, row, lane, rowBase);
  }
  Value &at(SmallVectorImpl<Value> &values, int64_t row, int64_t vector) {
    return values[row * shape.getNumVectors() + vector];
  }

  NestedBlock &nest;
  const Computation &computation;
  const TileShape &shape;
  Operation *anchor;
  TileEmitter emitter;
  VectorType vectorType;
  std::optional<Prefetch> prefetch;
  Location loc;
  MLIRContext *context;

  /// Which lanes of each vector exist; null for all.
  SmallVector<Value> masks;
  /// The number of lanes that exist, if that is not constant.
  Value numLanes;
  /// The number of lanes that may exist.
  int64_t maxLanes = 0;
  /// Whether this is the first part of the reduction; null if it is the only
  /// one. Later parts add to what is stored.
  Value isFirst;

  // Of the tile under construction.
  int64_t rows = 1;
  AffineExpr rowBase;
  SmallVector<AffineExpr> point;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_REGISTERTILEEMISSION_H
