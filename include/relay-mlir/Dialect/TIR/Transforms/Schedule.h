//===- Schedule.h - Schedule primitives -------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each primitive rewrites the loops and bindings of one kernel and keeps what
// the kernel computes. It checks its preconditions first: a refusal is a
// silenceable failure that carries the reason, with the IR unchanged. A caller
// that only tries calls `silence()`, one that insists calls `checkAndReport()`.
//
// A loop or block that a primitive keeps stays the same operation, so that
// pointers to it remain good.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULE_H
#define RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULE_H

#include "mlir/Dialect/Transform/Utils/DiagnosedSilenceableFailure.h"
#include "mlir/IR/PatternMatch.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What `split` does with iterations that do not fill the innermost loops.
enum class TailStrategy {
  /// Guards the blocks below, unless the extent is known to divide.
  Predicate,
  /// Runs the full part without guards, and the rest in a loop after it. Blocks
  /// in that loop carry the suffix `_tail`. The init of a reduction over the
  /// loop
  /// becomes a block of its own.
  Partition
};

/// A factor of `split` that follows from the others; at most one.
inline constexpr int64_t kInferFactor = ShapedType::kDynamic;

/// Splits a loop that starts at 0 into one loop for each factor, outermost
/// first. `loop` becomes the outermost of `results`. With `Partition`, `tail`
/// is the loop over the rest (null if nothing is left over, which needs one
/// inferred factor, the first).
DiagnosedSilenceableFailure split(RewriterBase &rewriter, ForOp loop,
                                  ArrayRef<int64_t> factors, TailStrategy tail,
                                  SmallVectorImpl<ForOp> &results,
                                  ForOp *tailLoop = nullptr);

/// Fuses perfectly nested loops, outermost first, into the outermost one.
DiagnosedSilenceableFailure fuse(RewriterBase &rewriter, ArrayRef<ForOp> loops,
                                 ForOp &result);

/// Brings the loops, which lie in one perfect nest, into the given order. Loops
/// of the nest that are not listed keep their place.
DiagnosedSilenceableFailure reorder(RewriterBase &rewriter,
                                    ArrayRef<ForOp> loops);

/// Change the kind of a loop. Parallel and vectorized loops must only feed
/// spatial variables, and different iterations must not write the same element.
DiagnosedSilenceableFailure parallel(RewriterBase &rewriter, ForOp loop);
DiagnosedSilenceableFailure vectorize(RewriterBase &rewriter, ForOp loop);
DiagnosedSilenceableFailure unroll(RewriterBase &rewriter, ForOp loop);
DiagnosedSilenceableFailure bind(RewriterBase &rewriter, ForOp loop,
                                 StringRef threadTag);

//===----------------------------------------------------------------------===//
// Where a block is computed
//===----------------------------------------------------------------------===//

/// Computes the block's element where it is read, and erases block and buffer.
DiagnosedSilenceableFailure computeInline(RewriterBase &rewriter,
                                          BlockOp block);

/// Applies an elementwise block to its producer's value before that is stored,
/// and erases the block and the buffer between them.
DiagnosedSilenceableFailure reverseComputeInline(RewriterBase &rewriter,
                                                 BlockOp block);

/// Moves the block into `loop`, before its consumers there, and computes just
/// what they need. The new loops around the block are its only loops in `loop`.
DiagnosedSilenceableFailure computeAt(RewriterBase &rewriter, BlockOp block,
                                      ForOp loop);

/// Moves the block into `loop`, after its producers there, and consumes just
/// what they have produced.
DiagnosedSilenceableFailure reverseComputeAt(RewriterBase &rewriter,
                                             BlockOp block, ForOp loop);

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Copies the buffer that the block reads (entry `index` of its distinct read
/// buffers) to a new buffer of `scope` before the nest of the block, and reads
/// the copy. `copy` is the new block; `compute_at` places it.
DiagnosedSilenceableFailure cacheRead(RewriterBase &rewriter, BlockOp block,
                                      unsigned index, StringRef scope,
                                      BlockOp &copy);

/// Lets the block write to a new buffer of `scope`, and copies that to the
/// written buffer (entry `index` of its distinct written buffers) after the
/// nest.
DiagnosedSilenceableFailure cacheWrite(RewriterBase &rewriter, BlockOp block,
                                       unsigned index, StringRef scope,
                                       BlockOp &copy);

/// Changes the layout of a buffer: the element at index `i` moves to
/// `layout(i)`. The buffer is an intermediate one, or an argument that is
/// `tir.layout_free`, whose type then changes. Every access in the kernel
/// follows. The padding of a packed argument holds zeros.
DiagnosedSilenceableFailure transformLayout(RewriterBase &rewriter,
                                            Value buffer, AffineMap layout);

/// Moves a buffer to another scope ("global", "local").
DiagnosedSilenceableFailure setScope(RewriterBase &rewriter,
                                     AllocBufferOp buffer, StringRef scope);

/// Shrinks intermediate buffers that live inside one loop to the part that one
/// iteration uses, and moves the allocation there, as `local` if it has at most
/// `maxLocalBytes`.
void compactBuffers(RewriterBase &rewriter, PrimFuncOp function,
                    int64_t maxLocalBytes);

/// The distinct buffers that a block reads or writes, in order of their first
/// appearance in its regions. A buffer that it reads only to update what it
/// writes (a reduction) counts as written only.
SmallVector<Value> getReadBuffers(BlockOp block);
SmallVector<Value> getWrittenBuffers(BlockOp block);

//===----------------------------------------------------------------------===//
// Reductions, annotations, clean-up
//===----------------------------------------------------------------------===//

/// Moves the init of a reduction to a block of its own, `<name>_init`, right
/// before `loop`, which is around all reduce loops of the block.
DiagnosedSilenceableFailure decomposeReduction(RewriterBase &rewriter,
                                               BlockOp block, ForOp loop,
                                               BlockOp &init);

/// Sets a new annotation on a loop or a block.
DiagnosedSilenceableFailure annotate(RewriterBase &rewriter, Operation *op,
                                     StringRef name, Attribute value);

/// Simplifies bindings, indices and guards below `root` with what is known of
/// loop bounds: guards that always hold vanish, as do loops with one iteration
/// and unused index arithmetic.
void simplifyIndices(RewriterBase &rewriter, Operation *root);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_TRANSFORMS_SCHEDULE_H
