//===- ElementwiseEmitter.h - Emits functions of elements -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISEEMITTER_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISEEMITTER_H

#include "ElementwiseNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::relay::detail {

/// A value of the body for all iterations: elements of accumulators, or one
/// number.
struct TileValue {
  std::optional<int64_t> number;
  /// The first element, and the step of each loop.
  int64_t first = 0;
  SmallVector<int64_t> steps;
  /// Whether nobody else needs these elements, so that they may be changed.
  bool isOwned = false;
  /// Whether the last thing that wrote them was GEMM or ALU. Hardware stores
  /// only what these have written.
  bool isComputed = false;
  /// What the numbers may be.
  int64_t least = INT32_MIN, most = INT32_MAX;
};

/// Which buffer of an operation.
enum BufferUse : unsigned { kTile, kBytes, kNumber };

class ElementwiseEmitter {
public:
  ElementwiseEmitter(ProgramBuilder &builder, AffineNest nest,
                     const BufferPlaces &places)
      : builder(builder), nest(std::move(nest)), places(places) {}

  LogicalResult run();

private:
  InFlightDiagnostic fail(Operation *op, const Twine &expectation) {
    return op->emitError("expects ") << expectation << " in a kernel of VTA";
  }

  /// The access to a product that is yet to be added, if `value` is one.
  affine::AffineLoadOp getAddedProduct(Value value) const {
    auto load = value.getDefiningOp<affine::AffineLoadOp>();
    return load && places.lookup(load.getMemRef()).product
               ? load
               : affine::AffineLoadOp();
  }
  LogicalResult findLanes(affine::AffineStoreOp store);
  int64_t getNumLanes() const { return builder.getLanes(vta::Memory::Acc); }
  /// The value, computed once for all who need it.
  FailureOr<TileValue> compute(Value value);
  FailureOr<TileValue> computeFresh(Value value);
  FailureOr<TileValue> computeLoad(affine::AffineLoadOp load);
  FailureOr<TileValue> computeSum(Operation *op, Value lhs, Value rhs);
  /// lhs += the product that `load` is of.
  FailureOr<TileValue> addProduct(Operation *op, TileValue lhs,
                                  affine::AffineLoadOp load);
  FailureOr<TileValue> computeExtreme(Operation *op, Value lhs, Value rhs,
                                      bool isMax);
  FailureOr<TileValue> computeSelect(arith::SelectOp op);
  FailureOr<TileValue> computeShift(Operation *op, Value operand, Value amount,
                                    bool isLeft);
  FailureOr<TileValue> computeProduct(arith::MulIOp op);
  FailureOr<TileValue> computeDifference(arith::SubIOp op);
  /// What is stored for the elements of `type`.
  LogicalResult narrow(Operation *op, TileValue &value, unsigned bits);

  /// An element of `memory` for each iteration of the loops in which `isUsed`.
  TileValue allocate(Operation *key, ArrayRef<bool> isUsed,
                     BufferUse use = kTile,
                     vta::Memory memory = vta::Memory::Acc);
  /// The loops along which an address moves.
  SmallVector<bool> getUsedLoops(const LinearIndex &address) const;
  /// What is at `address` of a buffer that begins at element `first`; nullopt
  /// if iterations are not whole elements.
  std::optional<TileValue> getElements(LinearIndex address,
                                       int64_t first) const;
  /// Copies between memory, as `access`, a load or store, says, and `value`,
  /// which is in `memory`.
  LogicalResult transfer(Operation *access, vta::Memory memory,
                         const TileValue &value);
  /// Elements of bytes in memory, in `inp`, with a step for each loop.
  FailureOr<TileValue> loadBytes(affine::AffineLoadOp load);
  FailureOr<TileValue> loadNumber(Operation *key, int64_t number);
  std::optional<TileValue> getResident(affine::AffineLoadOp load,
                                       const LinearIndex &address,
                                       const BufferPlace &place);
  LogicalResult makeOwned(Operation *key, TileValue &value);

  ElementLoops getLoops(const TileValue &dst, const TileValue *src = nullptr);
  void apply(vta::AluOpcode opcode, int64_t imm, TileValue &value) {
    builder.alu(opcode, imm, getLoops(value));
    value.isComputed = true;
  }
  void shift(TileValue &value, int64_t amount);
  LogicalResult combine(Operation *op, vta::AluOpcode opcode, TileValue &lhs,
                        TileValue &rhs);

  ProgramBuilder &builder;
  AffineNest nest;
  const BufferPlaces &places;
  /// The loops of a tile, and those within an element, by their numbers in the
  /// nest.
  SmallVector<unsigned> loops, lanes;
  DenseMap<Value, TileValue> known;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOVTA_ELEMENTWISEEMITTER_H
