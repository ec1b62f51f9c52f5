//===- BufferOps.cpp - Transform ops on buffers ---------------------------===//
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

DEFINE_EFFECTS(TransformLayoutOp, Primitive)
DEFINE_EFFECTS(NarrowWeightsOp, Primitive)
DEFINE_EFFECTS(SetScopeOp, Primitive)
DEFINE_EFFECTS(StorageAlignOp, Primitive)
DEFINE_EFFECTS(SetAxisSeparatorOp, Primitive)
DEFINE_EFFECTS(UnsafeSetDtypeOp, Primitive)
DEFINE_EFFECTS(TransformBlockLayoutOp, Primitive)
DEFINE_EFFECTS(CacheIndexOp, Primitive)
DEFINE_EFFECTS(RollingBufferOp, Primitive)
DEFINE_EFFECTS(ReindexCacheReadOp, Primitive)
DEFINE_EFFECTS(ReindexCacheWriteOp, Primitive)
DEFINE_EFFECTS(ReadAtOp, Primitive)
DEFINE_EFFECTS(WriteAtOp, Primitive)

/// Calls `primitive` with the allocation of a buffer that is written.
template <typename OpTy, typename PrimitiveFn>
static DiagnosedSilenceableFailure
applyToWritten(OpTy op, TransformState &state, PrimitiveFn primitive) {
  return applyToBlock(
      op, state, [&](BlockOp block) -> DiagnosedSilenceableFailure {
        SmallVector<Value> buffers = getWrittenBuffers(block);
        uint64_t index = op.getIndex();
        if (index >= buffers.size())
          return emitSilenceableFailure(op.getLoc())
                 << "expects block @" << block.getName()
                 << " to write more than " << index << " buffers";
        auto allocation =
            buffers[index].template getDefiningOp<AllocBufferOp>();
        if (!allocation)
          return emitSilenceableFailure(op.getLoc())
                 << "expects an intermediate buffer, but got an argument";
        return primitive(allocation);
      });
}

/// Calls `primitive`, which makes a copying block.
template <typename OpTy, typename PrimitiveFn>
static DiagnosedSilenceableFailure applyCopy(OpTy op, TransformState &state,
                                             TransformResults &results,
                                             PrimitiveFn primitive) {
  BlockOp copy;
  DiagnosedSilenceableFailure done = primitive(copy);
  if (done.succeeded())
    results.set(cast<OpResult>(op.getCopy()), {copy.getOperation()});
  return done;
}

//===----------------------------------------------------------------------===//
// Layout and type
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
TransformLayoutOp::apply(TransformRewriter &rewriter, TransformResults &,
                         TransformState &state) {
  return applyToBuffer(*this, state, [&](Value buffer) {
    return transformLayout(rewriter, buffer, getLayout());
  });
}

DiagnosedSilenceableFailure NarrowWeightsOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &,
                                                   TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return narrowWeights(rewriter, block, getIndex());
  });
}

DiagnosedSilenceableFailure SetScopeOp::apply(TransformRewriter &rewriter,
                                              TransformResults &,
                                              TransformState &state) {
  return applyToBuffer(
      *this, state, [&](Value buffer) -> DiagnosedSilenceableFailure {
        auto allocation = buffer.getDefiningOp<AllocBufferOp>();
        if (!allocation)
          return emitSilenceableFailure(getLoc())
                 << "expects an intermediate buffer, but got an argument";
        return tir::setScope(rewriter, allocation, getScope());
      });
}

DiagnosedSilenceableFailure StorageAlignOp::apply(TransformRewriter &rewriter,
                                                  TransformResults &,
                                                  TransformState &state) {
  return applyToWritten(*this, state, [&](AllocBufferOp buffer) {
    return storageAlign(rewriter, buffer, getAxis(), getFactor(), getOffset());
  });
}

DiagnosedSilenceableFailure
SetAxisSeparatorOp::apply(TransformRewriter &rewriter, TransformResults &,
                          TransformState &state) {
  return applyToBuffer(*this, state, [&](Value buffer) {
    return setAxisSeparator(rewriter, buffer, getSeparators());
  });
}

DiagnosedSilenceableFailure UnsafeSetDtypeOp::apply(TransformRewriter &rewriter,
                                                    TransformResults &,
                                                    TransformState &state) {
  return applyToWritten(*this, state, [&](AllocBufferOp buffer) {
    return tir::setDtype(rewriter, buffer, getDtype());
  });
}

DiagnosedSilenceableFailure
TransformBlockLayoutOp::apply(TransformRewriter &rewriter, TransformResults &,
                              TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return transformBlockLayout(rewriter, block, getLayout());
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure CacheIndexOp::apply(TransformRewriter &rewriter,
                                                TransformResults &results,
                                                TransformState &state) {
  return applyToBlock(
      *this, state, [&](BlockOp block) -> DiagnosedSilenceableFailure {
        size_t count = countCachedIndices(block, getMinUses());
        if (count != 0 && count != getNumResults())
          return emitSilenceableFailure(getLoc())
                 << "expects " << getNumResults() << " tables for block @"
                 << block.getName() << ", but got " << count;
        SmallVector<BlockOp> tables;
        DiagnosedSilenceableFailure done =
            cacheIndex(rewriter, block, getScope(), getMinUses(), tables);
        if (done.succeeded())
          for (auto [result, table] :
               llvm::zip((*this)->getOpResults(), tables))
            results.set(result, {table.getOperation()});
        return done;
      });
}

DiagnosedSilenceableFailure RollingBufferOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &,
                                                   TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return rollingBuffer(rewriter, block, getIndex());
  });
}

DiagnosedSilenceableFailure
ReindexCacheReadOp::apply(TransformRewriter &rewriter,
                          TransformResults &results, TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return applyCopy(*this, state, results, [&](BlockOp &copy) {
      return reindexCache(rewriter, block, /*write=*/false, getIndex(),
                          getScope(), getLayout(), copy);
    });
  });
}

DiagnosedSilenceableFailure
ReindexCacheWriteOp::apply(TransformRewriter &rewriter,
                           TransformResults &results, TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    return applyCopy(*this, state, results, [&](BlockOp &copy) {
      return reindexCache(rewriter, block, /*write=*/true, getIndex(),
                          getScope(), getLayout(), copy);
    });
  });
}

DiagnosedSilenceableFailure ReadAtOp::apply(TransformRewriter &rewriter,
                                            TransformResults &results,
                                            TransformState &state) {
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    return applyCopy(*this, state, results, [&](BlockOp &copy) {
      return readAt(rewriter, loop, block, getIndex(), getScope(), copy);
    });
  });
}

DiagnosedSilenceableFailure WriteAtOp::apply(TransformRewriter &rewriter,
                                             TransformResults &results,
                                             TransformState &state) {
  return applyToBlockAndLoop(*this, state, [&](BlockOp block, ForOp loop) {
    return applyCopy(*this, state, results, [&](BlockOp &copy) {
      return writeAt(rewriter, loop, block, getIndex(), getScope(), copy);
    });
  });
}
