//===- Barriers.cpp - Barriers of parts of a block ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers in shared memory, which threads arrive at and bulk copies report to,
// and barriers with a number. Who waits knows afterwards what those knew who
// arrived. Bulk copies arrive as late as they can: when somebody waits for
// them.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

static constexpr unsigned kBarrierBytes = 8;

/// The address of the barrier of access `x`; 0 after an error.
static uint64_t findAddress(Thread &thread, const Inst &inst, AccessKind kind) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  std::optional<uint64_t> address = block.getAddress(thread, inst, access, 1);
  if (!address)
    return 0;
  if (*address >> kTagShift != kSharedTag) {
    block.fail(thread, inst, "expects a barrier in shared memory");
    return 0;
  }
  // Others must know that it has been made.
  if (!block.access(thread, inst, *address, *address, kBarrierBytes, kind))
    return 0;
  return *address;
}

static MBarrier *findBarrier(Thread &thread, const Inst &inst) {
  uint64_t address = findAddress(thread, inst, AccessKind::Atomic);
  if (!address)
    return nullptr;
  auto it = thread.block->barriers.find(address);
  if (it == thread.block->barriers.end()) {
    thread.block->fail(thread, inst,
                       "expects a barrier that has been initialised");
    return nullptr;
  }
  return &it->second;
}

static void completeIfDone(ThreadBlock &block, MBarrier &barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0)
    return;
  barrier.pending = barrier.expected;
  ++barrier.phase;
  barrier.completed = barrier.arriving;
  block.notify();
}

/// Whether the predicate in register `c`, where `imm` says that there is one,
/// is false.
static bool isSkipped(const Thread &thread, const Inst &inst) {
  return inst.imm && !thread.registers[inst.c];
}

static void initBarrier(Thread &thread, const Inst &inst) {
  if (isSkipped(thread, inst))
    return;
  uint64_t address = findAddress(thread, inst, AccessKind::Write);
  if (!address)
    return;
  uint64_t count = thread.registers[inst.a];
  if (count < 1 || count >= 1 << 20) {
    thread.block->fail(thread, inst, "expects 1 to 1048575 arrivals, but got ")
        << static_cast<int64_t>(count);
    return;
  }
  MBarrier barrier;
  barrier.expected = barrier.pending = count;
  thread.block->barriers[address] = std::move(barrier);
}

static void invalidateBarrier(Thread &thread, const Inst &inst) {
  if (findBarrier(thread, inst))
    thread.block->barriers.erase(*thread.block->getAddress(
        thread, inst, thread.block->getKernel().accesses[inst.x], 1));
}

/// Arrives `r[a]` times; the result, where `n` is 1, is the phase.
static void arrive(Thread &thread, const Inst &inst) {
  MBarrier *barrier = findBarrier(thread, inst);
  if (!barrier)
    return;
  uint64_t count = thread.registers[inst.a];
  if (count < 1 || count > barrier->pending) {
    thread.block->fail(thread, inst, "expects at most ")
        << barrier->pending << " arrivals in this phase, but got " << count
        << " more";
    return;
  }
  if (inst.n)
    thread.registers[inst.d] = barrier->phase;
  barrier->pending -= count;
  thread.block->release(thread, barrier->arriving);
  completeIfDone(*thread.block, *barrier);
}

/// Expects `r[a]` bytes, and arrives where `b` is 1.
static void expectBytes(Thread &thread, const Inst &inst) {
  if (isSkipped(thread, inst))
    return;
  MBarrier *barrier = findBarrier(thread, inst);
  if (!barrier)
    return;
  barrier->bytes += static_cast<int64_t>(thread.registers[inst.a]);
  if (!inst.b)
    return;
  if (inst.n)
    thread.registers[inst.d] = barrier->phase;
  if (barrier->pending == 0) {
    thread.block->fail(thread, inst,
                       "expects no arrivals in this phase, but "
                       "got one more");
    return;
  }
  --barrier->pending;
  thread.block->release(thread, barrier->arriving);
  completeIfDone(*thread.block, *barrier);
}

static void deliver(ThreadBlock &block, MBarrier &barrier) {
  for (const PendingCopy &copy : std::exchange(barrier.copies, {})) {
    block.finish(block.getThread(copy.thread), copy);
    barrier.bytes -= copy.bytes.size();
    completeIfDone(block, barrier);
  }
}

/// Waits for the end of the phase that `r[a]` is: by its number where `b` is 1,
/// else by its parity. The result, where `n` is 1, is true.
static void waitForPhase(Thread &thread, const Inst &inst) {
  MBarrier *barrier = findBarrier(thread, inst);
  if (!barrier)
    return;
  deliver(*thread.block, *barrier);
  uint64_t phase = thread.registers[inst.a];
  bool isOver =
      inst.b ? barrier->phase != phase : (barrier->phase & 1) != (phase & 1);
  if (!isOver) {
    thread.state = ThreadState::Waiting;
    return;
  }
  thread.block->acquire(thread, barrier->completed);
  if (inst.n)
    thread.registers[inst.d] = 1;
}

/// Copies `r[c]` bytes from `r[b]` to `r[a]`.
static void beginBulkCopy(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  MBarrier *barrier = findBarrier(thread, inst);
  if (!barrier)
    return;
  uint64_t to = thread.registers[inst.a], from = thread.registers[inst.b];
  uint64_t bytes = thread.registers[inst.c];
  if (to % 16 || from % 16 || bytes % 16 || bytes == 0) {
    block.fail(thread, inst,
               "expects addresses and bytes that are multiples of 16");
    return;
  }
  if (to >> kTagShift != kSharedTag) {
    block.fail(thread, inst, "expects a bulk copy to go to shared memory");
    return;
  }
  const char *source =
      block.access(thread, inst, from, from, bytes, AccessKind::Read);
  if (!source)
    return;
  PendingCopy copy;
  copy.target = to;
  copy.bytes.assign(source, source + bytes);
  copy.inst = block.getIndex(inst);
  copy.thread = thread.id;
  copy.clock = thread.clock;
  if (!block.begin(thread, inst, copy))
    return;
  block.release(thread, barrier->arriving);
  barrier->copies.push_back(std::move(copy));
}

//===----------------------------------------------------------------------===//
// Barriers with a number
//===----------------------------------------------------------------------===//

/// Barrier `r[a]` of `r[b]` threads; where `imm` is 1, the thread goes on.
static void reachNamed(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  uint64_t number = thread.registers[inst.a];
  uint64_t count = thread.registers[inst.b];
  if (number > 15 || count == 0 || count % kWarpThreads) {
    block.fail(thread, inst,
               "expects a barrier of 0 to 15 and a multiple of "
               "32 threads, but got barrier ")
        << number << " of " << count;
    return;
  }
  NamedBarrier &barrier = block.namedBarriers[number];
  if (thread.phase == 0) {
    thread.phase = barrier.phase;
    block.release(thread, barrier.arriving);
    if (++barrier.arrived == count) {
      barrier.arrived = 0;
      ++barrier.phase;
      barrier.completed = barrier.arriving;
      block.notify();
    }
  }
  if (!inst.imm && barrier.phase == thread.phase) {
    thread.state = ThreadState::Waiting;
    return;
  }
  thread.phase = 0;
  if (!inst.imm)
    block.acquire(thread, barrier.completed);
}

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

static uint32_t addBarrier(KernelBuilder &builder, Value barriers, Value id) {
  auto type = cast<nvgpu::MBarrierGroupType>(barriers.getType());
  Access access;
  access.base = builder.get(barriers);
  access.offset = builder.getConstant(0);
  access.indices = {builder.get(id)};
  access.sizes = {builder.getConstant(type.getNumBarriers())};
  access.strides = {builder.getConstant(1)};
  access.elementBytes = access.alignment = kBarrierBytes;
  return builder.addAccess(access);
}

static uint32_t addBarrier(KernelBuilder &builder, Value pointer) {
  Access access;
  access.base = builder.get(pointer);
  access.offset = builder.getConstant(0);
  access.elementBytes = access.alignment = kBarrierBytes;
  return builder.addAccess(access);
}

static Inst &emit(KernelBuilder &builder, Operation *op, Handler fn,
                  uint32_t barrier, uint32_t operand, Value predicate = {}) {
  uint32_t result = 0;
  bool hasResult = op->getNumResults() == 1;
  if (hasResult)
    result = builder.define(op->getResult(0));
  Inst &inst = builder.emit(op, fn);
  inst.d = result;
  inst.n = hasResult;
  inst.x = barrier;
  inst.a = operand;
  if (predicate) {
    inst.imm = 1;
    inst.c = builder.get(predicate);
  }
  return inst;
}

static void populateNVGPU(LoweringTable &table) {
  table.add<nvgpu::MBarrierCreateOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierCreateOp op) {
        auto type = cast<nvgpu::MBarrierGroupType>(op.getType());
        uint64_t offset = builder.allocateShared(
            type.getNumBarriers() * kBarrierBytes, kBarrierBytes);
        builder.set(op, builder.getConstant(getSharedAddress(offset)));
        return success();
      });
  table.add<nvgpu::MBarrierInitOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierInitOp op) {
        emit(builder, op, initBarrier,
             addBarrier(builder, op.getBarriers(), op.getMbarId()),
             builder.get(op.getCount()), op.getPredicate());
        return success();
      });
  table.add<nvgpu::MBarrierArriveOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierArriveOp op) {
        emit(builder, op, arrive,
             addBarrier(builder, op.getBarriers(), op.getMbarId()),
             builder.getConstant(1));
        return success();
      });
  table.add<nvgpu::MBarrierArriveExpectTxOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierArriveExpectTxOp op) {
        emit(builder, op, expectBytes,
             addBarrier(builder, op.getBarriers(), op.getMbarId()),
             builder.get(op.getTxcount()), op.getPredicate())
            .b = 1;
        return success();
      });
  table.add<nvgpu::MBarrierTestWaitOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierTestWaitOp op) {
        emit(builder, op, waitForPhase,
             addBarrier(builder, op.getBarriers(), op.getMbarId()),
             builder.get(op.getToken()))
            .b = 1;
        return success();
      });
  table.add<nvgpu::MBarrierTryWaitParityOp>(
      [](KernelBuilder &builder, nvgpu::MBarrierTryWaitParityOp op) {
        emit(builder, op, waitForPhase,
             addBarrier(builder, op.getBarriers(), op.getMbarId()),
             builder.get(op.getPhaseParity()));
        return success();
      });
  table.add<nvgpu::MBarrierGetOp>([](KernelBuilder &builder,
                                     nvgpu::MBarrierGetOp op) -> LogicalResult {
    if (!op.getType().isInteger(64))
      return op.emitError("expects an integer of 64 bits for an address, "
                          "but got ")
             << op.getType();
    uint32_t distance = builder.emitMul(op, builder.get(op.getMbarId()),
                                        builder.getConstant(kBarrierBytes));
    builder.set(op,
                builder.emitAdd(op, builder.get(op.getBarriers()), distance));
    return success();
  });
}

static void populateNVVM(LoweringTable &table) {
  table.add<NVVM::MBarrierInitOp>(
      [](KernelBuilder &builder, NVVM::MBarrierInitOp op) {
        emit(builder, op, initBarrier, addBarrier(builder, op.getAddr()),
             builder.get(op.getCount()), op.getPredicate());
        return success();
      });
  table.add<NVVM::MBarrierInvalOp>([](KernelBuilder &builder,
                                      NVVM::MBarrierInvalOp op) {
    emit(builder, op, invalidateBarrier, addBarrier(builder, op.getAddr()), 0);
    return success();
  });
  table.add<NVVM::MBarrierArriveOp>([](KernelBuilder &builder,
                                       NVVM::MBarrierArriveOp op) {
    emit(builder, op, arrive, addBarrier(builder, op.getAddr()),
         op.getCount() ? builder.get(op.getCount()) : builder.getConstant(1));
    return success();
  });
  table.add<NVVM::MBarrierExpectTxOp>(
      [](KernelBuilder &builder, NVVM::MBarrierExpectTxOp op) {
        emit(builder, op, expectBytes, addBarrier(builder, op.getAddr()),
             builder.get(op.getTxcount()));
        return success();
      });
  table.add<NVVM::MBarrierArriveExpectTxOp>(
      [](KernelBuilder &builder, NVVM::MBarrierArriveExpectTxOp op) {
        emit(builder, op, expectBytes, addBarrier(builder, op.getAddr()),
             builder.get(op.getTxcount()), op.getPredicate())
            .b = 1;
        return success();
      });
  table.add<NVVM::MBarrierTryWaitParityOp>(
      [](KernelBuilder &builder, NVVM::MBarrierTryWaitParityOp op) {
        emit(builder, op, waitForPhase, addBarrier(builder, op.getAddr()),
             builder.get(op.getPhase()));
        return success();
      });
  table.add<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(
      [](KernelBuilder &builder,
         NVVM::CpAsyncBulkGlobalToSharedClusterOp op) -> LogicalResult {
        if (op.getMulticastMask())
          return op.emitError("expects a copy to the block's own memory, but "
                              "got one to several blocks");
        uint32_t barrier = addBarrier(builder, op.getMbar());
        Inst &inst = builder.emit(op, beginBulkCopy);
        inst.x = barrier;
        inst.a = builder.get(op.getDstMem());
        inst.b = builder.get(op.getSrcMem());
        inst.c = builder.get(op.getSize());
        return success();
      });
}

static uint32_t getBlockSize(KernelBuilder &builder, Operation *op) {
  const SpecialRegisters &special = builder.getKernel().special;
  return builder.emitMul(
      op, special.blockDim[0],
      builder.emitMul(op, special.blockDim[1], special.blockDim[2]));
}

void gpu_executor::populateBarrierLowerings(LoweringTable &table) {
  populateNVGPU(table);
  populateNVVM(table);
  table.add<NVVM::Barrier0Op>([](KernelBuilder &builder, NVVM::Barrier0Op op) {
    builder.emitCollective(op, synchronizeBlock, 0);
    return success();
  });
  table.add<NVVM::BarrierOp>(
      [](KernelBuilder &builder, NVVM::BarrierOp op) -> LogicalResult {
        if (op.getReductionOp())
          return op.emitError("expects a barrier without a reduction");
        if (!op.getBarrierId() && !op.getNumberOfThreads()) {
          builder.emitCollective(op, synchronizeBlock, 0);
          return success();
        }
        uint32_t count = op.getNumberOfThreads()
                             ? builder.get(op.getNumberOfThreads())
                             : getBlockSize(builder, op);
        Inst &inst = builder.emit(op, reachNamed);
        inst.a = op.getBarrierId() ? builder.get(op.getBarrierId())
                                   : builder.getConstant(0);
        inst.b = count;
        return success();
      });
  table.add<NVVM::BarrierArriveOp>(
      [](KernelBuilder &builder, NVVM::BarrierArriveOp op) {
        Inst &inst = builder.emit(op, reachNamed);
        inst.a = op.getBarrierId() ? builder.get(op.getBarrierId())
                                   : builder.getConstant(0);
        inst.b = builder.get(op.getNumberOfThreads());
        inst.imm = 1;
        return success();
      });
}
