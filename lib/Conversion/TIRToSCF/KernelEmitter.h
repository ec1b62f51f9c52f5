//===- KernelEmitter.h - Loop nests of blocks to scf and vector -*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the body of a kernel anew: loops by their kind, blocks dissolved, and
// the bodies of vectorized loops on several lanes at once.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_KERNELEMITTER_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_KERNELEMITTER_H

#include "LoopPlan.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::relay::detail {

/// What the emitter knows of the machine.
struct VectorTarget {
  TargetAttrInterface attribute;
  int64_t bits;
  bool hasMaskedAccess;
  bool hasGather;
};

/// What a value of the kernel has become.
struct Lowered {
  enum Kind {
    /// The same for all lanes: a scalar.
    Uniform,
    /// An index that grows by `stride` from lane to lane; `value` is lane 0's.
    Linear,
    /// A vector.
    Varying
  };
  Kind kind = Uniform;
  Value value;
  int64_t stride = 0;

  static Lowered uniform(Value value) { return {Uniform, value, 0}; }
  static Lowered varying(Value value) { return {Varying, value, 0}; }
  static Lowered linear(Value value, int64_t stride) {
    return {stride ? Linear : Uniform, value, stride};
  }
  bool isUniform() const { return kind == Uniform; }
};

class KernelEmitter {
  /// Writes whole blocks of its own.
  friend class ProductEmitter;

public:
  KernelEmitter(tir::PrimFuncOp kernel, VectorTarget target)
      : kernel(kernel), target(target), builder(kernel.getContext()) {}

  /// Fills the empty function, whose arguments have converted types.
  LogicalResult emit(func::FuncOp function);

  /// Buffers hold booleans as bytes, and integers without a sign. Memories that
  /// have the addresses of the default one are that.
  Type convertType(Type type) const;

private:
  using BodyFn = llvm::function_ref<LogicalResult()>;

  //===--------------------------------------------------------------------===//
  // Loops and blocks (KernelEmitter.cpp)
  //===--------------------------------------------------------------------===//

  LogicalResult emitBody(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitLoop(tir::ForOp loop);
  /// Runs `body` for each iteration of `loop`, whose induction variable is
  /// mapped.
  LogicalResult emitIterations(tir::ForOp loop, BodyFn body);
  /// A loop over [lower, upper), one iteration at a time.
  LogicalResult emitSerial(tir::ForOp loop, Value lower, Value upper,
                           BodyFn body);
  /// A bound of a loop in the new function.
  Value getBound(OpFoldResult bound);
  /// Whether a loop that is all that `loop` does has no iterations, so that
  /// `loop` may have none, however many it would have; else null.
  Value isEmptyInside(tir::ForOp loop);
  /// The body of a loop that runs at once, with the stack buffers of its own.
  LogicalResult emitWithBuffers(tir::ForOp loop, BodyFn body);
  LogicalResult emitParallel(tir::ForOp loop, BodyFn body);
  LogicalResult emitBound(tir::ForOp loop, BodyFn body);
  LogicalResult emitVectorized(tir::ForOp loop, BodyFn body);
  /// Runs `body` on `count` lanes that start at `base`.
  LogicalResult emitLanes(tir::ForOp loop, Value base, int64_t count,
                          Value mask, int64_t slot, BodyFn body);
  LogicalResult emitBlock(tir::BlockOp block);
  LogicalResult emitBlockBody(tir::BlockOp block);
  /// The init of `block`, with the loops of its spatial variables that lie in
  /// `loops`, before `scope`, in which the reduction runs.
  LogicalResult emitHoistedInit(tir::BlockOp block, tir::ForOp scope,
                                ArrayRef<tir::ForOp> loops);
  LogicalResult emitInit(tir::BlockOp block);
  LogicalResult emitGuarded(tir::BlockOp block, BodyFn body);
  /// Runs `body` for each lane by itself.
  LogicalResult emitEachLane(BodyFn body);
  void emitIf(Value condition, llvm::function_ref<void()> thenBody,
              llvm::function_ref<void()> elseBody = nullptr);
  bool isFlat(MemoryAttr memory) const;
  LogicalResult emitAlloc(tir::AllocBufferOp alloc);
  void createAlloca(tir::AllocBufferOp alloc);

  //===--------------------------------------------------------------------===//
  // Values (EmitValues.cpp)
  //===--------------------------------------------------------------------===//

  LogicalResult emitElementwise(Operation *op);
  LogicalResult emitClone(Operation *op);
  LogicalResult emitInnerLoop(affine::AffineForOp loop);
  LogicalResult emitConditional(Operation *op, Lowered condition,
                                Region &thenRegion, Region &elseRegion);
  bool tryEmitIndexArithmetic(Operation *op);

  Lowered lookup(Value value) const;
  void map(Value value, Lowered lowered) { values[value] = lowered; }
  /// Evaluates anew what `value` is computed from in `scope`.
  FailureOr<Lowered> evaluate(Value value, Operation *scope);
  FailureOr<Lowered> evaluate(Value value, Operation *scope,
                              DenseSet<Value> &evaluated);

  Value toVector(Lowered lowered);
  Value getConstantIndex(int64_t value);
  /// The vector [0, stride, 2 * stride, ...].
  Value getSteps(Type elementType, int64_t stride);
  VectorType getVectorType(Type elementType) const {
    return VectorType::get({lanes.count}, elementType);
  }

  Lowered evaluate(AffineExpr expr, unsigned numDims,
                   ArrayRef<Lowered> operands);
  /// The value in lane 0 of what no vector is an operand of.
  Value evaluateFirstLane(AffineExpr expr, unsigned numDims,
                          ArrayRef<Lowered> operands);
  Value evaluateOnLanes(AffineExpr expr, unsigned numDims,
                        ArrayRef<Lowered> operands);
  std::optional<int64_t> getStride(AffineExpr expr, unsigned numDims,
                                   ArrayRef<Lowered> operands) const;
  int64_t getDivisor(AffineExpr expr, unsigned numDims,
                     ArrayRef<Lowered> operands) const;
  int64_t getDivisor(Value value) const;
  SmallVector<Lowered> lookupAll(ValueRange range) const;

  Value clampIndex(Value index, int64_t limit);
  /// `index >= 0`, or `index == 0`.
  Lowered compareWithZero(Lowered index, bool isEquality);
  /// The conjunction of all constraints.
  Lowered evaluate(IntegerSet set, ArrayRef<Lowered> operands);
  Lowered conjoin(Lowered a, Lowered b);

  //===--------------------------------------------------------------------===//
  // Memory (EmitAccesses.cpp)
  //===--------------------------------------------------------------------===//

  LogicalResult emitAccess(Operation *op);
  Lowered emitLoad(Value memref, ArrayRef<Lowered> indices);
  std::optional<SmallVector<int64_t>>
  getLaneDistances(AffineExpr expr, unsigned numDims,
                   ArrayRef<Lowered> operands) const;
  std::optional<Lowered> tryPickLanes(affine::AffineLoadOp load);
  void emitStore(Lowered value, Value memref, ArrayRef<Lowered> indices);
  Value emitScalarLoad(Value memref, ValueRange indices);
  /// The mask that is in force, or one of all lanes.
  Value getMask();
  SmallVector<Value> getLane(ArrayRef<Lowered> indices, int64_t lane);
  bool isContiguous(ArrayRef<Lowered> indices) const;
  Value getOffsets(Value memref, ArrayRef<Lowered> indices,
                   SmallVectorImpl<Value> &base);

  //===--------------------------------------------------------------------===//
  // Reductions over lanes (EmitReductions.cpp)
  //===--------------------------------------------------------------------===//

  /// Accumulators of one reduction while the loop that carries it is emitted.
  struct Accumulators {
    /// Where they start.
    Operation *anchor = nullptr;
    /// One vector for each width and slot.
    llvm::MapVector<std::pair<int64_t, int64_t>, Value> vectors;
  };

  void beginReductions(tir::ForOp loop);
  LogicalResult endReductions(tir::ForOp loop);
  LogicalResult emitAccumulation(const LaneReduction &reduction);
  Value combine(const LaneReduction &reduction, Value lhs, Value rhs);

  Location getLoc() const { return loc; }

  tir::PrimFuncOp kernel;
  VectorTarget target;
  OpBuilder builder;
  Location loc = UnknownLoc::get(kernel.getContext());
  LoopPlan plan;

  llvm::DenseMap<Value, Lowered> values;
  /// Known divisors of values of the new function.
  llvm::DenseMap<Value, int64_t> divisors;

  /// The lanes that are emitted at present.
  struct Lanes {
    int64_t count = 1;
    /// Null if all lanes are active.
    Value mask;
    /// Whether the mask may have no active lane at all.
    bool mayBeEmpty = false;
    /// The accumulators to use.
    int64_t slot = 0;
    tir::ForOp loop;
    Value base;
  } lanes;

  /// The vectorized loop of which a lane is emitted by itself, if any.
  tir::ForOp laneScope;

  llvm::DenseMap<const LaneReduction *, Accumulators> accumulators;
  /// Loops around which one asks already whether they have iterations.
  llvm::DenseSet<Operation *> askedLoops;
  /// Top-level buffers that only one parallel loop uses.
  llvm::DenseMap<Operation *, SmallVector<tir::AllocBufferOp>> deferredAllocs;
  /// Where stack buffers go.
  Operation *allocaPoint = nullptr;
  int64_t stackBytes = 0;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_KERNELEMITTER_H
