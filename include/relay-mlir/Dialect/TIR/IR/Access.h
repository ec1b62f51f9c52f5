//===- Access.h - What a block reads and writes -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_IR_ACCESS_H
#define RELAY_MLIR_DIALECT_TIR_IR_ACCESS_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

#include <optional>

namespace mlir::tir {

/// One access of a buffer by an op in the body of a block.
struct BufferAccess {
  Operation *op;
  /// The buffer itself: views inside the block are looked through.
  Value buffer;
  bool isWrite;
  /// The accessed element as a function of the iteration variables (dimensions)
  /// and of `symbols`. Absent if the element depends on data, or if `op`
  /// accesses more than one element.
  std::optional<AffineMap> map;
  SmallVector<Value> symbols;
};

/// All accesses in `block`, its init included, in program order. Buffers that
/// are allocated inside the block are its own business and left out.
SmallVector<BufferAccess> collectAccesses(BlockOp block);

/// Loads of one element in a block, in program order. The first is on every way
/// to the others, so that what it gives is there for all.
using ElementLoads = SmallVector<Operation *, 2>;

/// The loads of `buffer` among `accesses`, which are all of one block, by the
/// element that they load. Loads in branches of which neither is on the way to
/// the other are apart.
SmallVector<ElementLoads> groupLoads(ArrayRef<BufferAccess> accesses,
                                     Value buffer);

/// One entry of `reads` or `writes`: a buffer and the accessed element as a
/// function of the iteration variables. The map `() -> ()` stands for the whole
/// buffer.
struct AccessRegion {
  Value buffer;
  AffineMap map;
};

/// The distinct regions that `block` reads, and those it writes.
void computeReadsAndWrites(BlockOp block, SmallVectorImpl<AccessRegion> &reads,
                           SmallVectorImpl<AccessRegion> &writes);

/// Follows views (subview, cast, expand_shape, ...) to the buffer they show.
Value getBaseBuffer(Value buffer);

/// The blocks of the same kernel that write (read) `buffer` or a view of it, in
/// program order. A block's init counts as a write.
SmallVector<BlockOp> getWriters(Value buffer);
SmallVector<BlockOp> getReaders(Value buffer);

/// The only block that reads `buffer` besides those that write it, or null.
BlockOp getOnlyReader(Value buffer);

/// Builds `affine.load buffer[map(dims)[symbols]]` without unused operands.
Value createLoad(OpBuilder &builder, Location loc, Value buffer, AffineMap map,
                 ValueRange dims, ValueRange symbols = {});

/// Builds `affine.store value, buffer[map(dims)[symbols]]` likewise.
void createStore(OpBuilder &builder, Location loc, Value value, Value buffer,
                 AffineMap map, ValueRange dims, ValueRange symbols = {});

/// Drops the operands of `map` that no result uses.
void dropUnusedOperands(AffineMap &map, SmallVectorImpl<Value> &operands);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_IR_ACCESS_H
