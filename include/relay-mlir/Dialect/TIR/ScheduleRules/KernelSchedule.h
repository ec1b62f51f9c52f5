//===- KernelSchedule.h - A kernel while rules schedule it ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives as rules use them: a rule tries, learns whether it worked, and
// goes on. A step is a transform op of the kernel's script, which the session
// runs: there is no other way to change the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_KERNELSCHEDULE_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_KERNELSCHEDULE_H

#include "relay-mlir/Dialect/TIR/Schedule/MatrixTiles.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRemarks.h"
#include "relay-mlir/Dialect/TIR/TransformOps/ScheduleSession.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace mlir::tir {

enum class Intrinsic { RegisterTile, RowReduction };

/// Loops and blocks are good until the op is erased, which primitives say of
/// themselves (Schedule.h). What is kept here knows blocks by their names,
/// which are unique: another op may come to where one was.
class KernelSchedule {
public:
  KernelSchedule(PrimFuncOp kernel, relay::TargetAttrInterface target,
                 ScheduleRemarks *remarks = nullptr)
      : kernel(kernel), target(target), session(kernel), remarks(remarks) {}
  KernelSchedule(const KernelSchedule &) = delete;

  PrimFuncOp getKernel() const { return kernel; }
  relay::TargetAttrInterface getTarget() const { return target; }
  /// How many elements a vector has; 1 if there are no vectors.
  int64_t getLanes(Type elementType) const {
    return std::max<int64_t>(1, target.getVectorBits() /
                                    elementType.getIntOrFloatBitWidth());
  }
  /// The first block that this has not returned before; null if there is none.
  BlockOp getNextBlock();
  /// Says that a rule for another block has scheduled this one.
  void setScheduled(BlockOp block) { returned.insert(block.getName()); }

  /// Empty if refused.
  SmallVector<ForOp> split(ForOp loop, ArrayRef<int64_t> factors);
  /// Null if refused.
  ForOp fuse(ArrayRef<ForOp> loops);
  LogicalResult reorder(ArrayRef<ForOp> loops);
  LogicalResult parallel(ForOp loop);
  LogicalResult vectorize(ForOp loop);
  LogicalResult unroll(ForOp loop);
  /// `tag` is a hardware index: "threadIdx.x".
  LogicalResult bind(ForOp loop, StringRef tag);
  LogicalResult annotate(BlockOp block, StringRef name, Attribute value);
  LogicalResult computeInline(BlockOp block);
  LogicalResult reverseComputeInline(BlockOp block);
  LogicalResult computeAt(BlockOp block, ForOp loop);
  LogicalResult reverseComputeAt(BlockOp block, ForOp loop);
  /// Null if refused.
  BlockOp cacheRead(BlockOp block, Value buffer, StringRef scope);
  BlockOp cacheWrite(BlockOp block, Value buffer, StringRef scope);
  /// The block that stores what the reduction starts from, right before `loop`;
  /// null if refused.
  BlockOp decomposeReduction(BlockOp block, ForOp loop);
  /// The block that computes a partial result for each iteration of `loop`, a
  /// reduction loop; null if refused.
  BlockOp rfactor(ForOp loop);
  /// Shrinks buffers to what one iteration uses; as many as fit in `maxBytes`
  /// go to local memory, or stay in the one that they have.
  void compactBuffers(int64_t maxBytes);
  /// Moves an intermediate buffer that the block writes to another memory.
  LogicalResult setScope(BlockOp block, Value buffer, StringRef scope);
  /// `buffer` is one that the block reads.
  LogicalResult transformReadLayout(BlockOp block, Value buffer,
                                    AffineMap layout);
  LogicalResult transformWriteLayout(BlockOp block, Value buffer,
                                     AffineMap layout);
  /// Enlarges the last or last but one dimension of an intermediate buffer that
  /// the block writes to `size`.
  LogicalResult enlarge(BlockOp block, Value buffer, bool isLast, int64_t size);
  /// Gives the block a variable for each result of the map over its own ones.
  LogicalResult transformBlockLayout(BlockOp block, AffineMap layout);
  /// `buffer` is a packed constant that the block reads.
  LogicalResult narrowWeights(BlockOp block, Value buffer);
  LogicalResult tileMatrix(BlockOp block, const MatrixTileOptions &options);
  LogicalResult tensorize(ForOp loop, Intrinsic intrinsic);
  /// Replaces the nest of `loop`, which must do what `description` does, by
  /// `implementation`: an intrinsic of the target. Both are copied; their names
  /// tell them from others.
  LogicalResult tensorizeWith(ForOp loop, PrimFuncOp description,
                              PrimFuncOp implementation);

  /// Tensorizes the innermost loops of the block, with the reduction loops
  /// right around them, or, without reduction, its `numLoops` innermost loops.
  /// That happens at the end: other primitives do not see through the result.
  void deferTensorize(BlockOp block, Intrinsic intrinsic,
                      unsigned numLoops = 2) {
    deferred.push_back({block.getName().str(), intrinsic, numLoops});
  }

  /// Tells people what was done, or why something was not. `name` is one word.
  void remark(StringRef name, const Twine &text) {
    if (remarks)
      remarks->push_back({/*isMissed=*/false, name.str(), text.str()});
  }
  void remarkMissed(StringRef name, const Twine &text) {
    if (remarks)
      remarks->push_back({/*isMissed=*/true, name.str(), text.str()});
  }

  /// What is left to do when all blocks have been scheduled.
  void finalize();

  /// The script of all that was done, in a module of its own; ends the
  /// schedule. Null if a step failed in a way that no rule can go on from,
  /// which has been reported.
  OwningOpRef<ModuleOp> takeScript() {
    return isBroken ? OwningOpRef<ModuleOp>() : session.takeScript();
  }

private:
  /// Whether a step changes loops, so that handles to them are found again.
  enum class Loops { Stay, Change };

  /// Runs a query, which is never refused.
  void find(transform::TransformOpInterface query);
  /// The handle of a block.
  Value getHandle(BlockOp block);
  /// The handle of a loop, which is around some block.
  Value getHandle(ForOp loop);
  SmallVector<Value> getHandles(ArrayRef<ForOp> loops);
  Type getHandleType();
  /// Appends an op that `args` build, and runs it. `name` and `block` are those
  /// of a remark if it is refused.
  template <typename OpTy, typename... Args>
  FailureOr<OpTy> apply(Loops loops, StringRef name, StringRef block,
                        Args &&...args);
  /// The payload of a result of a step.
  template <typename PayloadT>
  PayloadT getPayload(Value handle);

  void remarkRefusal(StringRef name, StringRef block, std::string reason);
  /// "8 x 16 tile of f32", for the loops from `loop` inwards.
  std::string describeTile(ForOp loop) const;
  /// How many of the innermost loops around `block`, at most `numLoops`, make a
  /// tile whose vectors are not too much to write out. May split one of them.
  size_t limitTile(BlockOp block, size_t numLoops);
  LogicalResult transformLayout(BlockOp block, Value buffer, bool isWritten,
                                unsigned index, AffineMap layout);

  PrimFuncOp kernel;
  relay::TargetAttrInterface target;
  ScheduleSession session;
  ScheduleRemarks *remarks;
  bool isBroken = false;
  struct Deferred {
    std::string block;
    Intrinsic intrinsic;
    unsigned numLoops;
  };
  std::deque<Deferred> deferred;
  llvm::StringSet<> returned;
  llvm::StringMap<Value> blocks;
  /// Handles to the loops around a block, until a step changes loops.
  llvm::StringMap<SmallVector<Value>> loops;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_KERNELSCHEDULE_H
