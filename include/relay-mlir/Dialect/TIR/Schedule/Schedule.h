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
// pointers to it remain good. Those to what it erases do not:
//   * loops that become part of another one (fuse, merge), and loops that held
//     nothing but a block that moved or that is gone,
//   * blocks that are inlined, and the loops and blocks in a tensorized loop,
//   * loads and stores of a block, whenever its nest or a buffer of it changes,
//   * intermediate buffers whose type changes: the block tells the new one.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_SCHEDULE_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_SCHEDULE_H

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

/// Runs the iterations of a loop from the last to the first. No iteration may
/// need what another one leaves, nor start a reduction that the others go on
/// with.
DiagnosedSilenceableFailure reverse(RewriterBase &rewriter, ForOp loop);

/// Runs consecutive parts of a loop from 0 in loops of their own, which also
/// start at 0; `sizes` are their extents, one of them may be inferred. `loop`
/// becomes the first. Blocks in the others carry the suffix `_part`; the init
/// of a reduction over the loop becomes a block of its own.
DiagnosedSilenceableFailure loopPartition(RewriterBase &rewriter, ForOp loop,
                                          ArrayRef<int64_t> sizes,
                                          SmallVectorImpl<ForOp> &results);

/// Runs the bodies of neighbouring loops of the same extent in the first of
/// them, one after the other in each iteration. What a later body reads of an
/// earlier one must come from the same iteration.
DiagnosedSilenceableFailure merge(RewriterBase &rewriter, ArrayRef<ForOp> loops,
                                  ForOp &result);

/// Puts a loop that runs once around a loop or a block.
DiagnosedSilenceableFailure addUnitLoop(RewriterBase &rewriter, Operation *op,
                                        ForOp &result);

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

/// How many elements of the buffer that the block writes an iteration of `loop`
/// reads: what `computeAt` would compute there. Absent if that is not known.
std::optional<int64_t> getPieceSize(BlockOp block, ForOp loop);

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
                                      uint64_t index, StringRef scope,
                                      BlockOp &copy);

/// Lets the block write to a new buffer of `scope`, and copies that to the
/// written buffer (entry `index` of its distinct written buffers) after the
/// nest.
DiagnosedSilenceableFailure cacheWrite(RewriterBase &rewriter, BlockOp block,
                                       uint64_t index, StringRef scope,
                                       BlockOp &copy);

/// Likewise for a buffer that the block both reads and writes in place: copies
/// it to a new buffer before the nest and back after it.
DiagnosedSilenceableFailure cacheInplace(RewriterBase &rewriter, BlockOp block,
                                         uint64_t index, StringRef scope,
                                         BlockOp &copyIn, BlockOp &copyOut);

/// Lays out a buffer by the iteration variables that the block indexes it by: a
/// new block copies before the nest (or, if `write`, after it) between the
/// buffer and a new one, whose index in the block is just these variables.
DiagnosedSilenceableFailure reindex(RewriterBase &rewriter, BlockOp block,
                                    bool write, uint64_t index, BlockOp &copy);

/// Likewise, with `layout` of the variables for the index of the new buffer,
/// which is in `scope`.
DiagnosedSilenceableFailure reindexCache(RewriterBase &rewriter, BlockOp block,
                                         bool write, uint64_t index,
                                         StringRef scope, AffineMap layout,
                                         BlockOp &copy);

/// A cacheRead whose copy is computed in `loop`, and a cacheWrite whose copy is
/// consumed there.
DiagnosedSilenceableFailure readAt(RewriterBase &rewriter, ForOp loop,
                                   BlockOp block, uint64_t index,
                                   StringRef scope, BlockOp &copy);
DiagnosedSilenceableFailure writeAt(RewriterBase &rewriter, ForOp loop,
                                    BlockOp block, uint64_t index,
                                    StringRef scope, BlockOp &copy);

/// Fills tables of the indices that loads of the block compute, those that
/// occur at least `minUses` times, before its nest; the loads read them from
/// there. `tables` are the blocks that fill.
DiagnosedSilenceableFailure cacheIndex(RewriterBase &rewriter, BlockOp block,
                                       StringRef scope, int64_t minUses,
                                       SmallVectorImpl<BlockOp> &tables);
/// The number of tables that cacheIndex fills.
size_t countCachedIndices(BlockOp block, int64_t minUses);

/// Keeps what windows of consecutive iterations share: the buffer that the
/// block writes (entry `index`) becomes as large as the window that its
/// readers use in one iteration of the innermost common loop, and the block
/// computes only what is new.
DiagnosedSilenceableFailure rollingBuffer(RewriterBase &rewriter, BlockOp block,
                                          uint64_t index);

/// Rounds the domain of a contraction or elementwise block up to multiples of
/// `padding`, one for each iteration variable: operands are copied to buffers
/// with zeros at the end, a padded result is cropped. A padded reduce variable
/// must index every factor of the product, so that zeros add nothing.
DiagnosedSilenceableFailure padEinsum(RewriterBase &rewriter, BlockOp block,
                                      ArrayRef<int64_t> padding);

/// Splits a block that stores its input where that exists and a constant
/// elsewhere: `fill`, a new block, writes the constant everywhere, and the
/// block itself then only runs where there is input. `loop` is its outermost
/// one.
DiagnosedSilenceableFailure decomposePadding(RewriterBase &rewriter,
                                             BlockOp block, ForOp loop,
                                             BlockOp &fill);

/// Enlarges an intermediate buffer so that the distance of neighbours along
/// `axis`, in elements, is `offset` modulo `factor`.
DiagnosedSilenceableFailure storageAlign(RewriterBase &rewriter,
                                         AllocBufferOp buffer, int64_t axis,
                                         int64_t factor, int64_t offset);

/// Changes the layout of a buffer: the element at index `i` moves to
/// `layout(i)`. The buffer is an intermediate one, or an argument that is
/// `tir.layout_free`, whose type then changes. Every access in the kernel
/// follows. The padding of a packed argument holds zeros.
DiagnosedSilenceableFailure transformLayout(RewriterBase &rewriter,
                                            Value buffer, AffineMap layout);

/// Whether `buffer` is an argument, a constant, whose layout may be changed for
/// the one block that reads it.
bool hasFreeLayout(Value buffer);

/// Stores a packed constant of f32 that only the block reads (entry `index` of
/// its distinct read buffers) as bf16: each load shifts its bits to where those
/// of a float are. The weights are rounded when they are packed.
DiagnosedSilenceableFailure narrowWeights(RewriterBase &rewriter, BlockOp block,
                                          uint64_t index);

/// Makes one dimension of each group of dimensions of a buffer; `separators`
/// are the first ones of all groups but the first.
DiagnosedSilenceableFailure setAxisSeparator(RewriterBase &rewriter,
                                             Value buffer,
                                             ArrayRef<int64_t> separators);

/// Stores the elements of a buffer in another type of the same kind. What does
/// not fit is rounded or cut: this changes results.
DiagnosedSilenceableFailure setDtype(RewriterBase &rewriter,
                                     AllocBufferOp buffer, Type type);

/// Moves a buffer to the memory that the target calls `scope`, or to the
/// default one, "global".
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

/// The other blocks that write what `block` reads, that read what it writes,
/// and all that write outputs of a kernel, in program order.
SmallVector<BlockOp, 6> getProducers(BlockOp block);
SmallVector<BlockOp, 6> getConsumers(BlockOp block);
SmallVector<BlockOp, 6> getOutputBlocks(PrimFuncOp function);

//===----------------------------------------------------------------------===//
// Reductions, annotations, clean-up
//===----------------------------------------------------------------------===//

/// Moves the init of a reduction to a block of its own, `<name>_init`, right
/// before `loop`, which is around all reduce loops of the block.
DiagnosedSilenceableFailure decomposeReduction(RewriterBase &rewriter,
                                               BlockOp block, ForOp loop,
                                               BlockOp &init);

/// Reduces in two steps: each iteration of `loop`, which feeds one reduce
/// variable, has a partial result of its own, in a new buffer whose dimension
/// `axis` (-rank-1 to rank of the result) tells them apart. `partial` is the
/// new block, `<name>_rf`; the block itself combines the partial results after
/// it. Sums are then added in another order.
DiagnosedSilenceableFailure rfactor(RewriterBase &rewriter, ForOp loop,
                                    int64_t axis, BlockOp &partial);

/// Makes one block of a nest of serial loops with one block: an instance of the
/// new block, which takes the old one's name, runs all iterations.
DiagnosedSilenceableFailure blockize(RewriterBase &rewriter, ForOp loop,
                                     BlockOp &result);

/// Gives a block, in a nest of its own, the iteration variables `layout` of the
/// old ones, and one loop for each. The map is one to one and does not mix
/// spatial with reduce variables.
DiagnosedSilenceableFailure
transformBlockLayout(RewriterBase &rewriter, BlockOp block, AffineMap layout);

/// Brings the iteration variables of a block into another order: the new
/// variable i is the old variable order[i].
DiagnosedSilenceableFailure reorderBlockIters(RewriterBase &rewriter,
                                              BlockOp block,
                                              ArrayRef<int64_t> order);

/// Sets a new annotation on a loop or a block, or removes one.
DiagnosedSilenceableFailure annotate(RewriterBase &rewriter, Operation *op,
                                     StringRef name, Attribute value);
DiagnosedSilenceableFailure unannotate(RewriterBase &rewriter, Operation *op,
                                       StringRef name);

/// Simplifies bindings, indices and guards below `root` with what is known of
/// loop bounds: guards that always hold vanish, as do loops with one iteration,
/// nests that never run, and unused index arithmetic.
void simplifyIndices(RewriterBase &rewriter, Operation *root);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_SCHEDULE_H
