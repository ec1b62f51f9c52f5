//===- NVVM.cpp - Instructions of warps -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads run in an order here, and see what others have written at once:
// fences do nothing. They are no barriers either, so that the detector does not
// count them.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

static Operation *getOperation(ThreadBlock &block, const Inst &inst) {
  return block.getKernel().operations[block.getIndex(inst)];
}

/// All operations here are for whole warps.
static bool isFullMask(ThreadBlock &block, unsigned first, unsigned count,
                       const Inst &inst, uint32_t mask) {
  uint32_t all = count == kWarpThreads ? ~0u : (1u << count) - 1;
  for (unsigned lane = 0; lane < count; ++lane) {
    Thread &thread = block.getThread(first + lane);
    auto value = static_cast<uint32_t>(thread.registers[mask]);
    if ((value & all) != all) {
      block.fail(thread, inst,
                 "expects a mask of all threads of the warp, but "
                 "got ")
          << value;
      return false;
    }
  }
  return true;
}

/// `a` is the value, `b` the distance, `c` the clamp and mask, `x` of the mask
/// of threads is in `imm`; behind the result is whether there was a lane.
static void shuffle(ThreadBlock &block, unsigned first, unsigned count,
                    const Inst &inst) {
  if (!isFullMask(block, first, count, inst, inst.imm))
    return;
  auto kind = cast<NVVM::ShflOp>(getOperation(block, inst)).getKind();
  for (unsigned lane = 0; lane < count; ++lane) {
    Thread &thread = block.getThread(first + lane);
    uint64_t *r = thread.registers;
    auto packed = static_cast<uint32_t>(r[inst.c]);
    int64_t distance = r[inst.b] & 31;
    unsigned clamp = packed & 31, segment = packed >> 8 & 31;
    int64_t last = (lane & segment) | (clamp & ~segment & 31);
    int64_t from = 0;
    bool isValid = false;
    switch (kind) {
    case NVVM::ShflKind::up:
      from = lane - distance;
      isValid = from >= last;
      break;
    case NVVM::ShflKind::down:
      from = lane + distance;
      isValid = from <= last;
      break;
    case NVVM::ShflKind::bfly:
      from = lane ^ distance;
      isValid = from <= last;
      break;
    case NVVM::ShflKind::idx:
      from = (lane & segment) | (distance & ~segment & 31);
      isValid = from <= last;
      break;
    }
    if (!isValid)
      from = lane;
    if (from >= int64_t(count)) {
      block.fail(thread, inst, "expects a lane that the block has, but got ")
          << from << " of " << count;
      return;
    }
    r[inst.d] = block.getThread(first + from).registers[inst.a];
    r[inst.d + 1] = isValid;
  }
}

static void vote(ThreadBlock &block, unsigned first, unsigned count,
                 const Inst &inst) {
  if (!isFullMask(block, first, count, inst, inst.b))
    return;
  uint32_t ballot = 0;
  for (unsigned lane = 0; lane < count; ++lane)
    if (block.getThread(first + lane).registers[inst.a])
      ballot |= 1u << lane;
  uint32_t all = count == kWarpThreads ? ~0u : (1u << count) - 1;
  uint64_t result = 0;
  switch (cast<NVVM::VoteSyncOp>(getOperation(block, inst)).getKind()) {
  case NVVM::VoteSyncKind::any:
    result = ballot != 0;
    break;
  case NVVM::VoteSyncKind::all:
    result = ballot == all;
    break;
  case NVVM::VoteSyncKind::ballot:
    result = ballot;
    break;
  case NVVM::VoteSyncKind::uni:
    result = ballot == 0 || ballot == all;
    break;
  }
  for (unsigned lane = 0; lane < count; ++lane)
    block.getThread(first + lane).registers[inst.d] = result;
}

/// `imm` is the kind of an atomic operation that combines two values.
static void reduce(ThreadBlock &block, unsigned first, unsigned count,
                   const Inst &inst) {
  if (!isFullMask(block, first, count, inst, inst.b))
    return;
  Type type = getOperation(block, inst)->getResult(0).getType();
  auto kind = static_cast<arith::AtomicRMWKind>(inst.imm);
  uint64_t value = block.getThread(first).registers[inst.a];
  for (unsigned lane = 1; lane < count; ++lane)
    value = combineAtomic(kind, type, value,
                          block.getThread(first + lane).registers[inst.a]);
  for (unsigned lane = 0; lane < count; ++lane)
    block.getThread(first + lane).registers[inst.d] = value;
}

static std::optional<arith::AtomicRMWKind> getKind(NVVM::ReduxOp op) {
  using From = NVVM::ReduxKind;
  using To = arith::AtomicRMWKind;
  if (op.getAbs())
    return std::nullopt;
  switch (op.getKind()) {
  case From::ADD:
    return To::addi;
  case From::AND:
    return To::andi;
  case From::MAX:
    return To::maxs;
  case From::MIN:
    return To::mins;
  case From::OR:
    return To::ori;
  case From::UMAX:
    return To::maxu;
  case From::UMIN:
    return To::minu;
  case From::XOR:
    return To::xori;
  case From::FMIN:
    return op.getNan() ? To::minimumf : To::minnumf;
  case From::FMAX:
    return op.getNan() ? To::maximumf : To::maxnumf;
  default:
    return std::nullopt;
  }
}

template <typename OpT>
static void addFence(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &, OpT) { return success(); });
}

static void isFirstLane(Thread &thread, const Inst &inst) {
  thread.registers[inst.d] = thread.registers[inst.a] % kWarpThreads == 0;
}

static void reciprocal(Thread &thread, const Inst &inst) {
  thread.registers[inst.d] = F32::put(1 / F32::get(thread.registers[inst.a]));
}

void gpu_executor::populateNVVMLowerings(LoweringTable &table) {
  addFence<LLVM::FenceOp>(table);
  addFence<NVVM::FenceProxyOp>(table);
  addFence<NVVM::FenceMbarrierInitOp>(table);
  addFence<NVVM::FenceScClusterOp>(table);
  addFence<NVVM::SetMaxRegisterOp>(table);
  table.add<NVVM::ShflOp>([](KernelBuilder &builder, NVVM::ShflOp op) {
    uint32_t result = builder.allocate(2);
    if (op.getReturnValueAndIsValid())
      builder.set(op.getRes(), {result, result + 1});
    else
      builder.set(op.getRes(), result);
    Inst &inst = builder.emitCollective(op, shuffle, kWarpThreads);
    inst.d = result;
    inst.a = builder.get(op.getVal());
    inst.b = builder.get(op.getOffset());
    inst.c = builder.get(op.getMaskAndClamp());
    inst.imm = builder.get(op.getThreadMask());
    return success();
  });
  table.add<NVVM::VoteSyncOp>([](KernelBuilder &builder, NVVM::VoteSyncOp op) {
    uint32_t result = builder.define(op);
    Inst &inst = builder.emitCollective(op, vote, kWarpThreads);
    inst.d = result;
    inst.a = builder.get(op.getPred());
    inst.b = builder.get(op.getMask());
    return success();
  });
  table.add<NVVM::ReduxOp>(
      [](KernelBuilder &builder, NVVM::ReduxOp op) -> LogicalResult {
        std::optional<arith::AtomicRMWKind> kind = getKind(op);
        if (!kind)
          return op.emitError("expects a reduction that the GPU executor "
                              "knows");
        uint32_t result = builder.define(op);
        Inst &inst = builder.emitCollective(op, reduce, kWarpThreads);
        inst.d = result;
        inst.a = builder.get(op.getVal());
        inst.b = builder.get(op.getMaskAndClamp());
        inst.imm = static_cast<uint64_t>(*kind);
        return success();
      });
  table.add<NVVM::ElectSyncOp>(
      [](KernelBuilder &builder, NVVM::ElectSyncOp op) {
        uint32_t result = builder.define(op);
        Inst &inst = builder.emit(op, isFirstLane);
        inst.d = result;
        inst.a = builder.getKernel().special.linearId;
        return success();
      });
  table.add<NVVM::RcpApproxFtzF32Op>(
      [](KernelBuilder &builder, NVVM::RcpApproxFtzF32Op op) {
        uint32_t result = builder.define(op);
        Inst &inst = builder.emit(op, reciprocal);
        inst.d = result;
        inst.a = builder.get(op.getArg());
        return success();
      });
}
