//===- Program.h - The form in which kernels run ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is a list of instructions over registers of 64 bits. An element of
// any type takes one register: integers are extended with zeros, floats are
// their bits. A vector takes consecutive registers. Constants, parameters and
// the indices of a thread are in registers before it starts.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_GPUEXECUTOR_PROGRAM_H
#define RELAY_MLIR_LIB_GPUEXECUTOR_PROGRAM_H

#include "relay-mlir/GPUExecutor/GPUExecutor.h"

#include "mlir/IR/Operation.h"

#include <vector>

namespace mlir::relay::gpu_executor {

struct Thread;
struct Inst;
class ThreadBlock;

/// Runs one instruction for one thread.
using Handler = void (*)(Thread &, const Inst &);

/// Runs one instruction for all threads of a group, which are consecutive.
using GroupHandler = void (*)(ThreadBlock &, unsigned first, unsigned count,
                              const Inst &);

/// What a field means is up to the handler. Most have a result at `d`, operands
/// at `a`, `b` and `c`, each of `n` registers; `x` is a target of a jump or an
/// index into a table of the kernel.
struct Inst {
  Handler fn = nullptr;
  uint32_t d = 0, a = 0, b = 0, c = 0;
  uint32_t n = 1;
  uint32_t x = 0;
  uint64_t imm = 0;
};

/// Where in memory: registers of a memref's address, of the distance of its
/// origin, and of indices, sizes and strides, in elements.
struct Access {
  uint32_t base = 0;
  uint32_t offset = 0;
  SmallVector<uint32_t, 4> indices, sizes, strides;
  uint32_t elementBytes = 0;
  /// What the address must be a multiple of.
  uint64_t alignment = 1;
  /// The allocation of the last access.
  mutable GPUMemory::Allocation *cached = nullptr;
};

/// An operation that all threads of a group do together.
struct Collective {
  GroupHandler fn = nullptr;
  /// Threads of a group; 0 stands for all of the block.
  unsigned size = 32;
};

/// A vector of elements of memory: how element k is found from the indices.
struct Transfer {
  /// For each element and each dimension of the memref, what to add to its
  /// index.
  SmallVector<int64_t> steps;
  /// Of each dimension, whether elements may lie out of bounds.
  SmallVector<bool, 4> open;
  /// Registers of the mask, if there is one.
  std::optional<uint32_t> mask;
  /// Registers for the indices of an element.
  uint32_t scratch = 0;
};

/// A product of two matrices that a warp holds, plus a third one. Lists have
/// the registers of a lane's elements.
struct MatrixProduct {
  int64_t m = 0, n = 0, k = 0;
  /// Elements of a factor in a register of 32 bits; 1 for those of 64.
  int64_t packed = 1;
  Type factor, sum;
  bool isTF32 = false;
  bool isUnsignedA = false, isUnsignedB = false;
  bool saturates = false;
  SmallVector<uint32_t> a, b, c, d;
};

/// A product of two matrices in shared memory by a warpgroup, whose sum is in
/// registers.
struct WarpgroupProduct {
  int64_t n = 0, k = 0;
  Type factorA, factorB, sum;
  bool isTF32 = false;
  bool isUnsignedA = false, isUnsignedB = false;
  bool saturates = false;
  /// Whether rows of A, and columns of B, are not contiguous.
  bool isTransposedA = false, isTransposedB = false;
  int scaleA = 1, scaleB = 1;
  /// Whether the sum begins with 0.
  bool startsNew = false;
  SmallVector<uint32_t> c, d;
};

/// Registers that the start of a thread fills.
struct SpecialRegisters {
  std::array<uint32_t, 3> threadId, blockId, blockDim, gridDim;
  uint32_t linearId = 0;
  /// Where the shared memory of a launch begins, and how much there is.
  uint32_t dynamicShared = 0, dynamicBytes = 0;
};

struct Kernel {
  std::string name;
  std::vector<Inst> code;
  /// The operation of each instruction.
  std::vector<Operation *> operations;
  std::vector<uint64_t> registers;
  SpecialRegisters special;
  /// The first register of each parameter.
  SmallVector<uint32_t> parameters;
  std::vector<Access> accesses;
  std::vector<Transfer> transfers;
  std::vector<Collective> collectives;
  std::vector<MatrixProduct> products;
  std::vector<WarpgroupProduct> warpgroupProducts;
  std::vector<SmallVector<uint32_t>> lists;
  uint64_t sharedBytes = 0;
  uint64_t localBytes = 0;
  /// How many threads a block may have, from the kernel's attributes.
  std::optional<std::array<int64_t, 3>> knownBlock;
};

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// The highest byte of addresses in the shared memory of a block and in the
/// memory of a thread. Others are of global memory.
inline constexpr uint64_t kSharedTag = 0x7e;
inline constexpr uint64_t kLocalTag = 0x7f;
inline constexpr uint64_t kTagShift = 56;
inline constexpr uint64_t kOffsetMask = (uint64_t(1) << kTagShift) - 1;

inline uint64_t getSharedAddress(uint64_t offset) {
  return kSharedTag << kTagShift | offset;
}
inline uint64_t getLocalAddress(uint64_t offset) {
  return kLocalTag << kTagShift | offset;
}

/// Stands for the size of a parameter that the launch does not tell.
inline constexpr uint64_t kUnknownSize = INT64_MAX;

} // namespace mlir::relay::gpu_executor

#endif // RELAY_MLIR_LIB_GPUEXECUTOR_PROGRAM_H
