//===- EmitReductions.cpp - Reductions over lanes -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::relay::detail;

Value KernelEmitter::combine(const LaneReduction &reduction, Value lhs,
                             Value rhs) {
  OperationState state(loc, reduction.combiner->getName(), {lhs, rhs},
                       {lhs.getType()}, reduction.combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

void KernelEmitter::beginReductions(tir::ForOp loop) {
  for (const LaneReduction *reduction : plan.getReductionsCarriedBy(loop))
    accumulators[reduction] = {arith::ConstantIndexOp::create(builder, loc, 0),
                               {}};
}

LogicalResult KernelEmitter::emitAccumulation(const LaneReduction &reduction) {
  Accumulators &state = accumulators[&reduction];
  Type elementType = reduction.combiner->getResult(0).getType();
  VectorType type = getVectorType(elementType);
  Value &accumulator = state.vectors[{lanes.count, lanes.slot}];
  if (!accumulator) {
    // A buffer of one vector: the loops around carry it in a register once
    // accumulators are hoisted.
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(allocaPoint);
    accumulator =
        memref::AllocaOp::create(builder, loc, MemRefType::get({}, type));
    builder.setInsertionPoint(state.anchor);
    std::optional<TypedAttr> neutral =
        arith::getNeutralElement(reduction.combiner);
    if (!neutral)
      return reduction.combiner->emitOpError("expects a neutral element");
    Value start = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, Attribute(*neutral)));
    memref::StoreOp::create(builder, loc, start, accumulator, ValueRange());
  }
  Value old = memref::LoadOp::create(builder, loc, accumulator, ValueRange());
  Value updated = combine(reduction, old, toVector(lookup(reduction.update)));
  if (lanes.mask)
    updated = arith::SelectOp::create(builder, loc, lanes.mask, updated, old);
  memref::StoreOp::create(builder, loc, updated, accumulator, ValueRange());
  return success();
}

LogicalResult KernelEmitter::endReductions(tir::ForOp loop) {
  for (const LaneReduction *reduction : plan.getReductionsCarriedBy(loop)) {
    Accumulators state = std::move(accumulators[reduction]);
    accumulators.erase(reduction);

    // Vectors of the same width first, then across the lanes of each.
    llvm::MapVector<int64_t, Value> perWidth;
    for (auto [key, accumulator] : state.vectors) {
      Value vector =
          memref::LoadOp::create(builder, loc, accumulator, ValueRange());
      Value &sum = perWidth[key.first];
      sum = sum ? combine(*reduction, sum, vector) : vector;
    }
    Value total;
    for (auto [width, vector] : perWidth) {
      Value sum = vector::ReductionOp::create(
          builder, loc, reduction->kind, vector, arith::FastMathFlags::reassoc);
      total = total ? combine(*reduction, total, sum) : sum;
    }
    if (!total)
      continue;

    // The address does not change in the loop, so it can be computed here.
    AffineMap affineMap;
    SmallVector<Value> operands;
    Value buffer = reduction->load->getOperand(0);
    if (auto load = dyn_cast<affine::AffineLoadOp>(reduction->load)) {
      affineMap = load.getAffineMap();
      operands = load.getMapOperands();
    } else {
      auto element = cast<memref::LoadOp>(reduction->load);
      operands = element.getIndices();
      affineMap = builder.getMultiDimIdentityMap(operands.size());
    }
    auto evaluateAll = [&](ValueRange range,
                           SmallVectorImpl<Lowered> &lowered) {
      for (Value value : range) {
        FailureOr<Lowered> result = evaluate(value, loop);
        if (failed(result))
          return failure();
        lowered.push_back(*result);
      }
      return success();
    };

    // So does the part of the guard that keeps the address in bounds.
    Value guard;
    tir::BlockOp block = reduction->block;
    if (std::optional<IntegerSet> set = block.getPredicate()) {
      ValueRange inputs = block.getPredicateOperands();
      auto changes = [&](Value value) {
        return loop
            ->walk([&](tir::ForOp inner) {
              return LoopPlan::dependsOn(value, inner) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
            })
            .wasInterrupted();
      };
      for (auto [expr, isEquality] :
           llvm::zip(set->getConstraints(), set->getEqFlags())) {
        bool isFixed = true;
        SmallVector<Lowered> lowered(inputs.size(),
                                     Lowered::uniform(getConstantIndex(0)));
        for (auto [index, input] : llvm::enumerate(inputs)) {
          bool isUsed =
              index < set->getNumDims()
                  ? expr.isFunctionOfDim(index)
                  : expr.isFunctionOfSymbol(index - set->getNumDims());
          if (!isUsed)
            continue;
          if (changes(input)) {
            isFixed = false;
            break;
          }
          SmallVector<Lowered> one;
          if (failed(evaluateAll(ValueRange(input), one)))
            return failure();
          lowered[index] = one.front();
        }
        if (!isFixed)
          continue;
        Value holds =
            compareWithZero(evaluate(expr, set->getNumDims(), lowered),
                            isEquality)
                .value;
        guard =
            guard
                ? arith::AndIOp::create(builder, loc, guard, holds).getResult()
                : holds;
      }
    }

    LogicalResult result = success();
    auto update = [&] {
      SmallVector<Lowered> lowered;
      if (failed(evaluateAll(operands, lowered))) {
        result = failure();
        return;
      }
      SmallVector<Value> indices;
      for (AffineExpr expr : affineMap.getResults())
        indices.push_back(
            evaluate(expr, affineMap.getNumDims(), lowered).value);
      Value memref = lookup(buffer).value;
      Value old = memref::LoadOp::create(builder, loc, memref, indices);
      memref::StoreOp::create(builder, loc, combine(*reduction, old, total),
                              memref, indices);
    };
    if (guard)
      emitIf(guard, update);
    else
      update();
    if (failed(result))
      return failure();
  }
  return success();
}
