//===- EmitBlocks.cpp - Guards, bodies and start values of blocks ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::relay::detail;
using tir::BlockOp;
using tir::ForOp;

void KernelEmitter::emitIf(Value condition, llvm::function_ref<void()> thenBody,
                           llvm::function_ref<void()> elseBody) {
  OpBuilder::InsertionGuard guard(builder);
  auto ifOp =
      scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/!!elseBody);
  builder.setInsertionPointToStart(ifOp.thenBlock());
  thenBody();
  if (!elseBody)
    return;
  builder.setInsertionPointToStart(ifOp.elseBlock());
  elseBody();
}

LogicalResult KernelEmitter::emitGuarded(BlockOp block, BodyFn body) {
  std::optional<IntegerSet> set = block.getPredicate();
  if (!set)
    return body();
  SmallVector<Lowered> operands = lookupAll(block.getPredicateOperands());

  // Constraints that are the same for all lanes come first: an access at an
  // address that no lane is guarded for must not happen.
  Value uniform;
  SmallVector<std::pair<Lowered, bool>> varying;
  Value allLanes, anyLane;
  auto both = [&](Value a, Value b) -> Value {
    return a ? arith::AndIOp::create(builder, loc, a, b).getResult() : b;
  };
  bool knowsLanes = true;
  for (auto [expr, isEquality] :
       llvm::zip(set->getConstraints(), set->getEqFlags())) {
    Lowered index = evaluate(expr, set->getNumDims(), operands);
    if (index.isUniform()) {
      std::optional<int64_t> constant = getConstantIntValue(index.value);
      bool holds = constant && (isEquality ? *constant == 0 : *constant >= 0);
      if (!holds)
        uniform = both(uniform, compareWithZero(index, isEquality).value);
      continue;
    }
    varying.push_back({index, isEquality});
    if (index.kind != Lowered::Linear || isEquality) {
      knowsLanes = false;
      continue;
    }
    // A linear expression has its extremes in the first and the last lane.
    AffineExpr d0 = builder.getAffineDimExpr(0);
    int64_t reach = index.stride * (lanes.count - 1);
    auto holdsAt = [&](int64_t offset) {
      Lowered lane = evaluate(d0 + offset, 1, Lowered::uniform(index.value));
      return compareWithZero(lane, /*isEquality=*/false).value;
    };
    allLanes = both(allLanes, holdsAt(std::min<int64_t>(reach, 0)));
    anyLane = both(anyLane, holdsAt(std::max<int64_t>(reach, 0)));
  }

  LogicalResult result = success();
  auto emitVarying = [&] {
    if (varying.empty()) {
      result = body();
      return;
    }
    auto emitPartial = [&] {
      // Every lane by itself, its guard being uniform.
      if (!target.hasMaskedAccess) {
        result = emitEachLane([&]() -> LogicalResult {
          for (Value operand : block.getPredicateOperands()) {
            FailureOr<Lowered> lowered = evaluate(operand, laneScope);
            if (failed(lowered))
              return failure();
            map(operand, *lowered);
          }
          return emitGuarded(block, body);
        });
        return;
      }
      llvm::SaveAndRestore saved(lanes);
      lanes.mayBeEmpty |= !knowsLanes;
      for (auto [index, isEquality] : varying) {
        Lowered condition = compareWithZero(index, isEquality);
        lanes.mask =
            lanes.mask ? conjoin(Lowered::varying(lanes.mask), condition).value
                       : condition.value;
      }
      result = body();
    };
    if (!knowsLanes) {
      emitPartial();
      return;
    }
    emitIf(
        allLanes, [&] { result = body(); },
        [&] {
          if (succeeded(result))
            emitIf(anyLane, emitPartial);
        });
  };
  if (uniform)
    emitIf(uniform, emitVarying);
  else
    emitVarying();
  return result;
}

LogicalResult KernelEmitter::emitBlock(BlockOp block) {
  return emitGuarded(block, [&] { return emitBlockBody(block); });
}

LogicalResult KernelEmitter::emitBlockBody(BlockOp block) {
  for (auto [arg, binding] :
       llvm::zip(block.getIterVars(), block.getBindings())) {
    // A lane by itself has values of its own.
    FailureOr<Lowered> lowered =
        laneScope ? evaluate(binding, laneScope) : FailureOr(lookup(binding));
    if (failed(lowered))
      return failure();
    map(arg, *lowered);
  }
  if (block.getInit() && !plan.isInitHoisted(block) && failed(emitInit(block)))
    return failure();
  return emitBody(*block.getBody());
}

LogicalResult KernelEmitter::emitInit(BlockOp block) {
  Lowered isFirst;
  for (auto [kind, arg] : llvm::zip(block.getKinds(), block.getIterVars())) {
    if (kind != tir::IterKind::Reduce)
      continue;
    Lowered isZero = compareWithZero(lookup(arg), /*isEquality=*/true);
    isFirst = isFirst.value ? conjoin(isFirst, isZero) : isZero;
  }
  Region empty;
  return emitConditional(block.getInit(), isFirst, block.getInit().getRegion(),
                         empty);
}

LogicalResult KernelEmitter::emitHoistedInit(BlockOp block, ForOp scope,
                                             ArrayRef<ForOp> loops) {
  if (!loops.empty()) {
    ForOp loop = loops.front();
    bool isReduce = llvm::any_of(
        llvm::zip(block.getKinds(), block.getBindings()), [&](auto pair) {
          auto [kind, binding] = pair;
          return kind == tir::IterKind::Reduce &&
                 LoopPlan::dependsOn(binding, loop);
        });
    auto emitInner = [&] {
      return emitHoistedInit(block, scope, loops.drop_front());
    };
    if (!isReduce)
      return emitIterations(loop, emitInner);
    // The reduction starts at the lower bounds of its loops.
    if (auto bound = dyn_cast<Value>(loop.getLowerBound()))
      map(loop.getInductionVar(), lookup(bound));
    else
      map(loop.getInductionVar(),
          Lowered::uniform(getConstantIndex(*loop.getConstantLowerBound())));
    return emitInner();
  }
  auto evaluateAll = [&](ValueRange from, ValueRange to) -> LogicalResult {
    for (auto [source, value] : llvm::zip(from, to)) {
      FailureOr<Lowered> lowered = evaluate(source, scope);
      if (failed(lowered))
        return failure();
      map(value, *lowered);
    }
    return success();
  };
  ValueRange operands = block.getPredicateOperands();
  if (failed(evaluateAll(operands, operands)))
    return failure();
  return emitGuarded(block, [&]() -> LogicalResult {
    if (failed(evaluateAll(block.getBindings(), block.getIterVars())))
      return failure();
    return emitBody(block.getInit().getRegion().front());
  });
}
