//===- VectorMemory.cpp - Loads and stores of vectors ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements that follow each other in memory are accessed at once, as a device
// does. Others are accessed one by one.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

static void copyIn(uint64_t *to, const char *from, unsigned bytes,
                   unsigned count) {
  for (unsigned k = 0; k < count; ++k) {
    to[k] = 0;
    std::memcpy(to + k, from + k * bytes, bytes);
  }
}

static void copyOut(char *to, const uint64_t *from, unsigned bytes,
                    unsigned count) {
  for (unsigned k = 0; k < count; ++k)
    std::memcpy(to + k * bytes, from + k, bytes);
}

/// `n` elements that follow each other.
static void loadRow(Thread &thread, const Inst &inst) {
  const Access &access = thread.block->getKernel().accesses[inst.x];
  if (const char *host =
          thread.block->access(thread, inst, access, inst.n, AccessKind::Read))
    copyIn(thread.registers + inst.d, host, access.elementBytes, inst.n);
}

static void storeRow(Thread &thread, const Inst &inst) {
  const Access &access = thread.block->getKernel().accesses[inst.x];
  if (char *host =
          thread.block->access(thread, inst, access, inst.n, AccessKind::Write))
    copyOut(host, thread.registers + inst.a, access.elementBytes, inst.n);
}

/// Elements one by one. `c` is the transfer; of a load, `b` is what elements
/// out of bounds or of the mask are, one for all or, if `imm` is 1, one for
/// each.
template <bool isStore>
static void transfer(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Kernel &kernel = block.getKernel();
  const Access &access = kernel.accesses[inst.x];
  const Transfer &transfer = kernel.transfers[inst.c];
  uint64_t *r = thread.registers;
  size_t rank = access.indices.size();
  SmallVector<uint64_t, 4> start;
  for (uint32_t index : access.indices)
    start.push_back(r[index]);
  for (uint32_t k = 0; k < inst.n && !block.hasFailed(); ++k) {
    bool isPresent = !transfer.mask || r[*transfer.mask + k];
    for (size_t dim = 0; dim < rank && isPresent; ++dim) {
      uint64_t at = start[dim] + transfer.steps[k * rank + dim];
      if (transfer.open[dim] && at >= r[access.sizes[dim]])
        isPresent = false;
      r[transfer.scratch + dim] = at;
    }
    if (!isPresent) {
      if (!isStore)
        r[inst.d + k] = r[inst.b + (inst.imm ? k : 0)];
      continue;
    }
    Access element = access;
    for (size_t dim = 0; dim < rank; ++dim)
      element.indices[dim] = transfer.scratch + dim;
    char *host = block.access(thread, inst, element, 1,
                              isStore ? AccessKind::Write : AccessKind::Read);
    access.cached = element.cached;
    if (!host)
      return;
    if (isStore)
      copyOut(host, r + inst.a + k, access.elementBytes, 1);
    else
      copyIn(r + inst.d + k, host, access.elementBytes, 1);
  }
}

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

/// Where the elements of a vector of `shape` are whose dimension i goes along
/// dimension `dims[i]` of the memref; -1 goes along none.
static Transfer makeTransfer(KernelBuilder &builder, ArrayRef<int64_t> shape,
                             ArrayRef<int64_t> dims, size_t rank) {
  Transfer transfer;
  SmallVector<int64_t> strides = computeStrides(shape);
  for (int64_t k = 0, e = computeProduct(shape); k < e; ++k) {
    SmallVector<int64_t> index = delinearize(k, strides);
    SmallVector<int64_t> steps(rank, 0);
    for (auto [i, dim] : llvm::enumerate(dims))
      if (dim >= 0)
        steps[dim] = index[i];
    llvm::append_range(transfer.steps, steps);
  }
  transfer.open.assign(rank, false);
  transfer.scratch = builder.allocate(std::max<size_t>(rank, 1));
  return transfer;
}

static SmallVector<int64_t> getLastDims(size_t count, size_t rank) {
  SmallVector<int64_t> dims;
  for (size_t i = 0; i < count; ++i)
    dims.push_back(rank - count + i);
  return dims;
}

/// Says what the elements of an access have to be aligned to: a device traps
/// where a vector is not.
template <typename OpT>
static void setAlignment(OpT op, Access &access) {
  if (std::optional<uint64_t> alignment = op.getAlignment())
    access.alignment = *alignment;
}

static bool isRow(MemRefType memref, VectorType vector) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return memref.getRank() > 0 && vector.getRank() > 0 &&
         vector.getNumElements() == vector.getShape().back() &&
         succeeded(memref.getStridesAndOffset(strides, offset)) &&
         strides.back() == 1;
}

/// vector.load or, with a value, vector.store.
template <typename OpT>
static LogicalResult lowerAccess(KernelBuilder &builder, OpT op, Value value,
                                 bool isStore) {
  auto memref = cast<MemRefType>(op.getBase().getType());
  auto vector = cast<VectorType>(value.getType());
  if (isa<VectorType>(memref.getElementType()))
    return op.emitError("expects a memref of numbers, but got ") << memref;
  auto access =
      builder.makeAccess(op, op.getBase(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  setAlignment(op, *access);
  uint32_t number = isStore ? builder.get(value) : builder.define(value);
  Inst inst;
  inst.a = inst.d = number;
  inst.n = vector.getNumElements();
  if (isRow(memref, vector)) {
    inst.fn = isStore ? storeRow : loadRow;
  } else {
    inst.fn = isStore ? transfer<true> : transfer<false>;
    inst.c = builder.getKernel().transfers.size();
    access->alignment = access->elementBytes;
    builder.getKernel().transfers.push_back(makeTransfer(
        builder, vector.getShape(),
        getLastDims(vector.getRank(), memref.getRank()), memref.getRank()));
  }
  inst.x = builder.addAccess(*access);
  builder.emit(op, nullptr) = inst;
  return success();
}

/// vector.transfer_read or, with a value, vector.transfer_write.
template <typename OpT>
static LogicalResult lowerTransfer(KernelBuilder &builder, OpT op, Value value,
                                   Value padding) {
  auto memref = dyn_cast<MemRefType>(op.getShapedType());
  if (!memref || isa<VectorType>(memref.getElementType()))
    return op.emitError("expects a memref of numbers, but got ")
           << op.getShapedType();
  auto vector = cast<VectorType>(value.getType());
  bool isStore = !padding;
  auto access =
      builder.makeAccess(op, op.getBase(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  size_t rank = memref.getRank();
  SmallVector<int64_t> dims;
  AffineMap map = op.getPermutationMap();
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    dims.push_back(dim ? static_cast<int64_t>(dim.getPosition()) : -1);
  }
  Transfer transfer = makeTransfer(builder, vector.getShape(), dims, rank);
  bool isOpen = false;
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim >= 0 && !op.isDimInBounds(i))
      isOpen = transfer.open[dim] = true;
  if (op.getMask()) {
    if (!map.isMinorIdentity())
      return op.emitError("expects a mask of a transfer that keeps the order "
                          "of dimensions");
    transfer.mask = builder.get(op.getMask());
  }
  uint32_t number = isStore ? builder.get(value) : builder.define(value);
  Inst inst;
  inst.a = inst.d = number;
  inst.n = vector.getNumElements();
  if (!isOpen && !op.getMask() && map.isMinorIdentity() &&
      isRow(memref, vector)) {
    inst.fn = isStore ? storeRow : loadRow;
  } else {
    inst.fn = isStore ? ::transfer<true> : ::transfer<false>;
    if (padding)
      inst.b = builder.get(padding);
    inst.c = builder.getKernel().transfers.size();
    builder.getKernel().transfers.push_back(std::move(transfer));
  }
  inst.x = builder.addAccess(*access);
  builder.emit(op, nullptr) = inst;
  return success();
}

/// vector.maskedload and vector.maskedstore.
template <typename OpT>
static LogicalResult lowerMasked(KernelBuilder &builder, OpT op, Value value,
                                 Value otherwise) {
  auto memref = cast<MemRefType>(op.getBase().getType());
  auto vector = cast<VectorType>(value.getType());
  auto access =
      builder.makeAccess(op, op.getBase(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  Transfer transfer = makeTransfer(
      builder, vector.getShape(),
      getLastDims(vector.getRank(), memref.getRank()), memref.getRank());
  transfer.mask = builder.get(op.getMask());
  uint32_t number = otherwise ? builder.define(value) : builder.get(value);
  Inst inst;
  inst.fn = otherwise ? ::transfer<false> : ::transfer<true>;
  inst.a = inst.d = number;
  if (otherwise)
    inst.b = builder.get(otherwise);
  inst.imm = 1;
  inst.n = vector.getNumElements();
  inst.c = builder.getKernel().transfers.size();
  builder.getKernel().transfers.push_back(std::move(transfer));
  inst.x = builder.addAccess(*access);
  builder.emit(op, nullptr) = inst;
  return success();
}

void gpu_executor::populateVectorMemory(LoweringTable &table) {
  table.add<vector::LoadOp>([](KernelBuilder &builder, vector::LoadOp op) {
    return lowerAccess(builder, op, op.getResult(), /*isStore=*/false);
  });
  table.add<vector::StoreOp>([](KernelBuilder &builder, vector::StoreOp op) {
    return lowerAccess(builder, op, op.getValueToStore(), /*isStore=*/true);
  });
  table.add<vector::TransferReadOp>(
      [](KernelBuilder &builder, vector::TransferReadOp op) {
        return lowerTransfer(builder, op, op.getVector(), op.getPadding());
      });
  table.add<vector::TransferWriteOp>(
      [](KernelBuilder &builder, vector::TransferWriteOp op) {
        return lowerTransfer(builder, op, op.getValueToStore(), Value());
      });
  table.add<vector::MaskedLoadOp>(
      [](KernelBuilder &builder, vector::MaskedLoadOp op) {
        return lowerMasked(builder, op, op.getResult(), op.getPassThru());
      });
  table.add<vector::MaskedStoreOp>(
      [](KernelBuilder &builder, vector::MaskedStoreOp op) {
        return lowerMasked(builder, op, op.getValueToStore(), Value());
      });
}
