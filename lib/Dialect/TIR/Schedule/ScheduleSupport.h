//===- ScheduleSupport.h - Shared by schedule primitives --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_SCHEDULESUPPORT_H
#define RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_SCHEDULESUPPORT_H

#include "relay-mlir/Dialect/TIR/Analysis/IndexSpace.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

namespace mlir::tir {

/// A line of a cache.
inline constexpr int64_t kLineBytes = 64;
/// How far ahead of itself a tile fetches what it alone reads: a page, beyond
/// which the hardware does not look.
inline constexpr int64_t kBytesAhead = 4096;

/// A refusal at `op`, to which the reason is streamed.
inline DiagnosedSilenceableFailure refuse(Operation *op) {
  return emitSilenceableFailure(op->getLoc());
}

/// Numbers as text: `[1, 2]`.
std::string getText(ArrayRef<int64_t> numbers);

/// The memory that a schedule calls `scope`: null for "global", the default
/// one. Refuses at `op` what its target does not have, and a buffer of open
/// size in another memory than the default.
DiagnosedSilenceableFailure findMemory(Operation *op, StringRef scope,
                                       bool hasStaticShape,
                                       relay::MemoryAttr &memory);

/// The memory `local`.
relay::MemoryAttr getLocalMemory(MLIRContext *context);

/// The type of a row-major buffer in `memory`, which may be null.
MemRefType getBufferType(ArrayRef<int64_t> shape, Type elementType,
                         relay::MemoryAttr memory);

/// Whether `value` is computed outside of `op`.
bool isDefinedOutside(Value value, Operation *op);

/// Rebuilds the bindings and guards of the blocks below `root` directly from
/// the loop variables, simplified with the loop bounds; conditions that always
/// hold go. Erases index arithmetic that is no longer used.
void simplifyBindings(RewriterBase &rewriter, Operation *root);

/// Composes index arithmetic in the body of `block` into its accesses,
/// simplifies them over the iteration domain, and recomputes the regions. An
/// access that is not affine any more becomes a memref.load.
void normalizeAccesses(RewriterBase &rewriter, BlockOp block);

/// Whether no iteration of `loops`, which run over the same values, needs what
/// another iteration leaves in a buffer, nor overwrites it; refuses otherwise.
/// With several loops, the bodies count as the parts of one.
DiagnosedSilenceableFailure checkIterationsApart(ArrayRef<ForOp> loops);

/// Whether the iterations of `loop` may run at once: none updates, or uses,
/// what another one writes; refuses otherwise. Several may compute the same
/// element afresh.
DiagnosedSilenceableFailure checkIterationsConcurrent(ForOp loop);

/// The perfect nest of serial loops from 0 around `block`, which bind its
/// iteration variables one to one and hold nothing else; refuses otherwise.
/// loops[i] is that of variable i.
DiagnosedSilenceableFailure matchTrivialNest(BlockOp block,
                                             SmallVectorImpl<ForOp> &loops);

/// The outermost loop around `block`, or the block itself.
Operation *getNest(BlockOp block);

/// Moves the inits of the reductions that `loop` feeds to blocks of their own,
/// as who duplicates the blocks below must: an init runs once.
DiagnosedSilenceableFailure separateInits(RewriterBase &rewriter, ForOp loop);

/// Loops that a primitive restructures are serial and start at 0.
DiagnosedSilenceableFailure checkPlainLoop(ForOp loop);

/// Adds conditions `expr >= 0` over `space` to the guard of `block`.
void addGuard(BlockOp block, IndexSpace &space,
              ArrayRef<AffineExpr> constraints);

/// Conditions that keep each iteration variable of `block` in its domain.
SmallVector<AffineExpr> getDomainConstraints(BlockOp block, IndexSpace &space);

/// Erases `loop` and the loops around it while they are empty.
void eraseEmptyLoops(RewriterBase &rewriter, Operation *loop);

/// Erases index arithmetic in the loops from `root` down that nothing uses.
void eraseDeadIndexOps(RewriterBase &rewriter, Operation *root);

/// Moves buffers and sizes that are defined between the nests of `function`
/// before the first nest, so that a block may move to any nest.
void hoistDefinitions(RewriterBase &rewriter, PrimFuncOp function);

/// The iteration variable that each index of `map` is, all different; -1 for a
/// constant zero. Fails for any other map.
FailureOr<SmallVector<int>> matchBareIndices(AffineMap map);

/// Likewise for the index of an access.
FailureOr<SmallVector<int>> matchBareIndices(const BufferAccess &access);

/// Whether different indices in the domain of `shape` stay different after
/// `layout`, as far as digits of indices tell.
bool isOneToOne(AffineMap layout, ArrayRef<int64_t> shape);

/// Checks that an index map `layout` of dimensions of `shape` keeps every
/// element apart, and that the sizes after it are known; refuses at `op`.
DiagnosedSilenceableFailure checkIndexMap(Operation *op, AffineMap layout,
                                          ArrayRef<int64_t> shape);

/// Adds an opaque iteration variable to `block`.
BlockArgument addOpaqueIter(BlockOp block, Value binding, OpFoldResult extent);

/// Whether a buffer has the mark kRollingAttr.
bool isRolling(Value buffer);

/// Whether nothing that `block` reads is a rolling buffer, so that it may read
/// elsewhere; refuses otherwise.
DiagnosedSilenceableFailure checkReadsWhole(BlockOp block);

/// The op that allocates `buffer`, or null for an argument.
AllocBufferOp getAllocation(Value buffer);

/// A user of `buffer` that neither accesses it by element nor asks for a size,
/// or null.
Operation *findForeignUser(AllocBufferOp buffer);

/// Refuses at `buffer` if it has a foreign user.
DiagnosedSilenceableFailure checkAccessedByElement(AllocBufferOp buffer);

/// Refuses at `block` if `buffer`, which is to go once nothing accesses it, has
/// a foreign user.
DiagnosedSilenceableFailure checkErasable(BlockOp block, AllocBufferOp buffer);

/// Erases a buffer that nothing accesses any more; code that asks for its sizes
/// gets those that it was allocated with.
void eraseAllocation(RewriterBase &rewriter, AllocBufferOp buffer);

/// Changes the type of an argument of `function`, and its signature.
void setArgumentType(PrimFuncOp function, BlockArgument argument, Type type);

/// Whether `a` comes before `b` in the program.
bool isBefore(Operation *a, Operation *b);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_SCHEDULE_SCHEDULESUPPORT_H
