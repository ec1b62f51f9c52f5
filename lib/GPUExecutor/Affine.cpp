//===- Affine.cpp - Affine expressions ------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Builder.h"
#include "IntegerFunctions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::gpu_executor;
using namespace mlir::relay::gpu_executor::integer;

//===----------------------------------------------------------------------===//
// Affine expressions
//===----------------------------------------------------------------------===//

uint32_t KernelBuilder::emitAdd(Operation *op, uint32_t a, uint32_t b) {
  std::optional<U> left = getConstantValue(a), right = getConstantValue(b);
  if (left && right)
    return getConstant(*left + *right);
  if (left == U(0))
    return b;
  if (right == U(0))
    return a;
  uint32_t result = allocate();
  Inst &inst = emit(op, binary<Add>);
  inst.d = result;
  inst.a = a;
  inst.b = b;
  return result;
}

uint32_t KernelBuilder::emitMul(Operation *op, uint32_t a, uint32_t b) {
  std::optional<U> left = getConstantValue(a), right = getConstantValue(b);
  if (left && right)
    return getConstant(*left * *right);
  if (left == U(1))
    return b;
  if (right == U(1))
    return a;
  uint32_t result = allocate();
  Inst &inst = emit(op, binary<Mul>);
  inst.d = result;
  inst.a = a;
  inst.b = b;
  return result;
}

uint32_t KernelBuilder::emitAffine(Operation *op, AffineExpr expr,
                                   ArrayRef<uint32_t> dims,
                                   ArrayRef<uint32_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return getConstant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto parts = cast<AffineBinaryOpExpr>(expr);
  uint32_t a = emitAffine(op, parts.getLHS(), dims, symbols);
  uint32_t b = emitAffine(op, parts.getRHS(), dims, symbols);
  Handler fn = nullptr;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return emitAdd(op, a, b);
  case AffineExprKind::Mul:
    return emitMul(op, a, b);
  case AffineExprKind::FloorDiv:
    fn = divide<FloorDivS, true>;
    break;
  case AffineExprKind::CeilDiv:
    fn = divide<CeilDivS, true>;
    break;
  case AffineExprKind::Mod:
    fn = divide<Mod, true>;
    break;
  default:
    llvm_unreachable("others are no binary expressions");
  }
  uint32_t result = allocate();
  Inst &inst = emit(op, fn);
  inst.d = result;
  inst.a = a;
  inst.b = b;
  return result;
}

KernelBuilder::Registers
KernelBuilder::emitAffine(Operation *op, AffineMap map,
                          ArrayRef<uint32_t> operands) {
  Registers results;
  for (AffineExpr expr : map.getResults())
    results.push_back(emitAffine(op, expr,
                                 operands.take_front(map.getNumDims()),
                                 operands.drop_front(map.getNumDims())));
  return results;
}

/// affine.min and affine.max.
template <typename OpT, typename Fn>
static LogicalResult lowerExtremum(KernelBuilder &builder, OpT op) {
  KernelBuilder::Registers values =
      builder.emitAffine(op, op.getMap(), builder.get(op->getOperands()));
  uint32_t result = values.front();
  for (uint32_t value : ArrayRef(values).drop_front()) {
    uint32_t next = builder.allocate();
    Inst &inst = builder.emit(op, binary<Fn>);
    inst.d = next;
    inst.a = result;
    inst.b = value;
    result = next;
  }
  builder.set(op, result);
  return success();
}

void gpu_executor::populateAffineLowerings(LoweringTable &table) {
  table.add<affine::AffineApplyOp>(
      [](KernelBuilder &builder, affine::AffineApplyOp op) {
        builder.set(op, builder.emitAffine(op, op.getAffineMap(),
                                           builder.get(op->getOperands())));
        return success();
      });
  table.add<affine::AffineMinOp>(lowerExtremum<affine::AffineMinOp, MinS>);
  table.add<affine::AffineMaxOp>(lowerExtremum<affine::AffineMaxOp, MaxS>);
  table.add<affine::AffineDelinearizeIndexOp>(
      [](KernelBuilder &builder,
         affine::AffineDelinearizeIndexOp op) -> LogicalResult {
        SmallVector<OpFoldResult> basis = op.getMixedBasis();
        uint32_t rest = builder.get(op.getLinearIndex());
        unsigned count = op.getNumResults();
        size_t skipped = basis.size() - (count - 1);
        for (unsigned i = count - 1; i > 0; --i) {
          OpFoldResult size = basis[skipped + i - 1];
          uint32_t divisor =
              isa<Value>(size)
                  ? builder.get(cast<Value>(size))
                  : builder.getConstant(
                        cast<IntegerAttr>(cast<Attribute>(size)).getInt());
          uint32_t digit = builder.define(op.getResult(i));
          uint32_t next = builder.allocate();
          for (auto [fn, to] :
               {std::pair<Handler, uint32_t>{divide<Mod, true>, digit},
                {divide<FloorDivS, true>, next}}) {
            Inst &inst = builder.emit(op, fn);
            inst.d = to;
            inst.a = rest;
            inst.b = divisor;
          }
          rest = next;
        }
        builder.set(op.getResult(0), rest);
        return success();
      });
  table.add<affine::AffineLinearizeIndexOp>(
      [](KernelBuilder &builder, affine::AffineLinearizeIndexOp op) {
        SmallVector<OpFoldResult> basis = op.getMixedBasis();
        ValueRange indices = op.getMultiIndex();
        size_t skipped = basis.size() - (indices.size() - 1);
        uint32_t sum = builder.get(indices.front());
        for (auto [i, index] : llvm::enumerate(indices.drop_front())) {
          OpFoldResult size = basis[skipped + i];
          uint32_t factor =
              isa<Value>(size)
                  ? builder.get(cast<Value>(size))
                  : builder.getConstant(
                        cast<IntegerAttr>(cast<Attribute>(size)).getInt());
          sum = builder.emitAdd(op, builder.emitMul(op, sum, factor),
                                builder.get(index));
        }
        builder.set(op, sum);
        return success();
      });
}
