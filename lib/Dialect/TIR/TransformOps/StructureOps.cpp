//===- StructureOps.cpp - Transform ops on loops and domains --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

using transform::TransformResults;
using transform::TransformRewriter;
using transform::TransformState;

/// The one payload op of a handle to a loop or a block.
static DiagnosedSilenceableFailure getTarget(TransformState &state,
                                             Operation *op, Value handle,
                                             Operation *&target) {
  auto ops = state.getPayloadOps(handle);
  if (!llvm::hasSingleElement(ops))
    return emitSilenceableFailure(op->getLoc())
           << "expects a handle to one op, but got " << llvm::range_size(ops);
  target = *ops.begin();
  return DiagnosedSilenceableFailure::success();
}

/// Sets the results of `op` if the primitive was applied.
template <typename... Ops>
static DiagnosedSilenceableFailure
setResults(DiagnosedSilenceableFailure done, Operation *op,
           TransformResults &results, Ops... created) {
  if (!done.succeeded())
    return done;
  unsigned index = 0;
  (results.set(op->getOpResult(index++), {created.getOperation()}), ...);
  return done;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(GetChildBlocksOp, Query)
DEFINE_EFFECTS(GetProducersOp, Query)
DEFINE_EFFECTS(GetConsumersOp, Query)
DEFINE_EFFECTS(GetOutputBlocksOp, Query)

template <typename PayloadT, typename OpTy, typename SelectFn>
static DiagnosedSilenceableFailure
queryBlocks(OpTy op, TransformResults &results, TransformState &state,
            StringRef what, SelectFn select) {
  PayloadT payload;
  DiagnosedSilenceableFailure found =
      getPayload(state, op, op.getTarget(), payload);
  if (!found.succeeded())
    return found;
  SmallVector<BlockOp, 6> blocks = select(payload);
  if (blocks.size() != op->getNumResults())
    return emitSilenceableFailure(op.getLoc())
           << "expects " << op->getNumResults() << " " << what << ", but got "
           << blocks.size();
  for (auto [result, block] : llvm::zip(op->getOpResults(), blocks))
    results.set(result, {block.getOperation()});
  return DiagnosedSilenceableFailure::success();
}

DiagnosedSilenceableFailure GetChildBlocksOp::apply(TransformRewriter &,
                                                    TransformResults &results,
                                                    TransformState &state) {
  return queryBlocks<ForOp>(*this, results, state, "blocks in the loop",
                            [](ForOp loop) { return loop.getBlocks(); });
}

DiagnosedSilenceableFailure GetProducersOp::apply(TransformRewriter &,
                                                  TransformResults &results,
                                                  TransformState &state) {
  return queryBlocks<BlockOp>(
      *this, results, state, "producers",
      [](BlockOp block) { return getProducers(block); });
}

DiagnosedSilenceableFailure GetConsumersOp::apply(TransformRewriter &,
                                                  TransformResults &results,
                                                  TransformState &state) {
  return queryBlocks<BlockOp>(
      *this, results, state, "consumers",
      [](BlockOp block) { return getConsumers(block); });
}

DiagnosedSilenceableFailure GetOutputBlocksOp::apply(TransformRewriter &,
                                                     TransformResults &results,
                                                     TransformState &state) {
  return queryBlocks<PrimFuncOp>(
      *this, results, state, "output blocks",
      [](PrimFuncOp function) { return getOutputBlocks(function); });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(ReverseOp, Primitive)
DEFINE_EFFECTS(LoopPartitionOp, Primitive)
DEFINE_EFFECTS(AddUnitLoopOp, Primitive)

/// All loops but the first go away.
void MergeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  MutableArrayRef<OpOperand> loops = (*this)->getOpOperands();
  transform::onlyReadsHandle(loops.take_front(), effects);
  transform::consumesHandle(loops.drop_front(), effects);
  transform::producesHandle((*this)->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure ReverseOp::apply(TransformRewriter &rewriter,
                                             TransformResults &,
                                             TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  return found.succeeded() ? tir::reverse(rewriter, loop) : std::move(found);
}

LogicalResult LoopPartitionOp::verify() {
  if (getNumResults() != getSizes().size())
    return emitOpError("expects ")
           << getSizes().size() << " results, but got " << getNumResults();
  return success();
}

DiagnosedSilenceableFailure LoopPartitionOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure done =
      loopPartition(rewriter, loop, getSizes(), loops);
  if (done.succeeded())
    for (auto [result, part] : llvm::zip((*this)->getOpResults(), loops))
      results.set(result, {part.getOperation()});
  return done;
}

DiagnosedSilenceableFailure MergeOp::apply(TransformRewriter &rewriter,
                                           TransformResults &results,
                                           TransformState &state) {
  SmallVector<ForOp> loops;
  DiagnosedSilenceableFailure found =
      getLoopPayload(state, *this, getLoops(), loops);
  if (!found.succeeded())
    return found;
  ForOp merged;
  DiagnosedSilenceableFailure done = tir::merge(rewriter, loops, merged);
  return setResults(std::move(done), *this, results, merged);
}

DiagnosedSilenceableFailure AddUnitLoopOp::apply(TransformRewriter &rewriter,
                                                 TransformResults &results,
                                                 TransformState &state) {
  Operation *target;
  DiagnosedSilenceableFailure found =
      ::getTarget(state, *this, getTarget(), target);
  if (!found.succeeded())
    return found;
  ForOp loop;
  DiagnosedSilenceableFailure done = addUnitLoop(rewriter, target, loop);
  return setResults(std::move(done), *this, results, loop);
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(AnnotateOp, Primitive)
DEFINE_EFFECTS(UnannotateOp, Primitive)

DiagnosedSilenceableFailure AnnotateOp::apply(TransformRewriter &rewriter,
                                              TransformResults &,
                                              TransformState &state) {
  Operation *target;
  DiagnosedSilenceableFailure found =
      ::getTarget(state, *this, getTarget(), target);
  if (!found.succeeded())
    return found;
  return annotate(rewriter, target, getName(), getValue());
}

DiagnosedSilenceableFailure UnannotateOp::apply(TransformRewriter &rewriter,
                                                TransformResults &,
                                                TransformState &state) {
  Operation *target;
  DiagnosedSilenceableFailure found =
      ::getTarget(state, *this, getTarget(), target);
  if (!found.succeeded())
    return found;
  return unannotate(rewriter, target, getName());
}

//===----------------------------------------------------------------------===//
// Buffers and domains
//===----------------------------------------------------------------------===//

DEFINE_EFFECTS(CacheInplaceOp, Primitive)
DEFINE_EFFECTS(ReindexOp, Primitive)
DEFINE_EFFECTS(PadEinsumOp, Primitive)
DEFINE_EFFECTS(DecomposePaddingOp, Primitive)
DEFINE_EFFECTS(ReorderBlockIterVarOp, Primitive)
DEFINE_EFFECTS(RFactorOp, Primitive)

/// The nest goes away.
void BlockizeOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle((*this)->getOpOperands(), effects);
  transform::producesHandle((*this)->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure CacheInplaceOp::apply(TransformRewriter &rewriter,
                                                  TransformResults &results,
                                                  TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    BlockOp copyIn, copyOut;
    DiagnosedSilenceableFailure done =
        cacheInplace(rewriter, block, getIndex(), getScope(), copyIn, copyOut);
    return setResults(std::move(done), *this, results, copyIn, copyOut);
  });
}

DiagnosedSilenceableFailure ReindexOp::apply(TransformRewriter &rewriter,
                                             TransformResults &results,
                                             TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    BlockOp copy;
    DiagnosedSilenceableFailure done =
        reindex(rewriter, block, getWrite(), getIndex(), copy);
    return setResults(std::move(done), *this, results, copy);
  });
}

DiagnosedSilenceableFailure PadEinsumOp::apply(TransformRewriter &rewriter,
                                               TransformResults &,
                                               TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return padEinsum(rewriter, block, getPadding());
  });
}

DiagnosedSilenceableFailure
DecomposePaddingOp::apply(TransformRewriter &rewriter,
                          TransformResults &results, TransformState &state) {
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    BlockOp fill;
    DiagnosedSilenceableFailure done =
        decomposePadding(rewriter, block, loop, fill);
    return setResults(std::move(done), *this, results, fill);
  });
}

DiagnosedSilenceableFailure
ReorderBlockIterVarOp::apply(TransformRewriter &rewriter, TransformResults &,
                             TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return reorderBlockIters(rewriter, block, getOrder());
  });
}

DiagnosedSilenceableFailure RFactorOp::apply(TransformRewriter &rewriter,
                                             TransformResults &results,
                                             TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  BlockOp partial;
  DiagnosedSilenceableFailure done =
      rfactor(rewriter, loop, getAxis(), partial);
  return setResults(std::move(done), *this, results, partial);
}

DiagnosedSilenceableFailure BlockizeOp::apply(TransformRewriter &rewriter,
                                              TransformResults &results,
                                              TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  BlockOp block;
  DiagnosedSilenceableFailure done = blockize(rewriter, loop, block);
  return setResults(std::move(done), *this, results, block);
}
