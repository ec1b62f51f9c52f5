//===- Builder.cpp - Kernels to instructions ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

const LoweringTable &LoweringTable::get() {
  static const LoweringTable table = [] {
    LoweringTable table;
    populateAffineLowerings(table);
    populateControlLowerings(table);
    populateIntegerLowerings(table);
    populateFloatLowerings(table);
    populateMemRefLowerings(table);
    populateVectorLowerings(table);
    populateLLVMLowerings(table);
    populateGPULowerings(table);
    populateMatrixLowerings(table);
    populateAsyncLowerings(table);
    populateBarrierLowerings(table);
    populateWarpgroupLowerings(table);
    populateNVVMLowerings(table);
    return table;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

unsigned gpu_executor::getIntegerBits(Type type) {
  if (type.isIndex() || isa<LLVM::LLVMPointerType>(type))
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

unsigned gpu_executor::getElementBytes(Type type) {
  if (unsigned bits = getIntegerBits(type))
    return bits == 1 || bits % 8 == 0 ? llvm::divideCeil(bits, 8) : 0;
  if (auto number = dyn_cast<FloatType>(type))
    return number.getWidth() % 8 || number.getWidth() > 64
               ? 0
               : number.getWidth() / 8;
  return 0;
}

/// More than any memory has, and few enough that sums have 64 bits.
static constexpr uint64_t kTooManyBytes = uint64_t(1) << 40;
/// What a thread of a device may have.
static constexpr uint64_t kMaxLocalBytes = 512 << 10;

uint64_t gpu_executor::getBufferBytes(MemRefType type) {
  if (!type.hasStaticShape())
    return 0;
  uint64_t bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    bytes = llvm::SaturatingMultiply<uint64_t>(bytes, size);
  return std::min(bytes, kTooManyBytes);
}

unsigned gpu_executor::getNumElements(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

bool gpu_executor::isSharedSpace(Attribute space) {
  if (auto attr = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    return attr.getValue() == gpu::AddressSpace::Workgroup;
  auto number = dyn_cast_or_null<IntegerAttr>(space);
  return number && number.getInt() == 3;
}

bool gpu_executor::isLocalSpace(Attribute space) {
  if (auto attr = dyn_cast_or_null<gpu::AddressSpaceAttr>(space))
    return attr.getValue() == gpu::AddressSpace::Private;
  auto number = dyn_cast_or_null<IntegerAttr>(space);
  return number && number.getInt() == 5;
}

FailureOr<SmallVector<unsigned, 4>> KernelBuilder::getWidths(Operation *op,
                                                             Type type) {
  using Widths = SmallVector<unsigned, 4>;
  auto isNumber = [](Type type) {
    return getIntegerBits(type) ||
           (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 64);
  };
  if (isNumber(type))
    return Widths{1};
  if (auto vector = dyn_cast<VectorType>(type))
    if (!vector.isScalable() && isNumber(vector.getElementType()))
      return Widths{static_cast<unsigned>(vector.getNumElements())};
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (memref.isStrided())
      return Widths(2 + 2 * memref.getRank(), 1);
  }
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type))
    if (!structure.isOpaque()) {
      Widths widths;
      for (Type member : structure.getBody()) {
        auto inner = getWidths(op, member);
        if (failed(inner))
          return failure();
        llvm::append_range(widths, *inner);
      }
      return widths;
    }
  if (isa<nvgpu::DeviceAsyncTokenType>(type))
    return Widths();
  if (isa<nvgpu::MBarrierGroupType, nvgpu::MBarrierTokenType>(type))
    return Widths{1};
  return op->emitError("expects a type that the GPU executor knows, but got ")
         << type;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

uint32_t KernelBuilder::allocate(unsigned count) {
  uint32_t first = kernel.registers.size();
  kernel.registers.resize(first + count);
  return first;
}

uint32_t KernelBuilder::getConstant(uint64_t value) {
  auto [it, isNew] = constants.try_emplace(value, 0);
  if (isNew) {
    it->second = allocate();
    kernel.registers[it->second] = value;
    constantValues[it->second] = value;
  }
  return it->second;
}

uint32_t KernelBuilder::getConstants(ArrayRef<uint64_t> values) {
  if (values.size() == 1)
    return getConstant(values.front());
  uint32_t first = allocate(values.size());
  for (auto [i, value] : llvm::enumerate(values)) {
    kernel.registers[first + i] = value;
    constantValues[first + i] = value;
  }
  return first;
}

std::optional<uint64_t> KernelBuilder::getConstantValue(uint32_t number) const {
  auto it = constantValues.find(number);
  if (it == constantValues.end())
    return std::nullopt;
  return it->second;
}

ArrayRef<uint32_t> KernelBuilder::getComponents(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "lowered in an order in which values dominate");
  return it->second;
}

KernelBuilder::Registers KernelBuilder::get(ValueRange range) const {
  Registers result;
  for (Value value : range)
    result.push_back(get(value));
  return result;
}

uint32_t KernelBuilder::define(Value value) {
  uint32_t first = allocate(getNumElements(value.getType()));
  set(value, first);
  return first;
}

FailureOr<KernelBuilder::Registers> KernelBuilder::allocate(Operation *op,
                                                            Type type) {
  auto widths = getWidths(op, type);
  if (failed(widths))
    return failure();
  Registers result;
  for (unsigned width : *widths)
    result.push_back(allocate(width));
  return result;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Inst &KernelBuilder::emit(Operation *op, Handler fn) {
  kernel.operations.push_back(op);
  Inst &inst = kernel.code.emplace_back();
  inst.fn = fn;
  return inst;
}

void gpu_executor::callCollective(Thread &thread, const Inst &inst) {
  thread.state = ThreadState::AtCollective;
}

void gpu_executor::endThread(Thread &thread, const Inst &inst) {
  thread.state = ThreadState::Ended;
}

Inst &KernelBuilder::emitCollective(Operation *op, GroupHandler fn,
                                    unsigned groupSize) {
  Inst &inst = emit(op, callCollective);
  inst.x = kernel.collectives.size();
  kernel.collectives.push_back({fn, groupSize});
  return inst;
}

static void move(Thread &thread, const Inst &inst) {
  std::copy_n(thread.registers + inst.a, inst.n, thread.registers + inst.d);
}

void KernelBuilder::emitMove(Operation *op, uint32_t to, uint32_t from,
                             unsigned count) {
  if (to == from)
    return;
  Inst &inst = emit(op, move);
  inst.d = to;
  inst.a = from;
  inst.n = count;
}

LogicalResult KernelBuilder::emitMoves(Operation *op, ArrayRef<Registers> to,
                                       ValueRange from) {
  struct Move {
    uint32_t to, from;
    unsigned count;
  };
  SmallVector<Move> moves;
  for (auto [target, value] : llvm::zip_equal(to, from)) {
    auto widths = getWidths(op, value.getType());
    if (failed(widths))
      return failure();
    for (auto [toReg, fromReg, width] :
         llvm::zip_equal(target, getComponents(value), *widths))
      if (toReg != fromReg)
        moves.push_back({toReg, fromReg, width});
  }
  // What one move overwrites and a later one reads is kept first.
  for (size_t i = 0; i < moves.size(); ++i)
    for (size_t j = i + 1; j < moves.size(); ++j) {
      const Move &first = moves[i];
      Move &later = moves[j];
      if (later.from < first.to + first.count &&
          first.to < later.from + later.count) {
        uint32_t copy = allocate(later.count);
        Inst &inst = emit(op, move);
        inst.d = copy;
        inst.a = later.from;
        inst.n = later.count;
        later.from = copy;
      }
    }
  for (const Move &each : moves)
    emitMove(op, each.to, each.from, each.count);
  return success();
}

static void jump(Thread &thread, const Inst &inst) {
  thread.pc = thread.block->getKernel().code.data() + inst.x;
}

static void jumpIfZero(Thread &thread, const Inst &inst) {
  if (!thread.registers[inst.a])
    thread.pc = thread.block->getKernel().code.data() + inst.x;
}

void KernelBuilder::emitJump(Operation *op, uint32_t target) {
  emit(op, jump).x = target;
}

uint32_t KernelBuilder::emitJump(Operation *op) {
  emit(op, jump);
  return getPosition() - 1;
}

uint32_t KernelBuilder::emitJumpIfZero(Operation *op, uint32_t condition) {
  emit(op, jumpIfZero).a = condition;
  return getPosition() - 1;
}

static void gather(Thread &thread, const Inst &inst) {
  uint64_t *r = thread.registers;
  const auto &list = thread.block->getKernel().lists[inst.x];
  for (size_t i = 0, e = list.size(); i < e; ++i)
    r[inst.d + i] = r[list[i]];
}

void KernelBuilder::emitGather(Operation *op, uint32_t to,
                               ArrayRef<uint32_t> list) {
  Inst &inst = emit(op, gather);
  inst.d = to;
  inst.x = kernel.lists.size();
  kernel.lists.emplace_back(list);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FailureOr<Access> KernelBuilder::makeAccess(Operation *op, Value memref,
                                            ArrayRef<uint32_t> indices) {
  auto type = cast<MemRefType>(memref.getType());
  Access access;
  access.elementBytes = getElementBytes(type.getElementType());
  if (auto vector = dyn_cast<VectorType>(type.getElementType()))
    access.elementBytes =
        getElementBytes(vector.getElementType()) * vector.getNumElements();
  if (access.elementBytes == 0)
    return op->emitError("expects elements of whole bytes, but got ") << type;
  access.alignment = llvm::bit_ceil(access.elementBytes);
  ArrayRef<uint32_t> components = getComponents(memref);
  size_t rank = type.getRank();
  access.base = components[0];
  access.offset = components[1];
  access.indices.assign(indices.begin(), indices.end());
  access.sizes.assign(components.begin() + 2, components.begin() + 2 + rank);
  access.strides.assign(components.begin() + 2 + rank, components.end());
  return access;
}

uint32_t KernelBuilder::addAccess(Access access) {
  kernel.accesses.push_back(std::move(access));
  return kernel.accesses.size() - 1;
}

/// Adds a buffer to `total` bytes; returns where it begins.
static uint64_t addBuffer(uint64_t &total, uint64_t bytes, uint64_t alignment) {
  uint64_t offset = llvm::alignTo(total, alignment);
  total = offset + std::min(bytes, kTooManyBytes);
  return offset;
}

uint64_t KernelBuilder::allocateShared(uint64_t bytes, uint64_t alignment) {
  return addBuffer(kernel.sharedBytes, bytes, alignment);
}

uint64_t KernelBuilder::allocateLocal(uint64_t bytes, uint64_t alignment) {
  return addBuffer(kernel.localBytes, bytes, alignment);
}

LogicalResult KernelBuilder::setStatic(Operation *op, Value memref,
                                       uint64_t address) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return op->emitError("expects a memref of static shape, but got ") << type;
  Registers components = {getConstant(address), getConstant(offset)};
  for (int64_t size : type.getShape())
    components.push_back(getConstant(size));
  for (int64_t stride : strides)
    components.push_back(getConstant(stride));
  set(memref, components);
  return success();
}

FailureOr<uint64_t> KernelBuilder::getGlobal(Operation *user, StringRef name) {
  auto it = globals.find(name);
  if (it != globals.end())
    return it->second;
  Operation *table = user->getParentWithTrait<OpTrait::SymbolTable>();
  Operation *global = SymbolTable::lookupNearestSymbolFrom(
      table, StringAttr::get(user->getContext(), name));
  uint64_t bytes = 0, alignment = 16;
  if (auto memref = dyn_cast_or_null<memref::GlobalOp>(global)) {
    if (isSharedSpace(memref.getType().getMemorySpace()))
      bytes = getBufferBytes(memref.getType());
    if (memref.getAlignment())
      alignment = *memref.getAlignment();
  } else if (auto variable = dyn_cast_or_null<LLVM::GlobalOp>(global)) {
    auto array = dyn_cast<LLVM::LLVMArrayType>(variable.getType());
    if (variable.getAddrSpace() == 3 && array)
      bytes = llvm::SaturatingMultiply<uint64_t>(
          array.getNumElements(), getElementBytes(array.getElementType()));
    if (variable.getAlignment())
      alignment = *variable.getAlignment();
  }
  if (bytes == 0) {
    InFlightDiagnostic diag = user->emitError(
        "expects a global in shared memory, of which bytes are known");
    if (global)
      diag.attachNote(global->getLoc()) << "but got this";
    return diag;
  }
  uint64_t address = getSharedAddress(allocateShared(bytes, alignment));
  globals[name] = address;
  return address;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::lower(Operation *op) {
  const LoweringTable::Lowering *lowering =
      LoweringTable::get().lookup(op->getName().getStringRef());
  if (!lowering)
    return op->emitError("expects an operation that the GPU executor knows, "
                         "but got '")
           << op->getName() << "'";
  for (Type type : op->getResultTypes())
    if (failed(getWidths(op, type)))
      return failure();
  return (*lowering)(*this, op);
}

LogicalResult KernelBuilder::lowerBody(Region &body) {
  for (Operation &op : body.front().without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult KernelBuilder::lowerBlocks(Region &body, ReturnFn returns) {
  OpenRegion open;
  OpenRegion *outer = std::exchange(region, &open);
  llvm::scope_exit restore([&] { region = outer; });
  SetVector<mlir::Block *> blocks = getBlocksSortedByDominance(body);
  for (mlir::Block *block : blocks) {
    if (block->isEntryBlock())
      continue;
    for (BlockArgument argument : block->getArguments()) {
      auto registers = allocate(body.getParentOp(), argument.getType());
      if (failed(registers))
        return failure();
      set(argument, *registers);
    }
  }
  for (mlir::Block *block : blocks) {
    open.positions[block] = getPosition();
    for (Operation &op : *block) {
      bool leaves =
          op.hasTrait<OpTrait::IsTerminator>() && op.getNumSuccessors() == 0;
      if (failed(leaves ? returns(&op) : lower(&op)))
        return failure();
    }
  }
  for (auto [jump, block] : open.jumps)
    kernel.code[jump].x = open.positions.lookup(block);
  return success();
}

LogicalResult KernelBuilder::emitBranch(Operation *op, mlir::Block *target,
                                        ValueRange arguments) {
  SmallVector<Registers> to;
  for (BlockArgument argument : target->getArguments())
    to.emplace_back(getComponents(argument));
  if (failed(emitMoves(op, to, arguments)))
    return failure();
  region->jumps.push_back({emitJump(op), target});
  return success();
}

LogicalResult KernelBuilder::inlineCall(Operation *call,
                                        FunctionOpInterface callee,
                                        ValueRange arguments,
                                        ValueRange results) {
  if (callee.isExternal())
    return call->emitError("expects a function that the module defines, but "
                           "got '")
           << callee.getName() << "'";
  if (llvm::is_contained(calls, callee.getOperation()))
    return call->emitError("expects no recursion, but got a call of '")
           << callee.getName() << "' in it";
  calls.push_back(callee);
  for (auto [parameter, argument] :
       llvm::zip_equal(callee.getArguments(), arguments))
    set(parameter, getComponents(argument));
  SmallVector<Registers> to;
  for (Value result : results) {
    auto registers = allocate(call, result.getType());
    if (failed(registers))
      return failure();
    to.push_back(*registers);
  }
  SmallVector<uint32_t> jumps;
  if (failed(lowerBlocks(callee.getFunctionBody(), [&](Operation *end) {
        if (failed(emitMoves(end, to, end->getOperands())))
          return failure();
        jumps.push_back(emitJump(end));
        return success();
      })))
    return failure();
  for (uint32_t jump : jumps)
    setTarget(jump);
  for (auto [result, registers] : llvm::zip_equal(results, to))
    set(result, registers);
  calls.pop_back();
  return success();
}

LogicalResult KernelBuilder::build(gpu::GPUFuncOp function) {
  SpecialRegisters &special = kernel.special;
  for (auto *indices : {&special.threadId, &special.blockId, &special.blockDim,
                        &special.gridDim})
    for (uint32_t &number : *indices)
      number = allocate();
  for (uint32_t *number :
       {&special.linearId, &special.dynamicShared, &special.dynamicBytes})
    *number = allocate();
  for (BlockArgument argument : function.getArguments().take_front(
           function.getFunctionType().getNumInputs())) {
    Type type = argument.getType();
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref) {
      auto widths = getWidths(function, type);
      if (failed(widths))
        return failure();
      if (widths->size() != 1 || widths->front() != 1)
        return function.emitError("expects a parameter that is an address or a "
                                  "number, but got ")
               << type;
      uint32_t number = define(argument);
      kernel.parameters.push_back(number);
      // A launch gives 64 bits, of which the type may have the lowest.
      if (unsigned bits = getIntegerBits(type); bits && 64 % bits == 0)
        set(argument, emitBitcast(function, number, 64, bits, 1));
      continue;
    }
    uint32_t address = allocate();
    kernel.parameters.push_back(address);
    if (memref.hasStaticShape()) {
      // The parameter is where element 0 is, which the address is.
      if (failed(setStatic(function, argument, 0)))
        return failure();
      Registers components(getComponents(argument));
      components[0] = address;
      set(argument, components);
      continue;
    }
    if (memref.getRank() != 1 || !memref.getLayout().isIdentity())
      return function.emitError("expects a parameter of static shape, or of "
                                "one dimension, but got ")
             << type;
    set(argument,
        {address, getConstant(0), getConstant(kUnknownSize), getConstant(1)});
  }
  for (BlockArgument buffer : function.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    if (failed(setStatic(
            function, buffer,
            getSharedAddress(allocateShared(getBufferBytes(type), 128)))))
      return failure();
  }
  for (BlockArgument buffer : function.getPrivateAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    if (failed(setStatic(
            function, buffer,
            getLocalAddress(allocateLocal(getBufferBytes(type), 16)))))
      return failure();
  }
  if (auto size = function.getKnownBlockSize())
    kernel.knownBlock = {(*size)[0], (*size)[1], (*size)[2]};
  if (failed(lowerBlocks(function.getBody(), [&](Operation *end) {
        emit(end, endThread);
        return success();
      })))
    return failure();
  if (kernel.localBytes > kMaxLocalBytes)
    return function.emitError("expects buffers of at most ")
           << kMaxLocalBytes << " bytes for each thread, but got "
           << kernel.localBytes;
  kernel.sharedBytes = llvm::alignTo(kernel.sharedBytes, 128);
  kernel.registers[special.dynamicShared] =
      getSharedAddress(kernel.sharedBytes);
  return success();
}
