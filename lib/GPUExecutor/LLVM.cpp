//===- LLVM.cpp - Pointers ------------------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels take of the LLVM dialect: pointers, and memory behind them. A
// pointer in any address space is an address that tells where it points to.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

/// The element that a pointer points to.
static FailureOr<uint32_t> makeAccess(KernelBuilder &builder, Operation *op,
                                      Value pointer, Type type,
                                      std::optional<uint64_t> alignment) {
  unsigned bytes = getElementBytes(getElementTypeOrSelf(type));
  if (bytes == 0)
    return op->emitError("expects a number or a vector in memory, but got ")
           << type;
  Access access;
  access.base = builder.get(pointer);
  access.offset = builder.getConstant(0);
  access.elementBytes = bytes;
  // 0 is that of the type.
  access.alignment = alignment.value_or(0) ? *alignment : bytes;
  return builder.addAccess(access);
}

/// `n` elements at a pointer.
static void loadAll(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  const char *host =
      block.access(thread, inst, access, inst.n, AccessKind::Read);
  if (!host)
    return;
  for (uint32_t k = 0; k < inst.n; ++k) {
    uint64_t value = 0;
    std::memcpy(&value, host + k * access.elementBytes, access.elementBytes);
    thread.registers[inst.d + k] = value;
  }
}

static void storeAll(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  char *host = block.access(thread, inst, access, inst.n, AccessKind::Write);
  if (!host)
    return;
  for (uint32_t k = 0; k < inst.n; ++k)
    std::memcpy(host + k * access.elementBytes, &thread.registers[inst.a + k],
                access.elementBytes);
}

/// `imm` is the kind.
static void atomic(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  char *host = block.access(thread, inst, access, 1, AccessKind::Atomic);
  if (!host)
    return;
  uint64_t old = 0;
  std::memcpy(&old, host, access.elementBytes);
  Type type = block.getKernel()
                  .operations[block.getIndex(inst)]
                  ->getResult(0)
                  .getType();
  uint64_t value = combineAtomic(static_cast<arith::AtomicRMWKind>(inst.imm),
                                 type, old, thread.registers[inst.a]);
  thread.registers[inst.d] = old;
  std::memcpy(host, &value, access.elementBytes);
}

/// Stores `b` where `a` is; the old value is at `d`, and behind it whether it
/// was `a`.
static void compareExchange(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  char *host = block.access(thread, inst, access, 1, AccessKind::Atomic);
  if (!host)
    return;
  uint64_t *r = thread.registers;
  uint64_t old = 0;
  std::memcpy(&old, host, access.elementBytes);
  bool isSame = old == r[inst.a];
  if (isSame)
    std::memcpy(host, &r[inst.b], access.elementBytes);
  r[inst.d] = old;
  r[inst.d + 1] = isSame;
}

static std::optional<arith::AtomicRMWKind> getKind(LLVM::AtomicBinOp op) {
  using From = LLVM::AtomicBinOp;
  using To = arith::AtomicRMWKind;
  switch (op) {
  case From::xchg:
    return To::assign;
  case From::add:
    return To::addi;
  case From::_and:
    return To::andi;
  case From::_or:
    return To::ori;
  case From::_xor:
    return To::xori;
  case From::max:
    return To::maxs;
  case From::min:
    return To::mins;
  case From::umax:
    return To::maxu;
  case From::umin:
    return To::minu;
  case From::fadd:
    return To::addf;
  case From::fmax:
    return To::maxnumf;
  case From::fmin:
    return To::minnumf;
  default:
    return std::nullopt;
  }
}

static LogicalResult lowerAtomic(KernelBuilder &builder, LLVM::AtomicRMWOp op) {
  std::optional<arith::AtomicRMWKind> kind = getKind(op.getBinOp());
  if (!kind)
    return op.emitError("expects an atomic operation that the GPU executor "
                        "knows");
  auto access = makeAccess(builder, op, op.getPtr(), op.getVal().getType(),
                           op.getAlignment());
  if (failed(access))
    return failure();
  uint32_t result = builder.define(op.getRes());
  Inst &inst = builder.emit(op, atomic);
  inst.d = result;
  inst.a = builder.get(op.getVal());
  inst.x = *access;
  inst.imm = static_cast<uint64_t>(*kind);
  return success();
}

static LogicalResult lowerCompareExchange(KernelBuilder &builder,
                                          LLVM::AtomicCmpXchgOp op) {
  auto access = makeAccess(builder, op, op.getPtr(), op.getVal().getType(),
                           op.getAlignment());
  if (failed(access))
    return failure();
  uint32_t result = builder.allocate(2);
  builder.set(op.getRes(), {result, result + 1});
  Inst &inst = builder.emit(op, compareExchange);
  inst.d = result;
  inst.a = builder.get(op.getCmp());
  inst.b = builder.get(op.getVal());
  inst.x = *access;
  return success();
}

/// Bytes of a type in memory, at a multiple of which the next one begins.
static FailureOr<uint64_t> getStride(Operation *op, Type type) {
  if (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    auto element = getStride(op, array.getElementType());
    if (failed(element))
      return failure();
    return *element * array.getNumElements();
  }
  if (unsigned bytes = getElementBytes(getElementTypeOrSelf(type)))
    return bytes * getNumElements(type);
  return op->emitError("expects an array, a number or a vector, but got ")
         << type;
}

/// The sign is kept of what `imm` bits are above.
static void extendIndex(Thread &thread, const Inst &inst) {
  uint64_t value = thread.registers[inst.a];
  thread.registers[inst.d] = static_cast<uint64_t>(
      static_cast<int64_t>(value << inst.imm) >> inst.imm);
}

static LogicalResult lowerGEP(KernelBuilder &builder, LLVM::GEPOp op) {
  Type type = op.getElemType();
  uint32_t address = builder.get(op.getBase());
  for (auto [i, index] : llvm::enumerate(op.getIndices())) {
    if (i > 0) {
      auto array = dyn_cast<LLVM::LLVMArrayType>(type);
      if (!array)
        return op.emitError("expects indices of arrays, but got ") << type;
      type = array.getElementType();
    }
    auto stride = getStride(op, type);
    if (failed(stride))
      return failure();
    uint32_t number;
    if (auto value = dyn_cast<Value>(index)) {
      number = builder.allocate();
      Inst &inst = builder.emit(op, extendIndex);
      inst.d = number;
      inst.a = builder.get(value);
      inst.imm = 64 - getIntegerBits(value.getType());
    } else {
      number = builder.getConstant(
          static_cast<int64_t>(cast<IntegerAttr>(index).getInt()));
    }
    address = builder.emitAdd(
        op, address, builder.emitMul(op, number, builder.getConstant(*stride)));
  }
  builder.set(op, address);
  return success();
}

/// Operations whose result has the bits of the operand.
template <typename OpT>
static void addAlias(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) -> LogicalResult {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    unsigned bits = getIntegerBits(to);
    if (bits && bits < getIntegerBits(from)) {
      // Addresses of shared memory have 32 bits too.
      return op.emitError("expects an integer of 64 bits for an address, but "
                          "got ")
             << to;
    }
    builder.set(op->getResult(0), builder.getComponents(op->getOperand(0)));
    return success();
  });
}

void gpu_executor::populateLLVMLowerings(LoweringTable &table) {
  table.add<LLVM::LoadOp>([](KernelBuilder &builder,
                             LLVM::LoadOp op) -> LogicalResult {
    auto access =
        makeAccess(builder, op, op.getAddr(), op.getType(), op.getAlignment());
    if (failed(access))
      return failure();
    uint32_t result = builder.define(op.getRes());
    Inst &inst = builder.emit(op, loadAll);
    inst.d = result;
    inst.n = getNumElements(op.getType());
    inst.x = *access;
    return success();
  });
  table.add<LLVM::StoreOp>(
      [](KernelBuilder &builder, LLVM::StoreOp op) -> LogicalResult {
        auto access = makeAccess(builder, op, op.getAddr(),
                                 op.getValue().getType(), op.getAlignment());
        if (failed(access))
          return failure();
        Inst &inst = builder.emit(op, storeAll);
        inst.a = builder.get(op.getValue());
        inst.n = getNumElements(op.getValue().getType());
        inst.x = *access;
        return success();
      });
  table.add<LLVM::AtomicRMWOp>(lowerAtomic);
  table.add<LLVM::AtomicCmpXchgOp>(lowerCompareExchange);
  table.add<LLVM::GEPOp>(lowerGEP);
  table.add<LLVM::ExtractValueOp>(
      [](KernelBuilder &builder, LLVM::ExtractValueOp op) -> LogicalResult {
        // Of what a compare and exchange returns.
        ArrayRef<int64_t> position = op.getPosition();
        ArrayRef<uint32_t> members = builder.getComponents(op.getContainer());
        if (position.size() != 1 || position[0] < 0 ||
            position[0] >= static_cast<int64_t>(members.size()))
          return op.emitError("expects a member of a structure of numbers");
        builder.set(op, members[position[0]]);
        return success();
      });
  table.add<LLVM::ConstantOp>([](KernelBuilder &builder,
                                 LLVM::ConstantOp op) -> LogicalResult {
    if (auto number = dyn_cast<IntegerAttr>(op.getValue()))
      builder.set(op, builder.getConstant(number.getValue().getZExtValue()));
    else if (auto number = dyn_cast<FloatAttr>(op.getValue()))
      builder.set(op, builder.getConstant(
                          number.getValue().bitcastToAPInt().getZExtValue()));
    else
      return op.emitError("expects a number");
    return success();
  });
  table.add<LLVM::ZeroOp>([](KernelBuilder &builder, LLVM::ZeroOp op) {
    SmallVector<uint64_t> zeros(getNumElements(op.getType()), 0);
    builder.set(op, builder.getConstants(zeros));
    return success();
  });
  table.add<LLVM::AddressOfOp>(
      [](KernelBuilder &builder, LLVM::AddressOfOp op) -> LogicalResult {
        auto address = builder.getGlobal(op, op.getGlobalName());
        if (failed(address))
          return failure();
        builder.set(op, builder.getConstant(*address));
        return success();
      });
  addAlias<LLVM::AddrSpaceCastOp>(table);
  addAlias<LLVM::IntToPtrOp>(table);
  addAlias<LLVM::PtrToIntOp>(table);
}
