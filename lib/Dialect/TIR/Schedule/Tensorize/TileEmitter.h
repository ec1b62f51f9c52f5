//===- TileEmitter.h - Scalar block bodies as vector code -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates values of a block body at points of its nest, one vector along one
// loop (the lane loop) at a time. What does not depend on the lane loop stays
// scalar until it meets a vector.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_TILEEMITTER_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_TILEEMITTER_H

#include "NestedBlock.h"
#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"

namespace mlir::tir {

/// Whether `value`, computed in the body of the block from loads and
/// elementwise ops, can be evaluated by lanes. Otherwise says why.
///
/// If `guards` is given, `value` may stand under conditions that yield a
/// constant where they do not hold (padding). They are added to `guards`, each
/// as an expression that is not negative, and evaluation takes them to hold.
LogicalResult checkVectorizable(NestedBlock &nest, Value value,
                                std::string &reason,
                                SmallVectorImpl<AffineExpr> *guards = nullptr);

/// The index that `op`, in a block, makes a number of; null if it does not.
Value getIndexAsData(Operation *op);

/// What a condition in a block yields if it holds; null if `op` is none.
Value getGuardedValue(Operation *op);

class TileEmitter {
public:
  /// Index arithmetic that is the same for the whole tile goes before `anchor`.
  /// `symbolValues` are what the symbols of `nest` stand for there. The last
  /// vector may reach `overhang` lanes beyond the end of the lane loop.
  TileEmitter(NestedBlock &nest, Operation *anchor, unsigned laneLoop,
              int64_t lanes, int64_t overhang, ArrayRef<Value> symbolValues);

  /// A constant 0 at the start of an empty block, as the `anchor` above.
  static Operation *createAnchor(BlockOp block);

  /// An additional dimension of the expressions in points, beyond the loops of
  /// the nest: the first row of a tile that is itself in a loop.
  AffineExpr getRowBase() const;
  void setDim(unsigned dim, Value value) { dimValues[dim] = value; }
  Value getSymbolValue(unsigned symbol) const { return symbolValues[symbol]; }

  /// Forgets values of the current body; call when code moves to another one.
  void beginBody();

  /// The value at `point`, which gives each loop of the nest as an expression;
  /// for the lane loop, the first lane. `mask` (may be null) are the lanes that
  /// exist. A vector if it depends on the lane loop, else a scalar.
  Value evaluate(OpBuilder &builder, Value value, ArrayRef<AffineExpr> point,
                 Value mask);

  /// `evaluate`, but always a vector.
  Value evaluateVector(OpBuilder &builder, Value value,
                       ArrayRef<AffineExpr> point, Value mask);
  Value toVector(OpBuilder &builder, Value scalar);

  /// What `value` is at `point`, and on all lanes, if it is a load of a
  /// constant; else null.
  Attribute getConstant(Value value, ArrayRef<AffineExpr> point);

  /// `expr` as an index. Over loops, row base and symbols.
  Value emitIndex(OpBuilder &builder, AffineExpr expr);

  /// Moves `builder` to where the guards hold that no loop of the nest is in.
  void enterOuterGuards(OpBuilder &builder);

  /// The element position that `access` touches at `point`.
  AffineExpr getPosition(Operation *access, ArrayRef<AffineExpr> point);

  /// `count` elements from `position` on, of the buffer that `access` loads
  /// from.
  Value loadElements(OpBuilder &builder, Operation *access, AffineExpr position,
                     int64_t count);

  /// The buffer as one row of elements.
  Value getFlatView(Value buffer);

  VectorType getVectorType(Type elementType) const {
    return VectorType::get({lanes}, elementType);
  }

private:
  /// `evaluate`, where `evaluated` holds what has been at the same point.
  Value evaluate(OpBuilder &builder, Value value, ArrayRef<AffineExpr> point,
                 Value mask, DenseMap<Value, Value> &evaluated);
  Value load(OpBuilder &builder, Operation *op, ArrayRef<AffineExpr> point,
             Value mask);
  Value emitIndexAsData(OpBuilder &builder, Operation *op,
                        ArrayRef<AffineExpr> point);
  Value loadStrided(OpBuilder &builder, Value view, Value index, int64_t stride,
                    VectorType type, Value mask);

  NestedBlock &nest;
  OpBuilder prologue;
  Value zero;
  unsigned laneLoop;
  int64_t lanes;
  int64_t overhang;
  SmallVector<Value> symbolValues;
  SmallVector<Value> dimValues;
  IndexBounds bounds;
  DenseMap<Value, Value> flatViews;
  DenseMap<Value, FailureOr<ConstantTable>> tables;
  /// The access functions, which are asked for at every point.
  DenseMap<Operation *, AffineExpr> positions;
  /// Sums over symbols only; computed once, in the prologue.
  DenseMap<AffineExpr, Value> invariants;
  // Of the current body.
  DenseMap<AffineExpr, Value> variants;
  /// What was loaded: by buffer, first position, stride of the lanes, and mask.
  DenseMap<std::tuple<Value, AffineExpr, int64_t, Value>, Value> loads;
  DenseMap<Value, Value> broadcasts;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_TENSORIZE_TILEEMITTER_H
