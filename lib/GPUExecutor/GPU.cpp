//===- GPU.cpp - Indices, barriers and warps ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

template <typename OpT>
static void addIndex(LoweringTable &table,
                     std::array<uint32_t, 3> SpecialRegisters::*indices) {
  table.add<OpT>([indices](KernelBuilder &builder, OpT op) {
    unsigned dim = static_cast<unsigned>(op.getDimension());
    builder.set(op, (builder.getKernel().special.*indices)[dim]);
    return success();
  });
}

/// `d = a / imm`.
static void divideBy(Thread &thread, const Inst &inst) {
  thread.registers[inst.d] = thread.registers[inst.a] / inst.imm;
}

static void remainderBy(Thread &thread, const Inst &inst) {
  thread.registers[inst.d] = thread.registers[inst.a] % inst.imm;
}

static LogicalResult emitBy(KernelBuilder &builder, Operation *op, Handler fn,
                            uint32_t number, uint64_t by) {
  uint32_t result = builder.define(op->getResult(0));
  Inst &inst = builder.emit(op, fn);
  inst.d = result;
  inst.a = number;
  inst.imm = by;
  return success();
}

static void populateIndices(LoweringTable &table) {
  addIndex<gpu::ThreadIdOp>(table, &SpecialRegisters::threadId);
  addIndex<gpu::BlockIdOp>(table, &SpecialRegisters::blockId);
  addIndex<gpu::BlockDimOp>(table, &SpecialRegisters::blockDim);
  addIndex<gpu::GridDimOp>(table, &SpecialRegisters::gridDim);
  table.add<gpu::GlobalIdOp>([](KernelBuilder &builder, gpu::GlobalIdOp op) {
    const SpecialRegisters &special = builder.getKernel().special;
    unsigned dim = static_cast<unsigned>(op.getDimension());
    uint32_t start =
        builder.emitMul(op, special.blockId[dim], special.blockDim[dim]);
    builder.set(op, builder.emitAdd(op, start, special.threadId[dim]));
    return success();
  });
  table.add<gpu::LaneIdOp>([](KernelBuilder &builder, gpu::LaneIdOp op) {
    return emitBy(builder, op, remainderBy,
                  builder.getKernel().special.linearId, kWarpThreads);
  });
  table.add<gpu::SubgroupIdOp>(
      [](KernelBuilder &builder, gpu::SubgroupIdOp op) {
        return emitBy(builder, op, divideBy,
                      builder.getKernel().special.linearId, kWarpThreads);
      });
  table.add<gpu::SubgroupSizeOp>(
      [](KernelBuilder &builder, gpu::SubgroupSizeOp op) {
        builder.set(op, builder.getConstant(kWarpThreads));
        return success();
      });
  table.add<gpu::NumSubgroupsOp>(
      [](KernelBuilder &builder, gpu::NumSubgroupsOp op) {
        const SpecialRegisters &special = builder.getKernel().special;
        uint32_t threads = builder.getConstant(kWarpThreads - 1);
        uint32_t product = builder.emitMul(
            op, special.blockDim[0],
            builder.emitMul(op, special.blockDim[1], special.blockDim[2]));
        return emitBy(builder, op, divideBy,
                      builder.emitAdd(op, product, threads), kWarpThreads);
      });
  table.add<gpu::DynamicSharedMemoryOp>([](KernelBuilder &builder,
                                           gpu::DynamicSharedMemoryOp op) {
    const SpecialRegisters &special = builder.getKernel().special;
    builder.set(op.getResult(), {special.dynamicShared, builder.getConstant(0),
                                 special.dynamicBytes, builder.getConstant(1)});
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Barriers and warps
//===----------------------------------------------------------------------===//

void gpu_executor::synchronizeBlock(ThreadBlock &block, unsigned first,
                                    unsigned count, const Inst &inst) {
  block.synchronizeAll();
}

static void synchronizeWarp(ThreadBlock &block, unsigned first, unsigned count,
                            const Inst &inst) {
  block.synchronize(first, count);
}

/// `imm` is the mode, `a` the value, `b` the distance, `c` the width; results
/// are the value and, behind it, whether there was one.
static void shuffle(ThreadBlock &block, unsigned first, unsigned count,
                    const Inst &inst) {
  auto mode = static_cast<gpu::ShuffleMode>(inst.imm);
  for (unsigned lane = 0; lane < count; ++lane) {
    Thread &thread = block.getThread(first + lane);
    uint64_t *r = thread.registers;
    auto distance = static_cast<int32_t>(r[inst.b]);
    auto width = static_cast<int32_t>(r[inst.c]);
    if (width < 1 || width > int32_t(kWarpThreads) || (width & (width - 1))) {
      block.fail(thread, inst,
                 "expects a width that is a power of 2 of at most 32, but got ")
          << width;
      return;
    }
    int64_t start = lane & ~(width - 1), from = 0;
    switch (mode) {
    case gpu::ShuffleMode::XOR:
      from = lane ^ distance;
      break;
    case gpu::ShuffleMode::UP:
      from = int64_t(lane) - distance;
      break;
    case gpu::ShuffleMode::DOWN:
      from = int64_t(lane) + distance;
      break;
    case gpu::ShuffleMode::IDX:
      from = start + distance;
      break;
    }
    bool isValid = from >= start && from < start + width;
    if (isValid && from >= int64_t(count)) {
      block.fail(thread, inst, "expects a lane that the block has, but got ")
          << from << " of " << count;
      return;
    }
    const uint64_t *source =
        isValid ? block.getThread(first + from).registers : r;
    for (uint32_t k = 0; k < inst.n; ++k)
      r[inst.d + k] = source[inst.a + k];
    r[inst.d + inst.n] = isValid;
  }
}

static uint64_t combine(gpu::AllReduceOperation kind, Type type, uint64_t a,
                        uint64_t b) {
  using K = gpu::AllReduceOperation;
  if (isa<FloatType>(type)) {
    double x = getFloat(type, a), y = getFloat(type, b);
    switch (kind) {
    case K::ADD:
      return putFloat(type, type.isF64() ? x + y : double(float(x) + float(y)));
    case K::MUL:
      return putFloat(type, type.isF64() ? x * y : double(float(x) * float(y)));
    case K::MINNUMF:
      return std::isnan(x) ? b : std::isnan(y) || x <= y ? a : b;
    case K::MAXNUMF:
      return std::isnan(x) ? b : std::isnan(y) || x >= y ? a : b;
    case K::MINIMUMF:
      return std::isnan(x) || (!std::isnan(y) && x <= y) ? a : b;
    default:
      return std::isnan(x) || (!std::isnan(y) && x >= y) ? a : b;
    }
  }
  unsigned above = 64 - getIntegerBits(type);
  int64_t x = static_cast<int64_t>(a << above), y = b << above;
  switch (kind) {
  case K::ADD:
    return (a + b) << above >> above;
  case K::MUL:
    return (a * b) << above >> above;
  case K::MINUI:
    return std::min(a, b);
  case K::MAXUI:
    return std::max(a, b);
  case K::MINSI:
    return x < y ? a : b;
  case K::MAXSI:
    return x > y ? a : b;
  case K::AND:
    return a & b;
  case K::OR:
    return a | b;
  default:
    return a ^ b;
  }
}

static void reduceWarp(ThreadBlock &block, unsigned first, unsigned count,
                       const Inst &inst) {
  auto op = cast<gpu::SubgroupReduceOp>(
      block.getKernel().operations[block.getIndex(inst)]);
  Type type = getElementTypeOrSelf(op.getType());
  unsigned size = op.getClusterSize().value_or(count);
  unsigned stride = op.getClusterStride();
  for (unsigned lane = 0; lane < count; ++lane) {
    uint64_t *r = block.getThread(first + lane).registers;
    unsigned start = lane / (size * stride) * (size * stride) + lane % stride;
    if (start + (size - 1) * stride >= count) {
      block.fail(block.getThread(first + lane), inst,
                 "expects lanes that the block has, but got ")
          << start + (size - 1) * stride << " of " << count;
      return;
    }
    for (uint32_t k = 0; k < inst.n; ++k) {
      auto get = [&](unsigned i) {
        return block.getThread(first + start + i * stride)
            .registers[inst.a + k];
      };
      uint64_t value = get(0);
      for (unsigned i = 1; i < size; ++i)
        value = combine(op.getOp(), type, value, get(i));
      r[inst.d + k] = value;
    }
  }
}

static void reduceBlock(ThreadBlock &block, unsigned first, unsigned count,
                        const Inst &inst) {
  auto op = cast<gpu::AllReduceOp>(
      block.getKernel().operations[block.getIndex(inst)]);
  uint64_t value = block.getThread(0).registers[inst.a];
  for (unsigned id = 1; id < count; ++id)
    value = combine(*op.getOp(), op.getType(), value,
                    block.getThread(id).registers[inst.a]);
  for (unsigned id = 0; id < count; ++id)
    block.getThread(id).registers[inst.d] = value;
  block.synchronizeAll();
}

void gpu_executor::populateGPULowerings(LoweringTable &table) {
  populateIndices(table);
  table.add<gpu::BarrierOp>([](KernelBuilder &builder, gpu::BarrierOp op) {
    builder.emitCollective(op, synchronizeBlock, 0);
    return success();
  });
  table.add<NVVM::SyncWarpOp>([](KernelBuilder &builder, NVVM::SyncWarpOp op) {
    builder.emitCollective(op, synchronizeWarp, kWarpThreads);
    return success();
  });
  table.add<gpu::ShuffleOp>([](KernelBuilder &builder, gpu::ShuffleOp op) {
    unsigned count = getNumElements(op.getValue().getType());
    uint32_t result = builder.allocate(count + 1);
    builder.set(op.getShuffleResult(), result);
    builder.set(op.getValid(), result + count);
    Inst &inst = builder.emitCollective(op, shuffle, kWarpThreads);
    inst.d = result;
    inst.a = builder.get(op.getValue());
    inst.b = builder.get(op.getOffset());
    inst.c = builder.get(op.getWidth());
    inst.n = count;
    inst.imm = static_cast<uint64_t>(op.getMode());
    return success();
  });
  auto addReduction = [&](auto null, GroupHandler fn, unsigned groupSize) {
    using OpT = decltype(null);
    table.add<OpT>([=](KernelBuilder &builder, OpT op) -> LogicalResult {
      if constexpr (std::is_same_v<OpT, gpu::AllReduceOp>)
        if (!op.getOp())
          return op.emitError("expects an operation by its name, but got a "
                              "region");
      uint32_t result = builder.define(op);
      Inst &inst = builder.emitCollective(op, fn, groupSize);
      inst.d = result;
      inst.a = builder.get(op->getOperand(0));
      inst.n = getNumElements(op.getType());
      return success();
    });
  };
  addReduction(gpu::SubgroupReduceOp(), reduceWarp, kWarpThreads);
  addReduction(gpu::AllReduceOp(), reduceBlock, 0);
}
