//===- WidenProducts.cpp - Products of half precision in f32 --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "OperatorTargets.h"
#include "ProductCounts.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::relay {
#define GEN_PASS_DEF_WIDENPRODUCTSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// Whether converting the operands once takes less time than in each product.
static bool paysToWiden(ContractionOpInterface op) {
  auto data = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto weight = dyn_cast<RankedTensorType>(op->getOperand(1).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!data || !weight || !result || !isHalf(data.getElementType()) ||
      !isHalf(weight.getElementType()) || !isHalf(result.getElementType()))
    return false;
  constexpr double kMinUses = 16;
  double products = countProducts(op, weight, result);
  return products >= kMinUses * countElements(data) &&
         products >= kMinUses * countElements(weight);
}

static void widen(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  Type single = builder.getF32Type();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(CastOp::create(builder, loc, operand, single));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Operation *wide = builder.clone(*op);
  wide->setOperands(operands);
  if (wide->getAttr("out_dtype"))
    wide->setAttr("out_dtype", TypeAttr::get(single));
  wide->getResult(0).setType(type.clone(single));
  Value narrow =
      CastOp::create(builder, loc, wide->getResult(0), type.getElementType());
  op->getResult(0).replaceAllUsesWith(narrow);
  op->erase();
}

namespace {

struct WidenProductsPass final
    : relay::impl::WidenProductsPassBase<WidenProductsPass> {
  using WidenProductsPassBase::WidenProductsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> found;
    OperatorTargets targets(getOperation());
    getOperation().walk([&](ContractionOpInterface op) {
      TargetAttrInterface target = targets.lookup(op);
      if (paysToWiden(op) && !(target && target.multipliesHalves()))
        found.push_back(op);
    });
    for (Operation *op : found)
      widen(op);
    numWidened += found.size();
  }
};

} // namespace
