//===- Matrix.cpp - Products of matrices by warps -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp hold a matrix together, in registers of 32 bits (or one
// number of 64). Eight rows of A, and eight columns of B, belong to four lanes
// each, which take turns along the other dimension, a register at a time.
//
// Products of narrow floats are exact, and so is nearly their sum with the
// accumulator, which is rounded once. A device rounds sums in between.
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "Floats.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;

//===----------------------------------------------------------------------===//
// mma.sync
//===----------------------------------------------------------------------===//

namespace {
struct Position {
  int64_t row, column;
};
} // namespace

static Position getPositionOfA(const MatrixProduct &product, unsigned lane,
                               unsigned i) {
  int64_t packed = product.packed;
  int64_t number = i / packed, blocks = product.m / 8;
  return {lane / 4 + 8 * (number % blocks),
          lane % 4 * packed + i % packed + 4 * packed * (number / blocks)};
}

static Position getPositionOfB(const MatrixProduct &product, unsigned lane,
                               unsigned i) {
  int64_t packed = product.packed;
  return {lane % 4 * packed + i % packed + 4 * packed * (i / packed), lane / 4};
}

static Position getPositionOfC(unsigned lane, unsigned i) {
  return {lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2};
}

static bool isWholeWarp(ThreadBlock &block, unsigned first, unsigned count,
                        const Inst &inst) {
  if (count == kWarpThreads)
    return true;
  block.fail(block.getThread(first), inst,
             "expects a warp of 32 threads, but got one of ")
      << count;
  return false;
}

static void multiplyFloats(ThreadBlock &block, unsigned first,
                           const MatrixProduct &product) {
  int64_t n = product.n, k = product.k;
  std::vector<double> a(product.m * k), b(k * n);
  auto get = [&](uint64_t bits) {
    // The bits that the type lacks are not looked at.
    return getFloat(product.factor,
                    product.isTF32 ? bits & ~uint64_t(0x1fff) : bits);
  };
  for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
    const uint64_t *r = block.getThread(first + lane).registers;
    for (auto [i, number] : llvm::enumerate(product.a)) {
      Position at = getPositionOfA(product, lane, i);
      a[at.row * k + at.column] = get(r[number]);
    }
    for (auto [i, number] : llvm::enumerate(product.b)) {
      Position at = getPositionOfB(product, lane, i);
      b[at.row * n + at.column] = get(r[number]);
    }
  }
  for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
    uint64_t *r = block.getThread(first + lane).registers;
    for (auto [i, number] : llvm::enumerate(product.c)) {
      Position at = getPositionOfC(lane, i);
      double sum = getFloat(product.sum, r[number]);
      for (int64_t l = 0; l < k; ++l)
        sum = std::fma(a[at.row * k + l], b[l * n + at.column], sum);
      r[product.d[i]] = putFloat(product.sum, sum);
    }
  }
}

static void multiplyIntegers(ThreadBlock &block, unsigned first,
                             const MatrixProduct &product) {
  int64_t n = product.n, k = product.k;
  std::vector<int64_t> a(product.m * k), b(k * n);
  unsigned above = 64 - getIntegerBits(product.factor);
  auto get = [&](uint64_t bits, bool isUnsigned) {
    return isUnsigned ? static_cast<int64_t>(bits << above >> above)
                      : static_cast<int64_t>(bits << above) >> above;
  };
  for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
    const uint64_t *r = block.getThread(first + lane).registers;
    for (auto [i, number] : llvm::enumerate(product.a)) {
      Position at = getPositionOfA(product, lane, i);
      a[at.row * k + at.column] = get(r[number], product.isUnsignedA);
    }
    for (auto [i, number] : llvm::enumerate(product.b)) {
      Position at = getPositionOfB(product, lane, i);
      b[at.row * n + at.column] = get(r[number], product.isUnsignedB);
    }
  }
  for (unsigned lane = 0; lane < kWarpThreads; ++lane) {
    uint64_t *r = block.getThread(first + lane).registers;
    for (auto [i, number] : llvm::enumerate(product.c)) {
      Position at = getPositionOfC(lane, i);
      int64_t sum = static_cast<int32_t>(r[number]);
      for (int64_t l = 0; l < k; ++l)
        sum += a[at.row * k + l] * b[l * n + at.column];
      if (product.saturates)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      r[product.d[i]] = static_cast<uint32_t>(sum);
    }
  }
}

/// `imm` is the number of the product.
static void multiply(ThreadBlock &block, unsigned first, unsigned count,
                     const Inst &inst) {
  if (!isWholeWarp(block, first, count, inst))
    return;
  const MatrixProduct &product = block.getKernel().products[inst.imm];
  if (isa<FloatType>(product.factor))
    multiplyFloats(block, first, product);
  else
    multiplyIntegers(block, first, product);
}

/// Checks that the lists are those of a product of this shape and emits it.
static LogicalResult emitProduct(KernelBuilder &builder, Operation *op,
                                 MatrixProduct product) {
  unsigned bits = isa<FloatType>(product.factor)
                      ? product.factor.getIntOrFloatBitWidth()
                      : getIntegerBits(product.factor);
  product.packed = std::max(1u, 32 / bits);
  int64_t m = product.m, n = product.n, k = product.k;
  int64_t lanes = kWarpThreads;
  bool isKnown = n == 8 && (m == 8 || m == 16) &&
                 // Of this shape, f16 has another layout.
                 !(m == 8 && product.factor.isF16()) &&
                 k % (4 * product.packed) == 0 &&
                 int64_t(product.a.size()) * lanes == m * k &&
                 int64_t(product.b.size()) * lanes == k * n &&
                 int64_t(product.c.size()) * lanes == m * n &&
                 product.d.size() == product.c.size();
  if (!isKnown)
    return op->emitError("expects a product whose shape the GPU executor "
                         "knows, but got m")
           << m << "n" << n << "k" << k << " of " << product.factor;
  Inst &inst = builder.emitCollective(op, multiply, kWarpThreads);
  inst.imm = builder.getKernel().products.size();
  builder.getKernel().products.push_back(std::move(product));
  return success();
}

static SmallVector<uint32_t> getElements(KernelBuilder &builder, Value vector) {
  SmallVector<uint32_t> list;
  for (unsigned i = 0, e = getNumElements(vector.getType()); i < e; ++i)
    list.push_back(builder.get(vector) + i);
  return list;
}

static LogicalResult lowerMma(KernelBuilder &builder, nvgpu::MmaSyncOp op) {
  MatrixProduct product;
  auto [m, n, k] = op.getMmaShapeAsArray();
  product.m = m;
  product.n = n;
  product.k = k;
  product.factor = getElementTypeOrSelf(op.getMatrixA().getType());
  product.sum = getElementTypeOrSelf(op.getType());
  // The only type of 32 bits that such products have.
  product.isTF32 = product.factor.isF32();
  product.saturates = true;
  builder.define(op.getRes());
  product.a = getElements(builder, op.getMatrixA());
  product.b = getElements(builder, op.getMatrixB());
  product.c = getElements(builder, op.getMatrixC());
  product.d = getElements(builder, op.getRes());
  return emitProduct(builder, op, std::move(product));
}

/// The elements of operands that may be integers with several elements each.
static SmallVector<uint32_t> unpack(KernelBuilder &builder, Operation *op,
                                    ValueRange operands, Type element) {
  SmallVector<uint32_t> list;
  unsigned bits = element.getIntOrFloatBitWidth();
  for (Value operand : operands) {
    if (!operand.getType().isInteger(32) || bits >= 32) {
      llvm::append_range(list, getElements(builder, operand));
      continue;
    }
    uint32_t first = builder.emitBitcast(op, builder.get(operand), 32, bits, 1);
    for (unsigned i = 0; i < 32 / bits; ++i)
      list.push_back(first + i);
  }
  return list;
}

static Type getType(NVVM::MMATypes type, MLIRContext *context) {
  switch (type) {
  case NVVM::MMATypes::f16:
    return Float16Type::get(context);
  case NVVM::MMATypes::bf16:
    return BFloat16Type::get(context);
  case NVVM::MMATypes::tf32:
  case NVVM::MMATypes::f32:
    return Float32Type::get(context);
  case NVVM::MMATypes::f64:
    return Float64Type::get(context);
  case NVVM::MMATypes::e4m3:
    return Float8E4M3FNType::get(context);
  case NVVM::MMATypes::e5m2:
    return Float8E5M2Type::get(context);
  case NVVM::MMATypes::u8:
  case NVVM::MMATypes::s8:
    return IntegerType::get(context, 8);
  case NVVM::MMATypes::u4:
  case NVVM::MMATypes::s4:
    return IntegerType::get(context, 4);
  case NVVM::MMATypes::s32:
    return IntegerType::get(context, 32);
  default:
    return Type();
  }
}

static LogicalResult lowerNVVMMma(KernelBuilder &builder, NVVM::MmaOp op) {
  MatrixProduct product;
  NVVM::MMAShapeAttr shape = op.getShape();
  product.m = shape.getM();
  product.n = shape.getN();
  product.k = shape.getK();
  auto typeA = op.getMultiplicandAPtxType(),
       typeB = op.getMultiplicandBPtxType();
  MLIRContext *context = op.getContext();
  if (typeA)
    product.factor = getType(*typeA, context);
  product.sum = getType(op.accumPtxType(), context);
  bool isRowByColumn = op.getLayoutA() == NVVM::MMALayout::row &&
                       op.getLayoutB() == NVVM::MMALayout::col;
  if (!product.factor || !typeB || !product.sum || !isRowByColumn ||
      getType(*typeB, context) != product.factor)
    return op.emitError("expects rows of one type by columns of the same type");
  product.isTF32 = *typeA == NVVM::MMATypes::tf32;
  auto isUnsigned = [](NVVM::MMATypes type) {
    return type == NVVM::MMATypes::u8 || type == NVVM::MMATypes::u4;
  };
  product.isUnsignedA = isUnsigned(*typeA);
  product.isUnsignedB = isUnsigned(*typeB);
  product.saturates =
      op.getIntOverflowBehavior() == NVVM::MMAIntOverflow::satfinite;
  product.a = unpack(builder, op, op.getOperandA(), product.factor);
  product.b = unpack(builder, op, op.getOperandB(), product.factor);
  for (Value operand : op.getOperandC())
    llvm::append_range(product.c, getElements(builder, operand));
  auto result = builder.allocate(op, op.getType());
  auto widths = builder.getWidths(op, op.getType());
  if (failed(result) || failed(widths))
    return failure();
  for (auto [first, width] : llvm::zip_equal(*result, *widths))
    for (unsigned i = 0; i < width; ++i)
      product.d.push_back(first + i);
  builder.set(op.getRes(), *result);
  return emitProduct(builder, op, std::move(product));
}

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// Bytes of a row, of which 8 are a matrix.
static constexpr unsigned kRowBytes = 16;

/// `x` of the access is `b`; `c` is the number of matrices, `n` that of
/// elements of a lane in each, `imm` whether they are transposed; elements go
/// to `d`.
static void loadMatrix(ThreadBlock &block, unsigned first, unsigned count,
                       const Inst &inst) {
  if (!isWholeWarp(block, first, count, inst))
    return;
  const Access &access = block.getKernel().accesses[inst.b];
  unsigned bytes = access.elementBytes;
  char rows[4 * 8][kRowBytes];
  for (unsigned i = 0; i < inst.c * 8; ++i) {
    const char *host = block.access(block.getThread(first + i), inst, access,
                                    kRowBytes / bytes, AccessKind::Read);
    if (!host)
      return;
    std::memcpy(rows[i], host, kRowBytes);
  }
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    for (unsigned matrix = 0; matrix < inst.c; ++matrix)
      for (unsigned i = 0; i < inst.n; ++i) {
        unsigned row = lane / 4, at = lane % 4 * inst.n + i;
        if (inst.imm)
          std::swap(row, at);
        uint64_t value = 0;
        std::memcpy(&value, rows[matrix * 8 + row] + at * bytes, bytes);
        block.getThread(first + lane).registers[inst.d + matrix * inst.n + i] =
            value;
      }
}

static void storeMatrix(ThreadBlock &block, unsigned first, unsigned count,
                        const Inst &inst) {
  if (!isWholeWarp(block, first, count, inst))
    return;
  const Access &access = block.getKernel().accesses[inst.b];
  const auto &list = block.getKernel().lists[inst.a];
  unsigned bytes = access.elementBytes;
  for (unsigned i = 0; i < inst.c * 8; ++i) {
    char *host = block.access(block.getThread(first + i), inst, access,
                              kRowBytes / bytes, AccessKind::Write);
    if (!host)
      return;
    for (unsigned at = 0; at < kRowBytes / bytes; ++at) {
      unsigned row = i % 8, column = at;
      if (inst.imm)
        std::swap(row, column);
      unsigned lane = row * 4 + column / inst.n;
      uint64_t value = block.getThread(first + lane)
                           .registers[list[i / 8 * inst.n + column % inst.n]];
      std::memcpy(host + at * bytes, &value, bytes);
    }
  }
}

static LogicalResult lowerLdMatrix(KernelBuilder &builder,
                                   nvgpu::LdMatrixOp op) {
  auto access =
      builder.makeAccess(op, op.getSrcMemref(), builder.get(op.getIndices()));
  if (failed(access))
    return failure();
  access->alignment = kRowBytes;
  unsigned bytes = access->elementBytes;
  unsigned elements = 4 / std::max(1u, bytes);
  if (bytes > 4 || (op.getTranspose() && bytes != 2) || op.getNumTiles() > 4 ||
      getNumElements(op.getType()) != op.getNumTiles() * elements)
    return op.emitError("expects matrices that a warp can load");
  uint32_t number = builder.addAccess(*access);
  uint32_t result = builder.define(op.getRes());
  Inst &inst = builder.emitCollective(op, loadMatrix, kWarpThreads);
  inst.d = result;
  inst.b = number;
  inst.c = op.getNumTiles();
  inst.n = elements;
  inst.imm = op.getTranspose();
  return success();
}

/// Where a pointer points to, as elements of 16 bits.
static uint32_t addPointer(KernelBuilder &builder, Value pointer) {
  Access access;
  access.base = builder.get(pointer);
  access.offset = builder.getConstant(0);
  access.elementBytes = 2;
  access.alignment = kRowBytes;
  return builder.addAccess(access);
}

static bool isPlain(NVVM::LdStMatrixShapeAttr shape,
                    NVVM::LdStMatrixEltType type) {
  return shape.getM() == 8 && shape.getN() == 8 &&
         type == NVVM::LdStMatrixEltType::B16;
}

static LogicalResult lowerNVVMLdMatrix(KernelBuilder &builder,
                                       NVVM::LdMatrixOp op) {
  if (!isPlain(op.getShape(), op.getEltType()))
    return op.emitError("expects matrices of 8 x 8 elements of 16 bits");
  unsigned count = op.getNum();
  uint32_t number = addPointer(builder, op.getPtr());
  uint32_t elements = builder.allocate(2 * count);
  Inst &inst = builder.emitCollective(op, loadMatrix, kWarpThreads);
  inst.d = elements;
  inst.b = number;
  inst.c = count;
  inst.n = 2;
  inst.imm = op.getLayout() == NVVM::MMALayout::col;
  uint32_t packed = builder.emitBitcast(op, elements, 16, 32, 2 * count);
  KernelBuilder::Registers result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(packed + i);
  builder.set(op.getRes(), result);
  return success();
}

static LogicalResult lowerNVVMStMatrix(KernelBuilder &builder,
                                       NVVM::StMatrixOp op) {
  if (!isPlain(op.getShape(), op.getEltType()))
    return op.emitError("expects matrices of 8 x 8 elements of 16 bits");
  SmallVector<uint32_t> list;
  for (Value source : op.getSources()) {
    uint32_t first = builder.emitBitcast(op, builder.get(source), 32, 16, 1);
    llvm::append_values(list, first, first + 1);
  }
  uint32_t number = addPointer(builder, op.getPtr());
  Inst &inst = builder.emitCollective(op, storeMatrix, kWarpThreads);
  inst.a = builder.getKernel().lists.size();
  builder.getKernel().lists.push_back(list);
  inst.b = number;
  inst.c = op.getSources().size();
  inst.n = 2;
  inst.imm = op.getLayout() == NVVM::MMALayout::col;
  return success();
}

void gpu_executor::populateMatrixLowerings(LoweringTable &table) {
  table.add<nvgpu::MmaSyncOp>(lowerMma);
  table.add<nvgpu::LdMatrixOp>(lowerLdMatrix);
  table.add<NVVM::MmaOp>(lowerNVVMMma);
  table.add<NVVM::LdMatrixOp>(lowerNVVMLdMatrix);
  table.add<NVVM::StMatrixOp>(lowerNVVMStMatrix);
  // Rounds to the nearest, away from 0 where two are as near.
  table.add<NVVM::ConvertFloatToTF32Op>(
      [](KernelBuilder &builder, NVVM::ConvertFloatToTF32Op op) {
        uint32_t result = builder.define(op);
        Inst &inst = builder.emit(op, [](Thread &thread, const Inst &inst) {
          uint64_t bits = thread.registers[inst.a];
          bool isFinite = (bits & 0x7f800000) != 0x7f800000;
          uint64_t half = inst.imm ? 0xfff + (bits >> 13 & 1) : 0x1000;
          if (isFinite)
            bits += half;
          thread.registers[inst.d] = bits & 0xffffe000;
        });
        inst.d = result;
        inst.a = builder.get(op.getSrc());
        inst.imm = op.getRnd() == NVVM::FPRoundingMode::RN;
        return success();
      });
}
