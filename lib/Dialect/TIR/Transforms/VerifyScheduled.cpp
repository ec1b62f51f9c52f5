//===- VerifyScheduled.cpp - The form tir-scheduled -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tir {
#define GEN_PASS_DEF_VERIFYTIRSCHEDULEDPASS
#include "relay-mlir/Dialect/TIR/Transforms/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;
using relay::MemoryAccess;
using relay::MemoryInfo;
using relay::MemorySharing;
using relay::Threading;

namespace {

struct VerifyTIRScheduled
    : tir::impl::VerifyTIRScheduledPassBase<VerifyTIRScheduled> {
  using Base::Base;

  void runOnOperation() override {
    target = relay::lookupTarget(getOperation());
    numBytes.clear();
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](Operation
                                                                          *op) {
      LogicalResult verified = success();
      if (auto loop = dyn_cast<ForOp>(op))
        verified = verifyLoop(loop);
      else if (auto buffer = dyn_cast<AllocBufferOp>(op))
        verified = verifyBuffer(buffer);
      else if (isa<affine::AffineLoadOp, affine::AffineStoreOp, memref::LoadOp,
                   memref::StoreOp, vector::LoadOp, vector::StoreOp,
                   vector::TransferReadOp, vector::TransferWriteOp>(op))
        verified = verifyAccess(op);
      return failed(verified) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  InFlightDiagnostic emitAt(Operation *op) {
    return op->emitError(getArgument()) << ": ";
  }

  LogicalResult verifyLoop(ForOp loop) {
    if (loop.getKind() == ForKind::Unrolled && !loop.getConstantExtent())
      return emitAt(loop) << "expects a constant extent of an unrolled loop";
    if (!target)
      return success();
    Threading threading = target.getThreading();
    bool isParallel = loop.getKind() == ForKind::Parallel;
    bool isBound = loop.getKind() == ForKind::ThreadBinding;
    if ((isParallel && threading != Threading::Pool) ||
        (isBound && threading != Threading::Grid)) {
      InFlightDiagnostic diag = emitAt(loop)
                                << "expects a kind of loop that "
                                << target.getDescription() << " has, but got "
                                << stringifyForKind(loop.getKind());
      if (isBound)
        diag << " " << loop.getThreadTagAttr();
      diag.attachNote() << "this schedule was written for another target";
      return diag;
    }
    // The body becomes a function of its own, called by the thread pool.
    if (isParallel && !isa<PrimFuncOp>(loop->getParentOp()))
      return emitAt(loop) << "expects a parallel loop with no loop around it";
    return success();
  }

  LogicalResult verifyBuffer(AllocBufferOp buffer) {
    relay::MemoryAttr memory = buffer.getMemory();
    bool isWorkspace = !memory && isa<PrimFuncOp>(buffer->getParentOp());
    if (!isWorkspace && !buffer.getDynamicSizes().empty())
      return emitAt(buffer) << "expects a constant size of a buffer that is "
                               "local or in a loop, but got "
                            << buffer.getType();
    // Whose it would be, a thread's or the block's, only a memory says.
    if (!memory && !isWorkspace && target &&
        target.getThreading() == Threading::Grid)
      return emitAt(buffer)
             << "expects a memory of " << target.getDescription() << " ("
             << relay::getMemoryNames(target)
             << ") of a buffer in a loop, but got " << buffer.getType();
    std::optional<MemoryInfo> info;
    if (memory && target)
      info = relay::lookupMemory(target, memory.getName());
    if (!info)
      return success();
    uint64_t bytes =
        llvm::divideCeil(buffer.getType().getElementTypeBitWidth(), 8);
    for (int64_t size : buffer.getType().getShape())
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size);
    uint64_t &used = numBytes[memory.getName()];
    used = llvm::SaturatingAdd(used, bytes);
    if (info->numBytes != 0 && used > static_cast<uint64_t>(info->numBytes))
      return emitAt(buffer)
             << "expects buffers of at most " << info->numBytes
             << " bytes in memory " << info->name << ", but got " << used;
    if (info->sharing == MemorySharing::Thread)
      return verifyOwner(buffer);
    return success();
  }

  /// Threads do not see what others write to memory of their own.
  LogicalResult verifyOwner(AllocBufferOp buffer) {
    llvm::SmallPtrSet<Operation *, 4> users;
    Operation *loop = nullptr;
    for (Operation *op : buffer->getUsers()) {
      Operation *user = buffer->getBlock()->findAncestorOpInBlock(*op);
      users.insert(user);
      user->walk([&](ForOp inner) {
        if (inner.getKind() == ForKind::Parallel ||
            inner.getKind() == ForKind::ThreadBinding)
          loop = inner;
      });
    }
    if (!loop || users.size() == 1)
      return success();
    InFlightDiagnostic diag =
        emitAt(buffer) << "expects uses in one loop alone of a buffer of which "
                          "each thread has its own";
    diag.attachNote(loop->getLoc()) << "threads run this loop";
    return diag;
  }

  LogicalResult verifyAccess(Operation *op) {
    if (!target)
      return success();
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      auto memory =
          type ? dyn_cast_if_present<relay::MemoryAttr>(type.getMemorySpace())
               : relay::MemoryAttr();
      if (!memory)
        continue;
      std::optional<MemoryInfo> info =
          relay::lookupMemory(target, memory.getName());
      if (info && info->access == MemoryAccess::Instructions)
        return emitAt(op) << "expects instructions of "
                          << target.getDescription()
                          << " to access what is in memory " << info->name
                          << ", but got " << op->getName();
    }
    return success();
  }

  relay::TargetAttrInterface target;
  /// Of all buffers so far in each memory.
  llvm::StringMap<uint64_t> numBytes;
};

} // namespace
