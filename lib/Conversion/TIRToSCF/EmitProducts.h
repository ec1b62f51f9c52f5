//===- EmitProducts.h - Products of matrices by tensor cores ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_EMITPRODUCTS_H
#define RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_EMITPRODUCTS_H

#include "KernelEmitter.h"

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/TIR/Analysis/BlockNest.h"

namespace mlir::relay::detail {

/// Writes a block with the annotation `cuda.product` for a grid of threads.
class ProductEmitter {
public:
  ProductEmitter(KernelEmitter &emitter, tir::BlockOp block,
                 cuda::ProductAttr attr);

  LogicalResult emit();

private:
  /// One of the two matrices that are multiplied: lines, which are rows of the
  /// left one and columns of the right one, of steps.
  struct Operand {
    tir::BufferAccess access;
    /// Without last dimensions of one element.
    Value buffer;
    Type element;
    SmallVector<int64_t> lines;
    /// Lines of a tile.
    int64_t numLines;
    /// Whether elements of a load are steps of a line, not lines of a step.
    bool alongReduction;
    /// Elements of one load.
    int64_t vectorSize;
    /// Whether threads that follow each other load steps of a line.
    bool threadsAlongReduction;
    /// Loads of each thread for a tile, and where their elements are.
    int64_t numChunks;
    Value registers;
    /// The tile. For `mma.sync` it has stages, pieces, lines and steps. For
    /// `wgmma` what `alongReduction` says is last, 64 elements in a row.
    Value shared;
  };

  Value index(int64_t value);
  Value add(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value rem(Value lhs, Value rhs);
  Value isLess(Value lhs, Value rhs);
  /// The product of extents.
  Value count(ArrayRef<int64_t> vars);
  /// How many tiles of `size` cover that.
  Value countTiles(ArrayRef<int64_t> vars, int64_t size);
  /// The values of variables, of which `linear` is the number in row-major
  /// order.
  void decode(Value linear, ArrayRef<int64_t> vars,
              SmallVectorImpl<Value> &position);
  SmallVector<Value> evaluate(const tir::BufferAccess &access,
                              ArrayRef<Value> position);

  static constexpr int64_t kWarp = cuda::ArchInfo::kWarpSize;
  /// Rows and columns of one `mma.sync`, and bytes of a row of its operands.
  static constexpr int64_t kMmaRows = 16, kMmaColumns = 8, kMmaBytes = 32;
  /// Rows of one `wgmma`, and bytes of a row of its operands.
  static constexpr int64_t kGroupRows = 64, kSwizzleBytes = 128;
  /// Rows of operands that are stored differently, in the order of chunks.
  static constexpr int64_t kSwizzleRows = 8;
  /// Bytes of the widest load.
  static constexpr int64_t kLoadBytes = 16;

  int64_t getPieceBytes() const { return piece.getIntOrFloatBitWidth() / 8; }
  /// Pieces of one load from shared memory, and steps of one product.
  int64_t getLoadSize() const { return kLoadBytes / getPieceBytes(); }
  int64_t getMmaSteps() const { return kMmaBytes / getPieceBytes(); }
  /// The type of sums.
  Type getSumType() const {
    return piece.isInteger() ? b.getI32Type() : Type(b.getF32Type());
  }

  bool byWarpgroups() const {
    return attr.getInstruction() == cuda::ProductAttr::kWgmma;
  }

  int64_t getVectorSize(const tir::BufferAccess &access, int64_t last);
  void dropUnitDims(Operand &operand);
  SmallVector<Value> getIndices(const Operand &operand, Value line, Value step);
  Operand createOperand(const tir::BufferAccess &access,
                        ArrayRef<int64_t> lines, int64_t numLines);
  std::pair<Value, Value> getChunk(const Operand &operand, Value thread,
                                   int64_t chunk);
  /// Where an element of a tile is in shared memory.
  SmallVector<Value> getPlace(const Operand &operand, Value stage, int64_t part,
                              Value line, Value step);
  /// The type of a tile in shared memory.
  SmallVector<int64_t> getShape(const Operand &operand);
  /// From the buffer to registers.
  void loadTile(const Operand &operand, Value thread, Value firstLine,
                Value firstStep);
  Value clamp(Value elements);
  /// From registers to a stage of shared memory.
  void storeTile(const Operand &operand, Value thread, Value stage);
  /// The same for both operands and a step of the loop.
  void loadTiles(Value thread, Value firstRow, Value firstColumn, Value step);
  void storeTiles(Value thread, Value stage);
  /// From the buffer to a stage of shared memory, without waiting.
  void copyTile(const Operand &operand, Value thread, Value firstLine,
                Value firstStep, Value stage);

  /// Fragments of `mma.sync` at a line and a step: all of a left operand, or
  /// two of a right one.
  Value loadFragments(const Operand &operand, Value stage, int64_t part,
                      Value line, Value step);
  Value join(ArrayRef<Value> pairs);
  /// The sums `pairs` and the products of two fragments.
  Value multiplyFragments(Value leftFragments, Value rightFragments,
                          Value pairs);
  Value multiplyIntegers(Value leftFragments, Value rightFragments,
                         Value pairs);
  Value loadSums(Value pair);
  void storeSums(Value value, Value pair);
  /// Adds the products of a stage to the sums of a thread.
  void multiply(Value thread, Value stage);
  /// The same for a warpgroup, without waiting for the sums.
  void multiplyByWarpgroups(Value thread, Value stage);
  /// Where the rows of a thread's warpgroup, or all columns, are for `wgmma`.
  Value describe(const Operand &operand, Value stage, Value firstLine);
  /// Waits for all products but those of the last `numPending` stages.
  void waitForProducts(int64_t numPending);
  /// Lets products by warpgroups see what the thread has stored.
  void fence();
  void shareResults(Value thread, int64_t part);
  LogicalResult storeResults(Value thread, int64_t part, Value firstRow,
                             Value firstColumn);
  Value createCell();
  LogicalResult emitEpilogue(ArrayRef<Value> indices);

  /// Whether the annotation fits the block: schedules may be anybody's.
  LogicalResult verify();
  LogicalResult verifyVars();
  LogicalResult verifyEpilogue();
  LogicalResult verifyOperand(const Operand &operand);

  LogicalResult emitOnThreads(llvm::function_ref<LogicalResult(Value)> body);
  void allocateShared();
  LogicalResult emitTile(Value number);
  /// The loop over parts of operands: through registers, the same while
  /// warpgroups multiply, or by asynchronous copies.
  void emitSteps(Value numSteps, Value firstRow, Value firstColumn);
  void emitOverlappedSteps(Value numSteps, Value firstRow, Value firstColumn);
  void emitAsyncSteps(Value numSteps, Value firstRow, Value firstColumn);
  /// Emits `body` for a step that may not be there.
  void emitIfStep(Value step, Value numSteps, llvm::function_ref<void()> body);
  void clearSums();

  KernelEmitter &emitter;
  OpBuilder &b;
  Location loc;
  tir::BlockOp block, epilogue;
  cuda::ProductAttr attr;
  int64_t numThreads;

  tir::SumOfProducts accesses;
  /// Extents of the variables of the block.
  SmallVector<Value> extents;
  SmallVector<int64_t> rows, columns, reduction;
  /// Rows and columns of a warp.
  int64_t warpRows = 0, warpColumns = 0;
  /// What operands are in shared memory: numbers of 16 bits, or bytes.
  Type piece;
  /// The variables of the batch in the tile at hand; null for the others.
  SmallVector<Value> batchPosition;
  Operand left, right;
  /// Parts of operands that are in shared memory.
  int64_t numStages = 1, numSums = 0;
  /// Results of a thread, two at a time, and some rows of all in shared memory.
  Value sums, results;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_TIRTOSCF_EMITPRODUCTS_H
