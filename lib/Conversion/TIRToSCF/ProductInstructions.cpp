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

/// Each thread says where eight numbers of a row are, and gets two of each of
/// four matrices of eight rows.
Value ProductEmitter::loadFragments(const Operand &operand, Value stage,
                                    int64_t part, Value line, Value step) {
  return nvgpu::LdMatrixOp::create(
      b, loc, VectorType::get({4, 2}, piece), operand.shared,
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
  return vector::LoadOp::create(b, loc, VectorType::get(2, b.getF32Type()),
                                sums, ValueRange{pair, index(0)});
}

void ProductEmitter::storeSums(Value value, Value pair) {
  vector::StoreOp::create(b, loc, value, sums, ValueRange{pair, index(0)});
}

void ProductEmitter::multiply(Value thread, Value stage) {
  if (byWarpgroups())
    return multiplyByWarpgroups(thread, stage);
  Value lane = rem(thread, index(kWarp)), warp = div(thread, index(kWarp));
  // Whose addresses are which rows and steps of the four matrices.
  Value leftRow =
      add(mul(div(warp, index(attr.getWarps()[1])), index(warpRows)),
          rem(lane, index(kMmaRows)));
  Value leftStep = mul(div(lane, index(kMmaRows)), index(8));
  Value rightColumn = add(
      mul(rem(warp, index(attr.getWarps()[1])), index(warpColumns)),
      add(mul(div(lane, index(16)), index(kMmaColumns)), rem(lane, index(8))));
  Value rightStep = mul(rem(div(lane, index(8)), index(2)), index(8));
  int64_t numRows = warpRows / kMmaRows, numColumns = warpColumns / kMmaColumns;
  for (int64_t step = 0; step != attr.getTile()[2]; step += kMmaSteps) {
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
          sum = nvgpu::MmaSyncOp::create(
              b, loc, lefts[leftPart][i], rights[rightPart][j], sum,
              ArrayRef<int64_t>{kMmaRows, kMmaColumns, kMmaSteps});
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
  int64_t tileBytes = operand.numLines * attr.getTile()[2] * 2;
  // Lines are 128 bytes, or 64 of them are as many as there are steps.
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, operand.shared);
  address = add(address, mul(stage, index(attr.getPieces() * tileBytes)));
  address = add(address, mul(firstLine, index(attr.getTile()[2] * 2)));
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
  SmallVector<Type> types(numSums * 2, b.getF32Type());
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
    int64_t bytes = part * operand.numLines * attr.getTile()[2] * 2 +
                    step * (operand.alongReduction ? 2 : kSwizzleBytes);
    if (bytes == 0)
      return matrix;
    return arith::AddIOp::create(
        b, loc, matrix, arith::ConstantIntOp::create(b, loc, bytes / 16, 64));
  };
  auto shape = NVVM::MMAShapeAttr::get(context, kGroupRows, attr.getTile()[1],
                                       kMmaSteps);
  auto element = NVVM::WGMMATypesAttr::get(
      context, piece.isF16() ? NVVM::WGMMATypes::f16 : NVVM::WGMMATypes::bf16);
  auto plus = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  auto rowMajor = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row);
  auto columnMajor = NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col);
  NVVM::WgmmaFenceAlignedOp::create(b, loc);
  for (int64_t step = 0; step != attr.getTile()[2]; step += kMmaSteps) {
    auto accumulate = [&](int64_t leftPart, int64_t rightPart) {
      products = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, sumsType, products, advance(left, leftMatrix, leftPart, step),
          advance(right, rightMatrix, rightPart, step), shape, element, element,
          NVVM::WGMMATypesAttr::get(context, NVVM::WGMMATypes::f32),
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

  auto pairType = VectorType::get(2, b.getF32Type());
  for (int64_t i = 0; i != numSums; ++i) {
    SmallVector<Value> pair;
    for (int64_t half : {0, 1})
      pair.push_back(
          LLVM::ExtractValueOp::create(b, loc, products, i * 2 + half));
    storeSums(vector::FromElementsOp::create(b, loc, pairType, pair), index(i));
  }
}
