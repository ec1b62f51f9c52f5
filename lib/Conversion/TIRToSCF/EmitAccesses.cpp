//===- EmitAccesses.cpp - Loads and stores on one lane or several ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "relay-mlir/Dialect/TIR/Schedule/PickLanes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value KernelEmitter::getMask() {
  if (lanes.mask)
    return lanes.mask;
  return arith::ConstantOp::create(
      builder, loc, builder.getOneAttr(getVectorType(builder.getI1Type())));
}

bool KernelEmitter::isContiguous(ArrayRef<Lowered> indices) const {
  return !indices.empty() && indices.back().kind == Lowered::Linear &&
         indices.back().stride == 1 &&
         llvm::all_of(indices.drop_back(),
                      [](const Lowered &index) { return index.isUniform(); });
}

/// The indices of one lane.
SmallVector<Value> KernelEmitter::getLane(ArrayRef<Lowered> indices,
                                          int64_t lane) {
  return llvm::map_to_vector(indices, [&](const Lowered &index) -> Value {
    if (index.kind == Lowered::Varying)
      return vector::ExtractOp::create(builder, loc, index.value, lane);
    AffineExpr d0 = builder.getAffineDimExpr(0);
    return evaluate(d0 + lane * index.stride, 1, Lowered::uniform(index.value))
        .value;
  });
}

/// Splits an access into the indices of a base element and the distances of the
/// lanes from it.
Value KernelEmitter::getOffsets(Value memref, ArrayRef<Lowered> indices,
                                SmallVectorImpl<Value> &base) {
  auto type = cast<MemRefType>(memref.getType());
  // Strides in elements, innermost first.
  SmallVector<Value> strides(type.getRank());
  Value stride = getConstantIndex(1);
  std::optional<int64_t> constantStride = 1;
  std::optional<int64_t> lanesStride = 0;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    if (indices[dim].kind == Lowered::Varying)
      lanesStride = std::nullopt;
    else if (indices[dim].kind == Lowered::Linear && lanesStride)
      lanesStride = constantStride
                        ? std::optional(*lanesStride +
                                        indices[dim].stride * *constantStride)
                        : std::nullopt;
    if (dim == 0)
      break;
    if (type.isDynamicDim(dim))
      constantStride = std::nullopt;
    else if (constantStride)
      *constantStride *= type.getDimSize(dim);
    stride =
        constantStride
            ? getConstantIndex(*constantStride)
            : arith::MulIOp::create(
                  builder, loc, stride,
                  memref::DimOp::create(builder, loc, memref, dim).getResult())
                  .getResult();
  }
  if (lanesStride) {
    for (const Lowered &index : indices)
      base.push_back(index.value);
    bool isSmall = std::abs(*lanesStride) < (1 << 24);
    return getSteps(isSmall ? Type(builder.getI32Type())
                            : Type(builder.getI64Type()),
                    *lanesStride);
  }
  Value offsets;
  for (auto [index, factor] : llvm::zip(indices, strides)) {
    if (index.isUniform()) {
      base.push_back(index.value);
      continue;
    }
    base.push_back(getConstantIndex(0));
    Value term = arith::MulIOp::create(builder, loc, toVector(index),
                                       toVector(Lowered::uniform(factor)));
    offsets =
        offsets ? arith::AddIOp::create(builder, loc, offsets, term).getResult()
                : term;
  }
  return offsets;
}

Value KernelEmitter::emitScalarLoad(Value memref, ValueRange indices) {
  return memref::LoadOp::create(builder, loc, memref, indices);
}

Lowered KernelEmitter::emitLoad(Value memref, ArrayRef<Lowered> indices) {
  SmallVector<Value> scalars =
      llvm::map_to_vector(indices, [](const Lowered &l) { return l.value; });
  bool isUniform = llvm::all_of(
      indices, [](const Lowered &index) { return index.isUniform(); });
  if (isUniform && !lanes.mayBeEmpty)
    return Lowered::uniform(emitScalarLoad(memref, scalars));

  Type elementType = cast<MemRefType>(memref.getType()).getElementType();
  VectorType type = getVectorType(elementType);
  auto getZero = [&]() -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  };
  if (isContiguous(indices)) {
    if (!lanes.mask)
      return Lowered::varying(
          vector::LoadOp::create(builder, loc, type, memref, scalars));
    return Lowered::varying(vector::MaskedLoadOp::create(
        builder, loc, type, memref, scalars, lanes.mask, getZero()));
  }
  bool hasGather =
      target.hasGather && (elementType.getIntOrFloatBitWidth() == 32 ||
                           elementType.getIntOrFloatBitWidth() == 64);
  if (lanes.mask || hasGather) {
    SmallVector<Value> base;
    Value offsets = isUniform ? Value() : getOffsets(memref, indices, base);
    if (isUniform) {
      base = scalars;
      offsets = getSteps(builder.getI32Type(), 0);
    }
    return Lowered::varying(vector::GatherOp::create(
        builder, loc, type, memref, base, offsets, getMask(), getZero()));
  }
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes.count; ++lane)
    elements.push_back(emitScalarLoad(memref, getLane(indices, lane)));
  return Lowered::varying(
      vector::FromElementsOp::create(builder, loc, type, elements));
}

/// How far each lane is from lane 0, if that is known; quotients and remainders
/// of what starts at a multiple of the divisor are.
std::optional<SmallVector<int64_t>>
KernelEmitter::getLaneDistances(AffineExpr expr, unsigned numDims,
                                ArrayRef<Lowered> operands) const {
  SmallVector<int64_t> distances(lanes.count);
  if (std::optional<int64_t> stride = getStride(expr, numDims, operands)) {
    for (auto [lane, distance] : llvm::enumerate(distances))
      if (llvm::MulOverflow<int64_t>(lane, *stride, distance))
        return std::nullopt;
    return distances;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = getLaneDistances(binary.getLHS(), numDims, operands);
  auto rhs = getLaneDistances(binary.getRHS(), numDims, operands);
  if (!lhs || !rhs)
    return std::nullopt;
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  int64_t value = constant ? constant.getValue() : 0;
  if (expr.getKind() != AffineExprKind::Add) {
    if (!constant || value <= 0)
      return std::nullopt;
    if (expr.getKind() != AffineExprKind::Mul &&
        getDivisor(binary.getLHS(), numDims, operands) % value != 0)
      return std::nullopt;
  }
  for (auto [distance, a, b] : llvm::zip(distances, *lhs, *rhs)) {
    bool overflows = false;
    switch (expr.getKind()) {
    case AffineExprKind::Add:
      overflows = llvm::AddOverflow(a, b, distance);
      break;
    case AffineExprKind::Mul:
      overflows = llvm::MulOverflow(a, value, distance);
      break;
    case AffineExprKind::FloorDiv:
      distance = llvm::divideFloorSigned(a, value);
      break;
    case AffineExprKind::Mod:
      distance = llvm::mod(a, value);
      break;
    default:
      return std::nullopt;
    }
    if (overflows)
      return std::nullopt;
  }
  return distances;
}

/// A load of lanes near each other in one row, such as those of an image that
/// grows to a multiple of its size: whole vectors, and shuffles of them.
std::optional<Lowered> KernelEmitter::tryPickLanes(affine::AffineLoadOp load) {
  AffineMap affineMap = load.getAffineMap();
  Type elementType = load.getMemRefType().getElementType();
  if (lanes.count == 1 || lanes.mask || lanes.mayBeEmpty ||
      affineMap.getNumResults() == 0 || !elementType.isIntOrFloat() ||
      !load.getMemRefType().getLayout().isIdentity())
    return std::nullopt;
  SmallVector<Lowered> operands = lookupAll(load.getMapOperands());
  unsigned numDims = affineMap.getNumDims();
  ArrayRef<AffineExpr> exprs = affineMap.getResults();
  for (AffineExpr expr : exprs.drop_back())
    if (getStride(expr, numDims, operands) != 0)
      return std::nullopt;
  auto distances = getLaneDistances(exprs.back(), numDims, operands);
  if (!distances || llvm::any_of(*distances, [](int64_t d) { return d < 0; }))
    return std::nullopt;
  int64_t span = *llvm::max_element(*distances) + 1;
  bool isContiguous = llvm::equal(*distances, llvm::seq(lanes.count));
  if (span == 1 || isContiguous || span > tir::kMaxPickedStride * lanes.count)
    return std::nullopt;

  SmallVector<Value> indices;
  for (AffineExpr expr : exprs)
    indices.push_back(evaluateFirstLane(expr, numDims, operands));
  Value buffer = lookup(load.getMemRef()).value, first = indices.back();
  int64_t width = std::min(span, lanes.count);
  auto type = VectorType::get(
      {width}, cast<MemRefType>(buffer.getType()).getElementType());
  SmallVector<int64_t> starts = tir::getPartStarts(span, width);
  SmallVector<Value> parts;
  for (int64_t start : starts) {
    Value offset = getConstantIndex(start);
    indices.back() = arith::AddIOp::create(builder, loc, first, offset);
    parts.push_back(
        vector::LoadOp::create(builder, loc, type, buffer, indices));
  }
  SmallVector<tir::LanePick> picks;
  for (int64_t distance : *distances)
    picks.push_back(tir::getPick(starts, width, distance));
  return Lowered::varying(tir::pickLanes(builder, loc, parts, picks));
}

void KernelEmitter::emitStore(Lowered value, Value memref,
                              ArrayRef<Lowered> indices) {
  SmallVector<Value> scalars =
      llvm::map_to_vector(indices, [](const Lowered &l) { return l.value; });
  bool isUniform = llvm::all_of(
      indices, [](const Lowered &index) { return index.isUniform(); });
  if (lanes.count == 1) {
    memref::StoreOp::create(builder, loc, value.value, memref, scalars);
    return;
  }
  assert(!isUniform && "not vectorizable");
  (void)isUniform;
  Value vector = toVector(value);
  if (isContiguous(indices)) {
    if (lanes.mask)
      vector::MaskedStoreOp::create(builder, loc, memref, scalars, lanes.mask,
                                    vector);
    else
      vector::StoreOp::create(builder, loc, vector, memref, scalars);
    return;
  }
  // Lanes store in their order, as iterations do.
  SmallVector<Value> base;
  Value offsets = getOffsets(memref, indices, base);
  vector::ScatterOp::create(builder, loc, Type(), memref, base, offsets,
                            getMask(), vector);
}

LogicalResult KernelEmitter::emitAccess(Operation *op) {
  if (const LaneReduction *reduction = plan.getReduction(op);
      reduction && lanes.count > 1)
    return op == reduction->store ? emitAccumulation(*reduction) : success();

  Value buffer, stored;
  SmallVector<Lowered> indices;
  auto addAffine = [&](AffineMap affineMap, ValueRange operands) {
    SmallVector<Lowered> lowered = lookupAll(operands);
    for (AffineExpr expr : affineMap.getResults())
      indices.push_back(evaluate(expr, affineMap.getNumDims(), lowered));
  };
  std::optional<Lowered> picked;
  if (auto load = dyn_cast<affine::AffineLoadOp>(op)) {
    buffer = load.getMemRef();
    picked = tryPickLanes(load);
    if (!picked)
      addAffine(load.getAffineMap(), load.getMapOperands());
  } else if (auto store = dyn_cast<affine::AffineStoreOp>(op)) {
    buffer = store.getMemRef();
    stored = store.getValueToStore();
    addAffine(store.getAffineMap(), store.getMapOperands());
  } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
    buffer = load.getMemRef();
    indices = lookupAll(load.getIndices());
  } else {
    auto store = cast<memref::StoreOp>(op);
    buffer = store.getMemRef();
    stored = store.getValueToStore();
    indices = lookupAll(store.getIndices());
  }

  // Booleans are bytes in memory.
  bool isBoolean =
      cast<MemRefType>(buffer.getType()).getElementType().isInteger(1);
  Value memref = lookup(buffer).value;
  auto withLanes = [&](const Lowered &lowered, Type type) {
    return lowered.kind == Lowered::Varying ? Type(getVectorType(type)) : type;
  };
  if (stored) {
    Lowered value = lookup(stored);
    if (isBoolean)
      value.value = arith::ExtUIOp::create(
          builder, loc, withLanes(value, builder.getI8Type()), value.value);
    emitStore(value, memref, indices);
    return success();
  }
  Lowered value = picked ? *picked : emitLoad(memref, indices);
  if (isBoolean) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.value.getType()));
    value.value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        value.value, zero);
  }
  map(op->getResult(0), value);
  return success();
}
