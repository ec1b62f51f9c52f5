//===- Warpgroup.cpp - Products of matrices by warpgroups -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma: four warps multiply two matrices in shared memory, where descriptors
// say how they lie. The product is there at once, but what it reads counts as
// read until the warpgroup waits: others must not write to it before.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

static constexpr unsigned kGroupThreads = 4 * kWarpThreads;
static constexpr int64_t kRows = 64;
/// Bytes that no swizzle separates.
static constexpr int64_t kChunkBytes = 16;

namespace {

/// What a descriptor says of a matrix.
struct SharedMatrix {
  uint64_t start, leading, stride;
  /// Bytes of the pattern of a swizzle; 16 where there is none.
  int64_t pattern;
  /// How many bits of an address are changed.
  unsigned swizzleBits;

  explicit SharedMatrix(uint64_t descriptor)
      : start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4) {
    unsigned mode = descriptor >> 62;
    swizzleBits = mode == 0 ? 0 : 4 - mode;
    pattern = kChunkBytes << swizzleBits;
  }

  /// The offset of the chunk with row or column `i` and element `k` along the
  /// sum, of elements of so many bytes.
  uint64_t getChunk(int64_t i, int64_t k, int64_t bytes,
                    bool isTransposed) const {
    int64_t inChunk = kChunkBytes / bytes;
    uint64_t offset = start;
    if (!isTransposed) {
      offset += i % 8 * pattern + i / 8 * stride;
      offset += swizzleBits ? k * bytes : k / inChunk * leading;
    } else {
      int64_t inPattern = pattern / bytes;
      offset += k % 8 * pattern + i % inPattern * bytes;
      offset += swizzleBits ? i / inPattern * leading + k / 8 * stride
                            : i / inPattern * stride + k / 8 * leading;
    }
    uint64_t mask = (uint64_t(1) << swizzleBits) - 1;
    return offset ^ (offset >> 7 & mask) << 4;
  }
};

/// Elements of a factor as numbers.
struct Decoder {
  Type type;
  bool isTF32, isUnsigned;
  int scale;

  double decode(uint64_t bits) const {
    if (isa<FloatType>(type))
      return scale * getFloat(type, isTF32 ? bits & ~uint64_t(0x1fff) : bits);
    unsigned above = 64 - getIntegerBits(type);
    return isUnsigned ? static_cast<double>(bits << above >> above)
                      : static_cast<double>(
                            static_cast<int64_t>(bits << above) >> above);
  }
};

} // namespace

/// Reads `rows` by `k` elements; false after an error.
static bool readMatrix(ThreadBlock &block, Thread &thread, const Inst &inst,
                       uint64_t descriptor, int64_t rows, int64_t k,
                       bool isTransposed, const Decoder &decoder,
                       std::vector<double> &values,
                       std::vector<uint64_t> &addresses) {
  SharedMatrix matrix(descriptor);
  int64_t bytes = getElementBytes(decoder.type);
  int64_t inChunk = kChunkBytes / bytes;
  values.resize(rows * k);
  for (int64_t i = 0; i < rows; i += isTransposed ? inChunk : 1)
    for (int64_t l = 0; l < k; l += isTransposed ? 1 : inChunk) {
      uint64_t address =
          getSharedAddress(matrix.getChunk(i, l, bytes, isTransposed));
      const char *host = block.access(thread, inst, address, address,
                                      kChunkBytes, AccessKind::Read);
      if (!host)
        return false;
      addresses.push_back(address);
      for (int64_t e = 0; e < inChunk; ++e) {
        uint64_t bits = 0;
        std::memcpy(&bits, host + e * bytes, bytes);
        int64_t row = isTransposed ? i + e : i,
                column = isTransposed ? l : l + e;
        values[row * k + column] = decoder.decode(bits);
      }
    }
  return true;
}

static bool isWarpgroup(ThreadBlock &block, unsigned first, unsigned count,
                        const Inst &inst) {
  if (count == kGroupThreads)
    return true;
  block.fail(block.getThread(first), inst,
             "expects a warpgroup of 128 threads, but got one of ")
      << count;
  return false;
}

static void multiply(ThreadBlock &block, unsigned first, unsigned count,
                     const Inst &inst) {
  if (!isWarpgroup(block, first, count, inst))
    return;
  const WarpgroupProduct &product =
      block.getKernel().warpgroupProducts[inst.imm];
  Thread &leader = block.getThread(first);
  for (unsigned id = first; id < first + count; ++id)
    for (uint32_t number : {inst.a, inst.b})
      if (block.getThread(id).registers[number] != leader.registers[number]) {
        block.fail(block.getThread(id), inst,
                   "expects one descriptor in all threads of a warpgroup");
        return;
      }
  std::vector<double> a, b;
  std::vector<uint64_t> &addresses =
      block.warpgroups[first / kGroupThreads].open;
  Decoder decodeA{product.factorA, product.isTF32, product.isUnsignedA,
                  product.scaleA};
  Decoder decodeB{product.factorB, product.isTF32, product.isUnsignedB,
                  product.scaleB};
  if (!readMatrix(block, leader, inst, leader.registers[inst.a], kRows,
                  product.k, product.isTransposedA, decodeA, a, addresses) ||
      !readMatrix(block, leader, inst, leader.registers[inst.b], product.n,
                  product.k, product.isTransposedB, decodeB, b, addresses))
    return;
  for (unsigned id = 0; id < count; ++id) {
    uint64_t *r = block.getThread(first + id).registers;
    unsigned warp = id / kWarpThreads, lane = id % kWarpThreads;
    for (size_t i = 0; i < product.c.size(); ++i) {
      int64_t row = 16 * warp + lane / 4 + 8 * (i / 2 % 2);
      int64_t column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
      uint64_t bits = product.startsNew ? 0 : r[product.c[i]];
      bool isFloat = isa<FloatType>(product.sum);
      double sum = isFloat ? getFloat(product.sum, bits)
                           : static_cast<double>(static_cast<int32_t>(bits));
      for (int64_t l = 0; l < product.k; ++l)
        sum = std::fma(a[row * product.k + l], b[column * product.k + l], sum);
      if (isFloat) {
        r[product.d[i]] = putFloat(product.sum, sum);
        continue;
      }
      // Sums of products of bytes are exact in a double.
      if (product.saturates)
        sum = std::clamp<double>(sum, INT32_MIN, INT32_MAX);
      r[product.d[i]] = static_cast<uint32_t>(static_cast<int64_t>(sum));
    }
  }
}

static void closeGroup(ThreadBlock &block, unsigned first, unsigned count,
                       const Inst &inst) {
  if (!isWarpgroup(block, first, count, inst))
    return;
  ProductQueue &queue = block.warpgroups[first / kGroupThreads];
  queue.groups.push_back(std::exchange(queue.open, {}));
}

/// All but the last `n` groups.
static void waitForGroups(ThreadBlock &block, unsigned first, unsigned count,
                          const Inst &inst) {
  if (!isWarpgroup(block, first, count, inst))
    return;
  ProductQueue &queue = block.warpgroups[first / kGroupThreads];
  size_t done = queue.groups.size() > inst.n ? queue.groups.size() - inst.n : 0;
  for (size_t i = 0; i < done; ++i)
    for (uint64_t address : queue.groups[i])
      if (!block.access(block.getThread(first), inst, address, address,
                        kChunkBytes, AccessKind::Read))
        return;
  queue.groups.erase(queue.groups.begin(), queue.groups.begin() + done);
  block.synchronize(first, count);
}

//===----------------------------------------------------------------------===//
// Lowerings
//===----------------------------------------------------------------------===//

static Type getType(NVVM::WGMMATypes type, MLIRContext *context) {
  switch (type) {
  case NVVM::WGMMATypes::f16:
    return Float16Type::get(context);
  case NVVM::WGMMATypes::bf16:
    return BFloat16Type::get(context);
  case NVVM::WGMMATypes::tf32:
  case NVVM::WGMMATypes::f32:
    return Float32Type::get(context);
  case NVVM::WGMMATypes::e4m3:
    return Float8E4M3FNType::get(context);
  case NVVM::WGMMATypes::e5m2:
    return Float8E5M2Type::get(context);
  case NVVM::WGMMATypes::u8:
  case NVVM::WGMMATypes::s8:
    return IntegerType::get(context, 8);
  case NVVM::WGMMATypes::s32:
    return IntegerType::get(context, 32);
  default:
    return Type();
  }
}

static LogicalResult lowerProduct(KernelBuilder &builder,
                                  NVVM::WgmmaMmaAsyncOp op) {
  MLIRContext *context = op.getContext();
  WarpgroupProduct product;
  product.n = op.getShape().getN();
  product.k = op.getShape().getK();
  product.factorA = getType(op.getTypeA(), context);
  product.factorB = getType(op.getTypeB(), context);
  product.sum = getType(op.getTypeD(), context);
  if (!product.factorA || !product.factorB || !product.sum)
    return op.emitError("expects types of numbers that the GPU executor knows");
  product.isTF32 = op.getTypeA() == NVVM::WGMMATypes::tf32;
  product.isUnsignedA = op.getTypeA() == NVVM::WGMMATypes::u8;
  product.isUnsignedB = op.getTypeB() == NVVM::WGMMATypes::u8;
  product.saturates = op.getSatfinite() == NVVM::MMAIntOverflow::satfinite;
  product.isTransposedA = op.getLayoutA() == NVVM::MMALayout::col;
  product.isTransposedB = op.getLayoutB() == NVVM::MMALayout::row;
  product.scaleA = op.getScaleA() == NVVM::WGMMAScaleIn::neg ? -1 : 1;
  product.scaleB = op.getScaleB() == NVVM::WGMMAScaleIn::neg ? -1 : 1;
  product.startsNew = op.getScaleD() == NVVM::WGMMAScaleOut::zero;
  auto result = builder.allocate(op, op.getResults().getType());
  auto widths = builder.getWidths(op, op.getResults().getType());
  if (failed(result) || failed(widths))
    return failure();
  ArrayRef<uint32_t> inputs = builder.getComponents(op.getInouts());
  unsigned bits = product.sum.getIntOrFloatBitWidth();
  auto members =
      cast<LLVM::LLVMStructType>(op.getResults().getType()).getBody();
  KernelBuilder::Registers packed;
  for (size_t i = 0; i < result->size(); ++i) {
    // Two f16 may be in an integer.
    bool isPacked = bits < 32 && members[i].isInteger(32);
    uint32_t from =
        isPacked ? builder.emitBitcast(op, inputs[i], 32, bits, 1) : inputs[i];
    uint32_t to = isPacked ? builder.allocate(32 / bits) : (*result)[i];
    for (unsigned e = 0, n = isPacked ? 32 / bits : (*widths)[i]; e < n; ++e) {
      product.c.push_back(from + e);
      product.d.push_back(to + e);
    }
    packed.push_back(to);
  }
  if (static_cast<int64_t>(product.c.size()) * kGroupThreads !=
      kRows * product.n)
    return op.emitError("expects a sum of 64 x ")
           << product.n << " elements, but got " << product.c.size()
           << " in each thread";
  Inst &inst = builder.emitCollective(op, multiply, kGroupThreads);
  inst.a = builder.get(op.getDescriptorA());
  inst.b = builder.get(op.getDescriptorB());
  inst.imm = builder.getKernel().warpgroupProducts.size();
  builder.getKernel().warpgroupProducts.push_back(std::move(product));
  KernelBuilder::Registers components;
  for (size_t i = 0; i < result->size(); ++i)
    components.push_back(
        bits < 32 && members[i].isInteger(32)
            ? builder.emitBitcast(op, packed[i], bits, 32, 32 / bits)
            : packed[i]);
  builder.set(op.getResults(), components);
  return success();
}

void gpu_executor::populateWarpgroupLowerings(LoweringTable &table) {
  table.add<NVVM::WgmmaMmaAsyncOp>(lowerProduct);
  table.add<NVVM::WgmmaFenceAlignedOp>(
      [](KernelBuilder &, NVVM::WgmmaFenceAlignedOp) { return success(); });
  table.add<NVVM::WgmmaGroupSyncAlignedOp>(
      [](KernelBuilder &builder, NVVM::WgmmaGroupSyncAlignedOp op) {
        builder.emitCollective(op, closeGroup, kGroupThreads);
        return success();
      });
  table.add<NVVM::WgmmaWaitGroupSyncOp>([](KernelBuilder &builder,
                                           NVVM::WgmmaWaitGroupSyncOp op) {
    builder.emitCollective(op, waitForGroups, kGroupThreads).n = op.getGroup();
    return success();
  });
  // Only a list of registers, which a product fills.
  table.add<LLVM::InsertValueOp>(
      [](KernelBuilder &builder, LLVM::InsertValueOp op) -> LogicalResult {
        if (op.getPosition().size() != 1)
          return op.emitError("expects a member of a structure of numbers");
        KernelBuilder::Registers components(
            builder.getComponents(op.getContainer()));
        components[op.getPosition()[0]] = builder.get(op.getValue());
        builder.set(op, components);
        return success();
      });
  auto addUndefined = [&](auto null) {
    using OpT = decltype(null);
    table.add<OpT>([](KernelBuilder &builder, OpT op) -> LogicalResult {
      auto registers = builder.allocate(op, op.getType());
      if (failed(registers))
        return failure();
      builder.set(op, *registers);
      return success();
    });
  };
  addUndefined(LLVM::UndefOp());
  addUndefined(LLVM::PoisonOp());
}
