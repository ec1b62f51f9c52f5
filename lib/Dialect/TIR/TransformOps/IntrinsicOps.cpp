//===- IntrinsicOps.cpp - Intrinsics and clean-up as ops --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"

#include "relay-mlir/Dialect/TIR/Schedule/Schedule.h"
#include "relay-mlir/Dialect/TIR/Schedule/Tensorize.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

DEFINE_EFFECTS(CompactBuffersOp, Primitive)
DEFINE_EFFECTS(SimplifyOp, Primitive)
DEFINE_EFFECTS(TensorizeOp, Primitive)
DEFINE_EFFECTS(TensorizeWithOp, Primitive)

LogicalResult TensorizeOp::verify() {
  if (getIntrinsic() != kRegisterTile && getIntrinsic() != kRowReduction)
    return emitOpError("expects \"")
           << kRegisterTile << "\" or \"" << kRowReduction << "\", but got \""
           << getIntrinsic() << "\"";
  // More are no vector of any processor, and take ever longer to write out.
  if (!llvm::isPowerOf2_64(getVectorBits()) || getVectorBits() < 64 ||
      getVectorBits() > 2048)
    return emitOpError(
               "expects a power of two from 64 to 2048 vector bits, but "
               "got ")
           << getVectorBits();
  return success();
}

DiagnosedSilenceableFailure
TensorizeOp::apply(transform::TransformRewriter &rewriter,
                   transform::TransformResults &results,
                   transform::TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  BlockOp block;
  DiagnosedSilenceableFailure result =
      getIntrinsic() == kRegisterTile
          ? tensorizeRegisterTile(rewriter, loop, getVectorBits(), block)
          : tensorizeRowReduction(rewriter, loop, getVectorBits(), block);
  if (result.succeeded())
    results.set(cast<OpResult>(getBlock()), {block.getOperation()});
  return result;
}

DiagnosedSilenceableFailure
TensorizeWithOp::apply(transform::TransformRewriter &rewriter,
                       transform::TransformResults &results,
                       transform::TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, *this, getLoop(), loop);
  if (!found.succeeded())
    return found;
  SmallVector<PrimFuncOp> functions;
  for (FlatSymbolRefAttr name : {getIntrinsicAttr(), getImplementationAttr()}) {
    functions.push_back(SymbolTable::lookupNearestSymbolFrom<PrimFuncOp>(
        *this, name.getAttr()));
    if (!functions.back())
      return emitSilenceableFailure(getLoc())
             << "expects a tir.prim_func " << name << " beside the script";
  }
  BlockOp block;
  DiagnosedSilenceableFailure result =
      tensorizeWith(rewriter, loop, functions[0], functions[1], block);
  if (result.succeeded())
    results.set(cast<OpResult>(getBlock()), {block.getOperation()});
  return result;
}

DiagnosedSilenceableFailure
CompactBuffersOp::apply(transform::TransformRewriter &rewriter,
                        transform::TransformResults &,
                        transform::TransformState &state) {
  PrimFuncOp function;
  DiagnosedSilenceableFailure found =
      getPayload(state, *this, getFunction(), function);
  if (found.succeeded())
    compactBuffers(rewriter, function, getMaxLocalBytes());
  return found;
}

DiagnosedSilenceableFailure
SimplifyOp::apply(transform::TransformRewriter &rewriter,
                  transform::TransformResults &,
                  transform::TransformState &state) {
  PrimFuncOp function;
  DiagnosedSilenceableFailure found =
      getPayload(state, *this, getFunction(), function);
  if (found.succeeded())
    simplifyIndices(rewriter, function);
  return found;
}
