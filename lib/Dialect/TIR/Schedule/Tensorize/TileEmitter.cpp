//===- TileEmitter.cpp - Scalar block bodies as vector code -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First checks that all that a block computes can be evaluated by lanes, then
// writes it. A load becomes a vector load, a load under a mask, two loads and a
// shuffle for every second element, a gather, or a scalar that is repeated, by
// how its index moves with the lanes. Values are remembered for the body that
// is being written, so that points which need the same load share it.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"

#include "relay-mlir/Dialect/TIR/Schedule/PickLanes.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tir;

static bool isLoad(Operation *op) {
  return isa<affine::AffineLoadOp, memref::LoadOp>(op);
}

/// The buffer that a load or store accesses.
static Value getBuffer(Operation *op) {
  return op->getOperand(isLoad(op) ? 0 : 1);
}

Value mlir::tir::getGuardedValue(Operation *op) {
  auto condition = dyn_cast<affine::AffineIfOp>(op);
  if (!condition || condition.getNumResults() != 1)
    return {};
  return condition.getThenBlock()->getTerminator()->getOperand(0);
}

/// Adds the constraints of the condition to `guards`.
static LogicalResult collectGuards(NestedBlock &nest,
                                   affine::AffineIfOp condition,
                                   SmallVectorImpl<AffineExpr> &guards) {
  IntegerSet set = condition.getIntegerSet();
  SmallVector<AffineExpr> dims, syms;
  for (auto [index, operand] : llvm::enumerate(condition.getOperands())) {
    AffineExpr expr = nest.getExpr(operand);
    if (!expr)
      return failure();
    (index < set.getNumDims() ? dims : syms).push_back(expr);
  }
  for (auto [expr, isEquality] :
       llvm::zip(set.getConstraints(), set.getEqFlags())) {
    if (isEquality)
      return failure();
    guards.push_back(
        nest.bounds.simplify(expr.replaceDimsAndSymbols(dims, syms)));
  }
  return success();
}

Value mlir::tir::getIndexAsData(Operation *op) {
  bool isNumber =
      isa<arith::IndexCastOp>(op) && op->getResult(0).getType().isInteger();
  return isNumber ? op->getOperand(0) : Value();
}

/// Likewise, for what is not in `checked` yet.
static LogicalResult checkVectorizable(NestedBlock &nest, Value value,
                                       std::string &reason,
                                       SmallVectorImpl<AffineExpr> *guards,
                                       DenseSet<Value> &checked) {
  if (!checked.insert(value).second)
    return success();
  Operation *op = value.getDefiningOp();
  if (!op || !nest.block.getRegion().isAncestor(op->getParentRegion())) {
    // Values from outside the block are the same everywhere; iteration
    // variables as data are not.
    if (isa<BlockArgument>(value) &&
        cast<BlockArgument>(value).getOwner() == nest.block.getBody()) {
      reason = "expects a body that uses iteration variables as indices only";
      return failure();
    }
    return success();
  }
  if (isLoad(op)) {
    Type element = value.getType();
    if (!element.isIntOrFloat() || element.isInteger(1)) {
      reason = "expects buffers of numbers of at least a byte";
      return failure();
    }
    if (!nest.getLinearIndex(op)) {
      reason = "expects affine indices into row-major buffers";
      return failure();
    }
    return success();
  }
  if (op->hasTrait<OpTrait::ConstantLike>())
    return success();
  if (Value index = getIndexAsData(op)) {
    if (!nest.getExpr(index)) {
      reason = "expects affine indices";
      return failure();
    }
    return success();
  }
  if (Value guarded = guards ? getGuardedValue(op) : Value()) {
    if (failed(collectGuards(nest, cast<affine::AffineIfOp>(op), *guards))) {
      reason = "expects conditions on affine indices";
      return failure();
    }
    return checkVectorizable(nest, guarded, reason, guards, checked);
  }
  bool isScalar = llvm::all_of(op->getOperandTypes(),
                               [](Type type) { return type.isIntOrFloat(); });
  if (!OpTrait::hasElementwiseMappableTraits(op) || !isScalar ||
      op->getNumResults() != 1) {
    reason = ("expects a body of loads and elementwise ops, but got " +
              op->getName().getStringRef())
                 .str();
    return failure();
  }
  for (Value operand : op->getOperands())
    if (failed(checkVectorizable(nest, operand, reason, guards, checked)))
      return failure();
  return success();
}

LogicalResult
mlir::tir::checkVectorizable(NestedBlock &nest, Value value,
                             std::string &reason,
                             SmallVectorImpl<AffineExpr> *guards) {
  DenseSet<Value> checked;
  return ::checkVectorizable(nest, value, reason, guards, checked);
}

TileEmitter::TileEmitter(NestedBlock &nest, Operation *anchor,
                         unsigned laneLoop, int64_t lanes, int64_t overhang,
                         ArrayRef<Value> symbolValues)
    : nest(nest), prologue(anchor), zero(anchor->getResult(0)),
      laneLoop(laneLoop), lanes(lanes), overhang(overhang),
      symbolValues(symbolValues), dimValues(nest.loops.size() + 1),
      bounds(nest.bounds) {
  bounds.dims.push_back(IndexRange::nonNegative());
  bounds.dimExtents.push_back(AffineExpr());
}

Operation *TileEmitter::createAnchor(BlockOp block) {
  OpBuilder builder(block.getBody()->getTerminator());
  return arith::ConstantIndexOp::create(builder, block.getLoc(), 0);
}

AffineExpr TileEmitter::getRowBase() const {
  return getAffineDimExpr(nest.loops.size(), prologue.getContext());
}

void TileEmitter::beginBody() {
  variants.clear();
  loads.clear();
  broadcasts.clear();
}

Value TileEmitter::getFlatView(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() <= 1)
    return buffer;
  Value &view = flatViews[buffer];
  if (!view) {
    ReassociationIndices all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    view = memref::CollapseShapeOp::create(prologue, buffer.getLoc(), buffer,
                                           ArrayRef<ReassociationIndices>{all});
  }
  return view;
}

AffineExpr TileEmitter::getPosition(Operation *access,
                                    ArrayRef<AffineExpr> point) {
  AffineExpr &position = positions[access];
  if (!position)
    position = nest.getLinearIndex(access);
  return bounds.simplify(position.replaceDims(point));
}

Value TileEmitter::emitIndex(OpBuilder &builder, AffineExpr expr) {
  MLIRContext *context = builder.getContext();
  Location loc = nest.block.getLoc();
  LinearSum sum = LinearSum::get(bounds.simplify(expr));
  LinearSum invariant, variant;
  for (auto [term, coefficient] : sum.terms) {
    bool isVariant = false;
    for (unsigned dim = 0; dim != dimValues.size(); ++dim)
      isVariant |= NestedBlock::dependsOn(term, dim);
    (isVariant ? variant : invariant).add(term, coefficient);
  }

  Value result;
  AffineExpr key = variant.toExpr(context) + invariant.toExpr(context);
  if (!variant.terms.empty())
    result = variants.lookup(key);
  if (!result) {
    Value fixed, moving;
    if (!invariant.terms.empty()) {
      AffineExpr fixedExpr = invariant.toExpr(context);
      Value &cached = invariants[fixedExpr];
      if (!cached)
        cached = affine::expandAffineExpr(prologue, loc, fixedExpr, dimValues,
                                          symbolValues);
      fixed = cached;
    }
    if (!variant.terms.empty()) {
      AffineExpr movingExpr = variant.toExpr(context);
      Value &cached = variants[movingExpr];
      if (!cached)
        cached = affine::expandAffineExpr(builder, loc, movingExpr, dimValues,
                                          symbolValues);
      moving = cached;
    }
    if (fixed && moving)
      result = arith::AddIOp::create(builder, loc, fixed, moving);
    else
      result = fixed ? fixed : moving;
    if (moving)
      variants[key] = result;
  }
  if (!result)
    return arith::ConstantIndexOp::create(builder, loc, sum.constant);
  if (sum.constant == 0)
    return result;
  Value offset = arith::ConstantIndexOp::create(builder, loc, sum.constant);
  return arith::AddIOp::create(builder, loc, result, offset);
}

void TileEmitter::enterOuterGuards(OpBuilder &builder) {
  Location loc = nest.block.getLoc();
  for (AffineExpr guard : nest.outerGuards) {
    Value value = emitIndex(builder, guard);
    Value holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        value, zero);
    auto branch = scf::IfOp::create(builder, loc, holds);
    builder.setInsertionPoint(branch.thenYield());
  }
}

Value TileEmitter::toVector(OpBuilder &builder, Value scalar) {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  Value &vector = broadcasts[scalar];
  if (!vector)
    vector = vector::BroadcastOp::create(
        builder, scalar.getLoc(), getVectorType(scalar.getType()), scalar);
  return vector;
}

/// The number of leading lanes that `mask` has; null if there is no knowing.
static OpFoldResult getNumLanes(OpBuilder &builder, Value mask) {
  if (auto constant = mask.getDefiningOp<vector::ConstantMaskOp>())
    return builder.getIndexAttr(constant.getMaskDimSizes().front());
  if (auto dynamic = mask.getDefiningOp<vector::CreateMaskOp>())
    return dynamic.getOperand(0);
  return {};
}

/// A load of `stride * numLanes + offset` consecutive elements, at most a
/// vector.
static Value loadUpTo(OpBuilder &builder, Location loc, VectorType type,
                      Value view, Value index, OpFoldResult numLanes,
                      int64_t stride, int64_t offset) {
  auto maskType = VectorType::get(type.getShape(), builder.getI1Type());
  int64_t lanes = type.getNumElements();
  Value mask;
  if (std::optional<int64_t> constant = getConstantIntValue(numLanes)) {
    int64_t count = std::clamp<int64_t>(stride * *constant + offset, 0, lanes);
    if (count == lanes)
      return vector::LoadOp::create(builder, loc, type, view, index);
    mask =
        vector::ConstantMaskOp::create(builder, loc, maskType, ArrayRef{count});
  } else {
    Value steps = arith::ConstantIndexOp::create(builder, loc, stride);
    Value more = arith::ConstantIndexOp::create(builder, loc, offset);
    Value count =
        arith::MulIOp::create(builder, loc, cast<Value>(numLanes), steps);
    count = arith::AddIOp::create(builder, loc, count, more);
    mask = vector::CreateMaskOp::create(builder, loc, maskType, count);
  }
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::MaskedLoadOp::create(builder, loc, type, view, index, mask,
                                      zero);
}

/// Lanes `stride` apart. With a small stride, that many loads, of which the
/// last ends exactly at the last lane; else a gather.
Value TileEmitter::loadStrided(OpBuilder &builder, Value view, Value index,
                               int64_t stride, VectorType type, Value mask) {
  Location loc = nest.block.getLoc();
  OpFoldResult numLanes = mask ? getNumLanes(builder, mask)
                               : OpFoldResult(builder.getIndexAttr(lanes));
  if (1 < stride && stride <= kMaxPickedStride && numLanes) {
    SmallVector<int64_t> starts =
        getPartStarts(stride * (lanes - 1) + 1, lanes);
    SmallVector<Value> parts;
    for (int64_t start : starts) {
      Value offset = arith::ConstantIndexOp::create(builder, loc, start);
      Value place = arith::AddIOp::create(builder, loc, index, offset);
      // The last element is number stride * (numLanes - 1).
      parts.push_back(loadUpTo(builder, loc, type, view, place, numLanes,
                               stride, 1 - stride - start));
    }
    SmallVector<LanePick> picks;
    for (int64_t lane = 0; lane != lanes; ++lane)
      picks.push_back(getPick(starts, lanes, stride * lane));
    return pickLanes(builder, loc, parts, picks);
  }
  SmallVector<int32_t> offsets;
  for (int64_t lane = 0; lane != lanes; ++lane)
    offsets.push_back(lane * stride);
  auto offsetType = VectorType::get({lanes}, builder.getI32Type());
  Value indices = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(offsetType, ArrayRef(offsets)));
  if (!mask)
    mask = vector::ConstantMaskOp::create(builder, loc,
                                          getVectorType(builder.getI1Type()),
                                          vector::ConstantMaskKind::AllTrue);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return vector::GatherOp::create(builder, loc, type, view, ValueRange{index},
                                  indices, mask, zero);
}

Value TileEmitter::load(OpBuilder &builder, Operation *op,
                        ArrayRef<AffineExpr> point, Value mask) {
  Location loc = op->getLoc();
  Value buffer = getBuffer(op);
  Type element = op->getResult(0).getType();
  AffineExpr position = getPosition(op, point);
  std::optional<int64_t> stride =
      NestedBlock::getStride(positions[op], laneLoop);
  assert(stride && "checked when the nest was matched");
  if (stride == 0 ||
      nest.staysInside(buffer, positions[op] + *stride * overhang))
    mask = Value();

  std::tuple key(buffer, position, *stride, mask);
  if (Value cached = loads.lookup(key))
    return cached;
  Value view = getFlatView(buffer);
  SmallVector<Value> indices;
  if (cast<MemRefType>(view.getType()).getRank() == 1)
    indices.push_back(emitIndex(builder, position));
  VectorType type = getVectorType(element);
  Value result;
  if (stride == 0) {
    result = memref::LoadOp::create(builder, loc, view, indices);
  } else if (stride != 1) {
    result = loadStrided(builder, view, indices.front(), *stride, type, mask);
  } else if (mask) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    result = vector::MaskedLoadOp::create(builder, loc, type, view, indices,
                                          mask, zero);
  } else {
    result = vector::LoadOp::create(builder, loc, type, view, indices);
  }
  loads[key] = result;
  return result;
}

Value TileEmitter::loadElements(OpBuilder &builder, Operation *access,
                                AffineExpr position, int64_t count) {
  Location loc = access->getLoc();
  Value buffer = getBuffer(access);
  position = bounds.simplify(position);
  std::tuple key(buffer, position, int64_t(1), Value());
  if (Value cached = count == lanes ? loads.lookup(key) : Value())
    return cached;
  Value view = getFlatView(buffer);
  Value index = emitIndex(builder, position);
  VectorType type = getVectorType(access->getResult(0).getType());
  if (count != lanes) {
    Value mask = vector::ConstantMaskOp::create(
        builder, loc, getVectorType(builder.getI1Type()), ArrayRef{count});
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return vector::MaskedLoadOp::create(builder, loc, type, view,
                                        ValueRange{index}, mask, zero);
  }
  Value result =
      vector::LoadOp::create(builder, loc, type, view, ValueRange{index});
  loads[key] = result;
  return result;
}

Attribute TileEmitter::getConstant(Value value, ArrayRef<AffineExpr> point) {
  Operation *op = value.getDefiningOp();
  if (!op || !isLoad(op) ||
      !nest.block.getRegion().isAncestor(op->getParentRegion()))
    return {};
  Value buffer = getBuffer(op);
  auto it = tables.find(buffer);
  if (it == tables.end())
    it = tables.insert({buffer, ConstantTable::get(buffer)}).first;
  if (failed(it->second))
    return {};
  auto position = dyn_cast<AffineConstantExpr>(getPosition(op, point));
  if (!position || NestedBlock::getStride(positions[op], laneLoop) != 0)
    return {};
  ArrayRef<Attribute> elements = it->second->getElements();
  int64_t index = position.getValue();
  return index >= 0 && index < int64_t(elements.size()) ? elements[index]
                                                        : Attribute();
}

Value TileEmitter::emitIndexAsData(OpBuilder &builder, Operation *op,
                                   ArrayRef<AffineExpr> point) {
  Location loc = op->getLoc();
  AffineExpr expr = nest.getExpr(getIndexAsData(op));
  Type type = op->getResult(0).getType();
  Value first = arith::IndexCastOp::create(
      builder, loc, type,
      emitIndex(builder, bounds.simplify(expr.replaceDims(point))));
  std::optional<int64_t> stride = NestedBlock::getStride(expr, laneLoop);
  assert(stride && "checked when the nest was matched");
  if (stride == 0)
    return first;
  SmallVector<APInt> offsets;
  for (int64_t lane = 0; lane != lanes; ++lane)
    offsets.emplace_back(type.getIntOrFloatBitWidth(), lane * *stride,
                         /*isSigned=*/true, /*implicitTrunc=*/true);
  VectorType vectorType = getVectorType(type);
  Value steps = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(vectorType, offsets));
  return arith::AddIOp::create(builder, loc, toVector(builder, first), steps);
}

Value TileEmitter::evaluate(OpBuilder &builder, Value value,
                            ArrayRef<AffineExpr> point, Value mask) {
  DenseMap<Value, Value> evaluated;
  return evaluate(builder, value, point, mask, evaluated);
}

Value TileEmitter::evaluate(OpBuilder &builder, Value value,
                            ArrayRef<AffineExpr> point, Value mask,
                            DenseMap<Value, Value> &evaluated) {
  if (Value known = evaluated.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || !nest.block.getRegion().isAncestor(op->getParentRegion()))
    return value;
  if (Attribute constant = getConstant(value, point))
    return arith::ConstantOp::create(builder, op->getLoc(),
                                     cast<TypedAttr>(constant));
  if (isLoad(op))
    return load(builder, op, point, mask);
  if (getIndexAsData(op))
    return emitIndexAsData(builder, op, point);
  if (Value guarded = getGuardedValue(op))
    return evaluate(builder, guarded, point, mask, evaluated);
  SmallVector<Value> operands;
  bool isVector = false;
  for (Value operand : op->getOperands()) {
    operands.push_back(evaluate(builder, operand, point, mask, evaluated));
    isVector |= isa<VectorType>(operands.back().getType());
  }
  if (isVector)
    for (Value &operand : operands)
      operand = toVector(builder, operand);
  Operation *clone = op->clone();
  clone->setOperands(operands);
  if (isVector)
    clone->getResult(0).setType(getVectorType(value.getType()));
  builder.insert(clone);
  evaluated[value] = clone->getResult(0);
  return clone->getResult(0);
}

Value TileEmitter::evaluateVector(OpBuilder &builder, Value value,
                                  ArrayRef<AffineExpr> point, Value mask) {
  return toVector(builder, evaluate(builder, value, point, mask));
}
