//===- ProductOperands.cpp - Operands to shared memory --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads bring a tile of each operand to shared memory, in pieces of up to 16
// bytes: through registers, where elements are converted, or by asynchronous
// copies.
//
// For `mma.sync`, rows have a distance that puts those which a warp reads at
// once into different banks. For `wgmma`, they have 128 bytes, and the chunk of
// 16 bytes with number c is at c ^ (r % 8) in row r, as the instruction wants
// it ("128-byte swizzle" in the PTX ISA).
//
//===----------------------------------------------------------------------===//

#include "EmitProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;
using tir::BufferAccess;

/// Bytes between rows in shared memory, so that the eight rows which a warp
/// reads at once are in different banks.
static constexpr int64_t kRowPadding = 16;

/// How many consecutive elements along variable `last` one load may have.
int64_t ProductEmitter::getVectorSize(const BufferAccess &access,
                                      int64_t last) {
  auto type = cast<MemRefType>(access.buffer.getType());
  int64_t size = kLoadBytes * 8 / type.getElementTypeBitWidth();
  std::optional<int64_t> extent = getConstantIntValue(extents[last]);
  if (!tir::isContiguous(access, last) || !extent || *extent % size != 0 ||
      !type.hasStaticShape())
    return 1;
  for (int64_t var = 0, e = extents.size(); var != e; ++var) {
    if (var == last || getConstantIntValue(extents[var]) == 1)
      continue;
    std::optional<int64_t> stride = tir::getStride(access, var);
    if (!stride || *stride % size != 0)
      return 1;
  }
  // Where everything starts.
  SmallVector<AffineExpr> zeros(access.map->getNumDims(),
                                b.getAffineConstantExpr(0));
  for (AffineExpr expr : access.map->getResults()) {
    auto start = dyn_cast<AffineConstantExpr>(expr.replaceDims(zeros));
    if (!start || start.getValue() != 0)
      return 1;
  }
  return size;
}

/// Drops the last dimensions of one element, such as those of kernels of 1 x 1:
/// loads of vectors are along the last one.
void ProductEmitter::dropUnitDims(Operand &operand) {
  auto type = cast<MemRefType>(operand.buffer.getType());
  int64_t rank = type.getRank();
  while (rank > 1 && type.getDimSize(rank - 1) == 1)
    --rank;
  if (rank == type.getRank() || !type.getLayout().isIdentity())
    return;
  SmallVector<ReassociationIndices> groups(rank);
  for (int64_t dim = 0; dim != type.getRank(); ++dim)
    groups[std::min(dim, rank - 1)].push_back(dim);
  operand.buffer =
      memref::CollapseShapeOp::create(b, loc, operand.buffer, groups);
}

/// Where the operand has the element at a line and a step.
SmallVector<Value> ProductEmitter::getIndices(const Operand &operand,
                                              Value line, Value step) {
  SmallVector<Value> position(batchPosition);
  decode(line, operand.lines, position);
  decode(step, reduction, position);
  SmallVector<Value> indices = evaluate(operand.access, position);
  indices.truncate(cast<MemRefType>(operand.buffer.getType()).getRank());
  return indices;
}

ProductEmitter::Operand
ProductEmitter::createOperand(const BufferAccess &access,
                              ArrayRef<int64_t> lines, int64_t numLines) {
  Operand operand;
  operand.access = access;
  operand.buffer = emitter.lookup(access.buffer).value;
  dropUnitDims(operand);
  operand.lines.assign(lines.begin(), lines.end());
  operand.numLines = numLines;
  operand.element = cast<MemRefType>(operand.buffer.getType()).getElementType();
  operand.vectorSize = getVectorSize(access, reduction.back());
  operand.alongReduction = true;
  operand.threadsAlongReduction = tir::isContiguous(access, reduction.back());
  // `wgmma` takes matrices of either order, but not of bytes.
  if (byWarpgroups() && operand.vectorSize == 1 && !lines.empty() &&
      operand.element == piece && !piece.isInteger())
    if (int64_t size = getVectorSize(access, lines.back()); size != 1) {
      operand.vectorSize = size;
      operand.alongReduction = false;
    }
  operand.numChunks =
      numLines * attr.getTile()[2] / (operand.vectorSize * numThreads);
  operand.registers = memref::AllocaOp::create(
      b, loc,
      MemRefType::get({operand.numChunks, operand.vectorSize},
                      operand.element));
  return operand;
}

/// The line and the step of a thread's chunk in a tile.
std::pair<Value, Value> ProductEmitter::getChunk(const Operand &operand,
                                                 Value thread, int64_t chunk) {
  Value number = add(thread, index(chunk * numThreads));
  if (!operand.alongReduction) {
    Value perStep = index(operand.numLines / operand.vectorSize);
    return {mul(rem(number, perStep), index(operand.vectorSize)),
            div(number, perStep)};
  }
  if (operand.threadsAlongReduction) {
    Value perLine = index(attr.getTile()[2] / operand.vectorSize);
    return {div(number, perLine),
            mul(rem(number, perLine), index(operand.vectorSize))};
  }
  Value numLines = index(operand.numLines);
  return {rem(number, numLines), div(number, numLines)};
}

SmallVector<int64_t> ProductEmitter::getShape(const Operand &operand) {
  int64_t numSteps = attr.getTile()[2];
  SmallVector<int64_t> shape = {numStages, attr.getPieces()};
  int64_t inRow = kSwizzleBytes / getPieceBytes();
  if (!byWarpgroups())
    shape.append({operand.numLines, numSteps + kRowPadding / getPieceBytes()});
  else if (operand.alongReduction)
    shape.append({operand.numLines, inRow});
  else
    shape.append({operand.numLines / inRow, numSteps, inRow});
  return shape;
}

SmallVector<Value> ProductEmitter::getPlace(const Operand &operand, Value stage,
                                            int64_t part, Value line,
                                            Value step) {
  SmallVector<Value> place = {stage, index(part)};
  if (!byWarpgroups()) {
    place.append({line, step});
    return place;
  }
  Value inChunk = index(getLoadSize());
  auto swizzle = [&](Value element, Value row) {
    Value chunk = b.createOrFold<arith::XOrIOp>(loc, div(element, inChunk),
                                                rem(row, index(kSwizzleRows)));
    return add(mul(chunk, inChunk), rem(element, inChunk));
  };
  Value inRow = index(kSwizzleBytes / getPieceBytes());
  if (operand.alongReduction)
    place.append({line, swizzle(step, line)});
  else
    place.append({div(line, inRow), step, swizzle(rem(line, inRow), step)});
  return place;
}

static bool isMultipleOf(Value total, int64_t size) {
  std::optional<int64_t> constant = getConstantIntValue(total);
  return constant && *constant % size == 0;
}

void ProductEmitter::loadTile(const Operand &operand, Value thread,
                              Value firstLine, Value firstStep) {
  Value numLines = count(operand.lines), numSteps = count(reduction);
  bool isGuarded = !isMultipleOf(numLines, operand.numLines) ||
                   !isMultipleOf(numSteps, attr.getTile()[2]);
  auto type = VectorType::get(operand.vectorSize, operand.element);
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [tileLine, tileStep] = getChunk(operand, thread, chunk);
    Value line = add(firstLine, tileLine), step = add(firstStep, tileStep);
    auto load = [&]() -> Value {
      SmallVector<Value> indices = getIndices(operand, line, step);
      if (operand.vectorSize == 1)
        return vector::BroadcastOp::create(
            b, loc, type,
            memref::LoadOp::create(b, loc, operand.buffer, indices));
      auto vectorLoad =
          vector::LoadOp::create(b, loc, type, operand.buffer, indices);
      vectorLoad.setAlignment(kLoadBytes);
      return vectorLoad;
    };
    Value elements;
    if (isGuarded) {
      Value isInside = arith::AndIOp::create(b, loc, isLess(line, numLines),
                                             isLess(step, numSteps));
      auto ifOp = scf::IfOp::create(b, loc, type, isInside,
                                    /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(ifOp.thenBlock());
      scf::YieldOp::create(b, loc, load());
      b.setInsertionPointToStart(ifOp.elseBlock());
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      scf::YieldOp::create(b, loc, zero);
      elements = ifOp.getResult(0);
    } else {
      elements = load();
    }
    vector::StoreOp::create(b, loc, elements, operand.registers,
                            ValueRange{index(chunk), index(0)});
  }
}

/// Numbers that rounding to a piece would make infinite. What they lack of
/// infinity, or of a number beyond the largest piece, is in the next piece; of
/// an infinite first piece, it would not be a number.
Value ProductEmitter::clamp(Value elements) {
  auto type = cast<VectorType>(elements.getType());
  auto getConstant = [&](bool isNegative) {
    APFloat value =
        APFloat::getLargest(APFloat::BFloat(), /*Negative=*/isNegative);
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, value));
  };
  Value limited =
      arith::MinNumFOp::create(b, loc, elements, getConstant(false));
  return arith::MaxNumFOp::create(b, loc, limited, getConstant(true));
}

void ProductEmitter::storeTile(const Operand &operand, Value thread,
                               Value stage) {
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [line, step] = getChunk(operand, thread, chunk);
    Value elements = vector::LoadOp::create(
        b, loc, VectorType::get(operand.vectorSize, operand.element),
        operand.registers, ValueRange{index(chunk), index(0)});
    auto narrow = VectorType::get(operand.vectorSize, piece);
    for (int64_t part = 0; part != attr.getPieces(); ++part) {
      Value stored = elements;
      if (operand.element != piece) {
        stored = arith::TruncFOp::create(
            b, loc, narrow,
            part + 1 != attr.getPieces() ? clamp(elements) : elements);
        if (part + 1 != attr.getPieces())
          elements = arith::SubFOp::create(
              b, loc, elements,
              arith::ExtFOp::create(b, loc, elements.getType(), stored));
      }
      auto store =
          vector::StoreOp::create(b, loc, stored, operand.shared,
                                  getPlace(operand, stage, part, line, step));
      store.setAlignment(operand.vectorSize * getPieceBytes());
    }
  }
}

void ProductEmitter::copyTile(const Operand &operand, Value thread,
                              Value firstLine, Value firstStep, Value stage) {
  Value numLines = count(operand.lines), numSteps = count(reduction);
  bool isGuarded = !isMultipleOf(numLines, operand.numLines) ||
                   !isMultipleOf(numSteps, attr.getTile()[2]);
  for (int64_t chunk = 0; chunk != operand.numChunks; ++chunk) {
    auto [tileLine, tileStep] = getChunk(operand, thread, chunk);
    Value line = add(firstLine, tileLine), step = add(firstStep, tileStep);
    // Nothing is read of what is not there, and zeros are written.
    Value numElements;
    if (isGuarded) {
      Value isInside = arith::AndIOp::create(b, loc, isLess(line, numLines),
                                             isLess(step, numSteps));
      Value zero = index(0);
      line = arith::SelectOp::create(b, loc, isInside, line, zero);
      step = arith::SelectOp::create(b, loc, isInside, step, zero);
      numElements = arith::SelectOp::create(b, loc, isInside,
                                            index(operand.vectorSize), zero);
    }
    nvgpu::DeviceAsyncCopyOp::create(
        b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()),
        operand.shared, getPlace(operand, stage, 0, tileLine, tileStep),
        operand.buffer, getIndices(operand, line, step),
        b.getIndexAttr(operand.vectorSize), numElements,
        /*bypassL1=*/b.getUnitAttr());
  }
}
