//===- Split.cpp - Data in pieces -----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pieces of the data, a panel at a time.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleSupport.h"
#include "MatrixEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/Analysis/IndexBounds.h"
#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/IR/LoopNest.h"

using namespace mlir;
using namespace mlir::tir;

void MatrixEmitter::allocatePieces() {
  // Blocks that are a power of two apart would compete for cache lines.
  int64_t rows = (plan.panelRows + plan.reachRows) | 1;
  auto data = cast<MemRefType>(plan.data.buffer.getType());
  SmallVector<int64_t> shape = {plan.getNumChannelBlocks(), plan.numPlanes,
                                rows, plan.getBlockChannels()};
  if (plan.isMerged())
    shape = {plan.numPlanes, plan.getMergedRows() * plan.getRowPitch()};
  if (batchSum)
    shape.insert(shape.begin(), plan.getNumBatches());
  bool hasBytes = plan.isInteger && plan.dot != DotKind::Pairs;
  MemRefType type = getBufferType(
      shape, hasBytes ? data.getElementType() : rewriter.getI16Type(),
      hasPanels() && !batchSum ? getLocalMemory(context) : relay::MemoryAttr());
  for (int64_t piece = 0; piece != plan.numPieces; ++piece)
    pieces.push_back(AllocBufferOp::create(rewriter, loc, type).getBuffer());
}

/// Whether a float that is stored is one of bf16, made wider or to pad with.
static bool isHalf(Value value) {
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_AnyZeroFloat()))
    return true;
  if (auto wide = dyn_cast_or_null<arith::ExtFOp>(op))
    return getElementTypeOrSelf(wide.getIn().getType()).isBF16();
  if (!isa_and_nonnull<affine::AffineIfOp>(op))
    return false;
  unsigned result = cast<OpResult>(value).getResultNumber();
  return llvm::all_of(op->getRegions(), [&](Region &branch) {
    return isHalf(branch.front().getTerminator()->getOperand(result));
  });
}

bool mlir::tir::holdsHalves(Value buffer) {
  return buffer.getDefiningOp<AllocBufferOp>() &&
         llvm::all_of(getWriters(buffer), [&](BlockOp writer) {
           return llvm::all_of(
               collectAccesses(writer), [&](const BufferAccess &access) {
                 if (!access.isWrite || access.buffer != buffer)
                   return true;
                 auto store = dyn_cast<affine::AffineStoreOp>(access.op);
                 return store && isHalf(store.getValueToStore());
               });
         });
}

/// The bits of the pieces of a float, as splitFloat() computes them but for
/// ties.
SmallVector<Value> MatrixEmitter::splitValue(OpBuilder &builder, Value value,
                                             bool isHalf) const {
  // A number, or a vector of them.
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? vector.clone(element) : element;
  };
  auto splat = [&](TypedAttr number) -> Value {
    Type type = like(number.getType());
    if (auto vector = dyn_cast<VectorType>(type))
      number = DenseElementsAttr::get(vector, Attribute(number));
    return arith::ConstantOp::create(builder, loc, number);
  };
  if (plan.isInteger) {
    if (plan.dot == DotKind::Pairs && !plan.isWide) {
      Type wide = like(builder.getI16Type());
      if (plan.isDataUnsigned)
        return {arith::ExtUIOp::create(builder, loc, wide, value)};
      return {arith::ExtSIOp::create(builder, loc, wide, value)};
    }
    if (plan.flipsData())
      value = arith::XOrIOp::create(builder, loc, value,
                                    splat(builder.getI8IntegerAttr(-128)));
    return {value};
  }
  Type i32 = like(builder.getI32Type()), i16 = like(builder.getI16Type()),
       f32 = value.getType();
  auto integer = [&](int64_t bits) {
    return splat(builder.getI32IntegerAttr(bits));
  };
  if (isHalf && plan.numPieces == 1) {
    // Nothing is to be rounded.
    Value bits = arith::BitcastOp::create(builder, loc, i32, value);
    Value upper = arith::ShRUIOp::create(builder, loc, bits, integer(16));
    return {arith::TruncIOp::create(builder, loc, i16, upper)};
  }
  SmallVector<Value> results;
  for (int64_t piece = 0; piece != plan.numPieces; ++piece) {
    Value bits = arith::BitcastOp::create(builder, loc, i32, value);
    Value half = integer(0x8000);
    // The next piece makes up for which way ties go.
    if (plan.numPieces == 1) {
      Value high = arith::ShRUIOp::create(builder, loc, bits, integer(16));
      Value isOdd = arith::AndIOp::create(builder, loc, high, integer(1));
      half = arith::AddIOp::create(builder, loc, isOdd, integer(0x7fff));
    }
    Value rounded = arith::AddIOp::create(builder, loc, bits, half);
    Value magnitude;
    if (piece == 0) {
      // Nearer to 2^128 than to the largest bf16, or not finite.
      magnitude =
          arith::AndIOp::create(builder, loc, bits, integer(0x7fffffff));
      Value isLarge =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                magnitude, integer(0x7f7f8000));
      // Of a NaN, the second piece is one in any case.
      if (plan.numPieces == 1) {
        Value isNaN =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                  magnitude, integer(0x7f800000));
        Value quiet =
            arith::OrIOp::create(builder, loc, bits, integer(0x400000));
        bits = arith::SelectOp::create(builder, loc, isNaN, quiet, bits);
      }
      rounded = arith::SelectOp::create(builder, loc, isLarge, bits, rounded);
    }
    Value upper = arith::ShRUIOp::create(builder, loc, rounded, integer(16));
    results.push_back(arith::TruncIOp::create(builder, loc, i16, upper));
    if (piece + 1 == plan.numPieces)
      break;
    Value known = arith::BitcastOp::create(
        builder, loc, f32,
        arith::AndIOp::create(builder, loc, rounded, integer(-0x10000)));
    value = arith::SubFOp::create(builder, loc, value, known);
    if (piece == 0) {
      Value isInfinite =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                magnitude, integer(0x7f800000));
      Value zero = splat(builder.getF32FloatAttr(0));
      value = arith::SelectOp::create(builder, loc, isInfinite, zero, value);
    }
  }
  return results;
}

/// Splits the data of a panel.
void MatrixEmitter::emitSplit(Value panel) {
  OpBuilder::InsertionGuard insertion(rewriter);
  int64_t rows = plan.panelRows + plan.reachRows;
  SmallVector<ForOp> rowLoop =
      buildLoops(rewriter, loc, OpFoldResult(rewriter.getIndexAttr(rows)));
  ForOp outer = rowLoop.front();
  if (isParallel && !hasPanels())
    outer.setKind(ForKind::Parallel);
  OpBuilder::InsertPoint inRow = rewriter.saveInsertionPoint();
  Value row = outer.getInductionVar();

  auto buildInner = [&](ArrayRef<int64_t> extents) {
    rewriter.restoreInsertionPoint(inRow);
    SmallVector<ForOp> loops =
        buildLoops(rewriter, loc, getAsIndexOpFoldResult(context, extents));
    loops.back().setKind(ForKind::Vectorized);
    SmallVector<Value> values = {panel, row};
    for (ForOp loop : loops)
      values.push_back(loop.getInductionVar());
    return values;
  };

  // Dimensions: panel, row, plane, channel block, channel.
  SmallVector<Value> loops = buildInner(
      {plan.numPlanes, plan.getNumChannelBlocks(), plan.getBlockChannels()});
  AffineExpr position = getFirstRow(dim(0)) + dim(1);
  AffineExpr channel = dim(3) * plan.getBlockChannels() + dim(4);
  // Rows that are not there are zeros: a NaN in one would not go unnoticed.
  // The variables of the block run beyond the data, which it must not take for
  // granted.
  SmallVector<AffineExpr> bindings, guards, inside;
  SmallVector<OpFoldResult> extents =
      getSizes(cast<MemRefType>(plan.data.buffer.getType()));
  for (const MatrixDim &index : plan.dims) {
    if (index.kind == MatrixDim::Constant) {
      bindings.push_back(getBatchPart(index, getBatch(dim(0))) + index.offset);
      continue;
    }
    if (index.kind == MatrixDim::Channel) {
      bindings.push_back(getBatchPart(index, getBatch(dim(0))) + channel);
      if (plan.numChannels % plan.getBlockChannels() != 0)
        guards.push_back(constant(plan.numChannels - 1) - channel);
      continue;
    }
    AffineExpr pixel = getCoordinate(index, position) * index.stride;
    int64_t last = (index.extent - 1) * index.stride;
    if (!index.taps.empty()) {
      pixel = pixel + dim(2).floorDiv(index.planeStride) % index.numPlanes;
      last = index.reach - 1;
    }
    bindings.push_back(pixel + index.offset);
    int64_t largest = (index.radix - 1) * index.stride +
                      (index.taps.empty() ? 0 : index.numPlanes - 1);
    AffineExpr end = constant(largest + index.offset + 1);
    if (isOutermostRow(index)) {
      AffineExpr allRows =
          (dynamicExtent ? getNumRows().ceilDiv(plan.panelRows)
                         : constant(plan.getPanelsPerBatch())) *
          plan.panelRows;
      end =
          (allRows + plan.reachRows).floorDiv(index.rowStride) * index.stride +
          index.numPlanes + index.offset;
    }
    extents[bindings.size() - 1] = getSize(rewriter, end);
    AffineExpr limit = constant(last + index.offset);
    if (index.isDynamic)
      limit = limit + (getAffineSymbolExpr(0, context) - 1) * index.stride;
    if (isOutermostRow(index) || largest > last)
      inside.push_back(limit - dim(bindings.size() - 1));
  }
  unsigned numIndices = bindings.size();
  llvm::append_range(bindings, ArrayRef{dim(1), dim(2), dim(3), dim(4)});
  for (int64_t extent : {rows, plan.numPlanes, plan.getNumChannelBlocks(),
                         plan.getBlockChannels()})
    extents.push_back(rewriter.getIndexAttr(extent));
  // The place of the panel among those that are split ahead.
  SmallVector<AffineExpr> panelPlace;
  if (batchSum) {
    bindings.push_back(dim(0));
    extents.push_back(rewriter.getIndexAttr(plan.numPanels));
    panelPlace.push_back(dim(4));
  }
  BlockOp block =
      createBlock(rewriter, name + "_split", bindings, extents, guards, loops);
  OpBuilder body(block.getBody()->getTerminator());
  ValueRange vars = block.getIterVars();
  auto storePiece = [&](OpBuilder &builder, Value value, Value buffer,
                        ArrayRef<AffineExpr> index, ValueRange operands) {
    SmallVector<AffineExpr> place(panelPlace);
    llvm::append_range(place, index);
    createStore(builder, loc, value, buffer,
                AffineMap::get(operands.size(), 0, place, context), operands);
  };
  auto loadValue = [&](OpBuilder &builder) {
    return createLoad(builder, loc, plan.data.buffer,
                      builder.getMultiDimIdentityMap(numIndices),
                      vars.take_front(numIndices));
  };
  Value value;
  if (inside.empty()) {
    value = loadValue(body);
  } else {
    auto set = IntegerSet::get(numIndices, dynamicExtent ? 1 : 0, inside,
                               SmallVector<bool>(inside.size(), false));
    SmallVector<Value> operands(vars.take_front(numIndices));
    if (dynamicExtent)
      operands.push_back(dynamicExtent);
    Type type = cast<MemRefType>(plan.data.buffer.getType()).getElementType();
    auto branch = affine::AffineIfOp::create(body, loc, type, set, operands,
                                             /*withElseRegion=*/true);
    OpBuilder there = branch.getThenBodyBuilder();
    affine::AffineYieldOp::create(there, loc, loadValue(there));
    OpBuilder elsewhere = branch.getElseBodyBuilder();
    Value zero =
        arith::ConstantOp::create(elsewhere, loc, elsewhere.getZeroAttr(type));
    affine::AffineYieldOp::create(elsewhere, loc, zero);
    value = branch.getResult(0);
  }
  ValueRange local = vars.drop_front(numIndices);
  bool isHalf = holdsHalves(plan.data.buffer);
  for (auto [bits, buffer] :
       llvm::zip_equal(splitValue(body, value, isHalf), pieces))
    storePiece(body, bits, buffer, {dim(2), dim(1), dim(0), dim(3)}, local);
  block.updateAccessRegions();

  // Zeros beyond the last channel.
  int64_t rest = plan.numChannels % plan.getBlockChannels();
  if (rest == 0)
    return;
  loops = buildInner({plan.numPlanes, plan.getBlockChannels() - rest});
  SmallVector<AffineExpr> places = {dim(1), dim(2), dim(3) + rest};
  SmallVector<int64_t> padExtents = {rows, plan.numPlanes,
                                     plan.getBlockChannels()};
  if (batchSum) {
    places.push_back(dim(0));
    padExtents.push_back(plan.numPanels);
    panelPlace.front() = dim(3);
  }
  BlockOp zeros = createBlock(rewriter, name + "_pad", places,
                              getAsIndexOpFoldResult(context, padExtents),
                              /*guards=*/{}, loops);
  OpBuilder padBody(zeros.getBody()->getTerminator());
  Type type = cast<MemRefType>(pieces.front().getType()).getElementType();
  Value zero =
      arith::ConstantOp::create(padBody, loc, padBody.getZeroAttr(type));
  for (Value buffer : pieces)
    storePiece(
        padBody, zero, buffer,
        {constant(plan.getNumChannelBlocks() - 1), dim(1), dim(0), dim(2)},
        zeros.getIterVars());
  zeros.updateAccessRegions();
}
