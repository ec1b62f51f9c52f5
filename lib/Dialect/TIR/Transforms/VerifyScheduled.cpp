//===- VerifyScheduled.cpp - The form tir-scheduled -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {
#define GEN_PASS_DEF_VERIFYTIRSCHEDULEDPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

struct VerifyTIRScheduled
    : tir::impl::VerifyTIRScheduledPassBase<VerifyTIRScheduled> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          LogicalResult verified = success();
          if (auto loop = dyn_cast<ForOp>(op))
            verified = verifyLoop(loop);
          else if (auto buffer = dyn_cast<AllocBufferOp>(op))
            verified = verifyBuffer(buffer);
          return failed(verified) ? WalkResult::interrupt()
                                  : WalkResult::advance();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  InFlightDiagnostic emitAt(Operation *op) {
    return op->emitError(getArgument()) << ": ";
  }

  LogicalResult verifyLoop(ForOp loop) {
    bool isBound = loop.getKind() == ForKind::ThreadBinding;
    if (isBound && device == "cpu") {
      InFlightDiagnostic diag = emitAt(loop)
                                << "expects a kind that a CPU knows, but got "
                                   "thread_binding "
                                << loop.getThreadTagAttr();
      diag.attachNote() << "this schedule was written for a GPU";
      return diag;
    }
    if (loop.getKind() == ForKind::Parallel) {
      if (device == "gpu")
        return emitAt(loop) << "expects a kind that a GPU knows, but got "
                               "parallel";
      // The body becomes a function of its own, called by the thread pool.
      if (!isa<PrimFuncOp>(loop->getParentOp()))
        return emitAt(loop) << "expects a parallel loop with no loop around it";
    }
    if (loop.getKind() == ForKind::Unrolled && !loop.getConstantExtent())
      return emitAt(loop) << "expects a constant extent of an unrolled loop";
    return success();
  }

  LogicalResult verifyBuffer(AllocBufferOp buffer) {
    bool isWorkspace =
        !buffer.isLocal() && isa<PrimFuncOp>(buffer->getParentOp());
    if (!isWorkspace && !buffer.getDynamicSizes().empty())
      return emitAt(buffer) << "expects a constant size of a buffer that is "
                               "local or in a loop, but got "
                            << buffer.getType();
    return success();
  }
};

} // namespace
