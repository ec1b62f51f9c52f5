//===- BlockOps.cpp - Transform ops on blocks and buffers -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

using transform::TransformResults;
using transform::TransformRewriter;
using transform::TransformState;

//===----------------------------------------------------------------------===//
// Where a block is computed
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(ComputeAtOp, Primitive)
DEFINE_EFFECTS(ReverseComputeAtOp, Primitive)

/// The block behind the only operand goes away.
static void
getInlineEffects(Operation *op,
                 SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(op->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}
DEFINE_EFFECTS(ComputeInlineOp, Inline)
DEFINE_EFFECTS(ReverseComputeInlineOp, Inline)

DiagnosedSilenceableFailure ComputeInlineOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &,
                                                   TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return computeInline(rewriter, block);
  });
}

DiagnosedSilenceableFailure
ReverseComputeInlineOp::apply(TransformRewriter &rewriter, TransformResults &,
                              TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return reverseComputeInline(rewriter, block);
  });
}

DiagnosedSilenceableFailure ComputeAtOp::apply(TransformRewriter &rewriter,
                                               TransformResults &,
                                               TransformState &state) {
  // A location that was sampled may be none of the loops: the kernel stands for
  // where the block is, the block itself for its readers.
  auto location = state.getPayloadOps(getLoop());
  Operation *target =
      llvm::hasSingleElement(location) ? *location.begin() : nullptr;
  if (isa_and_nonnull<PrimFuncOp>(target))
    return DiagnosedSilenceableFailure::success();
  auto block = dyn_cast_if_present<BlockOp>(target);
  auto self = state.getPayloadOps(getBlock());
  if (block && llvm::hasSingleElement(self) && *self.begin() == block)
    return computeInline(rewriter, block);
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    return computeAt(rewriter, block, loop);
  });
}

DiagnosedSilenceableFailure
ReverseComputeAtOp::apply(TransformRewriter &rewriter, TransformResults &,
                          TransformState &state) {
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    return reverseComputeAt(rewriter, block, loop);
  });
}

//===----------------------------------------------------------------------===//
// Buffers and reductions
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(CacheReadOp, Primitive)
DEFINE_EFFECTS(CacheWriteOp, Primitive)
DEFINE_EFFECTS(DecomposeReductionOp, Primitive)

DiagnosedSilenceableFailure CacheReadOp::apply(TransformRewriter &rewriter,
                                               TransformResults &results,
                                               TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    BlockOp copy;
    DiagnosedSilenceableFailure done =
        cacheRead(rewriter, block, getIndex(), getScope(), copy);
    if (done.succeeded())
      results.set(cast<OpResult>(getCopy()), {copy});
    return done;
  });
}

DiagnosedSilenceableFailure CacheWriteOp::apply(TransformRewriter &rewriter,
                                                TransformResults &results,
                                                TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    BlockOp copy;
    DiagnosedSilenceableFailure done =
        cacheWrite(rewriter, block, getIndex(), getScope(), copy);
    if (done.succeeded())
      results.set(cast<OpResult>(getCopy()), {copy});
    return done;
  });
}

DiagnosedSilenceableFailure
DecomposeReductionOp::apply(TransformRewriter &rewriter,
                            TransformResults &results, TransformState &state) {
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    BlockOp init;
    DiagnosedSilenceableFailure done =
        decomposeReduction(rewriter, block, loop, init);
    if (done.succeeded())
      results.set(cast<OpResult>(getInit()), {init});
    return done;
  });
}
