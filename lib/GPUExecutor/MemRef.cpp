//===- MemRef.cpp - Loads, stores and views -------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

using Registers = KernelBuilder::Registers;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

template <typename T>
static void load(Thread &thread, const Inst &inst) {
  const Access &access = thread.block->getKernel().accesses[inst.x];
  const char *host =
      thread.block->access(thread, inst, access, 1, AccessKind::Read);
  if (!host)
    return;
  for (uint32_t k = 0; k < inst.n; ++k) {
    T value;
    std::memcpy(&value, host + k * sizeof(T), sizeof(T));
    thread.registers[inst.d + k] = value;
  }
}

template <typename T>
static void store(Thread &thread, const Inst &inst) {
  const Access &access = thread.block->getKernel().accesses[inst.x];
  char *host = thread.block->access(thread, inst, access, 1, AccessKind::Write);
  if (!host)
    return;
  for (uint32_t k = 0; k < inst.n; ++k) {
    T value = static_cast<T>(thread.registers[inst.a + k]);
    std::memcpy(host + k * sizeof(T), &value, sizeof(T));
  }
}

Handler gpu_executor::getLoad(unsigned bytes) {
  switch (bytes) {
  case 1:
    return load<uint8_t>;
  case 2:
    return load<uint16_t>;
  case 4:
    return load<uint32_t>;
  default:
    return load<uint64_t>;
  }
}

Handler gpu_executor::getStore(unsigned bytes) {
  switch (bytes) {
  case 1:
    return store<uint8_t>;
  case 2:
    return store<uint16_t>;
  case 4:
    return store<uint32_t>;
  default:
    return store<uint64_t>;
  }
}

static LogicalResult emitLoad(KernelBuilder &builder, Operation *op,
                              Value memref, ArrayRef<uint32_t> indices) {
  auto access = builder.makeAccess(op, memref, indices);
  if (failed(access))
    return failure();
  Value value = op->getResult(0);
  uint32_t result = builder.define(value);
  Inst &inst =
      builder.emit(op, getLoad(getElementBytes(getElementTypeOrSelf(value))));
  inst.d = result;
  inst.n = getNumElements(value.getType());
  inst.x = builder.addAccess(*access);
  return success();
}

static LogicalResult emitStore(KernelBuilder &builder, Operation *op,
                               Value value, Value memref,
                               ArrayRef<uint32_t> indices) {
  auto access = builder.makeAccess(op, memref, indices);
  if (failed(access))
    return failure();
  Inst &inst =
      builder.emit(op, getStore(getElementBytes(getElementTypeOrSelf(value))));
  inst.a = builder.get(value);
  inst.n = getNumElements(value.getType());
  inst.x = builder.addAccess(*access);
  return success();
}

/// Copies all elements of the memref of access `x` to that of access `x + 1`.
static void copyElements(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &from = block.getKernel().accesses[inst.x];
  const Access &to = block.getKernel().accesses[inst.x + 1];
  uint64_t *r = thread.registers;
  size_t rank = from.sizes.size();
  for (size_t dim = 0; dim < rank; ++dim) {
    if (r[from.sizes[dim]] != r[to.sizes[dim]]) {
      block.fail(thread, inst, "expects two memrefs of one shape, but got ")
          << r[from.sizes[dim]] << " and " << r[to.sizes[dim]]
          << " in dimension " << dim;
      return;
    }
    if (r[from.sizes[dim]] == 0)
      return;
    r[from.indices[dim]] = 0;
  }
  for (;;) {
    const char *source = block.access(thread, inst, from, 1, AccessKind::Read);
    if (!source)
      return;
    char *target = block.access(thread, inst, to, 1, AccessKind::Write);
    if (!target)
      return;
    std::memmove(target, source, from.elementBytes);
    size_t dim = rank;
    while (dim > 0 && ++r[from.indices[dim - 1]] == r[from.sizes[dim - 1]])
      r[from.indices[--dim]] = 0;
    if (dim == 0)
      return;
  }
}

static LogicalResult lowerCopy(KernelBuilder &builder, memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !isa<MemRefType>(op.getTarget().getType()))
    return op.emitError("expects memrefs with a rank");
  Registers indices;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    indices.push_back(builder.allocate());
  auto from = builder.makeAccess(op, op.getSource(), indices);
  auto to = builder.makeAccess(op, op.getTarget(), indices);
  if (failed(from) || failed(to))
    return failure();
  Inst &inst = builder.emit(op, copyElements);
  inst.x = builder.addAccess(*from);
  builder.addAccess(*to);
  return success();
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

template <typename T>
static void atomic(Thread &thread, const Inst &inst) {
  ThreadBlock &block = *thread.block;
  const Access &access = block.getKernel().accesses[inst.x];
  char *host = block.access(thread, inst, access, 1, AccessKind::Atomic);
  if (!host)
    return;
  T old;
  std::memcpy(&old, host, sizeof(T));
  auto op = cast<memref::AtomicRMWOp>(
      block.getKernel().operations[block.getIndex(inst)]);
  thread.registers[inst.d] = old;
  T value = static_cast<T>(
      combineAtomic(op.getKind(), op.getType(), old, thread.registers[inst.a]));
  std::memcpy(host, &value, sizeof(T));
}

static Handler getAtomic(unsigned bytes) {
  switch (bytes) {
  case 1:
    return atomic<uint8_t>;
  case 2:
    return atomic<uint16_t>;
  case 4:
    return atomic<uint32_t>;
  default:
    return atomic<uint64_t>;
  }
}

uint64_t gpu_executor::combineAtomic(arith::AtomicRMWKind kind, Type type,
                                     uint64_t old, uint64_t value) {
  using K = arith::AtomicRMWKind;
  if (kind == K::assign)
    return value;
  if (isa<FloatType>(type)) {
    double x = getFloat(type, old), y = getFloat(type, value);
    switch (kind) {
    case K::addf:
      return putFloat(type, type.isF64() ? x + y : double(float(x) + float(y)));
    case K::mulf:
      return putFloat(type, type.isF64() ? x * y : double(float(x) * float(y)));
    case K::maximumf:
      return std::isnan(x) || (!std::isnan(y) && x >= y) ? old : value;
    case K::minimumf:
      return std::isnan(x) || (!std::isnan(y) && x <= y) ? old : value;
    case K::maxnumf:
      return std::isnan(x) ? value : std::isnan(y) || x >= y ? old : value;
    default:
      return std::isnan(x) ? value : std::isnan(y) || x <= y ? old : value;
    }
  }
  unsigned above = 64 - getIntegerBits(type);
  auto x = static_cast<int64_t>(old << above);
  auto y = static_cast<int64_t>(value << above);
  switch (kind) {
  case K::addi:
    return (old + value) << above >> above;
  case K::muli:
    return (old * value) << above >> above;
  case K::maxs:
    return x > y ? old : value;
  case K::mins:
    return x < y ? old : value;
  case K::maxu:
    return std::max(old, value);
  case K::minu:
    return std::min(old, value);
  case K::andi:
    return old & value;
  case K::ori:
    return old | value;
  default:
    return old ^ value;
  }
}

static LogicalResult lowerAtomic(KernelBuilder &builder,
                                 memref::AtomicRMWOp op) {
  auto access =
      builder.makeAccess(op, op.getMemref(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  uint32_t result = builder.define(op);
  Inst &inst = builder.emit(op, getAtomic(access->elementBytes));
  inst.d = result;
  inst.a = builder.get(op.getValue());
  inst.x = builder.addAccess(*access);
  return success();
}

/// Both ends of a generic atomic operation: no other thread runs between them.
template <typename T, bool isStore>
static void accessAtomic(Thread &thread, const Inst &inst) {
  const Access &access = thread.block->getKernel().accesses[inst.x];
  char *host =
      thread.block->access(thread, inst, access, 1, AccessKind::Atomic);
  if (!host)
    return;
  T value;
  if (isStore) {
    value = static_cast<T>(thread.registers[inst.a]);
    std::memcpy(host, &value, sizeof(T));
  } else {
    std::memcpy(&value, host, sizeof(T));
    thread.registers[inst.d] = value;
  }
}

template <bool isStore>
static Handler getAccessAtomic(unsigned bytes) {
  switch (bytes) {
  case 1:
    return accessAtomic<uint8_t, isStore>;
  case 2:
    return accessAtomic<uint16_t, isStore>;
  case 4:
    return accessAtomic<uint32_t, isStore>;
  default:
    return accessAtomic<uint64_t, isStore>;
  }
}

static LogicalResult lowerGenericAtomic(KernelBuilder &builder,
                                        memref::GenericAtomicRMWOp op) {
  auto access =
      builder.makeAccess(op, op.getMemref(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  unsigned bytes = access->elementBytes;
  uint32_t number = builder.addAccess(*access);
  uint32_t current = builder.define(op.getCurrentValue());
  Inst &first = builder.emit(op, getAccessAtomic<false>(bytes));
  first.d = current;
  first.x = number;
  if (failed(builder.lowerBody(op.getRegion())))
    return failure();
  Operation *yield = op.getBody()->getTerminator();
  uint32_t value = builder.get(yield->getOperand(0));
  Inst &last = builder.emit(op, getAccessAtomic<true>(bytes));
  last.a = value;
  last.x = number;
  builder.set(op, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static uint32_t getRegister(KernelBuilder &builder, OpFoldResult value) {
  if (auto operand = dyn_cast<Value>(value))
    return builder.get(operand);
  return builder.getConstant(
      cast<IntegerAttr>(cast<Attribute>(value)).getInt());
}

/// `x` is a list of an offset, a size, a step and the size of the source, for
/// each dimension.
static void checkView(Thread &thread, const Inst &inst) {
  const auto &list = thread.block->getKernel().lists[inst.x];
  uint64_t *r = thread.registers;
  for (size_t i = 0; i < list.size(); i += 4) {
    auto offset = static_cast<int64_t>(r[list[i]]);
    auto size = static_cast<int64_t>(r[list[i + 1]]);
    auto step = static_cast<int64_t>(r[list[i + 2]]);
    auto bound = static_cast<int64_t>(r[list[i + 3]]);
    int64_t last = size > 0 ? offset + (size - 1) * step : offset;
    bool isInside =
        size == 0 ? offset >= 0 && offset <= bound
                  : offset >= 0 && offset < bound && last >= 0 && last < bound;
    if (size < 0 || !isInside) {
      thread.block->fail(thread, inst, "expects a view in bounds, but got ")
          << size << " elements from " << offset << " by " << step
          << " in dimension " << i / 4 << " of size " << bound;
      return;
    }
  }
}

static LogicalResult lowerSubView(KernelBuilder &builder,
                                  memref::SubViewOp op) {
  ArrayRef<uint32_t> source = builder.getComponents(op.getSource());
  size_t rank = op.getSourceType().getRank();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<uint32_t> checks;
  Registers sizes, strides;
  uint32_t offset = source[1], base = source[0];
  Registers sourceSizes(source.slice(2, rank));
  Registers sourceStrides(source.slice(2 + rank, rank));
  for (auto [dim, offsetAt, sizeAt, stepAt] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    uint32_t start = getRegister(builder, offsetAt);
    uint32_t size = getRegister(builder, sizeAt);
    uint32_t step = getRegister(builder, stepAt);
    llvm::append_values(checks, start, size, step, sourceSizes[dim]);
    offset = builder.emitAdd(op, offset,
                             builder.emitMul(op, start, sourceStrides[dim]));
    if (dropped.test(dim))
      continue;
    sizes.push_back(size);
    strides.push_back(builder.emitMul(op, step, sourceStrides[dim]));
  }
  Inst &inst = builder.emit(op, checkView);
  inst.x = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(checks);
  Registers components = {base, offset};
  llvm::append_range(components, sizes);
  llvm::append_range(components, strides);
  builder.set(op, components);
  return success();
}

static LogicalResult lowerReinterpretCast(KernelBuilder &builder,
                                          memref::ReinterpretCastOp op) {
  Registers components = {builder.get(op.getSource()),
                          getRegister(builder, op.getConstifiedMixedOffset())};
  for (OpFoldResult size : op.getConstifiedMixedSizes())
    components.push_back(getRegister(builder, size));
  for (OpFoldResult stride : op.getConstifiedMixedStrides())
    components.push_back(getRegister(builder, stride));
  builder.set(op, components);
  return success();
}

/// Strides of a shape without gaps.
static Registers makeStrides(KernelBuilder &builder, Operation *op,
                             ArrayRef<uint32_t> sizes) {
  Registers strides(sizes.size());
  uint32_t stride = builder.getConstant(1);
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride = builder.emitMul(op, stride, sizes[i]);
  }
  return strides;
}

static LogicalResult lowerView(KernelBuilder &builder, memref::ViewOp op) {
  ArrayRef<uint32_t> source = builder.getComponents(op.getSource());
  MemRefType type = op.getType();
  uint32_t shift = builder.get(op.getByteShift());
  uint32_t base =
      builder.emitAdd(op, source[0], builder.emitAdd(op, source[1], shift));
  Registers sizes;
  auto dynamicSizes = op.getSizes().begin();
  uint32_t bytes = builder.getConstant(getElementBytes(type.getElementType()));
  for (int64_t size : type.getShape()) {
    sizes.push_back(ShapedType::isDynamic(size) ? builder.get(*dynamicSizes++)
                                                : builder.getConstant(size));
    bytes = builder.emitMul(op, bytes, sizes.back());
  }
  Inst &inst = builder.emit(op, checkView);
  inst.x = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(
      {shift, bytes, builder.getConstant(1), source[2]});
  Registers components = {base, builder.getConstant(0)};
  llvm::append_range(components, sizes);
  llvm::append_range(components, makeStrides(builder, op, sizes));
  builder.set(op, components);
  return success();
}

static LogicalResult lowerExpandShape(KernelBuilder &builder,
                                      memref::ExpandShapeOp op) {
  Registers source(builder.getComponents(op.getSrc()));
  size_t rank = op.getSrcType().getRank();
  Registers sizes;
  for (OpFoldResult size : op.getMixedOutputShape())
    sizes.push_back(getRegister(builder, size));
  Registers strides(sizes.size());
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    uint32_t stride = source[2 + rank + dim];
    for (int64_t to : llvm::reverse(group)) {
      strides[to] = stride;
      stride = builder.emitMul(op, stride, sizes[to]);
    }
  }
  Registers components = {source[0], source[1]};
  llvm::append_range(components, sizes);
  llvm::append_range(components, strides);
  builder.set(op, components);
  return success();
}

static LogicalResult lowerCollapseShape(KernelBuilder &builder,
                                        memref::CollapseShapeOp op) {
  Registers source(builder.getComponents(op.getSrc()));
  MemRefType type = op.getSrcType();
  size_t rank = type.getRank();
  Registers sizes, strides;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    uint32_t size = builder.getConstant(1);
    // The stride of a dimension of size 1 says nothing.
    int64_t inner = group.back();
    for (int64_t dim : llvm::reverse(group))
      if (type.getDimSize(dim) != 1) {
        inner = dim;
        break;
      }
    for (int64_t dim : group)
      size = builder.emitMul(op, size, source[2 + dim]);
    sizes.push_back(size);
    strides.push_back(source[2 + rank + inner]);
  }
  Registers components = {source[0], source[1]};
  llvm::append_range(components, sizes);
  llvm::append_range(components, strides);
  builder.set(op, components);
  return success();
}

static LogicalResult lowerTranspose(KernelBuilder &builder,
                                    memref::TransposeOp op) {
  Registers source(builder.getComponents(op.getIn()));
  size_t rank = op.getType().getRank();
  Registers components = {source[0], source[1]};
  for (size_t part = 0; part < 2; ++part)
    for (AffineExpr expr : op.getPermutation().getResults())
      components.push_back(
          source[2 + part * rank + cast<AffineDimExpr>(expr).getPosition()]);
  builder.set(op, components);
  return success();
}

/// Operations whose result is their memref.
template <typename OpT>
static void addAlias(LoweringTable &table) {
  table.add<OpT>([](KernelBuilder &builder, OpT op) -> LogicalResult {
    Registers components(builder.getComponents(op->getOperand(0)));
    auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
    if (!type || !isa<MemRefType>(op->getOperand(0).getType()))
      return op.emitError("expects memrefs with a rank");
    // What the type of the result says counts.
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(size))
        components[2 + dim] = builder.getConstant(size);
    builder.set(op->getResult(0), components);
    return success();
  });
}

static LogicalResult lowerStridedMetadata(KernelBuilder &builder,
                                          memref::ExtractStridedMetadataOp op) {
  Registers source(builder.getComponents(op.getSource()));
  size_t rank = op.getSizes().size();
  builder.set(op.getBaseBuffer(), {source[0], builder.getConstant(0)});
  builder.set(op.getOffset(), source[1]);
  for (size_t dim = 0; dim < rank; ++dim) {
    builder.set(op.getSizes()[dim], source[2 + dim]);
    builder.set(op.getStrides()[dim], source[2 + rank + dim]);
  }
  return success();
}

static LogicalResult lowerDim(KernelBuilder &builder, memref::DimOp op) {
  std::optional<int64_t> index = op.getConstantIndex();
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!index || !type || *index < 0 || *index >= type.getRank())
    return op.emitError("expects a constant dimension of the memref");
  uint32_t size = builder.getComponents(op.getSource())[2 + *index];
  if (builder.getConstantValue(size) == kUnknownSize)
    return op.emitError("expects a size that is known, but got that of a "
                        "parameter, of which a launch tells the address only");
  builder.set(op, size);
  return success();
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult lowerAlloc(KernelBuilder &builder, OpT op) {
  MemRefType type = op.getType();
  bool isShared = isSharedSpace(type.getMemorySpace());
  if (!isShared && std::is_same_v<OpT, memref::AllocOp>)
    return op.emitError("expects an allocation in shared memory, but got ")
           << type;
  uint64_t bytes = getBufferBytes(type);
  uint64_t alignment = op.getAlignment().value_or(16);
  uint64_t address =
      isShared ? getSharedAddress(builder.allocateShared(bytes, alignment))
               : getLocalAddress(builder.allocateLocal(bytes, alignment));
  return builder.setStatic(op, op.getResult(), address);
}

void gpu_executor::populateMemRefLowerings(LoweringTable &table) {
  table.add<memref::LoadOp>([](KernelBuilder &builder, memref::LoadOp op) {
    return emitLoad(builder, op, op.getMemRef(), builder.get(op.getIndices()));
  });
  table.add<memref::StoreOp>([](KernelBuilder &builder, memref::StoreOp op) {
    return emitStore(builder, op, op.getValueToStore(), op.getMemRef(),
                     builder.get(op.getIndices()));
  });
  table.add<affine::AffineLoadOp>(
      [](KernelBuilder &builder, affine::AffineLoadOp op) {
        return emitLoad(builder, op, op.getMemRef(),
                        builder.emitAffine(op, op.getAffineMap(),
                                           builder.get(op.getMapOperands())));
      });
  table.add<affine::AffineStoreOp>(
      [](KernelBuilder &builder, affine::AffineStoreOp op) {
        return emitStore(builder, op, op.getValueToStore(), op.getMemRef(),
                         builder.emitAffine(op, op.getAffineMap(),
                                            builder.get(op.getMapOperands())));
      });
  table.add<memref::CopyOp>(lowerCopy);
  table.add<memref::AtomicRMWOp>(lowerAtomic);
  table.add<memref::GenericAtomicRMWOp>(lowerGenericAtomic);
  table.add<memref::SubViewOp>(lowerSubView);
  table.add<memref::ReinterpretCastOp>(lowerReinterpretCast);
  table.add<memref::ViewOp>(lowerView);
  table.add<memref::ExpandShapeOp>(lowerExpandShape);
  table.add<memref::CollapseShapeOp>(lowerCollapseShape);
  table.add<memref::TransposeOp>(lowerTranspose);
  table.add<memref::DimOp>(lowerDim);
  table.add<memref::ExtractStridedMetadataOp>(lowerStridedMetadata);
  addAlias<memref::CastOp>(table);
  addAlias<memref::MemorySpaceCastOp>(table);
  addAlias<memref::AssumeAlignmentOp>(table);
  table.add<memref::ExtractAlignedPointerAsIndexOp>(
      [](KernelBuilder &builder,
         memref::ExtractAlignedPointerAsIndexOp op) -> LogicalResult {
        builder.set(op, builder.get(op.getSource()));
        return success();
      });
  table.add<memref::GetGlobalOp>(
      [](KernelBuilder &builder, memref::GetGlobalOp op) -> LogicalResult {
        auto address = builder.getGlobal(op, op.getName());
        if (failed(address))
          return failure();
        return builder.setStatic(op, op.getResult(), *address);
      });
  table.add<memref::AllocOp>(lowerAlloc<memref::AllocOp>);
  table.add<memref::AllocaOp>(lowerAlloc<memref::AllocaOp>);
  table.add<memref::DeallocOp>(
      [](KernelBuilder &, memref::DeallocOp) { return success(); });
  table.add<memref::PrefetchOp>(
      [](KernelBuilder &, memref::PrefetchOp) { return success(); });
}
