//===- Builder.h - Kernels to instructions ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value has components, each of consecutive registers: a number has one of
// one register, a vector one of as many as it has elements. A memref has the
// address, the distance of the origin, the sizes and the strides, of one
// register each; what its type tells is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_BUILDER_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_BUILDER_H

#include "ThreadBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include <functional>

namespace mlir {
class FunctionOpInterface;
namespace gpu {
class GPUFuncOp;
} // namespace gpu
} // namespace mlir

namespace mlir::relay::gpu_executor {

class KernelBuilder;

/// How operations become instructions, by their names.
class LoweringTable {
public:
  using Lowering = std::function<LogicalResult(KernelBuilder &, Operation *)>;

  /// All that there are.
  static const LoweringTable &get();

  template <typename OpT, typename Fn>
  void add(Fn fn) {
    lowerings[OpT::getOperationName()] = [fn](KernelBuilder &builder,
                                              Operation *op) {
      return fn(builder, cast<OpT>(op));
    };
  }

  const Lowering *lookup(StringRef name) const {
    auto it = lowerings.find(name);
    return it == lowerings.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Lowering> lowerings;
};

class KernelBuilder {
public:
  using Registers = SmallVector<uint32_t, 4>;

  explicit KernelBuilder(Kernel &kernel) : kernel(kernel) {}

  LogicalResult build(gpu::GPUFuncOp function);

  Kernel &getKernel() { return kernel; }

  //===--------------------------------------------------------------------===//
  // Registers
  //===--------------------------------------------------------------------===//

  /// New registers that follow each other.
  uint32_t allocate(unsigned count = 1);
  /// The register of a constant.
  uint32_t getConstant(uint64_t value);
  /// Registers of constants, which follow each other.
  uint32_t getConstants(ArrayRef<uint64_t> values);
  /// The constant that a register is, if it is one.
  std::optional<uint64_t> getConstantValue(uint32_t number) const;

  /// The components of a value that has been defined.
  ArrayRef<uint32_t> getComponents(Value value) const;
  /// The first component.
  uint32_t get(Value value) const { return getComponents(value).front(); }
  Registers get(ValueRange values) const;
  /// Says where a value is.
  void set(Value value, ArrayRef<uint32_t> components) {
    values[value] = Registers(components.begin(), components.end());
  }
  /// New registers for a number or a vector.
  uint32_t define(Value value);
  /// How many registers each component of a type has; fails with an error at
  /// `op` for types that no registers hold.
  FailureOr<SmallVector<unsigned, 4>> getWidths(Operation *op, Type type);
  /// New registers for a value of any type.
  FailureOr<Registers> allocate(Operation *op, Type type);

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  Inst &emit(Operation *op, Handler fn);
  /// The instruction that comes next.
  uint32_t getPosition() const { return kernel.code.size(); }
  Inst &getInst(uint32_t position) { return kernel.code[position]; }
  /// An operation of all threads of a group.
  Inst &emitCollective(Operation *op, GroupHandler fn, unsigned groupSize);
  /// Copies `count` registers.
  void emitMove(Operation *op, uint32_t to, uint32_t from, unsigned count);
  /// Copies values to components of others at once.
  LogicalResult emitMoves(Operation *op, ArrayRef<Registers> to,
                          ValueRange from);
  void emitJump(Operation *op, uint32_t target);
  /// A jump, taken if the register is zero, whose target is set later.
  uint32_t emitJumpIfZero(Operation *op, uint32_t condition);
  uint32_t emitJump(Operation *op);
  /// Lets a jump go to the next instruction.
  void setTarget(uint32_t jump) { kernel.code[jump].x = getPosition(); }
  /// `to[k] = from[list[k]]`, with numbers of registers in the list.
  void emitGather(Operation *op, uint32_t to, ArrayRef<uint32_t> list);
  /// The bits of `count` elements as elements of another width; returns their
  /// first register.
  uint32_t emitBitcast(Operation *op, uint32_t from, unsigned fromBits,
                       unsigned toBits, unsigned count);
  /// 64-bit arithmetic of addresses.
  uint32_t emitAdd(Operation *op, uint32_t a, uint32_t b);
  uint32_t emitMul(Operation *op, uint32_t a, uint32_t b);
  uint32_t emitAffine(Operation *op, AffineExpr expr, ArrayRef<uint32_t> dims,
                      ArrayRef<uint32_t> symbols);
  Registers emitAffine(Operation *op, AffineMap map,
                       ArrayRef<uint32_t> operands);

  /// Where `indices` are in a memref.
  FailureOr<Access> makeAccess(Operation *op, Value memref,
                               ArrayRef<uint32_t> indices);
  uint32_t addAccess(Access access);

  /// Room in memory; returns its offset.
  uint64_t allocateShared(uint64_t bytes, uint64_t alignment);
  uint64_t allocateLocal(uint64_t bytes, uint64_t alignment);
  /// Says that a memref of static shape is at an address.
  LogicalResult setStatic(Operation *op, Value memref, uint64_t address);
  /// Where a global of the module is, which is made when it is first asked for.
  FailureOr<uint64_t> getGlobal(Operation *user, StringRef name);

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult lower(Operation *op);
  /// All operations of the only block of a region, without its terminator.
  LogicalResult lowerBody(Region &region);
  /// A region with branches: `returns` is called at what leaves it.
  using ReturnFn = llvm::function_ref<LogicalResult(Operation *)>;
  LogicalResult lowerBlocks(Region &region, ReturnFn returns);
  /// A jump to a block of the region that is being lowered.
  LogicalResult emitBranch(Operation *op, mlir::Block *target,
                           ValueRange arguments);
  /// The body of a function instead of a call of it.
  LogicalResult inlineCall(Operation *call, FunctionOpInterface callee,
                           ValueRange arguments, ValueRange results);

private:
  struct OpenRegion {
    DenseMap<mlir::Block *, uint32_t> positions;
    SmallVector<std::pair<uint32_t, mlir::Block *>> jumps;
  };

  Kernel &kernel;
  DenseMap<Value, Registers> values;
  std::map<uint64_t, uint32_t> constants;
  DenseMap<uint32_t, uint64_t> constantValues;
  llvm::StringMap<uint64_t> globals;
  OpenRegion *region = nullptr;
  SmallVector<Operation *> calls;
};

/// Bytes of an element in memory; 0 if it has none.
unsigned getElementBytes(Type type);
/// Bytes of a buffer, or of more than any memory has; 0 of a dynamic shape.
uint64_t getBufferBytes(MemRefType type);
/// Bits of an integer or index; 0 if it is none that a register holds.
unsigned getIntegerBits(Type type);
/// How many elements a number or a vector has.
unsigned getNumElements(Type type);
/// Whether a memory space is that of a block or of a thread.
bool isSharedSpace(Attribute space);
bool isLocalSpace(Attribute space);

/// Handlers that several files use.
void synchronizeBlock(ThreadBlock &block, unsigned first, unsigned count,
                      const Inst &inst);
void endThread(Thread &thread, const Inst &inst);
void callCollective(Thread &thread, const Inst &inst);
/// The handlers for so many bytes of an element.
Handler getLoad(unsigned bytes);
Handler getStore(unsigned bytes);
/// What an atomic operation leaves in memory.
uint64_t combineAtomic(arith::AtomicRMWKind kind, Type type, uint64_t old,
                       uint64_t value);

void populateAffineLowerings(LoweringTable &table);
void populateControlLowerings(LoweringTable &table);
void populateIntegerLowerings(LoweringTable &table);
void populateFloatLowerings(LoweringTable &table);
void populateMemRefLowerings(LoweringTable &table);
void populateVectorLowerings(LoweringTable &table);
void populateVectorArithmetic(LoweringTable &table);
void populateVectorMemory(LoweringTable &table);
void populateLLVMLowerings(LoweringTable &table);
void populateGPULowerings(LoweringTable &table);
void populateMatrixLowerings(LoweringTable &table);
void populateAsyncLowerings(LoweringTable &table);
void populateBarrierLowerings(LoweringTable &table);
void populateWarpgroupLowerings(LoweringTable &table);
void populateNVVMLowerings(LoweringTable &table);

} // namespace mlir::relay::gpu_executor

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_BUILDER_H
