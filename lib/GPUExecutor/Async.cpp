//===- Async.cpp - Copies that threads wait for ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to shared memory reads its source when it begins. Its bytes arrive
// when the thread that began it waits: nobody may look at them before.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

/// `x` is the access of the target, `c` that of the source; of `n` elements,
/// register `b` says how many the source has; others become 0.
static void beginCopy(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &to = block.getKernel().accesses[inst.x];
  const Access &from = block.getKernel().accesses[inst.c];
  uint64_t present = thread.registers[inst.b];
  if (present > inst.n) {
    block.fail(thread, inst, "expects at most ")
        << inst.n << " elements of the source, but got "
        << static_cast<int64_t>(present);
    return;
  }
  PendingCopy copy;
  copy.inst = block.getIndex(inst);
  copy.thread = thread.id;
  copy.bytes.resize(inst.n * to.elementBytes);
  std::optional<uint64_t> target = block.getAddress(thread, inst, to, inst.n);
  if (!target)
    return;
  if (*target >> kTagShift != kSharedTag) {
    block.fail(thread, inst,
               "expects an asynchronous copy to go to shared memory");
    return;
  }
  copy.target = *target;
  if (present) {
    const char *source =
        block.access(thread, inst, from, present, AccessKind::Read);
    if (!source)
      return;
    std::memcpy(copy.bytes.data(), source, present * from.elementBytes);
  }
  if (block.begin(thread, inst, copy))
    block.getCopies(thread).open.push_back(std::move(copy));
}

static void closeGroup(Thread &thread, const Inst &) {
  CopyQueue &copies = thread.block->getCopies(thread);
  copies.groups.push_back(std::move(copies.open));
  copies.open.clear();
}

/// All but the last `n` groups.
static void waitForGroups(Thread &thread, const Inst &inst) {
  CopyQueue &copies = thread.block->getCopies(thread);
  if (copies.groups.size() <= inst.n)
    return;
  size_t count = copies.groups.size() - inst.n;
  for (size_t i = 0; i < count; ++i)
    for (const PendingCopy &copy : copies.groups[i])
      thread.block->finish(thread, copy);
  copies.groups.erase(copies.groups.begin(), copies.groups.begin() + count);
}

static LogicalResult emitCopy(KernelBuilder &builder, Operation *op, Access to,
                              Access from, uint64_t count, uint32_t present) {
  uint64_t bytes = count * to.elementBytes;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return op->emitError("expects a copy of 4, 8 or 16 bytes, but got ")
           << bytes;
  to.alignment = from.alignment = bytes;
  uint32_t source = builder.addAccess(from);
  Inst &inst = builder.emit(op, beginCopy);
  inst.b = present;
  inst.c = source;
  inst.n = count;
  inst.x = builder.addAccess(to);
  return success();
}

static LogicalResult lowerCopy(KernelBuilder &builder,
                               nvgpu::DeviceAsyncCopyOp op) {
  auto to =
      builder.makeAccess(op, op.getDst(), builder.get(op.getDstIndices()));
  auto from =
      builder.makeAccess(op, op.getSrc(), builder.get(op.getSrcIndices()));
  if (failed(to) || failed(from))
    return failure();
  uint64_t count = op.getDstElements().getZExtValue();
  builder.set(op.getAsyncToken(), {});
  return emitCopy(builder, op, *to, *from, count,
                  op.getSrcElements() ? builder.get(op.getSrcElements())
                                      : builder.getConstant(count));
}

static LogicalResult lowerNVVMCopy(KernelBuilder &builder, NVVM::CpAsyncOp op) {
  auto makeAccess = [&](Value pointer) {
    Access access;
    access.base = builder.get(pointer);
    access.offset = builder.getConstant(0);
    access.elementBytes = 1;
    return access;
  };
  return emitCopy(builder, op, makeAccess(op.getDst()), makeAccess(op.getSrc()),
                  op.getSize(),
                  op.getCpSize() ? builder.get(op.getCpSize())
                                 : builder.getConstant(op.getSize()));
}

void gpu_executor::populateAsyncLowerings(LoweringTable &table) {
  table.add<nvgpu::DeviceAsyncCopyOp>(lowerCopy);
  table.add<nvgpu::DeviceAsyncCreateGroupOp>(
      [](KernelBuilder &builder, nvgpu::DeviceAsyncCreateGroupOp op) {
        builder.set(op.getAsyncToken(), {});
        builder.emit(op, closeGroup);
        return success();
      });
  table.add<nvgpu::DeviceAsyncWaitOp>(
      [](KernelBuilder &builder, nvgpu::DeviceAsyncWaitOp op) {
        builder.emit(op, waitForGroups).n = op.getNumGroups().value_or(0);
        return success();
      });
  table.add<NVVM::CpAsyncOp>(lowerNVVMCopy);
  table.add<NVVM::CpAsyncCommitGroupOp>(
      [](KernelBuilder &builder, NVVM::CpAsyncCommitGroupOp op) {
        builder.emit(op, closeGroup);
        return success();
      });
  table.add<NVVM::CpAsyncWaitGroupOp>(
      [](KernelBuilder &builder, NVVM::CpAsyncWaitGroupOp op) {
        builder.emit(op, waitForGroups).n = op.getN();
        return success();
      });
}
