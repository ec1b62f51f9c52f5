//===- Payload.h - Payloads and effects of transform ops --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMOPS_PAYLOAD_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMOPS_PAYLOAD_H

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"

namespace mlir::tir {

/// Finds the one payload op of `handle`, which must be an `OpTy`.
template <typename OpTy>
DiagnosedSilenceableFailure getPayload(transform::TransformState &state,
                                       Operation *op, Value handle,
                                       OpTy &payload) {
  auto ops = state.getPayloadOps(handle);
  if (!llvm::hasSingleElement(ops))
    return emitSilenceableFailure(op->getLoc())
           << "expects a handle to one op, but got " << llvm::range_size(ops);
  payload = dyn_cast<OpTy>(*ops.begin());
  if (payload)
    return DiagnosedSilenceableFailure::success();
  DiagnosedSilenceableFailure failure =
      emitSilenceableFailure(op->getLoc())
      << "expects a handle to " << OpTy::getOperationName() << ", but got "
      << (*ops.begin())->getName();
  failure.attachNote((*ops.begin())->getLoc()) << "payload";
  return failure;
}

inline DiagnosedSilenceableFailure
getLoopPayload(transform::TransformState &state, Operation *op,
               ValueRange handles, SmallVectorImpl<ForOp> &loops) {
  for (Value handle : handles) {
    DiagnosedSilenceableFailure found =
        getPayload(state, op, handle, loops.emplace_back());
    if (!found.succeeded())
      return found;
  }
  if (loops.empty())
    return emitSilenceableFailure(op->getLoc()) << "expects a loop";
  return DiagnosedSilenceableFailure::success();
}

/// Calls `primitive` with the payload block of `op`.
template <typename OpTy, typename PrimitiveFn>
DiagnosedSilenceableFailure
applyToBlock(OpTy op, transform::TransformState &state, PrimitiveFn primitive) {
  BlockOp block;
  DiagnosedSilenceableFailure found =
      getPayload(state, op, op.getBlock(), block);
  return found.succeeded() ? primitive(block) : std::move(found);
}

/// Calls `primitive` with the payload block and loop of `op`.
template <typename OpTy, typename PrimitiveFn>
DiagnosedSilenceableFailure
applyToBlockAndLoop(OpTy op, transform::TransformState &state,
                    PrimitiveFn primitive) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, op, op.getLoop(), loop);
  if (!found.succeeded())
    return found;
  return applyToBlock(op, state,
                      [&](BlockOp block) { return primitive(block, loop); });
}

/// Calls `primitive` with the buffer that `read`/`write` and `index` name.
template <typename OpTy, typename PrimitiveFn>
DiagnosedSilenceableFailure applyToBuffer(OpTy op,
                                          transform::TransformState &state,
                                          PrimitiveFn primitive) {
  return applyToBlock(
      op, state, [&](BlockOp block) -> DiagnosedSilenceableFailure {
        SmallVector<Value> buffers =
            op.getWrite() ? getWrittenBuffers(block) : getReadBuffers(block);
        uint64_t index = op.getIndex();
        if (index >= buffers.size())
          return emitSilenceableFailure(op.getLoc())
                 << "expects block @" << block.getName() << " to "
                 << (op.getWrite() ? "write" : "read") << " more than " << index
                 << " buffers";
        return primitive(buffers[index]);
      });
}

/// Primitives keep the ops behind their handles, so they only read them.
inline void
getPrimitiveEffects(Operation *op,
                    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(op->getOpOperands(), effects);
  transform::producesHandle(op->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

inline void
getQueryEffects(Operation *op,
                SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(op->getOpOperands(), effects);
  transform::producesHandle(op->getOpResults(), effects);
  transform::onlyReadsPayload(effects);
}

} // namespace mlir::tir

#define DEFINE_EFFECTS(OP, KIND)                                               \
  void OP::getEffects(                                                         \
      SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {               \
    get##KIND##Effects(*this, effects);                                        \
  }

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMOPS_PAYLOAD_H
