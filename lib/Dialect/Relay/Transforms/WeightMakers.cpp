//===- WeightMakers.cpp - Weights that a product makes itself -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightMakers.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/ByteProducts.h"

using namespace mlir;
using namespace mlir::relay;

/// Whether all of `group` follows from constants, of which one has as many
/// elements as the result, in at most a byte each.
static bool makesWeight(const FusionGroup &group) {
  constexpr unsigned kMaxBits = 8;
  auto type = dyn_cast<RankedTensorType>(group.back()->getResult(0).getType());
  if (!type || !type.hasStaticShape() || !isa<FloatType>(type.getElementType()))
    return false;
  DenseSet<Operation *> members(group.begin(), group.end());
  bool hasFewBits = false;
  for (Operation *op : group)
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (members.contains(source))
        continue;
      auto part = dyn_cast<RankedTensorType>(operand.getType());
      if (!isa_and_nonnull<ConstantOp>(source) || !part)
        return false;
      hasFewBits |= part.getElementType().isInteger() &&
                    part.getElementTypeBitWidth() <= kMaxBits &&
                    part.getNumElements() == type.getNumElements();
    }
  return hasFewBits;
}

std::optional<int64_t> relay::countRows(RankedTensorType data) {
  int64_t count = 1;
  for (int64_t size : data.getShape().drop_back())
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  return count;
}

/// Whether the kernel of a product should make the weight.
static bool paysToJoin(ContractionOpInterface product,
                       TargetAttrInterface target) {
  // Of more rows a part of the weight is made once for all of them, too, but
  // their sums leave the cache between two parts.
  constexpr int64_t kMaxRows = 256;
  // Matrix units want the whole weight, packed, and take as long for 16 rows as
  // for one.
  constexpr int64_t kMaxRowsBesideUnits = 4;
  if (!target || !hasVectorsAndCaches(target))
    return false;
  std::optional<int64_t> rows =
      countRows(cast<RankedTensorType>(product->getOperand(0).getType()));
  if (target.getMatrixTerms(getPrecision(product)) != 0)
    return rows && *rows <= kMaxRowsBesideUnits;
  return rows.value_or(1) <= kMaxRows;
}

bool relay::addsBlocksUp(Operation *op, TargetAttrInterface target) {
  // Where matrix units are, too, vectors do it if they multiply four bytes.
  return target && hasVectorsAndCaches(target) &&
         (target.getMatrixTerms(getPrecision(op)) == 0 ||
          multipliesQuads(target));
}

void relay::joinBlockSums(MutableArrayRef<FusionGroup> groups,
                          const OperatorTargets &targets) {
  DenseMap<Operation *, FusionGroup *> products;
  for (FusionGroup &group : groups)
    for (Operation *op : group)
      if (isa<NNBatchMatmulOp>(op) &&
          getElementTypeOrSelf(op->getResult(0)).isInteger() &&
          op->getOperand(1).getDefiningOp<ConstantOp>())
        products.insert({group.back(), &group});
  for (FusionGroup &group : groups) {
    auto sum = group.size() == 1 ? dyn_cast<SumOp>(group.front()) : SumOp();
    if (!sum)
      continue;
    Operation *last = sum.getData().getDefiningOp();
    FusionGroup *product = products.lookup(last);
    std::optional<ArrayRef<int64_t>> axes = sum.getAxis();
    bool addsFloats =
        isa<FloatType>(getElementTypeOrSelf(sum.getResult().getType()));
    if (!product || !addsFloats || !last->hasOneUse() || !axes ||
        *axes != ArrayRef<int64_t>{0} || sum.getExclude() ||
        !addsBlocksUp(sum, targets.lookup(sum)))
      continue;
    product->push_back(sum);
    group.clear();
  }
}

void relay::joinWeightMakers(MutableArrayRef<FusionGroup> groups,
                             const OperatorTargets &targets) {
  DenseMap<Operation *, FusionGroup *> makers;
  for (FusionGroup &group : groups)
    if (!group.empty() && makesWeight(group))
      makers.insert({group.back(), &group});
  for (FusionGroup &group : groups)
    for (Operation *op : FusionGroup(group)) {
      if (!isa<NNDenseOp, NNMatmulOp, NNBatchMatmulOp>(op))
        continue;
      Value weight = op->getOperand(1);
      FusionGroup *maker = makers.lookup(weight.getDefiningOp());
      if (!maker || !weight.hasOneUse() ||
          !paysToJoin(cast<ContractionOpInterface>(op), targets.lookup(op)))
        continue;
      makers.erase(weight.getDefiningOp());
      group.insert(group.begin(), maker->begin(), maker->end());
      llvm::sort(group, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      maker->clear();
    }
}
