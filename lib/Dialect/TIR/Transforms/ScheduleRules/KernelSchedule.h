//===- KernelSchedule.h - A kernel while rules schedule it ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primitives as rules use them: a rule tries, learns whether it worked, and
// goes on. Each step that worked is recorded.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_KERNELSCHEDULE_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_KERNELSCHEDULE_H

#include "relay-mlir/Dialect/TIR/Transforms/Schedule.h"
#include "relay-mlir/Dialect/TIR/Transforms/ScheduleRemarks.h"
#include "relay-mlir/Dialect/TIR/Transforms/ScheduleTrace.h"
#include "relay-mlir/Target/TargetInfo.h"

#include <deque>

namespace mlir::tir {

enum class Intrinsic { RegisterTile, RowReduction };

/// Handles are good until the op is erased, which primitives say of themselves
/// (Schedule.h), and what is kept here forgets such ops: another may come to
/// where one was.
class KernelSchedule : private RewriterBase::Listener {
public:
  KernelSchedule(PrimFuncOp kernel, const relay::TargetInfo &target,
                 ScheduleTrace *trace, ScheduleRemarks *remarks = nullptr)
      : kernel(kernel), target(target), rewriter(kernel.getContext(), this),
        trace(trace), remarks(remarks) {}
  KernelSchedule(const KernelSchedule &) = delete;

  PrimFuncOp getKernel() const { return kernel; }
  IRRewriter &getRewriter() { return rewriter; }
  /// Whether steps are recorded: then all that is done must be a step.
  bool isRecorded() const { return trace; }
  const relay::TargetInfo &getTarget() const { return target; }
  /// The first block that this has not returned before; null if there is none.
  BlockOp getNextBlock();
  /// Registers that hold vectors.
  int64_t getNumVectorRegisters() const;
  int64_t getLanes(Type elementType) const {
    return target.getVectorBits() / elementType.getIntOrFloatBitWidth();
  }
  /// Whether `buffer` is an argument, a constant, whose layout may be changed
  /// for the one block that reads it.
  bool isLayoutFree(Value buffer);

  /// Empty if refused.
  SmallVector<ForOp> split(ForOp loop, ArrayRef<int64_t> factors);
  /// Null if refused.
  ForOp fuse(ArrayRef<ForOp> loops);
  LogicalResult reorder(ArrayRef<ForOp> loops);
  LogicalResult parallel(ForOp loop);
  LogicalResult vectorize(ForOp loop);
  LogicalResult computeInline(BlockOp block);
  LogicalResult reverseComputeInline(BlockOp block);
  LogicalResult computeAt(BlockOp block, ForOp loop);
  LogicalResult reverseComputeAt(BlockOp block, ForOp loop);
  /// Null if refused.
  BlockOp cacheRead(BlockOp block, Value buffer, StringRef scope);
  /// `buffer` is one that the block reads.
  LogicalResult transformReadLayout(BlockOp block, Value buffer,
                                    AffineMap layout);
  LogicalResult transformWriteLayout(BlockOp block, Value buffer,
                                     AffineMap layout);
  /// Enlarges the last or last but one dimension of an intermediate buffer that
  /// the block writes to `size`.
  LogicalResult enlarge(BlockOp block, Value buffer, bool isLast, int64_t size);
  LogicalResult tensorize(ForOp loop, Intrinsic intrinsic);

  /// Tensorizes the innermost loops of the block, with the reduction loops
  /// right around them, or, without reduction, its `numLoops` innermost loops.
  /// That happens at the end: other primitives do not see through the result.
  void deferTensorize(BlockOp block, Intrinsic intrinsic,
                      unsigned numLoops = 2) {
    deferred.push_back({block, intrinsic, numLoops});
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

private:
  using Kind = ScheduleStep::Kind;

  void notifyOperationErased(Operation *op) override;

  void remarkRefusal(const ScheduleStep &step, std::string reason);
  /// "8 x 16 tile of f32", for the loops from `loop` inwards.
  std::string describeTile(ForOp loop) const;
  /// How many of the innermost loops around `block`, at most `numLoops`, make a
  /// tile whose vectors are not too much to write out. May split one of them.
  size_t limitTile(BlockOp block, size_t numLoops);
  void compactBuffers();
  void simplify();
  LogicalResult transformLayout(Value buffer, AffineMap layout,
                                ScheduleStep step);
  LogicalResult finish(DiagnosedSilenceableFailure result, ScheduleStep step);
  LoopPosition getPosition(ForOp loop) const;
  ScheduleStep getStep(Kind kind, ArrayRef<ForOp> loops,
                       BlockOp block = {}) const;

  PrimFuncOp kernel;
  const relay::TargetInfo &target;
  IRRewriter rewriter;
  ScheduleTrace *trace;
  ScheduleRemarks *remarks;
  struct Deferred {
    BlockOp block;
    Intrinsic intrinsic;
    unsigned numLoops;
  };
  std::deque<Deferred> deferred;
  llvm::DenseSet<Operation *> returned;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SCHEDULERULES_KERNELSCHEDULE_H
