//===- Merged.cpp - Few channels on matrix units --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits data whose channels are merged with the pixels of a window: line after
// line of the image, each one run of elements, pixels outside, channels inside.
//
//===----------------------------------------------------------------------===//

#include "MatrixEmitter.h"
#include "relay-mlir/Dialect/TIR/Schedule/VectorTranspose.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

/// Elements that are split together.
static constexpr int64_t kLanes = 16;

/// Runs `emit` for 0, `step`, ... below `end`.
static void emitFor(OpBuilder &builder, Location loc, int64_t begin,
                    int64_t end, int64_t step,
                    llvm::function_ref<void(OpBuilder &, Value)> emit) {
  if (begin >= end)
    return;
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  scf::ForOp::create(
      builder, loc, index(begin), index(end), index(step), ValueRange(),
      [&](OpBuilder &body, Location, Value variable, ValueRange) {
        emit(body, variable);
        scf::YieldOp::create(body, loc);
      });
}

/// Stores an element, or a vector of neighbours.
static void emitStore(OpBuilder &builder, Location loc, Value value,
                      Value buffer, ValueRange indices) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(builder, loc, value, buffer, indices);
  else
    memref::StoreOp::create(builder, loc, value, buffer, indices);
}

/// `count` zeros in each buffer of pieces, from the element `start` on.
void MatrixEmitter::emitZeros(OpBuilder &builder, Value plane, Value start,
                              int64_t count) {
  Type type = cast<MemRefType>(pieces.front().getType()).getElementType();
  auto vectorType = VectorType::get(kLanes, type);
  auto emitStores = [&](OpBuilder &body, Value from, bool isVector) {
    Value place = arith::AddIOp::create(body, loc, start, from);
    Value zero = arith::ConstantOp::create(
        body, loc,
        isVector ? body.getZeroAttr(vectorType) : body.getZeroAttr(type));
    for (Value buffer : pieces)
      emitStore(body, loc, zero, buffer, {plane, place});
  };
  int64_t whole = count / kLanes * kLanes;
  emitFor(builder, loc, 0, whole, kLanes, [&](OpBuilder &body, Value from) {
    emitStores(body, from, /*isVector=*/true);
  });
  emitFor(builder, loc, whole, count, 1, [&](OpBuilder &body, Value from) {
    emitStores(body, from, /*isVector=*/false);
  });
}

/// One line of pixels, which begins at `origin` in the data and at the element
/// `start` of the pieces.
void MatrixEmitter::emitMergedLine(OpBuilder &builder, ValueRange origin,
                                   Value plane, Value start) {
  auto type = cast<MemRefType>(plan.data.buffer.getType());
  SmallVector<ReassociationIndices> all(1);
  for (int64_t index = 0; index != type.getRank(); ++index)
    all.front().push_back(index);
  Value flat = plan.data.buffer;
  if (type.getRank() != 1)
    flat = memref::CollapseShapeOp::create(builder, loc, flat, all);
  // Runs in the data that take turns, and elements of each.
  int64_t numRuns = plan.isPlanar ? plan.numChannels : 1;
  int64_t length =
      plan.getInnermostRow().reach * (plan.isPlanar ? 1 : plan.numChannels);
  int64_t runDistance = 0, stride = 1;
  AffineExpr first = constant(0);
  for (int64_t index = type.getRank() - 1; index >= 0; --index) {
    first = first + dim(index) * stride;
    if (plan.dims[index].kind == MatrixDim::Channel)
      runDistance = stride;
    stride *= type.getDimSize(index);
  }
  Value base = apply(builder, first, origin);

  auto emitSome = [&](OpBuilder &body, Value from, bool isVector) {
    auto vectorType = VectorType::get(kLanes, type.getElementType());
    // By piece, then by run.
    SmallVector<SmallVector<Value>> split(plan.numPieces);
    for (int64_t run = 0; run != numRuns; ++run) {
      Value place = apply(body, dim(0) + dim(1) + run * runDistance,
                          ValueRange{base, from});
      Value value =
          isVector ? vector::LoadOp::create(body, loc, vectorType, flat, place)
                         .getResult()
                   : memref::LoadOp::create(body, loc, flat, place).getResult();
      for (auto [piece, bits] : llvm::enumerate(splitValue(body, value)))
        split[piece].push_back(bits);
    }
    for (auto [values, buffer] : llvm::zip_equal(split, pieces)) {
      if (isVector)
        values = interleaveVectors(body, loc, values);
      for (auto [position, value] : llvm::enumerate(values)) {
        AffineExpr offset =
            constant(int64_t(position) * (isVector ? kLanes : 1));
        Value place = apply(body, dim(0) + dim(1) * numRuns + offset,
                            ValueRange{start, from});
        emitStore(body, loc, value, buffer, {plane, place});
      }
    }
  };
  int64_t whole = length / kLanes * kLanes;
  emitFor(builder, loc, 0, whole, kLanes, [&](OpBuilder &body, Value from) {
    emitSome(body, from, /*isVector=*/true);
  });
  if (whole == length)
    return;
  // The last elements once more, with the rest.
  if (whole != 0)
    emitSome(builder,
             arith::ConstantIndexOp::create(builder, loc, length - kLanes),
             /*isVector=*/true);
  else
    emitFor(builder, loc, 0, length, 1, [&](OpBuilder &body, Value from) {
      emitSome(body, from, /*isVector=*/false);
    });
}

/// Splits all data.
void MatrixEmitter::emitMergedSplit() {
  OpBuilder::InsertionGuard insertion(rewriter);
  const MatrixDim &pixels = plan.getInnermostRow();
  int64_t lineRows = pixels.radix, numLines = plan.getMergedRows() / lineRows;
  SmallVector<ForOp> loops =
      buildLoops(rewriter, loc,
                 getAsIndexOpFoldResult(context, {numLines, plan.numPlanes}));
  if (isParallel)
    loops.front().setKind(ForKind::Parallel);
  BlockOp block = createBlock(
      rewriter, name + "_split", {dim(0), dim(1)},
      getAsIndexOpFoldResult(context, {numLines, plan.numPlanes}),
      /*guards=*/{}, {loops[0].getInductionVar(), loops[1].getInductionVar()});
  OpBuilder body(block.getBody()->getTerminator());
  ValueRange vars = block.getIterVars();
  Value plane = vars[1];
  AffineExpr position = dim(0) * lineRows;
  int64_t lineElements = lineRows * plan.getRowPitch();
  Value start = apply(body, dim(0) * lineElements, vars);

  SmallVector<Value> origin;
  Value isInside;
  Value zero = arith::ConstantIndexOp::create(body, loc, 0);
  for (const MatrixDim &index : plan.dims) {
    AffineExpr expr = constant(index.offset);
    if (index.kind == MatrixDim::Row && &index != &pixels) {
      AffineExpr pixel = getCoordinate(index, position) * index.stride;
      int64_t last = (index.extent - 1) * index.stride;
      int64_t largest = (index.radix - 1) * index.stride;
      if (!index.taps.empty()) {
        pixel = pixel + dim(1).floorDiv(index.planeStride) % index.numPlanes;
        last = index.reach - 1;
        largest += index.numPlanes - 1;
      }
      expr = expr + pixel;
      if (isOutermostRow(index) || largest > last) {
        Value distance = apply(body, constant(last) - pixel, vars);
        Value holds = arith::CmpIOp::create(
            body, loc, arith::CmpIPredicate::sge, distance, zero);
        isInside =
            isInside
                ? arith::AndIOp::create(body, loc, isInside, holds).getResult()
                : holds;
      }
    }
    origin.push_back(apply(body, expr, vars));
  }
  int64_t used = pixels.reach * plan.numChannels;
  auto emitLine = [&](OpBuilder &builder) {
    emitMergedLine(builder, origin, plane, start);
    if (used != lineElements)
      emitZeros(builder, plane,
                apply(builder, dim(0) + used, ValueRange{start}),
                lineElements - used);
  };
  if (isInside) {
    auto branch = scf::IfOp::create(body, loc, isInside,
                                    /*withElseRegion=*/true);
    OpBuilder inside = branch.getThenBodyBuilder();
    emitLine(inside);
    OpBuilder outside = branch.getElseBodyBuilder();
    emitZeros(outside, plane, start, lineElements);
  } else {
    emitLine(body);
  }
  block.updateAccessRegions();
}
