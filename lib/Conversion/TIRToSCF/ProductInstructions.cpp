//===- ProductInstructions.cpp - Products by warps and warpgroups ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp multiplies its rows by its columns with `mma.sync`, from registers. A
// warpgroup of four warps does that with `wgmma`, which reads both operands
// from shared memory itself, while its threads do other things.
//
//===----------------------------------------------------------------------===//

#include "EmitProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;

/// Each thread says where 16 bytes of a row are, and gets four of each of four
/// matrices of eight rows.
Value ProductEmitter::loadFragments(const Operand &operand, Value stage,
                                    int64_t part, Value line, Value step) {
  return nvgpu::LdMatrixOp::create(
      b, loc, VectorType::get({4, 4 / getPieceBytes()}, piece), operand.shared,
      ValueRange{stage, index(part), line, step}, /*transpose=*/false,
      /*numTiles=*/uint32_t(4));
}

Value ProductEmitter::join(ArrayRef<Value> pairs) {
  auto pair = cast<VectorType>(pairs.front().getType());
  auto type =
      VectorType::get({int64_t(pairs.size()), 2}, pair.getElementType());
  Value joined = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (auto [i, value] : llvm::enumerate(pairs))
    joined = vector::InsertOp::create(b, loc, value, joined,
                                      ArrayRef<int64_t>{int64_t(i)});
  return joined;
}

Value ProductEmitter::loadSums(Value pair) {
  return vector::LoadOp::create(b, loc, VectorType::get(2, getSumType()), sums,
                                ValueRange{pair, index(0)});
}

void ProductEmitter::storeSums(Value value, Value pair) {
  vector::StoreOp::create(b, loc, value, sums, ValueRange{pair, index(0)});
}

/// By the instruction itself: that of nvgpu knows no unsigned bytes, and its
/// sums saturate.
Value ProductEmitter::multiplyIntegers(Value leftFragments,
                                       Value rightFragments, Value pairs) {
  auto i32 = b.getI32Type();
  auto getRegisters = [&](Value fragments) {
    SmallVector<Value> registers;
    auto type = cast<VectorType>(fragments.getType());
    for (int64_t i = 0; i != type.getDimSize(0); ++i) {
      Value bytes =
          vector::ExtractOp::create(b, loc, fragments, ArrayRef<int64_t>{i});
      bytes = vector::BitCastOp::create(b, loc, VectorType::get(1, i32), bytes);
      registers.push_back(
          vector::ExtractOp::create(b, loc, bytes, ArrayRef<int64_t>{0}));
    }
    return registers;
  };
  SmallVector<Value> old;
  for (int64_t i = 0; i != 4; ++i)
    old.push_back(vector::ExtractOp::create(b, loc, pairs,
                                            ArrayRef<int64_t>{i / 2, i % 2}));
  auto getType = [](const tir::BufferAccess &access) {
    return tir::isUnsigned(access) ? NVVM::MMATypes::u8 : NVVM::MMATypes::s8;
  };
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                               SmallVector<Type>(4, i32));
  Value products = NVVM::MmaOp::create(
      b, loc, type, getRegisters(leftFragments), getRegisters(rightFragments),
      old, ArrayRef<int64_t>{kMmaRows, kMmaColumns, getMmaSteps()},
      /*b1Op=*/std::nullopt, NVVM::MMAIntOverflow::wrapped,
      std::array{getType(accesses.left), getType(accesses.right)},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> sums;
  for (int64_t i = 0; i != 4; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(b, loc, products, i));
  auto pair = VectorType::get(2, i32);
  return join({vector::FromElementsOp::create(b, loc, pair,
                                              ArrayRef(sums).take_front(2)),
               vector::FromElementsOp::create(b, loc, pair,
                                              ArrayRef(sums).drop_front(2))});
}

Value ProductEmitter::multiplyFragments(Value leftFragments,
                                        Value rightFragments, Value pairs) {
  if (piece.isInteger())
    return multiplyIntegers(leftFragments, rightFragments, pairs);
  return nvgpu::MmaSyncOp::create(
      b, loc, leftFragments, rightFragments, pairs,
      ArrayRef<int64_t>{kMmaRows, kMmaColumns, getMmaSteps()});
}

void ProductEmitter::multiply(Value thread, Value stage) {
  if (byWarpgroups())
    return multiplyByWarpgroups(thread, stage);
  Value lane = rem(thread, index(kWarp)), warp = div(thread, index(kWarp));
  // Whose addresses are which rows and steps of the four matrices.
  Value leftRow =
      add(mul(div(warp, index(attr.getWarps()[1])), index(warpRows)),
          rem(lane, index(kMmaRows)));
  Value leftStep = mul(div(lane, index(kMmaRows)), index(getLoadSize()));
  Value rightColumn = add(
      mul(rem(warp, index(attr.getWarps()[1])), index(warpColumns)),
      add(mul(div(lane, index(16)), index(kMmaColumns)), rem(lane, index(8))));
  Value rightStep =
      mul(rem(div(lane, index(8)), index(2)), index(getLoadSize()));
  int64_t numRows = warpRows / kMmaRows, numColumns = warpColumns / kMmaColumns;
  for (int64_t step = 0; step != attr.getTile()[2]; step += getMmaSteps()) {
    SmallVector<SmallVector<Value>> lefts(attr.getPieces()),
        rights(attr.getPieces());
    for (int64_t part = 0; part != attr.getPieces(); ++part) {
      for (int64_t i = 0; i != numRows; ++i)
        lefts[part].push_back(loadFragments(left, stage, part,
                                            add(leftRow, index(i * kMmaRows)),
                                            add(leftStep, index(step))));
      for (int64_t j = 0; j != numColumns; j += 2) {
        Value both = loadFragments(right, stage, part,
                                   add(rightColumn, index(j * kMmaColumns)),
                                   add(rightStep, index(step)));
        for (int64_t half : {0, 1})
          rights[part].push_back(vector::ExtractStridedSliceOp::create(
              b, loc, both, ArrayRef<int64_t>{half * 2}, ArrayRef<int64_t>{2},
              ArrayRef<int64_t>{1}));
      }
    }
    for (int64_t i = 0; i != numRows; ++i)
      for (int64_t j = 0; j != numColumns; ++j) {
        Value first = index((i * numColumns + j) * 2);
        Value second = index((i * numColumns + j) * 2 + 1);
        Value sum = join({loadSums(first), loadSums(second)});
        auto accumulate = [&](int64_t leftPart, int64_t rightPart) {
          sum =
              multiplyFragments(lefts[leftPart][i], rights[rightPart][j], sum);
        };
        // The product of the two small parts is less than what is lost anyway.
        if (attr.getPieces() == 2) {
          accumulate(1, 0);
          accumulate(0, 1);
        }
        accumulate(0, 0);
        for (auto [half, place] : {std::pair(0, first), std::pair(1, second)})
          storeSums(
              vector::ExtractOp::create(b, loc, sum, ArrayRef<int64_t>{half}),
              place);
      }
  }
}

//===----------------------------------------------------------------------===//
// Products by warpgroups
//===----------------------------------------------------------------------===//

void ProductEmitter::fence() {
  NVVM::FenceProxyOp::create(
      b, loc,
      NVVM::ProxyKindAttr::get(b.getContext(), NVVM::ProxyKind::async_shared),
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

void ProductEmitter::waitForProducts(int64_t numPending) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, uint64_t(numPending));
}

/// The descriptor of a matrix in shared memory, as the PTX ISA has it: the
/// address and two distances, in units of 16 bytes, and the kind of swizzle.
Value ProductEmitter::describe(const Operand &operand, Value stage,
                               Value firstLine) {
  static constexpr int64_t kUnit = 16, kMask = 0x3fff, kSwizzle128 = 1;
  int64_t lineBytes = attr.getTile()[2] * getPieceBytes();
  int64_t tileBytes = operand.numLines * lineBytes;
  // Lines are 128 bytes, or 64 of them are as many as there are steps.
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand.shared);
  address = add(address, mul(stage, index(attr.getPieces() * tileBytes)));
  address = add(address, mul(firstLine, index(lineBytes)));
  Value units = b.createOrFold<arith::AndIOp>(loc, div(address, index(kUnit)),
                                              index(kMask));
  Value descriptor =
      arith::IndexCastUIOp::create(b, loc, b.getI64Type(), units);
  // From one block of 64 lines to the next where lines are in rows, and from
  // eight rows to the next.
  int64_t leading = attr.getTile()[2] * kSwizzleBytes / kUnit;
  int64_t stride = kSwizzleRows * kSwizzleBytes / kUnit;
  int64_t rest = leading << 16 | stride << 32 | kSwizzle128 << 62;
  return arith::OrIOp::create(b, loc, descriptor,
                              arith::ConstantIntOp::create(b, loc, rest, 64));
}

void ProductEmitter::multiplyByWarpgroups(Value thread, Value stage) {
  MLIRContext *context = b.getContext();
  SmallVector<Type> types(numSums * 2, getSumType());
  auto sumsType = LLVM::LLVMStructType::getLiteral(context, types);
  Value products = LLVM::PoisonOp::create(b, loc, sumsType);
  for (int64_t i = 0; i != numSums; ++i) {
    Value pair = loadSums(index(i));
    for (int64_t half : {0, 1})
      products = LLVM::InsertValueOp::create(
          b, loc, products,
          vector::ExtractOp::create(b, loc, pair, ArrayRef<int64_t>{half}),
          i * 2 + half);
  }

  Value firstRow = mul(div(thread, index(4 * kWarp)), index(kGroupRows));
  Value leftMatrix = describe(left, stage, firstRow);
  Value rightMatrix = describe(right, stage, index(0));
  // In units of 16 bytes.
  auto advance = [&](const Operand &operand, Value matrix, int64_t part,
                     int64_t step) -> Value {
    int64_t bytes =
        part * operand.numLines * attr.getTile()[2] * getPieceBytes() +
        step * (operand.alongReduction ? getPieceBytes() : kSwizzleBytes);
    if (bytes == 0)
      return matrix;
    return arith::AddIOp::create(
        b, loc, matrix, arith::ConstantIntOp::create(b, loc, bytes / 16, 64));
  };
  auto shape = NVVM::MMAShapeAttr::get(context, kGroupRows, attr.getTile()[1],
                                       getMmaSteps());
  auto getType = [&](const Operand &operand) {
    NVVM::WGMMATypes type =
        !piece.isInteger()
            ? piece.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16
        : tir::isUnsigned(operand.access) ? NVVM::WGMMATypes::u8
                                          : NVVM::WGMMATypes::s8;
    return NVVM::WGMMATypesAttr::get(context, type);
  };
  auto sumType = NVVM::WGMMATypesAttr::get(
      context,
      piece.isInteger() ? NVVM::WGMMATypes::s32 : NVVM::WGMMATypes::f32);
  auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  auto rowMajor = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
  auto columnMajor = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col);
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  for (int64_t step = 0; step != attr.getTile()[2]; step += getMmaSteps()) {
    auto accumulate = [&](int64_t leftPart, int64_t rightPart) {
      products = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, sumsType, products, advance(left, leftMatrix, leftPart, step),
          advance(right, rightMatrix, rightPart, step), shape, getType(left),
          getType(right), sumType,
          NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one), plus,
          plus, left.alongReduction ? rowMajor : columnMajor,
          right.alongReduction ? columnMajor : rowMajor,
          NVVM::MMAIntOverflowAttr());
    };
    // The product of the two small parts is less than what is lost anyway.
    if (attr.getPieces() == 2) {
      accumulate(1, 0);
      accumulate(0, 1);
    }
    accumulate(0, 0);
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);

  auto pairType = VectorType::get(2, getSumType());
  for (int64_t i = 0; i != numSums; ++i) {
    SmallVector<Value> pair;
    for (int64_t half : {0, 1})
      pair.push_back(
          LLVM::ExtractValueOp::create(b, loc, products, i * 2 + half));
    storeSums(vector::FromElementsOp::create(b, loc, pairType, pair), index(i));
  }
}
