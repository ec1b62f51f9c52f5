//===- SortLine.cpp - Lines of tensors and entries to sort ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SortLine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

/// Elements that are compared at once with the last one that is kept.
static constexpr int64_t kVectorBits = 256, kVectorsAtOnce = 4;

static Value compare(ImplicitLocOpBuilder &b, Predicate predicate, Value lhs,
                     Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}

Value SortLine::integer(int64_t value, Type type) const {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value SortLine::load(Value index) {
  indices[axis] = index;
  return memref::LoadOp::create(b, data, indices);
}

void SortLine::store(Value value, Value buffer, Value index) {
  indices[axis] = index;
  memref::StoreOp::create(b, value, buffer, indices);
}

Value SortLine::getKey(Value element) const {
  Type i32 = b.getI32Type();
  if (!math.isFloat()) {
    if (element.getType() == i32)
      return math.isUnsigned()
                 ? arith::XOrIOp::create(b, element, integer(INT32_MIN, i32))
                       .getResult()
                 : element;
    if (math.isUnsigned())
      return arith::ExtUIOp::create(b, i32, element);
    return arith::ExtSIOp::create(b, i32, element);
  }
  Value wide = math.widen(element);
  ElementMath single(b, wide.getType());
  // Zeros of either sign are equal.
  wide = single.add(wide, single.zero());
  Value bits = arith::BitcastOp::create(b, i32, wide);
  Value sign = arith::ShRSIOp::create(b, bits, integer(31, i32));
  Value magnitude = arith::AndIOp::create(b, sign, integer(INT32_MAX, i32));
  Value key = arith::XOrIOp::create(b, bits, magnitude);
  return arith::SelectOp::create(b, single.isNaN(wide), integer(INT32_MAX, i32),
                                 key);
}

Value SortLine::getEntry(Value position) {
  Type i64 = b.getI64Type();
  Value entry = arith::IndexCastOp::create(b, i64, position);
  if (!withKeys)
    return entry;
  Value key = getKey(load(position));
  if (!isAscending)
    key = arith::XOrIOp::create(b, key, integer(-1, key.getType()));
  key = arith::ExtSIOp::create(b, i64, key);
  key = arith::ShLIOp::create(b, key, integer(kKeyBits, i64));
  entry =
      arith::OrIOp::create(b, entry, integer(int64_t(1) << kPositionBits, i64));
  return arith::OrIOp::create(b, key, entry);
}

Value SortLine::getPosition(Value entry) const {
  if (withKeys)
    entry = arith::AndIOp::create(
        b, entry, integer((int64_t(1) << kPositionBits) - 1, b.getI64Type()));
  return arith::IndexCastOp::create(b, b.getIndexType(), entry);
}

Value SortLine::isBefore(Value lhs, Value rhs) {
  Value isEarlier = compare(b, Predicate::slt, lhs, rhs);
  if (withKeys)
    return isEarlier;
  Value left = load(getPosition(lhs)), right = load(getPosition(rhs));
  Value isTie = arith::XOrIOp::create(b, comesBefore(right, left),
                                      integer(1, b.getI1Type()));
  return arith::OrIOp::create(b, comesBefore(left, right),
                              arith::AndIOp::create(b, isTie, isEarlier));
}

Value SortLine::getDigit(Value entry, int64_t low, int64_t width) const {
  assert(withKeys && "expects entries with keys");
  Type i64 = b.getI64Type();
  // The sign comes first in the order of numbers: as its opposite.
  if (low + width == kKeyBits)
    entry = arith::XOrIOp::create(
        b, entry, integer(std::numeric_limits<int64_t>::min(), i64));
  Value digit = arith::ShRUIOp::create(b, entry, integer(kKeyBits + low, i64));
  digit =
      arith::AndIOp::create(b, digit, integer((int64_t(1) << width) - 1, i64));
  return arith::IndexCastOp::create(b, b.getIndexType(), digit);
}

int64_t SortLine::getNumAtOnce() const {
  Type type = math.getStorageType();
  // Vectors of halves may need instructions that are not there.
  bool isPlain = !type.isInteger(1) && !type.isF16() && !type.isBF16();
  bool isContiguous = axis + 1 == static_cast<int64_t>(indices.size());
  if (!isPlain || !isContiguous)
    return 0;
  return kVectorsAtOnce * kVectorBits / type.getIntOrFloatBitWidth();
}

Value SortLine::mayComeBefore(Value position, Value element) {
  Type type = math.getStorageType();
  int64_t lanes = kVectorBits / type.getIntOrFloatBitWidth();
  auto vectorType = VectorType::get(lanes, type);
  Value bound = vector::BroadcastOp::create(b, vectorType, element);
  auto emitCompare = [&](Value lhs, Value rhs) -> Value {
    // Also true where one of them is NaN.
    if (math.isFloat())
      return arith::CmpFOp::create(b, arith::CmpFPredicate::ULT, lhs, rhs);
    return compare(b, math.isUnsigned() ? Predicate::ult : Predicate::slt, lhs,
                   rhs);
  };
  Value any;
  for (int64_t part = 0; part < kVectorsAtOnce; ++part) {
    indices[axis] = arith::AddIOp::create(
        b, position, arith::ConstantIndexOp::create(b, part * lanes));
    Value lane = vector::LoadOp::create(b, vectorType, data, indices);
    Value found =
        isAscending ? emitCompare(lane, bound) : emitCompare(bound, lane);
    any = any ? arith::OrIOp::create(b, any, found).getResult() : found;
  }
  return vector::ReductionOp::create(b, vector::CombiningKind::OR, any);
}

SmallVector<Value> EntryList::getIndices(ValueRange at) const {
  SmallVector<Value> indices = outer;
  llvm::append_range(indices, at);
  return indices;
}

Value EntryList::load(ValueRange at) const {
  return memref::LoadOp::create(b, buffer, getIndices(at));
}

void EntryList::store(Value entry, ValueRange at) const {
  memref::StoreOp::create(b, entry, buffer, getIndices(at));
}
